import unittest

import torch

from flashline_training.dspark import (
    HEADS,
    TABLES,
    DSparkOptions,
    SlotBatch,
    confidence_logits,
    draft,
    forced_logits,
    head_shapes,
    loss_sum,
)  # fmt: skip

VOCAB, HIDDEN, ROWS = 19, 8, 5


def heads(kind):
    torch.manual_seed(0)
    return {
        name: torch.randn(shape) for name, shape in head_shapes(DSparkOptions(head=kind, rank=6), VOCAB, HIDDEN).items()
    }


class DSparkTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.states, self.base = torch.randn(2, 3, ROWS, HIDDEN), torch.randn(2, 3, ROWS, VOCAB)
        self.previous = torch.randint(0, VOCAB, (2, 3, ROWS))

    def test_a_slot_depends_on_the_tokens_before_it_alone(self):
        for kind in HEADS:
            with self.subTest(kind):
                weights = heads(kind)
                before = forced_logits(weights, self.base, self.states, self.previous)
                self.assertEqual(before.shape, self.base.shape)
                changed = self.previous.clone()
                changed[..., 2] = (changed[..., 2] + 1) % VOCAB
                after = forced_logits(weights, self.base, self.states, changed)
                torch.testing.assert_close(before[..., :2, :], after[..., :2, :])
                self.assertGreater((before[..., 2, :] - after[..., 2, :]).abs().min().item(), 0)

    def test_drafts_are_the_best_tokens_when_forced_along_themselves(self):
        for kind in HEADS:
            with self.subTest(kind):
                weights, anchors = heads(kind), torch.randint(0, VOCAB, (2, 3))
                drafted = draft(weights, self.base, self.states, anchors)
                previous = torch.cat([anchors[..., None], drafted[..., :-1]], -1)
                logits = forced_logits(weights, self.base, self.states, previous)
                self.assertEqual(logits.argmax(-1).tolist(), drafted.tolist())

    def test_vanilla_adds_the_product_of_both_tables(self):
        weights = heads("vanilla")
        expected = (
            self.base[0, 0, 3]
            + weights["markov_head.markov_w2.weight"] @ weights["markov_head.markov_w1.weight"][self.previous[0, 0, 3]]
        )
        torch.testing.assert_close(forced_logits(weights, self.base, self.states, self.previous)[0, 0, 3], expected)

    def test_a_slot_that_equals_the_target_costs_its_entropy_only(self):
        weights, options = heads("gated"), DSparkOptions(cross_entropy=0, confidence=0)
        own = forced_logits(weights, self.base, self.states, self.previous)
        labels, counts = torch.zeros(2, 3, ROWS, dtype=torch.long), torch.ones(2, 3, ROWS)
        slots = SlotBatch(self.base, self.states, self.previous, labels, counts, own)
        self.assertAlmostEqual(loss_sum(weights, slots, options).item(), 0, places=4)
        other = slots._replace(target=own.flip(-1))
        self.assertGreater(loss_sum(weights, other, options).item(), 1)
        self.assertEqual(loss_sum(weights, other._replace(counts=torch.zeros_like(counts)), options).item(), 0)

    def test_confidence_has_one_number_per_slot(self):
        self.assertEqual(tuple(confidence_logits(heads("rnn"), self.states, self.previous).shape), (2, 3, ROWS))
        self.assertIn("markov_head.markov_w1.weight", TABLES)


if __name__ == "__main__":
    unittest.main()
