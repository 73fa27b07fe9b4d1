"""What a claim may say, and what is said of a draft that is wrong."""

import math

import pytest
from pydantic import ValidationError

from db.base.problems import Code, Problem
from db.registry import formats
from db.registry.metrics import BOUNDED, METRICS
from db.submissions import claim as claims
from db.submissions.claim import Claim, check, metric_value
from tests.factories.drafts import draft


def _problems(**fields: object) -> dict[str, str]:
    problems = check(draft(**fields))
    assert not isinstance(problems, Claim), "the draft was taken"
    return {problem.field: problem.english() for problem in problems}


def _claim(**fields: object) -> Claim:
    problems = check(draft(**fields))
    assert isinstance(problems, Claim), problems
    return problems


def test_a_draft_of_what_is_needed_is_a_claim() -> None:
    """Task, model and the task's own figure; all else is empty."""
    claim = _claim()
    assert (claim.task, claim.model, claim.metrics) == ("reviews-ko-mini", "Featherweight", {"accuracy": 0.875})
    assert (claim.params, claim.training, claim.contact) == (None, {}, "")


def test_all_that_is_wrong_is_told_at_once() -> None:
    """One sentence for each field, those inside of objects by their names."""
    messages = _problems(task="nsmcc", model=" ", params=0, metrics={"accuracy": "high", "acuracy": 1}, colour="red")
    assert messages["task"] == 'there is no task "nsmcc"; did you mean nsmc?'
    assert messages["model"] == "is required"
    assert messages["params"] == "must be between 1 and 1,000,000,000,000,000"
    assert messages["metrics.accuracy"] == 'must be a finite number, not "high"'
    assert messages["metrics.acuracy"] == "there is no such metric; did you mean accuracy?"
    assert messages['"colour"'] == "is not a field of a submission"


def test_the_figure_of_the_task_is_needed() -> None:
    """Its absence is told beside other errors too."""
    messages = _problems(metrics={"macro_f1": 0.5}, seed="five")
    assert messages == {
        "metrics": "reviews-ko-mini is ranked by accuracy (Accuracy), which is missing",
        "seed": 'must be a finite number, not "five"',
    }
    with pytest.raises(ValidationError, match="is ranked by accuracy"):
        Claim(task="reviews-ko-mini", model="x", metrics={"macro_f1": 0.5})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (0.8784, 0.8784),
        ("0.8784", 0.8784),
        ("87.84%", 0.8784),
        (" 87.84 % ", 0.8784),
        (1, 1.0),
        ("0", 0.0),
        (-0.0, 0.0),
        ("100%", 1.0),
    ],
)
def test_shares_are_fractions_or_have_a_percent_sign(text: object, value: float) -> None:
    accuracy = _claim(metrics={"accuracy": text}).metrics["accuracy"]
    assert accuracy == value
    assert math.copysign(1, accuracy) == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (87.84, 'must be a fraction of 1: write 87.84% as 0.8784 or "87.84%"'),
        ("87.84", 'must be a fraction of 1: write 87.84% as 0.8784 or "87.84%"'),
        (100, 'must be a fraction of 1: write 100% as 1 or "100%"'),
        (101, "must be a fraction between 0 and 1"),
        (-0.1, "must be a fraction between 0 and 1"),
        ("101%", "must be between 0% and 100%"),
        (math.nan, "must be a finite number, not NaN or Infinity"),
        (math.inf, "must be a finite number, not NaN or Infinity"),
        ("1e400", 'must be a finite number, not "1e400"'),
        ("NaN", 'must be a finite number, not "NaN"'),
        (True, "must be a number, not yes or no"),
        ([0.5], "must be a number, not a list"),
        (10**400, "must be a finite number, not NaN or Infinity"),
    ],
)
def test_what_is_no_share_is_refused_with_a_reason(value: object, message: str) -> None:
    assert _problems(metrics={"accuracy": value}) == {"metrics.accuracy": message}


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("00:49:15", 2955),
        ("49:15", 2955),
        (2955, 2955),
        ("2955", 2955),
        ("2 h 49 min", 10140),
        ("2h49m21s", 10161),
        ("45 min", 2700),
        ("1 day", 86400),
        ("2시간 49분", 10140),
        ("0.5", 0.5),
        ("-", None),
        ("–", None),
        (None, None),
        ("", None),
    ],
)
def test_durations_are_read_as_people_write_them(value: object, seconds: float | None) -> None:
    assert _claim(train_seconds=value).train_seconds == seconds


@pytest.mark.parametrize("value", ["step 100", "00:61:00", "1:2:3:4", "soon", -1, 1e12, [], "1e400", "9" * 50])
def test_what_is_no_duration_is_refused(value: object) -> None:
    assert set(_problems(train_seconds=value)) == {"train_seconds"}


@pytest.mark.parametrize(
    ("value", "params"),
    [
        (391_170, 391_170),
        ("391,170", 391_170),
        ("110M", 110_000_000),
        ("27.4k", 27_400),
        ("7B", 7_000_000_000),
        (27394.0, 27394),
    ],
)
def test_parameters_may_be_written_short(value: object, params: int) -> None:
    assert _claim(params=value).params == params


