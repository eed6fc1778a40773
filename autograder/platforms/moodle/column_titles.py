"""List headers that Moodle writes above columns, in the languages at hand: a hint where cells do not tell."""

from __future__ import annotations

TEAM_TITLES = frozenset(
    {
        "group", "gruppe", "grup", "grupo", "grupp", "gruppo", "groupe", "groep", "taldea", "ομάδα", "група",
        "группы", "группа", "المجموعة", "گروپ", "グループ", "그룹", "小组", "群組",
    }
)  # fmt: skip
STATUS_TITLES = frozenset(
    {
        "status", "statut", "estado", "estat", "stato", "egoera", "κατάσταση", "статус", "الحالة", "حالت",
        "ステータス", "상태", "状态", "狀態",
    }
)  # fmt: skip
"""The column behind the participant's name, or behind the number where names are hidden."""
