"""Dates in the teacher's language: read for sure, or refused, and never read as another moment."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from babel import Locale
from babel.dates import format_datetime
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms.moodle.dates import RawDateCell, load_date_languages, parse_unambiguous_dates

AFTERNOON = datetime(2026, 11, 20, 14, 18)
WRITTEN = {
    "ar": "الجمعة, 20 نوفمبر 2026, 2:18 م",
    "ca": "divendres, 20 de novembre 2026, 14:18",
    "cs": "pátek, 20. listopadu 2026, 14.18",
    "da": "fredag, 20. november 2026, 14:18",
    "de": "Freitag, 20. November 2026, 14:18",
    "el": "Παρασκευή, 20 Νοεμβρίου 2026, 2:18 μ.μ.",
    "en": "Friday, 20 November 2026, 2:18 PM",
    "en_us": "Friday, November 20, 2026, 2:18 PM",
    "es": "viernes, 20 de noviembre de 2026, 14:18",
    "fa": "جمعه، ۲۰ نوامبر ۲۰۲۶، ۱۴:۱۸",
    "fi": "perjantaina, 20. marraskuuta 2026, 14:18",
    "fr": "vendredi 20 novembre 2026, 14:18",
    "hr": "petak, 20. studenoga 2026., 14:18",
    "hu": "2026. november 20., péntek, 14:18",
    "it": "venerdì, 20 novembre 2026, 14:18",
    "ja": "2026年 11月 20日(金曜日) 14:18",
    "ko": "2026년 11월 20일, 금요일, 오후 2:18",
    "lt": "penktadienis, 2026 m. lapkričio 20 d., 14:18",
    "pl": "piątek, 20 listopada 2026, 14:18 PM",
    "pt_br": "sexta-feira, 20 nov. 2026, 14:18",
    "ru": "пятница, 20 ноября 2026, 14:18",
    "sv": "fredag, 20 november 2026, 14:18",
    "th": "วันศุกร์, 20 พฤศจิกายน 2026, 2:18PM",
    "tr": "20 Kasım 2026, Cuma, 14:18",
    "vi": "Thứ Sáu, 20 tháng 11 2026, 2:18 CH",
    "zh_cn": "2026年11月20日 星期五 14:18",
    "zh_tw": "2026年 11月 20日(星期五) 下午 2:18",
}
"""One afternoon, as Moodle's language packs have it written."""


def parse_dates(*texts: str) -> list[datetime]:
    return parse_unambiguous_dates(
        [RawDateCell(f"sheet.csv:{line}", text) for line, text in enumerate(texts, start=2)]
    )


def refused(*texts: str) -> str:
    with pytest.raises(CallerFault) as fault:
        parse_dates(*texts)
    return str(fault.value)


# ------------------------------------------------------------------ languages


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_an_afternoon_is_the_same_minute_in_every_language(text: str) -> None:
    assert parse_dates(text) == [AFTERNOON]


@pytest.mark.parametrize(
    "text",
    [
        "vendredi 20 novembre 2026 à 14h18",
        "vendredi 20 novembre 2026 à 14 h 18",
        "Freitag, 20. November 2026 um 14:18 Uhr",
        "fredag den 20. november 2026 kl. 14.18",
        "perjantai, 20 marraskuu 2026, 14:18",
        "FRIDAY,\u00a020\u00a0November 2026, 2:18\u202fp.m.",
        "\u200fFriday,\u200f 20 November 2026, 2:18 PM",
        "viernes, 20 de noviembre de 2026, 2:18 p. m.",
        "viernes, 20 de noviembre de 2026, 2:18 PM",
        "الجمعة، ٢٠ نوفمبر ٢٠٢٦، ٢:١٨ م",
        "الجمعة، 20 تشرين الثاني 2026، 2:18 م",
        "Fri, 20 Nov 2026, 2:18 PM",
        "2026年11月20日(金) 午後2時18分",
        "Friday, 20/11/2026, 14:18",
        "Friday, 11/20/2026, 14:18",
        "Friday, 2026-11-20, 14:18",
    ],
)
def test_spaces_digits_abbreviations_and_words_between_do_not_matter(text: str) -> None:
    assert parse_dates(text) == [AFTERNOON]


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("12:30 AM", 0),
        ("1:30 AM", 1),
        ("11:30 AM", 11),
        ("12:30 PM", 12),
        ("1:30 PM", 13),
        ("11:30 PM", 23),
        ("00:30 AM", 0),
        ("23:30 PM", 23),
    ],
)
def test_noon_and_midnight_of_a_clock_of_12_are_where_they_belong(text: str, hour: int) -> None:
    assert parse_dates(f"Friday, 20 November 2026, {text}") == [datetime(2026, 11, 20, hour, 30)]


