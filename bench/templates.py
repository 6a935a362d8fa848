"""Article pages made up for `extract.py`: how sites of many kinds wrap the text that matters."""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Sequence

from page_maker import Maker

Template = Callable[[Maker], tuple[str, str]]

COOKIES = (
    '<div id="{0}"><div><h2>We value your privacy</h2><p>We and our 812 partners store and access '
    "information on a device, such as cookies, and process personal data. You can change your "
    "choice at any time.</p><button>Accept all</button><button>Reject</button></div></div>"
)


def wordpress(m: Maker) -> tuple[str, str]:
    body = "".join([m.p(), m.linked_p(), m.h(), m.p(), m.items(), m.p(), m.h(3), m.p(), m.p()])
    return m.page(
        f'<div id="page" class="hfeed site"><header id="masthead"><h1 class="site-title"><a href="/">{m.loose()}</a></h1>'
        f'<nav id="site-navigation"><ul>{m.menu()}</ul></nav></header><div id="content"><div id="primary">'
        f'<article class="post type-post hentry"><header class="entry-header"><h1 class="entry-title">{m.title}</h1>'
        f'<div class="entry-meta">Posted on <time>May 3, 2024</time> by <a href="/a">{m.loose(1, 2)}</a></div></header>'
        f'<div class="entry-content">{body}<div class="sharedaddy"><h3>Share this:</h3><ul><li><a href="#t">Twitter</a></li>'
        f'<li><a href="#f">Facebook</a></li></ul></div><div id="jp-relatedposts"><h3>Related</h3>{m.teasers(3)}</div></div>'
        f'<footer class="entry-footer">Posted in <a href="/c">{m.loose(1, 2)}</a>. Tagged <a href="/x">{m.loose(1, 1)}</a></footer></article>'
        f'<div id="comments"><h2>6 thoughts on “{m.title}”</h2><ol class="comment-list">{m.comments()}</ol>'
        f'<div id="respond"><h3>Leave a Reply</h3><p>Your email address will not be published.</p></div></div></div>'
        f'<aside id="secondary"><section class="widget"><h2>Recent Posts</h2><ul>{m.menu(6)}</ul></section></aside></div>{m.footer()}</div>'
    )


def magazine(m: Maker) -> tuple[str, str]:
    """Class names that say nothing, a figure, a pull quote, promotion inside the text."""
    first = "".join([m.p(' class="a b"'), m.p(), m.linked_p()])
    rest = "".join([m.h(), m.p(), m.p(), f"<blockquote>{m.keep(m.said(1, 2))}</blockquote>", m.p()])
    return m.page(
        f'<div class="x1"><div class="x2"><a href="/">{m.loose(1, 1)}</a><a href="/s">Sign in</a><a href="/w">Write</a></div>'
        f'<div class="x3"><h1>{m.title}</h1><div class="x4"><img src="a.jpg"><a href="/@u">{m.loose(1, 2)}</a><span>8 min read</span></div>'
        f'{first}<figure><img src="b.jpg"><figcaption>Photo by {m.loose(2, 3)} on Unsplash</figcaption></figure>'
        f'<div class="x9"><a href="/join"><h2>Become a member</h2><p>Get unlimited access to every story.</p></a></div>{rest}</div>'
        f'<div class="x5"><a href="/t1">{m.loose(1, 2)}</a><a href="/t2">{m.loose(1, 2)}</a></div>'
        f'<div class="x6"><h2>Written by {m.loose(1, 2)}</h2><p>{m.loose_said()}</p><button>Follow</button></div>'
        f'<div class="x7"><h2>More from {m.loose(1, 2)}</h2>{m.teasers(6, "x8")}</div></div>{m.footer()}'
    )


