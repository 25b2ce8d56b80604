"""LaTeX: the tables of what there is, and nothing in a cell that would be a command."""

import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from specdec_reports.latex import latex
from specdec_verification.results import Run

DOCUMENT = r"""\documentclass{{article}}
\usepackage[T1]{{fontenc}}\usepackage[landscape,margin=5mm]{{geometry}}
\usepackage{{booktabs,longtable,array}}
\begin{{document}}\tiny
{tables}
\end{{document}}
"""


def captions(text: str) -> list[str]:
    return re.findall(r"\\caption\{(.*?)\}", text)


def test_what_there_is_has_a_table(run: Run, whole: Run, empty: Run) -> None:
    assert captions(latex(empty)) == []
    assert len(captions(latex(run))) == 4
    assert len(captions(latex(whole))) == 10
    assert (
        latex(whole).count(r"\toprule") == 2 * 10
    )  # the head of the first page, and of the others


def test_what_a_cell_says_is_no_command(whole: Run) -> None:
    written = latex(whole)
    assert r"\$x\_1\$" in written
    assert r"50\%" in written
    assert r"\textbackslash end\{tabular\}" in written


def test_a_long_fraction_is_a_number_and_a_short_one_stays(run: Run) -> None:
    long = replace(run.trials[0], total_variation=Fraction(10**9, 3 * 10**9 + 1))
    written = latex(replace(run, trials=(*run.trials, long)))
    assert "& PASSED & 1/3 &" in written
    assert "& PASSED & 0.333 &" in written


def test_a_verdict_line_is_a_comment_whatever_the_profile(run: Run) -> None:
    head = latex(replace(run, profile="tiny\n\\input{x}")).split("\n\n")[0]
    assert all(line.startswith("%") for line in head.splitlines())


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs a TeX")
def test_the_tables_are_set(whole: Run, tmp_path: Path) -> None:
    ascii = latex(whole).replace("γ", "g")  # beyond it, LuaLaTeX is needed
    (tmp_path / "a.tex").write_text(DOCUMENT.format(tables=ascii), encoding="utf-8")
    line = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "a.tex"]
    ended = subprocess.run(line, cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0, (tmp_path / "a.log").read_text("latin-1")[-2000:]
