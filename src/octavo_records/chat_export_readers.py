"""Reads conversations from exports of chat programs; the content of a file tells which program wrote it.

ChatGPT            conversations.json   a tree of messages for each conversation; the branch last looked at
Claude             conversations.json   `chat_messages`
Claude Code        *.jsonl              a line for each event of a session: what is said, not what tools return
Codex              rollout-*.jsonl      `response_item`s of a session
Slack              CHANNEL/DATE.json    messages of a day
Discord            messages.json        its own data package, or what DiscordChatExporter writes
WhatsApp           _chat.txt            `[02.03.26, 10:12:00] Ada: …`, with or without brackets
Octavo             *.json               `octavo_records.conversation_converter.own_form`
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from octavo.lazy_regex import regex
from octavo_records.conversation import OWN, Conversation, Turn, title_from

_INJECTED = ("<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "# AGENTS.md", "<permissions", "<skill")
_COMMAND = regex(r"^(?:<(?:command-|local-command|system-reminder|task-notification|bash-)|\[Request interrupted)")
_INJECTED_WHOLE = regex(r"\s*<([a-z]+(?:_[a-z]+)+)>.*</\1>\s*", re.DOTALL)
_CALL = regex(r"<([@#!])?([^|<>]+)(?:\|([^<>]*))?>")
_COMINGS = ("_join", "_leave", "_topic", "_purpose", "_name", "_archive", "tombstone")
# As DiscordChatExporter names what Discord itself says.
_DISCORDS_OWN = (
    *("Call", "ChannelIconChange", "ChannelNameChange", "ChannelPinnedMessage"),
    *("GuildMemberJoin", "RecipientAdd", "RecipientRemove", "ThreadCreated"),
)
# Phones write dates as their country does: `[3/2/26, 10:12:00 PM]`, `02/03/2026 22:12 -`, `2026. 3. 2. 오후 10:12 -`.
_BETWEEN = r"[\u200e\u200f]*[./-][\u200e\u200f]* ?"
_MESSAGE = regex(
    rf"^[\u200e\u200f\ufeff]*\[?(?P<first>\d{{1,4}})(?P<sign>{_BETWEEN})(?P<second>\d{{1,2}}){_BETWEEN}"
    r"(?P<third>\d{1,4})[.,،]{0,2} (?:(?P<word>[^\W\d_]{1,4})\.? ?)?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<seconds>\d{2}))?"
    r"(?:[^\S\n]*(?P<half>[AaPp]\.?[^\S\n]?[Mm]\.?|[صم]))?(?:\] | - )[\u200e\u200f]*(?P<rest>.*)$",
    re.MULTILINE,
)
_AFTERNOON = ("p", "م", "下午", "晚上", "中午", "午後", "오후")
_MORNING = ("a", "ص", "上午", "凌晨", "早上", "午前", "오전")
_SPEAKER = regex(r"([^:\n]{1,60}): ?(.*)", re.DOTALL)
# In the place of a picture or of a deleted message: `<Media omitted>` on some telephones, a hidden sign on others.
_PLACEHOLDER = regex(r"\u200e?<[^<>\n]+>|\u200e[^:\n]*|(?:AUD|IMG|PTT|STK|VID)-\d{8}-WA\d+\.\w+ \([^()\n]+\)")
_EDITED = regex(r"\s*\u200e<[^<>\n]+>$")
_REFERENCE_MARK = regex("\ue200[^\ue200\ue201]*\ue201")


DAMAGE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading of something else raises."""


def conversations_in(name: str, text: str) -> Iterator[Conversation | None]:
    """None for a damaged one among others; raises `DAMAGE` where the whole file is."""
    path = PurePosixPath(name)
    if path.suffix.lower() == ".txt":
        yield _whatsapp(path, text)
    elif path.suffix.lower() in (".jsonl", ".ndjson"):
        yield _session(path, [event for event in _events(text) if isinstance(event, dict)])
    else:
        yield from _exported(path, json.loads(text.removeprefix("\ufeff")))


