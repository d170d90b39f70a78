"""Models of MuJoCo, converted: each element and attribute of MJCF is taken, named or without effect, and bodies move as MuJoCo's do.

tests/mjcf.tsv has the verdict on all that this version of MuJoCo reads: `taken`, `named` on standard error, or `none`, which changes no motion or only how
MuJoCo computes it. NCPBENCH names the program (of Motion); NB_TEST_SEED changes the random poses."""
import importlib
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "analysis", "python"))
sys.path.insert(0, os.path.join(ROOT, "results", "studies"))
from ncpbench import scene  # noqa: E402

mujoco = scene.mujoco
robots = importlib.import_module("robots") if mujoco else None
SEED = int(os.environ.get("NB_TEST_SEED", "53"))

WORLD = '<worldbody><geom type="plane" size="1 1 1" name="floor"/>{}</worldbody>'
FREE = WORLD.format('<body pos="0 0 1"><freejoint/><geom size=".1" name="ball" {}/></body>')
HINGE = WORLD.format('<body pos="0 0 1"><joint name="j" axis="0 1 0" pos=".5 0 0" {}/><geom size=".1" name="ball"/><site name="s"/></body><site name="t" pos="1 0 1"/>')
TWO = WORLD.format('<body pos="0 0 1" name="a"><joint name="j" axis="0 1 0" pos=".5 0 0"/><geom size=".1"/></body><body name="b" pos="3 0 1"><joint name="k" axis="0 1 0" pos=".5 0 0"/><geom size=".1"/></body>')
WHEELS = WORLD.format('<body pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size=".1 .2 .1" type="box" pos=".05 0 0"/></body><body pos="3 0 1"><joint name="k" axis="0 1 0"/><geom type="box" size=".2 .1 .2" pos=".02 0 0"/></body>')
TENDON = HINGE.format("") + '<tendon><fixed name="x" {}><joint joint="j" coef="1"/></fixed></tendon>'
PATH = HINGE.format("") + '<tendon><spatial name="x" {}><site site="s"/><site site="t"/></spatial></tendon>'
DRIVE = HINGE.format("") + '<tendon><fixed name="x"><joint joint="j" coef="1"/></fixed></tendon><actuator>{}</actuator>'
PLUGIN = '<extension><plugin plugin="{}">{}</plugin></extension>'
TORUS = PLUGIN.format("mujoco.sdf.torus", '<instance name="t"><config key="radius1" value="0.35"/><config key="radius2" value="0.15"/></instance>')
SDF = TORUS + '<asset><mesh name="m"><plugin instance="t"/></mesh></asset>' + WORLD.format('<body pos="0 0 1"><freejoint/><geom type="sdf" mesh="m"><plugin instance="t"/></geom></body>')
CLOTH = WORLD.format('<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" radius=".01" dim="2" mass="1" pos="0 0 1"><edge equality="true"/>{}</flexcomp>')
SOFT, DYNAMICS, FAR, OTHER = "softness of contacts", "actuators with dynamics", "actuators of tendons, sites, cranks or bodies", "actuators that are muscles, pid, dcmotor"
SHORTCUTS = "general motor position velocity intvelocity damper cylinder"

