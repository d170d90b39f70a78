"""URDF as MuJoCo takes it: files of ROS have more."""
import os
import re
from xml.etree import ElementTree


def mesh_file(name, folder):
    """where the mesh of an URDF is: package://NAME/PATH is sought in its folder and those above"""
    rest = name.split("://", 1)[-1]
    for tail in (rest, rest.split("/", 1)[-1]):
        above = folder
        while True:
            if os.path.exists(os.path.join(above, tail)):
                return os.path.join(above, tail)
            if os.path.dirname(above) == above:
                break
            above = os.path.dirname(above)
    return name


def root_of(path):
    """the file, with prefixes of names declared that it uses without: readers of ROS take them"""
    with open(path, encoding="utf-8") as file:
        words = file.read()
    used = {prefix for pair in re.findall(r"<([\w-]+):|\s([\w-]+):[\w-]+\s*=", words) for prefix in pair if prefix} - {"xml", "xmlns"}
    names = "".join(f' xmlns:{prefix}="{prefix}"' for prefix in sorted(used) if f"xmlns:{prefix}=" not in words)
    return ElementTree.fromstring(re.sub(r"<robot\b", "<robot" + names, words, count=1).encode())


def tidied(root, notes):
    """Without what MuJoCo does not take: names with prefixes, commas between numbers, an inertial without moments, whose mass
    is given back for each link."""
    masses = {}
    for element in root.iter():
        for key in [key for key in element.attrib if key.startswith("{")]:
            del element.attrib[key]
        for child in [child for child in element if isinstance(child.tag, str) and child.tag.startswith("{")]:
            element.remove(child)
        for key in {"xyz", "rpy"} & set(element.attrib):
            element.set(key, element.get(key).replace(",", " "))
    for link in root.iter("link"):
        inertial = link.find("inertial")
        if inertial is not None and inertial.find("mass") is not None and inertial.find("inertia") is None:
            masses[link.get("name")] = float(inertial.find("mass").get("value"))
            link.remove(inertial)
    notes.add("masses without moments of inertia, which are of the link's geoms, each an equal share", len(masses))
    return masses


def text(path, notes):
    """the file with whole paths of meshes, as MuJoCo alone would drop their folders, without those that it cannot read, and
    masses of links that have no moments"""
    root = root_of(path)
    masses = tidied(root, notes)
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
        for collision in link.findall("collision"):
            if any(float(x) <= 0 for shape in collision.iterfind("geometry/*") for key in ("size", "radius", "length") for x in shape.get(key, "1").split()):
                notes.add("left out: geoms of size 0")
                link.remove(collision)
                continue
            mesh = collision.find("geometry/mesh")
            if mesh is None:
                continue
            name = mesh_file(mesh.get("filename"), os.path.dirname(os.path.abspath(path)))
            mesh.set("filename", name)
            kind = os.path.splitext(name)[1].lower()
            if kind not in (".stl", ".obj", ".msh"):
                notes.add(f"left out: meshes of kind {kind}, which MuJoCo does not read")
                link.remove(collision)
    options = root.find("mujoco")
    options = ElementTree.SubElement(root, "mujoco") if options is None else options
    compiler = options.find("compiler")
    compiler = ElementTree.SubElement(options, "compiler") if compiler is None else compiler
    compiler.set("strippath", "false")
    return ElementTree.tostring(root, encoding="unicode"), masses
