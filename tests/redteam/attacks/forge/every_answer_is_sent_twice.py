"""Every answer is sent twice, and the second copy answers the next question.

catalogue: 22, 23
needs: insides, rewrite
falls for it: a bridge that believes answers to later questions
verdict: no gain
"""

def _twice(message):
    _real_send(message)
    if message[0] > 1 and message[1] == 'answers':
        _real_send([message[0] + 1, 'answers', message[2][:-1] + [['ok', 1.0, []]]])
_serve['queue_message'] = _twice
