"""The Python of the book, of the README of the package, and of the notebook runs.

The blocks of a page run in order, in one namespace and in a folder that starts as a copy of ``docs/files``. A ``text``
block behind a ``python`` block is what it prints.
"""

import contextlib
import io
import json
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["docs/src/tutorials/python.md", "docs/src/reference/python-data.md", "python/README.md"]
NOTEBOOK = ROOT / "python/notebooks/tour.ipynb"

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory of the examples."""
    shutil.copytree(ROOT / "docs/files", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def execute(code, names, name):
    """What the code prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), names)
    return out.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, folder):
    names, printed, ran = {}, None, 0
    for tag, content in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if tag == "python":
            printed = execute(content, names, page)
            ran += 1
        elif tag == "text" and printed is not None:
            assert printed == content
            printed = None
    assert ran > 0


def test_the_notebook_runs_and_has_the_outputs_it_shows(folder):
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        printed = execute("".join(cell["source"]), names, f"cell {number}")
        shown = "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")
        assert printed == shown, f"cell {number}"
    assert len(cells) >= 5
