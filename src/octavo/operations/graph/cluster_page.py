"""The map of a library as one page of HTML: nothing is fetched, what is shown is quoted."""

from __future__ import annotations

import html
import json
from typing import Any

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>__NAME__: a map</title>
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; font: 14px/1.4 system-ui, sans-serif; }
  header { padding: .6rem 1rem; display: flex; gap: 1rem; align-items: baseline; }
  canvas { display: block; width: 100vw; height: calc(100vh - 6.5rem); cursor: crosshair; }
  #said { padding: .4rem 1rem; min-height: 2.6rem; }
  input { font: inherit; padding: .1rem .4rem; }
</style></head><body>
<header><strong>__NAME__</strong><span>__COUNT__ chunks</span>
<label>Find <input id="find" type="search"></label><span>drag to move, wheel to zoom</span></header>
<canvas id="map"></canvas><div id="said" role="status"></div>
<script>
const points = __POINTS__;
const [map, said, find] = ["map", "said", "find"].map(id => document.getElementById(id));
const pen = map.getContext("2d");
let scale = 1, left = 0, top_ = 0, held = null, over = null;
const colour = c => c < 0 ? "#888" : `hsl(${(c * 137.5) % 360} 65% 50%)`;
const at = p => [(p.x * scale + left) * map.width, (p.y * scale + top_) * map.height];
function draw() {
  map.width = map.clientWidth; map.height = map.clientHeight;
  const wanted = find.value.toLowerCase();
  for (const p of points) {
    const [x, y] = at(p), hit = wanted && (p.t + p.u).toLowerCase().includes(wanted);
    pen.globalAlpha = wanted ? (hit ? 1 : .15) : .75;
    pen.fillStyle = colour(p.c);
    pen.beginPath(); pen.arc(x, y, p === over || hit ? 5 : 2.5, 0, 7); pen.fill();
  }
}
function nearest(e) {
  let best = null, least = 200;
  for (const p of points) {
    const [x, y] = at(p), d = (x - e.offsetX) ** 2 + (y - e.offsetY) ** 2;
    if (d < least) { least = d; best = p; }
  }
  return best;
}
map.onpointerdown = e => { held = [e.offsetX, e.offsetY]; map.setPointerCapture(e.pointerId); };
map.onpointerup = () => { held = null; };
map.onpointermove = e => {
  if (held) {
    left += (e.offsetX - held[0]) / map.width; top_ += (e.offsetY - held[1]) / map.height;
    held = [e.offsetX, e.offsetY];
  } else {
    over = nearest(e);
    said.textContent = over ? `${over.t}  ·  ${over.u}  ·  cluster ${over.c}` : "";
  }
  draw();
};
map.onwheel = e => {
  e.preventDefault();
  const by = Math.exp(-e.deltaY / 500), x = e.offsetX / map.width, y = e.offsetY / map.height;
  left = x - (x - left) * by; top_ = y - (y - top_) * by; scale *= by; draw();
};
find.oninput = draw; window.onresize = draw; draw();
</script></body></html>
"""


def page(name: str, points: list[dict[str, Any]]) -> str:
    # `<` is written as an escape: no title can end the script.
    data = json.dumps(points, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", " ").replace("\u2029", " ")
    named = _PAGE.replace("__NAME__", html.escape(name)).replace("__COUNT__", f"{len(points):,}")
    return named.replace("__POINTS__", data)
