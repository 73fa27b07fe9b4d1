"""No folder of data sets, whatever the environment names: right answers are those that come with the project."""

import pytest

from db.runs import examples


@pytest.fixture(autouse=True)
def _without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(examples.VARIABLE, raising=False)
