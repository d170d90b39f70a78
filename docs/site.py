"""The manual as a static site, with search, a gallery of figures and a reference of the headers.

    python3 docs/site.py [-o build/site] [--figures FOLDER]

Takes mkdocs and doxygen (Debian's packages). README.md is the first page. Every document in the tree is a page; notes (NOTES.md) are reached by links alone. Files that documents
link to are copied. A dead link is an error. The site is made beside its folder and takes its place when it is whole: a folder that this
script did not make, or that holds other files, is refused. Notebooks are executed where pandas and the program (NCPBENCH, build/release/ncpbench) are there. The gallery has the .svg files that `reproduce` drew under FOLDER, with their captions.
Status 77 where a tool or a module is missing.
"""
import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "docs"), os.path.join(ROOT, "tests"), os.path.join(ROOT, "analysis", "python")]
try:
    import readme
except ModuleNotFoundError as missing:
    print(f"docs/site.py: this takes Python's module '{missing.name}': apt-get install python3-{missing.name}", file=sys.stderr)
    sys.exit(77)
import notebooks  # noqa: E402
from ncpbench import files, program  # noqa: E402

NAVIGATION = [
    ("Start", ["README.md"]),
    ("Tasks", ["docs/reproduce.md", "docs/compare.md", "docs/diagnose.md", "docs/machine.md", "docs/matrix.md", "docs/contact-problem.md", "docs/standard-set.md", "docs/scene.md", "docs/solver.md",
               "docs/paper-plots.md", "docs/gpu.md", "docs/cluster.md", "docs/python.md", "docs/slow-step.md", "docs/own-solver.md", "analysis/python/README.md", "docs/cite.md"]),
    ("Methods", ["solvers/README.md", "solvers/method/newton/newton.md", "solvers/method/newton/sap.md", "solvers/method/interior_point/interior-point.md", "solvers/method/auto.md",
                 "solvers/method/projected/psor.md", "solvers/method/projected/nsgs.md",
                 "solvers/method/projected/admm.md", "solvers/method/fbf/fbf.md", "solvers/method/projected/apgd.md", "solvers/method/projected/pgs.md", "solvers/method/lemke/lemke.md",
                 "solvers/method/single_level/single-level.md", "solvers/method/single_level/bilevel.md", "solvers/method/smoothed/smoothed.md",
                 "solvers/method/gradient/gradient.md", "solvers/step/README.md", "solvers/linear/README.md", "solvers/precond/README.md"]),
    ("Results", ["gallery.md", "results/claims/README.md", "results/claims/macklin.md", "results/claims/tasora.md",
                 "results/claims/anitescu.md", "results/claims/lecleach.md", "results/claims/larionov.md", "results/studies/peers/README.md", "results/reference/gpu.md"]),
    ("Manual", ["core/formulation.md", "core/deformables.md", "core/errors.md", "cuda/README.md", "results/README.md", "results/schema.md",
                "analysis/README.md", "CHANGELOG.md"]),
    ("Tables", ["results/tables/README.md", "results/tables/auto.md", "results/tables/methods.md", "results/tables/newton.md",
                "results/tables/single-level.md", "results/tables/smoothed.md", "results/tables/problem-files.md", "results/tables/falling-piles.md",
                "results/tables/rolling.md", "results/tables/infeasible.md", "results/tables/formulations.md", "results/tables/soft-bodies.md",
                "results/tables/standard.md", "results/tables/standard-set.md", "results/tables/preconditioners.md", "results/tables/preconditioner-costs.md", "results/tables/lu.md", "results/tables/direct-solvers.md", "results/tables/gradient.md", "results/tables/memory.md",
                "results/tables/petsc.md", "results/tables/kernels.md", "results/tables/standing-robots.md"]),
    ("For developers", ["core/README.md", "tests/README.md", "tests/fuzz/README.md", "tests/cuda_runtime/README.md", "tests/developing/CONTRIBUTING.md"]),
]
# of the tables of the theme, which are tight
STYLE = """.wy-nav-content { max-width: 1100px }
.rst-content table { border-collapse: collapse; display: block; margin-bottom: 24px; max-width: 100%; overflow-x: auto }
.rst-content td, .rst-content th { border: 1px solid #e1e4e5; padding: 4px 8px; text-align: left; vertical-align: top }
.rst-content :not(pre) > code { background: #f3f6f6; border: 0; color: #333; font-size: 85%; padding: 1px 3px; white-space: normal }
.rst-content a > code { color: inherit }
.rst-content .whole { white-space: nowrap }
@media (max-width: 768px) { .rst-content td:last-child { min-width: 8em } }
.rst-content tr:nth-child(even) { background: #f3f6f6 }
"""
# of a table, outside of code and links: what stays on a line, as 1e-8, macklin-27 and 4 × 4
WHOLE = re.compile(r"(`[^`]*`|\]\([^)]*\))|\b(\d[\d.]*e-\d+|[a-z]+-\d\d|\d+ × \d+)\b")
# plain comments become those that doxygen reads: after code they belong to what stands before
FILTER = r"sed -E 's#`([^`]*)`#<code>\1</code>#g; s#^([^/]*[;,{}].*)/\* #\1/**< #; t; s#/\*([^*])#/**\1#'"


