"""Documents: their spans, their token layout, and their shares of holes and quotes."""

import unittest
from collections import Counter
from random import Random

import numpy as np

from flashline_training import tokenise
from flashline_training.documents import DocumentOptions, Special, documents_of, infill_document, spans
from flashline_training.fim import Infill
from flashline_training.source_file import SourceFile
from tests.made_up_text import CODE, ByCharacter


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


if __name__ == "__main__":
    unittest.main()
