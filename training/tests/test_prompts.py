"""Prompts that are cut from documents: their ends and their tokens."""

import unittest

import numpy as np

from flashline_training.prompts import PromptOptions, SpecialTokens, cut_prompts, middle_ends

SPECIAL = SpecialTokens(end=118, fim_prefix=119, fim_middle=120, fim_suffix=121, file=122)


class PromptTest(unittest.TestCase):
    psm = [122, 5, 119, 1, 2, 121, 3, 120, 8, 9, 118]
    spm = [122, 5, 119, 121, 3, 120, 1, 2, 8, 9, 118]

    def ends(self, document, **options):
        tokens = np.array(document * 50, np.uint16)
        random = np.random.default_rng(0)
        ends = middle_ends(tokens, SPECIAL, PromptOptions(length=4, **options), random)
        return tokens, {int(end) % len(document) for end in ends}

    def test_a_prompt_with_the_prefix_first_can_end_at_the_middle_token(self):
        self.assertEqual(self.ends(self.psm, at_middle=1)[1], {8})

    def test_a_prompt_with_the_prefix_first_can_end_shortly_after_the_middle_token(self):
        self.assertEqual(self.ends(self.psm, at_middle=0)[1], {9, 10})

    def test_a_prompt_with_the_suffix_first_ends_anywhere_after_the_middle_token(self):
        self.assertEqual(self.ends(self.spm, at_end=0)[1], {6, 7, 8, 9, 10})
        self.assertEqual(self.ends(self.spm, at_end=1, near=2)[1], {9, 10})
        self.assertEqual(self.ends(self.spm, at_end=1, near=99)[1], {6, 7, 8, 9, 10})

    def test_prompts_are_the_tokens_before_their_ends(self):
        tokens, _ = self.ends(self.psm)
        prompts = cut_prompts(
            tokens, 30, SPECIAL, PromptOptions(length=6, fim_share=1, at_middle=1), np.random.default_rng(0)
        )
        self.assertEqual(prompts.tolist(), [[119, 1, 2, 121, 3, 120]] * 30)
        plain = cut_prompts(tokens, 200, SPECIAL, PromptOptions(length=6, fim_share=0), np.random.default_rng(0))
        self.assertNotIn(118, plain[:, -1])


if __name__ == "__main__":
    unittest.main()
