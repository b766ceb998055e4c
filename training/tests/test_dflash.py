"""The DFlash drafter against z-lab's reference, its mask, and the labels and weights of its blocks."""

import json
import math
import unittest
from dataclasses import replace
from pathlib import Path

import torch

from flashline_training import dflash, safetensors_file
from flashline_training.anchors import (
    IGNORED,
    block_labels,
    block_weights,
    choose_anchors,
    choose_widths,
    generated_mask,
    position_weights,
)
from flashline_training.dflash import Blocks, DFlashConfig, block_mask, draft_logits, draft_states, make_blocks
from flashline_training.qwen3 import EMBEDDING, Qwen3Config, hidden_states, initial_weights
from tests.made_up import TINY, tiny_weights

FIXTURES = Path(__file__).parents[2] / "test/fixtures"
DRAFTER = DFlashConfig(
    num_hidden_layers=2, hidden_size=64, intermediate_size=64, num_attention_heads=2, num_key_value_heads=1,
    head_dim=32, vocab_size=128, num_target_layers=3, target_layer_ids=(0, 1), block_size=5, mask_token_id=127,
    eos_token_id=118, max_position_embeddings=256,
)  # fmt: skip


def drafter_weights(seed: int = 1):
    return {n: w * 20 if w.ndim == 2 else w for n, w in initial_weights(dflash.weight_shapes(DRAFTER), 2, seed).items()}


def states_of(tokens, anchors, widths=None):
    target = tiny_weights(sharp=10)
    anchors = torch.tensor([anchors])
    widths = torch.full_like(anchors, DRAFTER.block_size) if widths is None else torch.tensor([widths])
    _, taps = hidden_states(TINY, target, tokens, DRAFTER.target_layer_ids)
    blocks = make_blocks(DRAFTER, tokens, anchors, widths)
    return draft_states(DRAFTER, drafter_weights(), target[EMBEDDING], taps, blocks)[0]


class ReferenceTest(unittest.TestCase):
    def test_equals_the_reference_run_of_z_lab(self):
        folder = FIXTURES / "drafters/dflash"
        golden = safetensors_file.read(folder / "golden.safetensors")
        config = DFlashConfig.from_json(json.loads((folder / "config.json").read_text()))
        weights = safetensors_file.read(folder / "model.safetensors")
        weights = {name.removeprefix("model."): tensor for name, tensor in weights.items()}
        target_config = Qwen3Config.from_json(json.loads((FIXTURES / "targets/qwen3/config.json").read_text()))
        target = safetensors_file.read(FIXTURES / "targets/qwen3/model.safetensors")
        tokens = golden["input_ids"].long()[None]
        _, taps = hidden_states(target_config, target, tokens, config.target_layer_ids)
        rounds = [name.split(".")[0] for name in golden if name.endswith(".start")]
        self.assertEqual(len(rounds), 3)
        for name in rounds:
            start = int(golden[f"{name}.start"])
            with self.subTest(name):
                blocks = make_blocks(config, tokens, torch.tensor([[start]]), torch.tensor([[config.block_size]]))
                states = draft_states(config, weights, target[EMBEDDING], taps, blocks)[0, 0]
                torch.testing.assert_close(states, golden[f"{name}.hidden"], atol=3e-5, rtol=1e-4)
                logits = draft_logits(config, target["lm_head.weight"], states[1:])
                self.assertEqual(logits.argmax(-1).tolist(), golden[f"{name}.draft_ids"].long().tolist())