def newspaper(m: Maker) -> tuple[str, str]:
    parts = [m.p() for _ in range(3)]
    parts.append(f'<p><strong>Read more: <a href="/n1">{m.loose(6, 9)}</a></strong></p>')
    parts += [m.linked_p(), m.p(), m.p()]
    parts.append(
        f'<div class="newsletter-signup"><h3>Sign up to our daily briefing</h3><p>{m.loose_said()}</p><form><input></form></div>'
    )
    parts += [m.h(), m.p(), m.p(), m.p()]
    return m.page(
        COOKIES.format("sp_message_container")
        + f'<header role="banner"><nav><ul>{m.menu(18)}</ul></nav></header><main><article><header><h1>{m.title}</h1>'
        f'<p class="standfirst">{m.keep(m.said(1, 1))}</p><address>By <a href="/r">{m.loose(1, 2)}</a></address><time>Tue 4 Jun 2024 09.12 BST</time></header>'
        f'<figure><img src="a"><figcaption>{m.loose_said()} Photograph: Agency</figcaption></figure>{"".join(parts)}'
        f'<ul class="topics">{m.menu(5)}</ul></article><section class="most-viewed"><h2>Most viewed</h2><ol>{m.menu(10)}</ol></section>'
        f'<aside data-component="onwards">{m.teasers(8)}</aside></main>{m.footer()}'
    )


def sphinx(m: Maker) -> tuple[str, str]:
    mark = '<a class="headerlink" href="#x">¶</a>'
    body = "".join([m.p(), m.h(2, mark), m.p(), m.code(), m.p(), m.items(), m.h(2, mark)])
    note = f'<div class="admonition note"><p class="admonition-title">{m.keep("Note")}</p>{m.p()}</div>'
    end = "".join([m.p(), m.code(), m.table(), m.p()])
    return m.page(
        f'<div class="related"><h3>Navigation</h3><ul>{m.menu(5)}</ul></div><div class="document"><div class="documentwrapper">'
        f'<div class="bodywrapper"><div class="body" role="main"><section id="a"><h1>{m.title}{mark}</h1>{body}{note}{end}</section></div></div></div>'
        f'<div class="sphinxsidebar"><div class="sphinxsidebarwrapper"><h3>Table of Contents</h3><ul>{m.menu(8)}</ul>'
        f'<h4>Previous topic</h4><p><a href="p">{m.loose()}</a></p><div id="searchbox"><h3>Quick search</h3></div></div></div></div>'
        f'<div class="footer">© Copyright 2024, {m.loose(1, 2)}. Created using Sphinx 7.2.</div>'
    )


def docusaurus(m: Maker) -> tuple[str, str]:
    body = "".join(
        [m.p(), m.items(), m.h(), m.p(), m.code(), m.h(), m.p(), m.table(), m.p(), m.code(), m.p()]
    )
    return m.page(
        f'<nav class="navbar"><div>{m.menu(6, "span")}</div></nav><div class="main-wrapper"><aside class="theme-doc-sidebar-container"><ul class="menu__list">{m.menu(30)}</ul></aside>'
        f'<main class="docMainContainer_xyz"><div class="container"><div class="row"><div class="col"><article><nav class="theme-doc-breadcrumbs"><ul>{m.menu(3)}</ul></nav>'
        f'<span class="theme-doc-version-badge">Version: 3.1</span><div class="theme-doc-markdown markdown"><header><h1>{m.title}</h1></header>{body}</div>'
        f'<footer><div class="theme-doc-footer"><a href="/edit">Edit this page</a><span>Last updated on <b>May 2</b></span></div></footer></article>'
        f'<nav class="pagination-nav"><a href="/p">Previous {m.loose()}</a><a href="/n">Next {m.loose()}</a></nav></div>'
        f'<div class="col col--3"><div class="tableOfContents_abc"><ul>{m.menu(6)}</ul></div></div></div></div></main></div>{m.footer()}'
    )


