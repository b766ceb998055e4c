"""Flags of the command line."""

import unittest

from flashline_training.options import parse
from flashline_training.train_target import TargetOptions


class OptionsTest(unittest.TestCase):
    def test_flags_set_numbers_tuples_switches_and_nested_fields(self):
        options = parse(
            TargetOptions,
            "",
            ["--minutes", "9", "--shape.num-hidden-layers", "14", "--optimiser.adam-betas", "0.8,0.9", "--no-compile"],
        )
        self.assertEqual((options.minutes, options.shape.num_hidden_layers, options.compile), (9.0, 14, False))
        self.assertEqual(options.optimiser.adam_betas, (0.8, 0.9))


if __name__ == "__main__":
    unittest.main()
