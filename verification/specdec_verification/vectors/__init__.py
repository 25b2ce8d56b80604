"""Test vectors: uniforms and the tokens they lead to, as files that any language can read."""
