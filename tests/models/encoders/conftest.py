"""A tiny encoder in a folder, as one that somebody else made: two layers of width 32 with random weights."""

import pytest
import torch
from tests.models.battery import TEXTS
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    words = sorted({word for text in TEXTS for word in text.split()})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        BertModel(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def tuned(tiny):
    """Makes a fast fine-tuned encoder; settings may be changed."""
    from comoderate.models import Encoder

    fast = {"backbone": tiny, "epochs": 4, "batch_size": 8, "learning_rate": 3e-3, "validation_share": 0.0}
    fast |= {"random_features": 128}
    return lambda **settings: Encoder(**{**fast, **settings})
