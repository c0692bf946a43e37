"""Bytes to text, by the WHATWG rules, with repairs for servers that declare the wrong encoding.

The order is: byte order mark, HTTP header, `<meta>` or XML declaration, UTF-8 when it is valid, the look of the bytes,
windows-1252.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

import webencodings

if TYPE_CHECKING:
    from collections.abc import Callable

_MEND = "ncf-mend"  # our error handler, below
PRESCAN = 1024  # bytes: where the HTML standard wants the declaration
LATE_PRESCAN = (
    64 * 1024
)  # bytes: browsers also obey a declaration behind a long script; so do we when nothing else tells
_MOST_MENDED = 100_000  # characters
_LONGEST_LABEL = 64  # characters; the longest label of the standard has 19
_WRONG = 0.25  # share of replaced among non-ASCII characters: above it the declaration is wrong, not the page sloppy

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
# Python's codecs of these names know fewer characters than browsers do.
_CODECS = {
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "x-mac-cyrillic": "mac-cyrillic",
    "macintosh": "mac-roman",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}
_MENDED = frozenset({"euc-jp", "big5", "gbk", "gb18030"})  # what `_mend` can help
# A clean decoding proves something only where most byte strings are not one: any bytes are clean windows-1251.
_TELLING = frozenset({"utf-8", "shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr"})

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"""<meta[\s/]((?:[^<>"']|"[^"]*"|'[^']*')*)>""", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""(?<![a-z-])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_CONTENT_CHARSET = re.compile(rb"""charset\s*=\s*["']?([^\s"';]+)""", re.IGNORECASE)
_XML = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']""")
_ESCAPE = re.compile(rb"(\x1b(?:\$[@B]|\([BJI]))")
_JAPANESE_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\(I)[\x21-\x7e]")
# Escape is ISO-2022-JP undeclared; U+0085 is left out, as some editors do write it.
_CONTROL = re.compile("[\x1b\x80-\x84\x86-\x9f]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_KATAKANA = re.compile(rb"[\xa1-\xdf]")
_SET_HIGH_BIT = bytes(code | 0x80 if 0x21 <= code <= 0x7E else code for code in range(256))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A body as text, and how it was read."""

    text: str
    charset: str  # WHATWG name, lower case
    source: str  # bom, header, meta, utf-8, detected or fallback
    lossy: bool = False  # some bytes became U+FFFD


def decode(body: bytes, header_charset: str = "") -> Decoded:
    """Read bytes as a browser does, and better where a declaration is plainly wrong.

    The repair: when the text of a declared encoding has replacement characters, or control characters that no page
    has, and the other declaration or UTF-8 reads the body cleanly, that one is used. Old web servers lie.

    >>> decode("<title>日本</title>".encode("cp932"), "x-sjis").charset
    'shift_jis'
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _read(body[len(mark) :], name, "bom")
    declared = _declarations(body, header_charset)
    return _declared(body, declared) if declared else _undeclared(body)


def _declarations(body: bytes, header_charset: str) -> dict[str, str]:
    """Encoding names that the page declares, each with who says so; what comes first counts first."""
    found: dict[str, str] = {}
    header = lookup(header_charset)
    # UTF-16 has a zero byte in every tag: without one the server is wrong.
    if header and (not header.startswith("utf-16") or b"\0" in body[:PRESCAN]):
        found[header] = "header"
    meta = _prescan(body[:PRESCAN])
    if meta:
        found.setdefault(meta, "meta")
    return found


def lookup(label: str) -> str:
    """The WHATWG name of a label; empty for an unknown one.

    >>> lookup(" Latin1 "), lookup("zlib_codec")
    ('windows-1252', '')
    """
    label = label.strip("\t\n\f\r \"'")
    if len(label) > _LONGEST_LABEL or not label.isascii():
        return ""
    encoding = webencodings.lookup(label)
    # `replacement` stands for encodings that are unsafe in a browser; a crawler can do better than to give up.
    return "" if encoding is None or encoding.name == "replacement" else str(encoding.name)


def _prescan(start: bytes) -> str:
    """The encoding that the first bytes of a page declare in `<meta>` or an XML declaration."""
    for tag in _META.finditer(_COMMENT.sub(b"", start)):
        name = lookup(_meta_label(tag[1]).decode("latin-1"))
        if name:
            return _meta_encoding(name)
    xml = _XML.match(start)
    return _meta_encoding(lookup(xml[1].decode("ascii"))) if xml else ""


def _meta_label(attributes: bytes) -> bytes:
    values: dict[bytes, bytes] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(attributes):
        values.setdefault(name.lower(), double or single or bare)
    if b"charset" in values:
        return values[b"charset"]
    if values.get(b"http-equiv", b"").strip().lower() != b"content-type":
        return b""
    content = _CONTENT_CHARSET.search(values.get(b"content", b""))
    return content[1] if content else b""


def _meta_encoding(name: str) -> str:
    """What a name means in a tag that could be read as ASCII: not UTF-16, for one."""
    if name.startswith("utf-16"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def _declared(body: bytes, declared: dict[str, str]) -> Decoded:
    first: Decoded | None = None
    for name, source in declared.items():
        found = _read(body, name, source)
        if _is_clean(found.text) and (first is None or _may_replace(found, first)):
            return found
        first = first or found
    assert first is not None  # noqa: S101 - the caller has at least one declaration
    return _japanese(body) or (_utf8(body) if "utf-8" not in declared else None) or first


def _is_clean(text: str) -> bool:
    # The last character may be half a character: bodies are cut at a number of bytes.
    return text.find("\ufffd", 0, max(len(text) - 1, 0)) < 0 and not _CONTROL.search(text)


def _may_replace(other: Decoded, first: Decoded) -> bool:
    return other.charset in _TELLING or _replaced_share(first.text) > _WRONG


def _replaced_share(text: str) -> float:
    return text.count("\ufffd") / max(1, len(_NON_ASCII.findall(text)))


def _undeclared(body: bytes) -> Decoded:
    japanese = _japanese(body)  # before UTF-8: these bytes are all ASCII
    if japanese:
        return japanese
    if body[:2] in (b"<\0", b"\0<"):
        return _read(body, "utf-16le" if body[0] else "utf-16be", "detected")
    found = _utf8(body)
    if found:
        return found
    late = _prescan(body[:LATE_PRESCAN])
    if late:
        return _declared(body, {late: "meta"})
    name = guess(body)
    return _read(body, name, "detected") if name else _read(body, "windows-1252", "fallback")


def _japanese(body: bytes) -> Decoded | None:
    """The body as ISO-2022-JP when its escape sequences say so."""
    if not _JAPANESE_ESCAPE.search(body):
        return None
    found = _read(body, "iso-2022-jp", "detected")
    return found if _is_clean(found.text) else None


def _utf8(body: bytes) -> Decoded | None:
    """The body as UTF-8 when it is that; half a character at the end is forgiven after whole ones."""
    try:
        text, used = codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return None
    if used == len(body):
        return Decoded(text, "utf-8", "utf-8")
    return None if text.isascii() else Decoded(text + "\ufffd", "utf-8", "utf-8", lossy=True)


def _read(body: bytes, name: str, source: str) -> Decoded:
    if name == "iso-2022-jp":
        return replace(_read(_to_euc(body), "euc-jp", source), charset=name)
    decoder = _decoder(name)
    try:
        return Decoded(decoder(body, "strict")[0], name, source)
    except UnicodeDecodeError:
        text = decoder(body, "replace")[0]
    # Mending costs half a microsecond a byte: megabytes of noise are not worth it.
    if name in _MENDED and text.count("\ufffd") <= _MOST_MENDED:
        text = decoder(body, _MEND)[0]
    return Decoded(text, name, source, lossy="\ufffd" in text)


@lru_cache(maxsize=64)
def _decoder(name: str) -> Callable[[bytes, str], tuple[str, int]]:
    if name in _TELLING or name.startswith("utf-16"):
        return codecs.lookup(_CODECS.get(name, name)).decode
    codec = (
        webencodings.lookup(name).codec_info if name == "x-user-defined" else codecs.lookup(_CODECS.get(name, name))
    ).decode
    # Browsers read bytes that Python's tables lack as the C1 controls of the same number; U+FFFE marks the others.
    table = "".join(
        codec(bytes([code]), "ignore")[0] or (chr(code) if code < 0xA0 else "\ufffe") for code in range(256)
    )
    return lambda body, errors: codecs.charmap_decode(body, errors, table)


def _to_euc(body: bytes) -> bytes:
    """ISO-2022-JP as EUC-JP: its own codecs in Python each lack half-width katakana or the NEC characters.

    JIS X 0201 Roman is read as ASCII, not with a yen sign and an overline as the standard says: the pages that use it
    mean the tilde of `/~alice/`.
    """
    out, mode = [], b"\x1b(B"
    for number, part in enumerate(_ESCAPE.split(body)):
        if number % 2:
            mode = part
        elif mode == b"\x1b(I":
            out.append(_KATAKANA.sub(b"\x8e\\g<0>", part.translate(_SET_HIGH_BIT)))
        else:
            out.append(part.translate(_SET_HIGH_BIT) if mode[1:2] == b"$" else part)
    return b"".join(out)


def _mend(error: UnicodeError) -> tuple[str, int]:
    """Decode what Python's codecs lack and browsers know: NEC and IBM characters, the euro sign."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    found = _SECOND_LOOK.get(error.encoding, _nothing)(pair)
    used = 2 if found and error.encoding in _PAIRED else 1
    return found or "\ufffd", error.start + used


def _nothing(pair: bytes) -> str:
    return ""


def _jis(pair: bytes) -> str:
    """A pair of EUC-JP by way of Shift_JIS, whose codec has all that browsers know."""
    if len(pair) < 2 or not (0xA1 <= pair[0] <= 0xFE and 0xA1 <= pair[1] <= 0xFE):
        return ""
    row, cell = pair[0] - 0xA1, pair[1] - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + 0x9F if row % 2 else cell + 0x40 + (cell > 62)
    return bytes((lead, trail)).decode("cp932", "ignore")


_PAIRED = ("euc_jp", "big5hkscs")
_SECOND_LOOK: dict[str, Callable[[bytes], str]] = {
    "euc_jp": _jis,
    "big5hkscs": lambda pair: pair.decode("cp950", "ignore") if len(pair) == 2 and pair[1] >= 0x40 else "",
    "gb18030": lambda pair: "€" if pair[0] == 0x80 else "",
}
codecs.register_error(_MEND, _mend)


# ---- detection

SAMPLE = 64 * 1024  # bytes that are looked at
_ENOUGH_TO_ASK = 32  # bytes that are not ASCII: on fewer, charset-normalizer guesses at random
_ENOUGH = 6 * 1024  # bytes of text without markup: more do not change the answer

_MARKUP = re.compile(
    rb"<(?:script|style)\b.*?(?:</(?:script|style)\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>|&[#a-z0-9]{2,8};",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN_LINE = re.compile(rb"^[\x00-\x7f]*$\n?", re.MULTILINE)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")

_ASCII = log(1 / 20)  # what an ASCII character costs in every model
_ODD = log(1e-4 / 30)  # a symbol or a letter of another script
_BROKEN = log(1e-6)  # U+FFFD, controls and private characters: no page has them
_FLOOR = -5.1  # per byte that is not ASCII: right answers measure -2.3 to -5.1, noise -5 to -7
_FEW = 4  # bytes that are not ASCII: fewer of them cannot show an encoding of two bytes a character


@dataclass(frozen=True, slots=True)
class Model:
    """What text in an encoding looks like: tiers of characters, each with its share of what is not ASCII."""

    name: str  # WHATWG
    codec: str
    tiers: tuple[tuple[float, str], ...]
    rest: tuple[float, int, str]  # share, number of characters, and as a regular expression which ones
    word: float | None = None  # how often a high byte follows a high byte; None where characters have two bytes
    prior: float = 0.0  # natural logarithm, against the most usual encoding


_KANA = "のにはをたがでとしいてるなかられさこもきすりまっくあよ、。ンーイスルトリ・「」　"
_OTHER_KANA = "[\u3041-\u30fe\uff01-\uff5e]"
_HANZI = "[\u4e00-\u9fff\u3000-\u303f\uff01-\uff5e\u2010-\u2027]"
_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去"
    "法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点"
    "正业外将两高间由问很最重并物手应向头文体政美相见被利什二等产新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿东声"
    "，。、：！？“”《》（）"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去"
    "法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點"
    "正業外將兩高間由問很最重並物手應向頭文體政美相見被利什二等產新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒東聲"
    "，。、：！？「」《》（）"
)
_HANGUL = (
    "이다는에의을가하고지로한사기를은도나어그시들과인대서정자아게라수있리만해일여장부제주전보구안면것성화습니까동상원공무신문소우조"
    "내세미스트국학생발모오저요분위연마진중비으경방적때년와회물글교람했었말음될되"
)
_RUSSIAN = (
    (0.70, "оеаинтсрвлкм"),
    (0.20, "дпуяыьгзбчйх"),
    (0.06, "жшюцщэфъёіїєґў"),
    (0.03, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ«»—–№"),
)
_WESTERN = (
    (0.60, "éáíóäöüèàñçãåøß"),
    (0.25, "êúôâîæëõùûïðþý’ÉÖÜÄÅØ"),
    (0.12, "ÁÓÍÀÇÈÊÂÔÚœŒ“”‘„–—…«»©®°´·¿¡º\xa0"),
)
_CENTRAL = (
    (0.50, "áíéěščřžýłąężśćőóö"),
    (0.30, "ůúťďňńźűüäôľăşţâîđ"),
    (0.15, "ŠČŘŽÁÍÉÚÝŁŚŻÓÖÜŐĐ„”–“’…\xa0"),
)
_TURKISH = ((0.88, "ıişçğüö"), (0.10, "İŞÇĞÜÖâîû’“”…–"))
_HUNGARIAN = ((0.92, "áéóöőíüúű"), (0.07, "ÁÉÓÖŐÍÜÚŰ„”–"))  # its ő and ű look Western in windows-1252
_BALTIC = ((0.85, "āčēģīķļņšūžąęėįųõäöü"), (0.12, "ĀČĒĢĪĶĻŅŠŪŽĄĘĖĮŲÕÄÖÜ„“”–"))
_GREEK = ((0.60, "αοιετσνηυρπ"), (0.36, "κμλςγδίάόέήύώθχφβξζψωϊ"), (0.03, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΌΉΊΏΎ«»–’"))
_HEBREW = ((0.60, "יוהלאמרת"), (0.38, "בשנםכעדקחפטזגסץןךףצ"))
_ARABIC = ((0.65, "اليمنوترةبع"), (0.33, "سدفهكقحجشىصخطأذضزإئثغظءآؤ،؟"))
_THAI = ((0.60, "านรอกเงยลมวดตส่้ี"), (0.38, "ทะัิปบคพหขจแชใไโืุูำ์็ึซผถธณศษภญฟฝฐๆฎฏฉฮฬ"))
_LATIN = (0.02, 90, "[À-ɏ]")
_CYRILLIC = (0.01, 60, "[Ѐ-ӿ]")

MODELS = (
    Model("shift_jis", "cp932", ((0.45, _KANA),), (0.53, 2600, f"[\u4e00-\u9fff]|{_OTHER_KANA}")),
    Model("euc-jp", "euc_jp", ((0.45, _KANA),), (0.53, 2600, f"[\u4e00-\u9fff]|{_OTHER_KANA}")),
    Model("gbk", "gb18030", ((0.50, _SIMPLIFIED),), (0.48, 3500, _HANZI)),
    Model("big5", "big5hkscs", ((0.50, _TRADITIONAL),), (0.48, 4500, _HANZI)),
    Model("euc-kr", "cp949", ((0.60, _HANGUL),), (0.38, 1500, "[가-힣]")),
    Model("windows-1252", "cp1252", _WESTERN, _LATIN, 0.06),
    Model("windows-1251", "cp1251", _RUSSIAN, _CYRILLIC, 0.82, -1.0),
    Model("koi8-r", "koi8_r", _RUSSIAN, _CYRILLIC, 0.82, -2.0),
    Model("koi8-u", "koi8_u", _RUSSIAN, _CYRILLIC, 0.82, -4.0),
    Model("ibm866", "cp866", _RUSSIAN, _CYRILLIC, 0.82, -4.0),
    Model("iso-8859-5", "iso8859_5", _RUSSIAN, _CYRILLIC, 0.82, -4.0),
    Model("x-mac-cyrillic", "mac_cyrillic", _RUSSIAN, _CYRILLIC, 0.82, -5.0),
    Model("windows-1250", "cp1250", _CENTRAL, _LATIN, 0.06, -2.0),
    Model("iso-8859-2", "iso8859_2", _CENTRAL, _LATIN, 0.06, -2.5),
    Model("windows-1250", "cp1250", _HUNGARIAN, _LATIN, 0.06, -4.0),
    Model("iso-8859-2", "iso8859_2", _HUNGARIAN, _LATIN, 0.06, -4.5),
    Model("windows-1254", "cp1254", _TURKISH, _LATIN, 0.06, -2.5),
    Model("windows-1257", "cp1257", _BALTIC, _LATIN, 0.06, -3.0),
    Model("windows-1253", "cp1253", _GREEK, (0.01, 60, "[Ͱ-Ͽ]"), 0.8, -2.0),
    Model("iso-8859-7", "iso8859_7", _GREEK, (0.01, 60, "[Ͱ-Ͽ]"), 0.8, -2.5),
    Model("windows-1255", "cp1255", _HEBREW, (0.02, 60, "[\u0590-\u05ff]"), 0.77, -2.0),
    Model("windows-1256", "cp1256", _ARABIC, (0.02, 60, "[\u0600-\u06ff]"), 0.78, -2.0),
    Model("iso-8859-6", "iso8859_6", _ARABIC, (0.02, 60, "[\u0600-\u06ff]"), 0.78, -4.0),
    Model("windows-874", "cp874", _THAI, (0.02, 60, "[\u0e00-\u0e7f]"), 0.95, -2.0),
)


def guess(body: bytes) -> str:
    """The WHATWG name of the encoding that undeclared bytes look like; empty when nothing tells.

    Each candidate encoding has a model of the text that is written in it. The model that finds the bytes least
    surprising wins; where even that one is ill at ease, charset-normalizer is asked.
    """
    sample = _sample(body)
    high = sum(map(len, _HIGH_RUN.findall(sample)))
    if not high:
        return ""
    score, best = max(((_likelihood(model, sample), model) for model in MODELS), key=lambda scored: scored[0])
    at_ease = (score - _ASCII * (len(sample) - high)) / high > _FLOOR
    if at_ease and (high >= _FEW or best.word is not None):
        return best.name
    return _ask_normalizer(sample) if high >= _ENOUGH_TO_ASK else ""


def _sample(body: bytes) -> bytes:
    """The lines that are not plain ASCII, without markup: tags and scripts look alike in every encoding."""
    text = _PLAIN_LINE.sub(b"", _MARKUP.sub(b"\n", body[:SAMPLE]))
    return text if len(text) <= _ENOUGH else text[: text.rfind(b"\n", 0, _ENOUGH) + 1] or text[:_ENOUGH]


def _likelihood(model: Model, sample: bytes) -> float:
    """The logarithm of the probability of the sample, its lines taken as loose characters and runs of high bytes."""
    costs = _costs(model)
    rest = re.compile(model.rest[2])
    rare = log(model.rest[0] / model.rest[1])
    total = model.prior
    for char, count in Counter(sample.decode(model.codec, _MEND)).items():
        cost = _ASCII if char < "\x80" else costs.get(char)
        if cost is None:
            cost = rare if rest.match(char) else _ODD if char.isprintable() and char != "\ufffd" else _BROKEN
        total += count * cost
    if model.word is not None:
        ends = len(_HIGH_RUN.findall(sample))
        inside = sum(map(len, _HIGH_RUN.findall(sample))) - ends
        total += inside * log(model.word) + ends * log(1 - model.word)
    return total


@lru_cache(maxsize=len(MODELS))
def _costs(model: Model) -> dict[str, float]:
    return {char: log(share / len(chars)) for share, chars in model.tiers for char in chars}


def _ask_normalizer(sample: bytes) -> str:
    import charset_normalizer  # 30 ms that most crawls never need

    found = charset_normalizer.from_bytes(sample, cp_isolation=[model.codec for model in MODELS]).best()
    return next((model.name for model in MODELS if found and model.codec == found.encoding), "")
