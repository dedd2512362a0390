"""Secrets: by the name of a file, by the shape of a token; and what only looks like one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_tokens import ALNUM, TOKENS, made

from octavo.model.normalised_text_and_spans import Span
from octavo.sources.guessed_secrets_in_memories import find_secrets
from octavo.sources.secret_file_names import is_secret_name
from octavo.sources.secret_spans import SecretMatch

SECRET_NAMES = """
.env~ id_rsa~ server.pem.bak id_ed25519.old credentials.json.orig
.env .env.local .env.production prod.env .envrc server.pem server.key putty.ppk id_rsa id_ed25519 id_ed25519_sk
id_rsa.bak credentials credentials.json .credentials aws_credentials.csv my-credentials.yaml secrets.yaml secrets.json
Secrets.TOML app.secrets.json secret.txt passwords.txt .htpasswd .pgpass .netrc _netrc .npmrc .pypirc .git-credentials
vault.kdbx cert.p12 cert.pfx service-account.json my-service-account-prod.json serviceAccountKey.json
client_secret_123.json x-firebase-adminsdk-1.json access_token.txt .aws/credentials .ssh/config home/.ssh/known_hosts
.gnupg/trust.txt .kube/config kubeconfig kubeconfig.yaml kube-config.yml prod.kubeconfig terraform.tfvars
prod.tfvars.json terraform.tfstate terraform.tfstate.backup prod.tfstate.1700000000 wp-config.php wp-config-live.php
apikey.json apikeys.txt api-key.txt api-keys.json gcp-key.json credentials.tfrc.json recovery-codes.txt backup_codes.md
seed-phrase.txt mnemonic.txt local.settings.json sftp-config.json env.local .config/gh/hosts.yml
token.json auth.json rclone.conf wg0.conf wg-home.conf api_key api_key.txt api_keys.json API_KEY_PROD.md private-key
private-key.txt private_key.md privatekey.xml PrivateKey.md docker/config.json .docker/config.json wallet.dat
wallet.json password.md Password.TXT passwords.md PASSWORDS.html secrets.md Secrets.rst SECRETS.anything .SSH/config
""".split()  # noqa: SIM905

HONEST_NAMES = """
.env.example .env.sample env.md environment.md secrets.py managing-secrets.md secret.md the-secret.txt credentials.md
credentials.py credential_helper.go password_reset.html password.ts wallet.py wallets.md config.json tokens.json
tokens.txt recovery.md seed.txt backup.md keyboard-key.json hosts.yml
token.py private_key.go api_key.py api-keys.md wp-config.md kubeconfigs.md kubernetes.yaml wg.md
author.json keys.md key.md keyboard.md monkey.json id_rsa.pub authentication.md index.md README ssh/config.md
aws/credentials.md service-accounts.md netrc.md shadow.md a.env.md
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_file_of_secrets_is_known_by_its_name(name: str) -> None:
    reason = is_secret_name(name)
    assert reason is not None
    assert reason.startswith("it may hold secrets: ")
    assert is_secret_name(f"deep/down/{name}") is not None


@pytest.mark.parametrize("name", HONEST_NAMES)
def test_a_file_about_secrets_is_not_one(name: str) -> None:
    assert is_secret_name(name) is None


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_is_found_where_it_stands(kind: str) -> None:
    token = TOKENS[kind]
    text = f"Use {token}, please.\nNothing else.\n"
    (match,) = find_secrets(text)
    assert (match.kind, match.span.end) == (kind, 4 + len(token)) and token.endswith(match.span.of(text))
    assert find_secrets(f'key = "{token}"')[0].span.end == 7 + len(token)


def test_other_spellings_of_tokens_are_found() -> None:
    fine_grained = "github_pat_" + made(ALNUM + "_", 82)
    plain = "sk-" + made(ALNUM, 48)
    assert [match.kind for match in find_secrets(f"{fine_grained} {plain}")] == ["GitHub token", "OpenAI key"]


@pytest.mark.parametrize("label", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_is_found(label: str) -> None:
    body = "\n".join(made(ALNUM + "+/", 64) for _ in range(3))
    text = f"-----BEGIN {label}PRIVATE KEY-----\n{body}\n-----END {label}PRIVATE KEY-----\n"
    assert find_secrets(text) == (SecretMatch("private key", Span(0, len(text) - 1)),)
    assert [match.kind for match in find_secrets(text.replace("\n", "\\n"))] == ["private key"]


@pytest.mark.parametrize(
    "text",
    [
        'password = "k3!fPq9_zL"',
        "DB_PASSWORD=k3fPq9zLmW2x",
        '{"client_secret": "k3fPq9zLmW2xTT"}',
        "api-key: 'k3fPq9zLmW2x-88'",
        "auth_token := `k3fPq9zLmW2x88`",
        "aws_secret_access_key = k3fPq9zLmW2xk3fPq9zLmW2xRR/+1a",
    ],
)
def test_a_password_written_out_is_found(text: str) -> None:
    assert [match.kind for match in find_secrets(text)] == ["password or key"]


def test_a_password_in_a_url_is_found_and_only_it() -> None:
    text = "postgres://app:k3fPq9zLmW@db.internal:5432/main"
    (match,) = find_secrets(text)
    assert match == SecretMatch("password in a URL", Span(15, 25))
    assert match.span.of(text) == "k3fPq9zLmW"


@pytest.mark.parametrize(
    "text",
    [
        "The password is in the safe; ask Ines.",
        "password: must have eight characters, one digit",
        'password = "changeme123"',
        'api_key = "YOUR_API_KEY_1"',
        'token = os.environ["API_TOKEN_1"]',
        "password = settings.database.password2",
        "secret: ${DB_SECRET_2}",
        "password=<your-password-1>",
        "token: xxxxxxxxxxxx1",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-learn-contrib-some-long-package-name",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "https://user:password@example.com/",
        "https://example.com:8080/path@2x.png",
        "tokenize(text): returns 12 tokens",
        "the eyJ prefix of a JSON web token",
    ],
)
def test_talk_about_secrets_is_not_a_secret(text: str) -> None:
    assert find_secrets(text) == ()


def test_overlapping_findings_are_reported_once() -> None:
    token = TOKENS["GitHub token"]
    assert [match.kind for match in find_secrets(f'token = "{token}"')] == ["GitHub token"]


@pytest.mark.parametrize(
    "unit",
    ["eyJ", "sk-", "AKIA", "xoxb-", "a://", "password=", "PRIVATE KEY-----", "-----BEGIN ", "ghp_a1", "a:b@", "SG.a"],
)
def test_the_search_is_linear_in_hostile_text(unit: str) -> None:
    find_secrets(unit * (400_000 // len(unit)))


@given(st.text())
def test_any_text_is_searched_and_matches_are_in_order(text: str) -> None:
    matches = find_secrets(text + " " + TOKENS["Slack token"])
    assert matches
    assert all(a.span.end <= b.span.start for a, b in pairwise(matches))
