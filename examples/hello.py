"""Ask the project's own pages a question, and check one claim by hand.

python examples/hello.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from leadline import run_research_sync

DOCS = Path(__file__).resolve().parents[1] / "docs"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        response = run_research_sync(
            "What happens to a batch below the novelty threshold?", docs=[DOCS], data_dir=folder
        )
    print(response.final_answer)
    print(f"\nstopped because: {response.stop_reason}; searches: {response.usage.searches}")
    claim = response.claims[0]
    titles = {source.id: source.location for source in response.sources}
    assert claim.quote is not None
    print(f"claim:  {claim.text}")
    print(f"proof:  {titles[claim.quote.source]} at {claim.quote.start}–{claim.quote.end}")


if __name__ == "__main__":
    main()
