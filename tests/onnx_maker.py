"""Small ONNX networks with known answers, for tests of what runs networks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = ["[UNK]", "[CLS]", "[SEP]", "a", "cat", "dog", "and", "text"]
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def write_reader(folder: Path, output: str) -> Path:
    """A network with one output of that name, and its tokenizer: `logits` counts the tokens of a
    pair's second text; every other looks up a vector a token, and `embedding` averages them."""
    ints, floats = TensorProto.INT64, TensorProto.FLOAT
    axes = numpy_helper.from_array(np.array([1]), "axes")
    rows = np.eye(len(WORDS), dtype=np.float32) + np.float32(0.1)
    table = numpy_helper.from_array(rows, "table")
    look_up = helper.make_node("Gather", ["table", "input_ids"], ["states"])
    nodes = {
        "logits": [
            helper.make_node("Cast", ["token_type_ids"], ["seconds"], to=floats),
            helper.make_node("ReduceSum", ["seconds", "axes"], [output], keepdims=1),
        ],
        "embedding": [
            look_up,
            helper.make_node("ReduceSum", ["states", "axes"], [output], keepdims=0),
        ],
    }.get(output, [look_up, helper.make_node("Identity", ["states"], [output])])
    graph = helper.make_graph(
        nodes,
        "reader",
        [helper.make_tensor_value_info(name, ints, [None, None]) for name in INPUTS],
        [helper.make_tensor_value_info(output, floats, None)],
        [axes, table],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "network.onnx"
    onnx.save(model, path)
    _tokenizer().save(str(folder / "tokenizer.json"))
    return path


def _tokenizer() -> Tokenizer:
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    return tokenizer
