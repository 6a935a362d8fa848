"""Settings of the images that a task may name."""

from __future__ import annotations

from pathlib import Path

from leadline.fields.setting import Fields, setting


class ImageFields(Fields):
    """Which image files may be opened."""

    image_folders: tuple[Path, ...] = setting(
        default=(),
        needs_trust="outside",
        description="Folders whose images a task may name, beside the current one.",
    )
    image_max_mb: float = setting(
        default=20.0,
        gt=0,
        le=200,
        description="Size in megabytes above which an image is not opened.",
    )
    image_max_megapixels: float = setting(
        default=50.0,
        gt=0,
        le=200,
        description="Millions of pixels above which an image is not decoded.",
    )
