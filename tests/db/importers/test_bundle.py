"""Our own bundles, and zip and Parquet files that only look like them."""

import io
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from db.base.errors import SubmissionError
from db.importers import guarded, guarded_child, read, safe_json, tables
from db.runs.bundles import bundle
from db.storage import untrusted
from db.storage.store import Store
from tests import paths
from tests.factories.importer_files import as_json, parquet, unzipped, zipped
from tests.factories.rows import whole_run, with_tasks

MEASURED = paths.REPO / "db" / "bootstrap" / "results" / "measured"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two runs, of which the second has no figures."""
    made = with_tasks(Store(tmp_path_factory.mktemp("bundle") / "board.duckdb"))
    made.write(
        [
            *whole_run("run-00000001", seed=7, train_seconds=12.5, device="CPU", notes="<b>주장</b>"),
            *whole_run("run-00000002", accuracy=None, model_id="other"),
        ]
    )
    return made


@pytest.fixture(scope="module")
def archive(store: Store) -> bytes:
    """A bundle of the first run alone."""
    return bundle(store, ["run-00000001"])[0]


def _refused(content: bytes, name: str = "runs.zip") -> str:
    with pytest.raises(SubmissionError) as caught:
        read(name, content)
    return str(caught.value)


def test_a_run_of_a_bundle_is_a_claim(archive: bytes) -> None:
    """With its predictions and curves; the count of another installation is somebody's word from here."""
    imported = read("runs.zip", archive)
    assert imported.kind == "bundle"
    assert imported.drafts == (
        {
            "task": "nsmc",
            "model": "tiny",
            "family": "KoBiLSTM",
            "architecture": "bilstm",
            "dataset": "nsmc",
            "seed": 7,
            "device": "CPU",
            "notes": "<b>주장</b>",
            "train_seconds": 12.5,
            "metrics": {"accuracy": 0.875, "latency_ms_p50": 0.5},
        },
    )
    assert imported.predictions is not None
    assert imported.predictions.to_dict("list") == {
        "example_id": ["0", "1"],
        "predicted": ["0", "1"],
        "score": [0.75, 0.75],
    }
    assert imported.curves is not None
    assert imported.curves.to_dict("list") == {
        "series": ["loss", "loss"],
        "step": [1, 2],
        "epoch": [0.5, 1.0],
        "value": [1.0, 0.5],
    }
    assert imported.unknown == ("table artifacts",)


def test_several_runs_come_without_predictions(store: Store) -> None:
    """Each is a claim, and the note says where predictions are taken from."""
    imported = read("runs.zip", bundle(store)[0])
    assert [draft.get("metrics") for draft in imported.drafts] == [{"accuracy": 0.875, "latency_ms_p50": 0.5}, None]
    assert imported.predictions is None
    assert imported.curves is None
    assert imported.notes[0].startswith("The bundle holds 2 runs")


@pytest.mark.parametrize("path", sorted(MEASURED.glob("*.zip")), ids=lambda path: path.stem)
def test_the_shipped_runs_are_read(path: Path) -> None:
    """Every bundle that comes with the project is one that could be handed in."""
    imported = read(path.name, path.read_bytes())
    assert imported.drafts
    assert all(draft["task"] and draft["model"] for draft in imported.drafts)


def test_answers_without_their_texts_are_no_predictions(archive: bytes) -> None:
    """An export may withhold them; from here such a run cannot be verified, which is told."""
    imported = read("runs.zip", _changed(archive, _named(archive)["predictions"], predicted="withheld-0a1b"))
    assert imported.predictions is None
    assert "withheld at export" in imported.notes[0]


def _link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("manifest.json")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


BAD: dict[str, tuple[Callable[[dict[str | zipfile.ZipInfo, bytes]], bytes], str]] = {
    "a path": (lambda inside: zipped({**inside, "../../etc/passwd": b"x"}), "its path leads out of the archive"),
    "an absolute path": (lambda inside: zipped({**inside, "/etc/passwd": b"x"}), "its path leads out of the archive"),
    "a drive": (lambda inside: zipped({**inside, "C:x.parquet": b"x"}), "its path leads out of the archive"),
    "a backslash": (lambda inside: zipped({**inside, "..\\x": b"x"}), "its path leads out of the archive"),
    "a link": (lambda inside: zipped({_link(): b"/etc/passwd"}), "a link, a folder or a device"),
    "a folder": (lambda inside: zipped({**inside, "runs/": b""}), "a link, a folder or a device"),
    "another member": (lambda inside: zipped({**inside, "extra.txt": b"x"}), "a bundle has no such member"),
    "a pickle": (lambda inside: zipped({**inside, "archive/data.pkl": b"x"}), "a zip with a pickle in it"),
    "a table that is none": (lambda inside: zipped({**inside, "009-secrets.parquet": b"x"}), "no such member"),
    "a bomb": (
        lambda inside: zipped({**inside, "009-slices.parquet": bytes(50_000_000)}, zipfile.ZIP_DEFLATED),
        "it unpacks to 100 times its size",
    ),
    "another compression": (lambda inside: zipped(inside, zipfile.ZIP_LZMA), "its compression is neither"),
    "many members": (
        lambda inside: zipped({**inside, **{f"{n:03d}-runs.parquet": b"" for n in range(9, 80)}}),
        "more than 64 members",
    ),
    "no manifest": (
        lambda inside: zipped({"000-models.parquet": inside["000-models.parquet"]}),
        "a zip that is no Featherboard bundle",
    ),
    "another kind": (
        lambda inside: zipped({**inside, "manifest.json": b'{"featherboard": "spool", "format": 1}'}),
        "manifest.json: not a Featherboard run bundle of format 1",
    ),
    "a newer format": (
        lambda inside: zipped({**inside, "manifest.json": as_json({"featherboard": "run bundle", "format": 2})}),
        "not a Featherboard run bundle of format 1",
    ),
    "no runs": (
        lambda inside: zipped({**inside, "manifest.json": as_json({"featherboard": "run bundle", "format": 1})}),
        "the bundle holds no runs",
    ),
    "a deep manifest": (lambda inside: zipped({**inside, "manifest.json": b"[" * 100_000}), "64 levels deep"),
    "a damaged table": (
        lambda inside: zipped({**inside, "001-runs.parquet": inside["001-runs.parquet"][:-9]}),
        "001-runs.parquet: no Parquet file that can be read",
    ),
    "half a file": (lambda inside: zipped(inside)[:-100], "no zip that can be read"),
    "an office file": (lambda inside: zipped({"[Content_Types].xml": b"x"}), "an Office file that is no workbook"),
    "another zip": (lambda inside: zipped({"notes.txt": b"x"}), "a zip that is no Featherboard bundle; unpack it"),
}


