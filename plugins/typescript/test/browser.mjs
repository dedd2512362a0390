/** The Chromium of this machine, without a screen; undefined where there is none. */

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PROGRAM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/usr/bin/google-chrome-stable"].find(existsSync);

export const browser = () => PROGRAM && chromium.launch({ executablePath: PROGRAM, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
