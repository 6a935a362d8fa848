"""Settings of the memory across runs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, SecretStr

from leadline.fields.addresses import Address

NO_KEY = SecretStr("")


class MemoryFields(BaseModel, defer_build=True):
    """Whether runs remember, where, and for how long."""

    memory: bool = Field(
        default=True, description="Remember what runs prove, and begin from it in later ones."
    )
    memory_project: str = Field(
        default="default",
        pattern=r"^[a-z0-9][a-z0-9_-]{2,47}$",
        description="Which memory: each project has its own, and sees no other.",
    )
    memory_max_age_days: float = Field(
        default=30.0,
        ge=0,
        allow_inf_nan=False,
        description="Days after which a remembered finding is searched for again.",
    )
    memory_vectors: Literal["sqlite", "chroma"] = Field(
        default="sqlite", description="Where vectors are kept: beside the words, or in ChromaDB."
    )
    memory_chroma_url: Address = Field(
        default="",
        description="Address of a ChromaDB server; unset, it is kept in the data folder.",
    )
    memory_chroma_token: SecretStr = Field(
        default=NO_KEY, description="Token for that ChromaDB server."
    )
