#!/usr/bin/env bash
# bash tests/wheel.sh FOLDER
# Makes a source archive and from it a wheel, as `pip install .` does, and tries the wheel in an environment with nothing else:
# the program, a solver in Python, the package. FOLDER is new, or gets new contents. Takes the packages of section build
# of tests/packages.txt, python3-dev, python3-venv and the network.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ $# -eq 1 ] || { echo "Where to? bash tests/wheel.sh FOLDER" >&2 && exit 64; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$folder"
rm -rf made tools user

python3 -m venv tools
tools/bin/pip install -q build
tools/bin/python -m build -q "$root" -o made
python3 -m venv user
user/bin/pip install -q made/*.whl scipy h5py

user/bin/ncpbench --version
user/bin/ncpbench list scenarios >list.txt
user/bin/ncpbench run arch --steps 1 --linear-solver python-cr,pcr --plugin "$root/tests/plugins/example.py" --force -o mine.h5
env -u NCPBENCH user/bin/python -c "
import ncpbench
from ncpbench import records
record = ncpbench.run('arch', 'again.h5', steps=1, force=True)
assert ncpbench.program.program().startswith('$folder/user/'), ncpbench.program.program()
assert [row['linear_solver'] for row in records.run_rows(['mine.h5', record])] == ['python-cr', 'pcr', 'pcr']"
