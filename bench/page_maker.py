"""Draws the parts of a made-up page, and remembers which of them are the article.

Sentences come from a collection given by path; what stands around the article is made of other
sentences of it, so that no word gives the article away.
"""

from __future__ import annotations

import html
import random
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Maker:
    """Draws text for one page; `gold` collects what belongs to the article."""

    dice: random.Random
    sentences: Sequence[str]
    gold: list[str] = field(default_factory=list)
    title: str = ""

    def said(self, fewest: int = 2, most: int = 5) -> str:
        return " ".join(self.dice.choices(self.sentences, k=self.dice.randint(fewest, most)))

    def words(self, fewest: int = 2, most: int = 6) -> str:
        some = self.dice.choice(self.sentences).split()
        return " ".join(some[: self.dice.randint(fewest, most)]).strip(".,;:")

    def keep(self, text: str) -> str:
        """`text`, part of the gold, as HTML."""
        self.gold.append(text)
        return html.escape(text)

    def p(self, attributes: str = "") -> str:
        return f"<p{attributes}>{self.keep(self.said())}</p>"

    def linked_p(self) -> str:
        """A paragraph of the article with a link in it."""
        text = self.said(2, 4)
        words = text.split()
        at = len(words) // 2
        self.gold.append(text)
        before, link, after = words[:at], words[at : at + 3], words[at + 3 :]
        parts = [html.escape(" ".join(some)) for some in (before, link, after)]
        return f'<p>{parts[0]} <a href="/ref/{at}">{parts[1]}</a> {parts[2]}</p>'

    def h(self, level: int = 2, inside: str = "") -> str:
        return f"<h{level}>{self.keep(self.words(2, 5))}{inside}</h{level}>"

    def items(self, tag: str = "ul", attributes: str = "", n: int = 4) -> str:
        inner = "".join(f"<li>{self.keep(self.said(1, 1))}</li>" for _ in range(n))
        return f"<{tag}{attributes}>{inner}</{tag}>"

    def code(self) -> str:
        lines = [f"{self.word()} = {self.word()}({n}, '{self.word()}')" for n in range(4)]
        text = "\n".join(lines)
        self.gold.append(text)
        return f"<pre><code>{html.escape(text)}</code></pre>"

    def word(self) -> str:
        return "".join(filter(str.isalpha, self.words(1, 1).lower())) or "x"

    def table(self) -> str:
        rows = [[self.words(1, 2) for _ in range(3)] for _ in range(4)]
        self.gold += [" ".join(row) for row in rows]
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in rows[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows[1:]
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    # What stands around an article and is no part of it.

    def menu(self, n: int = 12, tag: str = "li") -> str:
        return "".join(
            f'<{tag}><a href="/m{i}">{html.escape(self.words(1, 3))}</a></{tag}>' for i in range(n)
        )

    def teasers(self, n: int = 5, name: str = "card") -> str:
        return "".join(
            f'<div class="{name}"><a href="/t{i}"><img src="x.jpg"><h3>{self.loose(5, 9)}</h3></a>'
            f"<p>{self.loose_said()}</p><span>{self.dice.randint(1, 28)} May</span></div>"
            for i in range(n)
        )

    def comments(self, n: int = 6, name: str = "comment") -> str:
        return "".join(
            f'<li class="{name}"><div class="who">{self.loose(1, 2)}</div><div>{i + 1} days ago</div>'
            f'<p>{self.loose_said()}</p><a href="#reply">Reply</a></li>'
            for i in range(n)
        )

    def loose(self, fewest: int = 2, most: int = 6) -> str:
        return html.escape(self.words(fewest, most))

    def loose_said(self) -> str:
        return html.escape(self.said(1, 2))

    def footer(self) -> str:
        return f"<footer><ul>{self.menu(10)}</ul><p>© 2026 {self.loose(2, 3)}. All rights reserved.</p></footer>"

    def page(self, body: str, head: str = "") -> tuple[str, str]:
        whole = f"<!doctype html><html><head><title>{self.title}</title>{head}</head><body>{body}</body></html>"
        return whole, "\n".join(self.gold)
