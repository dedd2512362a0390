"""The encoder as torch trains it: the same arithmetic as the graph, in float32, or in bfloat16 on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from octavo_train.numpy_encoder import EPSILON, HEADS, Layer, Linear, Model

Ids = Sequence[Sequence[int]]


class Encoder(nn.Module):
    """Token ids → unit vectors, by the first token or the mean of all."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.words = _embedding(model.words)
        self.positions = nn.Parameter(_tensor(model.positions))
        self.norm = _norm(model.norm)
        self.layers = nn.ModuleList(_Block(layer) for layer in model.layers)
        self.first = model.first

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        x = self.states(ids, mask)[-1].float()
        return functional.normalize(x[:, 0] if self.first else (x * mask[:, :, None]).sum(1), dim=-1)

    def states(self, ids: Tensor, mask: Tensor, segments: Tensor | float = 0.0) -> list[Tensor]:
        """What each layer makes of each token. `segments` are vectors to add to each token's."""
        x = self.norm(self.words(ids) + self.positions[: ids.shape[1]] + segments)
        seen = mask[:, None, None, :]
        found = []
        for layer in self.layers:
            x = layer(x, seen)
            found.append(x)
        return found

    def packed(self, ids: Tensor, places: Tensor, cuts: Tensor, longest: int) -> Tensor:
        """The same vectors from tokens in one row, text after text: no padding (see `Texts.packed`)."""
        x = self.norm(self.words(ids) + self.positions[places])
        for layer in self.layers:
            x = layer.packed(x, cuts, longest)
        if self.first:
            return functional.normalize(x[cuts[:-1].long()].float(), dim=-1)
        texts = torch.repeat_interleave(torch.diff(cuts).long(), output_size=len(ids))
        summed = x.new_zeros((len(cuts) - 1, x.shape[1]), dtype=torch.float32).index_add(0, texts, x.float())
        return functional.normalize(summed, dim=-1)

    def weights(self) -> Model:
        layers = tuple(block.weights(index) for index, block in enumerate(self.layers))
        return Model(_array(self.words.weight), _array(self.positions), _parameters(self.norm), layers, self.first)


class _Block(nn.Module):
    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.qkv, self.out = _dense(layer.qkv), _dense(layer.out)
        self.up, self.down = _dense(layer.up), _dense(layer.down)
        self.attention_norm, self.output_norm = _norm(layer.attention_norm), _norm(layer.output_norm)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        texts, tokens, width = x.shape
        heads = self.qkv(x).view(texts, tokens, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        context = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2], attn_mask=seen)
        return self._after(x, context.transpose(1, 2).reshape(texts, tokens, width))

    def packed(self, x: Tensor, cuts: Tensor, longest: int) -> Tensor:
        heads = self.qkv(x).view(len(x), 3, HEADS, x.shape[1] // HEADS)
        return self._after(x, attention(heads[:, 0], heads[:, 1], heads[:, 2], cuts, longest).reshape(x.shape))

    def _after(self, x: Tensor, context: Tensor) -> Tensor:
        x = self.attention_norm(x + self.out(context))
        normalised: Tensor = self.output_norm(x + self.down(functional.gelu(self.up(x))))
        return normalised

    def weights(self, index: int) -> Layer:
        def linear(name: str, dense: nn.Linear) -> Linear:
            return Linear(f"{index}.{name}", _array(dense.weight).T, _array(dense.bias))

        return Layer(
            qkv=linear("qkv", self.qkv),
            out=linear("out", self.out),
            up=linear("up", self.up),
            down=linear("down", self.down),
            attention_norm=_parameters(self.attention_norm),
            output_norm=_parameters(self.output_norm),
        )


class Texts:
    """Token ids of many texts in one matrix, where the encoder is: a batch is then a few rows of it."""

    def __init__(self, texts: Ids, device: torch.device) -> None:
        self.device = device
        self.lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        matrix = np.zeros((len(texts), int(self.lengths.max(initial=1))), np.int32)
        matrix[np.arange(matrix.shape[1]) < self.lengths[:, None]] = np.fromiter(chain.from_iterable(texts), np.int32)
        self._ids = torch.as_tensor(matrix).to(device)
        self._lengths = torch.as_tensor(self.lengths).to(device)

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, places: Sequence[int] | NDArray[np.int64], width: int = 0) -> tuple[Tensor, Tensor]:
        """Ids and what is not padding, as wide as is asked for, else as the longest of them."""
        longest = width or int(self.lengths[np.asarray(places)].max())
        rows = torch.as_tensor(np.asarray(places)).to(self.device)
        within = torch.arange(longest, device=self.device) < self._lengths[rows][:, None]
        ids = self._ids[rows, :longest].long()
        return functional.pad(ids, (0, longest - ids.shape[1])), within

    def packed(self, places: Sequence[int] | NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor, int]:
        """Ids in one row, text after text, each one's place in its text, where texts begin and end, the longest."""
        some = np.asarray(places)
        sizes = self.lengths[some]
        cuts = torch.as_tensor(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)).to(self.device)
        owners = torch.as_tensor(np.repeat(some, sizes)).to(self.device)
        within = torch.as_tensor(np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)).to(self.device)
        return self._ids[owners, within].long(), within, cuts, int(sizes.max())


