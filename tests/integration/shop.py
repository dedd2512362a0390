"""A small shop in several languages: what the tests of searching code search."""

from __future__ import annotations

CART = '''"""Carts: what somebody is about to buy."""

from shop.prices import total_price


class CartError(Exception):
    """A cart that cannot be what it is asked to be."""


class Cart:
    """The lines of one customer, in the order in which they were added."""

    def __init__(self, customer: str) -> None:
        self.customer = customer
        self.lines: list[Line] = []

    def add_line(self, article: str, count: int = 1) -> None:
        """Adds an article, or more of one that is there."""
        if count < 1:
            raise CartError(f"cannot add {count} of {article}: the count must be positive")
        known = self._find_line(article)
        if known is not None:
            known.count += count
            return
        self.lines.append(Line(article, count))

    def _find_line(self, article: str):
        for line in self.lines:
            if line.article == article:
                return line
        return None

    def check_out(self, purse) -> int:
        """Takes the money and empties the cart."""
        owed = total_price(self.lines)
        if purse.balance < owed:
            raise CartError("there is not enough money in the purse")
        purse.take(owed)
        self.lines.clear()
        return owed
'''

PRICES = '''"""What things cost."""

VAT_RATE = 0.19


def total_price(lines) -> int:
    """The sum of all lines, in cents, with tax."""
    net = sum(price_of(line.article) * line.count for line in lines)
    return round(net * (1 + VAT_RATE))


def price_of(article: str) -> int:
    """The net price of one article, in cents."""
    try:
        return _PRICE_LIST[article]
    except KeyError:
        raise LookupError(f"no price is known for {article}") from None


def get_discount_percent(customer: str) -> int:
    return 10 if customer in REGULARS else 0


def get_discount_label(customer: str) -> str:
    return f"{get_discount_percent(customer)} per cent off"
'''

TEST_CART = '''"""Carts."""

from shop.cart import Cart, CartError


def test_add_line_refuses_nothing_at_all():
    try:
        Cart("ann").add_line("tea", 0)
    except CartError as error:
        assert str(error) == "cannot add 0 of tea: the count must be positive"


def test_check_out_empties_the_cart():
    cart = Cart("ann")
    cart.add_line("tea")
    cart.check_out(Purse(1000))
    assert cart.lines == []
'''

CHECKOUT_JS = """// The button that pays.
import { fetchJson } from "./http.js";

export class CheckoutButton {
  constructor(element) {
    this.element = element;
    element.addEventListener("click", () => this.payNow());
  }

  async payNow() {
    const answer = await fetchJson("/api/checkout", { method: "POST" });
    if (!answer.ok) {
      throw new TypeError("the till did not answer: " + answer.status);
    }
    this.element.disabled = true;
  }
}

export function formatCents(cents) {
  return (cents / 100).toFixed(2) + " EUR";
}
"""

STOCK_GO = """// Package stock knows what is on the shelves.
package stock

import "errors"

// ErrSoldOut is returned when a shelf is empty.
var ErrSoldOut = errors.New("stock: sold out")

// Shelf holds one article.
type Shelf struct {
	Article string
	Count   int
}

// TakeOne takes one article from the shelf.
func (s *Shelf) TakeOne() error {
	if s.Count == 0 {
		return ErrSoldOut
	}
	s.Count--
	return nil
}

// Refill puts more on the shelf.
func (s *Shelf) Refill(more int) {
	s.Count += more
}
"""

LEDGER_JAVA = """package org.example.shop;

/** Every sale there was. */
public final class SalesLedger {
    private final java.util.List<Sale> sales = new java.util.ArrayList<>();

    /** Writes a sale down; what is written stays. */
    public void recordSale(Sale sale) {
        if (sale == null) {
            throw new IllegalArgumentException("a sale must be given");
        }
        sales.add(sale);
    }

    public int turnoverOf(int year) {
        return sales.stream().filter(sale -> sale.year() == year).mapToInt(Sale::cents).sum();
    }
}
"""

CONFIG = """[shop]
name = "Corner shop"
opening_hours = "9 to 18"

[shop.payment]
accepted_cards = ["red", "blue"]
max_amount_cents = 50000
"""

GUIDE = """# The shop

How to close a day at the till.

## Closing the day

Count the money, then print the report:

```python
from shop.report import print_report

print_report(day="today", copies=2)
```

## Opening hours

From nine to six. The kettle is in the back.

```bash
./till --open --drawer 2
```
"""

FILES = {
    "shop/cart.py": CART,
    "shop/prices.py": PRICES,
    "tests/test_cart.py": TEST_CART,
    "web/checkout.js": CHECKOUT_JS,
    "stock/stock.go": STOCK_GO,
    "java/org/example/shop/SalesLedger.java": LEDGER_JAVA,
    "shop.toml": CONFIG,
    "docs/guide.md": GUIDE,
}
