"""Questions that people ask of code, each answered by the right place first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from git_repository import GitRepository
from shop import FILES
from workbench import Bench

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.document import Kind
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Filters, Query
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.sources.git_commits import git_program

SMALL = {
    "target_min_tokens": 15,
    "target_max_tokens": 40,
    "hard_max_tokens": 60,
    "min_preferred_tokens": 5,
    "overlap_tokens": 0,
}
"""So that a file of a page is several chunks, as a long one is."""

PYTHON_TRACE = """Traceback (most recent call last):
  File "/home/ann/till/main.py", line 12, in <module>
    run()
  File "/home/ann/till/run.py", line 40, in run
    cart.check_out(purse)
  File "/home/ann/till/shop/cart.py", line 40, in check_out
    raise CartError("there is not enough money in the purse")
shop.cart.CartError: there is not enough money in the purse
"""

JAVASCRIPT_TRACE = """TypeError: the till did not answer: 503
    at CheckoutButton.payNow (http://localhost:8080/web/checkout.js:13:13)
    at async HTMLButtonElement.<anonymous> (/srv/www/other.js:1:2)
"""

JAVA_TRACE = """Exception in thread "main" java.lang.IllegalArgumentException: a sale must be given
\tat org.example.shop.SalesLedger.recordSale(SalesLedger.java:10)
\tat org.example.Main.main(Main.java:5)
"""

GO_TRACE = """panic: runtime error: invalid memory address or nil pointer dereference

goroutine 1 [running]:
example.org/stock.(*Shelf).TakeOne(0x0)
\t/build/stock/stock.go:17 +0x1d
main.main()
\t/build/main.go:9 +0x25
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("shop")
    for name in ("notes", "home"):
        (place / name).mkdir()
    bench = Bench(place / "notes", place / "library.db", place / "home")
    bench.write(FILES)
    bench.index(chunking=SMALL)
    with bench.opened(chunking=SMALL) as engine:
        yield engine


def first(engine: Engine, question: str) -> tuple[str, str]:
    """Where the first hit is: its uri, and the line of it that tells which one it is."""
    hit = engine.search(Query(question, limit=5), PROFILES["code"]).hits[0]
    return hit.citation.uri, hit.excerpt


@pytest.mark.parametrize(
    ("question", "uri", "holding"),
    [
        ("get_discount_label", "shop/prices.py", "def get_discount_label"),
        ("_find_line", "shop/cart.py", "def _find_line"),
        ("formatCents", "web/checkout.js", "function formatCents"),
        ("payNow", "web/checkout.js", "async payNow()"),
        ("SalesLedger", "java/org/example/shop/SalesLedger.java", "class SalesLedger"),
        ("VAT_RATE", "shop/prices.py", "VAT_RATE = 0.19"),
        ("max_amount_cents", "shop.toml", "max_amount_cents"),
    ],
)
def test_a_name_leads_to_where_it_is_declared(engine: Engine, question: str, uri: str, holding: str) -> None:
    found, excerpt = first(engine, question)
    assert found == uri
    assert holding in excerpt


@pytest.mark.parametrize(
    ("question", "uri", "holding"),
    [
        ("Cart.check_out()", "shop/cart.py", "def check_out"),
        ("shop.prices.total_price", "shop/prices.py", "def total_price"),
        ("Shelf.TakeOne", "stock/stock.go", "TakeOne() error"),
        ("CheckoutButton#payNow", "web/checkout.js", "async payNow()"),
        ("def price_of", "shop/prices.py", "def price_of"),
        ("class CartError", "shop/cart.py", "class CartError"),
        ("func Refill", "stock/stock.go", "Refill(more int)"),
        ("what does `turnoverOf` add up", "java/org/example/shop/SalesLedger.java", "turnoverOf"),
    ],
)
def test_a_name_may_say_where_it_is_or_what_it_is(engine: Engine, question: str, uri: str, holding: str) -> None:
    found, excerpt = first(engine, question)
    assert found == uri
    assert holding in excerpt


@pytest.mark.parametrize(
    ("question", "holding"),
    [
        ("totalPrice", "def total_price"),
        ("total price", "def total_price"),
        ("format_cents", "function formatCents"),
        ("record sale", "void recordSale"),
        ("take one", "TakeOne() error"),
        ("TOTAL_PRICE", "def total_price"),
    ],
)
def test_a_name_is_found_in_the_spelling_of_another_language(engine: Engine, question: str, holding: str) -> None:
    assert holding in first(engine, question)[1]


@pytest.mark.parametrize(
    ("question", "uri", "holding"),
    [
        ("shop/prices.py", "shop/prices.py", "What things cost"),
        ("prices.py", "shop/prices.py", "What things cost"),
        ("/home/ann/src/shop/prices.py:17", "shop/prices.py", "def price_of"),
        ("web\\checkout.js:21", "web/checkout.js", "formatCents"),
        ("stock/stock.go#L17", "stock/stock.go", "TakeOne"),
        ("SalesLedger.java", "java/org/example/shop/SalesLedger.java", "class SalesLedger"),
        ("what happens in cart.py:35", "shop/cart.py", "check_out"),
    ],
)
def test_a_path_leads_to_the_file_and_a_line_to_its_chunk(
    engine: Engine, question: str, uri: str, holding: str
) -> None:
    found, excerpt = first(engine, question)
    assert found == uri
    assert holding in excerpt


@pytest.mark.parametrize(
    ("trace", "uri", "holding"),
    [
        (PYTHON_TRACE, "shop/cart.py", "not enough money"),
        (JAVASCRIPT_TRACE, "web/checkout.js", "payNow"),
        (JAVA_TRACE, "java/org/example/shop/SalesLedger.java", "a sale must be given"),
        (GO_TRACE, "stock/stock.go", "TakeOne"),
    ],
    ids=["python", "javascript", "java", "go"],
)
def test_a_stack_trace_leads_to_its_innermost_frame_in_the_library(
    engine: Engine, trace: str, uri: str, holding: str
) -> None:
    found, excerpt = first(engine, trace)
    assert found == uri
    assert holding in excerpt


@pytest.mark.parametrize(
    ("message", "holding"),
    [
        ("CartError: cannot add -3 of 'green tea': the count must be positive", 'raise CartError(f"cannot add'),
        ("LookupError: no price is known for biscuits", "no price is known for {article}"),
        ("Uncaught TypeError: the till did not answer: 404", "the till did not answer"),
        ("stock: sold out", "ErrSoldOut = errors.New"),
        ('raise CartError("there is not enough money in the purse")', "there is not enough money"),
    ],
)
def test_an_error_message_leads_to_the_code_that_says_it(engine: Engine, message: str, holding: str) -> None:
    uri, excerpt = first(engine, message)
    assert holding in excerpt
    assert not uri.startswith("tests/")


@pytest.mark.parametrize(
    ("pattern", "holding"),
    [
        (r"def get_\w+_label\(", "def get_discount_label("),
        (r"func \(s \*Shelf\) R\w+", "Refill(more int)"),
        (r"raise \w+Error\(f\"no price", "no price is known"),
        ("fetchJson(.*POST", "fetchJson("),
    ],
)
def test_a_regular_expression_is_looked_for_by_its_literal_parts(engine: Engine, pattern: str, holding: str) -> None:
    assert holding in first(engine, pattern)[1]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (r"def (url|redirect)_\w+\(", {"url_for", "redirect_to"}),
        (r"def \w+_for\(", {"url_for", "path_for"}),
        (r"class [A-Z]\w+Mixin", {"LoginMixin"}),
        (r"\bconnect[A-Z]\w*\(", {"connectAll"}),
    ],
)
def test_a_pattern_finds_the_names_that_begin_and_end_as_it_tells(bench: Bench, pattern: str, names: set[str]) -> None:
    # Each word of a name is in a hundred other places.
    other = "".join(
        f"def make_{n}():\n    url = redirect({n}, path, mixin, label)\n    return url\n\n\n" for n in range(150)
    )
    bench.write(
        {
            "noise.py": other,
            "app.py": "def url_for(name):\n    return table[name]\n\n\ndef redirect_to(place):\n    raise Gone\n",
            "paths.py": "def path_for(name):\n    return root / name\n\n\nclass LoginMixin:\n    pass\n",
            "net.js": "function connectAll(peers) {\n  peers.forEach(dial);\n}\n",
        }
    )
    bench.index(chunking=SMALL)
    with bench.opened(chunking=SMALL) as engine:
        hits = engine.search(Query(pattern, limit=len(names)), PROFILES["code"]).hits
    found = " ".join(hit.excerpt for hit in hits)
    assert {name for name in names if name in found} == names


