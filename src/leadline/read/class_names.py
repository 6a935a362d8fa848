"""What the names of an element say of it: whether it is unseen, or something beside an article."""

from __future__ import annotations

import re
from functools import lru_cache


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words in a class or id that name what stands beside an article.
STRONG = _set(
    """cookie cookies consent gdpr share sharing sharebar social newsletter newsletters subscribe
    subscription signup related recommend recommended recommendations recommendation recirc
    popular trending comment comments disqus respond replies reply discussion breadcrumb
    breadcrumbs pagination pager advert adverts advertisement advertisements advertising ads
    adslot sponsored promo promos promoted promotion navbar nav navigation menu masthead modal
    popup overlay toolbar login outbrain taboola skip siteheader sitefooter noprint mostread
    readmore morestories cta sharedaddy jp-relatedposts addtoany editsection printfooter
    catlinks sidebar blogroll"""
)
WEAK = _set(
    """aside widget widgets toc author bio byline meta metadata tags tag tagged category
    categories teaser teasers caption credit credits date timestamp published header banner
    feedback rating footer ad infobox about dateline kicker profile postprofile userinfo signature
    attribution barrier regwall paywall affiliate disclaimer hatnote navbox instagram donate
    donation pullquote carousel trackback trackbacks photo photos
    foto legende legend bildunterschrift"""
)
_FILLERS = _set(
    """main top bottom left right site page list box container wrapper area section block content
    articles posts stories links items widget header bar thread form"""
)
# Words that are written together with others, such as `commentlist`, and in other languages.
_COMPOUND = re.compile(
    r"(?:recent|no)?comment(?!ary|ator|ed)|kommentar|coment[aá]ri|cookie|newsletter|breadcrumb|related"
    r"(?!ness)|relacionad|nav(?:header|footer|links)|advert|anzeige(?!n?text)|mostread|mostpopular|masleid"
)
TALK = _set("comment comments kommentar comentari disqus replies discussion respond")
PERSON = _set("author bio byline profile signature")
# Classes that publishing systems give to the text of an article, and to what holds it.
_BODY = _set(
    """entry-content post-content article-content article-body articlebody article__body
    article__content story-body storybody story-content post-body field-name-body e-content
    td-post-content articletext article-text post-entry"""
)
_POST = _BODY | _set("hentry node post entry")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_UNSEEN = _set(
    """sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only
    element-invisible a11y-hidden screenreader screenreader-only mw-editsection headerlink hash-link
    u-visually-hidden offscreen skip-link"""
)
_FOLDED = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

Names = tuple[tuple[str, int], ...]


@lru_cache(maxsize=4096)
def named(classes: str, ident: str, labels: tuple[str, ...] = ()) -> Names:
    """Words that name something beside an article: with 2 when that is plain, 1 when it may be.

    A class is believed. An id is often made from a heading, such as `file-menu-and-editor`, so it
    is believed only when all its words are of that kind, as are labels for tests and for readers
    of the screen, the only names left where classes are made by a machine.
    """
    found = dict(_words(classes))
    if not _POST.isdisjoint(classes.split()):
        found = dict.fromkeys(found, 1)
    for label in (ident, *labels):
        own = dict(_words(label)) if label else {}
        said = {word.lower() for word in _WORD.findall(label)} if own else set()
        sure = all(word in own or word in _FILLERS for word in said)
        for word, level in own.items():
            if sure or label is ident:
                found[word] = max(found.get(word, 0), level if sure else 1)
    return tuple(found.items())


def _words(text: str) -> list[tuple[str, int]]:
    found = []
    for one in _WORD.findall(text):
        word = one.lower()
        if word in STRONG:
            found.append((word, 2))
        elif word in WEAK:
            found.append((word, 1))
        elif compound := _COMPOUND.match(word):
            found.append((compound.group().removeprefix("recent").removeprefix("no"), 2))
    return found


@lru_cache(maxsize=4096)
def is_body(classes: str) -> bool:
    """Whether a class marks the text of an article."""
    return not _BODY.isdisjoint(classes.lower().split())


@lru_cache(maxsize=4096)
def is_unseen(classes: str) -> bool:
    """Whether a class says that only a screen reader, or a pointer, meets this."""
    return not _UNSEEN.isdisjoint(classes.split())


def is_hidden(attributes: dict[str, str | None]) -> bool:
    """Whether an element is not shown."""
    if not attributes:
        return False
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    classes, style = attributes.get("class"), attributes.get("style")
    return bool((style and _HIDDEN.search(style)) or (classes and is_unseen(classes)))


def is_folded(attributes: dict[str, str | None]) -> bool:
    """Whether a style alone hides an element, as a button for the rest of a text undoes it."""
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return False
    classes, style = attributes.get("class"), attributes.get("style")
    return bool(style and _FOLDED.search(style)) and not (classes and is_unseen(classes))
