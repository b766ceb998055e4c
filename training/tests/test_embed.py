"""Embedding a pair in the product: its files, its fixtures and its model card."""

import json
import shutil
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import torch

from flashline_training import safetensors_file
from flashline_training.corpus.sources_table import sources_summary
from flashline_training.dflash import weight_shapes
from flashline_training.embed import EmbedOptions, embed
from flashline_training.export import read_drafter, write_drafter, write_target
from flashline_training.golden_part import STRIDE
from flashline_training.model_card import END, START, figures, with_figures
from flashline_training.pair_facts import pair_facts
from flashline_training.quantise import Bits
from flashline_training.qwen3 import Qwen3Config, initial_weights
from flashline_training.reference import ReferenceOptions, write_goldens
from tests.made_up import TINY, tiny_weights
from tests.test_dflash import DRAFTER

EMBEDDED = Path(__file__).parents[2] / "media/model"
SOURCE = {"repository": "a/b", "commit": "0" * 40, "licence": "MIT", "files": 2, "bytes": 9000, "heldOut": False}
HELD_OUT = {**SOURCE, "repository": "c/d", "heldOut": True}


def write_pair(folder: Path, target: Qwen3Config = TINY, bits: Bits = Bits()) -> None:
    write_target(folder / "target", target, tiny_weights(target), bits, EMBEDDED / "target", shard_mib=1)
    weights = initial_weights(weight_shapes(DRAFTER), 2, 0)
    write_drafter(folder / "drafter", DRAFTER, weights, Bits(layers=8), target, shard_mib=1)


def made_up_report(nats: float) -> dict:
    """Returns a report of `evaluate` whose losses and rates derive from `nats`."""
    loss = {"nats_per_token": nats, "nats_per_character": nats / 4, "tokens": 1000}
    filled = {"holes": 80, "exact_match": nats / 10, "edit_similarity": nats / 5}
    few = {**filled, "holes": 3}
    return {
        "loss": {
            **loss,
            "characters_per_token": 4.0,
            "fim_nats_per_token": nats + 0.5,
            "languages": {"python": loss, "cobol": loss, "typescript": loss},
            "repositories": {"c/d": loss, "e/f": loss},
        },
        "fill_in": {
            order: {**filled, "languages": {"python": filled, "go": few}} for order in ("prefix_first", "suffix_first")
        },
        "tokens_per_round": {"fim": {"4": 2.25, "16": nats}, "plain": {"4": 2.5, "16": 3.125}},
        "options": {"model": "/somewhere/model", "prompts": 128, "completion": 64, "prompt": {"length": 512}},
    }


class EmbedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        present, work = cls.made / "product/media/model", cls.made / "work"
        write_pair(present, replace(TINY, num_hidden_layers=4), Bits(layers=8))
        (present / "target/model-00009-of-00009.safetensors").write_bytes(b"of an earlier pair")
        (present / "README.md").write_text(f"What it is.\n\n{START}\nold\n{END}\n\nLimits.\n")
        write_pair(work / "model")
        cases = work / "cases.json"
        cases.write_text(json.dumps([{"path": "a.ts", "prompt": "", "prompt_ids": list(range(20, 40))}]))
        goldens = ReferenceOptions(work / "model", cases, work / "goldens", most_tokens=8, state_tokens=14)
        write_goldens(goldens, torch.device("cpu"))

    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(self.made, folder, dirs_exist_ok=True)
        self.into, self.work = folder / "product", folder / "work"
        self.present, self.fixtures = self.into / "media/model", self.into / "test/fixtures"
        self.fixtures.mkdir(parents=True)
        self.write("report.json", made_up_report(1.5))
        self.write("earlier.json", made_up_report(2.0))
        self.write("sources.json", [SOURCE, HELD_OUT])
        self.options = EmbedOptions(
            model=self.work / "model", goldens=self.work / "goldens", report=self.work / "report.json",
            earlier=self.work / "earlier.json", sources=self.work / "sources.json", into=self.into,
        )  # fmt: skip

    def write(self, name: str, value: object) -> None:
        (self.work / name).write_text(json.dumps(value))

    def files(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.into)): path.read_bytes() for path in self.into.rglob("*") if path.is_file()}

    def test_embedding_replaces_models_cases_sources_and_report(self):
        embed(self.options)
        for name in ("target", "drafter"):
            files = [{path.name for path in (folder / name).iterdir()} for folder in (self.present, self.options.model)]
            self.assertEqual(*files)
        self.assertEqual(read_drafter(self.present / "drafter")[0], DRAFTER)
        (case,) = json.loads((self.fixtures / "pair-cases.json").read_text())
        self.assertEqual(case["path"], "a.ts")
        self.assertIn("| a/b | `000000000000` | MIT | 2 | 9 | training |", (self.present / "SOURCES.md").read_text())
        report = json.loads((self.present / "report.json").read_text())
        self.assertEqual(report["pair"], pair_facts(self.present))
        self.assertNotIn("/somewhere", json.dumps(report))

    def test_the_golden_keeps_all_states_and_every_sixteenth_logit(self):
        embed(self.options)
        part = safetensors_file.read(self.fixtures / "pair-golden.safetensors")
        full_golden = safetensors_file.read(self.options.goldens / "drafter.safetensors")
        torch.testing.assert_close(part["drafter.r1.draft_logits"], full_golden["r1.draft_logits"][:, ::STRIDE])
        torch.testing.assert_close(part["drafter.r1.hidden"], full_golden["r1.hidden"])
        self.assertEqual(part["target.hidden_states"].shape, (TINY.num_hidden_layers + 1, 14, TINY.hidden_size))

    def test_the_card_has_the_figures_of_both_pairs_and_keeps_its_text(self):
        embed(self.options)
        card = (self.present / "README.md").read_text()
        self.assertTrue(card.startswith("What it is.") and card.endswith("Limits.\n"))
        self.assertNotIn("old", card)
        for row in (
            "| target: bits | 4, embedding and head 8; groups of 64 | 8; groups of 64 |",
            "| drafter: taps | layers 0, 1 of the target | layers 0, 1 of the target |",
            "Trained on 2 files of 1 repositories, 0.0 MB: 100.0 % MIT. 1 other repositories were held out.",
            "| all | 1.5000 (0.3750) | 2.0000 (0.5000) |",
            "| TypeScript | 1.5000 (0.3750) | 2.0000 (0.5000) |",
            "| prefix first: Python | 15.00 %, 30.00 % | 20.00 %, 40.00 % |",
            "| plain prompts, the earlier pair | 2.500 | 3.125 |",
        ):
            self.assertIn(row, card)

    def test_embedding_the_same_pair_again_changes_nothing(self):
        embed(self.options)
        before = self.files()
        embed(self.options)
        self.assertEqual(self.files(), before)

    def test_the_earlier_pair_is_the_embedded_one_unless_another_is_named(self):
        earlier = pair_facts(self.present)
        embed(self.options)
        self.assertEqual(json.loads((self.present / "report-earlier.json").read_text())["pair"], earlier)
        write_pair(self.work / "first", replace(TINY, num_hidden_layers=5))
        embed(replace(self.options, earlier_model=self.work / "first"))
        target = json.loads((self.present / "report-earlier.json").read_text())["pair"]["target"]
        self.assertEqual(target["config"]["num_hidden_layers"], 5)

    def test_a_refused_pair_leaves_everything_as_it_was(self):
        before = self.files()
        with self.assertRaisesRegex(ValueError, "at most 1000 bytes"):
            embed(replace(self.options, most_bytes=1000))
        (self.present / "target/tokenizer.json").write_text("{}")
        with self.assertRaisesRegex(ValueError, "--any-tokenizer"):
            embed(self.options)
        (self.present / "target/tokenizer.json").write_bytes(before["media/model/target/tokenizer.json"])
        self.write("report.json", {**made_up_report(1.5), "pair": pair_facts(self.present)})
        with self.assertRaisesRegex(ValueError, "but it describes another pair"):
            embed(self.options)
        self.assertEqual(self.files(), before)

    def test_any_tokenizer_allows_a_different_tokenizer(self):
        (self.present / "target/tokenizer.json").write_text("{}")
        embed(replace(self.options, any_tokenizer=True))
        self.assertGreater((self.present / "target/tokenizer.json").stat().st_size, 1000)


class EmbeddedPairTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report, cls.earlier = (
            json.loads((EMBEDDED / name).read_text()) for name in ("report.json", "report-earlier.json")
        )

    def test_the_model_card_has_the_figures_of_the_reports(self):
        card = (EMBEDDED / "README.md").read_text()
        self.assertEqual(with_figures(card, self.report, self.earlier), card)

    def test_the_report_describes_the_built_in_files(self):
        self.assertEqual(self.report["pair"], pair_facts(EMBEDDED))
        # The earlier pair can have the same shape, and the same losses if only the drafter was trained since.
        self.assertNotEqual(self.earlier["tokens_per_round"], self.report["tokens_per_round"])

    def test_the_list_of_sources_has_all_training_and_held_out_repositories(self):
        uses = [line.split(" | ")[-1] for line in (EMBEDDED / "SOURCES.md").read_text().splitlines()]
        counts = [uses.count(f"{use} |") for use in ("training", "measuring")]
        self.assertEqual(counts, [self.report["sources"][key] for key in ("repositories", "heldOut")])


class ModelCardTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.facts = pair_facts(EMBEDDED)

    def report(self, **more: object) -> dict:
        return {**made_up_report(1.5), "pair": self.facts, "sources": sources_summary([SOURCE]), **more}

    def test_figures_that_one_pair_lacks_stay_empty(self):
        report = self.report(loss_before_rounding={"nats_per_token": 1.25, "nats_per_character": 0.5})
        report["loss"]["groups"] = {"by-chance": {"nats_per_token": 1.125, "nats_per_character": 0.25, "tokens": 9}}
        written = figures(report, self.report(fill_in={"prefix_first": {"holes": 0}}))
        self.assertIn("| all, before rounding | 1.2500 (0.5000) |  |", written)
        self.assertIn("| by chance | 1.1250 (0.2500) |  |", written)
        self.assertIn("| suffix first: Python | 15.00 %, 30.00 % |  |", written)
        self.assertLess(written.index("| Python |"), written.index("| cobol |"))
        self.assertNotIn("Go", written)

    def test_a_card_without_the_marks_of_the_figures_is_refused(self):
        for card in ("text", f"text\n{START}\n", f"text\n{END}\n"):
            with self.assertRaisesRegex(ValueError, "Expected the model card to have"):
                with_figures(card, self.report(), self.report())


if __name__ == "__main__":
    unittest.main()
