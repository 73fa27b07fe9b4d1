"""The curves of a run: training and validation on one chart each, for the loss and for the accuracy."""

import json

import pytest

from db.runs import RunWriter
from db.store import Store
from tests.boards import add_run
from tests.test_dashboard import _open


def test_training_and_validation_share_a_chart(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loss on one, accuracy on the other, the training first; points within an epoch stand between its ends."""
    run_id = add_run(board, accuracy=0.6)
    writer = RunWriter(board, run_id)
    for step in range(1, 31):
        writer.point("train_accuracy", step, step / 40, epoch=step / 10, wall_time=step)
    writer.point("validation_accuracy", 5, 0.52, epoch=0.5, wall_time=5)
    writer.beat(force=True)
    app = _open("run", board, monkeypatch, run=run_id)
    assert not app.exception
    shown = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    traces = {tuple(trace.get("name") for trace in chart["data"]): chart["data"] for chart in shown}
    assert ("Training loss", "Validation loss") in traces
    training, validation = traces["Training accuracy", "Validation accuracy"]
    assert (training["mode"], validation["mode"]) == ("lines+markers", "lines+markers")
    assert training["line"]["dash"] != validation["line"]["dash"]
