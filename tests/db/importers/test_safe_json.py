"""Text, JSON and YAML from strangers: what is refused, and where the message points."""

import codecs
import time

import pytest

from db.base.errors import SubmissionError
from db.importers import LIMIT_BYTES, read, safe_json, safe_yaml
from tests.factories.importer_files import NAMES, content, read_example

WHY = {
    "README.md": "line 6: the YAML tag",
    "all_results.json": "eval_loss: 1e400 is too large",
    "all_results_qa.json": 'the key "eval_f1" stands twice',
    "card.json": 'recipe.model.hidden_dim: "sixteen"',
    "claims.csv": "line 3: 6 fields where the header has 7",
    "claims.json": "row 2: no JSON object",
    "claims.jsonl": "line 2: no valid JSON",
    "claims_ko.csv": 'line 1: the column "모델" stands twice',
    "config.json": 'num_hidden_layers: "-12"',
    "eval_nbest_predictions.json": '5733be284776f4190066117f[1].probability: "high"',
    "eval_predictions.json": "line 4, column 33: no valid JSON",
    "lm_eval_results.json": "results.mnli.acc,none: 1e400 is too large",
    "metadata.yaml": 'line 4: no YAML that is taken (the key "license" stands twice',
    "mlflow_rest.json": "data.metrics[0]: it must be an object with a key and a value",
    "mlflow_run.json": "data.metrics[0]: it must be an object with a key and a value",
    "mlflow_runs.csv": "line 3: 13 fields where the header has 12",
    "predictions.csv": 'line 3, column "id": no example id',
    "predictions.jsonl": "line 2: score: Infinity is no number",
    "predictions.tsv": "lines 2 (6), 4 (4): another number of fields where the header has 5",
    "trainer_state.json": "log_history[2]: it must be an object",
    "wandb_chart.csv": "line 3: no valid CSV",
    "wandb_history.csv": 'line 1: the column "_step" stands twice',
}
"""What is wrong with each malformed twin, and where."""


@pytest.mark.parametrize("name", NAMES)
def test_a_malformed_twin_is_refused_at_its_place(name: str) -> None:
    """Each fixture is read, its twin is not, and the message names the file and the place."""
    assert read_example(name).kind
    with pytest.raises(SubmissionError) as caught:
        read(name, content(name, malformed=True))
    assert str(caught.value).startswith(f"{name}: {WHY[name]}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ('{"a": {"b": [1, NaN]}}', "a.b[1]: NaN is no number"),
        ('{"a": -Infinity}', "a: -Infinity is no number"),
        ('{"a": [0, 1e400]}', "a[1]: 1e400 is too large"),
        ('{"a": 99999999999999999999999}', "too large a whole number"),
        ('{"a": 9223372036854775808}', "a: 9223372036854775808"),
        ('{"a": {"x": 1, "x": 2}}', 'a: the key "x" stands twice'),
        ('{"a": "\\ud800"}', "a: the text holds U+D800"),
        ('{"a\\udfff": 1}', "the key holds half a character"),
        ('{"a": "\\u0000"}', "a: the text holds U+0000"),
        ('{"a": 1', "line 1, column 8: no valid JSON"),
        ('{"a": 1}\n x', "line 2, column 2: no valid JSON"),
        ("[" * 70 + "]" * 70, "more than 64 levels deep"),
        ("[" * 500_000, "more than 64 levels deep"),
        ('{"a":' * 500_000, "more than 64 levels deep"),
        ("[" + "[]," * safe_json.MOST_VALUES + "0]", "more than 3,000,000 values"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_json_that_is_refused(words: str, message: str) -> None:
    """What JSON allows in a grammar, or Python beyond it, and a board cannot use."""
    with pytest.raises(SubmissionError) as caught:
        safe_json.json_value("x.json", words)
    assert str(caught.value).startswith("x.json: ")
    assert message in str(caught.value)


def test_json_that_is_taken() -> None:
    """Whole numbers of 64 bits, pairs of surrogates, 64 levels, and the same key in different objects."""
    deep: object = 1
    for _ in range(63):
        deep = [deep]
    words = '{"a": [9223372036854775807, -9223372036854775808], "b": "\\ud83e\\udeb6", "c": [{"x": 1}, {"x": 1.5e-3}]}'
    value = {"a": [2**63 - 1, -(2**63)], "b": "🪶", "c": [{"x": 1}, {"x": 0.0015}]}
    assert safe_json.json_value("x", words) == safe_json.checked("x", value) == value
    assert safe_json.json_value("x", "[" * 63 + "1" + "]" * 63) == deep


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("모델,정확도\n".encode("utf-16"), "the text is in UTF-16; save it as UTF-8"),
        ("모델,정확도\n".encode("utf-32"), "the text is in UTF-32"),
        ("model,accuracy\nA,0.5\n".encode("utf-16-le"), "line 1: the text looks like UTF-16"),
        (b"a,b\n1,2\ncaf\xe9,3\n", "line 3: a byte that is not UTF-8; save the file as UTF-8"),
        (b"a,b\n1,\0\n", "line 2: a zero byte"),
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"x" * (LIMIT_BYTES + 1), "52,428,801 bytes; a file may have 52,428,800"),
    ],
    ids=["utf-16", "utf-32", "utf-16 without a mark", "latin-1", "zero", "empty", "blank", "too large"],
)
def test_encodings_and_sizes_are_told_in_words(body: bytes, message: str) -> None:
    """A person who saved a file from Excel learns what to do."""
    with pytest.raises(SubmissionError) as caught:
        read("table.csv", body)
    assert str(caught.value).startswith(f"table.csv: {message}")


