"""Where a run comes from: document or device, data, versions, and the command that makes it again."""

import json
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.ui import formatting
from dashboard.ui.i18n import N_, NP_, _, translated
from dashboard.ui.markdown import cited, plain
from db.registry import formats
from db.registry.citations import resolve
from db.registry.metrics import known
from db.runs.detail import RunDetail

RUN_FACTS = {
    "citation": N_("Citation"),
    "file": N_("Cited file"),
    "dataset": N_("Trained on"),
    "split": NP_("run facts", "Scored on"),
    "teacher": N_("Teacher"),
    "device": N_("Device"),
    "processor": N_("Kind of processor"),
    "code": N_("Code"),
    "data_hash": N_("Data hash"),
    "libraries": N_("Libraries"),
    "started": N_("Started"),
    "run": N_("Run id"),
    "licence": N_("Licence"),
    "model": N_("Model"),
    "came": N_("How it came here"),
    "architecture": N_("Architecture"),
}
RUN_FILE_COLUMNS = {"kind": N_("Kind"), "path": N_("File"), "bytes": N_("Size"), "sha256": N_("SHA-256, beginning")}

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
    facts(
        [
            ("model", named and formatting.cut(named, 80)),
            ("dataset", run["dataset"]),
            ("split", run["split"]),
            ("teacher", run["teacher"]),
            ("device", run["device"]),
            ("started", started),
            ("code", run["code_version"]),
            ("processor", libraries.pop("processor", None)),
            ("libraries", ", ".join(f"{name} {version}" for name, version in libraries.items())),
            ("licence", model.get("licence")),
            ("data_hash", short(run["dataset_hash"])),
            ("came", _came(run)),
            ("file", resolve(run["citation"]).file if run["citation"] else None),
            ("run", short(run["run_id"])),
        ],
        citation=run["citation"],
    )
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


def facts(pairs: list[tuple[str, object]], citation: str | None = None) -> None:
    """A table of facts by their keys in ``RUN_FACTS``, after what is cited; those that are not known are left out."""
    # A label that breaks into two lines makes its row twice as high.
    shown = [("citation", cited(citation))] if citation else []
    shown += [(key, plain(value)) for key, value in pairs if value is not None and value != ""]
    rows = [(_(RUN_FACTS[key]).replace(" ", "\N{NO-BREAK SPACE}"), value) for key, value in shown]
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, hide_header=True, alt=_("Where it comes from"))


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
    columns = translated(RUN_FILE_COLUMNS)
    shown = pd.DataFrame(
        {
            columns["kind"]: files["kind"],
            columns["path"]: files["path"],
            columns["bytes"]: [formats.size(count) for count in files["bytes"]],
            columns["sha256"]: [short(whole) for whole in files["sha256"]],
        }
    )
    st.dataframe(
        shown,
        hide_index=True,
        key="artifacts",
        alt=_("{n} files").format(n=len(files)),
        column_config={columns["bytes"]: st.column_config.TextColumn(alignment="right")},
    )
