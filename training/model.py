"""The network: one encoder whose mean gives a vector of a text and a score of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertModel

CLS, SEP = 101, 102
MOST_TOKENS = 192  # of a text, or of a question and a text together
QUESTION_TOKENS = 48


class ReaderNet(nn.Module):
    """MiniLM with one more layer for the answer score."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.encoder = BertModel(config, add_pooling_layer=False)
        size = config.hidden_size
        self.answer = nn.Sequential(nn.Linear(size, size), nn.GELU(), nn.Linear(size, 1))

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Unit vectors, and the scores (rows × 1), of the same rows."""
        states = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(states.dtype)
        mean = (states * mask).sum(dim=1) / mask.sum(dim=1)
        vectors = mean.float() / mean.float().norm(dim=-1, keepdim=True)
        return vectors, self.answer(mean)


def load_net(folder: Path, dropout: float = 0.1) -> tuple[ReaderNet, Tokenizer]:
    """The encoder as it was published, or a whole net that `save_net` wrote."""
    config = BertConfig.from_json_file(folder / "config.json")
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
    config._attn_implementation = "sdpa"
    net = ReaderNet(config)
    state = {name: value.float() for name, value in load_file(folder / "model.safetensors").items()}
    if not any(name.startswith("encoder.embeddings") for name in state):
        state = {f"encoder.{name}": value for name, value in state.items()}
    missing = net.load_state_dict(state, strict=False).missing_keys
    if any(not name.startswith("answer.") for name in missing):
        raise ValueError(f"{folder} lacks weights: {missing[:3]}")
    return net, load_tokenizer(folder)


def load_tokenizer(folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def token_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> list[np.ndarray]:
    """Without the marks at both ends, and no longer than a row may be."""
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [np.array(row.ids[: MOST_TOKENS - 2], dtype=np.int32) for row in encoded]


Pair = tuple[np.ndarray, np.ndarray | None]
Batch = dict[str, np.ndarray]


def as_batch(pairs: Sequence[Pair]) -> Batch:
    """Rows of one text, or of a question and a text, padded to the longest."""
    heads = [a if b is None else a[:QUESTION_TOKENS] for a, b in pairs]
    tails = [
        None if b is None else b[: MOST_TOKENS - 3 - len(head)]
        for head, (_, b) in zip(heads, pairs, strict=True)
    ]
    sizes = [
        len(head) + 2 + (0 if tail is None else len(tail) + 1)
        for head, tail in zip(heads, tails, strict=True)
    ]
    ids = np.zeros((len(pairs), max(sizes)), dtype=np.int32)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    for at, (head, tail, size) in enumerate(zip(heads, tails, sizes, strict=True)):
        end = len(head) + 1
        ids[at, 0], ids[at, end], ids[at, size - 1] = CLS, SEP, SEP
        ids[at, 1:end] = head
        mask[at, :size] = 1
        if tail is not None:
            ids[at, end + 1 : size - 1] = tail
            types[at, end + 1 : size] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


Part = tuple[list[int], Batch]


def as_parts(pairs: Sequence[Pair], count: int) -> list[Part]:
    """The rows in parts of like length, which wastes less on padding, with their places."""
    order = sorted(range(len(pairs)), key=lambda n: len(pairs[n][0]) + _size(pairs[n][1]))
    step = -(-len(order) // count)
    places = [order[start : start + step] for start in range(0, len(order), step)]
    return [(part, as_batch([pairs[n] for n in part])) for part in places]


def _size(ids: np.ndarray | None) -> int:
    return 0 if ids is None else len(ids)


def on_device(batch: Batch, device: str) -> dict[str, Tensor]:
    return {name: torch.from_numpy(value).to(device).long() for name, value in batch.items()}


class TorchReader:
    """The net as something to evaluate and to mine with."""

    def __init__(self, net: ReaderNet, tokenizer: Tokenizer, device: str) -> None:
        self.net, self.tokenizer, self.device = net, tokenizer, device

    @torch.no_grad()
    def run(self, pairs: Sequence[Pair], *, scores: bool, size: int = 1024) -> Tensor:
        self.net.eval()
        lengths = [len(a) + (0 if b is None else len(b)) for a, b in pairs]
        order = np.argsort(lengths)
        parts = []
        for start in range(0, len(order), size):
            batch = as_batch([pairs[n] for n in order[start : start + size]])
            with torch.autocast(self.device, dtype=torch.bfloat16):
                vectors, answers = self.net(**on_device(batch, self.device))
            parts.append(answers[:, 0].float() if scores else vectors)
        found = torch.cat(parts)
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.from_numpy(order)] = torch.arange(len(order))
        return found[back.to(found.device)]

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        pairs: list[Pair] = [(ids, None) for ids in token_ids(self.tokenizer, texts)]
        return self.run(pairs, scores=False).cpu().numpy()

    def score_answers(self, question: str, texts: Sequence[str]) -> np.ndarray:
        (asked,) = token_ids(self.tokenizer, [question])
        pairs: list[Pair] = [(asked, ids) for ids in token_ids(self.tokenizer, texts)]
        return self.run(pairs, scores=True).cpu().numpy()