@pytest.mark.parametrize("name", ["claims.csv", "all_results.json", "README.md", "metadata.yaml", "predictions.jsonl"])
def test_a_byte_order_mark_changes_nothing(name: str) -> None:
    """Windows editors begin UTF-8 with one."""
    plain, marked = read(name, content(name)), read(name, codecs.BOM_UTF8 + content(name))
    assert (marked.kind, marked.drafts, marked.notes) == (plain.kind, plain.drafts, plain.notes)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("a: !!python/name:os.system\n", "line 1: the YAML tag"),
        ("a: 1\nb: !x 2\n", 'line 2: the YAML tag "!x"'),
        ("a: 1\nb: {c: 1, c: 2}\n", 'line 2: no YAML that is taken (the key "c" stands twice'),
        ("? [1, 2]\n: 3\n", "line 1: no YAML that is taken (a key that is no text"),
        ("a: .nan\n", "a: nan is no number"),
        ("a: [1, -.inf]\n", "a[1]: -inf is no number"),
        ("a: 1e400\n", "a: inf is no number"),
        ("a: 99999999999999999999\n", "a: too large a whole number"),
        ('a: "\\0"\n', "a: the text holds U+0000"),
        ("a: &x [*x]\n", "no YAML that is taken"),
        ("a: 'open\n", "no YAML that is taken"),
        ("a: 1\n---\nb: 2\n", "line 2: a second YAML document"),
        ("[" * 100 + "]" * 100, "line 1: the YAML lies more than 64 levels deep"),
        ("a: &x 1\nb: [" + "*x, " * 9 + "]\n", "line 2: more than 8 aliases"),
        ("- 1\n" * 100_001, "more than 100,000 values of YAML"),
        ("a: " + "x" * 2**20, "characters; 1,048,576 are read"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_yaml_that_is_refused(words: str, message: str) -> None:
    """Tags, bombs, double keys and what JSON would refuse."""
    with pytest.raises(SubmissionError) as caught:
        safe_yaml.yaml_value("x.yaml", words)
    assert message in str(caught.value)


def test_a_bomb_of_aliases_does_not_go_off() -> None:
    """Each line doubles the one before; thirty of them would be a thousand million values."""
    lines = ["a0: &a0 [1, 2]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 30))]
    start = time.monotonic()
    with pytest.raises(SubmissionError, match="aliases"):
        safe_yaml.yaml_value("x.yaml", "\n".join(lines))
    assert time.monotonic() - start < 5


def test_yaml_values_are_those_of_json() -> None:
    """Norway's language is a text, so is a date; merge keys and octal numbers are texts too; an alias is taken."""
    words = "a: no\nb: 2026-01-01\nc: 007\nd: [1, -2.5, 1e3, true, ~, '']\ne: &x {y: 1}\nf: *x\n<<: z\ng:\n"
    assert safe_yaml.yaml_value("x", words) == {
        "a": "no",
        "b": "2026-01-01",
        "c": "007",
        "d": [1, -2.5, 1000.0, True, None, ""],
        "e": {"y": 1},
        "f": {"y": 1},
        "<<": "z",
        "g": None,
    }


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("pytorch_model.bin", b"anything", "it may hold a pickle"),
        ("weights.PT", b"{}", "it may hold a pickle"),
        ("innocent.csv", b"\x80\x04\x95\x0b", "it may hold a pickle"),
        ("model.json.gz", b"\x1f\x8b\x08\x00", "a gzip file; unpack it first"),
        ("model.gguf", b"GGUF\x03\x00\x00\x00", "a GGUF model"),
        ("table.xls", b"\xd0\xcf\x11\xe0rest", "an old Office file; save the sheet as XLSX or CSV"),
        ("picture.json", b"\x89PNG\r\n", "a picture"),
        ("notes.txt", b"just some words\n", "a text of no format that is known. Taken are a Featherboard bundle"),
        ("x.json", b'{"hello": {"world": 1}}', "JSON of no format that is known. Taken are a Featherboard bundle"),
        ("x.json", b"[]", "the table has no columns of texts or numbers"),
        ("x.json", b"3", "no format that is known"),
        ("x.csv", b"colour,shape\nred,round\n", "no column is known as a model, a figure or a prediction; map some of"),
        ("x.md", b"# Title\n", "line 1: the card has no YAML head"),
    ],
)
def test_what_is_nothing_known_says_what_is_accepted(name: str, body: bytes, message: str) -> None:
    """A pickle is never read, whatever its name; foreign files are named."""
    with pytest.raises(SubmissionError) as caught:
        read(name, body)
    assert str(caught.value).startswith(f"{name}: ")
    assert message in str(caught.value)


def test_a_name_cannot_break_the_message() -> None:
    """The message is one printable line, however the file is called."""
    with pytest.raises(SubmissionError) as caught:
        read("a\n\x1b[31m\ud800" + "x" * 500 + ".bin", b"x")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300
