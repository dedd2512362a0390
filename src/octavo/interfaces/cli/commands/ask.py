"""`octavo ask`: an answer with citations, its sentences shown as they are written."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command
from octavo.operations.answering.requests import AskRequest


@command(AskRequest, "ask", action="ask:ask")
@click.option(
    "--continue",
    "continued",
    is_flag=True,
    help="Go on with the conversation of the last question asked so; its questions are kept in a session.",
)
def ask() -> None:
    """Without a language model the answer is made of the library's own sentences. On a terminal, each sentence of a
    model is shown once it has been checked against the passages it cites.
    """
