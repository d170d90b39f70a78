"""What ncpbench writes for other programs: Newton systems that scipy reads, contact problems that our own reader solves,
animations that a reader of glTF 2.0 written here from its specification reads.

NCPBENCH names the program. Scenes with joints, contacts and bodies without mass, both precisions.
"""
import json
import os
import re
import resource
import struct
import sys
import unittest

import h5py
import numpy
import scipy.io
import scipy.sparse
import scipy.sparse.linalg

from cli_case import Case, parameters_of, text

TOLERANCE = {"f64": 1e-14, "f32": 2e-6}  # some tens of roundings, relative to the largest entry
EXACT = ["--linear-solver", "cholesky", "--newton-iterations", "60", "--geometry", "frozen"]


def inverse_where_there_is_mass(mass):
    inverse = numpy.zeros(mass.shape)
    heavy = numpy.flatnonzero(abs(mass).sum(axis=1))
    inverse[numpy.ix_(heavy, heavy)] = numpy.linalg.inv(mass.toarray()[numpy.ix_(heavy, heavy)])
    return inverse


def largest_difference(actual, expected):
    return abs(actual - expected).max() / abs(expected).max()


def columns_of(group):
    """an FCLIB matrix by compressed columns, dense"""
    assert group["nz"][0] == -1
    return scipy.sparse.csc_matrix((group["x"][:], group["i"][:], group["p"][:]),
                                   shape=(group["m"][0], group["n"][0])).toarray()