def attention(query: Tensor, key: Tensor, value: Tensor, cuts: Tensor, longest: int) -> Tensor:
    """Each text looks at itself alone: in one kernel for all of them on a GPU, else one by one."""
    if query.is_cuda:
        from torch.nn.attention.varlen import varlen_attn

        found: Tensor = varlen_attn(query, key, value, cuts, cuts, longest, longest)
        return found
    sizes = torch.diff(cuts).tolist()
    heads = [rows.transpose(0, 1) for three in (query, key, value) for rows in three.split(sizes)]
    count = len(sizes)
    texts = zip(heads[:count], heads[count : 2 * count], heads[2 * count :], strict=True)
    return torch.cat([functional.scaled_dot_product_attention(*three).transpose(0, 1) for three in texts])


def packs(device: torch.device) -> bool:
    """Whether `attention` can be had: it needs a GPU that has the kernel, and a torch that offers it."""
    if device.type != "cuda" or torch.cuda.get_device_capability(device) < (8, 0):
        return False
    return find_spec("torch.nn.attention.varlen") is not None


def precision(device: torch.device) -> Any:
    """Half the bytes on a GPU, where the hardware is made for it; plain float32 on a CPU."""
    return torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda")


@torch.no_grad()
def embedded(
    encoder: Encoder, texts: Texts, tokens: int = 0, advance: Callable[[int], None] = lambda texts: None
) -> NDArray[np.float32]:
    """Vectors of many texts, in their order; longest first, batches of about `tokens`. `advance` is called for each."""
    tokens = tokens or (262_144 if texts.device.type == "cuda" else 4_096)
    order = np.argsort(-texts.lengths, kind="stable")
    found = np.zeros((len(texts), encoder.positions.shape[1]), np.float32)
    pack = packs(texts.device)
    encoder.eval()
    start = 0
    while start < len(order):
        size = max(1, tokens // int(texts.lengths[order[start]]))
        places = order[start : start + size]
        with precision(texts.device):
            vectors = encoder.packed(*texts.packed(places)) if pack else encoder(*texts.batch(places))
        found[places] = vectors.float().cpu().numpy()
        start += size
        advance(len(places))
    return found


def _tensor(array: Any) -> Tensor:
    return torch.tensor(array, dtype=torch.float32)


def _array(tensor: Tensor) -> Any:
    return tensor.detach().float().cpu().numpy().copy()


def _embedding(table: Any) -> Any:
    embedding = nn.Embedding(*table.shape)
    embedding.weight = nn.Parameter(_tensor(table))
    return embedding


def _dense(linear: Linear) -> nn.Linear:
    dense = nn.Linear(*linear.weight.shape)
    dense.weight = nn.Parameter(_tensor(linear.weight.T))
    dense.bias = nn.Parameter(_tensor(linear.bias))
    return dense


def _norm(parameters: tuple[Any, Any]) -> nn.LayerNorm:
    norm = nn.LayerNorm(len(parameters[0]), eps=EPSILON)
    norm.weight = nn.Parameter(_tensor(parameters[0]))
    norm.bias = nn.Parameter(_tensor(parameters[1]))
    return norm


def _parameters(norm: nn.LayerNorm) -> tuple[Any, Any]:
    return _array(norm.weight), _array(norm.bias)