def mediawiki(m: Maker) -> tuple[str, str]:
    edit = '<span class="mw-editsection">[<a href="/e">edit</a>]</span>'
    cite = '<sup class="reference"><a href="#c">[1]</a></sup>'
    lead = f"<p>{m.keep(m.said())}{cite}</p>" + m.linked_p()
    body = "".join(
        [
            m.h(2, edit),
            m.linked_p(),
            m.linked_p(),
            m.h(3, edit),
            m.p(),
            m.items(),
            m.h(2, edit),
            m.p(),
            m.table(),
            m.p(),
        ]
    )
    infobox = "".join(
        f"<tr><th>{m.loose(1, 2)}</th><td>{m.loose(1, 3)}</td></tr>" for _ in range(6)
    )
    return m.page(
        f'<div id="mw-navigation"><ul>{m.menu(20)}</ul></div><div id="content" class="mw-body"><h1 id="firstHeading">{m.title}</h1>'
        f'<div id="siteSub">From the free encyclopedia</div><div id="mw-content-text"><div class="mw-parser-output">'
        f'<div role="note" class="hatnote">For other uses, see <a href="/d">{m.loose()}</a>.</div><table class="infobox">{infobox}</table>'
        f'{lead}<div id="toc" class="toc"><h2>Contents</h2><ul>{m.menu(7)}</ul></div>{body}'
        f'<div role="navigation" class="navbox"><table><tr><th>{m.loose()}</th></tr><tr><td><ul>{m.menu(15)}</ul></td></tr></table></div></div></div>'
        f'<div id="catlinks" class="catlinks">Categories: <ul>{m.menu(6)}</ul></div></div><div id="footer"><ul><li>This page was last edited on 3 May 2024.</li></ul></div>'
    )


def question_and_answers(m: Maker) -> tuple[str, str]:
    """The question and its answers are the content; votes, users and remarks are not."""

    def post(name: str) -> str:
        inner = m.p() + m.code() + m.p()
        remarks = "".join(
            f'<li class="comment js-comment"><span class="comment-copy">{m.loose_said()}</span> – <a href="/u">{m.loose(1, 1)}</a> <span>May 3 at 9:12</span></li>'
            for _ in range(3)
        )
        return (
            f'<div class="{name}"><div class="votecell"><button>up</button><div>{m.dice.randint(1, 90)}</div></div>'
            f'<div class="postcell"><div class="s-prose js-post-body">{inner}</div><div class="post-taglist">{m.menu(3, "span")}</div>'
            f'<div class="user-info"><a href="/u">{m.loose(1, 1)}</a> <span>1,{m.dice.randint(100, 999)} reputation</span></div>'
            f'<ul class="comments-list">{remarks}</ul></div></div>'
        )

    posts = post("question") + "".join(post("answer") for _ in range(3))
    return m.page(
        f'<header class="s-topbar"><ul>{m.menu(6)}</ul></header><div class="container"><div id="left-sidebar"><ul>{m.menu(6)}</ul></div>'
        f'<div id="content"><div id="question-header"><h1><a href="/q">{m.title}</a></h1><div>Asked 3 years ago</div></div><div id="mainbar">{posts}</div>'
        f'<div id="sidebar"><h4>Related</h4>{m.menu(10, "div")}<h4>Hot Network Questions</h4><ul>{m.menu(12)}</ul></div></div></div>{m.footer()}'
    )


def table_layout(m: Maker) -> tuple[str, str]:
    """A page of 1999: tables for layout, line breaks for paragraphs."""
    text = "<br><br>".join(m.keep(m.said(3, 5)) for _ in range(6))
    links = "<br>".join(f'<a href="/l{i}">{m.loose(1, 3)}</a>' for i in range(14))
    return m.page(
        f'<table width="100%"><tr><td colspan="3"><font size="5">{m.loose()}</font></td></tr><tr><td width="150" bgcolor="#eee">{links}</td>'
        f'<td><h1>{m.title}</h1><font face="Arial">{text}</font><hr><a href="/h">Home</a> | <a href="/c">Contact</a> | <a href="/m">Map</a></td>'
        f'<td width="120"><b>News</b><br>{m.loose(5, 9)}<br><a href="/n">more</a></td></tr></table><center><font size="1">Copyright 1999. Best viewed at 800x600.</font></center>'
    )


