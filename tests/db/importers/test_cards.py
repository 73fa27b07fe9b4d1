"""Model cards: the YAML head of a README, or a YAML file."""

import pytest

from db.base.errors import SubmissionError
from db.importers import read
from db.importers.formats import model_index
from db.registry import tasks
from tests.db.importers.result_kinds import card
from tests.factories.importer_files import as_json, content, read_example


@pytest.mark.parametrize("name", ["README.md", "metadata.yaml"])
def test_a_card_has_a_claim_for_each_task(name: str) -> None:
    """Results of one task join; the mismatched split is a figure of its own; F1 of classes is listed."""
    answers = read_example(name)
    assert answers.kind == "model_index"
    about = {
        "licence": "apache-2.0",
        "language": "ko",
        "dataset": "nsmc",
        "training": {"base model": "klue/bert-base"},
        "model": "small-ko-sentiment",
    }
    assert answers.drafts == (
        {**about, "task": "nsmc", "metrics": {"accuracy": 0.8974}},
        {**about, "task": "mnli", "metrics": {"accuracy": 0.845, "accuracy_mismatched": 0.849}},
    )
    assert answers.unknown == ("library_name", "tags", "metrics", "model-index[0].results[0]: f1")
    assert (
        answers.notes[0] == 'accuracy of "mnli": read as percentages; 1 figure was divided by 100, 84.5 became 0.845.'
    )


def test_what_stands_below_the_head_is_not_looked_at() -> None:
    """No Markdown or HTML of a card comes along."""
    assert "script" not in repr(read_example("README.md"))


@pytest.mark.parametrize(
    ("dataset", "config", "task"),
    [
        ("nsmc", "default", "nsmc"),
        ("e9t/nsmc", "default", "nsmc"),
        ("rajpurkar/squad", "plain_text", "squad"),
        ("squad_v2", "squad_v2", None),
        ("KorQuAD/squad_kor_v1", "default", "korquad"),
        ("nyu-mll/glue", "mnli", "mnli"),
        ("nyu-mll/glue", "sst2", None),
        ("nyu-mll/multi_nli", "default", "mnli"),
        ("stanfordnlp/imdb", "plain_text", "imdb"),
        ("mteb/banking77", "default", None),
    ],
)
def test_data_sets_as_hubs_name_them(dataset: str, config: str, task: str | None) -> None:
    """A data set without a board names no task of ours and is listed."""
    imported = read("README.md", card(f"type: {dataset}, config: {config}, split: test").encode())
    assert tasks.by_name(str(imported.drafts[0]["task"])) == (tasks.by_id(task) if task else None)
    assert (f"data set {dataset}" in imported.unknown) is (task is None)


def test_figures_written_as_texts() -> None:
    """Some cards quote their figures; a percent sign stays for the claim to read."""
    metrics = "{type: accuracy, value: '0.9'}, {type: exact_match, value: 80%}, {type: f1, value: {all: 3}}"
    imported = read("README.md", card("type: nsmc, config: default, split: test", metrics).encode())
    assert imported.drafts[0]["metrics"] == {"accuracy": 0.9, "em": "80%"}
    assert "model-index[0].results[0]: f1" in imported.unknown


def test_the_same_figure_twice_makes_two_claims() -> None:
    """A card may hold several models, or a model scored twice; neither hides the other."""
    result = "  - dataset: {type: nsmc}\n    metrics: [{type: accuracy, value: 0.8}]\n"
    body = f"model-index:\n- name: A\n  results:\n{result}{result}- name: B\n  results:\n{result}"
    assert [draft["model"] for draft in read("m.yaml", body.encode()).drafts] == ["A", "A (2)", "B"]


def test_a_card_without_an_index() -> None:
    """It fills in the model's facts and says that there are no scores."""
    imported = read("README.md", b"---\nlicense: mit\nlanguage: no\n---\n# Title\n")
    assert imported.drafts == ({"licence": "mit", "language": "no"},)
    assert imported.notes == ("The card has no model-index: it says nothing of scores.",)


def test_a_model_index_as_json() -> None:
    """The same shape in JSON is read alike."""
    index = [
        {"name": "M", "results": [{"dataset": {"type": "imdb"}, "metrics": [{"type": "accuracy", "value": 0.93}]}]}
    ]
    assert read("model.json", as_json({"model-index": index})).drafts == (
        {"model": "M", "task": "imdb", "metrics": {"accuracy": 0.93}},
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("---\nlicense: mit\nno end\n", "line 1: the card has no YAML head"),
        ("---\ntitle: x\n---\n", "no head of a model card"),
        ("---\n- a\n---\n", "no head of a model card"),
        ("---\nmodel-index: x\n---\n", "model-index: it must be a list of mappings"),
        ("---\nmodel-index:\n- name: M\n  results: [1]\n---\n", "model-index[0].results: it must be a list"),
        ("---\nlicense: 3\n---\n", "the head names neither model"),
        ("---\n\nlicense: mit\nlicense: mit\n---\n", "line 4: no YAML that is taken"),
    ],
)
def test_heads_that_do_not_fit(body: str, message: str) -> None:
    """The line is that of the card, not that of its head."""
    with pytest.raises(SubmissionError) as caught:
        read("README.md", body.encode())
    assert str(caught.value).startswith(f"README.md: {message}")


def test_the_head_ends_at_the_first_line_of_dashes() -> None:
    """Windows line ends and rules in the text change nothing."""
    assert model_index.split_head("---\r\na: 1\r\n---\r\nText\r\n---\r\n") == "a: 1"
    assert model_index.split_head("---\n---\n") == ""
    assert model_index.split_head("a\n---\n") is None
    assert content("README.md").startswith(b"---\n")
