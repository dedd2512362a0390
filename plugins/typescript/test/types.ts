/** What the compiler takes and what it refuses; nothing here runs. */

import { connect, type Hit } from "../src/index.js";

export async function typed(): Promise<[Hit | undefined, string, boolean]> {
  const octavo = connect({ token: "…" });
  await octavo.status();
  // @ts-expect-error a search needs a query
  await octavo.search();
  // @ts-expect-error there is no such kind
  await octavo.search({ query: "bread", kinds: ["recipe"] });
  // @ts-expect-error there is no such operation
  await octavo.bake({});
  const { hits } = await octavo.search({ query: "bread", limit: 3 }, { signal: AbortSignal.timeout(1000) });
  const { answered } = await octavo.ask({ question: "how hot?" });
  return [hits[0], hits.map((hit) => `${hit.uri}:${hit.start_line}`).join(), answered];
}
