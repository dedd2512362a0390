"""What only opens a source file, in several languages."""

from __future__ import annotations

import pytest

from octavo.algorithms.source_code.import_or_comment_only_code import is_file_head, is_only_comments

HEADS = (
    '// Licence.\npackage cmd\n\nimport (\n\t"fmt"\n\t"os"\n)\n\n// Flags.\nconst (\n',
    '/* Licence. */\n#ifndef NET_H\n#define NET_H\n#include <stdio.h>\n#include "net.h"\n',
    '"""Orders."""\n\nfrom shop import (\n    charge,\n    refund,\n)\nimport os\n',
    "'use strict';\nimport { Store } from './store';\nconst fs = require('fs');\n",
    "package shop;\n\nimport java.util.List;\n",
    "use std::io;\nextern crate libc;\n",
    "using System;\nusing System.Linq;\n",
)
BODIES = (
    "import os\n\nRATE = 0.2\nPOTS = 4\n",
    "#define EXPIRE 3600\n#define RETRIES 5\nint open(void);\n",
    "#!/bin/sh\nset -e\ncp a b\n",
    'extern "C" {\nint open(void);\nint shut(void);\n}\n',
    "// A banner.\nexport const SIZE = 4;\n",
)


@pytest.mark.parametrize("text", HEADS)
def test_packages_imports_and_guards_are_the_head_of_a_file(text: str) -> None:
    assert is_file_head(text)
    assert not is_only_comments(text)


@pytest.mark.parametrize("text", BODIES)
def test_what_declares_or_does_something_is_no_head(text: str) -> None:
    assert not is_file_head(text)


def test_comments_alone_are_neither() -> None:
    text = "// FIXME unused\n\n/* Adds\n two */\n# and so on\n"
    assert is_only_comments(text)
    assert not is_file_head(text)
