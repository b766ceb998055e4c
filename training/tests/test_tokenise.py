"""Holes, documents and token files."""

import bz2
import json
import tempfile
import unittest
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np

from flashline_training import tokenise
from flashline_training.documents import DocumentOptions, Special, documents_of, infill_document, spans
from flashline_training.fim import FimOptions, Infill, choose_hole, infill
from flashline_training.source_file import SourceFile

CODE = """import { readFile } from 'node:fs/promises';

export interface Options {
  readonly path: string;
  readonly encoding?: string;
}

export async function load(options: Options): Promise<string[]> {
  const { path, encoding = 'utf8' } = options;
  const text = await readFile(path, { encoding });
  if (text === '') {
    return [];
  }
  const lines = text.split('\\n').map((line) => line.trim());
  return lines.filter((line) => line.length > 0 && !line.startsWith('#'));
}
"""


@dataclass
class Encoded:
    ids: list[int]


class ByCharacter:
    """A fake tokenizer: one token per character, and the special tokens after them."""

    def encode_batch_fast(self, texts: list[str], add_special_tokens: bool) -> list[Encoded]:
        assert not add_special_tokens
        return [Encoded([ord(char) for char in text]) for text in texts]

    def token_to_id(self, token: str) -> int | None:
        return 1000 + [special.value for special in Special].index(token)


def holes(count: int, options: FimOptions = FimOptions()) -> list[Infill]:
    random = Random(5)
    made = [infill(CODE, random, replace(options, open_end=0.0, near_end=0.0)) for _ in range(count)]
    return [hole for hole in made if hole is not None]


