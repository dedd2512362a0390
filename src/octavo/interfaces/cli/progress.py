"""How far a long run has come, on stderr: a bar where somebody watches, lines for what takes hours."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import click

from octavo.observability.progress import NoProgress, Progress, Rate
from octavo.operations.styled_answer_lines import duration, size, visible

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


_LINE_SECONDS = 30.0  # often enough to see that it goes on, seldom enough for a log


def progress(*, quiet: bool, in_lines: bool = False, named: Callable[[str], str] = str) -> Progress:
    """Off a terminal nothing is shown, or with `in_lines` a line now and then. `named`: what bars call a phase."""
    if quiet:
        return NoProgress()
    if sys.stderr.isatty():
        return TerminalProgress(named)
    return LineProgress() if in_lines else NoProgress()


class LineProgress:
    """Fits `observability.progress.Progress`: a line when a phase begins, and every half minute how far it is."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, write: Callable[[str], object] | None = None
    ) -> None:
        self._clock = clock
        self._write = write or partial(click.echo, err=True)
        self._rate = Rate.begin(clock())
        self._phase, self._unit = "", ""
        self._total: int | None = None
        self._told = clock()

    def start(self, phase: str, total: int | None, unit: str) -> None:
        now = self._clock()
        self._phase, self._total, self._unit = visible(phase), total, unit
        self._rate, self._told = Rate.begin(now), now
        if total != 0:
            self._write(self._phase if total is None else f"{self._phase}: {_amount(total, unit)}")

    def advance(self, n: int = 1, note: str = "") -> None:
        now = self._clock()
        self._rate = self._rate.advance(n, now)
        if now - self._told >= _LINE_SECONDS:
            self._told = now
            details = [pace(self._rate, self._total, self._unit), *([visible(note)] if note else [])]
            self._write(f"{self._phase}: {', '.join(details)}")

    def finish(self) -> None:
        pass


class TerminalProgress:
    """Fits `observability.progress.Progress`: one bar per phase, gone when the phase is over."""

    def __init__(self, named: Callable[[str], str] = str) -> None:
        self._named = named
        self._bars: Bars | None = None
        self._task: TaskID | None = None
        self._rate = Rate.begin(time.monotonic())
        self._total: int | None = None
        self._unit = ""

    def start(self, phase: str, total: int | None, unit: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self.finish()
        if total == 0:
            return
        self._rate, self._total, self._unit = Rate.begin(time.monotonic()), total, unit
        console = Console(file=sys.stderr, markup=False, emoji=False, highlight=False)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[pace]}", markup=False, style="dim"),
        )
        self._bars = Progress(*columns, console=console, transient=True)
        self._task = self._bars.add_task(visible(self._named(phase)), total=total, pace=pace(self._rate, total, unit))
        self._bars.start()

    def advance(self, n: int = 1, note: str = "") -> None:
        if self._bars is not None and self._task is not None:
            self._rate = self._rate.advance(n, time.monotonic())
            self._bars.update(self._task, advance=n, pace=pace(self._rate, self._total, self._unit))

    def finish(self) -> None:
        if self._bars is not None:
            self._bars.stop()
        self._bars = self._task = None


def pace(rate: Rate, total: int | None, unit: str) -> str:
    """`3.1 MB of 59 MB, 4.2 MB/s, 13 s left`, or `64 of 93 chunks, 20 chunks/s, 2 s left`."""
    speed, left = rate.per_second, rate.seconds_left(total)
    if total is None:
        amounts = [_amount(rate.done, unit)]
    else:
        amounts = [f"{size(rate.done) if unit == 'B' else f'{rate.done:,}'} of {_amount(total, unit)}"]
    if speed:
        amounts.append(f"{_amount(speed, unit)}/s")
    if left:
        amounts.append(f"{duration(ceil(left))} left")
    return ", ".join(amounts)


def _amount(value: float, unit: str) -> str:
    if unit == "B":
        return size(value)
    return f"{value:,.0f} {unit}" if value >= 10 else f"{value:,.3g} {unit}"
