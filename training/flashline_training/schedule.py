"""Learning rates as a function of the spent fraction of a budget, in tokens or in minutes."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """Linear warm-up over steps, then constant, then linear down to `end` of the peak."""

    warmup_steps: int = 100
    # Fraction of the budget after which the rate falls.
    decay_from: float = 0.5
    end: float = 0.0
    # The rate of the constant part, as a fraction of the peak.
    start: float = 1.0

    def rate(self, step: int, fraction: float) -> float:
        """Returns the multiple of the peak at a step (from 0) that starts when `fraction` of the budget is spent."""
        warm = min(1.0, (step + 1) / max(1, self.warmup_steps))
        falling = min(1.0, max(0.0, (fraction - self.decay_from) / (1 - self.decay_from)))
        return warm * (self.start + (self.end - self.start) * falling)


@dataclass
class Budget:
    """Either a count of tokens or wall-clock minutes; the minutes of earlier, interrupted runs count."""

    tokens: int = 0
    minutes: float = 0.0
    seconds_before: float = 0.0

    def __post_init__(self) -> None:
        if (self.tokens > 0) == (self.minutes > 0):
            raise ValueError(f"Expected tokens or minutes, got {self.tokens} and {self.minutes}; give one of them")
        self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        return self.seconds_before + time.monotonic() - self.started

    def fraction(self, tokens: int, seconds: float) -> float:
        """Returns the fraction of the budget that is spent after these tokens or seconds, at most 1."""
        spent = tokens / self.tokens if self.tokens else seconds / (60 * self.minutes)
        return min(1.0, spent)
