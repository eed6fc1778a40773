"""A process that outlives the run rewrites the file of results once nobody looks.

catalogue: 20
falls for it: plain pytest: json report
verdict: no gain
"""

import glob, json, os, time
def _write():
    end = time.monotonic() + 2
    while time.monotonic() < end:
        time.sleep(0.01)
        for path in glob.glob('./*.json'):
            try:
                with open(path) as file: report = json.load(file)
                report['summary'] = {'passed': 61, 'total': 61, 'collected': 61}
                with open(path + '.new', 'w') as file: json.dump(report, file)
                os.replace(path + '.new', path)
                return
            except (OSError, ValueError, KeyError, TypeError): pass
try:
    if os.fork() == 0:
        try: _write()
        finally: os._exit(0)
    def _last():
        time.sleep(0.2)
    import atexit
    atexit.register(_last)
except OSError: pass
