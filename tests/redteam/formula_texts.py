"""Texts that a spreadsheet takes for formulas, and how a test sees one in a table."""

from __future__ import annotations

import csv
import io

FORMULAS = {
    "an equals sign": '=HYPERLINK("https://example.org","x")',
    "a plus": "+1+1",
    "a minus": "-1+1",
    "an at": "@SUM(A1)",
    "a call of another program": "=cmd|' /C calc'!A0",
    "a tab before it": "\t=1+1",
    "a carriage return before it": "\r=1+1",
    "a line break before it": "\n=1+1",
    "a space before it": " =1+1",
    "a hard space before it": "\xa0=1+1",
    "an apostrophe before it": "'=1+1",
    "a quote before it": '"=1+1',
    "full width": "＝1+1",
    "full width of others": "＋1＋1",
    "an at of full width": "＠SUM(A1)",
    "a semicolon before it": "alice;=1+1",
    "a semicolon and a space before it": "alice; =1+1",
    "a quote that ends, and a semicolon": 'alice";=1+1;"',
    "a comma before it": "alice,=1+1",
}


def opens_formula(cell: str) -> bool:
    return cell.lstrip(' \t\r\n\xa0"')[:1] in {*"=+-@＝＋－＠"}


def cells(text: str) -> list[str]:
    """Every cell, with commas between cells and with semicolons."""
    return [
        cell
        for mark in ",;"
        for row in csv.reader(io.StringIO(text.replace("\r", "\n")), delimiter=mark)
        for cell in row
    ]
