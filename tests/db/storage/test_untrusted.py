"""Packed files of other people: decoded alike, and refused where they would take too much."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from db.base.errors import BundleError
from db.runs import bundles
from db.storage import changes, untrusted
from db.storage.store import Store
from tests.factories.rows import whole_run


def test_a_bundle_is_decoded_as_in_this_process(board: Store) -> None:
    """Every table with its types, missing values and times."""
    board.write([*whole_run("first-run"), *whole_run("second-run", notes="한글", train_seconds=None)])
    content, _ = bundles.bundle(board, ["first-run", "second-run"])
    plain = changes.unpack(content, bundles.KIND, "x")
    guarded = untrusted.unpack(content, bundles.KIND, "x")
    assert [(change.table, change.mode) for change in guarded] == [(change.table, change.mode) for change in plain]
    for change, other in zip(guarded, plain, strict=True):
        assert change.rows.equals(other.rows), change.table
        assert list(change.rows.dtypes) == list(other.rows.dtypes), change.table


def _packed(table: pa.Table, times: int = 1) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", store_schema=False)
    entries = [{"member": "0.parquet", "table": "runs", "mode": "upsert"}] * times
    return _zip(json.dumps({"featherboard": bundles.KIND, "format": 1, "changes": entries}), {"0.parquet": sink})


def _zip(manifest: str, members: dict[str, io.BytesIO]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest)
        for name, member in members.items():
            archive.writestr(name, member.getvalue())
    return buffer.getvalue()


def _swollen() -> pa.Table:
    """A million rows of one text of 20 KB: 20 GB of texts in a file of kilobytes."""
    indices = pa.array(np.zeros(1_000_000, dtype=np.int32))
    return pa.table({"run_id": pa.DictionaryArray.from_arrays(indices, pa.array(["x" * 20_000]))})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(_packed(_swollen()), "MiB", id="texts that repeat"),
        pytest.param(_packed(pa.table({"run_id": pa.nulls(3_000_000, pa.int8())})), "rows", id="rows"),
        pytest.param(_packed(pa.table({"run_id": ["a"]}), times=2), "0.parquet", id="a member that is named twice"),
        pytest.param(_packed(pa.table({"run_id": [["a"]]})), "neither", id="nested values"),
        pytest.param(_packed(pa.table({f"c{n}": ["a"] for n in range(300)})), "columns", id="columns"),
        pytest.param(_zip("{}", {f"{n}": io.BytesIO() for n in range(100)}), "members", id="members"),
        pytest.param(_zip(" " * 300_000_000, {}), "MiB unpacked", id="a long manifest"),
        pytest.param(_zip("[" * 100_000, {}), "not a readable", id="a deep manifest"),
        pytest.param(b"no zip", "not a readable", id="no zip"),
        pytest.param(_packed(pa.table({"run_id": ["a"]}))[:-50], "not a readable", id="half a file"),
    ],
)
def test_what_takes_too_much_is_refused(content: bytes, message: str) -> None:
    """The process that refuses is another one; nothing of the file is decoded in this one."""
    with pytest.raises(BundleError, match=f"the bundle: .*{message}.*nothing was read"):
        untrusted.unpack(content, bundles.KIND, "the bundle")


def test_the_child_knows_nothing_of_the_project() -> None:
    """It starts quickly, and reads no file but its input."""
    source = Path(untrusted.__file__).with_name("untrusted_child.py").read_text("utf-8")
    assert "from db" not in source
    assert "import db" not in source
