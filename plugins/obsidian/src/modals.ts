/** Find something by typing, for a command; and show what is in the library and not in the vault. */

import { Modal, SuggestModal } from "obsidian";
import type { Hit } from "octavo-client";

import type OctavoPlugin from "./main";
import type { Place } from "./main";
import { plain } from "./places";

export class PickModal extends SuggestModal<Hit> {
  #asked = 0;

  constructor(private readonly plugin: OctavoPlugin, private readonly choose: (hit: Hit) => unknown) {
    super(plugin.app);
    this.setPlaceholder("Words, or a question");
    this.emptyStateText = "Nothing found.";
  }

  async getSuggestions(query: string): Promise<Hit[]> {
    const asked = ++this.#asked;
    await new Promise((resolve) => window.setTimeout(resolve, 150));
    if (asked !== this.#asked || !query.trim()) return [];
    try {
      return (await this.plugin.search(query, 10)).hits;
    } catch (error) {
      this.emptyStateText = error instanceof Error ? error.message : String(error);
      return [];
    }
  }

  renderSuggestion(hit: Hit, element: HTMLElement): void {
    element.createDiv({ text: [hit.title, ...hit.heading_path.slice(1)].join(" › ") });
    element.createDiv({ cls: "octavo-excerpt", text: plain(hit.excerpt) });
  }

  onChooseSuggestion(hit: Hit): void {
    void this.choose(hit);
  }
}

export class PassageModal extends Modal {
  constructor(private readonly plugin: OctavoPlugin, private readonly place: Place) {
    super(plugin.app);
  }

  override async onOpen(): Promise<void> {
    const { collection, uri, start_line, end_line, title } = this.place;
    this.titleEl.setText(title ?? uri);
    this.contentEl.createDiv({ cls: "octavo-where", text: `${collection}/${uri}${start_line ? `:${start_line}-${end_line}` : ""}` });
    const text = this.contentEl.createEl("pre", { cls: "octavo-passage" });
    try {
      text.setText((await this.plugin.ask((octavo) => octavo.get({ reference: uri, collection }))).text);
    } catch (error) {
      text.setText(error instanceof Error ? error.message : String(error));
    }
  }
}
