"""Fills the cache of roc-validator with the context of RO-Crate 1.1 that rocrate ships, so that it needs no network.

Usage: fill-cache.py CACHE
"""

import importlib.util
import sys
from io import BytesIO
from pathlib import Path

from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from urllib3 import HTTPResponse

CONTEXT = "https://w3id.org/ro/crate/1.1/context"

# Not imported: it needs more packages, of which its data need none.
shipped = Path(importlib.util.find_spec("rocrate").origin).parent / "data" / "ro-crate.jsonld"
text = shipped.read_bytes()
assert CONTEXT.encode() in text, f"{shipped} is another version of the context"


class Shipped(HTTPAdapter):
    """Answers every request with the copy."""

    def send(self, request, **_):
        headers = {"Content-Type": "application/ld+json"}
        return self.build_response(request, HTTPResponse(BytesIO(text), headers, 200, preload_content=False))


session = CachedSession(cache_name=sys.argv[1], backend="sqlite")
session.mount("https://", Shipped())
session.get(CONTEXT).raise_for_status()
