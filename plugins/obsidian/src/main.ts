/** Octavo in Obsidian: search, ask, related notes, links. The library answers from a server on this machine. */

import { realpathSync } from "node:fs";

import { FileSystemAdapter, MarkdownView, Notice, Plugin, requestUrl, stripHeadingForLink, TFile } from "obsidian";
import { OctavoError, type Answer, type Collection, type Fetch, type Hit, type Octavo } from "octavo-client";
import { localServer, type Server } from "octavo-client/local";

import { documentOf, quoted, scopeOf, splitPlace, subpathOf, vaultPath, type Scope } from "./places";
import { DEFAULTS, OctavoSettings, type Settings } from "./settings";
import { LibraryView, VIEW } from "./view";
import { PassageModal, PickModal } from "./modals";

/** Anything with a place: a hit, a passage of an answer, a related document. */
export type Place = Pick<Hit, "collection" | "uri"> & Partial<Pick<Hit, "title" | "heading_path" | "start_line" | "end_line" | "page" | "excerpt">>;

/** Requests of the app itself: the server refuses those of web pages, which `fetch` would be taken for. */
const byObsidian: Fetch = async (url, { method, headers, body }) => {
  const response = await requestUrl({ url, method, headers, throw: false, ...(body ? { body } : {}) });
  return { ok: response.status < 400, status: response.status, json: async () => response.json };
};

export default class OctavoPlugin extends Plugin {
  settings: Settings = DEFAULTS;
  #server: Promise<Server> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #collections: Collection[] = [];

  override async onload(): Promise<void> {
    this.settings = { ...DEFAULTS, ...((await this.loadData()) as Partial<Settings> | null) };
    this.registerView(VIEW, (leaf) => new LibraryView(leaf, this));
    this.addSettingTab(new OctavoSettings(this.app, this));
    this.addRibbonIcon("library", "Octavo: search", () => this.show());
    this.addCommand({ id: "search", name: "Search", callback: () => this.show() });
    this.addCommand({
      id: "search-selection",
      name: "Search for the selection",
      editorCallback: (editor) => this.show(editor.getSelection()),
    });
    this.addCommand({ id: "open", name: "Find and open…", callback: () => new PickModal(this, (hit) => this.open(hit)).open() });
    this.addCommand({
      id: "insert-link",
      name: "Find and insert a link…",
      editorCallback: () => new PickModal(this, (hit) => this.insert(this.link(hit))).open(),
    });
    this.addCommand({
      id: "insert-citation",
      name: "Find and insert a citation…",
      editorCallback: () => new PickModal(this, (hit) => this.insert(this.citation(hit))).open(),
    });
  }

  override onunload(): void {
    this.#forgetServer();
  }

  async change(changed: Partial<Settings>): Promise<void> {
    this.settings = { ...this.settings, ...changed };
    await this.saveData(this.settings);
    this.#forgetServer();
  }

  get vault(): string {
    const { adapter } = this.app.vault;
    if (!(adapter instanceof FileSystemAdapter)) throw new OctavoError("UNSUPPORTED", "this vault is not a folder on this machine");
    // The library knows folders by where they really are.
    return realpathSync(adapter.getBasePath());
  }

