"""About: version, licence, contact, how to cite the board, and what its terms and metrics mean."""

import os
from datetime import UTC, datetime
from importlib import metadata

import streamlit as st

from dashboard.model import citation
from dashboard.ui import cache, task_names
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.labels import APP, TERMS
from dashboard.ui.markdown import linked, page_link, plain, table
from db.base.errors import FeatherboardError
from db.registry.metrics import METRICS

CONTACT = "FEATHERBOARD_CONTACT"  # an address of mail or of a page


def _facts() -> dict[str, str]:
    """Return what is known of the board, as Markdown by its labels."""
    package = metadata.metadata(APP.lower())
    contact = os.environ.get(CONTACT, "").strip()
    licence = _("{licence}; models, data sets and cited documents keep their own.")
    return {
        _("Version"): f"{APP} {package['Version']}",
        _("Licence"): plain(licence.format(licence=package["License-Expression"])),
        _("Contact"): linked(contact) if contact else plain(_("This server names no contact.")),
        _("This database"): plain(_contents()),
    }


def _contents() -> str:
    try:
        runs = int(cache.boards()["runs"].sum())
    except FeatherboardError:
        return _("Not readable just now.")
    return ngettext("{n} run", "{n} runs", runs)


def _draw_facts() -> None:
    rows = [(label.replace(" ", "\N{NO-BREAK SPACE}"), value) for label, value in _facts().items()]
    table(rows, _("About this board"), heads=False)


def _draw_citation() -> None:
    address = (st.context.url or "").partition("?")[0].removesuffix("/about") or "http://localhost"
    today = datetime.now(UTC).date()
    st.code(citation.of_board(address, metadata.version(APP.lower()), today), language="bibtex", wrap_lines=True)
    st.caption(_("To cite scores, use *Cite* on the page of a model: its link shows them as they are today."))


def _draw_definitions() -> None:
    st.subheader(_("Definitions"))
    search = st.text_input(
        _("Search definitions"),
        key="term",
        bind="query-params",
        icon=":material/search:",
        placeholder=_("Term or words of its meaning"),
        label_visibility="collapsed",
        width=360,
        live=True,
    )
    terms = [(_(term), _(meaning)) for term, meaning in TERMS.items()]
    metrics = [(metric.label, metric.help) for metric in map(task_names.metric, METRICS)]
    words = search.casefold().split()
    matches = 0
    for heading, listed in ((_("Terms"), terms), (_("Metrics"), metrics)):
        rows = [row for row in listed if all(word in " ".join(row).casefold() for word in words)]
        matches += len(rows)
        if rows:
            lines = [f"| {heading} | {_('Meaning')} |", "|---|---|"]
            lines += [f"| **{plain(term)}** | {plain(meaning)} |" for term, meaning in rows]
            st.container(width=960).markdown("\n".join(lines))
    if not matches:
        st.write(_("No definition has these words."))


def page() -> None:
    """Draw the page."""
    st.title(_("What this board shows"))
    st.markdown(
        _(
            "Featherboard compares small language models: the ones that fit a laptop or a Raspberry "
            "Pi. Every score has its uncertainty, every row its source, and cost is shown next to "
            "quality."
        )
    )
    st.markdown(
        _(
            "Colour is the family. A hollow circle is a reported figure, a filled one is measured, a "
            "diamond is submitted. The grey line is the Pareto frontier."
        )
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(_("About this board"))
        _draw_facts()
    with right:
        st.subheader(_("How to cite"))
        _draw_citation()
    _draw_definitions()
    page_link("moderation", _("Moderation"))


page()
