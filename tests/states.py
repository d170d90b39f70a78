"""Stored states as a VTKHDF grid: the bodies' shapes where q says, computed here anew from the scenarios' measures.

NCPBENCH names the program. The class Reader looks through VTK's own reader (python3-vtk9) and ends with 77 where that is
not installed; the class Group reads every frame with h5py, by the offsets of the group Steps as the format defines them.
"""
import subprocess
import sys
import unittest

import h5py
import numpy

from cli_case import Case

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkObject
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError:
    vtkHDFReader = None

LINE, TRIANGLE, POLYGON, QUAD, TETRAHEDRON, HEXAHEDRON = 3, 5, 7, 9, 10, 12
CUBE = numpy.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
QUICK = ["--newton-iterations", "3", "--linear-iterations", "10"]
# per scene: arguments, and the half-sizes of the boxes that most of its bodies are
STACK = ["heavy-stack", "--set", "box-size=0.5", "--steps", "9", "--store-states", "3"], (0.25, 0.25, 0.25)
BEAM = ["beam", "--set", "count=5", "--steps", "6", "--store-states", "2"], (0.025, 0.015, 0.01)
BOXES = ["piling", "--set", "shape=box", "--set", "count=9", "--steps", "40", "--store-states", "20"], (0.15, 0.15, 0.15)
SPHERES = ["piling", "--set", "shape=sphere", "--set", "count=9", "--steps", "40", "--store-states", "20"], None
TABLES = ["piling", "--set", "count=5", "--steps", "20", "--store-states", "20"], None
BAR = ["bar", "--set", "cells=4", "--set", "duration=0.05", "--geometric-stiffness", "diagonal", "--form", "stiffness", "--steps", "4", "--store-states", "2"], None
SHEET = ["sheet", "--set", "count=6", "--steps", "4", "--store-states", "2"], None
BLOCK = ["soft-stack", "--set", "count=1", "--set", "cells=1", "--set", "young=1e4", "--steps", "4", "--store-states", "2"], None
FOLD = ["fold", "--set", "cells=3", "--steps", "4", "--store-states", "2"], None
ARCH = ["arch", "--set", "count=6", "--steps", "2", "--store-states", "1"], None


def rotation(q):
    w, x, y, z = q
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class Frame:
    """a grid: points, cells as (kind, corners), body and velocities of each cell"""

    def __init__(self, points, kinds, starts, corners, data):
        self.points = numpy.asarray(points, float)
        self.kinds, self.data = numpy.asarray(kinds), data
        self.cells = [corners[starts[i]:starts[i + 1]] for i in range(len(kinds))]

    def faces_of(self, body):
        """the outward faces of a body's cells, by its corners' numbers"""
        of_hexahedron = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
        of_tetrahedron = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
        for i in numpy.flatnonzero(self.data["body"] == body):
            cell = self.cells[i]
            if self.kinds[i] == HEXAHEDRON:
                yield from ([cell[k] for k in face] for face in of_hexahedron)
            elif self.kinds[i] == TETRAHEDRON:
                yield from ([cell[k] for k in face] for face in of_tetrahedron)
            else:
                yield list(cell)

    def volume(self, body):
        """what the body's cells enclose; the faces must be closed: each edge is run through once either way"""
        edges, volume = set(), 0
        for face in self.faces_of(body):
            for a, b in zip(face, face[1:] + face[:1]):
                assert (a, b) not in edges, f"body {body}: an edge is run through twice in one direction"
                edges.add((a, b))
            corner = self.points[face]
            volume += sum(numpy.linalg.det([corner[0], corner[k], corner[k + 1]]) for k in range(1, len(face) - 1)) / 6
        assert all((b, a) in edges for a, b in edges), f"body {body}: its faces leave a gap"
        return volume

    def corners_of(self, body):
        return self.points[sorted({k for i in numpy.flatnonzero(self.data["body"] == body) for k in self.cells[i]})]


