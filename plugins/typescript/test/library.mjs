/** A library of three notes in a home of its own, for the tests of the client and of what is built with it. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const PROGRAM = process.env.OCTAVO ?? "octavo";

export const NOTES = {
  "Bread.md": "# Bread\n\n## Oven\n\nSourdough goes in at 240 degrees, once the stone is hot. See [[Stone]].\n\n## Crumb\n\nLeave it to cool.\n",
  "Stone.md": "# Stone\n\nA baking stone takes 45 minutes to warm through. It belongs to [[Bread]].\n",
  "garden/Apples.md": "# Apples\n\nBoskoop keeps until March in a cold cellar.\n",
};

/** Makes the library in `home`, which the environment then names; returns the folder of the notes. */
export function makeLibrary(files = NOTES) {
  const home = mkdtempSync(join(tmpdir(), "octavo-"));
  const notes = join(home, "notes");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(notes, name)), { recursive: true });
    writeFileSync(join(notes, name), text);
  }
  for (const name of ["DATA", "STATE", "CACHE", "CONFIG"]) process.env[`XDG_${name}_HOME`] = join(home, name.toLowerCase());
  process.env.HOME = home;
  execFileSync(PROGRAM, ["start", notes], { stdio: ["ignore", "ignore", "inherit"] });
  return { home, notes, remove: () => rmSync(home, { recursive: true, force: true }) };
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
