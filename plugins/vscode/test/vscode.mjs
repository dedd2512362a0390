/** What the extension uses of VS Code: what it registers, shows and opens is written down. */

export const seen = { commands: {}, executed: [], errors: [], documents: [], settings: {}, tree: undefined, picker: undefined, input: undefined, provider: undefined };

const event = () => {
  const listeners = [];
  return Object.assign((listener) => listeners.push(listener), { fire: (value) => listeners.forEach((listener) => listener(value)) });
};

export class EventEmitter {
  event = event();
  fire(value) { this.event.fire(value); }
}
export class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
export class Range {
  constructor(start, character, end, last) {
    [this.start, this.end] = typeof start === "number" ? [new Position(start, character), new Position(end, last)] : [start, character];
  }
}
export class Location { constructor(uri, range) { Object.assign(this, { uri, range }); } }
export class TreeItem { constructor(label) { this.label = label; } }

const uri = (scheme, path) => ({ scheme, path, toString: () => `${scheme}://${path}` });
export const Uri = {
  file: (path) => uri("file", path),
  from: ({ scheme, path }) => uri(scheme, path),
  joinPath: (base, ...rest) => uri(base.scheme, [base.path.replace(/\/$/, ""), ...rest].join("/")),
};

export const window = {
  registerTreeDataProvider: (_, tree) => (seen.tree = tree),
  showInputBox: async () => seen.input,
  showErrorMessage: async (text) => seen.errors.push(text),
  showTextDocument: async (document) => seen.documents.push(document),
  createQuickPick: () => {
    const [value, accept, hide] = [event(), event(), event()];
    seen.picker = { items: [], selectedItems: [], onDidChangeValue: value, onDidAccept: accept, onDidHide: hide, show() {}, hide: () => hide.fire(), dispose() {}, value, accept };
    return seen.picker;
  },
};
export const workspace = {
  getConfiguration: () => ({ get: (name, otherwise) => seen.settings[name] ?? otherwise }),
  registerTextDocumentContentProvider: (_, provider) => (seen.provider = provider),
  openTextDocument: async (address) => seen.provider.provideTextDocumentContent(address),
  onDidChangeConfiguration: () => undefined,
};
export const commands = {
  registerCommand: (name, act) => (seen.commands[name] = act),
  registerTextEditorCommand: (name, act) => (seen.commands[name] = act),
  executeCommand: async (...call) => seen.executed.push(call),
};
