"""Muon's updates."""

import unittest

import torch

from flashline_training.optimiser import orthogonalised


class OptimiserTest(unittest.TestCase):
    def test_updates_are_nearly_orthogonal(self):
        for shape in ((2, 16, 64), (2, 64, 16)):
            values = torch.linalg.svdvals(orthogonalised(torch.randn(shape)))
            self.assertTrue(((values > 0.4) & (values < 1.4)).all(), values)


if __name__ == "__main__":
    unittest.main()
