"""Settings of the images that a task may name."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field


class ImageFields(BaseModel, defer_build=True):
    """Which image files may be opened."""

    image_folders: tuple[Path, ...] = Field(
        default=(), description="Folders whose images a task may name, beside the current one."
    )
    image_max_mb: float = Field(
        default=20.0,
        gt=0,
        le=200,
        allow_inf_nan=False,
        description="Size in megabytes above which an image is not opened.",
    )
    image_max_megapixels: float = Field(
        default=50.0,
        gt=0,
        le=200,
        allow_inf_nan=False,
        description="Millions of pixels above which an image is not decoded.",
    )
