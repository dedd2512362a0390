"""Keys and tokens become marks, character for character, and nothing else does."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_tokens import ALNUM, HEX, TOKENS, made

from octavo.sources.secret_redaction import MARK, described, find_keys, redacted

MORE = {
    "AWS secret key": "aws_secret_access_key = " + made(ALNUM, 40),
    "Azure storage key": "AccountKey=" + made(ALNUM, 86) + "==",
    "Azure client secret": made(ALNUM, 3) + "8Q~" + made(ALNUM, 34),
    "Shopify token": "shpat_" + made(HEX, 32),
    "Terraform token": made(ALNUM, 14) + ".atlasv1." + made(ALNUM, 67),
    "Discord webhook": "https://discord.com/api/webhooks/" + made(string.digits[1:], 18) + "/" + made(ALNUM, 68),
    "Telegram bot token": made("123456789", 10) + ":AA" + made(ALNUM, 33),
}
FURTHER = {
    "GitHub token": [f"gh{kind}_" + made(ALNUM, 36) for kind in "pousr"] + ["github_pat_" + made(ALNUM, 82)],
    "GitLab token": [f"gl{kind}-" + made(ALNUM, 20) for kind in ("dt", "rt", "ptt", "cbt", "ft", "soat", "agent")],
    "AWS access key": [f"A{kind}A" + made(string.ascii_uppercase, 16) for kind in ("SI", "BI", "CC")],
    "Slack token": ["xapp-1-A0" + made(string.digits, 9) + "-" + made(HEX, 64), "xoxp-" + made(string.digits, 40)],
    "Stripe key": [f"{kind}_" + made(ALNUM, 24) for kind in ("rk_live", "sk_test", "rk_test", "whsec")],
    "Hugging Face token": ["api_org_" + made(ALNUM, 34)],
    "Notion token": ["secret_" + made(ALNUM, 43)],
    "Vault token": [f"hv{kind}." + made(ALNUM, 95) for kind in "br"],
    "Doppler token": ["dp.st.prd." + made(ALNUM, 43), "dp.ct." + made(ALNUM, 43)],
    "Docker Hub token": ["dckr_oat_" + made(ALNUM, 32)],
    "Linear key": ["lin_oauth_" + made(HEX, 64)],
    "Shopify token": [f"shp{kind}_" + made(HEX, 32) for kind in ("ca", "pa", "ss")],
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


AROUND = [
    r"'\n{}\n'",
    r"'x\t{}'",
    r"?a\u003d{}\u0026",
    "?token%3D{}%26b",
    r"'\x3d{}'",
    "\x1b[0m{}\x1b[31m",
    "_{}_",
    "__{}__",
]


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize("around", AROUND)
def test_a_token_between_escapes_or_signs_of_emphasis_is_one(kind: str, around: str) -> None:
    hidden, found = redacted(around.format(TOKENS[kind]))
    assert [match.kind for match in found] == [kind]
    assert TOKENS[kind][-16:] not in hidden


@pytest.mark.parametrize("kind", [kind for kind, token in TOKENS.items() if "_" in token])
def test_a_token_whose_underscores_an_editor_has_escaped_is_one(kind: str) -> None:
    token = TOKENS[kind].replace("_", r"\_")
    text = rf"a\_b {token} c\_d"
    assert redacted(text)[0] == rf"a\_b {MARK * len(token)} c\_d"


@pytest.mark.parametrize(("kind", "token"), [(kind, token) for kind, tokens in FURTHER.items() for token in tokens])
def test_every_kind_of_a_service_s_tokens_is_known(kind: str, token: str) -> None:
    hidden, (match,) = redacted(f"export TOKEN={token}\n")
    assert (match.kind, hidden) == (kind, f"export TOKEN={MARK * len(token)}\n")


WHOLE = [token for tokens in ([*TOKENS.values()], *FURTHER.values()) for token in tokens]


@pytest.mark.parametrize("token", sorted(set(WHOLE)))
def test_half_a_token_and_one_inside_of_a_word_are_none(token: str) -> None:
    shorter = token[: min(len(token) // 2, 12)]
    assert redacted(f"the form {shorter} … of a key") == (f"the form {shorter} … of a key", ())
    if token[0] not in "&h" or token.startswith("hf_"):  # addresses may stand anywhere
        assert redacted(f"word{token}") == (f"word{token}", ())


@pytest.mark.parametrize("sign", ["", "+", "-"])
def test_the_private_lines_of_a_putty_key_go_and_the_rest_of_it_stays(sign: str) -> None:
    secret = [made(ALNUM + "+/", 64), made(ALNUM, 40) + "=="]
    head = ["PuTTY-User-Key-File-3: ssh-ed25519", "Encryption: none", "Private-Lines: 2"]
    lines = [*head, *secret, "Private-MAC: " + made(HEX, 64), "after"]
    hidden, (match,) = redacted("".join(f"{sign}{line}\n" for line in lines))
    assert match.kind == "PuTTY key"
    shown = hidden.splitlines()
    assert [shown[0], *shown[-2:]] == [f"{sign}{line}" for line in (lines[0], *lines[-2:])]
    assert not [line for line in secret if line in hidden]


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
        "SKU 4711, SKIP, ASIAN, AKIA",
        "hf_hub_download_and_cache_the_model_files",
        "def npm_install_everything_that_is_in_the_lock_file(): ...",
        "key-value-store-with-a-very-long-name-indeed",
        "secret_manager_client_for_every_region_of_the_cloud",
        "a SKU SKf00, SKELETON_KEY_FOR_EVERYTHING_THERE_IS",
        "the ratio 12345678:AAA and a time 20260101:AAbbcc",
        "gsk_ r8_ xai- pplx- ntn_ hvs. dapi dckr_pat_ AGE-SECRET-KEY-1",
        "https://example.org/?design=1&sig=abc&more=1",
        "Private-Lines: the lines of a key that is private\nThe next line.",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4 is base 64 of a number, and a.b.c is a name",
        "udp.pt.example, dp.pt.short",
        "glpat-form glrt-form and glft-flags",
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
    *("Private-Lines: 1\n", "Private-Lines: 1\nAAAA\n", "MTIz", "MTIz.", "dp.st.a", "dp.st.aa.", "sig=", "1Q~", "key-"),
    *("\\_", "ghp\\_a1", "_ghp_", "%3Dghp_", "tskey-a-", "pcsk_aa_", "/api/webhooks/1"),
    *("SKa", "12345678:AA", "hvs.", "glpat-", "ATATT3", "a" * 20 + " "),
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


def test_the_last_lines_of_a_key_are_redacted_where_a_diff_shows_no_more_of_it() -> None:
    last = [made(ALNUM + "+/", 64), made(ALNUM, 22) + "=="]
    shown = "@@ -9,4 +9,4 @@\n " + "\n ".join(last) + "\n -----END RSA PRIVATE KEY-----\n-old\n+new\n"
    hidden, (match,) = redacted(shown)
    assert match.kind == "private key"
    assert not any(line in hidden for line in last)
    assert hidden.endswith("\n-old\n+new\n") and hidden.startswith("@@ -9,4 +9,4 @@\n") and len(hidden) == len(shown)
    assert redacted("It ends with\n\n-----END RSA PRIVATE KEY-----\n")[1] == ()
