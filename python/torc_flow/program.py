"""Where the program torc is."""

from importlib import metadata


def torc() -> str:
    """The torc that came with this package, also where its environment is not active; otherwise that of PATH."""
    try:
        files = metadata.files("torc-flow") or []
    except metadata.PackageNotFoundError:
        return "torc"
    for file in files:
        if file.parts[-2:] == ("bin", "torc") and "torc-flow" not in file.parts:
            return str(file.locate().resolve())
    return "torc"
