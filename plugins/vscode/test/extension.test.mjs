/** The extension with a stand-in for VS Code and a real server, which it starts itself. */

import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { build } from "esbuild";

import { freePort, makeLibrary, NOTES, PROGRAM } from "../../typescript/test/library.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const OVEN = 'DEGREES = 240\n\n\ndef preheat_finished(degrees: float) -> bool:\n    """Whether the stone is hot enough for bread."""\n    return degrees >= DEGREES\n';

let library, extension, seen, notes;

before(async () => {
  library = makeLibrary({ ...NOTES, "oven.py": OVEN });
  notes = realpathSync(library.notes);
  const outfile = join(library.home, "extension.mjs");
  const contents = 'export * from "../src/extension"; export { seen } from "vscode"';
  await build({ stdin: { contents, resolveDir: here("."), loader: "ts" }, outfile, bundle: true, platform: "node", format: "esm", alias: { vscode: here("vscode.mjs") } });
  extension = await import(outfile);
  ({ seen } = extension);
  seen.settings = { port: await freePort(), program: PROGRAM };
  extension.activate({ subscriptions: [] });
});

after(async () => {
  await extension?.deactivate();
  library?.remove();
});

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("hits come as one types, open at their line, and stay in the view", async () => {
  seen.commands["octavo.search"]();
  seen.picker.value.fire("how hot must the oven be for sourdough?");
  await until(() => seen.picker.items.length || seen.errors.length);
  assert.deepEqual(seen.errors, []);
  seen.picker.selectedItems = [seen.picker.items[0]];
  seen.picker.accept.fire();
  const [command, uri, { selection }] = seen.executed.pop();
  assert.deepEqual([command, uri.path, selection.start.line], ["vscode.open", `${notes}/Bread.md`, 2]);
  const [hit] = seen.tree.getChildren();
  assert.deepEqual([seen.tree.getTreeItem(hit).label, seen.tree.getTreeItem(hit).description], ["Bread › Oven", "Bread.md:3"]);
});

test("a definition is found by its name, and by what it does", async () => {
  for (const words of ["preheat_finished", "is the stone hot enough"]) {
    const document = { uri: "here", getText: () => words };
    await seen.commands["octavo.definition"]({ document, selection: { isEmpty: false, active: 0 } });
    const [command, , , places] = seen.executed.pop();
    assert.equal(command, "editor.action.goToLocations");
    assert.deepEqual([places[0].uri.path, places[0].range.start.line], [`${notes}/oven.py`, 3], words);
  }
});

test("an answer is a document whose places are links", async () => {
  seen.input = "how long does a baking stone take to warm through?";
  await seen.commands["octavo.ask"]();
  assert.match(seen.documents.pop(), /^# how long .*45 minutes.*\n- Stone\.md:3 <file:\/\/.*\/Stone\.md#L3>\n/s);
});

test("where no server can be had the message says what to do", async () => {
  await extension.deactivate();
  seen.settings = { port: await freePort(), startServer: false };
  seen.input = "anything?";
  await seen.commands["octavo.ask"]();
  assert.match(seen.errors.pop(), /^Octavo: no server answers at .* \(start one with `octavo serve`\)$/);
});

test("every command and setting that the manifest names is there", () => {
  const { contributes } = JSON.parse(readFileSync(here("../package.json"), "utf-8"));
  assert.deepEqual(contributes.commands.map(({ command }) => command), Object.keys(seen.commands));
  const source = readFileSync(here("../src/extension.ts"), "utf-8");
  for (const name of Object.keys(contributes.configuration.properties)) assert.ok(source.includes(`"${name.split(".")[1]}"`), name);
});
