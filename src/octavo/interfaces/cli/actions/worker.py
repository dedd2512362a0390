"""`octavo worker`: queued jobs done in threads, until there are none or somebody stops it."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor

from octavo.interfaces.cli.errors import Exit
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.cli.session import opened
from octavo.interfaces.presenting.formats import Answer
from octavo.jobs.worker import Round
from octavo.observability.logs import configure
from octavo.operations.jobs.working import work, work_everywhere
from octavo.operations.lines import Part, count
from octavo.operations.plain import plain


def worker(choices: Choices, once: bool, threads: int | None) -> Exit:
    stop = threading.Event()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with opened(choices) as session:
        configure("info" if choices.verbose else session.config.log_level, format=session.config.log_format)
        do = work_everywhere if choices.project is None else work
        many = threads or session.config.work.threads
        with ThreadPoolExecutor(many, "octavo-work") as pool:
            try:
                begun = [
                    pool.submit(do, session.engine, session.config.jobs, stop, until_idle=once) for _ in range(many)
                ]
                done = sum((running.result() for running in begun), Round())
            finally:
                stop.set()  # after Ctrl-C too, each ends with the job it is at
    row = plain(done)
    text = f"{count(done.finished, 'job')} done, {done.failed} to be tried again, {done.dead} given up"
    choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(text),)], brief=True))
    return Exit.PARTIAL if done.failed or done.dead else Exit.OK
