"""Tokens in the shapes of well-known services, put together so that no scanner takes these files for a leak."""

from __future__ import annotations

import random
import string


def made(alphabet: str, size: int) -> str:
    """A token-like run, the same every time; tokens are put together so that no scanner takes this file for one."""
    return "".join(random.Random(size).choices(alphabet, k=size))


ALNUM = string.ascii_letters + string.digits
TOKENS = {
    "AWS access key": "AKIA" + made(string.ascii_uppercase + string.digits, 16),
    "GitHub token": "ghp_" + made(ALNUM, 36),
    "GitLab token": "glpat-" + made(ALNUM, 20),
    "Slack token": "xoxb-" + made(string.digits, 12) + "-" + made(ALNUM, 24),
    "Slack webhook": "hooks.slack.com/services/T0" + made(ALNUM, 9) + "/B0/" + made(ALNUM, 24),
    "Google API key": "AIza" + made(ALNUM, 35),
    "Google client secret": "GOCSPX-" + made(ALNUM, 28),
    "Google access token": "ya29." + made(ALNUM, 60),
    "Stripe key": "sk_live_" + made(ALNUM, 24),
    "Anthropic key": "sk-ant-api03-" + made(ALNUM, 80),
    "OpenAI key": "sk-proj-" + made(ALNUM, 60),
    "Hugging Face token": "hf_" + made(ALNUM, 34),
    "npm token": "npm_" + made(ALNUM, 36),
    "PyPI token": "pypi-AgE" + made(ALNUM, 80),
    "SendGrid key": "SG." + made(ALNUM, 22) + "." + made(ALNUM, 43),
    "DigitalOcean token": "dop_v1_" + made(string.hexdigits.lower()[:16], 64),
    "JSON web token": "eyJ" + made(ALNUM, 30) + ".eyJ" + made(ALNUM, 60) + "." + made(ALNUM, 43),
}
