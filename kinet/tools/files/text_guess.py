"""Tells an older encoding from a file's bytes, and says nothing where it is in doubt."""

from __future__ import annotations

import re

# Tried in this order; the best score wins, and only a clear one counts.
_CANDIDATES = ("shift_jis", "euc_jp", "euc_kr", "gb18030", "big5")
# Characters that ordinary text of these languages is made of.
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_COMMON_HAN = re.compile("[\u4e00-\u9fff]")
_PUNCTUATION = re.compile("[\u3000-\u303f\uff01-\uff5e]")
_ODD = re.compile("[\uff61-\uff9f\ue000-\uf8ff\u0080-\u009f\u3400-\u4dbf]")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
# The hundred or so most used ideographs: they are in any text of some length and rarely come out
# of a wrong decoding.
_FREQUENT = frozenset(
    "的一是不了在人有我他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对"
    "着事其里所去行过家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又"
    "定見本語文字用件名使数変時間部作成更新設定確認表示東京日本這個為來說國們時會後對過學進種將還"
    "이다는을가에하고지로한의도를은사나리어기자인시대해서정그"
)
_CLEAR = 0.55
_ENOUGH = 8


def guess_encoding(data: bytes) -> str:
    """An encoding's name, or "" where the bytes do not tell. Never raises."""
    sample = data[:65_536]
    scores = {name: _score(sample, name) for name in _CANDIDATES}
    best = max(scores, key=scores.__getitem__)
    rest = max(score for name, score in scores.items() if name != best)
    if scores[best] >= _CLEAR and scores[best] > rest + 0.2:
        return best
    return ""


def _score(sample: bytes, encoding: str) -> float:
    """0 to about 1.5: how much like written language the sample is in this encoding."""
    text = _decoded(sample, encoding)
    if text is None:
        return 0.0
    foreign = "".join(_NOT_ASCII.findall(text))
    if len(foreign) < _ENOUGH:
        return 0.0
    kana = len(_KANA.findall(foreign))
    hangul = len(_HANGUL.findall(foreign))
    han = len(_COMMON_HAN.findall(foreign))
    frequent = sum(character in _FREQUENT for character in foreign)
    good: float = len(_PUNCTUATION.findall(foreign)) + frequent * 2
    if encoding in ("shift_jis", "euc_jp"):
        good += kana * 1.2 + (han * 0.5 if kana else 0.0)
    elif encoding == "euc_kr":
        good += hangul * 0.5
    else:
        good += han * 0.5
    return (good - 2 * len(_ODD.findall(foreign))) / len(foreign)


def _decoded(sample: bytes, encoding: str) -> str | None:
    # A sample may end in half a character.
    for cut in range(4):
        try:
            return sample[: len(sample) - cut].decode(encoding)
        except UnicodeDecodeError as exc:
            if exc.start < len(sample) - 4:
                return None
    return None
