"""The leaderboard's table in a page that is driven without a browser: what the browser is given, and clicks on it."""

import json
from typing import Any

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from dashboard.ui.task_picker import AREAS


def payload(app: AppTest) -> dict[str, Any]:
    """What the component draws; fails where there is no table."""
    content: dict[str, Any] = json.loads(_table(app).proto.json)
    return content


def _table(app: AppTest) -> Any:
    (element,) = (element for element in app.get("bidi_component") if "rows" in json.loads(element.proto.json))
    return element


def shown(app: AppTest) -> pd.DataFrame:
    """The rows as they are read, seeds of opened rows included: one column for each that is shown, and ``run_id``.

    Numbers are numbers in the unit of their header; what is missing is NaN or None.
    """
    content = payload(app)
    rows = []
    for row in content["rows"]:
        made: dict[str, Any] = {"run_id": row["id"]}
        for column, cell in zip(content["columns"], row["cells"], strict=True):
            made[column["key"]] = row["name"] if column["type"] == "model" else _value(column["type"], cell)
        rows.append(made)
    return pd.DataFrame(rows, columns=["run_id", *(column["key"] for column in content["columns"])])


def click(app: AppTest, event: str, value: Any) -> AppTest:
    """Do what a click in the table does: ``sort``, ``expand`` or ``visit``, with what comes along."""
    element = _table(app)
    states = app._tree.get_widget_states()  # Streamlit's tests have no way of their own to click inside a component
    state = states.widgets.add()
    state.id = f"$$STREAMLIT_INTERNAL_KEY_{element.proto.id}__events"
    state.json_trigger_value = json.dumps([{"event": event, "value": value}])
    return app._run(states)


def sort(app: AppTest, key: str, *, add: bool = False) -> AppTest:
    """Click a header."""
    return click(app, "sort", {"key": key, "add": add})


def open_menu(app: AppTest, key: str) -> AppTest:
    """Open a menu of the toolbar (``choose-columns``, ``views``): its content is drawn while it is open alone."""
    app.session_state[key] = True
    return app.run()


def choose_task(app: AppTest, task: str) -> AppTest:
    """Another board, by its area where that is another one."""
    area = next((area for area, tasks in AREAS.items() if task in tasks), "mini")
    for key, value in (("area", area), ("task", task)):
        if app.session_state[key] != value:
            app.button_group(key=key).set_value(value).run()
    return app


def _value(kind: str, cell: Any) -> Any:
    value = cell[0] if cell else ""
    if kind in {"number", "score"}:
        return float(value.replace(",", "").replace("\N{MINUS SIGN}", "-")) if value else np.nan
    return value or None
