"""Which format a file has: by its content first, by its name second."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from db.base import encodings
from db.base.errors import SubmissionError
from db.importers import archive, column_mapping, guarded, safe_json, safe_yaml, tables
from db.importers.benchmarks import euroeval, lm_eval, mteb, papers, printed, wide
from db.importers.formats import (
    bundle,
    claims,
    config,
    mlflow,
    model_index,
    onnx,
    predictions,
    safetensors,
    squad,
    trainer,
    wandb,
)
from db.importers.result import ImportedFile, public
from db.importers.safe_json import FileError, shown
from db.importers.tables import Table

ACCEPTED = (
    "a Featherboard bundle (.zip); all_results.json, trainer_state.json, eval_predictions.json or "
    "eval_nbest_predictions.json of Hugging Face; what a scorer prints (evaluation.txt); a model card (README.md) or "
    "its YAML; results of lm-evaluation-harness, EuroEval or MTEB; tables of Papers with Code or in Markdown; runs of "
    "MLflow (JSON, the CSV of search_runs, or mlflow.db); wandb-summary.json, or a W&B "
    "history as CSV; predictions or a table of claims as CSV, TSV, JSON, JSON Lines, Parquet or XLSX; a safetensors "
    "or ONNX file; config.json, adapter_config.json or card.json"
)
"""What can be read, in words."""

_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib", ".npy", ".npz")
_NEVER = "reading one can run code, so that is never done; send safetensors or config.json."
_NOT_FINITE = re.compile(rb"[:\[,]\s*-?(?:NaN|Infinity)\s*(?=[,}\]])")
_MARKDOWN = re.compile(r"\s*(?:#{1,6}\s|\||---\s*\n)")
_MARKDOWNS = (".md", ".markdown")
_YAMLS = (".yaml", ".yml")
_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv", ".tab")
_FOREIGN = (
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"BZh", "a bzip2 file; unpack it first"),
    (b"\xfd7zXZ", "an xz file; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"(\xb5/\xfd", "a zstd file; unpack it first"),
    (b"GGUF", "a GGUF model; send its config.json"),
    (b"\x89HDF", "an HDF5 file; send the safetensors file or config.json"),
    (b"%PDF", "a PDF; send its table as CSV"),
    (b"\x89PNG", "a picture; send the figures as a table"),
    (b"\xff\xd8\xff", "a picture; send the figures as a table"),
    (b"\xd0\xcf\x11\xe0", "an old Office file; save the sheet as XLSX or CSV"),
    (b"ARROW1", "an Arrow file; write it as Parquet"),
)
_TABLE_FILES = (guarded.PARQUET, guarded.DATABASE)
_BINARY = (*archive.MAGIC, *_TABLE_FILES, *(magic for magic, _ in _FOREIGN))
_READERS: tuple[tuple[Callable[[Any], bool], Callable[[str, Any], ImportedFile]], ...] = (
    (trainer.takes, trainer.read),
    (lm_eval.takes, lm_eval.read),
    (mteb.takes, mteb.read),
    (papers.takes, papers.read),
    (mlflow.takes, mlflow.read),
    (wandb.takes_summary, wandb.read_summary),
    (config.takes_card, config.read_card),
    (config.takes, config.read),
    (trainer.takes_results, trainer.read_results),
    (squad.takes_nbest, squad.read_nbest),
    (squad.takes_null_odds, squad.read_null_odds),
    (squad.takes, squad.read),
    (model_index.takes_json, model_index.read),
)


def read(name: str, content: bytes, mapping: Mapping[str, str] | None = None) -> ImportedFile:
    """What a file says.

    Args:
        name: The file's name, for messages and where the content leaves a doubt.
        content: The whole file, at most ``safe.LIMIT_BYTES``.
        mapping: For tables: columns and the fields that they fill, such as ``{"Acc": "metrics.accuracy"}``; a column
            that maps to "" is not used. None: as ``column_mapping.guess`` proposes.

    Raises:
        SubmissionError: It is nothing that is known, or something in it cannot be taken; the message names the file
            and the place, and says what to do.
    """
    opened = _opened(name, content)
    result = public(_result(name, opened, mapping))
    notes = list(result.notes)
    if mapping and not isinstance(opened, Table):
        notes.append("The mapping was not used: the file has no columns.")
    if _is_cp949(content):
        notes.append("The text was read as CP949, the encoding of Korean Windows.")
    not_finite = len(_NOT_FINITE.findall(content)) if content.lstrip()[:1] in (b"{", b"[") else 0
    if not_finite and result.kind != "trainer_state":
        notes.append(f"{not_finite:,} value(s) are NaN or infinite and were left out.")
    return replace(result, notes=tuple(notes))


def _result(name: str, opened: Any, mapping: Mapping[str, str] | None) -> ImportedFile:
    if not isinstance(opened, Table | ImportedFile):
        opened = _of_json(name, opened)
    if isinstance(opened, ImportedFile):
        return opened
    if mapping:
        return _of_table(opened, column_mapping.check(opened, mapping))
    for takes, reader in _TABLE_READERS:
        if takes(opened):
            return reader(opened)
    return _of_table(opened, column_mapping.guess([(column, []) for column in opened.columns]))


_TABLE_READERS: tuple[tuple[Callable[[Table], object], Callable[[Table], ImportedFile]], ...] = (
    (lambda table: lm_eval.takes_samples(table.columns, table.unread), lm_eval.read_samples),
    (lambda table: wandb.takes_columns(table.columns), wandb.read),
    (lambda table: mlflow.takes_columns(table.columns), mlflow.read_table),
    (wide.split, lambda table: papers.read_tables(table.name, wide.split(table))),
)


_RUN_FILES = (
    "all_results.json",
    "trainer_state.json",
    "eval_predictions.json",
    "config.json",
    "model.safetensors",
    "wandb-summary.json",
    "config.yaml",
    "files/wandb-summary.json",
    "files/config.yaml",
)
"""What trainings leave in their folders, and W&B in a run's."""


