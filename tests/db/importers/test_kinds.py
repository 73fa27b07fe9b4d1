"""Kinds of files that people have, each as small as it can be, with what must come out of it.

Every file here was made for the tests. What a file leaves open comes out as a question (a value that ends in ``?``, or
a draft without a task), and what cannot be right is refused with the reason.
"""

import struct
import unicodedata
from typing import Any

import pytest

from db.base.errors import SubmissionError
from db.base.problems import ValueProblemError
from db.importers import values
from db.importers.detect import read
from db.importers.tables import Cell
from tests.db.importers.result_kinds import RESULTS, Expected, card, dumped


def field(number: int, body: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes."""
    return (
        bytes([number << 3 | 2, *([len(body)] if len(body) < 128 else [len(body) & 127 | 128, len(body) >> 7])]) + body
    )


def tensor(kind: int, *sides: int, packed: bool = False) -> bytes:
    """An initializer of an ONNX graph, with weights that are to be skipped."""
    dimensions = field(1, bytes(sides)) if packed else b"".join(bytes([8, side]) for side in sides)
    return field(5, dimensions + bytes([16, kind]) + field(9, struct.pack("20f", *range(20))))


def onnx(*tensors: bytes) -> bytes:
    """An ONNX model."""
    return b"\x08\x07" + field(2, b"made up") + field(7, field(1, b"node") + b"".join(tensors))


CONFIG = {
    "vocab_size": 100,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 32,
    "type_vocab_size": 2,
}

KINDS: dict[str, tuple[str | bytes, Expected]] = {
    **RESULTS,
    # Tables in JSON.
    "by columns.json": (dumped({"model": ["A", "B"], "accuracy": [0.9, 0.8]}), [{"model": "A"}, {"model": "B"}]),
    "by columns and rows.json": (dumped({"model": {"0": "A"}, "accuracy": {"0": 0.9}}), [{"metrics.accuracy": 0.9}]),
    "split.json": (
        dumped({"columns": ["model", "accuracy"], "index": [0], "data": [["A", 0.9]]}),
        [{"model": "A", "metrics.accuracy": 0.9}],
    ),
    # Numbers and units.
    "milliseconds.csv": ("model,latency_ms_p50\nA,12\n", [{"metrics.latency_ms_p50": 12}]),
    "seconds.csv": ("model,latency p50 (s)\nA,0.012\n", [{"metrics.latency_ms_p50": 12.0}]),
    "seconds by an ending.csv": ("model,latency_p50_s\nA,0.012\n", [{"metrics.latency_ms_p50": 12.0}]),
    "seconds in JSON.json": (dumped({"accuracy": 0.9, "latency_p50_s": 0.012}), [{"metrics.latency_ms_p50": 12.0}]),
    "per cent in JSON.json": (dumped({"accuracy (%)": 0.9}), [{"metrics.accuracy": 0.009}]),
    "training in milliseconds.csv": ("model,accuracy,train_time_ms\nA,0.9,1500\n", [{"train_seconds": 1.5}]),
    "megabytes.csv": ("model,checkpoint_bytes (MB)\nA,12\n", [{"metrics.checkpoint_bytes": 12e6}]),
    "parameters without a unit.csv": ("model,params\nA,110M\nB,66\n", [{"params": "110M"}, {"params": "66 ?"}]),
    "LaTeX.csv": (
        "model,accuracy\nA,$87.3_{\\pm 0.2}$\nB,\\textbf{85.0}\n",
        [{"metrics.accuracy": 0.873}, {"metrics.accuracy": 0.85}],
    ),
    "semicolons.csv": ("model;log_loss\nA;1,234\n", [{"metrics.log_loss": 1.234}]),
    "decimal commas in quotes.csv": (
        'model,log_loss\nA,"1,234"\nB,"0,5"\n',
        [{"metrics.log_loss": 1.234}, {"metrics.log_loss": 0.5}],
    ),
    "thousands or a comma.csv": ('model,log_loss\nA,"1,234"\n', [{"metrics.log_loss": "1,234 ?"}]),
    "a share beside a percentage.csv": ("model,em,f1\nA,0.8,80.5\n", [{"metrics.em": "0.8 %?", "metrics.f1": 0.805}]),
    "a duration, decomposed.csv": (
        unicodedata.normalize("NFD", "모델,학습 시간\n가,49분\n"),
        [{"train_seconds": "49분"}],
    ),
    "nothing there.csv": ("model,accuracy\nA,0.9\nB,--\nC,(none)\nD,없음\n", [{"metrics.accuracy": 0.9}, {}, {}, {}]),
    "summaries.csv": (
        "model,accuracy\nA,0.9\nMean ± SD,0.85\nAverage (3 seeds),0.8\nstd. dev.,0.1\n평균 ± 표준편차,0.8\n",
        [{"model": "A"}],
    ),
    "a model called mean.csv": ("model,accuracy\nMean Pooling BERT,0.9\n", [{"model": "Mean Pooling BERT"}]),
    "ragged.csv": ("model,accuracy\nA,0.9,3\nB\nC,0.8\n", "lines 2 (3), 3 (1): another number of fields"),
    # Splits and tasks.
    "eval beside test.csv": (
        "model,eval_accuracy,test_accuracy\nA,0.91,0.88\nB,0.9,\n",
        [{"metrics": {"accuracy": 0.88}}, {"metrics": None}],
    ),
    "dev beside test.csv": ("model,dev acc,test acc\nA,91.0,88.0\n", [{"metrics": {"accuracy": 0.88}}]),
    "W&B, eval beside test.json": (
        dumped({"_step": 10, "_runtime": 5, "eval/accuracy": 0.91, "test/accuracy": 0.88}),
        [{"metrics": {"accuracy": 0.88}}],
    ),
    "card, part of a split.md": (card("type: nsmc, name: x, split: 'test[:10%]'"), "on a test split; none was taken"),
    "card, capitals.md": (card("type: nsmc, name: x, split: 'Train'"), "on a test split; none was taken"),
    "card, mismatched.md": (card("type: multi_nli, name: MNLI-mm"), [{"metrics": {"accuracy_mismatched": 0.9}}]),
    "card, mis-matched.md": (
        card("type: nyu-mll/multi_nli, name: MultiNLI (mis-matched)"),
        [{"metrics": {"accuracy_mismatched": 0.9}}],
    ),
    "card, SQuAD 2.md": (
        card("type: squad, name: SQuAD 2.0", "{type: f1, value: 80}"),
        [{"task": "squad SQuAD 2.0", "metrics.f1": 0.8}],
    ),
    "card, probe.md": (
        card("type: mteb/imdb, name: MTEB ImdbClassification"),
        [{"task": "mteb/imdb MTEB ImdbClassification"}],
    ),
    "card, nameless data.md": (card("type: generator, name: generator"), [{"task": None, "metrics.accuracy": 0.9}]),
    "card, decimal comma.md": (card("type: nsmc", "{type: accuracy, value: '87,84'}"), [{"metrics.accuracy": 0.8784}]),
    "card, two runs.md": (
        card("type: nsmc", below="  - dataset: {type: nsmc}\n    metrics: [{type: accuracy, value: 0.8}]\n"),
        [{"model": "x", "metrics.accuracy": 0.9}, {"model": "x (2)", "metrics.accuracy": 0.8}],
    ),
    "card, adapter.md": (
        card("type: nsmc", head="library_name: peft\nbase_model: a/b\n"),
        [{"model": "x", "training.base model": "a/b"}],
    ),
    # Whose model.
    "adapter_config.json": (
        dumped({"peft_type": "LORA", "base_model_name_or_path": "a/b", "r": 8}),
        [{"model": None, "params": None, "training.base model": "a/b"}],
    ),
    "config of a fine-tuned model.json": (
        dumped({**CONFIG, "model_type": "bert", "_name_or_path": "a/b"}),
        [{"model": None, "training.base model": "a/b"}],
    ),
    "bert_config.json": (dumped(CONFIG), [{"architecture": "bert", "params": 1760}]),
    "MLflow, base and run.csv": (
        "run_id,metrics.accuracy,params.model_name_or_path,tags.mlflow.runName,params.output_dir\n1,0.9,a/b,mine,/home/x\n",
        [{"model": "mine", "training": {"base model": "a/b"}}],
    ),
    "paths.csv": ("model,accuracy\n/home/me/a,0.9\nC:\\Users\\me\\b,0.8\n", [{"model": "a"}, {"model": "b"}]),
    "model.onnx": (
        onnx(tensor(1, 10, 8), tensor(10, 6), tensor(7, 3), tensor(3, 4, 5, packed=True)),
        [{"params": 106}],
    ),
    "broken.onnx": (onnx(tensor(1, 10, 8))[:-3], "no ONNX model that can be read"),
    # Training.
    "stopped early.json": (
        dumped({"num_train_epochs": 10, "epoch": 3.0, "log_history": [{"step": 1, "loss": 0.5}]}),
        [{"training": {"epochs": 3.0, "epochs planned": 10}}],
    ),
    "without an end.json": (
        dumped({"num_train_epochs": 2**63 - 1, "epoch": 3.0, "log_history": [{"step": 1, "loss": 0.5}]}),
        [{"training": {"epochs": 3.0}}],
    ),
    # Names that say another format.
    "Markdown.json": ("# My model\n\nAccuracy 90\n", "the text is Markdown and no JSON"),
    "README.md": ("# My model\n\nno figures\n", "the card has no YAML head"),
}


def parts(draft: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    """The values of a draft that an expectation names."""
    result = {}
    for name in names:
        group, _, part = name.partition(".")
        value = draft.get(group)
        result[name] = value.get(part) if part and isinstance(value, dict) else value
    return result


@pytest.mark.parametrize("name", KINDS)
def test_a_file_of_each_kind_gives_its_right_values(name: str) -> None:
    """In the stored units; what is open is a question, and what cannot be right is refused with its reason."""
    body, expected = KINDS[name]
    content = body if isinstance(body, bytes) else body.encode()
    if isinstance(expected, str):
        with pytest.raises(SubmissionError) as caught:
            read(name, content)
        assert expected in str(caught.value)
        return
    drafts = read(name, content).drafts
    assert len(drafts) == len(expected)
    assert [parts(draft, part) for draft, part in zip(drafts, expected, strict=True)] == expected


@pytest.mark.parametrize("sign", ["\u3164", "\u115f", "\uffa0", "\u200b", "\u00ad", "\u2060", "\u2800"])
def test_a_name_that_shows_nothing_is_refused(sign: str) -> None:
    """Fillers of Hangul, characters of no width and soft hyphens; the message names them."""
    with pytest.raises(ValueProblemError, match=f"U\\+{ord(sign):04X}"):
        values.required_text(f"be{sign}rt", 60)


def test_names_may_hold_emoji_and_joiners() -> None:
    """The joiners of emoji and of some languages are part of the spelling."""
    assert values.required_text("bert 👩\u200d🔬", 60) == "bert 👩\u200d🔬"


@pytest.mark.parametrize(
    ("name", "character", "latin", "position"),
    [
        ("B\u0415RT base", "\u0415 (U+0415)", "E", 2),
        ("KoBERT \u0430\u0441\u0430", "\u0430 (U+0430)", "a", 8),
        ("GPT-\u039fpen", "\u039f (U+039F)", "O", 5),
    ],
)
def test_a_letter_that_passes_for_a_latin_one_is_named(name: str, character: str, latin: str, position: int) -> None:
    """Cyrillic and Greek letters in a Latin word, or a whole word of them beside Latin words."""
    with pytest.raises(ValueProblemError, match="looks like the Latin letter") as refused:
        values.required_text(name, 60)
    assert refused.value.message.params == {"character": character, "latin": latin, "position": position}


@pytest.mark.parametrize(
    "name",
    [
        "\u03b1-BERT",
        "\u03b2-VAE",
        "\u03bcTransfer",
        "한국BERT",
        "Ko한글",
        "ру\u0411ерт",
        "BERT на русском",
        "Привет",
        "모델 Ⅱ",
        "naïve",
    ],
)
def test_names_in_other_scripts_are_what_they_seem(name: str) -> None:
    """Korean beside Latin, Greek letters on their own, names that are wholly Cyrillic."""
    assert values.required_text(name, 60) == unicodedata.normalize("NFC", name)


def test_series_of_another_name_stay_apart() -> None:
    """``loss`` and ``train/loss`` may both be logged."""
    history = "_step,train/loss,loss,eval/loss,eval_loss\n1,0.5,0.6,0.7,0.8\n"
    curves = read("history.csv", history.encode()).curves
    assert curves is not None
    assert dict(zip(curves["series"], curves["value"], strict=True)) == {
        "train/loss": 0.5,
        "loss": 0.6,
        "eval/loss": 0.7,
        "eval_loss": 0.8,
    }


def test_a_table_names_the_location_of_each_value() -> None:
    """For messages that are written when a row is checked."""
    result = read("t.csv", b"model,Acc\nA,0.9\nMean,0.9\nB,150\n")
    cells = [origin["metrics.accuracy"] for origin in result.origins]
    assert cells == [Cell("t.csv", "line", 2, "Acc"), Cell("t.csv", "line", 4, "Acc")]
    assert str(cells[0]) == 'line 2, column "Acc"'


def test_the_corpus_is_large() -> None:
    """At least sixty kinds."""
    assert len(KINDS) >= 60
