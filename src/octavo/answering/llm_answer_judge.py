"""Asks a language model, in one call, how well the passages support each sentence of an answer."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.answering.answer_prompt import OwnPrompts, no_prompts, prompt_of, quoted_passages, single_line
from octavo.answering.citable_passages import NumberedPassage
from octavo.answering.citation_verification import Support
from octavo.errors import ProviderFailed
from octavo.model.language_model_calls import CompletionRequest
from octavo.ports import LanguageModel

_TOKENS = 12  # of a verdict in a reply
_INSTRUCTIONS = 300  # tokens of a prompt beside its passages and sentences


def verdicts(
    sentences: Sequence[str], passages: Sequence[NumberedPassage], model: LanguageModel, own: OwnPrompts = no_prompts
) -> tuple[Support, ...]:
    """One for each sentence, in one call. Raises `ProviderFailed` where the model does not give them."""
    listed = "\n".join(f"{number}. {single_line(sentence)}" for number, sentence in enumerate(sentences, 1))
    reply = 30 + _TOKENS * len(sentences)
    room = model.window - reply - _INSTRUCTIONS - model.count_tokens(listed)
    shown, _ = quoted_passages(passages, max(100, room))
    schema = {
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "array",
                "items": {"type": "string", "enum": [support.value for support in Support]},
                "minItems": len(sentences),
                "maxItems": len(sentences),
            }
        },
        "required": ["verdicts"],
    }
    prompt = prompt_of("judge_sentences", own, passages=shown, sentences=listed)
    given = model.structured(CompletionRequest(prompt, max_tokens=reply, schema=schema)).value["verdicts"]
    if len(given) != len(sentences):
        raise ProviderFailed(f"{model.name} judged {len(given)} of {len(sentences)} sentences")
    return tuple(map(Support, given))