def stage(folder):
    """copies the documents, and what they link to, into folder; a link to a folder leads to its README.md"""
    known = {os.path.relpath(path, ROOT) for path in readme.DOCUMENTS}
    notes = {path for path in known if path.endswith("NOTES.md")}  # pages that other pages link to
    made = {"gallery.md", *map(page_of, notebooks.notebooks())}
    documents = {path for _, pages in NAVIGATION for path in pages} - made | notes
    if known - documents:
        sys.exit(f"docs/site.py: not in NAVIGATION: {', '.join(sorted(known - documents))}")
    for document in sorted(documents):
        text = readme.read(document)
        for target in readme.targets(text):
            path = os.path.normpath(os.path.join(os.path.dirname(document), target.partition("#")[0])) if target[0] != "#" else document
            if os.path.isdir(os.path.join(ROOT, path)):
                page = os.path.join(path, "README.md")
                link = page if page in documents else None
                text = text.replace(f"]({target})", f"]({os.path.relpath(link, os.path.dirname(document) or '.')})") if link else \
                    re.sub(rf"\[([^]]*)\]\({re.escape(target)}\)", r"\1", text)
            elif path not in documents:
                copy(path, folder)
        text = re.sub(r"^\|.*$", lambda line: WHOLE.sub(unbroken, line[0]), text, flags=re.M)
        write(os.path.join(folder, document), text.replace("\\<", "&lt;"))  # GitHub's escape, which mkdocs does not know


def unbroken(found):
    return found[1] or f'<span class="whole">{found[2]}</span>'


