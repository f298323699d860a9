"""How far a workflow is: a bar in a notebook, a line in a terminal, nothing where neither reads it."""

import html
import sys
import time
from typing import Any, Dict, Optional


class Progress:
    def __init__(self, name: str, total: int, is_shown: Optional[bool]) -> None:
        self._name, self._total, self._start = name, total, time.monotonic()
        self._notebook = None if is_shown is False else _notebook_display()
        self._is_terminal = sys.stderr.isatty() if is_shown is None else is_shown
        self._last = ""

    def show(self, done: int, failed: int) -> None:
        seconds = int(time.monotonic() - self._start)
        text = f"{self._name}: {done} of {self._total} done" + (f", {failed} failed" if failed else "") + f", {seconds} s"
        if text == self._last:
            return
        self._last = text
        if self._notebook is not None:
            bar = f'<progress value="{done + failed}" max="{self._total}"></progress> {html.escape(text)}'
            self._notebook.update(_bundle(bar, text), raw=True)
        elif self._is_terminal:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def end(self, done: int, failed: int) -> None:
        self.show(done, failed)
        if self._notebook is None and self._is_terminal:
            sys.stderr.write("\n")


def _notebook_display() -> Any:
    """A display of the notebook that runs this program; None in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import display

    return display(_bundle("", ""), display_id=True, raw=True)  # type: ignore[no-untyped-call]


def _bundle(html_text: str, text: str) -> Dict[str, str]:
    return {"text/html": html_text, "text/plain": text}
