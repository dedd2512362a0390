// Search as one types. The page works without this: the form is an ordinary one.
const PAUSE = [40, 300]; // milliseconds without a key before asking: more than a held key repeats in, longer where answers take long

const form = document.getElementById("ask");
const field = document.getElementById("query");
const results = document.getElementById("results");
const keys = document.getElementById("keys");
let waiting = 0;
let took = 0;
let request = null;
let shown = new URLSearchParams(new FormData(form)).toString();
// `autofocus` is obeyed when the page is next painted: keys that are pressed before would be lost.
if (document.activeElement === document.body) field.focus({ preventScroll: true });

const asked = () => {
  const given = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...given]) if (!value && name !== "q") given.delete(name);
  return given;
};

function say(text) {
  const note = document.createElement("p");
  note.className = "note warn";
  note.textContent = text;
  results.replaceChildren(note);
}

async function search() {
  const given = asked();
  if (given.toString() === shown) return;
  shown = given.toString();
  request?.abort();
  request = new AbortController();
  const since = performance.now();
  const mine = request;
  results.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`/results?${given}`, { signal: request.signal });
    if (answer.status === 401) return location.assign("/login");
    const html = await answer.text();
    took = performance.now() - since;
    if (given.toString() !== shown) return;
    if (!answer.ok) {
      shown = "";
      if (answer.status !== 503) return say("The server could not answer this.");
      say("The server is busy; the search is tried again in a moment.");
      waiting = setTimeout(search, 1000 * (Number(answer.headers.get("Retry-After")) || 1));
      return;
    }
    results.innerHTML = html;
    offerAnswer(given.get("q"));
    history.replaceState(null, "", given.get("q") ? `/?${given}` : "/");
    document.title = `${given.get("q") || "Search"} · Octavo`;
  } catch (error) {
    if (error.name !== "AbortError") {
      say("The server does not answer.");
      shown = "";
    }
  } finally {
    if (mine === request) results.removeAttribute("aria-busy");
  }
}

// A question in words is answered above its hits, once nobody types any more: that takes longer than a search.
const answer = document.getElementById("answer");
const REST = 700; // milliseconds without a key
let resting = 0;
let asking = null;
const ASKS = /^(who|whose|what|when|where|why|how|which|can|could|do|does|did|is|are|was|were|should|may|must|will)\b|\?$/i;
const isQuestion = (text) => text.split(/\s+/).length > 2 && ASKS.test(text) && !/["*:()]|(^|\s)-/.test(text);
function offerAnswer(text) {
  clearTimeout(resting);
  asking?.abort();
  answer.hidden = true;
  if (!text || !isQuestion(text) || !results.querySelector(".hit")) return;
  answer.hidden = false;
  answer.textContent = "Looking for an answer …";
  resting = setTimeout(async () => {
    asking = new AbortController();
    const mine = asking;
    try {
      const found = await fetch("/ask/short", { method: "POST", body: new URLSearchParams({ q: text }), signal: mine.signal });
      const html = found.ok ? await found.text() : "";
      if (mine !== asking) return;
      answer.innerHTML = html;
      answer.hidden = !html.trim();
    } catch {
      if (mine === asking) answer.hidden = true;
    }
  }, REST);
}
offerAnswer(field.value.trim());

const soon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, Math.min(PAUSE[1], Math.max(PAUSE[0], took / 4)));
};
form.addEventListener("input", soon);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  search();
});

// Why a hit is there is asked for when somebody wants to know: the same search again, explained.
results.addEventListener("toggle", async ({ target }) => {
  if (!target.matches("details.later[open]")) return;
  target.classList.remove("later");
  const place = [...results.querySelectorAll("details.why")].indexOf(target);
  const answer = await fetch(`/results?${asked()}&explain=1`).catch(() => null);
  const html = answer?.ok ? await answer.text() : "";
  const told = new DOMParser().parseFromString(html, "text/html").querySelectorAll("details.why")[place];
  if (told) target.replaceChildren(...told.children);
  else target.append("The server could not say it just now.");
}, true);

const hits = () => [...results.querySelectorAll("a.open")].filter((link) => link.checkVisibility());
function move(step) {
  const all = hits();
  const at = all.indexOf(document.activeElement);
  if (at + step < 0) field.focus();
  else all[Math.min(at + step, all.length - 1)]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    field.focus();
    field.select();
  } else if (event.key === "?" && (!typing || (event.target === field && !field.value))) {
    event.preventDefault();
    keys.showModal();
  } else if (event.key === "ArrowDown" && event.target.tagName !== "SELECT") {
    event.preventDefault();
    move(1);
  } else if (event.key === "ArrowUp" && event.target.tagName !== "SELECT") {
    event.preventDefault();
    move(-1);
  } else if (event.key === "Escape") {
    event.preventDefault(); // browsers empty the field, and the search would be lost
    field.focus();
    field.select();
  } else if (event.key === "Enter" && event.target === field) {
    const first = hits()[0];
    if (first && asked().toString() === shown) {
      event.preventDefault();
      first.click();
    }
  }
});
