"""Completion in PowerShell, which click does not have: the script, and the protocol between it and the command."""

from __future__ import annotations

import os

from click.shell_completion import CompletionItem, ShellComplete, add_completion_class

_ARGUMENTS = "_OCTAVO_COMPLETE_ARGUMENTS"  # the words before the one being typed, a line each
_TYPED = "_OCTAVO_COMPLETE_TYPED"

# Words reach the command as values, without their quotes, and an offer that needs quotes gets them back. Where nothing
# is offered PowerShell completes file names by itself.
_SCRIPT = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($typed, $command, $position)
    $words = @($command.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $position } |
        ForEach-Object { if ($null -ne $_.Value) { "$($_.Value)" } else { $_.Extent.Text } })
    $env:%(complete_var)s = 'powershell_complete'
    $env:%(arguments)s = $words -join "`n"
    $env:%(typed)s = $typed
    try {
        %(prog_name)s | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            $quoted = "'" + $value.Replace("'", "''") + "'"
            $text = if ($value -match '[\\s''"`$(){};,|&<>@#]') { $quoted } else { $value }
            if (-not $help) { $help = $value }
            [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $help)
        }
    } finally {
        Remove-Item Env:%(complete_var)s, Env:%(arguments)s, Env:%(typed)s -ErrorAction SilentlyContinue
    }
}
"""


class PowerShellComplete(ShellComplete):
    name = "powershell"
    source_template = _SCRIPT

    def source_vars(self) -> dict[str, str]:  # type: ignore[override]  # click's own type is private
        return {**super().source_vars(), "arguments": _ARGUMENTS, "typed": _TYPED}  # type: ignore[dict-item]

    def get_completion_args(self) -> tuple[list[str], str]:
        words = os.environ.get(_ARGUMENTS, "")
        return words.split("\n") if words else [], os.environ.get(_TYPED, "").strip("'\"")

    def format_completion(self, item: CompletionItem) -> str:
        # Files and folders are PowerShell's own to complete.
        return f"{item.value}\t{' '.join((item.help or '').split())}" if item.type == "plain" else ""


def register() -> None:
    add_completion_class(PowerShellComplete)
