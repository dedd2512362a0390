/** What the plugin uses of Obsidian, as far as it shows: for Node without a document, and for a page with one. */

const platform = globalThis.platform ?? {};

if (globalThis.HTMLElement) {
  const made = (tag, { cls, text, type, href, attr = {} } = {}) => {
    const element = document.createElement(tag);
    if (cls) element.className = cls;
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries({ type, href, ...attr })) if (value !== undefined) element.setAttribute(name, value);
    return element;
  };
  Object.assign(HTMLElement.prototype, {
    createEl(tag, options) { return this.appendChild(made(tag, options)); },
    createDiv(options) { return this.createEl("div", options); },
    createSpan(options) { return this.createEl("span", options); },
    empty() { this.replaceChildren(); },
    setText(text) { this.textContent = text; },
    addClass(name) { this.classList.add(name); },
    removeClass(name) { this.classList.remove(name); },
  });
}

export const requestUrl = async ({ url, ...request }) => {
  const { status, text } = await (platform.request ?? asked)(url, request);
  return { status, get json() { return JSON.parse(text); } };
};
async function asked(url, request) {
  const response = await fetch(url, request);
  return { status: response.status, text: await response.text() };
}

export const stripHeadingForLink = (heading) => heading.replace(/[#^|[\]:]+/g, " ").trim();
export const setIcon = (element, icon) => (element.textContent = { link: "[[ ]]", quote: "❝" }[icon] ?? icon);

export class FileSystemAdapter {
  constructor(base) { this.base = base; }
  getBasePath() { return this.base; }
}
export class TFile {
  constructor(path) {
    this.path = path;
    this.basename = path.split("/").at(-1).replace(/\.md$/, "");
  }
}
export class MarkdownView {
  text = "";
  editor = { replaceSelection: (text) => (this.text += text), getSelection: () => "" };
}
export class Notice {
  static all = [];
  constructor(text) { Notice.all.push(text); }
}
export class ItemView {
  constructor(leaf) {
    this.leaf = leaf;
    this.app = leaf.app;
    this.contentEl = leaf.element;
  }
  registerEvent() {}
}
export class Modal {
  static last;
  constructor(app) {
    this.app = app;
    if (!globalThis.document) return;
    this.titleEl = document.createElement("h2");
    this.contentEl = document.createElement("div");
  }
  open() {
    Modal.last = this;
    return this.onOpen?.();
  }
}
export class SuggestModal extends Modal {
  setPlaceholder(text) { this.placeholder = text; }
}
export class PluginSettingTab {
  constructor(app) { this.app = app; }
}
export class Setting {
  static names = [];
  constructor() {}
  setName(name) { Setting.names.push(name); return this; }
  setDesc() { return this; }
  #field(build) {
    const field = { setPlaceholder: () => field, setValue: () => field, onChange: () => field };
    build(field);
    return this;
  }
  addText(build) { return this.#field(build); }
  addToggle(build) { return this.#field(build); }
}
export class Plugin {
  commands = {};
  views = {};
  constructor(app) { this.app = app; }
  addCommand(command) { this.commands[command.id] = command; }
  addRibbonIcon() {}
  addSettingTab(tab) { this.tab = tab; }
  registerView(type, make) { this.views[type] = make; }
  async loadData() { return this.app.data ?? null; }
  async saveData(data) { this.app.data = { ...data }; }
}

/** An app over a vault of these files: `opened` says what was opened and where. */
export class App {
  opened = [];
  #listeners = [];
  note = new MarkdownView();

  constructor(base, paths, data) {
    this.data = data;
    const files = new Map(paths.map((path) => [path, new TFile(path)]));
    this.vault = { adapter: new FileSystemAdapter(base), getAbstractFileByPath: (path) => files.get(path) ?? null };
    this.fileManager = { generateMarkdownLink: (file, source, subpath = "") => `[[${file.path.replace(/\.md$/, "")}${subpath}]]` };
    this.workspace = {
      active: null,
      getActiveFile: () => this.workspace.active,
      getMostRecentLeaf: () => ({ view: this.note }),
      getLeaf: () => ({ openFile: async (file, state) => this.opened.push([file.path, state.eState?.line]) }),
      openLinkText: async (link) => this.opened.push([link]),
      on: (_, listener) => this.#listeners.push(listener),
    };
  }

  show(path) {
    this.workspace.active = this.vault.getAbstractFileByPath(path);
    for (const listener of this.#listeners) listener();
  }
}
