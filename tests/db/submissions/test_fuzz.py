"""Thousands of hostile submissions: none breaks anything, none reaches the board, each refusal names a field.

``make test`` tries a few hundred; ``python -m pytest -m slow tests/db/submissions/test_fuzz.py -s`` tries 10,000 and
prints time and memory.
"""

import json
import math
import resource
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db import submissions
from db.base.errors import LimitError, SubmissionError
from db.registry import tasks
from db.registry.metrics import METRICS
from db.storage.store import Store
from db.submissions import Limits
from db.submissions import claim as claims
from db.submissions.claim import Claim
from tests.factories.drafts import draft
from tests.factories.rows import contents

_LONG = "가" * 2_000_000
_HUGE = "x" * 50_000_000
_OPEN = Limits(0, 0, 0)


def _deep(levels: int, lists: bool) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = [value] if lists else {"a": value}
    return value


def _circle() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["a"] = value["training"] = value
    return value


class _Evil(str):
    """A text that is more than one."""

    def __len__(self) -> int:
        return 3


# Built anew each time, and by name: Hypothesis prints what it draws from, and these would fill the screen.
_WIDE: dict[str, Callable[[], Any]] = {
    "two million syllables": lambda: _LONG,
    "400 digits": lambda: "9" * 400,
    "5000 accents": lambda: "e\u0301" * 5000,
    "a lying text": lambda: _Evil("evil" * 10_000),
    "10 ** 5000": lambda: 10**5000,
    "less": lambda: -(10**5000),
    "500 lists": lambda: _deep(500, True),
    "500 objects": lambda: _deep(500, False),
    "100,000 lists": lambda: _deep(100_000, True),
    "a frame": lambda: pd.DataFrame({"a": [1]}),
    "in itself": _circle,
    "1000 entries": lambda: dict.fromkeys(range(1000)),
    "1000 names": lambda: {f"name {n}": n for n in range(1000)},
}
_ODDITIES = st.sampled_from(sorted(_WIDE)).map(lambda name: _WIDE[name]())
_WORDS = (
    "1e400 -1e400 NaN nan Infinity -inf 0x1F 1_000 ١٢٣ ½ 1e-400 87.84% 87,84% % 1e3% NaN% 00:49:15 :: 99:99:99 110M k "
    'e5 . + - =HYPERLINK("http://x","y") =1+1 @SUM(A1) -2+3 =cmd $1 ? {x} %s <script>alert(1)</script> '
    "[a](javascript:alert(1)) https://example.org http://[::1 javascript:1 file:///etc/passwd //x "
    "https://user:pass@example.org http://x:99999 http://x:٣ ../../etc/passwd !!python/object:os.system nsmc mnli "
    "reviews-ko-mini accuracy safetensors true null []"
)
_TEXTS = st.one_of(
    st.text(max_size=30),
    st.text(st.characters(categories=["Cc", "Cf", "Cs", "Co", "Zl", "Zp"]), max_size=5),
    st.sampled_from(
        [
            *_WORDS.split(),
            "step 100",
            "+cmd|' /C calc'!A0",
            "\t=1",
            "\ufeffname",
            "'; DROP TABLE runs; --",
            "http://\ud800.org",
            "\x00",
            "a\x00b",
            "\x1b[2J",
            "\u202eevil",
            "\ud800",
            "\udfff\ud800",
            "",
            " ",
            "\n",
        ]
    ),
)
_BOUNDS = [sign * number for number in (10**400, 2**63, 1e308, math.inf, 0.0) for sign in (1, -1)]
_NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.booleans(),
    st.sampled_from([*_BOUNDS, -(2**63) - 1, 2**64, 5e-324, math.nan, 0.87, 1, 87.84, 100, 1e16]),
)
_ODD = st.sampled_from(
    [
        None,
        b"bytes",
        bytearray(b"x"),
        object(),
        len,
        1j,
        {1, 2},
        frozenset(),
        range(3),
        pd.NA,
        pd.Timestamp("2026-01-01"),
        Path("/etc/passwd"),
        ValueError,
    ]
)
_SCALARS = st.one_of(_TEXTS, _NUMBERS, _ODD, _ODDITIES)
_KEYS = st.one_of(_TEXTS, _NUMBERS.filter(lambda value: value == value), st.none(), st.sampled_from(list(METRICS)))  # noqa: PLR0124
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4), max_leaves=8
)
_FIGURES = st.one_of(_VALUES, st.dictionaries(st.sampled_from([*METRICS, "Accuracy ", "x"]), _SCALARS, max_size=4))
_FIELDS = list(Claim.model_fields)
_HOSTILE = st.one_of(
    st.fixed_dictionaries(
        {"task": st.sampled_from(tasks.task_ids()) | _VALUES, "model": st.just("m") | _VALUES, "metrics": _FIGURES},
        optional={name: _VALUES for name in _FIELDS if name not in {"task", "model", "metrics"}},
    ),
    # A good row with one or two hostile fields: these come furthest.
    st.builds(
        lambda fields: draft(**fields), st.dictionaries(st.sampled_from(_FIELDS), _VALUES, min_size=1, max_size=2)
    ),
    st.builds(lambda rows: {**draft(), **rows}, st.dictionaries(_KEYS, _VALUES, max_size=3)),
    _VALUES,
)
# Rows whose texts alone are hostile: many of them are taken, and lie in the database as they came.
_MILD = st.builds(
    lambda name, words, fact, seed: draft(**{name: words, "training": {fact: words}, "seed": seed}),
    st.sampled_from(["model", "family", "notes", "contact", "device", "teacher"]),
    st.text(min_size=1, max_size=40) | _TEXTS,
    st.text(min_size=1, max_size=20),
    st.integers(0, 2**63 - 1),
)
_DRAFTS = st.lists(_MILD, min_size=1, max_size=1) | st.lists(_HOSTILE, min_size=1, max_size=2) | _VALUES


