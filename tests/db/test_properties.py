"""What must hold for any rows, found by trying many."""

import string
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from db.runs.bundles import export_runs, import_runs
from db.runs.writer import MetricValue, RunWriter, metrics_change
from db.storage.changes import Change, pack, unpack
from db.storage.store import Store
from tests.factories.examples import examples
from tests.factories.rows import change, model_facts, model_row, run_facts, run_row, travelled, with_tasks

# Examples that open a database are small, and shrinking one would take minutes.
FEW = examples(5, 50, phases=[Phase.generate])

texts = st.text(st.characters(codec="utf-8"), max_size=30)
names = st.text(string.ascii_lowercase, min_size=1, max_size=6)
keys = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)
floats = st.floats(allow_nan=False, allow_infinity=False)
whole = st.integers(-(2**63), 2**63 - 1)
times = st.datetimes(datetime(1970, 1, 1), datetime(2025, 1, 1))  # noqa: DTZ001 - times in the database have no zone
maybe = st.none()

run_rows = st.fixed_dictionaries(
    {
        "run_id": st.text(string.hexdigits, min_size=8, max_size=32),
        "name": texts,
        **dict.fromkeys(("notes", "device", "teacher", "citation", "command"), maybe | texts),
        "seed": maybe | whole,
        "train_seconds": maybe | floats,
        "status": st.sampled_from(["finished", "failed", "interrupted", "diverged"]),
        "created_at": times,
        "updated_at": times,
        "verified": st.booleans(),
        "heartbeat": maybe | times,
    }
)
model_columns = st.fixed_dictionaries(
    {"name": texts, "family": texts, "link": maybe | texts, "language": maybe | texts}
    | {"params": maybe | st.integers(1, 2**62)}
)
figures = st.dictionaries(names, floats, max_size=4)
curves = st.dictionaries(st.tuples(keys, st.integers(0, 2**40)), st.tuples(floats, maybe | floats), max_size=5)
predictions = st.dictionaries(keys, st.tuples(texts, maybe | texts, maybe | st.floats(0, 1, width=32)), max_size=4)
whole_runs = st.lists(
    st.tuples(run_rows, model_columns, figures, curves, predictions),
    min_size=1,
    max_size=3,
    unique_by=lambda rows: rows[0]["run_id"],
)


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder of one example's own: a fixture would be shared by all examples."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _batch(made: list[Any]) -> list[Change]:
    runs, models, metrics, points, guesses = [], [], [], [], []
    for row, columns, figure, curve, guessed in made:
        run_id = row["run_id"]
        models.append(model_row(f"of-{run_id}", **columns))
        runs.append(run_row(**row, model_id=f"of-{run_id}"))
        metrics.append(metrics_change(run_id, [MetricValue(name, value) for name, value in figure.items()]).rows)
        points += [
            {"run_id": run_id, "series": series, "step": step, "value": value, "epoch": epoch}
            for (series, step), (value, epoch) in curve.items()
        ]
        guesses += [
            {"run_id": run_id, "example_id": example_id, "gold": gold, "predicted": predicted, "score": score}
            for example_id, (gold, predicted, score) in guessed.items()
        ]
    # A frame of dicts would make floats of whole numbers beside missing ones.
    seeds = pd.array([row["seed"] for row in runs], dtype="Int64")
    params = pd.array([row["params"] for row in models], dtype="Int64")
    batch = [Change("models", pd.DataFrame(models).assign(params=params))]
    batch += [Change("runs", pd.DataFrame(runs).assign(seed=seeds)), Change("metrics", pd.concat(metrics))]
    if points:
        batch.append(change("curves", *points))
    if guesses:
        batch.append(change("predictions", *guesses, mode="replace"))
    return batch


def _plain(rows: pd.DataFrame) -> list[tuple[Any, ...]]:
    return [tuple(None if pd.isna(value) else value for value in row) for row in rows.itertuples(index=False)]


@given(whole_runs)
@FEW
def test_what_is_written_is_what_is_read(made: list[Any]) -> None:
    """Any valid runs, figures, curves and predictions are read as they were written."""
    with _folder() as folder:
        store = with_tasks(Store(folder / "a.duckdb"))
        store.write(_batch(made))
        with store.read() as con:
            for row, model, figure, curve, guesses in made:
                run = [row["run_id"]]
                columns = ", ".join(model)
                stored = con.execute(f"SELECT {columns} FROM models WHERE model_id = ?", [f"of-{run[0]}"]).fetchall()
                assert stored == [tuple(model.values())]
                columns = ", ".join(row)
                stored = con.execute(f"SELECT {columns} FROM runs WHERE run_id = ?", run).fetchall()
                assert stored == [tuple(row.values())]
                rows = con.execute("SELECT name, value FROM metrics WHERE run_id = ?", run).fetchall()
                assert dict(rows) == figure
                rows = con.execute("SELECT series, step, value, epoch FROM curves WHERE run_id = ?", run).fetchall()
                assert {(series, step): point for series, step, *point in rows} == {key: [*curve[key]] for key in curve}
                rows = con.execute(
                    "SELECT example_id, gold, predicted, score FROM predictions WHERE run_id = ?", run
                ).fetchall()
                assert {example_id: tuple(guess) for example_id, *guess in rows} == guesses


