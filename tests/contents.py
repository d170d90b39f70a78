"""A record contains what `ncpbench list datasets` and `list columns` say, and results/schema.md has a row for it: datasets with shape, units,
meaning and dimension scales, and attributes. Takes NCPBENCH (the program)."""
import json
import os
import re
import unittest

import h5py

from cli_case import Case, text

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results", "schema.md")
VTK = re.compile(r"states/(contacts|Points|Types|Offsets|Connectivity|NumberOf\w+|CellData|Steps)\b")
# --reference does not support particles, and no scene of two solutions has joints
UNSEEN = re.compile(r"reference/(second/)?(particle_|soft_|lambda_element)|reference/second/(bilateral_error|lambda_coordinate|joint_coordinate)"
                    r"|linear/own_norm")  # of plugins


def general(path):
    """the path with its numbers replaced, as in the lists"""
    return re.sub(r"^runs/\d{4}", "runs/NNNN", re.sub(r"systems/\d+_\d+/", "systems/SSSS_KKK/", path))


class Contents(Case):
    def setUp(self):
        super().setUp()
        lists = json.loads(self.ncpbench("list", "--format", "json")[0])
        self.listed = {entry["name"]: entry for entry in lists["datasets"]}
        for entry in lists["columns"]:
            if not entry["name"].startswith("linear/"):  # which are datasets, too
                self.listed[f"runs/NNNN/newton/{entry['name']}"] = {**entry, "shape": "step, newton"}
        with open(PAGE, encoding="utf-8") as file:
            self.page = file.read()
        self.named = set(re.findall(r"`([^`\n]+)`", self.page))

    def check_shape(self, data, entry):
        axes = entry["shape"].split(", ")
        self.assertEqual(len(axes), data.ndim, data.name)
        for axis, extent, dimension in zip(axes, data.shape, data.dims):
            if axis.isdigit():
                self.assertEqual(extent, int(axis), data.name)
            for scale in dimension.values():
                self.assertEqual(os.path.basename(scale.name), axis, data.name)

    def check_attribute(self, group, name):
        """it has a row; those with a dot are options and parameters"""
        self.assertTrue("." in name or name.removeprefix("other_") in self.named, (group, name))

    def check(self, name, prefix=""):
        """the datasets of the file, all of them listed"""
        seen = set()

        def visit(path, item):
            if isinstance(item, h5py.Dataset) and VTK.search(path):
                self.assertTrue(any(name.endswith(os.path.basename(path)) for name in self.named), path)
            elif isinstance(item, h5py.Dataset):
                key = prefix + general(path)
                entry = self.listed[key]
                if not re.search(r"/systems/SSSS_KKK/(A/value|b)$", key):  # whose units are those of the form
                    self.assertEqual(text(item.attrs["units"]), entry["units"], key)
                if "note" not in entry or prefix or "/newton/" not in key:  # methods may word a column of one name differently
                    self.assertEqual(text(item.attrs["long_name"]), entry["summary"], key)
                self.check_shape(item, entry)
                is_scale = entry.get("note") == "dimension scale" or entry["shape"] == os.path.basename(path)  # of states the time
                self.assertEqual(h5py.h5ds.is_scale(item.id), is_scale, key)
                seen.add(key)
            for attribute in item.attrs if isinstance(item, h5py.Group) and "states" not in path else []:
                self.check_attribute(path, attribute)

        with h5py.File(self.path(name)) as record:
            record.visititems(visit)
            for attribute in record.attrs:
                self.check_attribute("/", attribute)
        return seen

    def test_records_contain_what_is_listed(self):
        seen = set()
        self.ncpbench("export", "incline", "--at", "2", "--format", "fclib", "-o", "incline.hdf5")
        with open(self.path("stop.json"), "w", encoding="utf-8") as file:
            json.dump(STOP, file)
        for command in RUNS:
            kept = ["--store-states", "1", "--store-systems"][:2 if {"psor", "admm", "fbf", "apgd", "lemke"} & set(command) else 3]  # which have no systems
            self.ncpbench(*command, *(kept if command[0] == "run" else []), "-o", "a.h5", "--force", status=None)  # 1: not converged
            seen |= self.check("a.h5", PREFIXES.get(command[0], ""))
        unseen = [path for path in self.listed if path not in seen and not UNSEEN.search(path)]
        self.assertEqual(unseen, [])

    def test_meanings_are_short(self):
        self.assertGreater(len(self.listed), 200)
        self.assertEqual([(path, entry["summary"]) for path, entry in self.listed.items() if len(entry["summary"].split()) > 15], [])


PREFIXES = {"gradient": "gradient:", "optimize": "optimize:"}
TWO = ["--steps", "2", "--newton-iterations", "3", "--linear-iterations", "15"]
PILE = ["--set", "shape=box", "--set", "spacing=0", "--set", "tilt=0", "--set", "yaw=0", "--set", "stagger=0.5", "--set", "count=28"]
STOP = {"bodies": [{"mass_kg": 1, "inertia_kg_m2": [1, 1, 1], "position_m": [1, 0, 0]}],
        "joints": [{"kind": "revolute", "bodies": [0, -1], "point_m": [0, 0, 0], "axis": [0, 1, 0], "limits": [-1, 1]}]}
RUNS = [
    ["run", "four-bar", *TWO, "--reference", "on"],
    ["run", "stop.json", "--steps", "1", "--reference", "on"],
    ["run", "incline", *TWO, "--reference", "on", "--reference-linear", "on", "--batch", "2", "--linear-solver", "pcg", "--repeat", "2"],
    ["run", "beam", *TWO, "--friction-law", "relaxed", "--limits", "on", "--batch", "2"],
    ["run", "incline", *TWO, "--verify-contacts", "1e-3"],
    ["run", "incline", *TWO, "--store-iterates"],
    ["run", "drop", "--set", "set=polytope", "--geometry", "frozen", "--settle", "49", "--steps", "1", "--method", "interior-point",
     "--newton-iterations", "100", "--newton-tolerance", "1e-11", "--linear-history", "off", "--reference", "on"],  # two solutions
    ["run", "piling", *PILE, "--steps", "2", "--batch", "8", "--batch-perturbation", "0.02", "--device", "emulated", "--whole-steps", "on",
     "--newton-iterations", "2", "--linear-iterations", "4", "--repeat", "0"],  # of which copies fail
    ["run", "incline", "--integrator", "tr", *TWO], # of which be makes steps
    ["run", "bar,tyre", *TWO],
    *[["run", "incline", "--method", method, *TWO[:4]] for method in ("auto", "psor", "admm", "fbf", "apgd", "sap", "single-level", "smoothed")],
    ["run", "incline", "--method", "lemke", "--friction-law", "polyhedral", *TWO[:2]],
    ["solve", "incline.hdf5"],
    ["bench", "operator", "--contacts", "100"],
    ["gradient", "incline", "--steps", "2", "--inputs", "force"],
    ["gradient", "incline", "--steps", "2", "--objective", "1:x"],
    ["optimize", "grasp", "--steps", "4", "--knots", "2", "--iterations", "2"],
]

if __name__ == "__main__":
    unittest.main()
