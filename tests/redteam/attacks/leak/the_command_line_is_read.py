"""Its own command line is read, with all that the interpreter was given.

catalogue: none
needs: publish
falls for it: a grader that puts it on the command line
verdict: nothing found
"""

import sys
publish(sys.argv, sys.orig_argv, sys.flags, sys.path, sys.executable, sys.prefix, sys.warnoptions, sys._xoptions)
