import csv
from pathlib import Path

FIELD_DELIMITER = ";"


def write_rows(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=FIELD_DELIMITER)
        writer.writerow(header)
        writer.writerows(rows)
