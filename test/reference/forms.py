"""Computes log-probabilities of published forms with the reference decoders, and compares them with the stored ones.

With `--write`, stores them instead. A form is a published config with tiny sizes. Each entry has the last row's
log-probabilities, and the tensors by name, with "#" for each layer and "*" for each expert: their shapes and, after
"+", the values around which they lie. A tensor that only some layers have is followed by the numbers of these layers.
"""

import json
import pathlib
import re
import sys

import numpy as np

from decoders import decoder

HERE = pathlib.Path(__file__).parent
FORMS = HERE / "../fixtures/forms/configs.json"
STORED = HERE / "../fixtures/forms/logProbabilities.json"
PROMPT_IDS = [7, 3, 80, 41, 5, 66, 12, 12, 90, 31, 2, 58, 7, 3, 80, 44, 21, 9, 63, 70]
TOLERANCE = 2e-6

# Names of the decoder and of its output head in repositories of models that also read images.
ROOTS = {
    "gemma3": ("language_model.model", "language_model.lm_head"),
    "mistral3": ("language_model.model", "language_model.lm_head"),
    "gemma4_unified": ("model.language_model", "lm_head"),
    "qwen3_5": ("model.language_model", "lm_head"),
    "qwen3_5_moe": ("model.language_model", "lm_head"),
}


def result(config):
    """Returns the entry of a form."""
    model = decoder(config, *ROOTS.get(config["model_type"], ("model", "lm_head")))
    log_probabilities = model.log_probabilities(PROMPT_IDS)
    tensors = {}
    for name, (shape, centre) in model.weights.made.items():
        pattern = re.sub(r"\.experts\.\d+\.", ".experts.*.", re.sub(r"\.layers\.\d+\.", ".layers.#.", name))
        layer = re.search(r"\.layers\.(\d+)\.", name)
        text = "x".join(map(str, shape)) + (f"+{centre}" if centre else "")
        tensors.setdefault(pattern, {}).setdefault(text, set()).add(int(layer[1]) if layer else -1)
    all_layers = set(range(model.layers))
    listed = {
        f"{pattern} {','.join(map(str, sorted(layers)))}".removesuffix(" -1") if layers != all_layers else pattern: text
        for pattern, by_text in tensors.items()
        for text, layers in by_text.items()
    }
    return {"tensors": listed, "logProbabilities": [round(float(value), 6) for value in log_probabilities]}


def main():
    results = {name: result(config) for name, config in json.loads(FORMS.read_text()).items()}
    if "--write" in sys.argv:
        lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in results.items()]
        STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return
    stored = json.loads(STORED.read_text())
    assert stored.keys() == results.keys(), "the stored forms differ from configs.json; run with --write"
    for name, entry in results.items():
        assert stored[name]["tensors"] == entry["tensors"], f"{name}: the tensors are not the stored ones"
        difference = np.abs(np.subtract(stored[name]["logProbabilities"], entry["logProbabilities"])).max()
        assert difference <= TOLERANCE, f"{name}: a log-probability differs by {difference}"
    print(f"{len(results)} forms")


if __name__ == "__main__":
    main()
