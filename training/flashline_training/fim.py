"""Holes in the shapes of real ghost text: the cursor in a text, and the text to fill in there.

Indices count characters. `text[:start]` is the prefix, `text[start:end]` the middle, `text[end:]` the suffix.
"""

import re
from dataclasses import dataclass, field
from random import Random

_WORD = re.compile(r"[\w$]{2,}")
_BORDER = re.compile(r"[^\w\s]?[\w$]+| ?[^\w\s]+|\s+")
_CLOSING = re.compile(r"[)\]}>\"'`,;:]+")
_TRIES = 6


@dataclass(frozen=True)
class FimOptions:
    """All probabilities of the holes."""

    share: float = 0.85
    """Share of the documents in fill-in-the-middle form."""
    suffix_first: float = 0.6
    """Share of those in the order suffix, prefix, middle, which the product prefers."""
    shapes: dict[str, float] = field(
        default_factory=lambda: {
            "rest": 0.27,
            "inner": 0.12,
            "own lines": 0.24,
            "lines": 0.06,
            "whole lines": 0.07,
            "block": 0.16,
            "any": 0.08,
        }
    )
    """Own lines are new ones, of which the cursor's holds nothing yet. Whole lines begin at a line's start and end
    behind its break, so that what follows is the next line."""
    cursors: dict[str, float] = field(
        default_factory=lambda: {"in word": 0.45, "typed": 0.15, "border": 0.25, "any": 0.15}
    )
    """Where the cursor is in its line, for the shapes that begin anywhere in it."""
    most_lines: int = 12
    """Of a middle."""
    one_line: float = 0.25
    """Of the own lines: one."""
    to_block_end: float = 0.4
    """Of the others, if indented: all lines to the end of their block, where these are fewer than `most_lines`;
    otherwise two to four."""
    most_typed: int = 6
    """Characters of a line that has just been begun."""
    most_characters: int = 900
    """Of a middle between two random points; the sizes' logarithms are uniform."""
    split_token: float = 0.2
    """Of the middles that leave the rest of their line: they end anywhere in it, as between the letters of a word."""
    open_end: float = 0.12
    """Nothing follows, as at the end of a file: the middle goes on to the end of what its line begins."""
    most_open: int = 40
    """Lines of what is begun there; of more, the middle ends where it does elsewhere."""
    near_end: float = 0.12
    """Of the others: the text ends with the line of the cursor or soon after it, as where code is added to a file."""
    most_after: int = 3
    """Lines that follow that line there."""
    closed_block: float = 0.3
    """The line that closes a block belongs to the middle."""
    own_line: float = 0.55
    """The cursor is after the indentation of an empty line."""
    line_start: float = 0.2
    """It is at the very start of that line. Otherwise it is at the end of the line above."""


@dataclass(frozen=True)
class Hole:
    start: int
    end: int


@dataclass(frozen=True)
class Infill:
    """One text in three parts; `suffix_first` is the order in which it is written."""

    prefix: str
    middle: str
    suffix: str
    suffix_first: bool


@dataclass(frozen=True)
class Line:
    """Begin, end of the indentation and end, without the line break."""

    begin: int
    indented: int
    end: int


def line_at(text: str, at: int) -> Line:
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    content = text[begin:end]
    return Line(begin, begin + len(content) - len(content.lstrip()), end)


def infill(text: str, random: Random, options: FimOptions) -> Infill | None:
    """A text with one hole; None if it has no line for a hole."""
    hole = choose_hole(text, random, options)
    if hole is None:
        return None
    suffix = text[hole.end :]
    # A middle that stops inside a line does so because of what follows.
    if suffix[:1] in ("", "\n") and random.random() < options.open_end:
        hole, suffix = Hole(hole.start, _construct_end(text, hole, options)), random.choice(("", "\n"))
    elif random.random() < options.near_end:
        suffix = _first_lines(suffix, 1 + random.randrange(options.most_after + 1))
    first = random.random() < options.suffix_first
    return Infill(text[: hole.start], text[hole.start : hole.end], suffix, first)


def choose_hole(text: str, random: Random, options: FimOptions) -> Hole | None:
    """A hole of random shape in a random line; long lines have more places. Not all texts have all shapes."""
    for shape in [_chosen(options.shapes, random)] * _TRIES + ["rest"] * _TRIES:
        line = line_at(text, random.randrange(len(text))) if text else Line(0, 0, 0)
        if line.indented == line.end:
            continue
        hole = _hole(shape, text, line, random, options)
        if hole is not None and text[hole.start : hole.end].strip():
            return hole
    return None


