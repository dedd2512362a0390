"""Findings as SARIF 2.1.0, the format that code scanning and editors read."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from octavo.model.lint_rules import RULES
from octavo.note_editing.note_lint import Finding
from octavo.operations.note_editing.results import LintAnswer
from octavo.version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(answer: LintAnswer) -> dict[str, Any]:
    """One run. Places are relative to the folder of their collection, whose name is the base."""
    rules = [
        {"id": name, "shortDescription": {"text": rule.summary}, "defaultConfiguration": {"level": rule.severity.value}}
        for name, rule in RULES.items()
    ]
    driver = {"name": "octavo", "version": __version__, "rules": rules}
    results = [_result(finding) for finding in answer.findings]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _result(finding: Finding) -> dict[str, Any]:
    fix = f" ({finding.suggested_fix})" if finding.suggested_fix else ""
    place = {
        "artifactLocation": {"uri": quote(finding.uri), "uriBaseId": finding.collection},
        "region": {"startLine": finding.start_line, "endLine": finding.end_line},
    }
    return {
        "ruleId": finding.rule,
        "ruleIndex": [*RULES].index(finding.rule),
        "level": finding.severity,
        "message": {"text": finding.message + fix},
        "locations": [{"physicalLocation": place}],
    }
