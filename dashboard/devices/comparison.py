"""The same models on different machines: what is compared, the sentences, the rows of the tables."""

import math
from typing import Any

import pandas as pd

from dashboard.ui import task_names
from dashboard.ui.formatting import RUN_DURATIONS
from dashboard.ui.i18n import N_, _, ngettext, translated
from dashboard.ui.labels import SOURCES
from dashboard.ui.markdown import cited_title
from db.registry import formats
from db.registry.metrics import known
from db.runs.timings import HEADLINE_TOKENS, REFERENCE

COLUMNS = [
    "machine",
    "source",
    "condition",
    "run_id",
    "model_id",
    "model",
    "family",
    "precision",
    "params",
    "seconds",
    "times",
    "peak_memory_bytes",
    "checkpoint_bytes",
    "load_seconds",
    "energy_per_1000",
    "energy_per_1000_estimated",
    "cost_per_1000",
    "citation",
]

_ENERGY = {"energy_per_1000": N_("{energy}, measured"), "energy_per_1000_estimated": N_("{energy}, estimated")}
"""Of 1,000 answers, the better figure first."""

_COST = "cost_per_1000"

REFERENCE_NAME = "BERT-base"
_STUDENT = "distilbert"


def compared(measured: pd.DataFrame, reported: pd.DataFrame) -> pd.DataFrame:
    """One row for each model, precision and machine, with its time as a multiple of BERT-base's on that machine.

    Measured machines are compared at 384 tokens (else the longest length at which BERT-base was measured there), one
    example at a time and with the most threads; printed rows as they were printed.

    Returns:
        Columns ``COLUMNS``; ``times`` is how many times as fast as BERT-base in float32, NaN where that was not timed.
        Machines of documents with a name come first, then measured ones, slowest model first.
    """
    parts = [_of_document(rows) for _unused, rows in reported.groupby(["task_id", "machine"], sort=False)]
    own = [_of_machine(rows) for _unused, rows in measured.groupby(["machine", "cpu", "source"], sort=True)]
    everything = [part for part in [*parts[:1], *own, *parts[1:]] if len(part)]
    if not everything:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(everything, ignore_index=True)[COLUMNS]


def _of_document(rows: pd.DataFrame) -> pd.DataFrame:
    unknown = dict.fromkeys(("peak_memory_bytes", "checkpoint_bytes", "load_seconds", *_ENERGY, _COST), math.nan)
    tasks = [task_names.name(row.task_id, row.task) for row in rows.itertuples()]
    rows = rows.assign(
        source="reported", condition=tasks, precision="float32", machine=rows["machine"].map(short), **unknown
    )
    return _with_times(rows.sort_values("seconds", ascending=False, kind="stable"))


def _of_machine(rows: pd.DataFrame) -> pd.DataFrame:
    base = rows[(rows["model_id"] == REFERENCE) & (rows["precision"] == "float32") & (rows["batch"] == 1)]
    known = rows[rows["batch"] == 1] if base.empty else base
    if known.empty:
        return pd.DataFrame()
    tokens = HEADLINE_TOKENS if (known["tokens"] == HEADLINE_TOKENS).any() else int(known["tokens"].max())
    threads = int(known.loc[known["tokens"] == tokens, "threads"].max())
    chosen = rows[(rows["tokens"] == tokens) & (rows["threads"] == threads) & (rows["batch"] == 1)]
    chosen = chosen.assign(seconds=chosen["p50_ms"] / 1e3, condition=condition(tokens, threads), citation=None)
    order = chosen.sort_values(["params", "model", "seconds"], ascending=[False, True, False], kind="stable")
    return _with_times(order)


def _with_times(rows: pd.DataFrame) -> pd.DataFrame:
    base = rows.loc[(rows["model_id"] == REFERENCE) & (rows["precision"] == "float32"), "seconds"]
    return rows.assign(times=float(base.iloc[0]) / rows["seconds"] if len(base) else math.nan)


def condition(tokens: int, threads: int) -> str:
    """What was measured, in words: ``384 tokens, 1 thread``."""
    return ngettext(
        "{tokens} tokens, {threads} thread",
        "{tokens} tokens, {threads} threads",
        threads,
        tokens=tokens,
        threads=threads,
    )


def short(machine: str) -> str:
    """A printed device's name without its parts, where the name alone says which it is."""
    first = machine.partition(",")[0].strip()
    return first if len(first) > 4 else machine


