"""Writes docs/reference/configuration.md from config/schema.py; with --check, says whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from generated import ROOT, main

from octavo.config.layered_config_loading import PROJECT_FILE, project_may_set
from octavo.config.setting_descriptions import Setting, SettingsTable, sections, written

TARGET = ROOT / "docs" / "reference" / "configuration.md"

_INTRODUCTION = """\
# Configuration

<!-- Written by scripts/make_configuration_reference.py from config/schema.py: change that, not this page. -->

Nothing has to be configured. What is configured comes from, the first that says it:

1. an option of the command, such as `--library`;
2. the environment: `OCTAVO_RETRIEVAL_LIMIT=5` is `retrieval.limit`, and so for every setting. Lists are separated by
   `:` (`;` on Windows) for `ingest.ignore` and by commas for the others;
3. the library of the folder you are in, if you made one there with `octavo init --here`;
4. the project's file, `{project_file}` in this folder or one above it;
5. your own file, `config.toml` in your configuration folder (`octavo config path` prints where), or the file that
   `OCTAVO_CONFIG` names;
6. the default.

```toml
library = "~/library.db"

[retrieval]
limit = 5

[ingest]
ignore = ["*.bak", "drafts/"]
```

```console
$ octavo config show --origin                 # every value, and where it comes from
$ octavo config describe retrieval.limit      # what a setting means
$ octavo config set retrieval.limit 5         # change it, in your own file; --project-file for the project's
$ octavo config edit                          # open the file in your editor
```

A setting that does not exist, or a value of the wrong type, is an error that names the file and the nearest setting. A
running server reads changed files again by itself.

A project's file travels with the project, and somebody else may have written it. So it may only set what is marked ●
below: it may narrow what is read and choose how it is cut and ranked, but it may not choose a model to run, a place to
write, or widen what is read. The patterns of `ingest.ignore` of both files count together. What it says about
`chunking` and `ingest.ignore` counts for collections in its folder, wherever they are indexed from, and no others.
"""


def reference() -> str:
    return "\n".join([_INTRODUCTION.format(project_file=PROJECT_FILE.as_posix()), *_sections()])


def _sections() -> Iterator[str]:
    for section in sections():
        yield f"## {section.name or 'Library and project'}\n"
        if section.meaning:
            yield f"{section.meaning}\n"
        yield from _table(section)
        yield ""


def _table(section: SettingsTable) -> Iterator[str]:
    yield "| setting | type | default | meaning |"
    yield "| --- | --- | --- | --- |"
    yield from (_row(setting) for setting in section.settings)


def _row(setting: Setting) -> str:
    mark = " ●" if project_may_set(setting.name) else ""
    default = f"`{written(setting.default)}`" if setting.default is not None else "unset"
    cells = (f"`{setting.name}`{mark}", setting.type, default, setting.meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main({TARGET: reference()}))
