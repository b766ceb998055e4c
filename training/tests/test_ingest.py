"""Parts of the raw corpus become pieces of tokens as they arrive."""

import json
import tempfile
import unittest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

import numpy as np

from flashline_training import tokenise
from flashline_training.corpus.parts import write_parts
from flashline_training.ingest import IngestOptions, run
from tests.test_corpus import code
from tests.test_tokenise import ByCharacter


class Ingest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.inbox = self.folder / "inbox"
        self.inbox.mkdir()
        (self.folder / "held-out.txt").write_text("held/out\n")
        raw = self.folder / "raw"
        raw.mkdir()
        first = {"held/out": [code(1), code(2)], "a/b": [code(3), code(2), code(4)]}
        for name, texts in {"c/d": [code(3), code(5)], **first}.items():
            stem = raw / name.replace("/", "+")
            lines = [json.dumps({"path": f"{at}.py", "language": "python", "text": t}) for at, t in enumerate(texts)]
            stem.with_suffix(".jsonl").write_text("\n".join(lines) + "\n")
            stem.with_suffix(".json").write_text(json.dumps({"repository": name, "commit": "1", "licence": "MIT"}))
        most = sum(len(text) for texts in first.values() for text in texts)
        self.assertEqual(write_parts(raw, self.inbox, {"held/out"}, most), 2)
        for number in range(2):
            (self.inbox / f"part-{number}.ready").touch()

    def test_each_part_is_a_piece_without_copies_and_comes_again_with_other_holes(self) -> None:
        out = self.folder / "tokens"
        options = IngestOptions(
            self.inbox, Path("new"), out, [self.folder / "held-out.txt"], Path("old"), parts=2, passes=2, workers=2
        )
        with mock.patch.object(tokenise, "load_tokenizer", lambda source: ByCharacter()), redirect_stdout(StringIO()):
            run(options)
        counts = json.loads((out / "sources.json").read_text())
        found = {row["repository"]: row["files"] for row in counts["sources"]}
        # Of a/b the file like a held-out one is left out, of c/d the copy of one of a/b.
        self.assertEqual(found, {"a/b": 2, "c/d": 1})
        pieces = [self.tokens(out, piece) for piece in range(4)]
        self.assertEqual(sorted(path.name for path in out.glob("*.done")), [f"pass-{at}.done" for at in range(4)])
        self.assertNotEqual(pieces[0].tolist(), pieces[2].tolist())
        for folder in (out, out / "earlier"):
            documents = json.loads((folder / "heldout.json").read_text())["documents"]
            self.assertEqual({row["repository"] for row in documents}, {"held/out"})

    def tokens(self, out: Path, piece: int) -> np.ndarray:
        return np.concatenate([np.fromfile(path, "<u2") for path in sorted(out.glob(f"pass-{piece}-*.bin"))])


if __name__ == "__main__":
    unittest.main()
