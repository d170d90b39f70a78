"""PETSc's solvers (--linear-solver petsc, petsc-shell; --petsc), beside the built-in ones and beside PETSc alone.

    NCPBENCH=build/ncpbench python3 tests/petsc.py

Skipped where the build has no ncpbench-petsc.so.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import h5py
import numpy
import scipy.io

from cli_case import PATIENCE, PROGRAM, Case, runs_of, start, text

CR = "-ksp_type cr -pc_type jacobi"
NEWTON = ["--steps", "1", "--method", "newton", "--newton-iterations"]


def petsc4py():
    """the module, or None; where Debian has it"""
    sys.path += glob.glob("/usr/lib/petscdir/*/*-real/lib/python3/dist-packages")
    os.environ["OMPI_MCA_ess_singleton_isolated"] = "1"  # else MPI starts a daemon, which needs ssh
    try:
        import petsc4py as module
        module.init(["petsc"])
        from petsc4py import PETSc
        return PETSc
    except ImportError:
        return None


class Petsc(Case):
    def run_wall(self, *arguments, record="a.h5", status=None, newton=2):
        return self.ncpbench("run", "wall", "--set", "width=8", "--set", "height=6", *NEWTON, str(newton), *arguments, "-o", record, "--force",
                             status=status)

    def system(self, form="compliance", scene="wall"):
        """one Newton system: A, b"""
        self.ncpbench("export", scene, "--form", form, "--at", "0:2", "-o", f"{scene}-{form}", "--force")
        folder = self.path(f"{scene}-{form}")
        return scipy.io.mmread(f"{folder}/A.mtx").tocsr(), numpy.asarray(scipy.io.mmread(f"{folder}/b.mtx")).ravel(), folder

    def solution(self, folder, *arguments, status=None):
        self.out, _ = self.ncpbench("solve", f"{folder}/A.mtx", "--rhs", f"{folder}/b.mtx", "--solution", "x.mtx", *arguments, "-o", "s.h5", "--force",
                                    status=status)
        return numpy.asarray(scipy.io.mmread(self.path("x.mtx"))).ravel()

    def test_iterates_are_those_of_pcr(self):
        _, _, folder = self.system()
        for iterations in (1, 2, 5, 10, 20):
            limit = ["--linear-iterations", str(iterations), "--linear-tolerance", "0"]
            ours = self.solution(folder, "--linear-solver", "pcr", "--preconditioner", "jacobi", *limit)
            for solver in ("petsc", "petsc-shell"):
                theirs = self.solution(folder, "--linear-solver", solver, "--petsc", CR, *limit)
                self.assertLess(numpy.linalg.norm(ours - theirs), 1e-8 * numpy.linalg.norm(ours), f"{solver}, {iterations} iterations")

    def test_converged_is_true(self):
        """by PETSc's default norms these end 10 to 20 times above the tolerance"""
        for form, scene in (("compliance", "wall"), ("stiffness", "wall"), ("stiffness", "soft-stack")):
            a, b, folder = self.system(form, scene)
            for options in ("-ksp_type gmres -pc_type ilu -ksp_gmres_restart 200", "-ksp_type cr -pc_type sor", CR, "-ksp_type minres -pc_type jacobi",
                            "-ksp_type bcgs -pc_type jacobi", "-ksp_type cg -pc_type gamg", "-ksp_type cg -pc_type cholesky -mat_type sbaij",
                            "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps"):
                x = self.solution(folder, "--linear-solver", "petsc", "--petsc", options, "--linear-tolerance", "1e-8", "--linear-iterations", "1000")
                with h5py.File(self.path("s.h5")) as record:
                    residual = record["runs/0000/newton/linear_residual"][()].ravel()[0]
                true = numpy.linalg.norm(b - a @ x)
                self.assertAlmostEqual(residual, true / numpy.linalg.norm(b), delta=1e-9, msg=options)
                if form == "stiffness" and "bcgs" not in options:  # the other is singular: not all get there; bcgs stands still where round-off has it
                    self.assertRegex(self.out, "  (converged|exact)\n", f"{scene}: {options}")
                if "  converged\n" in self.out:
                    self.assertLessEqual(true, 1.001e-8 * numpy.linalg.norm(b), f"{scene}: {options}")

    def test_own_norms(self):
        """the norm of D^-1 r for the preconditioned one, the true residual's for the other; none without norms"""
        a, b, folder = self.system("stiffness")
        for kind, weight in (("preconditioned", 1 / a.diagonal()), ("unpreconditioned", numpy.ones(len(b)))):
            x = self.solution(folder, "--linear-solver", "petsc", "--petsc", f"-ksp_type cg -pc_type jacobi -ksp_norm_type {kind}",
                              "--linear-tolerance", "0", "--linear-iterations", "5")
            with h5py.File(self.path("s.h5")) as record:
                own = record["runs/0000/linear/own_norm"][0, 0]
            self.assertEqual(len(own), 6)
            numpy.testing.assert_allclose(own[[0, 5]], [numpy.linalg.norm(weight * b), numpy.linalg.norm(weight * (b - a @ x))], rtol=1e-8)
        self.solution(folder, "--linear-solver", "petsc", "--petsc", "-ksp_type richardson -pc_type jacobi -ksp_norm_type none",
                      "--linear-tolerance", "0", "--linear-iterations", "5")
        with h5py.File(self.path("s.h5")) as record:
            self.assertNotIn("own_norm", record["runs/0000/linear"])
            self.assertEqual(record["runs/0000/linear/residual_l2"].shape[2], 6)

    def test_counts_are_those_of_petsc_alone(self):
        """within 2; of many iterations within 10 %: the true residual is looked at where PETSc's own norm has fallen as far, and BLAS rounds"""
        library = petsc4py()
        if library is None:
            self.skipTest("petsc4py is not installed")
        a, b, folder = self.system("stiffness", "wall")
        for kind, preconditioner in (("cg", "jacobi"), ("cr", "jacobi"), ("cg", "icc"), ("gmres", "jacobi"), ("minres", "jacobi")):
            options = f"-ksp_type {kind} -pc_type {preconditioner}"
            self.solution(folder, "--linear-solver", "petsc", "--petsc", options, "--linear-tolerance", "1e-8", "--linear-iterations", "5000")
            with h5py.File(self.path("s.h5")) as record:
                ours = record["runs/0000/newton/linear_iterations"][()].ravel()[0]
            matrix = library.Mat().createAIJ(a.shape, csr=(a.indptr.astype("i4"), a.indices.astype("i4"), a.data), comm=library.COMM_SELF)
            right, x = library.Vec().createWithArray(b.copy(), comm=library.COMM_SELF), library.Vec().createSeq(len(b), comm=library.COMM_SELF)
            solver = library.KSP().create(library.COMM_SELF)
            solver.setOperators(matrix)
            solver.setType(kind)
            solver.getPC().setType(preconditioner)
            if kind == "gmres":
                solver.setPCSide(library.PC.Side.RIGHT)
            count = []

            def converged(ksp, iteration, _):
                found = numpy.linalg.norm(b - a @ ksp.buildSolution().getArray())
                count.append(iteration)
                return library.KSP.ConvergedReason.CONVERGED_RTOL if found <= 1e-8 * numpy.linalg.norm(b) else 0
            solver.setConvergenceTest(converged)
            solver.setTolerances(max_it=5000)
            solver.solve(right, x)
            self.assertLessEqual(abs(int(ours) - count[-1]), max(2, 0.1 * count[-1]), f"{options}: {ours} for {count[-1]}")

    def test_record(self):
        self.run_wall("--linear-solver", "petsc,petsc-shell,pcr", "--petsc", f"{CR},-ksp_type cg -pc_type pbjacobi", "--linear-history", "on")
        runs = runs_of(self.path("a.h5"))
        self.assertEqual([(text(run["linear_solver"]), text(run.get("linear-solver.options", ""))) for run in runs],
                         [("petsc", CR), ("petsc", "-ksp_type cg -pc_type pbjacobi"), ("petsc-shell", CR), ("pcr", "")])  # no blocks of a shell
        words = text(runs[0]["linear_solver_words"])
        self.assertRegex(words, r"^PETSc 3\.\d+\.\d+")
        self.assertIn("type: cr", words)
        self.assertIn("bs=3", words)
        self.assertEqual(text(runs[-1].get("linear_solver_words", "")), "")
        with h5py.File(self.path("a.h5")) as record:
            for name in ("0000", "0001"):
                self.assertIn("residual_l2", record["runs"][name]["linear"])

    def test_sets(self):
        with open(self.path("set.txt"), "w") as file:
            file.write("# conjugate residuals\n-ksp_type cr\n  -pc_type   jacobi # the diagonal\n")
        self.run_wall("--linear-solver", "petsc", "--petsc", "@set.txt")
        self.assertEqual(text(runs_of(self.path("a.h5"))[0]["linear-solver.options"]), CR)
        out, _ = self.ncpbench("list", "linear-solvers", "petsc-shell")
        self.assertIn("--petsc", out)

    def test_refused(self):
        for options, says in {
                "-ksp_typ cg": ["does not use -ksp_typ"],
                "-ksp_type cg -pc_hypre_type boomeramg": ["does not use -pc_hypre_type"],
                "-ksp_type cg pc_type jacobi": ["'pc_type' is neither an option"],
                "-pc_type nothing": ["requested PC type nothing"],
                "-ksp_type cg -ksp_rtol 1e-3": ["-ksp_rtol", "--linear-tolerance"],
                "-log_view": ["-log_view"],
                "cg": ["no set of options"],
                "": ["no set of options"],
                f"{CR},{CR}": ["stands twice"],
                "@nothing": ["cannot read 'nothing'"]}.items():
            self.refused("run", "arch", "--linear-solver", "petsc", "--petsc", options, "-o", "a.h5", status=3 if options.startswith("@") else 64, says=says)
        self.refused("run", "arch", "--linear-solver", "pcr", "--petsc", CR, "-o", "a.h5", says=["--linear-solver petsc"])
        self.refused("run", "arch", "--linear-solver", "petsc", "--precision", "f32", "-o", "a.h5", says=["works in f64 only"])
        self.only()

    def test_shell_without_entries(self):
        out, err = self.run_wall("--linear-solver", "petsc-shell", "--petsc", "-ksp_type cg -pc_type sor", status=1)
        self.assertRegex(err, r"PETSc: No method sor for Mat of type shell")
        self.assertNotIn("[0]PETSC ERROR", out + err)

    def write_system(self, rows, b):
        os.makedirs(self.path("small"), exist_ok=True)
        scipy.io.mmwrite(self.path("small/A.mtx"), scipy.sparse.coo_matrix(numpy.asarray(rows, dtype=float)), symmetry="symmetric")
        scipy.io.mmwrite(self.path("small/b.mtx"), numpy.asarray(b, dtype=float).reshape(-1, 1))
        return self.path("small")

    def test_singular_and_zero(self):
        folder = self.write_system([[1, -1, 0], [-1, 2, -1], [0, -1, 1]], [1, 0, -1])
        x = self.solution(folder, "--linear-solver", "petsc", "--petsc", CR, "--linear-tolerance", "1e-10")
        self.assertLess(numpy.abs(numpy.array([[1, -1, 0], [-1, 2, -1], [0, -1, 1]]) @ x - [1, 0, -1]).max(), 1e-9)
        _, err = self.ncpbench("solve", f"{folder}/A.mtx", "--linear-solver", "petsc", "--petsc", "-ksp_type preonly -pc_type lu", "-o", "s.h5", "--force",
                               status=None)
        self.assertNotIn("[0]PETSC ERROR", err)
        zero = self.solution(self.write_system(numpy.eye(3), [0, 0, 0]), "--linear-solver", "petsc", "--petsc", CR)
        self.assertEqual(list(zero), [0, 0, 0])

    def test_rigid_motions(self):
        """of soft bodies help multigrid: 31 iterations without them, 25 with"""
        counts = []
        for words in "", " -rigid_motions":
            self.ncpbench("run", "soft-stack", "--set", "cells=4", "--set", "stacks=3", *NEWTON, "1", "--form", "stiffness", "--linear-solver", "petsc",
                          "--linear-tolerance", "1e-8", "--linear-iterations", "1000", "--petsc", "-ksp_type cg -pc_type ml" + words, "-o", "a.h5", "--force",
                          status=None)
            with h5py.File(self.path("a.h5")) as record:
                counts.append(record["runs/0000/newton/linear_iterations"][()].ravel()[0])
        self.assertLess(counts[1], counts[0])

    def test_interrupt(self):
        process = start(["run", "wall", "--set", "width=40", "--set", "height=40", "--steps", "1", "--method", "newton", "--newton-iterations", "50",
                         "--linear-solver", "petsc", "--petsc", "-ksp_type cg -pc_type none", "--linear-tolerance", "1e-14", "--linear-iterations", "1000000",
                         "-o", "a.h5"], cwd=self.folder.name)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        began = time.time()
        _, err = process.communicate(timeout=PATIENCE)
        self.assertLess(time.time() - began, 20)
        self.assertNotIn("PETSC ERROR", err)
        self.assertIn(process.returncode, (1, 130, -signal.SIGINT))


