"""Problems in FCLIB's format, read with h5py alone: W, q, mu, their SHA-256 (core/file_data.h) and the natural map."""
import hashlib

import h5py
import numpy


def matrix(group):
    """a matrix by compressed columns, dense"""
    size = [int(numpy.ravel(group[name][()])[0]) for name in ("m", "n")]
    dense, start = numpy.zeros(size), group["p"][()]
    for j in range(size[1]):
        dense[group["i"][start[j]:start[j + 1]], j] = group["x"][start[j]:start[j + 1]]
    return dense


def read(path):
    """rows of joints, W [rows][rows], q and mu of a local problem in three dimensions: joints first, then three a contact"""
    with h5py.File(path, "r") as file:
        local, joints = file["fclib_local"], 0
        w, q, mu = matrix(local["W"]), local["vectors/q"][()], local["vectors/mu"][()]
        if "V" in local:
            v = matrix(local["V"])
            joints, w = v.shape[1], numpy.block([[matrix(local["R"]), v.T], [v, w]])
            q = numpy.concatenate([local["vectors/s"][()], q])
    return joints, w, q, mu


def checksum(path):
    joints, w, q, mu = read(path)
    row, column = numpy.nonzero(w)
    entries = numpy.zeros(len(row), [("row", "<i8"), ("column", "<i8"), ("value", "<f8")])
    entries["row"], entries["column"], entries["value"] = row, column, w[row, column]
    head = numpy.array([3, joints, len(mu), len(row)], "<i8")
    return hashlib.sha256(b"".join([head.tobytes(), entries.tobytes(), *((x + 0.0).astype("<f8").tobytes() for x in (q, mu))])).hexdigest()


def natural_map(path, reaction):
    """of impulses of the contacts, over ||q||, and what round-off leaves it unknown by: |p - P(p - u^)|, p the impulses as velocities (core/measure/natural_map.h)"""
    joints, w, q, mu = read(path)
    assert joints == 0
    u = (w @ reaction + q).reshape(-1, 3)
    own = numpy.diag(w).reshape(-1, 3).mean(axis=1)[:, None]
    x = own * reaction.reshape(-1, 3) - u
    x[:, 0] -= mu * numpy.linalg.norm(u[:, 1:], axis=1)
    across = numpy.linalg.norm(x[:, 1:], axis=1)
    normal = numpy.maximum((x[:, 0] + mu * across) / (1 + mu ** 2), 0)  # on the cone's surface, or at its tip
    onto = numpy.column_stack([normal, *(mu * normal / numpy.maximum(across, 1e-300) * x[:, k] for k in (1, 2))])
    onto[across <= mu * x[:, 0]] = x[across <= mu * x[:, 0]]
    off = own * reaction.reshape(-1, 3) - onto
    noise = numpy.finfo(float).eps * (numpy.abs(w) @ numpy.abs(reaction))
    return numpy.linalg.norm(off) / numpy.linalg.norm(q), numpy.linalg.norm(noise) / numpy.linalg.norm(q)
