"""A file of the corpus."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceFile:
    """One line of a shard."""

    repository: str
    path: str
    language: str
    text: str
