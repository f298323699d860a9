"""Workflows of Python functions: `job` and `map` make tasks of them, `run` runs the tasks and collects the results."""

import functools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import uuid
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, Generic, Iterable, Iterator, List, Optional, Set, Tuple, TypeVar, Union

from . import pickles, refusal
from .job import Job
from .program import torc
from .progress import Progress
from .service import Service

R = TypeVar("R")

# A value of this size is named when it is stored: read by 100 jobs it is 1 GB of a shared file system.
NOTED_BYTES = 10_000_000


class Failed(Exception):
    """A function raised an exception in its job, or its job ended without a result."""


class Task(Generic[R]):
    """A call of a function in a job. As an argument of another call it stands for its result."""

    def __init__(self, flow: "Workflow", name: str, after: Set[str]) -> None:
        self.flow, self.name, self.after = flow, name, after

    def is_done(self) -> bool:
        return (self.flow.folder / "results" / self.name).exists()

    def error(self) -> Optional[str]:
        """The traceback of the exception that the function raised; None if it raised none."""
        path = self.flow.folder / "errors" / self.name
        return path.read_text("utf-8") if path.exists() else None

    def result(self) -> R:
        """What the function returned. Raises `Failed` with its traceback if it raised an exception."""
        if self.is_done():
            return pickles.result_of(self.flow.folder, self.name)  # type: ignore[no-any-return]
        error = self.error()
        raise Failed(f"{self.name} has no result: " + (error or f"see {self.flow.folder / 'output'} and {self.flow.log}"))


def job(
    function: Optional[Callable[..., R]] = None,
    *,
    cpus: Optional[int] = None,
    memory: Optional[str] = None,
    gpus: Optional[int] = None,
    runtime: Optional[str] = None,
    timeout: Optional[str] = None,
) -> Any:
    """
    Makes a job of a function: `@job`, or `@job(cpus=2, memory="1g", gpus=1, runtime="PT10M", timeout="PT1H")`. A call that
    takes longer than `timeout` is ended, and has no result; without it nothing limits its time.
    """
    asked = {"num_cpus": cpus, "memory": memory, "num_gpus": gpus, "runtime": runtime}
    needs = {name: value for name, value in asked.items() if value is not None}
    if needs:
        needs = {"num_cpus": 1, "memory": "1g", **needs}
    if timeout is not None:
        needs["timeout"] = timeout
    return Job(function, needs) if function is not None else lambda given: Job(given, needs)


def map(function: Union[Callable[..., R], Job[R]], values: Iterable[Any], **run: Any) -> List[Any]:
    """
    Calls a function for each value, each call in a job of its own. Inside of `with Workflow(…)` it returns the tasks; elsewhere
    it runs them, with the options of `Workflow.run`, and returns the results in the order of the values.
    """
    flow = Workflow.current
    if flow is not None:
        return [flow.add(function, (value,), {}) for value in values]
    flow = Workflow(getattr(function, "__name__", "map"))
    tasks = [flow.add(function, (value,), {}) for value in values]
    flow.run(**run)
    return [task.result() for task in tasks]


