"""The evaluation of a pair: its figures and its goldens; and packed parts."""

import json
import tarfile
import tempfile
import unittest
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import torch

from flashline_training import block_drafter, dflash, safetensors_file
from flashline_training.dspark import DSparkConfig
from flashline_training.evaluate import EvaluateOptions, evaluate, limited
from flashline_training.export import write_drafter, write_target
from flashline_training.golden_part import golden_part
from flashline_training.heldout import Document, Heldout
from flashline_training.pack import PackOptions, pack
from flashline_training.prompts import PromptOptions, SpecialTokens
from flashline_training.quantise import Bits
from flashline_training.qwen3 import initial_weights
from flashline_training.reference import ReferenceOptions, write_goldens
from tests.made_up import TINY, tiny_weights
from tests.test_dflash import DRAFTER

TOKENIZER = Path(__file__).parents[2] / "media/model/target"
SPECIAL = SpecialTokens(end=118, fim_prefix=119, fim_middle=120, fim_suffix=121, file=122)


class LimitedTest(unittest.TestCase):
    def test_limited_documents_have_both_forms_where_these_alternate(self):
        documents = [Document(i * 10, i * 10 + 10, "a/b", "go", 30, fim=i % 5 > 0) for i in range(1000)]
        part = limited(Heldout(np.zeros(10_000, "<u2"), documents), 2000, seed=4)
        self.assertAlmostEqual(len(part.documents), 200, delta=60)
        self.assertAlmostEqual(sum(not document.fim for document in part.documents), 40, delta=25)


