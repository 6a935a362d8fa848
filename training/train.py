"""Trains the reader: vectors that bring question and answer together, and the answer score.

python -m training.train --data DIR --start MINILM --out DIR [--candidates DIR]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader

from training.evaluate import read_rows, report
from training.model import (
    Pair,
    Part,
    ReaderNet,
    TorchReader,
    as_parts,
    load_net,
    on_device,
    token_ids,
)

SEED = 11
FULL_STOP, COLON = 1012, 1024  # tokens
CLOSEST, NEAREST = 3, 60  # of the passages near a question, wrong ones are those between
TEMPERATURE = 20.0  # of the cosines
STAY = 5.0  # how much the vectors are held to those of the start


@dataclass
class Question:
    """One row of the data in tokens; `near` holds the numbers of mined wrong passages."""

    words: np.ndarray
    right: list[int]
    wrong: list[int]
    shut: set[int]  # passages that may be right too
    good: list[np.ndarray]
    bad: list[np.ndarray]
    near: list[int]


class Corpus:
    """The data of `training.prepare`, in tokens."""

    def __init__(self, folder: Path, tokenizer: Any) -> None:
        rows = read_rows(folder / "questions.jsonl")
        self.pool = token_ids(tokenizer, [line for line, _ in read_rows(folder / "pool.jsonl")])
        words = token_ids(tokenizer, [row["q"] for row in rows])
        texts = [s for row in rows for s in (*row.get("good", ()), *row.get("bad", ()))]
        sentences = iter(token_ids(tokenizer, texts))
        self.questions, self.kinds = [], [row["kind"] for row in rows]
        for row, asked in zip(rows, words, strict=True):
            good = [next(sentences) for _ in row.get("good", ())]
            bad = [next(sentences) for _ in row.get("bad", ())]
            shut = {*row["pos"], *row.get("same", ())}
            question = Question(asked, row["pos"], row["neg"], shut, good, bad, [])
            self.questions.append(question)

    def mine(self, reader: TorchReader) -> None:
        """The vectors of the start, and wrong passages near each question by them."""
        self.old_pool = reader.run([(ids, None) for ids in self.pool], scores=False).bfloat16()
        words: list[Pair] = [(q.words, None) for q in self.questions]
        self.old_asked = reader.run(words, scores=False).bfloat16()
        depth = min(NEAREST + 20, len(self.pool))
        for start in range(0, len(self.questions), 2048):
            cosines = self.old_asked[start : start + 2048] @ self.old_pool.T
            best = cosines.topk(depth).indices.cpu().tolist()
            for question, row in zip(self.questions[start : start + 2048], best, strict=True):
                question.near = [n for n in row if n not in question.shut][CLOSEST:NEAREST]


def one_sentence(ids: np.ndarray, draw: random.Random) -> np.ndarray:
    """A sentence of a passage, behind the title that the passage has."""
    colon = np.flatnonzero(ids[:24] == COLON)
    start = int(colon[0]) + 1 if len(colon) else 0
    stops = [start, *(int(n) + 1 for n in np.flatnonzero(ids == FULL_STOP) if n > start), len(ids)]
    spans = [(a, b) for a, b in pairwise(stops) if b - a > 5]
    if not spans:
        return ids
    first, last = draw.choice(spans)
    return np.concatenate([ids[:start], ids[first:last]])


class Batches:
    """Batches of the two tasks, by number; worker processes make them beside the training."""

    def __init__(self, corpus: Corpus, options: argparse.Namespace) -> None:
        self.corpus, self.options = corpus, options
        self.draw = random.Random(options.seed)
        self.jobs = [job for _ in range(options.epochs) for job in self._jobs()]

    def __len__(self) -> int:
        return len(self.jobs)

    def __getitem__(self, number: int) -> tuple[list[Part], list[Part], list[int], list[int]]:
        lists, pairs, seed = self.jobs[number]
        draw, pool = random.Random(seed), self.corpus.pool
        rows = [pair for n in lists for pair in self._list(self.corpus.questions[n], draw)]
        chosen = [self.corpus.questions[n] for n in pairs]
        texts = [draw.choice(q.right) for q in chosen]
        texts += [self._far(q, 1, draw)[0] for q in chosen]
        singles: list[Pair] = [(q.words, None) for q in chosen]
        singles += [(pool[n], None) for n in texts]
        return as_parts(rows, 4), as_parts(singles, 4), pairs, texts

    def _list(self, q: Question, draw: random.Random) -> list[Pair]:
        """The question with a right text, first, and wrong ones."""
        count, pool = self.options.list, self.corpus.pool
        if q.good and draw.random() < self.options.sentences:
            own = draw.sample(q.bad, min(len(q.bad), count // 2 - 1))
            far = [one_sentence(pool[n], draw) for n in self._far(q, count - 1 - len(own), draw)]
            return [(q.words, ids) for ids in (draw.choice(q.good), *own, *far)]
        own_numbers = draw.sample(q.wrong, min(len(q.wrong), count // 3))
        numbers = [draw.choice(q.right), *own_numbers]
        numbers += self._far(q, count - len(numbers), draw)
        return [(q.words, pool[n]) for n in numbers]

    def _far(self, q: Question, count: int, draw: random.Random) -> list[int]:
        near = draw.sample(q.near, min(count, len(q.near)))
        while len(near) < count:
            near.append(draw.randrange(len(self.corpus.pool)))
        return near

    def _jobs(self) -> Iterator[tuple[list[int], list[int], int]]:
        size, many = self.options.batch, self.options.pairs
        order, other = self._order(), self._order()
        for start in range(0, len(order) - size, size):
            picked = [other[(start // size * many + n) % len(other)] for n in range(many)]
            yield order[start : start + size], picked, self.draw.randrange(1 << 30)

    def _order(self) -> list[int]:
        order = []
        for number, kind in enumerate(self.corpus.kinds):
            times = self.options.written if kind == "written" else 1
            if kind in self.options.without or (kind == "squad_nqg" and self.draw.random() < 0.5):
                times = 0
            order += [number] * times
        self.draw.shuffle(order)
        return order


def train(net: ReaderNet, corpus: Corpus, options: Any, device: str) -> None:
    """One pass over the batches with warm-up and linear decay."""
    batches = Batches(corpus, options)
    optimiser = torch.optim.AdamW(net.parameters(), lr=options.rate, weight_decay=0.01)
    steps, began, seen = len(batches), time.time(), []

    def share(step: int) -> float:
        """Of the rate: by steps, or by the clock where the time will not do for all steps."""
        done = max(step / steps, (time.time() - began) / options.seconds)
        return min((step + 1) / (0.06 * steps), max(0.0, (1 - done) / 0.94))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, share)
    net.train()
    loader = DataLoader(
        batches, batch_size=None, num_workers=options.workers, prefetch_factor=8, collate_fn=as_is
    )
    for step, (lists, singles, asked, texts) in enumerate(loader):
        with torch.autocast(device, dtype=torch.bfloat16):
            scores = _joined(net, lists, 1, device).float().view(-1, options.list)
            vectors = _joined(net, singles, 0, device).float()
        old = torch.cat([corpus.old_asked[asked], corpus.old_pool[texts]]).float()
        apart = 2 * (1 - (vectors * old).sum(-1).mean())
        cosines = TEMPERATURE * vectors[: len(asked)] @ vectors[len(asked) :].T
        near = functional.cross_entropy(cosines, torch.arange(len(asked), device=device))
        loss = _score_loss(scores)
        (loss + options.vectors * near + options.stay * apart).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        schedule.step()
        seen.append(torch.stack([loss.detach(), near.detach(), apart.detach()]))
        if step % 200 == 199:
            mean = torch.stack(seen).mean(0).tolist()
            print(f"{step + 1}/{steps} {time.time() - began:.0f} s", *(f"{v:.3f}" for v in mean))
            seen = []
        if time.time() - began > options.seconds:
            break


def as_is(batch: Any) -> Any:
    """Arrays stay arrays: tensors would go through shared memory, of which there may be little."""
    return batch


def _joined(net: ReaderNet, parts: list[Part], output: int, device: str) -> Tensor:
    """What the net gives for rows that come in parts, in the order of the rows."""
    places = torch.tensor([n for part, _ in parts for n in part], device=device)
    found = torch.cat([net(**on_device(batch, device))[output] for _, batch in parts])
    return found[torch.argsort(places)]


def _score_loss(scores: Tensor) -> Tensor:
    """The right text, which stands first, above the others, and above zero."""
    right = torch.zeros(len(scores), dtype=torch.long, device=scores.device)
    truth = torch.zeros_like(scores)
    truth[:, 0] = 1
    apart = functional.binary_cross_entropy_with_logits(scores, truth)
    return functional.cross_entropy(scores, right) + apart / 2


def save_net(net: ReaderNet, start: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    state = {name: value.half().cpu().contiguous() for name, value in net.state_dict().items()}
    save_file(state, out / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        (out / name).write_text((start / name).read_text("utf-8"), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "start", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--candidates", type=Path, help="measure at the end")
    whole = {
        "seed": 11,
        "batch": 48,
        "list": 8,
        "pairs": 128,
        "written": 4,
        "workers": 4,
        "epochs": 3,
    }
    for name, value in (whole | {"seconds": 100_000}).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--without", nargs="*", default=[], help="kinds of questions left out")
    for name, number in {"rate": 2e-4, "sentences": 0.5, "vectors": 1.0, "stay": STAY}.items():
        parser.add_argument(f"--{name}", type=float, default=number)
    options = parser.parse_args()
    print(json.dumps(vars(options), default=str))
    torch.manual_seed(SEED)  # of the new layer: nets are averaged, so it must not differ
    device = "cuda" if torch.cuda.is_available() else "cpu"
    start, tokenizer = load_net(options.start, dropout=0.0)
    corpus = Corpus(options.data, tokenizer)
    corpus.mine(TorchReader(start.to(device), tokenizer, device))
    net = load_net(options.start)[0].to(device)
    train(net, corpus, options, device)
    save_net(net, options.start, options.out)
    if options.candidates:
        report(options.out.name, TorchReader(net, tokenizer, device), options.candidates)


if __name__ == "__main__":
    main()
