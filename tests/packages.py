"""What tests take comes from the packages that the project lists, and not from what a machine happens to have.

packages.py imports            every import of the Python files in tests/, results/, analysis/ and scenarios/ is held against the lists
packages.py programs FOLDER    fills FOLDER with links to the programs of the listed packages and of what these depend on:
                               tests/run.sh makes it the tests' PATH, so that a program from elsewhere is missing here too

The lists: tests/packages.txt (all of which is installed), and tests/optional.txt, whose packages are used where they are
found. Takes Debian; skips (77) elsewhere. tests/bare.sh is the whole proof: the tests on a system that has nothing else."""
import ast
import importlib.machinery
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODULES = "/usr/lib/python3/dist-packages"
FOLDERS = ["/usr/bin", "/usr/sbin"]


def listed(name):
    with open(os.path.join(ROOT, "tests", name)) as file:
        return {line.split("#")[0].strip() for line in file} - {""}


def installed():
    """name -> (what it depends on, as lists of alternatives; whether every Debian has it), and provided name -> packages"""
    form = "${db:Status-Status}\t${Package}\t${Depends}, ${Pre-Depends}\t${Essential} ${Priority}\t${Provides}\n"
    text = subprocess.run(["dpkg-query", "-W", "-f", form], check=True, capture_output=True, text=True).stdout
    packages, provided = {}, {}
    for line in text.splitlines():
        status, name, depends, kind, provides = line.split("\t")
        if status != "installed":
            continue
        names = [re.findall(r"(?:^|\|)\s*([a-z0-9][a-z0-9.+-]*)", group) for group in depends.split(",")]
        packages[name] = names, kind.startswith("yes") or kind.endswith(" required")
        for alias in re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9.+-]*)", provides):
            provided.setdefault(alias, []).append(name)
    return packages, provided


def closure(names):
    """the packages, all that they depend on, and what every Debian has; of alternatives the first that is there"""
    packages, provided = installed()
    found, waiting = set(), [*names, *(name for name, (_, every) in packages.items() if every)]
    while waiting:
        name = waiting.pop()
        if name in found or name not in packages:
            continue
        found.add(name)
        for group in packages[name][0]:
            there = [other for other in group if other in packages or other in provided]
            if there:
                waiting += [there[0]] if there[0] in packages else provided[there[0]]
    return found


def files_of(names):
    """the files of those packages that are installed, where a Debian of today has them: /bin is /usr/bin"""
    names = sorted(set(names) & set(installed()[0]))
    text = subprocess.run(["dpkg-query", "-L", *names], check=True, capture_output=True, text=True).stdout
    return {re.sub(r"^/(bin|sbin|lib)/", r"/usr/\1/", path) for path in text.splitlines()}


def imports_of(source):
    """(line, module, whether the source can do without it) for each import of a Python source"""
    tree = ast.parse(source)
    forgiven = {id(node) for attempt in ast.walk(tree) if isinstance(attempt, ast.Try)
                and any(isinstance(h.type, ast.Name) and h.type.id == "ImportError" for h in attempt.handlers)
                for node in ast.walk(attempt)}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        for name in names:
            yield node.lineno, name.split(".")[0], id(node) in forgiven


def strangers(path, source, listed_files, optional_files):
    """a line for each import of a source that comes from no listed package"""
    for line, name, optional in imports_of(source):
        folders = os.path.dirname(path), *(os.path.join(ROOT, folder) for folder in ("docs", "tests", "results/tables", "results/studies/peers"))
        beside = [*(os.path.join(folder, name + ".py") for folder in folders), os.path.join(ROOT, "analysis/python", name)]  # our package
        if name in sys.stdlib_module_names or any(map(os.path.exists, beside)):
            continue
        spec = importlib.machinery.PathFinder.find_spec(name, [MODULES])
        origin = spec and (spec.origin or os.path.join(spec.submodule_search_locations[0], "__init__.py"))
        if origin in listed_files or optional and (origin is None or origin in optional_files):
            continue
        yield f"{os.path.relpath(path, ROOT)}:{line}: {name} comes from no package of tests/{'optional' if optional else 'packages'}.txt"


def check_imports():
    listed_files, optional_files = files_of(closure(listed("packages.txt"))), files_of(listed("optional.txt"))
    # setup.py is pip's, which has setuptools
    text = subprocess.run(["find", "tests", "results", "analysis", "scenarios", "-name", "*.py", "-not", "-name", "setup.py"], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout
    found = []
    for name in sorted(text.split()):
        with open(os.path.join(ROOT, name)) as file:
            found += strangers(os.path.join(ROOT, name), file.read(), listed_files, optional_files)
    print("\n".join(found) or f"{len(text.split())} Python files: every import is from a listed package")
    # what it looks at can be told apart
    here = os.path.join(ROOT, "tests", "made_up.py")
    assert len(list(strangers(here, "import no_such_module", listed_files, optional_files))) == 1
    assert not list(strangers(here, "import numpy.linalg, os, cli_case", listed_files, optional_files))
    assert list(strangers(here, "import numpy", files_of(closure({"zsh"})), set()))
    return 2 if found else 0


def link_programs(folder):
    files = files_of(closure(listed("packages.txt") | listed("optional.txt")))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for place in FOLDERS:
        for entry in os.scandir(place):
            link = os.path.join(folder, entry.name)
            # also the names that Debian's alternatives give: cc, awk, gnuplot
            if (entry.path in files or os.path.realpath(entry.path) in files) and not os.path.lexists(link):
                os.symlink(entry.path, link)
    return 0


if __name__ == "__main__":
    if not shutil.which("dpkg-query"):
        print("no Debian: packages are not looked at")
        sys.exit(77)
    if sys.argv[1:] == ["imports"]:
        sys.exit(check_imports())
    if len(sys.argv) == 3 and sys.argv[1] == "programs":
        sys.exit(link_programs(sys.argv[2]))
    sys.exit(__doc__)