def copy(path, folder):
    place = os.path.join(folder, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    shutil.copyfile(os.path.join(ROOT, path), place)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def page_of(notebook):
    return os.path.relpath(notebook, ROOT)[:-len("ipynb")] + "md"


def execute(folder):
    """a page of each notebook, with what its cells give where they can be run"""
    run = importlib.util.find_spec("pandas") and (os.environ.get("NCPBENCH") or program.own_program() or shutil.which("ncpbench"))
    for notebook in notebooks.notebooks():
        text = notebooks.page(notebook, bool(run))
        write(os.path.join(folder, page_of(notebook)), text if run else text + "\nThis page was made without pandas or without the program: its cells were not run.\n")


def gallery(folder, figures):
    """a page of all figures below `figures`, each with its title"""
    lines = ["# Gallery", ""]
    found = sorted(os.path.join(place, name) for place, _, names in os.walk(figures) for name in names if name.endswith(".svg")) if figures else []
    for path in found:
        name = os.path.basename(path)[:-4]
        os.makedirs(os.path.join(folder, "figures"), exist_ok=True)
        shutil.copyfile(path, os.path.join(folder, "figures", name + ".svg"))
        with open(path[:-4] + ".txt", encoding="utf-8") as file:
            _, title, *_ = file.read().split("\n\n")  # after the command
        lines += [f"## {name}", "", title, "", f"![{name}](figures/{name}.svg)", ""]
    if not found:
        lines += ["This site was made without figures: `python3 docs/site.py --figures FOLDER` takes those of `results/reproduce.sh`."]
    write(os.path.join(folder, "gallery.md"), "\n".join(lines) + "\n")


def title_of(document, folder):
    with open(os.path.join(folder, document), encoding="utf-8") as file:
        return re.search(r"^# (.*)$", file.read(), re.M)[1].replace("`", "")


def settings(folder, site):
    lines = ["site_name: ncpbench", f"docs_dir: {folder}", f"site_dir: {site}", "theme: readthedocs", "extra_css: [site.css]", "use_directory_urls: false",
             "markdown_extensions: [tables, fenced_code, toc]", "nav:"]
    for section, pages in NAVIGATION:
        lines.append(f"  - {section}:")
        lines += [f"      - {title_of(page, folder)!r}: {page}" for page in pages]
    return "\n".join(lines + ["  - Headers: headers.md"]) + "\n"


def headers(site, work):
    """doxygen's reference of the C headers, under site/headers"""
    write(os.path.join(work, "Doxyfile"), "\n".join([
        "PROJECT_NAME = ncpbench", f"INPUT = {ROOT}/core {ROOT}/solvers {ROOT}/results {ROOT}/analysis {ROOT}/scenarios {ROOT}/cuda", "RECURSIVE = YES",
        "FILE_PATTERNS = *.h", f"STRIP_FROM_PATH = {ROOT}", f"OUTPUT_DIRECTORY = {site}", "HTML_OUTPUT = headers", "GENERATE_LATEX = NO",
        "OPTIMIZE_OUTPUT_FOR_C = YES", "EXTRACT_ALL = YES", "QUIET = YES", "WARNINGS = NO", "HAVE_DOT = NO", "JAVADOC_AUTOBRIEF = YES",
        "MARKDOWN_SUPPORT = NO", f'INPUT_FILTER = "{FILTER}"']) + "\n")
    subprocess.run(["doxygen", os.path.join(work, "Doxyfile")], check=True, stderr=subprocess.DEVNULL) # warnings are of its own words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "build", "site"))
    parser.add_argument("--figures", help="the folder of figures that were drawn")
    asked = parser.parse_args()
    missing = [tool for tool in ("mkdocs", "doxygen") if not shutil.which(tool)]
    if missing:
        print(f"this takes {' and '.join(missing)}: apt-get install {' '.join(missing)}", file=sys.stderr)
        return 77
    work = None
    try:
        files.check_folder(asked.output)
        work = files.folder_beside(asked.output)
        site = os.path.join(work, "site")
        made = make(site, os.path.join(work, "pages"), work, asked.figures)
        if made:
            files.put_folder(site, asked.output)
    except (OSError, files.Refused) as fault:
        print(f"docs/site.py: {files.line(fault)}", file=sys.stderr)
        return files.status(fault)
    finally:
        if work:
            shutil.rmtree(work, ignore_errors=True)
    return 0 if made else 1


def make(site, folder, work, figures):
    """the pages, the site of them, and the reference of the headers; False where mkdocs finds a fault"""
    stage(folder)
    execute(folder)
    gallery(folder, figures)
    write(os.path.join(folder, "headers.md"), "# Headers\n\nThe headers are the manual of the code: [their reference](headers/files.html).\n")
    write(os.path.join(folder, "headers", "files.html"), "")  # doxygen writes it
    write(os.path.join(folder, "site.css"), STYLE)
    write(os.path.join(work, "mkdocs.yml"), settings(folder, site))
    status = subprocess.run(["mkdocs", "build", "--strict", "--clean", "--quiet", "--config-file", os.path.join(work, "mkdocs.yml")], check=False).returncode
    if status == 0:
        headers(site, work)
    return status == 0


if __name__ == "__main__":
    sys.exit(main())