def test_minus_signs_quotes_and_stars_in_a_fragment_of_code_are_its_own(engine: Engine) -> None:
    _, excerpt = first(engine, 'await fetchJson("/api/checkout", { method: "POST" }) -POST')
    assert "async payNow()" in excerpt


@pytest.fixture
def till(bench: Bench) -> Iterator[Engine]:
    """Files as they are now, of which traces of an older version speak."""
    filler = "".join(f"    step_{n} = prepare({n}) + check_out_{n}({n})\n" for n in range(30))
    bench.write(
        {
            "till/errors.py": "class TillError(Exception):\n    pass\n\n\nclass NoMoney(TillError):\n    pass\n",
            "till/run.py": f"def start(till):\n{filler}    till.open()\n\n\ndef pay(purse):\n    take(purse)\n",
            "till/purse.py": f"def count(purse):\n{filler}    return 0\n\n\ndef take(purse):\n    raise_if(purse)\n",
            "notes/money.md": "# No money\n\nNoMoney: there is not enough money in the purse. pay, take, start.\n",
            "stock.go": f"package stock\n\nfunc Count() int {{\n{filler}}}\n\nfunc Take() error {{\n\treturn nil\n}}\n",
            "stock.rs": "pub struct Shelf;\n\nimpl Shelf {\n    pub fn take(&self) {\n        panic!()\n    }\n}\n",
            "cart.js": f"function add(line) {{\n{filler}}}\n\nclass CartError extends Error {{}}\n",
            "src/Ledger.java": "class Ledger {\n  void record() {\n    throw new NoSale();\n  }\n}\n",
            "src/NoSale.java": "/** A sale that is none. */\nclass NoSale extends RuntimeException {\n}\n",
        }
    )
    bench.index(chunking=SMALL)
    with bench.opened(chunking=SMALL) as engine:
        yield engine


