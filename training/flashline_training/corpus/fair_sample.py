"""Samples large repositories: whole files at random, fewer of data and prose."""

import hashlib
import json
from collections import Counter
from typing import Iterable, Iterator

from .files import PROSE_AND_DATA

MAX_CODE_BYTES = 14_000_000
"""Limit for the code of one repository, before cleaning."""
MAX_PROSE_BYTES = 1_500_000
"""Limit for its prose and data, before cleaning."""


def chance(repository: str, path: str) -> bytes:
    """Returns a sort key for a random order: always the same for a file, and independent of its text."""
    return hashlib.sha1(f"{repository}/{path}".encode()).digest()


def fair_sample(repository: str, lines: Iterable[str], dropped: Counter[str]) -> Iterator[str]:
    """Yields the files that fit, one JSON line each, in random order, so that they are a fair sample."""
    name = repository.replace("+", "/", 1)
    files = [(line, json.loads(line)) for line in lines]
    room = {True: MAX_PROSE_BYTES, False: MAX_CODE_BYTES}
    for line, file in sorted(files, key=lambda entry: chance(name, entry[1]["path"])):
        size, is_prose = len(file["text"].encode()), file["language"] in PROSE_AND_DATA
        if size > room[is_prose]:
            dropped["large repository"] += 1
            continue
        room[is_prose] -= size
        yield line
