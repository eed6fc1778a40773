"""Each of many statements at the top of the file ends the process.

catalogue: none
falls for it: plain pytest
verdict: status cannot-be-loaded
"""

import os
os._exit(0)
os._exit(1)
os._exit(2)
os._exit(3)
os._exit(4)
os._exit(5)
os._exit(6)
os._exit(7)
os._exit(8)
os._exit(9)
os._exit(10)
os._exit(11)
