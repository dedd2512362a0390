"""What a word becomes."""

from __future__ import annotations

import pickle
import sys
import threading
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from octavo.algorithms.text import search_tokenizer, word_pieces
from octavo.algorithms.text.english_stopwords import STOP_WORDS
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.algorithms.text.unicode_folding import fold

ANALYZER = Analyzer()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("getUserById", "getuserbyid get user by id"),
        ("GetUserByID", "getuserbyid get user by id"),
        ("getuserbyid", "getuserbyid"),
        ("parse_json", "parse_json pars json"),
        ("PARSE_JSON", "parse_json pars json"),
        ("parseJSON", "parsejson pars json"),
        ("HTTPServer", "httpserver http server"),
        ("XMLHttpRequest", "xmlhttprequest xml http request"),
        ("Base64Encoder", "base64encoder base64 base 64 encod"),
        ("MD5Hash", "md5hash md5 hash"),
        ("Vector3D", "vector3d"),
        ("x86_64", "x86_64 x86 64"),
        ("URLs APIs IDs getURLs", "url api id geturl get url"),
        ("JavaScript SQLite macOS iPhone", "javascript sqlite macos iphon"),
        ("ПолучитьИмя", "получитьим получ им"),
    ],
)
def test_an_identifier_is_kept_whole_and_split(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("__init__", "__init__ init"),
        ("_private", "privat"),
        ("_in this case_", "in this case"),
        ("__strong words__", "strong word"),
        ("_parse_json", "parse_json pars json"),
        ("_ __ -_-", ""),
    ],
)
def test_underscores_around_a_word_are_emphasis_unless_doubled_on_both_sides(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("content-type", "contenttyp content type"),
        ("e-mail", "email e mail"),
        ("--dry-run", "dryrun dri run"),
        ("os.path.join", "ospathjoin os path join"),
        ("self.getUser()", "selfgetus self getus get user"),
        ("the end.Next", "the endnext end next"),
        ("word--word", "word word"),
        ("and...so", "and so"),
        ("U.S.A.", "usa u s a"),
        ("non\u2011breaking", "nonbreak non break"),
    ],
)
def test_words_joined_by_a_hyphen_or_a_point_count_together_and_apart(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("utf8", "utf8 utf 8"),
        ("utf-8", "utf8 utf 8"),
        ("python3", "python3 python 3"),
        ("mp3 k8s h1 10px", "mp3 k8s h1 10px"),
        ("3.11.7", "3_11_7 3 11 7"),
        ("v1.2", "v1_2 v1 2"),
        ("2024-01-15", "2024_01_15 2024 01 15"),
        ("1,000", "1 000"),
        ("0x1F", "0x1f"),
        ("١٢ ๑๒ １２", "12 12 12"),
    ],
)
def test_numbers_keep_their_points(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("C++", "cplusplus"),
        ("c++, C++.", "cplusplus cplusplus"),
        ("C++17", "cplusplus17 cplusplus 17"),
        ("C/C++", "c cplusplus"),
        ("Objective-C++", "object cplusplus"),
        ("libstdc++", "libstdcplusplus"),
        ("i++", "i"),
        ("C#", "csharp"),
        ("F#", "fsharp"),
        ("main.c#L10", "mainc main c l10"),
        (".NET", "dotnet"),
        ("(.NET)", "dotnet"),
        ("ASP.NET", "aspnet asp dotnet"),
        ("example.net", "examplenet exampl net"),
        ("node.js", "nodejs node js"),
        ("Node.js'", "nodejs node js"),
    ],
)
def test_a_name_that_lives_by_its_punctuation_survives(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("cplusplus", "C++"),
        ("csharp", "C#"),
        ("dotnet", ".NET"),
        ("aspnet", "ASP.NET"),
        ("nodejs", "node.js"),
        ("contenttype", "content-type"),
        ("contentType", "content-type"),
        ("getelementsbytagname", "getElementsByTagName"),
        ("email", "e-mail"),
        ("utf8", "UTF-8"),
        ("cafe", "café"),
        ("strasse", "Straße"),
        ("Malmo", "Malmö"),
        ("елка", "ёлка"),
        ("ios", "iOS"),
    ],
)
def test_what_people_type_instead_finds_what_was_written(typed: str, written: str) -> None:
    assert ANALYZER.tokens(typed)[0] == ANALYZER.tokens(written)[0]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("the user's name", "the user name"),
        ("the user\u2019s", "the user"),
        ("users' don't can't we've", "user dont cant weve"),
        ("l'homme O'Brien dell'arte", "l homm o brien dell art"),
        ("'quoted' ''", "quot"),
    ],
)
def test_an_apostrophe_joins_english_contractions_and_separates_everything_else(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("東京都", "東京 京都"),
        ("東", "東"),
        ("東 京", "東 京"),
        ("日本語のテスト", "日本 本語 語の のテ テス スト"),
        ("日本、東京。", "日本 東京"),
        ("Python入門", "python 入門"),
        ("第3章", "第 3 章"),
        ("한국어를", "한국 국어 어를"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국"),
        ("ﾊﾟﾝ", "パン"),
        ("か\u3099き", "がき"),
        ("ภาษาไทย", "ภา าษ ษา าไ ไท ทย"),
        ("น้ำ", "น้ํา"),
        ("ភាសាខ្មែរ", "ភាសា សាខ្មែ ខ្មែរ"),
    ],
)
def test_scripts_without_spaces_become_overlapping_pairs(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Café CAFÉ cafe\u0301", "cafe cafe cafe"),
        ("Ærø ÆRØ Łódź İstanbul ırmak", "aero aero lodz istanbul irmak"),
        ("Ἀρχή λόγος ΛΌΓΟΣ", "αρχ λογ λογ"),
        ("мой мои ёлка за\u0301мок", "мо мо елк замок"),
        ("हिन्दी हिंदी", "हिंद हिंद"),
        ("தமிழ்", "தமிழ்"),
        ("مَرْحَبًا مـرحبا", "مرحبا مرحبا"),
        ("שָׁלוֹם", "שלום"),
        ("می\u200cخواهم", "ميخواهم"),
        ("ﬁle x² ½ Ⅷ Java™", "file x2 1 2 viii java"),
        ("hy\u00adphen zero\u200bwidth", "hyphen zero width"),
    ],
)
def test_diacritics_go_where_they_decorate_and_stay_where_they_spell(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("ship it 🚀🚀", "ship it 🚀 🚀"),
        ("hi😀there", "hi 😀 there"),
        ("👩\u200d💻", "👩 💻"),
        ("👍🏽 ❤️ 1️⃣", "👍 ❤ 1"),
        ("🇫🇷🇩🇪", "🇫🇷 🇩🇪"),
        ("✅ done ⌘K", "✅ done ⌘ k"),
        ("a → b – c … €5 ■", "a b c 5"),
    ],
)
def test_an_emoji_is_a_token_and_other_symbols_are_not(text: str, tokens: str) -> None:
    assert ANALYZER.joined(text) == tokens


