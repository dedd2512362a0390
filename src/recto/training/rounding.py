"""The encoder as int8 will compute it, so that what rounding costs can be measured and trained away before export."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from recto.training.encoder import Encoder, Texts
from recto.training.quantise import Range, fold_contexts, input_scale, smoothing
from recto.training.weights import HEADS, Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRODUCTS = ("qkv", "out", "up", "down")


@dataclass(frozen=True, slots=True)
class Settling:
    """How rounding is trained away: every text is drawn back to where the float weights had it."""

    steps: int = 400
    batch: int = 256
    rate: float = 3e-5
    seed: int = 0


def fixed(model: Model, ranges: Mapping[str, Range], clips: Mapping[str, float] | None = None) -> dict[str, Range]:
    """The ranges with what each channel is divided by decided, and narrowed by a factor where one is given."""
    found = {}
    folded, _ = fold_contexts(model, ranges)
    for layer, after in zip(model.layers, folded.layers, strict=True):
        for linear in (after.qkv, layer.out, layer.up, layer.down):
            seen, factor = ranges[linear.name], (clips or {}).get(linear.name, 1.0)
            smooth = smoothing(linear, seen)
            found[linear.name] = Range(seen.low * factor, seen.high * factor, smooth)
    return found


class Rounded(nn.Module):
    """Token ids → unit vectors with the graph's rounding. Gradients pass as if nothing was rounded."""

    def __init__(self, encoder: Encoder, ranges: Mapping[str, Range], spared: Collection[str] = ()) -> None:
        super().__init__()
        self.encoder, self.spared = encoder, frozenset(spared)
        device = encoder.positions.device
        self._inputs: dict[str, tuple[Tensor, float, float]] = {}
        for name, seen in ranges.items():
            assert seen.smooth is not None, "the ranges are fixed first"
            scale, zero = input_scale(Range(seen.low / seen.smooth, seen.high / seen.smooth))
            smooth = torch.as_tensor(seen.smooth, dtype=torch.float32, device=device)
            self._inputs[name] = smooth, float(scale), float(zero)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        encoder = self.encoder
        positions = _by_row(encoder.positions[: ids.shape[1]])
        x = encoder.norm(_by_row(encoder.words(ids)) + positions)
        seen = mask[:, None, None, :]
        for index, block in enumerate(encoder.layers):
            x = self._block(block, index, x, seen)
        return functional.normalize((x * mask[:, :, None]).sum(1), dim=-1)

    def _block(self, block: Any, index: int, x: Tensor, seen: Tensor) -> Tensor:
        texts, tokens, width = x.shape
        qkv = self._dense(f"{index}.qkv", block.qkv, x)
        heads = qkv.view(texts, tokens, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        context = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2], attn_mask=seen)
        context = context.transpose(1, 2).reshape(texts, tokens, width)
        x = block.attention_norm(x + self._dense(f"{index}.out", block.out, context))
        inner = functional.gelu(self._dense(f"{index}.up", block.up, x))
        normalised: Tensor = block.output_norm(x + self._dense(f"{index}.down", block.down, inner))
        return normalised

    def _dense(self, name: str, dense: nn.Linear, x: Tensor) -> Tensor:
        if name in self.spared:
            return functional.linear(x, dense.weight, dense.bias)
        smooth, scale, zero = self._inputs[name]
        # Whole numbers are multiplied, as the graph does: what is added up in float then is exact.
        steps = _straight(x / (smooth * scale), lambda value: (value.round() + zero).clamp(0, 255) - zero)
        weight = dense.weight * smooth
        pairs = weight.detach().view(len(weight), -1, 2)
        scales = torch.maximum(pairs.clamp(min=0).sum(2).amax(1), (-pairs).clamp(min=0).sum(2).amax(1)) / 127
        whole = _straight(weight / scales[:, None], torch.round)
        return functional.linear(steps, whole) * (scales * scale) + dense.bias


def _by_row(rows: Tensor) -> Tensor:
    scale = rows.detach().abs().amax(-1, keepdim=True) / 127
    return _straight(rows / scale, torch.round) * scale


def _straight(value: Tensor, rounded: Callable[[Tensor], Tensor]) -> Tensor:
    with torch.no_grad():
        change = rounded(value) - value
    return value + change


@torch.no_grad()
def vectors(model: nn.Module, texts: Texts, tokens: int = 0) -> NDArray[np.float32]:
    """In float32 throughout, longest first: half precision would hide what is being looked for."""
    tokens = tokens or (131_072 if texts.device.type == "cuda" else 4_096)
    order = np.argsort(-texts.lengths, kind="stable")
    found: list[Tensor] = []
    model.eval()
    start = 0
    while start < len(order):
        size = max(1, tokens // int(texts.lengths[order[start]]))
        found.append(model(*texts.batch(order[start : start + size])).float().cpu())
        start += size
    result = np.zeros((len(order), found[0].shape[1]), np.float32)
    result[order] = torch.cat(found).numpy()
    return result


def clipped(
    encoder: Encoder, model: Model, ranges: Mapping[str, Range], texts: Texts, factors: Sequence[float]
) -> dict[str, float]:
    """For each product the factor on its range that keeps vectors nearest to those in float, one after the other."""
    wanted = vectors(encoder, texts)
    chosen: dict[str, float] = {}

    def off(clips: Mapping[str, float]) -> float:
        found = vectors(Rounded(encoder, fixed(model, ranges, clips)), texts)
        return float(1 - (found * wanted).sum(1).mean())

    best = off({})
    for name in ranges:
        for factor in factors:
            now = off({**chosen, name: factor})
            if now < best - 1e-6:
                best, chosen = now, {**chosen, name: factor}
    return chosen


def settle(
    encoder: Encoder,
    ranges: Mapping[str, Range],
    texts: Texts,
    settings: Settling,
    told: Callable[[int, float], None] = lambda step, off: None,
) -> None:
    """Changes the encoder in place, until what int8 makes of it is as near as it gets to what it was in float."""
    wanted = torch.as_tensor(vectors(encoder, texts)).to(texts.device)
    rounded = Rounded(encoder, ranges)
    optimiser = torch.optim.AdamW(encoder.parameters(), lr=settings.rate, weight_decay=0.0)
    dice = random.Random(settings.seed)
    encoder.train()
    for step in range(settings.steps):
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * min(1.0, (step + 1) / 20, (settings.steps - step) / (settings.steps * 0.7))
        places = [dice.randrange(len(texts)) for _ in range(settings.batch)]
        found = rounded(*texts.batch(places))
        off = 1 - (found * wanted[torch.as_tensor(places, device=texts.device)]).sum(-1).mean()
        optimiser.zero_grad(set_to_none=True)
        off.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        if step % 50 == 0 or step + 1 == settings.steps:
            told(step + 1, float(off.detach()))
    encoder.eval()
