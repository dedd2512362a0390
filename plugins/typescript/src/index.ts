/** A client of `octavo serve`: one method for each operation, with the types that the server describes. */

import type { components, operations } from "./operations.js";

export type Name = keyof operations;
export type Arguments<N extends Name> = operations[N]["requestBody"]["content"]["application/json"];
export type Answer<N extends Name> = operations[N]["responses"][200]["content"]["application/json"];
export type Problem = components["schemas"]["Problem"];

export type Hit = Answer<"search">["hits"][number];
export type Sentence = Answer<"ask">["sentences"][number];
export type Citation = NonNullable<Sentence["citations"]>[number];
export type Collection = Answer<"status">["collections"][number];

export type Method<N extends Name> = (
  ...given: {} extends Arguments<N> ? [Arguments<N>?, Calling?] : [Arguments<N>, Calling?]
) => Promise<Answer<N>>;

/** `octavo.search({ query: "…" })`, `octavo.status()`, and so on for every operation. */
export type Octavo = { readonly [N in Name]: Method<N> };

export interface Calling {
  signal?: AbortSignal;
}

export interface Connection {
  /** Where `octavo serve` listens. */
  address?: string;
  token?: string;
  /** For programs whose own requests do not count as another page's: Obsidian, a test. */
  fetch?: Fetch;
}

export type Fetch = (
  url: string,
  request: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<{ ok: boolean; status: number; json(): Promise<unknown> }>;

export const ADDRESS = "http://127.0.0.1:7411";

/** What went wrong, by name; `hint` says what to do about it. */
export class OctavoError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint?: string,
    readonly status?: number,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
    this.name = "OctavoError";
  }
}

export function connect(connection: Connection = {}): Octavo {
  return new Proxy({} as Octavo, {
    // A promise would ask whether this is one of its kind.
    get: (_, name) =>
      typeof name === "string" && name !== "then"
        ? (given: object = {}, calling: Calling = {}) => call(connection, `/v1/${name}`, given, calling)
        : undefined,
  });
}

async function call(connection: Connection, path: string, given: object, { signal }: Calling): Promise<unknown> {
  const address = (connection.address ?? ADDRESS).replace(/\/$/, "");
  const request: Parameters<Fetch>[1] = {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(connection.token ? { Authorization: `Bearer ${connection.token}` } : {}),
    },
    body: JSON.stringify(given),
    ...(signal ? { signal } : {}),
  };
  let response;
  try {
    response = await (connection.fetch ?? fetch)(address + path, request);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new OctavoError("UNREACHABLE", `no server answers at ${address}`, "start one with `octavo serve`");
  }
  const body = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const problem = (body ?? {}) as Partial<Problem>;
  throw new OctavoError(
    problem.code ?? "UNKNOWN",
    problem.detail ?? `the server answered ${response.status}`,
    problem.hint,
    response.status,
    problem.details,
  );
}
