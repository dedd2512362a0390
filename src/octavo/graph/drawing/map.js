"use strict";
(() => {
  // A point is [x, y, cluster, title, collection, uri, line], x and y between 0 and 1.
  const map = JSON.parse(document.getElementById("data").textContent);
  const X = 0, Y = 1, CLUSTER = 2, TITLE = 3, COLLECTION = 4, URI = 5, LINE = 6;
  const points = map.points, names = new Map(map.clusters.map(([number, name]) => [number, name]));
  const MOST = 100; // documents that an address can name
  const $ = id => document.getElementById(id);
  const canvas = $("drawing"), pen = canvas.getContext("2d");
  const dark = matchMedia("(prefers-color-scheme: dark)"), narrow = matchMedia("(max-width: 600px)");
  const off = new Set(), HINT = $("said").textContent;
  const view = { scale: 1, left: 0, top: 0 };
  let over = -1, held = null, lasso = null, caught = new Set(), waiting = false;

  const width = () => (narrow.matches ? canvas.clientWidth : Math.max(100, canvas.clientWidth - ($("panel").offsetWidth || 300)));
  const height = () => (narrow.matches ? canvas.clientHeight * 0.55 : canvas.clientHeight);
  // Neighbouring numbers get colours far apart; what belongs to no cluster is grey.
  const colour = c => c < 0 ? (dark.matches ? "#7d838c" : "#9a9fa6")
    : `hsl(${(c * 137.508 + 210) % 360} ${dark.matches ? 60 : 55}% ${dark.matches ? 62 : 46}%)`;
  // One scale for both directions: what is round stays round.
  const low = axis => points.reduce((least, p) => Math.min(least, p[axis]), 1), high = axis => points.reduce((most, p) => Math.max(most, p[axis]), 0);
  const wide = Math.max(0.01, high(X) - low(X)), tall = Math.max(0.01, high(Y) - low(Y));
  const middle = [(high(X) + low(X)) / 2, (high(Y) + low(Y)) / 2];
  const unit = () => 0.92 * Math.min(width() / wide, height() / tall);
  const placed = p => [
    (width() / 2 + (p[X] - middle[0]) * unit()) * view.scale + view.left,
    (height() / 2 + (p[Y] - middle[1]) * unit()) * view.scale + view.top,
  ];
  // Names and dots for a wall are larger than those for a desk.
  const larger = () => Math.max(1, Math.min(2, canvas.clientWidth / 1900));
  const wanted = () => $("find").value.trim().toLowerCase();
  const matches = (p, words) => `${p[TITLE]} ${p[URI]} ${names.get(p[CLUSTER]) || ""}`.toLowerCase().includes(words);

  function redraw() { if (!waiting) { waiting = true; requestAnimationFrame(draw); } }

  function draw() {
    waiting = false;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const words = wanted(), dot = larger() * Math.min(4, Math.max(1.4, unit() * view.scale * 0.22 / Math.sqrt(points.length)));
    behind.forEach(i => {
      const p = points[i];
      if (off.has(p[CLUSTER])) return;
      const [x, y] = placed(p), lit = caught.size ? caught.has(i) : !words || matches(p, words);
      pen.globalAlpha = lit ? 0.8 : 0.12;
      pen.fillStyle = colour(p[CLUSTER]);
      pen.beginPath();
      pen.arc(x, y, i === over ? dot + 4 : dot, 0, 6.2832);
      pen.fill();
    });
    pen.globalAlpha = 1;
    drawNames();
    if (lasso) {
      pen.strokeStyle = dark.matches ? "#ece6dc" : "#1f1b16";
      pen.setLineDash([4, 3]);
      pen.beginPath();
      lasso.forEach(([x, y], n) => (n ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  // A name in lines that fit its cluster as it is drawn; at least a word stands in each.
  function inLines(name, room) {
    const lines = [], fits = text => pen.measureText(text).width <= room;
    for (const title of name.split(/(?<=,) /)) {
      const beside = `${lines[lines.length - 1]} ${title}`;
      if (lines.length && fits(beside)) { lines[lines.length - 1] = beside; continue; }
      const words = title.split(" ");
      lines.push(words[0]);
      for (const word of words.slice(1)) {
        const longer = `${lines[lines.length - 1]} ${word}`;
        if (fits(longer)) lines[lines.length - 1] = longer; else lines.push(word);
      }
    }
    return lines;
  }

  // Where a name may stand: this many of its lines up or down from the middle, this share of its width beside it.
  const AROUND = [...Array(25).keys()].flatMap(n => [0, -0.3, 0.3, -0.6, 0.6].map(right => [right, (n - 12) * 0.7]))
    .sort((a, b) => Math.abs(a[1]) - Math.abs(b[1]));
  const MOST_AVOIDED = 2000; // points: more of them make an area, which a name may lie upon

  // The largest clusters first, no name over another, nor over points where there is room beside them.
  function drawNames() {
    const taken = [], high = (narrow.matches ? 10 : 12) * larger(), clear = 5 * larger();
    const dots = points.length > MOST_AVOIDED ? [] : points.filter(p => !off.has(p[CLUSTER])).map(placed);
    const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    pen.font = `600 ${high}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 4;
    for (const [number, name] of map.clusters) {
      if (off.has(number) || !middles.has(number)) continue;
      const { at, reach } = middles.get(number), [centre, middle] = placed(at);
      const lines = inLines(name, Math.max(2 * reach * unit() * view.scale, 8 * high));
      const half = Math.max(...lines.map(line => pen.measureText(line).width)) / 2, tall = lines.length * high * 0.6;
      let best = null, least = Infinity;
      for (const [right, down] of AROUND) {
        // Not over the edge, as far as its cluster is in the picture.
        const within = (from, value, size, end) => (from < 0 || from > end ? value : Math.max(size + 4, Math.min(end - size - 4, value)));
        const x = within(centre, centre + right * 2 * half, half, width()), y = within(middle, middle + down * high, tall, height());
        const box = [x - half, y - tall, x + half, y + tall];
        const far = Math.hypot(x - centre, y - middle);
        if (far >= least || taken.some(b => overlap(box, b))) continue;
        const [l, t, r, b] = [box[0] - clear, box[1] - clear, box[2] + clear, box[3] + clear];
        const covered = dots.reduce((sum, d) => sum + (d[0] > l && d[0] < r && d[1] > t && d[1] < b), 0);
        const cost = 6 * high * covered + far;
        if (cost < least) { least = cost; best = { x, y, box }; }
      }
      if (!best) continue;
      taken.push(best.box);
      pen.strokeStyle = dark.matches ? "#191714" : "#fdfbf7";
      pen.fillStyle = dark.matches ? "#ece6dc" : "#1f1b16";
      lines.forEach((line, n) => {
        const top = best.y + (n - (lines.length - 1) / 2) * high * 1.2;
        pen.strokeText(line, best.x, top);
        pen.fillText(line, best.x, top);
      });
    }
  }

  // What belongs to no cluster lies behind what does.
  const behind = [...points.keys()].sort((a, b) => (points[a][CLUSTER] < 0 ? 0 : 1) - (points[b][CLUSTER] < 0 ? 0 : 1) || a - b);
  const middles = new Map();
  for (const [number] of map.clusters) {
    const members = points.filter(p => p[CLUSTER] === number), half = members.length >> 1;
    const median = values => values.sort((a, b) => a - b)[half];
    if (!members.length) continue;
    const at = [median(members.map(p => p[X])), median(members.map(p => p[Y]))];
    // Half of an evenly filled disc lies within 0.7 of its radius.
    middles.set(number, { at, reach: median(members.map(p => Math.hypot(p[X] - at[X], p[Y] - at[Y]))) / 0.7 });
  }

  function nearest(event) {
    let best = -1, least = 200;
    points.forEach((p, i) => {
      if (off.has(p[CLUSTER])) return;
      const [x, y] = placed(p), far = (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2;
      if (far < least) { least = far; best = i; }
    });
    return best;
  }

  function entry(text, note, dot, act) {
    const item = document.createElement("li"), button = document.createElement("button"), small = document.createElement("small");
    button.type = "button";
    button.className = "plainly";
    button.textContent = text;
    small.textContent = note;
    if (dot) {
      const spot = document.createElement("span");
      spot.className = "dot";
      spot.style.background = dot;
      item.append(spot);
    }
    item.append(button, small);
    button.addEventListener("click", () => act(item));
    return item;
  }

  function link(text, address) {
    const made = document.createElement(address ? "a" : "span");
    made.textContent = text;
    if (address) made.setAttribute("href", address);
    return made;
  }

  // Served by Octavo, a passage leads to its document; a page of its own only names it.
  function address(p) {
    if (!map.documents) return "";
    return `${map.documents}${[p[COLLECTION], ...p[URI].split("/")].map(encodeURIComponent).join("/")}?lines=${p[LINE]}#cited`;
  }

  function inside(x, y, path) {
    let within = false;
    for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
      const [ax, ay] = path[i], [bx, by] = path[j];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
    }
    return within;
  }

  function take(path) {
    caught = new Set();
    points.forEach((p, i) => { if (!off.has(p[CLUSTER]) && inside(...placed(p), path)) caught.add(i); });
    $("caught").hidden = !caught.size;
    if (!caught.size) return;
    const chosen = [...caught].map(i => points[i]);
    const uris = [...new Set(chosen.map(p => p[URI]))];
    $("count").textContent = `${chosen.length} passages of ${uris.length} documents`;
    const words = names.get(mostFrequent(chosen.map(p => p[CLUSTER]))) || chosen[0][TITLE];
    const given = new URLSearchParams([["q", words.replaceAll(",", "")], ...uris.slice(0, MOST).map(uri => ["uris", uri])]);
    $("search").replaceChildren(link(uris.length > MOST ? `Search in ${MOST} of them` : "Search in them", map.documents && `/?${given}`));
    $("picked").replaceChildren(...chosen.slice(0, 200).map(p => {
      const item = document.createElement("li");
      item.append(link(p[TITLE], address(p)));
      return item;
    }));
  }

  function mostFrequent(values) {
    const counts = new Map();
    values.forEach(value => counts.set(value, (counts.get(value) || 0) + 1));
    return [...counts].sort((a, b) => b[1] - a[1])[0][0];
  }

  // Before what drags: two fingers zoom and drag nothing.
  const zoom = makeZoom(canvas, view, 0.5, 60, redraw);
  $("nearer").addEventListener("click", () => zoom.by(1.4, width() / 2, height() / 2));
  $("farther").addEventListener("click", () => zoom.by(1 / 1.4, width() / 2, height() / 2));
  const drawing = event => event.shiftKey || $("lasso").getAttribute("aria-pressed") === "true";
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    held = { x: event.offsetX, y: event.offsetY, far: 0 };
    lasso = drawing(event) ? [[event.offsetX, event.offsetY]] : null;
  });
  canvas.addEventListener("pointermove", event => {
    if (zoom.pinching()) { held = lasso = null; return; }
    if (!held) {
      over = nearest(event);
      canvas.classList.toggle("over", over >= 0);
      const p = points[over];
      $("said").textContent = p ? `${p[TITLE]} · ${p[COLLECTION]}/${p[URI]}:${p[LINE]} · ${names.get(p[CLUSTER]) || "no cluster"}` : HINT;
    } else if (lasso) {
      lasso.push([event.offsetX, event.offsetY]);
    } else {
      view.left += event.offsetX - held.x; view.top += event.offsetY - held.y;
    }
    if (held) { held.far += Math.abs(event.offsetX - held.x) + Math.abs(event.offsetY - held.y); held.x = event.offsetX; held.y = event.offsetY; }
    redraw();
  });
  function release(event) {
    const clicked = held && held.far < 4;
    if (lasso && !clicked) take(lasso);
    else if (clicked && event.type === "pointerup") {
      const found = nearest(event), to = found >= 0 && address(points[found]);
      if (to) location.assign(to);
      else if (caught.size) { caught = new Set(); $("caught").hidden = true; }
    }
    held = lasso = null;
    redraw();
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  $("lasso").addEventListener("click", () => {
    const on = $("lasso").getAttribute("aria-pressed") !== "true";
    $("lasso").setAttribute("aria-pressed", String(on));
    canvas.classList.toggle("lasso", on);
  });
  $("fit").addEventListener("click", () => { Object.assign(view, { scale: 1, left: 0, top: 0 }); redraw(); });
  $("find").addEventListener("input", () => { caught = new Set(); $("caught").hidden = true; redraw(); });
  addEventListener("resize", redraw);
  dark.addEventListener("change", redraw);
  $("counts").textContent = `${points.length} of ${map.chunks} passages, ${map.clusters.length} clusters`;
  $("legend").replaceChildren(...map.clusters.map(([number, name, size]) => entry(name, String(size), colour(number), item => {
    if (!off.delete(number)) off.add(number);
    item.classList.toggle("off", off.has(number));
    redraw();
  })));
  redraw();
})();