def sentences(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """The answer first, as (bold words, rest): what distillation saves on each machine, the fastest measured model."""
    lines = []
    students = rows[(rows["model_id"] == _STUDENT) & (rows["precision"] == "float32")].dropna(subset=["times"])
    if len(students):
        parts = [
            _("{times} times as fast on {machine} ({source})").format(
                times=f"{row.times:.2f}", machine=_article(row.machine), source=_(SOURCES[row.source]).lower()
            )
            for row in students.head(4).itertuples()
        ]
        against = _("{student} against {reference}").format(student="DistilBERT", reference=REFERENCE_NAME)
        lines.append((against, _("{parts}.").format(parts=_joined(parts))))
    own = rows[rows["source"] != "reported"].dropna(subset=["times"])
    if len(own):
        best = own.loc[own["times"].astype(float).idxmax()]
        lines.append(
            (
                _("Fastest measured"),
                _(
                    "{model} in {precision} on {machine}, {time} for {condition}: {times} times as fast as "
                    "{reference} in float32."
                ).format(
                    model=best["model"],
                    precision=best["precision"],
                    machine=_article(best["machine"]),
                    time=time(best["seconds"]),
                    condition=best["condition"],
                    times=f"{best['times']:.3g}",
                    reference=REFERENCE_NAME,
                ),
            )
        )
    return lines


def _article(machine: str) -> str:
    named = machine.startswith(("Raspberry", "CPU"))
    return _("a {machine}").format(machine=machine) if named else machine


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + _(" and ") + parts[-1]


def time(seconds: float) -> str:
    """A time as the page shows it: ``24.1 ms``, ``1.25 s``, ``13,220 s``."""
    if math.isnan(seconds):
        return formats.DASH
    if seconds < 1:
        return f"{1e3 * seconds:.3g} ms"
    return _(RUN_DURATIONS["s"]).format(s=f"{seconds:.3g}" if seconds < 100 else f"{seconds:,.0f}")


def _energy(row: Any) -> str | None:
    """Energy with how it is known; the measured one where both are."""
    for name, words in _ENERGY.items():
        if not math.isnan(row[name]):
            return _(words).format(energy=formats.value(known(name), row[name]))
    return None


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """What is drawn below the figure: one line a row of ``compared``; sizes in MB, missing figures missing.

    ``energy`` and ``cost`` are there where any row has them.
    """
    energy = [_energy(row) for row in rows.to_dict("records")]
    shown = _table(rows)
    if rows[_COST].notna().any():
        cost = [None if math.isnan(amount) else formats.value(known(_COST), amount) for amount in rows[_COST]]
        shown.insert(shown.columns.get_loc("condition") + 1, "cost", cost)
    if any(energy):
        shown.insert(shown.columns.get_loc("condition") + 1, "energy", energy)
    return shown


def _table(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "machine": rows["machine"],
            "model": rows["model"],
            "precision": rows["precision"].where(rows["source"] != "reported"),
            "times": rows["times"].astype("float64"),
            "time": [time(seconds) for seconds in rows["seconds"]],
            "condition": rows["condition"],
            "source": rows["source"].map(translated(SOURCES)),
            "params": rows["params"].astype("Int64"),
            "memory": rows["peak_memory_bytes"].astype("float64") / 1e6,
            "size": rows["checkpoint_bytes"].astype("float64") / 1e6,
            "start": rows["load_seconds"].astype("float64"),
            "citation": rows["citation"].map(cited_title, na_action="ignore"),
        }
    )


def machines(measured: pd.DataFrame) -> list[str]:
    """The measured machines by name."""
    return sorted(measured["machine"].unique())


def facts(measured: pd.DataFrame, machine: str) -> str:
    """A machine in one line: processor, cores, memory, system, and when it was measured."""
    row: Any = measured[measured["machine"] == machine].sort_values("created_at").iloc[-1]
    parts = [str(row["cpu"]), str(row["architecture"])]
    parts.append(ngettext("{n} core", "{n} cores", row["cores"]))
    if pd.notna(row["memory_bytes"]):
        parts.append(_("{n} GiB of memory").format(n=f"{row['memory_bytes'] / 2**30:.0f}"))
    if row["os"]:
        parts.append(str(row["os"]))
    return _("{parts}; measured {date}.").format(parts=", ".join(parts), date=f"{row['created_at']:%Y-%m-%d}")


def remarks(measured: pd.DataFrame, machine: str) -> list[str]:
    """What must be seen beside a machine's figures, each once."""
    caveats = measured.loc[measured["machine"] == machine, "caveat"].dropna()
    return list(dict.fromkeys(caveats))


def timings(measured: pd.DataFrame, machine: str) -> pd.DataFrame:
    """Every timing of a machine, by model, precision, threads and length."""
    rows = measured[measured["machine"] == machine]
    rows = rows.sort_values(
        ["params", "model", "precision", "threads", "tokens", "batch"],
        ascending=[False, True, True, True, True, True],
        kind="stable",
    )
    names = [
        "model",
        "precision",
        "threads",
        "tokens",
        "batch",
        "p50_ms",
        "p95_ms",
        "p99_ms",
        "per_s",
        "calls",
        "load_average",
        "celsius",
        "clock_mhz",
    ]
    optional = ("load_average", "celsius", "clock_mhz")
    columns = [name for name in names if name not in optional or rows[name].notna().any()]
    if (rows["batch"] == 1).all():
        columns.remove("batch")
    return rows[columns].reset_index(drop=True)
