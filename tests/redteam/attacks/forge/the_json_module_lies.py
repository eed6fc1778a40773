"""The json module lies.

catalogue: 18, 25
falls for it: TODO
verdict: no gain
"""

import json, sys
json.dumps = lambda *_, **__: 'null'
json.loads = lambda *_, **__: None
sys.modules['json'] = sys.modules['_json'] = None