def frame_of(group, f):
    """frame f of a VTKHDF group, as a reader of version 2 finds it"""
    steps = group["Steps"]
    part, parts = steps["PartOffsets"][f], steps["NumberOfParts"][f]
    assert parts == 1
    points, cells, ids = (group[name][part] for name in ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"))
    first, cell, corner = steps["PointOffsets"][f], steps["CellOffsets"][f, 0], steps["ConnectivityIdOffsets"][f, 0]
    data = {name: array[steps["CellDataOffsets"][name][f]:][:cells] for name, array in group["CellData"].items()}
    return Frame(group["Points"][first:first + points], group["Types"][cell:cell + cells],
                 group["Offsets"][cell + part:][:cells + 1], group["Connectivity"][corner:corner + ids], data)


class States(Case):
    def make(self, arguments):
        self.ncpbench("run", *arguments, *QUICK, "-o", "states.h5")
        record = h5py.File(self.path("states.h5"), "r")
        self.addCleanup(record.close)
        return record

    def check(self, frame, q, u, half):
        """one frame against the bodies' places; half: half-sizes of the boxes among them, or None"""
        size = abs(frame.points).max()
        rounding = size * 2e-7  # single precision rounds by 6e-8, products before it by less
        boxes = 0
        for body in numpy.unique(frame.data["body"]):
            mine = frame.data["body"] == body
            for k, name in enumerate(("velocity", "angular_velocity")):
                largest = 1e-30 + abs(u[body]).max()
                error = abs(frame.data[name][mine] - u[body, 3 * k:3 * k + 3]).max()
                self.assertLessEqual(error, 1e-7 * largest, (name, body))
            if half is None or list(frame.kinds[mine]) != [HEXAHEDRON]:
                continue
            corners = q[body, :3] + CUBE * half @ rotation(q[body, 3:]).T
            found = frame.corners_of(body)
            self.assertEqual(found.shape, (8, 3))
            nearest = numpy.linalg.norm(found[:, None] - corners[None], axis=2)
            self.assertLessEqual(nearest.min(axis=0).max(), 2 * rounding, body)
            self.assertLessEqual(nearest.min(axis=1).max(), 2 * rounding, body)
            # corners in VTK's order: the volume comes out right, and positive
            self.assertAlmostEqual(frame.volume(body) / (8 * numpy.prod(half)), 1, delta=100 * rounding / min(half))
            boxes += 1
        return boxes


class Group(States):
    def frames(self, scene, count):
        record = self.make(scene[0])
        states = record["runs/0000/states"]
        self.assertEqual(record.get("VTKHDF", getlink=True).path, "/runs/0000/states")
        self.assertEqual(list(states.attrs["Version"]), [2, 0])
        self.assertEqual(states.attrs["Type"], b"UnstructuredGrid")
        self.assertEqual(states["Steps"].attrs["NSteps"], count)
        numpy.testing.assert_array_equal(states["Steps/Values"], states["time"])
        numpy.testing.assert_allclose(states["time"], record["runs/0000/steps/time"][:][int(scene[0][-1]) - 1::
                                                                                       int(scene[0][-1])], rtol=1e-15)
        self.assertEqual(len(states["Points"]), count * states["NumberOfPoints"][0])
        numpy.testing.assert_array_equal(states["q"][-1], record["runs/0000/final/q"])
        numpy.testing.assert_array_equal(states["u"][-1], record["runs/0000/final/u"])
        def described(name, item):
            if isinstance(item, h5py.Dataset):
                self.assertTrue(item.attrs["units"] and item.attrs["long_name"], name)
        states.visititems(described)
        return [(frame_of(states, f), states["q"][f], states["u"][f]) for f in range(count)]

    def test_boxes(self):
        for scene, count, boxes in ((STACK, 3, 5), (BEAM, 3, 5), (BOXES, 2, 9)):
            frames = self.frames(scene, count)
            for frame, q, u in frames:
                self.assertEqual(self.check(frame, q, u, scene[1]), boxes, scene)
            self.assertGreater(abs(frames[-1][0].points - frames[0][0].points).max(), 1e-5, "nothing moved")

    def test_spheres_are_round_and_closed(self):
        for frame, q, u in self.frames(SPHERES, 2):
            self.check(frame, q, u, None)
            spheres = [b for b in range(len(q)) if numpy.sum(frame.data["body"] == b) > 1]
            self.assertEqual(len(spheres), 9)
            for body in spheres:
                far = numpy.linalg.norm(frame.corners_of(body) - q[body, :3], axis=1)
                numpy.testing.assert_allclose(far, 0.15, atol=1e-6)
                # 6 bands and 12 segments enclose less than the sphere, by 13 % at most
                self.assertTrue(0.87 < frame.volume(body) / (4 / 3 * numpy.pi * 0.15 ** 3) < 1)

    def test_polyhedra_have_their_volume(self):
        for scene in (TABLES, BEAM, ARCH):
            with self.subTest(scene[0][0]):
                count = int(scene[0][scene[0].index("--steps") + 1]) // int(scene[0][-1])
                first = None
                for frame, q, u in self.frames(scene, count):
                    self.check(frame, q, u, None)
                    solids = [b for b in numpy.unique(frame.data["body"])
                              if list(frame.kinds[frame.data["body"] == b]) != [QUAD]]
                    volumes = numpy.array([frame.volume(b) for b in solids])
                    self.assertTrue((volumes > 0).all())
                    if first is None:
                        first = volumes
                    numpy.testing.assert_allclose(volumes, first, rtol=1e-3)  # bodies are rigid; corners are singles

    def test_elements_are_cells_between_particles(self):
        for scene, kind, corners in ((BAR, TETRAHEDRON, 4), (SHEET, LINE, 2)):
            frames = self.frames(scene, 2)
            with h5py.File(self.path("states.h5"), "r") as record:
                states = record["runs/0000/states"]
                numpy.testing.assert_array_equal(states["particle_x"][-1], record["runs/0000/final/particle_x"])
                numpy.testing.assert_array_equal(states["particle_v"][-1], record["runs/0000/final/particle_v"])
                for f, (frame, q, u) in enumerate(frames):
                    self.assertEqual(len(q), 0)
                    x, v = states["particle_x"][f], states["particle_v"][f]
                    numpy.testing.assert_allclose(frame.points, x, atol=1e-7)
                    self.assertEqual(set(frame.kinds), {kind})
                    self.assertTrue((frame.data["body"] == -1).all() and all(len(cell) == corners for cell in frame.cells))
                    mean = numpy.array([v[cell].mean(axis=0) for cell in frame.cells])
                    numpy.testing.assert_allclose(frame.data["velocity"], mean, atol=1e-6)
                    for cell in frame.cells if kind == TETRAHEDRON else []:
                        self.assertGreater(numpy.linalg.det(x[cell[1:]] - x[cell[0]]), 0)
                self.assertGreater(abs(states["particle_x"][1] - states["particle_x"][0]).max(), 1e-4, "nothing moved")

    def test_triangles_are_cells_between_particles(self):
        """a sheet of two layers of 3 x 3 cells on a ground: every edge has a spring, and at most two triangles"""
        frames = self.frames(FOLD, 2)
        with h5py.File(self.path("states.h5"), "r") as record:
            run = record["runs/0000"]
            self.assertEqual((run.attrs["triangles"], run.attrs["tetrahedra"]), (2 * 6 * 3, 0))
            for f, (frame, _, _) in enumerate(frames):
                x, v = run["states/particle_x"][f], run["states/particle_v"][f]
                soft = numpy.flatnonzero(frame.data["body"] < 0)
                cells = [frame.cells[i] for i in soft if frame.kinds[i] == TRIANGLE]
                springs = {tuple(sorted(frame.cells[i])) for i in soft if frame.kinds[i] == LINE}
                first = len(frame.points) - len(x)
                numpy.testing.assert_allclose(frame.points[first:], x, atol=1e-7)
                self.assertEqual((len(cells), len(springs)), (36, 45 + 18))  # edges of the grid, and a diagonal a cell
                edges = [tuple(sorted((c[k], c[(k + 1) % 3]))) for c in cells for k in range(3)]
                self.assertEqual(set(edges), springs)
                self.assertEqual(sorted(numpy.unique([edges.count(e) for e in set(edges)])), [1, 2])
                self.assertEqual(sum(edges.count(e) == 1 for e in set(edges)), 2 * (6 + 3))  # the border
                mean = numpy.array([v[numpy.array(c) - first].mean(axis=0) for c in cells])
                numpy.testing.assert_allclose([frame.data["velocity"][i] for i in soft if frame.kinds[i] == TRIANGLE],
                                              mean, atol=1e-6)

    def test_tetrahedra_have_their_volumetric_strain(self):
        # cells of five: one in the middle with a third of their volume, four at corners with a sixth
        for scene, cell, cells, bodies in ((BAR, 0.1 * 0.1 * 0.1, 4, 0), (BLOCK, 0.1 * 0.1 * 0.1, 1, 1)):
            frames = self.frames(scene, 2)
            with h5py.File(self.path("states.h5"), "r") as record:
                for f, (frame, _, _) in enumerate(frames):
                    x, strain = record["runs/0000/states/particle_x"][f], frame.data["volumetric_strain"]
                    elements = frame.data["body"] < 0
                    self.assertEqual((sum(~elements), sum(elements)), (bodies, 5 * cells))
                    self.assertTrue(numpy.isnan(strain[~elements]).all())
                    corners = numpy.array([c for c, of in zip(frame.cells, elements) if of])
                    first = len(frame.points) - len(x)
                    edges = x[corners[:, 1:] - first] - x[corners[:, :1] - first]
                    at_rest = numpy.linalg.det(edges) / 6 / (1 + strain[elements])
                    numpy.testing.assert_allclose(sorted(at_rest), cell / 6 * numpy.sort([1, 1, 1, 1, 2] * cells),
                                                  rtol=1e-6)
                    self.assertGreater(abs(strain[elements]).max(), 1e-4, "nothing is strained")
        self.frames(SHEET, 2)
        with h5py.File(self.path("states.h5"), "r") as record:
            self.assertNotIn("volumetric_strain", record["runs/0000/states/CellData"])

    def test_the_ground_reaches_under_the_scene(self):
        frame, q, _ = self.frames(STACK, 3)[0]
        ground = [b for b in range(len(q)) if list(frame.kinds[frame.data["body"] == b]) == [QUAD]]
        self.assertEqual(len(ground), 1)
        corners = frame.corners_of(ground[0])
        numpy.testing.assert_allclose(corners[:, 2], 0, atol=1e-6)
        self.assertGreater(corners[:, 0].max(), 0.25)
        up = numpy.cross(*(frame.points[frame.cells[numpy.flatnonzero(frame.data["body"] == ground[0])[0]][1:3]]
                           - frame.points[frame.cells[numpy.flatnonzero(frame.data["body"] == ground[0])[0]][0]]))
        self.assertGreater(up[2], 0)

    def test_every_run_has_its_own(self):
        record = self.make(STACK[0] + ["--linear-solver", "pcr,minres"])
        self.assertEqual(record.get("VTKHDF", getlink=True).path, "/runs/0000/states")
        for run in record["runs"].values():
            self.assertEqual(self.check(frame_of(run["states"], 2), run["states/q"][2], run["states/u"][2], STACK[1]), 5)

    def test_a_copy_of_the_group_is_a_file_of_its_own(self):
        record = self.make(STACK[0] + ["--linear-solver", "pcr,minres"])
        states = record["runs/0001/states"]
        subprocess.run(["h5copy", "-i", "states.h5", "-s", "/runs/0001/states", "-o", "copy.vtkhdf", "-d", "VTKHDF"],
                       cwd=self.folder.name, check=True)
        with h5py.File(self.path("copy.vtkhdf")) as copy:
            for f in range(3):
                numpy.testing.assert_array_equal(frame_of(copy["VTKHDF"], f).points, frame_of(states, f).points)

    def test_contacts_are_a_grid_of_points(self):
        """every frame by its offsets, as the format defines them; some frames have no contacts"""
        record = self.make(["fold", "--set", "cells=3", "--steps", "20", "--store-states", "5"])
        states = record["runs/0000/states"]
        grid, counts = states["contacts"], states["contact_count"][:]
        steps = grid["Steps"]
        self.assertEqual((list(grid.attrs["Version"]), grid.attrs["Type"], steps.attrs["NSteps"]), ([2, 0], b"UnstructuredGrid", len(counts)))
        self.assertTrue(len(set(counts)) > 2 and 0 in counts, counts)
        numpy.testing.assert_array_equal(steps["Values"], states["time"])
        for f, count in enumerate(counts):
            part, first, cell = steps["PartOffsets"][f], steps["PointOffsets"][f], steps["CellOffsets"][f, 0]
            points, cells, ids = (grid[name][part] for name in ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"))
            self.assertEqual((steps["NumberOfParts"][f], points, cells, ids, grid["Types"][cell]), (1, count, 1, count, 2))
            self.assertEqual(list(grid["Offsets"][cell + part:][:cells + 1]), [0, count])
            self.assertEqual(list(grid["Connectivity"][steps["ConnectivityIdOffsets"][f, 0]:][:ids]), list(range(count)))
            of = lambda name: states["contact_" + name][f, :count].astype(numpy.float32)
            right = {name: numpy.stack([of(f"{name}_{axis}") for axis in "xyz"], axis=1) for name in ("point", "force", "slip")}
            right.update(gap=of("gap"), mode=of("mode"), error=numpy.fmax(of("normal_error"), of("friction_error")))
            numpy.testing.assert_array_equal(grid["Points"][first:first + points], right.pop("point"))
            self.assertEqual(set(right), set(grid["PointData"]))
            for name, numbers in right.items():
                start = steps["PointDataOffsets"][name][f]
                numpy.testing.assert_array_equal(grid["PointData"][name][start:start + points], numbers, err_msg=name)

    def test_none_without_states(self):
        record = self.make(["heavy-stack", "--steps", "1"])
        self.assertNotIn("VTKHDF", record)
        self.assertNotIn("states", record["runs/0000"])


class Reader(States):
    """Debian 12 has VTK 9.1, which knows version 1 of the format: it sees the first frame, and warns"""

    def read(self, name):
        vtkObject.GlobalWarningDisplayOff()
        reader = vtkHDFReader()
        reader.SetFileName(self.path(name))
        reader.Update()
        grid = reader.GetOutput()
        cells = grid.GetCells()
        data = {grid.GetCellData().GetArrayName(i): vtk_to_numpy(grid.GetCellData().GetArray(i))
                for i in range(grid.GetCellData().GetNumberOfArrays())}
        return Frame(vtk_to_numpy(grid.GetPoints().GetData()), vtk_to_numpy(grid.GetCellTypesArray()),
                     vtk_to_numpy(cells.GetOffsetsArray()), vtk_to_numpy(cells.GetConnectivityArray()), data)

    def test_scenes(self):
        for scene, boxes, cells in ((STACK, 5, 6), (BEAM, 5, 5 + 4 * 7), (BOXES, 9, 10), (SPHERES, None, 9 * 72 + 1),
                                    (TABLES, None, 5 * 5 + 1)):
            with self.subTest(scene[0]):
                states = self.make(scene[0])["runs/0000/states"]
                frame, same = self.read("states.h5"), frame_of(states, 0)
                self.assertEqual(len(frame.kinds), cells)
                found = self.check(frame, states["q"][0], states["u"][0], scene[1])
                self.assertEqual(found, boxes or 0)
                numpy.testing.assert_array_equal(frame.points, same.points)
                numpy.testing.assert_array_equal(frame.kinds, same.kinds)
                self.assertEqual([list(c) for c in frame.cells], [list(c) for c in same.cells])
                self.assertEqual(sorted(frame.data), ["angular_velocity", "body", "velocity"])


if __name__ == "__main__":
    if "Reader" in sys.argv[1:] and not vtkHDFReader:
        print("VTK's reader (python3-vtk9) is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv if sys.argv[1:] else [sys.argv[0], "Group"])
