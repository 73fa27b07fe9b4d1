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
