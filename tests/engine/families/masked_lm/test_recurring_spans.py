"""Spans that recur: which ones are hidden, where the answer is, and that what points at them goes on with questions."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import AutoModelForQuestionAnswering, SplinterForPreTraining

from db.runs import detail
from db.storage.store import Store
from engine.checkpoints import checkpoint
from engine.families.masked_lm import blocks, masking
from engine.families.masked_lm.blocks import Example, Vocabulary
from engine.families.masked_lm.masking import Masking
from engine.families.masked_lm.recurring_spans import LONGEST, MAX_QUESTIONS, NOWHERE, RecurringSpans, pointing_loss
from engine.families.masked_lm.sentence_pairs import pairs
from engine.families.span_qa import checkpoint as spans
from engine.families.span_qa import model as span_model
from engine.recipes import loader
from engine.recipes.schema import SpanConfig, TextConfig
from engine.training import run
from engine.training.job import Job
from tests.factories.pretraining import (
    asking,
    content,
    documents,
    folder,
    reader,
    run_checkpoint,
    started,
    trained,
    vocabulary,
    weights,
    write_text,
)
from tests.factories.recipes import curves, write_recipe

__all__ = ["folder", "vocabulary"]

_, AND, OF, MASK = range(4)
YEAR, THING = range(8, 10)
SEOUL, NAMSAN, HAN, RIVER = range(10, 14)


def _hand_made() -> RecurringSpans:
    """Tokens 0 to 4 are particles, 5 to 9 frequent; the token 3 stands for a hidden span."""
    return RecurringSpans(np.arange(40) < 10, np.arange(40) < 5, MASK)


def _words(*words: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Token ids of some words, and which of them begin one."""
    starts = [position == 0 for word in words for position in range(len(word))]
    return np.array([token for word in words for token in word], dtype=np.int32), np.array(starts)


def test_a_recurring_span_ends_with_a_word_or_before_a_particle() -> None:
    """Whole words match, whatever particle follows; the longest span wins, and its parts are no span of their own."""
    ids, starts = _words([SEOUL, OF], [HAN], [RIVER], [AND], [SEOUL, AND], [20], [HAN], [RIVER, OF])
    assert _hand_made().clusters(ids, starts) == [[(2, 4), (8, 10)], [(0, 1), (5, 6)]]


def test_the_beginning_of_a_longer_word_is_no_span() -> None:
    """Unless a frequent piece follows, a span does not end within a word, nor begin there; frequent words make none."""
    ids, starts = _words([SEOUL, 20], [AND], [OF], [SEOUL, 21], [AND], [OF], [22, NAMSAN], [23, NAMSAN])
    assert _hand_made().clusters(ids, starts) == []


def test_frequent_pieces_end_a_span_and_make_none() -> None:
    """The year of a date belongs to it, as in answers; the commonest words alone are no question."""
    ids, starts = _words([20, YEAR], [THING], [AND], [21], [THING], [20, YEAR, OF], [22], [YEAR, AND])
    assert _hand_made().clusters(ids, starts) == [[(0, 2), (6, 8)]]


def test_a_span_has_at_most_ten_words() -> None:
    """Of a longer run that recurs, parts are taken."""
    run_of_words = [[token] for token in range(10, 22)]
    ids, starts = _words(*run_of_words, [AND], *run_of_words)
    clusters = _hand_made().clusters(ids, starts)
    assert clusters[0] == [(0, LONGEST), (13, 13 + LONGEST)]
    assert all(end - begin <= LONGEST for cluster in clusters for begin, end in cluster)


def test_all_occurrences_but_one_are_hidden() -> None:
    """One token stands for each; all point at the words that are left."""
    ids, starts = _words([SEOUL, OF], [HAN], [RIVER, AND], [20], [HAN], [RIVER], [21], [HAN], [RIVER, OF])
    left = set()
    for seed in range(20):
        hidden = _hand_made().hide(Example(ids, starts), seed, 0, 0)
        assert len(hidden.example.ids) == len(hidden.example.starts) == len(ids) - 2
        assert (hidden.example.ids[hidden.places] == MASK).all()
        assert len(hidden.places) == 2
        for first, last in hidden.answers:
            assert hidden.example.ids[first : last + 1].tolist() == [HAN, RIVER]
        left.add(int(hidden.answers[0, 0]))
    assert len(left) == 3, "which one is left is drawn"


