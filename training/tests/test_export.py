"""Exported targets and drafters."""

import hashlib
import json
import tempfile
import unittest
from dataclasses import asdict, replace
from pathlib import Path

import torch

from flashline_training import block_drafter, checkpoint, safetensors_file
from flashline_training.checkpoint import Progress
from flashline_training.continuations import load_target
from flashline_training.dflash import weight_shapes
from flashline_training.distributed import Group
from flashline_training.dspark import DSparkConfig
from flashline_training.export import (
    IDENTITY_FIELDS,
    ExportOptions,
    canonical,
    export,
    read_drafter,
    read_target,
    target_config_sha256,
    write_drafter,
    write_target,
)  # fmt: skip
from flashline_training.quantise import Bits, rounded_weights
from flashline_training.qwen3 import Qwen3Config, hidden_states, initial_weights
from tests.made_up import TINY, tiny_weights
from tests.test_dflash import DRAFTER

REPOSITORY = Path(__file__).parents[2]


class ExportTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_target_read_again_equals_the_rounded_weights(self):
        weights, bits = tiny_weights(), Bits(layers=4, embedding=8)
        write_target(self.folder, TINY, weights, bits, REPOSITORY / "media/model/target", shard_mib=1)
        config, read = read_target(self.folder)
        self.assertEqual(config, TINY)
        trained = rounded_weights(weights, bits)
        tokens = torch.randint(0, 100, (1, 20))
        expected, actual = (hidden_states(TINY, w, tokens)[0] for w in (trained, read))
        torch.testing.assert_close(actual, expected, atol=1e-5, rtol=1e-4)
        fields = json.loads((self.folder / "config.json").read_text())
        self.assertEqual(fields["quantization"]["model.embed_tokens"], {"group_size": 64, "bits": 8})

    def test_exporting_for_an_exported_target_copies_its_files(self):
        """A second rounding would change it, as few groups of made-up weights use all quantised values."""
        finished, work = self.folder / "finished", self.folder / "work"
        write_target(finished, TINY, tiny_weights(), Bits(), REPOSITORY / "media/model/target", shard_mib=1)
        checkpoint.save(work / "drafter.pt", asdict(DRAFTER), initial_weights(weight_shapes(DRAFTER), 2, 0), Progress())
        export(ExportOptions(finished, work / "drafter.pt", out=work / "model", weights=work / "weights"))
        for file in finished.iterdir():
            self.assertEqual((work / "model/target" / file.name).read_bytes(), file.read_bytes())
        self.assertEqual(read_drafter(work / "model/drafter")[0], DRAFTER)
        group = Group(0, 1, torch.device("cpu"))
        config, weights = load_target(finished, group, Bits())
        self.assertEqual(config, TINY)
        for name, weight in read_target(finished)[1].items():
            torch.testing.assert_close(weights[name], weight, atol=0, rtol=0)

    def test_a_drafter_has_the_hash_of_its_target_s_shape(self):
        weights = initial_weights(weight_shapes(DRAFTER), 2, 0)
        write_drafter(self.folder, DRAFTER, weights, Bits(layers=8), TINY, shard_mib=1)
        config, read = read_drafter(self.folder)
        self.assertEqual(config, DRAFTER)
        self.assertEqual(read.keys(), weights.keys())
        fields = json.loads((self.folder / "config.json").read_text())
        self.assertEqual(fields["dflash_config"]["target_config_sha256"], target_config_sha256(TINY.to_json()))
        wider = replace(TINY, intermediate_size=128).to_json()
        self.assertNotEqual(target_config_sha256(wider), target_config_sha256(TINY.to_json()))

    def test_a_dspark_drafter_has_the_flat_form_and_no_copies_of_the_target(self):
        config = DSparkConfig(**{**asdict(DRAFTER), "block_size": 7, "selector_rank": 0, "markov_rank": 64})
        weights = initial_weights(block_drafter.weight_shapes(config), 2, 0)
        checkpoint.save(self.folder / "drafter.pt", asdict(config), weights, Progress())
        write_target(self.folder / "finished", TINY, tiny_weights(), Bits(), REPOSITORY / "media/model/target", 1)
        made = self.folder / "model"
        options = ExportOptions(self.folder / "finished", self.folder / "drafter.pt", out=made, weights=self.folder)
        self.assertLess(export(options)["drafter"], 200_000)
        fields = json.loads((made / "drafter/config.json").read_text())
        expected = {
            "architectures": ["Qwen3DSparkModel"], "block_size": 7, "mask_token_id": 127, "target_layer_ids": [0, 1],
            "markov_head_type": "gated", "markov_rank": 64, "enable_confidence_head": True,
            "confidence_head_with_markov": True, "has_own_embed_tokens": False, "has_own_lm_head": False,
            "dflash_config": {"target_config_sha256": target_config_sha256(TINY.to_json())},
            "quantization": {"group_size": 64, "bits": 4},
        }  # fmt: skip
        self.assertEqual({name: fields[name] for name in expected}, expected)
        self.assertFalse({"selector_rank", "min_block_size"} & set(fields))
        tensors = safetensors_file.read_folder(made / "drafter")
        self.assertEqual(tuple(tensors["markov_head.markov_w1.weight"].shape), (128, 64 * 4 // 32))
        for name in ("markov_head.gate_proj", "confidence_head.proj"):
            self.assertEqual(tensors[f"{name}.weight"].dtype, torch.float16)
            self.assertNotIn(f"{name}.scales", tensors)
        read_config, read = read_drafter(made / "drafter")
        self.assertEqual(read_config, config)
        trained = rounded_weights(weights, Bits())
        self.assertEqual(read.keys(), trained.keys())
        for name, weight in trained.items():
            torch.testing.assert_close(read[name], weight, atol=1e-6, rtol=1e-5)

    def test_the_hash_of_a_target_is_that_of_canonical_json(self):
        self.assertEqual(
            [canonical(x) for x in (1e6, 1e-6, 1e-5, 2.5e-7, True, 12)],
            ["1000000", "0.000001", "0.00001", "2.5e-7", "true", "12"],
        )
        text = "{" + ",".join(f'"{name}":1' for name in sorted(IDENTITY_FIELDS)) + "}"
        fields = {name: 1.0 for name in IDENTITY_FIELDS}
        self.assertEqual(target_config_sha256(fields), hashlib.sha256(text.encode()).hexdigest())

    def test_the_embedded_pair_of_the_product_can_be_read(self):
        folder = REPOSITORY / "media/model"
        config, weights = read_drafter(folder / "drafter")
        self.assertEqual({name: tuple(w.shape) for name, w in weights.items()}, weight_shapes(config))
        fields = json.loads((folder / "target/config.json").read_text())
        self.assertEqual(Qwen3Config.from_json(fields).num_hidden_layers, config.num_target_layers)


if __name__ == "__main__":
    unittest.main()
