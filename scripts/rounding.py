"""The encoder as int8 will compute it, so that what rounding costs can be measured and trained away before export."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from octavo_train.int8_quantisation import Range, fold_contexts, input_scale, smoothing
from octavo_train.numpy_encoder import HEADS, Model
from octavo_train.torch_encoder import Encoder, Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRODUCTS = ("qkv", "out", "up", "down")


@dataclass(frozen=True, slots=True)
class Settling:
    """How rounding is trained away: every text is drawn back to where the float weights had it.

    `tokens` is the size of a batch, `rate` that of the weights, `scale_rate` that of the logarithms of ranges and of
    what channels are divided by. `inner` is the weight of what each layer makes of each token, beside the vector.
    """

    steps: int = 6_000
    tokens: int = 16_384
    rate: float = 3e-5
    scale_rate: float = 3e-4
    inner: float = 1.0
    seed: int = 0


def fixed(model: Model, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """The ranges with what each channel is divided by decided."""
    found = {}
    folded, _ = fold_contexts(model, ranges)
    for layer, after in zip(model.layers, folded.layers, strict=True):
        for linear in (after.qkv, layer.out, layer.up, layer.down):
            seen = ranges[linear.name]
            found[linear.name] = Range(seen.low, seen.high, smoothing(linear, seen))
    return found


class _Input(nn.Module):
    """How what enters one product is rounded: each channel divided, then all brought to one range of whole numbers."""

    def __init__(self, seen: Range) -> None:
        super().__init__()
        assert seen.smooth is not None, "the ranges are fixed first"
        scale, zero = input_scale(Range(seen.low / seen.smooth, seen.high / seen.smooth))
        smooth = torch.as_tensor(seen.smooth, dtype=torch.float32)
        self.smooth = nn.Parameter(smooth.log())
        self.scale = nn.Parameter(torch.tensor(float(scale)).log())
        # Where the range begins, in steps; it moves with the range and stays where it is otherwise.
        self.zero = float(zero)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Whole numbers, what they count, and what channels were divided by."""
        smooth, scale = self.smooth.exp(), self.scale.exp()
        steps = _whole(x / (smooth * scale)).clamp(-self.zero, 255 - self.zero)
        return steps, scale, smooth

    def range(self) -> Range:
        smooth = self.smooth.detach().exp().cpu().numpy()
        scale = float(self.scale.detach().exp())
        return Range(-self.zero * scale * smooth, (255 - self.zero) * scale * smooth, smooth)


class Rounded(nn.Module):
    """Token ids → unit vectors with the graph's rounding. Gradients pass as if nothing was rounded."""

    def __init__(self, encoder: Encoder, ranges: Mapping[str, Range], spared: Collection[str] = ()) -> None:
        super().__init__()
        self.encoder, self.spared = encoder, frozenset(spared)
        self.entered = nn.ModuleDict({_key(name): _Input(seen) for name, seen in ranges.items()})
        self.entered.to(encoder.positions.device)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return pooled(self.states(ids, mask)[-1], mask)

    def states(self, ids: Tensor, mask: Tensor) -> list[Tensor]:
        """What each layer makes of each token."""
        encoder = self.encoder
        positions = _by_row(encoder.positions[: ids.shape[1]])
        x = encoder.norm(_by_row(encoder.words(ids)) + positions)
        seen = mask[:, None, None, :]
        found = []
        for index, block in enumerate(encoder.layers):
            x = self._block(block, index, x, seen)
            found.append(x)
        return found

    def ranges(self) -> dict[str, Range]:
        """As they are now, to be exported with the weights."""
        return {name.replace("_", "."): entered.range() for name, entered in self.entered.items()}

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
        # Whole numbers are multiplied, as the graph does: what is added up in float then is exact.
        steps, scale, smooth = self.entered[_key(name)](x)
        weight = dense.weight * smooth
        pairs = weight.view(len(weight), -1, 2)
        scales = torch.maximum(pairs.clamp(min=0).sum(2).amax(1), (-pairs).clamp(min=0).sum(2).amax(1)) / 127
        whole = _whole(weight / scales[:, None])
        return functional.linear(steps, whole) * (scales * scale) + dense.bias


def pooled(states: Tensor, mask: Tensor) -> Tensor:
    return functional.normalize((states * mask[:, :, None]).sum(1), dim=-1)


def _key(name: str) -> str:
    """A module's name may have no dot in it."""
    return name.replace(".", "_")


