"""How functions, jobs and modules of a script are sent to a job.

A function of an importable module is pickled by its name, as always. One of a notebook, of the script that runs, or inside of
another function has no name that a job could import: its code is pickled, and the names that it uses go after it. In the job all
functions of the script share one namespace, which is its `__main__`, so that `multiprocessing` finds them there by name.
"""

import dis
import functools
import importlib
import importlib.machinery
import marshal
import pickle
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from .job import Job


class Space:
    """Stands for the global variables of the functions of a script in their pickle."""

    def __init__(self, number: int) -> None:
        self.number = number


class Used:
    """What the functions in a pickle use beside their code: global variables, and submodules as attributes of packages."""

    def __init__(self) -> None:
        self.names: List[Tuple[int, str, Any]] = []
        self._seen: Set[Tuple[int, str]] = set()
        self._spaces: Dict[Any, Space] = {"__main__": Space(0)}
        self._modules: Set[str] = set()
        self._words: Set[str] = set()

    def reduced(self, value: Any) -> Any:
        """The reduction of a function, a job or a module; NotImplemented for what is pickled as usual."""
        if isinstance(value, types.ModuleType):
            return self._module(value)
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, functools._lru_cache_wrapper) and not _is_found(value):
            state = {name: one for name, one in vars(value).items() if name != "__wrapped__"}
            return _cached, (value.__wrapped__, *value.cache_parameters().values()), state
        if isinstance(value, Job) and not _is_found(value):
            return Job, (value.function, value.needs)
        if isinstance(value, type) and value.__module__ == "__main__":
            raise pickle.PicklingError(
                f"the class {value.__qualname__} is defined in a notebook or in the script itself; "
                "jobs can import it only from a module: move it into a file of its own"
            )
        return NotImplemented

    def submodules(self) -> List[str]:
        """Modules that functions use as attributes of a package, as `a.b.f()` after `import a.b`."""
        return [
            name
            for name in sorted(sys.modules)
            for package in self._modules
            if name.startswith(f"{package}.") and self._words.issuperset(name[len(package) + 1 :].split("."))
        ]

    def _module(self, value: types.ModuleType) -> Any:
        if sys.modules.get(value.__name__) is not value:
            raise pickle.PicklingError(f"the module {value.__name__} was made by a program; jobs can import it only from a file")
        self._modules.add(value.__name__)
        return importlib.import_module, (value.__name__,)

    def _function(self, value: types.FunctionType) -> Any:
        found = _found(value)
        if found is value:
            return NotImplemented
        if getattr(found, "function", None) is value:
            return _function_of_job, (value.__module__, value.__qualname__)
        if is_dispatcher(value):
            kinds = dict(value.registry)  # type: ignore[attr-defined]
            return _dispatcher, (kinds.pop(object),), kinds, None, None, _register
        names = set(_names_in(value.__code__))
        self._words.update(_words_in(value.__code__))
        home = value.__globals__.get("__name__")
        space: Any = home
        if not _is_importable(home, value.__globals__):
            key = home if home == "__main__" else id(value.__globals__)
            space = self._spaces.setdefault(key, Space(len(self._spaces)))
            if value.__globals__.get(value.__qualname__) is value:
                names.add(value.__qualname__)
            if value.__globals__.get("__package__"):  # For imports from its package.
                names.add("__package__")
            self._add(space.number, names, value.__globals__)
        else:
            self._note_modules(names, value.__globals__)
        cells = value.__closure__ or ()
        state = {
            "cells": [_content(cell) for cell in cells],
            "__defaults__": value.__defaults__,
            "__kwdefaults__": value.__kwdefaults__,
            "__annotations__": _annotations(value),
            "__qualname__": value.__qualname__,
            "__module__": value.__module__,
            "__doc__": value.__doc__,
            "__dict__": vars(value),
        }
        # The state is set after the function is known, so that it may use itself.
        made = (space, marshal.dumps(value.__code__), value.__name__, len(cells))
        return _function, made, state, None, None, _complete

    def _add(self, space: int, names: Set[str], variables: Dict[str, Any]) -> None:
        for name in sorted(names & variables.keys()):
            if (space, name) not in self._seen:
                self._seen.add((space, name))
                self.names.append((space, name, variables[name]))

    def _note_modules(self, names: Set[str], variables: Dict[str, Any]) -> None:
        """The module of a function imports its own; submodules that others imported are missing there all the same."""
        found = (variables.get(name) for name in names)
        self._modules.update(each.__name__ for each in found if isinstance(each, types.ModuleType))