def forum(m: Maker) -> tuple[str, str]:
    """A thread: what people posted is the content, who they are is not."""
    posts = "".join(
        f'<div id="p{i}" class="post bg1"><div class="inner"><dl class="postprofile"><dt><a href="/u">{m.loose(1, 1)}</a></dt><dd>Posts: {m.dice.randint(2, 900)}</dd><dd>Joined: Mon May 03, 2021</dd></dl>'
        f'<div class="postbody"><h3><a href="#p{i}">Re: {m.title}</a></h3><p class="author">by <b>{m.loose(1, 1)}</b> » Tue Jun 04, 2024</p><div class="content">{m.keep(m.said(3, 6))}</div></div></div></div>'
        for i in range(8)
    )
    return m.page(
        f'<div id="wrap"><div id="page-header"><ul class="linklist">{m.menu(6)}</ul></div><div id="page-body"><h2 class="topic-title"><a href="/t">{m.title}</a></h2>'
        f'<div class="action-bar">8 posts • Page <strong>1</strong> of <strong>1</strong></div>{posts}<div class="action-bar"><a href="/b">Return to board index</a></div></div>'
        f'<div id="page-footer"><div>Powered by phpBB</div></div></div>'
    )


def readme(m: Maker) -> tuple[str, str]:
    body = "".join(
        [
            m.p(),
            m.h(),
            m.code(),
            m.p(),
            m.items(),
            m.h(),
            m.p(),
            m.table(),
            m.h(3),
            m.p(),
            m.code(),
            m.p(),
        ]
    )
    files = "".join(
        f'<tr><td><a href="/f{i}">{m.word()}.py</a></td><td><a href="/k">{m.loose(3, 7)}</a></td><td>2 months ago</td></tr>'
        for i in range(12)
    )
    return m.page(
        f'<header class="AppHeader"><ul>{m.menu(9)}</ul></header><main><div id="repo"><ul>{m.menu(7)}</ul></div><div class="Layout"><div class="Layout-main">'
        f'<table aria-labelledby="folders"><tbody>{files}</tbody></table><div class="Box"><div><a href="#r">README</a> <a href="#l">License</a></div>'
        f'<article class="markdown-body entry-content"><h1>{m.title}</h1>{body}</article></div></div><div class="Layout-sidebar"><h2>About</h2><p>{m.loose(6, 9)}</p>'
        f'<div><a href="/s">1.2k stars</a></div><h2>Languages</h2><ul>{m.menu(3)}</ul></div></div></main>{m.footer()}'
    )


def journal(m: Maker) -> tuple[str, str]:
    sections = "".join(
        f"<section><h2>{m.keep(m.words(1, 4))}</h2>{m.p()}{m.linked_p()}{m.p()}</section>"
        for _ in range(4)
    )
    figure = (
        f'<figure><img src="f"><figcaption><b>Fig. 1</b> {m.loose_said()}</figcaption></figure>'
    )
    abstract = f'<section class="abstract"><h2>{m.keep("Abstract")}</h2>{m.p()}</section>'
    return m.page(
        f'<div class="banner"><a href="/j">{m.loose()}</a></div><nav class="jump"><ol>{m.menu(8)}</ol></nav><div class="article-tools"><ul><li><a href="/p">Download PDF</a></li><li><a href="/c">Cite</a></li></ul></div>'
        f'<main><article lang="en"><div class="core-container"><h1>{m.title}</h1><div class="contributors">{m.menu(5, "span")}</div>{abstract}{sections}{figure}</div></article>'
        f'<div class="metrics"><h2>Metrics</h2><div>Downloads 1,203</div></div><aside><h2>Recommended articles</h2>{m.teasers(5)}</aside></main>{m.footer()}'
    )


def government(m: Maker) -> tuple[str, str]:
    body = "".join(
        [
            m.p(' class="govuk-body"'),
            m.h(),
            m.items("ol"),
            m.p(),
            m.items(),
            m.h(),
            m.p(),
            m.table(),
            m.h(),
            m.p(),
            m.p(),
        ]
    )
    return m.page(
        f'<div id="global-cookie-message"><h2>Cookies on this site</h2><p>We use some essential cookies to make this website work.</p></div><a class="skip-link" href="#c">Skip to main content</a>'
        f'<header><div><a href="/">GOV</a></div></header><div class="breadcrumbs"><ol>{m.menu(3)}</ol></div><main id="content"><div class="grid-row"><div class="column-two-thirds"><h1>{m.title}</h1>'
        f'<div class="govspeak">{body}</div></div><div class="column-third"><aside><h2>Related content</h2><ul>{m.menu(6)}</ul></aside></div></div></main>'
        f'<div class="feedback"><h2>Is this page useful?</h2><button>Yes</button><button>No</button><p>Thank you for your feedback</p></div>{m.footer()}'
    )


