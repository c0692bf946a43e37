from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler.decode import decode, lookup

# Title and body of a small home page, by language.
PAGES = {
    "ja": (
        "鉄道と温泉の旅日記",
        "こんにちは。このページは、休みの日に出かけた小さな駅と温泉の記録です。写真はすべて自分で撮りました。"
        "感想やまちがいの指摘は、掲示板かメールでお願いします。リンクについては、相互リンク集をごらんください。",
    ),
    "ru": (
        "Страница любителя шахмат",
        "Здравствуйте! На этой странице собраны партии нашего клуба, задачи для начинающих и ссылки на друзей. "
        "Если вы нашли ошибку, напишите мне, пожалуйста, письмо.",
    ),
    "zh": (
        "小城的茶馆与老街",
        "大家好，这是我的网站。我在这里记录家乡的老街、茶馆和朋友们的故事。照片都是自己拍的，"
        "如果您也喜欢喝茶，请给我写信，或者在留言簿上说几句话。",
    ),
    "tw": (
        "小城的茶館與老街",
        "大家好，這是我的網站。我在這裡記錄家鄉的老街、茶館和朋友們的故事。照片都是自己拍的，"
        "如果您也喜歡喝茶，請給我寫信，或者在留言簿上說幾句話。",
    ),
    "ko": (
        "작은 산책길 이야기",
        "반갑습니다. 이곳은 제가 주말마다 걸은 산책길을 적어 두는 곳입니다. 사진은 모두 직접 찍었으며, "
        "친구들의 홈페이지도 아래에 소개하고 있습니다. 의견이 있으시면 편지를 보내 주세요.",
    ),
    "fr": (
        "Les châteaux près de chez moi",
        "Après des années de balades à vélo, j'ai réuni ici mes photos préférées : forêts, étangs et vieux châteaux. "
        "Les adresses de mes amis sont à la fin. N'hésitez pas à m'écrire, même pour une petite erreur.",
    ),
    "pl": (
        "Zamki i szlaki w okolicy",
        "Na tej stronie zbieram zdjęcia z wycieczek rowerowych: stare młyny, jeziora i ścieżki w lesie. "
        "Jeśli chcesz dołączyć, napisz do mnie. Na końcu są strony moich przyjaciół, które też warto zobaczyć.",
    ),
    "tr": (
        "Küçük gezi günlüğü",
        "Bu sayfada hafta sonu yürüyüşlerimi, çektiğim fotoğrafları ve arkadaşlarımın adreslerini topluyorum. "
        "Yanlış gördüğünüz bir şey varsa lütfen bana yazın; şimdiden teşekkür ederim.",
    ),
    "el": (
        "Μικρό ημερολόγιο ταξιδιών",
        "Γεια σας! Σε αυτή τη σελίδα μαζεύω τις βόλτες μου στα νησιά, παλιές φωτογραφίες και τις διευθύνσεις "
        "των φίλων.",
    ),
    "he": (
        "יומן הטיולים הקטן",
        "שלום לכולם! באתר הזה אני אוסף סיפורים על דרכים ישנות, תמונות מהשבת ורשימה של אתרים שכתבו חברים שלי.",
    ),
    "ar": (
        "دفتر الرحلات الصغير",
        "مرحبا بكم! في هذا الموقع أجمع قصص الطرق القديمة وصور نهاية الأسبوع وعناوين مواقع كتبها أصدقائي في المدينة.",
    ),
}
ENCODINGS = [
    ("ja", "cp932", "shift_jis"),
    ("ja", "euc_jp", "euc-jp"),
    ("ja", "iso2022_jp", "iso-2022-jp"),
    ("ru", "cp1251", "windows-1251"),
    ("ru", "koi8_r", "koi8-r"),
    ("ru", "cp866", "ibm866"),
    ("ru", "iso8859_5", "iso-8859-5"),
    ("zh", "gbk", "gbk"),
    ("tw", "big5", "big5"),
    ("ko", "euc_kr", "euc-kr"),
    ("fr", "cp1252", "windows-1252"),
    ("pl", "cp1250", "windows-1250"),
    ("pl", "iso8859_2", "iso-8859-2"),
    ("tr", "cp1254", "windows-1254"),
    ("el", "cp1253", "windows-1253"),
    ("he", "cp1255", "windows-1255"),
    ("ar", "cp1256", "windows-1256"),
]
JAPANESE = [case for case in ENCODINGS if case[0] == "ja"]


