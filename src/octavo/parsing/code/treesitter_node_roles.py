"""Tree-sitter grammars: the node types of each language by their role. A new language needs one entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum, auto
from typing import TYPE_CHECKING

from octavo.fast_dataclass import Value, replace
from octavo.parsing.code import declaration_names as naming

if TYPE_CHECKING:
    from tree_sitter import Node

Naming = Callable[["Node", str], naming.Names]


class NodeRole(Enum):
    """The role of a node type in an outline. A type without a role is a statement: cut at, and opened if long."""

    SCOPE = auto()  # declares something whose members are symbols too
    LEAF = auto()  # declares something whose body is not searched
    WRAPPER = auto()  # wraps a declaration: decorators, `export`, `template <…>`
    THROUGH = auto()  # contains declarations without being one
    ATTRIBUTE = auto()  # precedes a declaration and belongs to it
    COMMENT = auto()
    OPAQUE = auto()  # never opened: a string
    CLOSING = auto()  # never cut at: closes the node before it


class Grammar(Value):
    """Node types, separated by spaces. `imports` are those whose text is searched for imports, whatever their role."""

    module: str
    function: str = "language"
    scope: str = ""
    leaf: str = ""
    wrapper: str = ""
    through: str = ""
    attribute: str = ""
    comment: str = "comment"
    opaque: str = "string"
    closing: str = ""
    imports: str = ""
    naming: Naming = naming.by_name
    names: Mapping[str, Naming] = field(default_factory=dict)
    docstrings: bool = False

    def roles(self) -> dict[str, NodeRole]:
        roles = {"ERROR": NodeRole.THROUGH}
        for role in NodeRole:
            for kind in getattr(self, role.name.lower()).split():
                roles[kind] = role
        return roles


_JAVASCRIPT = Grammar(
    "tree_sitter_javascript",
    scope="class_declaration",
    leaf="function_declaration generator_function_declaration method_definition lexical_declaration"
    " variable_declaration expression_statement field_definition",
    wrapper="export_statement",
    through="class_body statement_block call_expression arguments parenthesized_expression function_expression"
    " arrow_function if_statement else_clause",
    attribute="decorator",
    opaque="string template_string regex",
    imports="import_statement export_statement lexical_declaration variable_declaration expression_statement",
    naming=naming.javascript,
)

_TYPESCRIPT = Grammar(
    "tree_sitter_typescript",
    "language_typescript",
    scope="class_declaration abstract_class_declaration interface_declaration internal_module module",
    leaf="function_declaration generator_function_declaration method_definition lexical_declaration"
    " variable_declaration expression_statement public_field_definition type_alias_declaration enum_declaration"
    " function_signature abstract_method_signature method_signature",
    wrapper="export_statement ambient_declaration",
    through=_JAVASCRIPT.through + " interface_body",
    attribute="decorator",
    opaque="string template_string regex",
    imports=_JAVASCRIPT.imports,
    naming=naming.javascript,
)

_C = Grammar(
    "tree_sitter_c",
    scope="struct_specifier union_specifier",
    leaf="function_definition declaration type_definition enum_specifier preproc_function_def field_declaration",
    through="preproc_ifdef preproc_if preproc_else preproc_elif declaration_list linkage_specification"
    " field_declaration_list",
    opaque="string_literal concatenated_string",
    imports="preproc_include preproc_call",
    naming=naming.c,
)

GRAMMARS: Mapping[str, Grammar] = {
    "python": Grammar(
        "tree_sitter_python",
        scope="class_definition",
        leaf="function_definition",
        wrapper="decorated_definition",
        through="block if_statement elif_clause else_clause try_statement except_clause finally_clause with_statement",
        attribute="decorator",
        opaque="string concatenated_string",
        imports="import_statement import_from_statement future_import_statement",
        docstrings=True,
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": replace(_TYPESCRIPT, function="language_tsx"),
    "go": Grammar(
        "tree_sitter_go",
        leaf="function_declaration method_declaration type_spec type_alias const_spec var_spec",
        wrapper="type_declaration const_declaration var_declaration",
        through="var_spec_list",
        opaque="interpreted_string_literal raw_string_literal",
        imports="import_declaration",
        naming=naming.go,
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        scope="trait_item impl_item mod_item",
        leaf="function_item function_signature_item struct_item enum_item union_item macro_definition type_item",
        through="declaration_list foreign_mod_item",
        attribute="attribute_item inner_attribute_item",
        comment="line_comment block_comment",
        opaque="string_literal raw_string_literal",
        imports="use_declaration mod_item extern_crate_declaration",
        naming=naming.rust,
    ),
    "java": Grammar(
        "tree_sitter_java",
        scope="class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration",
        leaf="method_declaration constructor_declaration compact_constructor_declaration"
        " annotation_type_element_declaration",
        through="class_body interface_body enum_body enum_body_declarations annotation_type_body",
        attribute="modifiers",
        comment="line_comment block_comment",
        opaque="string_literal",
        imports="import_declaration",
    ),
    "c": _C,
    "cpp": Grammar(
        "tree_sitter_cpp",
        scope=_C.scope + " class_specifier namespace_definition",
        leaf=_C.leaf + " alias_declaration concept_definition",
        wrapper="template_declaration",
        through=_C.through,
        attribute="attribute_declaration",
        opaque="string_literal raw_string_literal concatenated_string",
        imports=_C.imports,
        naming=naming.c,
    ),
    "csharp": Grammar(
        "tree_sitter_c_sharp",
        scope="namespace_declaration class_declaration struct_declaration interface_declaration record_declaration",
        leaf="method_declaration constructor_declaration destructor_declaration property_declaration enum_declaration"
        " delegate_declaration local_function_statement",
        through="declaration_list global_statement",
        attribute="attribute_list",
        opaque="string_literal verbatim_string_literal raw_string_literal interpolated_string_expression",
        imports="using_directive",
    ),
    "ruby": Grammar(
        "tree_sitter_ruby",
        scope="module class",
        leaf="method singleton_method",
        through="body_statement singleton_class begin",
        opaque="string heredoc_body regex",
        imports="call",
        naming=naming.dotted,
    ),
    "php": Grammar(
        "tree_sitter_php",
        "language_php",
        scope="class_declaration interface_declaration trait_declaration enum_declaration",
        leaf="function_definition method_declaration",
        through="declaration_list enum_declaration_list namespace_definition compound_statement if_statement",
        attribute="attribute_list",
        opaque="string encapsed_string heredoc nowdoc text",
        imports="namespace_use_declaration expression_statement",
    ),
    "kotlin": Grammar(
        "tree_sitter_kotlin",
        scope="class_declaration object_declaration companion_object",
        leaf="function_declaration secondary_constructor type_alias",
        through="class_body enum_class_body",
        attribute="modifiers annotation",
        comment="line_comment block_comment",
        opaque="string_literal multiline_string_literal",
        imports="import",
        names={
            "companion_object": naming.companion,
            "secondary_constructor": naming.constructor,
            "type_alias": naming.by_type_field,
        },
    ),
    "swift": Grammar(
        "tree_sitter_swift",
        scope="class_declaration protocol_declaration",
        leaf="function_declaration init_declaration deinit_declaration subscript_declaration typealias_declaration"
        " protocol_function_declaration",
        through="class_body enum_class_body protocol_body",
        attribute="modifiers attribute",
        comment="comment multiline_comment",
        opaque="line_string_literal multi_line_string_literal raw_string_literal",
        imports="import_declaration",
        names={
            "init_declaration": naming.by_type,
            "deinit_declaration": naming.by_type,
            "subscript_declaration": naming.by_type,
        },
    ),
    "scala": Grammar(
        "tree_sitter_scala",
        scope="class_definition object_definition trait_definition enum_definition package_object",
        leaf="function_definition function_declaration given_definition type_definition",
        through="template_body enum_body extension_definition package_clause",
        attribute="annotation",
        comment="comment block_comment",
        imports="import_declaration",
    ),
    "shell": Grammar(
        "tree_sitter_bash",
        leaf="function_definition",
        through="if_statement elif_clause else_clause",
        opaque="string raw_string heredoc_body",
        imports="command",
    ),
    "sql": Grammar(
        "tree_sitter_sql",
        leaf="create_table create_view create_materialized_view create_function create_index"
        " create_type create_trigger create_schema create_sequence create_database create_role"
        " create_extension",
        wrapper="statement",
        comment="comment marginalia",
        opaque="literal",
        naming=naming.sql,
    ),
    "html": Grammar(
        "tree_sitter_html",
        scope="element",
        leaf="script_element style_element",
        opaque="text raw_text",
        closing="end_tag",
        naming=naming.html,
    ),
    "css": Grammar(
        "tree_sitter_css",
        scope="media_statement supports_statement at_rule",
        leaf="rule_set keyframes_statement",
        through="block",
        comment="comment js_comment",
        opaque="string_value",
        imports="import_statement",
        naming=naming.css,
    ),
    "lua": Grammar(
        "tree_sitter_lua",
        leaf="function_declaration assignment_statement variable_declaration",
        imports="variable_declaration assignment_statement function_call",
        naming=naming.lua,
    ),
}
