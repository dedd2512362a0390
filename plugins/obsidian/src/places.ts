/** Where a hit stands in the vault, and how a note points to it. The library may hold more than the vault, or less. */

import type { Collection, Hit } from "octavo-client";

export interface Scope {
  collections?: string[];
  path_prefix?: string;
}

/** The path inside of `folder`, as Obsidian writes it; undefined for what is elsewhere. */
export function inside(folder: string, path: string): string | undefined {
  const [base, full] = [slashed(folder).replace(/\/$/, ""), slashed(path)];
  if (full === base) return "";
  return full.startsWith(`${base}/`) ? full.slice(base.length + 1) : undefined;
}

/** What of the library is the vault: undefined where nothing of it was ever added. */
export function scopeOf(vault: string, collections: readonly Collection[]): Scope | undefined {
  const touching = collections.filter(({ root }) => inside(vault, root) !== undefined || inside(root, vault) !== undefined);
  if (!touching.length) return undefined;
  const prefix = touching.length === 1 ? inside(touching[0]!.root, vault) : undefined;
  return { collections: touching.map(({ name }) => name), ...(prefix ? { path_prefix: `${prefix}/` } : {}) };
}

export function vaultPath(vault: string, collections: readonly Collection[], collection: string, uri: string): string | undefined {
  const root = collections.find(({ name }) => name === collection)?.root;
  return root === undefined ? undefined : inside(vault, `${slashed(root).replace(/\/$/, "")}/${uri}`);
}

/** The document of the library that a note of the vault is. */
export function documentOf(vault: string, collections: readonly Collection[], path: string): { collection: string; uri: string } | undefined {
  const full = `${slashed(vault).replace(/\/$/, "")}/${path}`;
  for (const { name, root } of collections) {
    const uri = inside(root, full);
    if (uri) return { collection: name, uri };
  }
  return undefined;
}

/** "notes/garden/Apples.md" is of the collection whose name it begins with. */
export function splitPlace(collections: readonly Collection[], place: string): { collection: string; uri: string } | undefined {
  const collection = collections.find(({ name }) => place.startsWith(`${name}/`));
  return collection && { collection: collection.name, uri: place.slice(collection.name.length + 1) };
}

/** What follows the note's name in a link: its heading, or the page of a PDF. */
export function subpathOf({ heading_path, title, page }: Pick<Hit, "heading_path" | "title" | "page">, strip: (heading: string) => string): string {
  if (page) return `#page=${page}`;
  const heading = heading_path.at(-1);
  return heading && (heading_path.length > 1 || heading !== title) ? `#${strip(heading)}` : "";
}

/** The text below the headings. */
export function body(excerpt: string): string {
  return excerpt.replace(/^#{1,6} .*$/gm, "").replace(/\n{3,}/g, "\n\n").trim();
}

/** As it reads, for a list: links are their text, a table its cells. */
export function plain(excerpt: string): string {
  const linked = body(excerpt).replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1").replace(/\[([^\]]*)\]\([^)\s]*\)/g, "$1");
  return linked.replace(/^\|[ :|-]+\|$\n?/gm, "").replace(/^\|(.*)\|$/gm, (_, row: string) => row.trim().replace(/ *\| */g, " · "));
}

export function quoted(excerpt: string, link: string): string {
  return [...body(excerpt).split("\n"), "", `— ${link}`].map((line) => `> ${line}`.trimEnd()).join("\n") + "\n";
}

function slashed(path: string): string {
  return path.replace(/\\/g, "/");
}
