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
    """Probabilities and limits of the holes."""

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
    """Weights of the shapes of middles: the rest of a line; a part inside a line; new lines; the rest of a line, mostly
    with lines after it; lines from a line's start through a line break; the deeper lines of a block; and the text
    between any two points."""
    cursors: dict[str, float] = field(
        default_factory=lambda: {"in word": 0.45, "typed": 0.15, "border": 0.25, "any": 0.15}
    )
    """Weights of the cursor's positions in its line, for the shapes that can begin anywhere in a line: inside a word,
    after a few typed characters, at the border of a token, and anywhere."""
    most_lines: int = 12
    """Lines of a middle, except at an open end and between any two points."""
    one_line: float = 0.25
    """Share of the middles of new lines that are limited to one line."""
    to_block_end: float = 0.4
    """Share of the other middles of indented new lines that are all lines to the end of their block, where these are
    fewer than `most_lines`. The rest are limited to two, three or four lines."""
    most_typed: int = 6
    """Characters before a `typed` cursor, without indentation."""
    most_characters: int = 900
    """Characters of a middle between any two points; the logarithms of these sizes are uniform."""
    split_token: float = 0.2
    """Share of the `inner` middles that end anywhere in their line, as inside a word; the others end before a token."""
    open_end: float = 0.12
    """Share of the middles up to a line's end that have an open end: at most a line break follows, as at the end of a
    file, and the middle goes on to the end of the construct that its first line begins."""
    most_open: int = 40
    """Lines of such a construct; if it has more, the middle ends where it does elsewhere."""
    near_end: float = 0.12
    """Share of the other holes after which the text soon ends, as where code is added at the end of a file."""
    most_after: int = 3
    """Lines after the cursor's line in such a text."""
    closed_block: float = 0.3
    """Share of the `block` middles that include the line that closes the block."""
    own_line: float = 0.55
    """Share of the new lines and blocks whose cursor is after the indentation of an empty line."""
    line_start: float = 0.2
    """Share of them whose cursor is at the very start of that line. For the rest it is at the end of the line above."""


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
    """Offsets of a line: its begin, the end of its indentation, and its end without the line break."""

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
    """Returns a text with one hole; None if it has no line for a hole."""
    hole = choose_hole(text, random, options)
    if hole is None:
        return None
    suffix = text[hole.end :]
    # Only a middle that ends at a line's end can have an open end: otherwise the rest of the line follows.
    if suffix[:1] in ("", "\n") and random.random() < options.open_end:
        hole, suffix = Hole(hole.start, _construct_end(text, hole, options)), random.choice(("", "\n"))
    elif random.random() < options.near_end:
        suffix = _first_lines(suffix, 1 + random.randrange(options.most_after + 1))
    suffix_first = random.random() < options.suffix_first
    return Infill(text[: hole.start], text[hole.start : hole.end], suffix, suffix_first)


def choose_hole(text: str, random: Random, options: FimOptions) -> Hole | None:
    """
    Returns a hole of random shape at a random character, so that long lines are chosen more often. It is the rest of a
    line if the text seems to lack the chosen shape; None if only blank lines were found.
    """
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
        return Hole(_new_line_start(line, random, options), _new_lines_end(text, line, random, options))
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
    """Returns a position in a line that is not blank; for `in word` it is anywhere if the line has no word."""
    if kind == "in word":
        words = _WORD.finditer(text, line.begin, line.end)
        positions = [at for word in words for at in range(word.start() + 1, word.end())]
        if positions:
            return random.choice(positions)
    if kind == "typed":
        return line.indented + 1 + random.randrange(min(options.most_typed, line.end - line.indented))
    if kind == "border":
        return random.choice([token.start() for token in _BORDER.finditer(text, line.indented, line.end)])
    return random.randrange(line.begin, line.end)


def _new_lines_end(text: str, line: Line, random: Random, options: FimOptions) -> int:
    """Returns the end of new lines, of which `line` is the first."""
    depth = line.indented - line.begin
    if random.random() < options.one_line:
        return line.end
    if depth > 0 and random.random() < options.to_block_end:
        end = _lines_end(text, line, options.most_lines, depth)
        if text.count("\n", line.begin, end) + 1 < options.most_lines:
            return end
    return _lines_end(text, line, 2 + random.randrange(3), depth)


def _new_line_start(line: Line, random: Random, options: FimOptions) -> int:
    """Returns the position of the cursor that writes `line` as a new line."""
    draw = random.random()
    if line.begin == 0 or draw < options.own_line:
        return line.indented
    return line.begin if draw < options.own_line + options.line_start else line.begin - 1


def _first_lines(text: str, count: int) -> str:
    parts = text.split("\n", count)
    return text if len(parts) <= count else text.removesuffix(parts[-1])


def _inner_end(text: str, start: int, line: Line, random: Random, options: FimOptions) -> int:
    """
    Returns the end of an `inner` middle: before a bracket or sign that an editor could have inserted already, else
    before any later token, else at the end of the line.
    """
    if start + 1 < line.end and random.random() < options.split_token:
        return random.randrange(start + 1, line.end)
    ends = [found.start() for found in _CLOSING.finditer(text, start + 1, line.end)]
    ends = ends or [found.start() for found in _BORDER.finditer(text, start + 1, line.end)][1:]
    return random.choice(ends) if ends else line.end


def _lines_end(text: str, line: Line, count: int, depth: int = 0) -> int:
    """
    Returns the end of the last of `count` lines, of which `line` is the first and none is indented less than `depth`.
    """
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
    """
    Returns the end of the lines below `head` that are indented further, with blank ones after them, and the end of the
    line that closes them. The second equals the first if no line does, and is None if no end is within `most` lines.
    """
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
    """Returns the lines below `head` that are indented further than it, or as many of them as a middle may have."""
    end, closing = _deeper(text, head, options.most_lines)
    deeper = text[head.end : end].rstrip()
    if not deeper:
        return None
    body = line_at(text, head.end + 1)
    if closing is not None and closing > end and random.random() < options.closed_block:
        end = closing
    else:
        end = head.end + len(deeper)
    start = _new_line_start(body, random, options) if body.indented < end else head.end
    return Hole(start, end)


def _construct_end(text: str, hole: Hole, options: FimOptions) -> int:
    """
    Returns the end of the construct that the hole's first non-blank line begins: of its deeper lines and their closing
    line. Never before the end of the hole.
    """
    middle = text[hole.start : hole.end]
    head = line_at(text, hole.start + len(middle) - len(middle.lstrip()))
    end, closing = _deeper(text, head, options.most_open)
    if closing is None:
        return hole.end
    deeper = text[head.end : end].rstrip()
    return max(hole.end, closing if deeper and closing > end else head.end + len(deeper))


def _chosen(weights: dict[str, float], random: Random) -> str:
    return random.choices(list(weights), list(weights.values()))[0]
