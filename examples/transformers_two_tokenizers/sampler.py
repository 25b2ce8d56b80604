"""`generate` with an assistant that has a tokenizer of its own, whose vocabulary comes in an order.

The order in which `get_vocab` lists the tokens is nobody's promise: it is that of a hash table.
"""

from fractions import Fraction

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from specdec_verification.results import Labels
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.transformers_generate import generation
from specdec_verification.subjects.transformers_models import tiny_llama
from specdec_verification.subjects.two_laws import Emissions, check_same_law


def compare(descending):
    """Return the verdict, with the assistant's vocabulary listed by ascending or descending id."""
    model, assistant = tiny_llama(4, seed=0), tiny_llama(5, seed=1)
    tokenizers = tokenizer("uabc", False), tokenizer("uabcd", descending)
    names = ("tokenizer", "assistant_tokenizer")
    options = {"assistant_model": assistant, **dict(zip(names, tokenizers, strict=True))}
    emit = generation(model, (1, 2), 2, options)
    emit()  # builds what translates between the vocabularies, once for all runs
    labels = Labels("generate", "lossless", f"descending={descending}", "V=4", "compare(...)")
    alone, single = generation(model, (1, 2), 2, {}), Execution(epsilon=Fraction(1, 1 << 23))
    return check_same_law(emit, alone, Emissions(vocab_size=4, length=2), labels, single)


def tokenizer(words, descending):
    """Return a tokenizer of one-letter words, the first of which stands for the unknown."""
    core = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, words[0]))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made = PreTrainedTokenizerFast(tokenizer_object=core, unk_token=words[0], pad_token=words[0])
    vocabulary = dict(
        sorted(core.get_vocab().items(), key=lambda item: item[1], reverse=descending)
    )
    made.get_vocab = lambda: vocabulary
    return made