def _exported(path: PurePosixPath, data: Any) -> Iterator[Conversation | None]:
    if isinstance(data, Mapping) and data.get("octavo") == OWN:
        yield _own(data)
    elif isinstance(data, Mapping) and "messages" in data:
        yield _discord_channel(data)
    elif isinstance(data, Mapping):  # one conversation of ChatGPT or Claude, saved by itself
        yield from _exported(path, [data])
    elif data and "mapping" in data[0]:
        yield from _each(_chatgpt, data)
    elif data and "chat_messages" in data[0]:
        yield from _each(_claude, data)
    elif data and "Contents" in data[0]:
        yield _discord_package(path, data)
    else:
        yield _slack(path, [message for message in data if message.get("type") == "message"])


def _each(read: Callable[[Any], Conversation], data: list[Any]) -> Iterator[Conversation | None]:
    for conversation in data:
        try:
            yield read(conversation)
        except DAMAGE:
            yield None


def _own(data: Mapping[str, Any]) -> Conversation:
    turns = tuple(Turn(str(turn.get("speaker") or ""), turn["text"], _time(turn.get("time"))) for turn in data["turns"])
    about = [str(data.get(name) or "") for name in ("source", "key", "folder")]
    return Conversation(title_from(data.get("title"), turns, "Conversation"), turns, *about)


def _chatgpt(data: Mapping[str, Any]) -> Conversation:
    """Edited messages and regenerated answers are other branches of the tree, and were turned away from."""
    nodes = data["mapping"]
    at = str(data.get("current_node") or next(iter(reversed(nodes)), ""))
    turns: list[Turn] = []
    seen: set[str] = set()
    while at in nodes and at not in seen:
        seen.add(at)
        message = nodes[at].get("message") or {}
        role = (message.get("author") or {}).get("role")
        hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
        parts = (message.get("content") or {}).get("parts") or ()
        if role in ("user", "assistant") and message.get("recipient", "all") == "all" and not hidden:
            # A part that was spoken is a value with its transcription.
            texts = (part.get("text") if isinstance(part, Mapping) else part for part in parts)
            text = _REFERENCE_MARK.sub("", "\n\n".join(filter(None, texts)))
            turns.append(Turn("User" if role == "user" else "ChatGPT", text, _time(message.get("create_time"))))
        at = str(nodes[at].get("parent"))
    turns.reverse()
    key = data.get("conversation_id") or data.get("id") or ""
    return Conversation(title_from(data.get("title"), turns, "Conversation"), tuple(turns), "ChatGPT", str(key))


def _claude(data: Mapping[str, Any]) -> Conversation:
    turns = []
    for message in data["chat_messages"]:
        texts = [_said(message.get("content")) or message.get("text") or ""]
        texts += [str(each.get("extracted_content") or "") for each in message.get("attachments") or ()]
        speaker = "User" if message.get("sender") == "human" else "Claude"
        turns.append(Turn(speaker, "\n\n".join(filter(None, texts)), _time(message.get("created_at"))))
    title = title_from(data.get("name"), turns, "Conversation")
    return Conversation(title, tuple(turns), "Claude", str(data.get("uuid") or ""))


def _session(path: PurePosixPath, events: list[dict[str, Any]]) -> Conversation:
    codex = any(event.get("type") in ("session_meta", "response_item") or "record_type" in event for event in events)
    return _codex(path, events) if codex else _claude_code(path, events)