def in_folder(folder: Path) -> list[Path]:
    """Files in the folder of a training or of a W&B run that together describe one run.

    Raises:
        SubmissionError: There is none.
    """
    files = [folder / name for name in _RUN_FILES if (folder / name).is_file()]
    if not files:
        raise FileError(str(folder), "", f"the folder holds none of {', '.join(_RUN_FILES[:6])}, and no run of MLflow.")
    return files


def columns(name: str, content: bytes) -> list[tuple[str, list[str]]]:
    """Each column of a table with up to three example values.

    None where there is nothing to map: the file is no table, or one of a tracker, whose columns say what they are.

    Raises:
        SubmissionError: As for ``read``.
    """
    opened = _opened(name, content)
    if not isinstance(opened, Table) or wandb.takes_columns(opened.columns) or mlflow.takes_columns(opened.columns):
        return []
    return column_mapping.examples(opened)


def _of_table(opened: Table, mapping: dict[str, str]) -> ImportedFile:
    fields = set(mapping.values())
    if fields & set(column_mapping.PREDICTIONS):
        return predictions.read(opened, mapping)
    if not fields & {"model", "task"} and not any(field.startswith("metrics.") for field in fields):
        present = ", ".join(shown(column, 40) for column in opened.columns[:20])
        message = (
            f"no column is known as a model, a figure or a prediction; map some of {present}. Taken are {ACCEPTED}."
        )
        raise FileError(opened.name, "", message, "unmapped")
    return claims.read(opened, mapping)


def _of_json(name: str, data: Any) -> ImportedFile:
    data = printed.flattened(data)
    if printed.of_second_squad(data):
        raise FileError(name, "", "the figures are of SQuAD 2 (some questions have no answer), which has no board.")
    for takes, reader in _READERS:
        if takes(data):
            return reader(name, data)
    raise FileError(name, "", f"JSON of no format that is known. Taken are {ACCEPTED}.")


def _opened(name: str, content: bytes) -> Any:
    """A table, a JSON value, or what was found already."""
    safe_json.check_size(name, content)
    _refuse_foreign(name, content)
    if content.startswith(archive.MAGIC):
        return _of_zip(name, content)
    if content.startswith(_TABLE_FILES):
        return guarded.read_one(name, content)
    if safetensors.takes(content):
        return safetensors.read(name, content)
    if name.lower().endswith(".onnx"):
        return onnx.read_bytes(name, content)
    words = content.decode("cp949") if _is_cp949(content) else safe_json.text(name, content)
    if not words.strip():
        raise FileError(name, "", "the file is empty.")
    return _of_words(name, words)


