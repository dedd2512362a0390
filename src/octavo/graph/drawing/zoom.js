"use strict";
// What both drawings share: the wheel, two fingers and two buttons zoom, around where they are.
function makeZoom(canvas, view, least, most, changed) {
  const fingers = new Map();

  function by(factor, x, y) {
    const scale = Math.min(most, Math.max(least, view.scale * factor));
    view.left = x - (x - view.left) * scale / view.scale;
    view.top = y - (y - view.top) * scale / view.scale;
    view.scale = scale;
    changed();
  }

  function spread() {
    const [[ax, ay], [bx, by]] = [...fingers.values()];
    return { far: Math.hypot(ax - bx, ay - by) || 1, x: (ax + bx) / 2, y: (ay + by) / 2 };
  }

  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    by(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener("pointerdown", event => fingers.set(event.pointerId, [event.offsetX, event.offsetY]));
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => fingers.delete(event.pointerId));
  canvas.addEventListener("pointermove", event => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.size === 2 ? spread() : null;
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (!before) return;
    const now = spread();
    view.left += now.x - before.x;
    view.top += now.y - before.y;
    by(now.far / before.far, now.x, now.y);
  });
  return { by, pinching: () => fingers.size > 1 };
}
