"""One rule for every file and folder that a script writes: nothing of a user's is lost.

What is there is refused, or replaced with --force. What is written stands beside its place until it is whole, and is renamed
then: a full disk, a fault or a kill leaves the earlier file as it was.
"""
import os
import shutil

MARK = ".made-by-ncpbench"  # in a folder that a script made: the files that it wrote, a line each


class Refused(Exception):
    """What is there is not replaced; its text says what to do."""


def status(fault):
    """the exit status of a command that ends by it"""
    return 64 if isinstance(fault, Refused) else 3


def line(fault):
    """what went wrong, in one line"""
    if isinstance(fault, OSError) and fault.filename:
        return f"cannot write '{fault.filename}': {fault.strerror}"
    return str(fault)


def place(path):
    """Where the file really goes: a link to a file stays a link. OSError where no regular file can be put there."""
    real = os.path.realpath(path)
    if os.path.lexists(path) and not os.path.isfile(real):
        problem = "it is a folder" if os.path.isdir(real) else "it is not a regular file" if os.path.exists(real) else "it is a link to a file that is missing"
        raise OSError(0, problem, path)
    return real


def check(path, force=False, own=None):
    """Whether the file may be written, before the work that it takes. One that begins with the text `own` is the script's."""
    real = place(path)
    if os.path.exists(real) and not force and not (own and begins(real, own.encode())):
        raise Refused(f"'{path}' is there; name another file (--force replaces it)")


def begins(path, start):
    with open(path, "rb") as file:
        return file.read(len(start)) == start


def put(path, content, force=False, own=None):
    """Writes bytes, or a text in UTF-8. A file that holds the same already is left alone."""
    content = content.encode() if isinstance(content, str) else content
    real = place(path)
    if os.path.exists(real) and os.path.getsize(real) == len(content) and begins(real, content):
        return
    check(path, force, own)
    beside = f"{real}.partial-{os.getpid()}"
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, real)
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, path) from fault
    finally:
        if os.path.exists(beside):
            os.remove(beside)


# ---- folders ----

def listed(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names if name != MARK)


def check_folder(path):
    """Whether a script may replace the folder: it is not there, is empty, or a script made all that is in it."""
    if not os.path.lexists(path) or os.path.isdir(path) and not os.listdir(path):
        return
    mark = os.path.join(path, MARK)
    if not os.path.isfile(mark):
        raise Refused(f"'{path}' is there, and was not made by this script; name another folder")
    with open(mark, encoding="utf-8") as file:
        own = set(file.read().splitlines())
    others = [name for name in listed(path) if name not in own]
    if others:
        raise Refused(f"'{path}' holds '{others[0]}', which this script did not make; move it away, or name another folder")


def folder_beside(path):
    """An empty folder of its own in which to make what put_folder takes; its maker removes it."""
    made = f"{os.path.realpath(path)}.partial-{os.getpid()}"
    os.makedirs(made)
    return made


def put_folder(made, path):
    """Marks the folder `made` and gives it the name `path`; an earlier one of that name is replaced as a whole."""
    with open(os.path.join(made, MARK), "w", encoding="utf-8") as file:
        file.writelines(name + "\n" for name in listed(made))
    check_folder(path)
    real, earlier = os.path.realpath(path), made + "-earlier"
    if os.path.isdir(real):
        os.rename(real, earlier)
    try:
        os.rename(made, real)
    except OSError:
        if os.path.isdir(earlier):
            os.rename(earlier, real)
        raise
    shutil.rmtree(earlier, ignore_errors=True)
