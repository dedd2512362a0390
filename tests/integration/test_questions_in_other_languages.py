"""English notes answer questions in other languages; notes in the language of the question stay first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo

NOTES = {
    "accounts.md": "# Accounts\n\nEvery user may change the password of the account once a day.\n",
    "permissions.md": "# Shares\n\nWho may read or modify a file is said by its permissions.\n",
    "disk.md": "# Storage\n\nAn alarm rings when less than a tenth of the space on the disk remains free.\n",
    "lines.md": "# Lists\n\nRepeated lines are removed before a list is printed.\n",
    "tea.md": "# Tea\n\nGreen leaves are steeped for two minutes in water of eighty degrees.\n",
    "moon.md": "# Moon\n\nCraters are seen best along the terminator.\n",
    "garden.md": "# Garden\n\nApple trees are pruned in late winter.\n",
    "tresor.md": "# Tresor\n\nDie Kombination des Tresors wird im Januar gewechselt.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[octavo.Library]:
    folder: Path = tmp_path_factory.mktemp("questions") / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with octavo.open(folder.with_name("library.db"), create=True) as library:
        library.add(folder, name="notes")
        library.index()
        yield library


@pytest.mark.parametrize(
    ("question", "uri"),
    [
        ("Passwort eines Benutzers ändern", "accounts.md"),
        ("cambiar la contraseña de un usuario", "accounts.md"),
        ("сменить пароль пользователя", "accounts.md"),
        ("変更 パスワード ユーザー", "accounts.md"),
        ("修改文件权限", "permissions.md"),
        ("changer les permissions d'un fichier", "permissions.md"),
        ("ile wolnego miejsca zostało na dysku", "disk.md"),
        ("tekrarlanan satırları silmek", "lines.md"),
    ],
)
@pytest.mark.parametrize("profile", ["hybrid", "lexical_only"])
def test_a_note_in_english_is_the_first_hit(library: octavo.Library, question: str, uri: str, profile: str) -> None:
    answer = library.search(question, profile=profile)
    assert answer.hits and answer.hits[0].uri == uri


def test_a_note_in_the_language_of_the_question_stays_first(library: octavo.Library) -> None:
    assert library.search("Wann wird die Kombination des Tresors gewechselt?").hits[0].uri == "tresor.md"


def test_the_trace_says_what_was_looked_for_in_english(library: octavo.Library) -> None:
    answer = library.search("Passwort eines Benutzers ändern", explain=True)
    assert answer.trace is not None
    lexical = next(stage for stage in answer.trace if stage.stage == "lexical")
    assert {"password", "user", "change"} <= set(lexical.detail["in_english"].split())