def test_the_same_month_s_name_is_november_in_polish_and_october_in_croatian() -> None:
    assert parse_dates("piątek, 20 listopada 2026, 14:18") == [AFTERNOON]
    assert parse_dates("utorak, 20. listopada 2026., 14:18") == [datetime(2026, 10, 20, 14, 18)]
    # that day is a Tuesday ("utorak"), and not a Friday ("petak")
    assert "is not a date in any language that fits the column" in refused("petak, 20. listopada 2026., 14:18")


# ------------------------------------------------------------------ a column


def test_numbers_that_may_be_days_or_months_are_refused_where_both_fall_on_that_day_of_the_week() -> None:
    said = refused("Friday, 07/11/2025, 14:18")
    assert said.startswith(
        "sheet.csv:2: the date 'Friday, 07/11/2025, 14:18' can mean 2025-07-11 14:18 or 2025-11-07 14:18"
    )
    assert "submission, student and handed_in" in said


@pytest.mark.parametrize(
    ("other", "moment"),
    [("Thursday, 20/11/2025, 09:00", datetime(2025, 11, 7)), ("Thursday, 11/20/2025, 09:00", datetime(2025, 7, 11))],
)
def test_one_date_of_the_column_says_what_the_numbers_of_the_others_are(other: str, moment: datetime) -> None:
    assert parse_dates("Friday, 07/11/2025, 14:18", other)[0] == moment.replace(hour=14, minute=18)


def test_a_column_in_two_languages_is_refused_at_the_line_where_the_second_begins() -> None:
    texts = ("Friday, 20 November 2026, 2:18 PM", "Saturday, 21 November 2026, 2:18 PM", WRITTEN["fr"])
    assert refused(*texts).startswith("sheet.csv:4: the date 'vendredi 20 novembre 2026, 14:18' is not a date")


def test_hours_that_may_be_of_the_morning_or_the_evening_are_refused() -> None:
    texts = ("Friday, 20 November 2026, 9:18", "Friday, 20 November 2026, 12:05", "Friday, 20 November 2026, 1:00")
    assert "'Friday, 20 November 2026, 9:18' can mean the morning or the evening" in refused(*texts)
    assert "can mean the morning" in refused("Freitag, 20. November 2026, 11:18")
    assert "can mean the morning" in refused("Friday, 20 November 2026, 2:18 nachmittags")
    assert "can mean the morning" in refused("пятница, 20 ноября 2026, 2:18 После полудня")
    assert "can mean the morning" in refused("fredag, 20 november 2026, 09:18 ")


@pytest.mark.parametrize("hour", ["00:05", "13:05", "23:05"])
def test_one_hour_that_only_a_clock_of_24_shows_is_enough_for_the_column(hour: str) -> None:
    (moment, other) = parse_dates("Freitag, 20. November 2026, 11:18", f"Freitag, 20. November 2026, {hour}")
    assert (moment.hour, other.hour) == (11, int(hour[:2]))


def test_nothing_is_read_of_a_column_without_dates() -> None:
    assert parse_dates() == []


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Saturday, 20 November 2026, 2:18 PM", id="another day of the week"),
        pytest.param("20 November 2026, 2:18 PM", id="no day of the week"),
        pytest.param("Friday, Friday, 20 November 2026, 2:18 PM", id="two days of the week"),
        pytest.param("Friday, 20 November 2026", id="no time"),
        pytest.param("Friday, 20 November 2026, 2:18:05 PM", id="seconds"),
        pytest.param("Friday, 20 November 2026, 2:18 PM +0100", id="a zone"),
        pytest.param("Friday, 20 November 2026, 14:18 AM", id="a half that is not the hour's"),
        pytest.param("Friday, 20 November 2026, 25:18", id="no hour"),
        pytest.param("Friday, 31 November 2026, 14:18", id="no day"),
        pytest.param("Friday, 20 November 26, 14:18", id="a short year"),
        pytest.param("Freitag, 20. Novembers 2026, 14:18", id="a month within a longer word"),
        pytest.param("utorak, 20. listopadx 2026., 14:18", id="a month with another end"),
        pytest.param("Thứ Sáu, 20 tháng 113 2026, 14:18", id="a number that begins as a month"),
        pytest.param("listopadu pátek, 20. listopadu 2026, 14:18", id="a month twice"),
        pytest.param("11/20/2026 14:18", id="what a spreadsheet program makes of it"),
        pytest.param("46346.5958", id="a number of days"),
        pytest.param("yesterday", id="a word"),
        pytest.param("جمعه، ۲۹ آبان ۱۴۰۵، ۱۴:۱۸", id="a Persian year"),
        pytest.param("1448年 6月 9日(金曜日) 14:18", id="an Islamic year"),
        pytest.param("令和8年11月20日(金曜日) 14:18", id="a Japanese era"),
        pytest.param("民國115年11月20日 星期五 14:18", id="a year of Minguo"),
        pytest.param("วันศุกร์, 20 พฤศจิกายน 2569, 2:18PM", id="a Buddhist year"),
    ],
)
def test_what_is_no_date_for_sure_is_refused_with_its_line_and_what_to_do(text: str) -> None:
    said = refused(text)
    assert said.startswith(f"sheet.csv:2: the date '{text}' is not a date in any language that fits the column")
    assert said.endswith(
        "(give --submission-times a table with the columns submission, student and handed_in instead)"
    )


