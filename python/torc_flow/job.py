"""A function that becomes a job where it is called inside of a workflow."""

import functools
import sys
from typing import Any, Callable, Dict, Generic, TypeVar

R = TypeVar("R")


class Job(Generic[R]):
    """A function whose calls inside of `with Workflow(…)` become jobs. Elsewhere it is the function."""

    def __init__(self, function: Callable[..., R], needs: Dict[str, Any]) -> None:
        self.function, self.needs = function, needs
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from .workflow import Workflow

        flow = Workflow.current
        return self.function(*args, **kwargs) if flow is None else flow.add(self, args, kwargs)

    def __reduce__(self) -> Any:
        """A pool of processes finds it by its name: its function has the same one."""
        name: str = self.__qualname__  # type: ignore[attr-defined]
        is_found = getattr(sys.modules.get(self.__module__), name, None) is self
        return name if is_found else (Job, (self.function, self.needs))
