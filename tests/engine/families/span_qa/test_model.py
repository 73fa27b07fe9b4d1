"""Span models: what padding does to logits (nothing), the loss, and sources that are refused."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForQuestionAnswering

from engine.base.errors import ModelError, RecipeError
from engine.families.span_qa import model
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel, batch
from engine.families.span_qa.objective import Marked, Spans, masked_logits, span_loss
from engine.families.span_qa.windows import Window, cut, targets
from engine.recipes.schema import SpanConfig
from tests.engine.damage import Trap
from tests.factories.span_qa import (
    make_question,
    settings,
    span_recipe,
    started,
    toy_answerer,
    toy_questions,
    toy_tokenizer,
    write_source,
)

KINDS = ("bert", "distilbert", "roberta")
LONG = " ".join(f"The dog {number} is red." for number in range(12))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny encoders of several architectures."""
    return {kind: write_source(tmp_path_factory.mktemp(kind), kind) for kind in KINDS}


def _windows() -> list[Window]:
    return cut(toy_tokenizer(), [*toy_questions(6), make_question("red"), make_question(LONG)], settings())


def _model(source: Path, **sections: object) -> SpanModel:
    return started(span_recipe(source, **sections))


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_padding_never_changes_the_logits(sources: dict[str, Path], kind: str) -> None:
    """A window has the same logits alone and beside longer ones, whatever stands in the padding."""
    model, windows = _model(sources[kind]), _windows()
    index = np.argsort([len(window.ids) for window in windows])[[0, 3, -1]]
    ids, types, lengths = batch(windows, index)
    assert len(set(lengths.tolist())) > 1
    outside = torch.arange(ids.shape[1]) >= lengths[:, None]
    together = model(ids, types, lengths)
    changed = model(ids.masked_fill(outside, 7), types.masked_fill(outside, int(model.typed)), lengths)
    for row, position in enumerate(index):
        alone = model(*batch(windows, np.array([position])))[0]
        size = int(lengths[row])
        assert alone.shape == (size, 2)
        assert torch.allclose(together[row, :size], alone, atol=1e-5)
        assert kind == "roberta" or torch.allclose(changed[row, :size], alone, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_logits_are_those_of_transformers(sources: dict[str, Path], kind: str) -> None:
    """Start first, end second, as the library gives them; token types only where there are two of them."""
    model, windows = _model(sources[kind]), _windows()
    assert model.typed == (kind == "bert")
    ids, types, lengths = batch(windows, np.array([0]))
    theirs = model.inner(input_ids=ids, **({"token_type_ids": types} if kind == "bert" else {}))
    ours = model(ids, types, lengths)
    assert torch.allclose(ours[..., 0], theirs.start_logits, atol=1e-6)
    assert torch.allclose(ours[..., 1], theirs.end_logits, atol=1e-6)
    if kind == "bert":
        assert not torch.allclose(ours, model(ids, torch.zeros_like(types), lengths), atol=1e-4)


def test_the_loss_is_the_mean_of_two_cross_entropies() -> None:
    """By hand: two windows of three and two tokens; what stands in the padding does not count."""
    logits = torch.tensor([[[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]], [[0.5, 0.5], [1.5, 0.0], [99.0, 99.0]]])
    places, lengths = torch.tensor([[1, 2], [0, 1]]), torch.tensor([3, 2])

    def entropy(row: list[float], index: int) -> float:
        return float(np.log(np.exp(row).sum()) - row[index])

    expected = np.mean([entropy([1, 2, 0], 1), entropy([0, 1, 3], 2), entropy([0.5, 1.5], 0), entropy([0.5, 0.0], 1)])
    assert float(span_loss(logits, places, lengths)) == pytest.approx(expected, rel=1e-6)
    masked = masked_logits(logits, lengths)
    assert torch.equal(masked[0], logits[0])
    assert torch.equal(masked[1, :2], logits[1, :2])
    assert (masked[1, 2] < -1e3).all()


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_a_batch_weighs_its_windows_alike(sources: dict[str, Path], kind: str) -> None:
    """The loss of a batch is the mean of the losses of its windows alone, and so is the score of a set."""
    model, some = _model(sources[kind]), [*toy_questions(7), make_question(LONG, answer="11 is")]
    windows = cut(toy_tokenizer(), some, settings())
    marked = Marked(windows, targets(windows, some))
    objective, cpu = Spans(marked, marked), torch.device("cpu")
    single = [float(objective.loss(model, np.array([i]), cpu).total.detach()) for i in range(len(windows))]
    together = float(objective.loss(model, np.arange(len(windows)), cpu).total.detach())
    assert together == pytest.approx(np.mean(single), abs=1e-5)
    scored = objective.score(model)
    assert scored.loss == pytest.approx(np.mean(single), abs=1e-5)
    assert objective.lengths.tolist() == [len(window.ids) for window in windows]
    with torch.inference_mode():
        alone = [model(*batch(windows, np.array([i])))[0].argmax(dim=0).tolist() for i in range(len(windows))]
    assert scored.accuracy == np.mean(
        [predicted == expected for predicted, expected in zip(alone, marked.places.tolist(), strict=True)]
    )


def test_both_ends_must_be_right_to_count() -> None:
    """A window whose start or end alone is right is wrong; the padding's logits are nobody's choice."""

    class Fixed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(1))

        def forward(self, ids: torch.Tensor, types: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            logits = torch.zeros(*ids.shape, 2)
            logits[:, 2, 0], logits[:, 3, 1], logits[:, 5:] = 5, 5, 50
            return logits * self.scale

    def window(size: int) -> Window:
        return Window(0, np.zeros(size, np.int32), np.zeros(size, np.int8), np.zeros((size, 2), np.int32), 1, size - 2)

    marked = Marked(
        [window(5), window(5), window(5), window(5), window(4)], np.array([[2, 3], [2, 2], [3, 3], [0, 0], [2, 3]])
    )
    longer = Marked([*marked.windows, window(8)], np.array([*marked.places, [5, 6]]))
    assert Spans(marked, marked).score(Fixed()).accuracy == pytest.approx(2 / 5)
    assert Spans(longer, longer).score(Fixed()).accuracy == pytest.approx(2 / 6)


@pytest.mark.parametrize("kind", KINDS)
def test_one_question_and_many_give_the_same_answers(sources: dict[str, Path], kind: str) -> None:
    """Asked alone or among others, in batches of any size: the same spans, logits apart by rounding alone."""
    answerer, some = toy_answerer(sources[kind]), [*toy_questions(20), make_question(LONG), make_question("red")]
    together = answerer.read(some)
    merged = list(answerer.answer(some, keep=3))
    for number, ((windows, logits), by_itself) in enumerate(zip(together.of(len(some)), some, strict=True)):
        alone = answerer.read([by_itself])
        assert len(windows) == len(alone.windows)
        for first, second in zip(logits, alone.logits, strict=True):
            assert np.allclose(first, second, atol=1e-5)
        (single,) = answerer.answer([by_itself], keep=3)
        assert single.best[0].text == merged[number].best[0].text
        assert single.nothing == pytest.approx(merged[number].nothing, abs=1e-4)
        assert merged[number].windows == len(windows)


def test_a_bar_ends_with_all_questions(sources: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """However many windows they have; chunks of any size answer alike, and each batch is a sign of life."""
    answerer, some = toy_answerer(sources["bert"]), [make_question(LONG), *toy_questions(30), make_question(LONG)]
    moved: list[int] = []

    class Bar:
        def advance(self, count: int) -> None:
            moved.append(count)

    ticks: list[None] = []
    answerer.read(some, Bar(), lambda: ticks.append(None))  # type: ignore[arg-type]
    assert sum(moved) == len(some)
    assert len(ticks) == len(moved) > 1
    whole = list(answerer.answer(some))
    monkeypatch.setattr("engine.families.span_qa.answerer.CHUNK", 7)
    monkeypatch.setattr("engine.families.span_qa.answerer.BATCH", 3)
    parts = list(answerer.answer(some))
    assert [answer.best[0].text for answer in whole] == [answer.best[0].text for answer in parts]


def test_more_tokens_than_positions_are_refused(sources: dict[str, Path]) -> None:
    """One line names the key and how many there are; RoBERTa keeps places for its padding."""
    for kind, limit in (("bert", 64), ("distilbert", 64), ("roberta", 63)):
        assert _model(sources[kind], qa={"max_length": limit}).positions == limit
        with pytest.raises(RecipeError, match=rf"qa\.max_length = {limit + 1}: .* has only {limit} positions"):
            _model(sources[kind], qa={"max_length": limit + 1})
    answerer = toy_answerer(sources["roberta"], qa={"max_length": 63})
    assert list(answerer.answer([make_question(LONG)]))  # the longest window that is let through does not break


def test_a_pickle_is_never_read(tmp_path: Path) -> None:
    """A folder whose weights are pickled is refused, harmless or not; nothing in it runs."""
    source = write_source(tmp_path / "source")
    weights = AutoModelForQuestionAnswering.from_pretrained(source).state_dict()
    (source / "model.safetensors").unlink()
    for content in (weights, Trap(tmp_path / "executed")):
        torch.save(content, source / "pytorch_model.bin")
        with pytest.raises(ModelError, match="a pickle is never read"):
            _model(source)
    assert not (tmp_path / "executed").exists()


def test_what_is_nowhere_is_told(tmp_path: Path) -> None:
    """A folder without a model or tokenizer, and an id without a hub, in one line with what to do."""
    config = SpanConfig(source=str(tmp_path))
    for load in (
        lambda: model.from_source(config, str(tmp_path), settings()),
        lambda: model.tokenizer(config, str(tmp_path)),
    ):
        with pytest.raises(
            ModelError, match=r"It needs config\.json, weights in safetensors and tokenizer\.json"
        ) as caught:
            load()
        assert "\n" not in str(caught.value)
    with pytest.raises(ModelError, match=r"--set model\.source=FOLDER"):
        model.from_source(SpanConfig(source="nobody/nothing"), "nobody/nothing", settings())


def test_the_encoder_is_kept_and_the_head_is_new(sources: dict[str, Path]) -> None:
    """Two seeds share the encoder and differ in the head; one seed gives one model."""
    first, second, third = (_model(sources["bert"]), started(span_recipe(sources["bert"]), 1), _model(sources["bert"]))
    same = {name for name, tensor in first.state_dict().items() if torch.equal(tensor, second.state_dict()[name])}
    assert {name for name in first.state_dict() if "qa_outputs.weight" in name}.isdisjoint(same)
    assert {name for name in first.state_dict() if "qa_outputs" not in name} <= same
    assert all(torch.equal(tensor, third.state_dict()[name]) for name, tensor in first.state_dict().items())
    assert {parameter.dtype for parameter in first.parameters()} == {torch.float32}


def test_random_weights_are_the_architecture_alone(sources: dict[str, Path], tmp_path: Path) -> None:
    """With ``random`` it has the shapes of the source and none of its weights; it needs no weights at all."""
    pretrained, random = (_model(sources["bert"], model={"init": init}) for init in ("pretrained", "random"))
    shapes = [{name: tensor.shape for name, tensor in network.state_dict().items()} for network in (pretrained, random)]
    assert shapes[0] == shapes[1]
    tables = [
        network.state_dict()["inner.bert.encoder.layer.0.attention.self.query.weight"]
        for network in (pretrained, random)
    ]
    assert not torch.allclose(*tables)
    (tmp_path / "config.json").write_text((sources["bert"] / "config.json").read_text())
    assert _model(tmp_path, model={"init": "random"})
    with pytest.raises(ModelError):
        _model(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_is_the_recipes_or_the_sources(sources: dict[str, Path], kind: str) -> None:
    """Everywhere, the head's included: none of it with 0, the source's own where the recipe says nothing."""

    def rates(**sections: object) -> set[float]:
        model = started(span_recipe(sources[kind], **sections)).train()
        ids, types, lengths = batch(_windows(), np.array([0]))
        torch.manual_seed(0)
        first, second = model(ids, types, lengths), model(ids, types, lengths)
        drops = {layer.p for layer in model.modules() if isinstance(layer, torch.nn.Dropout)}
        assert torch.equal(first, second) == (drops == {0.0})
        return drops

    assert rates() == {0.1}
    assert rates(model={"dropout": 0.0}) == {0.0}
    assert rates(model={"dropout": 0.3}) == {0.3}


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_its_facts_build_it_again(sources: dict[str, Path], kind: str) -> None:
    """The configuration names no folder of this machine, and gives the same architecture."""
    network = _model(sources[kind])
    assert str(sources[kind]) not in str(network.facts)
    again = model.from_facts(network.facts).eval()
    again.load_state_dict(network.state_dict())
    inputs = batch(_windows(), np.arange(4))
    assert torch.equal(again(*inputs), network(*inputs))
    assert again.positions == network.positions


def test_its_size_is_counted(sources: dict[str, Path]) -> None:
    """Every parameter, frozen or not."""
    model = _model(sources["bert"])
    answerer = Answerer(span_recipe(sources["bert"]), "", model, toy_tokenizer())
    assert answerer.params == sum(parameter.numel() for parameter in model.inner.parameters())
