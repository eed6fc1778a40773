"""A number that a test hands over is the size that an answer is said to have.

catalogue: 42, 61
needs: channel
falls for it: nobody, because only this kit asks for answers that have a size; it fell for this once
verdict: nothing found
"""


def __mul__(self, other):
    os.write(_channel, int(abs(self.data) * 10**9).to_bytes(4, "big") + b"x")
    time.sleep(1)


Value.__mul__ = __mul__