class PairTest(unittest.TestCase):
    """An exported pair through the evaluation and the goldens."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        model = cls.folder / "model"
        write_target(model / "target", TINY, tiny_weights(sharp=10), Bits(4, 8), TOKENIZER, 15)
        drafter = initial_weights(dflash.weight_shapes(DRAFTER), 2, 0)
        write_drafter(model / "drafter", DRAFTER, drafter, Bits(layers=8), TINY, 15)
        tokens, documents = [], []
        for i in range(12):
            fim = i % 2 == 1
            ids = [122, 5, 119, 1, 2, 121, 3, 120, 7, 8, 118] if fim else [122, 5, *range(30, 50), 118]
            documents.append(
                {
                    "start": len(tokens),
                    "end": len(tokens) + len(ids),
                    "repository": "a/x",
                    "language": "python",
                    "characters": 50,
                    "fim": fim,
                    "middle": 2 * fim,
                }
            )
            tokens += ids
        np.array(tokens, "<u2").tofile(cls.folder / "heldout.bin")
        (cls.folder / "heldout.json").write_text(json.dumps({"documents": documents}))
        cls.model = model

    def test_evaluation_reports_all_figures(self):
        options = EvaluateOptions(
            model=self.model, tokens_folder=self.folder, window=16, prompts=3, completion=6, widths=(2, 5),
            prompt=PromptOptions(length=6, at_middle=1), special=SPECIAL,
        )  # fmt: skip
        report = evaluate(options, torch.device("cpu"))
        self.assertGreater(report["loss"]["nats_per_token"], 1)
        self.assertEqual(report["fill_in"]["prefix_first"]["holes"], 6)
        self.assertEqual(report["fill_in"]["suffix_first"], {"holes": 0})
        for kind in ("fim", "plain"):
            self.assertEqual(set(report["tokens_per_round"][kind]), {"2", "5"})
            self.assertGreaterEqual(report["tokens_per_round"][kind]["2"], 1)

    def dspark_model(self):
        """Returns a pair with the same target."""
        model = self.folder / "dspark"
        config = DSparkConfig(**{**DRAFTER.__dict__, "block_size": 4, "selector_rank": 0, "markov_rank": 64})
        weights = initial_weights(block_drafter.weight_shapes(config), 2, 0)
        write_drafter(model / "drafter", config, weights, Bits(layers=8), TINY, 15)
        write_target(model / "target", TINY, tiny_weights(sharp=10), Bits(4, 8), TOKENIZER, 15)
        return model

    def test_a_second_drafter_is_measured_on_the_same_texts(self):
        options = EvaluateOptions(
            model=self.dspark_model(), beside=self.model / "drafter", drafters_only=True, tokens_folder=self.folder,
            prompts=3, completion=6, widths=(2, 5, 6), prompt=PromptOptions(length=6, at_middle=1), special=SPECIAL,
        )  # fmt: skip
        report = evaluate(options, torch.device("cpu"))
        self.assertEqual(set(report), {"pair", "tokens_per_round", "beside", "options"})
        alone = evaluate(replace(options, model=self.model, beside=Path("none")), torch.device("cpu"))
        self.assertEqual(report["beside"]["tokens_per_round"], alone["tokens_per_round"])
        self.assertEqual(report["beside"]["drafter"], alone["pair"]["drafter"])
        self.assertEqual(set(report["tokens_per_round"]["fim"]), {"2", "5"})

    def test_goldens_of_a_dspark_drafter_have_both_logits_and_the_confidence(self):
        cases = self.folder / "cases.json"
        cases.write_text(json.dumps([{"path": "a.ts", "prompt": "", "prompt_ids": list(range(20, 40))}]))
        out = self.folder / "dspark-goldens"
        options = ReferenceOptions(self.dspark_model(), cases, out, most_tokens=8, state_tokens=14)
        write_goldens(options, torch.device("cpu"))
        golden = safetensors_file.read(out / "drafter.safetensors")
        shapes = {name: tuple(tensor.shape) for name, tensor in golden.items() if name.startswith("r1.")}
        logits = {"r1.base_logits": (4, 128), "r1.draft_logits": (4, 128), "r1.confidence_logits": (4,)}
        self.assertEqual(shapes, {"r1.start": (1,), "r1.hidden": (4, 64), "r1.draft_ids": (4,), **logits})
        drafted = golden["r1.draft_logits"].clone()
        drafted[:, DRAFTER.mask_token_id] = float("-inf")
        self.assertEqual(drafted.argmax(-1).tolist(), golden["r1.draft_ids"].tolist())
        self.assertEqual(golden_part(out)["drafter.r1.confidence_logits"].shape, (4,))
        plain = replace(options, model=self.model, out=self.folder / "plain-goldens")
        write_goldens(plain, torch.device("cpu"))
        (case,), (plain_case,) = (json.loads((path / "pair-cases.json").read_text()) for path in (out, plain.out))
        self.assertEqual(case["output_ids"], plain_case["output_ids"])

    def test_goldens_have_the_shape_of_the_fixtures(self):
        cases = self.folder / "cases.json"
        cases.write_text(json.dumps([{"path": "a.ts", "prompt": "", "prompt_ids": list(range(20, 40))}]))
        options = ReferenceOptions(self.model, cases, self.folder / "goldens", most_tokens=8, state_tokens=14)
        write_goldens(options, torch.device("cpu"))
        (case,) = json.loads((self.folder / "goldens/pair-cases.json").read_text())
        self.assertEqual(set(case), {"path", "prompt", "prompt_ids", "output_ids", "acceptance_lengths"})
        self.assertTrue(1 <= len(case["output_ids"]) <= 8)
        self.assertTrue((self.folder / "goldens/drafter.safetensors").exists())

    def test_packed_parts_join_to_the_tar(self):
        parts = pack(PackOptions(self.folder / "parts", "pair", (str(self.model),), part_mib=1))
        self.assertGreater(len(parts), 1)
        with tarfile.open(fileobj=BytesIO(b"".join(part.read_bytes() for part in parts))) as tar:
            packed = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
        files = [path for path in self.model.rglob("*") if path.is_file()]
        expected = {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in files}
        self.assertEqual(packed.keys(), expected.keys())
        self.assertTrue(packed == expected)
        again = pack(PackOptions(self.folder / "again", "pair", (str(self.model),), part_mib=1, first=1, count=1))
        self.assertEqual(again[0].read_bytes(), parts[1].read_bytes())


if __name__ == "__main__":
    unittest.main()
