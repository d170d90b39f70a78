"""URDF as MuJoCo takes it: files of ROS have more."""
import math
import os
import re
from xml.etree import ElementTree


def mesh_file(name, folder):
    """where the mesh of an URDF is: package://NAME/PATH is sought in its folder and those above"""
    if not name:
        raise ValueError("a mesh has no file name")
    rest = name.split("://", 1)[-1]
    for tail in (rest, rest.split("/", 1)[-1]):
        above = folder
        while True:
            if os.path.exists(os.path.join(above, tail)):
                if not os.path.isfile(os.path.join(above, tail)):
                    raise ValueError(f"mesh '{name}' is not a regular file")
                return os.path.join(above, tail)
            if os.path.dirname(above) == above:
                break
            above = os.path.dirname(above)
    return name


def root_of(path):
    """the file, with prefixes of names declared that it uses without: readers of ROS take them"""
    with open(path, "rb") as file:
        content = file.read()
    declared = re.match(rb"\s*<\?xml[^>]*\bencoding\s*=\s*[\"']([\w.-]+)", content)
    encoding = declared[1].decode() if declared else "utf-8"
    try:
        words = content.decode(encoding)
    except LookupError:
        raise ValueError(f"is in an encoding that is not known, '{encoding}'") from None
    except UnicodeDecodeError as fault:
        raise ValueError(f"is not in {encoding}: byte {fault.start} (name its encoding in the first line: <?xml version=\"1.0\" encoding=\"...\"?>)") from None
    used = {prefix for pair in re.findall(r"<([\w-]+):|\s([\w-]+):[\w-]+\s*=", words) for prefix in pair if prefix} - {"xml", "xmlns"}
    names = "".join(f' xmlns:{prefix}="{prefix}"' for prefix in sorted(used) if f"xmlns:{prefix}=" not in words)
    return ElementTree.fromstring(re.sub(r"<robot\b", "<robot" + names, words, count=1))


def mass_of(link, element):
    value = element.get("value")
    if value is None:
        raise ValueError(f"link '{link.get('name')}': its mass has no value")
    try:
        mass = float(value)
    except ValueError:
        mass = math.nan
    if not 0 <= mass < math.inf:
        raise ValueError(f"link '{link.get('name')}': its mass must be a number of at least 0 (got '{value}')")
    return mass


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
        if inertial is None or inertial.find("mass") is None:
            continue
        mass = mass_of(link, inertial.find("mass"))
        if inertial.find("inertia") is None:
            masses[link.get("name")] = mass
            link.remove(inertial)
    notes.add("masses without moments of inertia, which are of the link's geoms, each an equal share", len(masses))
    return masses


def text(path, notes):
    """the file with whole paths of meshes, as MuJoCo alone would drop their folders, without those that it cannot read,
    masses of links that have no moments, and names of links without inertia"""
    root = root_of(path)
    masses = tidied(root, notes)
    bare = {link.get("name") for link in root.iter("link") if link.find("inertial") is None} - set(masses)
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
    return ElementTree.tostring(root, encoding="unicode"), masses, bare
