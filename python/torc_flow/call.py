"""What a job runs: `python -m torc_flow.call FOLDER NAME` calls a function and writes its result, or its error."""

import sys
import traceback
from pathlib import Path

from . import pickles


def main(folder: Path, name: str) -> int:
    try:
        call = pickles.loads((folder / "calls" / name).read_bytes(), lambda other: pickles.result_of(folder, other))
        function, args, kwargs = call
        result = pickles.dumps(function(*args, **kwargs), lambda _: None)
    # sys.exit(0) would otherwise complete the job without a result.
    except (Exception, SystemExit) as error:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        print(text, file=sys.stderr, end="")
        pickles.write(folder / "errors" / name, text.encode())
        return 1
    pickles.write(folder / "results" / name, result)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
