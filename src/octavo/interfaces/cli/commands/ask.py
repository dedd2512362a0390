"""`octavo ask`: an answer with citations, its sentences shown as they are written."""

from __future__ import annotations

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import exit_of, operation_of, write_answer
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.presenting.formatted_answer_writing import OutputFormat, drawn
from octavo.interfaces.presenting.terminal_rendering import TerminalView, terminal_lines
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import AnswerSentence, below_sentences, sentence_line
from octavo.operations.styled_answer_lines import Block


@command(AskRequest, "ask")
@click.option(
    "--continue",
    "continued",
    is_flag=True,
    help="Go on with the conversation of the last question asked so; its questions are kept in a session.",
)
def ask(choices: Choices, request: AskRequest, continued: bool) -> Exit:
    """Without a language model the answer is made of the library's own sentences. On a terminal, each sentence of a
    model is shown once it has been checked against the passages it cites.
    """
    from octavo.memory.earlier_questions import earlier_questions, keep_question
    from octavo.operations.answering.ask import answered

    operation = operation_of("ask")
    live = choices.format is OutputFormat.TEXT and output.on_terminal()
    shown = 0
    with opened(choices) as session:
        view = TerminalView(request.question, roots=session.roots())

        def tell(sentence: AnswerSentence) -> None:
            nonlocal shown
            if live and sentence.support != "quoted":
                _show([sentence_line(sentence)], view)
                shown += 1

        if continued:
            earlier = earlier_questions(session.engine.memories)
            request = replace(request, previous=(*earlier, *request.previous))
        answer = answered(session.engine, request, tell)
        if continued:
            keep_question(session.engine.memories, answer.standalone or request.question)
    if shown:
        _show(below_sentences(answer), view)
        return exit_of(operation, answer)
    return write_answer(choices, operation, answer, view)


def _show(blocks: list[Block], view: TerminalView) -> None:
    on = output.screen()
    output.plain(drawn(terminal_lines(blocks, view, on.width), colours=on.colours))
