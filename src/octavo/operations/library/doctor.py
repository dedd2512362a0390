"""The doctor: everything about a library that can go wrong quietly, looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from octavo.engine.engine import Engine
from octavo.engine.indexing.recorded_index_recipe import other_model_hint
from octavo.engine.maintenance.build_info import installation_report
from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.maintenance_advisories import advisories
from octavo.engine.wiring.file_preparer_construction import confinement_here
from octavo.errors import ConfigurationError, OctavoError, ProviderFailed
from octavo.model.indexing_ledger import REDACTED
from octavo.model.job import JobState
from octavo.model.maintenance_advisory import Advisory
from octavo.operations.library.collections import collection_problems, collection_state
from octavo.operations.library.excluded_file_counts import excluded_files_text
from octavo.operations.library.requests import DoctorRequest
from octavo.operations.library.results import Check, CollectionState, HealthAnswer
from octavo.operations.styled_answer_lines import count
from octavo.plugins import EntryPoint, installed, others

_ANOTHER_MODEL = "`octavo models list` names the models there are, `octavo models activate` searches with another"
_MOST_SECRETS = 20  # named in one line; `octavo status --problems` has all of them


def doctor(engine: Engine, request: DoctorRequest) -> HealthAnswer:
    checks = health_checks(engine, deep=request.deep)
    advised: tuple[Advisory, ...] = ()
    with suppress(OctavoError):  # what cannot be looked at, one of the checks has told
        advised = advisories(engine, engine.store.embeddings.chunks(engine.project.id))
    report = health_report(engine, checks) if request.report else ""
    return HealthAnswer(all(check.ok for check in checks), checks, advised, report)


def health_report(engine: Engine, checks: Sequence[Check]) -> str:
    """What somebody who mends Octavo needs to know of a library: nobody's text, path, address or name."""
    lines = [
        *installation_report(),
        f"library: {'PostgreSQL' if engine.store.server() else 'SQLite'}, model: {engine.embedder.profile.name}",
    ]
    with suppress(OctavoError):
        counts = engine.store.counts(engine.project.id)._asdict()
        lines.append(", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in counts.items()))
    lines += sorted(f"{'ok' if check.ok else 'wrong'}: {check.name.split(' ')[0]}" for check in checks)
    return "\n".join(lines)


def health_checks(engine: Engine, *, deep: bool = True) -> tuple[Check, ...]:
    """Looks at everything that can go wrong quietly; `deep` reads the whole library for damage."""
    checks = list(_attempted("library", lambda: _library_check(engine, deep=deep)))
    checks += _attempted("server", lambda: _server_check(engine))
    checks += _attempted("recipe", lambda: [_recipe_check(engine)])
    checks += _attempted("model", lambda: [_model_check(engine)])
    checks += _attempted("jobs", lambda: [_jobs_check(engine)])
    checks += _attempted("collections", lambda: _collection_checks(engine))
    checks += _attempted("secrets", lambda: _secrets_check(engine))
    if deep:
        checks.append(_converting_check())
    checks += [_plugin_check(entry) for entry in installed()]
    return tuple(checks)


def _attempted(name: str, look: Callable[[], Sequence[Check]]) -> Sequence[Check]:
    """One part that cannot be looked at leaves the others to be."""
    try:
        return look()
    except OctavoError as error:
        return [Check(name, False, error.message, error.hint)]


def _library_check(engine: Engine, *, deep: bool) -> Sequence[Check]:
    problems = tuple(problem.message for problem in damage(engine, quick=not deep))
    if problems:
        engine.reader.promise_repair()
    sound = f"{engine.location} is sound" if deep else f"{engine.location} answers"
    hint = "`octavo db repair` makes anew what can be computed again; else restore a backup" if problems else None
    return [Check("library", not problems, "; ".join(problems) or sound, hint)]


def _server_check(engine: Engine) -> Sequence[Check]:
    server, lacking = engine.store.server(), engine.store.left_out()
    hint = "until it is back, searches read from the others and from the primary"
    copies = [Check("replica", False, problem.removeprefix("replica: "), hint) for problem in lacking]
    return [Check("server", True, server), *copies] if server else []


def _converting_check() -> Check:
    """What holds the process that reads PDF, Word and other formats; Windows and macOS lack most of it."""
    try:
        return Check("converting", True, f"other formats are read in a process with {confinement_here()}")
    except (OSError, EOFError) as error:
        return Check("converting", False, f"no converter can be started: {error or 'it ended at once'}")


def _plugin_check(entry: EntryPoint) -> Check:
    """A package of somebody else that adds something to Octavo."""
    name, what = f"plugin {entry.distribution}", f"{entry.group} {entry.name}"
    if others(entry.group).get(entry.name) != entry:
        return Check(name, False, f"{what} is passed over: another package has that name", "uninstall one of them")
    try:
        entry.load()
    except ConfigurationError as error:
        return Check(name, False, error.message, error.hint)
    return Check(name, True, f"adds {what}")


def _collection_checks(engine: Engine) -> Sequence[Check]:
    return [_collection_check(collection_state(engine, collection)) for collection in engine.collections()]


def _secrets_check(engine: Engine) -> list[Check]:
    """The keys and tokens that were found in files, commits and memories and blacked out."""
    secrets = [
        f"{problem.collection}/{problem.uri} ({warning})"
        for collection in engine.collections()
        for problem in collection_problems(engine, collection)
        for warning in problem.warnings
        if REDACTED in warning
    ]
    if not secrets:
        return []
    more = f"; and {len(secrets) - _MOST_SECRETS:,} more" if len(secrets) > _MOST_SECRETS else ""
    listed = "; ".join(secrets[:_MOST_SECRETS])
    message = f"redacted in {count(len(secrets), 'place')}: {listed}{more}"
    hint = "revoke them and take them out; `octavo add FOLDER --allow-secrets` stores what are none as they are"
    return [Check("secrets", True, message, hint)]


def _collection_check(state: CollectionState) -> Check:
    name = f"collection {state.name}"
    if not state.present:
        gone = f"{state.root} is not there; what was indexed from it is kept"
        return Check(name, False, gone, "mount it again, or `octavo remove` the collection")
    message = f"{state.indexed} indexed, {state.skipped} skipped, {state.failed} failed"
    message += f"; left out: {excluded_files_text(state.left_out)}" if state.left_out else ""
    hint = "`octavo status --problems` gives the reasons" if state.failed or state.left_out else None
    install = next(filter(None, (group.install_hint for group in state.left_out or ())), None)
    if not state.failed and not state.indexed and install:
        return Check(name, False, message, install)
    return Check(name, not state.failed, message, hint)


def _recipe_check(engine: Engine) -> Check:
    recorded, configured = engine.store.catalog.recipe(engine.project.id), engine.recipe()
    if recorded is None:
        return Check("recipe", True, "nothing is indexed yet")
    differing = recorded.differences(configured)
    if not differing:
        return Check("recipe", True, f"indexed as configured ({configured.embedding.name})")
    hint = "`octavo index` re-indexes what differs"
    if "embedding" in differing:
        hint = other_model_hint(recorded.embedding, configured.embedding)
    return Check("recipe", False, f"the configuration differs in: {', '.join(differing)}", hint)


def _jobs_check(engine: Engine) -> Check:
    outbox, project = engine.store.outbox, engine.project.id
    dead = len(outbox.jobs(project, [JobState.DEAD]))
    waiting = len(outbox.jobs(project, [JobState.READY, JobState.LEASED]))
    pending = engine.freshness().pending
    if dead:
        return Check(
            "jobs", False, f"{dead} jobs were given up", "`octavo jobs list` says why, `octavo jobs retry` tries again"
        )
    if pending and not waiting:
        recorded, configured = engine.store.catalog.recipe(project), engine.embedder.profile
        made = configured if recorded is None else recorded.embedding
        hint = other_model_hint(made, configured) if made != configured else "run `octavo index`"
        return Check("jobs", False, f"{pending} chunks have no vector and no job will make them", hint)
    return Check("jobs", True, f"waiting: {waiting}" if waiting else "nothing is left to do")


def _model_check(engine: Engine) -> Check:
    try:
        profile = engine.embedder.profile
        vector = engine.embedder.embed_query("straight to the right page")
        # Only an embedder that has files can find them damaged.
        damage: tuple[str, ...] = getattr(engine.embedder, "verify", tuple)()
    except ProviderFailed as error:
        return Check("model", False, error.message, error.hint)
    if damage:
        return Check("model", False, "; ".join(damage), "install Octavo again, or the model's folder")
    sound = vector.shape == (profile.dimensions,) and abs(float(vector @ vector) - 1.0) < 1e-3
    message = f"{profile.name} answers with {profile.dimensions} dimensions"
    if sound:
        return Check("model", True, message)
    return Check("model", False, f"{profile.name} gives vectors of the wrong kind", _ANOTHER_MODEL)
