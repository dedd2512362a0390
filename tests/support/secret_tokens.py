"""Tokens in the shapes of well-known services, put together so that no scanner takes these files for a leak."""

from __future__ import annotations

import random
import string
from base64 import b64encode


def made(alphabet: str, size: int) -> str:
    """A token-like run, the same every time; tokens are put together so that no scanner takes this file for one."""
    return "".join(random.Random(size).choices(alphabet, k=size))


ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
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
    "AWS Bedrock key": "ABSK" + made(ALNUM, 128) + "=",
    "Azure access signature": "&sig=" + made(ALNUM, 43) + "%3D",
    "Groq key": "gsk_" + made(ALNUM, 52),
    "xAI key": "xai-" + made(ALNUM, 80),
    "Perplexity key": "pplx-" + made(ALNUM, 48),
    "Replicate token": "r8_" + made(ALNUM, 37),
    "Docker Hub token": "dckr_pat_" + made(ALNUM, 27),
    "Twilio key": "SK" + made(HEX, 32),
    "Mailgun key": "key-" + made(HEX, 32),
    "Databricks token": "dapi" + made(HEX, 32) + "-2",
    "Linear key": "lin_api_" + made(ALNUM, 40),
    "Notion token": "ntn_" + made(string.digits, 11) + made(ALNUM, 35),
    "Vault token": "hvs." + made(ALNUM, 95),
    "Doppler token": "dp.pt." + made(ALNUM, 43),
    "Grafana token": "glsa_" + made(ALNUM, 32) + "_" + made(HEX, 8),
    "Atlassian token": "ATATT3" + made(ALNUM, 180) + "=" + made(HEX.upper(), 8),
    "Sentry token": "sntrys_" + made(ALNUM, 150),
    "Postman key": "PMAK-" + made(HEX, 24) + "-" + made(HEX, 34),
    "New Relic key": "NRAK-" + made(string.ascii_uppercase + string.digits, 27),
    "Supabase token": "sbp_" + made(HEX, 40),
    "OpenRouter key": "sk-or-v1-" + made(HEX, 64),
    "LangSmith key": "lsv2_pt_" + made(HEX, 32) + "_" + made(HEX, 10),
    "Pinecone key": "pcsk_" + made(ALNUM, 6) + "_" + made(ALNUM, 62),
    "Figma token": "figd_" + made(ALNUM, 40),
    "Netlify token": "nfp_" + made(ALNUM, 36),
    "RubyGems key": "rubygems_" + made(HEX, 48),
    "Tailscale key": "tskey-auth-" + made(ALNUM, 17) + "-" + made(ALNUM, 32),
    "PlanetScale token": "pscale_tkn_" + made(ALNUM, 43),
    "Brevo key": "xkeysib-" + made(HEX, 64) + "-" + made(ALNUM, 16),
    "1Password token": "ops_eyJ" + made(ALNUM, 400),
    "age key": "AGE-SECRET-KEY-1" + made("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "Discord bot token": b64encode(made("123456789", 18).encode()).decode()
    + "."
    + made(ALNUM, 6)
    + "."
    + made(ALNUM, 38),
}
