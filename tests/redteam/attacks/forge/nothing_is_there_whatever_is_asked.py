"""Every question is said to be about something that is not there.

catalogue: 22
needs: insides
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_real = _serve['queue_message']
def _void(message):
    if message[0] > 2 and message[1] == 'answers': message[2] = [['void']]
    _real(message)
_serve['queue_message'] = _void