class Workflow:
    """Tasks and the folder of their arguments and results, a new one below `folder` for each workflow."""

    current: Optional["Workflow"] = None

    def __init__(self, name: str = "python", folder: Union[str, Path] = "torc_flow") -> None:
        self.name = name
        self.folder = Path(folder).absolute() / f"{_file_name(name)}-{uuid.uuid4().hex[:8]}"
        self.log = self.folder / "run.log"
        self.tasks: List[Task[Any]] = []
        self._needs: Dict[str, Dict[str, Any]] = {}
        self._names: Dict[str, int] = {}
        self._jobs: List[Dict[str, Any]] = []
        self._outer: Optional["Workflow"] = None
        for kind in ("calls", "large", "results", "errors"):
            (self.folder / kind).mkdir(parents=True, mode=0o700)

    def __enter__(self) -> "Workflow":
        self._outer, Workflow.current = Workflow.current, self
        return self

    def __exit__(self, *_: Any) -> None:
        Workflow.current = self._outer

    def add(self, function: Union[Callable[..., R], Job[R]], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> "Task[R]":
        """A task that calls the function; tasks among the arguments come before it."""
        plain = function.function if isinstance(function, Job) else function
        needs = dict(function.needs) if isinstance(function, Job) else {}
        timeout = needs.pop("timeout", None)
        name = self._unique(_file_name(getattr(plain, "__name__", "call")))
        task: Task[R] = Task(self, name, set())
        pickles.write_call(self.folder / "calls" / name, self._pickled(task, plain, args, kwargs))
        self.tasks.append(task)
        command = [sys.executable, "-m", "torc_flow.call", str(self.folder), name]
        # A function may end Python with 0 and no result, as os._exit does: then its job has failed.
        record = {"name": name, "command": shlex.join(command), "depends_on": sorted(task.after), "output_files": [name]}
        if needs:
            key = json.dumps(needs, sort_keys=True)
            self._needs.setdefault(key, {"name": f"needs_{len(self._needs) + 1}", **needs})
            record["resource_requirements"] = self._needs[key]["name"]
        if timeout is not None:
            record["timeout"] = timeout
        self._jobs.append(record)
        return task

    def _pickled(self, task: Task[Any], function: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> bytes:
        places = functools.partial(refusal.call_places, function, args, kwargs)
        store = functools.partial(self._store, task.name, places)
        try:
            apart = pickles.Apart(store, (function, *args, *kwargs.values()))
            return pickles.dumps((function, args, kwargs), lambda value: self._before(task, value), apart)
        except pickles.OtherWorkflow:
            raise
        except Exception as error:
            raise refusal.refusal(error, function, places()) from error

    def _store(self, task: str, places: Callable[[], Iterator[refusal.Place]], value: Any, data: bytes) -> str:
        """Writes a large value, which all calls that use it read, once."""
        name = pickles.file_name(data)
        path = self.folder / "large" / name
        if not path.exists():
            pickles.write(path, data)
            if len(data) >= NOTED_BYTES:
                where = refusal.place_of(value, places())
                warnings.warn(
                    f"{task}: {where} has {len(data) / 1e6:.0f} MB in {path}, and each job that uses it reads them. "
                    "Let the function read what it needs from a file, or take the result of another task.",
                    stacklevel=5,
                )
        return name

    def spec(self) -> Dict[str, Any]:
        """The content of a workflow file, with the tasks that have no result yet."""
        left = {task.name for task in self.tasks if not task.is_done()}
        jobs = [{**each, "depends_on": [name for name in each["depends_on"] if name in left]} for each in self._jobs]
        path = [str(Path(__file__).parent.parent), *(entry or os.getcwd() for entry in sys.path)]
        env = {"PYTHONPATH": os.pathsep.join(dict.fromkeys(path))}
        needs = {"resource_requirements": list(self._needs.values())}
        files = [{"name": name, "path": str(self.folder / "results" / name)} for name in sorted(left)]
        jobs = [each for each in jobs if each["name"] in left]
        return {"name": self.name, "env": env, "files": files, "jobs": jobs, **needs}

    def run(
        self,
        url: Optional[str] = None,
        *,
        options: Iterable[str] = (),
        progress: Optional[bool] = None,
        check: bool = True,
    ) -> "Workflow":
        """
        Runs the tasks on this machine to their end: on the server `url` or TORC_API_URL, otherwise with one that `torc -s`
        starts. `options` are those of `torc run`, such as `["--num-cpus", "4"]`. Raises `Failed` if a task failed, unless
        `check` is false. Ctrl-C ends the jobs. Again, it runs what has no result yet.
        """
        if all(task.is_done() for task in self.tasks):
            return self
        for error in (self.folder / "errors").iterdir():
            error.unlink()
        url = url or os.environ.get("TORC_API_URL")
        if url is None:
            file = self.folder / "workflow.json"
            file.write_text(json.dumps(self.spec()))
            command = [torc(), "-s", "--db", str(self.folder / "torc.db"), "run", str(file)]
        else:
            command = [torc(), "--url", url, "run", str(Service(url).create(self.spec()))]
        command += ["--output-dir", str(self.folder / "output"), *options]
        code = self._watch(command, Progress(self.name, len(self.tasks), progress))
        failed = [task for task in self.tasks if not task.is_done()]
        if check and (failed or code != 0):
            raise Failed(self._words(failed, code))
        return self

    def _watch(self, command: List[str], progress: Progress) -> int:
        with open(self.log, "wb") as log:
            try:
                # In a session of its own: a key pressed in the terminal reaches it once, through us.
                runner = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
            except FileNotFoundError as error:
                raise Failed("there is no program torc on PATH; docs/how-to/install.md says how to install it") from error
        try:
            while True:
                try:
                    return runner.wait(timeout=0.25)
                except subprocess.TimeoutExpired:
                    progress.show(*self._counts())
        except KeyboardInterrupt:
            try:
                runner.send_signal(signal.SIGINT)
                runner.wait()
            except KeyboardInterrupt:  # Once more: the runner kills jobs that do not end.
                runner.send_signal(signal.SIGINT)
                runner.wait()
            raise
        finally:
            progress.end(*self._counts())

    def _counts(self) -> Tuple[int, int]:
        return tuple(len(os.listdir(self.folder / kind)) for kind in ("results", "errors"))  # type: ignore[return-value]

    def _words(self, failed: List[Task[Any]], code: int) -> str:
        for task in failed:
            error = task.error()
            if error is not None:
                return f"{len(failed)} of {len(self.tasks)} tasks have no result; {task.name}:\n{error}"
        last = self.log.read_text(errors="replace").strip().splitlines()[-5:]
        return "\n".join([f"{len(failed)} of {len(self.tasks)} tasks have no result; torc run ended with {code}:", *last])

    def _before(self, task: Task[Any], value: Any) -> Optional[str]:
        if not isinstance(value, Task):
            return None
        if value.flow is not self:
            raise pickles.OtherWorkflow(f"{value.name} is a task of another workflow; give its result() instead")
        task.after.add(value.name)
        return value.name

    def _unique(self, name: str) -> str:
        self._names[name] = self._names.get(name, 0) + 1
        return f"{name}_{self._names[name]}"


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "_", text).strip("._") or "call"
