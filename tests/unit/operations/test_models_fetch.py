"""`octavo models fetch`: files from a manifest, from a file server on this machine."""

from __future__ import annotations

import hashlib
import json
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from octavo.embedding.model_download import KNOWN_MODELS, FetchedModel, manifest_entry
from octavo.embedding.model_folder import read_directory
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import ConfigurationError, Conflict, InvalidArgument, ModelUnavailable, NotFound
from octavo.operations.models.list_fetch_train_and_activate import (
    models_activate,
    models_fetch,
    models_list,
    models_remove,
    models_show,
)
from octavo.operations.models.requests import (
    ModelsActivateRequest,
    ModelsFetchRequest,
    ModelsListRequest,
    ModelsShowRequest,
)

WEIGHTS = bytes(range(256)) * 400


@dataclass
class FileServer:
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)
    """`cut`: half of what is asked for; `other`: as many bytes, but others; `away`: status 503."""
    url: str = ""


@pytest.fixture
def server() -> Iterator[FileServer]:
    state = FileServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            state.asked.append((self.path, wanted))
            trouble = state.trouble.pop(0) if state.trouble else ""
            data = state.files.get(self.path)
            if data is None or trouble == "away":
                self.send_error(404 if data is None else 503)
                return
            if trouble == "other":
                data = bytes(len(data))
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            rest = data[start:]
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: len(rest) // 2] if trouble == "cut" else rest)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{httpd.server_port}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield state
    httpd.shutdown()
    httpd.server_close()
    thread.join()


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    modules = (
        "operations.models.list_fetch_train_and_activate",
        "embedding.model_download",
        "embedding.model_download",
    )
    for module in modules:
        monkeypatch.setattr(f"octavo.{module}.models_folder", lambda: tmp_path / "models")
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as opened:
        yield opened


def fetched(engine: Engine, server: FileServer, folder: Path, files: dict[str, bytes]) -> FetchedModel:
    """Serves the files, writes the manifest, and fetches."""
    server.files |= {f"/{name}": data for name, data in files.items()}
    lines = ['[models.tiny]\nlicence = "Apache-2.0"\n']
    for name, data in files.items():
        digest = hashlib.sha256(data).hexdigest()
        lines.append(
            f'[[models.tiny.files]]\nname = "{name}"\nurl = "{server.url}/{name}"\n'
            f'sha256 = "{digest}"\nsize = {len(data)}\n'
        )
    manifest = folder / "models.toml"
    manifest.write_text("\n".join(lines), "utf-8")
    return models_fetch(engine, ModelsFetchRequest("tiny", manifest=str(manifest)))


def test_a_gguf_file_is_fetched_once(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    done = fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS})
    assert Path(done.path).read_bytes() == WEIGHTS
    assert (done.form, done.licence, done.bytes, done.fetched) == ("gguf", "Apache-2.0", len(WEIGHTS), 1)
    assert fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS}).fetched == 0
    assert len(server.asked) == 1


def test_a_file_that_changed_is_fetched_again(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    done = fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS})
    Path(done.path).write_bytes(b"damaged")
    assert fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS}).fetched == 1
    assert Path(done.path).read_bytes() == WEIGHTS


def test_what_broke_off_goes_on_where_it_was(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    server.trouble = ["cut"]
    done = fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS})
    assert Path(done.path).read_bytes() == WEIGHTS
    assert [wanted for _, wanted in server.asked] == ["", f"bytes={len(WEIGHTS) // 2}-"]


def test_another_file_is_deleted_and_fetched_again(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    server.trouble = ["other"]
    done = fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS})
    assert Path(done.path).read_bytes() == WEIGHTS and len(server.asked) == 2


