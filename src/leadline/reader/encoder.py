"""A learned reader in one ONNX file: vectors of texts, and how well a text answers a question.

Runs in one thread, a row at a time: the numbers of an int8 network depend on what shares its
batch, and a text must have the same vector whatever it is read with.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from leadline.errors import BadInput, StoreBroken

if TYPE_CHECKING:
    from leadline.ports import Matrix

BUILT_IN = Path(__file__).with_name("weights") / "reader.onnx"
MOST_TOKENS = 192  # of a text, or of a question and a text together: about 700 characters
QUESTION_TOKENS = 48

_VECTOR, _STATES, _SCORE = "embedding", "last_hidden_state", "logits"
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


class OnnxReader:
    """Satisfies `ports.PassageReader` with an ONNX encoder or cross-encoder, whichever is given.

    Its `tokenizer.json` lies beside it. An encoder has an output `embedding`, or
    `last_hidden_state`, whose mean is taken; one that scores pairs has `logits`, the first of
    which counts. What scores no pairs scores by cosine.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = Lock()
        for file in (path, self._tokenizer_path):
            if not file.is_file():
                raise BadInput(f"the reader needs the file {file}, which is not there")
        self.name = f"{path.stem}-{path.stat().st_size}"

    @property
    def _tokenizer_path(self) -> Path:
        return self._path.parent / "tokenizer.json"

    @cached_property
    def dim(self) -> int:
        """How long the vectors are; 0 for a network that only scores pairs."""
        return int(self.embed(["a"]).shape[1]) if self._gives_vectors else 0

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit row a text, in the half precision that vectors are kept in."""
        import numpy as np

        if not self._gives_vectors:
            raise BadInput(f"{self._path} scores pairs and has no vectors: name an encoder")
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        rows = np.stack([self._vector(row.ids) for row in self._encoded(texts, MOST_TOKENS)])
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        halves = (rows / np.maximum(norms, 1e-12)).astype(np.float16)
        return np.asarray(halves, dtype=np.float32)

    def score_answers(self, question: str, texts: Sequence[str]) -> Matrix:
        """One number a text; the higher, the better it answers."""
        import numpy as np

        if not texts:
            return np.zeros(0, dtype=np.float32)
        if _SCORE not in self._outputs:
            rows = self.embed([question, *texts])
            return np.asarray(rows[1:] @ rows[0], dtype=np.float32)
        (asked,) = self._encoded([question], QUESTION_TOKENS)
        room = MOST_TOKENS + 2 - len(asked.ids)
        pairs = (self._score(asked.ids, row.ids[1:]) for row in self._encoded(texts, room))
        return np.fromiter(pairs, dtype=np.float32, count=len(texts))

    def _encoded(self, texts: Sequence[str], most: int) -> list[Any]:
        """The texts in tokens, with the marks at both ends."""
        with self._turn:  # the length is the tokenizer's own state
            self._tokenizer.enable_truncation(most)
            return list(self._tokenizer.encode_batch_fast([text or " " for text in texts]))

    def _vector(self, ids: list[int]) -> Matrix:
        name = _VECTOR if _VECTOR in self._outputs else _STATES
        found = self._run(name, ids, [0] * len(ids))
        return found.mean(axis=0) if found.ndim == 2 else found

    def _score(self, question: list[int], text: list[int]) -> float:
        types = [0] * len(question) + [1] * len(text)
        return float(self._run(_SCORE, question + text, types).reshape(-1)[0])

    def _run(self, output: str, ids: list[int], types: list[int]) -> Matrix:
        import numpy as np

        rows = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": types}
        feed = {name: np.array([rows[name]], dtype=np.int64) for name in self._inputs}
        (found,) = self._session.run([output], feed)
        return np.asarray(found[0], dtype=np.float32)

    @property
    def _gives_vectors(self) -> bool:
        return bool({_VECTOR, _STATES} & self._outputs)

    @cached_property
    def _inputs(self) -> frozenset[str]:
        return frozenset(value.name for value in self._session.get_inputs())

    @cached_property
    def _outputs(self) -> frozenset[str]:
        return frozenset(value.name for value in self._session.get_outputs())

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._tokenizer_path))
        except Exception as error:
            raise StoreBroken(f"{self._tokenizer_path} is no tokenizer: {error}") from error
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime as ort
        from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidGraph, InvalidProtobuf

        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # it keeps the largest batch's memory for good
        options.log_severity_level = 3
        try:
            session = ort.InferenceSession(str(self._path), options, ["CPUExecutionProvider"])
        except (Fail, InvalidGraph, InvalidProtobuf) as error:
            raise StoreBroken(
                f"{self._path} is no ONNX network that can be run: {error}"
            ) from error
        inputs = {value.name for value in session.get_inputs()}
        outputs = {value.name for value in session.get_outputs()}
        if not (inputs <= _INPUTS and outputs & {_VECTOR, _STATES, _SCORE}):
            raise BadInput(
                f"{self._path} takes {sorted(inputs)} and gives {sorted(outputs)}; a reader takes"
                f" {sorted(_INPUTS)} and gives {_VECTOR}, {_STATES} or {_SCORE}"
            )
        return session
