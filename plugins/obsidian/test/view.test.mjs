/** The pane in a real browser, with the vault of the examples and a real server. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { accountToken, localServer } from "octavo-client/local";
import { browser } from "../../typescript/test/browser.mjs";
import { freePort, makeLibrary, PROGRAM } from "../../typescript/test/library.mjs";
import { bundled } from "./bundle.mjs";

const VAULT = fileURLToPath(new URL("../../../examples/vault", import.meta.url));
const MARKDOWN = readdirSync(VAULT, { recursive: true }).filter((path) => path.endsWith(".md"));
const FILES = Object.fromEntries(MARKDOWN.map((path) => [path, readFileSync(`${VAULT}/${path}`, "utf-8")]));
const read = (name) => readFileSync(new URL(name, import.meta.url), "utf-8");

const chromium = await browser();
const skip = chromium ? false : "no Chromium on this machine";
let library, server, page;

before(async () => {
  if (skip) return;
  library = makeLibrary({ ...FILES, "Hostile.md": "# <img src=x onerror=\"document.title='broken'\">\n\nzeppelin <script>document.title='broken'</script>\n" });
  const address = `http://127.0.0.1:${await freePort()}`;
  server = await localServer({ address, program: PROGRAM });
  page = await chromium.newPage({ viewport: { width: 420, height: 760 } });
  await page.setContent(read("page.html"));
  await page.addStyleTag({ content: read("../styles.css") });
  await page.exposeFunction("ask", async (url, request) => {
    const response = await fetch(url, request);
    return { status: response.status, text: await response.text() };
  });
  await page.evaluate((connection) => (globalThis.platform = { connection, request: globalThis.ask }), { address, token: await accountToken() });
  const source = 'import Plugin from "../src/main"; import { LibraryView } from "../src/view"; import * as obsidian from "./obsidian.mjs"; Object.assign(globalThis, { Plugin, LibraryView, obsidian })';
  await page.addScriptTag({ path: await bundled(library.home, source, { inPage: true }) });
  await page.evaluate(async ([base, paths]) => {
    const app = new obsidian.App(base, paths);
    globalThis.plugin = new Plugin(app);
    await plugin.onload();
    globalThis.view = plugin.views.octavo({ app, element: document.querySelector("#pane") });
    await view.onOpen();
  }, [library.notes, [...MARKDOWN, "Hostile.md"]]);
});

after(async () => {
  await chromium?.close();
  await server?.stop();
  library?.remove();
});

/** For the documentation: OCTAVO_PICTURES names its folder of pictures. */
async function picture(name) {
  if (!process.env.OCTAVO_PICTURES) return;
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  writeFileSync(`${process.env.OCTAVO_PICTURES}/${name}.webp`, data, "base64");
}

const opened = () => page.evaluate(() => plugin.app.opened.splice(0));

test("typing finds, and a click opens the note at the heading", { skip }, async () => {
  await page.getByRole("searchbox").fill("what is the humidity limit");
  const first = page.locator(".octavo-found .octavo-hit").first();
  await first.waitFor();
  await page.evaluate(() => plugin.app.show("observing/Closing down.md"));
  await page.getByText("Related to Closing down").waitFor();
  await picture("obsidian");
  await first.getByRole("link").click();
  const [[path, line]] = await opened();
  const { hits } = await server.octavo.search({ query: "what is the humidity limit" });
  assert.deepEqual([path, line], [hits[0].uri, hits[0].start_line - 1]);
});

test("buttons insert a link and a citation into the note that was edited last", { skip }, async () => {
  const first = page.locator(".octavo-found .octavo-hit").first();
  await first.getByRole("button", { name: "Insert a link" }).click();
  await first.getByRole("button", { name: "Insert a citation" }).click();
  assert.match(await page.evaluate(() => plugin.app.note.text), /^\[\[[^\]]+\]\]> .*\n>\n> — \[\[[^\]]+\]\]\n$/s);
});

test("related notes change with the open note, and open", { skip }, async () => {
  await page.evaluate(() => plugin.app.show("Home.md"));
  await page.getByText("Related to Home").waitFor();
  await page.locator(".octavo-related .octavo-hit a").first().click();
  assert.ok(MARKDOWN.includes((await opened())[0][0]));
});

test("an answer comes with the places that say so", { skip }, async () => {
  await page.getByRole("searchbox").fill("why do we close at 85 per cent?");
  await page.getByRole("button", { name: "Ask" }).click();
  const citation = page.locator(".octavo-sentence a").first();
  await citation.waitFor();
  await citation.click();
  assert.ok(MARKDOWN.includes((await opened())[0][0]));
});

test("what nothing matches says so, and what notes hold is shown as text", { skip }, async () => {
  await page.getByRole("searchbox").fill("zeppelin");
  await page.locator(".octavo-found").getByText("<script>").waitFor();
  assert.equal(await page.title(), "Octavo");
  await page.getByRole("searchbox").fill("xyzzyqwert");
  await page.getByText("Nothing found.").waitFor();
  assert.equal(await page.locator(".octavo-found .octavo-hit").count(), 0);
});

test("a server that is away is named, with what to do", { skip }, async () => {
  await page.evaluate(() => (platform.request = () => Promise.reject(new Error("refused"))));
  await page.getByRole("searchbox").fill("aurora");
  await page.getByText("start one with `octavo serve`").waitFor();
});
