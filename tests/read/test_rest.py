"""reStructuredText, also that of `_sources/*.rst.txt`, is read without roles and directives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.read.registry import read
from leadline.read.rest import is_rest, rest_to_markdown

SOURCE = """\
.. _weirs:

Weirs
=====

.. module:: weir
   :synopsis: Opens it.

See :ref:`the locks <locks>`, :func:`~weir.gate.open`, :pep:`8`, `its page <http://a.example/>`_
and ``open(3)``; a hidden_ word.

.. note:: Gates freeze.
.. warning::

   Not in a flood.

.. function:: open(turns)
   :noindex:

   Opens it by *turns*::

      weir.open(3)
        # deep

   and waits.

.. code-block:: python
   :linenos:

   import weir

.. toctree::
   :maxdepth: 2

   locks
   bars

.. a comment
   of two lines

.. [1] A footnote.
"""
MARKDOWN = """\
# Weirs

See the locks, open, PEP 8, its page and `open(3)`; a hidden_ word.

Note: Gates freeze.
Warning:

Not in a flood.

open(turns)

Opens it by *turns*:

```
weir.open(3)
  # deep
```

and waits.

```python
import weir
```

[1] A footnote.
"""


@pytest.mark.contract("E2", "D1")
@pytest.mark.parametrize("name", ["a.rst", "_sources/a.rst.txt"])
def test_roles_and_directives_become_plain_reading(name: str) -> None:
    page = read(SOURCE.encode(), name)
    assert page.text == MARKDOWN
    assert page.title == "Weirs"


def test_text_that_is_no_rest_stays_as_it_is() -> None:
    for text in ("a :) `b` c::\n\n  d", "see `x`_ and http://a.example\n.. and so on"):
        assert not is_rest(text)
        assert read(text.encode(), "a.txt").text == text


@given(st.text(".:`<>_~= \nabc*-|[]", max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(rest_to_markdown(text), str)
