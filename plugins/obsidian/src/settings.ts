/** What a person may change, and the tab where they do. */

import { PluginSettingTab, Setting, type App } from "obsidian";

import type OctavoPlugin from "./main";

export interface Settings {
  port: number;
  token: string;
  startServer: boolean;
  program: string;
  library: string;
  wholeLibrary: boolean;
}

export const DEFAULTS: Settings = { port: 7411, token: "", startServer: true, program: "octavo", library: "", wholeLibrary: false };

export class OctavoSettings extends PluginSettingTab {
  constructor(app: App, private readonly plugin: OctavoPlugin) {
    super(app, plugin);
  }

  display(): void {
    this.containerEl.empty();
    this.#text("port", "Port", "Where the server listens on this machine.", (text) => Number.parseInt(text, 10) || DEFAULTS.port);
    this.#text(
      "token",
      "Token",
      "Empty takes the one that Octavo made for your account. What you write here is kept in this vault and goes wherever the vault is synchronised.",
    );
    this.#toggle("startServer", "Start a server", "Start `octavo serve` where none listens, and end it with Obsidian.");
    this.#text("program", "Command", "Octavo's command, with its path if Obsidian does not find it.");
    this.#text("library", "Library", "The library of a server that is started here: a file, or postgresql://…. Empty takes your own.");
    this.#toggle("wholeLibrary", "Whole library", "Also find what is in the library and not in this vault.");
  }

  #text(name: "port" | "token" | "program" | "library", title: string, description: string, read: (text: string) => unknown = (text) => text.trim()): void {
    new Setting(this.containerEl).setName(title).setDesc(description).addText((field) =>
      field
        .setPlaceholder(String(DEFAULTS[name]))
        .setValue(String(this.plugin.settings[name]))
        .onChange((text) => this.plugin.change({ [name]: read(text) })),
    );
  }

  #toggle(name: "startServer" | "wholeLibrary", title: string, description: string): void {
    new Setting(this.containerEl).setName(title).setDesc(description).addToggle((field) =>
      field.setValue(this.plugin.settings[name]).onChange((on) => this.plugin.change({ [name]: on })),
    );
  }
}
