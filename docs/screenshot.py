"""Takes the picture of an audit's page that the README shows.

python docs/screenshot.py audit/report.html docs/report.png
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright


def take(page: Path, picture: Path, width: int = 1280, height: int = 1478) -> None:
    """Open ``page`` in Debian's chromium and keep what a reader sees first, in few colours."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        # tall, yet with the plane as high as on a usual screen
        tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="light")
        tab.goto(page.absolute().as_uri())
        tab.wait_for_selector("html[data-ready]")
        whole = tab.screenshot(full_page=True)
        browser.close()
    Image.open(io.BytesIO(whole)).convert("RGB").crop((0, 0, width, height)).quantize(128).save(
        picture, optimize=True
    )


if __name__ == "__main__":
    take(Path(sys.argv[1]), Path(sys.argv[2]))
