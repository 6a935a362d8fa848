"""A port that is taken is told in plain words."""

from __future__ import annotations

import pytest

from leadline.errors import BadInput
from leadline.service.listening import bound


@pytest.mark.contract("H4")
def test_a_port_that_is_taken_is_bad_input_that_says_so() -> None:
    with bound("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(BadInput, match=rf"cannot listen on 127\.0\.0\.1:{port}.*--port"):
            bound("127.0.0.1", port)
