"""Settings of the memory across runs."""

from __future__ import annotations

from typing import Literal

from leadline.fields.addresses import Address
from leadline.fields.secret import NO_KEY, SecretText
from leadline.fields.setting import Fields, setting


class MemoryFields(Fields):
    """Whether runs remember, where, and for how long."""

    memory: bool = setting(
        default=True, description="Remember what runs prove, and begin from it in later ones."
    )
    memory_project: str = setting(
        default="default",
        pattern=r"^[a-z0-9][a-z0-9_-]{2,47}$",
        description="Which memory: each project has its own, and sees no other.",
    )
    memory_max_age_days: float = setting(
        default=30.0,
        ge=0,
        description="Days after which a remembered finding is searched for again.",
    )
    memory_vectors: Literal["sqlite", "chroma"] = setting(
        default="sqlite", description="Where vectors are kept: beside the words, or in ChromaDB."
    )
    memory_chroma_url: Address = setting(
        default="",
        needs_trust="yes",
        description="Address of a ChromaDB server; unset, it is kept in the data folder.",
    )
    memory_chroma_token: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Token for that ChromaDB server."
    )
