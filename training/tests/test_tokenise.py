"""Token files: all passes, the held-out part, and interrupted runs."""

import bz2
import json
import tempfile
import unittest
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from unittest import mock

import numpy as np

from flashline_training import tokenise
from flashline_training.documents import DocumentOptions
from flashline_training.fim import FimOptions
from flashline_training.source_file import SourceFile
from tests.made_up_text import CODE, ByCharacter


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
        # The folder as it is while the last piece is written.
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


if __name__ == "__main__":
    unittest.main()
