"""What the fields of a form hold, between the browser and the session."""

from streamlit.testing.v1 import AppTest


def test_a_value_from_a_file_stays_where_the_browser_sends_what_the_field_held_before_it() -> None:
    """Two files that come at once ask for two runs: the second may bring the fields as they were before the first."""
    app = AppTest.from_function(_form).run()
    before = app._tree.get_widget_states()
    app.session_state["from a file"] = "Mine"
    assert app.run().text_input[0].value == "Mine"
    assert app._run(before).text_input[0].value == "Mine"
    app.text_input[0].set_value("").run()
    assert app.text_input[0].value == ""


def _form() -> None:
    import streamlit as st

    from dashboard.submit.fields import Drawer
    from dashboard.submit.form_state import FORM, FormState

    form = FormState(FORM)
    form.sync()
    if value := st.session_state.pop("from a file", ""):
        form.put("model", value)
    Drawer(form, {}).typed("model")
