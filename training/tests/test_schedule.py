"""Learning rates and budgets."""

import unittest

from flashline_training.schedule import Budget, Schedule


class ScheduleTest(unittest.TestCase):
    def test_the_rate_warms_up_stays_and_falls(self):
        schedule = Schedule(warmup_steps=4, decay_from=0.5, end=0.2)
        self.assertAlmostEqual(schedule.rate(0, 0), 0.25)
        self.assertAlmostEqual(schedule.rate(100, 0.5), 1)
        self.assertAlmostEqual(schedule.rate(100, 0.75), 0.6)
        self.assertAlmostEqual(schedule.rate(100, 1), 0.2)

    def test_a_budget_of_minutes_counts_earlier_runs(self):
        budget = Budget(minutes=1, seconds_before=30)
        self.assertGreaterEqual(budget.fraction(0, budget.seconds), 0.5)

    def test_a_budget_is_either_tokens_or_minutes(self):
        for options in ({}, {"tokens": 1, "minutes": 1}):
            with self.assertRaisesRegex(ValueError, "tokens or minutes"):
                Budget(**options)


if __name__ == "__main__":
    unittest.main()