@pytest.mark.parametrize("profile", ["hybrid", "code"])
@pytest.mark.parametrize(
    ("trace", "symbols"),
    [
        (
            "Traceback (most recent call last):\n"
            '  File "/home/ann/till/run.py", line 3, in pay\n    take(purse)\n'
            '  File "/home/ann/till/purse.py", line 9, in take\n    raise NoMoney()\n'
            '  File "/usr/lib/python3/site-packages/other/run.py", line 3, in nothing\n    raise_if()\n'
            "till.errors.NoMoney: there is not enough money in the purse\n",
            ["take", "pay", "NoMoney"],
        ),
        (
            "Traceback (most recent call last):\n"
            '  File "/home/ann/elsewhere.py", line 3, in main\n    f()\n'
            "till.errors.NoMoney: there is not enough money in the purse\n",
            ["NoMoney"],
        ),
        (
            "panic: boom\n\ngoroutine 1 [running]:\nexample.org/stock.Take()\n\t/build/stock.go:5 +0x1d\n"
            "main.main()\n\t/build/main.go:9 +0x25\n",
            ["Take"],
        ),
        (
            "thread 'main' panicked at stock.rs:5:9:\nexplicit panic\nstack backtrace:\n"
            "   0: core::panicking::panic_fmt\n             at /rustc/9fc6/library/core/src/panicking.rs:76:14\n"
            "   1: shop::stock::Shelf::take\n             at ./stock.rs:5:9\n",
            ["Shelf.take"],
        ),
        ("CartError: no line\n    at add (/srv/www/cart.js:30:5)\n    at x (node:events:5:1)\n", ["add", "CartError"]),
        (
            'Exception in thread "main" org.shop.NoSale: none\n\tat org.shop.Ledger.record(Ledger.java:7)\n',
            ["Ledger.record", "NoSale"],
        ),
    ],
)
def test_the_frames_of_a_trace_come_innermost_first_by_their_names_and_then_the_kind_of_error(
    till: Engine, profile: str, trace: str, symbols: list[str]
) -> None:
    hits = till.search(Query(trace, limit=5), PROFILES[profile]).hits
    assert [hit.citation.symbol for hit in hits][: len(symbols)] == symbols


