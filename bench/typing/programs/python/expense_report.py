"""Summarise expenses from a CSV file by category and month."""
from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Expense:
    spent_on: date
    category: str
    amount: Decimal
    note: str = ""

    @property
    def month(self) -> str:
        return self.spent_on.strftime("%Y-%m")


class ReportError(Exception):
    pass


def read_expenses(path: Path) -> list[Expense]:
    expenses = []
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                amount = Decimal(row["amount"])
            except InvalidOperation as error:
                raise ReportError(f"line {number}: bad amount {row['amount']!r}") from error
            expenses.append(
                Expense(
                    spent_on=date.fromisoformat(row["date"]),
                    category=row["category"].strip().lower(),
                    amount=amount,
                    note=row.get("note", ""),
                )
            )
    return expenses


def totals_by_month(expenses: list[Expense]) -> dict[str, dict[str, Decimal]]:
    totals: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for expense in expenses:
        totals[expense.month][expense.category] += expense.amount
    return totals


def render(totals: dict[str, dict[str, Decimal]]) -> str:
    lines = []
    for month, categories in sorted(totals.items()):
        lines.append(f"{month}  {sum(categories.values()):>10.2f}")
        for category, amount in sorted(categories.items(), key=lambda item: -item[1]):
            lines.append(f"  {category:<20} {amount:>10.2f}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="CSV file with date, category and amount")
    parser.add_argument("--since", type=date.fromisoformat, default=None)
    args = parser.parse_args(argv)
    try:
        expenses = read_expenses(args.path)
    except (OSError, ReportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if args.since is not None:
        expenses = [expense for expense in expenses if expense.spent_on >= args.since]
    print(render(totals_by_month(expenses)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
