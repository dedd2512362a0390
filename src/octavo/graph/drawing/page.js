
"use strict";
(() => {
  const graph = JSON.parse(document.getElementById("data").textContent);
  const LABEL = 0, KIND = 1, COLLECTION = 2, URI = 3, COMMUNITY = 4;
  const nodes = graph.nodes, count = nodes.length;
  const sources = Int32Array.from(graph.edges, e => e[0]), targets = Int32Array.from(graph.edges, e => e[1]);
  const weights = Float64Array.from(graph.edges, e => (e[2] === "thematic_link" ? 0.4 : 1) * Math.min(3, Math.sqrt(e[3])));
  const groups = Int32Array.from(nodes, n => n[COMMUNITY]);
  const stands = graph.edges.map(e => e[3] || 1), all = stands.reduce((a, b) => a + b, 0);
  const layout = makeLayout(count, sources, targets, weights, groups);
  const { x, y } = layout;
  const shown = new Int8Array(count), alive = new Int8Array(sources.length), links = new Int32Array(count);
  const off = new Set();
  const named = new Map(graph.communities);
  const near = nodes.map(() => []);
  graph.edges.forEach((e, n) => { near[e[0]].push(n); if (e[0] !== e[1]) near[e[1]].push(n); });

  const $ = id => document.getElementById(id);
  const canvas = $("drawing"), pen = canvas.getContext("2d");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  // Whoever wants little motion sees the drawing settled, and it stays so.
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const view = { scale: 1, left: 0, top: 0 };
  let heat = 1, over = -1, chosen = -1, moved = false, waiting = false;
  // Thousands of dots and lines take longer to draw than a hand takes to move: while it does, the last picture is
  // moved in one piece, and drawn anew once it rests. They also settle in fewer steps.
  const many = count + sources.length > 8000, COOLING = many ? 0.95 : 0.985, REST = 140;
  const still = { picture: null, view: null };
  let moving = 0, resting = 0;

  // Neighbouring numbers get colours far apart.
  function colour(community) {
    if (community < 0 || !named.has(community)) return dark.matches ? "#7d838c" : "#9a9fa6";
    return `hsl(${(community * 137.508 + 210) % 360} ${dark.matches ? 60 : 55}% ${dark.matches ? 62 : 46}%)`;
  }

  function special(kind) {
    if (kind === "tag") return dark.matches ? "#d8b45a" : "#a67c00";
    return kind === "entity" ? (dark.matches ? "#7cc4b8" : "#1f7a6d") : "";
  }

  // What is drawn for a wall is larger than what is drawn for a desk.
  const larger = () => Math.max(1, Math.min(2, canvas.clientWidth / 1900));

  // Never too small to see, however far away.
  function radius(i) { return Math.max(2.5 + 1.7 * Math.sqrt(links[i]), (count > 2000 ? 1.8 : 2.8) * larger() / view.scale); }

  function choose(i) {
    chosen = i;
    $("chosen").hidden = i < 0;
    if (i >= 0) {
      $("name").textContent = nodes[i][LABEL];
      $("where").replaceChildren(place(nodes[i]));
      const list = near[i].filter(n => alive[n]).map(n => {
        const out = sources[n] === i, other = out ? targets[n] : sources[n];
        return row(nodes[other][LABEL], `${out ? "→" : "←"} ${graph.edges[n][2]}`, colour(groups[other]), () => goTo(other));
      });
      $("links").replaceChildren(...list);
    }
    redraw();
  }

  // Served by Octavo, a document's place leads to its page; a page of its own only says it.
  function place(node) {
    if (node[KIND] !== "document") return document.createTextNode(node[URI] || node[KIND]);
    const text = `${node[COLLECTION]}/${node[URI]}`;
    if (!graph.documents) return document.createTextNode(text);
    const link = document.createElement("a");
    link.setAttribute("href", graph.documents + text.split("/").map(encodeURIComponent).join("/"));
    link.textContent = text;
    return link;
  }

  function row(text, note, dot, act) {
    const item = document.createElement("li");
    item.tabIndex = 0;
    if (dot) {
      const spot = document.createElement("span");
      spot.className = "dot";
      spot.style.background = dot;
      item.append(spot);
    }
    const name = document.createElement("span"), small = document.createElement("small");
    name.textContent = text;
    small.textContent = note;
    item.append(name, small);
    item.addEventListener("click", act);
    item.addEventListener("keydown", event => { if (event.key === "Enter") act(); });
    return item;
  }

  function goTo(i) {
    if (!shown[i]) reveal(i);
    view.scale = Math.max(view.scale, 1.2);
    view.left = width() / 2 - x[i] * view.scale;
    view.top = height() / 2 - y[i] * view.scale;
    choose(i);
  }

  // Whoever asks for a document by name wants to see it, whatever the switches say.
  function reveal(i) {
    const kind = nodes[i][KIND];
    if (kind === "tag") $("tags").checked = true;
    if (kind === "ghost") $("ghosts").checked = true;
    if (kind === "entity") $("entities").checked = true;
    if (!near[i].length) $("alone").checked = true;
    if (off.delete(groups[i])) for (const item of $("legend").children) item.classList.toggle("off", off.has(Number(item.dataset.group)));
    refresh();
  }

  // The dots of each colour, drawn at a stroke; and all by the number of their links, the order of their names.
  let order = [], tints = new Map();
  function gather() {
    tints = new Map();
    for (const i of order) {
      const kind = nodes[i][KIND], tint = kind === "ghost" ? "" : special(kind) || colour(groups[i]);
      if (!tints.has(tint)) tints.set(tint, []);
      tints.get(tint).push(i);
    }
  }

  function refresh() {
    const want = { tag: $("tags").checked, ghost: $("ghosts").checked, entity: $("entities").checked, section: true, document: true };
    const alone = $("alone").checked;
    for (let i = 0; i < count; i++) {
      shown[i] = want[nodes[i][KIND]] && !off.has(groups[i]) && (alone || near[i].length) ? 1 : 0;
    }
    links.fill(0);
    let lines = 0;
    for (let e = 0; e < sources.length; e++) {
      const thematic = graph.edges[e][2] === "thematic_link";
      alive[e] = shown[sources[e]] && shown[targets[e]] && (!thematic || $("thematic").checked) ? 1 : 0;
      if (alive[e]) { links[sources[e]]++; links[targets[e]]++; lines += stands[e]; }
    }
    order = [...shown.keys()].filter(i => shown[i]).sort((a, b) => links[b] - links[a] || a - b);
    gather();
    const dots = order.length;
    const more = graph.leftOut ? `; ${graph.leftOut} more did not fit` : "";
    // The same totals as the commands say: a line stands for every link of its kind between two nodes, and what the
    // switches hide is counted too.
    const of = (part, whole, word) => (part === whole ? "" : `${part} of `) + `${whole} ${word}`;
    $("counts").textContent = `${of(dots, count, "nodes")}, ${of(lines, all, "links")}${more}`;
    warm(0.5);
  }

  function warm(to) {
    heat = Math.max(heat, to);
    if (calm) settle(600);
    redraw();
  }
  // Steps that nobody sees, for so many milliseconds.
  function settle(most) {
    const until = performance.now() + most;
    while (heat > 0.02 && performance.now() < until) { layout.step(heat, shown, alive); heat *= COOLING; }
    if (calm) heat = 0;
  }
  // The panel stands beside the drawing, or below it where there is little room.
  const narrow = matchMedia("(max-width: 600px)");
  function width() { return narrow.matches ? canvas.clientWidth : Math.max(100, canvas.clientWidth - ($("panel").offsetWidth || 300)); }
  function height() { return narrow.matches ? canvas.clientHeight * 0.55 : canvas.clientHeight; }
  function redraw() { if (!waiting) { waiting = true; requestAnimationFrame(frame); } }

  function frame() {
    waiting = false;
    if (many && still.picture && performance.now() - moving < REST) {
      shift();
      clearTimeout(resting);
      resting = setTimeout(redraw, REST);
      return;
    }
    if (heat > 0.02) {
      layout.step(heat, shown, alive);
      heat *= COOLING;
      if (!moved) fit();
      redraw();
    }
    draw();
  }

  // The last picture where the view is now.
  function shift() {
    const grown = view.scale / still.view.scale, ratio = devicePixelRatio || 1;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.globalAlpha = 1;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const left = view.left - still.view.left * grown, top = view.top - still.view.top * grown;
    pen.setTransform(grown, 0, 0, grown, left * ratio, top * ratio);
    pen.drawImage(still.picture, 0, 0);
  }

  function keep() {
    still.picture ||= document.createElement("canvas");
    still.picture.width = canvas.width;
    still.picture.height = canvas.height;
    still.picture.getContext("2d").drawImage(canvas, 0, 0);
    still.view = { ...view };
  }

  function fit() {
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (let i = 0; i < count; i++) if (shown[i]) {
      left = Math.min(left, x[i]); right = Math.max(right, x[i]);
      top = Math.min(top, y[i]); bottom = Math.max(bottom, y[i]);
    }
    if (left > right) return;
    // Names stand to the right of their dots: the last of them need room too.
    const name = Math.min(110, width() / 5);
    view.scale = Math.min(2, 0.92 * Math.min((width() - name) / (right - left + 60), height() / (bottom - top + 60)));
    view.left = (width() - name) / 2 - view.scale * (left + right) / 2;
    view.top = height() / 2 - view.scale * (top + bottom) / 2;
  }

  function draw() {
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(canvas.clientWidth * ratio) || canvas.height !== Math.round(canvas.clientHeight * ratio)) {
      canvas.width = Math.round(canvas.clientWidth * ratio);
      canvas.height = Math.round(canvas.clientHeight * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    pen.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, ratio * view.left, ratio * view.top);
    const focus = over >= 0 ? over : chosen;
    const lit = new Set(focus >= 0 ? near[focus].filter(e => alive[e]).flatMap(e => [sources[e], targets[e]]) : []);
    if (focus >= 0) lit.add(focus);
    drawEdges(focus);
    drawNodes(focus, lit);
    drawLabels(focus, lit);
    if (many) keep();
  }

  function drawEdges(focus) {
    pen.lineWidth = 0.8 / view.scale;
    pen.strokeStyle = dark.matches ? "#8a93a0" : "#7b8088";
    pen.globalAlpha = focus >= 0 ? 0.08 : Math.min(0.45, Math.max(0.08, 600 / (sources.length + 1)));
    pen.beginPath();
    for (let e = 0; e < sources.length; e++) if (alive[e]) {
      pen.moveTo(x[sources[e]], y[sources[e]]);
      pen.lineTo(x[targets[e]], y[targets[e]]);
    }
    pen.stroke();
    if (focus < 0) return;
    pen.globalAlpha = 0.9;
    pen.lineWidth = 1.4 / view.scale;
    pen.strokeStyle = colour(groups[focus]);
    pen.beginPath();
    for (const e of near[focus]) if (alive[e]) {
      pen.moveTo(x[sources[e]], y[sources[e]]);
      pen.lineTo(x[targets[e]], y[targets[e]]);
    }
    pen.stroke();
  }

  function drawNodes(focus, lit) {
    pen.lineWidth = 1;
    for (const [tint, members] of tints) {
      pen.fillStyle = pen.strokeStyle = tint || colour(-1);
      for (const dim of focus >= 0 ? [true, false] : [false]) {
        pen.globalAlpha = dim ? 0.15 : 1;
        pen.beginPath();
        for (const i of members) if (focus < 0 || dim !== lit.has(i)) outline(i);
        if (tint) pen.fill(); else pen.stroke();
      }
    }
  }

  function outline(i) {
    const kind = nodes[i][KIND], r = radius(i);
    if (kind === "tag") {
      pen.rect(x[i] - r * 0.8, y[i] - r * 0.8, r * 1.6, r * 1.6);
    } else if (kind === "entity") {
      pen.moveTo(x[i], y[i] - r * 1.2); pen.lineTo(x[i] + r * 1.2, y[i]);
      pen.lineTo(x[i], y[i] + r * 1.2); pen.lineTo(x[i] - r * 1.2, y[i]); pen.closePath();
    } else {
      pen.moveTo(x[i] + r, y[i]);
      pen.arc(x[i], y[i], r, 0, 6.2832);
    }
  }

  // How much a name in this box would hide: each line counts once, another node more than many lines.
  function covers(node, [left, top, right, bottom]) {
    const within = i => [x[i] * view.scale + view.left, y[i] * view.scale + view.top];
    let sum = 0;
    for (let i = 0; i < count; i++) if (shown[i] && i !== node) {
      const [px, py] = within(i), r = radius(i) * view.scale;
      if (px > left - r && px < right + r && py > top - r && py < bottom + r) sum += 8;
    }
    for (let e = 0; e < sources.length; e++) if (alive[e] && crosses(within(sources[e]), within(targets[e]), left, top, right, bottom)) sum += 1;
    return sum;
  }

  // Whether a line enters a box: what is left of it between each pair of sides (Liang and Barsky, 1984).
  function crosses([ax, ay], [bx, by], left, top, right, bottom) {
    let from = 0, to = 1;
    for (const [way, room] of [[ax - bx, ax - left], [bx - ax, right - ax], [ay - by, ay - top], [by - ay, bottom - ay]]) {
      if (!way && room < 0) return false;
      if (way < 0) from = Math.max(from, room / way);
      if (way > 0) to = Math.min(to, room / way);
    }
    return from < to;
  }

  // Names of the most linked first, none over another.
  function drawLabels(focus, lit) {
    const taken = [], crowded = count + sources.length > 600; // too many to look at each for each name
    const labelled = focus < 0 ? order : [focus, ...order.filter(i => i !== focus && lit.has(i))];
    pen.setTransform(devicePixelRatio || 1, 0, 0, devicePixelRatio || 1, 0, 0);
    pen.globalAlpha = 1;
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    for (const i of labelled.slice(0, 400)) {
      const size = larger() * Math.min(narrow.matches ? 12 : 16, 10 + Math.sqrt(links[i]) * 0.7);
      const dot = x[i] * view.scale + view.left, gap = radius(i) * view.scale + 3, top = y[i] * view.scale + view.top;
      if (dot < -200 || dot > canvas.clientWidth || top < 0 || top > canvas.clientHeight) continue;
      pen.font = `${i === focus ? 600 : 400} ${size}px system-ui, sans-serif`;
      const most = narrow.matches && i !== focus ? 22 : 42;
      const text = nodes[i][LABEL].length > most ? nodes[i][LABEL].slice(0, most - 2) + "…" : nodes[i][LABEL];
      const wide = pen.measureText(text).width;
      // To the right of its dot, or else where it covers least, within the edge and beside the panel. On a phone there
      // is room for few names: none that is cut, none over another dot or many lines, and air around each.
      const air = narrow.matches ? 4 : 0, phone = narrow.matches && i !== focus;
      let box = null, least = phone && i !== order[0] ? 4 : Infinity; // the most linked is always named
      for (const [left, middle] of [[dot + gap, top], [dot - gap - wide, top], [dot - wide / 2, top - gap - size * 0.7], [dot - wide / 2, top + gap + size * 0.7]]) {
        const at = [left - air, middle - size * 0.6 - air, left + wide + air, middle + size * 0.6 + air];
        if (i !== focus && dot < width() && (left < 0 || left + wide > width())) continue;
        if (i !== focus && taken.some(b => at[0] < b[2] && b[0] < at[2] && at[1] < b[3] && b[1] < at[3])) continue;
        const covered = crowded ? 0 : covers(i, at);
        if (covered < least) { box = at; least = covered; }
        if (!covered) break;
      }
      if (!box || (phone && text.endsWith("…"))) continue;
      const left = box[0] + air, middle = (box[1] + box[3]) / 2;
      taken.push(box);
      pen.strokeStyle = dark.matches ? "#191714" : "#fdfbf7";
      pen.lineWidth = 3;
      pen.strokeText(text, left, middle);
      pen.fillStyle = dark.matches ? "#ece6dc" : "#1f1b16";
      pen.fillText(text, left, middle);
    }
  }

  function at(event) {
    const px = (event.offsetX - view.left) / view.scale, py = (event.offsetY - view.top) / view.scale;
    let best = -1, least = Infinity;
    for (let i = 0; i < count; i++) if (shown[i]) {
      const d = Math.hypot(x[i] - px, y[i] - py) - radius(i);
      if (d < least && d < 6 / view.scale) { least = d; best = i; }
    }
    return best;
  }

  // Before what drags: two fingers zoom and drag nothing.
  function glide() { moved = true; moving = performance.now(); redraw(); }
  const zoom = makeZoom(canvas, view, 0.02, 12, glide);
  $("nearer").addEventListener("click", () => zoom.by(1.4, width() / 2, height() / 2));
  $("farther").addEventListener("click", () => zoom.by(1 / 1.4, width() / 2, height() / 2));
  let held = null;
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    held = { node: at(event), px: event.offsetX, py: event.offsetY, far: 0 };
    canvas.classList.add("held");
  });
  canvas.addEventListener("pointermove", event => {
    if (zoom.pinching()) { held = null; return; }
    if (!held) {
      const found = at(event);
      canvas.classList.toggle("over", found >= 0);
      if (found !== over) { over = found; redraw(); }
      return;
    }
    const dx = event.offsetX - held.px, dy = event.offsetY - held.py;
    held.px = event.offsetX; held.py = event.offsetY; held.far += Math.abs(dx) + Math.abs(dy);
    moved = true;
    if (held.node >= 0) {
      layout.fixed[held.node] = 1;
      x[held.node] += dx / view.scale; y[held.node] += dy / view.scale;
      if (calm) redraw(); else warm(0.2);
    } else {
      view.left += dx; view.top += dy;
      glide();
    }
  });
  function release(event) {
    if (held && held.far < 4) choose(held.node);
    if (held && held.node >= 0) layout.fixed[held.node] = 0;
    held = null;
    canvas.classList.remove("held");
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => { if (over >= 0) { over = -1; redraw(); } });
  addEventListener("resize", () => { if (!moved) fit(); redraw(); });
  addEventListener("keydown", event => { if (event.key === "Escape") choose(-1); });
  dark.addEventListener("change", () => { gather(); redraw(); });

  $("find").addEventListener("input", () => {
    const words = $("find").value.trim().toLowerCase();
    const hits = [];
    for (let i = 0; words && i < count && hits.length < 12; i++) {
      if (`${nodes[i][LABEL]} ${nodes[i][URI]}`.toLowerCase().includes(words)) hits.push(i);
    }
    $("found").replaceChildren(...hits.map(i => row(nodes[i][LABEL], nodes[i][COLLECTION], colour(groups[i]), () => goTo(i))));
  });
  for (const id of ["tags", "ghosts", "entities", "thematic", "alone"]) $(id).addEventListener("change", refresh);
  $("fit").addEventListener("click", () => { moved = false; fit(); redraw(); });

  const sizes = new Map();
  nodes.forEach(n => sizes.set(n[COMMUNITY], (sizes.get(n[COMMUNITY]) || 0) + 1));
  $("legend").replaceChildren(...graph.communities.slice(0, 40).map(([number, name]) => {
    const item = row(name, String(sizes.get(number)), colour(number), () => {
      if (!off.delete(number)) off.add(number);
      item.classList.toggle("off", off.has(number));
      refresh();
    });
    item.dataset.group = number;
    return item;
  }));
  if (!graph.communities.length) $("legend").replaceChildren(document.createTextNode("None found yet: octavo graph build"));
  // A few documents without links belong in the picture; thousands would be all of it.
  $("alone").checked = near.filter(one => !one.length).length <= Math.max(50, count / 4);
  refresh();
  heat = 1;
  // Settled for the most part before it is first seen.
  settle(calm ? 2000 : 400);
  fit();
  redraw();
})();