@pytest.mark.parametrize("typed", ["who calls {}", "kind:code who calls {}", "where is {} used", "callers of {}"])
@pytest.mark.parametrize("profile", ["hybrid", "code"])
def test_who_calls_something_finds_the_callers_and_not_what_declares_it(bench: Bench, profile: str, typed: str) -> None:
    lines = "".join(f"    valve.opened = {n}\n" for n in range(5))
    go = f"// drain drains the cart: drain(now).\nfunc (c *Cart) drain(now int) {{\n{lines}}}\n\n"
    go += f"func (c *Cart) Close() error {{\n{lines}\tc.drain(2)\n}}\n\nfunc (c *Cart) Help() {{\n{lines}}}\n"
    bench.write(
        {
            "cart.go": f"package cart\n\n{go}",
            "a.js": f"class Tank {{\n  drain(n) {{\n{lines}  }}\n\n  shut() {{\n{lines}    this.drain(1)\n  }}\n}}\n",
            "notes.md": "# Drain\n\nWho calls drain? Nobody calls drain.\n",
        }
    )
    bench.index(chunking=SMALL)
    with bench.opened(chunking=SMALL) as engine:
        hits = engine.search(Query(typed.format("drain"), limit=5), PROFILES[profile]).hits
    assert {hit.citation.symbol for hit in hits[:2]} == {"Cart.Close", "Tank.shut"}


def test_what_tests_a_thing_comes_after_it_unless_tests_are_asked_for(engine: Engine) -> None:
    assert first(engine, "add_line")[0] == "shop/cart.py"
    assert first(engine, "test_add_line_refuses_nothing_at_all")[0] == "tests/test_cart.py"


@pytest.mark.parametrize("profile", ["hybrid", "code"])
def test_a_task_leads_to_the_code_and_a_message_to_the_test_that_prints_it(bench: Bench, profile: str) -> None:
    text = 'def test_{0}():\n    """The tank can drain faster."""\n    emptied(tank_{0})\n'
    tests = {f"tests/test_{number}.py": text.format(number) for number in range(6)}
    printed = 'def test_pump():\n    print("the gauge of the pump shows nothing at all today")\n'
    said = "Opens a valve of the tank, and waits: two drain it faster."
    code = f'def emptied(tank):\n    """{said}"""\n    tank.valve.open()\n'
    bench.write({**tests, "plant/tanks.py": code, "tests/test_pump.py": printed})
    bench.index(embedding={"provider": "bundled"})
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        for query, uri in (
            ("let the tank drain faster", "plant/"),
            ("a test of how the tanks drain", "tests/test_"),
            ("gauge of pump 3 shows nothing today", "tests/test_pump.py"),
        ):
            assert engine.search(Query(query), PROFILES[profile]).hits[0].citation.uri.startswith(uri)


