"""The curves of a run: training and validation on one chart each, over the axis that the visitor chose."""

import json

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.charts import curves as curve_charts
from dashboard.charts.curves import Axis
from db.runs import curves, detail
from db.runs.writer import RunWriter
from db.storage.store import Store
from tests.dashboard.page_driver import open_page
from tests.factories.runs import add_run

EPOCH = Axis("epoch", "Epoch")


def _charts(app: AppTest) -> list[dict]:
    assert not app.exception
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def _frame(n: int, series: str = "train_loss") -> pd.DataFrame:
    steps = np.arange(1, n + 1)
    return pd.DataFrame(
        {"series": series, "step": steps, "epoch": steps / n, "value": 1 / steps, "wall_time": steps * 60.0}
    )


def test_training_and_validation_share_a_chart(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loss on one, accuracy on the other, the training first; points within an epoch stand between its ends."""
    run_id = add_run(board, accuracy=0.6)
    writer = RunWriter(board, run_id)
    for step in range(1, 31):
        writer.point("train_accuracy", step, step / 40, epoch=step / 10, wall_time=step)
    writer.point("validation_accuracy", 5, 0.52, epoch=0.5, wall_time=5)
    writer.beat(force=True)
    app = open_page("run", board, monkeypatch, run=run_id)
    shown = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    traces = {tuple(trace.get("name") for trace in chart["data"]): chart["data"] for chart in shown}
    assert ("Training loss", "Validation loss") in traces
    training, validation = traces["Training accuracy", "Validation accuracy"]
    assert (training["mode"], validation["mode"]) == ("lines+markers", "lines+markers")
    assert training["line"]["dash"] != validation["line"]["dash"]


def test_axis_smoothing_and_scale_are_in_the_address(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link shows what its sender saw, and a choice is written into it as a code that no language changes."""
    run_id = add_run(board, accuracy=0.6)
    app = open_page("run", board, monkeypatch, run=run_id, x="time", smooth="much", log="true", lang="ko")
    loss, accuracy = _charts(app)[:2]
    assert loss["layout"]["xaxis"]["title"]["text"] == "학습 시간(초)"
    assert loss["layout"]["yaxis"]["type"] == "log"
    assert "type" not in accuracy["layout"]["yaxis"], "shares are read on a plain scale"
    pale, smooth = loss["data"][:2]
    assert pale["opacity"] < 0.5
    assert smooth["name"] == "학습 손실"
    app.button_group(key="x").set_value("step").run()
    app.button_group(key="smooth").set_value("raw").run()
    assert app.query_params["x"] in ("step", ["step"])
    assert "smooth" not in app.query_params
    assert len(_charts(app)[0]["data"]) == 2


def test_a_made_up_axis_in_the_address_is_no_error(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown code shows what is usual."""
    app = open_page("run", board, monkeypatch, run=add_run(board, accuracy=0.6), x="moon", smooth="very")
    assert _charts(app)[0]["layout"]["xaxis"]["title"]["text"] == "Epoch"


def test_a_long_series_is_thinned_and_keeps_its_ends_and_its_spike(board: Store) -> None:
    """At most a thousand points of a series are read; a short series comes whole."""
    run_id = add_run(board, accuracy=0.6)
    writer = RunWriter(board, run_id)
    for step in range(1, 5001):
        writer.point("kl_loss", step, 99.0 if step == 2717 else 1 / step, epoch=step / 5000, wall_time=step)
    writer.beat(force=True)
    points = detail.run_detail(board, run_id).curves
    thinned = points[points["series"] == "kl_loss"]
    assert 900 < len(thinned) <= curves.MAX_POINTS
    assert thinned["step"].is_monotonic_increasing
    assert (thinned["step"].iloc[0], thinned["step"].iloc[-1]) == (1, 5000)
    assert 2717 in thinned["step"].to_numpy()
    assert (points["series"] == "train_loss").sum() == 30


def test_an_axis_is_offered_where_there_is_something_on_it() -> None:
    """A pretraining's points have no times of their own, a printed curve has steps alone."""
    points = _frame(5)
    assert curve_charts.axes(points) == ["epoch", "step", "time"]
    assert curve_charts.axes(points.assign(wall_time=0.0)) == ["epoch", "step"]
    assert curve_charts.axes(points.assign(wall_time=None, epoch=None)) == ["step"]


@pytest.mark.parametrize(("seconds", "unit"), [(90, "s"), (1200, "min"), (40_000, "h")])
def test_times_are_counted_in_the_unit_that_fits(seconds: float, unit: str) -> None:
    """Nobody reads 40,000 seconds."""
    assert curve_charts.time_unit(pd.DataFrame({"wall_time": [0.0, seconds]})) == unit


def test_smoothing_leaves_a_constant_alone_and_begins_at_the_first_point() -> None:
    """The average is corrected for its beginning: it does not rise from zero."""
    assert curve_charts.smoothed(np.full(50, 3.0), 0.93) == pytest.approx(np.full(50, 3.0))
    values = np.array([1.0, 3.0, 5.0])
    assert curve_charts.smoothed(values, 0.0).tolist() == values.tolist()
    assert curve_charts.smoothed(values, 0.5)[1] == pytest.approx((1 * 0.25 + 3 * 0.5) / 0.75)
    wild = curve_charts.smoothed(np.array([4.0, 0.0, 4.0, 0.0]), 0.9)
    assert wild[0] == 4.0
    assert np.ptp(wild[1:]) < 1.0


def test_a_short_series_is_not_smoothed() -> None:
    """Four epochs of validation are points, not a trend."""
    points = pd.concat([_frame(40), _frame(4, "validation_loss")])
    figure = curve_charts.curves(points, ["train_loss", "validation_loss"], {}, EPOCH, title="Loss", smoothing=0.9)
    assert [len(trace.x) for trace in figure.data] == [40, 40, 4]
    assert [trace.showlegend for trace in figure.data] == [False, True, True]


def test_the_members_of_an_ensemble_share_the_colour_and_the_name_of_their_kind() -> None:
    """Eight names would fill the figure: the legend has two, and hovering tells the member."""
    names = [f"lstm/{index} {kind}" for kind in ("train_loss", "validation_loss") for index in range(4)]
    points = pd.concat([_frame(12, name) for name in names])
    labels = {name: f"member of {name}" for name in names}
    kinds = {name: name.rpartition(" ")[2] for name in names}
    figure = curve_charts.curves(points, names, labels, EPOCH, title="Loss", kinds=kinds)
    assert [trace.name for trace in figure.data if trace.showlegend] == ["train_loss", "validation_loss"]
    assert len({trace.line.color for trace in figure.data}) == 2
    assert figure.data[5].hovertemplate.startswith("member of lstm/1 validation_loss")
    alone = curve_charts.curves(points, names[:3], labels, EPOCH, title="Loss", kinds=kinds)
    assert [trace.name for trace in alone.data if trace.showlegend] == [labels[name] for name in names[:3]]


def test_a_log_scale_leaves_out_what_it_cannot_show_and_names_its_ticks() -> None:
    """A rate of 0 has no logarithm; a short range has ticks of its own."""
    points = _frame(40).assign(value=[0.0, *np.linspace(3, 4, 39)])
    figure = curve_charts.curves(points, ["train_loss"], {}, EPOCH, title="Loss", log=True)
    assert len(figure.data[0].x) == 39
    assert (figure.layout.yaxis.type, figure.layout.yaxis.dtick) == ("log", None), "Plotly's linear steps fit here"


def test_names_of_curves_from_outside_are_text() -> None:
    """Plotly reads a few HTML tags in its labels: what a submission calls its curve is none."""
    name = '<a href="http://x">y</a> train_loss'
    figure = curve_charts.curves(_frame(5, name), [name], {name: "<b>y</b> Training loss"}, EPOCH, title="<i>z</i>")
    texts = [
        *(text for trace in figure.data for text in (trace.name, trace.hovertemplate)),
        figure.layout.yaxis.title.text,
    ]
    for markup in ("<a", "<b", "<i"):
        assert not any(markup in text for text in texts)
    assert figure.data[0].name == "&lt;b&gt;y&lt;/b&gt; Training loss"
    assert "<a" not in curve_charts.curves(_frame(5, name), [name], {}, EPOCH, title="Loss").data[0].name