@given(whole_runs)
@FEW
def test_export_and_import_are_the_identity(made: list[Any]) -> None:
    """Any runs that are exported and imported elsewhere are the same there, also after a second import."""
    with _folder() as folder:
        first, second = with_tasks(Store(folder / "a.duckdb")), with_tasks(Store(folder / "b.duckdb"))
        first.write(_batch(made))
        export_runs(first, folder / "runs.zip")
        assert import_runs(second, folder / "runs.zip").added == len(made)
        assert travelled(second) == travelled(first)
        assert import_runs(second, folder / "runs.zip").unchanged == len(made)
        assert travelled(second) == travelled(first)


steps = st.lists(
    st.tuples(
        st.sampled_from(["upsert", "update", "replace"]),
        st.dictionaries(
            st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), st.integers(0, 99), min_size=1, max_size=4
        ),
    ),
    min_size=1,
    max_size=6,
)


@given(steps)
@FEW
def test_any_order_of_writes_is_that_of_a_dictionary(made: list[Any]) -> None:
    """Upserts, updates and replacements in any order leave what the same steps leave in a dictionary."""
    model: dict[tuple[str, str], float] = {}
    with _folder() as folder:
        store = with_tasks(Store(folder / "a.duckdb"))
        for mode, rows in made:
            store.write(
                [
                    change(
                        "metrics",
                        *(
                            {"run_id": run_id, "name": name, "value": float(value)}
                            for (run_id, name), value in rows.items()
                        ),
                        mode=mode,
                    )
                ]
            )
            if mode == "update":
                model.update({key: value for key, value in rows.items() if key in model})
                continue
            if mode == "replace":
                gone = {run_id for run_id, _ in rows}
                model = {key: value for key, value in model.items() if key[0] not in gone}
            model.update(rows)
        metrics = store.query("SELECT run_id, name, value FROM metrics")
        assert {(run_id, name): value for run_id, name, value in _plain(metrics)} == model


columns = {
    "notes": st.lists(maybe | texts, min_size=3, max_size=3),
    "seed": st.lists(maybe | whole, min_size=3, max_size=3).map(lambda values: pd.array(values, dtype="Int64")),
    "train_seconds": st.lists(st.floats(), min_size=3, max_size=3),
    "verified": st.lists(st.booleans(), min_size=3, max_size=3),
    "created_at": st.lists(times, min_size=3, max_size=3),
}


@given(st.fixed_dictionaries({}, optional=columns), st.sampled_from(["upsert", "update", "replace"]))
@settings(max_examples=60, deadline=None, database=None)
def test_packing_and_unpacking_is_the_identity(values: dict[str, Any], mode: Any) -> None:
    """Any frame comes out of a packed file with the values, types and mode that went in."""
    rows = pd.DataFrame({"run_id": ["a", "b", "c"], **values})
    (back,) = unpack(pack([Change("runs", rows, mode)], "kind"), "kind", "file")
    assert (back.table, back.mode) == ("runs", mode)
    assert_frame_equal(back.rows, rows)


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(width=32)), max_size=9), st.integers(3, 5))
@FEW
def test_curve_of_a_run_is_its_last_finite_values(points: list[tuple[int, float]], every: int) -> None:
    """However points and flushes alternate, each step has its last finite value, and any other value marks the run."""
    finite = {step: value for step, value in points if abs(value) < float("inf")}
    lost = any(not abs(value) < float("inf") for _, value in points)
    with _folder() as folder:
        store = with_tasks(Store(folder / "a.duckdb"))
        writer = RunWriter.start(store, model_facts(), run_facts())
        for number, (step, value) in enumerate(points):
            writer.point("loss", step, value, epoch=0.0, wall_time=0.0)
            if number % every == 0:
                writer.beat(force=True)
        writer.finish([], train_seconds=0.0)
        assert dict(_plain(store.query("SELECT step, value FROM curves"))) == finite
        assert store.query("SELECT status FROM runs")["status"].tolist() == ["diverged" if lost else "finished"]
