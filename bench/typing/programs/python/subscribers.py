import sqlite3
from contextlib import contextmanager

SCHEMA = """
CREATE TABLE IF NOT EXISTS subscribers (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL DEFAULT 'free',
    active INTEGER NOT NULL DEFAULT 1
)
"""


class SubscriberStore:
    def __init__(self, path):
        self.connection = sqlite3.connect(path)
        self.connection.row_factory = sqlite3.Row
        self.connection.execute(SCHEMA)

    @contextmanager
    def transaction(self):
        cursor = self.connection.cursor()
        try:
            yield cursor
            self.connection.commit()
        except sqlite3.Error:
            self.connection.rollback()
            raise
        finally:
            cursor.close()

    def add(self, email, plan="free"):
        with self.transaction() as cursor:
            cursor.execute("INSERT INTO subscribers (email, plan) VALUES (?, ?)", (email, plan))
            return cursor.lastrowid

    def unsubscribe(self, email):
        with self.transaction() as cursor:
            cursor.execute("UPDATE subscribers SET active = 0 WHERE email = ?", (email,))
            return cursor.rowcount > 0

    def find(self, email):
        row = self.connection.execute("SELECT * FROM subscribers WHERE email = ?", (email,)).fetchone()
        return dict(row) if row else None

    def count_by_plan(self):
        rows = self.connection.execute(
            "SELECT plan, COUNT(*) AS total FROM subscribers WHERE active = 1 GROUP BY plan"
        )
        return {row["plan"]: row["total"] for row in rows}
