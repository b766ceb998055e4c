import argparse
import json
import sys
from pathlib import Path

DEFAULT_FILE = Path.home() / ".notes.json"


def load_notes(path):
    if not path.exists():
        return []
    return json.loads(path.read_text())


def save_notes(path, notes):
    path.write_text(json.dumps(notes, indent=2))


def cmd_add(args):
    notes = load_notes(args.file)
    notes.append({"text": args.text, "done": False})
    save_notes(args.file, notes)


def cmd_list(args):
    for number, note in enumerate(load_notes(args.file), start=1):
        if note["done"] and not args.all:
            continue
        mark = "x" if note["done"] else " "
        print(f"{number:3} [{mark}] {note['text']}")


def cmd_done(args):
    notes = load_notes(args.file)
    if not 1 <= args.number <= len(notes):
        sys.exit(f"no note {args.number}")
    notes[args.number - 1]["done"] = True
    save_notes(args.file, notes)


def cmd_remove(args):
    notes = load_notes(args.file)
    if not 1 <= args.number <= len(notes):
        sys.exit(f"no note {args.number}")
    del notes[args.number - 1]
    save_notes(args.file, notes)


def build_parser():
    parser = argparse.ArgumentParser(description="Keep short notes")
    parser.add_argument("--file", type=Path, default=DEFAULT_FILE)
    commands = parser.add_subparsers(required=True)

    add = commands.add_parser("add")
    add.add_argument("text")
    add.set_defaults(func=cmd_add)

    list_ = commands.add_parser("list")
    list_.add_argument("--all", action="store_true")
    list_.set_defaults(func=cmd_list)

    done = commands.add_parser("done")
    done.add_argument("number", type=int)
    done.set_defaults(func=cmd_done)

    remove = commands.add_parser("remove")
    remove.add_argument("number", type=int)
    remove.set_defaults(func=cmd_remove)

    return parser


def main(argv=None):
    args = build_parser().parse_args(argv)
    args.func(args)


if __name__ == "__main__":
    main()
