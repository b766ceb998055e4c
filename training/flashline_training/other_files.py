"""Quotes of other files in a prompt, as in the product: outlines of imported definitions, and similar windows."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from random import Random
from typing import Iterator, Sequence

from .source_file import SourceFile

_WORD = re.compile(r"[^\W\d][\w$]{3,}")
_DEFINITION = re.compile(
    r"^(?:@|export |public |private |protected |internal |pub |abstract |final |static |async |default |declare |const |"
    r"let |var |type |interface |class |struct |enum |trait |impl |record |object |func |function |fn |fun |def |module )"
)
_TYPE = re.compile(r"\b(?:class|interface|struct|trait|impl|enum|protocol|record|object|module)\b")
_COMMENT = re.compile(r"\s*(?://|/\*|\*|#(?!\[)|--|\"\"\"|''')")
_CLOSING = re.compile(r"\s*[)\]}]+[,;]?\s*$")
_OPENING = re.compile(r"\s*\{\s*$")


@dataclass(frozen=True)
class OtherOptions:
    """Sizes are in characters, as in a prompt of the product."""

    most: int = 4
    lines: int = 24
    room: int = 1000
    """For all quotes of a document."""
    outlines: float = 0.5
    """Of the documents with quotes of other files: those with outlines of what the file names of them."""
    at_random: float = 0.2
    """Of the others: windows are taken as they come, as from recent edits elsewhere. Most are similar to the file."""
    most_outline_lines: int = 12


def quotes(
    others: Sequence[SourceFile], around: str, random: Random, options: OtherOptions
) -> list[tuple[str, str]]:
    """Path and text of pieces of other files, the most helpful last; `around` is what is known of the file itself."""
    if not others:
        return []
    wanted = set(_WORD.findall(around))
    found = list(outlines(others, wanted, options)) if random.random() < options.outlines else []
    if not found:
        found = windows(others, options)
        random.shuffle(found)
        if random.random() >= options.at_random:
            found.sort(key=lambda window: -similarity(wanted, window[1]))
    chosen: list[tuple[str, str]] = []
    room = options.room
    for path, text in found[: 1 + random.randrange(options.most)]:
        if text.strip() and len(path) + len(text) <= room:
            chosen.insert(0, (path, text))
            room -= len(path) + len(text)
    return chosen


def windows(others: Sequence[SourceFile], options: OtherOptions) -> list[tuple[str, str]]:
    found = []
    for other in others:
        lines = other.text[:40_000].split("\n")
        for first in range(0, len(lines), options.lines):
            found.append((other.path, "\n".join(lines[first : first + options.lines]).rstrip()))
    return found


def similarity(wanted: set[str], text: str) -> float:
    """Jaccard: the share of all words that both have."""
    words = set(_WORD.findall(text))
    return len(words & wanted) / (len(words | wanted) or 1)


def outlines(others: Sequence[SourceFile], wanted: set[str], options: OtherOptions) -> Iterator[tuple[str, str]]:
    """Outlines of definitions whose name is wanted, in files whose name is wanted too."""
    for other in others:
        if PurePosixPath(other.path).name.split(".")[0] not in wanted:
            continue
        lines = other.text[:40_000].split("\n")
        starts = [at for at, line in enumerate(lines) if _DEFINITION.match(line) and wanted & set(_WORD.findall(line))]
        texts = ["\n".join(outline(lines, at, options.most_outline_lines)) for at in starts[:6]]
        if texts:
            yield other.path, "\n".join(texts)


def outline(lines: Sequence[str], at: int, most: int) -> list[str]:
    """The definition that begins in a line: its signature and, of a type, the first lines of its members."""
    head = [_OPENING.sub("", lines[at])]
    if not _TYPE.search(lines[at]):
        return head
    body = []
    for line in lines[at + 1 :]:
        if line.strip() and not line[0].isspace():
            break
        if line.strip() and not _COMMENT.match(line):
            body.append(line)
    depth = min((len(line) - len(line.lstrip()) for line in body), default=0)
    members = [line for line in body if len(line) - len(line.lstrip()) == depth and not _CLOSING.match(line)]
    return [*head, *(_OPENING.sub("", line) for line in members)][:most]