@pytest.mark.parametrize("case", BAD)
def test_zip_files_that_are_refused(case: str, archive: bytes) -> None:
    """Paths, links, bombs, strangers and damage, each told in words."""
    make, message = BAD[case]
    assert message in _refused(make(unzipped(archive)))


def test_a_member_that_lies_about_its_size(archive: bytes) -> None:
    """The size in the list of members is not believed."""
    content = bytearray(archive)
    entry = content.index(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = (5).to_bytes(4, "little")
    assert _refused(bytes(content))


def _changed(archive: bytes, member: str, **columns: Any) -> bytes:
    inside = unzipped(archive)
    frame = pd.read_parquet(io.BytesIO(inside[member])).assign(**columns)
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return zipped({**inside, member: buffer.getvalue()})


def _named(archive: bytes) -> dict[str, str]:
    return {str(name).rpartition("-")[2].removesuffix(".parquet"): str(name) for name in unzipped(archive)}


def test_rows_that_do_not_fit(archive: bytes) -> None:
    """A figure that is no number, a run without its model, predictions that are no texts."""
    names = _named(archive)
    assert "an infinite number" in _refused(_changed(archive, names["metrics"], value=float("inf")))
    assert "has no value" in _refused(_changed(archive, names["metrics"], value=float("nan")))
    assert 'the model "x" of a run is missing' in _refused(_changed(archive, names["runs"], model_id="x"))
    assert "example_id and predicted must be texts" in _refused(_changed(archive, names["predictions"], predicted=3))
    assert "0 measured or submitted runs" in _refused(_changed(archive, names["runs"], source="reported"))


def test_a_table_that_stands_twice(archive: bytes) -> None:
    """The manifest names each table once."""
    inside = unzipped(archive)
    manifest = json.loads(inside["manifest.json"])
    manifest["changes"].append(manifest["changes"][0])
    assert "changes[6]: the table models stands twice" in _refused(
        zipped({**inside, "manifest.json": as_json(manifest)})
    )


def test_a_parquet_file_that_ends_its_reader_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Some damaged files end the process that reads them; it is another one than ours."""
    crash = tmp_path / "child.py"
    crash.write_text("import os\nos.abort()\n")
    monkeypatch.setattr(guarded, "_DECODER", crash)
    assert "no Parquet file that can be read within its limits" in _refused(parquet({"id": ["1"]}), "p.parquet")


def test_a_parquet_file_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Reading has an end, whatever the file does."""
    slow = tmp_path / "child.py"
    slow.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(guarded, "_DECODER", slow)
    monkeypatch.setattr(untrusted, "_SECONDS", 0.3)
    assert "no Parquet file that can be read within its limits" in _refused(parquet({"id": ["1"]}), "p.parquet")


def test_limits_of_parquet_are_those_of_other_tables() -> None:
    """The process that reads it imports nothing of the project, so its limits are written twice."""
    assert (guarded_child.MOST_ROWS, guarded_child.MOST_COLUMNS) == (tables.MOST_ROWS, tables.MOST_COLUMNS)
    assert guarded_child.MOST_CELLS <= safe_json.MOST_VALUES


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({f"c{n}": [1] for n in range(501)}, "501 columns; at most 500 are read"),
        ({"a": pa.array([1] * 500_001, "int8")}, "500,001 rows of 1 columns; at most 500,000 rows"),
        ({"id": ["1"], "predicted": ["a\0b"]}, "columns.predicted[0]: the text holds U+0000"),
        ({"id": [[1]], "when": [[2]]}, "the table has no columns of texts or numbers"),
    ],
    ids=["columns", "rows", "zero", "lists"],
)
def test_parquet_files_that_are_refused(columns: dict[str, Any], message: str) -> None:
    """Too much, or nothing that can be used."""
    assert message in _refused(parquet(columns), "p.parquet")
