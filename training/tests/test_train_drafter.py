"""The training of a drafter: its data, its loss, what it starts from, and a resumed run."""

import json
import tempfile
import unittest
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch

from flashline_training import checkpoint, dflash, draft_loss
from flashline_training.anchors import AnchorOptions
from flashline_training.checkpoint import Progress
from flashline_training.continuations import ContinuationOptions, write_batches
from flashline_training.distributed import Group
from flashline_training.dspark import DSparkOptions
from flashline_training.export import write_drafter
from flashline_training.prompts import PromptOptions, SpecialTokens
from flashline_training.quantise import Bits
from flashline_training.qwen3 import hidden_states
from flashline_training.schedule import Schedule
from flashline_training.sequences import Sequences, by_length
from flashline_training.train_drafter import DrafterOptions, DrafterStage
from tests.made_up import TINY, tiny_weights, write_tokens
from tests.test_dflash import DRAFTER, drafter_weights

ALONE = Group(0, 1, torch.device("cpu"))
SPECIAL = SpecialTokens(end=118, fim_prefix=119, fim_middle=120, fim_suffix=121, file=122)


class TrainDrafterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        write_tokens(folder / "tokens")
        checkpoint.save(folder / "target.pt", TINY.__dict__, tiny_weights(sharp=10), Progress(finished=True))
        (folder / "continuations").mkdir()
        prompt = PromptOptions(length=12)
        made = ContinuationOptions(
            target=folder / "target.pt", tokens_folder=folder / "tokens", out=folder / "continuations", tokens=600,
            batch=24, continuation=20, middle=12, prompt=prompt, special=SPECIAL,
        )  # fmt: skip
        cls.made = write_batches(made, ALONE)
        (folder / "continuations/continuations.json").write_text(json.dumps({"prompt": 12}))
        cls.unsaved = dict(
            target=made.target, continuations=made.out, tokens=8 * 32 * 10,
            batch_sequences=8, micro_sequences=4, shape=DRAFTER, anchors=AnchorOptions(every=4), log_steps=10**6,
            schedule=Schedule(2, 0.3), dspark=DSparkOptions(block_size=4, rank=8), rounded_from=0.8,
            bits=Bits(layers=8),
        )  # fmt: skip

    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.options = DrafterOptions(checkpoint=folder / "drafter.pt", **self.unsaved)

    def train(self, **changes):
        stage = DrafterStage(replace(self.options, **changes), ALONE)
        stage.run()
        return stage

    def losses(self, **changes):
        stage = DrafterStage(replace(self.options, **changes), ALONE)
        sequences = Sequences(stage.options.continuations, 8, 3, ALONE)
        steps = (stage.step(sequences.next(stage.progress), 12, 0.5, False, True) for _ in range(60))
        return [float(loss) for loss, _ in steps]

    def test_continuations_of_middles_are_shorter(self):
        kinds = by_length(self.options.continuations)
        self.assertEqual([kind.shape[1] for kind in kinds], [12 + 12, 12 + 20])
        self.assertEqual(sum(len(kind) * (kind.shape[1] - 12) for kind in kinds), self.made)

    def test_an_epoch_has_every_sequence_that_fills_a_batch_once_and_batches_of_one_length(self):
        sequences, progress = Sequences(self.options.continuations, 8, 3, ALONE), Progress()
        batches = [sequences.next(progress) for _ in range(sum(sequences.batches))]
        self.assertEqual(progress.data_pass, 0)
        self.assertEqual({batch.shape[1] for batch in batches}, {24, 32})
        for kind, count in zip(sequences.kinds, sequences.batches):
            seen = torch.cat([batch for batch in batches if batch.shape[1] == kind.shape[1]])
            self.assertEqual(len(seen), 8 * count)
            left = Counter(map(tuple, kind.tolist())) - Counter(map(tuple, seen.tolist()))
            self.assertEqual(sum(left.values()), len(kind) - 8 * count)
        sequences.next(progress)
        self.assertEqual((progress.data_pass, progress.batch), (1, 1))

    def test_the_loss_of_both_variants_falls(self):
        for variant in ("dflash", "dspark"):
            losses = self.losses(variant=variant)
            self.assertLess(np.mean(losses[-5:]), 0.9 * np.mean(losses[:5]), variant)

    def test_training_starts_from_the_drafter_of_a_pair(self):
        pair = self.options.checkpoint.with_name("pair")
        weights = drafter_weights()
        write_drafter(pair / "drafter", DRAFTER, weights, Bits(layers=8), TINY, 15)
        stage = DrafterStage(replace(self.options, start=pair), ALONE)
        for name, weight in weights.items():
            torch.testing.assert_close(stage.weights[name], weight, atol=0.02, rtol=0.02)
        with self.assertRaisesRegex(ValueError, "give the shape"):
            DrafterStage(replace(self.options, start=pair, shape=replace(DRAFTER, selector_rank=0)), ALONE)

    def test_training_starts_from_a_checkpoint(self):
        start = self.options.checkpoint.with_name("grown.pt")
        weights = drafter_weights()
        checkpoint.save(start, asdict(DRAFTER), weights, Progress(finished=True))
        stage = DrafterStage(replace(self.options, start=start), ALONE)
        self.assertEqual(stage.progress.step, 0)
        for name, weight in weights.items():
            torch.testing.assert_close(stage.weights[name], weight)

    def test_a_drafter_of_the_other_variant_gives_its_backbone(self):
        pair = self.options.checkpoint.with_name("pair")
        weights = drafter_weights()
        write_drafter(pair / "drafter", DRAFTER, weights, Bits(layers=8), TINY, 15)
        stage = DrafterStage(replace(self.options, start=pair, variant="dspark"), ALONE)
        backbone = dflash.weight_shapes(replace(DRAFTER, selector_rank=0))
        self.assertEqual({n for n in stage.weights if not n.startswith(("markov_", "confidence_"))}, set(backbone))
        for name in backbone:
            torch.testing.assert_close(stage.weights[name], weights[name], atol=0.02, rtol=0.02)
        with self.assertRaisesRegex(ValueError, "give the shape"):
            wider = replace(DRAFTER, intermediate_size=128)
            DrafterStage(replace(self.options, start=pair, variant="dspark", shape=wider), ALONE)

    def test_dspark_blocks_are_full_and_weighted_by_their_anchor(self):
        stage = DrafterStage(replace(self.options, variant="dspark"), ALONE)
        batch = Sequences(stage.options.continuations, 8, 3, ALONE).next(stage.progress)
        generator = torch.Generator().manual_seed(0)
        plan = draft_loss.plan(stage.config, stage.options, batch, 12, generator)
        self.assertEqual(plan.widths.unique().tolist(), [4])
        last = hidden_states(stage.target_config, stage.target, batch)[0]
        block_weights = draft_loss.block_loss_weights(stage, plan, last)
        weights = stage.compute_weights(False)
        full_loss = draft_loss.micro_loss(stage, plan, weights)[0]
        torch.testing.assert_close(
            full_loss,
            sum(
                draft_loss.slot_loss(
                    stage,
                    plan._replace(loss_weights=plan.loss_weights * block_weights[..., None] * is_block[:, None]),
                    weights,
                    draft_loss.micro_loss(stage, plan, weights)[1],
                    last,
                )
                for is_block in torch.eye(block_weights.shape[1], dtype=torch.bool)
            ),
        )
        self.assertGreater(block_weights.std().item(), 0)

    def test_a_resumed_run_equals_an_uninterrupted_one(self):
        uninterrupted = self.train()
        options = replace(self.options, checkpoint=self.options.checkpoint.with_name("part.pt"))
        stage = DrafterStage(options, ALONE)
        sequences = Sequences(options.continuations, 8, options.seed, ALONE)
        for _ in range(4):
            rate = options.schedule.rate(stage.progress.step, stage.progress.tokens / options.tokens)
            batch = sequences.next(stage.progress)
            stage.step(batch, sequences.prompt, rate, False, False)
            stage.progress.step += 1
            stage.progress.tokens += batch.numel()
        stage.save()
        resumed = self.train(checkpoint=options.checkpoint)
        self.assertEqual(resumed.progress.step, uninterrupted.progress.step)
        for name, weight in uninterrupted.weights.items():
            torch.testing.assert_close(resumed.weights[name], weight, rtol=0, atol=0)


if __name__ == "__main__":
    unittest.main()
