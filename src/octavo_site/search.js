/* Search in the page: BM25 over the passages, headings counted threefold, a last word that is being typed as a beginning. */
"use strict";

const [K, B, SHOWN] = [1.2, 0.75, 20];
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
// Chinese and Japanese have no spaces: any two signs that follow each other are a word.
const WORD = /([\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+)|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー])[\p{L}\p{N}])+/gu;
const pairs = (signs) => (signs.length < 2 ? signs : signs.slice(1).map((sign, at) => signs[at] + sign));
const words = (text) => [...folded(text).matchAll(WORD)].flatMap(([word, run]) => (run ? pairs([...run]) : [word]));
const root = document.body.dataset.root;
const [input, list, content] = ["query", "hits", "content"].map((id) => document.getElementById(id));
let index;

function build() {
  const postings = new Map();
  const lengths = PASSAGES.map(([title, heading, , text], at) => {
    const head = words(`${title} ${heading}`);
    const all = [...head, ...head, ...words(text)];
    for (const word of all) {
      const counts = postings.get(word) ?? new Map();
      postings.set(word, counts.set(at, (counts.get(at) ?? 0) + 1));
    }
    return all.length;
  });
  return { postings, lengths, mean: lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1) };
}

function search(query) {
  index ??= build();
  const asked = words(query);
  const scores = new Map();
  asked.forEach((word, place) => {
    const typing = place === asked.length - 1 && !/\s$/.test(query);
    const forms = typing ? [...index.postings.keys()].filter((known) => known.startsWith(word)) : [word];
    for (const form of forms) {
      const counts = index.postings.get(form) ?? new Map();
      const rarity = Math.log(1 + (PASSAGES.length - counts.size + 0.5) / (counts.size + 0.5)) * (form === word ? 1 : 0.5);
      for (const [at, count] of counts) {
        const weight = (count * (K + 1)) / (count + K * (1 - B + (B * index.lengths[at]) / index.mean));
        scores.set(at, (scores.get(at) ?? 0) + rarity * weight);
      }
    }
  });
  return [...scores].sort(([first, a], [second, b]) => b - a || first - second).slice(0, SHOWN).map(([at]) => PASSAGES[at]);
}

function excerpt(text, query) {
  const plain = text.replace(/\s+/g, " ");
  const found = words(query).map((word) => folded(plain).indexOf(word)).filter((at) => at >= 0);
  const near = found.length ? Math.max(0, Math.min(...found) - 80) : 0;
  const start = near && plain.indexOf(" ", near) + 1;
  return (start ? "…" : "") + plain.slice(start, start + 240) + (plain.length > start + 240 ? "…" : "");
}

function show() {
  const query = input.value;
  list.hidden = !query.trim();
  content.hidden = !list.hidden;
  list.replaceChildren();
  if (list.hidden) return;
  const hits = search(query);
  for (const [title, heading, address, text] of hits) {
    const item = list.appendChild(document.createElement("li"));
    const link = item.appendChild(document.createElement("a"));
    link.href = root + address;
    link.textContent = heading.startsWith(title) ? heading : [title, heading].filter(Boolean).join(" › ");
    item.appendChild(document.createElement("p")).textContent = excerpt(text, query);
  }
  if (!hits.length) list.appendChild(document.createElement("li")).textContent = "Nothing found.";
}

input.addEventListener("input", show);
list.addEventListener("click", (event) => {
  // A link to a heading of this very page shows it again.
  if (event.target.closest("a")) setTimeout(() => ((input.value = ""), show()));
});
input.form.addEventListener("submit", (event) => event.preventDefault());
