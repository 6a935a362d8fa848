"""The report of an experiment as one HTML file that needs nothing else: its charts are inside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; }
th, td { border-bottom: 1px solid #8886; padding: 0.3rem 0.7rem; text-align: left; }
figure { margin: 1rem 0; }
svg { max-width: 100%; height: auto; border: 1px solid #8884; border-radius: 4px; }
code { font-size: 0.92em; }
"""


def as_page(title: str, markdown: str, charts: Mapping[str, str]) -> str:
    """The report with a chart under the heading of each response. Nothing in it can run or load."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body>\n{_body(markdown, charts)}</body></html>\n"
    )


def _body(markdown: str, charts: Mapping[str, str]) -> str:
    import nh3
    from markdown_it import MarkdownIt

    html = nh3.clean(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))
    for name, chart in charts.items():
        heading = f"<h2>{escape(name)}</h2>"
        html = html.replace(heading, f"{heading}\n<figure>{chart}</figure>", 1)
    return html
