"""A question, and tables of questions written by other means than ours."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from engine.base.errors import DataError
from engine.families.span_qa import questions
from engine.families.span_qa.questions import Gold, Question
from tests.factories.command_line import one_line

CONTEXT = '서울은 한국의 수도이다.\nIts name is Seoul 🙂, "Seoul".'
QUESTION = Question("q1", "What is its name?", CONTEXT, (Gold("Seoul", 26), Gold("Seoul 🙂", 26)))


def row(question: Question) -> dict[str, Any]:
    golds = {
        "text": [gold.text for gold in question.answers],
        "answer_start": [gold.start for gold in question.answers],
    }
    return {"id": question.id, "question": question.question, "context": question.context, "answers": golds}


def write(file: Path, rows: list[dict[str, Any]]) -> Path:
    """A table by other means than ours; CSV holds the answers as JSON."""
    if file.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(file, index=False)
    elif file.suffix == ".jsonl":
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    else:
        cells = [{**row, "answers": json.dumps(row["answers"])} if "answers" in row else row for row in rows]
        pd.DataFrame(cells).to_csv(file, index=False)
    return file


def message(file: Path) -> str:
    """The one line about a file that cannot be used."""
    text = one_line(lambda: questions.read(file), DataError)
    assert str(file) in text
    return text
