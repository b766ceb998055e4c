"""A grown pair computes what the smaller one does."""

import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import torch

from flashline_training import checkpoint
from flashline_training.dflash import DFlashConfig, weight_shapes
from flashline_training.export import read_target, write_drafter, write_target
from flashline_training.grow import GrowOptions, grow, grown_table, parts_of, layer_indices
from flashline_training.quantise import Bits
from flashline_training.qwen3 import EMBEDDING, Qwen3Config, hidden_states, initial_weights, logits
from tests.made_up import TINY, tiny_weights

DRAFTER = DFlashConfig(
    num_hidden_layers=1, hidden_size=64, intermediate_size=64, num_attention_heads=2, num_key_value_heads=1, head_dim=32,
    vocab_size=128, num_target_layers=3, target_layer_ids=(0, 1), mask_token_id=127, selector_rank=64, eos_token_id=118,
)  # fmt: skip


def tokenizer_fields(entries: int) -> dict:
    """Returns 128 letters, then entries that are each merged from the one before and a letter."""
    vocabulary = {chr(0x4E00 + at): at for at in range(128)}
    merges, last = [], chr(0x4E00)
    for at in range(128, entries):
        merges.append([last, chr(0x4E00 + at - 127)])
        last = "".join(merges[-1])
        vocabulary[last] = at
    return {"model": {"vocab": vocabulary, "merges": merges}, "added_tokens": []}


class GrowTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        pair = self.folder / "pair"
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (self.folder / name).write_text(json.dumps(tokenizer_fields(131)))
        write_target(pair / "target", TINY, tiny_weights(sharp=3.0), Bits(8, 8), self.folder, 15)
        drafter = initial_weights(weight_shapes(DRAFTER), 1, 7)
        write_drafter(pair / "drafter", DRAFTER, drafter, Bits(), TINY, 15)
        options = GrowOptions(pair, self.folder / "tokenizer.json", 5, self.folder / "grown")
        self.target, self.drafter = grow(options)
        self.pair = pair

    def test_logits_and_taps_are_those_of_the_smaller_pair(self) -> None:
        config, weights = read_target(self.pair / "target")
        state = checkpoint.load(self.folder / "grown/target.pt")
        grown = Qwen3Config(**state["config"])
        self.assertEqual((grown.num_hidden_layers, grown.vocab_size), (5, 131))
        tokens = torch.randint(128, (2, 12), generator=torch.Generator().manual_seed(1))
        old, taps = hidden_states(config, weights, tokens, (0, 1))
        new, grown_taps = hidden_states(grown, state["weights"], tokens, self.drafter.target_layer_ids)
        torch.testing.assert_close(logits(grown, state["weights"], new)[..., :128], logits(config, weights, old))
        torch.testing.assert_close(grown_taps, taps)

    def test_every_layer_gets_gradients(self) -> None:
        state = checkpoint.load(self.folder / "grown/target.pt")
        weights = {name: weight.requires_grad_() for name, weight in state["weights"].items()}
        h, _ = hidden_states(self.target, weights, torch.arange(12)[None])
        logits(self.target, weights, h).logsumexp(-1).sum().backward()
        for layer in range(5):
            self.assertGreater(float(weights[f"model.layers.{layer}.mlp.down_proj.weight"].grad.abs().max()), 0, layer)

    def test_a_new_entry_is_the_mean_of_its_parts(self) -> None:
        self.assertEqual(parts_of(self.folder / "tokenizer.json", 128), [(0, 1), (128, 2), (129, 3)])
        table = torch.tensor([[0.0, 2.0], [4.0, 6.0]])
        self.assertEqual(grown_table(table, [(0, 1), (2, 1)]).tolist(), [[0, 2], [4, 6], [2, 4], [3, 5]])
        state = checkpoint.load(self.folder / "grown/target.pt")["weights"][EMBEDDING]
        torch.testing.assert_close(state[128], (state[0] + state[1]) / 2)

    def test_an_id_without_an_entry_gets_a_row_too(self) -> None:
        tokenizer = self.folder / "gap.json"
        fields = {"vocab": {"a": 0, "b": 1, "ab": 2, "ba": 4}, "merges": [["a", "b"], ["b", "a"]]}
        tokenizer.write_text(json.dumps({"model": fields}))
        self.assertEqual(parts_of(tokenizer, 2), [(0, 1), (0, 0), (1, 0)])

    def test_the_drafter_fits_the_grown_target(self) -> None:
        config = DFlashConfig(**checkpoint.load(self.folder / "grown/drafter.pt")["config"])
        expected = replace(DRAFTER, vocab_size=131, num_target_layers=5, target_layer_ids=(0, 2))
        self.assertEqual(config, expected)
        found = checkpoint.load(self.folder / "grown/drafter.pt")["weights"]
        self.assertEqual({name: tuple(w.shape) for name, w in found.items()}, weight_shapes(expected))

    def test_old_layers_are_spread_among_the_new_ones(self) -> None:
        self.assertEqual(layer_indices(12, 18), [0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17])
        self.assertEqual(layer_indices(3, 3), [0, 1, 2])
        with self.assertRaisesRegex(ValueError, "Expected at least 3 layers, got 2"):
            layer_indices(3, 2)


if __name__ == "__main__":
    unittest.main()