def open_mpi():
    """whether mpirun is Open MPI's, whose options the tests take"""
    return bool(shutil.which("mpirun")) and "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout


@unittest.skipUnless(open_mpi(), "mpirun (openmpi-bin) is not installed")
class Ranks(Case):
    """one system on several processes (solvers/petsc/ranks.c)"""
    def ranks(self, count, *arguments, status=0):
        """the program's own output, without what mpirun adds to that of a failure"""
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count), PROGRAM, *arguments]
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("OMPI_", "PMIX_"))}  # without what petsc4py sets
        process = subprocess.run(command, cwd=self.folder.name, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(process.returncode, status, process.stderr)
        return process.stdout, process.stderr

    def solved(self, count, folder, *arguments):
        """residuals of all iterations, the iterations, x, and what the record says of the solver"""
        self.ranks(count, "solve", folder, "--linear-solver", "petsc-shell", "--repeat", "0", *arguments, "-o", "s.h5", "--force")
        with h5py.File(self.path("s.h5")) as record:
            run = record["runs/0000"]
            history = run["linear/residual_l2"][0, 0]
            return history, run["newton/linear_iterations"][0, 0], run["final/reaction"][()], text(run.attrs["linear_solver_words"])

    def refused_by_all(self, count, *arguments, says, status=64):
        _, err = self.ranks(count, *arguments, status=status)
        line, = [line for line in err.splitlines() if line.startswith("ncpbench: ")]
        self.assertIn(says, line)

    def export(self, scene, folder, *arguments, at="0:3"):
        self.ncpbench("export", scene, *arguments, "--at", at, "--format", "petsc", "-o", folder)

    def test_as_one_process(self):
        """1e-12 for 30 iterations, though one process takes the entries of A, and the same bits again"""
        self.export("wall", "wall", "--set", "width=8", "--set", "height=6")
        options = ["--petsc", CR, "--linear-iterations", "1000", "--linear-tolerance", "1e-5"]
        alone, iterations, _, _ = self.solved(1, "wall", *options)
        for count in (2, 3):
            history, taken, x, words = self.solved(count, "wall", *options)
            again = self.solved(count, "wall", *options)
            self.assertLess((numpy.abs(history[:31] - alone[:31]) / alone[:31]).max(), 1e-12)
            self.assertLessEqual(abs(taken - iterations), 0.03 * iterations)  # round-off; 1 % seen
            self.assertEqual((history.tobytes(), x.tobytes()), (again[0].tobytes(), again[2].tobytes()))
            self.assertRegex(words, rf"; {count} ranks, [1-9][0-9]* shared bodies; a product sends")
        self.assertIn("0 reductions in", re.sub("[1-9]", "0", words))

    def test_exchange(self):
        """of a stack between two ranks one body is shared, with six sums each way"""
        self.export("heavy-stack", "stack", at="0:0")
        history, iterations, _, words = self.solved(2, "stack", "--petsc", CR, "--linear-iterations", "5")
        self.assertIn("2 ranks, 1 shared bodies; a product sends 96 bytes in 2 messages, a rank at most 48 in 1; ", words)
        reductions = int(re.search(r"; ([0-9]+) reductions in 5 iterations", words)[1])
        self.assertLessEqual(abs(reductions - 2 * iterations), 3)

    def test_joints_elements_and_several_solves(self):
        """rows of K, of joints, of particles; option sets, right-hand sides and repetitions in one call"""
        for scene in ("soft-stack", "loop-chain"):
            self.export(scene, scene, at="0:1")
            several = ["--rhs", f"{scene}/b.petsc,{scene}/h.petsc", "--linear-solver", "petsc-shell", "--repeat", "2", "--linear-iterations", "8", "--petsc",
                       f"{CR},-ksp_type gmres -pc_type jacobi", "--force"]
            for count in (1, 2):
                self.ranks(count, "solve", scene, *several, "-o", f"{count}.h5")
            with h5py.File(self.path("1.h5")) as alone, h5py.File(self.path("2.h5")) as shared:
                self.assertEqual(len(shared["runs"]), 2)
                for name, run in shared["runs"].items():
                    one, two = (record["linear/residual_l2"][()].ravel() for record in (alone["runs"][name], run))
                    self.assertEqual(run["repeats/order"].shape, (2,))
                    numpy.testing.assert_allclose(two, one, rtol=1e-9)

    def test_refused(self):
        self.export("heavy-stack", "stack", at="0:0")
        self.export("arch", "arch", at="0:0")
        self.export("arch", "text", at="0:0")
        shell = ["--linear-solver", "petsc-shell"]
        self.refused_by_all(2, "run", "arch", "-o", "a.h5", says="run does not support mpirun (2 processes)")
        self.refused_by_all(2, "solve", "arch", says="2 processes require one FOLDER")
        self.refused_by_all(2, "solve", "arch/A.petsc", *shell, says="2 processes require one FOLDER")
        self.refused_by_all(2, "solve", "arch", *shell, "--time-limit", "5", says="do not support --jobs, --time-limit")
        self.refused_by_all(6, "solve", "stack", *shell, status=3, says="6 processes require as many bodies (the system has 5)")
        self.refused_by_all(2, "solve", "arch", *shell, "--petsc", "-ksp_tpe cr", says="PETSc does not use -ksp_tpe")
        self.ncpbench("export", "arch", "--at", "0:0", "-o", "entries")
        self.refused_by_all(2, "solve", "entries", *shell, status=3, says="'entries' has no factors (J.petsc)")
        os.remove(self.path("arch/H.petsc"))
        self.refused_by_all(2, "solve", "arch", *shell, status=3, says="'arch' has no factors (H.petsc)")
        os.truncate(self.path("text/J.petsc"), 1000)
        self.refused_by_all(2, "solve", "text", *shell, status=3, says="PETSc: ")
        self.assertNotIn("a.h5", os.listdir(self.folder.name))


if __name__ == "__main__":
    if not os.path.exists(os.path.join(os.path.dirname(PROGRAM), "ncpbench-petsc.so")):
        print("PETSc (libpetsc-real-dev) is not installed: this build has no ncpbench-petsc.so")
        sys.exit(77)
    unittest.main()
