"""The operations on models: what there is, how good each is, which one answers."""

from __future__ import annotations

from recto.operations import models
from recto.operations.operation import WRITES, ErrorCase, Operation

MODEL_OPERATIONS = (
    Operation(
        name="models_list",
        summary="List the embedding models made on this machine.",
        description="The bundled encoder and the models that `recto finetune` made, with their figures and states.",
        function=models.models_list,
        request=models.ModelsListRequest,
        answer=models.ModelsAnswer,
        text=models.models_text,
        example={},
        errors=(ErrorCase({"all": True}, "INVALID_ARGUMENT"),),
    ),
    Operation(
        name="models_show",
        summary="Show a model's card.",
        description="What a model was made from, how, and how good it is.",
        function=models.models_show,
        request=models.ModelRequest,
        answer=models.ModelAnswer,
        text=models.model_text,
        example={"name": "recto-encoder-1"},
        errors=(ErrorCase({"name": "nowhere"}, "NOT_FOUND"),),
    ),
    Operation(
        name="models_activate",
        summary="Let a model answer for this project.",
        description=(
            "Re-embed the library with a model in the background, then let it answer. One that is worse on a check "
            "is refused unless forced."
        ),
        function=models.models_activate,
        request=models.ModelActivateRequest,
        answer=models.ModelAnswer,
        text=models.model_text,
        example={"name": "recto-encoder-1"},
        errors=(ErrorCase({"name": "nowhere"}, "NOT_FOUND"),),
        annotations=WRITES,
    ),
)