def test_english_words_are_stemmed_alike() -> None:
    assert ANALYZER.tokens("connect connected connecting connection Connections") == ["connect"] * 5


def test_a_link_gives_its_words() -> None:
    assert ANALYZER.joined("[Guide](https://developer.mozilla.org/en-US/docs?x=1#frag)") == (
        "guid https developermozillaorg develop mozilla org enus en us doc x 1 frag"
    )


def test_documents_keep_their_stop_words_and_queries_lose_them() -> None:
    assert ANALYZER.tokens("how to parse the json") == ["how", "to", "pars", "the", "json"]
    assert ANALYZER.query_tokens("how to parse the json") == ["pars", "json"]


def test_a_query_of_stop_words_keeps_them() -> None:
    assert ANALYZER.query_tokens("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


def test_no_contraction_takes_a_word_with_it() -> None:
    assert ANALYZER.stop_words.isdisjoint({"id", "ill", "well", "hell", "shell", "let", "us", "wed"})
    assert {"the", "dont", "becaus", "veri"} <= ANALYZER.stop_words
    assert len(ANALYZER.stop_words) <= len(STOP_WORDS.split())


@pytest.mark.parametrize(
    ("typed", "start"),
    [
        ("runni", "runni"),
        ("running", "running"),
        ("parse", "parse"),
        ("documentati", "documentati"),
        ("getUs", "getus"),
        ("parse_j", "parse_j"),
        ("os.pa", "ospa"),
        ("content-ty", "contentty"),
        ("3.1", "3_1"),
        ("Caf", "caf"),
        ("conf", "conf"),
        ("水", "水"),
        ("東京", ""),
        ("C++", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_prefix_is_folded_and_not_stemmed(typed: str, start: str) -> None:
    assert ANALYZER.prefix(typed) == start


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "aB" * 200_000,
        "a." * 200_000,
        "_" * 1_000_000,
        "-" * 1_000_000,
        "c++" * 200_000,
        ".net" * 200_000,
        "'s" * 200_000,
        "東" * 300_000,
        "ก" + "็" * 300_000,
        "e" + "\u0301\u0323" * 300_000,
        "🇫" * 100_000,
        "\ufdfa" * 20_000,
    ],
    ids=lambda text: ascii(text[:4]),
)
def test_a_text_without_spaces_is_analysed_in_linear_time_into_short_tokens(text: str) -> None:
    started = time.process_time()
    tokens = ANALYZER.tokens(text)
    assert time.process_time() - started < 10  # quadratic would be hours
    assert all(len(token) <= search_tokenizer.LONGEST for token in tokens)


def test_a_long_word_is_known_by_its_start() -> None:
    digest = "0123456789abcdef" * 8
    assert ANALYZER.tokens(digest) == [digest[:64]]


def test_what_is_remembered_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_tokenizer, "REMEMBERED_WORDS", 8)
    forgetful = Analyzer()
    text = " ".join(f"someWord{i % 7} other_{i} café{i % 5}" for i in range(200))
    assert forgetful.joined(text) == ANALYZER.joined(text)
    assert len(forgetful.known_words) + len(forgetful.known_words.older) <= 16


@given(st.text(st.sampled_from("abZ09_-.+#'/ é æßſıłÖ") | st.characters(max_codepoint=0x24F), max_size=12))
@example("c++ ASP.NET node.js libc++11 F#x être.net")
def test_words_in_latin_letters_are_cut_as_words_in_any_script_are(text: str) -> None:
    folded = word_pieces.BEYOND_LATIN.sub(" ", fold(text))
    simple, full = word_pieces.latin_piece_pattern(), word_pieces.piece_pattern()
    assert [(piece.lastgroup, piece.span()) for piece in simple.finditer(folded)] == [
        (piece.lastgroup, piece.span()) for piece in full.finditer(folded)
    ]


def test_threads_share_one_analyzer() -> None:
    shared = Analyzer()
    texts = [" ".join(f"connecting{i}Things_{j} running" for i in range(300)) for j in range(8)]
    found: dict[int, str] = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: shared.joined(texts[n])})) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: ANALYZER.joined(texts[n]) for n in range(8)}


def test_an_analyzer_travels_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(ANALYZER)).joined("getUserById") == "getuserbyid get user by id"


def test_the_version_names_the_rules() -> None:
    assert ANALYZER.version == "octavo-6"


def test_importing_the_analyzer_loads_no_stemmer() -> None:
    import subprocess

    modules = "octavo.algorithms.text.search_tokenizer, octavo.algorithms.queries.query_parsing"
    code = f"import sys, {modules}; print('Stemmer' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
