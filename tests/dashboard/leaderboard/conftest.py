"""The leaderboard as a visitor opens it, and three models that differ in size and time."""

from streamlit.testing.v1 import AppTest

from db.runs.writer import MetricValue, ModelFacts
from db.storage.store import Store
from tests.factories.runs import add_run, in_one_write

TASK = "reviews-ko-mini"


def add_sizes(board: Store) -> None:
    """Three models that differ in size and time, the largest the best, and one whose costs nobody gave."""
    with in_one_write(board) as store:
        for index, (size, time) in enumerate([(5e5, 0.5), (5e6, 5.0), (5e7, 50.0), (None, None)]):
            costs = (
                [MetricValue("checkpoint_bytes", size), MetricValue("latency_ms_p50", time)] if size and time else []
            )
            model = ModelFacts(f"m{index}", f"Model {index}", "KoBiLSTM", "bilstm", {}, 10 ** (index + 3), "ko")
            add_run(store, *costs, accuracy=0.6 + index / 20, name=model.name, model=model, recipe_hash=f"r{index}")


def address_of(app: AppTest) -> dict[str, list[str]]:
    parameters = {name: value if isinstance(value, list) else [value] for name, value in dict(app.query_params).items()}
    return {name: values for name, values in parameters.items() if name != "lang"}