def _hole(shape: str, text: str, line: Line, random: Random, options: FimOptions) -> Hole | None:
    if shape == "block":
        return _block(text, line, random, options)
    if shape == "own lines":
        return Hole(_own_line(line, random, options), _own_lines_end(text, line, random, options))
    if shape == "whole lines":
        end = _lines_end(text, line, 1 + random.randrange(options.most_lines // 3))
        return Hole(line.begin, min(len(text), end + 1))
    start = cursor(_chosen(options.cursors, random), text, line, random, options)
    if shape == "rest":
        return Hole(start, line.end)
    if shape == "inner":
        return Hole(start, _inner_end(text, start, line, random, options))
    if shape == "lines":
        return Hole(start, _lines_end(text, line, 1 + random.randrange(options.most_lines)))
    return Hole(start, min(len(text), start + round(options.most_characters ** random.random())))


def cursor(kind: str, text: str, line: Line, random: Random, options: FimOptions) -> int:
    """A place in a line that is not blank; a line without words has no place inside one."""
    if kind == "in word":
        places = [at for word in _WORD.finditer(text, line.begin, line.end) for at in range(word.start() + 1, word.end())]
        if places:
            return random.choice(places)
    if kind == "typed":
        return line.indented + 1 + random.randrange(min(options.most_typed, line.end - line.indented))
    if kind == "border":
        return random.choice([token.start() for token in _BORDER.finditer(text, line.indented, line.end)])
    return random.randrange(line.begin, line.end)


def _own_lines_end(text: str, line: Line, random: Random, options: FimOptions) -> int:
    """Returns the end of new lines, of which `line` is the first."""
    depth = line.indented - line.begin
    if random.random() < options.one_line:
        return line.end
    if depth > 0 and random.random() < options.to_block_end:
        end = _lines_end(text, line, options.most_lines, depth)
        if text.count("\n", line.begin, end) + 1 < options.most_lines:
            return end
    return _lines_end(text, line, 2 + random.randrange(3), depth)


def _own_line(line: Line, random: Random, options: FimOptions) -> int:
    """Returns the place at which a new line begins."""
    place = random.random()
    if line.begin == 0 or place < options.own_line:
        return line.indented
    return line.begin if place < options.own_line + options.line_start else line.begin - 1


def _first_lines(text: str, count: int) -> str:
    parts = text.split("\n", count)
    return text if len(parts) <= count else text.removesuffix(parts[-1])


def _inner_end(text: str, start: int, line: Line, random: Random, options: FimOptions) -> int:
    """Before a bracket or sign that an editor has already inserted, else before any token; the rest stays."""
    if start + 1 < line.end and random.random() < options.split_token:
        return random.randrange(start + 1, line.end)
    ends = [found.start() for found in _CLOSING.finditer(text, start + 1, line.end)]
    ends = ends or [found.start() for found in _BORDER.finditer(text, start + 1, line.end)][1:]
    return random.choice(ends) if ends else line.end


def _lines_end(text: str, line: Line, count: int, depth: int = 0) -> int:
    """The end of the last of `count` lines, of which `line` is the first and none is indented less than `depth`."""
    end = last = line.end
    for _ in range(count - 1):
        if last == len(text):
            break
        following = line_at(text, last + 1)
        last, is_blank = following.end, following.indented == following.end
        if not is_blank and following.indented - following.begin < depth:
            break
        end = end if is_blank else last
    return end


def _deeper(text: str, head: Line, most: int) -> tuple[int, int | None]:
    """The end of the lines below `head` that are indented further, with blank ones after them, and of the line that
    closes them: the former again if none does, None if there are more lines than `most`."""
    depth, end = head.indented - head.begin, head.end
    for _ in range(most):
        if end == len(text):
            break
        line = line_at(text, end + 1)
        if line.indented < line.end and line.indented - line.begin <= depth:
            return end, line.end if text[line.indented : line.end].startswith(("}", ")", "]")) else end
        end = line.end
    return end, end if end == len(text) else None


def _block(text: str, head: Line, random: Random, options: FimOptions) -> Hole | None:
    """The lines below `head` that are indented further than it, or as many of them as a middle may have."""
    end, closing = _deeper(text, head, options.most_lines)
    deeper = text[head.end : end].rstrip()
    if not deeper:
        return None
    body = line_at(text, head.end + 1)
    if closing is not None and closing > end and random.random() < options.closed_block:
        end = closing
    else:
        end = head.end + len(deeper)
    start = _own_line(body, random, options) if body.indented < end else head.end
    return Hole(start, end)


def _construct_end(text: str, hole: Hole, options: FimOptions) -> int:
    """The end of what the hole's first line with text begins: its deeper lines, and the line that closes them. Never
    before that of the hole."""
    middle = text[hole.start : hole.end]
    head = line_at(text, hole.start + len(middle) - len(middle.lstrip()))
    end, closing = _deeper(text, head, options.most_open)
    if closing is None:
        return hole.end
    deeper = text[head.end : end].rstrip()
    return max(hole.end, closing if deeper and closing > end else head.end + len(deeper))


def _chosen(weights: dict[str, float], random: Random) -> str:
    return random.choices(list(weights), list(weights.values()))[0]
