"""What the program calls (analysis/python/embed): loads files with solvers, and hands vectors and operators to their functions."""
import importlib.util
import math
import os
import sys
import threading
import traceback

from . import solvers

try:
    import _ncpbench
except ImportError:
    raise ImportError("the program imports this module, for --plugin FILE.py") from None
try:
    import numpy
except ImportError as error:
    raise ImportError(f"solvers in Python need NumPy, which {sys.executable or 'this Python'} does not have ({error})") from None

REASONS = ("converged", "exact", "round-off", "iterations", "diverged", "indefinite", "not-positive-definite", "singular", "breakdown", "stagnated")
TAKES_PRECONDITIONER, NEEDS_ENTRIES, DIRECT = 1, 2, 4
OWN = os.path.dirname(os.path.abspath(__file__))
taken = []  # all that was marked, in the order of the program's classes


class Fault(Exception):
    """What is wrong with a user's file or function, where no line of it raised."""


# ---- faults ----

def place(error):
    """(file, line) of the last line of the user's, or of all lines"""
    frames = traceback.extract_tb(error.__traceback__)
    own = {os.path.abspath(m.function.__code__.co_filename) for m in taken + solvers.marked if hasattr(m.function, "__code__")} | loading
    user = [f for f in frames if os.path.abspath(f.filename) in own] or [f for f in frames if not os.path.abspath(f.filename).startswith(OWN)]
    return (user[-1].filename, user[-1].lineno) if user else (None, None)


def explain(error):
    """one line: file, line, and what was raised"""
    file, line = place(error)
    if isinstance(error, SyntaxError) and error.filename:
        file, line = error.filename, error.lineno
    if isinstance(error, (Fault, ImportError)) and file is None:
        what = str(error)
    elif isinstance(error, SystemExit):
        what = f"calls sys.exit({'' if error.code is None else repr(error.code)})"
    elif isinstance(error, SyntaxError):
        what = f"{type(error).__name__}: {error.msg}"
    else:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    where = f"{os.path.basename(file)}, line {line}: " if file and line else ""
    return " ".join((where + what).split())[:200]


def fault_of(function, text):
    """a fault of the function as a whole: its first line"""
    code = getattr(function, "__code__", None)
    where = f"{os.path.basename(code.co_filename)}, line {code.co_firstlineno}: " if code else ""
    return Fault(where + text)


# ---- files ----

loading = set()


def load(path):
    """what the file marked, as tuples for classes.c"""
    path = os.path.abspath(path)
    loading.add(path)
    first = len(solvers.marked)
    sys.path.insert(1, os.path.dirname(path))  # modules beside it
    name = f"ncpbench_plugin_{len(loading)}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = solvers.marked[first:]
    if not found:
        raise Fault("marks no function with linear_solver, preconditioner or method")
    if threading.active_count() > 1:
        raise Fault("leaves a thread running, which the processes of runs would not have; start threads in the functions")
    if any(m.entries or m.kind == solvers.METHOD for m in found):
        import_sparse()
    taken.extend(found)
    return [describe(m) for m in found]


def import_sparse():
    """here, so that no set-up is timed with it"""
    try:
        import scipy.sparse  # noqa: F401
    except ImportError as error:
        raise Fault(f"methods and entries=True need SciPy ({error})") from None


def describe(m):
    flags = TAKES_PRECONDITIONER * m.preconditioned | NEEDS_ENTRIES * m.entries | DIRECT * m.direct
    precisions = ("f32" in m.precisions) + 2 * ("f64" in m.precisions)
    options = [describe_option(name.replace("_", "-"), option) for name, option in m.options.items()]
    return m.kind, flags, precisions, m.iterations, m.name, m.summary, options


def describe_option(name, o):
    number = o.choices.index(o.default) if o.choices is not None else o.default
    return (name, o.summary or name, o.units, float(number), finite(o.minimum), finite(o.maximum), int(o.whole), o.choices)


def finite(limit):
    return math.copysign(sys.float_info.max, limit) if math.isinf(limit) else float(limit)


# ---- what functions are given ----

def array(view, dtype):
    """the program's memory as an array; read-only where the view is"""
    return numpy.empty(0, dtype) if view is None else numpy.frombuffer(view, dtype)


class Matrix(_ncpbench.Map):
    """A linear operator on vectors of the program's precision; SciPy's iterations take it as it is."""

    def __init__(self, rows, dtype):
        self.shape, self.dtype, self.ndim = (rows, rows), dtype, 2

    def matvec(self, x):
        x = numpy.ascontiguousarray(x, self.dtype)
        y = numpy.empty_like(x)
        self.apply(x, y)
        return y

    __matmul__ = matvec

    def take_entries(self, start, column, value):
        """entries by rows: values and columns are the program's own arrays"""
        entries = sys.modules["scipy.sparse"].csr_array(self.shape, dtype=self.dtype)
        entries.data, entries.indices = array(value, self.dtype), array(column, numpy.int32)
        start = array(start, numpy.int64)
        entries.indptr = start.astype(numpy.int32) if start[-1] < 2 ** 31 else start  # SciPy takes both of one type
        if start[-1] >= 2 ** 31:
            entries.indices = entries.indices.astype(numpy.int64)
        entries.has_sorted_indices = entries.has_canonical_format = True
        self.entries = entries


class Map(Matrix):
    """A symmetric one."""
    rmatvec = Matrix.matvec


