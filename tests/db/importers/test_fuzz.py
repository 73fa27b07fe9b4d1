"""Whatever is handed in, ``read`` answers or refuses in words; it never fails in another way."""

import json
import math
import resource
import struct
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.base.errors import SubmissionError
from db.importers import columns, guess, read
from tests.factories.examples import examples
from tests.factories.importer_files import NAMES, as_json, content, parquet, safetensors, zipped

FEW = examples(40, 150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
MANY = settings(FEW, max_examples=13_000)
SECONDS = 60
"""Of the processor, for a file; a machine may be ten times slower than ours."""

_KEYS = (
    "results config log_history step epoch loss eval_loss eval_accuracy train_runtime info data metrics params tags "
    "run key value start_time end_time status run_name text probability model-index name task dataset type split "
    "license language datasets model base_model model_type architectures vocab_size hidden_size num_hidden_layers "
    "id2label recipe intermediate_size max_position_embeddings type_vocab_size kind widths filters embedding_dim "
    "hidden_dim num_labels about mnli acc,none acc_stderr,none n-shot n-samples original effective model_args "
    "model_name versions dtype shape data_offsets _step train/loss id predicted score accuracy training seed "
    "featherboard format changes member table exact_match f1 _name_or_path embedding_size label total_flos _runtime "
    "train/global_step"
)
KEYS = _KEYS.split()
_WORDS = (
    "bert roberta electra bilstm cnn BertModel ElectraForMaskedLM F32 BF16 nsmc glue f1 mnli accuracy 87.84% 00:49:15 "
    "- =1+1 nan 1e400"
)
WORDS = [*_WORDS.split(), "step 100", "run bundle"]
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(0, 4)
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
)
keys = st.sampled_from(KEYS) | st.text(max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6), max_leaves=25
)
objects = st.dictionaries(keys, values, min_size=1, max_size=8)
ENDINGS = "csv json jsonl yaml md zip parquet bin"
names = st.sampled_from(
    [*NAMES, "x", *(f"x.{ending}" for ending in ENDINGS.split()), "model.safetensors", "a\x00\ud800.tsv"]
)


def _binary() -> list[bytes]:
    table = parquet({"id": ["1", "2"], "predicted": ["a", "b"], "score": [0.5, float("nan")], "n": [1, None]})
    manifest = {
        "featherboard": "run bundle",
        "format": 1,
        "changes": [
            {"member": "000-models.parquet", "table": "models", "mode": "upsert"},
            {"member": "001-runs.parquet", "table": "runs", "mode": "upsert"},
        ],
    }
    bundle = zipped(
        {
            "manifest.json": as_json(manifest),
            "000-models.parquet": parquet({"model_id": ["m"], "name": ["M"]}),
            "001-runs.parquet": parquet({"run_id": ["r"], "model_id": ["m"], "task_id": ["nsmc"]}),
        }
    )
    return [table, bundle, safetensors({"a": ("F32", (2, 3)), "b": ("I64", (2,))})]


FILES = [content(name) for name in NAMES] + _binary()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A real file with some of its bytes changed, taken out, doubled or cut off."""
    body = bytearray(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(1, 6))):
        position = draw(st.integers(0, max(len(body) - 1, 0)))
        how = draw(st.integers(0, 4))
        if how == 0:
            body[position : position + 1] = draw(st.binary(min_size=1, max_size=4))
        elif how == 1:
            del body[position : position + draw(st.integers(1, 40))]
        elif how == 2:
            body[position:position] = body[max(0, position - 40) : position]
        elif how == 3:
            body[position:position] = draw(
                st.sampled_from([b"NaN", b"1e400", b"\xff", b'"', b"\n", b",", b"\x00", b"[[[[", b"-"])
            )
        else:
            del body[position:]
    return bytes(body)


def _holds(name: str, body: bytes, mapping: dict[str, str] | None = None) -> None:
    """What must hold of any file, and the time that it may take."""
    began = time.process_time()
    _read_or_refused(name, body, mapping)
    assert time.process_time() - began < SECONDS


def _read_or_refused(name: str, body: bytes, mapping: dict[str, str] | None) -> None:
    try:
        imported = read(name, body, mapping)
    except SubmissionError as error:
        message = str(error)
        assert message.isprintable()
        assert 10 < len(message) < 2000
        return
    assert imported.kind
    for draft in imported.drafts:
        json.dumps(draft, allow_nan=False).encode()
        json.dumps(draft, allow_nan=False, ensure_ascii=False).encode()
    for message in (*imported.unknown, *imported.notes):
        assert message.isprintable()
    assert imported.params is None or 0 < imported.params <= 10**15
    if imported.predictions is not None:
        assert list(imported.predictions.columns) == ["example_id", "predicted", "score"]
        assert imported.predictions[["example_id", "predicted"]].notna().all(axis=None)
        assert not imported.predictions["score"].map(math.isinf).any()
    if imported.curves is not None:
        assert list(imported.curves.columns) == ["series", "step", "epoch", "value"]
        assert imported.curves["value"].map(math.isfinite).all()
        assert imported.curves["step"].dtype == "int64"
        assert not imported.curves.duplicated(["series", "step"]).any()


def _any_bytes(name: str, body: bytes) -> None:
    _holds(name, body)


def _any_object(name: str, value: Any) -> None:
    _holds(name, json.dumps(value).encode())


def _any_header(value: Any) -> None:
    packed = json.dumps(value).encode()
    _holds("model.safetensors", struct.pack("<Q", len(packed)) + packed)


def _any_table(table: list[list[str]], delimiter: str) -> None:
    body = "\n".join(delimiter.join(row) for row in table).encode("utf-8", "surrogatepass")
    _holds("table.csv", body)
    try:
        shown = columns("table.csv", body)
    except SubmissionError:
        return
    _holds("table.csv", body, guess(shown) or None)


def _any_mapping(name: str, mapping: Any) -> None:
    _holds(name, content(name), mapping)


FIELDS = (
    "model metrics.accuracy metrics.x training.x training. example_id predicted score params seed train_seconds x notes"
)
CASES: dict[str, tuple[Callable[..., None], dict[str, Any]]] = {
    "bytes": (_any_bytes, {"name": names, "body": st.binary(max_size=300)}),
    "text": (_any_bytes, {"name": names, "body": st.text(max_size=200).map(lambda text: text.encode())}),
    "damaged": (_any_bytes, {"name": names, "body": damaged()}),
    "objects": (_any_object, {"name": names, "value": objects | st.lists(objects, max_size=4)}),
    "headers": (
        _any_header,
        {
            "value": st.dictionaries(
                st.text(max_size=5),
                objects
                | st.fixed_dictionaries(
                    {
                        "dtype": st.sampled_from(["F32", "I8", "x"]),
                        "shape": st.lists(scalars, max_size=3),
                        "data_offsets": st.lists(scalars, max_size=3),
                    }
                ),
                max_size=4,
            )
        },
    ),
    "tables": (
        _any_table,
        {
            "table": st.lists(
                st.lists(st.sampled_from([*KEYS, *WORDS]) | st.text(max_size=6), min_size=1, max_size=5),
                min_size=1,
                max_size=5,
            ),
            "delimiter": st.sampled_from(",\t;"),
        },
    ),
    "mappings": (
        _any_mapping,
        {
            "name": st.sampled_from(["claims.csv", "predictions.jsonl", "claims.json"]),
            "mapping": st.dictionaries(
                st.sampled_from(["Model", "Acc", "Step", "example_id", "prediction", "score", "task", "no"]),
                st.sampled_from(["", *FIELDS.split()]),
                max_size=5,
            ),
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_any_file_is_read_or_refused_in_words(case: str) -> None:
    """Only SubmissionError comes out, and what is read fits a claim's store: finite, printable, in its types."""
    check, strategies = CASES[case]
    FEW(given(**strategies)(check))()


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case", CASES)
def test_many_thousand_files_are_read_or_refused_in_words(case: str) -> None:
    """The same, at length."""
    check, strategies = CASES[case]
    MANY(given(**strategies)(check))()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 * 2**20  # KiB


