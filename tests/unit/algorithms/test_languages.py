"""The language of a passage by its function words, the forms of its words there, and compounds taken apart."""

from __future__ import annotations

import pytest

from octavo.algorithms.text.compound_word_expansion import Compounds
from octavo.algorithms.text.language_detection_and_marked_stems import prose
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.algorithms.text.stemming import snowball

ANALYZER = Analyzer()

PASSAGES = {
    "de": "Die Sicherung der Datenbank wird in der Nacht gemacht, wenn niemand arbeitet.",
    "fr": "La sauvegarde de la base de données est faite dans la nuit, quand personne ne travaille.",
    "es": "La copia de la base de datos se hace por la noche, cuando nadie trabaja con el servidor.",
    "pt": "A cópia do banco de dados é feita à noite, quando ninguém trabalha com o servidor.",
    "it": "La copia della base di dati è fatta di notte, quando non lavora nessuno con il server.",
    "nl": "De kopie van de database wordt in de nacht gemaakt, als er niemand met de server werkt.",
    "sv": "Kopian av databasen görs på natten, när det inte är någon som arbetar med servern.",
    "tr": "Bu kopya, sunucu ile kimse çalışmadığı için gece alınır ve daha sonra bir diske yazılır.",
    "": "The copy of the database is made at night, when nobody works with the server.",
}


@pytest.mark.parametrize(("language", "passage"), PASSAGES.items())
def test_a_passage_tells_its_language_by_its_function_words(language: str, passage: str) -> None:
    assert ANALYZER.languages([ANALYZER.joined(passage)], passage) == [language]


def test_a_short_passage_in_norwegian_or_danish_is_one_of_the_two() -> None:
    short = "Denne kommandoen er et alias for uname. Vis dokumentasjonen for den opprinnelige kommandoen."
    assert ANALYZER.languages([ANALYZER.joined(short)], short)[0] in {"da", "no"}


@pytest.mark.parametrize("passage", ["", "12 34", "def main(de, la): return de.la", "SELECT la FROM die WHERE el = 1"])
def test_what_is_no_prose_has_no_language(passage: str) -> None:
    assert ANALYZER.languages([ANALYZER.joined(passage)], passage) == [""]


@pytest.mark.parametrize("passage", ["Tim: take care!", "9:11 am: I'm finding my hat again!", "Game over, Dan!"])
def test_a_short_english_passage_is_in_no_other_language(passage: str) -> None:
    assert ANALYZER.languages([ANALYZER.joined(passage)], passage) == [""]


@pytest.mark.parametrize(
    "passage",
    [
        "Press Ctrl a v k o s z, then i w z.",
        "Sie: an address of the county.",
        "我喜欢睡觉，也喜欢我的猫 und der Hund，数据库每天晚上备份，服务器在早上检查备份文件。",
        "~ ñ ß ł: signs that a keyboard may lack",
    ],
)
def test_letters_one_word_and_words_among_another_script_tell_no_language(passage: str) -> None:
    assert ANALYZER.languages([ANALYZER.joined(passage)], passage) == [""]


def test_code_and_tables_are_no_prose() -> None:
    text = "Keys:\n\n| der | die |\n|---|---|\n| das | und |\n\nUse `der und die` or\n\n```\nder und die\n```\n\nhere."
    assert prose(text).split() == ["Keys:", "Use", "or", "here."]
    assert prose("```\nnever closed") == "\n"


def test_names_in_code_are_words_of_no_language() -> None:
    code = "def pascal(s):\n    return re.sub(r'[a-z]', lambda m: m.group(1), s)"
    passages = [ANALYZER.joined(code)]
    assert ANALYZER.languages(passages, code, code=True) == [""]


def test_comments_in_code_tell_its_language() -> None:
    code = f"# {PASSAGES['de']}\n# Sie ist auch ohne den Server da und wird nur von hier gelesen.\ndef copy(s):"
    assert ANALYZER.languages([ANALYZER.joined(code), "im s"], code, code=True) == ["de", "de"]


