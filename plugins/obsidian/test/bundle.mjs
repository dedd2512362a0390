/** The plugin with the stand-in for Obsidian in place of Obsidian. */

import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { build } from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

export async function bundled(folder, source, { inPage = false } = {}) {
  const outfile = join(folder, "bundle.mjs");
  await build({
    stdin: { contents: source, resolveDir: here("."), loader: "ts" },
    outfile,
    bundle: true,
    format: inPage ? "iife" : "esm",
    platform: inPage ? "browser" : "node",
    // A page has no processes: there the server is asked through the driver, which also says where folders really are.
    alias: { obsidian: here("obsidian.mjs"), ...(inPage ? { "octavo-client/local": here("local_in_page.mjs"), "node:fs": here("local_in_page.mjs") } : {}) },
    logLevel: "warning",
  });
  return outfile;
}
