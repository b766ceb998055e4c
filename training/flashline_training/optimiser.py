"""
Muon for the matrices of the layers, AdamW for the tables and vectors, over one flat gradient.

Muon (Jordan et al. 2024) replaces the momentum of a matrix by the nearest orthogonal one. Every process computes the
same update from the same summed gradient, so nothing but that gradient is ever exchanged.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import torch
from torch import Tensor

from .distributed import Group
from .qwen3 import Weights


@dataclass(frozen=True)
class OptimiserOptions:
    """Rates are peaks: a schedule multiplies both."""

    muon_rate: float = 0.02
    muon_momentum: float = 0.95
    # Weight decay of the matrices, per unit of learning rate.
    muon_decay: float = 0.1
    adam_rate: float = 3e-3
    adam_betas: tuple[float, float] = (0.9, 0.95)
    adam_decay: float = 0.01
    clip: float = 1.0


def orthogonalised(matrices: Tensor, steps: int = 5) -> Tensor:
    """
    Approximates U V^T for each matrix U S V^T of [count, rows, columns], by a quintic Newton-Schulz iteration (on a GPU
    in bf16) whose published coefficients quickly bring all singular values close to 1.
    """
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.transpose(1, 2)
    x = x / (x.flatten(1).norm(dim=1)[:, None, None] + 1e-7)
    for _ in range(steps):
        gram = x @ x.transpose(1, 2)
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return x.transpose(1, 2) if tall else x


class Optimiser:
    """Steps `weights`, whose gradients are views of one flat buffer."""

    def __init__(self, weights: Weights, tables: set[str], options: OptimiserOptions, group: Group) -> None:
        """`tables` are the matrices that AdamW steps: those that are looked up or produce logits."""
        self.options, self.group = options, group
        self.weights = weights
        self.gradient = torch.zeros(sum(w.numel() for w in weights.values()), device=group.device)
        start = 0
        for weight in weights.values():
            weight.requires_grad_(True)
            weight.grad = self.gradient[start : start + weight.numel()].view_as(weight)
            start += weight.numel()
        self.shapes: dict[str, list[str]] = defaultdict(list)
        for name, weight in weights.items():
            if weight.ndim == 2 and name not in tables:
                self.shapes["x".join(map(str, weight.shape))].append(name)
        self.momentum = {
            shape: torch.zeros(len(names), *weights[names[0]].shape, device=group.device)
            for shape, names in self.shapes.items()
        }
        muon_names = {name for names in self.shapes.values() for name in names}
        rest = {name: weight for name, weight in weights.items() if name not in muon_names}
        decayed = [w for w in rest.values() if w.ndim == 2]
        plain = [w for w in rest.values() if w.ndim != 2]
        groups = [{"params": decayed, "weight_decay": options.adam_decay}, {"params": plain, "weight_decay": 0.0}]
        fused = {"fused": True} if group.device.type == "cuda" else {}
        self.adam = torch.optim.AdamW(
            [g for g in groups if g["params"]], lr=options.adam_rate, betas=options.adam_betas, **fused
        )

    @torch.no_grad()
    def step(self, rate: float) -> Tensor:
        """Sums the gradient over the group, clips it, steps at `rate` times the peaks; returns the unclipped norm."""
        self.group.sum_(self.gradient)
        norm = self.gradient.norm()
        self.gradient.mul_((self.options.clip / (norm + 1e-6)).clamp(max=1.0))
        for shape, names in self.shapes.items():
            self._step_matrices(self.momentum[shape], [self.weights[name] for name in names], rate)
        for settings in self.adam.param_groups:
            settings["lr"] = rate * self.options.adam_rate
        self.adam.step()
        self.gradient.zero_()
        return norm

    def _step_matrices(self, momentum: Tensor, matrices: list[Tensor], rate: float) -> None:
        options = self.options
        gradient = torch.stack([matrix.grad for matrix in matrices])
        momentum.lerp_(gradient, 1 - options.muon_momentum)
        update = orthogonalised(gradient.lerp_(momentum, options.muon_momentum)).to(momentum.dtype)
        rows, columns = matrices[0].shape
        lr = rate * options.muon_rate
        torch._foreach_mul_(matrices, 1 - lr * options.muon_decay)
        torch._foreach_add_(matrices, list(update.unbind()), alpha=-lr * max(1.0, rows / columns) ** 0.5)

    def state(self) -> dict[str, object]:
        return {"momentum": self.momentum, "adam": self.adam.state_dict()}

    def load(self, state: dict) -> None:
        for shape, momentum in self.momentum.items():
            momentum.copy_(state["momentum"][shape])
        self.adam.load_state_dict(state["adam"])