class MatrixMarket(Case):
    def read(self, folder):
        names = ("A", "b", "H", "J", "C", "S", "g", "h")
        parts = {name: scipy.io.mmread(self.path(f"{folder}/{name}.mtx")) for name in names}
        for name in "bSgh":
            parts[name] = parts[name].ravel()
        for name in "AHJC":
            parts[name] = parts[name].tocsr()
        return parts

    def test_the_factors_make_the_system(self):
        for scene, precision in (("beam", "f64"), ("arch", "f64"), ("arch", "f32"), ("heavy-stack", "f64")):
            folder = f"{scene}-{precision}"
            out, err = self.ncpbench("export", scene, "--settle", "3", "--at", "1:2", "--precision", precision, "-o", folder)
            self.assertEqual((out, err), ("", ""))
            s = self.read(folder)
            flow = scipy.sparse.diags(s["S"]) @ s["J"] @ inverse_where_there_is_mass(s["H"])
            a = flow @ s["J"].T @ scipy.sparse.diags(s["S"]) + s["C"]
            self.assertLess(largest_difference(s["A"].toarray(), numpy.asarray(a)), TOLERANCE[precision])
            self.assertLess(largest_difference(s["b"], flow @ s["g"] - s["h"]), TOLERANCE[precision])

    def test_every_bit_is_that_of_the_record(self):
        options = ["--settle", "3", "--newton-iterations", "4"]
        self.ncpbench("run", "beam", *options, "--steps", "2", "--store-systems", "-o", "a.h5")
        self.ncpbench("export", "beam", *options, "--at", "1:3", "-o", "beam")
        ours = self.read("beam")
        with h5py.File(self.path("a.h5")) as record:
            stored = record["runs/0000/systems/0001_003"]
            for name, key in (("b", "b"), ("S", "s"), ("g", "g"), ("h", "h")):
                self.assertEqual(ours[name].tobytes(), stored[key][:].tobytes(), name)
            for name in "AHJC":
                group = stored[name]
                theirs = scipy.sparse.csr_matrix((group["value"][:], group["column"][:], group["start"][:]),
                                                 shape=(group.attrs["rows"], group.attrs["columns"]))
                if name == "A":  # symmetric but for rounding: its lower triangle is kept
                    self.assertLess(abs(ours[name] - theirs).max(), 1e-14 * abs(theirs).max())
                    ours[name], theirs = scipy.sparse.tril(ours[name]), scipy.sparse.tril(theirs)
                self.assertEqual((ours[name] != theirs).nnz, 0, name)
        with open(self.path("beam/A.mtx")) as file:
            self.assertEqual(file.readline(), "%%MatrixMarket matrix coordinate real symmetric\n")

    def test_a_record_gives_the_same_files(self):
        options = ["--settle", "2", "--newton-iterations", "3", "--store-systems"]
        self.ncpbench("run", "arch,beam", *options, "--steps", "2", "-o", "a.h5")
        self.ncpbench("export", "beam", *options, "--at", "1:2", "-o", "direct")
        self.ncpbench("export", "a.h5#1", "--at", "1:2", "-o", "stored")
        for name in os.listdir(self.path("direct")):
            if name != "system.json":
                self.assertEqual(self.bytes_of(f"direct/{name}"), self.bytes_of(f"stored/{name}"), name)
        with open(self.path("stored/system.json")) as stored, open(self.path("direct/system.json")) as direct:
            a, b = json.load(stored), json.load(direct)
            self.assertEqual((a["scenario"], a["files"], a["parameters"]), (b["scenario"], b["files"], b["parameters"]))
        self.refused("export", "a.h5", "--at", "2:0", "-o", "x", status=3, says=["a.h5", "0002_000"])
        self.refused("export", "a.h5#2", "--at", "1:0", "-o", "x", status=3, says=["no run 2"])

    def read_petsc(self, path):
        """a matrix, dense, or a vector of PETSc's binary format, by its manual"""
        data = self.bytes_of(path)
        kind, rows = numpy.frombuffer(data, ">i4", 2)
        if kind == 1211214:
            return numpy.frombuffer(data, ">f8", rows, 8)
        self.assertEqual(kind, 1211216)
        columns, entries = numpy.frombuffer(data, ">i4", 2, 8)
        lengths = numpy.frombuffer(data, ">i4", rows, 16)
        place, value = numpy.frombuffer(data, ">i4", entries, 16 + 4 * rows), numpy.frombuffer(data, ">f8", entries, 16 + 4 * (rows + entries))
        return scipy.sparse.csr_matrix((value.astype(float), place, numpy.concatenate([[0], numpy.cumsum(lengths)])), shape=(rows, columns)).toarray()

    def test_formats_of_other_libraries(self):
        """the same numbers in PETSc's binary files, and Ginkgo's list of problems"""
        self.ncpbench("export", "arch", "--at", "0:2", "-o", "text")
        self.ncpbench("export", "arch", "--at", "0:2", "--format", "petsc", "-o", "binary")
        ours = self.read("text")
        for name, theirs in ((name, self.read_petsc(f"binary/{name}.petsc")) for name in ours):
            exact = ours[name] if theirs.ndim == 1 else ours[name].toarray()
            self.assertLessEqual(largest_difference(theirs, exact), 1e-14, name)
        with open(self.path("binary/system.json")) as file:
            self.assertIn("A.petsc", json.load(file)["files"])
        for problem in ("binary", "binary/A.petsc", "text"):  # a folder is its matrix
            self.ncpbench("solve", problem, "--linear-solver", "cholesky", "--solution", "x.mtx", "--force", status=None)
            self.assertLess(numpy.linalg.norm(ours["A"] @ numpy.asarray(scipy.io.mmread(self.path("x.mtx"))).ravel() - ours["b"]),
                            1e-8 * numpy.linalg.norm(ours["b"]), problem)
        self.ncpbench("export", "arch", "--at", "0:2", "--format", "ginkgo", "-o", "text", "--force")
        with open(self.path("text/ginkgo.json")) as file:
            problem, = json.load(file)
        self.assertEqual((problem["filename"], problem["rhs"], problem["optimal"]), ("A.mtx", "b.mtx", {"spmv": "csr"}))
        self.ncpbench("export", "arch", "--at", "0:2", "-o", "text", "--force")
        self.assertNotIn("ginkgo.json", os.listdir(self.path("text")))

    def test_saddle_point_system_without_a_solver(self):
        self.ncpbench("export", "arch", "--form", "saddle", "--at", "0:0", "-o", "saddle")
        self.ncpbench("export", "arch", "--form", "saddle", "--linear-solver", "klu", "--at", "0:0", "-o", "klu")
        a, b = (scipy.io.mmread(self.path(f"{folder}/A.mtx")).tocsr() for folder in ("saddle", "klu"))
        self.assertLess(abs(a - b).max(), 1e-9 * abs(a).max())

    def test_systems_of_a_method_s_own(self):
        """A and b over velocities, with what x is: of a body in the air the first is its weight's"""
        for method in ("single-level", "bilevel"):
            options = ["--method", method, "--steps", "1", "--time-step", "0.01"]
            self.ncpbench("run", "drop", *options, "--store-systems", "-o", "a.h5", "--force")
            self.ncpbench("export", "drop", *options, "--at", "0:0", "-o", method)
            self.ncpbench("export", "a.h5", "--at", "0:0", "-o", "stored", "--force")
            for folder in (method, "stored"):
                self.assertEqual(sorted(os.listdir(self.path(folder))), ["A.mtx", "b.mtx", "system.json"])
                with open(self.path(f"{folder}/system.json")) as file:
                    system = json.load(file)
                self.assertEqual([part["units"] for part in system["files"].values()], 2 * ["see unknowns"])
                self.assertIn("unknowns that system.json names", system["files"]["A.mtx"]["meaning"])
                speed = float(re.search(r"c = (\S+) m/s", system["unknowns"])[1])
                a, b = (scipy.io.mmread(self.path(f"{folder}/{name}.mtx")) for name in "Ab")
                x = scipy.sparse.linalg.spsolve(a.tocsc(), b.ravel())
                numpy.testing.assert_allclose(speed * x, [0, 0, -9.81 * 0.01, 0, 0, 0], atol=1e-6 * 9.81 * 0.01)  # c has six digits
            with h5py.File(self.path("a.h5")) as record:
                stored = record["runs/0000/systems/0000_000"]
                self.assertEqual(numpy.bytes_(stored.attrs["unknowns"]).decode(), system["unknowns"])
        self.ncpbench("run", "drop", "--method", "newton", "--steps", "1", "--store-systems", "-o", "b.h5")
        with h5py.File(self.path("b.h5")) as record:
            self.assertTrue(all("unknowns" not in system.attrs for system in record["runs/0000/systems"].values()))

    def test_systems_of_another_form(self):
        """what linear solvers are given, and not the system over the rows: velocities of both are the same"""
        options = ["heavy-stack", "--at", "1:2", "--linear-solver", "klu", "--newton-iterations", "3"]
        self.ncpbench("export", *options, "-o", "rows")
        rows = self.read("rows")
        inverse = inverse_where_there_is_mass(rows["H"])
        y = numpy.linalg.solve(rows["A"].toarray(), rows["b"])
        du = inverse @ (rows["J"].T @ (rows["S"] * y) - rows["g"])
        moving = numpy.flatnonzero(inverse.any(axis=1))
        for form, expected in (("stiffness", du[moving]), ("saddle", numpy.concatenate([du[moving], y]))):
            self.ncpbench("export", *options, "--form", form, "-o", form)
            self.assertEqual(sorted(os.listdir(self.path(form))), ["A.mtx", "b.mtx", "system.json"])
            with open(self.path(f"{form}/system.json")) as file:
                system = json.load(file)
            self.assertIn("velocity changes du", system["unknowns"])
            units = ["kg, kg m, kg m^2", "N s, N m s"] if form == "stiffness" else 2 * ["see unknowns"]
            self.assertEqual([part["units"] for part in system["files"].values()], units)
            self.ncpbench("run", "heavy-stack", "--form", form, "--steps", "1", "--newton-iterations", "1", "--linear-solver", "klu", "--store-systems",
                          "-o", "a.h5", "--force")
            with h5py.File(self.path("a.h5")) as record:
                stored = record["runs/0000/systems/0000_000"]
                self.assertEqual([text(stored[name].attrs["units"]) for name in ("A/value", "b")], units)
            a, b = (scipy.io.mmread(self.path(f"{form}/{name}.mtx")) for name in "Ab")
            x = numpy.linalg.solve(a.toarray(), b.ravel())
            # the systems' conditions are about 1e6
            self.assertLess(largest_difference(x[:len(moving)], expected[:len(moving)]), 1e-8, form)
            residual = a @ expected - b.ravel()
            self.assertLess(abs(residual).max() / abs(b).max(), 1e-8, form)
        # elements eliminated: fewer unknowns than rows, whose elimination from all rows is this system's
        options = ["soft-stack", "--set", "cells=1", "--at", "1:0", "--newton-iterations", "2", "--linear-solver", "klu"]
        for form in "compliance", "condensed":
            self.ncpbench("export", *options, "--form", form, "-o", f"soft-{form}")
        full, condensed = ([scipy.io.mmread(self.path(f"soft-{form}/{name}.mtx")) for name in "Ab"] for form in ("compliance", "condensed"))
        self.assertLess(condensed[0].shape[0], full[0].shape[0])
        y = numpy.linalg.solve(full[0].toarray(), full[1].ravel())
        kept = condensed[0].shape[0]
        residual = condensed[0] @ y[:kept] - condensed[1].ravel()
        self.assertLess(abs(residual).max() / abs(condensed[1]).max(), 1e-6)

    def test_a_line_search_by_the_residual(self):
        """its merit is the 2-norm of (g, h): that of the right-hand side of the system over both, which falls in each step"""
        for scene, ends in ((["heavy-stack", "--set", "mu=0", "--ncp", "minimum-map"], 1e-12), (["heavy-stack"], None)):
            self.ncpbench("run", *scene, "--steps", "1", "--form", "saddle", "--linear-solver", "klu", "--newton-iterations", "30", "--line-search", "residual",
                          "--store-systems", "--repeat", "0", "-o", "a.h5", "--force", status=None)
            with h5py.File(self.path("a.h5")) as record:
                run = record["runs/0000"]
                norms = [numpy.linalg.norm(run["systems"][name]["b"]) for name in sorted(run["systems"])]
                error = run["steps/natural_map_error"][-1]
            self.assertGreater(len(norms), 4)
            self.assertTrue(all(after < before for before, after in zip(norms, norms[1:])), norms)
            if ends:
                self.assertLess(error, ends)

    def test_damaged_records(self):
        self.ncpbench("run", "heavy-stack", "--steps", "1", "--newton-iterations", "1", "--store-systems", "-o", "a.h5")
        good = self.bytes_of("a.h5")

        def damage(name, change):
            with open(self.path("bad.h5"), "wb") as file:
                file.write(good)
            with h5py.File(self.path("bad.h5"), "r+") as record:
                change(record["runs/0000/systems/0000_000"])
            self.refused("export", "bad.h5", "--at", "0:0", "-o", "x", status=3, says=["bad.h5", name])

        def poke(path, place, value):
            def change(system):
                system[path][place] = value
            return change

        def drop(path):
            def change(system):
                del system[path]
            return change

        damage("A", poke("A/column", 0, -1))
        damage("A", poke("A/column", 1, 10**9))
        damage("A", poke("A/start", 1, -5))
        damage("A", poke("A/start", 1, 10**15))
        damage("A", poke("A/start", 0, 1))
        damage("J", poke("J/column", 0, 7 * 10**8))
        damage("C", lambda system: system["C"].attrs.modify("rows", 10**12))
        for path, name in (("b", "b"), ("h", "h"), ("J", "J"), ("A/value", "value")):
            damage(name, drop(path))
        self.only("a.h5", "bad.h5")

    def test_the_description(self):
        self.ncpbench("export", "heavy-stack", "--set", "count=3", "--at", "2:0", "--time-step", "0.01", "-o", "s")
        with open(self.path("s/system.json")) as file:
            system = json.load(file)
        self.assertEqual((system["scenario"], system["step"], system["newton"]), ("heavy-stack", 2, 0))
        self.assertEqual(system["time_step_s"], 0.01)
        self.assertEqual(system["parameters"]["count"], 3)
        self.assertEqual(system["options"]["linear-solver"], "pcr")
        self.assertEqual(sorted([*system["files"], "system.json"]), sorted(os.listdir(self.path("s"))))
        self.only("s")

    def test_solve_of_an_export_is_the_direct_solve(self):
        """the relative difference of two x is at most the condition number, which CHOLMOD and scipy share, times eps"""
        self.ncpbench("export", "arch", "--at", "0:0", "-o", "arch")
        out, err = self.ncpbench("solve", "arch/A.mtx", "--linear-solver", "cholesky", "--solution", "x.mtx", "-o", "a.h5")
        self.assertIn("exact", out)
        s, x = self.read("arch"), scipy.io.mmread(self.path("x.mtx")).ravel()
        expected = scipy.sparse.linalg.spsolve(s["A"].tocsc(), s["b"])
        condition = numpy.linalg.cond(s["A"].toarray())
        self.assertLess(condition, 1e10)
        self.assertLess(numpy.linalg.norm(x - expected), 10 * condition * 2.2e-16 * numpy.linalg.norm(expected))
        with h5py.File(self.path("a.h5")) as record:
            final = record["runs/0000/final"]
            self.assertEqual(final["reaction"][:].tobytes(), x.tobytes())
            self.assertLess(largest_difference(final["velocity"][:], s["A"] @ x), 1e-14)
            self.assertFalse([name for name in record["runs/0000"].attrs if name.startswith("method.")])  # A as it stands

    def test_a_full_disk_leaves_nothing(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))

        self.refused("export", "arch", "--at", "0:0", "-o", "a", status=3, says=["'a", "too large"], preexec_fn=limit)
        self.refused("export", "arch", "--at", "0", "--format", "fclib", "-o", "b", status=3, says=["'b'", "too large"],
                     preexec_fn=limit)
        self.only()

    def test_nothing_is_overwritten(self):
        os.mkdir(self.path("full"))
        os.mkdir(self.path("empty"))
        with open(self.path("full/mine"), "w"):
            pass
        self.refused("export", "heavy-stack", "--at", "0:0", "-o", "full", says=["not empty"])
        self.refused("export", "heavy-stack", "--at", "0:0", "-o", "full/mine", says=["no folder"])
        self.ncpbench("export", "heavy-stack", "--at", "0:0", "-o", "empty/")
        self.assertEqual(len(os.listdir(self.path("empty"))), 9)
        self.only("full", "empty")


