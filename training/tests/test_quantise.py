"""Quantisation: codes, packing, rounding and stored weights."""

import unittest

import torch

from flashline_training.quantise import (
    Bits,
    pack,
    packed_tensors,
    quantise,
    quantization_field,
    rounded,
    rounded_weights,
    unpack,
    unpacked_weights,
)  # fmt: skip
from flashline_training.qwen3 import EMBEDDING
from tests.made_up import tiny_weights


class QuantiseTest(unittest.TestCase):
    def test_unpacking_returns_the_packed_codes(self):
        for bits in (4, 8):
            codes = torch.randint(0, 2**bits, (5, 128)).float()
            words = pack(codes, bits)
            self.assertEqual(tuple(words.shape), (5, 128 * bits // 32))
            torch.testing.assert_close(unpack(words, bits), codes)

    def test_codes_are_packed_from_the_low_bits_on(self):
        codes = torch.zeros(1, 64)
        codes[0, :8] = torch.tensor([1, 2, 3, 4, 5, 6, 7, 15])
        self.assertEqual(pack(codes, 4)[0, 0].item() & 0xFFFFFFFF, 0xF7654321)

    def test_most_weights_are_off_by_half_a_step_at_most(self):
        weight = torch.randn(7, 192)
        for bits in (4, 8):
            _, scales, _ = quantised = quantise(weight, bits)
            error = (quantised.values() - weight).abs().view(7, 3, 64)
            # Values beyond the last code are clamped to it, and scales are stored in float16.
            limit = scales.float().abs().unsqueeze(-1) * 1.05
            self.assertTrue((error <= limit).all())
            self.assertLess((error > 0.55 * limit).float().mean().item(), 0.01)

    def test_groups_of_one_value_and_of_zeros_are_exact(self):
        weight = torch.cat([torch.full((1, 64), 0.25), torch.zeros(1, 64)])
        torch.testing.assert_close(quantise(weight, 4).values(), weight, atol=1e-6, rtol=0)

    def test_the_gradient_of_rounding_passes_straight_through(self):
        weight = torch.randn(3, 64, requires_grad=True)
        factor = torch.randn(3, 64)
        (rounded(weight, 4) * factor).sum().backward()
        torch.testing.assert_close(weight.grad, factor)

    def test_stored_weights_equal_the_rounded_ones_of_training(self):
        bits, weights = Bits(layers=4, embedding=8), tiny_weights()
        field = quantization_field(weights, bits)
        self.assertEqual(field["model.embed_tokens"], {"group_size": 64, "bits": 8})
        self.assertEqual((field["bits"], len(field)), (4, 3))
        stored = unpacked_weights(packed_tensors(weights, bits), field)
        trained = rounded_weights(weights, bits)
        self.assertEqual(stored.keys(), weights.keys())
        for name in weights:
            torch.testing.assert_close(stored[name], trained[name], atol=1e-7, rtol=1e-5)
        self.assertGreater((trained[EMBEDDING] - weights[EMBEDDING]).abs().max().item(), 0)


if __name__ == "__main__":
    unittest.main()
