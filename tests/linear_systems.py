"""Linear systems of Matrix Market files, solved and said what they came to: fill of direct solvers, pivots, what is symmetric, what has no solution.

    NCPBENCH=build/ncpbench python3 tests/linear_systems.py [Class...]

Each class is a test of ctest (linear_systems_Class). Matrices are made here, from a seed that is printed.
"""
import os
import unittest

import h5py
import numpy
import scipy.io

from cli_case import Case

SEED = int(os.environ.get("NB_TEST_SEED", 1))


def write_matrix(path, a, symmetric=False):
    """the nonzero entries of a dense matrix"""
    rows, columns = numpy.nonzero(numpy.tril(a) if symmetric else a)
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real {'symmetric' if symmetric else 'general'}\n{a.shape[0]} {a.shape[1]} {len(rows)}\n")
        file.writelines(f"{i + 1} {j + 1} {a[i, j]:.17g}\n" for i, j in zip(rows, columns))


def reason_of(out):
    """the reason in the last line of what solve prints"""
    return out.strip().splitlines()[-1].split()[-1]


class SystemCase(Case):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)
        print(f"NB_TEST_SEED={SEED}")

    def solved(self, a, solver, *more, status=0, symmetric=False):
        """(reason, relative residual computed here, columns of the record) of A x = A (1, .., 1)"""
        write_matrix(self.path("a.mtx"), a, symmetric)
        out, _ = self.ncpbench("solve", "a.mtx", "--rhs", "ones", "--linear-solver", solver, "--repeat", "0", "-o", "a.h5", "--force", *more, status=status)
        with h5py.File(self.path("a.h5")) as record:
            run = record["runs/0000"]
            b, x = a.sum(axis=1), run["final/reaction"][:]
            newton = {name: run["newton"][name][0, 0] for name in ("factor_nonzeros", "system_nonzeros")}
            return reason_of(out), numpy.linalg.norm(b - a @ x) / numpy.linalg.norm(b), newton


class Direct(SystemCase):
    def permuted_triangle(self, rows):
        """a triangular matrix whose diagonal of 2 is off the diagonal after its rows and columns change places"""
        a = numpy.where(self.random.random((rows, rows)) < 4 / rows, self.random.uniform(-1, 1, (rows, rows)), 0)
        a = numpy.tril(a, -1) + 2 * numpy.eye(rows)
        return a[self.random.permutation(rows)][:, self.random.permutation(rows)]

    def test_a_missing_diagonal_stays_missing(self):
        """blocks of one row: the factors have no fill, and the system is the file's"""
        a = self.permuted_triangle(500)
        for solver in ("klu", "umfpack"):
            reason, residual, columns = self.solved(a, solver)
            self.assertEqual(columns["system_nonzeros"], numpy.count_nonzero(a))
            self.assertLessEqual(columns["factor_nonzeros"], numpy.count_nonzero(a) + 500, solver)
            self.assertLess(residual, 1e-12)
            self.assertEqual(reason, "exact")

    def test_lu_as_a_preconditioner_too(self):
        reason, residual, _ = self.solved(self.permuted_triangle(300), "gmres", "--preconditioner", "lu", "--linear-tolerance", "1e-10")
        self.assertEqual(reason, "converged")
        self.assertLess(residual, 1e-10)

    def test_multifrontal_on_regular_matrices(self):
        """random signs; the diagonal may be missing, or whole"""
        tried = 0
        for k in range(120):
            n = 20
            a = numpy.zeros((n, n))
            for i in range(n):
                a[i, self.random.choice(n, 4, replace=False)] = self.random.choice([-1, 1], 4)
            if k % 2:
                a += numpy.diag(self.random.choice([-1, 1], n) * (numpy.diag(a) == 0))
            if numpy.linalg.cond(a) > 1e4:
                continue
            tried += 1
            reason, residual, _ = self.solved(a, "multifrontal")
            self.assertEqual(reason, "exact")
            self.assertLess(residual, 1e-8)
        self.assertGreater(tried, 40)

    def test_multifrontal_without_a_diagonal(self):
        a = self.permuted_triangle(400)
        a[:200, :200] += numpy.where(self.random.random((200, 200)) < 0.01, 1, 0)
        numpy.fill_diagonal(a, 0)
        numpy.fill_diagonal(a[:, 1:], 3)
        a[-1, 0] = 3
        reason, residual, _ = self.solved(a, "multifrontal")
        self.assertEqual(reason, "exact")
        self.assertLess(residual, 1e-9)

    def test_singular_matrices_are_called_so(self):
        """by pattern (two columns that share their only row), and by value: a right-hand side outside the range"""
        a = numpy.eye(12)[self.random.permutation(12)] + numpy.diag(numpy.ones(11), 1)
        a[:, 3] = a[:, 7] = 0
        a[5, 3] = a[5, 7] = 1
        self.assertEqual(self.solved(a, "multifrontal")[0], "singular")
        b = self.random.standard_normal((30, 29)) @ self.random.standard_normal((29, 30))
        write_matrix(self.path("b.mtx"), b)
        write_matrix(self.path("r.mtx"), self.random.standard_normal((30, 1)))
        for solver in ("multifrontal", "umfpack", "klu"):
            out, _ = self.ncpbench("solve", "b.mtx", "--rhs", "r.mtx", "--linear-solver", solver, "--repeat", "0")
            self.assertEqual(reason_of(out), "singular", solver)


