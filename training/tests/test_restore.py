"""Checkpoints made from stored weights."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import torch

from flashline_training import checkpoint
from flashline_training.export import write_unrounded
from flashline_training.restore import CHECKPOINTS, RestoreOptions, restore
from tests.made_up import TINY, tiny_weights


class RestoreTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.weights = tiny_weights()
        write_unrounded(self.folder / "weights/target.safetensors", self.weights)

    def options(self, shape=TINY):
        return RestoreOptions(self.folder / "weights", self.folder / "work", shape)

    def test_restored_checkpoints_are_finished_and_have_weights_rounded_to_bfloat16(self):
        restore(self.options())
        for name in CHECKPOINTS:
            path = self.folder / "work" / name
            self.assertTrue(checkpoint.is_finished(path))
            state = checkpoint.load(path)
            self.assertEqual(state["config"]["num_hidden_layers"], TINY.num_hidden_layers)
            for key, weight in self.weights.items():
                torch.testing.assert_close(state["weights"][key], weight.bfloat16().float())

    def test_weights_of_another_shape_are_refused(self):
        with self.assertRaisesRegex(ValueError, "Expected model.layers.3.* but it is absent; give the shape"):
            restore(self.options(replace(TINY, num_hidden_layers=4)))
        self.assertFalse((self.folder / "work").exists())