@st.composite
def _tables(draw: st.DrawFn, names: tuple[str, ...]) -> Any:
    """What may be handed in as predictions or curves."""
    rows = draw(st.integers(0, 4))
    if draw(st.booleans()):
        return draw(st.one_of(st.none(), st.none(), _SCALARS))
    cells = st.one_of(_TEXTS, _NUMBERS, st.sampled_from([None, b"x", pd.NA, object()]))
    chosen = draw(st.lists(st.sampled_from(names), max_size=len(names) + 1))
    columns = [pd.Series(draw(st.lists(cells, min_size=rows, max_size=rows)), dtype=object) for _ in chosen]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(rows))
    return frame.set_axis(chosen, axis=1)


_PREDICTIONS = st.none() | st.none() | _tables(("example_id", "predicted", "score"))
_CURVES = st.none() | st.none() | _tables(("series", "step", "epoch", "value"))


class _Outcome:
    """What became of all examples of one test."""

    def __init__(self, store: Store) -> None:
        self.store, self.before = store, contents(store)
        self.count, self.rows = Counter[str](), 0

    def hand_in(self, drafts: Any, predictions: Any, curves: Any) -> None:
        """One example: taken, or refused with a message that names a field."""
        try:
            receipt = submissions.submit(
                self.store, drafts, predictions=predictions, curves=curves, via="api", limited_by=_OPEN
            )
        except SubmissionError as error:  # the very same waits already
            self.count["again" if "already sent" in str(error) else "another error"] += 1
            return
        if receipt.accepted:
            self.count["taken"] += 1
            self.rows += len(receipt.submissions)
            assert receipt.submissions
            return
        self.count["refused"] += 1
        assert not receipt.submissions
        for problem in receipt.problems:
            assert problem.field
            assert problem.english()
            message = str(problem)
            assert len(message) < 1_000, f"{len(message)} characters of a message"
            assert message.isprintable(), repr(message)
            message.encode()

    def nothing_on_the_board(self) -> None:
        """Runs, models and figures are what they were, and every row that was taken waits."""
        assert contents(self.store) == self.before
        assert "another error" not in self.count
        states = self.store.query("SELECT state FROM submissions")["state"].tolist()
        assert states == ["waiting"] * self.rows
        for claim in self.store.query("SELECT claim FROM submissions")["claim"]:
            parsed = json.loads(claim, parse_constant=lambda name: pytest.fail(f"{name} was kept"))
            assert isinstance(claims.check(parsed), Claim)


def _try(store: Store, examples: int) -> _Outcome:
    outcome = _Outcome(store)

    @settings(
        max_examples=examples, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(_DRAFTS, _PREDICTIONS, _CURVES)
    def attack(drafts: Any, predictions: Any, curves: Any) -> None:
        outcome.hand_in(drafts, predictions, curves)

    attack()
    return outcome


def test_hostile_submissions_are_refused_in_words(board: Store) -> None:
    """A few hundred of them."""
    outcome = _try(board, 200)
    outcome.nothing_on_the_board()
    assert outcome.count["refused"] > 100
    assert outcome.count["taken"] > 3, "nothing came as far as the database: the attack is too blunt"


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_thousand_hostile_submissions(board: Store) -> None:
    """Time and memory are printed; memory stays bounded, whatever comes."""
    started = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = _try(board, 10_000)
    outcome.nothing_on_the_board()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"\n{dict(outcome.count)} in {time.monotonic() - started:.0f} s; peak memory {before / 1024:.0f} MiB before, "
        f"{peak / 1024:.0f} MiB after"
    )
    assert sum(outcome.count.values()) >= 10_000
    assert outcome.count["taken"] > 100
    assert peak - before < 600 * 1024


@pytest.mark.parametrize("field", [name for name in _FIELDS if name != "metrics"])
def test_fifty_million_characters_are_refused_at_once(board: Store, field: str) -> None:
    """Without a copy of them, in memory or in the message."""
    fields = ({field: _HUGE}, {"metrics": {"accuracy": _HUGE}}, {"metrics": {_HUGE: 1}}, {_HUGE: 1})
    tracemalloc.start()
    try:
        receipt = submissions.submit(board, [draft(**more) for more in fields])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert {problem.draft for problem in receipt.problems} == {1, 2, 3, 4}
    assert receipt.problems[0].field == field
    assert sum(len(str(problem)) for problem in receipt.problems) < 2_000
    assert peak < 20_000_000


def test_what_looks_like_a_formula_or_a_statement_stays_a_text(board: Store) -> None:
    """It waits as it was written; an export makes it inert (see the board's exports)."""
    for number, name in enumerate(("=1+1", "@SUM(A1)", "'; DROP TABLE runs; --", "<b>x</b>", "+1", "{}")):
        receipt = submissions.submit(board, [draft(model=name, notes=name, seed=number)], client=name, filename=name)
        assert submissions.status(board, receipt.secret)[0].model == name


def test_limits_hold_against_hostile_clients(board: Store) -> None:
    """Whatever a client calls itself, it is one client."""
    for name in ("\x00", "\ud800", "x" * 1_000_000, "' OR 1=1 --", ""):
        submissions.submit(board, [draft()], client=name, limited_by=Limits(per_hour=1))
        with pytest.raises(LimitError):
            submissions.submit(board, [draft(seed=1)], client=name, limited_by=Limits(per_hour=1))
