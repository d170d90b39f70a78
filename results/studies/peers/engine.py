"""One engine, one scene, one setting, in a process of its own: engine.py NAME SETTING SCENE.json H STEPS EVERY LIMIT OUT.npz

engine.py versions prints a line an engine that this Python has: its name, version, and settings."""
import importlib
import sys

import numpy

from scene import Scene, quantities

LARGE = 3  # the status where a setting is not meant for so many bodies
NAMES = ["mujoco", "bullet", "drake", "dart", "siconos"]


def main(arguments):
    if arguments == ["versions"]:
        for name in NAMES:
            try:
                engine = importlib.import_module("engine_" + name)
                print(name, engine.version(), *engine.SETTINGS, sep="\t")
            except (ImportError, AttributeError):  # absent
                continue
        return 0
    name, setting, path, h, steps, every, limit, out = arguments
    engine = importlib.import_module("engine_" + name)
    scene = Scene(path)
    if len(scene.mass) > engine.SETTINGS[setting].get("most", len(scene.mass)):
        return LARGE
    result = engine.run(scene, float(h), int(steps), int(every), float(limit), engine.SETTINGS[setting])
    numpy.savez(out, **quantities(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
