"""The answer above a board, in words."""

import pandas as pd

from db.registry.metrics import known


def test_the_answer_names_a_much_smaller_model_within_one_point():
    """The second sentence names the smallest model that is at least twice as small and loses at most a point."""
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
    sentences = answer.sentences(rows, known("accuracy"), maximise=True)
    assert sentences[0] == "Best verified: Big, 88.00% (87.70 to 88.30), 400k parameters, 0.5 ms."
    assert sentences[1].startswith("Within one point with 15 times fewer parameters: Little")
    several = answer.sentences(rows.assign(seeds=3, spread=0.0006), known("accuracy"), maximise=True)
    assert several[0].startswith("Best verified: Big, 88.00% ± 0.06 over 3 seeds (95% interval 87.70 to 88.30), 400k")
    claimed = rows.iloc[[0]].assign(run_id="z", model="Claim", score=0.9, verified=False, source="reported")
    both = answer.sentences(pd.concat([claimed, rows]), known("accuracy"), maximise=True)
    assert [sentence.split(":")[0] for sentence in both] == [
        "Best verified",
        "Within one point with 15 times fewer parameters",
        "Best published",
    ]
    unverified = answer.sentences(pd.concat([claimed, rows.assign(verified=False)]), known("accuracy"), maximise=True)
    assert [sentence.split(":")[0] for sentence in unverified] == [
        "Best measured",
        "Within one point with 15 times fewer parameters",
        "Best published",
    ]


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
            *answer.sentences(rows, metric, maximise=False),
            *tables._cells(metric, [(6420.0, none, none, none, 0), (6400.0, none, none, none, 0)], [1, 1]),
            formatting.over_seeds(metric, 6420.0, 1.0, 3),
        ]
    assert len(texts) >= 4
    assert all("1시간" in text.replace("\N{NO-BREAK SPACE}", " ") for text in texts), texts
