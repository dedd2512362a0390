"""An encoder small enough to be trained while a test waits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from octavo_train.numpy_encoder import WIDTH, Layer, Linear, Model

WINDOW = 48


def tiny_model(words: int = 200, positions: int = 32, layers: int = 1) -> Model:
    dice = np.random.default_rng(0)

    def linear(name: str, inputs: int, outputs: int) -> Linear:
        weight = dice.normal(0, 0.05, (inputs, outputs)).astype(np.float32)
        return Linear(name, weight, np.zeros(outputs, np.float32))

    norm = (np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32))
    return Model(
        words=dice.normal(0, 0.5, (words, WIDTH)).astype(np.float32),
        positions=dice.normal(0, 0.05, (positions, WIDTH)).astype(np.float32),
        norm=norm,
        layers=tuple(
            Layer(
                linear(f"{n}.qkv", WIDTH, 3 * WIDTH),
                linear(f"{n}.out", WIDTH, WIDTH),
                linear(f"{n}.up", WIDTH, 4 * WIDTH),
                linear(f"{n}.down", 4 * WIDTH, WIDTH),
                norm,
                norm,
            )
            for n in range(layers)
        ),
    )


def tiny_tokenizer(texts: Sequence[str]) -> tuple[bytes, list[str]]:
    """A tokenizer whose vocabulary is the words of some texts, and that vocabulary."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = sorted({word for text in texts for word in re.findall(r"[a-z]+|[^\sa-z]", text.lower())})
    reserved = ["[PAD]", *(f"[unused{n}]" for n in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = [*reserved, *words]
    tokenizer = Tokenizer(models.WordPiece({one: n for n, one in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [(name, vocabulary.index(name)) for name in ("[CLS]", "[SEP]")]
    pair = "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", pair, special)
    return tokenizer.to_str().encode(), vocabulary


def tiny_folder(folder: Path, texts: Sequence[str]) -> Path:
    """A model folder in Octavo's form, whose vocabulary is the words of some texts; untrained but for its words."""
    return _written(folder, _tiny_encoder(tuple(texts)))


@cache
def _tiny_encoder(texts: tuple[str, ...]) -> Mapping[str, bytes]:
    """Rounding its weights takes seconds."""
    from octavo.embedding.token_counters import WordPieceCounter
    from octavo_train.trained_model_export import ModelCard, described_encoder, encoder_files

    _, vocabulary = tiny_tokenizer(texts)
    listed = "\n".join(vocabulary).encode()
    with TemporaryDirectory() as folder:
        path = Path(folder, "vocab.txt")
        path.write_bytes(listed)
        counter = WordPieceCounter(path)
        files = encoder_files(tiny_model(len(vocabulary), WINDOW), texts[:3], counter, listed, b"free", WINDOW)
    made = ModelCard("tiny", "nothing", "0", "2024-05-01", "a test", {}, {})
    return described_encoder(files, made, WINDOW, WIDTH, {"tokenizer": "wordpiece"})


def tiny_reranker_folder(folder: Path, texts: Sequence[str]) -> Path:
    """The same for a reranker, which knows nothing yet."""
    return _written(folder, _tiny_reranker(tuple(texts)))


@cache
def _tiny_reranker(texts: tuple[str, ...]) -> Mapping[str, bytes]:
    from octavo_train.numpy_encoder import RerankerWeights
    from octavo_train.trained_model_export import ModelCard, described_reranker, reranker_files

    tokenizer, vocabulary = tiny_tokenizer(texts)
    dice = np.random.default_rng(1)
    segments, head = (dice.normal(0, 0.05, shape).astype(np.float32) for shape in ((2, WIDTH), WIDTH))
    weights = RerankerWeights(tiny_model(len(vocabulary), WINDOW), segments, head, 0.0)
    files = reranker_files(weights, [(texts[0], texts[1])], tokenizer, b"free", WINDOW)
    made = ModelCard("tiny-rerank", "nothing", "0", "2024-05-01", "a test", {}, {})
    return described_reranker(files, made, WINDOW)


def _written(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder
