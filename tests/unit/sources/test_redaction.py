"""Keys and tokens become marks, character for character, and nothing else does."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_tokens import ALNUM, TOKENS, made

from octavo.sources.redaction import MARK, described, find_keys, redacted

MORE = {
    "AWS secret key": "aws_secret_access_key = " + made(ALNUM, 40),
    "Azure storage key": "AccountKey=" + made(ALNUM, 86) + "==",
    "Shopify token": "shpat_" + made("0123456789abcdef", 32),
}
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join(made(ALNUM + "+/", 64) for _ in range(5))
WHOLE_KEY = KEY + "\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize("kind", [*TOKENS, *MORE])
@pytest.mark.parametrize("around", ["Use {}, please.\n", "+{}\n", "\n-{}\n", '"{}"', "a={}", "({})", "`{}`"])
def test_a_token_becomes_as_many_marks(kind: str, around: str) -> None:
    token = {**TOKENS, **MORE}[kind]
    text = around.format(token)
    hidden, (match,) = redacted(text)
    assert match.kind == kind
    assert len(hidden) == len(text)
    secret = match.span.of(text)
    assert token.endswith(secret)
    assert hidden == text.replace(secret, MARK * len(secret))


@pytest.mark.parametrize("sign", ["", "+", "-", " ", "    ", "# "])
@pytest.mark.parametrize("key", [KEY, WHOLE_KEY])
def test_a_private_key_goes_whole_and_its_lines_stay(key: str, sign: str) -> None:
    text = f"before\n{sign}" + key.replace("\n", f"\n{sign}") + "\nafter the key\n"
    hidden, (match,) = redacted(text)
    assert match.kind == "private key"
    assert hidden.count("\n") == text.count("\n")
    assert len(hidden) == len(text)
    assert not [line for line in key.split("\n") if line in hidden]
    assert hidden.startswith("before\n")
    assert hidden.endswith("\nafter the key\n")


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "sk-learn-contrib-some-long-package-name",
        "task-sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "the eyJ prefix of a JSON web token",
        "password = 'k3!fPq9_zL'",
        "SKU 4711, SKIP, ASIAN, AKIA",
        "hf_hub_download_and_cache_the_model_files",
        "def npm_install_everything_that_is_in_the_lock_file(): ...",
    ],
)
def test_talk_about_keys_stays(text: str) -> None:
    assert redacted(text) == (text, ())


def test_findings_name_their_rule_and_line_and_never_the_secret() -> None:
    token = TOKENS["GitHub token"]
    text = f"one\ntwo {token}\n{WHOLE_KEY}\n"
    found = find_keys(text)
    assert described(text, found) == ("redacted: GitHub token, line 2", "redacted: private key, line 3")
    assert token not in repr(found)


UNITS = [
    *("eyJ", "eyJa.", "\n-eyJ", "--eyJ", "sk-", "\n-sk-", "AKIA", "xoxb-", "PRIVATE KEY-----", "-----BEGIN ", "SG.a"),
    *("-----BEGIN PRIVATE KEY-----\n", f"-----BEGIN PRIVATE KEY-----\n{'A' * 40}\n", "ghp_a1", "AccountKey="),
    *("eyJaaaaaaaa.eyJaaaaaaaa.", "SecretAccessKey"),
]


@pytest.mark.parametrize("unit", UNITS)
def test_the_time_grows_with_the_length_of_hostile_text_and_not_with_its_square(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.thread_time()
        redacted(text)
        return time.thread_time() - started

    small = min(seconds(50_000) for _ in range(3))
    # Sixteen times the text: linear is 16 times the time, quadratic 256 times.
    assert min(seconds(800_000) for _ in range(3)) < 0.05 + 120 * small


@given(st.text(), st.sampled_from(sorted(TOKENS)), st.text())
def test_offsets_hold_around_every_redaction(before: str, kind: str, after: str) -> None:
    text = f"{before} {TOKENS[kind]} {after}"
    hidden, found = redacted(text)
    assert found
    assert len(hidden) == len(text)
    assert all(mark in (letter, MARK) for mark, letter in zip(hidden, text, strict=True))
    assert redacted(hidden) == (hidden, ())