class RightHandSides(SystemCase):
    def test_one_set_up_serves_all_columns(self):
        """a block and a vector: x as numpy has it, one row of the record per column, one factorization in the first"""
        a = numpy.diag(4 + numpy.arange(40.)) + numpy.diag(numpy.ones(39), 1) + numpy.diag(numpy.ones(39), -1)
        blocks = [self.random.standard_normal((40, k)) for k in (3, 1)]
        write_matrix(self.path("a.mtx"), a, symmetric=True)
        for name, block in zip("bc", blocks):
            write_matrix(self.path(f"{name}.mtx"), block)
        for solver, tolerance, more in (("cholesky", 1e-13, []), ("pcg", 1e-9, ["--linear-tolerance", "1e-10", "--linear-iterations", "200"])):
            out, _ = self.ncpbench("solve", "a.mtx", "--rhs", "b.mtx,c.mtx", "--linear-solver", solver, *more, "--repeat", "2", "--solution", "x.mtx",
                                   "-o", "r.h5", "--force")
            self.assertIn("b.mtx, ...", out)
            x = numpy.linalg.solve(a, numpy.hstack(blocks))
            self.assertLess(abs(scipy.io.mmread(self.path("x.mtx")) - x).max(), tolerance)
            with h5py.File(self.path("r.h5")) as record:
                run = record["runs/0000"]
                self.assertLess(abs(run["final/reaction"][...].reshape(4, 40).T - x).max(), tolerance)
                self.assertEqual(run["steps/time"].shape, (4,))
                flops = run["newton/setup_flops"][...][:, 0] if solver == "cholesky" else None
                if flops is not None:
                    self.assertTrue(flops[0] > 0 and not flops[1:].any(), flops)
            compared, _ = self.ncpbench("compare", "r.h5", "r.h5")
            self.assertNotIn("sha256", compared)

    def test_matrices_may_be_a_comma_list(self):
        for name in ("a.mtx", "b.mtx"):
            write_matrix(self.path(name), 2 * numpy.eye(4), symmetric=True)
        out, _ = self.ncpbench("solve", "a.mtx,b.mtx", "--linear-solver", "cholesky", "--repeat", "0")
        self.assertEqual([line.split()[0] for line in out.splitlines()], ["system", "a.mtx", "b.mtx"])


