"""The training of a target: what it starts from, its data and loss, a resumed run, and the finish."""

import tempfile
import unittest
from dataclasses import asdict, replace
from pathlib import Path

import torch

from flashline_training import checkpoint
from flashline_training.average import average
from flashline_training.checkpoint import Progress
from flashline_training.distributed import Group
from flashline_training.export import write_target
from flashline_training.finish import FinishOptions
from flashline_training.quantise import Bits, rounded_weights
from flashline_training.schedule import Schedule
from flashline_training.train_target import TargetOptions, heldout_loss, new_stage
from flashline_training.windows import Windows
from tests.made_up import TINY, tiny_weights, write_tokens

ALONE = Group(0, 1, torch.device("cpu"))
SILENT = dict(log_steps=10**6)
TOKENIZER = Path(__file__).parents[2] / "media/model/target"


class TrainTargetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tokens = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        write_tokens(cls.tokens)

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.options = TargetOptions(
            tokens_folder=self.tokens, checkpoint=self.folder / "target.pt", tokens=512 * 12,
            window=32, batch_tokens=512, micro_windows=8, shape=TINY, schedule=Schedule(2, 0.5, 0.2), **SILENT,
        )  # fmt: skip

    def run_stage(self, options, **keywords):
        torch.manual_seed(0)
        stage = new_stage(options, ALONE, **keywords)
        stage.run()
        return stage

    def test_training_goes_on_from_the_mean_of_two_targets(self):
        first, second = tiny_weights(seed=1), tiny_weights(seed=2)
        paths = [self.folder / "first.pt", self.folder / "second.pt"]
        for path, weights in zip(paths, (first, second)):
            checkpoint.save(path, asdict(TINY), weights, Progress(data_pass=3, batch=len(path.stem), finished=True))
        mean = self.folder / "mean.pt"
        checkpoint.save(mean, *average(paths, [0.25, 0.75]))
        stage = new_stage(replace(self.options, start=mean), ALONE)
        for name, weight in stage.weights.items():
            torch.testing.assert_close(weight.detach(), first[name] * 0.25 + second[name] * 0.75)
        self.assertEqual((stage.progress.data_pass, stage.progress.batch), (3, len("second")))
        with self.assertRaisesRegex(ValueError, "Expected 2 shares with a sum of 1, got"):
            average(paths, [0.5, 0.75])
        with self.assertRaisesRegex(FileNotFoundError, "There is no checkpoint or pair at .*/third"):
            average([*paths, self.folder / "third"], [0.5, 0.25, 0.25])

    def test_a_resumed_run_equals_an_uninterrupted_one(self):
        options = replace(self.options, tokens=512 * 20)
        uninterrupted = self.run_stage(options)
        part = replace(options, checkpoint=self.folder / "part.pt")
        stage = new_stage(part, ALONE)
        windows = Windows(part.tokens_folder, part.window, part.batch_tokens, part.seed, ALONE)
        for _ in range(16):
            stage._step(windows, part.schedule.rate(stage.progress.step, stage.progress.tokens / part.tokens))
            stage.progress.step += 1
            stage.progress.tokens += part.batch_tokens
        stage._save()
        self.assertEqual(stage.progress.data_pass, 1)
        resumed = self.run_stage(part)
        self.assertEqual(resumed.progress.step, 20)
        for name, weight in uninterrupted.weights.items():
            torch.testing.assert_close(resumed.weights[name], weight, rtol=0, atol=0)

    def test_the_loss_falls_and_the_finish_brings_the_rounded_loss_close(self):
        options = replace(self.options, tokens=512 * 60)
        stage = self.run_stage(options)
        self.assertLess(heldout_loss(stage), 3.0)
        changes = {"start": options.checkpoint, "checkpoint": self.folder / "finished.pt", "tokens": 512 * 20}
        finish = FinishOptions(**{**options.__dict__, **changes})
        finished = self.run_stage(finish, bits=Bits(4, 4))
        rounded = heldout_loss(finished)
        finished.bits = None
        self.assertLess(abs(rounded - heldout_loss(finished)), 0.1)
        self.assertTrue(checkpoint.is_finished(finish.checkpoint))

    def test_training_goes_on_from_an_exported_pair(self):
        weights = tiny_weights()
        write_target(self.folder / "pair/target", TINY, weights, Bits(4, 8), TOKENIZER, 15)
        stage = new_stage(replace(self.options, start=self.folder / "pair"), ALONE)
        for name, weight in rounded_weights(weights, Bits(4, 8)).items():
            torch.testing.assert_close(stage.weights[name].detach(), weight)
        self.assertEqual((stage.progress.step, stage.progress.finished), (0, False))
        deeper = replace(TINY, num_hidden_layers=4)
        with self.assertRaisesRegex(ValueError, "Expected model.layers.3.* but it is absent; give the shape"):
            new_stage(replace(self.options, start=self.folder / "pair", shape=deeper), ALONE)
        with self.assertRaisesRegex(FileNotFoundError, "give the path of one to start from"):
            new_stage(replace(self.options, start=self.folder / "nothing"), ALONE)

    def test_two_processes_share_the_windows_of_one_batch(self):
        def batch(rank, size):
            group = SharedGroup(rank, size, torch.device("cpu"))
            return Windows(self.options.tokens_folder, 32, 512, 1, group).next(Progress())

        shares, one_batch = [batch(0, 2), batch(1, 2)], batch(0, 1)
        self.assertEqual(tuple(one_batch.shape), (16, 33))
        torch.testing.assert_close(torch.stack(shares, dim=1).flatten(0, 1), one_batch)


class SharedGroup(Group):
    """One of several processes that agree without communicating."""

    def agree(self, value):
        return value


if __name__ == "__main__":
    unittest.main()
