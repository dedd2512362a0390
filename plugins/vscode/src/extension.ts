/** Octavo in VS Code: a view of hits, answers with their places, and definitions by what they do. */

import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { OctavoError, type Answer, type Hit, type Octavo } from "octavo-client";
import { localServer, type Server } from "octavo-client/local";

const PAUSE = 200; // milliseconds after the last key
const ANSWERS = "octavo-answer";

let server: Promise<Server> | undefined;
let roots = new Map<string, string>();

async function library(): Promise<Octavo> {
  const settings = vscode.workspace.getConfiguration("octavo");
  const [token, named] = [settings.get("token", ""), settings.get("library", "")];
  server ??= localServer({
    address: `http://127.0.0.1:${settings.get("port", 7411)}`,
    program: settings.get("startServer", true) ? settings.get("program", "octavo") : "",
    ...(token ? { token } : {}),
    ...(named ? { library: named } : {}),
  });
  try {
    const { octavo } = await server;
    roots = new Map((await octavo.status()).collections.map(({ name, root }) => [name, root]));
    return octavo;
  } catch (error) {
    server = undefined;
    throw error;
  }
}

/** The file at a path, or the mailbox, export or archive that it is a part of. */
function fileOf(path: string): string {
  let file = path;
  while (!existsSync(file) && dirname(file) !== file) file = dirname(file);
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : path;
}

/** Where a hit, or a citation, stands on the disk. */
function location(place: Pick<Hit, "collection" | "uri" | "start_line" | "end_line">): vscode.Location {
  const path = join(roots.get(place.collection) ?? "/", place.uri);
  const file = fileOf(path);
  const [start, end] = file === path ? [place.start_line - 1, place.end_line - 1] : [0, 0];
  return new vscode.Location(vscode.Uri.file(file), new vscode.Range(start, 0, end, 0));
}

function label(hit: Hit): string {
  return hit.symbol ?? [hit.title, ...hit.heading_path.slice(1)].join(" › ");
}

function opening(hit: Hit): vscode.Command {
  const { uri, range } = location(hit);
  const selection = new vscode.Range(range.start, range.start);
  return { command: "vscode.open", title: "Open", arguments: [uri, { selection, preview: true }] };
}

export class Hits implements vscode.TreeDataProvider<Hit> {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  #hits: readonly Hit[] = [];

  show(hits: readonly Hit[]): void {
    this.#hits = hits;
    this.#changed.fire();
  }

  getChildren(parent?: Hit): Hit[] {
    return parent ? [] : [...this.#hits];
  }

  getTreeItem(hit: Hit): vscode.TreeItem {
    return Object.assign(new vscode.TreeItem(label(hit)), {
      description: `${hit.uri}:${hit.start_line}`,
      tooltip: hit.excerpt,
      command: opening(hit),
      resourceUri: location(hit).uri,
    });
  }
}

/** Hits as one types; the chosen one opens, and all stay in the view. */
function search(hits: Hits): void {
  const picker = vscode.window.createQuickPick<vscode.QuickPickItem & { hit: Hit }>();
  let timer: NodeJS.Timeout | undefined;
  let asked = 0;
  const find = async (query: string): Promise<void> => {
    const mine = ++asked;
    picker.busy = true;
    const found = await guarded(async () => (await (await library()).search({ query, limit: 20, max_excerpt_chars: 200 })).hits);
    if (mine !== asked) return;
    picker.busy = false;
    hits.show(found ?? []);
    // What was found by meaning does not hold the words, and would be filtered out.
    picker.items = (found ?? []).map((hit) => ({
      hit,
      label: label(hit),
      description: `${hit.uri}:${hit.start_line}`,
      detail: hit.excerpt.replace(/\s+/g, " "),
      alwaysShow: true,
    }));
  };
  picker.placeholder = "Words, or a question";
  picker.onDidChangeValue((query) => {
    clearTimeout(timer);
    timer = setTimeout(() => void (query.trim() ? find(query) : (picker.items = [])), PAUSE);
  });
  picker.onDidAccept(() => {
    const chosen = picker.selectedItems[0];
    if (!chosen) return;
    const { command, arguments: given = [] } = opening(chosen.hit);
    picker.hide();
    void vscode.commands.executeCommand(command, ...given);
  });
  picker.onDidHide(() => {
    clearTimeout(timer);
    picker.dispose();
  });
  picker.show();
}

/** The answer as Markdown; a place is a link to the file and its line. */
export function written({ answered, question, sentences, hint }: Answer<"ask">): string {
  const lines = [`# ${question ?? ""}`, ""];
  if (!answered) return [...lines, "Nothing in the library answers this.", hint ?? ""].join("\n");
  for (const { text, citations = [] } of sentences) {
    lines.push(text);
    for (const citation of citations) {
      const { uri, range } = location(citation);
      lines.push(`- ${citation.uri}:${citation.start_line} <${uri.toString()}#L${range.start.line + 1}>`);
    }
    lines.push("");
  }
  return lines.join("\n");
}

async function ask(answers: Map<string, string>): Promise<void> {
  const question = await vscode.window.showInputBox({ prompt: "What do you want to know?" });
  if (!question) return;
  await guarded(async () => {
    const answer = await (await library()).ask({ question });
    const address = vscode.Uri.from({ scheme: ANSWERS, path: `/${question.replace(/[^\p{L}\p{N} ]/gu, "").slice(0, 60)}.md` });
    answers.set(address.toString(), written({ ...answer, question }));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(address), { preview: true });
  });
}

/** What the selection, or the word at the cursor, means: declarations by name first, then by what they do. */
async function definition(editor: vscode.TextEditor): Promise<void> {
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  const query = range && document.getText(range).trim();
  if (!query) return;
  await guarded(async () => {
    const { hits } = await (await library()).search_code({ query, max_results: 10 });
    const named = hits.filter(({ symbol }) => symbol?.split(".").at(-1) === query);
    const places = (named.length ? named : hits).map(location);
    await vscode.commands.executeCommand("editor.action.goToLocations", document.uri, selection.active, places, "gotoAndPeek", `Octavo finds nothing for “${query}”`);
  });
}

/** Says what went wrong, with what to do about it. */
async function guarded<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const hint = error instanceof OctavoError && error.hint ? ` (${error.hint})` : "";
    void vscode.window.showErrorMessage(`Octavo: ${error instanceof Error ? error.message : String(error)}${hint}`);
    return undefined;
  }
}

export function activate(context: vscode.ExtensionContext): void {
  const hits = new Hits();
  const answers = new Map<string, string>();
  context.subscriptions.push(
    vscode.window.registerTreeDataProvider("octavo.hits", hits),
    vscode.workspace.registerTextDocumentContentProvider(ANSWERS, { provideTextDocumentContent: (uri) => answers.get(uri.toString()) ?? "" }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("octavo")) void deactivate();
    }),
    vscode.commands.registerCommand("octavo.search", () => search(hits)),
    vscode.commands.registerCommand("octavo.ask", () => ask(answers)),
    vscode.commands.registerTextEditorCommand("octavo.definition", (editor) => definition(editor)),
  );
}

export async function deactivate(): Promise<void> {
  const ending = server;
  server = undefined;
  await ending?.then(({ stop }) => stop(), () => undefined);
}