class Krylov(SystemCase):
    def test_a_right_hand_side_outside_the_range_is_called_so(self):
        """a chain with free ends: A (1, .., 1) = 0, and b has a part along it"""
        n = 100
        a = numpy.diag(numpy.r_[1, 2 * numpy.ones(n - 2), 1]) - numpy.diag(numpy.ones(n - 1), 1) - numpy.diag(numpy.ones(n - 1), -1)
        for scale in (1e-3, 1, 100):
            b = a @ self.random.standard_normal((n, 1)) + scale
            write_matrix(self.path("a.mtx"), a, symmetric=True)
            write_matrix(self.path("r.mtx"), b)
            for solver in ("pcg", "pcr", "minres"):
                for preconditioner in ("none", "jacobi", "block-jacobi"):
                    out, _ = self.ncpbench("solve", "a.mtx", "--rhs", "r.mtx", "--linear-solver", solver, "--preconditioner", preconditioner,
                                           "--linear-tolerance", "1e-8", "--linear-iterations", "2000", "--repeat", "0", status=1)
                    self.assertIn("inconsistent", out, (scale, solver, preconditioner))

    def test_a_singular_system_with_a_solution_is_solved(self):
        b = self.random.standard_normal((40, 30))
        for solver in ("pcg", "pcr"):
            reason, residual, _ = self.solved(b @ b.T, solver, "--linear-tolerance", "1e-8", "--linear-iterations", "1000", symmetric=True)
            self.assertEqual(reason, "converged")
            self.assertLess(residual, 2e-8)

    def test_recycling_in_f32(self):
        """the wall, by the natural map of steps"""
        run = ["run", "wall", "--settle", "2", "--steps", "2", "--newton-iterations", "30", "--linear-iterations", "2000", "--linear-tolerance", "1e-5",
               "--recycle", "20", "--repeat", "0", "-o", "r.h5", "--force"]
        err = self.ncpbench(*run, "--precision", "f32", "--linear-solver", "pcg", status=64)[1]
        self.assertIn("'pcg' does not support --recycle in f32; use pcr, or --precision mixed", err)
        for more in (["f32", "--linear-solver", "pcr"], ["mixed", "--linear-solver", "pcg"]):
            self.ncpbench(*run, "--precision", *more, status=None)
            with h5py.File(self.path("r.h5")) as record:
                self.assertLess(record["runs/0000/steps/natural_map_error"][:].max(), 1e-3, more)


class Symmetry(SystemCase):
    def test_symmetric_is_symmetric_to_round_off(self):
        b = self.random.standard_normal((40, 60))
        for part in (1e-15, 5e-15):
            a = b @ b.T
            a[0, 1] *= 1 + part
            self.assertEqual(self.solved(a, "cholesky")[0], "exact")
        for part in (1e-12, 1e-10, 1e-6, 1e-4):
            a = b @ b.T
            a[0, 1] *= 1 + part * a[0, 0] * a[1, 1] / a[0, 1] ** 2
            write_matrix(self.path("a.mtx"), a)
            for solver in ("cholesky", "pcg"):
                err = self.refused("solve", "a.mtx", "--linear-solver", solver, says=["unsymmetric", "by ", solver, "umfpack"])
                self.assertNotIn("overhead", err)

    def test_what_needs_velocities_is_not_proposed(self):
        write_matrix(self.path("a.mtx"), 2 * numpy.eye(4), symmetric=True)
        self.refused("solve", "a.mtx", "--linear-solver", "pcg", "--preconditioner", "tree", says=["tree", "problem file"])


class Residuals(SystemCase):
    def test_a_residual_of_zero_is_drawn(self):
        """a diagonal system solved exactly: a curve of two points, the second at the lower edge"""
        write_matrix(self.path("diag.mtx"), numpy.diag(numpy.arange(1., 21)), symmetric=True)
        self.ncpbench("solve", "diag.mtx", "--linear-solver", "pcg,umfpack", "--preconditioner", "none", "--linear-tolerance", "1e-8", "-o", "z.h5")
        self.ncpbench("figure", "convergence", "--from", "z.h5", "-o", "z.svg", "--csv", "z.csv")
        with open(self.path("z.csv")) as file:
            self.assertEqual([line.split(",")[-1].strip() for line in file if "umfpack" in line], ["1", "0"])
        with open(self.path("z.txt")) as file:
            self.assertIn("lower edge", file.read())


class Kinds(SystemCase):
    """Siconos's text of problems that are none of contacts"""

    def dense(self, n):
        return f"0\n{n} {n}\n{n} {n}\n" + "\n".join(f"{float(i == j):.17e}" for j in range(n) for i in range(n)) + "\n"

    def test_complementarity_problems_are_refused_by_their_kind(self):
        vector = " ".join(["-1.0"] * 3) + "\n"
        texts = {"LCP": "3\n" + self.dense(3) + vector, "relay": "3\n" + self.dense(3) + 3 * vector,
                 "MLCP": "1\n0\n2\n1\n" + self.dense(3) + vector, "(LCP) of 25": "25\n" + self.dense(25) + 9 * vector}
        for kind, content in texts.items():
            with open(self.path("p.dat"), "w") as file:
                file.write(content)
            self.refused("solve", "p.dat", status=3, says=[kind, "no contact problem"])

    def test_a_contact_problem_is_read(self):
        for dimension in (2, 3):
            with open(self.path("p.dat"), "w") as file:
                file.write(f"{dimension}\n1\n" + self.dense(dimension) + " ".join(["-1.0"] * dimension) + "\n0.5\n")
            self.ncpbench("solve", "p.dat")


if __name__ == "__main__":
    unittest.main()
