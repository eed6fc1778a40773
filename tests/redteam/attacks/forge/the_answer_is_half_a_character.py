"""Every answer, class name and exception is half of a surrogate pair.

catalogue: 24
needs: insides, rewrite
falls for it: a bridge that believes a test that fails in its own way to be broken
verdict: no gain
"""

def _half(number, kind, content):
    if number % 3 == 0: return '[%d,"ok","\\ud800"]' % number
    if number % 3 == 1: return '[%d,"ok",{"h":7,"k":"\\udfff"}]' % number
    return ('[%d,"raised",{"kind":"\\ud800","builtin":"\\ud800","message":"\\ud800","unit":"\\ud800","line":0,'
            '"function":"\\ud800","package":"\\ud800"}]' % number)
_answered(_half)