@pytest.mark.parametrize("profile", ["hybrid", "code"])
def test_a_pasted_line_leads_to_where_it_stands_and_not_to_what_it_calls(engine: Engine, profile: str) -> None:
    for line, uri in (
        ('Cart("ann").add_line("tea", 0)', "tests/test_cart.py"),
        ('await fetchJson("/api/checkout", { method: "POST" })', "web/checkout.js"),
    ):
        hit = engine.search(Query(line, limit=5), PROFILES[profile]).hits[0]
        assert (hit.citation.uri, line in hit.excerpt) == (uri, True)


def test_what_imports_and_comments_say_comes_after_the_code_unless_it_is_quoted(bench: Bench) -> None:
    said = "A valve drains the tank faster than any pump: see the manual of the plant, part seven."
    heads = {f"plant/part_{n}.py": f"# {said}\nimport plant.part_{n}\n" for n in range(4)}
    code = 'def emptied(tank):\n    """A valve drains the tank, two drain it faster."""\n    tank.valve.open()\n'
    bench.write({**heads, "plant/tanks.py": code})
    bench.index(embedding={"provider": "bundled"})
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        task, quoted = (engine.search(Query(text)).hits[0] for text in ("a valve drains the tank faster", said))
    assert task.citation.symbol == "emptied"
    assert quoted.citation.uri.startswith("plant/part_") and said in quoted.excerpt


def test_what_a_change_would_say_finds_code_and_what_is_not_about_it_finds_nothing(bench: Bench) -> None:
    bench.write(FILES)
    bench.index(embedding={"provider": "bundled"})
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        hits = engine.search(Query("make the cart refuse a line of zero pieces")).hits
        assert "add_line" in [hit.citation.symbol.rpartition(".")[2] for hit in hits if hit.citation.symbol]
        assert engine.search(Query("who was crowned in Aachen by the pope")).hits == ()


def test_the_head_of_a_type_comes_with_its_first_member(bench: Bench) -> None:
    member = "    fn from(bar: Pressure) -> Self {\n        shut(bar)\n    }\n"
    bench.write({"valve.rs": f"impl From<Pressure> for Valve {{\n{member}}}\n"})
    bench.index()
    with bench.opened() as engine:
        (hit,) = engine.search(Query("impl From<Pressure> for Valve"), PROFILES["hybrid"]).hits
    assert "fn from" in hit.excerpt and hit.citation.symbol == "Valve"


def test_declarations_of_one_file_are_hits_of_their_own(bench: Bench) -> None:
    bench.write({"kettle.py": "\n\n".join(f"def boil_{n}(water):\n    return heat(water, {n})" for n in range(6))})
    bench.index()
    with bench.opened() as engine:
        hits = engine.search(Query("boil water", limit=10), PROFILES["hybrid"]).hits
    assert len({hit.citation.heading_path for hit in hits}) == 6


def test_a_question_that_names_nothing_in_the_library_is_still_answered(engine: Engine) -> None:
    for question in (
        "no_such_name_anywhere",
        "nowhere/at/all.py:12",
        r"\d+{{{",
        "((((",
        "¯\\_(ツ)_/¯",
        "\n",
        "`",
        "::",
    ):
        result = engine.search(Query(question or "x", limit=5), PROFILES["code"])
        assert not [stage for stage in result.trace if stage.failed]


def test_symbols_are_cited_with_their_path_and_exact_lines(engine: Engine) -> None:
    hit = engine.search(Query("Cart.check_out", limit=1), PROFILES["code"]).hits[0]
    lines = FILES["shop/cart.py"].split("\n")
    shown = "\n".join(lines[hit.citation.lines.first - 1 : hit.citation.lines.last])
    assert hit.citation.heading_path[:2] == ("shop.cart", "Cart")
    assert hit.excerpt in shown + "\n"
    assert shown.strip() == hit.excerpt.strip()


