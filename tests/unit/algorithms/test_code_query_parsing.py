"""What a question about code is taken to be."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

from octavo.algorithms.queries.code_query_parsing import (
    CodeQueryForm,
    read_code_query,
    share_in_order,
    share_of_runs,
)
from octavo.algorithms.source_code.programming_language_names import language_named
from octavo.algorithms.source_code.stack_traces_and_file_locations import (
    FrameLocation,
    frames,
    message_of,
    places_in,
    raised_in,
)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("getUserById", CodeQueryForm.NAME),
        ("save_base", CodeQueryForm.NAME),
        ("login", CodeQueryForm.NAME),
        ("Model.save_base()", CodeQueryForm.NAME),
        ("std::vector", CodeQueryForm.NAME),
        ("what does `chunk` do", CodeQueryForm.NAME),
        ("src/app.py", CodeQueryForm.PLACE),
        ("C:\\x\\App.cs:12", CodeQueryForm.PLACE),
        ("x = foo(bar)", CodeQueryForm.CODE),
        (r"def get_\w+\(", CodeQueryForm.PATTERN),
        ("user_(id|name)", CodeQueryForm.PATTERN),
        ("foo.*bar", CodeQueryForm.PATTERN),
        ("TypeError: Cannot read properties of undefined (reading 'map')", CodeQueryForm.MESSAGE),
        ("ImproperlyConfigured: Requested setting DEBUG, but it is not there", CodeQueryForm.MESSAGE),
        ("error[E0382]: borrow of moved value: `x`", CodeQueryForm.MESSAGE),
        ('File "a.py", line 3, in f', CodeQueryForm.TRACE),
        ("how to read a file in python", CodeQueryForm.WORDS),
        ("python default value if null", CodeQueryForm.WORDS),
        ("how to make functions that return a function", CodeQueryForm.WORDS),
        ("parse query", CodeQueryForm.WORDS),
        ("a*b", CodeQueryForm.WORDS),
        ("", CodeQueryForm.WORDS),
    ],
)
def test_the_form_of_a_question_tells_what_is_asked(text: str, asked: CodeQueryForm) -> None:
    assert read_code_query(text).asked is asked


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Model.save_base()", {"Model.save_base", "Model.saveBase"}),
        ("HTTPServer", {"HTTPServer", "http_server"}),
        ("parse query", {"parse_query", "parseQuery"}),
        ("class CartError", {"CartError", "cart_error"}),
        ("pub async fn run", {"run"}),
        ("what is e.g. this", set()),
        ("how do I open a file", set()),
        ("one two three four five", set()),
        ("Queue#push and queue.pop", {"Queue.push", "queue.pop"}),
    ],
)
def test_names_are_what_is_written_as_one_or_may_be_one(text: str, names: set[str]) -> None:
    assert {".".join(name.parts) for name in read_code_query(text).names} == names


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ('  File "/srv/a/b.py", line 12, in <module>', FrameLocation("srv/a/b.py", 12), ""),
        ('  File "b.py", line 12, in Cart.add', FrameLocation("b.py", 12), "Cart.add"),
        ("\tat org.shop.Cart.add(Cart.java:42)", FrameLocation("Cart.java", 42), "org.shop.Cart.add"),
        ("    at Cart.add (file:///srv/cart.mjs:10:5)", FrameLocation("srv/cart.mjs", 10), "Cart.add"),
        ("    at /srv/cart.js:10:5", FrameLocation("srv/cart.js", 10), ""),
        (
            "   at Shop.Cart.Add(Item item) in C:\\src\\Cart.cs:line 42",
            FrameLocation("src/Cart.cs", 42),
            "Shop.Cart.Add",
        ),
        ("cart.rb:12:in `add'", FrameLocation("cart.rb", 12), "add"),
        ("\tfrom lib/cart.rb:12:in 'Cart#add'", FrameLocation("lib/cart.rb", 12), "Cart#add"),
        ("#0 /srv/cart.php(12): Cart->add()", FrameLocation("srv/cart.php", 12), "Cart->add"),
        ("#1  0x0040 in ring_put (r=0x0) at ring.c:12", FrameLocation("ring.c", 12), "ring_put"),
        ("main.(*Shelf).TakeOne(0x0)\n\t/b/stock.go:17 +0x1d", FrameLocation("b/stock.go", 17), "main.Shelf.TakeOne"),
        ("thread 'main' panicked at src/main.rs:4:5:", FrameLocation("src/main.rs", 4), ""),
        (
            "   3: shop::cart::add\n             at ./src/cart.rs:42:5",
            FrameLocation("src/cart.rs", 42),
            "shop::cart::add",
        ),
    ],
)
def test_a_frame_is_read_in_many_languages(text: str, place: FrameLocation, name: str) -> None:
    (frame,) = frames(text)
    assert (frame.place, frame.name) == (place, name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            '  File "a.py", line 1, in f\n    pay()\n    ^^^^^\nshop.errors.NoMoney: there is none\n',
            "shop.errors.NoMoney",
        ),
        ('  File "a.py", line 1, in f\nNoMoney\n[12:30] the till stops\n', "NoMoney"),
        ('  File "a.py", line 1, in f\n', ""),
        ('Exception in thread "main" org.shop.CartException: no\n\tat a.Cart.f(Cart.java:2)', "org.shop.CartException"),
        ("/srv/a.js:2\n  throw new CartError()\n\nCartError: no\n    at add (/srv/a.js:2:5)", "CartError"),
        ("panic: shop.CartError{Line:3}\n\ngoroutine 1 [running]:\nmain.f()\n\t/a.go:1 +0x1d", "shop.CartError"),
        ("panic: boom\n\ngoroutine 1 [running]:\nmain.f()\n\t/a.go:1 +0x1d", ""),
        (
            "thread 'main' panicked at src/main.rs:4:5:\n"
            "called `Result::unwrap()` on an `Err` value: CartError { line: 3 }",
            "CartError",
        ),
    ],
)
def test_the_kind_of_error_is_read_in_many_languages(text: str, name: str) -> None:
    assert raised_in(text) == name


def test_frames_of_dependencies_come_behind_ones_own() -> None:
    trace = (
        "E: no\n    at a (/srv/node_modules/x/index.js:1:2)\n    at b (/srv/app.js:2:2)\n    at c (node:events:5:2)\n"
    )
    assert [frame.name for frame in frames(trace)] == ["b", "a", "c"]


def test_the_innermost_frames_of_a_deep_recursion_are_kept() -> None:
    deep = "".join(f'  File "a.py", line {n}, in f{n}\n' for n in range(100))
    assert frames(f"Traceback\n{deep}RecursionError: no\n")[0].name == "f99"


def test_frames_come_innermost_first_whichever_way_a_language_tells_them() -> None:
    python = 'Traceback\n  File "a.py", line 1, in outer\n  File "b.py", line 2, in inner\nValueError: no\n'
    java = "x.E: no\n\tat a.Inner.f(Inner.java:2)\n\tat a.Outer.g(Outer.java:1)\n"
    assert [frame.place.path for frame in frames(python)] == ["b.py", "a.py"]
    assert [frame.place.path for frame in frames(java)] == ["Inner.java", "Outer.java"]
    assert message_of(python) == "ValueError: no"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("see shop/cart.py:12 and web/a.js", (FrameLocation("shop/cart.py", 12), FrameLocation("web/a.js"))),
        ("cart.py#L7", (FrameLocation("cart.py", 7),)),
        ("cart.py, line 7", (FrameLocation("cart.py", 7),)),
        ("./src/main.rs", (FrameLocation("src/main.rs"),)),
        ("../lib/x.h(12)", (FrameLocation("lib/x.h", 12),)),
        ("https://example.org/a/b.py", ()),
        ("no file here", ()),
    ],
)
def test_places_are_files_with_or_without_a_line(text: str, places: tuple[FrameLocation, ...]) -> None:
    assert places_in(text) == places


def test_the_runs_of_a_message_leave_out_what_differs_each_time() -> None:
    runs = read_code_query("ValueError: cannot add 12 of 'green tea': the count must be positive").runs
    assert "the count must" in runs
    assert not any(word in run.split() for run in runs for word in ("12", "green", "tea", "valueerror"))


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (r"def (url|redirect)_\w+\(", (("def url_", "("), ("def redirect_", "("))),
        (r"(?:GET|POST)\s+/(v1|v2)", (("GET", "/v1"), ("GET", "/v2"), ("POST", "/v1"), ("POST", "/v2"))),
        (r"(a|b(c|d))x+", (("ax",), ("bcx",), ("bdx",))),
        (r"\w+Mixin|BaseView", (("Mixin",), ("BaseView",))),
        (r"colou?r\w+", (("colo", "r"),)),
        (r"[(|]+\.name", ((".name",),)),
    ],
)
def test_a_pattern_is_looked_for_in_each_way_through_its_alternatives(
    pattern: str, pieces: tuple[tuple[str, ...], ...]
) -> None:
    assert read_code_query(pattern).pieces == pieces


@pytest.mark.parametrize(
    ("pattern", "parts", "names"),
    [
        (r"def (url|redirect)_\w+\(", ["url_…", "redirect_…"], set()),
        (r"def get_\w+_label\(", ["get_…_label"], set()),
        (r"\w+Mixin|BaseView", ["…Mixin"], {"BaseView", "base_view"}),
        (r"[Uu]rl_\w+", ["Url_…", "url_…"], set()),
        (r"self\.conn_\w+\s*=", ["conn_…"], set()),
        (r"raise (Type|Value)Error", [], {"TypeError", "type_error", "ValueError", "value_error"}),
        ("fetchJson(.*POST", ["fetchJson…POST"], {"fetchJson", "fetch_json"}),
        (r"\w+", [], set()),
    ],
)
def test_a_pattern_tells_parts_of_names_where_it_leaves_letters_open(
    pattern: str, parts: list[str], names: set[str]
) -> None:
    read = read_code_query(pattern)
    assert [str(part) for part in read.parts] == parts
    assert {".".join(name.parts) for name in read.names} == names


def test_a_name_is_like_its_parts_when_it_begins_and_ends_with_them() -> None:
    (part,) = read_code_query(r"get_\w+_label").parts
    assert [part.likeness(name) for name in ("get_price_label", "forget_x_label", "get_label_of", "get_label")] == [
        1.0,
        0.5,
        0.0,
        0.0,
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Returns True if :attr:`status_code` is less than 400, False if not.", True),
        ("how does url_for add the anchor to an address?", True),
        ("what does `chunk` do", False),
        ("Cart.check_out and Cart.add", False),
        ("class CartLine", False),
    ],
)
def test_a_sentence_only_mentions_the_names_in_it(text: str, sentence: bool) -> None:
    read = read_code_query(text)
    assert (read.asked, read.sentence) == (CodeQueryForm.NAME, sentence)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("who calls render?", "render"),
        ("what uses Client.send()", "send"),
        ("callers of the function save_base", "save_base"),
        ("where is render used", "render"),
        ("where does render get called", "render"),
        ("where is render defined", None),
        ("where is the dome", None),
        ("who called me", None),
    ],
)
def test_who_calls_something_asks_for_its_uses(text: str, name: str | None) -> None:
    read = read_code_query(text)
    assert (read.names[0].parts[-1] if read.uses else None) == name


def test_all_pieces_on_one_line_count_more_than_all_over_the_text() -> None:
    (pieces,) = read_code_query(r"def get_\w+_label\(").pieces
    assert share_in_order(pieces, "def get_price_label(x):\n") == 1.0
    assert share_in_order(pieces, "def get_price():\n    pass\n\nx_label(1)\n") == 0.5
    assert share_in_order(pieces, "nothing") == 0.0
    assert share_in_order((), "x") == share_of_runs((), "x") == 0.0


@given(st.text(max_size=300))
@settings(max_examples=examples(200))
def test_any_text_can_be_read(text: str) -> None:
    read = read_code_query(text)
    assert all(name.parts and all(name.parts) for name in read.names)
    assert all(piece for pieces in read.pieces for piece in pieces) and all(read.runs)
    assert all(0.0 <= share_in_order(pieces, text) <= 1.0 for pieces in read.pieces)


@given(st.text(alphabet=" \n\"'`\\()[]{}.*+?:/#%<>-_aA0$|^", max_size=200))
@settings(max_examples=examples(300))
def test_any_punctuation_can_be_read(text: str) -> None:
    read_code_query(text)


@pytest.mark.parametrize(
    "piece", ["(", "\\", "a.", "a/", 'File "', "at x(", "'", "A: ", "[a", "::", "_", "a-", "#1 ", "|a"]
)
def test_reading_takes_time_linear_in_the_text(piece: str) -> None:
    def cost(size: int) -> float:
        text = (piece * size)[:size]
        started = time.process_time()
        read_code_query.__wrapped__(text)
        return time.process_time() - started

    cost(1_000)
    # Four times the text in less than sixteen times the time, and never long: quadratic reading would be both.
    assert cost(20_000) < max(0.5, 16 * cost(5_000))


@pytest.mark.parametrize(
    ("written", "name"),
    [("Py", "python"), ("C++", "cpp"), ("bash", "shell"), ("rust", "rust"), ("text", None), ("", None), (None, None)],
)
def test_a_language_has_one_name(written: str | None, name: str | None) -> None:
    assert language_named(written) == name
