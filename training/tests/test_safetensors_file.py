"""Files of tensors, whole and in shards."""

import tempfile
import unittest
from pathlib import Path

import torch

from flashline_training import safetensors_file


class SafetensorsTest(unittest.TestCase):
    def test_tensors_are_read_back_from_shards_and_a_refused_write_keeps_these(self):
        tensors = {
            "a": torch.randn(4, 64), "b": torch.randn(300).half(), "c": torch.randint(-5, 5, (64,), dtype=torch.int32),
            "d": torch.randn(7, 3).bfloat16(),
        }  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            safetensors_file.write_folder(Path(folder), tensors, limit=1100)
            self.assertEqual(len(list(Path(folder).glob("*.safetensors"))), 2)
            read = safetensors_file.read_folder(Path(folder))
            self.assertEqual(read.keys(), tensors.keys())
            for name, tensor in tensors.items():
                self.assertEqual(read[name].dtype, tensor.dtype)
                torch.testing.assert_close(read[name], tensor)
            with self.assertRaisesRegex(ValueError, "tensors of at most 100 bytes"):
                safetensors_file.write_folder(Path(folder), tensors, limit=100)
            self.assertEqual(safetensors_file.read_folder(Path(folder)).keys(), tensors.keys())


if __name__ == "__main__":
    unittest.main()
