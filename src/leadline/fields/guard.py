"""Settings of the scanner that looks for orders in text from outside."""

from __future__ import annotations

from leadline.fields.setting import Fields, setting
from leadline.types import ScanPolicy


class GuardFields(Fields):
    """What is done, at each door, with text that gives orders to its reader. What is only suspect
    is flagged everywhere."""

    scan: bool = setting(
        default=True,
        needs_trust="yes",
        description="Scan text from outside for instructions to its reader.",
    )
    scan_results: ScanPolicy = setting(
        default="refuse",
        needs_trust="yes",
        description="What happens to a result of the web that is an attack.",
    )
    scan_pages: ScanPolicy = setting(
        default="strip",
        needs_trust="yes",
        description="What happens to an attack in a page of the web.",
    )
    scan_documents: ScanPolicy = setting(
        default="flag",
        needs_trust="yes",
        description="What happens to an attack in the user's own documents.",
    )
    scan_images: ScanPolicy = setting(
        default="strip",
        needs_trust="yes",
        description="What happens to an attack in text read from an image.",
    )
    scan_memory: ScanPolicy = setting(
        default="refuse",
        needs_trust="yes",
        description="What happens to an attack among what memory recalls.",
    )
