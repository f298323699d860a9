"""Pickles of calls and results.

A pickle is the value, then each global variable that its functions use, then the submodules that they need: several pickles in a
row, with one memory, so that an object that stands in two of them is one object in the job. A large value is a file of its own,
named after its content, which all calls that use it read.
"""

import builtins
import importlib
import io
import itertools
import os
import pickle
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Optional, Tuple

from .sent import Space, Used

# Smaller values stand in each call: a file of its own costs a shared file system about as much as reading this many bytes.
LARGE_BYTES = 1 << 20


_ATOMS = frozenset((type(None), bool, int, float, complex))


class OtherWorkflow(ValueError):
    """A task of another workflow is among the arguments."""


Names = Callable[[Any], Optional[str]]


class Apart:
    """
    The values that stand in files of their own: plain data that is large, wherever it is, and those of `values` that are.

    Two equal values are one file, and two objects in a job. An object that a large value and another one share is two in a job.
    """

    def __init__(self, store: Callable[[Any, bytes], str], values: Iterable[Any]) -> None:
        self._store = store
        # With the values themselves: no other one gets the id of one.
        self._values = {id(value): value for value in values if type(value) not in _ATOMS}
        self._keys: Dict[int, Tuple[Any, Optional[Tuple[str, int, bool]]]] = {}

    def key(self, value: Any, name_of: Names) -> Optional[Tuple[str, int, bool]]:
        """The name of the file, a number of the object, and whether it has variables of the script; None for a small value."""
        if id(value) not in self._values and (weight(value) or 0) < LARGE_BYTES:
            return None
        if id(value) not in self._keys:
            number = len(self._keys)
            self._keys[id(value)] = (value, None)  # For a value that uses itself.
            data, has_names = _dumped(value, name_of, self)
            is_large = len(data) >= LARGE_BYTES
            self._keys[id(value)] = (value, (self._store(value, data), number, has_names) if is_large else None)
        return self._keys[id(value)][1]


def dumps(value: Any, name_of: Names, apart: Optional[Apart] = None) -> bytes:
    """The pickle of a value. `name_of` returns the name of the task whose result stands for an object."""
    return _dumped(value, name_of, apart)[0]


def _dumped(value: Any, name_of: Names, apart: Optional[Apart]) -> Tuple[bytes, bool]:
    buffer, used = io.BytesIO(), Used()
    pickler = _Pickler(buffer, used, name_of, apart)
    pickler.dump_root(value)
    for name in used.names:  # It grows while they are pickled.
        pickler.dump_root(name)
    pickler.dump_root(used.submodules())
    return buffer.getvalue(), bool(used.names)


def loads(
    data: bytes, result_of: Callable[[str], Any], folder: Optional[Path] = None, main: Optional[Dict[str, Any]] = None
) -> Any:
    """The value of a pickle, with the results of tasks in place of the tasks. `main` gets the variables of the script."""
    unpickler = _Unpickler(data, result_of, folder, main)
    value = unpickler.load()
    unpickler.load_names()
    return value


def load_names(data: bytes, result_of: Callable[[str], Any], folder: Path, main: Dict[str, Any]) -> None:
    """Only the variables of the script that a pickle needs: for a process that a job starts."""
    unpickler = _Unpickler(data, result_of, folder, main)
    unpickler.is_for_names = True
    unpickler.load()
    unpickler.is_for_names = False
    unpickler.load_names()


def result_of(folder: Path, name: str) -> Any:
    return loads((folder / "results" / name).read_bytes(), lambda other: result_of(folder, other))


def write_call(path: Path, data: bytes) -> None:
    write(path, _PYTHON + b"\n" + data)


def read_call(path: Path) -> bytes:
    """The pickle of a call. Raises `RuntimeError` in another Python: code of one is no code of another."""
    written, _, data = path.read_bytes().partition(b"\n")
    if written != _PYTHON:
        raise RuntimeError(
            f"the script ran in {written.decode()}, and {sys.executable} of this machine is {_PYTHON.decode()}: "
            "all machines need the same version of Python at this path"
        )
    return data


_PYTHON = (sys.implementation.cache_tag or sys.implementation.name).encode()


def write(path: Path, data: bytes) -> None:
    """Writes a whole file: a reader sees all of it or none."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(data)
    os.replace(part, path)


class _Pickler(pickle.Pickler):
    def __init__(self, buffer: io.BytesIO, used: Used, name_of: Names, apart: Optional[Apart]) -> None:
        super().__init__(buffer, protocol=5)
        self._used, self._name_of, self._apart = used, name_of, apart
        self._root: Any = None

    def dump_root(self, value: Any) -> None:
        self._root = value
        self.dump(value)

    def persistent_id(self, value: Any) -> Any:
        if type(value) in _ATOMS:  # Most objects of a large value, and it is asked for each.
            return None
        if isinstance(value, Space):
            return value.number
        name = self._name_of(value)
        if name is not None or self._apart is None or value is self._root:
            return name
        return self._apart.key(value, self._name_of)

    def reducer_override(self, value: Any) -> Any:
        return self._used.reduced(value)


class _Unpickler(pickle.Unpickler):
    def __init__(
        self, data: bytes, result_of: Callable[[str], Any], folder: Optional[Path], main: Optional[Dict[str, Any]]
    ) -> None:
        super().__init__(io.BytesIO(data))
        self.result_of, self.folder, self.is_for_names = result_of, folder, False
        self._spaces: Dict[int, Dict[str, Any]] = {} if main is None else {0: main}
        self._large: Dict[int, Any] = {}

    # A method of the class: Python 3.13.0 lets nothing else be one.
    def persistent_load(self, key: Any) -> Any:
        if isinstance(key, str):
            return None if self.is_for_names else self.result_of(key)
        if isinstance(key, int):
            return self._spaces.setdefault(key, {"__name__": "__main__", "__builtins__": builtins})
        name, number, has_names = key
        if number not in self._large and (has_names or not self.is_for_names):
            data = (self.folder / "large" / name).read_bytes()
            self._large[number] = loads(data, self.result_of, self.folder, self._spaces.get(0))
        return self._large.get(number)

    def load_names(self) -> None:
        while isinstance(read := self.load(), tuple):
            space, name, value = read
            self.persistent_load(space)[name] = value
        for module in read:
            importlib.import_module(module)


def file_name(data: bytes) -> str:
    import hashlib  # Jobs do without it.

    return hashlib.sha256(data).hexdigest()[:32]


def weight(value: Any, depth: int = 3) -> Optional[int]:
    """About how many bytes plain data has, by a sample of its elements; None for what is not plain data."""
    if isinstance(value, (bytes, bytearray, str)):
        return len(value)
    if type(value) in _ATOMS:
        return 8
    if type(value) in (list, tuple, set, frozenset, dict):
        if depth == 0 or not value:
            return 8
        elements = itertools.chain.from_iterable(value.items()) if isinstance(value, dict) else iter(value)
        sample = [weight(each, depth - 1) for each in itertools.islice(elements, 20)]
        return None if None in sample else len(value) * (8 + sum(filter(None, sample)) // min(len(value), 20))
    # An array, unless its elements are objects.
    size = value.nbytes if hasattr(type(value), "nbytes") and hasattr(type(value), "dtype") else None
    return size if isinstance(size, int) and not getattr(value.dtype, "hasobject", False) else None
