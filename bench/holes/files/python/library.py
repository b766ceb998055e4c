from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta

LOAN_PERIOD = timedelta(days=21)


class BookUnavailable(Exception):
    pass


@dataclass(frozen=True)
class Book:
    isbn: str
    title: str
    author: str


@dataclass
class Loan:
    book: Book
    member: str
    due: date

    def is_overdue(self, today: date) -> bool:
        return self.due < today

    def days_overdue(self, today: date) -> int:
        return max(0, (today - self.due).days)


@dataclass
class Library:
    books: dict[str, Book] = field(default_factory=dict)
    loans: dict[str, Loan] = field(default_factory=dict)

    def add(self, book: Book) -> None:
        self.books[book.isbn] = book

    def is_available(self, isbn: str) -> bool:
        return isbn in self.books and isbn not in self.loans

    def lend(self, isbn: str, member: str, today: date) -> Loan:
        if not self.is_available(isbn):
            raise BookUnavailable(isbn)
        loan = Loan(self.books[isbn], member, today + LOAN_PERIOD)
        self.loans[isbn] = loan
        return loan

    def give_back(self, isbn: str) -> Book:
        loan = self.loans.pop(isbn)
        return loan.book

    def overdue(self, today: date) -> list[Loan]:
        return [loan for loan in self.loans.values() if loan.is_overdue(today)]

    def by_author(self, author: str) -> list[Book]:
        return [book for book in self.books.values() if book.author == author]