@pytest.mark.parametrize("value", ["1,23", "12M5", 0.5, "0.5", -3, True, 10**400, "9" * 100, {"n": 1}, "M"])
def test_what_is_no_number_of_parameters_is_refused(value: object) -> None:
    assert set(_problems(params=value)) == {"params"}


@pytest.mark.parametrize(
    "value",
    [
        "ftp://example.org/x",
        "javascript:alert(1)",
        "example.org",
        "http://",
        "http://[",
        "https://a:b@c.org",
        "https://example.org/<b>",
        "https://exa mple.org",
        "file:///etc/passwd",
        7,
    ],
)
def test_links_are_addresses_of_the_web(value: object) -> None:
    assert set(_problems(link=value)) == {"link"}
    assert _claim(link="https://example.org/models/a?b=c").link == "https://example.org/models/a?b=c"


@pytest.mark.parametrize(
    "value",
    ["a\x00b", "a\x1b[31mb", "a\nb", "a\ud800b", "a\u202eb", "a\u2028b", "x" * 121, "x" * 10**6, ["x"], b"x", 5],
    ids=range(11),
)
def test_names_are_one_line_of_visible_text(value: object) -> None:
    messages = _problems(model=value)
    assert set(messages) == {"model"}
    assert len(messages["model"]) < 120


def test_texts_are_trimmed_and_in_one_normal_form() -> None:
    """Hangul typed on a Mac is the same name as elsewhere; notes keep their lines."""
    claim = _claim(model="  \u1112\u1161\u11ab  ", notes="one\r\ntwo\n")
    assert claim.model == "\ud55c"
    assert claim.notes == "one\ntwo"


def test_facts_of_training_are_texts_numbers_or_yes_and_no() -> None:
    """Numbers that came as text are numbers again, unless they would be written otherwise."""
    claim = _claim(training={"loss rate": "0.1", "hidden dim": "128", "id": "007", "lr": 1e-3, "amp": True, "x": "-"})
    assert claim.training == {"loss rate": 0.1, "hidden dim": 128, "id": "007", "lr": 0.001, "amp": True}
    assert isinstance(claim.training["hidden dim"], int)
    messages = _problems(training={"a": {"b": 1}, "c": [1], "d": math.nan, "e": "x" * 300})
    assert set(messages) == {"training.a", "training.c", "training.d", "training.e"}
    assert _problems(training={str(n): n for n in range(100)}) == {
        "training": "has 100 entries; at most 60 are allowed"
    }
    assert _problems(training={3: 1})["training"].startswith("the name of each entry must be text")
    assert _problems(training="lr=1") == {"training": "must be an object of names and values, not text"}


@pytest.mark.parametrize("value", [None, [], "text", 3, {1: 2}, object()])
def test_a_draft_that_is_none_is_told(value: object) -> None:
    problems = check(value)  # type: ignore[arg-type]
    assert not isinstance(problems, Claim)
    assert problems[0].field == "draft"


def test_a_draft_in_itself_is_refused_without_looking_deeper() -> None:
    deep: dict[str, object] = draft()
    deep["training"] = deep
    deep["notes"] = [deep]
    problems = check(deep)
    assert not isinstance(problems, Claim)
    assert {problem.field for problem in problems} >= {"training.metrics", "training.training", "notes"}


def test_many_unknown_fields_are_counted() -> None:
    problems = check({**draft(), **{f"field {n}": n for n in range(100)}})
    assert not isinstance(problems, Claim)
    assert problems[-1] == Problem(Code.UNKNOWN_FIELDS, {"count": 92})


@pytest.mark.parametrize(
    ("value", "decimals"),
    [
        ("0.8784", 4),
        ("87.84%", 4),
        ("87.80%", 4),
        ("88%", 2),
        (0.8784, 4),
        (0.9, 1),
        ("8.784e-1", 4),
        (1, 1),
        ("x", 0),
        (None, 0),
    ],
)
def test_it_is_known_to_how_many_decimals_a_figure_is_written(value: object, decimals: int) -> None:
    assert claims.decimals({"metrics": {" accuracy": value}}) == {"accuracy": decimals}


def test_a_message_can_always_be_shown() -> None:
    """Names of entries are somebody's too: what a terminal cannot show is replaced."""
    assert _problems(metrics={"accuracy": 0.5, "a\ud7fcb": 1}) == {"metrics.a\ufffdb": "there is no such metric"}
    assert '"a\ufffdb"' in _problems(task="a\ud7fcb")["task"]


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_accepted_as_the_board_prints_it(name: str) -> None:
    """With its unit, in as many digits as are shown."""
    metric = METRICS[name]
    numbers = {"percent": 0.8784, "ms": 12.3, "s": 75.0, "bytes": 22.4e6, "per_s": 1234.0, "points": -1.5}
    number = 0.5 if name in BOUNDED else numbers.get(metric.unit, 3.0)
    assert metric_value(name, formats.value(metric, number)) == pytest.approx(number)
