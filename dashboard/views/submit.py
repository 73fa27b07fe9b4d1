"""Submit: what somebody has, what is known of it, how it would look, and handing it in."""

import streamlit as st

from dashboard.submit import browser_draft, files, form, preview, rows, status, uploads, validation
from dashboard.submit import receipt as hand_in
from dashboard.submit.fields import Drawer
from dashboard.submit.form_state import FORM, PREFIX, FormState
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import guarded
from db import submissions
from db.registry import tasks

SUBMIT_STEPS = {1: N_("What you have"), 2: N_("Details"), 3: N_("How it would look"), 4: N_("Submit")}

_LINK = f"{PREFIX}link"


def _follow() -> None:
    """A link may name the task; it counts once."""
    link = st.query_params.get("task")
    if link != st.session_state.get(_LINK) and link in tasks.task_ids():
        FormState(FORM).put("task", str(link))
    st.session_state[_LINK] = link


def _keep() -> None:
    task = FormState(FORM).values.get("task") or None
    if task is None:
        st.query_params.pop("task", None)
    elif st.query_params.get("task") != task:
        st.query_params["task"] = task
    st.session_state[_LINK] = task


def _step(number: int) -> None:
    st.header(f"{number}\N{EN SPACE}{_(SUBMIT_STEPS[number])}", anchor=False)


def _form() -> None:
    _follow()
    brought = files.brought()
    gathered, trouble = files.together(brought)
    questions = submissions.questions(gathered)
    gathered = rows.answered(gathered, questions)
    files.prefill(gathered)
    FormState(FORM).sync()
    several = len(gathered.drafts) > 1
    ids = tuple(file.file_id for file in brought)
    every = validation.several(gathered) if several else [validation.single(gathered.predictions, ids)]
    included = rows.included(every)
    st.markdown(
        _(
            "A submission is a claim. What can be checked is checked here, and the row says what could "
            "not be. A moderator looks at it before it stands on the board."
        )
    )
    browser_draft.tell()
    _step(1)
    uploads.draw(brought, gathered, trouble)
    rows.draw_cells(included, gathered, questions)
    _step(2)
    if several:
        rows.draw(every, gathered)
    else:
        st.caption(
            _(
                "Required: task, model and the task's main metric, which predictions give by themselves. The more of "
                "the rest you fill in, the more the row is worth."
            )
        )
        form.differing()
        form.draw_run(Drawer(FormState(FORM), included[0].wrong), brought)
    _keep()
    _step(3)
    if several:
        preview.several(included)
    else:
        preview.draw_row(included[0], gathered, ids)
    _step(4)
    read, unread = ([file.name for file in brought if (file.imported is not None) == good] for good in (True, False))
    blocked = rows.blocked(included, gathered)
    hand_in.draw(included, gathered, read, trouble, unread, blocked=blocked)
    browser_draft.mount()


def page() -> None:
    """Draw the page: the form, its receipt, or the state of what was handed in."""
    secret = st.query_params.get("secret")
    st.title(_("Your submission") if secret else _("Submit a run"))
    with guarded(), st.container(key=f"{PREFIX}steps"):
        if secret:
            status.draw(secret)
        elif hand_in.receipt():
            browser_draft.mount()
        else:
            _form()


page()
