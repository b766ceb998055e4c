"""Decoders of published families in float64, written from the papers and the definitions of transformers.

Shares no code with the product. `Weights` makes each tensor from its name, so that no weights are stored.
"""

import math

import numpy as np


class Weights:
    """Makes tensors from their names; `made` has the shape of each and the value around which its values lie."""

    def __init__(self):
        self.made = {}

    def __call__(self, name, *shape, centre=0):
        self.made[name] = (shape, centre)
        return centre + numbers(name, math.prod(shape)).reshape(shape)


def numbers(name, count):
    """Returns `count` multiples of 1/512 from -1/4 to below 1/4, by a hash of the name and the index."""
    seed = 2166136261
    for byte in name.encode():
        seed = ((seed ^ byte) * 16777619) % 2**32
    x = (np.arange(count, dtype=np.uint64) * 0x9E3779B9 + seed) % 2**32
    for shift, factor in ((16, 0x21F0AAAD), (15, 0x735A2D97)):
        x = ((x ^ (x >> np.uint64(shift))) * np.uint64(factor)) % 2**32
    x = x ^ (x >> np.uint64(15))
    return ((x >> np.uint64(24)).astype(np.float64) - 128) / 512


def rms(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def frequencies(rope, width, config):
    """Returns the angle per position of each pair of dimensions, and the factor of the rotated values."""
    theta = rope.get("rope_theta", config.get("rope_theta", 10000.0))
    kind = rope.get("rope_type", rope.get("type", "default"))
    pairs = np.arange(0, width, 2) / width
    base = theta**-pairs
    if kind == "default":
        return base, 1.0
    factor = rope.get("factor", 1.0)
    if kind == "linear":
        return base / factor, 1.0
    original = rope.get("original_max_position_embeddings", config.get("max_position_embeddings"))
    if kind == "llama3":
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        turns = original * base / (2 * math.pi)
        smooth = np.clip((turns - low) / (high - low), 0, 1)
        return (1 - smooth) * base / factor + smooth * base, 1.0
    if kind == "yarn":
        fast, slow = rope.get("beta_fast", 32), rope.get("beta_slow", 1)
        pair_of = lambda turns: width * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(theta))
        first, last = max(math.floor(pair_of(fast)), 0), min(math.ceil(pair_of(slow)), width - 1)
        last = last + 0.001 if first == last else last
        ramp = np.clip((np.arange(width // 2) - first) / (last - first), 0, 1)
        scale = lambda mscale: 1.0 if factor <= 1 else 0.1 * mscale * math.log(factor) + 1
        mscale, mscale_all = rope.get("mscale"), rope.get("mscale_all_dim")
        default = scale(mscale) / scale(mscale_all) if mscale and mscale_all else scale(1)
        return base * (1 - ramp) + base / factor * ramp, rope.get("attention_factor") or default
    assert kind == "proportional", f"unknown rope_type {kind}"
    turning = int(rope.get("partial_rotary_factor", 1.0) * width // 2)
    return np.where(np.arange(width // 2) < turning, base / factor, 0), 1.0


def rotate(x, rope, config):
    """Rotates the first dimensions of [heads, rows, width]; the config's partial factor is their share."""
    part = rope.get("partial_rotary_factor", config.get("partial_rotary_factor", 1.0))
    kind = rope.get("rope_type", rope.get("type", "default"))
    width = x.shape[-1] if kind == "proportional" else int(x.shape[-1] * part)
    angles, scale = frequencies(rope, width, config)
    angles = np.arange(x.shape[1])[:, None] * angles
    cos, sin = np.cos(angles) * scale, np.sin(angles) * scale
    first, second = x[..., : width // 2], x[..., width // 2 : width]
    turned = [first * cos - second * sin, second * cos + first * sin, x[..., width:]]
    return np.concatenate(turned, -1)


def attend(q, k, v, scale, window=None, cap=None):
    """Returns the causal attention of queries [heads, rows, width] over fewer key heads, [rows, heads * width]."""
    groups = q.shape[0] // k.shape[0]
    k, v = np.repeat(k, groups, 0), np.repeat(v, groups, 0)
    scores = q @ k.transpose(0, 2, 1) * scale
    if cap:
        scores = cap * np.tanh(scores / cap)
    rows = np.arange(q.shape[1])
    distance = rows[:, None] - rows[None, :]
    visible = (distance >= 0) & (distance < window if window else True)
    mixed = softmax(np.where(visible, scores, -np.inf)) @ v
    return mixed.transpose(1, 0, 2).reshape(q.shape[1], -1)


def heads_of(x, count):
    """Splits [rows, count * width] into [count, rows, width]."""
    return x.reshape(x.shape[0], count, -1).transpose(1, 0, 2)


class Decoder:
    """A decoder by its config. Subclasses override the parts in which their families differ.

    `at` is the prefix of the names of a module's tensors.
    """

    norm_centre = 1  # value around which stored norm weights lie
    norm_offset = 0  # added to stored norm weights
    head_norms = False  # norms of each query and key head
    sandwich = False  # norms also after attention and after the MLP
    activation = staticmethod(silu)
    biases = ""  # linear layers with a bias: q, k, v and o projections, and m for the MLP
    usual_head_dim = None  # width of heads if the config has none; None for hidden / heads

    def __init__(self, config, root, head):
        self.outer = config
        self.config = config.get("text_config", config)
        self.root, self.head_name = root, head
        self.weights = Weights()
        self.hidden = self.config["hidden_size"]
        self.layers = self.config["num_hidden_layers"]
        self.eps = self.config.get("rms_norm_eps", 1e-6)
        self.heads = self.config.get("num_attention_heads", 8)
        self.key_heads = self.config.get("num_key_value_heads") or self.heads
        self.width = self.config.get("head_dim") or self.usual_head_dim or self.hidden // self.heads

    def norm(self, x, name, size=None):
        weight = self.weights(name + ".weight", size or x.shape[-1], centre=self.norm_centre)
        return rms(x, weight + self.norm_offset, self.eps)

    def linear(self, x, name, size, bias=False):
        y = x @ self.weights(name + ".weight", size, x.shape[-1]).T
        return y + self.weights(name + ".bias", size) if bias else y

    def kind(self, layer):
        types = self.config.get("layer_types")
        return types[layer] if types else "full_attention"

    def rope(self, layer):
        rope = self.config.get("rope_parameters") or self.config.get("rope_scaling") or {}
        return rope.get(self.kind(layer), rope) or {}

    def window(self, layer):
        return self.config["sliding_window"] if self.kind(layer) == "sliding_attention" else None

    def scale(self):
        return self.width**-0.5

    def tied(self):
        return self.config.get("tie_word_embeddings", self.outer.get("tie_word_embeddings", False))

    def embedding_scale(self):
        return 1.0

    def attention(self, x, at, layer):
        q = heads_of(self.linear(x, at + ".q_proj", self.heads * self.width, "q" in self.biases), self.heads)
        k = heads_of(self.linear(x, at + ".k_proj", self.key_heads * self.width, "k" in self.biases), self.key_heads)
        v = heads_of(self.linear(x, at + ".v_proj", self.key_heads * self.width, "v" in self.biases), self.key_heads)
        if self.head_norms:
            q, k = self.norm(q, at + ".q_norm"), self.norm(k, at + ".k_norm")
        q, k = [rotate(part, self.rope(layer), self.config) for part in (q, k)]
        q = q * self.query_scale(x.shape[0])
        mixed = attend(q, k, v, self.scale(), self.window(layer), self.config.get("attn_logit_softcapping"))
        return self.linear(mixed, at + ".o_proj", self.hidden, "o" in self.biases)

    def query_scale(self, rows):
        return 1.0

    def mlp(self, x, at, size=None, bias=False):
        size = size or self.config["intermediate_size"]
        gate = self.activation(self.linear(x, at + ".gate_proj", size, bias))
        return self.linear(gate * self.linear(x, at + ".up_proj", size, bias), at + ".down_proj", self.hidden, bias)

    def feed_forward(self, x, at, layer):
        return self.mlp(x, at, bias="m" in self.biases)

    def mixer(self, x, at, layer):
        return self.attention(x, at + ".self_attn", layer)

    def layer(self, h, layer):
        at = f"{self.root}.layers.{layer}"
        mixed = self.mixer(self.norm(h, at + ".input_layernorm"), at, layer)
        if not self.sandwich:
            h = h + mixed
            return h + self.feed_forward(self.norm(h, at + ".post_attention_layernorm"), at + ".mlp", layer)
        h = h + self.norm(mixed, at + ".post_attention_layernorm")
        fed = self.feed_forward(self.norm(h, at + ".pre_feedforward_layernorm"), at + ".mlp", layer)
        return h + self.norm(fed, at + ".post_feedforward_layernorm")

    def log_probabilities(self, ids):
        """Returns the log-probability of every token as the next one after `ids`."""
        vocabulary = self.config["vocab_size"]
        table = self.weights(f"{self.root}.embed_tokens.weight", vocabulary, self.hidden)
        h = table[ids] * self.embedding_scale()
        for layer in range(self.layers):
            h = self.layer(h, layer)
        h = self.norm(h, f"{self.root}.norm")
        head = table if self.tied() else self.weights(f"{self.head_name}.weight", vocabulary, self.hidden)
        logits = h[-1] @ head.T
        cap = self.config.get("final_logit_softcapping")
        if cap:
            logits = cap * np.tanh(logits / cap)
        return np.log(softmax(logits))


class Llama(Decoder):
    def __init__(self, *args):
        super().__init__(*args)
        config = self.config
        self.biases = ("qkvo" if config.get("attention_bias") else "") + ("m" if config.get("mlp_bias") else "")


class Mistral(Decoder):
    def window(self, layer):
        return self.config.get("sliding_window", None)

    def query_scale(self, rows):
        rope = self.config.get("rope_parameters") or {}
        beta = rope.get("llama_4_scaling_beta")
        if not beta:
            return 1.0
        turns = np.arange(rows) // rope["original_max_position_embeddings"]
        return (1 + beta * np.log(1 + turns))[None, :, None]


class Qwen2(Decoder):
    biases = "qkv"


class Experts(Decoder):
    """Experts instead of MLPs, except in layers that the config excludes."""

    norm_topk = False

    def is_sparse(self, layer):
        config = self.config
        step = config.get("decoder_sparse_step", 1)
        return layer not in (config.get("mlp_only_layers") or []) and (layer + 1) % step == 0

    def feed_forward(self, x, at, layer):
        if not self.config.get("num_experts") or not self.is_sparse(layer):
            return super().feed_forward(x, at, layer)
        config = self.config
        count, best = config["num_experts"], config["num_experts_per_tok"]
        shares = softmax(self.linear(x, at + ".gate", count))
        chosen = np.argsort(-shares, -1, kind="stable")[:, :best]
        kept = np.zeros_like(shares)
        np.put_along_axis(kept, chosen, np.take_along_axis(shares, chosen, -1), -1)
        if config.get("norm_topk_prob", self.norm_topk):
            kept = kept / kept.sum(-1, keepdims=True)
        size = config["moe_intermediate_size"]
        mixed = sum(kept[:, e : e + 1] * self.mlp(x, f"{at}.experts.{e}", size) for e in range(count))
        shared = config.get("shared_expert_intermediate_size")
        if not shared:
            return mixed
        gate = sigmoid(self.linear(x, at + ".shared_expert_gate", 1))
        return mixed + gate * self.mlp(x, at + ".shared_expert", shared)


class Qwen3(Experts):
    head_norms = True
    usual_head_dim = 128


class Mellum(Qwen3):
    norm_topk = True

    def is_sparse(self, layer):
        types = self.config.get("mlp_layer_types")
        return not types or types[layer] == "sparse"


class Hybrid(Qwen3):
    """Qwen3-Next and Qwen3.5: three of four layers have a gated delta rule, the others a gate on attention."""

    norm_centre = 0
    norm_offset = 1
    norm_topk = True

    def kind(self, layer):
        interval = self.config.get("full_attention_interval", 4)
        usual = "full_attention" if (layer + 1) % interval == 0 else "linear_attention"
        return (self.config.get("layer_types") or {layer: usual})[layer]

    def mixer(self, x, at, layer):
        if self.kind(layer) == "full_attention":
            return self.gated_attention(x, at + ".self_attn", layer)
        return self.delta_rule(x, at + ".linear_attn")

    def gated_attention(self, x, at, layer):
        queries_and_gates = self.linear(x, at + ".q_proj", 2 * self.heads * self.width)
        queries_and_gates = queries_and_gates.reshape(x.shape[0], self.heads, -1)
        q = queries_and_gates[..., : self.width].transpose(1, 0, 2)
        gate = queries_and_gates[..., self.width :].reshape(x.shape[0], -1)
        k = heads_of(self.linear(x, at + ".k_proj", self.key_heads * self.width), self.key_heads)
        v = heads_of(self.linear(x, at + ".v_proj", self.key_heads * self.width), self.key_heads)
        q, k = self.norm(q, at + ".q_norm"), self.norm(k, at + ".k_norm")
        q, k = [rotate(part, self.rope(layer), self.config) for part in (q, k)]
        return self.linear(attend(q, k, v, self.scale()) * sigmoid(gate), at + ".o_proj", self.hidden)

    def inputs(self, x, at, sizes):
        """Returns queries, keys and values together, the output gate z, and b and a, which give beta and decay."""
        keys, values, key_width, value_width = sizes
        widths = (2 * keys * key_width + values * value_width, values * value_width, values, values)
        names = (".in_proj_qkv", ".in_proj_z", ".in_proj_b", ".in_proj_a")
        qkv, z, b, a = [self.linear(x, at + name, width) for name, width in zip(names, widths)]
        return qkv, z, b, a

    def delta_rule(self, x, at):
        config = self.config
        names = ("num_key_heads", "num_value_heads", "key_head_dim", "value_head_dim")
        keys, values, key_width, value_width = sizes = [config["linear_" + name] for name in names]
        qkv, z, b, a = self.inputs(x, at, sizes)
        taps = config["linear_conv_kernel_dim"]
        kernel = self.weights(at + ".conv1d.weight", qkv.shape[1], 1, taps)[:, 0]
        padded = np.concatenate([np.zeros((taps - 1, qkv.shape[1])), qkv])
        qkv = silu(sum(padded[t : t + len(x)] * kernel[:, t] for t in range(taps)))
        q, k, v = np.split(qkv, [keys * key_width, 2 * keys * key_width], 1)
        unit = lambda y: y / np.sqrt((y * y).sum(-1, keepdims=True) + 1e-6)
        per_value_head = lambda y: np.repeat(unit(y.reshape(len(x), keys, key_width)), values // keys, 1)
        q, k, v = per_value_head(q) * key_width**-0.5, per_value_head(k), v.reshape(len(x), values, value_width)
        decay_rate = np.exp(self.weights(at + ".A_log", values))
        decay = np.exp(-decay_rate * np.log1p(np.exp(a + self.weights(at + ".dt_bias", values, centre=1))))
        beta = sigmoid(b)
        state, out = np.zeros((values, key_width, value_width)), []
        for row in range(len(x)):
            state = state * decay[row][:, None, None]
            predicted = np.einsum("hkv,hk->hv", state, k[row])
            change = (v[row] - predicted) * beta[row][:, None]
            state = state + k[row][:, :, None] * change[:, None, :]
            out.append(np.einsum("hkv,hk->hv", state, q[row]))
        weight = self.weights(at + ".norm.weight", value_width, centre=1)
        mixed = rms(np.array(out), weight, self.eps) * silu(z.reshape(len(x), values, value_width))
        return self.linear(mixed.reshape(len(x), -1), at + ".out_proj", self.hidden)


class Qwen3Next(Hybrid):
    """Qwen3-Next stores the inputs of the delta rule interleaved by key head."""

    def inputs(self, x, at, sizes):
        keys, values, key_width, value_width = sizes
        values_per_key = values // keys
        parts = self.linear(x, at + ".in_proj_qkvz", keys * (2 * key_width + 2 * values_per_key * value_width))
        parts = parts.reshape(len(x), keys, -1)
        cuts = np.cumsum([key_width, key_width, values_per_key * value_width])
        q, k, v, z = [part.reshape(len(x), -1) for part in np.split(parts, cuts, 2)]
        ba = self.linear(x, at + ".in_proj_ba", 2 * values).reshape(len(x), keys, -1)
        b, a = [part.reshape(len(x), -1) for part in np.split(ba, [values_per_key], 2)]
        return np.concatenate([q, k, v], 1), z, b, a


class Gemma(Decoder):
    norm_centre = 0
    norm_offset = 1
    activation = staticmethod(gelu)
    usual_head_dim = 256

    def embedding_scale(self):
        return math.sqrt(self.hidden)

    def tied(self):
        return self.config.get("tie_word_embeddings", True)


class Gemma2(Gemma):
    sandwich = True

    def kind(self, layer):
        types = self.config.get("layer_types")
        return types[layer] if types else ("full_attention" if layer % 2 else "sliding_attention")

    def scale(self):
        return self.config.get("query_pre_attn_scalar", 256) ** -0.5


class Gemma3(Gemma2):
    head_norms = True

    def kind(self, layer):
        interval = self.config.get("sliding_window_pattern") or self.config.get("_sliding_window_pattern") or 6
        usual = "full_attention" if (layer + 1) % interval == 0 else "sliding_attention"
        return (self.config.get("layer_types") or {layer: usual})[layer]

    def rope(self, layer):
        if "rope_parameters" in self.config:
            return super().rope(layer)
        if self.kind(layer) == "sliding_attention":
            return {"rope_theta": self.config.get("rope_local_base_freq", 10000.0)}
        return {"rope_theta": self.config.get("rope_theta", 1e6), **(self.config.get("rope_scaling") or {})}


class Gemma4(Gemma):
    """Gemma 4 without experts: full-attention layers have heads of another width, and can use keys as values."""

    norm_centre = 1
    norm_offset = 0
    sandwich = True

    def attention(self, x, at, layer):
        config, full = self.config, self.kind(layer) == "full_attention"
        width = config["global_head_dim"] if full else self.width
        keys_are_values = full and config.get("attention_k_eq_v", False)
        key_heads = config["num_global_key_value_heads"] if keys_are_values else self.key_heads
        q = heads_of(self.linear(x, at + ".q_proj", self.heads * width), self.heads)
        k = heads_of(self.linear(x, at + ".k_proj", key_heads * width), key_heads)
        v = k if keys_are_values else heads_of(self.linear(x, at + ".v_proj", key_heads * width), key_heads)
        q, k = self.norm(q, at + ".q_norm"), self.norm(k, at + ".k_norm")
        q, k = [rotate(part, self.rope(layer), self.config) for part in (q, k)]
        mixed = attend(q, k, rms(v, 1.0, self.eps), 1.0, self.window(layer))
        return self.linear(mixed, at + ".o_proj", self.hidden)

    def layer(self, h, layer):
        scalar = self.weights(f"{self.root}.layers.{layer}.layer_scalar", 1, centre=1)
        return super().layer(h, layer) * scalar


FAMILIES = {
    "gemma": Gemma,
    "gemma2": Gemma2,
    "gemma3": Gemma3,
    "gemma3_text": Gemma3,
    "gemma4": Gemma4,
    "gemma4_unified": Gemma4,
    "mellum": Mellum,
    "ministral3": Mistral,
    "mistral": Mistral,
    "mistral3": Mistral,
    "qwen2": Qwen2,
    "qwen3": Qwen3,
    "qwen3_5": Hybrid,
    "qwen3_5_moe": Hybrid,
    "qwen3_moe": Qwen3,
    "qwen3_next": Qwen3Next,
}


def decoder(config, root="model", head="lm_head"):
    """Returns the decoder of a config. Unknown types are computed like Llama."""
    return FAMILIES.get(config["model_type"], Llama)(config, root, head)
