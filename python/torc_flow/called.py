"""Calls the function of a job, and writes its result or its error."""

import functools
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any, Dict

from . import pickles, refusal


def main(variables: Dict[str, Any]) -> int:
    """Calls the function of the job with `variables` as those of the script; returns the exit code."""
    folder, name = Path(sys.argv[1]), sys.argv[2]
    # The package of a script that is a module; that of this module, which multiprocessing asks for, stays beside it.
    warnings.filterwarnings("ignore", "__package__ != __spec__.parent")
    try:
        results = functools.partial(pickles.result_of, folder)
        function, args, kwargs = pickles.loads(_call(folder, name), results, folder, variables)
        result = _pickled(function, function(*args, **kwargs))
    # sys.exit(0) and KeyboardInterrupt, too, are errors with a traceback.
    except BaseException as error:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        pickles.write(folder / "errors" / name, text.encode("utf-8", "backslashreplace"))
        print(text, file=sys.stderr, end="")
        return 1
    pickles.write(folder / "results" / name, result)
    return 0


def restore(variables: Dict[str, Any]) -> None:
    """Gives a process that multiprocessing started the variables of the script, where its functions are looked up."""
    if len(sys.argv) == 3 and (Path(sys.argv[1]) / "calls" / sys.argv[2]).exists():
        folder, name = Path(sys.argv[1]), sys.argv[2]
        pickles.load_names(_call(folder, name), functools.partial(pickles.result_of, folder), folder, variables)


def _call(folder: Path, name: str) -> bytes:
    return pickles.read_call(folder / "calls" / name)


def _pickled(function: Any, result: Any) -> bytes:
    try:
        return pickles.dumps(result, lambda _: None)
    except Exception as error:
        raise refusal.refusal(error, function, iter([refusal.Place("", "the result", "", result)])) from error
