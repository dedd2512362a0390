"""Trains an encoder on granite's body, taught by two encoders and by translations.

    python scripts/distil_encoder.py DATA STATES --plan PLAN [--seconds N]

DATA holds `teachers/granite` (teachers.py), `encoder-1.onnx` with its `tokenizer.json`, `words.json` and
`words.rows.json` (encoder_words.py), `pairs*.jsonl.xz` and `passages*.jsonl.xz` (harvest_sources.py),
`parallel.jsonl.xz` and `held.jsonl` (harvest_parallel.py) and `sets.json.xz` (write_sets.py). STATES keeps the weights
of each run. On a batch the teachers say the sum of their cosines, each on the scale on which it is as sure as it is
right (`octavo_train.contrastive_training.sureness`).

The plan names runs: `words` is `bpe` (granite's) or `own` (words.json), `pooling` is `first` or `mean`, `from` a run to
go on from, `soup` the share of each run in their average, `mix` how much granite and encoder-1 are listened to,
`tongues` whether translations are learnt along, `settings` those of `distil` (`together`: how much of a repository's
pairs come in batches of their own). A run without settings is untaught.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from teachers import Teacher
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from weights_data import Sets, lines, say

from octavo_train.contrastive_training import TrainingSettings, mined, sureness
from octavo_train.numpy_encoder import WINDOW, Layer, Linear, Model
from octavo_train.onnx_graph_export import read_graph
from octavo_train.torch_encoder import Encoder, Texts, embedded, packs, precision

Ids = list[list[int]]


class Student(Encoder):
    """An encoder whose vector may be the first token's, and whose added words learn at a rate of their own."""

    def __init__(self, model: Model, first: bool, added: int = 0) -> None:
        super().__init__(model)
        self.first = first
        whole = self.words.weight.data
        self.more = nn.Parameter(whole[len(whole) - added :].clone())
        if added:
            self.words.weight = nn.Parameter(whole[: len(whole) - added].clone())

    def looked_up(self, ids: Tensor) -> Tensor:
        table = torch.cat([self.words.weight, self.more]) if len(self.more) else self.words.weight
        return functional.embedding(ids, table)

    def packed(self, ids: Tensor, places: Tensor, cuts: Tensor, longest: int) -> Tensor:
        x = self.norm(self.looked_up(ids) + self.positions[places])
        for layer in self.layers:
            x = layer.packed(x, cuts, longest)
        if self.first:
            return functional.normalize(x[cuts[:-1].long()].float(), dim=-1)
        texts = torch.repeat_interleave(torch.diff(cuts).long(), output_size=len(ids))
        summed = x.new_zeros((len(cuts) - 1, x.shape[1]), dtype=torch.float32).index_add(0, texts, x.float())
        return functional.normalize(summed, dim=-1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        x = self.norm(self.looked_up(ids) + self.positions[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        pooled = x[:, 0].float() if self.first else (x.float() * mask[:, :, None]).sum(1)
        return functional.normalize(pooled, dim=-1)


def body_of(teacher: Teacher, words: np.ndarray) -> Model:
    """Granite's layers under another table of words."""
    w = {name: value.float().cpu().numpy() for name, value in teacher._weights.items()}

    def linear(index: int, part: str) -> Linear:
        at = f"layers.{index}.{part}"
        return Linear(f"{index}.{part}", w[f"{at}.weight"].T, w[f"{at}.bias"])

    def norm(name: str) -> tuple[Any, Any]:
        return w[f"{name}.weight"], w[f"{name}.bias"]

    layers = tuple(
        Layer(
            qkv=linear(index, "qkv"),
            out=linear(index, "out"),
            up=linear(index, "up"),
            down=linear(index, "down"),
            attention_norm=norm(f"layers.{index}.attention_norm"),
            output_norm=norm(f"layers.{index}.output_norm"),
        )
        for index in range(6)
    )
    return Model(words, w["positions"][:WINDOW], norm("norm"), layers)


class Words:
    """WordPiece with added pieces, or BPE: texts → ids within the window."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(WINDOW)

    def __call__(self, texts: Sequence[str]) -> Ids:
        return [one.ids for one in self._tokenizer.encode_batch_fast(list(texts))]


class Lessons:
    """English pairs with both teachers' vectors of every text."""

    def __init__(
        self, data: Path, words: Words, teacher: Teacher, second: tuple[Encoder, Words], device: Any, limit: int
    ) -> None:
        rows = [row[:4] for path in sorted(data.glob("pairs*.jsonl.xz")) for row in lines(path)]
        unique = {(row[0], row[1]): row for row in rows}
        rows = list(unique.values())
        if limit:
            rows = rows[:: max(1, len(rows) // limit)]
        passages = [row[1] for path in sorted(data.glob("passages*.jsonl.xz")) for row in lines(path)]
        texts: dict[str, int] = {}
        self.groups: list[str] = []
        for query, answer, _, group in rows:
            for text in (query, answer):
                if text not in texts:
                    texts[text] = len(texts)
                    self.groups.append(group)
        for text in passages[:limit] if limit else passages:
            if text not in texts:
                texts[text] = len(texts)
                self.groups.append("passages")
        every = list(texts)
        self.texts = Texts(words(every), device)
        self.granite = teacher.embedded(every)
        self.second = embedded(second[0], Texts(second[1](every), device))
        pairs = [(texts[row[0]], texts[row[1]]) for row in rows]
        back = [zlib.crc32(row[3].encode()) % 40 == 0 for row in rows]
        self.learn = [pair for pair, out in zip(pairs, back, strict=True) if not out]
        software = [not row[3].startswith(("google-research", "elife", "openstax", "standardebooks")) for row in rows]
        self.trusted = [one for one, out in zip(software, back, strict=True) if not out]
        self.repositories = [row[3].split(":")[0] for row, out in zip(rows, back, strict=True) if not out]
        self.held = [pair for pair, out in zip(pairs, back, strict=True) if out]
        vectors = [torch.as_tensor(one).to(device) for one in (self.granite, self.second)]
        self._vectors = vectors
        self.target = vectors[0]
        self.mix([1.0, 1.0])
        say(f"{len(self.learn)} pairs, {len(self.held)} held back, {len(every)} texts")

    def mix(self, weights: Sequence[float]) -> None:
        """How much granite and encoder-1 are listened to."""
        scales = sureness(self._vectors, weights, self.learn, 0)
        self.teacher = torch.cat([one * scale for one, scale in zip(self._vectors, scales, strict=True)], dim=1)

    def mine(self, device: Any) -> tuple[list[list[int]], list[int]]:
        by = self.teacher.cpu().numpy()
        return mined(by, self.learn, self.groups, TrainingSettings(negatives=4), device, taught=True)


class Measures:
    def __init__(self, data: Path, words: Words, lessons: Lessons | None, device: Any) -> None:
        self.sets = Sets(data / "sets.json.xz", words, device)
        self._lessons, self._device = lessons, device
        asked = data / "held.jsonl"
        self._held = [json.loads(line) for line in asked.read_text().splitlines()] if asked.exists() else []
        pages: dict[str, str] = {}
        for _, _, page, name in self._held:
            pages.setdefault(name, page)
        self._pages = {name: place for place, name in enumerate(pages)}
        self._held = [row for row in self._held if row[0] != "en"]
        if pages:
            self._page_texts = Texts(words(list(pages.values())), device)
            self._asked = Texts(words([row[1] for row in self._held]), device)

    def __call__(self, name: str, encoder: Encoder) -> dict[str, float]:
        found = self.sets.measure(encoder)
        if self._lessons is not None and self._lessons.held:
            held = self._lessons.held
            vectors = torch.as_tensor(embedded(encoder, self._lessons.texts)).to(self._device)
            q, p = (vectors[torch.as_tensor(side, device=self._device)] for side in zip(*held, strict=True))
            near = q @ p.T
            rank = (near > near.diagonal()[:, None] + 1e-6).sum(1)
            found["held@1"] = round(float((rank == 0).float().mean()), 4)
            found["held.mrr"] = round(float((1 / (rank + 1.0)).mean()), 4)
        if self._held:
            pages, asked = embedded(encoder, self._page_texts), embedded(encoder, self._asked)
            best = np.argsort(-(asked @ pages.T), axis=1)[:, :10]
            hit: dict[str, list[bool]] = {}
            for row, ten in zip(self._held, best, strict=True):
                hit.setdefault(row[0], []).append(self._pages[row[3]] in ten)
            found |= {f"r10.{language}": round(float(np.mean(some)), 3) for language, some in sorted(hit.items())}
            found["r10"] = round(float(np.mean([np.mean(some) for some in hit.values()])), 3)
        whole = [value for key, value in found.items() if "." not in key and key not in ("held@1", "r10")]
        found["mean"] = round(float(np.mean(whole)), 4)
        say(name, json.dumps(found))
        return found


class Translations:
    """Foreign texts with the vector their English has; a language is drawn by the square root of how much there is."""

    def __init__(self, data: Path, words: Words, device: Any, limit: int) -> None:
        rows = list(lines(data / "parallel.jsonl.xz"))
        if limit:
            rows = rows[:limit]
        self.english = Texts(words([row[0] for row in rows]), device)
        foreign = [(language, text, place) for place, row in enumerate(rows) for language, text in row[1].items()]
        self.texts = Texts(words([text for _, text, _ in foreign]), device)
        self.owner = torch.as_tensor([place for _, _, place in foreign], device=device)
        self.by_language: dict[str, list[int]] = {}
        for number, (language, _, _) in enumerate(foreign):
            self.by_language.setdefault(language, []).append(number)
        say(f"{len(rows)} English texts, {len(foreign)} translations", {k: len(v) for k, v in self.by_language.items()})

    def draw(self, dice: random.Random, count: int) -> list[int]:
        shares = {language: len(some) ** 0.5 for language, some in sorted(self.by_language.items())}
        each = {language: max(1, round(count * share / sum(shares.values()))) for language, share in shares.items()}
        return [dice.choice(self.by_language[language]) for language, some in each.items() for _ in range(some)]


def encoded(encoder: Encoder, texts: Texts, places: Sequence[int]) -> Tensor:
    if packs(texts.device):
        return encoder.packed(*texts.packed(places))
    found: Tensor = encoder(*texts.batch(places))
    return found


def unlike(teacher: Tensor, student: Tensor) -> Tensor:
    return functional.kl_div(
        functional.log_softmax(student, -1), functional.log_softmax(teacher, -1), reduction="batchmean", log_target=True
    )


def batches(count: int, size: int, epochs: float, dice: random.Random) -> Iterator[list[int]]:
    left = round(epochs * count)
    while left > 0:
        order = list(range(count))
        dice.shuffle(order)
        order = order[:left]
        left -= len(order)
        for start in range(0, len(order), size):
            some = order[start : start + size]
            if len(some) == size or count < size:
                yield some


def neighbourly(
    worth: Sequence[int], repositories: Sequence[str], size: int, epochs: float, share: float, dice: random.Random
) -> list[list[int]]:
    """Batches of which a share are of one repository each: telling neighbours apart is what a library asks for."""
    of: dict[str, list[int]] = {}
    for one in worth:
        of.setdefault(repositories[one], []).append(one)
    made: list[list[int]] = []
    for whole in [1.0] * int(epochs) + [epochs % 1]:
        mixed: list[int] = []
        some: list[list[int]] = []
        for pairs in of.values():
            order = dice.sample(pairs, round(whole * len(pairs)))
            cut = round(share * len(order)) // size * size
            some += [order[start : start + size] for start in range(0, cut, size)]
            mixed += order[cut:]
        dice.shuffle(mixed)
        some += [mixed[start : start + size] for start in range(0, len(mixed) - size + 1, size)]
        dice.shuffle(some)
        made += some
    return made


class Rates:
    """AdamW with a rate for the body, the words and the added words; up over the first part, then down to nothing."""

    def __init__(self, encoder: Student, rate: float, steps: int, added: float = 4.0, words: float = 1.0) -> None:
        tables = {id(encoder.more), id(encoder.words.weight)}
        body = [value for value in encoder.parameters() if id(value) not in tables]
        groups = [{"params": body, "lr": rate}, {"params": [encoder.words.weight], "lr": rate * words}]
        if len(encoder.more):
            groups.append({"params": [encoder.more], "lr": rate * added})
        self._adam = torch.optim.AdamW(groups, weight_decay=0.01, fused=encoder.positions.is_cuda)
        self._peaks = [group["lr"] for group in groups]
        self._steps, self._number, self._encoder = steps, 0, encoder

    def step(self, loss: Tensor) -> None:
        warm = max(1, self._steps // 12)
        number = self._number
        share = (number + 1) / warm if number < warm else max(0.0, (self._steps - number) / (self._steps - warm))
        for group, peak in zip(self._adam.param_groups, self._peaks, strict=True):
            group["lr"] = peak * share
        self._adam.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self._encoder.parameters(), 1.0)
        self._adam.step()
        self._number += 1


def distil(
    encoder: Student,
    lessons: Lessons,
    settings: dict[str, float],
    negatives: tuple[list[list[int]], list[int]],
    translations: Translations | None = None,
    deadline: float = 1e18,
) -> None:
    device = lessons.texts.device
    seed, size = int(settings.get("seed", 0)), int(settings.get("batch", 1024))
    dice = random.Random(seed)
    torch.manual_seed(seed)
    wrong, worth = negatives
    if settings.get("together"):
        todo = neighbourly(worth, lessons.repositories, size, settings["epochs"], settings["together"], dice)
    else:
        todo = [[worth[one] for one in some] for some in batches(len(worth), size, settings["epochs"], dice)]
    rates = Rates(encoder, settings.get("rate", 1.5e-4), len(todo), settings.get("added", 4.0))
    temperature, contrast = 0.05, settings.get("contrast", 0.3)
    close, sides = settings.get("close", 0.1), settings.get("sides", 0.15)
    foreign_share, foreign_count = settings.get("foreign", 1.0), int(settings.get("foreign_batch", 1536))
    encoder.train()
    started = time.perf_counter()
    for number, places in enumerate(todo):
        if time.perf_counter() > deadline:
            say(f"stopped at {number}/{len(todo)}")
            break
        queries = [lessons.learn[one][0] for one in places]
        answers = [lessons.learn[one][1] for one in places]
        passages = answers + [other for one in places for other in wrong[one][:3]]
        with precision(device):
            q, p = encoded(encoder, lessons.texts, queries), encoded(encoder, lessons.texts, passages)
        qs, ps = torch.as_tensor(queries, device=device), torch.as_tensor(passages, device=device)
        count = len(queries)
        with torch.no_grad():
            asked, answered = lessons.teacher[qs], lessons.teacher[ps]
            before = asked @ answered.T
            also = before > before.diagonal()[:, None]
            also |= ps[:count, None] == ps[None]
            also.fill_diagonal_(False)
            eye = torch.eye(count, dtype=torch.bool, device=device)
            among_p = (answered[:count] @ answered[:count].T).masked_fill(eye, -1e4)
            among_q = (asked @ asked.T).masked_fill(eye, -1e4)
        near = q @ p.T / temperature
        scores = near.masked_fill(also, float("-inf"))
        labels = torch.arange(count, device=device)
        trusted = torch.as_tensor([lessons.trusted[one] for one in places], device=device)
        labels = labels.where(trusted, torch.full_like(labels, -100))
        alive = (labels >= 0).sum().clamp(min=1)
        chosen = functional.cross_entropy(scores, labels, reduction="sum") / alive
        back = functional.cross_entropy(scores[:, :count].T, labels, reduction="sum") / alive
        loss = contrast * (0.7 * chosen + 0.3 * back)
        taught = 0.7 * unlike(before, near) + 0.3 * unlike(before[:, :count].T, near[:, :count].T)
        loss = loss + taught
        if sides:
            pp = (p[:count] @ p[:count].T / temperature).masked_fill(eye, -1e4)
            qq = (q @ q.T / temperature).masked_fill(eye, -1e4)
            loss = loss + sides * (unlike(among_p, pp) + unlike(among_q, qq))
        if close:
            drift = 1 - torch.cat([(q * lessons.target[qs]).sum(-1), (p * lessons.target[ps]).sum(-1)]).mean()
            loss = loss + close * drift
        shown = ""
        if translations is not None:
            some = translations.draw(dice, foreign_count)
            with precision(device):
                f = encoded(encoder, translations.texts, some)
            owner = translations.owner[torch.as_tensor(some, device=device)]
            # What the student itself makes of the English text, which other lessons hold in its place.
            distinct, where = torch.unique(owner, return_inverse=True)
            with torch.no_grad(), precision(device):
                wanted = encoded(encoder, translations.english, distinct.cpu().numpy()).float()[where]
            cosine = (f * wanted).sum(-1)
            same = owner[:, None] == owner[None]
            same.fill_diagonal_(False)
            with torch.no_grad():
                theirs = (wanted @ wanted.T / temperature).masked_fill(same, -1e4)
            listed = unlike(theirs, (f @ wanted.T / temperature).masked_fill(same, -1e4))
            loss = loss + foreign_share * (1 - cosine.mean() + settings.get("listed", 0.3) * listed)
            shown = f" foreign cosine {float(cosine.detach().mean()):.4f} listed {float(listed.detach()):.3f}"
        rates.step(loss)
        if number % 50 == 0 or number + 1 == len(todo):
            losses = f"taught {float(taught.detach()):.3f} chosen {float(chosen.detach()):.3f}{shown}"
            say(f"  {number + 1}/{len(todo)} {losses} {time.perf_counter() - started:.0f} s")
    encoder.eval()


def main() -> int:
    parser = argparse.ArgumentParser(description="Train octavo-encoder-2.")
    parser.add_argument("data", type=Path)
    parser.add_argument("states", type=Path)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--limit", type=int, default=0)
    arguments = parser.parse_args()
    started = time.perf_counter()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    data, states = arguments.data, arguments.states
    states.mkdir(parents=True, exist_ok=True)
    plan = json.loads(arguments.plan.read_text())
    teacher = Teacher(data / "teachers/granite", device)
    plain = Words(Tokenizer.from_file(str(data / "tokenizer.json")))
    bpe = Words(Tokenizer.from_file(str(data / "teachers/granite/tokenizer.json")))
    own = Words(Tokenizer.from_file(str(data / "words.json"))) if (data / "words.json").exists() else bpe
    first = read_graph((data / "encoder-1.onnx").read_bytes())
    second = Encoder(first).to(device)
    say(f"loaded, {time.perf_counter() - started:.0f} s on {device}")
    report: dict[str, Any] = {}
    prepared: dict[str, tuple[Lessons, Measures]] = {}
    mines: list[Any] = []
    held: Translations | None = None

    def words_of(kind: str) -> Words:
        return {"bpe": bpe, "plain": plain, "own": own}[kind]

    def ready(kind: str) -> tuple[Lessons, Measures]:
        if kind not in prepared:
            words = words_of(kind)
            lessons = Lessons(data, words, teacher, (second, plain), device, arguments.limit)
            prepared[kind] = lessons, Measures(data, words, lessons, device)
            say(f"{kind} ready, {time.perf_counter() - started:.0f} s")
        return prepared[kind]

    def fresh(kind: str, pooling: str) -> Student:
        table = teacher._weights["words"].float().cpu().numpy()
        if kind == "own":
            rows = json.loads((data / "words.rows.json").read_text())
            added = sum(len(parts) > 1 for parts in rows)
            table = np.stack([table[parts].mean(0) for parts in rows])
            return Student(body_of(teacher, table), pooling == "first", added).to(device)
        return Student(body_of(teacher, table), pooling == "first").to(device)

    for run in plan["runs"]:
        if time.perf_counter() - started > arguments.seconds:
            say("no time for", run["name"])
            continue
        kind, pooling = run.get("words", "own"), run.get("pooling", "first")
        lessons, measures = ready(kind)
        encoder = fresh(kind, pooling)
        if run.get("from"):
            encoder.load_state_dict(torch.load(states / f"{run['from']}.pt", map_location=device))
        if run.get("soup"):
            shares = run["soup"].items()
            parts = [(torch.load(states / f"{name}.pt", map_location=device), share) for name, share in shares]
            encoder.load_state_dict({name: sum(part[name] * share for part, share in parts) for name in parts[0][0]})
        if run.get("measure_before"):
            measures(f"{run['name']} before", encoder)
        if run.get("settings"):
            if not mines:
                mines.append(lessons.mine(device))
                say(f"mined, {len(mines[0][1])} worth, {time.perf_counter() - started:.0f} s")
            if run.get("tongues") and held is None:
                held = Translations(data, words_of(kind), device, arguments.limit)
                say(f"translations, {time.perf_counter() - started:.0f} s")
            deadline = time.perf_counter() + run["seconds"] if run.get("seconds") else 1e18
            lessons.mix(run.get("mix", [1.0, 1.0]))
            distil(encoder, lessons, run["settings"], mines[0], held if run.get("tongues") else None, deadline)
        torch.save(encoder.state_dict(), states / f"{run['name']}.pt")
        report[run["name"]] = measures(f"{run['name']}, {time.perf_counter() - started:.0f} s", encoder)
        (states / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    for name in plan.get("references", []):
        lessons, measures = ready("bpe" if name == "granite" else "plain")
        subject = fresh("bpe", "first") if name == "granite" else second
        report[name] = measures(name, subject)
    (states / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    say(f"done in {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
