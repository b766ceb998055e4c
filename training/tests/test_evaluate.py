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
from flashline_training.fill_in import Hole, edit_similarity, fill_in_report, single_line_holes
from flashline_training.generate import greedy
from flashline_training.golden_part import golden_part
from flashline_training.heldout import Document, Heldout
from flashline_training.loss_report import document_report, token_nats
from flashline_training.pack import PackOptions, pack
from flashline_training.prompts import PromptOptions, SpecialTokens
from flashline_training.quantise import Bits
from flashline_training.qwen3 import hidden_states, initial_weights, logits
from flashline_training.reference import ReferenceOptions, write_goldens
from flashline_training.token_text import TokenText
from tests.made_up import TINY, tiny_weights
from tests.test_dflash import DRAFTER

TOKENIZER = Path(__file__).parents[2] / "media/model/target"
CASES = Path(__file__).parents[2] / "test/fixtures/pair-cases.json"
SPECIAL = SpecialTokens(end=118, fim_prefix=119, fim_middle=120, fim_suffix=121, file=122)


class Letters:
    """A tokenizer of letters; 10 is a line break."""

    def decode(self, ids):
        return "".join("\n" if i == 10 else chr(64 + i) for i in ids if i < 118)


class LimitedTest(unittest.TestCase):
    def test_limited_documents_have_both_forms_where_these_alternate(self):
        documents = [Document(i * 10, i * 10 + 10, "a/b", "go", 30, fim=i % 5 > 0) for i in range(1000)]
        part = limited(Heldout(np.zeros(10_000, "<u2"), documents), 2000, seed=4)
        self.assertAlmostEqual(len(part.documents), 200, delta=60)
        self.assertAlmostEqual(sum(not document.fim for document in part.documents), 40, delta=25)


class TokenTextTest(unittest.TestCase):
    def test_decoding_the_tokens_of_a_prompt_gives_its_text(self):
        text = TokenText(TOKENIZER / "tokenizer.json")
        case = json.loads(CASES.read_text())[0]
        plain = case["prompt"]
        for special in ("<|file_sep|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"):
            plain = plain.replace(special, "")
        self.assertEqual(text.decode(case["prompt_ids"]), plain)


class LossTest(unittest.TestCase):
    documents = [
        Document(0, 4, "a/x", "python", 10, False),
        Document(4, 8, "a/x", "python", 10, False),
        Document(8, 41, "b/y", "typescript", 20, False),
    ]

    def test_every_token_is_judged_once_after_earlier_tokens_of_its_document(self):
        weights, tokens = tiny_weights(), np.random.default_rng(0).integers(0, 100, 41).astype(np.uint16)
        nats = token_nats(TINY, weights, Heldout(tokens, self.documents), window=8, batch=2)
        self.assertEqual(np.flatnonzero(np.isnan(nats)).tolist(), [0, 4, 8])
        # A short document, a first window, and a later one that judges its second half.
        for begin, judged, end in ((4, 5, 8), (8, 9, 17), (12, 17, 21)):
            ids = torch.from_numpy(tokens[begin:end].astype(np.int64))
            rows = logits(TINY, weights, hidden_states(TINY, weights, ids[None, :-1])[0])[0].log_softmax(-1)
            expected = -rows.gather(1, ids[1:, None])[:, 0].numpy()
            np.testing.assert_allclose(nats[judged:end], expected[judged - begin - 1 :], rtol=1e-4)

    def test_documents_add_up_by_language_repository_and_group(self):
        nats = np.array([np.nan, 1, 1, 1, np.nan, 2, 2, 2, np.nan, *[1] * 32], np.float32)
        groups = {"some": ["a/x", "c/z"], "none": ["c/z"]}
        report = document_report(nats, Heldout(np.zeros(41, np.uint16), self.documents), groups)
        self.assertEqual((report["tokens"], report["nats_per_token"]), (38, round(41 / 38, 4)))
        self.assertEqual(report["languages"]["python"]["nats_per_character"], 0.45)
        self.assertEqual(report["repositories"]["b/y"]["nats_per_token"], 1.0)
        self.assertEqual({name: entry["nats_per_token"] for name, entry in report["groups"].items()}, {"some": 1.5})


class FillInTest(unittest.TestCase):
    def test_holes_are_middles_of_one_line_in_either_order(self):
        first, second = [122, 5, 119, 1, 2, 121, 3, 120], [122, 5, 119, 121, 3, 120, 1, 2]
        middles = [(first, [7, 8]), (first, [7, 10, 8]), (second, [7]), (first, [8, 10]), (first * 2, [9]), (first, [])]
        tokens, documents = [], []
        for prompt, middle in middles:
            end = len(tokens) + len(prompt) + len(middle) + 1
            documents.append(Document(len(tokens), end, "a/x", "python", 9, True, len(middle)))
            tokens += [*prompt, *middle, 118]
        holes = list(single_line_holes(Heldout(np.array(tokens, np.uint16), documents), Letters(), SPECIAL, 8))
        self.assertEqual(
            [(hole.text, hole.prompt, hole.suffix_first) for hole in holes],
            [("GH", first, False), ("G", second, True), ("H", first, False)],
        )

    def test_answers_that_equal_the_removed_text_are_exact_matches(self):
        weights = tiny_weights(sharp=10)
        prompts = [torch.randint(11, 100, (n,)).tolist() for n in (5, 9, 7)]
        holes = []
        for i, prompt in enumerate(prompts):
            output = greedy(TINY, weights, torch.tensor([prompt]), 6)[0].tolist()
            output = output[: output.index(118)] if 118 in output else output
            answer = Letters().decode(output).split("\n")[0]
            holes.append(Hole(prompt, answer if i else answer + "x", "python", False))
        report = fill_in_report(TINY, weights, holes, Letters(), most_tokens=6)
        self.assertEqual((report["holes"], report["exact_match"]), (3, 0.6667))

    def test_edit_similarity_is_one_minus_edits_by_length(self):
        self.assertEqual(edit_similarity("", ""), 1)
        self.assertEqual(edit_similarity("abcd", ""), 0)
        self.assertAlmostEqual(edit_similarity("kitten", "sitting"), 1 - 3 / 7)


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