def html(language: str, head: str = "") -> str:
    title, body = PAGES[language]
    return f"<html><head>{head}<title>{title}</title></head>\n<body><p>{body}</p>\n<a href=x.html>x</a></body></html>\n"


@pytest.mark.parametrize(("language", "codec", "name"), ENCODINGS)
def test_the_header_names_the_encoding(language: str, codec: str, name: str) -> None:
    text = html(language)
    found = decode(text.encode(codec), name.upper())
    assert (found.text, found.charset, found.source, found.lossy) == (text, name, "header", False)


@pytest.mark.parametrize(("language", "codec", "name"), ENCODINGS)
def test_the_page_names_its_encoding(language: str, codec: str, name: str) -> None:
    text = html(language, f'<meta http-equiv="Content-Type" content="text/html; charset={name}">')
    found = decode(text.encode(codec))
    assert (found.text, found.charset, found.source) == (text, name, "meta")


@pytest.mark.parametrize(("language", "codec", "name"), ENCODINGS)
def test_undeclared_pages_are_recognised(language: str, codec: str, name: str) -> None:
    text = html(language)
    found = decode(text.encode(codec))
    assert (found.text, found.charset, found.source) == (text, name, "detected")


@pytest.mark.parametrize(("language", "codec", "name"), [case for case in ENCODINGS if case[0] in "ja ru zh tw ko"])
def test_a_title_alone_is_recognised(language: str, codec: str, name: str) -> None:
    text = f"<title>{PAGES[language][0]}</title>"
    assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"<meta charset=koi8-r>", "koi8-r"),
        (b"<META CHARSET = 'KOI8-R' />", "koi8-r"),
        (b'<meta content="text/html;charset=x-sjis" http-equiv=Content-Type>', "shift_jis"),
        (b"<!-- <meta charset=big5> --><meta charset=euc-kr>", "euc-kr"),
        (b"<!-- <meta charset=big5>", "utf-8"),
        (b"<meta charset=nonsense><meta charset=gb2312>", "gbk"),
        (b"<meta name=description content='charset=big5'>", "utf-8"),
        (b'<?xml version="1.0" encoding="EUC-JP"?><html>', "euc-jp"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b" " * 1024 + b"<meta charset=big5>", "utf-8"),
    ],
)
def test_prescan(head: bytes, name: str) -> None:
    assert decode(head).charset == name


def test_a_late_declaration_helps_when_the_bytes_are_not_utf8() -> None:
    found = decode(b"<script>" + b"x" * 2000 + b"</script><meta charset=koi8-r>\xf0\xd2\xc9")
    assert (found.text[-3:], found.source) == ("При", "meta")


@pytest.mark.parametrize(
    "label", ["zlib_codec", "idna", "rot13", "unicode_escape", "junk" * 16384, "\ud800", "é", "replacement"]
)
def test_what_is_no_web_encoding_is_ignored(label: str) -> None:
    found = decode("<p>é</p>".encode(), label)
    assert (found.text, found.source) == ("<p>é</p>", "utf-8")


def test_labels() -> None:
    assert [lookup(label) for label in ("Latin1", ' "utf8" ', "gb2312", "sjis")] == [
        "windows-1252",
        "utf-8",
        "gbk",
        "shift_jis",
    ]


@pytest.mark.parametrize("header", ["", "utf-16", "utf-8", "shift_jis"])
@pytest.mark.parametrize(
    ("mark", "codec"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8")]
)
def test_a_byte_order_mark_wins(header: str, mark: bytes, codec: str) -> None:
    found = decode(mark + "<title>日本</title>".encode(codec), header)
    assert (found.text, found.charset, found.source) == ("<title>日本</title>", codec.replace("16-", "16"), "bom")


def test_utf16_without_a_mark_is_seen_by_its_first_tag() -> None:
    assert decode("<p>日本</p>".encode("utf-16-be")).text == "<p>日本</p>"


def test_utf16_is_not_believed_of_a_page_without_zero_bytes() -> None:
    assert decode(b"<title>plain</title>", "utf-16").text == "<title>plain</title>"


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        (b"\x87\x40\x81\x60\xfa\x40\xb1", "shift_jis", "①～ⅰｱ"),
        (b"\xad\xa1\xad\xea\xf9\xa1\x8e\xb1\x8f\xb0\xa1", "euc-jp", "①㈱纊ｱ丂"),
        (b'\x1b$B-!$"\x1b(I1\x1b(B~\x1b(J~', "iso-2022-jp", "①あｱ~~"),
        (b"\x80\xa2\xe3\x95\x32\x82\x36", "gbk", "€€𠀀"),
        (b"\xa3\xe1\xf9\xd6\x88\x66", "big5", "€碁Ê"),
        (b"\xa2\xe6\x81\x41", "euc-kr", "€갂"),
        (b"\x80\x81\x8d\x8f\x90\x9d\xe9", "windows-1252", "€\x81\x8d\x8f\x90\x9dé"),
        (b"\x80\xff", "x-user-defined", "\uf780\uf7ff"),
    ],
)
def test_characters_that_browsers_know(body: bytes, charset: str, text: str) -> None:
    """Python's codecs of these names know fewer characters."""
    assert decode(body, charset).text == text


