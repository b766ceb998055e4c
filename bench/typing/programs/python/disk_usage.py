import argparse
import os
from pathlib import Path

UNITS = ["B", "KB", "MB", "GB", "TB"]


def parse_args():
    parser = argparse.ArgumentParser(description="Show the largest folders.")
    parser.add_argument("path", type=Path, nargs="?", default=Path.cwd())
    parser.add_argument("-n", "--limit", type=int, default=10, help="how many folders to show")
    parser.add_argument("--exclude", action="append", default=[], help="folder names to skip")
    return parser.parse_args()


def format_size(size):
    for unit in UNITS:
        if size < 1024 or unit == UNITS[-1]:
            return f"{size:.1f} {unit}"
        size /= 1024


def folder_sizes(root, exclude):
    sizes = {}
    for folder, subfolders, files in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in exclude]
        total = 0
        for name in files:
            path = Path(folder) / name
            try:
                total += path.stat().st_size
            except OSError as error:
                print(f"Skipping {path}: {error.strerror}")
        sizes[folder] = total
    return sizes


def main():
    args = parse_args()
    if not args.path.is_dir():
        raise SystemExit(f"{args.path} is not a folder")
    sizes = folder_sizes(args.path, set(args.exclude))
    largest = sorted(sizes.items(), key=lambda item: item[1], reverse=True)
    for folder, size in largest[: args.limit]:
        print(f"{format_size(size):>10}  {folder}")
    print(f"{format_size(sum(sizes.values())):>10}  total")


if __name__ == "__main__":
    main()
