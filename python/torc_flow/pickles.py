"""Pickles of calls and results.

A function of an importable module is pickled by its name, as always. One of a notebook, of the script that runs, or inside of
another function has no name that a job could import: its code is pickled, with the variables that it uses.
"""

import dis
import importlib
import io
import marshal
import os
import pickle
import sys
import types
from pathlib import Path
from typing import Any, Callable, Iterator, Optional


def dumps(value: Any, name_of: Callable[[Any], Optional[str]]) -> bytes:
    """The pickle of a value. `name_of` returns the name of the task whose result stands for an object."""
    buffer = io.BytesIO()
    _Pickler(buffer, name_of).dump(value)
    return buffer.getvalue()


def loads(data: bytes, result_of: Callable[[str], Any]) -> Any:
    """The value of a pickle, with the results of tasks in place of the tasks."""
    unpickler = pickle.Unpickler(io.BytesIO(data))
    unpickler.persistent_load = result_of  # type: ignore[method-assign]
    return unpickler.load()


def result_of(folder: Path, name: str) -> Any:
    return loads((folder / "results" / name).read_bytes(), lambda other: result_of(folder, other))


def write(path: Path, data: bytes) -> None:
    """Writes a whole file: a reader sees all of it or none."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(data)
    os.replace(part, path)


class _Pickler(pickle.Pickler):
    def __init__(self, buffer: io.BytesIO, name_of: Callable[[Any], Optional[str]]) -> None:
        super().__init__(buffer, protocol=4)
        self._name_of = name_of

    def persistent_id(self, value: Any) -> Optional[str]:
        return self._name_of(value)

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, types.FunctionType):
            name, found = value.__qualname__, _found_by_name(value)
            if found is value:
                return NotImplemented
            if getattr(found, "function", None) is value:
                return _function_of_job, (value.__module__, name)
            cells = value.__closure__ or ()
            state = {
                "globals": {
                    name: value.__globals__[name] for name in set(_names_in(value.__code__)) if name in value.__globals__
                },
                "cells": [cell.cell_contents for cell in cells],
                "defaults": value.__defaults__,
                "kwdefaults": value.__kwdefaults__,
            }
            # The state is set after the function is known, so that it may use itself.
            return _function, (marshal.dumps(value.__code__), value.__name__, len(cells)), state, None, None, _complete
        if isinstance(value, type) and value.__module__ == "__main__":
            raise pickle.PicklingError(
                f"the class {value.__qualname__} is defined in a notebook or in the script itself; "
                "jobs can import it only from a module: move it into a file of its own"
            )
        return NotImplemented


def _found_by_name(function: Any) -> Any:
    """What a job would import by the name of a function: itself, the job that a decorator made of it, or nothing."""
    if function.__module__ in (None, "__main__"):
        return None
    return _named(sys.modules.get(function.__module__), function.__qualname__)


def _named(found: Any, path: str) -> Any:
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _function_of_job(module: str, path: str) -> Any:
    return _named(importlib.import_module(module), path).function


def _names_in(code: types.CodeType) -> Iterator[str]:
    """The names of the global variables that a function reads, also in the functions inside of it."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _function(code: bytes, name: str, cells: int) -> types.FunctionType:
    closure = tuple(types.CellType() for _ in range(cells))
    return types.FunctionType(marshal.loads(code), {"__builtins__": __builtins__}, name, None, closure)


def _complete(function: types.FunctionType, state: Any) -> None:
    function.__globals__.update(state["globals"])
    for cell, value in zip(function.__closure__ or (), state["cells"]):
        cell.cell_contents = value
    function.__defaults__ = state["defaults"]
    function.__kwdefaults__ = state["kwdefaults"]