  /** Asks the server, which is found or started first; one that has ended meanwhile is replaced. */
  async ask<T>(question: (octavo: Octavo) => Promise<T>): Promise<T> {
    const server = await this.#find().catch((error: unknown) => {
      this.#forgetServer();
      throw error;
    });
    try {
      return await question(server.octavo);
    } catch (error) {
      if (!(error instanceof OctavoError) || error.code !== "UNREACHABLE") throw error;
      this.#forgetServer();
      return question((await this.#find()).octavo);
    }
  }

  async search(query: string, limit = 20): Promise<Answer<"search">> {
    const scope = await this.scope();
    return this.ask((octavo) => octavo.search({ query, limit, max_excerpt_chars: 400, ...scope }));
  }

  async answer(question: string): Promise<Answer<"ask">> {
    const scope = await this.scope();
    return this.ask((octavo) => octavo.ask({ question, ...scope }));
  }

  /** What is near the note in links and in meaning; empty for a note that is not in the library. */
  async related(file: TFile): Promise<(Place & { title: string; why: string[] })[]> {
    await this.scope();
    const document = documentOf(this.vault, this.#collections, file.path);
    if (!document) return [];
    try {
      const { documents } = await this.ask((octavo) => octavo.graph_related({ reference: document.uri, collection: document.collection }));
      return documents.flatMap(({ place, title, why }) => {
        const where = splitPlace(this.#collections, place);
        return where ? [{ ...where, title, why: why ?? [] }] : [];
      });
    } catch (error) {
      if (error instanceof OctavoError && error.code === "NOT_FOUND") return []; // not read yet
      throw error;
    }
  }

  /** Where to look. A vault that the library does not have is an error, unless everything is looked at. */
  async scope(): Promise<Scope> {
    const known = () => (this.settings.wholeLibrary && this.#collections.length ? {} : scopeOf(this.vault, this.#collections));
    let scope = known();
    if (scope) return scope;
    this.#collections = (await this.ask((octavo) => octavo.status())).collections;
    scope = known();
    if (scope) return scope;
    throw new OctavoError("NOT_INDEXED", "this vault is not in the library", `octavo start "${this.vault}"`);
  }

  fileOf({ collection, uri }: Place): TFile | undefined {
    const path = vaultPath(this.vault, this.#collections, collection, uri);
    const file = path === undefined ? null : this.app.vault.getAbstractFileByPath(path);
    return file instanceof TFile ? file : undefined;
  }

  /** A note at its lines, a PDF at its page; what is not in the vault is shown as the library has it. */
  async open(place: Place, newLeaf = false): Promise<void> {
    const file = this.fileOf(place);
    if (!file) return new PassageModal(this, place).open();
    if (place.page) return this.app.workspace.openLinkText(`${file.path}#page=${place.page}`, "", newLeaf);
    const line = (place.start_line ?? 1) - 1;
    await this.app.workspace.getLeaf(newLeaf).openFile(file, place.start_line ? { eState: { line } } : {});
  }

  link(place: Place): string {
    const file = this.fileOf(place);
    const { title = place.uri, heading_path = [] } = place;
    if (!file) return `${title} (${place.collection}/${place.uri}${place.start_line ? `:${place.start_line}` : ""})`;
    const subpath = subpathOf({ title, heading_path, ...(place.page ? { page: place.page } : {}) }, stripHeadingForLink);
    const source = this.app.workspace.getActiveFile()?.path ?? "";
    return this.app.fileManager.generateMarkdownLink(file, source, subpath);
  }

  citation(place: Place): string {
    return quoted(place.excerpt ?? "", this.link(place));
  }

  /** At the cursor of the note that was edited last. */
  insert(text: string): void {
    const view = this.app.workspace.getMostRecentLeaf()?.view;
    if (view instanceof MarkdownView) view.editor.replaceSelection(text);
    else new Notice("Open a note first: there is nowhere to insert this.");
  }

  async show(query = ""): Promise<void> {
    const { workspace } = this.app;
    const leaf = workspace.getLeavesOfType(VIEW)[0] ?? workspace.getRightLeaf(false);
    await leaf?.setViewState({ type: VIEW, active: true });
    if (!leaf) return;
    await workspace.revealLeaf(leaf);
    if (leaf.view instanceof LibraryView) leaf.view.start(query);
  }

  #find(): Promise<Server> {
    const { port, token, startServer, program, library } = this.settings;
    // The one before may have the port still.
    this.#server ??= this.#ended.then(() =>
      localServer({
        address: `http://127.0.0.1:${port}`,
        fetch: byObsidian,
        program: startServer ? program : "",
        ...(token ? { token } : {}),
        ...(library ? { library } : {}),
      }),
    );
    return this.#server;
  }

  #forgetServer(): void {
    this.#ended = (this.#server ?? Promise.reject()).then(({ stop }) => stop()).catch(() => undefined);
    this.#server = undefined;
    this.#collections = [];
  }
}