def utility_classes(m: Maker) -> tuple[str, str]:
    """Paragraphs are divs, classes only style, the menu is made of divs."""
    body = "".join(
        f'<div class="mt-4 text-lg leading-8">{m.keep(m.said())}</div>' for _ in range(7)
    )
    nav = "".join(f'<div class="px-2"><a href="/{i}">{m.loose(1, 2)}</a></div>' for i in range(10))
    cards = "".join(
        f'<div class="rounded p-4 shadow"><div class="font-bold"><a href="/c{i}">{m.loose(4, 8)}</a></div><div class="text-sm">{m.loose_said()}</div></div>'
        for i in range(6)
    )
    return m.page(
        f'<div class="flex flex-col min-h-screen"><div class="sticky top-0 flex">{nav}</div><div class="mx-auto max-w-prose"><div class="text-4xl">{m.title}</div>'
        f'<div class="text-gray-500 text-sm">{m.loose(1, 2)} · 6 min</div>{body}</div><div class="grid grid-cols-3">{cards}</div><div class="bg-gray-100">{nav}<div>© 2026</div></div></div>'
    )


def newsletter(m: Maker) -> tuple[str, str]:
    ask = f'<div class="subscription-widget-wrap"><div class="subscription-widget"><p>{m.loose_said()}</p><form><input><button>Subscribe</button></form></div></div>'
    body = (
        m.p() + m.linked_p() + ask + m.h() + m.p() + m.items() + m.p() + ask + m.h() + m.p() + m.p()
    )
    notes = "".join(
        f'<div class="comment"><a href="/u">{m.loose(1, 2)}</a><span>3d</span><p>{m.loose_said()}</p><a>Reply</a></div>'
        for _ in range(5)
    )
    return m.page(
        f'<div id="entry"><div id="main"><div class="topbar"><a href="/">{m.loose(1, 2)}</a><button>Sign in</button></div><div class="single-post-container"><div class="single-post"><article class="typography newsletter-post post">'
        f'<div class="post-header"><h1 class="post-title">{m.title}</h1><h3 class="subtitle">{m.keep(m.words(5, 9))}</h3><div class="byline-wrapper"><a href="/@">{m.loose(1, 2)}</a><div>Jun 04, 2024</div></div></div>'
        f'<div class="available-content"><div class="body markup">{body}</div></div><div class="post-footer"><a>Share</a></div></article></div><div class="comments-page"><h4>Discussion about this post</h4>{notes}</div>'
        f'<div class="portable-archive"><h4>Top</h4>{m.teasers(4)}</div></div></div></div>'
    )


def tutorial(m: Maker) -> tuple[str, str]:
    """Asides inside the article belong to it; a box of links at its head does not."""
    tip = f'<aside class="tip"><p>{m.keep(m.said(2, 3))}</p></aside>'
    body = (
        m.p()
        + m.h()
        + m.p()
        + m.code()
        + tip
        + m.p()
        + m.h()
        + m.items("ol")
        + m.code()
        + m.p()
        + m.h(3)
        + m.p()
    )
    return m.page(
        f'<header class="global-nav"><nav>{m.menu(8, "a")}</nav></header><div class="layout"><div class="rail"><details open><summary>On this page</summary><ul>{m.menu(6)}</ul></details></div>'
        f'<main><h1>{m.title}</h1><div class="meta">Updated 4 June · 12 min · <a href="/a">{m.loose(1, 2)}</a></div>{body}<hr><div class="next"><a href="/n">Next: {m.loose()}</a></div>'
        f'<div class="survey"><p>Was this helpful?</p><button>Yes</button></div></main></div>{m.footer()}'
    )


