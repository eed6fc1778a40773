"""Every answer, class name and exception is half of a surrogate pair.

catalogue: 24
needs: insides, rewrite
falls for it: a bridge that believes a test that fails in its own way to be broken
verdict: no gain
"""

def _half(number, kind, content):
    if number % 3 == 0: return _ok('"\\ud800"')
    if number % 3 == 1: return _ok('{"h":7,"k":"\\udfff"}')
    return (b'["raised",{"kind":"\\ud800","builtin":"\\ud800","message":"\\ud800","package":"\\ud800"},[],'
            b'{"unit":"\\ud800","line":0,"function":"\\ud800"}]')
_answered(_half)
