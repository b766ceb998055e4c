"""Optional: a new byte-level BPE, in the form of media/model/target/tokenizer.json.

    python -m flashline_training.train_tokenizer --corpus DIR --out tokenizer.json --entries 16384

Losses per token of different tokenizers are not comparable: the built-in pair got more merges (`extend_tokenizer`)
instead of a new one.
"""

import argparse
from pathlib import Path

from .tokenise import read_files

SPECIALS = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"),
    *("<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<|mask|>"),
)
"""Special tokens, in order; they are the last entries of the vocabulary."""
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Qwen's pattern: a word includes one sign before it, and every digit is separate."""


def train(corpus: Path, out: Path, entries: int) -> None:
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(SPLIT), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=entries - len(SPECIALS), initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    texts = (file.text for file in read_files(corpus, "train-*.jsonl.bz2"))
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens(list(SPECIALS))
    tokenizer.save(str(out))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--entries", type=int, default=16384)
    options = parser.parse_args()
    train(options.corpus, options.out, options.entries)


if __name__ == "__main__":
    main()