def test_no_day_of_a_buddhist_year_is_taken_for_one_of_ours() -> None:
    days = [AFTERNOON - timedelta(days=days) for days in range(366)]
    texts = [
        as_moodle_writes(day, PACKS[2], Locale.parse("th")).replace(f"{day:%Y}", f"{day.year + 543}") for day in days
    ]
    assert {read_or_refused([text]) is None for text in texts} == {True}


def test_without_babel_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.platforms.moodle.dates.find_spec", lambda name: None)
    with pytest.raises(CallerFault, match=r"the package Babel is not installed .*pip install .*\[moodle\]"):
        load_date_languages.__wrapped__()


# ------------------------------------------------------------------ what is written is read, or refused


PACKS = (
    "%A, %d %B %Y, %I:%M %p",
    "%A, %B %d, %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%A, %d. %b %Y, %H:%M",
    "%A, %d %B %Y, %H:%M %p",
    "%Y. %B %d., %A, %H:%M",
    "%Y년 %B %d일, %A, %p %I:%M",
    "%Y年 %m月 %d日(%A) %H:%M",
    "%A, %d/%m/%Y, %H:%M",
    "%A, %m/%d/%Y, %I:%M %p",
    "%A, %d %B %Y, %I:%M",
    "%A, %d %B %Y, %0I:%M",
)
"""How language packs have dates written; the last two forget the half of the day."""
FIELDS = {
    "%0I": "hh",
    "%A": "EEEE",
    "%B": "MMMM",
    "%b": "MMM",
    "%p": "a",
    "%d": "d",
    "%m": "MM",
    "%I": "h",
    "%H": "HH",
}
LOCALES = (
    "af", "ar", "ar_LB", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "de_AT", "el", "en", "en_AU", "es",
    "es_MX", "et", "eu", "fa", "fi", "fil", "fr", "fr_CA", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy",
    "id", "is", "it", "ja", "ka", "kk", "km", "kn", "ko", "ky", "lo", "lt", "lv", "mk", "ml", "mn", "mr",
    "ms", "my", "nb", "ne", "nl", "nn", "pa", "pl", "ps", "pt", "pt_PT", "ro", "ru", "si", "sk", "sl", "so",
    "sq", "sr", "sr_Latn", "sv", "sw", "ta", "te", "th", "tr", "uk", "ur", "uz", "vi", "zh", "zh_Hant", "zu",
)  # fmt: skip


def as_moodle_writes(moment: datetime, pack: str, locale: Locale) -> str:
    text = pack.replace("%Y", f"{moment:%Y}").replace("%M", f"{moment:%M}")
    for field, pattern in FIELDS.items():
        if field in text:
            text = text.replace(field, format_datetime(moment, pattern, locale=locale))
    return text


def to_the_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def read_or_refused(texts: list[str]) -> list[datetime] | None:
    try:
        return parse_dates(*texts)
    except CallerFault:
        return None


@pytest.mark.first_cases(6)
@pytest.mark.parametrize("name", LOCALES)
@settings(deadline=None, max_examples=8)
@given(
    moments=st.lists(st.datetimes(datetime(2003, 1, 1), AFTERNOON).map(to_the_minute), min_size=1, max_size=4),
    pack=st.sampled_from(PACKS),
)
def test_what_was_written_is_read_back_or_refused(name: str, moments: list[datetime], pack: str) -> None:
    texts = [as_moodle_writes(moment, pack, Locale.parse(name)) for moment in moments]
    assert read_or_refused(texts) in (moments, None)


READABLE = [(name, pack) for name in LOCALES for pack in (PACKS[0], PACKS[2], PACKS[3])]


@pytest.mark.first_cases(40)
@pytest.mark.parametrize(("name", "pack"), READABLE)
def test_a_class_that_hands_in_all_day_long_is_read_in_every_language(name: str, pack: str) -> None:
    moments = [AFTERNOON + timedelta(hours=7 * hours) for hours in range(-23, 1)]
    assert parse_dates(*(as_moodle_writes(moment, pack, Locale.parse(name)) for moment in moments)) == moments
