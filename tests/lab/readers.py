# SPDX-License-Identifier: Apache-2.0
"""Tiny models of transformers through `clquant quantize_model`, and back into transformers: see readers.sh.

    readers.py CLQUANT [--only TEXT] [--record FILE] [--keep FOLDER]

    --only TEXT      models and formats whose names together hold TEXT, such as "gpt2" or "llama int8"
    --record FILE    writes what the models are made of (tests/data/models.json), and runs nothing
    --keep FOLDER    the models and what became of them stay there

A model is opened by from_pretrained, and runs. Its logits are those of the model before, whose weights were replaced by
what the formats' public formulas make of OUT's tensors, bit for bit. Each weight is near to what it was.
"""
import argparse
import contextlib
import fnmatch
import io
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import compressed_tensors
import tokenizers
import torch
import transformers
from safetensors.torch import load_file

from readers_decode import decoded, joined, split

DECODER = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2,
           "vocab_size": 512, "max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
PAIR = {"d_model": 256, "vocab_size": 512, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 0}
MODELS = {
    "llama": ("Llama", DECODER | {"tie_word_embeddings": False}),
    "llama tied": ("Llama", DECODER | {"tie_word_embeddings": True}),
    "llama 320": ("Llama", DECODER | {"hidden_size": 320}),
    "qwen2": ("Qwen2", DECODER),
    "qwen3": ("Qwen3", DECODER | {"head_dim": 64}),
    "qwen2-moe": ("Qwen2Moe", DECODER | {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256,
                                         "shared_expert_intermediate_size": 256}),
    "gemma": ("Gemma", DECODER | {"head_dim": 64}),
    "mistral": ("Mistral", DECODER | {"head_dim": 64}),
    "phi": ("Phi", DECODER),
    "gpt2": ("GPT2", {"n_embd": 256, "n_layer": 1, "n_head": 4, "vocab_size": 512, "n_positions": 64, "bos_token_id": 1, "eos_token_id": 2}),
    "bart": ("Bart", PAIR | {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                             "encoder_ffn_dim": 512, "decoder_ffn_dim": 512, "max_position_embeddings": 64, "forced_eos_token_id": 2}),
    "t5": ("T5", PAIR | {"d_kv": 64, "d_ff": 512, "num_layers": 1, "num_heads": 4}),
    "mamba2": ("Mamba2", {"hidden_size": 256, "num_heads": 8, "head_dim": 64, "state_size": 32, "num_hidden_layers": 1, "vocab_size": 512,
                          "n_groups": 1, "chunk_size": 32, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}),
    "mixtral": ("Mixtral", DECODER | {"num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 64}),
    "llama4": ("Llama4", DECODER | {"head_dim": 64, "intermediate_size_mlp": 512, "num_local_experts": 4, "num_hidden_layers": 2,
                                    "interleave_moe_layer_step": 2}),
    "phi3": ("Phi3", DECODER),
    "gpt-neox": ("GPTNeoX", DECODER),
    "bloom": ("Bloom", {"hidden_size": 256, "n_layer": 1, "n_head": 4, "vocab_size": 512, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}),
    "biogpt": ("BioGpt", DECODER),
    "bert": ("BertForMaskedLM", DECODER),
    "whisper": ("WhisperForConditionalGeneration", PAIR | {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                                   "encoder_ffn_dim": 512, "decoder_ffn_dim": 512, "max_source_positions": 16, "max_target_positions": 64,
                                   "num_mel_bins": 8}),
    "gemma3": ("Gemma3ForConditionalGeneration", {"text_config": DECODER | {"head_dim": 64}, "vision_config": {"hidden_size": 64, "intermediate_size": 128,
               "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}, "mm_tokens_per_image": 4,
               "image_token_index": 511, "boi_token_index": 509, "eoi_token_index": 510}),
}
# Options, and how far a weight may be from what it was: root mean square over the tensor's own, of normal weights.
FORMATS = {
    "int4": ([], 0.16),
    "int4 32": (["--block", "32"], 0.12),
    "int4 rows": (["--block", "0"], 0.2),
    "int4 auto": (["--block", "auto"], 0.16),
    "int4 asymmetric": (["--asymmetric"], 0.16),
    "int8": (["--dtype", "int8"], 0.01),
    "int8 64": (["--dtype", "int8", "--block", "64"], 0.01),
    "int8 asymmetric": (["--dtype", "int8", "--asymmetric"], 0.01),
    "float8": (["--dtype", "float8_e4m3fn"], 0.035),
    "float8 128": (["--dtype", "float8_e4m3fn", "--block", "128"], 0.035),
    "mxfp4": (["--scale-rule", "mx_even"], 0.15),
    "mxfp8": (["--scale-rule", "mx_floor", "--dtype", "float8_e4m3fn"], 0.04),
    "nvfp4": (["--scale-rule", "nvfp4"], 0.12),
}
# How a model is opened.
READERS = {
    "compressed": dict,
    "dequantize": lambda: {"quantization_config": transformers.CompressedTensorsConfig(dequantize=True)},
}
# Faults of these readers, by model, format and reader: what is not here and fails, or is here and does not, fails the script.
EXPERTS = "experts of this format are not opened"
INITIALIZED = "packed layers are initialized by a weight that they have not"
FAULTS = {
    "gpt2 | *": "none: [in, out] matrices of Conv1D are not quantized",
} | {
    f"{model} | nvfp4 | *": "experts' global scales are left out: wrong values, without a word" for model in ("qwen2-moe", "mixtral")
} | {
    f"{model} | {label} | *": EXPERTS for model in ("qwen2-moe", "mixtral") for label in ("int4 asymmetric", "int8*", "float8 128", "mxfp8")
} | {
    f"{model} | {label} | compressed": INITIALIZED
    for model in ("t5", "mamba2", "gemma3") for label in ("int4*", "mxfp4", "nvfp4")
} | {
    f"{model} | int4 auto | dequantize": "several lengths of blocks are not opened" for model in ("llama 320", "gemma3")
} | {
    "* | int4 asymmetric | compressed": "packed zero points are not opened",
    "* | int8 asymmetric | compressed": "scales are rounded to the model's type",
}


class Wrong(Exception):
    """A reader opened a model, and it is not the one that was written."""


def class_of(name):
    """The model's class, of those that transformers has for text."""
    ends = ("", "ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
    return next(getattr(transformers, name + end) for end in ends if hasattr(transformers, name + end))


def make(name, folder):
    """Write a model of bfloat16 with random weights, and a tokenizer of some words."""
    kind, settings = MODELS[name]
    torch.manual_seed(1)
    model = class_of(kind)(class_of(kind).config_class(**settings)).eval()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.05)
    model.to(torch.bfloat16).save_pretrained(folder)
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0, "some": 3, "words": 4, "others": 5}, unk_token="?"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="?").save_pretrained(folder)
    return model


def record(path):
    """Write what a reader knows of each model before it opens one: the classes of its modules, and the tensors of its file."""
    lines = []
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            model = make(name, folder)
            config = json.loads(Path(folder, "config.json").read_text(encoding="utf-8"))
            config.pop("transformers_version")
            tensors = dict(sorted(load_file(Path(folder, "model.safetensors")).items()))
        modules = {}
        for key, module in model.named_modules():
            kind = "Linear" if isinstance(module, torch.nn.Linear) else type(module).__name__
            weight = getattr(module, "weight", None)
            if weight is not None:
                modules[key] = kind
            if kind == "Linear" and f"{key}.weight" not in tensors:  # files may call it by another name
                named = [name for name, value in tensors.items() if torch.equal(value, weight)]
                if sum(getattr(other, "weight", None) is weight for other in model.modules()) == 1:
                    modules[key] = [kind, named[0].removesuffix(".weight")]
        entry = {"config": config, "modules": modules, "tensors": {key: list(value.shape) for key, value in tensors.items()}}
        lines.append(f"{json.dumps(name)}:{json.dumps(entry, separators=(',', ':'))}")
    made_by = json.dumps(f"tests/lab/readers.py --record, of transformers {transformers.__version__}")
    Path(path).write_text("{\"made by\":" + made_by + ",\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def logits_of(model):
    """What the model says of sixteen words."""
    words = torch.arange(3, 19)[None]
    sound = torch.linspace(-1, 1, 256, dtype=torch.bfloat16).reshape(1, 8, 32)
    inputs = {model.main_input_name: sound if model.main_input_name == "input_features" else words}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = words + 20
    with torch.no_grad():
        return model(**inputs).logits


def expected(name, source, out, limit):
    """The logits of the model whose weights are OUT's, brought back by hand."""
    model = class_of(MODELS[name][0]).from_pretrained(source)
    weights, config = load_file(out / "model.safetensors"), json.loads((out / "config.json").read_text(encoding="utf-8"))
    given = load_file(source / "model.safetensors")
    before = split(given) if config["model_type"] == "llama4_text" else given
    undone = decoded(weights, config["quantization_config"])
    for key, weight in undone.items():
        error = (weight.float() - before[key].float()).norm() / before[key].float().norm()
        if weight.shape != before[key].shape or not error < limit:
            raise Wrong(f"{key}: its error by hand is {error:.3f}")
    stayed = {key: value for key, value in before.items() if key not in undone}
    for key, value in stayed.items():
        if not torch.equal(value.view(torch.int16), weights[key].view(torch.int16)):
            raise Wrong(f"{key}: it was to stay as it was")
    model = type(model).from_pretrained(None, config=model.config, state_dict=joined(stayed | undone, given), dtype=torch.bfloat16)
    return logits_of(model)


def opened(name, out, **options):
    """The logits of OUT as its reader has it."""
    model, info = class_of(MODELS[name][0]).from_pretrained(out, output_loading_info=True, **options)
    for kind, keys in info.items():
        if keys:
            raise Wrong(f"{kind}: {sorted(map(str, keys))[:3]}")
    return logits_of(model)


def verdict_of(open_it, right):
    """None, or what a reader makes of a model instead of the right logits."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # bars of progress
            found = open_it()
        if not torch.equal(found, right):
            raise Wrong(f"its logits differ by {(found - right).abs().max() / right.abs().max():.2g} of the largest")
    except Exception as error:  # whatever a reader does with a file is its verdict
        return f"{type(error).__name__}: {(str(error).strip() or '-').splitlines()[0][:200]}"
    return None


def attempt(clquant, name, source, out, options, limit):
    """Each reader's verdict of a model in a format. None is right; clquant's own is for all of them."""
    command = [clquant, "quantize_model", source, "-o", out, *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        return dict.fromkeys(READERS, result.stderr.strip())
    try:
        right = expected(name, source, out, limit)
    except Wrong as error:
        return dict.fromkeys(READERS, f"by hand: {error}")
    return {reader: verdict_of(lambda given=given: opened(name, out, **given()), right) for reader, given in READERS.items()}


def reads_tokenizer(source, out):
    """The tokenizer of OUT is the model's."""
    with contextlib.redirect_stderr(io.StringIO()):
        one, other = (transformers.AutoTokenizer.from_pretrained(folder) for folder in (source, out))
    text = "some words, and others"
    return one(text)["input_ids"] == other(text)["input_ids"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clquant")
    parser.add_argument("--only", default="")
    parser.add_argument("--record")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.record:
        record(arguments.record)
        return 0
    print(f"transformers {transformers.__version__}, compressed-tensors {compressed_tensors.__version__}, torch {torch.__version__}")
    reasons, unexpected = {}, 0
    with contextlib.ExitStack() as stack:
        root = Path(arguments.keep or stack.enter_context(tempfile.TemporaryDirectory()))
        for name in MODELS:
            chosen = [label for label in FORMATS if all(word in f"{name} {label}" for word in arguments.only.split())]
            source = root / name.replace(" ", "-")
            for label in chosen:
                if label == chosen[0]:
                    make(name, source)
                out = root / f"{name} in {label}".replace(" ", "-")
                verdicts = attempt(arguments.clquant, name, source, out, *FORMATS[label])
                if out.exists() and not reads_tokenizer(source, out):  # it is not, of a model without a matrix to quantize
                    verdicts["AutoTokenizer"] = "another tokenizer"
                for reader, verdict in verdicts.items():
                    case = f"{name} | {label} | {reader}"
                    known = next((why for pattern, why in FAULTS.items() if fnmatch.fnmatch(case, pattern)), None)
                    unexpected += (verdict is None) != (known is None)
                    print(f"{case:48} {'ok' if verdict is None else known or 'FAILED'}", flush=True)
                    if verdict:
                        reasons.setdefault(verdict, []).append(case)
    for reason, cases in reasons.items():
        print(f"\n{reason}\n    " + "\n    ".join(cases))
    print(f"\n{unexpected} verdicts are not the expected ones")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
