"""Outline of source code from its syntax tree: declarations become symbols, statements cut points.

Function bodies are not searched for symbols. Only long nodes are opened, so most of a tree is never visited from
Python.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from octavo.lazy_regex import regex
from octavo.model.document import BlockKind
from octavo.parsing.code.code_outline import CodeOutline, Cut, Symbol, imports_in
from octavo.parsing.code.declaration_names import Names
from octavo.parsing.code.treesitter import Syntax
from octavo.parsing.code.treesitter_node_roles import NodeRole

if TYPE_CHECKING:
    from tree_sitter import Node

LONG = 400
"""Characters; a longer node is opened, so that cuts are not much farther apart where the tree allows. About
half a chunk for the bundled embedder."""

_DEEPEST = 80  # nodes; deeper ones are cut at line ends
_SHORT = 80  # characters; a shorter statement is kept with the next, unless a blank line separates them
_LONG_HEADING = 160  # characters; before a longer signature, decorators are not part of it
_LONGEST_INDENT = 1000
_IMPORTING = 4000  # characters searched for an import in a statement that is not one itself
_WRAPPED = 4  # nested wrappers

_CODE, _COMMENT, _DOCSTRING, _HEADING = BlockKind.CODE, BlockKind.COMMENT, BlockKind.DOCSTRING, BlockKind.HEADING
_PARAGRAPH = regex(rb"\n[ \t]*+\*?[ \t]*+\n(?=[ \t]*+[^\s*])")
_DOC_MARKS = frozenset({b"/**", b"///", b"//!"})
_BODIES = ("body", "block", "declaration_list", "definitions")
_DECLARING = frozenset({NodeRole.SCOPE, NodeRole.LEAF})


def tree_outline(root: Node, source: bytes, text: str, syntax: Syntax, imports: re.Pattern[str] | None) -> CodeOutline:
    walker = _Walker(source, text, syntax, imports)
    walker.members(root, (), 0, 0, docstring=syntax.grammar.docstrings)
    return walker.found


class _Walker:
    __slots__ = ("_cut_at", "_imports", "_roles", "_source", "_syntax", "_text", "found")

    def __init__(self, source: bytes, text: str, syntax: Syntax, imports: re.Pattern[str] | None) -> None:
        self.found = CodeOutline()
        self._source = source
        self._text = text
        self._syntax = syntax
        self._roles = syntax.roles
        self._imports = imports
        self._cut_at = -1

    def members(
        self, node: Node, path: Names, level: int, depth: int, *, lead: int = -1, docstring: bool = False
    ) -> None:
        """Adds a cut at each child and looks for declarations among them.

        `path` and `level` are those of the enclosing symbol; `lead` is where a comment directly before the node
        begins; `docstring` is whether the first statement may be a docstring.
        """
        roles, import_kinds, source = self._roles, self._syntax.imports, self._source
        lead_end = node.start_byte
        leads = BlockKind.CODE
        for child in node.named_children:
            start, end, kind = child.start_byte, child.end_byte, child.kind_id
            role = roles.get(kind)
            if lead >= 0 and source.count(b"\n", lead_end, start) > 1:
                lead = -1
            if role is NodeRole.COMMENT:
                mark = _DOCSTRING if source[start : start + 3] in _DOC_MARKS else _COMMENT
                if lead < 0 or mark is not leads:
                    at = self._cut_comment(start, end, mark)
                    if at < 0:
                        continue  # a trailing comment belongs to its line of code
                    lead, leads = (at, mark) if lead < 0 else (lead, mark)
                lead_end = end
                continue
            if role is NodeRole.ATTRIBUTE:
                at = self._cut(start, _CODE)
                lead = at if lead < 0 else lead
                leads, lead_end = _CODE, end
                self._open(child, end - start, depth)
                continue
            if kind in import_kinds and self._imports:
                until = end if role is None else min(end, start + _IMPORTING)
                self.found.imports += imports_in(self._imports, self._text, start, until)
            if docstring:
                docstring = False
                if _is_docstring(child):
                    self._cut_comment(start, end, _DOCSTRING)
                    lead = -1
                    continue
            if role in _DECLARING or role is NodeRole.WRAPPER:
                declared, names = self._declared(child, role)
                if declared is not None and names and level + depth < _DEEPEST:
                    self._declare(child, declared, names, path, level, depth, lead)
                    lead = -1
                    continue
                if declared is None:
                    role = NodeRole.THROUGH
            lead = -1
            if role is NodeRole.CLOSING:
                continue
            self._cut(start, _CODE)
            contains = role in _DECLARING or role is NodeRole.WRAPPER
            if depth < _DEEPEST and (role is NodeRole.THROUGH or (contains and end - start > LONG)):
                self.members(child, path, level, depth + 1)
            elif not contains:
                self._open(child, end - start, depth)

    def _declared(self, node: Node, role: NodeRole | None) -> tuple[Node | None, Names]:
        """The declaring node and the declared names; no names if nothing is declared, no node if several declare."""
        for _ in range(_WRAPPED):
            if role is not NodeRole.WRAPPER:
                grammar = self._syntax.grammar
                naming = grammar.names.get(node.type, grammar.naming) if grammar.names else grammar.naming
                return node, naming(node, self._text)
            inside = [
                (child, role)
                for child in node.named_children
                if (role := self._roles.get(child.kind_id)) in _DECLARING or role is NodeRole.WRAPPER
            ]
            if len(inside) != 1:
                return None if inside else node, ()
            node, role = inside[0]
        return node, ()

    def _declare(self, outer: Node, node: Node, names: Names, path: Names, level: int, depth: int, lead: int) -> None:
        """Adds a symbol: from the comments before it to its last line, its signature marked as the heading."""
        start, end = outer.start_byte, outer.end_byte
        body = node.child_by_field_name("body") or _last_body(node)
        inside = body or node
        first = body.start_byte if body is not None else end
        heading = self._signature_start(node, start, first)
        if heading > start:
            at = self._cut(start, _CODE)
            self._cut(heading, _HEADING)
        else:
            at = self._cut(start, _HEADING)
        begins = lead if lead >= 0 and at >= 0 else at if at >= 0 else start
        path = (*path, *names)
        self.found.symbols.append(Symbol(path, level + 1, begins, self._line_end(end)))
        docstring = self._syntax.grammar.docstrings
        if self._roles.get(node.kind_id) is NodeRole.SCOPE:
            comment = self._comment_before(body) if body is not None else -1
            self.members(inside, path, level + 1, depth + 1, lead=comment, docstring=docstring)
        elif end - first > LONG or (body is None and end - start > LONG):
            self._statements(inside, depth + 1, docstring=docstring)
        elif body is not None:
            for child in body.named_children[:2]:
                self._cut(child.start_byte, _DOCSTRING if docstring and _is_docstring(child) else _CODE)
                docstring = False

    def _comment_before(self, body: Node) -> int:
        """Where comments directly before a body begin: some grammars place them outside it."""
        at, lead, before = body.start_byte, -1, body.prev_named_sibling
        while before is not None and self._roles.get(before.kind_id) is NodeRole.COMMENT:
            if self._source.count(b"\n", before.end_byte, at) > 1:
                break
            at, lead, before = before.start_byte, before.start_byte, before.prev_named_sibling
        return self._cut(lead, _COMMENT) if lead >= 0 else -1

    def _signature_start(self, node: Node, start: int, body: int) -> int:
        """Where the signature begins: at the decorators if they are short."""
        if body - start <= _LONG_HEADING:
            return start
        begins = node.start_byte
        if begins - start > _LONG_HEADING:
            return begins
        for child in node.children:
            if self._roles.get(child.kind_id) not in (NodeRole.ATTRIBUTE, NodeRole.COMMENT):
                return child.start_byte
        return start

    def _statements(self, node: Node, depth: int, *, docstring: bool = False) -> None:
        """Adds a cut at each child and opens the long ones; nothing here is a symbol."""
        roles, source = self._roles, self._source
        comment = False
        before, plain = node.start_byte, -1  # end of the previous child, start of the current run of code or -1
        for child in node.named_children:
            start = child.start_byte
            if roles.get(child.kind_id) is NodeRole.COMMENT:
                separate = not comment or source.count(b"\n", before, start) > 1
                before = child.end_byte
                if separate and self._cut_comment(start, before, _COMMENT) >= 0:
                    comment, plain = True, -1
                continue
            comment = False
            size = child.end_byte - start
            if docstring and _is_docstring(child):
                self._cut_comment(start, start + size, _DOCSTRING)
                plain = -1
            elif plain < 0 or start - plain > _SHORT or size > LONG or source.count(b"\n", before, start) > 1:
                plain = self._cut(start, _CODE)
                if size > LONG:
                    self._open(child, size, depth)
                    plain = -1
            docstring, before = False, child.end_byte

    def _open(self, node: Node, size: int, depth: int) -> None:
        if size > LONG and depth < _DEEPEST and self._roles.get(node.kind_id) is not NodeRole.OPAQUE:
            self._statements(node, depth + 1)

    def _cut_comment(self, start: int, end: int, kind: BlockKind) -> int:
        """Cuts at the start of a comment or docstring and, if it is long, at its paragraphs."""
        at = self._cut(start, kind)
        if at >= 0 and end - start > LONG:
            for gap in _PARAGRAPH.finditer(self._source, start, end):
                self._cut(gap.end(), kind)
        return at

    def _cut(self, at: int, kind: BlockKind) -> int:
        """The start of the line if only white space precedes `at` on it, else -1; adds a cut there if there is none."""
        source = self._source
        floor = at - _LONGEST_INDENT if at > _LONGEST_INDENT else 0
        line = source.rfind(b"\n", floor, at) + 1
        if line != at and (not source[line:at].isspace() or (not line and floor)):
            return -1
        if line > self._cut_at:
            self.found.cuts.append(Cut(line, kind))
            self._cut_at = line
        elif kind is not _CODE and line == self._cut_at and self.found.cuts[-1].kind is _CODE:
            # A container may start on the same line as its first declaration.
            self.found.cuts[-1] = Cut(line, kind)
        return line

    def _line_end(self, at: int) -> int:
        """The end of the line if only closing punctuation follows on it, else the position itself.

        Some nodes include the white space after them.
        """
        while self._source[at - 1 : at].isspace():
            at -= 1
        end = self._source.find(b"\n", at) + 1 or len(self._source)
        return at if self._source[at:end].strip(b" \t\r\n;,)") else end


def _is_docstring(node: Node) -> bool:
    """Whether a statement consists of a string only."""
    if node.type != "expression_statement" or node.named_child_count != 1:
        return False
    only = node.named_child(0)
    return only is not None and only.type in ("string", "concatenated_string")


def _last_body(node: Node) -> Node | None:
    """The body of a declaration whose grammar has no field for it, or has it deeper: a function that is a value."""
    inner: Node | None = node
    for _ in range(_WRAPPED):
        if inner is None or not inner.named_child_count:
            break
        inner = inner.named_child(inner.named_child_count - 1)
        if inner is None:
            break
        if (body := inner.child_by_field_name("body")) is not None:
            return body
        if inner.type.endswith(_BODIES):
            only = inner.named_child(0) if inner.named_child_count == 1 else None
            return only if only is not None and only.type.endswith("block") else inner
    return None
