"""Writes a trained net as one int8 ONNX file with its tokenizer, as `leadline.reader` runs it.

python -m training.export --net DIR --out DIR
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

from training.model import ReaderNet, load_net

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
OUTPUTS = ["embedding", "logits"]


def write_onnx(net: ReaderNet, path: Path) -> None:
    """In full precision."""
    net.eval()
    net.encoder.config._attn_implementation = "eager"
    rows = torch.tensor([[101, 2129, 102, 2023, 102], [101, 2129, 102, 2023, 102]])
    types = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1]])
    axes = {name: {0: "rows", 1: "tokens"} for name in INPUTS}
    axes |= {name: {0: "rows"} for name in OUTPUTS}
    torch.onnx.export(
        net,
        (rows, torch.ones_like(rows), types),
        str(path),
        input_names=INPUTS,
        output_names=OUTPUTS,
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def write_int8(full: Path, path: Path) -> None:
    """Eight bits a weight. A reduced range, or processors without VNNI compute something else."""
    ready = full.with_name("ready.onnx")
    quant_pre_process(str(full), str(ready), skip_symbolic_shape=True)
    quantize_dynamic(
        str(ready), str(path), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    net, tokenizer = load_net(options.net, dropout=0.0)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "full.onnx"
        write_onnx(net, full)
        write_int8(full, options.out / "model.onnx")
    tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    print(f"{(options.out / 'model.onnx').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
