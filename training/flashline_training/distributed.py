"""One process per GPU, started by torchrun or the recipe; a single process is a group of one and needs no launcher."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class Group:
    """The processes of a run and the device of this one."""

    rank: int
    size: int
    device: torch.device

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def sum_(self, tensor: Tensor) -> Tensor:
        """Sums a tensor over all processes, in place."""
        if self.size > 1:
            dist.all_reduce(tensor)
        return tensor

    def agree(self, value: float) -> float:
        """Returns the first process's value. Goes through the CPU, so it waits for no kernel."""
        if self.size == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64)
        dist.broadcast(shared, 0)
        return float(shared)

    def wait(self) -> None:
        """Returns once all processes have reached this call."""
        if self.size > 1:
            self.agree(0)

    def say(self, text: str) -> None:
        """Prints a line, from the first process only."""
        if self.is_first:
            print(text, flush=True)


def join(same_lengths: bool = False) -> Group:
    """
    Joins the group that the environment describes, if any, with the variables of torchrun. With `same_lengths`, all
    sequences have one length, so attention can use cuDNN: a layer takes 0.86 of the time, but each new length needs a
    new plan.
    """
    rank, size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    local = int(os.environ.get("LOCAL_RANK", 0))
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", local)
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cuda.enable_cudnn_sdp(same_lengths)
        torch.backends.cuda.enable_flash_sdp(not same_lengths)
    if size > 1:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # All processes are on one host.
        dist.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    return Group(rank, size, device)


def leave(group: Group) -> None:
    if group.size > 1:
        dist.destroy_process_group()
