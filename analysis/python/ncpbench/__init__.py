"""Python beside ncpbench: scene.py makes scene files of MJCF and URDF; files.py writes files so that none is lost."""
