/**
 * A shopping basket kept in the browser.
 */
'use strict';

const storage = require('./storage');
import { money } from '../format/money.js';
export * from './events';

const KEY = 'basket';

export class Basket extends EventTarget {
  #lines = new Map();

  constructor(saved = []) {
    super();
    for (const line of saved) this.add(line.sku, line.count);
  }

  /** Adds a product, or more of it. */
  add(sku, count = 1) {
    this.#lines.set(sku, (this.#lines.get(sku) ?? 0) + count);
    this.dispatchEvent(new Event('change'));
  }

  get total() {
    return [...this.#lines.values()].reduce((sum, n) => sum + n, 0);
  }
}

// Reads what was kept, and forgets what cannot be read.
export const restore = async () => {
  try {
    return new Basket(JSON.parse(await storage.get(KEY)));
  } catch {
    return new Basket();
  }
};

Basket.prototype.clear = function () {
  this.dispatchEvent(new Event('change'));
};

export default function render(basket) {
  return `<p>${basket.total} items, ${money(basket.total)}</p>`;
}
