"""Conversations as ChatGPT, Claude, Claude Code, Codex, Slack, Discord and WhatsApp keep them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from octavo.converting.conversion_settings import ConversionSettings
from octavo.model.converted_file import Converted, RefusedFile
from octavo.model.document import Kind
from octavo.model.file_formats import SNIFFED, format_of
from octavo_records.conversation import Conversation, Turn
from octavo_records.conversation_converter import own_form, read_conversations

ASKED, ANSWERED = "Where does the cache live?", "In the data folder.\n\n```python\ncache = folder / 'x'\n```"


def chatgpt(*titles: str) -> list[dict[str, Any]]:
    def node(name: str, parent: str | None, role: str, text: str, time: float) -> dict[str, Any]:
        message = {"author": {"role": role}, "create_time": time, "content": {"content_type": "text", "parts": [text]}}
        return {"id": name, "message": message, "parent": parent, "children": []}

    mapping = {
        "root": {"id": "root", "message": None, "parent": None, "children": ["a"]},
        "a": node("a", "root", "user", ASKED, 1_772_446_320.0),
        "old": node("old", "a", "assistant", "An answer that was regenerated.", 1_772_446_330.0),
        "b": node("b", "a", "assistant", ANSWERED, 1_772_446_380.0),
    }
    return [
        {"title": title, "create_time": 1.0, "mapping": mapping, "current_node": "b", "id": title} for title in titles
    ]


CLAUDE = [
    {
        "uuid": "1",
        "name": "The cache",
        "chat_messages": [
            {"sender": "human", "text": ASKED, "created_at": "2026-03-02T10:12:00Z"},
            {
                "sender": "assistant",
                "text": "",
                "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": ANSWERED}],
                "created_at": "2026-03-02T10:13:00Z",
            },
        ],
    }
]
CLAUDE_CODE = [
    {"type": "summary", "summary": "The cache", "leafUuid": "x"},
    {
        "type": "user",
        "sessionId": "s",
        "cwd": "/work",
        "timestamp": "2026-03-02T10:12:00Z",
        "message": {"role": "user", "content": ASKED},
    },
    {
        "type": "assistant",
        "sessionId": "s",
        "timestamp": "2026-03-02T10:13:00Z",
        "message": {"role": "assistant", "content": [{"type": "tool_use", "name": "Read"}]},
    },
    {
        "type": "user",
        "sessionId": "s",
        "timestamp": "2026-03-02T10:13:01Z",
        "message": {"role": "user", "content": [{"type": "tool_result", "content": "a long file"}]},
    },
    {
        "type": "assistant",
        "sessionId": "s",
        "timestamp": "2026-03-02T10:13:02Z",
        "message": {"role": "assistant", "content": [{"type": "text", "text": ANSWERED}]},
    },
]


def codex(role: str, kind: str, text: str, minute: int) -> dict[str, Any]:
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return {"timestamp": f"2026-03-02T10:{minute}:00Z", "type": "response_item", "payload": payload}


CODEX = [
    {"timestamp": "2026-03-02T10:11:00Z", "type": "session_meta", "payload": {"id": "1", "cwd": "/work"}},
    codex("user", "input_text", "<environment_context>\n<cwd>/work</cwd>", 11),
    codex("user", "input_text", ASKED, 12),
    codex("assistant", "output_text", ANSWERED, 13),
]
SLACK = [
    {
        "type": "message",
        "user": "U1",
        "text": "Where does <@U2> keep the &lt;cache&gt;?",
        "ts": "1772446320.000100",
        "user_profile": {"display_name": "Ada"},
    },
    {"type": "message", "subtype": "channel_join", "user": "U3", "text": "joined", "ts": "1772446321.000100"},
    {
        "type": "message",
        "user": "U2",
        "text": "See <https://example.org|the page>",
        "ts": "1772446380.000100",
        "user_profile": {"real_name": "Ben"},
    },
]
DISCORD = {
    "guild": {"id": "1", "name": "Bees"},
    "channel": {"id": "2", "name": "hive"},
    "messages": [
        {"timestamp": "2026-03-02T10:12:00+00:00", "content": ASKED, "author": {"name": "ada", "nickname": "Ada"}},
        {"timestamp": "2026-03-02T10:13:00+00:00", "content": ANSWERED, "author": {"name": "Ben"}},
    ],
}
PACKAGE = [{"ID": 1, "Timestamp": "2026-03-02 10:12:00", "Contents": ASKED, "Attachments": ""}]
WHATSAPP = (
    "02.03.26, 10:11 - Messages and calls are end-to-end encrypted.\n"
    f"02.03.26, 10:12 - Ada: {ASKED}\nand why: there?\n02.03.26, 10:13 - Ben: In the data folder.\n"
)


def jsonl(events: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, events)) + "\n"


def read(name: str, text: str) -> Converted | RefusedFile:
    data = text.encode()
    known = format_of(name)
    assert known is not None and known.claims(data[:SNIFFED])
    return read_conversations(name, data, ConversionSettings())


def headings(name: str, text: str) -> list[str]:
    outcome = read(name, text)
    assert isinstance(outcome, Converted) and outcome.kind is Kind.CONVERSATION
    return [outcome.title, *(heading.title for heading in outcome.headings)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("conversations.json", json.dumps(chatgpt("The cache")), ["The cache", "User", "ChatGPT"]),
        ("conversations.json", json.dumps(CLAUDE), ["The cache", "User", "Claude"]),
        ("p/1f2e.jsonl", jsonl(CLAUDE_CODE), ["The cache", "User", "Claude"]),
        ("rollout-2026.jsonl", jsonl(CODEX), [ASKED, "User", "Codex"]),
        ("general/2026-03-02.json", json.dumps(SLACK, indent=4), ["#general, 2026-03-02", "Ada", "Ben"]),
        ("export.json", json.dumps(DISCORD, indent=2), ["#hive, Bees", "Ada", "Ben"]),
        ("messages/c77/messages.json", json.dumps(PACKAGE), ["Discord, channel 77", "User"]),
        ("WhatsApp Chat with Ben.txt", WHATSAPP, ["WhatsApp Chat with Ben", "Ada", "Ben"]),
    ],
)
def test_every_turn_is_a_section_named_by_who_spoke_and_when(name: str, text: str, expected: list[str]) -> None:
    title, *speakers = expected
    times = ["2026-03-02 10:12", "2026-03-02 10:13"]
    assert headings(name, text) == [
        title,
        *(f"{who}, {when}" for who, when in zip(speakers, times, strict=False)),
    ]


def test_a_branch_that_was_turned_away_from_and_what_tools_return_are_not_said() -> None:
    for name, text in (("conversations.json", json.dumps(chatgpt("a"))), ("s.jsonl", jsonl(CLAUDE_CODE))):
        outcome = read(name, text)
        assert isinstance(outcome, Converted)
        assert ASKED in outcome.text and "cache = folder" in outcome.text
        assert "regenerated" not in outcome.text and "a long file" not in outcome.text


def test_names_links_and_signs_of_slack_are_as_people_see_them() -> None:
    outcome = read("general/2026-03-02.json", json.dumps(SLACK))
    assert isinstance(outcome, Converted)
    assert "Where does @Ben keep the <cache>?" in outcome.text and "See the page" in outcome.text
    without_profile = [
        {"type": "message", "user": user, "text": "Good.", "ts": "1772446390.0"} for user in ("U1", "U9")
    ]
    outcome = read("general/2026-03-02.json", json.dumps([*SLACK, *without_profile]))
    assert isinstance(outcome, Converted) and outcome.metadata["speakers"] == ["Ada", "Ben", "U9"]


def test_a_message_of_several_lines_is_one_turn() -> None:
    outcome = read("_chat.txt", WHATSAPP)
    assert isinstance(outcome, Converted) and "cache live?\nand why: there?" in outcome.text
    assert outcome.title == "WhatsApp: Ada, Ben" and outcome.metadata["ended"] == "2026-03-02T10:13:00+00:00"


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("[02.03.26, 22:12:59] Ada: x", "2026-03-02 22:12"),
        ("3/14/26, 10:12\u202fPM - Ada: x", "2026-03-14 22:12"),
        ("3/4/26, 12:12 AM - Ada: x", "2026-03-04 00:12"),
        ("14/03/2026, 10:12 - Ada: x", "2026-03-14 10:12"),
        ("2026-03-14, 10:12 - Ada: x", "2026-03-14 10:12"),
        ("02/03/2026 22:12 - Ada: x", "2026-03-02 22:12"),
        ("02/03/2026 à 22:12 - Ada: x", "2026-03-02 22:12"),
        ("02-03-2026 22:12 - Ada: x", "2026-03-02 22:12"),
        ("2.3.2026 klo 22.12 - Ada: x", "2026-03-02 22:12"),
        ("2026-03-02 22:12 - Ada: x", "2026-03-02 22:12"),
        ("2026. 03. 02. 22:12 - Ada: x", "2026-03-02 22:12"),
        ("2/3/26, 10:12 p.\u00a0m. - Ada: x", "2026-03-02 22:12"),
        ("02/03/26, 10:12 pm - Ada: x", "2026-03-02 22:12"),
        ("2026/3/2 下午10:12 - Ada: x", "2026-03-02 22:12"),
        ("2026. 3. 2. 오후 10:12 - Ada: x", "2026-03-02 22:12"),
        ("٢\u200f/٣\u200f/٢٠٢٦، ١٠:١٢ م - Ada: x", "2026-03-02 22:12"),
        ("[02-03-2026 22:12:59] Ada: \u200eVersleuteld\n[02-03-2026 22:12:59] Ada: x", "2026-03-02 22:12"),
    ],
)
def test_dates_of_whatsapp_are_read_as_the_phone_of_each_country_writes_them(line: str, time: str) -> None:
    assert headings("_chat.txt", line + "\n")[1] == f"Ada, {time}"


def test_several_conversations_of_an_export_are_documents_inside_of_it_which_read_the_same() -> None:
    outcome = read("conversations.json", json.dumps(chatgpt("The cache", "The cache two")))
    assert isinstance(outcome, Converted) and not outcome.text
    names = [member.name for member in outcome.members]
    assert [name[:-14] for name in names] == ["2026-03-02-the-cache", "2026-03-02-the-cache-two"]
    inner = [read(member.name, member.data.decode()) for member in outcome.members]
    alone = read("conversations.json", json.dumps(chatgpt("The cache")))
    assert inner[0] == alone and isinstance(inner[1], Converted) and inner[1].title == "The cache two"


def test_a_chat_of_years_is_a_document_for_each_month() -> None:
    lines = [f"{1 + number % 28:02}.{1 + number // 56:02}.26, 10:12 - Ada: line {number}" for number in range(400)]
    outcome = read("_chat.txt", "\n".join(lines))
    assert isinstance(outcome, Converted) and len(outcome.members) == 8
    first = read(outcome.members[0].name, outcome.members[0].data.decode())
    assert isinstance(first, Converted) and first.title == "WhatsApp: Ada, 2026-01"


def test_a_session_that_is_being_written_is_read_up_to_its_last_whole_line() -> None:
    outcome = read("s.jsonl", jsonl(CLAUDE_CODE) + '{"type": "user", "mess')
    assert isinstance(outcome, Converted) and len(outcome.headings) == 2


def test_our_own_form_is_read_as_it_was_written() -> None:
    said = Conversation("A talk", (Turn("Ada", "Hello", 1_772_446_320.0), Turn("Ben", "Hi")), "notes", "k", "/work")
    outcome = read("talk.json", own_form(said).decode())
    assert isinstance(outcome, Converted)
    assert (outcome.title, [heading.title for heading in outcome.headings]) == (
        "A talk",
        ["Ada, 2026-03-02 10:12", "Ben"],
    )
    assert {name: outcome.metadata[name] for name in ("source", "conversation", "folder")} == {
        "source": "notes",
        "conversation": "k",
        "folder": "/work",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", '{"name": "x", "mapping": {"a": "b"}, "messages": []}'),
        ("tsconfig.json", '{"compilerOptions": {}}'),
        ("data.jsonl", '{"id": 1, "text": "a row"}\n'),
        ("notes.txt", "2026-03-02 10:12:00 - INFO: started\n2026-03-02: a diary\n"),
        ("log.txt", "[2026-03-02 10:12:00] production.ERROR: no route\n[2026-03-02 10:12:01] INFO: started\n"),
        ("diary.txt", "2026-03-02 22:12 - the first swallow\n2026-03-03 08:00 - and a second one\n"),
        ("todo.txt", "1. buy milk: soon\n"),
        ("projects.json", '[{"uuid": "1", "name": "Bees", "description": "a project of Claude", "docs": []}]'),
    ],
)
def test_other_files_of_these_names_are_not_claimed(name: str, text: str) -> None:
    known = format_of(name)
    assert known is not None and not known.claims(text.encode())


@pytest.mark.parametrize(
    "text", ['[{"uuid": "1", "name": "x"', '[{"uuid": "1", "name": "x"}]', '{"octavo": "conversation"}']
)
def test_what_only_begins_like_a_conversation_is_refused_with_a_reason(text: str) -> None:
    assert isinstance(read("conversations.json", text), RefusedFile)


def text_of(name: str, text: str) -> str:
    outcome = read(name, text)
    assert isinstance(outcome, Converted)
    return outcome.text


def test_what_was_spoken_to_chatgpt_is_said_and_its_marks_of_references_are_not() -> None:
    export = chatgpt("Aloud")
    mapping = export[0]["mapping"]
    mapping["a"]["message"]["content"]["parts"] = [
        {"content_type": "audio_transcription", "text": "Said aloud"},
        {"content_type": "audio_asset_pointer", "asset_pointer": "x"},
    ]
    mapping["b"]["message"]["content"]["parts"] = ["So it is.\ue200cite\ue202turn0search3\ue201 And stays."]
    text = text_of("conversations.json", json.dumps(export))
    assert "Said aloud" in text and "So it is. And stays." in text


def test_what_claude_code_writes_in_the_name_of_its_user_is_nobodys_turn() -> None:
    written = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Continued from before: …"}}
    stopped = {
        "type": "user",
        "sessionId": "s",
        "message": {"role": "user", "content": "[Request interrupted by user]"},
    }
    events = [*CLAUDE_CODE, {**written, "isCompactSummary": True}, stopped]
    assert headings("p/1f2e.jsonl", jsonl(events)) == headings("p/1f2e.jsonl", jsonl(CLAUDE_CODE))


def test_a_program_in_slack_says_what_it_attaches() -> None:
    build = {"type": "message", "subtype": "bot_message", "username": "CI", "text": "", "ts": "1772446400.000100"}
    messages = [*SLACK, {**build, "attachments": [{"fallback": "Build 77 passed", "color": "good"}]}]
    assert text_of("builds/2026-03-02.json", json.dumps(messages)).endswith("CI, 2026-03-02 10:13\n\nBuild 77 passed\n")


def test_a_picture_that_whatsapp_left_out_is_no_turn() -> None:
    lines = (
        "[02.03.26, 10:12:00] Ada: Look!\n[02.03.26, 10:12:01] Ada: \u200eimage omitted\n"
        "[02.03.26, 10:12:02] Ada: <Media omitted>\n\u200e[02.03.26, 10:12:02] Ada: \u200e<attached: 1-PHOTO.jpg>\n"
        "[02.03.26, 10:12:02] Ada: IMG-20260302-WA0001.jpg (file attached)\n[02.03.26, 10:12:03] Ben: \u200eLocation: https://example.org/dome\n"
    )
    assert headings("_chat.txt", lines)[1:] == ["Ada, 2026-03-02 10:12", "Ben, 2026-03-02 10:12"]


def test_a_damaged_conversation_and_a_damaged_line_cost_themselves() -> None:
    whole = chatgpt("Good", "Good too")
    outcome = read("conversations.json", json.dumps([whole[0], {"mapping": {"x": 7}, "current_node": "x"}, whole[1]]))
    assert isinstance(outcome, Converted)
    assert len(outcome.members) == 2 and outcome.warnings == ("1 of 3 conversations are damaged",)
    first, rest = jsonl(CLAUDE_CODE).split("\n", 1)
    assert headings("s.jsonl", f"{first}\n{{broken\n{'[' * 100_000}\n{rest}") == headings("s.jsonl", jsonl(CLAUDE_CODE))


def test_half_a_character_is_no_reason_to_refuse_an_export() -> None:
    outcome = read("conversations.json", json.dumps(chatgpt("Half \ud83d", "Whole")))
    assert isinstance(outcome, Converted) and len(outcome.members) == 2


def test_fences_that_are_never_closed_are_code_to_the_end_and_cost_no_time() -> None:
    said = Conversation("x", (Turn("Ada", "See:\n" + "```a\n" * 20_000),), "notes")
    assert text_of("talk.json", own_form(said).decode()).startswith("## Ada\n\nSee:\n\n````a\n```a\n")


def test_an_edited_message_of_whatsapp_is_read_without_the_note_that_it_was_edited() -> None:
    line = "[02.03.26, 10:12:00] Ada: At noon \u200e<This message was edited>\n"
    assert text_of("_chat.txt", line).endswith("\n\nAt noon\n")


def test_what_claude_code_asks_its_subagents_is_not_said_by_the_user() -> None:
    aside = [
        {**event, "isSidechain": True, "message": {"role": event["type"], "content": words}}
        for event, words in zip((CLAUDE_CODE[1], CLAUDE_CODE[4]), ("Count the hives", "There are nine"), strict=True)
    ]
    failed = {**CLAUDE_CODE[4], "isApiErrorMessage": True}
    assert [title.partition(",")[0] for title in headings("p/1f2e.jsonl", jsonl([*CLAUDE_CODE, *aside, failed]))] == [
        "The cache",
        "User",
        "Claude",
        "Claude",
        "Subagent",
    ]


def test_what_codex_writes_in_the_name_of_its_user_is_nobodys_turn() -> None:
    written = (
        codex("user", "input_text", text, 14)
        for text in (
            "<turn_aborted>\nStopped.\n</turn_aborted>",
            "<user_shell_command>\n<command>ls</command>\n</user_shell_command>",
        )
    )
    assert headings("rollout-1.jsonl", jsonl([*CODEX, *written])) == headings("rollout-1.jsonl", jsonl(CODEX))


def test_calls_of_groups_and_channels_in_slack_read_as_people_see_them() -> None:
    text = "<!here> <!subteam^S1|@potters> <#C1|glazes> <#C2|> <!date^1772446320^{date}|2 March>"
    assert "@here @potters #glazes #C2 2 March" in text_of(
        "a/2026-03-02.json", json.dumps([{**SLACK[0], "text": text}])
    )


def test_a_program_in_slack_or_discord_says_what_stands_in_its_blocks_and_a_deleted_message_nothing() -> None:
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Build 77"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "passed"}]},
    ]
    build = {"type": "message", "subtype": "bot_message", "username": "CI", "text": "", "ts": "1772446400.000100"}
    deleted = {**SLACK[0], "subtype": "tombstone", "text": "This message was deleted.", "ts": "1772446500.000100"}
    slack = text_of("builds/2026-03-02.json", json.dumps([*SLACK, {**build, "blocks": blocks}, deleted]))
    assert slack.endswith("CI, 2026-03-02 10:13\n\nBuild 77\n\npassed\n")
    embed = {"title": "Build 77", "description": "", "fields": [{"name": "Result", "value": "passed"}]}
    author = {"name": "CI"}
    messages = [
        {"type": "GuildMemberJoin", "content": "Joined the server.", "author": author},
        {"type": "Default", "content": "", "author": author, "embeds": [embed]},
    ]
    discord = text_of("export.json", json.dumps({**DISCORD, "messages": messages}))
    assert discord == "## CI\n\nBuild 77\n\nResult\n\npassed\n"
