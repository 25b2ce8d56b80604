"""Tiny networks of transformers with random weights: what `generate` is audited on.

They are real ones, with caches and attention, and small enough that thousands of runs take
seconds.  Nothing is loaded: no hub, no checkpoint.
"""

import torch
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.utils import logging

from specdec_verification.subjects.curves import Item

WIDTH = 8
"""Of every layer."""

_POSITIONS = 32
_SPREAD = 0.6  # of the weights: rows far from uniform, and from certain


def tiny_llama(vocab_size: int, seed: int, layers: int = 1) -> Item:
    """Return a causal language model with random weights.

    Parameters
    ----------
    vocab_size : int
    seed : int
        Of its weights; models of different seeds differ.
    layers : int
        At least two, to draft from an early exit.
    """
    config = LlamaConfig(
        vocab_size=vocab_size,
        num_hidden_layers=layers,
        hidden_size=WIDTH,
        intermediate_size=WIDTH,
        num_attention_heads=1,
        num_key_value_heads=1,
        max_position_embeddings=_POSITIONS,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    return _with_random_weights(LlamaForCausalLM, config, seed)


def tiny_block_drafter(vocab_size: int, seed: int, block_size: int = 3) -> Item:
    """Return a drafter of whole blocks (``speculation_type="dflash"``) for `tiny_llama`."""
    from transformers.models.muse_glimmer_assistant import (
        MuseGlimmerAssistantConfig,
        MuseGlimmerAssistantModel,
    )

    config = MuseGlimmerAssistantConfig(
        num_hidden_layers=1,
        hidden_size=WIDTH,
        intermediate_size=WIDTH,
        num_attention_heads=1,
        num_key_value_heads=1,
        head_dim=WIDTH,
        block_size=block_size,
        mask_token_id=vocab_size - 1,
        target_layer_ids=[0],
        layer_types=["full_attention"],
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
        max_position_embeddings=_POSITIONS,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    return _with_random_weights(MuseGlimmerAssistantModel, config, seed)


def _with_random_weights(kind: Item, config: Item, seed: int) -> Item:
    """Return a model whose rows depend on the context."""
    logging.set_verbosity_error()
    model = kind(config).eval().requires_grad_(False)
    generator = torch.Generator().manual_seed(seed)
    for weights in model.parameters():
        weights.normal_(std=_SPREAD, generator=generator)
    return model
