"""The service is held to its own description: requests made from it, good and bad, and every answer checked."""

from collections import Counter
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events

from db.storage.store import Store
from tests.factories.runs import add_twin
from tests.factories.service import TOKEN, application, write_models

FEW, MANY = 3, 300
"""Random requests for each operation: in every test run, and in the slow one."""

DRAFTS = [{"include-name": "POST /v1/submissions", "checks": {"positive_data_acceptance": {"enabled": False}}}]
"""What a draft may say is checked in words, field by field; no schema holds these rules. All else is checked here."""

HEADERS = {"Authorization": f"Bearer {TOKEN}", "Host": "127.0.0.1"}


@schemathesis.serializer("application/zip")
def _zip(_: object, value: Any) -> bytes:
    """Send whatever is tried in place of a bundle as it is."""
    return value if isinstance(value, bytes) else str(value).encode()


@pytest.fixture(scope="module")
def made(shared_board: Store) -> FastAPI:
    """The service over tiny models and a small board; it asks for a token, so that this is checked too."""
    add_twin(shared_board, accuracy=0.8, distilled=False)
    models = write_models(shared_board.path.parent / "models")
    app = application(shared_board, models, token=TOKEN, timeout_s=120.0)
    for reads in ("qa", "sentiment", "nli"):
        app.state.service.predictor.warm(reads)
    return app


def _tried(made: FastAPI, examples: int, path: str | None = None, **generation: Any) -> tuple[Counter[str], list[str]]:
    """Let the tool run all phases and checks on one path or all; what it tried by operation, and what it found."""
    config = SchemathesisConfig.from_dict(
        {"headers": HEADERS, "generation": {"max-examples": examples, **generation}, "operations": DRAFTS}
    )
    schema = schemathesis.openapi.from_asgi("/openapi.json", made, config=config, headers=HEADERS)
    schema = schema.include(path=path) if path else schema
    tried: Counter[str] = Counter()
    problems: list[str] = []
    for event in engine.from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            tried[event.recorder.label] += len(event.recorder.interactions)
            problems += [
                f"{event.recorder.label}: {check.name}: {check.failure_info.failure.title}: "
                f"{check.failure_info.failure.message}\n{check.failure_info.code_sample}"
                for checks in event.recorder.checks.values()
                for check in checks
                if check.status == Status.FAILURE and check.failure_info
            ]
        elif isinstance(event, events.NonFatalError | events.FatalError):
            why = event.info if isinstance(event, events.NonFatalError) else event.exception
            problems.append(f"the tool itself: {why}")
    return tried, list(dict.fromkeys(problems))


def _hold(made: FastAPI, examples: int, **generation: Any) -> None:
    tried, problems = _tried(made, examples, **generation)
    assert not problems, f"{len(problems)} finding(s)\n\n" + "\n\n".join(problems[:8])
    described = {
        f"{method.upper()} {path}" for path, operations in made.openapi()["paths"].items() for method in operations
    }
    assert described <= set(tried), "an operation was never asked"
    assert sum(tried.values()) > examples * len(described)
    print(f"{sum(tried.values())} requests")


@pytest.mark.timeout(600)
def test_the_service_keeps_to_its_description(made: FastAPI) -> None:
    """No operation answers otherwise than described, whatever is asked."""
    _hold(made, FEW, deterministic=True)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_service_keeps_to_its_description_for_long(made: FastAPI) -> None:
    """The same with many more requests, other ones each time."""
    _hold(made, MANY)


@pytest.mark.slow
def test_a_service_that_does_not_is_found_out(made: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool would notice an answer of another form."""
    monkeypatch.setitem(made.openapi()["components"]["schemas"]["Health"]["properties"]["status"], "const", "well")
    _, problems = _tried(made, 1, "/healthz", deterministic=True)
    assert any("GET /healthz: response_schema_conformance" in problem for problem in problems)