def _by_row(rows: Tensor) -> Tensor:
    scale = rows.detach().abs().amax(-1, keepdim=True) / 127
    return _whole(rows / scale) * scale


def _whole(value: Tensor) -> Tensor:
    return value + (value.round() - value).detach()


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


def settle(
    encoder: Encoder,
    ranges: Mapping[str, Range],
    texts: Texts,
    settings: Settling,
    report: Callable[[int, float], None] = lambda step, off: None,
    before: Encoder | None = None,
) -> dict[str, Range]:
    """Changes the encoder in place, until what int8 makes of it is as near as it gets to what it was in float.

    Ranges, and what channels are divided by, are learnt along; they are what comes back. `before` is what the encoder
    was in float, where it has been settled once already.
    """
    before = copy.deepcopy(before or encoder).eval().requires_grad_(False)
    rounded = Rounded(encoder, ranges).train()
    # The tables hardly suffer, and a row that is seen seldom would be moved by few texts.
    encoder.words.requires_grad_(False)
    encoder.positions.requires_grad_(False)
    weights = [*encoder.norm.parameters(), *encoder.layers.parameters()]
    groups = [{"params": weights}, {"params": list(rounded.entered.parameters())}]
    quick = texts.device.type == "cuda"
    rates = [torch.zeros((), device=texts.device) for _ in groups]
    for group, rate in zip(groups, rates, strict=True):
        group["lr"] = rate
    optimiser = torch.optim.Adam(groups, betas=(0.9, 0.99), foreach=False, fused=quick, capturable=quick)

    def learn(ids: Tensor, mask: Tensor) -> Tensor:
        found = rounded.states(ids, mask)
        with torch.no_grad():
            wanted = before.states(ids, mask)
        off = 1 - (pooled(found[-1], mask) * pooled(wanted[-1], mask)).sum(-1).mean()
        inner = sum(_apart(one, other, mask) for one, other in zip(found, wanted, strict=True)) / len(found)
        optimiser.zero_grad(set_to_none=True)
        (off + settings.inner * inner).backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        return off.detach()

    dice = random.Random(settings.seed)
    batches = _batches(texts, settings.tokens)
    recorded: dict[int, Callable[[Tensor, Tensor], Tensor]] = {}
    for step in range(settings.steps):
        share = min(1.0, (step + 1) / 20, (settings.steps - step) / (settings.steps * 0.7))
        width = _width(int(texts.lengths[dice.randrange(len(texts))]))
        places, size = batches[width]
        ids, mask = texts.batch([dice.choice(places) for _ in range(size)], width)
        if quick and width not in recorded:
            recorded[width] = _recorded(learn, ids, mask)
        for rate, value in zip(rates, (settings.rate, settings.scale_rate), strict=True):
            rate.fill_(value * share)
        off = recorded.get(width, learn)(ids, mask)
        if step % 50 == 0 or step + 1 == settings.steps:
            report(step + 1, float(off))
        # While the next is recorded, nothing may be learnt.
        for rate in rates:
            rate.zero_()
    encoder.eval().requires_grad_(True)
    return rounded.ranges()


def _width(length: int) -> int:
    """Few widths, so that a step can be recorded for each; little is spent on padding."""
    return max(16, 1 << (length - 1).bit_length())


def _batches(texts: Texts, tokens: int) -> dict[int, tuple[list[int], int]]:
    """For each width its texts, and how many of them make a batch."""
    found: dict[int, list[int]] = {}
    for place, length in enumerate(texts.lengths.tolist()):
        found.setdefault(_width(length), []).append(place)
    return {width: (places, max(1, tokens // width)) for width, places in found.items()}


def _recorded(
    learn: Callable[[Tensor, Tensor], Tensor], ids: Tensor, mask: Tensor
) -> Callable[[Tensor, Tensor], Tensor]:
    """A step whose thousands of small kernels a GPU starts at once: starting them one by one takes longer than they."""
    held, seen = ids.clone(), mask.clone()
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            learn(held, seen)
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        off = learn(held, seen)

    def again(ids: Tensor, mask: Tensor) -> Tensor:
        held.copy_(ids)
        seen.copy_(mask)
        graph.replay()
        return off

    return again


def _apart(found: Tensor, wanted: Tensor, mask: Tensor) -> Tensor:
    """How far tokens are from where they should be, beside how long they are."""
    off = (found - wanted).square().sum(-1) / wanted.square().sum(-1)
    return (off * mask).sum() / mask.sum()
