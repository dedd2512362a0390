/** The client and a real server: found, started, asked, refused. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, OctavoError } from "../dist/index.js";
import { accountToken, localServer } from "../dist/local.js";
import { freePort, makeLibrary, PROGRAM } from "./library.mjs";

let library, address, server;

before(async () => {
  library = makeLibrary();
  address = `http://127.0.0.1:${await freePort()}`;
  server = await localServer({ address, program: PROGRAM });
});

after(async () => {
  await server?.stop();
  library?.remove();
});

test("a hit says where its passage stands", async () => {
  const { hits } = await server.octavo.search({ query: "how hot must the oven be for sourdough?" });
  const { collection, uri, heading_path, start_line } = hits[0];
  assert.deepEqual([collection, uri, heading_path, start_line], ["notes", "Bread.md", ["Bread", "Oven"], 3]);
});

test("every sentence of an answer has its citation", async () => {
  const { answered, sentences } = await server.octavo.ask({ question: "how long does a baking stone take to warm through?" });
  assert.equal(answered, true);
  assert.equal(sentences[0].citations[0].uri, "Stone.md");
});

test("a server that listens already is found, and left running by whoever found it", async () => {
  const found = await localServer({ address, program: "" });
  await found.stop();
  assert.equal((await server.octavo.status()).documents, 3);
});

test("what is refused has the server's code and hint", async () => {
  await assert.rejects(
    server.octavo.get({ reference: "notes/Bred.md" }),
    (error) => error instanceof OctavoError && error.code === "NOT_FOUND" && error.status === 404 && Boolean(error.hint),
  );
  await assert.rejects(connect({ address }).status(), { code: "UNAUTHORIZED" });
});

test("where nobody listens the error says how to start a server", async () => {
  const silent = `http://127.0.0.1:${await freePort()}`;
  await assert.rejects(connect({ address: silent }).status(), { code: "UNREACHABLE", hint: "start one with `octavo serve`" });
  await assert.rejects(localServer({ address: silent, program: "" }), { code: "UNREACHABLE" });
  await assert.rejects(localServer({ address: silent, program: "octavo-not-installed" }), /cannot be started/);
});

test("a call can be given up", async () => {
  const token = await accountToken();
  const gone = AbortSignal.abort();
  await assert.rejects(connect({ address, token }).search({ query: "bread" }, { signal: gone }), { name: "AbortError" });
});

test("every operation that the server describes has a method with its types", async () => {
  const answer = await fetch(`${address}/openapi.json`, { headers: { Authorization: `Bearer ${await accountToken()}` } });
  const served = Object.keys((await answer.json()).paths).filter((path) => path.startsWith("/v1/") && path !== "/v1/ask_stream");
  const { default: generated } = await import("../openapi.json", { with: { type: "json" } });
  assert.deepEqual(Object.keys(generated.paths).sort(), served.sort());
});
