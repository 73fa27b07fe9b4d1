"""What a pretraining reads: packed blocks, whole words, and pairs of texts that follow each other or do not."""

import numpy as np
import pytest

from engine.families.masked_lm import blocks
from engine.families.masked_lm import masking as hiding
from engine.families.masked_lm.blocks import Vocabulary
from engine.families.masked_lm.corpus import Document
from engine.families.masked_lm.masking import Masking
from engine.families.masked_lm.sentence_pairs import Pairs, pairs
from engine.recipes.schema import TextConfig
from tests.factories.pretraining import documents, tiny_vocabulary


@pytest.fixture(scope="module", params=["unigram", "wordpiece"])
def vocabulary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """One of each kind."""
    return tiny_vocabulary(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def unigram(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """Pieces as SentencePiece has them."""
    return tiny_vocabulary(tmp_path_factory.mktemp("vocabulary"))


def _ids(vocabulary: Vocabulary, text: str) -> list[int]:
    return list(vocabulary.tokenizer.encode(text, add_special_tokens=False).ids)


def _stream(vocabulary: Vocabulary, read: list[Document]) -> list[int]:
    """All tokens of documents, in order."""
    return [token for document in read for text in document.texts for token in _ids(vocabulary, text)]


@pytest.mark.parametrize("size", [8, 32, 61, 5000])
def test_packed_blocks_lose_no_token(unigram: Vocabulary, size: int) -> None:
    """Opened and closed, all but the last of full size; together they are the text, each token once and in order."""
    read = documents(7)
    result = blocks.cut(read, unigram, size, packed=True)
    assert (result.lengths[:-1] == size).all()
    assert 3 <= result.lengths[-1] <= size
    assert all(block[0] == unigram.first and block[-1] == unigram.last for block in result.sequences)
    inside = np.concatenate([block[1:-1] for block in result.sequences])
    text = inside[inside != unigram.last]
    assert text.tolist() == _stream(unigram, read)
    # Between two documents, unless a block ends there.
    assert 7 - 1 - len(result.sequences) <= len(inside) - len(text) <= 7 - 1
    assert (result.documents, result.left_out) == (7, 0)


def test_packed_blocks_keep_the_shortest_text(unigram: Vocabulary) -> None:
    """A heading that would be left out alone stands before its text; texts without a token change nothing."""
    read = [Document("a", ("산길", " ", "기차")), Document("b", ("바다",))]
    result = blocks.cut(read, unigram, 64, packed=True)
    inside = [*_ids(unigram, "산길"), *_ids(unigram, "기차"), unigram.last, *_ids(unigram, "바다")]
    assert [block.tolist() for block in result.sequences] == [[unigram.first, *inside, unigram.last]]
    assert blocks.cut([], unigram, 64, packed=True).sequences == []


def test_packing_stops_when_there_is_enough(unigram: Vocabulary) -> None:
    """At the block that reaches the tokens, or at the number of blocks; a part of what it would be else."""
    whole = blocks.cut(documents(20), unigram, 32, packed=True)
    few = blocks.cut(documents(20), unigram, 32, blocks=3, packed=True)
    some = blocks.cut(documents(20), unigram, 32, tokens=65, packed=True)
    assert len(few.sequences) == len(some.sequences) == 3
    assert few.documents < whole.documents == 20
    for sequence, other in zip(few.sequences, whole.sequences, strict=False):
        assert np.array_equal(sequence, other)


def _words(result: blocks.Blocks, position: int) -> list[np.ndarray]:
    """The tokens of each word of a block, special ones apart."""
    starts = np.flatnonzero(result.starts[position])
    return np.split(np.arange(len(result.sequences[position])), starts[1:])


@pytest.mark.parametrize("packed", [False, True])
def test_words_begin_where_the_tokenizer_says(vocabulary: Vocabulary, packed: bool) -> None:
    """Inside a text, the marks are those of the text's own words; special tokens and what follows them begin anew."""
    (document,) = documents(1, texts=1)
    result = blocks.cut([document], vocabulary, 512, words=True, packed=packed)
    encoding = vocabulary.tokenizer.encode(document.texts[0], add_special_tokens=False)
    word = np.array(encoding.word_ids)
    assert result.starts[0].tolist() == [True, True, *(np.diff(word) != 0).tolist(), True]
    assert len(word) > word.max() + 1, "some word has several tokens"
    many = blocks.cut(documents(9), vocabulary, 16, words=True, packed=packed)
    for block, starts in zip(many.sequences, many.starts, strict=True):
        assert len(block) == len(starts)
        assert starts[[0, 1, -1]].all()


@pytest.mark.parametrize("rate", [0.15, 0.5])
def test_a_word_is_never_half_hidden(vocabulary: Vocabulary, rate: float) -> None:
    """All of a word's tokens are to be named or none; over many blocks it is the share of tokens that was asked for."""
    result = blocks.cut(documents(40), vocabulary, 48, words=True, packed=True)
    masking = Masking.of(TextConfig(whole_words=True, mask_rate=rate), vocabulary)
    share, apart = [], 0
    for position, block in enumerate(result.sequences):
        for epoch in range(4):
            _, chosen = masking.hide(block, 0, epoch, position, result.starts[position])
            for word in _words(result, position):
                assert chosen[word].all() or not chosen[word].any()
                apart += len(word) > 1 and bool(chosen[word].all())
            share.append(chosen[1:-1].mean())
            assert not chosen[np.isin(block, list(vocabulary.special))].any()
    assert apart > 20
    assert np.mean(share) == pytest.approx(rate, abs=0.03)


def test_without_whole_words_a_word_may_be_half_hidden(unigram: Vocabulary) -> None:
    """Token by token, as the first models of BERT: the check above can fail."""
    result = blocks.cut(documents(40), unigram, 48, words=True, packed=True)
    masking = Masking.of(TextConfig(mask_rate=0.5), unigram)
    halves = 0
    for position, block in enumerate(result.sequences):
        _, chosen = masking.hide(block, 0, 0, position, result.starts[position])
        halves += sum(bool(chosen[word].any() and not chosen[word].all()) for word in _words(result, position))
    assert halves > 20


def test_a_block_of_one_word_hides_it_whole(unigram: Vocabulary) -> None:
    """Where chance chose nothing, a whole word is asked for all the same."""
    result = blocks.cut([Document("a", ("도서관달린다고양이" * 4,))], unigram, 64, words=True)
    masking = Masking.of(TextConfig(whole_words=True, mask_rate=1e-9), unigram)
    _, chosen = masking.hide(result.sequences[0], 0, 0, 0, result.starts[0])
    assert chosen[1:-1].all()


def _both(result: Pairs, position: int, ids: np.ndarray) -> tuple[list[int], list[int]]:
    middle = int(result.middles[position])
    return ids[1 : middle - 1].tolist(), ids[middle:-1].tolist()


@pytest.mark.parametrize("size", [24, 48, 400])
def test_a_second_text_really_follows(vocabulary: Vocabulary, size: int) -> None:
    """First and second texts of a document's pairs, one behind the other, are the document; none is empty or lost."""
    read = documents(12)
    result = pairs(read, vocabulary, size)
    assert result.lengths.max() <= size
    together: dict[int, list[int]] = {}
    for position, block in enumerate(result.sequences):
        first, second = _both(result, position, block)
        assert first
        assert second
        assert block[[0, result.middles[position] - 1, -1]].tolist() == [vocabulary.first, *[vocabulary.last] * 2]
        together.setdefault(int(result.origins[position]), []).extend(first + second)
    assert together == {
        number: [token for text in document.texts for token in _ids(vocabulary, text)]
        for number, document in enumerate(read)
    }


def test_a_pair_is_cut_where_a_text_ends(unigram: Vocabulary) -> None:
    """A document that fits is parted between two of its texts."""
    result = pairs(documents(8, texts=2), unigram, 400)
    for position, document in enumerate(documents(8, texts=2)):
        first, second = _both(result, position, result.sequences[position])
        assert [first, second] == [_ids(unigram, text) for text in document.texts]


def test_half_of_the_second_texts_are_of_another_document(unigram: Vocabulary) -> None:
    """About half, other ones in each epoch; a foreign one is a true second text elsewhere, no longer than the own."""
    read = documents(60)
    result = pairs(read, unigram, 40)
    seconds = {tuple(_both(result, i, block)[1]): int(result.origins[i]) for i, block in enumerate(result.sequences)}
    follows = np.array(
        [[result.example(i, 3, epoch).follows for i in range(len(result.sequences))] for epoch in (0, 1)]
    )
    assert follows.mean() == pytest.approx(0.5, abs=0.1)
    assert 0.3 < (follows[0] != follows[1]).mean() < 0.7
    foreign = 0
    for position, block in enumerate(result.sequences):
        read_ = result.example(position, 3, 0)
        first, second = _both(result, position, read_.ids)
        assert first == _both(result, position, block)[0]
        assert len(read_.ids) == len(read_.starts) == len(read_.types) <= len(block)
        middle = int(result.middles[position])
        assert not read_.types[:middle].any()
        assert read_.types[middle:].all()
        if read_.follows:
            assert np.array_equal(read_.ids, block)
        else:
            origins = {origin for left, origin in seconds.items() if list(left[: len(second)]) == second}
            assert origins
            foreign += int(result.origins[position]) not in origins
    assert foreign > 20


def test_the_same_numbers_make_the_same_pairs(unigram: Vocabulary) -> None:
    """Seed, epoch and block decide, and nothing else."""
    result = pairs(documents(30), unigram, 40)
    first = [result.example(i, 1, 2).ids.tolist() for i in range(30)]
    np.random.default_rng(0).random(5)
    assert first == [result.example(i, 1, 2).ids.tolist() for i in range(30)]
    assert first != [result.example(i, 2, 2).ids.tolist() for i in range(30)]


def test_a_single_document_has_true_pairs_alone(unigram: Vocabulary) -> None:
    """Nothing is made up where there is no other document, and what is too short for a pair is counted."""
    result = pairs(documents(1, texts=9), unigram, 40)
    assert all(result.example(i, 0, epoch).follows for i in range(len(result.sequences)) for epoch in range(5))
    short = pairs([Document("a", ("산길",)), *documents(1)], unigram, 40)
    assert (short.documents, short.left_out) == (1, 1)
    assert pairs([], unigram, 40).sequences == []


def test_a_batch_of_pairs_tells_texts_apart(unigram: Vocabulary) -> None:
    """Types are 0 in padding and in the first text, 1 in the second; what follows is 0, what is foreign 1."""
    result = pairs(documents(30), unigram, 40)
    masking = Masking.of(TextConfig(whole_words=True), unigram)
    index = np.arange(12)
    masked = hiding.batch(result, index, masking, 0, 0)
    assert masked.types is not None
    assert masked.foreign is not None
    for row, position in enumerate(index):
        example, length = result.example(int(position), 0, 0), int(masked.lengths[row])
        assert masked.types[row, :length].tolist() == example.types.tolist()
        assert not masked.types[row, length:].any()
        assert int(masked.foreign[row]) == (not example.follows)
    assert len(masked.inputs) == 4
    plain = hiding.batch(blocks.cut(documents(3), unigram, 40, packed=True), np.arange(2), masking, 0, 0)
    assert (plain.types, plain.foreign, len(plain.inputs)) == (None, None, 3)
