/** The pane: a line to search or ask with, what was found, and what is related to the open note. */

import { ItemView, setIcon, type WorkspaceLeaf } from "obsidian";
import { OctavoError } from "octavo-client";

import type OctavoPlugin from "./main";
import type { Place } from "./main";
import { plain } from "./places";

export const VIEW = "octavo";
const PAUSE = 200; // milliseconds after the last key

export class LibraryView extends ItemView {
  #input!: HTMLInputElement;
  #message!: HTMLElement;
  #found!: HTMLElement;
  #related!: HTMLElement;
  #asked = 0;
  #timer = 0;

  constructor(leaf: WorkspaceLeaf, private readonly plugin: OctavoPlugin) {
    super(leaf);
  }

  getViewType = (): string => VIEW;
  getDisplayText = (): string => "Octavo";
  override getIcon = (): string => "library";

  override async onOpen(): Promise<void> {
    const pane = this.contentEl;
    pane.empty();
    pane.addClass("octavo");
    const form = pane.createEl("form");
    this.#input = form.createEl("input", { type: "search", attr: { placeholder: "Search, or ask a question", "aria-label": "Search the library" } });
    form.createEl("button", { text: "Ask", attr: { type: "button" } }).addEventListener("click", () => void this.#ask());
    this.#message = pane.createDiv({ cls: "octavo-message", attr: { role: "status" } });
    this.#found = pane.createDiv({ cls: "octavo-found" });
    this.#related = pane.createDiv({ cls: "octavo-related" });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#search();
    });
    this.#input.addEventListener("input", () => {
      window.clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => void this.#search(), PAUSE);
    });
    this.registerEvent(this.app.workspace.on("file-open", () => void this.#showRelated()));
    await this.#showRelated();
  }

  override async onClose(): Promise<void> {
    window.clearTimeout(this.#timer);
  }

  start(query: string): void {
    this.#input.focus();
    if (!query) return this.#input.select();
    this.#input.value = query;
    void this.#search();
  }

  async #search(): Promise<void> {
    const query = this.#input.value.trim();
    await this.#answer(query, async () => {
      const { hits, freshness } = await this.plugin.search(query);
      return () => {
        this.#say(hits.length ? "" : "Nothing found.", freshness?.pending ? `${freshness.pending} passages are still to be learnt.` : "");
        for (const hit of hits) this.#place(this.#found, hit, [hit.title, ...hit.heading_path.slice(1)], plain(hit.excerpt));
      };
    });
  }

  async #ask(): Promise<void> {
    const question = this.#input.value.trim();
    await this.#answer(question, async () => {
      const { answered, sentences, hint } = await this.plugin.answer(question);
      return () => {
        if (!answered) return this.#say("Nothing in the library answers this.", hint ?? "");
        this.#say("");
        for (const { text, citations = [] } of sentences) {
          const line = this.#found.createEl("p", { cls: "octavo-sentence", text: `${plain(text)} ` });
          for (const citation of citations) {
            const label = [name(citation.uri), ...citation.heading_path.slice(1)].join(" › ");
            this.#opening(line.createEl("a", { text: label, href: "#", attr: { title: citation.quote } }), citation);
          }
        }
      };
    });
  }

  /** Runs what takes time; an answer that was overtaken by a newer question is not shown. */
  async #answer(question: string, work: () => Promise<() => void>): Promise<void> {
    window.clearTimeout(this.#timer);
    const asked = ++this.#asked;
    if (!question) {
      this.#found.empty();
      return this.#say("");
    }
    this.#message.addClass("is-busy");
    const show = await work().catch((error: unknown) => () => this.#fail(error));
    if (asked !== this.#asked) return;
    this.#message.removeClass("is-busy");
    this.#found.empty();
    show();
  }

  async #showRelated(): Promise<void> {
    const file = this.app.workspace.getActiveFile();
    // A note that is opened before the server answers: the pane says so once, where the search stands.
    const related = file ? await this.plugin.related(file).catch((error: unknown) => (this.#fail(error), [])) : [];
    if (file !== this.app.workspace.getActiveFile()) return;
    this.#related.empty();
    if (!file || !related.length) return;
    this.#related.createEl("h6", { text: `Related to ${file.basename}` });
    for (const place of related) this.#place(this.#related, place, [place.title], place.why.join(", "));
  }

  #place(list: HTMLElement, place: Place, path: string[], below: string): void {
    const item = list.createDiv({ cls: "octavo-hit" });
    const head = item.createDiv({ cls: "octavo-head" });
    this.#opening(head.createEl("a", { text: path.join(" › "), href: "#" }), place);
    if (!this.plugin.fileOf(place)) head.createSpan({ cls: "octavo-where", text: place.collection });
    this.#button(head, "link", "Insert a link", () => this.plugin.insert(this.plugin.link(place)));
    if (place.excerpt) this.#button(head, "quote", "Insert a citation", () => this.plugin.insert(this.plugin.citation(place)));
    item.createDiv({ cls: "octavo-excerpt", text: below });
  }

  #opening(anchor: HTMLElement, place: Place): void {
    anchor.addEventListener("click", (event) => {
      event.preventDefault();
      void this.plugin.open(place, event.ctrlKey || event.metaKey);
    });
  }

  #button(where: HTMLElement, icon: string, label: string, act: () => void): void {
    const button = where.createEl("button", { cls: "clickable-icon", attr: { "aria-label": label, type: "button" } });
    setIcon(button, icon);
    button.addEventListener("click", act);
  }

  #say(...lines: string[]): void {
    this.#message.empty();
    for (const line of lines.filter(Boolean)) this.#message.createDiv({ text: line });
  }

  #fail(error: unknown): void {
    const hint = error instanceof OctavoError ? (error.hint ?? "") : "";
    this.#say(error instanceof Error ? error.message : String(error), hint);
  }
}

function name(uri: string): string {
  return uri.split("/").at(-1)!.replace(/\.md$/, "");
}