BIG = {
    "a text": ("x.csv", lambda: b"model,accuracy\n" + b"a" * 50_000_000),
    "a string": ("x.json", lambda: b'{"model": "' + b"a" * 50_000_000 + b'"}'),
    "escapes": ("x.json", lambda: b'{"model": "' + b"\\n" * 25_000_000 + b'"}'),
    "lists": ("x.json", lambda: b"[" + b"[],[]," * 8_000_000 + b"[]]"),
    "brackets": ("x.json", lambda: b"[" * 50_000_000),
    "keys": ("x.json", lambda: b"{" + b",".join(b'"k%d":1' % n for n in range(2_900_000)) + b"}"),
    "lines": ("x.jsonl", lambda: b'{"id":1}\n' * 5_000_000),
    "commas": ("x.csv", lambda: b"a,b\n" + b"," * 50_000_000),
    "rows": ("x.csv", lambda: b"id,predicted\n" + b"1,2\n" * 10_000_000),
    "yaml": ("x.yaml", lambda: b"license: [" + b"a, " * 10_000_000),
    "dashes": ("x.md", lambda: b"---\n" + b"--\n" * 15_000_000),
    "quotes": ("x.csv", lambda: b'model,accuracy\n"' + b'""' * 20_000_000),
    "a header": ("x.safetensors", lambda: struct.pack("<Q", 2**40) + b"{" * 100),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", BIG)
def test_fifty_megabytes_stay_bounded(case: str) -> None:
    """The same limit of time; memory is measured for all together: below 2 GiB at its most."""
    name, make = BIG[case]
    body = make()[: 50 * 1024 * 1024]
    _holds(name, body)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 * 2**20  # KiB


_EVERYWHERE = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, "int32"), ["x" * 10**6])
_GROWING = {"use_dictionary": False, "column_encoding": {"predicted": "DELTA_BYTE_ARRAY"}}
BOMBS: dict[str, tuple[Callable[[], list[str]], dict[str, Any]]] = {
    "one text in every row": (lambda: _EVERYWHERE, {}),
    "a page of one letter": (lambda: ["y" * 400_000_000], {"use_dictionary": False}),
    "texts that repeat each other": (lambda: ["z" * 100_000] * 3_000, _GROWING),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", BOMBS)
def test_a_small_parquet_file_does_not_unpack_to_gigabytes(case: str) -> None:
    """Small on disk alone; nothing of it reaches this process."""
    make, options = BOMBS[case]
    body = parquet({"predicted": make()}, compression="zstd", write_statistics=False, **options)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(body) < 2_000_000
    with pytest.raises(SubmissionError, match=r"characters in all|within its limits|can be read|unpacks"):
        read("bomb.parquet", body)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KiB


def test_texts_of_a_parquet_file_are_measured_before_they_are_made() -> None:
    """A text that stands in every row is kept once, until its characters are counted."""
    everywhere = pa.DictionaryArray.from_arrays(pa.array([0] * 600, "int32"), ["x" * 100_000])
    body = parquet({"id": list(range(600)), "predicted": everywhere}, compression="zstd")
    assert len(body) < 20_000
    with pytest.raises(SubmissionError, match="50,000,000 characters in all"):
        read("bomb.parquet", body)