@pytest.mark.parametrize("kind", ["packed", "pairs"])
def test_the_answer_is_the_hidden_text(vocabulary: Vocabulary, kind: str) -> None:
    """Put in the place of its question, each answer gives the block back; types go with their tokens."""
    made = (
        blocks.cut(documents(40), vocabulary, 120, words=True, packed=True)
        if kind == "packed"
        else pairs(documents(40), vocabulary, 120)
    )
    hiding = RecurringSpans.of(made, vocabulary, vocabulary.mask)
    questions = 0
    for position in range(len(made.sequences)):
        for epoch in range(3):
            example = made.example(position, 0, epoch)
            hidden = hiding.hide(example, 0, epoch, position)
            again = hiding.hide(example, 0, epoch, position)
            assert np.array_equal(hidden.example.ids, again.example.ids), "the same numbers hide the same spans"
            seen = hidden.example.ids.tolist()
            for where, (first, last) in reversed(list(zip(hidden.places, hidden.answers, strict=True))):
                answer = hidden.example.ids[first : last + 1]
                assert not hiding.outside[answer[[0, -1]]].any()
                assert not hiding.frequent[answer].all()
                assert hidden.example.starts is not None
                assert hidden.example.starts[first]
                seen[where : where + 1] = answer.tolist()
            assert seen == example.ids.tolist()
            assert len(hidden.places) <= MAX_QUESTIONS
            questions += len(hidden.places)
            if example.types is not None:
                assert hidden.example.types is not None
                ids = hidden.example.ids
                assert np.flatnonzero(ids == vocabulary.last)[0] + 1 == np.flatnonzero(hidden.example.types)[0]
    assert questions > 50


def test_questions_do_not_hide_words_twice(vocabulary: Vocabulary) -> None:
    """With hidden words beside them, no question's token is to be named, and answers stay where the spans are."""
    made = blocks.cut(documents(40), vocabulary, 120, words=True, packed=True)
    hiding = RecurringSpans.of(made, vocabulary, vocabulary.mask)
    words = Masking.of(TextConfig(whole_words=True, mask_rate=0.3), vocabulary)
    both = masking.batch(made, np.arange(4), words, 0, 0, spans=hiding)
    alone = masking.batch(made, np.arange(4), words, 0, 0, spans=hiding, words=False)
    assert both.questions is not None
    assert alone.questions is not None
    assert both.answers is not None
    assert torch.equal(both.questions, alone.questions)
    assert len(both.gold) > 0
    assert len(alone.gold) == 0
    for row, places, answers in zip(range(4), both.questions, both.answers, strict=True):
        hidden = places[answers[:, 0] != NOWHERE]
        assert len(hidden) > 0
        assert (both.ids[row, hidden] == vocabulary.mask).all()
        assert not both.chosen[row, hidden].any()


def test_no_questions_cost_nothing() -> None:
    """A batch without a recurring span has loss 0, and a gradient that is a number."""
    logits = torch.randn(2, 1, 5, 2, requires_grad=True)
    loss = pointing_loss(logits, torch.full((2, 1, 2), NOWHERE))
    loss.backward()
    assert float(loss.detach()) == 0
    assert torch.equal(logits.grad, torch.zeros_like(logits))
    sure = torch.full((1, 2, 5, 2), -20.0)
    sure[0, 0, 1, 0] = sure[0, 0, 2, 1] = 20
    answers = torch.tensor([[[1, 2], [NOWHERE, NOWHERE]]])
    assert float(pointing_loss(sure, answers)) == pytest.approx(0, abs=1e-6)
    assert float(pointing_loss(sure, answers.flip(-1))) == pytest.approx(40)


def _text(**more: object) -> dict[str, object]:
    return {"packed": True, "whole_words": True, "recurring_spans": True, "block": 48, **more}


@pytest.fixture(scope="module")
def read(shared_board: Store) -> Callable[..., str]:
    """Pretrains with some settings of the text, once; the run's id."""
    text = str(write_text(shared_board.path.parent / "text"))
    return cache(lambda **more: trained(shared_board, reader(text=_text(**more)), text))


def test_pointing_is_learned(board: Store, folder: str) -> None:
    """After some passes the hidden spans cost clearly less than at first; words that are not hidden get no curve."""
    recipe = reader(
        text=_text(hidden_words=False),
        model={"dropout": 0.0, "hidden_size": 32},
        train={"epochs": 25, "lr": 0.01, "scheduler": "cosine"},
    )
    run_id = trained(board, recipe, folder)
    points = curves(board, run_id)
    loss = [value for series, _, value in points if series == "train_loss"]
    assert sum(loss[-5:]) < 0.7 * sum(loss[:5])
    assert {series for series, *_ in points} >= {"recurring_span_accuracy", "validation_accuracy", "tokens_per_s"}
    assert not {"masked_accuracy", "mlm_loss"} & {series for series, *_ in points}
    figures = detail.run_detail(board, run_id).metrics.set_index("name")
    assert figures.loc["recurring_span_accuracy", "low"] <= figures.loc["recurring_span_accuracy", "value"]
    assert figures.loc["recurring_span_accuracy", "n"] > 0
    assert {"masked_accuracy", "validation_recurring_span_accuracy"} <= set(figures.index)


