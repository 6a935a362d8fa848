"""The rules of the house, checked: arrows point inward, files and functions stay small."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "leadline"
SOURCES = sorted(SRC.rglob("*.py"))

# Each layer may import itself and what stands before it.
LAYERS = (
    ("codec", "frozen", "values", "types", "errors", "bounds", "fields"),
    ("ports", "results", "queueing"),
    ("text",),
    ("question", "rank", "guard"),
    ("prompts", "purse"),
    ("check", "write"),
    ("pulse", "retry", "run", "turns"),
    ("records",),
    ("research",),
    (
        "documents",
        "fakes",
        "hidden",
        "keep",
        "models",
        "observe",
        "page",
        "read",
        "reader",
        "render",
        "search",
        "settings",
        "sight",
        "store",
        "web",
    ),
    ("kit",),
    ("bundle",),
    ("session",),
    ("service",),
    ("mcpserver",),
    ("experiment",),
    ("cli", "bench", "__main__"),
)
RANK = {name: depth for depth, names in enumerate(LAYERS) for name in names}
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60


def _top(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "leadline" and len(parts) > 1 else None


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "leadline":
                yield from (f"leadline.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _own(path: Path) -> str:
    return path.relative_to(SRC).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SRC)))
def test_a_module_imports_only_from_layers_further_in(path: Path) -> None:
    own = _own(path)
    if own == "__init__":
        return
    outward = [
        module
        for module in _imports(path)
        if (top := _top(module)) not in (None, "__version__") and RANK[top] > RANK[own]
    ]
    assert not outward


def test_faces_never_import_each_other() -> None:
    for path in (SRC / "bench").rglob("*.py"):
        assert not [module for module in _imports(path) if _top(module) == "cli"], path


def test_every_module_has_a_layer() -> None:
    assert {_own(path) for path in SOURCES} - {"__init__"} <= set(RANK)


def test_text_and_rank_touch_nothing_outside() -> None:
    world = {"os", "time", "random", "socket", "pathlib", "sqlite3", "datetime", "asyncio"}
    for folder in ("text", "rank"):
        for path in (SRC / folder).rglob("*.py"):
            assert not world & set(_imports(path)), path


def test_no_file_grows_past_its_subject() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {lines}"
        for path in SOURCES
        if (lines := len(path.read_text("utf-8").splitlines())) > MAX_FILE_LINES
    ]
    assert not long


def test_functions_stay_short() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno > MAX_FUNCTION_LINES
    ]
    assert not long


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert not silent


def test_only_settings_reads_the_environment() -> None:
    readers = [
        path.name
        for path in SOURCES
        if path.name != "settings.py"
        and re.search(r"os\.environ|os\.getenv|\bgetenv\(", path.read_text("utf-8"))
    ]
    assert not readers


def test_there_is_one_rule_for_trying_again() -> None:
    libraries = {"stamina", "tenacity"}
    assert [path.name for path in SOURCES if libraries & set(_imports(path))] == ["retry.py"]


def test_nothing_is_left_unfinished_by_its_own_words() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
    left = [str(path) for path in SOURCES if marks.search(path.read_text("utf-8"))]
    assert not left


def test_no_path_of_a_developers_machine_is_in_the_tree() -> None:
    here = re.compile(r"/work/|/root/|/home/\w+/")
    for folder in ("src", "docs", "examples", "tools", ".ci"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in {".py", ".md", ".toml", ".sh", ""}:
                assert not here.search(path.read_text("utf-8", "replace")), path


def test_contract_marks_name_lines_of_the_contract() -> None:
    letters = "RPSGFEDCMVWQLKHUOXZ"
    for path in (ROOT / "tests").rglob("*.py"):
        for call in re.findall(r"mark\.contract\(([^)]*)\)", path.read_text("utf-8")):
            for line in re.findall(r'"([^"]*)"', call):
                assert re.fullmatch(rf"[{letters}]\d{{1,2}}|S19", line), f"{path}: {line}"


def test_nobody_is_told_to_install_leadline_from_a_registry_that_has_it_not() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    told = [str(path) for path in [*SOURCES, *pages] if "leadline[" in path.read_text("utf-8")]
    assert not told
