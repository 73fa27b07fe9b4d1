"""The documents that the reported rows come from, and their rows."""

from typing import Any

from db.bootstrap import reported
from db.bootstrap.reported import ReportedRun

TABLES = "000_06aba4b165819136.txt"
NAMES = "001_2c0027d85ad7badd.txt"
KORQUAD = "002_f123daafd2f5ddb9.txt"
MNLI = "003_744b4f6404c03d3c.txt"
DECK = "004_7d812c1ddacb6f6c.txt"

CONFIGS = {model.id: model.config for model in reported.models()}


def rows_of(document: str, task: str | None = None) -> list[ReportedRun]:
    """The rows of a document, of one task or of all."""
    return [row for _, citation, row in reported.load() if citation.startswith(document) and task in (None, row.task)]


def size_of(row: ReportedRun) -> tuple[int, int]:
    """Embedding and hidden size of a row."""
    return CONFIGS[row.model]["embedding_dim"], CONFIGS[row.model]["hidden_dim"]


def printed_row(row: ReportedRun) -> tuple[Any, ...]:
    """What a row of the tables of distillation prints."""
    facts = row.recipe
    return (*size_of(row), facts["loss_rate"], facts["temperature"], facts["epochs"], row.percent["accuracy"], row.time)


def table_rows() -> list[ReportedRun]:
    """The rows of the first document's tables."""
    return [row for row in rows_of(TABLES) if row.percent]