def brief(m: Maker) -> tuple[str, str]:
    """A short report among much else."""
    return m.page(
        f'<div class="top"><ul>{m.menu(15)}</ul></div><div class="wrap"><div class="story"><h1>{m.title}</h1><span class="dateline">4 June 2024</span>{m.p()}{m.p()}{m.p()}</div>'
        f'<div class="rail"><h2>Latest</h2>{m.teasers(10, "latest-item")}</div></div><div class="strip">{m.teasers(6, "tile")}</div>{m.footer()}'
    )


def recipe(m: Maker) -> tuple[str, str]:
    """A story, a card with ingredients and steps, stars, and a print button."""
    story = m.p() + m.linked_p() + m.h() + m.p() + m.p()
    card = (
        f'<div class="wprm-recipe-container"><h2>{m.keep(m.words(2, 4))}</h2><div class="wprm-recipe-rating">4.8 from 97 votes</div>'
        f"<div><h3>{m.keep('Ingredients')}</h3>{m.items('ul', n=6)}</div><div><h3>{m.keep('Instructions')}</h3>{m.items('ol', n=5)}</div></div>"
    )
    return m.page(
        f'<header class="site-header"><nav class="nav-primary"><ul>{m.menu(8)}</ul></nav></header><div class="site-inner"><main class="content"><article class="entry"><header class="entry-header"><h1>{m.title}</h1>'
        f'<p class="entry-meta">By <a href="/a">{m.loose(1, 2)}</a> <a href="#r">Jump to Recipe</a></p></header><div class="entry-content"><p class="disclosure">This post may contain affiliate links.</p>{story}{card}</div></article>'
        f'<section class="entry-comments"><h3>Comments</h3><ol>{m.comments(9)}</ol></section></main><aside class="sidebar"><h3>Hi, I am {m.loose(1, 2)}</h3><p>{m.loose_said()}</p>{m.teasers(4)}</aside></div>{m.footer()}'
    )


def help_centre(m: Maker) -> tuple[str, str]:
    body = (
        m.p()
        + m.items("ol")
        + m.p()
        + m.h()
        + m.p()
        + m.items()
        + m.h()
        + m.p()
        + m.table()
        + m.p()
    )
    return m.page(
        f'<header class="header"><div class="logo"><a href="/">{m.loose(1, 2)}</a></div><div><a href="/r">Submit a request</a><a href="/s">Sign in</a></div></header><main role="main"><div class="container"><ol class="breadcrumbs">{m.menu(3)}</ol>'
        f'<div class="article-container"><section class="collapsible-sidebar"><h3>Articles in this section</h3><ul>{m.menu(9)}</ul></section><article class="article"><header class="article-header"><h1>{m.title}</h1>'
        f'<div class="article-author"><a href="/u">{m.loose(1, 2)}</a><div>3 months ago · Updated</div></div></header><section class="article-info"><div class="article-content"><div class="article-body">{body}</div></div></section>'
        f'<footer><div class="article-votes"><span>Was this article helpful?</span><button>Yes</button><span>12 out of 30 found this helpful</span></div><div class="article-more-questions">Have more questions? <a href="/r">Submit a request</a></div></footer>'
        f'<div class="article-relatives"><section><h3>Related articles</h3><ul>{m.menu(5)}</ul></section></div></article></div></div></main>{m.footer()}'
    )


# Tuned to: the first half. The second is only measured.
SEEN: tuple[Template, ...] = (
    wordpress,
    newspaper,
    sphinx,
    mediawiki,
    table_layout,
    readme,
    government,
    tutorial,
    forum,
)
UNSEEN: tuple[Template, ...] = (
    magazine,
    docusaurus,
    question_and_answers,
    journal,
    utility_classes,
    newsletter,
    brief,
    recipe,
    help_centre,
)


def make(template: Template, sentences: Sequence[str], seed: int) -> tuple[str, str, str]:
    """The page, its gold text and its title."""
    dice = random.Random(f"{template.__name__} {seed}")
    maker = Maker(dice, sentences)
    maker.title = html.escape(maker.words(4, 8))
    page, gold = template(maker)
    return page, gold, html.unescape(maker.title)
