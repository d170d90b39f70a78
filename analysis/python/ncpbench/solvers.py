"""Marks functions as linear solvers, preconditioners and methods of ncpbench: `ncpbench run arch --plugin FILE.py`.

Takes nothing but Python, so that a file can be imported and tested without the program (docs/solver.md)."""
import inspect
import math

SOLVER, PRECONDITIONER, METHOD = range(3)
marked = []  # what the decorators found, in order


class Option:
    """What a user sets with --solver-option NAME=VALUE and its like; the function gets it as a keyword."""

    def __init__(self, default, summary=None, minimum=-math.inf, maximum=math.inf, units="1", choices=None):
        self.default, self.summary, self.minimum, self.maximum, self.units = default, summary, minimum, maximum, units
        self.choices = tuple(choices) if choices is not None else None
        if self.choices is None and (isinstance(default, bool) or not isinstance(default, (int, float))):
            raise TypeError(f"the default {default!r} of an option is no number; name its choices")
        if self.choices is not None and default not in self.choices:
            raise ValueError(f"the default {default!r} is none of the choices {self.choices}")

    @property
    def whole(self):
        return self.choices is None and isinstance(self.default, int)

    def value(self, number):
        """what the function gets for the number that the program has"""
        if self.choices is not None:
            return self.choices[int(number)]
        return int(number) if self.whole else float(number)


class Marked:
    """A function with what it is for."""

    def __init__(self, kind, name, function, options, arguments, summary, precisions, **more):
        self.kind, self.name, self.function, self.precisions = kind, name, function, tuple(precisions)
        self.options = {key: value if isinstance(value, Option) else Option(value) for key, value in options.items()}
        self.entries = more.get("entries", False)
        self.preconditioned = more.get("preconditioned", False)
        self.direct = more.get("direct", False)
        self.iterations = more.get("iterations", 0)
        self.set_up = more.get("set_up")
        if not callable(function):
            raise TypeError(f"'{name}' marks no function but {type(function).__name__}")
        if set(self.precisions) - {"f32", "f64"} or not self.precisions:
            raise ValueError(f"'{name}': precisions are 'f32' and 'f64'")
        self.summary = summary or (inspect.getdoc(function) or "in Python").splitlines()[0][:200]
        for called, takes in ((function, arguments), (self.set_up, ("A",))):
            if called is not None:
                check_arguments(name, called, takes, self.options)


def check_arguments(name, function, arguments, options):
    try:
        inspect.signature(function).bind(*arguments, **dict.fromkeys(options))
    except TypeError as error:
        wanted = ", ".join([*arguments, *options])
        raise TypeError(f"'{name}' must take ({wanted}): {error}") from None
    except ValueError:  # a function in C that does not say
        pass


def mark(kind, name, options, arguments, **more):
    if not isinstance(name, str):
        raise TypeError('the decorator takes a name in parentheses: @linear_solver("mine")')

    def decorate(function):
        marked.append(Marked(kind, name, function, options, arguments, **more))
        return function

    return decorate


def linear_solver(name, *, summary=None, precisions=("f32", "f64"), entries=False, preconditioned=False, direct=False, set_up=None, **options):
    """Marks `solve(A, b, x, request, **options)`, which solves A x = b in place of x.

    entries: A.entries is a csr_array. preconditioned: request.preconditioner is the one of --preconditioner. direct: it has no
    iterations. set_up(A, **options) is called once for new entries of A; what it returns is request.set_up."""
    return mark(SOLVER, name, options, ("A", "b", "x", "request"), summary=summary, precisions=precisions, entries=entries,
                preconditioned=preconditioned, direct=direct, set_up=set_up)


def preconditioner(name, *, summary=None, precisions=("f32", "f64"), entries=False, **options):
    """Marks `set_up(A, **options)`, which returns a function `apply(r, z)` for z = P r, P symmetric and positive definite."""
    return mark(PRECONDITIONER, name, options, ("A",), summary=summary, precisions=precisions, entries=entries)


def method(name, *, summary=None, iterations=0, **options):
    """Marks `solve(problem, r, request, **options)`, which solves a contact problem in place of the impulses r.

    iterations: at most so many where the user does not say (0: 200)."""
    return mark(METHOD, name, options, ("problem", "r", "request"), summary=summary, precisions=["f64"], iterations=iterations)
