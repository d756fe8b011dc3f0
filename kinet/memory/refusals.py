"""What is never kept as a fact: secrets, and orders in the dress of facts."""

from __future__ import annotations

import re

from kinet.memory.words import folded
from kinet.net.redact import redact

SECRET = "it looks like it holds a password, a key or a card number"
ORDER = "it is an order to the assistant, not a fact"

# "password is …", "PIN: …" in the languages people write such notes in.
_NAMED = re.compile(
    r"(pass(?:word|wort|phrase|code)|kennwort|passwd|\bpwd\b|\bpin\b|\btan\b|\bcvv\b|secret\s+key"
    r"|api[ _-]?key|access[ _-]?(?:key|token)|private[ _-]?key|client[ _-]?secret|seed[ _-]?phrase"
    r"|contrase[nñ]a|mot de passe|senha|пароль|密码|密碼|口令|密钥|パスワード|暗証番号|비밀번호"
    r"|كلمة المرور|סיסמה)"
    r"[^\n]{0,24}?(?:\bis\b|\bist\b|\bes\b|\best\b|\bé\b|[:=：是はー—-]|は|为|為|입니다|\bwas\b)\s*\S",
    re.IGNORECASE,
)
_PEM = re.compile(r"-----BEGIN [A-Z ]*(?:PRIVATE KEY|CERTIFICATE)", re.IGNORECASE)
_CARD = re.compile(r"(?<![\d-])(?:\d[ -]?){13,19}(?![\d-])")
# A long word of mixed letters and digits is a key of a shape nobody has listed.
_MIXED = re.compile(
    r"(?<![\w/.])(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])(?=(?:[\w+/=-]*?\d){3})[\w+/=-]{24,}"
)

# Words that try to take the wheel, wherever they stand. A person's own note may not hold them.
_TAKEOVER = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|rules?|prompts?|polic"
    r"(?:y|ies)|guidelines?|approvals?|safety)"
    r"|system prompt|developer message|</?\s*(?:system|memory|instructions?)\b|\[/?inst\]"
    r"|<\|[a-z_]+\|>|\bjailbreak|you are now\b|act as (?:an?|the)\b.{0,30}\b(?:admin|root|dan)\b"
    r"|(?:without|never|don'?t|do not|skip)\b.{0,20}\b(?:ask(?:ing)?|approv\w+|permission"
    r"|confirm\w*)\b"
    r"|(?:always|automatically)\s+(?:allow|approve|run|execute|accept)\b"
    r"|(?:send|post|upload|forward|exfiltrate|leak)\b.{0,60}\b(?:https?://|to\s+\S+@|webhook|server)"
    r"|(?:curl|wget|rm\s+-rf|sudo|bash\s+-c|chmod|powershell)\s+\S"
    r"|忽略.{0,12}(?:指令|指示|规则|規則|提示)|无视.{0,12}(?:指令|指示|规则)"
    r"|(?:指示|命令|ルール|プロンプト).{0,8}(?:無視|忘れ)|無視して"
    r"|(?:ignoriere|vergiss)\b.{0,40}\b(?:anweisung|regel|befehl)\w*"
    r"|(?:ignora|olvida)\b.{0,40}\b(?:instruccion|regla|istruzion)\w*"
    r"|(?:ignore|oublie)[rz]?\b.{0,40}\b(?:instruction|règle|consigne)\w*"
    r"|игнорир\w+.{0,40}(?:инструкц|правил)|تجاهل.{0,30}(?:التعليمات|الأوامر)",
    re.IGNORECASE,
)
# What is put as an order: fine in a person's own note, never in what was noticed.
_IMPERATIVE = re.compile(
    r"^(?:please\s+|kindly\s+|important:?\s+|note:?\s+|system:?\s+|remember:?\s+(?:to\s+)?)*"
    r"(?:always|never|don'?t|do not|must|ignore|disregard|run|execute|call|invoke|send|delete"
    r"|remove|write|reply|respond|answer|say|tell|use|open|fetch|visit|download|install|approve"
    r"|make sure|ensure|be sure|from now on|when(?:ever)? (?:the user|asked|you)|you (?:must|should"
    r"|are|will|have to|need to)|the (?:assistant|model|agent|ai) (?:must|should|has to|shall|will"
    r"|is to)|assistant:|immer|niemals?|nie\b|antworte|führe|lösche|sende|du (?:musst|sollst)"
    r"|siempre|nunca|responde|ejecuta|toujours|jamais|réponds|exécute[rz]?|sempre|mai\b"
    r"|всегда|никогда|отвечай|выполни|دائما|لا تقم)\b"
    r"|^(?:请|請)?(?:总是|總是|永远|永遠|务必|必须|必須|不要|不得|请你|执行|執行|删除|运行|回复)"
    r"|(?:[てで]ください|しなさい|すること|しろ|せよ|実行しろ|하세요|하십시오|해라)[。.!！]*$",
    re.IGNORECASE,
)


def secret_in(text: str) -> bool:
    """True if the text holds what belongs in a keychain, not in a file of facts."""
    plain = " ".join(text.split())
    if redact(plain) != plain or _PEM.search(text) or _NAMED.search(folded(plain)):
        return True
    return bool(_MIXED.search(plain)) or any(_is_card(run) for run in _CARD.findall(plain))


def takeover_in(text: str) -> bool:
    """True if the text tries to change what the assistant obeys."""
    return bool(_TAKEOVER.search(folded(text)))


def refusal(text: str, *, by_hand: bool) -> str:
    """Why this may not be kept, in words; "" if it may.

    What a person writes may be put as an order ("Always answer in German"); what was noticed in a
    conversation may not.
    """
    if secret_in(text):
        return SECRET
    if takeover_in(text) or (
        not by_hand and _IMPERATIVE.search(folded(text).strip(" -*\"'“”「」"))
    ):
        return ORDER
    return ""


def _is_card(run: str) -> bool:
    digits = [int(char) for char in run if char.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
