"""First use, as a script: from a folder and nothing else to a cited hit in the browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from cli_calls import write_vault
from web_calls import PATIENCE


def test_a_folder_is_tried_in_the_browser_and_nothing_is_left(tmp_path: Path, browser: Any) -> None:
    folder = write_vault(tmp_path / "notes")
    # Stands in for the person's browser: it is told the address, and the test opens it.
    said = tmp_path / "address"
    stand_in = tmp_path / "browser"
    stand_in.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {said}\n', "utf-8")
    stand_in.chmod(0o755)
    command = [sys.executable, "-m", "octavo", "try", str(folder), "--open"]
    environ = {**os.environ, "BROWSER": f"{stand_in} %s"}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=environ
    ) as tried:
        assert tried.stderr is not None
        address = next(found[0] for line in tried.stderr if (found := re.search(r"http://\S+", line)))
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.keyboard.type("when to prune")
        page.wait_for_selector("a.open")
        page.click("a.open")
        page.wait_for_selector("#cited")
        assert "Prune in late winter" in page.inner_text("article")
        page.close()
        tried.send_signal(signal.SIGINT)
        tried.communicate(timeout=60)
    assert sorted(path.name for path in folder.iterdir()) == ["bread.md", "garden", "tokyo.md"]
