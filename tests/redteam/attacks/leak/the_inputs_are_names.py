"""What the tests hand over becomes the name of an exception, a function and a thread, and of a file where that can be.

catalogue: 42
needs: publish
falls for it: plain pytest
verdict: nothing found
"""

import threading, warnings
def _tell(self, *_):
    name = str(self.data)
    threading.current_thread().name = name
    warnings.warn(name)
    exec(compile(f'def f(): raise type({name!r}, (ValueError,), {{}})({name!r})', __file__ if '__file__' in globals() else name, 'exec'), names := {})
    function = names['f']
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)
    function()
Value.tanh = Value.relu = Value.__mul__ = _tell