# elements (several with a space between), attributes ("*": all that are named), what is said, and a model that has it
NAMED = (
    ("option", "density viscosity wind", "fluid forces", '<option density="1.2" viscosity="1e-5" wind="1 0 0"/>' + FREE.format("")),
    ("option", "o_solimp o_solref", SOFT, '<option o_solref=".1 1"><flag override="enable"/></option>' + FREE.format("")),
    ("option/flag", "sleep", "bodies that sleep", '<option><flag sleep="enable"/></option>' + FREE.format("")),
    ("option/flag", "speculative", "contacts before bodies touch", '<option><flag speculative="enable"/></option>' + FREE.format("")),
    ("extension/plugin extension/plugin/instance extension/plugin/instance/config asset/mesh/plugin asset/mesh/plugin/config body/geom/plugin body/geom/plugin/config body/plugin body/plugin/config", "*", "plugins", SDF),
    ("asset/hfield", "*", "geoms of kind hfield", '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>' + WORLD.format('<geom type="hfield" hfield="h"/><body pos="0 0 3"><freejoint/><geom size=".1"/></body>')),
    ("body/geom", "hfield", "geoms of kind hfield", '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>' + WORLD.format('<geom type="hfield" hfield="h"/><body pos="0 0 3"><freejoint/><geom size=".1"/></body>')),
    ("body/joint", "springyield", "yield of springs", HINGE.format('stiffness="1" springyield=".1"')),
    ("body/joint", "actuatorgravcomp", "compensation of gravity by actuators", HINGE.format('actuatorgravcomp="true" actuatorfrcrange="-1 1"').replace('<body pos="0 0 1">', '<body pos="0 0 1" gravcomp="1">')),
    ("body/joint", "solreflimit", SOFT, HINGE.format('range="-1 1" solreflimit=".1 1"')), ("body/joint", "solimplimit", SOFT, HINGE.format('range="-1 1" solimplimit=".5 .9"')),
    ("body/joint", "solreffriction", SOFT, HINGE.format('frictionloss="1" solreffriction=".1 1"')), ("body/joint", "solimpfriction", SOFT, HINGE.format('frictionloss="1" solimpfriction=".5 .9"')),
    ("body/geom", "adhesion", "adhesion", FREE.format('adhesion="1"')), ("body/geom", "surfacevel", "velocities of surfaces", FREE.format('surfacevel="1 0 0 0 0 0"')),
    ("body/geom", "fluidcoef fluidshape", "fluid forces", '<option density="1.2"/>' + FREE.format('fluidshape="ellipsoid" fluidcoef=".5 .25 1.5 1 1"')),
    ("body/geom", "solref", SOFT, FREE.format('solref=".1 1"')), ("body/geom", "solimp", SOFT, FREE.format('solimp=".5 .9"')), ("body/geom", "solmix", SOFT, FREE.format('solmix="2" solref=".1 1"')),
    ("body/flexcomp body/flexcomp/edge body/flexcomp/elasticity body/flexcomp/contact body/flexcomp/pin body/flexcomp/plugin body/flexcomp/plugin/config", "*", "deformable bodies", CLOTH.format("")),
    ("deformable/flex deformable/flex/contact deformable/flex/edge deformable/flex/elasticity", "*", "deformable bodies", TWO + '<deformable><flex name="f" dim="1" body="a b" vertex="0 0 0 0 0 0" element="0 1" radius=".01"/></deformable>'),
    *(("contact/pair", name, line, FREE.format("") + f'<contact><pair geom1="floor" geom2="ball" {name}="{value}"/></contact>') for name, value, line in (
        ("adhesion", "1", "adhesion"), ("margin", ".1", "margins of pairs"), ("solref", ".1 1", SOFT), ("solimp", ".5 .9", SOFT), ("solreffriction", ".1 1", SOFT))),
    *((f"tendon/{kind}", name, "tendons", model.format(f'{name}="{value}" {more}')) for kind, model in (("fixed", TENDON), ("spatial", PATH)) for name, value, more in (
        ("stiffness", 1, ""), ("damping", 1, ""), ("frictionloss", 1, ""), ("armature", 1, ""), ("range", "-1 2", ""), ("limited", "true", 'range="-1 2"'), ("margin", .1, 'range="-1 2"'), ("solreflimit", ".1 1", 'range="-1 2"'),
        ("solimplimit", ".5 .9", 'range="-1 2"'), ("solreffriction", ".1 1", 'frictionloss="1"'), ("solimpfriction", ".5 .9", 'frictionloss="1"'), ("springlength", 1, 'stiffness="1"'), ("springyield", ".1", 'stiffness="1"'))),
    *((f"tendon/{kind}", "actuatorfrcrange actuatorfrclimited", FAR, model.format('actuatorfrclimited="true" actuatorfrcrange="-1 1"') + '<actuator><motor tendon="x"/></actuator>') for kind, model in (("fixed", TENDON), ("spatial", PATH))),
    ("tendon/spatial/site tendon/spatial/geom tendon/spatial/pulley", "*", "tendons", PATH.format('stiffness="1"')), ("tendon/fixed/joint", "*", "tendons", TENDON.format('stiffness="1"')),
    ("equality/connect", "solref", SOFT, TWO + '<equality><connect body1="a" body2="b" anchor="0 0 0" solref=".1 1"/></equality>'), ("equality/connect", "solimp", SOFT, TWO + '<equality><connect body1="a" body2="b" anchor="0 0 0" solimp=".5 .9"/></equality>'),
    ("equality/weld", "solref", SOFT, TWO + '<equality><weld body1="a" body2="b" solref=".1 1"/></equality>'), ("equality/weld", "solimp", SOFT, TWO + '<equality><weld body1="a" body2="b" solimp=".5 .9"/></equality>'),
    *((f"equality/{kind}", name, SOFT, model + f'<equality><{kind} {ends} {name}="{value}"/></equality>') for kind, model, ends in (("joint", TWO, 'joint1="j" joint2="k"'), ("tendon", TENDON.format(""), 'tendon1="x"'))
      for name, value in (("solref", ".1 1"), ("solimp", ".5 .9"))),
    ("equality/flex equality/flexstrain", "*", "equality constraints of kind flex", CLOTH.format("")),
    *(("actuator/" + kind, "tendon cranklength cranksite slidersite site refsite body", FAR, DRIVE.format(f'<{kind} tendon="x" {"ctrlrange=" + chr(34) + "0 1" + chr(34) if kind == "damper" else ""}/>')) for kind in SHORTCUTS.split() if kind != "cylinder"),
    ("actuator/cylinder", "*", DYNAMICS, DRIVE.format('<cylinder joint="j" timeconst="1" area="1" bias="0 0 0"/>')), ("actuator/intvelocity", "actlimited actrange dampratio inheritrange kp kv", DYNAMICS, DRIVE.format('<intvelocity joint="j" kp="1" actrange="-1 1"/>')),
    ("actuator/general", "actdim actearly actlimited actrange dynprm dyntype", DYNAMICS, DRIVE.format('<general joint="j" dyntype="filter" dynprm="1"/>')), ("actuator/position", "timeconst", DYNAMICS, DRIVE.format('<position joint="j" timeconst="1"/>')),
    ("actuator/general", "ffrange input velrange", OTHER, DRIVE.format('<general joint="j" gaintype="pid" gainprm="0" biastype="affine" input="pos vel" velrange="-1 1"/>')),
    ("actuator/muscle", "*", OTHER, DRIVE.format('<muscle joint="j" lengthrange="-1 1"/>')), ("actuator/pid", "*", OTHER, DRIVE.format('<pid joint="j" kp="1" ki="1"/>')), ("actuator/dcmotor", "*", OTHER, DRIVE.format('<dcmotor joint="j" motorconst="1" resistance="1"/>')),
    ("actuator/orientation", "*", "actuators of", WORLD.format('<body pos="0 0 1"><joint name="j" type="ball"/><geom size=".1"/></body>') + '<actuator><orientation joint="j" kp="1"/></actuator>'),
    ("actuator/adhesion", "*", FAR, TWO + '<actuator><adhesion body="a" ctrlrange="0 1"/></actuator>'),
    ("actuator/plugin actuator/plugin/config", "*", "plugins", PLUGIN.format("mujoco.pid", '<instance name="p"><config key="kp" value="1"/></instance>') + DRIVE.format('<plugin joint="j" plugin="mujoco.pid" instance="p"/>')),
    ("keyframe/key", "plastic", "yield of springs", HINGE.format('stiffness="1" springyield=".1"') + '<keyframe><key plastic="1"/></keyframe>'),
)


