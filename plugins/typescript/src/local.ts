/** The server of this machine: found where it listens, or started. For Node. */

import { spawn, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { join } from "node:path";

import { ADDRESS, connect, OctavoError, type Connection, type Fetch, type Octavo } from "./index.js";

export interface Local extends Connection {
  /** The command that starts a server, where none listens; empty starts none. */
  program?: string;
  /** The library of a server that is started; without it, the one that `octavo` itself would take. */
  library?: string;
}

export interface Server {
  octavo: Octavo;
  /** Ends the server if it was started here, and no other; settled when it has ended. */
  stop(): Promise<void>;
}

export async function localServer(local: Local = {}): Promise<Server> {
  const address = local.address ?? ADDRESS;
  const ask: Fetch = local.fetch ?? fetch;
  const started = (await listens(ask, address)) ? undefined : await start(ask, address, local);
  try {
    const token = local.token || (await accountToken());
    const octavo = connect({ ...local, address, ...(token ? { token } : {}) });
    await octavo.status();
    return { octavo, stop: () => ended(started) };
  } catch (error) {
    await ended(started);
    throw error;
  }
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  await exit;
}

/** The token that `octavo serve` made for this account. */
export async function accountToken(): Promise<string | undefined> {
  try {
    return (await readFile(join(stateFolder(), "token"), "utf-8")).trim();
  } catch {
    return undefined;
  }
}

function stateFolder(): string {
  if (platform() === "win32") {
    return join(process.env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "octavo", "octavo");
  }
  if (process.env.XDG_STATE_HOME) return join(process.env.XDG_STATE_HOME, "octavo");
  const below = platform() === "darwin" ? ["Library", "Application Support"] : [".local", "state"];
  return join(homedir(), ...below, "octavo");
}

async function listens(ask: Fetch, address: string): Promise<boolean> {
  try {
    const response = await ask(`${address}/health`, { method: "GET", headers: {} });
    return response.ok && ((await response.json()) as { status?: string }).status === "ok";
  } catch {
    return false;
  }
}

async function start(ask: Fetch, address: string, local: Local): Promise<ChildProcess> {
  const program = local.program ?? "octavo";
  if (!program) throw new OctavoError("UNREACHABLE", `no server answers at ${address}`, "start one with `octavo serve`");
  const library = local.library ? ["--library", local.library] : [];
  const { hostname, port } = new URL(address);
  const child = spawn(program, [...library, "serve", "--host", hostname, "--port", port || "80"], {
    stdio: ["ignore", "ignore", "pipe"],
    windowsHide: true,
  });
  let failure: string | undefined;
  let said = "";
  child.stderr?.on("data", (text) => (said = (said + text).slice(-2_000)));
  child.on("error", (error) => (failure = `${program} cannot be started: ${error.message}`));
  child.on("close", (code) => (failure ??= said.trim() || `${program} ended with ${code}`));
  // A first start reads the model from the disk, which takes seconds on a slow machine; what ends is told at once.
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await listens(ask, address)) return child;
    if (failure !== undefined) throw new OctavoError("UNREACHABLE", failure, "install Octavo, or name its command in the settings");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new OctavoError("UNREACHABLE", `${program} serve does not answer at ${address}`);
}
