"""List the words for no and yes that Moodle writes under "Grade can be changed", in the languages at hand."""

from __future__ import annotations

from collections.abc import Iterable

NO = frozenset(
    {
        "no", "nein", "non", "não", "nee", "nej", "nei", "ei", "ez", "nu", "ne", "nie", "nem", "hayır", "tidak",
        "không", "όχι", "нет", "не", "ні", "لا", "نہیں", "خیر", "לא", "नहीं", "ไม่", "いいえ", "아니오", "아니요", "否",
    }
)  # fmt: skip
YES = frozenset(
    {
        "yes", "ja", "oui", "sí", "si", "sì", "sim", "bai", "da", "kyllä", "jah", "tak", "ano", "áno", "igen", "evet",
        "ya", "có", "ναι", "да", "так", "نعم", "ہاں", "بله", "כן", "हाँ", "ใช่", "はい", "예", "네", "是", "是的",
    }
)  # fmt: skip


def is_no_in_known_language(cell: str) -> bool:
    """Return whether a cell says no; an unknown word does not.

    >>> is_no_in_known_language(" Nein "), is_no_in_known_language("maybe")
    (True, False)
    """
    return cell.strip().casefold() in NO


def are_all_yes_or_no(cells: Iterable[str]) -> bool:
    """Return whether each cell says yes or no."""
    return all(cell.strip().casefold() in NO | YES for cell in cells)
