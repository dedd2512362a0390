
"use strict";
// Forces: all nodes push each other away (Barnes and Hut's approximation), edges pull, the middle holds everything.
// Nothing is random, so the same graph is always drawn the same.
function makeLayout(count, sources, targets, weights, groups) {
  const x = new Float64Array(count), y = new Float64Array(count);
  const vx = new Float64Array(count), vy = new Float64Array(count);
  const degree = new Float64Array(count), fixed = new Int8Array(count);
  for (let e = 0; e < sources.length; e++) { degree[sources[e]]++; degree[targets[e]]++; }
  start();

  // Each community begins as a sunflower of its own, the largest in the middle: less has to cross.
  function start() {
    const sizes = new Map();
    for (let i = 0; i < count; i++) sizes.set(groups[i], (sizes.get(groups[i]) || 0) + 1);
    const order = [...sizes.keys()].sort((a, b) => sizes.get(b) - sizes.get(a) || a - b);
    const centre = new Map(), placed = new Map();
    let before = 0;
    order.forEach((group, n) => {
      const far = n ? 26 * Math.sqrt(before) : 0, turn = n * 2.399963;
      centre.set(group, [far * Math.cos(turn), far * Math.sin(turn)]);
      before += sizes.get(group);
    });
    for (let i = 0; i < count; i++) {
      const n = placed.get(groups[i]) || 0, [cx, cy] = centre.get(groups[i]);
      placed.set(groups[i], n + 1);
      const far = 14 * Math.sqrt(n + 0.5), turn = n * 2.399963;
      x[i] = cx + far * Math.cos(turn);
      y[i] = cy + far * Math.sin(turn);
    }
  }

  // A square is cut in four wherever it holds more than one node. Nodes at one spot share a leaf.
  const room = 4 * count + 64;
  const child = new Int32Array(room * 4), leaf = new Int32Array(room), next = new Int32Array(count);
  const mass = new Float64Array(room), mx = new Float64Array(room), my = new Float64Array(room);
  let cells = 0;

  function cell() {
    child.fill(-1, cells * 4, cells * 4 + 4);
    leaf[cells] = -1; mass[cells] = mx[cells] = my[cells] = 0;
    return cells++;
  }

  function build(shown) {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < count; i++) if (shown[i]) {
      low = Math.min(low, x[i], y[i]); high = Math.max(high, x[i], y[i]);
    }
    cells = 0;
    const root = cell(), side = Math.max(1, high - low) * 1.001;
    for (let i = 0; i < count; i++) if (shown[i]) insert(root, i, low, low, side);
    return side;
  }

  function insert(at, node, left, top, side) {
    for (let depth = 0; ; depth++) {
      mass[at] += 1; mx[at] += x[node]; my[at] += y[node];
      if (mass[at] === 1) { leaf[at] = node; next[node] = -1; return; }
      if (depth > 40 || cells + 4 > room) { next[node] = leaf[at]; leaf[at] = node; return; }
      if (leaf[at] >= 0) {
        const held = leaf[at];
        leaf[at] = -1;
        const to = down(at, held, left, top, side);
        leaf[to] = held; mass[to] = 1; mx[to] = x[held]; my[to] = y[held];
      }
      const half = side / 2, east = x[node] >= left + half ? 1 : 0, south = y[node] >= top + half ? 1 : 0;
      at = down(at, node, left, top, side);
      left += east * half; top += south * half; side = half;
    }
  }

  function down(at, node, left, top, side) {
    const half = side / 2;
    const slot = at * 4 + (x[node] >= left + half ? 1 : 0) + (y[node] >= top + half ? 2 : 0);
    if (child[slot] < 0) child[slot] = cell();
    return child[slot];
  }

  const stack = new Int32Array(4096), sides = new Float64Array(4096);

  function push(node, side, strength) {
    let top = 0, fx = 0, fy = 0;
    stack[top] = 0; sides[top++] = side;
    while (top) {
      const at = stack[--top], width = sides[top];
      if (!mass[at]) continue;
      const dx = x[node] - mx[at] / mass[at], dy = y[node] - my[at] / mass[at], d2 = dx * dx + dy * dy;
      if (leaf[at] < 0 && width * width > 0.8 * d2 && top < 4000) {
        for (let c = 0; c < 4; c++) if (child[at * 4 + c] >= 0) { stack[top] = child[at * 4 + c]; sides[top++] = width / 2; }
        continue;
      }
      if (leaf[at] === node && mass[at] === 1) continue;
      // Two nodes at one spot part by their numbers.
      const ax = d2 ? dx : Math.cos(node), ay = d2 ? dy : Math.sin(node), near = Math.max(d2, 25);
      fx += ax * mass[at] * strength / near; fy += ay * mass[at] * strength / near;
    }
    vx[node] += fx; vy[node] += fy;
  }

  // One step; `heat` goes from 1 to 0 as the drawing settles.
  function step(heat, shown, alive) {
    const side = build(shown);
    for (let i = 0; i < count; i++) if (shown[i]) push(i, side, 420 * heat);
    for (let e = 0; e < sources.length; e++) {
      if (!alive[e]) continue;
      const a = sources[e], b = targets[e];
      const dx = x[b] - x[a], dy = y[b] - y[a], far = Math.sqrt(dx * dx + dy * dy) || 1;
      const same = groups[a] === groups[b];
      const pull = heat * (same ? 0.16 : 0.03) * weights[e] * (far - (same ? 40 : 110)) / far;
      const share = degree[b] / (degree[a] + degree[b] || 1);
      vx[a] += dx * pull * share; vy[a] += dy * pull * share;
      vx[b] -= dx * pull * (1 - share); vy[b] -= dy * pull * (1 - share);
    }
    for (let i = 0; i < count; i++) {
      if (!shown[i]) continue;
      const hold = (degree[i] ? 0.02 : 0.05) * heat;
      vx[i] -= x[i] * hold; vy[i] -= y[i] * hold;
      vx[i] *= 0.6; vy[i] *= 0.6;
      const speed = Math.hypot(vx[i], vy[i]), most = 40;
      if (speed > most) { vx[i] *= most / speed; vy[i] *= most / speed; }
      if (!fixed[i]) { x[i] += vx[i]; y[i] += vy[i]; }
    }
  }

  return { x, y, degree, fixed, step };
}