@pytest.mark.parametrize("others", [{}, {"next_sentence": True, "packed": False}], ids=["words", "words and pairs"])
def test_the_loss_is_the_sum_of_all_that_is_learned(
    shared_board: Store, read: Callable[..., str], others: dict[str, object]
) -> None:
    """Hidden words, spans and, where they are read, pairs, at every point of the curves."""
    values = {(series, step): value for series, step, value in curves(shared_board, read(**others))}
    parts = ["mlm_loss", "span_loss", *(["next_loss"] if others else [])]
    steps = [step for series, step in values if series == "train_loss"]
    assert len(steps) > 3
    for step in steps:
        assert values["train_loss", step] == pytest.approx(sum(values[part, step] for part in parts), rel=1e-4)


def test_a_fine_tuning_goes_on_with_the_head(board: Store, tmp_path: Path) -> None:
    """Encoder and head are where it begins, and the question's token stands behind the question."""
    own = content(text=_text(), model={"vocab_size": 1500})
    source = f"pretrained:{write_recipe(tmp_path / 'reader.toml', own)}"
    recipe = loader.load(
        write_recipe(tmp_path / "asks.toml", asking(source, model={"source_seed": 3})), seed=5, mini=True
    )
    run_id = trained(board, recipe, None)
    assert started(board) == ["reader", "asks"]
    seeds = board.query("SELECT seed FROM runs WHERE source = 'measured' ORDER BY created_at")["seed"].tolist()
    assert seeds == [3, 5]
    job = Job(recipe, None, board)
    folder = Path(str(run.prepare(job).source))
    assert isinstance(recipe.model, SpanConfig)
    begun = span_model.from_source(recipe.model, str(folder), recipe.qa)
    theirs = load_file(folder / checkpoint.WEIGHTS)
    state = begun.inner.state_dict()
    assert any("splinter_qass" in name for name in state)
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in state.items())
    tokenizer = Tokenizer.from_file(str(run_checkpoint(board, run_id) / "tokenizer.json"))
    tokens = tokenizer.encode("누가 왔나?", "고양이가 왔다.").tokens
    assert tokens[tokens.index("[SEP]") - 1] == "[MASK]"
    assert tokens.count("[MASK]") == 1
    assert begun.inner.config.question_token_id == tokenizer.token_to_id("[MASK]")
    answerer = spans.load(run_checkpoint(board, run_id))
    assert answerer.params == detail.run_detail(board, run_id).model["params"]
    bare = loader.load(
        write_recipe(tmp_path / "bare.toml", asking(source, "bare", model={"init": "random"})), mini=True
    )
    other = detail.run_detail(board, trained(board, bare, None)).model
    assert other["params"] == answerer.params, "random weights have the same shape"


@pytest.mark.parametrize("pairs_read", [False, True])
def test_a_token_type_that_was_not_read_starts_as_the_other(
    shared_board: Store, read: Callable[..., str], pairs_read: bool
) -> None:
    """Without pairs the second type was never learned: a fine-tuning would begin with a random shift of its texts."""
    others = {"next_sentence": True, "packed": False} if pairs_read else {}
    types = weights(shared_board, read(**others))["splinter.embeddings.token_type_embeddings.weight"]
    assert torch.equal(types[0], types[1]) != pairs_read


def test_the_transformers_library_points_alike(board: Store, folder: str) -> None:
    """Every tensor of its Splinter is there, and gives the logits that were trained."""
    run_id = trained(board, reader(text=_text(hidden_words=False)), folder)
    where = str(run_checkpoint(board, run_id))
    theirs, about = SplinterForPreTraining.from_pretrained(where, output_loading_info=True)
    assert not about["missing_keys"]
    asks, about = AutoModelForQuestionAnswering.from_pretrained(where, output_loading_info=True)
    assert not about["missing_keys"]
    ids = torch.randint(7, 60, (2, 20))
    places = torch.tensor([[4], [9]])
    ids[torch.arange(2), places[:, 0]] = theirs.config.question_token_id
    with torch.inference_mode():
        all_questions = theirs.eval()(input_ids=ids, question_positions=places)
        single = asks.eval()(input_ids=ids)
    assert torch.allclose(all_questions.start_logits[:, 0], single.start_logits, atol=1e-5)
    assert torch.allclose(all_questions.end_logits[:, 0], single.end_logits, atol=1e-5)
