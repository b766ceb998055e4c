"""Quotes of other files: outlines of what a file names, and windows like it."""

import unittest
from random import Random

from flashline_training.other_files import OtherOptions, outline, outlines, quotes, similarity, windows
from flashline_training.source_file import SourceFile

STORE = """import { Row } from './row';

/** Keeps rows. */
export class RowStore {
  // Newest first.
  private readonly rows: Row[] = [];

  append(row: Row): void {
    this.rows.unshift(row);
  }
}

export function emptyStore(): RowStore {
  return new RowStore();
}
"""
PALETTE = "export const palette = ['crimson', 'turquoise'];\n" * 30


def source(path: str, text: str) -> SourceFile:
    return SourceFile("a/b", path, "typescript", text)


class Outlines(unittest.TestCase):
    def test_a_type_is_quoted_with_its_members_and_without_bodies_and_comments(self) -> None:
        lines = STORE.split("\n")
        expected = ["export class RowStore", "  private readonly rows: Row[] = [];", "  append(row: Row): void"]
        self.assertEqual(outline(lines, 3, 12), expected)
        self.assertEqual(outline(lines, 3, 2), expected[:2])

    def test_a_function_is_quoted_by_its_signature(self) -> None:
        self.assertEqual(outline(STORE.split("\n"), 12, 12), ["export function emptyStore(): RowStore"])

    def test_only_of_files_that_are_named_and_only_what_is_named(self) -> None:
        others = [source("src/store.ts", STORE), source("src/palette.ts", PALETTE)]
        found = dict(outlines(others, {"store", "emptyStore"}, OtherOptions()))
        self.assertEqual(found, {"src/store.ts": "export function emptyStore(): RowStore"})
        self.assertEqual(list(outlines(others, {"emptyStore"}, OtherOptions())), [])


class Quotes(unittest.TestCase):
    def test_the_most_similar_window_stands_last(self) -> None:
        others = [source("palette.ts", PALETTE), source("store.ts", STORE)]
        options = OtherOptions(outlines=0, at_random=0, most=1)
        (quoted,) = quotes(others, "const rows = new RowStore(); rows.append(row)", Random(1), options)
        self.assertEqual(quoted[0], "store.ts")
        self.assertIn("class RowStore", quoted[1])

    def test_there_is_a_limit_to_the_room(self) -> None:
        others = [source(f"{at}.ts", STORE) for at in range(9)]
        for seed in range(50):
            found = quotes(others, STORE, Random(seed), OtherOptions())
            self.assertLessEqual(sum(len(path) + len(text) for path, text in found), OtherOptions().room)

    def test_nothing_without_other_files(self) -> None:
        self.assertEqual(quotes([], STORE, Random(1), OtherOptions()), [])

    def test_windows_are_the_text(self) -> None:
        found = windows([source("palette.ts", PALETTE)], OtherOptions())
        self.assertEqual("\n".join(text for _, text in found), PALETTE.rstrip())
        self.assertEqual(similarity({"crimson"}, ""), 0)


if __name__ == "__main__":
    unittest.main()
