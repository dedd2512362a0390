// Shows an answer sentence by sentence. Without this the page asks for the whole answer at once.
const [state, answer, end] = ["state", "answer", "end"].map((id) => document.getElementById(id));
const asked = new URLSearchParams(location.search);
const question = asked.get("q")?.trim();

// Events as the server writes them: "event: NAME", "data: JSON", and an empty line.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    for (let cut = text.indexOf("\n\n"); cut >= 0; cut = text.indexOf("\n\n")) {
      const [name, data] = text.slice(0, cut).split("\n");
      text = text.slice(cut + 2);
      yield [name.slice("event: ".length), JSON.parse(data.slice("data: ".length))];
    }
  }
}

async function ask() {
  state.textContent = "Looking for an answer …";
  // As a page: what goes wrong is told in a note of one.
  const headers = { Accept: "text/html, text/event-stream" };
  const response = await fetch("/ask/stream", { method: "POST", body: asked, headers });
  if (response.status === 401) return location.assign("/login");
  if (!response.ok) {
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return end.replaceChildren(...page.querySelectorAll("main > :is(.problem, .note)"));
  }
  let whole = false;
  for await (const [name, { html }] of events(response.body)) {
    if (name === "sentence") answer.insertAdjacentHTML("beforeend", html);
    else end.innerHTML = html;
    whole ||= name === "answer";
  }
  if (!whole) throw new Error("the answer was broken off");
}

if (question && !answer.children.length && !end.children.length) {
  ask()
    .catch(() => {
      const note = document.createElement("p");
      note.className = "note warn";
      note.textContent = "The answer was broken off: the server does not answer any more.";
      end.replaceChildren(note);
    })
    .finally(() => (state.textContent = ""));
}
