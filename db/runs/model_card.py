"""A run as a model card, in Markdown: what a model is, how good, how it was made, where it must not be trusted.

The sections follow Mitchell et al. 2019 (arXiv 1810.03993) as far as a run knows them. Cards are English, as model hubs
expect. The same run gives the same card, byte for byte.
"""

import json
import re
from typing import Any

import pandas as pd

from db.registry import formats, validation_split
from db.registry.citations import resolve
from db.registry.metrics import Metric, known
from db.runs.detail import RunDetail

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])")
_SOURCES = {
    "reported": "printed in a document, which is cited; nobody re-scored it",
    "measured": "trained and scored by Featherboard on the device named below",
    "submitted": "somebody's claim; nobody measured it",
}


def card(detail: RunDetail) -> str:
    """The model card of a run.

    Text from outside (names, notes, citations) is escaped: it shows exactly its characters and makes no markup.
    """
    parts = [
        _front(detail),
        f"# {_plain(detail.run['name'])}",
        _warnings(detail),
        _lead(detail),
        _figures(detail),
        _made(detail),
        _limits(detail),
        _again(detail),
        _files(detail),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def file_name(detail: RunDetail) -> str:
    """A name for the card's file: letters, digits and dashes of the run's name, and the beginning of its id."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", str(detail.run["name"])).strip("-")[:60].strip("-")
    return "-".join(part for part in (words, str(detail.run["run_id"])[:8]) if part) + ".md"


def _plain(words: object) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(str(words).split()))


def _code(words: str, language: str = "") -> str:
    """A fenced block; the fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{words.strip()}\n{fence}"


def _front(detail: RunDetail) -> str:
    """The head that hubs read; a JSON text is a YAML text."""
    licence = detail.model.get("licence")
    facts: list[tuple[str, object]] = [
        ("license", str(licence).lower() if licence else None),
        ("language", detail.model.get("language") or detail.task.get("language")),
        ("datasets", [detail.run["dataset"]]),
        ("tags", ["featherboard"]),
    ]
    # A viewer that takes the head for Markdown finds no tag in it.
    lines = [f"{key}: {json.dumps(value, ensure_ascii=True)}".replace("<", "\\u003c") for key, value in facts if value]
    return "\n".join(["---", *lines, "---"])


def _warnings(detail: RunDetail) -> str:
    warnings = []
    if detail.run.get("withdrawn_at") is not None:
        warnings.append(f"This run was withdrawn and is no longer on the board: {_plain(detail.run['withdrawn'])}")
    if detail.run["status"] != "finished":
        warnings.append(f"This run is {detail.run['status']}; its figures are not those of a finished training.")
    if detail.task.get("mini"):
        warnings.append("Trained and scored on a mini corpus: a check that everything works, not a benchmark.")
    caveat = validation_split.caveat(detail.run["recipe_json"], detail.run["seed"], detail.run["caveat"])
    if caveat:
        warnings.append(_plain(caveat))
    return "\n>\n".join(f"> **Mind:** {warning}" for warning in warnings)


def _lead(detail: RunDetail) -> str:
    run, task, metric = detail.run, detail.task, known(str(detail.task.get("metric", "accuracy")))
    verified = " The score was verified from its predictions, example by example." if run["verified"] else ""
    question = f"{_plain(task['question'])} {_plain(task['scoring'])}" if task else _plain(run["task_id"])
    row = detail.metrics[detail.metrics["name"] == metric.name]
    score = "No score was recorded."
    if len(row):
        score = f"{metric.label}: **{_figure(metric, row.iloc[0])}**."
    return f"{question}\n\n{score} Source: {_SOURCES[run['source']]}.{verified}"


def _figure(metric: Metric, row: Any) -> str:
    value = formats.value(metric, row["value"])
    if pd.isna(row["low"]):
        return value
    ends = f"95% interval {formats.value(metric, row['low'])} to {formats.value(metric, row['high'])}"
    return f"{value} ({ends}, n = {int(row['n']):,})" if pd.notna(row["n"]) else f"{value} ({ends})"


def _figures(detail: RunDetail) -> str:
    if detail.metrics.empty:
        return ""
    primary = str(detail.task.get("metric"))
    rows = detail.metrics.assign(later=detail.metrics["name"] != primary).sort_values(["later", "name"], kind="stable")
    lines = ["| Figure | Value | 95% interval | Examples |", "|---|---:|---:|---:|"]
    for _, row in rows.iterrows():
        metric = known(str(row["name"]))
        ends = formats.DASH
        if pd.notna(row["low"]):
            ends = f"{formats.value(metric, row['low'])} to {formats.value(metric, row['high'])}"
        n = formats.DASH if pd.isna(row["n"]) else f"{int(row['n']):,}"
        lines.append(
            f"| {_plain(metric.label)} | {_plain(formats.value(metric, row['value']))} | {_plain(ends)} | {n} |"
        )
    return "## Figures\n\n" + "\n".join(lines)


def _made(detail: RunDetail) -> str:
    run, model = detail.run, detail.model
    params = f"{model['params']:,}, computed from the checkpoint or the architecture" if model.get("params") else None
    printed = f"{model['params_reported']:,}" if model.get("params_reported") else None
    seconds = formats.duration(run["train_seconds"]) if run["train_seconds"] is not None else None
    facts: list[tuple[str, object]] = [
        ("Model", model.get("name")),
        ("Family", model.get("family")),
        ("Architecture", model.get("architecture")),
        ("Parameters", params),
        ("Parameters as printed", printed),
        ("Licence", model.get("licence") or "not known"),
        ("Trained on", run["dataset"]),
        ("Data hash", run["dataset_hash"]),
        ("Scored on", run["split"]),
        ("Teacher", run["teacher"]),
        ("Recipe", run["recipe"]),
        ("Recipe hash", run["recipe_hash"]),
        ("Seed", run["seed"]),
        ("Train time", seconds),
        ("Device", run["device"]),
        ("Code", run["code_version"]),
        ("Libraries", _libraries(run["libraries"])),
        ("Citation", _cited(run["citation"])),
        ("Run", run["run_id"]),
        ("Made", f"{run['created_at']:%Y-%m-%d}" if run["source"] != "reported" else None),
    ]
    lines = [f"- {name}: {_plain(value)}" for name, value in facts if value is not None and value != ""]
    return "## How it was made\n\n" + "\n".join(lines)


def _libraries(stored: str | None) -> str | None:
    versions = json.loads(stored or "null")
    return ", ".join(f"{name} {version}" for name, version in versions.items()) if isinstance(versions, dict) else None


def _cited(stored: str | None) -> str | None:
    """Title, document that quotes it, address and file of what a run cites, as far as they are known."""
    if not stored:
        return None
    cited = resolve(stored)
    return ", ".join(part for part in (cited.title, cited.quoted_in, cited.link, cited.file) if part)


def _limits(detail: RunDetail) -> str:
    limits = [
        "An interval says how far another test set of the same kind would move the score; it says nothing of other "
        "kinds of text.",
        *([_plain(detail.run["notes"])] if detail.run["notes"] else []),
    ]
    return "## Limits\n\n" + "\n".join(f"- {limit}" for limit in limits)


def _again(detail: RunDetail) -> str:
    command = detail.run["command"]
    return f"## Make it again\n\n{_code(command, 'sh')}" if command else ""


def _files(detail: RunDetail) -> str:
    if detail.artifacts.empty:
        return ""
    sums = "\n".join(f"{row.sha256}  {' '.join(str(row.path).split())}" for row in detail.artifacts.itertuples())
    return f"## Files\n\nAs `sha256sum --check` reads them:\n\n{_code(sums)}"