class HoleTest(unittest.TestCase):
    def test_prefix_middle_and_suffix_join_to_the_text(self) -> None:
        made = holes(2000)
        self.assertGreater(len(made), 1990)
        for hole in made:
            self.assertEqual(hole.prefix + hole.middle + hole.suffix, CODE)
            self.assertTrue(hole.middle.strip())

    def test_shapes_cursors_and_orders_of_holes_have_their_shares(self) -> None:
        made = holes(4000)
        share = lambda matches: sum(map(matches, made)) / len(made)
        inside = lambda hole: bool(hole.prefix) and is_word(hole.prefix[-1]) and is_word(hole.middle[0])
        self.assertGreater(share(inside), 0.3)
        self.assertGreater(share(lambda hole: "\n" not in hole.middle), 0.55)
        self.assertGreater(share(lambda hole: hole.middle.count("\n") > 1), 0.1)
        self.assertGreater(share(lambda hole: hole.suffix[:1] not in ("", "\n")), 0.12)
        self.assertAlmostEqual(share(lambda hole: hole.suffix_first), 0.6, delta=0.03)

    def test_middles_and_suffixes_have_the_form_of_their_shape(self) -> None:
        for shape in FimOptions().shapes:
            options = FimOptions(shapes={shape: 1.0})
            made = holes(300, options)
            self.assertTrue(made, shape)
            if shape in ("rest", "own lines", "lines", "block"):
                self.assertTrue(all(hole.suffix[:1] in ("", "\n") for hole in made), shape)
            if shape in ("rest", "inner"):
                self.assertTrue(all("\n" not in hole.middle for hole in made), shape)
            if shape == "whole lines":
                self.assertTrue(all(f"\n{hole.prefix}"[-1] == hole.middle[-1] == "\n" for hole in made))
            if shape == "lines":
                self.assertLess(max(hole.middle.count("\n") for hole in made), options.most_lines)

    def test_each_kind_of_cursor_has_its_position(self) -> None:
        starts = {kind: holes(300, FimOptions(shapes={"rest": 1.0}, cursors={kind: 1.0})) for kind in FimOptions().cursors}
        in_word = lambda hole: hole.prefix != "" and is_word(hole.prefix[-1]) and is_word(hole.middle[0])
        inside = {kind: sum(map(in_word, made)) / len(made) for kind, made in starts.items()}
        self.assertGreater(inside["in word"], 0.85)
        self.assertEqual(inside["border"], 0)
        self.assertTrue(0.2 < inside["any"] < 0.8)
        typed = [len(hole.prefix.rsplit("\n", 1)[-1].lstrip()) for hole in starts["typed"]]
        self.assertTrue(all(1 <= count <= 6 for count in typed))

    def test_block_middles_are_the_deeper_lines(self) -> None:
        options = FimOptions(shapes={"block": 1.0}, own_line=0.0, line_start=0.0, closed_block=0.0)
        middles = {hole.middle for hole in holes(300, options)}
        self.assertIn("\n    return [];", middles)
        self.assertIn("\n  readonly path: string;\n  readonly encoding?: string;", middles)

    def test_new_lines_can_go_on_to_the_end_of_their_block(self) -> None:
        made = holes(300, FimOptions(shapes={"own lines": 1.0}, one_line=0.0, to_block_end=1.0))
        depths = lambda text: [len(line) - len(line.lstrip()) for line in text.split("\n") if line.strip()]
        for hole in made:
            before = "" if hole.middle.startswith("\n") else hole.prefix.rsplit("\n", 1)[-1]
            depth = depths(before + hole.middle)[0]
            self.assertTrue(depth == 0 or depths(hole.suffix)[0] < depth)

    def test_new_lines_are_up_to_four_and_none_is_less_deep_than_the_first(self) -> None:
        made = holes(600, FimOptions(shapes={"own lines": 1.0}, to_block_end=0.0))
        counts = {len(hole.middle.strip("\n").split("\n")) for hole in made}
        self.assertEqual(counts, {1, 2, 3, 4})
        for hole in made:
            before = "" if hole.middle.startswith("\n") else hole.prefix.rsplit("\n", 1)[-1]
            lines = (before + hole.middle).strip("\n").split("\n")
            depths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
            self.assertEqual(min(depths), depths[0])

    def test_at_an_open_end_the_middle_completes_the_construct_that_it_begins(self) -> None:
        options = FimOptions(open_end=1.0, shapes={"rest": 1.0}, cursors={"typed": 1.0})
        made = [hole for hole in (infill(CODE, Random(seed), options) for seed in range(300)) if hole]
        lines = [hole.prefix.rsplit("\n", 1)[-1] + hole.middle for hole in made]
        interface = "export interface Options {\n  readonly path: string;\n  readonly encoding?: string;\n}"
        self.assertIn(interface, lines)
        self.assertNotIn("export interface Options {", lines)
        self.assertIn("  if (text === '') {\n    return [];\n  }", lines)
        self.assertIn("  const { path, encoding = 'utf8' } = options;", lines)

    def test_an_open_end_makes_no_middle_shorter(self) -> None:
        text = "if (a) {\n  b();\n}\nc();\nd();\n"
        options = FimOptions(shapes={"lines": 1.0}, near_end=0.0)
        for seed in range(300):
            hole = choose_hole(text, Random(seed), options)
            opened = infill(text, Random(seed), replace(options, open_end=1.0))
            assert hole is not None and opened is not None
            self.assertTrue(opened.middle.startswith(text[hole.start : hole.end]))

    def test_at_most_a_line_break_follows_an_open_end(self) -> None:
        made = [infill(CODE, Random(seed), FimOptions(open_end=1.0, shapes={"lines": 1.0})) for seed in range(50)]
        self.assertEqual({hole.suffix for hole in made if hole}, {"", "\n"})

    def test_middles_that_end_inside_a_line_are_followed_by_its_rest(self) -> None:
        options = FimOptions(open_end=1.0, near_end=0.0, shapes={"inner": 1.0})
        made = [hole for hole in (infill(CODE, Random(seed), options) for seed in range(300)) if hole]
        inside = [hole for hole in made if hole.suffix not in ("", "\n")]
        self.assertGreater(len(inside) / len(made), 0.8)
        self.assertTrue(all(CODE.endswith(hole.middle + hole.suffix) for hole in inside))
        split = [is_word(hole.middle[-1]) and is_word(hole.suffix[0]) for hole in inside]
        self.assertGreater(sum(split) / len(split), 0.05)

    def test_near_the_end_the_rest_of_the_line_and_a_few_lines_follow(self) -> None:
        options = FimOptions(open_end=0.0, near_end=1.0)
        # Characters at which Python ends lines, but editors do not.
        for text in (CODE, CODE.replace(" ", "\f\v\x1c\x85")):
            for seed in range(300):
                hole = infill(text, Random(seed), options)
                assert hole is not None
                start = len(hole.prefix) + len(hole.middle)
                self.assertTrue(text.startswith(hole.suffix, start))
                self.assertTrue(hole.suffix.endswith("\n") or start == len(text))
                self.assertLessEqual(hole.suffix.count("\n"), 1 + options.most_after)

    def test_the_cursor_of_a_new_line_has_three_positions(self) -> None:
        before = [hole.prefix for hole in holes(600, FimOptions(shapes={"own lines": 1.0}))]
        at_start = sum(prefix.endswith("\n") for prefix in before) / len(before)
        indented = sum(prefix.endswith(" ") for prefix in before) / len(before)
        self.assertTrue(0.1 < at_start and 0.1 < indented and at_start + indented < 0.95)

    def test_middles_between_two_points_have_any_length(self) -> None:
        lengths = [len(hole.middle) for hole in holes(2000, FimOptions(shapes={"any": 1.0}))]
        self.assertGreater(sum(length < 10 for length in lengths) / len(lengths), 0.2)
        self.assertGreater(sum(length > 100 for length in lengths) / len(lengths), 0.15)

    def test_texts_of_blank_lines_get_no_hole(self) -> None:
        self.assertIsNone(choose_hole("", Random(1), FimOptions()))
        self.assertIsNone(choose_hole("\n\n  \n", Random(1), FimOptions()))

    def test_holes_in_unusual_texts_join_to_the_text(self) -> None:
        for text in ("x", "a\n", "}\n}\n}", "\tx\n\n\n", "if a:\n    b\n", "a" * 50, "x\n\n\n\n"):
            for seed in range(200):
                hole = infill(text, Random(seed), FimOptions(open_end=0.0, near_end=0.0))
                if hole is not None:
                    self.assertEqual(hole.prefix + hole.middle + hole.suffix, text)


