"""Reads one source tree, a git directory or a plain folder, and keeps the files that its licence allows.

    python -m flashline_training.corpus.repositories --tree DIR --name owner/name --out RAW

writes RAW/owner+name.jsonl (path, language and text of each file) and RAW/owner+name.json (commit, licence, counts).
"""

import argparse
import json
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Iterator, Protocol

from .files import language_of, refused_path, text_of
from .licence import is_licence_file, licence_of_all


class Tree(Protocol):
    """Files by their path relative to the root."""

    commit: str

    def paths(self) -> list[str]: ...

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]: ...


class Folder:
    """A plain folder, which has no commit."""

    commit = ""

    def __init__(self, root: Path) -> None:
        self._root = root

    def paths(self) -> list[str]:
        files = (path for path in self._root.rglob("*") if path.is_file() and not path.is_symlink())
        return sorted(path.relative_to(self._root).as_posix() for path in files)

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            yield path, (self._root / path).read_bytes()


class GitDirectory:
    """The newest commit of a git directory, which needs no work tree."""

    def __init__(self, root: Path) -> None:
        self._git = ["git", f"--git-dir={root}"]
        self.commit = self._output("rev-parse", "HEAD").decode().strip()

    def _output(self, *arguments: str) -> bytes:
        return subprocess.run([*self._git, *arguments], check=True, capture_output=True).stdout

    def paths(self) -> list[str]:
        entries = self._output("ls-tree", "-r", "-z", "HEAD").decode(errors="replace").split("\0")
        # Symbolic links (120000) and other repositories (160000) are not files of this one.
        return [entry.split("\t", 1)[1] for entry in entries if entry.startswith("100")]

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """Requests one file at a time, so that neither pipe can fill up."""
        with subprocess.Popen(
            [*self._git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            for path in paths:
                process.stdin.write(f"HEAD:{path}\n".encode())
                process.stdin.flush()
                header = process.stdout.readline().split()
                if header[-1] == b"missing":
                    continue
                yield path, process.stdout.read(int(header[-1]))
                process.stdout.read(1)
            process.stdin.close()


@dataclass
class Record:
    """Facts about a repository; `licence` is None if none of it can be used."""

    repository: str
    commit: str
    licence: str | None
    files: int = 0
    bytes: int = 0
    refused: dict[str, int] = field(default_factory=dict)


def tree_at(root: Path) -> Tree:
    for directory in (root, root / ".git"):
        if (directory / "HEAD").is_file() and (directory / "objects").is_dir():
            return GitDirectory(directory)
    return Folder(root)


def closed_folders(tree: Tree, paths: list[str]) -> tuple[str | None, list[str]]:
    """Returns the licence of the root, and the folders below whose own licence files are not permissive."""
    by_folder: dict[str, list[str]] = {}
    for path, content in tree.read([path for path in paths if is_licence_file(path)]):
        folder = path.rpartition("/")[0]
        by_folder.setdefault(folder, []).append(content.decode(errors="replace"))
    licence = licence_of_all(by_folder.pop("", []))
    return licence, [folder for folder, texts in by_folder.items() if licence_of_all(texts) is None]


def gather(tree: Tree, name: str, out: Path) -> Record:
    """Writes one repository's usable files and its record."""
    paths = [path for path in tree.paths() if "\n" not in path]
    licence, closed = closed_folders(tree, paths)
    record = Record(name, tree.commit, licence)
    refused: Counter[str] = Counter()
    target = out / f"{name.replace('/', '+')}.jsonl"
    with target.open("w", encoding="utf-8") as lines:
        candidates = [path for path in paths if licence and language_of(path)]
        for path, content in tree.read(candidates):
            reason = "folder's licence" if any(path.startswith(f"{folder}/") for folder in closed) else None
            reason = reason or refused_path(path)
            text, fault = ("", reason) if reason else text_of(content)
            if fault:
                refused[fault] += 1
                continue
            line = {"path": path, "language": language_of(path), "text": text}
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")
            record.files += 1
            record.bytes += len(content)
    record.refused = dict(refused)
    target.with_suffix(".json").write_text(json.dumps(asdict(record), indent=1) + "\n")
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--name", required=True, help="owner/name")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(json.dumps(asdict(gather(tree_at(options.tree), options.name, options.out))))


if __name__ == "__main__":
    main()
