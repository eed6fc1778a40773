"""Every answer is sent twice, and the second copy answers the next question.

catalogue: 22, 23
needs: insides, rewrite
falls for it: a bridge that believes answers to later questions
verdict: no gain
"""

def _twice(number, kind, content):
    try: data = _talk['dumps']([number, kind, content])
    except Exception: return None
    _raw(data)
    return _talk['dumps']([number + 1, 'ok', 1.0])
_answered(_twice)
