"""Losses of held-out documents."""

import unittest

import numpy as np
import torch

from flashline_training.heldout import Document, Heldout
from flashline_training.loss_report import document_report, token_nats
from flashline_training.qwen3 import hidden_states, logits
from tests.made_up import TINY, tiny_weights


class LossTest(unittest.TestCase):
    documents = [
        Document(0, 4, "a/x", "python", 10, False),
        Document(4, 8, "a/x", "python", 10, False),
        Document(8, 41, "b/y", "typescript", 20, False),
    ]

    def test_every_token_is_judged_once_after_earlier_tokens_of_its_document(self):
        weights, tokens = tiny_weights(), np.random.default_rng(0).integers(0, 100, 41).astype(np.uint16)
        nats = token_nats(TINY, weights, Heldout(tokens, self.documents), window=8, batch=2)
        self.assertEqual(np.flatnonzero(np.isnan(nats)).tolist(), [0, 4, 8])
        # A short document, a first window, and a later one that judges its second half.
        for begin, judged, end in ((4, 5, 8), (8, 9, 17), (12, 17, 21)):
            ids = torch.from_numpy(tokens[begin:end].astype(np.int64))
            rows = logits(TINY, weights, hidden_states(TINY, weights, ids[None, :-1])[0])[0].log_softmax(-1)
            expected = -rows.gather(1, ids[1:, None])[:, 0].numpy()
            np.testing.assert_allclose(nats[judged:end], expected[judged - begin - 1 :], rtol=1e-4)

    def test_documents_add_up_by_language_repository_and_group(self):
        nats = np.array([np.nan, 1, 1, 1, np.nan, 2, 2, 2, np.nan, *[1] * 32], np.float32)
        groups = {"some": ["a/x", "c/z"], "none": ["c/z"]}
        report = document_report(nats, Heldout(np.zeros(41, np.uint16), self.documents), groups)
        self.assertEqual((report["tokens"], report["nats_per_token"]), (38, round(41 / 38, 4)))
        self.assertEqual(report["languages"]["python"]["nats_per_character"], 0.45)
        self.assertEqual(report["repositories"]["b/y"]["nats_per_token"], 1.0)
        self.assertEqual({name: entry["nats_per_token"] for name, entry in report["groups"].items()}, {"some": 1.5})


if __name__ == "__main__":
    unittest.main()