def _is_cp949(content: bytes) -> bool:
    """Whether the bytes are no UTF-8 and nearly all of what is not ASCII in them is Hangul in CP949."""
    return not content.startswith(_BINARY) and encodings.is_cp949(content)


def _of_words(name: str, words: str) -> Any:
    lower = name.lower()
    if not lower.endswith((*_MARKDOWNS, *_YAMLS, *_TABLES)) and (figures := printed.of_text(name, words)):
        return figures
    markdown = lower.endswith(_MARKDOWNS)
    braces = words.lstrip()[0] in "{[" and not markdown and not lower.endswith((*_YAMLS, *_TABLES))
    if braces or lower.endswith((".json", *_LINES)):
        if _MARKDOWN.match(words):
            raise FileError(name, "", "the text is Markdown and no JSON; name it README.md, or send the JSON file.")
        return _of_braces(name, words)
    if not lower.endswith(_TABLES) and (card := _of_markdown(name, words, markdown=markdown)):
        return card
    if lower.endswith(_YAMLS) or words.lstrip().startswith(("---", "model-index:", "license:", "language:")):
        data = safe_yaml.yaml_value(name, words)
        return wandb.read_config(data) if wandb.takes_config(data) else model_index.read(name, data)
    if lower.endswith(_TABLES):
        return tables.delimited(name, words)
    try:
        opened = tables.delimited(name, words)
    except SubmissionError as error:
        raise SubmissionError(f"{error} If it is no table: taken are {ACCEPTED}.") from None
    if len(opened.columns) < 2:
        raise FileError(name, "", f"a text of no format that is known. Taken are {ACCEPTED}.")
    return opened


def _of_markdown(name: str, words: str, *, markdown: bool) -> ImportedFile | None:
    """A model card, or a text with tables of figures; None where it is neither."""
    head = model_index.split_head(words)
    below = [] if head and "model-index" in head else papers.markdown_tables(name, words)
    if below:
        return papers.read_tables(name, below)
    return model_index.from_card(name, words) if markdown or head is not None else None


def _refuse_foreign(name: str, content: bytes) -> None:
    if name.lower().endswith(_PICKLES) or (content[:1] == b"\x80" and content[1:2] in b"\x02\x03\x04\x05"):
        message = (
            "it may hold a pickle, which can run code when it is read, so it never is; send safetensors or config.json."
        )
        raise FileError(name, "", message)
    for magic, message in _FOREIGN:
        if content.startswith(magic):
            raise FileError(name, "", f"{message}. Taken are {ACCEPTED}.")


def _of_zip(name: str, content: bytes) -> ImportedFile | Table:
    names = archive.names(content)
    if any(member.endswith((".pkl", ".npy")) for member in names):
        raise FileError(name, "", f"a zip with a pickle in it; {_NEVER}")
    if "xl/workbook.xml" in names:
        return guarded.read_one(name, content)
    if "[Content_Types].xml" in names:
        raise FileError(name, "", "an Office file that is no workbook; send its table as XLSX or CSV.")
    if names and not bundle.takes(names):
        raise FileError(name, "", f"a zip that is no Featherboard bundle; unpack it first. Taken are {ACCEPTED}.")
    return bundle.read(name, content)


def _of_braces(name: str, words: str) -> Any:
    """JSON or JSON Lines."""
    filled = [line.strip() for line in words[:100_000].split("\n") if line.strip()]
    several = len(filled) > 1 and all(line.startswith("{") for line in filled[:2]) and filled[0].endswith("}")
    if several or name.lower().endswith(_LINES):
        return _of_lines(name, words, filled[0])
    data = safe_json.json_value(name, words, drop_nan=True)
    if papers.takes(data):
        return data
    if isinstance(data, list):
        return tables.from_records(name, data)
    columns = tables.of_pandas(data)
    if columns is not None:
        return tables.from_columns(name, columns, ())
    claim = isinstance(data, dict) and data.keys() & set(column_mapping.CLAIM)
    if claim and not any(takes(data) for takes, _ in _READERS):
        return tables.from_records(name, [data])
    return data


def _of_lines(name: str, words: str, first: str) -> Any:
    """JSON Lines: of EuroEval, or a table."""
    if '"results"' in first and euroeval.takes(safe_json.json_value(name, first, "line 1", drop_nan=True)):
        return euroeval.read(name, safe_json.json_lines(name, words))
    return tables.lines(name, words)