class MaskTest(unittest.TestCase):
    def test_the_mask_equals_its_definition(self):
        anchors, widths, context, rows = torch.tensor([[3, 6], [1, 4]]), torch.tensor([[5, 2], [3, 5]]), 9, 5
        first = torch.tensor([2, 0])
        mask = block_mask(Blocks(anchors, torch.zeros(2, 2, rows), widths, first), context)
        self.assertEqual(tuple(mask.shape), (2, 1, 2 * rows, context + 2 * rows))
        for b in range(2):
            for query in range(2 * rows):
                block = query // rows
                for key in range(context + 2 * rows):
                    if key < context:
                        expected = int(first[b]) <= key < int(anchors[b, block])
                    else:
                        expected = (key - context) // rows == block and (key - context) % rows < int(widths[b, block])
                    self.assertEqual(bool(mask[b, 0, query, key]), expected, (b, query, key))

    def test_a_block_sees_no_taps_after_its_anchor(self):
        tokens = torch.randint(0, 100, (1, 20))
        before = states_of(tokens, [7, 12])
        changed = tokens.clone()
        changed[0, 8:] = (changed[0, 8:] + 1) % 100
        after = states_of(changed, [7, 12])
        torch.testing.assert_close(before[0], after[0])
        self.assertGreater((before[1] - after[1]).abs().max().item(), 1e-4)

    def test_blocks_in_one_pass_equal_blocks_alone(self):
        tokens = torch.randint(0, 100, (1, 20))
        together = states_of(tokens, [7, 12])
        for i, anchor in enumerate([7, 12]):
            torch.testing.assert_close(together[i], states_of(tokens, [anchor])[0])

    def test_a_narrow_block_equals_a_drafter_of_that_width(self):
        tokens = torch.randint(0, 100, (1, 20))
        narrow = states_of(tokens, [9], [3])[0, :3]
        target = tiny_weights(sharp=10)
        narrow_config = replace(DRAFTER, block_size=3)
        _, taps = hidden_states(TINY, target, tokens, narrow_config.target_layer_ids)
        blocks = make_blocks(narrow_config, tokens, torch.tensor([[9]]), torch.tensor([[3]]))
        alone = draft_states(narrow_config, drafter_weights(), target[EMBEDDING], taps, blocks)[0, 0]
        torch.testing.assert_close(narrow, alone)
        self.assertGreater((narrow - states_of(tokens, [9])[0, :3]).abs().max().item(), 1e-4)


class LabelTest(unittest.TestCase):
    tokens = torch.tensor([[10, 11, 12, 13, 14, 15, 99, 17, 18]])

    def test_row_k_predicts_the_token_at_its_own_position(self):
        generated = generated_mask(self.tokens, 2, 99)
        self.assertEqual(generated[0].tolist(), [False, False, True, True, True, True, True, False, False])
        labels = block_labels(self.tokens, generated, torch.tensor([[2, 4]]), torch.tensor([[5, 5]]), 5)
        self.assertEqual(labels[0].tolist(), [[IGNORED, 13, 14, 15, 99], [IGNORED, 15, 99, IGNORED, IGNORED]])

    def test_rows_beyond_the_width_have_no_label(self):
        generated = generated_mask(self.tokens, 2, 99)
        labels = block_labels(self.tokens, generated, torch.tensor([[2]]), torch.tensor([[3]]), 5)
        self.assertEqual(labels[0, 0].tolist(), [IGNORED, 13, 14, IGNORED, IGNORED])

    def test_shifted_rows_predict_the_next_token(self):
        generated = generated_mask(self.tokens, 2, 99)
        labels = block_labels(self.tokens, generated, torch.tensor([[2]]), torch.tensor([[4]]), 4, shift=1)
        self.assertEqual(labels[0, 0].tolist(), [13, 14, 15, 99])

    def test_anchors_are_generated_tokens_before_generated_tokens(self):
        generated = generated_mask(self.tokens, 2, 99)
        self.assertEqual(choose_anchors(generated, 4)[0].tolist(), [2, 3, 4, 5])
        few = choose_anchors(generated, 6)
        self.assertEqual(few[0].tolist(), [2, 3, 4, 5, 8, 8])
        labels = block_labels(self.tokens, generated, few, torch.full_like(few, 5), 5)
        self.assertTrue((labels[0, 4:] == IGNORED).all())

    def test_later_rows_count_less(self):
        weights = position_weights(torch.tensor([IGNORED, 5, 6, 7, IGNORED]), decay=2.0)
        expected = [0, 1, math.exp(-0.5), math.exp(-1), 0]
        torch.testing.assert_close(weights, torch.tensor(expected))

    def test_blocks_at_obvious_anchors_count_less(self):
        weights = block_weights(torch.tensor([[1.0, 0.5, 0.0]]), torch.tensor([[True, True, False]]), 0.25)
        torch.testing.assert_close(weights, torch.tensor([[0.5, 1.5, 2.5]]))

    def test_widths_are_two_rows_to_all_and_the_given_share_is_full(self):
        widths = choose_widths((2000,), 16, 0.5, torch.device("cpu"))
        self.assertEqual(set(widths.tolist()), set(range(2, 17)))
        self.assertAlmostEqual((widths == 16).float().mean().item(), 0.5, delta=0.06)


if __name__ == "__main__":
    unittest.main()
