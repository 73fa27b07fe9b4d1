"""Saving what a figure shows: the plot as a picture, what is plotted as a table."""

import streamlit as st

from dashboard.ui.i18n import _

FORMATS = ("svg", "png")

_STYLE = """<style>
.save-plot { display: flex; gap: .4rem; align-items: center; font-size: .87rem; }
.save-plot button { font: inherit; color: inherit; background: transparent; cursor: pointer;
  border: 1px solid rgba(138,134,124,.4); border-radius: .35rem; min-height: 2.2rem; padding: 0 .7rem; }
.save-plot button:hover, .save-plot button:focus-visible { border-color: currentColor; }
</style>"""

# Plotly makes both formats in the browser, but its camera offers one of them: the button says which, then presses it.
_SCRIPT = """<script>
for (const button of document.querySelectorAll(".save-plot button")) {
  button.onclick = () => {
    const plot = document.querySelector(`.st-key-${button.dataset.plot} .js-plotly-plot`);
    const camera = plot && plot.querySelector('.modebar-btn[data-title*="ownload"]');
    if (!camera) return;
    plot._context.toImageButtonOptions.format = button.dataset.format;
    camera.click();
  };
}
</script>"""


def save_buttons(plot: str, table: bytes, name: str) -> None:
    """Draw the buttons.

    Args:
        plot: The key of the container in which the plot is.
        table: The file that the last button saves.
        name: What that file is called.
    """
    title = _("Save the plot as {format}")
    buttons = "".join(
        f'<button data-plot="{plot}" data-format="{kind}" title="{title.format(format=kind.upper())}">'
        f"{kind.upper()}</button>"
        for kind in FORMATS
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
        st.html(
            f'{_STYLE}<div class="save-plot"><span>{_("Save:")}</span>{buttons}</div>{_SCRIPT}',
            unsafe_allow_javascript=True,
            width="content",
        )
        st.download_button(
            "CSV",
            table,
            name,
            "text/csv",
            key="trade_csv",
            on_click="ignore",
            help=_("Save what is plotted as a table"),
        )