def variables_of(value: types.FunctionType) -> Iterator[Tuple[str, Any]]:
    """The global variables that travel with a function, and those of the functions around it."""
    home = value.__globals__.get("__name__")
    if not _is_found(value) and not _is_importable(home, value.__globals__):
        for name in sorted(set(_names_in(value.__code__)) & value.__globals__.keys()):
            yield name, value.__globals__[name]
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
        if _content(cell):
            yield name, cell.cell_contents


def _content(cell: Any) -> Tuple[Any, ...]:
    """The content of a variable of a function around, as a tuple; empty if it has no value yet."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _found(value: Any) -> Any:
    """What a job would import by the name of a function: itself, the job that a decorator made of it, or nothing."""
    module, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return None if module in (None, "__main__") or path is None else _named(sys.modules.get(module), path)


def _is_found(value: Any) -> bool:
    return _found(value) is value


def _is_importable(name: Any, variables: Dict[str, Any]) -> bool:
    """Whether a job that imports the module of this name gets the one whose variables these are."""
    module = sys.modules.get(name) if isinstance(name, str) else None
    return name != "__main__" and module is not None and vars(module) is variables and _is_on_path(name)


@functools.lru_cache(maxsize=None)
def _is_on_path(name: str) -> bool:
    spec = getattr(sys.modules[name], "__spec__", None)
    package = sys.modules.get(name.rpartition(".")[0])
    found = importlib.machinery.PathFinder.find_spec(name, getattr(package, "__path__", None))
    origin = getattr(spec, "origin", None)
    return origin in ("built-in", "frozen") or (found is not None and origin is not None and found.origin == origin)


def is_dispatcher(value: Any) -> bool:
    """Whether functools.singledispatch made the function."""
    return isinstance(getattr(value, "registry", None), types.MappingProxyType) and hasattr(value, "dispatch")


def _annotations(value: Any) -> Dict[str, Any]:
    """The annotations of a function; those that a job cannot have, as a class of the script, are their names."""
    try:
        written = dict(value.__annotations__)
    except Exception:  # They are computed when they are read, and may name what is not there.
        return {}
    return {name: _annotation(one) for name, one in written.items()}


def _annotation(value: Any) -> Any:
    try:
        if b"__main__" not in pickle.dumps(value):
            return value
    except Exception:
        pass
    return value.__qualname__ if isinstance(value, type) else repr(value)


def _named(found: Any, path: str) -> Any:
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _function_of_job(module: str, path: str) -> Any:
    return _named(importlib.import_module(module), path).function


_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


def _names_in(code: types.CodeType) -> Iterator[str]:
    """The names of the global variables that a function reads, also in the functions inside of it."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in _READS:
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _words_in(code: types.CodeType) -> Iterator[str]:
    """The names of attributes and the texts in a function: any may name a submodule."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, types.CodeType):
            yield from _words_in(constant)


def _function(space: Any, code: bytes, name: str, cells: int) -> types.FunctionType:
    variables = vars(importlib.import_module(space)) if isinstance(space, str) else space
    closure = tuple(types.CellType() for _ in range(cells))
    return types.FunctionType(marshal.loads(code), variables, name, None, closure)


def _complete(function: types.FunctionType, state: Dict[str, Any]) -> None:
    for cell, content in zip(function.__closure__ or (), state.pop("cells")):
        if content:
            cell.cell_contents = content[0]
    vars(function).update(state.pop("__dict__"))
    for name, value in state.items():
        setattr(function, name, value)


def _cached(function: Callable[..., Any], maxsize: Optional[int], typed: bool) -> Any:
    return functools.lru_cache(maxsize, typed)(function)


def _dispatcher(function: Callable[..., Any]) -> Any:
    return functools.singledispatch(function)


def _register(dispatcher: Any, kinds: Dict[type, Callable[..., Any]]) -> None:
    for kind, function in kinds.items():
        dispatcher.register(kind, function)