def attributes(text):
    """what MuJoCo's printed schema has, by element; defaults have those of their elements"""
    found, path = {}, []
    for line in text.splitlines():
        head = re.match(r"( *)(\S+) \((.)\)(.*)", line)
        if head:
            path[len(head[1]) // 3:] = [head[2].replace("(world)", "")]
        if path[1:] and path[1] != "default":
            found.setdefault("/".join(path[1:]), set()).update((head[4] if head else line).split())
    return found


def verdicts():
    with open(os.path.join(ROOT, "tests", "mjcf.tsv"), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]


@unittest.skipUnless(mujoco and mujoco.__version__ >= "4", "tests/mjcf.tsv requires MuJoCo 4")
class Schema(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def lines(self, model):
        path = os.path.join(self.folder.name, "model.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"<mujoco>{model}</mujoco>")
        try:
            return scene.converted(path).notes.lines()
        except ValueError as fault:
            self.fail(f"{fault}: {model}")

    def test_all_that_mujoco_reads_has_a_verdict(self):
        """and nothing has two; a new version of MuJoCo that reads more fails here"""
        known = {}
        for element, verdict, names in verdicts():
            self.assertIn(verdict, ("taken", "named", "none"))
            for name in names.split():
                self.assertNotIn(name, known.setdefault(element, set()), element)
                known[element].add(name)
        self.assertEqual({element: names for element, names in attributes(mujoco.mj_printSchema(False, False)).items() if names}, known)

    def test_what_is_named_is_named(self):
        """by a model that has it; without it nothing is"""
        proven = {}
        for elements, names, line, model in NAMED:
            with self.subTest(elements=elements, names=names):
                self.assertTrue([said for said in self.lines(model) if line in said], (line, self.lines(model)))
            for element in elements.split():
                proven.setdefault(element, set()).update(names.split())
        for element, verdict, names in verdicts():
            if verdict == "named" and "*" not in proven.get(element, ()):
                self.assertEqual(set(names.split()) - proven.get(element, set()), set(), element)
        for model in (FREE.format(""), HINGE.format(""), TWO, TENDON.format(""), PATH.format(""), DRIVE.format("")):
            self.assertEqual([said for said in self.lines(model) if "left out" in said], [], model)


ARM = """<worldbody>{floor}<body name="base" pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .05"/>
 <body name="upper" pos=".2 0 0"><joint name="one" axis="0 1 0" {one}/><geom type="box" size=".15 .03 .03" pos=".15 0 0"/>
  <body name="lower" pos=".3 0 0"><joint name="two" axis="0 0 1" {two}/><joint name="three" axis="0 1 0" {three}/><geom type="box" size=".1 .03 .02" pos=".1 0 .02"/>
   <body name="hand" pos=".2 0 0"><joint name="slide" type="slide" axis="1 0 0" {slide}/><geom type="box" size=".02 .05 .02" pos=".03 0 0"/></body></body></body></body></worldbody>"""
NOTHING = {"floor": "", "one": "", "two": "", "three": "", "slide": ""}
SPRUNG = {**NOTHING, "one": 'stiffness="3" springref="20" damping=".1"', "two": 'stiffness="2 3 4" springref="30"', "three": 'damping=".2"', "slide": 'stiffness="50" damping="1 2 3"'}
SERVOS = """<actuator><position joint="one" kp="5" kv=".3" gear="2"/><velocity joint="two" kv=".4"/><motor joint="three" gear="-2"/><position joint="slide" kp="80" dampratio="1"/>
 <general joint="one" gaintype="affine" gainprm="1 .5 .1" biastype="affine" biasprm=".1 -.2 -.3" damping=".05"/></actuator>
<keyframe><key name="k" ctrl=".3 -.2 .05 .01 .4"/></keyframe>"""
BOX = '<body pos="{x} 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" {more}/></body>'
LEG = """<body pos="0 0 {z}"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/><geom type="box" size=".1 .05 .1" pos="0 0 .4" condim="1"/>
 <body pos="0 0 .3"><joint axis="0 1 0" damping="1"/><geom type="box" size=".05 .05 .15" pos="0 0 -.15" condim="1"/></body></body>"""
TILTED = '<option gravity="3 0 -9"/>'


def flag(**which):
    return "<option><flag " + " ".join(f'{name}="{value}"' for name, value in which.items()) + "/></option>"


# what MuJoCo's bodies do without contacts, at rest and at random; with them, from rest
APART = {
    "an arm": ARM.format(**NOTHING), "springs and dampers": ARM.format(**SPRUNG), "no gravity": flag(gravity="disable") + ARM.format(**SPRUNG), "no springs": flag(spring="disable") + ARM.format(**SPRUNG),
    "no dampers": flag(damper="disable") + ARM.format(**SPRUNG), "servos": ARM.format(**NOTHING) + SERVOS, "no actuation": flag(actuation="disable") + ARM.format(**SPRUNG) + SERVOS,
    "a group off": '<option actuatorgroupdisable="1"/>' + ARM.format(**NOTHING) + SERVOS.replace('kp="5"', 'kp="5" group="1"'),
    "controls in range": ARM.format(**NOTHING) + SERVOS.replace('kp="5"', 'kp="5" ctrlrange="-.1 .1"'), "controls beyond": flag(clampctrl="disable") + ARM.format(**NOTHING) + SERVOS.replace('kp="5"', 'kp="5" ctrlrange="-.1 .1"'),
    "limited forces": ARM.format(**NOTHING) + SERVOS.replace('kp="5"', 'kp="5" forcerange="-.2 .1"').replace('kp="80"', 'kp="80" forcerange="-3 3"'), "limited joints": ARM.format(**{**NOTHING, "one": 'actuatorfrcrange="-.1 .1"', "slide": 'damping="3" actuatorfrcrange="-2 2"'}) + SERVOS,
    "rotors": ARM.format(**{**NOTHING, "one": 'armature=".03"', "three": 'armature=".01"', "slide": 'armature=".5"'}) + SERVOS.replace('kp="80"', 'kp="80" armature=".1"'), "dry friction": ARM.format(**{**NOTHING, "one": 'frictionloss=".1"', "two": 'frictionloss="2"', "slide": 'frictionloss=".5"'}) + SERVOS,
    "no dry friction": flag(frictionloss="disable") + ARM.format(**{**NOTHING, "one": 'frictionloss=".1"'}), "at a limit": WORLD.format('<body pos="0 0 1"><joint axis="0 1 0" range="0 90"/><geom type="box" size=".2 .1 .1" pos="-.2 0 0"/></body><body pos="1 0 1"><joint type="slide" axis="0 0 1" range="0 1"/><geom type="box" size=".2 .1 .1"/></body>'),
    "at the margin of a limit": WORLD.format('<body pos="0 0 1"><joint axis="0 1 0" range="-5.729577951308232 90" margin=".1"/><geom type="box" size=".2 .1 .1" pos="-.2 0 0"/></body>'),
    "no limits": flag(limit="disable") + WORLD.format('<body pos="0 0 1"><joint axis="0 1 0" range="0 90"/><geom type="box" size=".2 .1 .1" pos="-.2 0 0"/></body>'),
    "compensated gravity": ARM.format(**NOTHING).replace('<body name="upper"', '<body gravcomp=".7" name="upper"'), "all passive off": flag(spring="disable", damper="disable") + ARM.format(**SPRUNG).replace('<body name="upper"', '<body gravcomp=".7" name="upper"'),
    "hinges about one point": WORLD.format('<body pos="0 0 1"><joint axis="1 0 0" stiffness="2" damping=".3" springref="10"/><joint axis="0 1 0" stiffness="3" springref="20"/><joint axis="0 0 1"/><geom type="box" size=".1 .2 .3" pos=".1 .2 .3"/></body>'),
    "a damped body": '<worldbody><body pos="0 0 1" euler="10 20 30"><joint type="free" damping="20"/><geom type="box" size=".1 .2 .3" pos=".1 .2 0"/></body></worldbody>',
    "balls with a spring and a damper": '<worldbody><body pos="0 0 1" euler="10 20 30"><joint type="ball" stiffness="3" springref="0"/><geom type="box" size=".1 .2 .3" pos=".3 .2 0"/><body pos=".6 .4 0"><joint type="ball" damping=".4"/><geom type="box" size=".2 .1 .1" pos=".2 0 0"/></body></body></worldbody>',
    "gears": WHEELS + '<equality><joint joint1="j" joint2="k" polycoef="0 -.5 0 0 0"/></equality>', "a joint held": WHEELS + '<equality><joint joint1="j"/></equality>',
    "a finger": ARM.format(**NOTHING) + '<equality><joint joint1="three" joint2="one" polycoef="0 1.5 0 0 0"/><joint joint1="two" joint2="slide" polycoef="0 -20 0 0 0"/></equality>',
    "a tendon of fixed length": ARM.format(**NOTHING) + '<tendon><fixed name="x"><joint joint="one" coef=".2"/><joint joint="three" coef="-.5"/><joint joint="slide" coef="1"/></fixed></tendon><equality><tendon tendon1="x"/></equality>',
    "two tendons": ARM.format(**NOTHING) + '<tendon><fixed name="x"><joint joint="one" coef=".2"/></fixed><fixed name="y"><joint joint="three" coef="-.5"/><joint joint="two" coef=".1"/></fixed></tendon><equality><tendon tendon1="x" tendon2="y" polycoef="0 2 0 0 0"/></equality>',
    "connect": ARM.format(**NOTHING) + '<equality><connect body1="hand" anchor="0 0 0"/></equality>', "weld": ARM.format(**NOTHING) + '<equality><weld body1="hand" body2="base"/></equality>',
    "weld of points": ARM.format(**NOTHING) + '<equality><weld body1="hand" torquescale="0"/></equality>', "no equality": flag(equality="disable") + ARM.format(**NOTHING) + '<equality><weld body1="hand"/></equality>',
    "sites that meet": WORLD.format('<site name="t" pos="1 0 1" euler="10 20 30"/><body pos="1 0 1" euler="10 20 30"><freejoint/><site name="s"/><geom type="box" size=".1 .2 .3" pos=".3 0 0"/></body>') + '<equality><weld site1="s" site2="t"/></equality>',
    "mocap": WORLD.format('<body mocap="true" name="m" pos="0 0 2"><geom type="box" size=".1 .1 .1"/></body><body pos=".5 0 2" name="h"><freejoint/><geom type="box" size=".1 .2 .1"/></body>') + '<equality><connect body1="m" body2="h" anchor="0 0 0"/></equality>'}
TOUCHING = {
    "condim 1": TILTED + WORLD.replace("<geom ", '<geom condim="1" ').format(BOX.format(x=0, more='condim="1"')), "condim of one": TILTED + WORLD.format(BOX.format(x=0, more='condim="1" friction=".1"')),
    "the larger friction": TILTED + WORLD.replace("<geom ", '<geom friction=".2" ').format(BOX.format(x=0, more='friction=".1"')), "priority": TILTED + WORLD.format(BOX.format(x=0, more='friction=".1" priority="1"')),
    "priority of one without": TILTED + WORLD.format(BOX.format(x=0, more='condim="1" priority="1"')), "a pair": TILTED + WORLD.format(BOX.format(x=0, more='name="ball"')) + '<contact><pair geom1="floor" geom2="ball" friction=".15 .15"/></contact>',
    "a pair alone": TILTED + WORLD.format(BOX.format(x=0, more='name="ball" contype="0" conaffinity="0"')) + '<contact><pair geom1="floor" geom2="ball" friction=".15 .15" condim="1"/></contact>',
    "a gap": WORLD.format(BOX.format(x=0, more='margin=".02" gap=".01"').replace('0 .1"', '0 .12"', 1)), "a gap of a pair": TILTED + WORLD.format(BOX.format(x=0, more='name="ball"')) + '<contact><pair geom1="floor" geom2="ball" gap=".05"/></contact>',
    "exclude": WORLD.format(BOX.format(x=0, more="").replace("<body ", '<body name="e" ')) + '<contact><exclude body1="world" body2="e"/></contact>', "margin": WORLD.format(BOX.format(x=0, more='margin=".02"').replace('0 .1"', '0 .12"', 1)),
    "override": '<option gravity="3 0 -9" o_margin=".02" o_friction=".1 .1"><flag override="enable"/></option>' + WORLD.format(BOX.format(x=0, more="").replace('0 .1"', '0 .12"', 1)),
    "no contact": flag(contact="disable") + WORLD.format(BOX.format(x=0, more="")), "no constraint": flag(constraint="disable") + WORLD.format(BOX.format(x=0, more="")),
    "types": WORLD.format(BOX.format(x=0, more='contype="2" conaffinity="2"') + BOX.format(x=1, more='contype="2"')), "a slider on the world's box": '<worldbody><geom type="box" size="1 1 .1" pos="0 0 -.1"/><body pos="0 0 .1"><joint type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body></worldbody>',
    "a child on its parent": WORLD.format('<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/><body pos="0 0 .2"><joint type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body></body>'),
    "a child on its parent, not filtered": flag(filterparent="disable") + WORLD.format('<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/><body pos="0 0 .2"><joint type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body></body>'),
    "on a mocap": '<worldbody><body mocap="true" pos="0 0 0"><geom type="box" size="1 1 .1"/></body>' + BOX.format(x=0, more="").replace('0 .1"', '0 .2"', 1) + "</worldbody>", "a leg": WORLD.format(LEG.format(z=0))}


@unittest.skipUnless(mujoco, "requires MuJoCo's Python package")
class Motion(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check(self, model, tests, **options):
        path = os.path.join(self.folder.name, "model.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"<mujoco>{model}</mujoco>")
        for test in tests:
            found, lines = robots.accelerations(path, test, seed=SEED, **options)
            self.assertEqual([line for line in lines if "left out" in line], [])
            self.assertLess(robots.error(found), robots.AGREED, (test, f"NB_TEST_SEED={SEED}", found))

    def test_without_contacts(self):
        for name, model in APART.items():
            with self.subTest(name):
                self.check(model, ("rest", "random"), **({"key": "k"} if "<key " in model else {}))

    def test_light_bodies_between_rotors(self):
        """torques between rotors, over the moments of what is between them, leave digits for a solution"""
        joints = "".join(f'<joint name="{name}" axis="{axis}" armature="1e-6"/>' for name, axis in (("a", "0 0 1"), ("b", "1 .2 0"), ("c", "0 1 .3")))
        model = ('<option timestep="1e-4"/>' + WORLD.format(f'<body pos="0 0 1" euler="10 20 30">{joints}<geom type="box" size=".002 .004 .02" pos=".001 0 -.02" density="1"/></body>') +
                 '<actuator><motor joint="a"/><motor joint="b"/><motor joint="c"/></actuator><keyframe><key name="k" ctrl=".2 -.3 .1"/></keyframe>')
        self.check(model, ("rest", "random"), key="k")
        residuals, _ = robots.run(scene.converted(os.path.join(self.folder.name, "model.xml"), key="k").scene, self.folder.name, "--steps", "3", "--method", "auto", "--newton-tolerance", "1e-8")
        self.assertLess(residuals.max(), 1e-8)

    def test_mimic_of_urdf(self):
        """in its scene, and with MuJoCo's motion"""
        wheel = '<link name="{0}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        joint = '<joint name="{0}" type="{2}"><parent link="base"/><child link="{0}"/><origin xyz="{1} 0 0"/><axis xyz="0 1 0"/>{3}</joint>'
        path = os.path.join(self.folder.name, "model.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write('<robot name="r"><link name="base"/>' + wheel.format("a") + wheel.format("b") + wheel.format("c") + joint.format("a", 0, "continuous", "") + joint.format("b", 1, "continuous", '<mimic joint="a" multiplier="-2"/>') +
                       joint.format("c", 2, "fixed", '<mimic joint="a"/>') + "</robot>")
        found = scene.converted(path)
        self.assertEqual(found.scene["couplings"], [{"joints": [1, 0], "factors": [1.0, 2.0], "offset": 0.0}])
        self.assertEqual([line for line in found.notes.lines() if "left out" in line], [])

    def test_with_contacts(self):
        for name, model in TOUCHING.items():
            with self.subTest(name):
                self.check(model, ("contact",))


if __name__ == "__main__":
    if not mujoco:
        print("MuJoCo's Python package is not installed")
        sys.exit(77)
    unittest.main()
