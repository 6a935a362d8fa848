"""What every wrapper of a model has in common: it is called what the model in it is called."""

from __future__ import annotations

from leadline.ports import Model


class Around:
    """Something round a model that changes how it is asked, and not what it is."""

    _model: Model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def window(self) -> int:
        return self._model.window

    @property
    def chars_per_token(self) -> float:
        return self._model.chars_per_token
