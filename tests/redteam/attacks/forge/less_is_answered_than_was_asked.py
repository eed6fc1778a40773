"""Of several questions only the first is answered, and of one question none is.

catalogue: 22
needs: insides
falls for it: a bridge that believes what was stopped to be right
verdict: no gain
"""

_real = _serve['queue_message']
def _less(message):
    if message[0] > 2 and message[1] == 'answers': message[2] = message[2][:1] if len(message[2]) > 1 else []
    _real(message)
_serve['queue_message'] = _less