def test_a_passage_that_does_not_tell_is_in_the_language_of_its_document() -> None:
    passages = [ANALYZER.joined(text) for text in (PASSAGES["de"], "Vektordatenbank")]
    assert ANALYZER.languages(passages, "") == ["de", "de"]


def test_a_word_alone_tells_its_language_by_its_letters() -> None:
    assert ANALYZER.languages([ANALYZER.joined("Äpfel")], "Äpfel") == ["de"]


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", "Datenbank Datenbanken"),
        ("de", "Apfel Äpfel Aepfel"),
        ("de", "Straße Strasse Straßen"),
        ("es", "biblioteca bibliotecas"),
        ("fr", "cheval chevaux"),
        ("it", "biblioteca biblioteche"),
        ("sv", "flicka flickor"),
    ],
)
def test_forms_of_a_word_have_one_stem_in_their_language(language: str, forms: str) -> None:
    assert len({*ANALYZER.forms(forms, language)}) == 1


def test_no_token_of_a_text_is_a_form() -> None:
    tokens = ANALYZER.tokens("_de_datenbank __de_datenbank __de__ _de_ de_datenbank")
    assert not [token for token in tokens if token.startswith("_de_")]


@pytest.mark.parametrize(
    ("typed", "held", "languages"),
    [
        ("Datenbank", (), ()),
        ("Datenbank", ("de", "es"), ("de", "es")),
        ("how is the database copied", ("de",), ()),
        ("wie wird eine Datenbank gesichert", ("de", "es"), ("de",)),
        ("Äpfel", ("de", "es"), ("de",)),
    ],
)
def test_a_query_is_in_a_language_of_the_library_unless_it_tells(
    typed: str, held: tuple[str, ...], languages: tuple[str, ...]
) -> None:
    assert tuple(ANALYZER.query_languages(typed, held)) == languages


@pytest.mark.parametrize(
    ("question", "language", "about"),
    [
        ("combien de pommes", "fr", ["pomm"]),
        ("Wie heißt der Vermieter?", "de", ["vermiet"]),
        ("¿cuánto cuesta?", "es", ["cuesta"]),
        ("hvornår kommer posten", "da", ["kommer", "posten"]),
        ("comment on the rent", "en", ["comment", "rent"]),
    ],
)
def test_what_asks_tells_the_language_of_a_question_and_is_not_what_it_is_about(
    question: str, language: str, about: list[str]
) -> None:
    assert ANALYZER.query_language(question) == language
    assert ANALYZER.content_words(question, language) == about


def test_what_asks_is_a_word_of_a_passage_like_any_other() -> None:
    assert len(ANALYZER.forms("heißt", "de")) == 1


def test_a_compound_has_the_parts_that_are_words_of_the_library() -> None:
    known = ["datenbank", "verbind", "vektor", "datenbankverbind", "vektordatenbank", "art", "garten", "arbeitszimm"]
    compounds = Compounds([*known, "arbeit", "zimm"], snowball("german"))
    assert compounds.of("datenbank", 9) == ["vektordatenbank", "datenbankverbind"]
    assert compounds.of("datenbankverbind", 9) == ["datenbank", "verbind"]
    assert compounds.of("zimm", 9) == compounds.of("arbeit", 9) == ["arbeitszimm"]
    assert compounds.of("arbeitszimm", 9) == ["arbeit", "zimm"]
    assert compounds.of("arten", 9) == compounds.of("art", 9) == []


def test_a_long_word_is_part_of_a_compound_whose_rest_nobody_wrote_alone() -> None:
    stems = ["datenbanksicher", "kundendatenbank", "versicherung", "entscheidung", "sachbearbeitung"]
    compounds = Compounds(stems, snowball("german"))
    assert compounds.of("datenbank", 9) == ["datenbanksicher", "kundendatenbank"]
    assert compounds.of("sicherung", 9) == compounds.of("scheidung", 9) == []  # what is left is a prefix
    assert compounds.of("arbeit", 9) == []  # short, and in the middle
