"""Figures as people read them."""

from collections.abc import Callable

import pytest

from db.registry import formats
from db.registry.metrics import METRICS, Metric, known

NAN = float("nan")


@pytest.mark.parametrize("missing", [None, NAN])
@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_missing_figure_is_a_dash(metric: Metric, missing: float | None) -> None:
    """A figure that is not there is a dash, never 0, whatever its unit."""
    assert formats.value(metric, missing) == formats.DASH == "–"


@pytest.mark.parametrize("missing", [None, NAN])
def test_missing_duration_size_and_count_are_dashes(missing: float | None) -> None:
    """So are a duration, a size and a count that are not there."""
    assert formats.duration(missing) == formats.size(missing) == formats.short(missing) == "–"


@pytest.mark.parametrize(
    ("name", "number", "text"),
    [
        ("accuracy", 0.8912, "89.12%"),
        ("accuracy", 0.0, "0.00%"),
        ("accuracy", 1.0, "100.00%"),
        ("latency_ms_p50", 0.5, "0.5 ms"),
        ("latency_ms_p50", 99.94, "99.9 ms"),
        ("latency_ms_p50", 1234.5, "1,234 ms"),
        ("inference_s", 13220.323875665665, "3 h 40 min"),
        ("checkpoint_bytes", 1_564_680, "1.56 MB"),
        ("failed", 70, "70"),
        ("examples_per_s", 2842.4, "2,842/s"),
        ("glue_delta", -2.96, "\N{MINUS SIGN}2.96"),
        ("glue_delta", 0.31, "+0.31"),
        ("glue_delta", -0.004, "0.00"),
        ("glue_score", 79.5, "79.5"),
        ("eval_loss", 7.9526, "7.953"),
    ],
)
def test_figure_has_its_unit(name: str, number: float, text: str) -> None:
    """Every unit is written by its one rule."""
    assert formats.value(METRICS[name], number) == text


@pytest.mark.parametrize(
    ("write", "number", "text"),
    [
        # A duration carries over at 1,000 ms, 60 s and 60 min, by what would be shown.
        (formats.duration, 0, "0 ms"),
        (formats.duration, 0.85, "850 ms"),
        (formats.duration, 0.9994, "999 ms"),
        (formats.duration, 0.9996, "1.0 s"),
        (formats.duration, 1, "1.0 s"),
        (formats.duration, 12.34, "12.3 s"),
        (formats.duration, 59.94, "59.9 s"),
        (formats.duration, 59.96, "1 min 00 s"),
        (formats.duration, 60, "1 min 00 s"),
        (formats.duration, 245, "4 min 05 s"),
        (formats.duration, 3599.4, "59 min 59 s"),
        (formats.duration, 3599.6, "1 h 00 min"),
        (formats.duration, 10161, "2 h 49 min"),
        (formats.duration, 90_000, "25 h 00 min"),
        # Bytes carry over at 1,000, by what would be shown, and never become a power of ten.
        (formats.size, 0, "0 B"),
        (formats.size, 999, "999 B"),
        (formats.size, 999.6, "1 kB"),
        (formats.size, 1000, "1 kB"),
        (formats.size, 109_576, "110 kB"),
        (formats.size, 999_499, "999 kB"),
        (formats.size, 999_600, "1 MB"),
        (formats.size, 1_564_680, "1.56 MB"),
        (formats.size, 438_000_000, "438 MB"),
        (formats.size, 999_700_000, "1 GB"),
        (formats.size, 2.5e9, "2.5 GB"),
        # A count is shortened to three figures and a letter.
        (formats.short, 0, "0"),
        (formats.short, 950, "950"),
        (formats.short, 27_394, "27.4k"),
        (formats.short, 391_170, "391k"),
        (formats.short, 999_600, "1M"),
        (formats.short, 1_175_554, "1.18M"),
        (formats.short, 109_482_240, "109M"),
        (formats.short, 999_900_000, "1B"),
        (formats.short, 7_241_732_096, "7.24B"),
        (formats.short, 1.5e12, "1.5T"),
        (formats.short, 1.5e15, "1,500T"),
    ],
)
def test_durations_sizes_and_counts_are_in_their_largest_units(
    write: Callable[[float], str], number: float, text: str
) -> None:
    """They carry over to the next unit by what would be shown."""
    assert write(number) == text


def test_metric_that_nobody_described_is_shown_under_its_own_name() -> None:
    """An unknown metric, of a submission say, has its name as label and no unit."""
    metric = known("word_error_rate")
    assert (metric.label, metric.unit) == ("word error rate", "plain")
    assert formats.value(metric, 0.125) == "0.125"
    assert known("accuracy") is METRICS["accuracy"]


def test_every_metric_is_explained() -> None:
    """Every metric has a label of its own and a whole sentence of help."""
    labels = [metric.label for metric in METRICS.values()]
    assert len(set(labels)) == len(labels)
    assert [metric.name for metric in METRICS.values() if not metric.help.endswith((".", "printed"))] == []
    assert all(name == metric.name for name, metric in METRICS.items())


def test_a_mean_over_seeds_names_its_spread_and_their_number() -> None:
    """The spread is in the unit of the figure; one seed has none."""
    assert formats.over_seeds(known("accuracy"), 0.87713, 0.00061, 3) == "87.71% ± 0.06 over 3 seeds"
    assert formats.over_seeds(known("log_loss"), 0.4, 0.0123, 2) == "0.4 ± 0.012 over 2 seeds"
    assert formats.over_seeds(known("accuracy"), 0.8771, float("nan"), 1) == "87.71%, one seed"


def test_a_difference_has_its_sign_and_its_unit() -> None:
    """Shares differ by points, and a difference always has a sign."""
    assert [formats.difference(known("accuracy"), number) for number in (0.0037, -0.0037)] == [
        "+0.37",
        "\N{MINUS SIGN}0.37",
    ]
    assert formats.difference(known("log_loss"), -0.0123) == "\N{MINUS SIGN}0.0123"
    assert formats.difference(known("latency_ms_p50"), -0.0) == "0"
    assert formats.value(known("latency_ms_p50"), -0.0) == "0 ms"
    assert (formats.difference_unit(known("accuracy")), formats.difference_unit(known("log_loss"))) == ("points", "")
