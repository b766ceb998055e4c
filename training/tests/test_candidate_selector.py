"""The candidate selector of DFlash2 drafters."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import torch

from flashline_training import dflash
from flashline_training.candidate_selector import PREDECESSOR, PROJECTION, SUCCESSOR, choose, joint, walk
from flashline_training.dflash import DFlashConfig
from flashline_training.export import read_drafter, write_drafter
from flashline_training.quantise import Bits
from tests.made_up import TINY
from tests.test_dflash import DRAFTER, drafter_weights

VOCAB, HIDDEN, RANK, ROWS = 40, 8, 4, 6


def made_up(seed: int = 0):
    torch.manual_seed(seed)
    weights = {
        PREDECESSOR: torch.randn(VOCAB, RANK), SUCCESSOR: torch.randn(VOCAB, RANK), PROJECTION: torch.randn(RANK, HIDDEN)
    }  # fmt: skip
    return weights, torch.randn(ROWS, HIDDEN), torch.randn(VOCAB, HIDDEN)


def score(weights, logits, state, previous, token):
    preference = [float(p * (w @ state)) for p, w in zip(weights[PREDECESSOR][previous], weights[PROJECTION])]
    return float(logits[token]) + sum(a * float(b) for a, b in zip(preference, weights[SUCCESSOR][token]))


class SelectorTest(unittest.TestCase):
    def test_each_draft_is_the_best_candidate_after_the_draft_before(self):
        for seed in range(5):
            weights, states, table = made_up(seed)
            logits = states @ table.T
            drafts = walk(weights, logits, states, torch.tensor(3), 8)
            previous = 3
            for k in range(ROWS):
                candidates = logits[k].argsort(descending=True)[:8].tolist()
                best = max(candidates, key=lambda token: score(weights, logits[k], states[k], previous, token))
                self.assertEqual(int(drafts[k]), best)
                previous = best

    def test_only_the_most_probable_tokens_are_candidates(self):
        weights, states, table = made_up()
        logits = states @ table.T
        self.assertEqual(walk(weights, logits, states, torch.tensor(3), 1).tolist(), logits.argmax(-1).tolist())
        self.assertNotEqual(walk(weights, logits, states, torch.tensor(3), 99).tolist(), logits.argmax(-1).tolist())

    def test_choosing_along_the_drafts_of_the_walk_gives_the_same_drafts(self):
        weights, states, table = made_up(2)
        logits = states @ table.T
        drafts = walk(weights, logits, states, torch.tensor(3), 8)
        previous = torch.cat([torch.tensor([3]), drafts[:-1]])
        self.assertEqual(choose(weights, logits, states, previous, 8).tolist(), drafts.tolist())

    def test_joint_logits_have_the_gains_of_the_selector_in_selected_rows_only(self):
        weights, states, table = made_up()
        previous = torch.randint(0, VOCAB, (ROWS,))
        rows, head = joint(weights, table, states, previous, torch.tensor([1.0, 1, 0, 1, 0, 1]))
        scores, logits = rows @ head.T, states @ table.T
        for k in range(ROWS):
            expected = [score(weights, logits[k], states[k], int(previous[k]), token) for token in range(VOCAB)]
            torch.testing.assert_close(scores[k], logits[k] if k in (2, 4) else torch.tensor(expected))

    def test_drafts_that_follow_the_true_tokens_are_accepted_like_those_of_the_walk(self):
        table, states = torch.randn(DRAFTER.vocab_size, DRAFTER.hidden_size), torch.randn(50, 4, DRAFTER.hidden_size)
        weights, anchors = drafter_weights(), torch.randint(0, 100, (50,))
        weights[SUCCESSOR] = weights[SUCCESSOR] * 30
        walked = dflash.drafts(DRAFTER, weights, table, states, anchors)
        plain = dflash.drafts(replace(DRAFTER, selector_rank=0), weights, table, states, anchors)
        self.assertGreater((walked != plain).float().mean().item(), 0.1)
        truth = torch.where(torch.rand(walked.shape) < 0.3, (walked + 1) % 100, walked)
        forced = dflash.drafts(DRAFTER, weights, table, states, anchors, truth)
        accepted = [(drafts == truth).int().cumprod(-1).sum(-1).tolist() for drafts in (walked, forced)]
        self.assertEqual(accepted[0], accepted[1])

    def test_an_exported_drafter_has_the_tables_and_sizes_of_the_selector(self):
        with tempfile.TemporaryDirectory() as folder:
            write_drafter(Path(folder), DRAFTER, drafter_weights(), Bits(layers=8), TINY, 15)
            config, weights = read_drafter(Path(folder))
            self.assertEqual((config.selector_rank, config.selector_top_k), (64, 16))
            for name in (PREDECESSOR, SUCCESSOR, PROJECTION):
                torch.testing.assert_close(weights[name], drafter_weights()[name], atol=0.02, rtol=0.02)

    def test_a_drafter_without_a_selector_has_no_selector_fields(self):
        fields = replace(DRAFTER, selector_rank=0).to_json()
        self.assertFalse([name for name in fields["dflash_config"] if name.startswith("selector")])
        self.assertEqual(DFlashConfig.from_json(fields).selector_rank, 0)


if __name__ == "__main__":
    unittest.main()