@pytest.mark.parametrize(("language", "codec", "name"), JAPANESE)
def test_a_wrong_header_gives_way_to_the_page(language: str, codec: str, name: str) -> None:
    text = html(language, f"<meta charset={name}>")
    found = decode(text.encode(codec), "utf-8")
    assert (found.text, found.charset, found.source) == (text, name, "meta")


def test_a_wrong_western_header_gives_way_to_shift_jis() -> None:
    text = html("ja", "<meta charset=shift_jis>")
    assert decode(text.encode("cp932"), "iso-8859-1").text == text


def test_a_wrong_single_byte_page_is_repaired_by_its_meta() -> None:
    text = html("ru", "<meta charset=windows-1251>")
    assert decode(text.encode("cp1251"), "utf-8").text == text


def test_a_wrong_declaration_gives_way_to_utf8() -> None:
    text = html("ja", "<meta charset=shift_jis>")
    found = decode(text.encode(), "euc-jp")
    assert (found.text, found.source) == (text, "utf-8")


def test_one_bad_byte_does_not_overturn_the_header() -> None:
    body = html("ja", "<meta charset=iso-8859-1>").encode("euc_jp") + b"\xff."
    found = decode(body, "euc-jp")
    assert (found.charset, found.lossy) == ("euc-jp", True)


def test_a_body_cut_inside_a_character_keeps_its_encoding() -> None:
    body = html("ja").encode()
    found = decode(body[: body.index("録".encode()) + 1])
    assert (found.charset, found.text[-1], found.lossy) == ("utf-8", "\ufffd", True)


def test_half_utf8_half_shift_jis_is_read_with_replacements() -> None:
    found = decode("日本語".encode() + "日本語".encode("cp932"), "utf-8")
    assert found.text.startswith("日本語")
    assert found.lossy


def test_nothing_to_go_by_is_windows_1252() -> None:
    found = decode(b"<p>\xa4 1 \xa6 2 \x81</p>")
    assert (found.charset, found.source) == ("windows-1252", "fallback")


@pytest.mark.parametrize(
    "body", [b"<p>SCH\x80FER", b"<p>Kabak\x8dioglu", b"<p>the \xd2reference implementation\xd5\xd5 of it"]
)
def test_stray_bytes_are_not_taken_for_an_asian_encoding(body: bytes) -> None:
    """Seen on real pages of 1997, written on a Macintosh."""
    assert decode(body).charset == "windows-1252"


def test_an_empty_body_is_utf8() -> None:
    assert decode(b"").charset == "utf-8"


@given(
    st.binary(), st.sampled_from(["", "utf-8", "utf-16", "euc-jp", "iso-2022-jp", "gbk", "big5", "windows-1255", "hz"])
)
@example(b"\x1b$B", "iso-2022-jp")
@example(b"\xff\xfe\x00\xd8", "")
@example(b"\x84\x31\xa4\x37", "gbk")
def test_any_bytes_are_read_as_text_that_can_be_stored(body: bytes, header: str) -> None:
    found = decode(body, header)
    assert found.text.encode().decode() == found.text
    assert lookup(found.charset) == found.charset


@pytest.mark.parametrize("unit", [b"<meta ", b"<!--", b"\x81\xff", b"<script ", b'\x1b$B$"\x1b(B', b"\xa4"])
@pytest.mark.parametrize("header", ["", "euc-jp"])
def test_ten_megabytes_of_malice_are_read_in_time(unit: bytes, header: str) -> None:
    begin = time.process_time()
    decode(unit * (10 * 1024 * 1024 // len(unit)), header)
    assert time.process_time() - begin < 10
