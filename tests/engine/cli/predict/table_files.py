"""Tables that other programs write and read."""

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

TEXTS = ["좋은 영화", "지루한 결말 장면", "책", "끔찍한 음악 배우 가방", '"멋진", 장면\t줄\n바꿈']
LABELS = {"negative", "positive"}
FORMS = (".csv", ".tsv", ".jsonl", ".parquet")


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A table by other means than ours."""
    frame = pd.DataFrame(rows)
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".jsonl":
        path.write_bytes("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
    else:
        frame.to_csv(path, index=False, sep="," if path.suffix == ".csv" else "\t", lineterminator="\r\n")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a table, again by other means; empty cells of CSV are empty texts."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]
    separator = "," if path.suffix == ".csv" else "\t"
    frame = pd.read_csv(
        io.BytesIO(path.read_bytes()),
        sep=separator,
        dtype=str,
        keep_default_na=False,
        engine="python",
        lineterminator=None,
    )
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def assert_nothing_beside(folder: Path, *allowed: str) -> None:
    """Hold that a folder has some files and no other."""
    assert sorted(file.name for file in folder.iterdir()) == sorted(allowed)
