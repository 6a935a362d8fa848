"""The fit and the measures behind the support weights against scikit-learn."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from leadline.bench.claims import Case
from leadline.bench.verify import _best_accuracy
from leadline.check.alignment import lay_out
from leadline.check.support import BEARING, SCORE, features, look

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "train_support.py"


def script() -> Any:
    spec = importlib.util.spec_from_file_location("train_support", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_fit_is_that_of_scikit_learn() -> None:
    train = script()
    dice = np.random.default_rng(3)
    names = ["one", "two", "three"]
    x = dice.normal(size=(300, 3)) * [1, 4, 0.2] + [0, 3, 1]
    y = x @ [1.0, -0.5, 2.0] + dice.normal(size=300) > 0
    cases = [Case(str(n), ("s",), "supported" if yes else "none") for n, yes in enumerate(y)]
    one = train.Set(cases, [dict(zip(names, row, strict=True)) for row in x])
    ours = train.fit([(one, np.ones(300, dtype=bool))], names, "score")
    w = train.weigh(y)
    w = w / w.sum()
    mean = w @ x
    spread = np.sqrt(w @ (x - mean) ** 2)
    model = LogisticRegression(C=1 / train.STRENGTH, tol=1e-10, max_iter=1000)
    model.fit((x - mean) / spread, y, sample_weight=w)
    assert ours[:-1] == pytest.approx(model.coef_[0] / spread, rel=1e-3)
    assert train.predict(one, names, ours) == pytest.approx(
        model.predict_proba((x - mean) / spread)[:, 1], abs=1e-4
    )


def test_the_weights_name_what_the_script_trains() -> None:
    train = script()
    assert list(SCORE) == train.SCORE
    assert list(BEARING) == train.BEARING
    assert SCORE["window"] > 0 > SCORE["figures"]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=30))
def test_the_best_cut_is_the_best_of_all(rows: list[tuple[bool, int]]) -> None:
    truth, scores = [row[0] for row in rows], [float(row[1]) for row in rows]
    assume(len(set(truth)) == 2)
    every = max(
        balanced_accuracy_score(truth, [score >= cut for score in scores]) for cut in scores
    )
    assert _best_accuracy(truth, scores, [True] * len(rows)) == pytest.approx(every)


def test_every_weighed_feature_is_made() -> None:
    from leadline.fakes.embedder import FakeEmbedder

    made = features(look("A claim of 1999.", lay_out(["A claim.", "Of 1998."], FakeEmbedder())))
    assert set(SCORE) | set(BEARING) <= set(made)
