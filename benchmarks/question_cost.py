"""What a question costs as a whole process over a manual of 1,000 pages, and what indexing costs.

Each question is a `leadline` command of its own; beside the index of 14,593 pages stands the
time that bm25s takes to read, cut and index the same files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import time
from importlib import import_module
from pathlib import Path
from statistics import median

from benchmarks.baselines import CHUNK_CHARS
from benchmarks.gold import drawn, read_questions
from benchmarks.options import Figures, Options
from leadline.settings import Settings

_FOLDER = "postgresql"
_QUESTIONS = 5


def run(options: Options) -> Figures:
    docs = options.manuals / _FOLDER
    if not docs.is_dir():
        raise FileNotFoundError(2, "not there", str(docs))
    rows = read_questions(options.data / "manuals" / "questions.jsonl")
    asked = [row.text for row in drawn(rows, options) if row.folder == _FOLDER][:_QUESTIONS]
    home = options.work / "product" / _FOLDER
    figures: Figures = {"questions": len(asked)}
    _leadline(["index", str(docs)], home, options.settings)
    for name, reader in (("default", {}), ("reader_off", {"reader": "off"})):
        if reader and "reader" not in Settings.declared:
            continue
        given = options.settings | reader
        spent = [
            _leadline([text, "--docs", str(docs), "--no-memory"], home, given) for text in asked
        ]
        figures |= {
            f"cpu_s.{name}": round(median(cpu for cpu, _, _ in spent), 3),
            f"cpu_s_max.{name}": round(max(cpu for cpu, _, _ in spent), 3),
            f"wall_s.{name}": round(median(wall for _, wall, _ in spent), 3),
            f"peak_mb.{name}": round(max(peak for _, _, peak in spent)),
        }
    if options.baselines:
        figures |= _indexing(options)
    return figures


def _leadline(
    command: list[str], home: Path, settings: dict[str, str]
) -> tuple[float, float, float]:
    """CPU and wall seconds and the largest process in MB of one command."""
    env = {name: text for name, text in os.environ.items() if not name.startswith("RESEARCH_")}
    env |= {f"RESEARCH_{name.upper()}": value for name, value in settings.items()}
    env |= {"RESEARCH_DATA_DIR": str(home), "RESEARCH_NO_MODEL": "true"}
    begun = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "leadline", *command],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    said = child.stderr.read() if child.stderr else b""
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 3):
        sys.exit(f"leadline {command[0]} failed: {said.decode(errors='replace')}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - begun, used.ru_maxrss / 1024


def _indexing(options: Options) -> Figures:
    docs = options.work / "folders" / "mdn"
    if not docs.is_dir():
        with tarfile.open(options.data / "mdn.tar.gz") as archive:
            archive.extractall(docs, filter="data")
    home = options.work / "product" / "mdn"
    shutil.rmtree(home, ignore_errors=True)
    cpu, wall, peak = _leadline(["index", str(docs)], home, options.settings)
    theirs_cpu, theirs_wall = _bm25s(docs, options.work / "bm25s")
    return {
        "index_cpu_s.product": round(cpu, 2),
        "index_wall_s.product": round(wall, 2),
        "index_peak_mb.product": round(peak),
        "index_cpu_s.bm25s": round(theirs_cpu, 2),
        "index_wall_s.bm25s": round(theirs_wall, 2),
        "index_cpu_ratio": round(cpu / theirs_cpu, 2),
        "index_wall_ratio": round(wall / theirs_wall, 2),
    }


def _bm25s(docs: Path, home: Path) -> tuple[float, float]:
    """CPU and wall seconds to read, cut and index the same files."""
    module = import_module("bm25s")
    cpu, wall = time.process_time(), time.perf_counter()
    texts = [path.read_text("utf-8", "replace") for path in sorted(docs.rglob("*.md"))]
    chunks = [
        text[at : at + CHUNK_CHARS] for text in texts for at in range(0, len(text), CHUNK_CHARS)
    ]
    model = module.BM25()
    model.index(module.tokenize(chunks, stopwords="en", show_progress=False), show_progress=False)
    model.save(home)
    return time.process_time() - cpu, time.perf_counter() - wall
