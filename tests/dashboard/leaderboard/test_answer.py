"""The answer above a board, as cards."""

import pandas as pd

from dashboard.markup.cards import Card
from db.registry.metrics import known


def test_the_answer_names_a_much_smaller_model_within_one_point():
    """The second card names the smallest model that is at least twice as small and loses at most a point."""
    from dashboard.leaderboard import answer

    rows = pd.DataFrame(
        [
            ("a", "Big", 0.880, 0.877, 0.883, 400_000, 0.5, True, "measured"),
            ("b", "Middle", 0.875, 0.872, 0.878, 150_000, 0.4, True, "measured"),
            ("c", "Little", 0.871, 0.868, 0.874, 27_000, 0.3, True, "measured"),
            ("d", "Least", 0.850, 0.847, 0.853, 10_000, 0.2, True, "measured"),
        ],
        columns=["run_id", "model", "score", "low", "high", "params", "latency_ms_p50", "verified", "source"],
    ).assign(seeds=1, spread=float("nan"))

    def cards(rows: pd.DataFrame) -> list[Card]:
        return answer.cards(rows, known("accuracy"), lambda page, **query: f"{page}/{query['run']}", maximise=True)

    first, second = cards(rows)
    assert first == Card(
        "Best verified", "88.00%", "Big", "run/a", "run", ("95% interval 87.70% to 88.30%", "400k parameters", "0.5 ms")
    )
    assert (second.kind, second.fact, second.href) == (
        "Within one point with 15 times fewer parameters",
        "Little",
        "run/c",
    )
    assert cards(rows.assign(seeds=3, spread=0.0006))[0].details[0] == "± 0.06 over 3 seeds"
    claimed = rows.iloc[[0]].assign(run_id="z", model="Claim", score=0.9, verified=False, source="reported")
    kinds = ["Best verified", "Within one point with 15 times fewer parameters", "Best published"]
    assert [card.kind for card in cards(pd.concat([claimed, rows]))] == kinds
    unverified = cards(pd.concat([claimed, rows.assign(verified=False)]))
    assert [card.kind for card in unverified] == ["Best measured", *kinds[1:]]


def test_durations_are_worded_in_korean():
    """A board of durations, a comparison of train times and a mean over seeds had English units on Korean pages."""
    from dashboard.compare import tables
    from dashboard.leaderboard import answer
    from dashboard.ui import formatting, i18n

    metric = known("inference_s")
    rows = pd.DataFrame(
        [("a", "Big", 6420.0, True, "reported")], columns=["run_id", "model", "score", "verified", "source"]
    )
    rows = rows.assign(seeds=1, spread=None, low=None, high=None, params=None, latency_ms_p50=None)
    none = float("nan")
    with i18n.speaking("ko"):
        texts = [
            answer.cards(rows, metric, lambda page, **_: page, maximise=False)[0].figure,
            *tables._cells(metric, [(6420.0, none, none, none, 0), (6400.0, none, none, none, 0)], [1, 1]),
            formatting.over_seeds(metric, 6420.0, 1.0, 3),
        ]
    assert all("1시간" in text.replace("\N{NO-BREAK SPACE}", " ") for text in texts), texts
