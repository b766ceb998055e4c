"""Speculative decoding: its tokens, and the lengths of its rounds."""

import unittest

import torch

from flashline_training import block_drafter
from flashline_training.dflash import weight_shapes
from flashline_training.dspark import DSparkConfig
from flashline_training.generate import greedy
from flashline_training.qwen3 import EMBEDDING, initial_weights
from flashline_training.speculation import Pair, accepted_at, rounds, speculate
from tests.made_up import TINY, tiny_weights
from tests.test_dflash import DRAFTER

LIMIT = 24


def pair():
    target = tiny_weights(sharp=3)
    target[EMBEDDING] = target[EMBEDDING] * 10
    return Pair(TINY, target, DRAFTER, {n: w * 3 for n, w in initial_weights(weight_shapes(DRAFTER), 2, 5).items()})


def dspark_pair():
    config = DSparkConfig(**{**DRAFTER.__dict__, "block_size": 4, "selector_rank": 0, "markov_rank": 8})
    weights = {n: w * 3 for n, w in initial_weights(block_drafter.weight_shapes(config), 2, 5).items()}
    return Pair(TINY, pair().target_weights, config, weights)


class Oracle(Pair):
    """A drafter that is given the text, and is wrong at a position that depends on the anchor."""

    text: torch.Tensor

    def drafts(self, tokens, anchors, width, truth=None):
        drafts = torch.stack([self.text[a + 1 : a + width] for a in anchors[0].tolist()])
        wrong = (anchors[0] * 3 % 7)[:, None] == torch.arange(width - 1)
        return torch.where(wrong, (drafts + 1) % 100, drafts)[None]


class SpeculationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(3)
        cls.pair, cls.prompts = pair(), torch.randint(0, 100, (6, 10))
        cls.texts = greedy(TINY, cls.pair.target_weights, cls.prompts, LIMIT + 8)

    def test_speculation_gives_the_tokens_of_plain_greedy_decoding(self):
        for width in (2, 3, 5):
            for prompt, output in zip(self.prompts, self.texts.tolist()):
                decoded = speculate(self.pair, prompt, LIMIT, width)
                self.assertEqual(decoded.tokens, output[: len(decoded.tokens)])
                self.assertTrue(len(decoded.tokens) == LIMIT or decoded.tokens[-1] == TINY.eos_token_id)

    def test_speculation_with_a_dspark_drafter_gives_the_tokens_of_plain_greedy_decoding(self):
        drafter = dspark_pair()
        self.assertEqual(block_drafter.widest(drafter.drafter), 5)
        for width in (2, 3, 5):
            for prompt, output in zip(self.prompts[:3], self.texts.tolist()):
                decoded = speculate(drafter, prompt, LIMIT, width)
                self.assertEqual(decoded.tokens, output[: len(decoded.tokens)])
                text = torch.cat([prompt, torch.tensor(output)])[None]
                accepted = accepted_at(drafter, text, len(prompt), LIMIT, width)[0].tolist()
                self.assertEqual(rounds(accepted, output, LIMIT, TINY.eos_token_id), decoded.lengths)

    def test_a_narrow_dspark_round_has_the_first_drafts_of_the_full_block(self):
        drafter, anchors = dspark_pair(), torch.tensor([[6, 9]])
        full_block = drafter.drafts(self.prompts[:1], anchors, 5)
        self.assertEqual(tuple(full_block.shape), (1, 2, 4))
        self.assertEqual(drafter.drafts(self.prompts[:1], anchors, 3).tolist(), full_block[..., :2].tolist())

    def test_rounds_from_accepted_counts_equal_those_of_speculation(self):
        lengths = set()
        sequences = torch.cat([self.prompts, self.texts], dim=1)
        oracle = Oracle(**self.pair.__dict__)
        for width in (2, 5):
            for prompt, output, oracle.text in zip(self.prompts, self.texts.tolist(), sequences):
                for decoder in (self.pair, oracle):
                    accepted = accepted_at(decoder, oracle.text[None], 10, LIMIT, width)[0].tolist()
                    expected = speculate(decoder, prompt, LIMIT, width)
                    self.assertEqual(expected.tokens, output[: len(expected.tokens)])
                    self.assertEqual(rounds(accepted, output, LIMIT, TINY.eos_token_id), expected.lengths)
                    lengths |= set(expected.lengths)
        self.assertGreaterEqual(lengths, {1, 2, 3, 4, 5})

    def test_rounds_end_at_an_end_token_or_past_the_limit(self):
        self.assertEqual(rounds([3, 0, 0, 0, 2, 0], [5, 6, 7, 8, 9, 118, 1], 10, 118), [4, 1])
        self.assertEqual(rounds([3] * 9, [5] * 9, 6, 118), [4, 4])
        # The last round of `speculate` ends there too, past the limit.
        self.assertEqual(rounds([1, 0, 4], [5, 6, 7, 8, 118, 9, 9, 9], 4, 118), [2, 2])
        self.assertEqual(rounds([3], [118, 4], 6, 118), [])


if __name__ == "__main__":
    unittest.main()