@pytest.mark.parametrize(("trouble", "reason"), [("other", "sha256"), ("away", "answered 503")])
def test_a_failure_names_the_address_and_the_reason(
    engine: Engine, server: FileServer, tmp_path: Path, trouble: str, reason: str
) -> None:
    server.trouble = [trouble] * 9
    with pytest.raises(ModelUnavailable) as failure:
        fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS})
    assert failure.value.code == "MODEL_DOWNLOAD_FAILED"
    assert failure.value.details["url"] == f"{server.url}/tiny.gguf" and reason in failure.value.details["reason"]
    assert not (tmp_path / "models" / "tiny").exists() and "manifest" in str(failure.value.hint)


def test_what_was_begun_stays_for_the_next_time(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    server.trouble = ["cut", "away", "away"]
    with pytest.raises(ModelUnavailable) as failure:
        fetched(engine, server, tmp_path, {"deep/tiny.gguf": WEIGHTS})
    assert "goes on where it broke off" in str(failure.value.hint)
    assert [path.name for path in (tmp_path / "models" / "tiny").rglob("*.part")] == ["tiny.gguf.part"]
    assert fetched(engine, server, tmp_path, {"deep/tiny.gguf": WEIGHTS}).fetched == 1


def test_a_fetched_language_model_is_listed_shown_and_removed(
    engine: Engine, server: FileServer, tmp_path: Path
) -> None:
    fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS})
    (listed,) = (model for model in models_list(engine, ModelsListRequest()).models if model.name == "tiny")
    assert (listed.form, listed.state, listed.bytes) == ("gguf", "idle", len(WEIGHTS))
    shown = models_show(engine, ModelsShowRequest("tiny"))
    assert shown.model == listed and "Licence: Apache-2.0" in shown.card and f"{server.url}/tiny.gguf" in shown.card
    with pytest.raises(InvalidArgument, match="makes no vectors"):
        models_activate(engine, ModelsActivateRequest("tiny"))
    assert models_remove(engine, ModelsShowRequest("tiny")).model == listed
    assert not (tmp_path / "models" / "tiny").exists()