class Operator(Map):
    """The matrix A of a system."""
    entries = positions = None

    def diagonal(self):
        y = numpy.empty(self.shape[0], self.dtype)
        self.fill_diagonal(y)
        return y


class Problem:
    """u = W r + q with K* containing u + (mu |u_T|, 0, 0), orthogonal to r in K: rows of joints, then three a contact."""

    def __init__(self, joints, start, column, value, q, mu):
        rows = len(q)
        self.q, self.mu, self.joints, self.contacts = q, mu, joints, len(mu)
        self.W = Matrix(rows, q.dtype)
        self.W.take_entries(start, column, value)
        self.W.blocks = self.blocks()
        self.pairs = self.features = self.previous = self.frames = None

    def blocks(self):
        """W's 3 x 3 block of each contact"""
        found = numpy.zeros((self.contacts, 3, 3))
        entries, row = self.W.entries, numpy.repeat(numpy.arange(len(self.q)), numpy.diff(self.W.entries.indptr))
        own = (row >= self.joints) & ((row - self.joints) // 3 == (entries.indices - self.joints) // 3) & (entries.indices >= self.joints)
        place, column = row[own] - self.joints, entries.indices[own] - self.joints
        found[place // 3, place % 3, column % 3] = entries.data[own]
        return found


class Request(_ncpbench.Request):
    """iterations, tolerance, monitor(x), count; and what the marks of the function ask for"""
    preconditioner = set_up = None
    factorizations, remark = 0, ""  # a method may set them for the record


# ---- classes at work ----

class Working:
    """A function with values of its options, at work on systems."""

    def __init__(self, m, bits, values):
        self.m, self.dtype = m, numpy.dtype(numpy.float32 if bits == 32 else numpy.float64)
        self.options = {name: option.value(value) for (name, option), value in zip(m.options.items(), values)}
        self.matrix = self.request = self.preconditioner = self.image = self.problem = None
        self.memory = {}  # of a method, from step to step
        self.entries = m.entries

    def vector(self, view):
        return array(view, self.dtype)

    def empty(self):
        return numpy.empty(self.matrix.shape[0], self.dtype)

    def set_up_pattern(self, rows, block_start, group_start, node_start, node, position):
        self.matrix = Operator(rows, self.dtype)
        self.matrix.block_start, self.matrix.group_start = array(block_start, numpy.int32), array(group_start, numpy.int32)
        if node_start is not None:
            self.matrix.node_start, self.matrix.nodes = array(node_start, numpy.int32), array(node, numpy.int32)
        if position is not None:
            self.matrix.positions = array(position, numpy.float64).reshape(-1, 3)
        self.request = Request()
        if self.m.preconditioned:
            self.preconditioner = self.request.preconditioner = Map(rows, self.dtype)

    def set_up_values(self, start, column, value):
        if self.m.entries:
            self.matrix.take_entries(start, column, value)
        if self.m.kind == solvers.PRECONDITIONER:
            self.image = self.m.function(self.matrix, **self.options)
            if not callable(self.image):
                raise fault_of(self.m.function, f"returns {describe_value(self.image)} and no function apply(r, z)")
        elif self.m.set_up:
            self.request.set_up = self.m.set_up(self.matrix, **self.options)

    def apply(self, r, z):
        if self.image(r, z) is not None:
            raise fault_of(self.image, "returns a value; write it to z: z[:] = ...")

    def convert(self, joints, start, column, value, q, mu, pairs, features, previous, frames):
        p = self.problem = Problem(joints, start, column, value, array(q, numpy.float64), array(mu, numpy.float64))
        if pairs is not None or p.contacts == 0:
            p.pairs, p.features = array(pairs, numpy.int32).reshape(-1, 2), array(features, numpy.uint64)
            p.previous, p.frames = array(previous, numpy.int32), array(frames, numpy.float64).reshape(-1, 3, 3)
        p.memory = self.memory
        self.matrix, self.request = p.W, Request()

    def solve_problem(self, r):
        reason, iterations = outcome(self.m, self.request, self.m.function(self.problem, r.view(), self.request, **self.options))
        return reason, iterations, int(self.request.factorizations), str(self.request.remark)

    def solve(self, b, x):
        return outcome(self.m, self.request, self.m.function(self.matrix, b.view(), x.view(), self.request, **self.options))


def describe_value(value):
    return f"an array of shape {value.shape}" if isinstance(value, numpy.ndarray) else "None" if value is None else f"a value of type {type(value).__name__}"


def outcome(m, request, returned):
    """(reason, iterations) of what a function returned: None, a reason, a number of iterations, or both"""
    reason, iterations = None, request.count or int(not m.direct)
    for part in returned if isinstance(returned, tuple) else (returned,):
        if isinstance(part, str) and part in REASONS:
            reason = 1 + REASONS.index(part)
        elif isinstance(part, (int, numpy.integer)) and not isinstance(part, bool):
            iterations = int(part)
        elif isinstance(part, str):
            raise fault_of(m.function, f"returns '{part}'; reasons are {', '.join(REASONS)}")
        elif part is not None:
            raise fault_of(m.function, f"returns {describe_value(part)}; write the solution in place: {'r' if m.kind == solvers.METHOD else 'x'}[:] = ...")
    if reason is None:
        reason = 1 + REASONS.index("exact" if m.direct else "iterations" if iterations >= request.iterations else "converged")
    return reason, iterations


def create(index, bits, values):
    m = taken[index]
    return Working(m, bits, memoryview(values).cast("d") if values is not None else ())
