"""Where a run comes from: document or device, data, versions, and the command that makes it again."""

import json
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.ui import formatting
from dashboard.ui.i18n import N_, _, pgettext
from dashboard.ui.markdown import cited, plain, table
from db.registry import formats
from db.registry.citations import resolve
from db.registry.metrics import known
from db.runs.detail import RunDetail

SAME_PROCESSOR = N_(
    "On the same kind of processor it gives the same figures. Between kinds the last digits differ: one recipe gave "
    "85.374% on Intel and 85.406% on AMD."
)
FOREIGN_COMMAND = N_("The command came with the run from another installation. Read it before you run it.")
_HASH = 12


def draw(detail: RunDetail) -> None:
    """Draw where the run comes from."""
    run, model = detail.run, detail.model
    st.subheader(_("Where it comes from"), anchor=False)
    # A model that is called like the run says nothing more.
    named = model.get("name") if model.get("name") != run["name"] else None
    libraries = _versions(run["libraries"])
    started = f"{run['created_at']:%Y-%m-%d %H:%M} UTC" if run["source"] != "reported" else None
    facts = {
        _("Model"): named and formatting.cut(named, 80),
        _("Trained on"): formatting.stored(run["dataset"]),
        pgettext("run facts", "Scored on"): run["split"],
        _("Teacher"): run["teacher"],
        _("Device"): formatting.stored(run["device"]),
        _("Started"): started,
        _("Code"): run["code_version"],
        _("Kind of processor"): libraries.pop("processor", None),
        _("Libraries"): ", ".join(f"{name} {version}" for name, version in libraries.items()),
        _("Licence"): model.get("licence"),
        _("Data hash"): short(run["dataset_hash"]),
        _("How it came here"): _came(run),
        _("Cited file"): resolve(run["citation"]).file if run["citation"] else None,
        _("Run id"): short(run["run_id"]),
    }
    shown = {_("Citation"): cited(run["citation"])} if run["citation"] else {}
    shown |= {label: plain(value) for label, value in facts.items() if value is not None and value != ""}
    # A label that breaks into two lines makes its row twice as high.
    rows = [(label.replace(" ", "\N{NO-BREAK SPACE}"), value) for label, value in shown.items()]
    table(rows, _("Where it comes from"), heads=False)
    for version in detail.versions.to_dict("records"):
        st.caption(_former(detail, version))
    if run["notes"]:
        st.caption(plain(run["notes"]))
    if run["command"]:
        st.markdown(f"**{_('Reproduce it with')}**")
        st.code(formatting.one_line(run["command"]), language="bash", wrap_lines=True)
        if run.get("origin") in {"imported", "pushed"}:
            st.caption(_(FOREIGN_COMMAND))
        elif run["source"] == "measured":
            st.caption(_(SAME_PROCESSOR))


def _came(run: dict[str, Any]) -> str | None:
    """How a run of another installation came; None of one that was made here or belongs to the package's document."""
    if run.get("origin") is None:
        return None
    if run["origin"] == "shipped":
        return _("With the package")
    named = short(run["installation"]) or _("not signed")
    words = _("by the push token {token}, from installation {installation}, {time} UTC")
    if not run["received_by"]:
        words = _("in a bundle of installation {installation}, {time} UTC")
    return words.format(token=run["received_by"], installation=named, time=f"{run['received_at']:%Y-%m-%d %H:%M}")


def _former(detail: RunDetail, version: dict[str, Any]) -> str:
    """One sentence about what the run was before it was replaced."""
    metric = known(str(detail.task.get("metric", "accuracy")))
    words = _("Version {n} was replaced on {time} UTC by {source}. Its figure: {metric} {value}.")
    return plain(
        words.format(
            n=version["version"],
            time=f"{version['replaced_at']:%Y-%m-%d %H:%M}",
            source=version["replaced_by"],
            metric=_(metric.label),
            value=formatting.value(metric, json.loads(version["figures"]).get(metric.name)),
        )
    )


def short(whole: str | None) -> str | None:
    """The beginning of a hash or an id; the whole one stands among the files and hashes."""
    return whole if whole is None or len(whole) <= _HASH + 4 else f"{whole[:_HASH]}…"


def _versions(libraries: str | None) -> dict[str, Any]:
    versions: Any = json.loads(libraries or "null")
    return versions if isinstance(versions, dict) else {}


def draw_files(detail: RunDetail) -> None:
    """Draw the files that a run left behind, and the hashes of what it read, whole and ready to be copied."""
    run, files = detail.run, detail.artifacts
    read = [
        (name, run[column])
        for name, column in (("run", "run_id"), ("data", "dataset_hash"), ("recipe", "recipe_hash"))
        if run[column]
    ]
    st.subheader(_("Files and hashes"), anchor=False)
    left, right = st.columns([12, 19], gap="large") if len(files) else (None, st.container())
    if left is not None:
        with left:
            _files(files)
        sums = "\n".join(f"{row.sha256}  {' '.join(str(row.path).split())}" for row in files.itertuples())
        right.caption(_("Whole hashes, as `sha256sum --check` reads them:"))
        right.code(sums, language=None, wrap_lines=True)
    right.caption(_("Data the run read, and its recipe:"))
    right.code("\n".join(f"{whole}  {name}" for name, whole in read), language=None, wrap_lines=True)


def _files(files: pd.DataFrame) -> None:
    size = _("Size")
    shown = pd.DataFrame(
        {
            _("Kind"): files["kind"],
            _("File"): files["path"],
            size: [formats.size(count) for count in files["bytes"]],
            _("SHA-256, beginning"): [short(whole) for whole in files["sha256"]],
        }
    )
    st.dataframe(
        shown,
        hide_index=True,
        key="artifacts",
        alt=_("{n} files").format(n=len(files)),
        column_config={size: st.column_config.TextColumn(alignment="right")},
    )
