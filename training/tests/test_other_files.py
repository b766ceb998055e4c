"""Quotes of other files: outlines of what a file names, and windows like it."""

import unittest
from random import Random

from flashline_training.other_files import QuoteOptions, outline, outlines, quotes, similarity, windows
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


class OutlineTest(unittest.TestCase):
    def test_a_type_is_quoted_with_its_members_and_without_bodies_and_comments(self) -> None:
        lines = STORE.split("\n")
        expected = ["export class RowStore", "  private readonly rows: Row[] = [];", "  append(row: Row): void"]
        self.assertEqual(outline(lines, 3, 12), expected)
        self.assertEqual(outline(lines, 3, 2), expected[:2])

    def test_a_function_is_quoted_by_its_signature(self) -> None:
        self.assertEqual(outline(STORE.split("\n"), 12, 12), ["export function emptyStore(): RowStore"])

    def test_only_named_definitions_of_named_files_are_outlined(self) -> None:
        files = [source("src/store.ts", STORE), source("src/palette.ts", PALETTE)]
        found = dict(outlines(files, {"store", "emptyStore"}, QuoteOptions()))
        self.assertEqual(found, {"src/store.ts": "export function emptyStore(): RowStore"})
        self.assertEqual(list(outlines(files, {"emptyStore"}, QuoteOptions())), [])


class QuoteTest(unittest.TestCase):
    def test_the_most_similar_window_comes_last(self) -> None:
        files = [source("palette.ts", PALETTE), source("store.ts", STORE)]
        options, around = QuoteOptions(outlines=0, at_random=0), "const rows = new RowStore(); rows.append(row)"
        found = [quotes(files, around, Random(seed), options) for seed in range(12)]
        self.assertEqual({len(quoted) for quoted in found}, {1, 2})
        for quoted in found:
            self.assertEqual(quoted[-1][0], "store.ts")
            self.assertIn("class RowStore", quoted[-1][1])

    def test_quotes_stay_within_their_room(self) -> None:
        files = [source(f"{at}.ts", STORE) for at in range(9)]
        for seed in range(50):
            found = quotes(files, STORE, Random(seed), QuoteOptions())
            self.assertLessEqual(sum(len(path) + len(text) for path, text in found), QuoteOptions().room)

    def test_without_other_files_there_are_no_quotes(self) -> None:
        self.assertEqual(quotes([], STORE, Random(1), QuoteOptions()), [])

    def test_windows_join_to_the_text(self) -> None:
        found = windows([source("palette.ts", PALETTE)], QuoteOptions())
        self.assertEqual("\n".join(text for _, text in found), PALETTE.rstrip())

    def test_similarity_is_the_share_of_common_words(self) -> None:
        self.assertEqual(similarity({"crimson", "palette", "scarlet"}, PALETTE), 2 / 6)
        self.assertEqual(similarity({"crimson"}, ""), 0)


if __name__ == "__main__":
    unittest.main()
