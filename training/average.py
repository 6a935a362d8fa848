"""Averages nets that were trained from one start in different ways, and measures the mean.

python -m training.average --out DIR [--candidates DIR] NET NET …
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from training.evaluate import report
from training.model import TorchReader, load_net
from training.train import save_net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--candidates", type=Path)
    parser.add_argument("nets", type=Path, nargs="+")
    options = parser.parse_args()
    net, tokenizer = load_net(options.nets[0])
    states = [load_net(folder)[0].state_dict() for folder in options.nets]
    net.load_state_dict(
        {
            name: torch.stack([state[name] for state in states]).mean(dim=0)
            if states[0][name].is_floating_point()
            else states[0][name]
            for name in states[0]
        }
    )
    save_net(net, options.nets[0], options.out)
    if options.candidates:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        report(options.out.name, TorchReader(net.to(device), tokenizer, device), options.candidates)


if __name__ == "__main__":
    main()
