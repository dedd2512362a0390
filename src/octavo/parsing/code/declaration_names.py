"""Names of declarations, read from the syntax tree where the grammar has no plain `name` field.

Each function gets a node and the text it was parsed from (one byte of source per character), and returns the qualified
name relative to the enclosing scope; empty if the node declares nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from octavo.lazy_regex import regex

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST = 100
_READ = 400  # characters searched for a name
_TYPE_ARGUMENTS = regex(r"<[^<>]*>|\[[^\[\]]*\]")
_TAG_ID = regex(r"""<([\w:-]+)[^>]*?\sid\s*=\s*["']?([^"'\s>]+)""")
_HEADING = regex(r"<[hH][1-6][\s>]")
_TAG = regex(r"<[^>]*>")

Names = tuple[str, ...]

_FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "generator_function", "class", "function", "function_definition"}
)
_OWNERLESS = frozenset({"prototype", "this", "module", "exports", "window", "self"})
_LARGE_OBJECT = 200  # characters; a smaller object literal is a value, not a namespace
_DECLARATORS = 12  # nesting depth; pointers to arrays of functions end long before


def text_of(node: Node, text: str) -> str:
    return text[node.start_byte : node.end_byte]


def shown(name: str) -> str:
    """On one line, at a readable length."""
    return " ".join(name.split())[:_LONGEST]


def by_name(node: Node, text: str) -> Names:
    name = node.child_by_field_name("name")
    return (shown(text_of(name, text)).strip("\"'`"),) if name is not None else ()


def dotted(node: Node, text: str) -> Names:
    """`A::B`, `a.b` and `M:f` are paths."""
    name = node.child_by_field_name("name")
    if name is None:
        return ()
    return tuple(segment for segment in re.split(r"::|[.:\\]", shown(text_of(name, text))) if segment)


def by_type(node: Node, text: str) -> Names:
    """`init`, `deinit` and `subscript` name themselves: the first word of the node's type."""
    return (node.type.split("_", 1)[0],)


def by_type_field(node: Node, text: str) -> Names:
    name = node.child_by_field_name("type")
    return (shown(text_of(name, text)),) if name is not None else ()


def constructor(node: Node, text: str) -> Names:
    return ("constructor",)


def companion(node: Node, text: str) -> Names:
    return by_name(node, text) or ("Companion",)


def javascript(node: Node, text: str) -> Names:
    """`const f = () => …`, `Shape.prototype.area = function …`, a field that is a function."""
    kind = node.type
    if kind in ("lexical_declaration", "variable_declaration"):
        if node.named_child_count != 1 or (declarator := node.named_child(0)) is None:
            return ()
        return _bound(declarator.child_by_field_name("name"), declarator.child_by_field_name("value"), text)
    if kind == "expression_statement":
        assignment = node.named_child(0)
        if assignment is None or assignment.type != "assignment_expression":
            return ()
        return _bound(assignment.child_by_field_name("left"), assignment.child_by_field_name("right"), text)
    if kind in ("public_field_definition", "field_definition"):
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        return _bound(name, node.child_by_field_name("value"), text)
    return by_name(node, text)


def _bound(name: Node | None, value: Node | None, text: str) -> Names:
    if name is None or value is None or name.type.endswith("pattern"):
        return ()
    large = value.type == "object" and value.end_byte - value.start_byte > _LARGE_OBJECT
    if value.type not in _FUNCTIONS and not large:
        return ()
    segments = [segment for segment in shown(text_of(name, text)).split(".") if segment]
    return tuple(segment for segment in segments if segment not in _OWNERLESS) or tuple(segments[-1:])


def go(node: Node, text: str) -> Names:
    """A method belongs to its receiver's type."""
    names = by_name(node, text)
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return names
    owner = _TYPE_ARGUMENTS.sub("", text_of(receiver, text)[:_READ]).strip("() \n\t").rsplit(" ", 1)[-1].lstrip("*&")
    return (owner, *names) if owner else names


def rust(node: Node, text: str) -> Names:
    if node.type == "impl_item":
        implemented = node.child_by_field_name("type")
        return (_plain_type(text_of(implemented, text)),) if implemented is not None else ()
    if node.type == "mod_item" and node.child_by_field_name("body") is None:
        return ()
    return by_name(node, text)


def _plain_type(name: str) -> str:
    """`fmt::Formatter<'_>` is `Formatter`."""
    name = name[:_READ]
    while "<" in name and (plainer := _TYPE_ARGUMENTS.sub("", name)) != name:
        name = plainer
    return shown(name.lstrip("&").rsplit("::", 1)[-1])


def c(node: Node, text: str) -> Names:
    """A function's name is at the end of its declarators; neither a variable nor a type without a body is a symbol."""
    kind = node.type
    if kind.endswith("_specifier"):
        return _qualified(node.child_by_field_name("name"), text) if node.child_by_field_name("body") else ()
    if kind == "namespace_definition":
        return dotted(node, text) or ("(anonymous)",)
    declarator = node.child_by_field_name("declarator")
    if declarator is None:
        return by_name(node, text)
    if kind in ("declaration", "field_declaration", "function_definition"):
        for _ in range(_DECLARATORS):
            if declarator is None or declarator.type == "function_declarator":
                break
            declarator = declarator.child_by_field_name("declarator") or (
                declarator.named_child(0) if declarator.type.endswith("reference_declarator") else None
            )
        if declarator is None:
            return ()
        named = declarator.child_by_field_name("declarator")
        if named is None or named.type == "parenthesized_declarator":
            return ()
        return _qualified(named, text)
    for _ in range(_DECLARATORS):
        inner = declarator.child_by_field_name("declarator") or (
            declarator.named_child(0) if declarator.type == "parenthesized_declarator" else None
        )
        if inner is None:
            break
        declarator = inner
    return _qualified(declarator, text)


def _qualified(name: Node | None, text: str) -> Names:
    if name is None:
        return ()
    plain = text_of(name, text)[:_READ]
    while "<" in plain and "operator" not in plain and (plainer := _TYPE_ARGUMENTS.sub("", plain)) != plain:
        plain = plainer
    return tuple(segment for segment in shown(plain).split("::") if segment)


def lua(node: Node, text: str) -> Names:
    if node.type == "function_declaration":
        return dotted(node, text)
    match = re.match(r"(?:local\s+)?([\w.:]+)\s*=\s*function\b", text[node.start_byte : node.start_byte + 200])
    return tuple(re.split(r"[.:]", match[1])) if match else ()


def sql(node: Node, text: str) -> Names:
    """The first object a statement names; an index is named by an identifier."""
    for child in node.named_children:
        if child.type in ("object_reference", "identifier"):
            return tuple(segment.strip('"`[]') for segment in shown(text_of(child, text)).split("."))
    return ()


def css(node: Node, text: str) -> Names:
    """Everything before the brace."""
    head = text[node.start_byte : min(node.end_byte, node.start_byte + _READ)].partition("{")[0]
    return (shown(head),)


def html(node: Node, text: str) -> Names:
    """Elements with an id, headings by their text, and scripts and styles that are large enough."""
    start = text[node.start_byte : min(node.end_byte, node.start_byte + _READ)]
    if node.type != "element":
        return (node.type.split("_", 1)[0],) if node.end_byte - node.start_byte > _LARGE_OBJECT else ()
    if match := _TAG_ID.match(start):
        return (f"{match[1]}#{match[2]}"[:_LONGEST],)
    if _HEADING.match(start):
        words = shown(_TAG.sub(" ", start))
        return (words,) if words else ()
    return ()