class Scenes(Case):
    """--format scene"""

    def exported(self, *words):
        self.ncpbench("export", *words, "--format", "scene", "-o", "scene.json", "--force")
        with open(self.path("scene.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_the_state_is_that_of_the_run(self):
        options = ["--set", "shape=box", "--set", "count=8", "--newton-iterations", "5"]
        self.ncpbench("run", "piling", *options, "--steps", "4", "--store-states", "1", "--repeat", "0", "-o", "a.h5")
        with h5py.File(self.path("a.h5")) as record:
            states = record["runs/0000/states"]
            for frame, at in ((0, 1), (2, 3)):  # a frame is the end of its step
                scene = self.exported("piling", *options, "--at", str(at))
                self.assertAlmostEqual(scene["time_s"], states["time"][frame], delta=1e-15)
                q = [body["position_m"] + body["orientation_wxyz"] for body in scene["bodies"]]
                u = [body["velocity_m_s"] + body["angular_velocity_rad_s"] for body in scene["bodies"]]
                numpy.testing.assert_array_equal(q, states["q"][frame])
                numpy.testing.assert_array_equal(u, states["u"][frame])

    def test_no_step_leads_to_a_scene_s_beginning(self):
        scene = self.exported("heavy-stack", "--set", "count=2", "--at", "0")
        for i, shape in enumerate(scene["shapes"]):
            if shape["kind"] == "box":
                scene["shapes"][i] = {"kind": "ellipsoid", "half_axes_m": shape["half_sizes_m"]}
        with open(self.path("met.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        self.refused("export", "met.json", "--at", "1", "--format", "scene", "-o", "a.json", says=["one of them an ellipsoid"])
        self.assertEqual(self.exported("met.json", "--at", "0")["bodies"], scene["bodies"])

    def test_shapes_and_masses(self):
        scene = self.exported("heavy-stack", "--at", "0")
        self.assertEqual(scene["shapes"], [{"kind": "half-space"}, {"kind": "box", "half_sizes_m": [0.5, 0.5, 0.5]}])
        self.assertEqual([body["mass_kg"] for body in scene["bodies"]], [0, 8, 64, 512, 4096, 32768])
        self.assertEqual([body["kind"] for body in scene["bodies"]], ["fixed"] + 5 * ["dynamic"])
        self.assertEqual((scene["time_s"], scene["time_step_s"], scene["gravity_m_s2"]), (0, 0.0083, [0, 0, -9.81]))
        numpy.testing.assert_allclose(scene["bodies"][2]["inertia_kg_m2"], 64 / 6)
        self.assertEqual(self.exported("piling", "--set", "shape=sphere", "--at", "0")["shapes"][1], {"kind": "sphere", "radius_m": 0.15})

    def test_solids_are_sums_of_terms(self):
        scene = self.exported("bundles", "--at", "0")
        kinds = [shape["kind"] for shape in scene["shapes"]]
        self.assertEqual(kinds, ["half-space", "Minkowski sum", "bundle", "bundle", "Minkowski sum"])
        self.assertEqual([len(shape.get("solids", [])) for shape in scene["shapes"]], [0, 1, 3, 3, 1])
        terms = [sorted(term["kind"] for term in solid["sum_of"]) for solid in scene["shapes"][3]["solids"]]
        self.assertEqual(terms, [["cylinder"], ["cone"], ["ellipsoid", "polyhedron"]])
        capsule = scene["shapes"][2]["solids"][0]["sum_of"]
        self.assertEqual([term["half_m"] for term in capsule], [[0.07, 0.07, 0.07], [0, 0, 0.25]])

    def test_polyhedra_are_closed_and_turned_outwards(self):
        arch, table = self.exported("arch", "--at", "0"), self.exported("piling", "--at", "0")
        self.assertEqual(len(table["shapes"][1]["parts"]), 5)
        for shape in arch["shapes"][1:] + table["shapes"][1:]:
            self.assertEqual(shape["kind"], "polyhedra")
            for part in shape["parts"]:
                vertices, edges = numpy.array(part["vertices_m"]), set()
                for face in part["faces"]:
                    edges |= set(zip(face, face[1:] + face[:1]))
                    normal = numpy.cross(vertices[face[1]] - vertices[face[0]], vertices[face[2]] - vertices[face[0]])
                    self.assertGreater(normal @ (vertices[face[0]] - vertices.mean(axis=0)), 0)
                self.assertEqual(edges, {(b, a) for a, b in edges})

    def test_joints(self):
        scene = self.exported("beam", "--at", "0")
        self.assertEqual((len(scene["joints"]), scene["joints"][0]["kind"], scene["joints"][0]["bodies"]), (16, "fixed", [0, 1]))

    def test_deformable_bodies(self):
        """particles after two steps as the run's record has them, and gradients that make F = 1 of the places at rest"""
        options = ["--set", "cells=4", "--form", "stiffness", "--linear-solver", "cholesky", "--newton-iterations", "5"]
        self.ncpbench("run", "bar", *options, "--steps", "2", "--store-states", "1", "--repeat", "0", "-o", "a.h5")
        scene, rest = self.exported("bar", *options, "--at", "2"), self.exported("bar", *options, "--at", "0")
        with h5py.File(self.path("a.h5")) as record:
            states = record["runs/0000/states"]
            numpy.testing.assert_array_equal([p["position_m"] for p in scene["particles"]], states["particle_x"][1])
            numpy.testing.assert_array_equal([p["velocity_m_s"] for p in scene["particles"]], states["particle_v"][1])
        places = numpy.array([p["position_m"] for p in rest["particles"]])
        for element in rest["tetrahedra"]:
            corners = places[numpy.array(element["particles"], dtype=int)]
            numpy.testing.assert_allclose(corners.T @ numpy.array(element["gradients_1_m"]), numpy.eye(3), atol=1e-12)
            self.assertAlmostEqual(abs(numpy.linalg.det(corners[1:] - corners[0])) / 6, element["volume_m3"], delta=1e-12)
        self.assertEqual({p["kind"] for p in rest["particles"]}, {"fixed", "kinematic", "dynamic"})
        self.assertAlmostEqual(sum(p["mass_kg"] for p in rest["particles"]), 1000 * 0.4 * 0.1 * 0.1, delta=1e-9)
        self.assertEqual(rest["materials"][0]["young_Pa"], 1e5)
        sheet = self.exported("sheet", "--set", "count=4", "--at", "0")
        self.assertEqual((len(sheet["particles"]), len(sheet["springs"]), sheet["springs"][0]["stiffness_N_m"]), (16, 12, 30))

    def test_cavities_enclose_their_volume(self):
        """a closed surface whose volume is that without pressure, at no pressure"""
        scene = self.exported("ball-squish", "--set", "frequency=1", "--at", "0")
        cavity, = scene["cavities"]
        x = numpy.array([p["position_m"] for p in scene["particles"]])
        corners = x[numpy.array(cavity["triangles"], dtype=int).reshape(-1, 3)]
        self.assertEqual((len(corners), cavity["volume_law"], cavity["modulus_Pa"]), (20, "gas", 101325))
        self.assertAlmostEqual(numpy.linalg.det(corners).sum() / 6, cavity["volume_without_pressure_m3"], delta=1e-15)

    def test_sheets_have_their_triangles(self):
        """two layers of 3 x 3 cells of two triangles: with a border, of corners with a skin, and with the sheet's area at rest"""
        scene = self.exported("fold", "--set", "cells=3", "--at", "0")
        triangles = numpy.array([t["particles"] for t in scene["triangles"]], dtype=int)
        self.assertEqual((triangles.shape, len(scene["tetrahedra"]), len(scene["particles"])), ((36, 3), 0, 7 * 4))
        edges = [frozenset((t[k], t[(k + 1) % 3])) for t in triangles for k in range(3)]
        self.assertEqual({frozenset(s["particles"]) for s in scene["springs"]}, set(edges))
        self.assertEqual(sum(edges.count(e) == 1 for e in set(edges)), 2 * (6 + 3))
        x = numpy.array([p["position_m"] for p in scene["particles"]])
        normals = numpy.cross(x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]])
        self.assertAlmostEqual(numpy.linalg.norm(normals, axis=1).sum() / 2, 2 * 0.2 * 0.2, delta=1e-9)  # folded without a stretch

    def test_refusals(self):
        with open(self.path("mine.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        self.refused("export", "arch", "--at", "0", "--format", "scene", "-o", "mine.json", says=["exported scene", "--force"])
        self.exported("arch", "--at", "0")
        self.ncpbench("export", "arch", "--at", "0", "--format", "scene", "-o", "scene.json")  # its own
        self.only("mine.json", "scene.json")


class Systems(Case):
    """solve on Matrix Market files"""

    def write(self, name, matrix, **options):
        scipy.io.mmwrite(self.path(name), matrix, precision=17, **options)

    def solved(self, *arguments):
        """x, which b the table names, and which the record"""
        out, _ = self.ncpbench("solve", *arguments, "--linear-solver", "cholesky", "--solution", "x.mtx", "-o", "r.h5", "--force")
        titles, row = (re.split("  +", line) for line in out.splitlines())
        with h5py.File(self.path("r.h5")) as record:
            parameters = parameters_of(record["runs/0000"].attrs)
        return scipy.io.mmread(self.path("x.mtx")).ravel(), row[titles.index("b")], parameters["rhs"]

    def test_the_right_hand_side_beside(self):
        """NAME_b.mtx, or b.mtx of A.mtx; --rhs goes before, 'ones' as well. A = diag(4, 16): x tells which b it was"""
        os.mkdir(self.path("d"))
        for name in ("A", "long.name"):
            self.write(f"d/{name}.mtx", scipy.sparse.diags([4.0, 16]).tocoo())
        for matrix, beside, value in (("A", None, None), ("A", "b.mtx", 1), ("long.name", None, None), ("long.name", "long.name_b.mtx", 3),
                                      ("A", "A_b.mtx", 5)):  # each file is there from then on
            if beside:
                self.write(f"d/{beside}", numpy.full((2, 1), float(value)))
            x, shown, recorded = self.solved(f"d/{matrix}.mtx")
            self.assertEqual(list(x), [value / 4, value / 16] if beside else [1, 1])
            self.assertEqual((shown, recorded), (beside, f"d/{beside}") if beside else ("A 1", "A 1"))
        x, shown, recorded = self.solved("d/A.mtx", "--rhs", "ones")
        self.assertEqual((list(x), shown, recorded), ([1, 1], "A 1", "A 1"))
        x, shown, recorded = self.solved("d/A.mtx", "--rhs", "d/b.mtx")
        self.assertEqual((list(x), shown, recorded), ([1 / 4, 1 / 16], "b.mtx", "d/b.mtx"))
        os.rename(self.path("d/b.mtx"), self.path("d/x.mtx"))
        self.refused("solve", "d/A.mtx", "--solution", "d/A_b.mtx", says=["'d/A_b.mtx' is read by this command"])
        self.write("d/A_b.mtx", numpy.ones((3, 2)))
        err = self.ncpbench("solve", "d/A.mtx", "--linear-solver", "cholesky", status=3)[1]
        self.assertRegex(err, r"\Ancpbench: 'd/A_b.mtx' is 3 x 2: right-hand sides of 2 rows are needed .*--rhs ones")

    def test_records_without_a_right_hand_side(self):
        """of older programs: compared as if it were A 1, which it was unless told otherwise"""
        self.write("a.mtx", scipy.sparse.diags([2.0, 4]).tocoo())
        for name in ("old.h5", "new.h5"):
            self.ncpbench("solve", "a.mtx", "--linear-solver", "pcg,cholesky", "--repeat", "5", "-o", name)
        with h5py.File(self.path("old.h5"), "r+") as record:
            for run in record["runs"].values():
                del run.attrs["scene.rhs"], run.attrs["texts_checksum"]
        out, _ = self.ncpbench("compare", "old.h5", "new.h5", "--to", "1e-3")
        self.assertEqual(len(out.splitlines()), 3, out)

    def test_every_form_that_scipy_writes(self):
        dense = numpy.array([[4.0, 1, 0], [1, 3, -1], [0, -1, 2]])
        x = numpy.array([1.0, -2, 3])
        self.write("b.mtx", (dense @ x)[:, None])
        sparse = scipy.sparse.coo_matrix(dense)
        for name, matrix, options in (("a.mtx", sparse, {"symmetry": "general"}), ("b2.mtx", sparse, {"symmetry": "symmetric"}),
                                      ("c.mtx", dense, {"symmetry": "general"}), ("d.mtx", dense, {"symmetry": "symmetric"}),
                                      ("e.mtx", sparse.astype(int), {"field": "integer"})):
            self.write(name, matrix, **options)
            self.ncpbench("solve", name, "--rhs", "b.mtx", "--linear-solver", "pcg", "--solution", "x.mtx")
            # condition number below 10
            numpy.testing.assert_allclose(scipy.io.mmread(self.path("x.mtx")).ravel(), x, rtol=1e-13)
            with open(self.path("x.mtx")) as file:
                self.assertEqual(file.readline(), "%%MatrixMarket matrix array real general\n")

    def test_general_matrices(self):
        rng = numpy.random.default_rng(6)
        matrix = numpy.diag(rng.uniform(4, 8, 30)) + rng.normal(size=(30, 30)) / 6
        x = rng.normal(size=30)
        self.write("a.mtx", scipy.sparse.coo_matrix(matrix), symmetry="general")
        self.write("b.mtx", (matrix @ x)[:, None])
        for options in (["klu"], ["umfpack"], ["gmres", "--preconditioner", "none"], ["gmres"], ["fgmres", "--preconditioner", "lu"], ["bicgstab"]):
            iterations = [] if options[0] in ("klu", "umfpack") else ["--linear-iterations", "100"]
            self.ncpbench("solve", "a.mtx", "--rhs", "b.mtx", *iterations, "--solution", "x.mtx", "--linear-solver", *options)
            numpy.testing.assert_allclose(scipy.io.mmread(self.path("x.mtx")).ravel(), x, atol=1e-10)
        self.refused("solve", "a.mtx", "--linear-solver", "pcg", says=["pcg", "symmetric", "gmres, fgmres, bicgstab", "klu"])
        self.refused("solve", "a.mtx", "--linear-solver", "gmres", "--preconditioner", "ssor", says=["ssor", "block-jacobi", "lu"])

    def test_gmres_is_that_of_scipy(self):
        rng = numpy.random.default_rng(7)
        matrix = numpy.diag(rng.uniform(1, 3, 60)) + rng.normal(size=(60, 60)) / 6
        b = rng.normal(size=60)
        self.write("a.mtx", matrix)
        self.write("b.mtx", b[:, None])
        theirs = []
        scipy.sparse.linalg.gmres(matrix, b, restart=8, maxiter=3, callback=theirs.append, callback_type="pr_norm", atol=0)
        self.ncpbench("solve", "a.mtx", "--rhs", "b.mtx", "--linear-solver", "gmres", "--solver-option", "restart=8",
                      "--preconditioner", "none", "--linear-iterations", "24", "-o", "r.h5")
        with h5py.File(self.path("r.h5")) as record:
            ours = record["runs/0000/linear/residual_l2"][:].ravel()
        numpy.testing.assert_allclose(ours[1:25] / numpy.linalg.norm(b), theirs[:24], rtol=1e-10)

    def test_bicgstab_is_that_of_scipy(self):
        """iterate by iterate, with and without a preconditioner, until rounding parts them; and gmres's solution"""
        rng = numpy.random.default_rng(9)
        matrix = numpy.diag(rng.uniform(1, 3, 60)) + rng.normal(size=(60, 60)) / 12
        b = rng.normal(size=60)
        self.write("a.mtx", matrix)
        self.write("b.mtx", b[:, None])
        for preconditioner, inverse in (("none", None), ("jacobi", numpy.diag(1 / numpy.diag(matrix)))):
            theirs = []
            scipy.sparse.linalg.bicgstab(matrix, b, M=inverse, maxiter=8, tol=0, atol=0,
                                         callback=lambda x: theirs.append(numpy.linalg.norm(b - matrix @ x)))
            self.ncpbench("solve", "a.mtx", "--rhs", "b.mtx", "--linear-solver", "bicgstab,gmres", "--preconditioner", preconditioner,
                          "--linear-iterations", "16", "-o", "r.h5", "--force")
            with h5py.File(self.path("r.h5")) as record:
                ours, least = (record[f"runs/000{i}/linear/residual_l2"][:].ravel() for i in (0, 1))
                # eight iterations take the residual to 1e-5: of its 16 digits eleven are left
                self.assertLess(ours[8], 1e-3 * ours[0])
                numpy.testing.assert_allclose(ours[1:9], theirs, rtol=1e-9)
                # gmres's residuals are the least of as many products: two an iteration
                self.assertTrue((ours[1:9] >= least[2:17:2] * (1 - 1e-9)).all())

    def badly_scaled(self, seed=0):
        """a definite system whose rows differ by 1e8, and a right-hand side"""
        rng = numpy.random.default_rng(seed)
        print("seed", seed)
        scale = numpy.diag(10.0 ** rng.uniform(-2, 2, 60))
        root = rng.standard_normal((60, 60))
        matrix, b = scale @ (root @ root.T / 60 + 0.1 * numpy.eye(60)) @ scale, rng.standard_normal(60)
        matrix = (matrix + matrix.T) / 2
        self.write("a.mtx", matrix, symmetry="symmetric")
        self.write("b.mtx", b[:, None])
        return matrix, b

    def solve_to(self, tolerance, *options, **more):
        """the runs of a.mtx, b.mtx: solver, iterations, reason, x, and the histories of both norms"""
        self.ncpbench("solve", "a.mtx", "--rhs", "b.mtx", "--linear-tolerance", str(tolerance), "--linear-iterations", "3000",
                      "-o", "r.h5", "--force", *options, **more)
        with h5py.File(self.path("r.h5")) as record:
            for run in record["runs"].values():
                newton, linear = run["newton"], run["linear"]
                count = int(newton["linear_iterations"][0, 0])
                yield (run.attrs["linear_solver"], count, int(newton["linear_reason"][0, 0]), run["final/reaction"][:],
                       linear["residual_l2"][0, 0, :count + 1], linear["preconditioned_residual"][0, 0, :count + 1])

    def test_all_solvers_stop_at_the_true_residual(self):
        """at the first iterate below it, verified: PCG where SciPy's does, whose tolerance is of the same norm"""
        matrix, b = self.badly_scaled()
        for preconditioner, inverse in (("jacobi", numpy.diag(1 / numpy.diag(matrix))), ("none", None), ("block-jacobi", None),
                                        ("ssor", None)):
            # rows that differ by 1e8 are too much for bicgstab alone, here as in SciPy
            solvers = "pcg,pcr,minres,gmres,fgmres" + ("" if preconditioner == "none" else ",bicgstab")
            for solver, count, reason, x, true, _ in self.solve_to(1e-8, "--linear-solver", solvers,
                                                                   "--preconditioner", preconditioner):
                with self.subTest(solver=solver, preconditioner=preconditioner):
                    self.assertEqual(reason, 1)
                    residual = numpy.linalg.norm(b - matrix @ x) / numpy.linalg.norm(b)
                    self.assertLessEqual(residual, 1e-8 * (1 + 1e-6))  # the order of sums
                    self.assertGreater(true[-2], 1e-8 * true[0])
                    if solver == "pcg" and inverse is not None:
                        steps = []
                        scipy.sparse.linalg.cg(matrix, b, M=inverse, callback=steps.append, maxiter=3000,
                                               tol=1e-8, atol=0)
                        self.assertAlmostEqual(count, len(steps), delta=2)  # sums in other orders, near the tolerance
        for solver, count, reason, x, true, _ in self.solve_to(1e-8, "--linear-solver", "gauss-seidel"):
            self.assertEqual(reason, 1)
            self.assertLessEqual(numpy.linalg.norm(b - matrix @ x), 1e-8 * numpy.linalg.norm(b) * (1 + 1e-6))
            self.assertGreater(true[-3], 1e-8 * true[0])  # what a sweep meets is a sweep behind

    def test_other_norms_stop_where_they_say(self):
        matrix, b = self.badly_scaled(1)
        inverse = 1 / numpy.diag(matrix)
        options = ("--linear-solver", "pcg,pcr,minres", "--preconditioner", "jacobi")
        for solver, _, reason, x, true, natural in self.solve_to(1e-8, *options, "--linear-norm", "natural", status=1):
            self.assertEqual(reason, 1)
            self.assertLessEqual(natural[-1], 1.001e-8 * natural[0])  # by recurrence
            self.assertGreater(natural[-2], 1e-8 * natural[0])
            self.assertGreater(true[-1], 1e-7 * true[0])  # which is another criterion
        for solver, _, reason, x, _, _ in self.solve_to(1e-8, *options, "--linear-norm", "preconditioned", status=1):
            self.assertEqual(reason, 1)
            residual = numpy.linalg.norm(inverse * (b - matrix @ x)) / numpy.linalg.norm(inverse * b)
            self.assertLessEqual(residual, 1e-8 * (1 + 1e-6))
        with h5py.File(self.path("r.h5")) as record:
            self.assertEqual(record["runs/0000"].attrs["linear_norm"], "preconditioned")
        self.refused("solve", "a.mtx", "--linear-solver", "gmres", "--linear-tolerance", "1e-8", "--linear-norm", "natural",
                     says=["gmres", "--linear-norm natural", "true"])

    def test_minres_goes_on_below_small_eigenvalues(self):
        """eigenvalues of 1e-10 are not zero: what is left is what rounding leaves, as with pcr and a factorisation"""
        rng = numpy.random.default_rng(1)
        root = rng.standard_normal((40, 3))
        self.write("a.mtx", root @ root.T + 1e-10 * numpy.eye(40), symmetry="symmetric")
        self.write("b.mtx", rng.standard_normal((40, 1)))
        for solver, count, reason, _, true, _ in self.solve_to(0, "--linear-solver", "pcr,minres", "--preconditioner", "none"):
            self.assertEqual(reason, 3)
            self.assertLess(true[-1] / true[0], 1e-3)  # eps |A| |x| = 1e-16 * 50 * 1e10

    def test_inconsistent_systems_are_called_so(self):
        """b outside the range: a row of zeros, and a chain without an end held, whose null vector is (1, ..., 1)"""
        chain = 2 * numpy.eye(12) - numpy.eye(12, k=1) - numpy.eye(12, k=-1)
        chain[0, 0] = chain[-1, -1] = 1
        for matrix, b, solvers in ((numpy.diag([1.0, 0, 2]), numpy.ones(3), "pcg,pcr,minres,gmres,fgmres,bicgstab,gauss-seidel,jacobi"),
                                   (chain, numpy.arange(12.0), "pcr,minres,gmres,fgmres")):  # pcg and bicgstab end otherwise
            self.write("a.mtx", scipy.sparse.coo_matrix(matrix), symmetry="symmetric")
            for preconditioner in ("none", "jacobi", "ssor"):
                for outside in (1, 0):
                    self.write("b.mtx", (b if outside else matrix @ b)[:, None])
                    for solver, _, reason, _, _, _ in self.solve_to(1e-8, "--linear-solver", solvers, "--preconditioner",
                                                                    preconditioner, status=outside):
                        with self.subTest(solver=solver, preconditioner=preconditioner, outside=outside):
                            self.assertEqual(reason, 18 if outside else 1)

    def test_many_solvers_at_once(self):
        self.write("a.mtx", scipy.sparse.coo_matrix(numpy.diag([1.0, 2, 3])))
        out, err = self.ncpbench("solve", "a.mtx", "--linear-solver", "cholesky,pcr,jacobi", "--precision", "f64,f32",
                                 "--repeat", "2", "-o", "r.h5")
        self.assertEqual(len(out.splitlines()), 1 + 6)
        with h5py.File(self.path("r.h5")) as record:
            self.assertEqual(len(record["runs"]), 6)
            for run in record["runs"].values():
                self.assertLess(run["newton/linear_residual"][0, 0], 1e-6)  # diagonal: exact but for roundings
                numpy.testing.assert_allclose(run["final/reaction"][:], 1, rtol=1e-6)

    def test_tolerance_not_met_is_status_1(self):
        rng = numpy.random.default_rng(5)
        root = rng.normal(size=(40, 40))
        self.write("a.mtx", root @ root.T)
        options = ["--linear-iterations", "2", "--linear-tolerance", "1e-10"]
        out, err = self.ncpbench("solve", "a.mtx", *options, status=1)
        self.assertIn("not converged", out)
        self.ncpbench("solve", "a.mtx", "--linear-solver", "cholesky")
        self.refused("solve", "a.mtx", "--linear-solver", "cholesky", *options, says=["--linear-iterations has no effect with cholesky"])

    def test_residuals_are_of_the_system_given(self):
        """f32 rounds A: what it solves to round-off leaves a residual in A that its own arithmetic does not see"""
        rng = numpy.random.default_rng(8)
        basis = numpy.linalg.qr(rng.normal(size=(20, 20)))[0]
        matrix = basis @ numpy.diag(numpy.logspace(0, -5, 20)) @ basis.T
        matrix, b = (matrix + matrix.T) / 2, basis[:, -1]
        self.write("a.mtx", matrix, symmetry="symmetric")
        self.write("b.mtx", b[:, None])
        for solver in ("cholesky", "pcg", "gmres"):
            for precision in ("f64", "f32"):
                self.ncpbench("solve", "a.mtx", "--rhs", "b.mtx", "--linear-solver", solver, "--precision", precision, "--solution",
                              "x.mtx", "-o", "r.h5")
                residual = numpy.linalg.norm(b - matrix @ scipy.io.mmread(self.path("x.mtx")).ravel())
                with h5py.File(self.path("r.h5")) as record:
                    newton = record["runs/0000/newton"]
                    # |b| = 1; products of 1e5 at round-off
                    self.assertAlmostEqual(newton["linear_residual"][0, 0], residual, delta=1e-10)
                    self.assertAlmostEqual(newton["residual_l2"][0, 1], residual, delta=1e-10)

    def test_what_relaxation_leaves_out_is_not_solved(self):
        """rows of a negative diagonal are no part of Gauss-Seidel's sweeps and norm"""
        for diagonal in ([1.0, 2, -3, 4], [-1.0, -2]):
            self.write("a.mtx", scipy.sparse.coo_matrix(numpy.diag(diagonal)), symmetry="symmetric")
            for options in (["gauss-seidel"], ["jacobi", "--solver-option", "variant=plain"]):
                out, err = self.ncpbench("solve", "a.mtx", "--linear-solver", *options, "--linear-tolerance", "1e-8", status=1)
                self.assertRegex(out, "(stagnated|breakdown), not converged")

    def test_refusals(self):
        self.write("long.mtx", numpy.ones((2, 3)))
        self.write("skew.mtx", numpy.array([[1.0, 2], [-2, 1]]), symmetry="general")
        self.write("complex.mtx", numpy.array([[1.0, 2j], [2j, 1]]))
        self.write("good.mtx", numpy.eye(2))
        self.write("b3.mtx", numpy.ones((3, 1)))
        with open(self.path("lie.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 4000000000\n1 1 1\n")
        self.write("big.mtx", numpy.diag([1e300, 1.0]))
        self.refused("solve", "long.mtx", status=3, says=["long.mtx", "2 x 3", "square"])
        self.refused("solve", "skew.mtx", says=["pcr", "symmetric", "klu"])
        self.refused("solve", "complex.mtx", status=3, says=["complex"])
        self.refused("solve", "lie.mtx", status=3, says=["lie.mtx", "4000000000"])
        for rhs in ("b3.mtx", "none.mtx", "lie.mtx"):
            err = self.ncpbench("solve", "good.mtx", "--rhs", rhs, status=3)[1]
            self.assertRegex(err, rf"\Ancpbench: [^\n]*{rhs}[^\n]*\n\Z")
        self.assertIn("f32 cannot hold", self.ncpbench("solve", "big.mtx", "--precision", "f32", status=3)[1])
        self.refused("solve", "good.mtx", "--newton-tolerance", "1e-6", says=["--linear-tolerance"])
        self.refused("solve", "good.mtx", "--precision", "f32,f64", "--solution", "x.mtx", says=["--solution"])
        self.ncpbench("export", "heavy-stack", "--at", "0", "--format", "fclib", "-o", "p.hdf5")
        self.refused("solve", "p.hdf5", "good.mtx", says=["good.mtx", "two calls"])
        self.refused("solve", "p.hdf5", "--rhs", "b3.mtx", says=["--rhs", "p.hdf5"])


class Fclib(Case):
    def velocities(self, scene, step, options=()):
        """those of the contacts at the end of the step, and their impulses, as the scenario itself is solved"""
        self.ncpbench("run", scene, "--steps", str(step + 1), *EXACT, *options, "-o", f"{scene}.h5")
        with h5py.File(self.path(f"{scene}.h5")) as record:
            final = record["runs/0000/final"]
            h = final.attrs["time_step"]
            u = numpy.column_stack([final["gap"][:] / h, final["slip"][:]]).ravel()
            return u, numpy.column_stack([final["lambda_normal"][:], final["lambda_friction"][:]]).ravel() * h

    def solved(self, name):
        self.ncpbench("solve", name, "--linear-solver", "cholesky", "--relative-tolerance", "1e-9", "-o", f"{name}.h5")
        with h5py.File(self.path(f"{name}.h5")) as record:
            return record["runs/0000/final/velocity"][:]

    def test_the_problem_is_that_of_the_scenario(self):
        """velocities agree to the tolerances of the solves: 1e-9 of ||q|| (below 5 m/s) for the problem, and the last
        natural map of the scenario; the velocities of these problems are as well conditioned as their natural maps"""
        for scene, step, size in (("incline", 2, 1), ("wall", 1, 3), ("beam", 3, 4), ("arch", 2, 8)):
            options = [] if scene == "incline" else ["--size", str(size)]
            u, impulse = self.velocities(scene, step, options)
            self.ncpbench("export", scene, "--at", str(step), "--format", "fclib", *EXACT, *options, "-o", "local.hdf5")
            with h5py.File(self.path("local.hdf5")) as file:
                local = file["fclib_local"]
                w, q = columns_of(local["W"]), local["vectors/q"][:]
                self.assertEqual("V" in local, scene == "beam")
                if "V" not in local:
                    numpy.testing.assert_allclose(w @ impulse + q, u, atol=1e-8)
                self.assertIn(scene, file["fclib_local/info/title"][()].decode())
            numpy.testing.assert_allclose(self.solved("local.hdf5"), u, atol=1e-8)

    def test_bits_are_the_same_with_all_instruction_sets(self):
        """what is exported of one state, at rest and with a body that is moved; a set that this processor lacks is left out"""
        self.ncpbench("export", "wall", "--size", "3", "--at", "3", "--format", "scene", "-o", "wall.json")
        scene = json.loads(self.bytes_of("wall.json"))
        for body in scene["bodies"]:
            if body["kind"] == "fixed":
                body.update(kind="kinematic", velocity_m_s=[0.3, -0.7, 0.1], angular_velocity_rad_s=[0.11, 0.13, -0.17])
        with open(self.path("moved.json"), "w") as file:
            json.dump(scene, file)
        for name in "wall", "moved":
            numbers = {}
            for kernels in "avx512", "avx2", "baseline":
                _, err = self.ncpbench("export", f"{name}.json", "--at", "0", "--format", "fclib", "--geometry", "frozen", "-o", "a.hdf5", "--force",
                                       status=None, env={**os.environ, "NCPBENCH_KERNELS": kernels})
                if "NCPBENCH_KERNELS" in err and kernels != "baseline":
                    continue
                with h5py.File(self.path("a.hdf5")) as file:
                    local = file["fclib_local"]
                    numbers[kernels] = [local[part][()].tobytes() for part in ("W/x", "vectors/q", "vectors/mu")]
            self.assertGreater(len(numbers["baseline"][1]), 8 * 3 * 20)
            for kernels in numbers:
                self.assertEqual(numbers[kernels], numbers["baseline"], (name, kernels))

    def test_soft_contacts(self):
        """W has e/h^2 on the normals' diagonal, and its solution is the step's: a - e/h^2 z_n is the gap over h"""
        options = ["--contact-compliance", "1e-5"]
        u, impulse = self.velocities("wall", 3, ["--size", "2", *options])
        self.ncpbench("export", "wall", "--size", "2", "--at", "3", "--format", "fclib", *EXACT, *options, "-o", "local.hdf5")
        with h5py.File(self.path("local.hdf5")) as file:
            w, q = columns_of(file["fclib_local/W"]), file["fclib_local/vectors/q"][:]
        u[0::3] += 1e-5 / 0.0083**2 * impulse[0::3]
        numpy.testing.assert_allclose(w @ impulse + q, u, atol=1e-8)
        numpy.testing.assert_allclose(self.solved("local.hdf5"), u, atol=1e-8)

    def test_friction_that_depends_on_the_direction(self):
        """the second tangents are stretched, which makes discs of the ellipses: both forms say so, and solve to the step's
        velocities"""
        options = ["--friction-ratio", "2", "--friction-direction", "0.6"]
        u, impulse = self.velocities("incline", 2, options)
        u[2::3] *= 2
        impulse[2::3] /= 2
        for kind in ("fclib", "fclib-global"):
            self.ncpbench("export", "incline", "--at", "2", "--format", kind, *EXACT, *options, "-o", f"{kind}.hdf5")
            numpy.testing.assert_allclose(self.solved(f"{kind}.hdf5"), u, atol=1e-8)
        with h5py.File(self.path("fclib.hdf5")) as file:
            w, q = columns_of(file["fclib_local/W"]), file["fclib_local/vectors/q"][:]
            mu = file["fclib_local/vectors/mu"][:]
        numpy.testing.assert_allclose(w @ impulse + q, u, atol=1e-8)
        force = impulse.reshape(-1, 3)
        numpy.testing.assert_allclose(numpy.hypot(force[:, 1], force[:, 2]), mu * force[:, 0], atol=1e-8)

    def siconos_text(self, name, dimension, contacts, mass=None, rolling=False, seed=1):
        """a random problem in Siconos's text, dense; a global one where it has a mass matrix"""
        rng, rows = numpy.random.default_rng(seed), dimension * contacts
        matrices, vectors = [], []
        if mass is None:
            jacobian = rng.uniform(-1, 1, (rows, rows))
            matrices = [jacobian @ jacobian.T + 0.01 * rng.uniform(-1, 1, (rows, rows))]  # not quite symmetric
        else:
            matrices = [mass, rng.uniform(-1, 1, (len(mass), rows))]
            vectors = [rng.uniform(-1, 1, len(mass))]
        vectors += [rng.uniform(-1, 1, rows), rng.uniform(0.1, 0.9, contacts)]
        if rolling:
            vectors.append(rng.uniform(0.01, 0.2, contacts))
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(f"{dimension}\n{contacts}\n")
            for matrix in matrices:
                size = f"{matrix.shape[0]}\n{matrix.shape[1]}\n"
                file.write("0\n" + size + size.replace("\n", "\t", 1))
                for column in matrix.T:
                    file.write(" ".join(f"{x:.24e}" for x in column) + "\n")
            for vector in vectors:
                file.write(" ".join(f"{x:.24e}" for x in vector) + "\n")
        return matrices, vectors

    def everything_of(self, name):
        """the bytes of each dataset but the description, which has the command"""
        found = {}
        with h5py.File(self.path(name)) as file:
            file.visititems(lambda path, item: found.__setitem__(path, item[()].tobytes())
                            if isinstance(item, h5py.Dataset) and "info" not in path else None)
        return found

    def reaction_of(self, name):
        self.ncpbench("solve", name, "--method", "interior-point", "--relative-tolerance", "1e-8", "-o", "solved.h5", "--force")
        with h5py.File(self.path("solved.h5")) as record:
            self.assertLessEqual(record["runs/0000/steps/natural_map_relative"][0], 1e-8)
            return record["runs/0000/final/reaction"][:].tobytes()

    def test_local_problems_of_files(self):
        """Siconos's text in FCLIB's format: every bit of W, q, mu and mu_r, the same solution, and itself when written again"""
        for dimension, rolling in ((2, False), (3, False), (3, True), (5, True)):
            (w,), vectors = self.siconos_text("a.dat", dimension, 4, rolling=rolling, seed=dimension)
            self.ncpbench("export", "a.dat", "--format", "fclib", "-o", "a.hdf5", "--force")
            with h5py.File(self.path("a.hdf5")) as file:
                local = file["fclib_local_rolling" if rolling else "fclib_local"]
                self.assertEqual(local["spacedim"][0], dimension)
                self.assertEqual(columns_of(local["W"]).tobytes(), w.tobytes())
                for name, vector in zip(("q", "mu", "mu_r"), vectors):
                    self.assertEqual(local[f"vectors/{name}"][:].tobytes(), vector.tobytes())
                self.assertEqual(local["info/title"][()].decode(), "a.dat")
                self.assertEqual("mu_r" in local["vectors"], rolling)
                self.assertEqual("plasticity" in local["info/description"][()].decode(), rolling and dimension == 3)
            if rolling and dimension == 3:  # a text that Siconos's plasticity problems look like
                self.assertIn("plasticity", self.ncpbench("solve", "a.dat", "--method", "interior-point", status=None)[1])
            self.ncpbench("export", "a.hdf5", "--format", "fclib", "-o", "b.hdf5", "--force")
            self.assertEqual(self.everything_of("a.hdf5"), self.everything_of("b.hdf5"))
            self.assertEqual(self.reaction_of("a.dat"), self.reaction_of("b.hdf5"))

    def test_global_problems_of_files(self):
        """the same of M, H, f, w; a local problem of it has the W that reading makes"""
        rng = numpy.random.default_rng(5)
        for dimension, rolling in ((2, False), (3, False), (3, True), (5, True)):
            mass = numpy.zeros((12, 12))
            for body in range(2):
                part = rng.uniform(-1, 1, (6, 6))
                mass[6 * body:6 * body + 6, 6 * body:6 * body + 6] = part @ part.T + 2 * numpy.eye(6) + 0.1 * part  # not symmetric
            (_, h), vectors = self.siconos_text("a.dat", dimension, 3, mass=mass, rolling=rolling, seed=dimension)
            self.ncpbench("export", "a.dat", "--format", "fclib-global", "-o", "a.hdf5", "--force")
            with h5py.File(self.path("a.hdf5")) as file:
                whole = file["fclib_global_rolling" if rolling else "fclib_global"]
                self.assertEqual(whole["spacedim"][0], dimension)
                self.assertEqual(columns_of(whole["M"]).tobytes(), mass.tobytes())
                self.assertEqual(columns_of(whole["H"]).tobytes(), h.tobytes())
                for name, vector in zip(("f", "w", "mu", "mu_r"), vectors):
                    self.assertEqual(whole[f"vectors/{name}"][:].tobytes(), vector.tobytes())
            self.ncpbench("export", "a.hdf5", "--format", "fclib-global", "-o", "b.hdf5", "--force")
            self.assertEqual(self.everything_of("a.hdf5"), self.everything_of("b.hdf5"))
            self.assertEqual(self.reaction_of("a.dat"), self.reaction_of("b.hdf5"))
            self.ncpbench("export", "b.hdf5", "--format", "fclib", "-o", "c.hdf5", "--force")
            self.assertEqual(self.reaction_of("a.dat"), self.reaction_of("c.hdf5"))

    def test_joints_of_files(self):
        """a step's problem with joints, written, read and written again; and a global one that is given joints"""
        self.ncpbench("export", "beam", "--size", "8", "--at", "1", "--format", "fclib", *EXACT, "-o", "local.hdf5")
        self.ncpbench("export", "arch", "--size", "4", "--at", "1", "--format", "fclib-global", *EXACT, "-o", "global.hdf5")
        with h5py.File(self.path("global.hdf5"), "r+") as file:
            whole = file["fclib_global"]
            count, g = whole["M/n"][0], whole.create_group("G")
            for name, numbers in {"nzmax": [3], "m": [count], "n": [2], "nz": [-1], "p": [0, 2, 3], "i": [0, 7, 3]}.items():
                g.create_dataset(name, data=numpy.array(numbers, "i4"))
            g.create_dataset("x", data=numpy.array([1.0, -0.5, 1.0]))
            whole.create_dataset("vectors/b", data=numpy.array([0.01, 0.0]))
        for form, name in (("fclib", "local.hdf5"), ("fclib-global", "global.hdf5")):
            self.ncpbench("export", name, "--format", form, "-o", "b.hdf5", "--force")
            self.assertEqual(self.everything_of(name), self.everything_of("b.hdf5"))
            self.assertEqual(self.reaction_of(name), self.reaction_of("b.hdf5"))

    def test_problem_files_that_cannot_be_written(self):
        self.siconos_text("a.dat", 3, 2)
        self.refused("export", "a.dat", "--format", "fclib-global", "-o", "x.hdf5", says=["a.dat", "local problem", "--format fclib"])
        self.refused("export", "a.dat", "--format", "fclib", "-o", "a.dat", says=["a.dat"])
        self.only("a.dat")

    def test_global_and_local_are_one_problem(self):
        """W = H^T M^-1 H and so on hold to the roundings of an inverse of well conditioned blocks"""
        for kind in ("fclib", "fclib-global"):
            self.ncpbench("export", "arch", "--at", "1", "--format", kind, *EXACT, "-o", f"arch-{kind}.hdf5")
        with h5py.File(self.path("arch-fclib.hdf5")) as a, h5py.File(self.path("arch-fclib-global.hdf5")) as b:
            local, whole = a["fclib_local"], b["fclib_global"]
            mass, h = columns_of(whole["M"]), columns_of(whole["H"])
            flow = h.T @ numpy.linalg.inv(mass)
            self.assertLess(largest_difference(flow @ h, columns_of(local["W"])), 1e-13)
            q = flow @ whole["vectors/f"][:] + whole["vectors/w"][:]
            self.assertLess(largest_difference(q, local["vectors/q"][:]), 1e-13)
            numpy.testing.assert_array_equal(whole["vectors/mu"][:], local["vectors/mu"][:])
        u, _ = self.velocities("arch", 1)
        numpy.testing.assert_allclose(self.solved("arch-fclib-global.hdf5"), u, atol=1e-8)


class Glb:
    """a binary glTF file: what its description says, held to what its numbers are"""

    def __init__(self, content):
        magic, version, length, size, kind = struct.unpack("<4sIII4s", content[:20])
        assert (magic, version, length, kind, size % 4) == (b"glTF", 2, len(content), b"JSON", 0)
        self.json = json.loads(content[20:20 + size])
        size, kind = struct.unpack("<I4s", content[20 + size:28 + size])
        self.buffer = content[len(content) - size:]
        assert (kind, size, size % 4) == (b"BIN\0", self.json["buffers"][0]["byteLength"], 0)
        self.nodes = {node["name"]: node for node in self.json["nodes"]}
        self.channels = {}
        for animation in self.json.get("animations", []):
            for channel in animation["channels"]:
                sampler, target = animation["samplers"][channel["sampler"]], channel["target"]
                name = self.json["nodes"][target["node"]]["name"]
                self.channels[name, target["path"]] = (self.numbers(sampler["input"])[:, 0], self.numbers(sampler["output"]), sampler["interpolation"])

    def numbers(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        start, count = accessor["byteOffset"], accessor["count"] * width
        assert start + 4 * count <= view["byteLength"] and view.get("byteStride", 4 * width) == 4 * width and count > 0
        numbers = numpy.frombuffer(self.buffer, {5125: "<u4", 5126: "<f4"}[accessor["componentType"]], count, view["byteOffset"] + start).reshape(-1, width)
        assert numpy.isfinite(numbers).all()
        if "min" in accessor:
            numpy.testing.assert_array_equal(numpy.float32([accessor["min"], accessor["max"]]), [numbers.min(axis=0), numbers.max(axis=0)])
        return numbers

    def value(self, name, path, time):
        """at a time that is a key's, or of steps"""
        if (name, path) not in self.channels:
            return numpy.array(self.nodes[name][path])
        times, values, kind = self.channels[name, path]
        key = max(0, numpy.searchsorted(times, time, "right") - 1)
        assert kind == "STEP" or times[key] == time
        return values[key]

    def primitives(self, name):
        for of in self.json["meshes"][self.nodes[name]["mesh"]]["primitives"]:
            points, corners = self.numbers(of["attributes"]["POSITION"]).astype(float), self.numbers(of["indices"])[:, 0]
            yield points, corners.reshape(-1, {1: 2, 4: 3}[of["mode"]]), of


def turned(q, v):
    """by a quaternion x y z w"""
    return v + 2 * numpy.cross(q[:3], numpy.cross(q[:3], v) + q[3] * v)


class Animation(Case):
    def export(self, words, *options):
        """runs the scene; the states and what is read back of them"""
        self.ncpbench("run", *words, "--repeat", "0", "-o", "a.h5", "--force")
        self.assertEqual(self.ncpbench("export", "a.h5", "--format", "gltf", *options, "-o", "a.glb"), ("", ""))
        with h5py.File(self.path("a.h5")) as record:
            states = {name: data[:] for name, data in record["runs/0000/states"].items() if isinstance(data, h5py.Dataset)}
        return states, Glb(self.bytes_of("a.glb"))

    def test_poses_and_shapes(self):
        for shape, volume in ("box", 0.3 ** 3), ("sphere", 4 / 3 * numpy.pi * 0.15 ** 3):
            states, glb = self.export(["piling", "--set", f"shape={shape}", "--set", "count=9", "--steps", "60", "--store-states", "5"])
            q, times = states["q"], states["time"] - states["time"][0]
            moving = 0
            for body in range(q.shape[1]):
                name = f"body {body}"
                for path, columns in ("translation", [0, 1, 2]), ("rotation", [4, 5, 6, 3]):
                    expected = q[:, body, columns]
                    keys, values, kind = glb.channels.get((name, path), (times, expected[:1], "LINEAR"))
                    numpy.testing.assert_allclose(keys, times, atol=1e-6)
                    numpy.testing.assert_allclose(numpy.broadcast_to(values, expected.shape), expected, atol=1e-6)
                    numpy.testing.assert_allclose(glb.nodes[name][path], expected[0], atol=1e-6)
                    self.assertEqual(kind, "LINEAR")
                    moving += (name, path) in glb.channels
                (points, triangles, of), = glb.primitives(name)
                corner = points[triangles]
                if abs(points).max() < 1:  # closed, and outwards
                    own = numpy.einsum("ij,ij->i", corner[:, 0], numpy.cross(corner[:, 1], corner[:, 2])).sum() / 6
                    self.assertLess(abs(own / volume - 1), 1e-6 if shape == "box" else 0.04)
                if "NORMAL" in of["attributes"]:
                    numpy.testing.assert_allclose(glb.numbers(of["attributes"]["NORMAL"]), points / 0.15, atol=1e-6)
            self.assertGreaterEqual(moving, 9)
            points = {of["attributes"]["POSITION"] for mesh in glb.json["meshes"] for of in mesh["primitives"]}
            self.assertLess(len(points), 7, "equal shapes share their points")
            whole = glb.json["nodes"][glb.json["scenes"][0]["nodes"][0]]
            self.assertEqual(sorted(whole["children"]), list(range(1, len(glb.json["nodes"]))))
            numpy.testing.assert_allclose(turned(numpy.array(whole["rotation"]), numpy.array([1.0, 2, 3])), [1, 3, -2], atol=1e-6)  # y up

    def test_the_camera_sees_what_moves(self):
        states, glb = self.export(["piling", "--set", "count=9", "--steps", "10", "--store-states", "5"])
        camera = glb.nodes["camera"]
        conjugate = numpy.array(camera["rotation"]) * [-1, -1, -1, 1]
        half = numpy.tan(glb.json["cameras"][0]["perspective"]["yfov"] / 2)
        for place in states["q"][0][:, :3]:
            x, y, z = turned(conjugate, place - camera["translation"])
            if abs(place).max() < 100 and place[2] > 0.1:
                self.assertTrue(z < 0 and abs(y / z) < half and abs(x / z) < 16 / 9 * half, place)
        self.assertEqual(glb.nodes["sun"]["extensions"]["KHR_lights_punctual"]["light"], 0)
        self.assertLess(turned(numpy.array(glb.nodes["sun"]["rotation"]), numpy.array([0, 0, -1.0]))[2], -0.5)

    def test_deformable_bodies(self):
        for words in ["fold", "--set", "cells=3"], ["soft-stack", "--set", "count=1", "--set", "cells=1", "--set", "young=1e4"], ["sheet", "--set", "count=6"]:
            states, glb = self.export([*words, "--steps", "6", "--store-states", "2"])
            names = [name for name in glb.nodes if name.startswith("state ")]
            self.assertEqual(len(names), len(states["time"]))
            for frame, time in enumerate(states["time"] - states["time"][0]):
                shown = [name for name in names if glb.value(name, "scale", numpy.float32(time)).any()]
                self.assertEqual(shown, [f"state {frame}"])
                self.assertEqual(glb.nodes[shown[0]]["scale"], 3 * [int(frame == 0)])
                drawn = {tuple(point) for points, corners, _ in glb.primitives(shown[0]) for point in points[corners].reshape(-1, 3)}
                particles = {tuple(point) for point in states["particle_x"][frame].astype("f4").astype(float)}
                self.assertLessEqual(drawn, particles)
                self.assertGreater(len(drawn), 0.7 * len(particles))

    def test_forces_of_pairs(self):
        states, glb = self.export(["arch", "--set", "count=6", "--steps", "4", "--store-states", "2"], "--show", "forces")
        a, b = states["contact_body_a"].astype(int), states["contact_body_b"].astype(int)
        force = numpy.stack([states[f"contact_force_{axis}"] for axis in "xyz"], axis=-1)
        scales = []
        for frame, time in enumerate(states["time"] - states["time"][0]):
            pairs = {}
            for i in range(int(states["contact_count"][frame])):
                first = a[frame, i] > b[frame, i]
                key = (a[frame, i], b[frame, i]) if first else (b[frame, i], a[frame, i])
                pairs[key] = pairs.get(key, 0) + (1 if first else -1) * force[frame, i]
            arrows = []
            for name in glb.nodes:
                scale = glb.value(name, "scale", numpy.float32(time))
                if name.startswith("force ") and scale.any():
                    arrows.append(turned(glb.value(name, "rotation", numpy.float32(time)).astype(float), numpy.array([0, 0, 1.0])) * scale[2])
            self.assertEqual(len(arrows), sum(numpy.linalg.norm(f) > 0 for f in pairs.values()))
            for f in (f for f in pairs.values() if numpy.linalg.norm(f) > 0):
                parallel = [arrow for arrow in arrows if numpy.linalg.norm(numpy.cross(arrow, f)) < 1e-5 * numpy.linalg.norm(arrow) * numpy.linalg.norm(f) and arrow @ f > 0]
                self.assertTrue(parallel, f)
                scales.append(numpy.linalg.norm(parallel[0]) / numpy.linalg.norm(f))
        self.assertGreater(len(scales), 10)
        self.assertLess(max(scales) / min(scales) - 1, 1e-5, "one scale for all")

    def test_what_diverged_stays_where_it_was(self):
        self.ncpbench("run", "arch", "--steps", "4", "--repeat", "0", "--store-states", "1", "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+") as record:
            q = record["runs/0000/states/q"][:]
            q[2, 3, 0], q[2, 4, 3:], q[2, 5, 1] = numpy.nan, 0, 1e300
            record["runs/0000/states/q"][...] = q
        self.ncpbench("export", "a.h5", "--format", "gltf", "-o", "a.glb")
        glb = Glb(self.bytes_of("a.glb"))
        for body in 3, 4, 5:
            for path in "translation", "rotation":
                _, values, _ = glb.channels[f"body {body}", path]
                numpy.testing.assert_array_equal(values[2], values[1])
                self.assertTrue((values[3] != values[2]).any())

    def test_faults(self):
        self.ncpbench("export", "heavy-stack", "--format", "scene", "--at", "0", "-o", 'a"\nb.json')
        self.ncpbench("run", 'a"\nb.json', "--steps", "1", "--newton-iterations", "1", "--store-states", "1", "-o", "a.h5")
        self.ncpbench("export", "a.h5", "--format", "gltf", "-o", "a.glb")
        self.assertIn('a"\nb', Glb(self.bytes_of("a.glb")).json["scenes"][0]["name"])
        self.ncpbench("export", "a.h5#0", "--format", "gltf", "-o", "a.glb")  # in place of its own
        self.ncpbench("run", "arch", "--steps", "1", "--newton-iterations", "1", "-o", "none.h5")
        gltf = ["--format", "gltf", "-o", "b.glb"]
        self.refused("export", "none.h5", *gltf, status=3, says=["arch", "--store-states"])
        self.refused("export", "a.h5#1", *gltf, status=3, says=["no run 1"])
        self.refused("export", "arch", *gltf, says=["record", "--store-states"])
        self.refused("export", "a.h5", "--at", "1", *gltf, says=["--show forces"])
        self.refused("export", "a.h5", *gltf, "--show", "errors", says=["errors", "forces"])
        self.refused("export", "arch", "--at", "0:0", "-o", "b", "--show", "forces", says=["--show", "gltf"])
        self.refused("export", "a.h5", "--format", "gltf", "-o", "none.h5", says=["none.h5", "animation"])
        self.only('a"\nb.json', "a.h5", "a.glb", "none.h5")


if __name__ == "__main__":
    sys.exit(unittest.main())
