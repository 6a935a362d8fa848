"""Lines, files and statements of the source by package: `python tools/size.py [FOLDER]`."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

CORE = frozenset(
    {
        "bundle",
        "check",
        "documents",
        "frozen",
        "guard",
        "keep",
        "question",
        "rank",
        "read",
        "reader",
        "research",
        "text",
        "types",
        "write",
    }
)


def measure(root: Path) -> dict[str, Counter[str]]:
    """Counts of each package, and of each module that stands by itself."""
    sizes: dict[str, Counter[str]] = {}
    for path in sorted(root.rglob("*.py")):
        text = path.read_text("utf-8")
        name = path.relative_to(root).parts[0].removesuffix(".py")
        statements = sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))
        size = {"lines": text.count("\n"), "files": 1, "statements": statements}
        sizes.setdefault(name, Counter()).update(size)
    return sizes


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "src/leadline")
    if not root.is_dir():
        sys.exit(f"no folder {root}: give the folder of the package, e.g. src/leadline")
    sizes = measure(root)
    core: Counter[str] = sum((sizes[name] for name in CORE if name in sizes), Counter())
    rows = sorted(sizes.items(), key=lambda row: -row[1]["lines"])
    whole: Counter[str] = sum(sizes.values(), Counter())
    print(f"{'package':<16}{'lines':>8}{'files':>7}{'statements':>12}")
    for name, size in [*rows, ("the core", core), ("in all", whole)]:
        print(f"{name:<16}{size['lines']:>8}{size['files']:>7}{size['statements']:>12}")


if __name__ == "__main__":
    main()
