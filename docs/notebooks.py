"""Notebooks as pages: each cell is executed, and what it prints and gives stands below it. Takes no Jupyter.

    NCPBENCH=build/release/ncpbench python3 docs/notebooks.py [NOTEBOOK.ipynb...]

Prints the pages. docs/site.py makes them part of the site."""
import ast
import contextlib
import glob
import io
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "analysis", "python"))


def notebooks():
    return sorted(glob.glob(os.path.join(HERE, "*.ipynb")))


def cells(path):
    """(kind, text) of each"""
    with open(path, encoding="utf-8") as file:
        return [(cell["cell_type"], "".join(cell["source"])) for cell in json.load(file)["cells"]]


def execute(text, names):
    """what a cell prints, and the value of its last expression, unless a semicolon ends it"""
    tree, printed, value = ast.parse(text), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) and not text.rstrip().endswith(";") else None
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(tree, "cell", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    shown = "" if value is None else value.to_string() if hasattr(value, "to_string") else repr(value)
    return "\n".join(part for part in (printed.getvalue().rstrip("\n"), shown) if part)


def page(path, run=True):
    """the notebook as a document in Markdown"""
    parts, names, folder = [], {}, os.getcwd()
    with tempfile.TemporaryDirectory(prefix="ncpbench-notebook-") as place:
        os.chdir(place)
        try:
            for kind, text in cells(path):
                parts.append(text if kind == "markdown" else f"```python\n{text}\n```")
                output = execute(text, names) if run and kind == "code" else ""
                if output:
                    parts.append(f"```text\n{output}\n```")
        finally:
            os.chdir(folder)
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    for notebook in sys.argv[1:] or notebooks():
        print(page(os.path.abspath(notebook)))
