"""Text of token ids of a byte-level BPE, from just the vocabulary of its tokenizer.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterable


def byte_letters() -> dict[str, int]:
    """Returns the letters that stand for bytes: printable ones for themselves, the others follow from 256 on."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(b): b for b in shown} | {chr(256 + i): b for i, b in enumerate(hidden)}


class TokenText:
    def __init__(self, tokenizer_json: Path) -> None:
        fields = json.loads(tokenizer_json.read_text(encoding="utf-8"))
        letters = byte_letters()
        self.bytes = {
            id_: bytes(letters[letter] for letter in token)
            for token, id_ in fields["model"]["vocab"].items()
            if all(letter in letters for letter in token)
        }
        # Special tokens have no text.
        self.special = {token["id"] for token in fields["added_tokens"]}

    def decode(self, ids: Iterable[int]) -> str:
        data = b"".join(self.bytes.get(id_, b"") for id_ in ids if id_ not in self.special)
        return data.decode("utf-8", errors="replace")