def test_the_signature_is_context_for_embedding_and_never_in_the_excerpt(tmp_path: Path, bench: Bench) -> None:
    body = "\n".join(f"    step_{number} = prepare({number}, {number}) + {number}" for number in range(120))
    bench.write({"long.py": f"def lengthy(first: int, second: int) -> int:\n{body}\n    return step_1\n"})
    bench.index()
    with bench.opened() as engine:
        hit = engine.search(Query("step_118 = prepare(118, 118)", limit=1), PROFILES["code"]).hits[0]
        project, profile = engine.project.id, engine.embedder.profile
        assert "def lengthy" not in hit.excerpt
        waiting = engine.store.embeddings
        described = waiting.describe(project, [int(row[1]) for row in waiting.assignments(project)])
        context = {one.span.start: one.context for one in described}
        assert "lengthy(first: int, second: int)" in context[hit.citation.span.start]
        assert profile.dimensions > 0


def test_other_text_is_read_where_a_collection_asks_for_its_ending(bench: Bench) -> None:
    bench.write({"a.foo": "Otters swim.\n", "b.foo": "def otter():\n    pass\n", "c.bar": "Otters sleep.\n"})
    assert bench.index().added == 0
    bench.collection = CollectionSettings(include=("**/*.foo",))
    assert bench.index().added == 2
    with bench.opened() as engine:
        found = {hit.citation.uri: hit.kind for hit in engine.search(Query("otters"), PROFILES["lexical_only"]).hits}
    assert found == {"a.foo": Kind.NOTE, "b.foo": Kind.CODE}


@pytest.mark.skipif(git_program() is None, reason="git is not installed")
def test_code_comes_before_the_commits_whose_diffs_quote_it(tmp_path: Path) -> None:
    repo = GitRepository(tmp_path / "dome")
    for number in range(12):
        repo.commit(f"Turn faster, step {number}", {"dome.py": f"def turn_dome(speed={number}):\n    pass\n"})
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("dome", repo.folder)
        engine.index()
        for asked in ("turn_dome", r"def turn_\w+\(speed", "def turn_dome(speed=11)"):
            hits = engine.search(Query(asked, limit=5), PROFILES["code"]).hits
            assert hits[0].citation.uri == "dome.py", asked
        told = engine.search(Query("turn faster step 7", limit=5), PROFILES["code"]).hits
        assert any(hit.title == "Turn faster, step 7" for hit in told)


def test_a_note_with_code_in_several_languages_is_found_by_each(bench: Bench) -> None:
    long = "".join(f"let part_{number} = sum_of({number});\n" for number in range(60))
    bench.write(
        {
            "guide.md": "# Guide\n\n```rust\nfn frobnicate(w: &W) {}\n```\n\nThen\n\n```bash\nzapgrep --all\n```\n",
            "long.md": f"# Long\n\n```rust\n{long}```\n",
        }
    )
    bench.index(chunking=SMALL)
    with bench.opened(chunking=SMALL) as engine:

        def found(query: str, language: str) -> list[str]:
            filters = Filters(languages=(language,), uris=("guide.md", "long.md"))
            hits = engine.search(Query(query, limit=50, filters=filters), PROFILES["lexical_only"]).hits
            return [hit.excerpt for hit in hits]

        assert any("zapgrep" in excerpt for excerpt in found("zapgrep", "shell"))
        assert any("frobnicate" in excerpt for excerpt in found("frobnicate", "rust"))
        assert found("zapgrep", "python") == []
        # A block that is cut into several chunks is code in each of them.
        assert any("part_55" in excerpt for excerpt in found("part_55", "rust"))


def test_a_library_with_a_notebook_in_it_is_whole(bench: Bench) -> None:
    cell = '{"cell_type": "markdown", "source": ["# Otters\\n", "They swim."]}'
    bench.write({"notes.ipynb": f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'})
    assert bench.index().added == 1
    assert bench.found("otters") == ["notes.ipynb"]
    assert bench.problems() == ()
