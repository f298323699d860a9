"""Python functions as jobs of Torc, with their results as values.

    import torc_flow as torc

    @torc.job(cpus=2, memory="1g")
    def square(n: int) -> int:
        return n * n

    print(torc.map(square, range(10)))

Arguments and results are pickles in files, so the folder of the workflow must be on a file system that all machines see.
"""

from .service import ServiceError
from .workflow import Failed, Job, Task, Workflow, job, map

__all__ = ["Failed", "Job", "ServiceError", "Task", "Workflow", "job", "map"]
