"""Python beside ncpbench: scene.py makes scene files of MJCF and URDF."""
