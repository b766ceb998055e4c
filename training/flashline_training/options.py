"""Command-line options of a stage, derived from a dataclass: one flag per field, with its default."""

from __future__ import annotations

import argparse
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Sequence, TypeVar

Options = TypeVar("Options")


def parse(kind: type[Options], description: str | None, arguments: Sequence[str] | None = None) -> Options:
    """
    Returns an instance of `kind` from flags: `--some-field`; a nested dataclass as `--field.some-field`; a tuple as
    values with commas; a bool as `--field` or `--no-field`.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add_flags(parser, kind(), "")
    given = {k: v for k, v in vars(parser.parse_args(arguments)).items() if v is not None}
    return build(kind(), given, "")


def add_flags(parser: argparse.ArgumentParser, defaults: object, prefix: str) -> None:
    for field in fields(defaults):
        value = getattr(defaults, field.name)
        flag = f"--{prefix}{field.name.replace('_', '-')}"
        if is_dataclass(value):
            add_flags(parser, value, f"{prefix}{field.name.replace('_', '-')}.")
        elif isinstance(value, bool):
            parser.add_argument(flag, dest=flag, action=argparse.BooleanOptionalAction, default=value, help=" ")
        else:
            # The formatter shows a default only if there is a help text, even a blank one.
            parser.add_argument(flag, dest=flag, type=reader(value), default=value, metavar="X", help=" ")


def reader(value: object):
    """Returns the function that reads the text of a flag as the type of its default."""
    if isinstance(value, tuple):
        kind = type(value[0])
        return lambda text: tuple(kind(part) for part in text.split(","))
    if isinstance(value, Path):
        return Path
    return type(value)


def build(defaults: Options, given: dict, prefix: str) -> Options:
    """Returns an instance like `defaults` with the values that `given` has for its flags."""
    values = {}
    for field in fields(defaults):
        value, name = getattr(defaults, field.name), field.name.replace("_", "-")
        nested = is_dataclass(value)
        values[field.name] = build(value, given, f"{prefix}{name}.") if nested else given[f"--{prefix}{name}"]
    return type(defaults)(**values)
