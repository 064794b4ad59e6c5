"""Fill a folder with what each server's right calls need: ``python prepare.py FOLDER`` makes ``FOLDER/SERVER`` for each server.

The result is the same bytes each time: dates, authors and the order of files are fixed.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

TEXTS = {
    "README.md": "# Allotment club\n\nPlots, tools and the open day.\n",
    "plots/north.csv": "plot,holder,crop\nN1,Mara Lindt,leek\nN2,Piet Vos,bean\nN3,Ada Roth,squash\n",
    "plots/south.csv": "plot,holder,crop\nS1,Jon Ek,kale\nS2,Lea Marti,leek\n",
    "notes/open-day.txt": "Gate opens at nine.\nCake stall by the shed.\nSeed swap at noon.\n",
    "notes/tools.txt": "Two spades are missing.\nThe mower is at the repair shop.\n",
}
"""The text files of the folders ``files`` and ``git``."""
GRAPH = (
    {"type": "entity", "name": "Mara Lindt", "entityType": "person", "observations": ["holds plot N1", "grows leek"]},
    {"type": "entity", "name": "Piet Vos", "entityType": "person", "observations": ["holds plot N2"]},
    {"type": "entity", "name": "Allotment club", "entityType": "organisation", "observations": ["founded in 1987"]},
    {"type": "relation", "from": "Mara Lindt", "to": "Allotment club", "relationType": "chairs"},
)
"""The graph of the memory server, an entry a line."""
TABLES = """
CREATE TABLE plots (id INTEGER PRIMARY KEY, holder TEXT NOT NULL, crop TEXT, area_m2 REAL);
INSERT INTO plots VALUES (1, 'Mara Lindt', 'leek', 120.0), (2, 'Piet Vos', 'bean', 95.5), (3, 'Ada Roth', 'squash', 130.0);
CREATE TABLE fees (plot_id INTEGER REFERENCES plots(id), year INTEGER, paid INTEGER);
INSERT INTO fees VALUES (1, 2025, 1), (2, 2025, 0), (3, 2025, 1);
"""
SHEET = (("Month", "Income", "Costs"), ("January", 420, 310), ("February", 380, 295), ("March", 510, 402))
PAGE = "<html><head><title>Open day</title></head><body><h1>Open day</h1><p>The gate opens at nine.</p></body></html>\n"

_NAMES = "http://schemas.openxmlformats.org"
_EPOCH = (2026, 1, 1, 0, 0, 0)
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Mara Lindt"), ("EMAIL", "mara@allotment.example"))
}


def main(folder: Path) -> None:
    """Make one folder for each server; a folder that is there already is replaced."""
    for name, fill in {
        "git": _git, "files": _texts, "memory": _memory, "sqlite": _sqlite, "excel": _excel, "duckdb": _texts, "web": _web,
        "empty": lambda _: None,
    }.items():  # fmt: skip
        place = folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        fill(place)


def _texts(place: Path) -> None:
    for path, text in TEXTS.items():
        (place / path).parent.mkdir(exist_ok=True)
        (place / path).write_text(text, "utf-8")


def _git(place: Path) -> None:
    """Two commits on ``main``, a branch ``spring`` at the first, and a change that is not staged."""
    _texts(place)
    _run_git(place, "2026-03-01", "init", "--quiet", "--template=", "--initial-branch=main")
    _run_git(place, "2026-03-01", "add", "--all")
    _run_git(place, "2026-03-01", "commit", "--quiet", "--no-gpg-sign", "-m", "List the plots")
    _run_git(place, "2026-03-01", "branch", "spring")
    (place / "plots/south.csv").write_text(TEXTS["plots/south.csv"] + "S3,Ute Brand,chard\n", "utf-8")
    _run_git(place, "2026-03-08", "commit", "--quiet", "--no-gpg-sign", "--all", "-m", "Add plot S3")
    (place / "notes/tools.txt").write_text("Both spades are back.\n", "utf-8")


def _run_git(place: Path, day: str, *words: str) -> None:
    stamp = f"{day}T09:00:00+0000"
    fixed = {**_AUTHOR, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, "GIT_CONFIG_GLOBAL": "/dev/null"}
    path = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    subprocess.run(["git", *words], cwd=place, env={**path, **fixed}, check=True)  # noqa: S607


def _memory(place: Path) -> None:
    (place / "memory.jsonl").write_text("\n".join(map(json.dumps, GRAPH)), "utf-8")


def _sqlite(place: Path) -> None:
    with sqlite3.connect(place / "club.db") as database:
        database.executescript(TABLES)
    database.close()


def _web(place: Path) -> None:
    (place / "open-day.html").write_text(PAGE, "utf-8")


def _excel(place: Path) -> None:
    """Write a workbook of one sheet, in the smallest form of Office Open XML (ECMA-376, part 1, clause 18)."""
    rows = "".join(f'<row r="{number}">{_cells(number, row)}</row>' for number, row in enumerate(SHEET, 1))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_NAMES}/package/2006/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "_rels/.rels": _relation("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_NAMES}/spreadsheetml/2006/main" xmlns:r="{_NAMES}/officeDocument/2006/relationships">'
        '<sheets><sheet name="Budget" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relation("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_NAMES}/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(place / "budget.xlsx", "w") as book:
        for name, text in parts.items():
            book.writestr(zipfile.ZipInfo(name, _EPOCH), f'<?xml version="1.0" encoding="UTF-8"?>{text}')


def _cells(number: int, row: tuple[str | int, ...]) -> str:
    places = [f"{column}{number}" for column in "ABC"]
    return "".join(
        f'<c r="{place}"><v>{value}</v></c>'
        if isinstance(value, int)
        else f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
        for place, value in zip(places, row, strict=True)
    )


def _relation(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_NAMES}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{_NAMES}/officeDocument/2006/relationships/{kind}" Target="{target}"/></Relationships>'
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