def _claude_code(path: PurePosixPath, events: list[dict[str, Any]]) -> Conversation:
    turns: list[Turn] = []
    title, folder = "", ""
    for event in events:
        title = event.get("summary") or event.get("aiTitle") or event.get("customTitle") or title
        folder = folder or event.get("cwd") or ""
        message = event.get("message")
        written = event.get("isMeta") or event.get("isCompactSummary")  # by the program, in the user's name
        if event.get("type") not in ("user", "assistant") or written or not isinstance(message, dict):
            continue
        text = _said(message.get("content"))
        if not _COMMAND.match(text) and not event.get("isApiErrorMessage"):
            asks, answers = ("Claude", "Subagent") if event.get("isSidechain") else ("User", "Claude")
            speaker = asks if event["type"] == "user" else answers
            turns.append(Turn(speaker, text, _time(event.get("timestamp"))))
    return Conversation(title_from(title, turns, path.stem), tuple(turns), "Claude Code", path.stem, folder)


def _codex(path: PurePosixPath, events: list[dict[str, Any]]) -> Conversation:
    """Older sessions have what is the payload now on the line itself."""
    turns, folder = [], ""
    for event in events:
        inner = event.get("payload")
        payload: dict[str, Any] = inner if isinstance(inner, dict) else event
        folder = folder or (payload.get("cwd") if event.get("type") == "session_meta" else "") or ""
        if payload.get("type") == "message" and payload.get("role") in ("user", "assistant"):
            text = _said(payload.get("content"))
            if not text.lstrip().startswith(_INJECTED) and not _INJECTED_WHOLE.fullmatch(text):
                speaker = "User" if payload["role"] == "user" else "Codex"
                turns.append(Turn(speaker, text, _time(event.get("timestamp"))))
    return Conversation(title_from("", turns, path.stem), tuple(turns), "Codex", path.stem, folder)


def _slack(path: PurePosixPath, messages: list[dict[str, Any]]) -> Conversation:
    # Who joins, shares a file or edits is written without a profile: any message of the same person has it.
    profiles = {
        each["user"]: each["user_profile"] for each in messages if each.get("user") and each.get("user_profile")
    }
    names = {
        user: str(about.get("display_name") or about.get("real_name") or about.get("name") or user)
        for user, about in profiles.items()
    }

    def called(match: re.Match[str]) -> str:
        sign, target, label = match.groups(default="")
        name = label or names.get(target, target)
        if sign == "!":  # `<!here>`, `<!subteam^S1|@potters>`, `<!date^1770710400^{date}|10 February>`
            sign = "" if target.startswith("date^") else "@"
        return name if name.startswith(sign) else sign + name

    turns = [
        Turn(
            names.get(each.get("user", "")) or each.get("username") or each.get("user") or "",
            html.unescape(_CALL.sub(called, each.get("text") or _attached(each))),
            _time(each.get("ts")),
        )
        for each in sorted(messages, key=lambda each: float(each.get("ts") or 0))
        if not str(each.get("subtype") or "").endswith(_COMINGS)
    ]
    return Conversation(f"#{path.parent.name}, {path.stem}", tuple(turns), "Slack", str(path))


def _attached(message: Mapping[str, Any]) -> str:
    """What a program has to say often stands there alone."""
    attachments = (str(each.get("text") or each.get("fallback") or "") for each in message.get("attachments") or ())
    return "\n\n".join(filter(None, (*attachments, *_block_texts(message.get("blocks")))))


def _block_texts(block: Any) -> Iterator[str]:
    if isinstance(block, list):
        for part in block:
            yield from _block_texts(part)
    elif isinstance(block, Mapping):
        text = block.get("text")
        if isinstance(text, str):
            yield text
        for part in (text, block.get("fields"), block.get("elements")):
            yield from _block_texts(part)


def _discord_channel(data: Mapping[str, Any]) -> Conversation:
    turns = [
        Turn(
            str(each["author"].get("nickname") or each["author"].get("name") or ""),
            each.get("content") or _embedded(each),
            _time(each.get("timestamp")),
        )
        for each in data["messages"]
        if each.get("type") not in _DISCORDS_OWN
    ]
    channel, guild = data.get("channel") or {}, data.get("guild") or {}
    title = ", ".join(filter(None, (f"#{channel.get('name')}", guild.get("name"))))
    return Conversation(title, tuple(turns), "Discord", str(channel.get("id") or title))


