"""Which variable or argument cannot be sent to a job, or is large: pickle names the type alone."""

import functools
import itertools
import pickle
import re
import types
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from . import pickles
from .job import Job
from .sent import is_dispatcher, variables_of


class Place(NamedTuple):
    """A part of a call, and the words that say where it is."""

    before: str
    name: str
    after: str
    value: Any

    def __str__(self) -> str:
        return f"{self.before}{self.name}{self.after}"

    def inner(self, step: str, value: Any) -> "Place":
        return self._replace(name=self.name + step, value=value)


def call_places(function: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Iterator[Place]:
    """The parts of a call."""
    yield from _parts(Place("", "the function", "", function))
    yield from (Place("argument ", str(at), "", value) for at, value in enumerate(args, 1))
    yield from (Place("the argument ", name, "", value) for name, value in kwargs.items())


def refusal(error: Exception, function: Any, places: Iterator[Place]) -> pickle.PicklingError:
    """The error of a call or a result that cannot be sent, with the part of it that is the reason."""
    found = next((place for place in places if _error_of(place.value) is not None), None)
    if found is None:
        return pickle.PicklingError(f"{called(function)}: it cannot be sent: {error}")
    place = _innermost(found)
    reason = _error_of(place.value) or error
    return pickle.PicklingError(f"{called(function)}: {place} cannot be sent: {reason}{_remedy(place)}")


def called(function: Any) -> str:
    """The name of a function; that of the function in a partial one."""
    name = getattr(function, "__name__", None)
    return str(name) if name else called(function.func) if isinstance(function, functools.partial) else type(function).__name__


def _remedy(place: Place) -> str:
    if isinstance(place.value, (type, types.ModuleType)):
        return ""
    if place.name.startswith("the result"):
        return ". Let the function return what it consists of, or the path of a file that it writes"
    whole = re.match(r"[^\W\d]\w*", place.name)
    return (
        f". Let the function make {whole.group() if whole else 'it'} itself, or pass what it is made from; "
        "a module that the function imports may have it, too"
    )


def place_of(target: Any, places: Iterator[Place]) -> str:
    """Where a value is in a call."""
    seen: Set[int] = set()
    level: List[Place] = list(places)
    while level:
        for place in level:
            if place.value is target:
                return str(place)
        below = [place for place in level if id(place.value) not in seen]
        seen.update(id(place.value) for place in below)
        level = [found for place in below for found in itertools.islice(_parts(place), 1000)]
    return "a value"


def _error_of(value: Any) -> Optional[Exception]:
    try:
        pickles.dumps(value, lambda each: "task" if _is_task(each) else None)
    except Exception as error:
        return error
    return None


def _is_task(value: Any) -> bool:
    return type(value).__name__ == "Task" and type(value).__module__ == "torc_flow.workflow"


# Each step pickles the rest again, and a longer name says no more.
_DEEPEST = 20


def _innermost(place: Place) -> Place:
    """The part of a value that cannot be sent, and that has no such part itself."""
    seen: Set[int] = set()
    while len(seen) < _DEEPEST and not isinstance(_error_of(place.value), RecursionError):
        seen.add(id(place.value))
        parts = (part for part in _parts(place) if id(part.value) not in seen)
        found = next((part for part in parts if _error_of(part.value) is not None), None)
        if found is None:
            break
        place = found
    return place


def _parts(place: Place) -> Iterator[Place]:
    value = place.value
    if isinstance(value, Job):
        yield from _parts(place._replace(value=value.function))
    elif is_dispatcher(value):
        yield from (place._replace(value=each) for each in value.registry.values())
    elif isinstance(value, types.FunctionType):
        after = f" of {value.__name__}"
        defaults = enumerate(value.__defaults__ or (), 1)
        yield from (Place("the variable ", name, after, one) for name, one in variables_of(value))
        yield from (Place("the attribute ", name, after, one) for name, one in vars(value).items())
        yield from (Place("default ", str(at), after, one) for at, one in defaults)
        yield from (Place("the default of ", name, after, one) for name, one in (value.__kwdefaults__ or {}).items())
    elif isinstance(value, functools.partial):
        yield from _parts(place._replace(value=value.func))
        after = f" of partial({called(value)})"
        yield from (Place("argument ", str(at), after, one) for at, one in enumerate(value.args, 1))
        yield from (Place("the argument ", name, after, one) for name, one in value.keywords.items())
    elif isinstance(value, types.MethodType):
        yield Place("the object of ", value.__name__, "", value.__self__)
    elif isinstance(value, functools._lru_cache_wrapper):
        yield from _parts(place._replace(value=value.__wrapped__))
    elif isinstance(value, dict):
        yield from (place.inner(f"[{key!r}]", one) for key, one in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from (place.inner(f"[{at}]", one) for at, one in enumerate(value))
    elif hasattr(value, "__dict__") and not isinstance(value, (type, types.ModuleType)):
        yield from (place.inner(f".{name}", one) for name, one in vars(value).items())
