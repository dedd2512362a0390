/** The plugin with a stand-in for Obsidian and a real server, which it starts itself. */

import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import { after, before, test } from "node:test";
import { join } from "node:path";

import { localServer } from "octavo-client/local";
import { freePort, makeLibrary, NOTES, PROGRAM } from "../../typescript/test/library.mjs";
import { bundled } from "./bundle.mjs";

let library, module, plugin, port;

const started = async (base, data = {}) => {
  const app = new module.App(base, Object.keys(NOTES), { port, program: PROGRAM, ...data });
  const made = new module.default(app);
  await made.onload();
  return made;
};

before(async () => {
  library = makeLibrary();
  port = await freePort();
  module = await import(await bundled(library.home, 'export * from "../src/places"; export * from "./obsidian.mjs"; export { default } from "../src/main"'));
  plugin = await started(library.notes);
});

after(async () => {
  plugin?.onunload();
  library?.remove();
});

test("a hit opens its note at its line, with the server that the plugin has started", async () => {
  const { hits } = await plugin.search("how hot must the oven be for sourdough?");
  await plugin.open(hits[0]);
  assert.deepEqual(plugin.app.opened, [["Bread.md", 2]]);
});

test("a link names the heading, a citation quotes what stands below it", async () => {
  const { hits } = await plugin.search("how hot must the oven be for sourdough?");
  plugin.insert(plugin.link(hits[0]));
  assert.equal(plugin.app.note.text, "[[Bread#Oven]]");
  assert.equal(
    plugin.citation(hits[0]),
    "> Sourdough goes in at 240 degrees, once the stone is hot. See [[Stone]].\n>\n> — [[Bread#Oven]]\n",
  );
});

test("related notes are those that the open one links to and is near to", async () => {
  const related = await plugin.related(plugin.app.vault.getAbstractFileByPath("Bread.md"));
  assert.equal(related[0].uri, "Stone.md");
  assert.deepEqual(await plugin.related(new module.TFile("new note.md")), []);
});

test("an answer cites the note", async () => {
  const { answered, sentences } = await plugin.answer("how long does a baking stone take to warm through?");
  assert.deepEqual([answered, sentences[0].citations[0].uri], [true, "Stone.md"]);
});

test("a vault inside of what the library has finds only its own notes, or everything where that is set", async () => {
  const garden = await started(join(library.notes, "garden"), { startServer: false });
  const uris = async () => (await garden.search("bread oven apples")).hits.map(({ uri }) => uri);
  assert.deepEqual(new Set(await uris()), new Set(["garden/Apples.md"]));
  await garden.change({ wholeLibrary: true });
  assert.ok((await uris()).includes("Bread.md"));
  assert.match(garden.link({ collection: "notes", uri: "Bread.md", title: "Bread", start_line: 3 }), /^Bread \(notes\/Bread\.md:3\)$/);
});

test("a vault that the library does not have is told what to do", async () => {
  const stranger = await started(library.home, { startServer: false });
  const elsewhere = await started(join(library.home, "data"), { startServer: false });
  await assert.rejects(elsewhere.search("bread"), { code: "NOT_INDEXED", hint: `octavo start "${realpathSync(library.home)}/data"` });
  // A vault around what the library has finds that part of itself.
  assert.ok((await stranger.search("sourdough oven")).hits.length);
});

test("a server that has ended is replaced at the next question", async () => {
  const address = `http://127.0.0.1:${await freePort()}`;
  const before = await localServer({ address, program: PROGRAM });
  const own = await started(library.notes, { port: new URL(address).port });
  assert.equal((await own.search("sourdough")).hits[0].uri, "Bread.md");
  await before.stop();
  assert.equal((await own.search("sourdough")).hits[0].uri, "Bread.md");
  await own.change({ wholeLibrary: true }); // ends the one that the plugin has started, and the next begins after it
  assert.equal((await own.search("sourdough")).hits[0].uri, "Bread.md");
  own.onunload();
});

test("without a server, and told to start none, the error says how to start one", async () => {
  const alone = await started(library.notes, { port: await freePort(), startServer: false });
  await assert.rejects(alone.search("bread"), { code: "UNREACHABLE", hint: "start one with `octavo serve`" });
});

test("the manifest has this version, and every setting has its field", () => {
  const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf-8"));
  const [manifest, versions, described] = [read("manifest.json"), read("versions.json"), read("package.json")];
  assert.equal(manifest.version, described.version);
  assert.equal(versions[manifest.version], manifest.minAppVersion);
  plugin.tab.containerEl = { empty() {} };
  plugin.tab.display();
  assert.equal(module.Setting.names.length, 6);
  assert.deepEqual(Object.keys(plugin.commands), ["search", "search-selection", "open", "insert-link", "insert-citation"]);
});

test("places are told on Windows too", () => {
  assert.equal(module.inside("C:\\Notes", "C:\\Notes\\garden\\Apples.md"), "garden/Apples.md");
  assert.equal(module.inside("/notes", "/notes-of-others/x.md"), undefined);
});

test("excerpts are listed as they read", () => {
  assert.equal(module.plain("# A\n\n## B\n\nSee [[Mirror|the mirror]], [[Dome]] and [a page](https://example.org)."), "See the mirror, Dome and a page.");
  assert.equal(module.plain("| reading | close |\n|---|:-:|\n| wind | 11 |\n\na | b"), "reading · close\nwind · 11\n\na | b");
});
