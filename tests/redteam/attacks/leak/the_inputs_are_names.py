"""What the tests hand over becomes the name of an exception, a function and a thread.

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
    exec(f'def fail(): raise type({name!r}, (ValueError,), {{}})({name!r})', names := {'__name__': 'x'})
    function = names['fail']
    function.__name__ = function.__qualname__ = name
    function()
Value.tanh = Value.relu = Value.__mul__ = _tell
