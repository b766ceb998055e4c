"""The text of tokens."""

import json
import unittest
from pathlib import Path

from flashline_training.token_text import TokenText

TOKENIZER = Path(__file__).parents[2] / "media/model/target"
CASES = Path(__file__).parents[2] / "test/fixtures/pair-cases.json"


class TokenTextTest(unittest.TestCase):
    def test_decoding_the_tokens_of_a_prompt_gives_its_text(self):
        text = TokenText(TOKENIZER / "tokenizer.json")
        case = json.loads(CASES.read_text())[0]
        plain = case["prompt"]
        for special in ("<|file_sep|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"):
            plain = plain.replace(special, "")
        self.assertEqual(text.decode(case["prompt_ids"]), plain)


if __name__ == "__main__":
    unittest.main()
