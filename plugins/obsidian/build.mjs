/** One file, as Obsidian loads plugins: main.js beside manifest.json and styles.css. */

import { build } from "esbuild";

await build({
  entryPoints: ["src/main.ts"],
  outfile: "main.js",
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "es2022",
  external: ["obsidian", "electron"],
  logLevel: "warning",
});
