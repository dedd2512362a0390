"""How long a person waits in the browser: from a key to painted hits, and for the graph to be drawn.

    ./dev bench painting LIBRARY [--queries N] [--out DIR]

Starts `octavo serve` on the library and Chromium on the page. Titles of documents are typed a key at a time; a wait is
from the last key to the first frame with its hits, the page's own pause included. For the graph it is the time until it
is loaded, and that between frames while it settles. Writes DIR/painting.json. Needs playwright and Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any

from octavo_server import serving, titles

# Notes the time of each key, and of the first frame after the hits were replaced.
_WATCH = """() => {
  window.waits = [];
  let pressed = 0;
  document.getElementById("query").addEventListener("input", () => { pressed = performance.now(); });
  new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(() => {
    if (pressed) { window.waits.push(performance.now() - pressed); pressed = 0; }
  }))).observe(document.getElementById("results"), { childList: true });
}"""
_FRAMES = """() => new Promise(done => {
  const times = [];
  const next = now => { times.push(now); times.length < 61 ? requestAnimationFrame(next) : done(times); };
  requestAnimationFrame(next);
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    with serving(chosen.library) as (address, _):
        measured = _measured(address, titles(chosen.library), chosen.queries)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "painting.json").write_text(json.dumps(measured, indent=2) + "\n", "utf-8")
    print(json.dumps(measured, indent=2))


def _measured(address: str, titles: list[str], queries: int) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    load = os.getloadavg()[0]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(base_url=address)
        page.set_default_timeout(300_000)
        page.goto("/?q=warm up the model")
        waits = _typed(page, titles, queries)
        page.goto("/graph")
        drawn = page.evaluate("performance.now()")
        frames = page.evaluate(_FRAMES)
        nodes = page.inner_text("#counts")
        browser.close()
    steps = [after - before for before, after in pairwise(frames)]
    return {
        "load_average": round(load, 1),
        "waits": len(waits),
        "p50_ms": round(statistics.median(waits), 1),
        "p95_ms": round(statistics.quantiles(waits, n=20)[-1], 1),
        "graph": {"shown": nodes, "loaded_ms": round(drawn), "frame_ms_p50": round(statistics.median(steps), 1)},
    }


def _typed(page: Any, titles: list[str], queries: int) -> list[float]:
    chance = random.Random(0)
    page.goto("/")
    page.evaluate(_WATCH)
    for title in chance.sample(titles, min(queries, len(titles))):
        page.fill("#query", "")
        page.wait_for_timeout(300)
        before = page.evaluate("window.waits.length")
        page.keyboard.type(title[:24], delay=chance.uniform(60, 180))
        page.wait_for_function("n => window.waits.length > n", arg=before)
    return [float(wait) for wait in page.evaluate("window.waits")]


if __name__ == "__main__":
    main()
