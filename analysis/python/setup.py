"""The version is the project's, which CMakeLists.txt has; a source distribution carries it in PKG-INFO."""
import os
import re

from setuptools import setup

HERE = os.path.dirname(os.path.abspath(__file__))


def version():
    for path, pattern in ((os.path.join(HERE, "..", "..", "CMakeLists.txt"), r"project\(ncpbench VERSION ([0-9.]+)"),
                          (os.path.join(HERE, "PKG-INFO"), r"(?m)^Version: (\S+)")):
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found = re.search(pattern, file.read())
            if found:
                return found[1]
    raise RuntimeError("the version is in neither CMakeLists.txt nor PKG-INFO")


setup(version=version())
