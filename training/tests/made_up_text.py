"""A made-up source file and a fake tokenizer."""

from dataclasses import dataclass

from flashline_training.documents import Special

CODE = """import { readFile } from 'node:fs/promises';

export interface Options {
  readonly path: string;
  readonly encoding?: string;
}

export async function load(options: Options): Promise<string[]> {
  const { path, encoding = 'utf8' } = options;
  const text = await readFile(path, { encoding });
  if (text === '') {
    return [];
  }
  const lines = text.split('\\n').map((line) => line.trim());
  return lines.filter((line) => line.length > 0 && !line.startsWith('#'));
}
"""


@dataclass
class Encoded:
    ids: list[int]


class ByCharacter:
    """A fake tokenizer: one token per character, and the special tokens after them."""

    def encode_batch_fast(self, texts: list[str], add_special_tokens: bool) -> list[Encoded]:
        assert not add_special_tokens
        return [Encoded([ord(char) for char in text]) for text in texts]

    def token_to_id(self, token: str) -> int | None:
        return 1000 + [special.value for special in Special].index(token)