class DocumentTest(unittest.TestCase):
    def test_spans_join_to_the_text(self) -> None:
        text = CODE * 40 + "x" * 9000
        options = DocumentOptions()
        for seed in range(20):
            parts = list(spans(text, Random(seed), options))
            self.assertEqual("".join(parts), text)
            self.assertLessEqual(max(map(len, parts)), options.most_span)

    def test_a_short_file_is_often_left_whole(self) -> None:
        text = CODE * (2000 // len(CODE))
        uncut = [len(list(spans(text, Random(seed), DocumentOptions()))) == 1 for seed in range(400)]
        self.assertGreater(np.mean(uncut), 0.5)
        self.assertLess(np.mean(uncut), 0.9)

    def test_documents_have_the_token_layout_of_their_order(self) -> None:
        def ids(first: bool, marked: bool = False) -> np.ndarray:
            document = infill_document("a.ts", Infill("P", "M", "S", first), marked=marked)
            return tokenise.encode([document], ByCharacter())[0]

        end, prefix, middle, suffix, file = range(1000, 1005)
        name = [file, *map(ord, "a.ts\n")]
        p, m, s = map(ord, "PMS")
        self.assertEqual(ids(True).tolist(), [*name, prefix, suffix, s, middle, p, m, end])
        self.assertEqual(ids(True, marked=True).tolist(), [*name, suffix, s, prefix, p, middle, m, end])
        for marked in (False, True):
            self.assertEqual(ids(False, marked).tolist(), [*name, prefix, p, suffix, s, middle, m, end])

    def test_holes_base_names_and_quotes_have_their_shares_of_documents(self) -> None:
        source = SourceFile("a/b", "src/load.ts", "typescript", CODE)
        made = [list(documents_of(source, [source], Random(seed), DocumentOptions())) for seed in range(3000)]
        self.assertAlmostEqual(np.mean([documents[0].fim for documents in made]), 0.85, delta=0.03)
        names = Counter("load.ts\n" in document.pieces for documents in made for document in documents)
        self.assertAlmostEqual(names[True] / names.total(), 0.4, delta=0.04)
        joined = [document.pieces.count(Special.FILE) > 1 for documents in made for document in documents if document.fim]
        self.assertAlmostEqual(np.mean(joined), 0.25, delta=0.03)


class TokenFileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.corpus = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        files = [SourceFile("a/b", f"{at}.ts", "typescript", f"// {at}\n{CODE}") for at in range(20)]
        for name, part in (("train-000", files[:10]), ("train-001", files[10:16]), ("heldout", files[16:])):
            with bz2.open(cls.corpus / f"{name}.jsonl.bz2", "wt") as lines:
                lines.write("".join(json.dumps(vars(file)) + "\n" for file in part))
        cls.files = tokenise.read_files(cls.corpus, "train-*.jsonl.bz2")

    def setUp(self) -> None:
        out = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.options = tokenise.Options(self.corpus, Path("-"), out, pieces=2, workers=2)

    def written(self, piece: int) -> bytes:
        for worker in range(2):
            tokenise.write_piece(self.files, ByCharacter(), (worker, 2), piece, self.options)
        return b"".join((self.options.out / f"pass-{piece}-0{worker}.bin").read_bytes() for worker in range(2))

    def test_every_file_is_in_a_pass_once(self) -> None:
        plain = replace(self.options, documents=DocumentOptions(fim=FimOptions(share=0.0)))
        shares = [(piece, worker) for piece in range(2) for worker in range(2)]
        parts = [tokenise.piece_documents(self.files, (worker, 2), piece, plain) for piece, worker in shares]
        texts = [document.pieces[2] for part in parts for batch in part for document in batch]
        self.assertEqual(sorted(map(str, texts)), sorted(file.text for file in self.files))

    def run_stage(self, options: tokenise.Options) -> None:
        with mock.patch.object(tokenise, "load_tokenizer", lambda source: ByCharacter()), redirect_stdout(StringIO()):
            tokenise.run(options)

    def test_an_interrupted_run_keeps_its_complete_pieces(self) -> None:
        options = replace(self.options, earlier=Path("old"), passes=2)
        self.run_stage(options)
        whole = {path: path.read_bytes() for path in options.out.rglob("*.*")}
        # As it is while the last piece is written.
        (options.out / "pass-3.done").unlink()
        (options.out / "pass-3-00.bin").write_bytes(b"part")
        kept = options.out / "pass-0-00.bin"
        kept.write_bytes(b"kept")
        self.run_stage(options)
        self.assertEqual({path: path.read_bytes() for path in options.out.rglob("*.*")}, {**whole, kept: b"kept"})
        (options.out / "earlier" / "heldout.json").unlink()
        self.run_stage(options)
        self.assertEqual({path: path.read_bytes() for path in options.out.rglob("*.*")}, {**whole, kept: b"kept"})

    def test_the_stage_writes_all_passes_and_the_held_out_parts(self) -> None:
        self.run_stage(replace(self.options, earlier=Path("old"), passes=2, documents=tokenise.MARKED))
        for piece in range(4):
            written = sorted(self.options.out.glob(f"pass-{piece}-*.bin"))
            tokens = sum(path.stat().st_size for path in written) // 2
            self.assertEqual((len(written), (self.options.out / f"pass-{piece}.done").read_text()), (2, f"{tokens}\n"))
        prefix_first = {"": [], "earlier": []}
        for folder, found in prefix_first.items():
            rows = json.loads((self.options.out / folder / "heldout.json").read_text())["documents"]
            tokens = np.fromfile(self.options.out / folder / "heldout.bin", "<u2").tolist()
            for row in rows:
                if row["fim"]:
                    ids = tokens[row["start"] : row["end"]]
                    found.append(ids.index(1001) < ids.index(1003))
        # The earlier pair is measured in the form that it has learnt.
        self.assertEqual(prefix_first, {"": [False] * 4, "earlier": [True] * 4})

    def test_the_same_seed_gives_the_same_tokens(self) -> None:
        first = self.written(0)
        self.assertEqual(first, self.written(0))
        self.assertNotEqual(first, self.written(1))
        tokens = np.frombuffer(first, "<u2")
        self.assertEqual(tokens[-1], 1000)

    def test_held_out_files_are_written_plain_and_with_a_hole(self) -> None:
        held = tokenise.read_files(self.options.corpus, "heldout.jsonl.bz2")
        tokenise.write_held_out(held, ByCharacter(), self.options)
        tokens = np.fromfile(self.options.out / "heldout.bin", "<u2")
        rows = json.loads((self.options.out / "heldout.json").read_text())["documents"]
        self.assertEqual([row["fim"] for row in rows], [False, True] * 4)
        self.assertEqual([row["start"] for row in rows], [0, *[row["end"] for row in rows[:-1]]])
        self.assertEqual(rows[-1]["end"], len(tokens))
        for row, file in zip(rows[::2], held):
            text = "".join(map(chr, tokens[row["start"] + 1 : row["end"] - 1]))
            self.assertEqual(text, f"{file.path}\n{file.text}")
            self.assertEqual((row["characters"], row["middle"]), (len(file.text), 0))
        for row, file in zip(rows[1::2], held):
            middle = "".join(map(chr, tokens[row["end"] - 1 - row["middle"] : row["end"] - 1]))
            self.assertGreater(row["middle"], 0)
            self.assertIn(middle, file.text)

    def test_a_tokenizer_without_the_special_tokens_is_refused(self) -> None:
        class Bare(ByCharacter):
            def token_to_id(self, token: str) -> int | None:
                return None

        with self.assertRaises(ValueError):
            tokenise.encode([], Bare())


def is_word(char: str) -> bool:
    return char.isalnum() or char in "_$"


if __name__ == "__main__":
    unittest.main()
