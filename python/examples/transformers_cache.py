# SPDX-License-Identifier: Apache-2.0
"""A transformers Cache whose keys and values are int8 or int4: quantized as they come, and brought back for attention."""

import sys

try:
    import torch
    from transformers import Cache, DynamicCache, LlamaConfig, LlamaForCausalLM
    from transformers.cache_utils import CacheLayerMixin
except ImportError as error:
    print(f"skipped: {error} (pip install torch transformers, of which this needs 5.24)")
    sys.exit(77)

import clquant


class Side:
    """The keys or the values of a layer, [batch, head, token, dim], with a scale and an offset for each token and head."""

    def __init__(self, dtype, like, tokens):
        batches, heads, _, dim = like.shape
        self.dtype = dtype
        self.kind = like.dtype
        self.held = torch.zeros(batches, heads, tokens, dim if dtype == "int8" else dim // 2).to(
            torch.int8 if dtype == "int8" else torch.uint8
        )
        self.scales, self.offsets = torch.zeros(batches, heads, tokens), torch.zeros(batches, heads, tokens)

    def write(self, start, rows):
        """Quantize rows, and write them behind those that are there."""
        cache, starts = clquant.view(self.held, self.dtype), [start] * rows.shape[0]
        clquant.dynamic_quantize_scatter(cache, self.scales, self.offsets, starts, rows, axis=2)

    def read(self, length):
        """Bring the first tokens back."""
        quants = clquant.view(self.held[:, :, :length], self.dtype)
        scales, offsets = self.scales[:, :, :length], self.offsets[:, :, :length]
        return clquant.dequantize(quants, scales, offsets=offsets, mode="dynamic", dtype=self.kind)

    def reorder(self, order):
        """Take other batches, as a beam search does."""
        self.held, self.scales, self.offsets = self.held[order], self.scales[order], self.offsets[order]


class QuantizedLayer(CacheLayerMixin):
    """One layer of the cache, with room for so many tokens."""

    is_sliding = False

    def __init__(self, dtype, tokens):
        super().__init__()
        self.dtype, self.tokens, self.length = dtype, tokens, 0

    def lazy_initialization(self, key_states, value_states):
        """Make room, once shapes are known."""
        self.keys, self.values = (Side(self.dtype, states, self.tokens) for states in (key_states, value_states))
        self.is_initialized = True

    def update(self, key_states, value_states, *args, **kwargs):
        """Write what is new, and return all that attention looks at."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        if self.length + key_states.shape[2] > self.tokens:
            raise ValueError(f"the cache has room for {self.tokens} tokens, of which {self.length} are taken")
        self.keys.write(self.length, key_states)
        self.values.write(self.length, value_states)
        self.length += key_states.shape[2]
        return self.keys.read(self.length), self.values.read(self.length)

    def get_mask_sizes(self, query_length):
        """Return how many keys attention sees, and where they begin."""
        return self.length + query_length, 0

    def get_seq_length(self):
        """Return how many tokens are there."""
        return self.length

    def get_max_length(self):
        """Return for how many tokens there is room."""
        return self.tokens

    def reset(self):
        """Forget all tokens."""
        self.length = 0

    def reorder_cache(self, beam_idx):
        """Take other batches."""
        self.keys.reorder(beam_idx)
        self.values.reorder(beam_idx)


class QuantizedCache(Cache):
    """A cache of quantized layers: ``model.generate(…, cache=QuantizedCache(model.config, "int8", tokens=512))``."""

    def __init__(self, config, dtype, tokens):
        super().__init__(layers=[QuantizedLayer(dtype, tokens) for _ in range(config.num_hidden_layers)])


@torch.no_grad()
def logits_of(model, tokens, prompt, cache):
    """Give the model a prompt, and then token after token, and return what it says of each."""
    said = [model(tokens[:, :prompt], cache=cache, use_cache=True).logits[:, -1]]
    for at in range(prompt, tokens.shape[1]):
        said.append(model(tokens[:, at : at + 1], cache=cache, use_cache=True).logits[:, -1])
    return torch.stack(said, 1)


def main():
    """Compare a small model's logits with a float cache, and let it generate with the quantized one."""
    torch.manual_seed(20)
    config = LlamaConfig(
        vocab_size=256,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.1,
    )
    model = LlamaForCausalLM(config).eval()
    tokens = torch.randint(0, 256, (2, 40))
    right, good = logits_of(model, tokens, 8, DynamicCache(config=config)), True
    for dtype, most in (("int8", 0.02), ("int4", 0.3)):
        made = logits_of(model, tokens, 8, QuantizedCache(config, dtype, tokens=64))
        error = ((made - right).norm() / right.norm()).item()
        text = model.generate(
            tokens[:, :8],
            attention_mask=torch.ones(2, 8, dtype=torch.long),
            cache=QuantizedCache(config, dtype, tokens=64),
            max_new_tokens=16,
            do_sample=False,
            pad_token_id=0,
        )
        print(f"{dtype}: error of the logits {100 * error:.2f} %, {text.shape[1] - 8} tokens generated")
        good &= 0 < error < most and text.shape == (2, 24)
    return 0 if good else 1


sys.exit(main())
