"""Export, import, export is the identity for bundles."""

import math
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.runs import bundles
from db.storage.changes import unpack
from db.storage.store import Store
from tests.factories.examples import examples
from tests.factories.rows import T0, change, model_row, run_row, with_tasks

pytestmark = pytest.mark.random

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)
MAYBE = st.none() | TEXT
REAL = st.floats(allow_nan=False, allow_infinity=False)
TIME = st.integers(0, 10**13).map(lambda microseconds: T0 + timedelta(microseconds=microseconds))
RUN = st.fixed_dictionaries(
    {"name": TEXT, "notes": MAYBE, "device": MAYBE, "teacher": MAYBE, "citation": MAYBE, "command": MAYBE}
    | {"seed": st.none() | st.integers(-(2**63), 2**63 - 1), "train_seconds": st.none() | st.floats(0, 1e9)}
    | {"created_at": TIME, "updated_at": TIME, "status": st.sampled_from(["finished", "interrupted", "diverged"])}
)
MODEL = st.fixed_dictionaries(
    {"name": TEXT, "family": TEXT, "link": MAYBE, "params": st.none() | st.integers(1, 2**62), "language": MAYBE}
)
CURVE = st.dictionaries(st.tuples(TEXT, st.integers(0, 2**40)), st.tuples(REAL, st.none() | st.floats(0, 1e6)))
ANSWERS = st.dictionaries(TEXT, st.tuples(TEXT, MAYBE, st.none() | st.floats(0, 1)))
METRICS = st.dictionaries(st.sampled_from(["accuracy", "perplexity", "em", "f1"]), st.floats(0, 1))


@st.composite
def _runs(draw: st.DrawFn) -> list[Any]:
    """A model with up to three runs, as changes."""
    batch = [change("models", model_row(**draw(MODEL)))]
    for number in range(draw(st.integers(1, 3))):
        run_id = f"run-{number:08}"
        batch.append(change("runs", run_row(run_id, **draw(RUN))))
        curve, answers, metrics = draw(CURVE), draw(ANSWERS), draw(METRICS)
        rows: dict[str, list[dict[str, Any]]] = {
            "curves": [
                {"series": series, "step": step, "epoch": epoch, "value": value, "wall_time": None}
                for (series, step), (value, epoch) in curve.items()
            ],
            "predictions": [
                {"example_id": example, "gold": gold, "predicted": predicted, "score": score}
                for example, (gold, predicted, score) in answers.items()
            ],
            "metrics": [
                {"name": name, "value": value, "n": None, "low": None, "high": None} for name, value in metrics.items()
            ],
        }
        batch += [
            change(
                table,
                *({"run_id": run_id} | row for row in parts),
                mode="replace" if table == "predictions" else "upsert",
            )
            for table, parts in rows.items()
            if parts
        ]
    return batch


def _tables(content: bytes) -> dict[str, list[tuple[Any, ...]]]:
    return {
        part.table: list(map(_comparable, part.rows.itertuples(index=False)))
        for part in unpack(content, bundles.KIND, "")
    }


def _comparable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row in which missing values are equal."""
    return tuple(
        None if value is pd.NaT or (isinstance(value, float) and math.isnan(value)) else value for value in row
    )


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with tasks and no runs."""
    return with_tasks(Store(tmp_path_factory.mktemp("empty") / "board.duckdb")).path


@given(_runs())
@examples(10, 500)
def test_what_a_bundle_carries_leaves_another_board_as_it_came(empty: Path, batch: list[Any]) -> None:
    """Every value of every table, for texts of any letters and numbers of any size."""
    with tempfile.TemporaryDirectory() as folder:
        names = (Path(folder) / name for name in ("first.duckdb", "second.duckdb"))
        first, second = (Store(Path(shutil.copyfile(empty, name))) for name in names)
        first.write(batch)
        exported, count = bundles.bundle(first)
        assert bundles.import_bytes(second, exported, "a bundle").added == count
        assert _tables(bundles.bundle(second)[0]) == _tables(exported)
