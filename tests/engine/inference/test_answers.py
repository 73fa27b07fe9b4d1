"""Questions in the playground: the answers of the engine, with windows, costs and turns."""

import itertools
import threading
from pathlib import Path

import pytest
import torch

from db.storage.store import Store
from engine.base.errors import DataError, ModelError
from engine.families.span_qa import ask as asking
from engine.families.span_qa.questions import Question
from engine.inference.answers import LONGEST_QUESTION, QAResult
from engine.inference.predictor import Predictor, shared
from tests.factories.models import TINY, open_predictor, span_folder
from tests.factories.span_qa import NOUNS, QUALITIES

SHORT = "The box is red. The cup is blue. The dog is old."
LONG = " ".join(f"The {NOUNS[index % 10]} is {QUALITIES[index * 7 % 10]}." for index in range(200))


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Predictor:
    """A playground with a tiny model in a folder."""
    folder = tmp_path_factory.mktemp("asking")
    span_folder(folder / "spans")
    return open_predictor(Store(folder / "no.duckdb"))


@pytest.fixture(scope="module")
def key(predictor: Predictor) -> str:
    return f"folder:{predictor.store.path.parent / 'spans'}"


@pytest.mark.parametrize("context", [SHORT, LONG, "값은 red 이다 👍🏽 e\u0301 the box"])
def test_answers_are_those_of_the_engine(predictor: Predictor, key: str, context: str) -> None:
    """However the windows are cut into turns."""
    held, reply = predictor.ask(key, "How is the dog?", context, keep=4)
    plain = asking.ask(held.model, [Question("1", "How is the dog?", context)], 4)[0]
    assert [(answer.text, answer.start, answer.end) for answer in reply.best] == [
        (answer.text, answer.start, answer.end) for answer in plain.best
    ]
    assert reply.no_answer == pytest.approx(plain.nothing, rel=1e-4)
    for item in reply.best:
        assert context[item.start : item.end] == item.text


def test_a_long_text_tells_its_windows_and_how_far_it_is(predictor: Predictor, key: str) -> None:
    shares: list[float] = []
    _, reply = predictor.ask(key, "How is the dog?", LONG, progress=shares.append)
    assert len(reply.windows) > 20
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) > 2
    assert reply.windows[0].start == 0
    assert reply.windows[-1].end == len(LONG)
    for before, after in itertools.pairwise(reply.windows):
        assert after.start < before.end  # neighbours share some text
    for answer in reply.best:
        window = reply.windows[answer.window]
        assert window.start <= answer.start < answer.end <= window.end


def test_costs_have_parts_that_are_all_there(predictor: Predictor, key: str) -> None:
    _, reply = predictor.ask(key, "How is the dog?", SHORT)
    cost = reply.cost
    assert min(cost.waited_ms, cost.tokenise_ms, cost.model_ms, cost.decode_ms) >= 0
    assert cost.model_ms > 0
    assert cost.total_ms == cost.tokenise_ms + cost.model_ms + cost.decode_ms
    assert set(cost.as_dict()) == {"waited_ms", "tokenise_ms", "model_ms", "decode_ms"}


def test_eight_people_at_once_get_their_own_answers(predictor: Predictor, key: str) -> None:
    """A tokenizer whose settings change from call to call is used by one of them at a time."""
    contexts = [" ".join(LONG.split()[index : index + 40 + 25 * index]) for index in range(8)]
    alone = [predictor.ask(key, "How is the dog?", context)[1].best for context in contexts]
    replies: dict[int, QAResult] = {}

    def person(number: int) -> None:
        for _ in range(3):
            replies[number] = predictor.ask(key, "How is the dog?", contexts[number])[1]

    threads = [threading.Thread(target=person, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for number, best in enumerate(alone):
        assert [(answer.start, answer.end) for answer in replies[number].best] == [
            (answer.start, answer.end) for answer in best
        ]


def test_a_short_question_does_not_wait_for_all_of_a_long_text(predictor: Predictor, key: str) -> None:
    """The long text is put back to the end of the queue after each of its turns."""
    order: list[str] = []
    begun = threading.Event()

    def report(share: float) -> None:
        begun.set()
        order.append(f"long {share:.2f}")

    long = threading.Thread(target=lambda: predictor.ask(key, "How?", LONG * 5, progress=report))
    long.start()
    begun.wait(300)
    predictor.ask(key, "How?", SHORT)
    order.append("short")
    long.join(60)
    assert order.index("short") < len(order) - 1


@pytest.mark.parametrize(
    ("question", "context", "message"),
    [
        ("", SHORT, "question"),
        ("How?", " \n", "empty text"),
        ("How?", "a" * 100_001, "100,000"),
        ("a" * (LONGEST_QUESTION + 1), SHORT, "1,000"),
        ("How?", "\ud800", "UTF-8"),
    ],
)
def test_what_cannot_be_asked_is_told(
    predictor: Predictor, key: str, question: str, context: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        predictor.ask(key, question, context)


def test_a_classifier_answers_no_questions(predictor: Predictor, key: str) -> None:
    with pytest.raises(ModelError, match="answers no questions"):
        predictor.ask(TINY, "How?", SHORT)
    with pytest.raises(ModelError, match="classifies no texts"):
        predictor.classify(key, ("text",))


def test_a_process_has_one_playground_for_a_database(store: Store) -> None:
    assert shared(store) is shared(Store(store.path))
    assert shared(store) is not shared(store, outside=True)
    assert not shared(store).outside


def test_number_formats_answer_alike(predictor: Predictor, key: str) -> None:
    """A tiny random network in 8 bits need not say the same; in 16 it nearly does."""
    torch.manual_seed(0)
    plain = predictor.ask(key, "How is the dog?", SHORT)[1]
    half = predictor.ask(key, "How is the dog?", SHORT, precision="bfloat16")[1]
    assert half.no_answer == pytest.approx(plain.no_answer, abs=0.05)
    assert predictor.ask(key, "How is the dog?", SHORT, precision="int8")[1].best


def test_a_model_that_is_warm_is_in_memory(tmp_path: Path) -> None:
    local = Predictor(Store(tmp_path / "no.duckdb"))
    local.warm("sentiment")
    assert [entry.ref.key for entry in local.cache.loaded()] == ["distilkobilstm-base-e5"]
