"""What a job runs: `python -m torc_flow.call FOLDER NAME` calls a function and writes its result, or its error.

This module is the `__main__` of the job, and that of the processes that a function starts with multiprocessing. There the
variables of the script stand.
"""

import sys as _sys

from torc_flow import called as _called

if __name__ == "__main__":
    _sys.exit(_called.main(globals()))
if __name__ == "__mp_main__":
    _called.restore(globals())
