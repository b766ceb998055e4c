"""The stages of the recipe and their flags."""

import shutil
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from flashline_training import checkpoint, recipe
from flashline_training.checkpoint import Progress
from flashline_training.continuations import ContinuationOptions
from flashline_training.evaluate import EvaluateOptions
from flashline_training.export import ExportOptions
from flashline_training.finish import FinishOptions
from flashline_training.options import parse
from flashline_training.recipe import STAGES, RecipeOptions, Stage, command, run, stages
from flashline_training.reference import ReferenceOptions
from flashline_training.smoke import smoke_options
from flashline_training.train_drafter import DrafterOptions
from flashline_training.train_target import TargetOptions

KINDS = {
    "train_target": TargetOptions, "finish": FinishOptions, "continuations": ContinuationOptions,
    "train_drafter": DrafterOptions, "export": ExportOptions, "evaluate": EvaluateOptions, "reference": ReferenceOptions,
}  # fmt: skip


class RecipeTest(unittest.TestCase):
    def test_every_stage_takes_the_flags_it_is_given(self):
        options = RecipeOptions(gpus=4, extra="train_drafter:--shape.num-hidden-layers 3 --seed 7; finish:--seed 9")
        smoke = smoke_options(options)
        self.addCleanup(shutil.rmtree, smoke.work)
        for planned in (stages(options), stages(smoke)):
            self.assertEqual([stage.name for stage in planned], list(STAGES[1:]))
        for stage in stages(options):
            arguments = command(stage, options)[3:]
            parsed = parse(KINDS[stage.name], "", arguments)
            if stage.name == "train_drafter":
                self.assertEqual((parsed.shape.num_hidden_layers, parsed.seed, parsed.minutes), (3, 7, 5.0))
        for stage in stages(smoke):
            parse(KINDS[stage.name], "", command(stage, smoke)[3:])

    def test_more_flags_reach_tokenise_too(self):
        work = Path(self.enterContext(tempfile.TemporaryDirectory()))
        with mock.patch.object(recipe.subprocess, "Popen") as started:
            recipe.tokenise(RecipeOptions(work=work, extra="tokenise:--marked; finish:--seed 9"))
        arguments = started.call_args.args[0]
        self.assertEqual((arguments[2], arguments[-1]), ("flashline_training.tokenise", "--marked"))

    def test_a_finished_target_needs_only_a_drafter(self):
        finished = Path(self.enterContext(tempfile.TemporaryDirectory()))
        planned = stages(RecipeOptions(finished=finished))
        self.assertEqual([stage.name for stage in planned], list(STAGES[3:]))
        for stage in planned:
            parsed = parse(KINDS[stage.name], "", command(stage, RecipeOptions())[3:])
            if stage.name in ("continuations", "train_drafter", "export"):
                self.assertEqual(parsed.target, finished)

    def test_a_dspark_drafter_is_compared_with_the_one_it_starts_from(self):
        pair = Path(self.enterContext(tempfile.TemporaryDirectory()))
        options = RecipeOptions(finished=pair / "target", start_drafter=pair, variant="dspark")
        planned = {stage.name: command(stage, options)[3:] for stage in stages(options)}
        parsed = {name: parse(KINDS[name], "", arguments) for name, arguments in planned.items()}
        self.assertEqual(parsed["train_drafter"].variant, "dspark")
        self.assertEqual((parsed["train_drafter"].start, parsed["train_drafter"].anchors.every), (pair, 4))
        self.assertEqual((parsed["evaluate"].beside, parsed["evaluate"].drafters_only), (pair / "drafter", True))
        alone = stages(replace(options, variant="dflash"))
        self.assertNotIn("--drafters-only", [flag for stage in alone for flag in stage.flags])

    def test_a_stage_with_a_finished_result_is_not_run_again(self):
        work = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (work / "tokens").mkdir()
        (work / "tokens/pass-0.done").touch()
        stage = Stage("train_target", work / "target.pt", [])
        self.assertFalse(stage.is_done())
        checkpoint.save(stage.result, {}, {}, Progress())
        self.assertFalse(stage.is_done())
        checkpoint.save(stage.result, {}, {}, Progress(finished=True))
        self.assertTrue(stage.is_done())
        run(replace(RecipeOptions(), work=work, passes=1, pieces=1, until="train_target"))
        with self.assertRaisesRegex(SystemExit, "got tokenise"):
            run(replace(RecipeOptions(), work=work, until="tokenise"))


if __name__ == "__main__":
    unittest.main()
