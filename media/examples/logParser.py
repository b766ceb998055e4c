"""Reads log files and counts the messages of each level."""

import argparse
import re
from collections import Counter
from pathlib import Path

LINE = re.compile(r"^(?P<time>\S+ \S+) (?P<level>[A-Z]+) (?P<message>.*)$")


def parse_line(line):
    match = LINE.match(line)
    if match is None:
        return None
    return match.groupdict()


def read_log(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            entry = parse_line(line.rstrip("\n"))
            if entry is not None:
                yield entry


def count_levels(entries):
    counter = Counter()
    for entry in entries:
        counter[entry["level"]] += 1
    return counter


def main():
    parser = argparse.ArgumentParser
    args = parser.parse_args()
    entries = read_log(args.path)
    counts = count_levels(entries)
    for level, count in sorted(counts.items()):
        print(f"{level}: {count}")


if __name__ == "__main__":
    main()
