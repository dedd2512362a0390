"""How far a long run has come: a bar on stderr, only where somebody watches."""

from __future__ import annotations

import sys
import time
from math import ceil
from typing import TYPE_CHECKING

from recto.interfaces.cli.layout import duration, size, visible
from recto.observability.progress import NoProgress, Progress, Rate

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


def progress(*, quiet: bool) -> Progress:
    return NoProgress() if quiet or not sys.stderr.isatty() else TerminalProgress()


class TerminalProgress:
    """Fits `observability.progress.Progress`: one bar per phase, gone when the phase is over."""

    def __init__(self) -> None:
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
        self._task = self._bars.add_task(visible(phase), total=total, pace=pace(self._rate, total, unit))
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
        told = [_amount(rate.done, unit)]
    else:
        told = [f"{size(rate.done) if unit == 'B' else f'{rate.done:,}'} of {_amount(total, unit)}"]
    if speed:
        told.append(f"{_amount(speed, unit)}/s")
    if left:
        told.append(f"{duration(ceil(left))} left")
    return ", ".join(told)


def _amount(value: float, unit: str) -> str:
    if unit == "B":
        return size(value)
    return f"{value:,.0f} {unit}" if value >= 10 else f"{value:,.3g} {unit}"