def test_a_language_model_with_a_role_is_active_and_stays(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    done = fetched(engine, server, tmp_path, {"tiny.gguf": WEIGHTS})
    model = {"provider": "gguf", "path": done.path}
    settings = {"embedding.provider": "hashing", "llm.models": {"own": model}, "llm.roles.answer": "own"}
    with open_library(tmp_path / "l.db", settings=settings) as configured:
        assert models_show(configured, ModelsShowRequest("tiny")).model.state == "active"
        with pytest.raises(Conflict, match=r"configured as llm\.models\.own"):
            models_remove(configured, ModelsShowRequest("tiny"))


def test_another_file_in_the_manifest_is_described_anew(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    files = {"model.onnx": WEIGHTS, "tokenizer.json": b"{}", "config.json": b'{"hidden_size": 8}'}
    fetched(engine, server, tmp_path, files)
    done = fetched(engine, server, tmp_path, files | {"model.onnx": WEIGHTS[::-1]})
    assert read_directory(Path(done.path), "").damage() == ()


def test_a_folder_that_does_not_say_its_dimensions_is_refused(
    engine: Engine, server: FileServer, tmp_path: Path
) -> None:
    files = {"model.onnx": WEIGHTS, "tokenizer.json": b"{}", "config.json": b'{"model_type": "bert"}'}
    with pytest.raises(ModelUnavailable, match="is no embedding model"):
        fetched(engine, server, tmp_path, files)


def test_a_hub_folder_gets_its_description(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    files = {
        "model.onnx": WEIGHTS,
        "tokenizer.json": b"{}",
        "config.json": json.dumps(
            {"hidden_size": 1024, "max_position_embeddings": 8194, "model_type": "xlm-roberta"}
        ).encode(),
        "1_Pooling/config.json": b'{"word_embedding_dimension": 1024, "pooling_mode_cls_token": true}',
        "config_sentence_transformers.json": b'{"prompts": {"query": "query: ", "passage": "passage: "}}',
    }
    done = fetched(engine, server, tmp_path, files)
    described = read_directory(Path(done.path), "")
    assert (described.pooling, described.profile.dimensions, described.profile.window) == ("cls", 1024, 8192)
    assert (described.profile.query_prefix, described.profile.document_prefix) == ("query: ", "passage: ")
    assert described.damage() == ()


def test_a_folder_that_lacks_its_parts_is_named(engine: Engine, server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"needs model\.onnx, tokenizer\.json and config\.json"):
        fetched(engine, server, tmp_path, {"model.onnx": WEIGHTS})


@pytest.mark.parametrize("name", ["../out.gguf", "/tmp/out.gguf", "a/../../out.gguf"])
def test_a_manifest_names_no_file_outside_of_the_models_folder(
    engine: Engine, server: FileServer, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ConfigurationError, match="no file inside"):
        fetched(engine, server, tmp_path, {name: WEIGHTS})
    assert server.asked == []


def test_a_model_or_a_manifest_that_is_not_there_is_named(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no manifest"):
        models_fetch(engine, ModelsFetchRequest("tiny", manifest=str(tmp_path / "none.toml")))
    (tmp_path / "models.toml").write_text("", "utf-8")
    with pytest.raises(NotFound, match="names no model tiny"):
        models_fetch(engine, ModelsFetchRequest("tiny", manifest=str(tmp_path / "models.toml")))


def test_what_ships_is_known_whole_and_pinned(tmp_path: Path) -> None:
    models = tomllib.loads(KNOWN_MODELS.read_text("utf-8"))["models"]
    assert {"bge-m3", "all-minilm-l6-v2", "smollm2-135m", "qwen3-4b"} <= set(models)
    for name in models:
        files, licence, _ = manifest_entry(name, tmp_path / "none.toml", None)
        assert licence and all(file.url.startswith("https://") and file.size for file in files.values())
        assert any(file.endswith(".gguf") for file in files) or {"model.onnx", "tokenizer.json", "config.json"} <= set(
            files
        )


def test_a_manifest_of_the_users_own_comes_before_what_ships(
    engine: Engine, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own" / "models.toml"
    own.parent.mkdir()
    monkeypatch.setattr("octavo.operations.models.list_fetch_train_and_activate.user_file", lambda _: own)
    with pytest.raises(NotFound, match="neither Octavo nor") as unknown:
        models_fetch(engine, ModelsFetchRequest("tiny"))
    assert "bge-m3" in (unknown.value.hint or "")
    server.files["/bge.gguf"] = WEIGHTS
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    own.write_text(
        f'[models.bge-m3]\nlicence = "MIT"\n[[models.bge-m3.files]]\nurl = "{server.url}/bge.gguf"\n'
        f'sha256 = "{digest}"\nsize = {len(WEIGHTS)}\n',
        "utf-8",
    )
    assert models_fetch(engine, ModelsFetchRequest("bge-m3")).form == "gguf"


def test_a_manifest_says_the_pooling_that_no_file_of_the_model_does(
    engine: Engine, server: FileServer, tmp_path: Path
) -> None:
    parts = {"model.onnx": WEIGHTS, "tokenizer.json": b"{}", "config.json": b'{"hidden_size": 8}'}
    server.files |= {f"/{name}": data for name, data in parts.items()}
    lines = ['[models.tiny]\nlicence = "MIT"\npooling = "cls"\n']
    for name, data in parts.items():
        digest = hashlib.sha256(data).hexdigest()
        lines.append(f'[[models.tiny.files]]\nurl = "{server.url}/{name}"\nsha256 = "{digest}"\nsize = {len(data)}\n')
    manifest = tmp_path / "models.toml"
    manifest.write_text("\n".join(lines), "utf-8")
    done = models_fetch(engine, ModelsFetchRequest("tiny", manifest=str(manifest)))
    assert read_directory(Path(done.path), "").pooling == "cls"
    manifest.write_text("\n".join(lines).replace('"cls"', '"sum"'), "utf-8")
    with pytest.raises(ConfigurationError, match="neither cls nor mean"):
        models_fetch(engine, ModelsFetchRequest("tiny", manifest=str(manifest)))
