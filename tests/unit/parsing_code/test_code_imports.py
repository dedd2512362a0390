"""References to other code, one language after another."""

from __future__ import annotations

import pytest

from octavo.model.document import LinkKind, Source
from octavo.model.ids import DocumentId
from octavo.parsing.code.parser import CodeParser

CASES = {
    "python": ("a.py", "import os, a.b as c\nfrom . import x\nfrom ..y import (z, # first\n  w)\n", "os a.b . ..y"),
    "javascript": (
        "a.js",
        "import x, { y } from './x.js';\nimport 'side';\nexport * from \"../z\";\nconst fs = require('fs');\n",
        "./x.js side ../z fs",
    ),
    "typescript": ("a.ts", 'import type { T } from "@scope/types";\nexport { a } from "./a";\n', "@scope/types ./a"),
    "go": ("a.go", 'package a\n\nimport (\n\t"fmt"\n\tx "example.org/x"\n)\n', "fmt example.org/x"),
    "rust": (
        "a.rs",
        "use std::fmt::{self, Display};\npub use crate::a::B as C;\nmod util;\nextern crate foo;\n",
        "std::fmt crate::a::B util foo",
    ),
    "java": ("A.java", "import java.util.*;\nimport static a.b.C.d;\n", "java.util.* a.b.C.d"),
    "c": ("a.c", '#include <stdio.h>\n#include "x/y.h"\n', "stdio.h x/y.h"),
    "cpp": ("a.cpp", '#include <vector>\n#  include "z.hpp"\n', "vector z.hpp"),
    "csharp": ("a.cs", "using System.Text;\nusing static A.B;\nusing M = X.Y;\n", "System.Text A.B X.Y"),
    "ruby": ("a.rb", "require 'json'\nrequire_relative \"../x\"\nputs 'require this'\n", "json ../x"),
    "php": ("a.php", "<?php\nuse A\\B;\nuse C\\{D, E};\nrequire_once __DIR__ . '/f.php';\n", "A\\B C f.php"),
    "kotlin": ("a.kt", "import a.b.C\nimport d.*\n", "a.b.C d.*"),
    "swift": ("a.swift", "import Foundation\n@testable import App\nimport struct A.B\n", "Foundation App A.B"),
    "scala": ("a.scala", "import a.b.{C, D}\nimport e._\nimport f.G\n", "a.b e f.G"),
    "shell": ("a.sh", 'source ./x.sh\n. "$HOME/y"\necho source\n', "./x.sh $HOME/y"),
    "css": ("a.css", '@import url("x.css");\n@import "y.css";\n', "x.css y.css"),
    "html": ("a.html", '<script src="x.js"></script>\n<link rel="stylesheet" href="y.css">\n', "x.js y.css"),
    "lua": ("a.lua", 'local x = require("a.b")\n', "a.b"),
    "proto": ("a.proto", 'syntax = "proto3";\nimport "x/y.proto";\n', "x/y.proto"),
    "haskell": ("a.hs", "import qualified Data.Map as M\n", "Data.Map"),
}


@pytest.mark.parametrize("language", sorted(CASES))
def test_imports_are_links_to_what_is_written(language: str) -> None:
    uri, text, expected = CASES[language]

    document = CodeParser().parse(Source(DocumentId("doc_1"), uri, text, 0.0))

    assert document.language == language
    assert [link.target for link in document.links] == expected.split()
    assert {link.kind for link in document.links} == {LinkKind.IMPORT}
    assert all(link.span.of(text) == link.target for link in document.links)


def test_what_is_taken_from_a_module_is_told() -> None:
    document = CodeParser().parse(Source(DocumentId("doc_1"), "a.py", "from .x import (a,\n    b)\n", 0.0))

    assert [(link.target, link.shown) for link in document.links] == [(".x", "a, b")]


def test_an_import_in_a_string_or_a_comment_is_none() -> None:
    text = '"""\nimport nothing\n"""\n# import nothing\nX = "import nothing"\n'

    assert CodeParser().parse(Source(DocumentId("doc_1"), "a.py", text, 0.0)).links == ()
