"""Writes as data: how rows go in, and how they travel in a file."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from db.base.errors import BundleError
from db.storage import changes
from db.storage.changes import KEYS, Change, pack, unpack
from db.storage.store import Store
from tests.factories.importer_files import parquet, zipped
from tests.factories.rows import change, contents, model_row, run_row, value_of, whole_run, with_tasks


@pytest.fixture
def store(store: Store) -> Store:
    """A store that knows the tasks and has no run."""
    return with_tasks(store)


def _curve(run_id: str, *values: float) -> list[dict[str, Any]]:
    return [{"run_id": run_id, "series": "loss", "step": step, "value": value} for step, value in enumerate(values)]


def _values(store: Store, run_id: str) -> list[float]:
    rows = store.query("SELECT value FROM curves WHERE run_id = ? ORDER BY step", [run_id])
    return rows["value"].tolist()


def test_upsert_inserts_new_and_overwrites_known_keys(store: Store) -> None:
    """An upsert touches the columns that it brings, of the keys that it brings, and adds what is not there."""
    store.write([change("models", model_row("a", params=1, language="ko"), model_row("b", params=2))])
    store.write([change("models", model_row("a", params=5), model_row("c", params=3))])
    rows = store.query("SELECT model_id, params, language FROM models ORDER BY model_id")
    assert rows["model_id"].tolist() == ["a", "b", "c"]
    assert rows["params"].tolist() == [5, 2, 3]
    assert rows["language"].iloc[0] == "ko", "a column that the upsert did not bring was changed"


def test_update_touches_existing_rows_only(store: Store) -> None:
    """An update changes the columns that it brings in rows that are there, and adds no row."""
    store.write(whole_run("run-00000001", notes="kept"))
    rows = [{"run_id": run_id, "status": "failed"} for run_id in ("run-00000001", "nobody")]
    store.write([change("runs", *rows, mode="update")])
    rows = store.query("SELECT run_id, status, notes FROM runs")
    assert rows.to_dict("list") == {"run_id": ["run-00000001"], "status": ["failed"], "notes": ["kept"]}


def test_replace_deletes_the_rows_of_its_keys_first(store: Store) -> None:
    """A replacement leaves exactly its own rows for the runs in it, and all rows of other runs."""
    store.write([change("curves", *_curve("a", 1, 2, 3), *_curve("b", 7, 8))])
    store.write([change("curves", *_curve("a", 9, 2), mode="replace")])
    assert _values(store, "a") == [9, 2]
    assert _values(store, "b") == [7, 8]


@pytest.mark.parametrize("mode", ["upsert", "update", "replace"])
def test_no_rows_change_nothing(store: Store, mode: Any) -> None:
    """A change without rows is allowed and changes nothing."""
    store.write(whole_run("run-00000001"))
    before = contents(store)
    assert store.write([Change("curves", pd.DataFrame(columns=["run_id", "series", "step"]), mode)]) == "committed"
    assert contents(store) == before


@pytest.mark.parametrize("table", ["schema_migrations", "ingested_batches", "models; DROP TABLE runs", ""])
def test_unknown_table_is_refused(table: str) -> None:
    """Only the listed tables may be written, and the message lists them."""
    with pytest.raises(ValueError, match=r"unknown table .* known: tasks, models, runs"):
        Change(table, pd.DataFrame({"run_id": ["a"]}))


@pytest.mark.parametrize("table", KEYS)
def test_missing_key_is_refused(table: str) -> None:
    """Rows without a key column are refused before anything is opened, and the message names the columns."""
    with pytest.raises(ValueError, match=f"rows for {table} lack the key column.* {', '.join(KEYS[table])}"):
        Change(table, pd.DataFrame({"value": [1]}))


def test_unknown_column_is_refused_and_nothing_written(store: Store) -> None:
    """A column that the table lacks is named, even one that is SQL, and nothing goes in."""
    store.write([change("models", model_row("a"))])
    before = contents(store)
    for column in ("colour", "name) SELECT 1; DROP TABLE runs; --"):
        with pytest.raises(ValueError, match="models has no column"):
            store.write([change("models", model_row("b", **{column: "x"}))])
    assert contents(store) == before


def test_every_listed_table_has_its_key_columns(store: Store) -> None:
    """The keys that the code knows are columns of the schema."""
    with store.read() as con:
        for table, keys in KEYS.items():
            columns = {row[0] for row in con.execute(f"DESCRIBE {table}").fetchall()}
            assert set(keys) <= columns, f"{table} lacks {set(keys) - columns}"


def test_pack_and_unpack_keep_rows_types_and_modes() -> None:
    """A packed file gives back the same tables, modes, values and types, missing values and all."""
    rows = pd.DataFrame(
        {
            "run_id": ["한국어", "emoji 🪶", "", "a" * 10_000],
            "seed": pd.array([1, None, 2**62 + 1, -3], dtype="Int64"),
            "created_at": pd.Series(["2026-03-01 12:00:00.123456", None, "1999-12-31", "2262-01-01"]).astype(
                "datetime64[us]"
            ),
            "train_seconds": [0.1, float("nan"), -0.0, 1e308],
            "verified": [True, False, True, False],
            "notes": ["a\nb", None, "\u202eright to left", "x\x00y"],
        }
    )
    batch = [Change("runs", rows, "update"), Change("curves", pd.DataFrame(_curve("a", 1.5, 2.5)), "replace")]
    back = unpack(pack(batch, "kind"), "kind", "file")
    assert [(item.table, item.mode) for item in back] == [("runs", "update"), ("curves", "replace")]
    for expected, unpacked in zip(batch, back, strict=True):
        assert_frame_equal(expected.rows, unpacked.rows)


def test_same_changes_are_the_same_bytes() -> None:
    """Packing twice gives equal files, so that bundles can be compared by their hash."""
    batch = whole_run("run-00000001")
    assert pack(batch, "kind", {"runs": 1}) == pack(batch, "kind", {"runs": 1})


def _manifest(**columns: Any) -> bytes:
    entry = {"member": "000-runs.parquet", "table": "runs", "mode": "upsert"}
    return json.dumps({"featherboard": "kind", "format": 1, "changes": [entry], **columns}).encode()


_PARQUET = parquet({name: [value] for name, value in run_row("run-00000001").items()})


def _good() -> bytes:
    return zipped({"manifest.json": _manifest(), "000-runs.parquet": _PARQUET})


MALFORMED = {
    "empty": b"",
    "not a zip": "이것은 꾸러미가 아닙니다".encode(),
    "truncated": _good()[:-40],
    "start cut off": _good()[40:],
    "no manifest": zipped({"000-runs.parquet": _PARQUET}),
    "manifest is not JSON": zipped({"manifest.json": b"{", "000-runs.parquet": _PARQUET}),
    "manifest is a list": zipped({"manifest.json": b"[]"}),
    "no list of changes": zipped({"manifest.json": b'{"featherboard": "kind", "format": 1}'}),
    "other kind": zipped({"manifest.json": _manifest(featherboard="other"), "000-runs.parquet": _PARQUET}),
    "other format": zipped({"manifest.json": _manifest(format=2), "000-runs.parquet": _PARQUET}),
    "missing member": zipped({"manifest.json": _manifest()}),
    "member is not Parquet": zipped({"manifest.json": _manifest(), "000-runs.parquet": b"PAR1 no"}),
    "unknown table": zipped(
        {"manifest.json": _manifest(changes=[{"member": "x", "table": "users", "mode": "upsert"}]), "x": _PARQUET}
    ),
    "rows without key": zipped(
        {"manifest.json": _manifest(changes=[{"member": "x", "table": "curves", "mode": "upsert"}]), "x": _PARQUET}
    ),
}


def test_the_well_formed_bundle_is_read() -> None:
    """The file that the malformed ones are made from can be read, so that each of them fails for its own reason."""
    (item,) = unpack(_good(), "kind", "file")
    assert item.rows["run_id"].tolist() == ["run-00000001"]


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_malformed_file_is_one_clear_error(content: bytes) -> None:
    """Whatever is wrong with a packed file is told in one line that names the file and says that nothing was read."""
    with pytest.raises(BundleError, match=r"some\.zip: .*nothing was read") as caught:
        unpack(content, "kind", "some.zip")
    assert "\n" not in str(caught.value)


def test_damaged_byte_in_a_member_is_an_error() -> None:
    """A flipped bit inside a table is noticed."""
    content = bytearray(_good())
    content[content.index(b"PAR1") + 20] ^= 0xFF
    with pytest.raises(BundleError, match="nothing was read"):
        unpack(bytes(content), "kind", "file")


@pytest.mark.parametrize("name", ["../escaped.parquet", "/tmp/fb-escaped.parquet", "..\\escaped.parquet", "a/../../b"])  # noqa: S108
def test_path_in_a_member_name_is_never_written(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A member's name is only a name: its table is read and no file appears anywhere."""
    folder = tmp_path / "in" / "here"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    entry = {"member": name, "table": "runs", "mode": "upsert"}
    (item,) = unpack(zipped({"manifest.json": _manifest(changes=[entry]), name: _PARQUET}), "kind", "file")
    assert item.rows["run_id"].tolist() == ["run-00000001"]
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
    assert not Path("/tmp/fb-escaped.parquet").exists()  # noqa: S108


def test_member_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member larger than the limit is refused by its declared size, before it is unpacked."""
    monkeypatch.setattr(changes, "_MEMBER_LIMIT", 1000)
    content = zipped({"manifest.json": _manifest(), "000-runs.parquet": bytes(1_000_000)}, zipfile.ZIP_DEFLATED)
    with pytest.raises(BundleError, match="unpacks to more than"):
        unpack(content, "kind", "file")


def test_unpacked_rows_go_in_as_they_were(store: Store) -> None:
    """Rows that travelled in a file write the same tables as rows that did not."""
    other = with_tasks(Store(store.path.with_name("other.duckdb")))
    batch = whole_run("run-00000001", notes=None, teacher="코일렉트라")
    store.write(batch)
    other.write(unpack(pack(batch, "kind"), "kind", "file"))
    assert contents(store) == contents(other)
    assert value_of(other, "SELECT teacher FROM runs") == "코일렉트라"
