"""Packed files of other people: decoded alike, and refused where they would take too much."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from db.base.errors import BundleError
from db.runs import bundles
from db.storage import changes, untrusted
from db.storage.store import Store
from tests.factories.importer_files import as_json, parquet, zipped
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


def _packed(columns: dict[str, Any], times: int = 1) -> bytes:
    entries = [{"member": "0.parquet", "table": "runs", "mode": "upsert"}] * times
    manifest = as_json({"featherboard": bundles.KIND, "format": 1, "changes": entries})
    return zipped({"manifest.json": manifest, "0.parquet": parquet(columns, compression="zstd", store_schema=False)})


def _manifest_alone(content: bytes) -> bytes:
    return zipped({"manifest.json": content}, zipfile.ZIP_DEFLATED)


def _swollen() -> dict[str, pa.Array]:
    """A million rows of one text of 20 KB: 20 GB of texts in a file of kilobytes."""
    indices = pa.array(np.zeros(1_000_000, dtype=np.int32))
    return {"run_id": pa.DictionaryArray.from_arrays(indices, pa.array(["x" * 20_000]))}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(_packed(_swollen()), "MiB", id="texts that repeat"),
        pytest.param(_packed({"run_id": pa.nulls(3_000_000, pa.int8())}), "rows", id="rows"),
        pytest.param(_packed({"run_id": ["a"]}, times=2), "0.parquet", id="a member that is named twice"),
        pytest.param(_packed({"run_id": [["a"]]}), "neither", id="nested values"),
        pytest.param(_packed({f"c{n}": ["a"] for n in range(300)}), "columns", id="columns"),
        pytest.param(zipped({"manifest.json": b"{}", **{f"{n}": b"" for n in range(100)}}), "members", id="members"),
        pytest.param(_manifest_alone(b" " * 300_000_000), "MiB unpacked", id="a long manifest"),
        pytest.param(_manifest_alone(b"[" * 100_000), "not a readable", id="a deep manifest"),
        pytest.param(b"no zip", "not a readable", id="no zip"),
        pytest.param(_packed({"run_id": ["a"]})[:-50], "not a readable", id="half a file"),
    ],
)
def test_what_takes_too_much_is_refused(content: bytes, message: str) -> None:
    """The process that refuses is another one; nothing of the file is decoded in this one."""
    with pytest.raises(BundleError, match=f"the bundle: .*{message}.*nothing was read"):
        untrusted.unpack(content, bundles.KIND, "the bundle")


@pytest.mark.parametrize(
    ("limit", "lower", "manifest", "message"),
    [
        pytest.param("SECONDS = 60", "SECONDS = 1", (b"[],", 20_000_000), "within the limits", id="time"),
        pytest.param("MEMORY = 2 * 1024", "MEMORY = 512", (b" ", 150_000_000), "unpacks to more", id="memory"),
    ],
)
def test_a_bundle_that_breaks_a_limit_harms_no_other(
    board: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    lower: str,
    manifest: tuple[bytes, int],
    message: str,
) -> None:
    """Its process ends alone: the next one is a copy of the same process, or of a new one if that has died too."""
    child = tmp_path / "child.py"
    child.write_text(untrusted._CHILD.read_text("utf-8").replace(f"\n{limit}", f"\n{lower}"))
    assert f"\n{lower}" in child.read_text("utf-8")
    monkeypatch.setattr(untrusted, "_CHILD", child)
    decoder = untrusted.Decoder()
    monkeypatch.setattr(untrusted, "DECODER", decoder)
    board.write(whole_run("first-run"))
    content, _ = bundles.bundle(board, ["first-run"])
    try:
        assert untrusted.unpack(content, bundles.KIND, "the first one")
        assert decoder._running is not None
        process, _ = decoder._running
        with pytest.raises(BundleError, match=message):
            untrusted.unpack(_manifest_alone(b"[" + manifest[0] * manifest[1]), bundles.KIND, "the bundle")
        assert untrusted.unpack(content, bundles.KIND, "the next one")
        assert decoder._running[0] is process, "what a bundle breaks is its own process"
        process.kill()
        process.wait()
        assert untrusted.unpack(content, bundles.KIND, "the next one")
    finally:
        decoder.close()


def test_the_child_knows_nothing_of_the_project() -> None:
    """It starts quickly, and reads no file but its input."""
    source = Path(untrusted.__file__).with_name("untrusted_child.py").read_text("utf-8")
    assert "from db" not in source
    assert "import db" not in source
