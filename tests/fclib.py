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
