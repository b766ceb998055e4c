"""The target network against transformers' reference, and its greedy decoding."""

import json
import unittest
from pathlib import Path

import torch

from flashline_training import safetensors_file
from flashline_training.generate import greedy
from flashline_training.qwen3 import EMBEDDING, Qwen3Config, hidden_states, logits
from tests.made_up import tiny_weights

GOLDEN = Path(__file__).parents[2] / "test/fixtures/targets/qwen3"
SHAPE = Qwen3Config(3, 32, 48, 4, 2, 8, vocab_size=61, max_position_embeddings=128)


class Qwen3Test(unittest.TestCase):
    def test_equals_the_reference_run_of_transformers(self):
        fields = json.loads((GOLDEN / "config.json").read_text())
        config = Qwen3Config.from_json(fields)
        weights = safetensors_file.read(GOLDEN / "model.safetensors")
        golden = safetensors_file.read(GOLDEN / "golden.safetensors")
        tokens = golden["input_ids"].long()[None]
        h, layers = hidden_states(config, weights, tokens, taps=range(config.num_hidden_layers))
        for i, state in enumerate(layers[:-1]):
            torch.testing.assert_close(state[0], golden["hidden_states"][i + 1], atol=2e-5, rtol=1e-4)
        # The head of the fixture is not tied.
        head = {**weights, EMBEDDING: weights["lm_head.weight"]}
        torch.testing.assert_close(logits(config, head, h)[0], golden["logits"], atol=2e-5, rtol=1e-4)

    def test_a_row_sees_no_later_token(self):
        weights, tokens = tiny_weights(SHAPE, sharp=40), torch.randint(0, 61, (1, 12))
        changed = tokens.clone()
        changed[0, 7] = (changed[0, 7] + 1) % 61
        before, after = (hidden_states(SHAPE, weights, t)[0][0] for t in (tokens, changed))
        torch.testing.assert_close(before[:7], after[:7])
        self.assertGreater((before[7:] - after[7:]).abs().amax(-1).min().item(), 1e-6)

    def test_greedy_with_a_cache_equals_greedy_without(self):
        weights, prompts = tiny_weights(SHAPE, sharp=40), torch.randint(0, 61, (3, 9))
        expected = prompts
        for _ in range(10):
            h, _ = hidden_states(SHAPE, weights, expected)
            expected = torch.cat([expected, logits(SHAPE, weights, h[:, -1:]).argmax(-1)], dim=1)
        self.assertGreater(len(set(expected[0, 9:].tolist())), 2)
        self.assertEqual(greedy(SHAPE, weights, prompts, 10).tolist(), expected[:, 9:].tolist())

    def test_padding_at_the_left_changes_no_output(self):
        weights, prompt = tiny_weights(SHAPE, sharp=40), torch.randint(0, 61, (1, 9))
        alone = greedy(SHAPE, weights, prompt, 8)
        padded = torch.cat([torch.zeros(1, 4, dtype=torch.long), prompt], dim=1)
        both = torch.cat([padded, torch.randint(0, 61, (1, 13))])
        self.assertEqual(greedy(SHAPE, weights, both, 8, torch.tensor([4, 0]))[0].tolist(), alone[0].tolist())


if __name__ == "__main__":
    unittest.main()