def _embedded(message: Mapping[str, Any]) -> str:
    """What a program has to say."""
    embeds = message.get("embeds") or ()
    parts = [(each.get("title"), each.get("description")) for each in embeds]
    parts += [(field.get("name"), field.get("value")) for each in embeds for field in each.get("fields") or ()]
    return "\n\n".join(str(part) for pair in parts for part in pair if part)


def _discord_package(path: PurePosixPath, messages: list[dict[str, Any]]) -> Conversation:
    """What one person wrote in a channel; what others did is in no package."""
    turns = [Turn("User", each.get("Contents") or "", _time(each.get("Timestamp"))) for each in messages]
    turns.sort(key=lambda turn: turn.time or 0)
    return Conversation(f"Discord, channel {path.parent.name.lstrip('c')}", tuple(turns), "Discord", str(path.parent))


def _whatsapp(path: PurePosixPath, text: str) -> Conversation:
    lines = list(_MESSAGE.finditer(text))
    month_first = _month_is_first(lines)
    turns = []
    for number, match in enumerate(lines):
        end = lines[number + 1].start() if number + 1 < len(lines) else len(text)
        spoken = _SPEAKER.fullmatch(match["rest"] + text[match.end() : end])
        if spoken and not _PLACEHOLDER.fullmatch(spoken[2].strip()):  # else somebody came or went
            words = _EDITED.sub("", spoken[2].strip())
            turns.append(Turn(spoken[1].strip("~ \u200e\u202f"), words, _written(match, month_first)))
    named = path.parent.name if path.stem == "_chat" and path.parent.name else path.stem
    people = ", ".join(dict.fromkeys(turn.speaker for turn in turns))
    title = named if "whatsapp" in named.casefold() else f"WhatsApp: {people[:100]}"
    return Conversation(title, tuple(turns), "WhatsApp", str(path))


def _month_is_first(messages: list[re.Match[str]]) -> bool:
    """Told by a day after the twelfth, else by `PM` in capitals: who writes `pm` or `p. m.` begins with the day."""
    if any(int(match["first"]) > 12 for match in messages):
        return False
    return any(
        int(match["second"]) > 12 or (match["sign"] == "/" and (match["half"] or "") in ("AM", "PM"))
        for match in messages
    )


def _written(match: re.Match[str], month_first: bool) -> float | None:
    first, second, third = (int(match[name]) for name in ("first", "second", "third"))
    year, month, day = (first, second, third) if len(match["first"]) == 4 else (third, second, first)
    if month_first:
        month, day = day, month
    half = match["word"] if match["word"] in _AFTERNOON + _MORNING else (match["half"] or "")[:1].lower()
    hour = int(match["hour"])
    hour = hour % 12 + 12 * (half in _AFTERNOON) if half else hour
    try:
        moment = datetime(
            year + 2000 * (year < 100), month, day, hour, int(match["minute"]), int(match["seconds"] or 0), tzinfo=UTC
        )
    except ValueError:
        return None
    return moment.timestamp()


def _said(content: Any) -> str:
    """What is text in a message that also holds thoughts, calls of tools and what these returned."""
    if isinstance(content, str):
        return content
    parts = [part for part in content or () if isinstance(part, dict) and "text" in part]
    return "\n\n".join(str(part["text"]) for part in parts if str(part.get("type", "")).endswith("text"))


def _events(text: str) -> Iterator[Any]:
    """The last line may be half written, as the session goes on; another that is damaged costs itself."""
    for line in filter(str.strip, text.split("\n")):
        with suppress(ValueError, RecursionError):
            yield json.loads(line)


def _time(value: Any) -> float | None:
    if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        value = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(value) if value and 0 < float(value) < 1e11 else None
