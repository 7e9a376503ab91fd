"""Makes the models of the tests, with vocabularies of our own, and what Python's model2vec answers with them.

  pip install model2vec==0.10.0 tokenizers==0.23.3 && python make.py      (in this folder)
"""
import json
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

WORDS = """the a and of to in is that it was for on as with his her at by from they we she he not are this have an be
river boat oak beam roof house garden rain winter repair saw chisel joint glue nail rope sail tide harbour lamp letter
choir alto song bread fish soup friend sister brother mother father work offer school tower bridge bike train 日 本 語
münchen mun cafe naive uber i o u b c d e f g h j k l m n p q r s t v w x y z 1 2 3 4 5 6 7 8 9 0 . , ! ? - ' ( ) # @""".split()
ENDS = "ing ed er s es ly ness able tion chen e n t i o u a r d c l m f b p 1 2 0".split()
TEXTS = [
    "The boat is on the river.", "the boat is on the river", "She sang alto in the choir, and he was at work!",
    "repairing the repaired roofs", "München, CAFÉ; naïve über", "mu\u0308nchen", "日本語の本", "", "   \t\n", "🙂🙂", "zzzz qqq",
    "x" * 101, "x" * 100, "[CLS] boat [UNK] [PAD]", "the oak  beam of New York", "(rope) #sail @tide it's 2-3", "a\u0000b\u200bc\ufffdd",
    "İstanbul ΣΑΣ ﬁsh", "boat " * 600, "rain\u00a0on\u3000the\u2028roof", "harbour-lamp letter\r\nletter", "unknownword boat",
    "New\u00a0York", "cafe\u0301s, \u0130n İn", "boat riverboat boats", "tower  bridge towers quay", "a sailing  sail", "rain\u0007rain",
]


def tokenizer(odd=False):
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + list(dict.fromkeys(WORDS)) + ["##" + e for e in dict.fromkeys(ENDS)]
    t = Tokenizer(models.WordPiece({w: i for i, w in enumerate(tokens)}, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    t.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    t.add_tokens([AddedToken("New York", normalized=True), AddedToken("oak  beam", normalized=False, single_word=True)])
    if odd:  # what the normalizer need not do, and added tokens that are a part of another, or take white space
        t.normalizer = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=False)
        t.add_tokens([AddedToken("boat", single_word=True), AddedToken("qu"), AddedToken("quay"), AddedToken("tower", rstrip=True),
                      AddedToken("i\u0307n"), AddedToken("sail", lstrip=True, rstrip=True), AddedToken(" bridge")])
    return t


def save(name, model, reference=None):
    model.save_pretrained(name)
    for extra in ("README.md", "modules.json"):
        Path(name, extra).unlink(missing_ok=True)
    vectors = (reference or model).encode(TEXTS, normalize=True)
    golden = [{"text": t, "vector": [round(float(x), 7) for x in v]} for t, v in zip(TEXTS, vectors)]
    lines = ",\n".join(json.dumps(g) for g in golden)
    Path(name, "golden.json").write_text(f"[\n{lines}\n]\n")


random = np.random.default_rng(11)
size = tokenizer().get_vocab_size()
vectors = random.normal(size=(size, 8)).astype(np.float32)
plain = StaticModel(vectors, tokenizer(), normalize=True)
save("plain", plain)
# Weighted, with several tokens to a vector, and a limit of length.
mapping, weights = random.integers(0, 40, size).astype(np.int32), random.uniform(0.1, 2, size).astype(np.float32)
save("mapped", StaticModel(vectors[:40], tokenizer(), weights=weights, token_mapping=mapping, max_length=3))
# Half precision; Python would round its sums too.
half = vectors.astype(np.float16)
save("half", StaticModel(half, tokenizer(), normalize=True, max_length=None),
     StaticModel(half.astype(np.float32), tokenizer(), normalize=True, max_length=None))
whole = np.clip(np.rint(vectors * 40), -127, 127).astype(np.int8)
save("whole", StaticModel(whole, tokenizer(), normalize=True))
odd = tokenizer(odd=True)
save("odd", StaticModel(random.normal(size=(odd.get_vocab_size(), 8)).astype(np.float32), odd, normalize=True))
