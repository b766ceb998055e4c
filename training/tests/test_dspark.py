"""The DSpark drafter against DeepSpec's reference, its heads and its loss."""

import json
import unittest
from pathlib import Path

import torch
import torch.nn.functional as F

from flashline_training import safetensors_file
from flashline_training.block_drafter import config_of, weight_shapes, widest
from flashline_training.dflash import draft_states, make_blocks
from flashline_training.dspark import (
    HEADS,
    NEXT,
    DSparkConfig,
    Slots,
    confidence_logits,
    draft,
    drafts,
    forced_logits,
    head_shapes,
    loss_sum,
    previous_tokens,
    slots,
)  # fmt: skip
from flashline_training.qwen3 import EMBEDDING, Qwen3Config, hidden_states

FIXTURES = Path(__file__).parents[2] / "test/fixtures"
VOCAB, HIDDEN, ROWS = 19, 8, 5


def heads(kind):
    torch.manual_seed(0)
    config = DSparkConfig(markov_head_type=kind, markov_rank=6, vocab_size=VOCAB, hidden_size=HIDDEN)
    return {name: torch.randn(shape) for name, shape in head_shapes(config).items()}


class ReferenceTest(unittest.TestCase):
    def test_equals_the_reference_run_of_deep_spec(self):
        target_config = Qwen3Config.from_json(json.loads((FIXTURES / "targets/qwen3/config.json").read_text()))
        target = safetensors_file.read(FIXTURES / "targets/qwen3/model.safetensors")
        for kind in HEADS:
            folder = FIXTURES / "drafters/dspark" / kind
            golden = safetensors_file.read(folder / "golden.safetensors")
            config = config_of(json.loads((folder / "config.json").read_text()))
            weights = safetensors_file.read(folder / "model.safetensors")
            table = weights.pop("embed_tokens.weight")
            torch.testing.assert_close(table, target[EMBEDDING])
            head = weights.pop("lm_head.weight")
            self.assertEqual({name: tuple(w.shape) for name, w in weights.items()}, weight_shapes(config))
            self.assertEqual(widest(config), 8)
            tokens = golden["input_ids"].long()[None]
            _, taps = hidden_states(target_config, target, tokens, config.target_layer_ids)
            for i in range(3):
                with self.subTest(kind, round=i):
                    anchors = golden[f"r{i}.start"].long()[None]
                    blocks = make_blocks(config, tokens, anchors, torch.tensor([[config.block_size]]))
                    states = draft_states(config, weights, table, taps, blocks)[0, 0]
                    base, anchor = F.linear(states, head), tokens[0, anchors[0, 0]]
                    torch.testing.assert_close(base, golden[f"r{i}.base_logits"], atol=1e-4, rtol=1e-4)
                    ids = drafts(config, weights, head, states, anchor)
                    self.assertEqual(ids.tolist(), golden[f"r{i}.draft_ids"].tolist())
                    self.assertEqual(drafts(config, weights, head, states, anchor, ids).tolist(), ids.tolist())
                    previous = previous_tokens(anchor, ids)
                    logits = forced_logits(weights, base, states, previous)
                    torch.testing.assert_close(logits, golden[f"r{i}.draft_logits"], atol=1e-4, rtol=1e-4)
                    log_odds = confidence_logits(weights, states, previous)
                    torch.testing.assert_close(log_odds, golden[f"r{i}.confidence_logits"], atol=1e-4, rtol=1e-4)


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

    def test_forcing_the_drafts_yields_the_same_drafts(self):
        for kind in HEADS:
            with self.subTest(kind):
                weights, anchors = heads(kind), torch.randint(0, VOCAB, (2, 3))
                drafted = draft(weights, self.base, self.states, anchors)
                previous = torch.cat([anchors[..., None], drafted[..., :-1]], -1)
                logits = forced_logits(weights, self.base, self.states, previous)
                self.assertEqual(logits.argmax(-1).tolist(), drafted.tolist())

    def test_a_vanilla_head_adds_the_product_of_both_tables(self):
        weights = heads("vanilla")
        expected = (
            self.base[0, 0, 3]
            + weights["markov_head.markov_w2.weight"] @ weights["markov_head.markov_w1.weight"][self.previous[0, 0, 3]]
        )
        torch.testing.assert_close(forced_logits(weights, self.base, self.states, self.previous)[0, 0, 3], expected)

    def test_the_loss_sums_cross_entropy_distance_and_confidence_times_their_factors(self):
        rows, table = torch.randn(4, HIDDEN), torch.randn(VOCAB, HIDDEN)
        batch = Slots(rows, table, rows, table, torch.zeros(4), torch.zeros(4, dtype=torch.long), torch.ones(4))
        nats = -F.linear(rows, table).log_softmax(-1)[:, 0]
        self.assertAlmostEqual(loss_sum(batch, 1, 0, 0).item(), nats.sum().item(), places=4)
        # The slots equal the target.
        self.assertAlmostEqual(loss_sum(batch, 0, 1, 0).item(), 0, places=4)
        flipped = batch._replace(target_table=table.flip(0))
        distances = (F.linear(rows, table).softmax(-1) - F.linear(rows, table.flip(0)).softmax(-1)).abs().sum(-1)
        self.assertAlmostEqual(loss_sum(flipped, 0, 1, 0).item(), distances.sum().item(), places=4)
        self.assertAlmostEqual(loss_sum(flipped, 0, 0.5, 0).item(), distances.sum().item() / 2, places=4)
        accepted = 1 - distances / 2
        even = F.binary_cross_entropy(torch.full((4,), 0.5), accepted, reduction="sum")
        self.assertAlmostEqual(loss_sum(flipped, 0, 0, 1).item(), even.item(), places=4)
        ignored = flipped._replace(loss_weights=torch.zeros(4), labels=torch.full((4,), -100))
        self.assertEqual(loss_sum(ignored, 1, 1, 1).item(), 0)

    def test_rows_times_table_are_the_logits_of_head_and_markov_head(self):
        for kind in HEADS:
            weights, head = heads(kind), torch.randn(VOCAB, HIDDEN)
            labels, loss_weights = torch.zeros(2, 3, ROWS, dtype=torch.long), torch.ones(2, 3, ROWS)
            batch = slots(weights, (head, self.states), self.states, self.previous, labels, loss_weights)
            expected = forced_logits(weights, F.linear(self.states, head), self.states, self.previous)
            found = F.linear(batch.rows, batch.table).view_as(expected)
            torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
            self.assertEqual(batch.table.shape[1], HIDDEN + weights[NEXT].shape[1])

    def test_each_slot_has_one_confidence(self):
        self.assertEqual(tuple(confidence_logits(heads("rnn"), self.states, self.previous).shape), (2, 3, ROWS))


if __name__ == "__main__":
    unittest.main()
