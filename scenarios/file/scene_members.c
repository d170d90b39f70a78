#include "file/scene_members.h"

#include <string.h>

/* ---- the tables ---- */

#define NUMBER         \
    NB_VALUE_NUMBER, { \
        0              \
    }
#define NUMBERS(...)   \
    NB_VALUE_NUMBER, { \
        __VA_ARGS__    \
    }
#define VECTOR         \
    NB_VALUE_NUMBER, { \
        3              \
    }
#define ROTATION       \
    NB_VALUE_NUMBER, { \
        4              \
    }
#define WHOLE         \
    NB_VALUE_WHOLE, { \
        0             \
    }
#define WHOLES(...)   \
    NB_VALUE_WHOLE, { \
        __VA_ARGS__   \
    }
#define INDEX         \
    NB_VALUE_INDEX, { \
        0             \
    }
#define INDICES(...)  \
    NB_VALUE_INDEX, { \
        __VA_ARGS__   \
    }
#define CHOICE         \
    NB_VALUE_CHOICE, { \
        0              \
    }
#define TEXT         \
    NB_VALUE_TEXT, { \
        0            \
    }
#define OBJECT         \
    NB_VALUE_OBJECT, { \
        0              \
    }
#define LIST           \
    NB_VALUE_OBJECT, { \
        NB_SCENE_ANY   \
    }
#define ANY NB_SCENE_ANY
#define AT(T, m) .offset = offsetof(T, m), .in = 1
#define OUTSIDE .in = 0 /* of the structure */
#define TABLE(label, text, rows) \
    { .name = (label), .summary = (text), .members = (rows), .count = (int)(sizeof(rows) / sizeof *(rows)) }
#define REQUIRED NULL
#define NO_DEFAULT ""

_Static_assert(sizeof(nb_body_kind) == sizeof(int) && sizeof(nb_joint_kind) == sizeof(int) &&
                   sizeof(nb_material_kind) == sizeof(int) && sizeof(nb_volume_model) == sizeof(int),
               "a choice is held as an int");
_Static_assert(sizeof(nb_vec3) == 3 * sizeof(double) && sizeof(nb_quat) == 4 * sizeof(double),
               "vectors and rotations are numbers next to each other");

static const char *const body_kinds[] = {
    [NB_BODY_DYNAMIC] = "dynamic", [NB_BODY_FIXED] = "fixed", [NB_BODY_KINEMATIC] = "kinematic", NULL};
static const char *const joint_kinds[] = {
    [NB_JOINT_FIXED] = "fixed",         [NB_JOINT_SPHERICAL] = "spherical", [NB_JOINT_REVOLUTE] = "revolute",
    [NB_JOINT_PRISMATIC] = "prismatic", [NB_JOINT_DISTANCE] = "distance",   NULL};
static const char *const motor_axes[] = {"turns", "slides", NULL};
const char *const nb_scene_shape_kinds[NB_FILE_SHAPES + 1] = {
    "none",     "sphere", "half-space",      "box",           "ellipsoid", "polyhedra", "capsule",
    "cylinder", "cone",   "padded polytope", "Minkowski sum", "bundle",    NULL};
const char *const nb_scene_term_kinds[] = {
    [NB_TERM_ELLIPSOID] = "ellipsoid", [NB_TERM_SEGMENT] = "segment",       [NB_TERM_CYLINDER] = "cylinder",
    [NB_TERM_CONE] = "cone",           [NB_TERM_POLYHEDRON] = "polyhedron", NULL};

const char *const nb_scene_quantity_names[] = {[NB_EXPECT_POSITION] = "position_m",
                                               [NB_EXPECT_VELOCITY] = "velocity_m_s",
                                               [NB_EXPECT_SPIN] = "angular_velocity_rad_s",
                                               [NB_EXPECT_FORCE] = "force_of_fixed_N",
                                               [NB_EXPECT_CONTACTS] = "contacts",
                                               [NB_EXPECT_ENERGY] = "kinetic_energy_J",
                                               [NB_EXPECT_DRIFT] = "drift_m",
                                               [NB_EXPECT_JOINTS] = "joint_error",
                                               NULL};
const char *const nb_scene_axis_names[] = {"x", "y", "z", NULL};

static const nb_scene_member run[] = {
    {"method", TEXT, NULL, "auto", NULL,
     "method; without it, command lines that name options of newton, linear solvers or devices have newton",
     AT(nb_scene_run_values, method)},
    {"steps", WHOLE, "1", "60", NULL, "time steps", AT(nb_scene_run_values, steps), .least = 1, .most = 10000000},
    {"newton_iterations", WHOLE, "1", "the method's own; newton 6", NULL, "iterations of a step at most",
     AT(nb_scene_run_values, newton_iterations), .least = 1, .most = 1000000},
    {"linear_iterations", WHOLE, "1", "20", NULL, "iterations of a linear solve at most",
     AT(nb_scene_run_values, linear_iterations), .least = 1, .most = 10000000},
    {"warm_start", WHOLE, NULL, "0", NULL, "1: a step starts from the impulses of the previous one",
     AT(nb_scene_run_values, warm_start), .most = 2},
    {"options", OBJECT, NULL, NO_DEFAULT, NULL, "options of the method: a text or a number each",
     .object = &(const nb_scene_object){.open = 1}},
};
const nb_scene_object nb_scene_run_members =
    TABLE("run", "what a run takes unless the command line says otherwise", run);

#define KIND(k) (1U << NB_FILE_##k)
#define SOLID(k) (1U << (NB_FILE_SOLID + NB_SHAPE_##k - NB_SHAPE_CAPSULE))
#define SOLIDS (~0U << NB_FILE_SOLID)
static const nb_scene_member shape[] = {
    {"kind", CHOICE, NULL, REQUIRED, NULL, "from capsule on: for methods that find contact points themselves",
     .choices = nb_scene_shape_kinds},
    {"radius_m", NUMBER, "m", NO_DEFAULT, NULL,
     "of a sphere, a capsule, a cylinder, a cone; of the ball about every point of a padded polytope",
     .bound = NB_BOUND_ABOVE, .kinds = KIND(SPHERE) | SOLID(CAPSULE) | SOLID(CYLINDER) | SOLID(CONE) | SOLID(PADDED)},
    {"half_sizes_m", VECTOR, "m", NO_DEFAULT, "body", "of a box", .kinds = KIND(BOX)},
    {"half_axes_m", VECTOR, "m", NO_DEFAULT, "body", "of an ellipsoid", .kinds = KIND(ELLIPSOID)},
    {"length_m", NUMBER, "m", NO_DEFAULT, NULL, "along z, of a cylinder, and of a capsule without its caps",
     .bound = NB_BOUND_ABOVE, .kinds = SOLID(CAPSULE) | SOLID(CYLINDER)},
    {"height_m", NUMBER, "m", NO_DEFAULT, NULL, "of a cone, whose base is at z = -height/4", .bound = NB_BOUND_ABOVE,
     .kinds = SOLID(CONE)},
    {"parts", LIST, NULL, NO_DEFAULT, NULL, "of polyhedra; the one of a padded polytope",
     .object = &nb_scene_polyhedron_members, .kinds = KIND(POLYHEDRA) | SOLID(PADDED)},
    {"of", LIST, NULL, NO_DEFAULT, NULL, "the two shapes of a Minkowski sum, or those of a bundle; at most 8 deep",
     .object = &nb_scene_shape_members, .kinds = SOLID(SUM) | SOLID(BUNDLE)},
    {"offset_m", VECTOR, "m", "[0, 0, 0]", "body", "in a bundle: origin of this shape", OUTSIDE},
    {"turn_wxyz", ROTATION, "1", "[1, 0, 0, 0]", "body", "in a bundle: rotation of this shape", OUTSIDE},
    {"solids", LIST, NULL, NO_DEFAULT, NULL, "from capsule on, in place of measures: as export writes moved shapes",
     .object = &nb_scene_solid_members, .kinds = SOLIDS},
};
const nb_scene_object nb_scene_shape_members = TABLE("shape",
                                                     "in the body's frame, whose origin is the center of mass and "
                                                     "whose axes are the principal axes of inertia. Bodies with "
                                                     "density_kg_m3 may have any frame",
                                                     shape);

static const nb_scene_member solid[] = {
    {"offset_m", VECTOR, "m", "[0, 0, 0]", "body", "center of the sum", OUTSIDE},
    {"sum_of", LIST, NULL, REQUIRED, NULL, "terms", .least_items = 1, .object = &nb_scene_term_members},
    {"set", OBJECT, NULL, REQUIRED, NULL, "inequalities", .object = &nb_scene_set_members},
};
const nb_scene_object nb_scene_solid_members =
    TABLE("solid",
          "the Minkowski sum of its terms, and to the last bit the set of its inequalities (core/convex/convex_set.h)",
          solid);

static const nb_scene_member term[] = {
    {"kind", CHOICE, NULL, REQUIRED, NULL, "kind", .choices = nb_scene_term_kinds},
    {"turn_wxyz", ROTATION, "1", "[1, 0, 0, 0]", "body", "rotation", OUTSIDE},
    {"half_m", VECTOR, "m", NO_DEFAULT, "term", "half axes, of all but polyhedra", OUTSIDE},
    {"parts", NB_VALUE_OBJECT, {1}, NULL, NO_DEFAULT, NULL, "of a polyhedron", .object = &nb_scene_polyhedron_members},
};
const nb_scene_object nb_scene_term_members = TABLE("term", "a convex body about the origin", term);

static const nb_scene_member set[] = {
    {"centre_m", VECTOR, "m", REQUIRED, "body", "center of the bounding sphere", OUTSIDE},
    {"radius_m", NUMBER, "m", REQUIRED, NULL, "radius of the bounding sphere", .bound = NB_BOUND_ABOVE},
    {"cones", WHOLES(ANY), "1", REQUIRED, NULL, "rows of each second-order cone; they are the last rows", .least = 2,
     .most = 4},
    {"rows", NUMBERS(ANY, ANY), "1", REQUIRED, NULL, "of each: three of A, b, then those of E", .least_items = 1},
};
const nb_scene_object nb_scene_set_members = TABLE("set", "inequalities A x + E y <= b and cones of them", set);

static const nb_scene_member polyhedron[] = {
    {"vertices_m", NUMBERS(ANY, 3), "m", REQUIRED, "body", "vertices, at most 1000", OUTSIDE},
    {"faces", WHOLES(ANY, ANY), NULL, REQUIRED, NULL, "indices of vertices, counter-clockwise seen from outside",
     OUTSIDE},
    {"normals", NUMBERS(ANY, 3), "1", "of the vertices", "body", "of the faces, for the last bit", OUTSIDE},
};
const nb_scene_object nb_scene_polyhedron_members = TABLE("polyhedron", "a convex polyhedron", polyhedron);

static const nb_scene_member body[] = {
    {"kind", CHOICE, NULL, "dynamic", NULL, "what moves it: forces, nothing, prescribed motion", AT(nb_body, kind),
     .choices = body_kinds},
    {"shape", INDEX, NULL, "-1", NULL, "index into shapes; -1: none", AT(nb_body, shape), .least = -1,
     .of = NB_LIST_SHAPES},
    {"mass_kg", NUMBER, "kg", NO_DEFAULT, NULL, "with inertia_kg_m2, required of a dynamic body without density_kg_m3",
     AT(nb_body, mass)},
    {"inertia_kg_m2", VECTOR, "kg m^2", NO_DEFAULT, "body", "principal moments of inertia", AT(nb_body, inertia)},
    {"density_kg_m3", NUMBER, "kg/m^3", NO_DEFAULT, NULL,
     "gives mass, center of mass and principal axes of the shape, in place of mass_kg", .bound = NB_BOUND_ABOVE},
    {"position_m", VECTOR, "m", REQUIRED, "world", "center of mass; with density_kg_m3, origin of the shape's frame",
     AT(nb_body, position)},
    {"orientation_wxyz", ROTATION, "1", "[1, 0, 0, 0]", "world", "unit quaternion from the body's frame",
     AT(nb_body, orientation)},
    {"velocity_m_s", VECTOR, "m/s", "[0, 0, 0]", "world", "of the center of mass", AT(nb_body, linear_velocity)},
    {"angular_velocity_rad_s", VECTOR, "rad/s", "[0, 0, 0]", "world", "angular velocity",
     AT(nb_body, angular_velocity)},
    {"force_N", VECTOR, "N", "[0, 0, 0]", "world", "external, in addition to gravity", AT(nb_body, force)},
    {"torque_N_m", VECTOR, "N m", "[0, 0, 0]", "world", "external", AT(nb_body, torque)},
    {"friction", NUMBER, "1", "0", NULL, "coefficient; a contact has the geometric mean of its two, 0 where one is 0",
     AT(nb_body, friction), .bound = NB_BOUND_FROM},
};
const nb_scene_object nb_scene_body_members = TABLE("body", "a rigid body", body);

static const nb_scene_member joint[] = {
    {"kind", CHOICE, NULL, REQUIRED, NULL, "revolute: about x of the frames, or axis; prismatic: along it",
     AT(nb_joint, kind), .choices = joint_kinds},
    {"bodies", INDICES(2), NULL, REQUIRED, NULL, "two bodies; -1: the world", AT(nb_joint, body_a), .least = -1,
     .of = NB_LIST_BODIES},
    {"anchors_m", NUMBERS(2, 3), "m", "of point_m", "each body", "a point of each body; required without point_m",
     AT(nb_joint, anchor_a)},
    {"frames_wxyz", NUMBERS(2, 4), "1", "[1, 0, 0, 0] twice", "each body", "a frame of each body",
     AT(nb_joint, frame_a)},
    {"point_m", VECTOR, "m", NO_DEFAULT, "world",
     "in place of anchors_m and frames_wxyz: where both bodies are joined at the start; not of a distance joint",
     OUTSIDE},
    {"axis", VECTOR, "1", "[1, 0, 0]", "world",
     "with point_m: x of both frames at the start, of any length; required of revolute and prismatic", OUTSIDE},
    {"compliance", NUMBERS(6), "m/N, rad/(N m)", "0", "frames", "of translation along x, y, z and rotation about them",
     AT(nb_joint, compliance)},
    {"damping", NUMBERS(6), "N s/m, N m s/rad", "0", "frames",
     "of translation along x, y, z and rotation about them, which it frees; of kind fixed, three of each or none",
     AT(nb_joint, damping)},
    {"limits", NUMBERS(2), "rad, m", NO_DEFAULT, NULL,
     "lower and upper bound of the free coordinate, which is 0 where the frames coincide, or where a motor's are",
     OUTSIDE},
    {"turned_rad", NUMBER, "rad", "middle of limits less than a turn apart, else 0", NULL,
     "the angle at the start is the one nearest to this; turns are counted from there", OUTSIDE},
    {"friction_N_m", NUMBER, "N m", "0", NULL, "dry friction about the free axis", OUTSIDE, .bound = NB_BOUND_FROM},
    {"friction_N", NUMBER, "N", "0", NULL, "dry friction along the free axis", OUTSIDE, .bound = NB_BOUND_FROM},
    {"armature_kg_m2", NUMBER, "kg m^2", "0", NULL, "inertia of the rotor that turns about the free axis", OUTSIDE,
     .bound = NB_BOUND_FROM},
    {"armature_kg", NUMBER, "kg", "0", NULL, "the same along the free axis", OUTSIDE, .bound = NB_BOUND_FROM},
    {"length_m", NUMBER, "m", "0", NULL, "of a distance joint", AT(nb_joint, length), .bound = NB_BOUND_FROM},
};
const nb_scene_object nb_scene_joint_members = TABLE("joint", "a joint between two bodies", joint);

static const nb_scene_member motor[] = {
    {"joint", INDEX, NULL, REQUIRED, NULL,
     "index into joints, of kind fixed; with an effort revolute or prismatic, or fixed after a motor without one",
     AT(nb_motor, joint), .of = NB_LIST_JOINTS},
    {"axis", CHOICE, NULL, REQUIRED, NULL, "rotation about x of the joint's frame, or translation along it",
     AT(nb_motor, along), .choices = motor_axes},
    {"stiffness", NUMBER, "N m/rad, N/m", "rigid", NULL, "stiffness", AT(nb_motor, stiffness), .bound = NB_BOUND_FROM},
    {"damping", NUMBER, "N m s/rad, N s/m", "0", NULL, "damping", AT(nb_motor, damping), .bound = NB_BOUND_FROM},
    {"target", NUMBER, "rad, m", "0", NULL, "target", AT(nb_motor, target)},
    {"rate", NUMBER, "rad/s, m/s", "0", NULL, "rate of the target", AT(nb_motor, rate)},
    {"effort_N_m", NUMBER, "N m", "any", NULL, "torque at most", OUTSIDE, .bound = NB_BOUND_ABOVE},
    {"effort_N", NUMBER, "N", "any", NULL, "force at most", OUTSIDE, .bound = NB_BOUND_ABOVE},
    {"anchor_m", VECTOR, "m", "the joint's", "second body", "anchor where the target is 0", AT(nb_motor, anchor)},
    {"frame_wxyz", ROTATION, "1", "the joint's", "second body", "frame where the target is 0", AT(nb_motor, frame)},
};
const nb_scene_object nb_scene_motor_members = TABLE("motor", "drives the free axis of a joint", motor);

static const nb_scene_member coupling[] = {
    {"joints", INDICES(ANY), NULL, REQUIRED, NULL, "1 to 4 joints, revolute, prismatic, or driven by a motor", OUTSIDE,
     .of = NB_LIST_JOINTS, .least_items = 1, .most_items = NB_COUPLED},
    {"factors", NUMBERS(ANY), "1", REQUIRED, NULL, "of the free coordinate of each, not 0", OUTSIDE, .least_items = 1,
     .most_items = NB_COUPLED},
    {"offset", NUMBER, "rad, m", "0", NULL, "what the sum of coordinates, times their factors, is",
     AT(nb_coupling, offset)},
};
const nb_scene_object nb_scene_coupling_members =
    TABLE("coupling", "joints whose free coordinates are coupled", coupling);

static const nb_scene_member pair[] = {
    {"bodies", INDICES(2), NULL, REQUIRED, NULL, "two bodies", AT(nb_pair, body), .of = NB_LIST_BODIES},
    {"contact", WHOLE, NULL, "1", NULL, "0: no contacts are detected; 1: they are, also where a joint joins the two",
     AT(nb_pair, contact), .most = 1},
    {"friction", NUMBER, "1", "geometric mean", NULL, "coefficient", AT(nb_pair, friction), .bound = NB_BOUND_FROM},
};
const nb_scene_object nb_scene_pair_members = TABLE("pair", "two bodies whose contacts differ from the rule", pair);

static const nb_scene_member particle[] = {
    {"kind", CHOICE, NULL, "dynamic", NULL, "what moves it: forces, nothing, prescribed motion", AT(nb_particle, kind),
     .choices = body_kinds},
    {"mass_kg", NUMBER, "kg", NO_DEFAULT, NULL, "required of a dynamic particle", AT(nb_particle, mass)},
    {"position_m", VECTOR, "m", REQUIRED, "world", "position", AT(nb_particle, position)},
    {"velocity_m_s", VECTOR, "m/s", "[0, 0, 0]", "world", "velocity", AT(nb_particle, velocity)},
    {"force_N", VECTOR, "N", "[0, 0, 0]", "world", "external, in addition to gravity", AT(nb_particle, force)},
    {"friction", NUMBER, "1", "0", NULL, "coefficient, as of bodies", AT(nb_particle, friction),
     .bound = NB_BOUND_FROM},
    {"radius_m", NUMBER, "m", "0", NULL, "radius of what touches; half the thickness of a sheet",
     AT(nb_particle, radius), .bound = NB_BOUND_FROM},
    {"rest_m", VECTOR, "m", "position_m", "world", "position at rest", AT(nb_particle, rest)},
};
const nb_scene_object nb_scene_particle_members = TABLE("particle", "a point with mass", particle);

static const nb_scene_member material[] = {
    {"kind", CHOICE, NULL, REQUIRED, NULL, "elastic law", AT(nb_material, kind), .choices = nb_material_names},
    {"young_Pa", NUMBER, "Pa", REQUIRED, NULL, "Young's modulus", AT(nb_material, young)},
    {"poisson", NUMBER, "1", REQUIRED, NULL, "Poisson's ratio", AT(nb_material, poisson)},
    {"density_kg_m3", NUMBER, "kg/m^3", REQUIRED, NULL, "density", AT(nb_material, density)},
};
const nb_scene_object nb_scene_material_members = TABLE("material", "of tetrahedra", material);

static const nb_scene_member tetrahedron[] = {
    {"particles", INDICES(4), NULL, REQUIRED, NULL, "vertices", AT(nb_tetrahedron, particle), .of = NB_LIST_PARTICLES},
    {"material", INDEX, NULL, REQUIRED, NULL, "index into materials", AT(nb_tetrahedron, material),
     .of = NB_LIST_MATERIALS},
    {"volume_m3", NUMBER, "m^3", "of the particles", NULL, "at rest, with gradients_1_m",
     AT(nb_tetrahedron, rest.volume), .bound = NB_BOUND_ABOVE},
    {"length_m", NUMBER, "m", "cube root of 6 volumes", NULL, "length at rest", AT(nb_tetrahedron, rest.length),
     .bound = NB_BOUND_ABOVE},
    {"gradients_1_m", NUMBERS(4, 3), "1/m", "of the particles", "rest",
     "of the shape functions: F is the sum of x (x) gradient", AT(nb_tetrahedron, rest.gradient)},
    {"activation", NUMBERS(6), "1", "0", "element", "strain without stress: xx yy zz, twice yz xz xy",
     AT(nb_tetrahedron, activation)},
};
const nb_scene_object nb_scene_tetrahedron_members =
    TABLE("tetrahedron", "an elastic element between four particles", tetrahedron);

static const nb_scene_member triangle[] = {
    {"particles", INDICES(3), NULL, REQUIRED, NULL, "vertices", AT(nb_triangle, particle), .of = NB_LIST_PARTICLES},
};
const nb_scene_object nb_scene_triangle_members =
    TABLE("triangle", "a face of a sheet, which touches from both sides", triangle);

static const nb_scene_member spring[] = {
    {"particles", INDICES(2), NULL, REQUIRED, NULL, "ends", AT(nb_spring, particle), .of = NB_LIST_PARTICLES},
    {"length_m", NUMBER, "m", REQUIRED, NULL, "length at rest", AT(nb_spring, length), .bound = NB_BOUND_FROM},
    {"stiffness_N_m", NUMBER, "N/m", "rigid", NULL, "stiffness", AT(nb_spring, stiffness), .bound = NB_BOUND_ABOVE},
};
const nb_scene_object nb_scene_spring_members = TABLE("spring", "a spring or rod between two particles", spring);

static const nb_scene_member cavity[] = {
    {"volume_law", CHOICE, NULL, REQUIRED, NULL, "pressure by volume", AT(nb_volume_law, model),
     .choices = nb_volume_model_names},
    {"modulus_Pa", NUMBER, "Pa", REQUIRED, NULL, "modulus", AT(nb_volume_law, modulus), .bound = NB_BOUND_ABOVE},
    {"volume_without_pressure_m3", NUMBER, "m^3", REQUIRED, NULL, "volume without pressure", AT(nb_volume_law, rest),
     .bound = NB_BOUND_ABOVE},
    {"triangles", INDICES(ANY), NULL, REQUIRED, NULL, "three particles each, counter-clockwise seen from outside",
     .of = NB_LIST_PARTICLES},
};
const nb_scene_object nb_scene_cavity_members = TABLE("cavity", "the volume that a closed surface encloses", cavity);

static const nb_scene_member expectation[] = {
    {"quantity", CHOICE, NULL, REQUIRED, NULL,
     "the first three are of a body; force_of_fixed_N: of fixed bodies on all others through contacts; drift_m: "
     "displacement of the body that moved farthest",
     AT(nb_scene_expectation, quantity), .choices = nb_scene_quantity_names},
    {"body", INDEX, NULL, NO_DEFAULT, NULL, "of the first three quantities", AT(nb_scene_expectation, body),
     .of = NB_LIST_BODIES},
    {"axis", CHOICE, NULL, NO_DEFAULT, NULL, "of the first four quantities", AT(nb_scene_expectation, axis),
     .choices = nb_scene_axis_names},
    {"value", NUMBER, "the quantity's", REQUIRED, NULL, "reference value", AT(nb_scene_expectation, value)},
    {"tolerance", NUMBER, "the quantity's", REQUIRED, NULL, "difference that passes",
     AT(nb_scene_expectation, tolerance), .bound = NB_BOUND_FROM},
    {"after_steps", WHOLE, "1", "any", NULL, "number of steps of the runs to which the check applies",
     AT(nb_scene_expectation, after_steps), .least = 1, .most = INT32_MAX},
};
const nb_scene_object nb_scene_expectation_members =
    TABLE("expectation", "a reference value after the final step, for `ncpbench check`", expectation);

static const nb_scene_member track[] = {
    {"times_s", NUMBERS(ANY), "s", REQUIRED, NULL, "ascending", .least_items = 1, .most_items = 1000000},
};

/* what a track prescribes, in addition to model/track.h: unit, default, meaning */
static const char *const prescribed[NB_TRACK_QUANTITIES][3] = {
    [NB_TRACK_VELOCITY] = {"m/s", "", "of kinematic bodies and particles"},
    [NB_TRACK_ANGULAR_VELOCITY] = {"rad/s", "", "of kinematic bodies"},
    [NB_TRACK_POSITION] = {"m", "",
                           "of kinematic bodies and particles, in place of velocity_m_s; reached at the end of each "
                           "step"},
    [NB_TRACK_ORIENTATION] = {"1", "",
                              "of kinematic bodies, in place of angular_velocity_rad_s; between samples it turns at a "
                              "constant rate"},
    [NB_TRACK_FORCE] = {"N", "", "of dynamic bodies and particles"},
    [NB_TRACK_TORQUE] = {"N m", "", "of dynamic bodies"},
    [NB_TRACK_TARGET] = {"rad, m", "", "of motors"},
    [NB_TRACK_RATE] = {"rad/s, m/s", "mean rate of the target in the step", "of motors"},
    [NB_TRACK_ACTIVATION] = {"1", "", "of tetrahedra of linear materials"}};

/* what moves, and what a track prescribes */
static int track_member(int i, nb_scene_member *member) {
    if (i < NB_TRACK_KINDS) {
        *member = (nb_scene_member){.name = nb_track_kind_names[i],
                                    .value = NB_VALUE_INDEX,
                                    .shape = {ANY},
                                    .standard = "",
                                    .summary = "what moves: one of bodies, particles, motors, tetrahedra",
                                    .least_items = 1,
                                    .of = (nb_scene_list)i};
        return 1;
    }
    if (i >= NB_TRACK_KINDS + NB_TRACK_QUANTITIES) return 0;
    const int q = i - NB_TRACK_KINDS, width = nb_track_members[q].width;
    *member = (nb_scene_member){.name = nb_track_members[q].name,
                                .value = NB_VALUE_NUMBER,
                                .shape = {ANY, width > 1 ? width : 0},
                                .unit = prescribed[q][0],
                                .standard = prescribed[q][1],
                                .frame = width == 3 || width == 4 ? "world" : NULL,
                                .summary = prescribed[q][2]};
    return 1;
}
const nb_scene_object nb_scene_track_members = {
    "track",
    "Prescribed motion of what one of bodies, particles, motors or tetrahedra names, with one sample per time in each "
    "table. Velocities are constant from their time to the next; a step takes their mean. All other values are linear "
    "in time; a step takes the value at its end. Before the first time and after the last one, the values there hold.",
    track,
    1,
    track_member,
    0};

const char *nb_scene_member_of_setting(const char *name) {
    static const char *const members[][2] = {{"contact-margin", "contact_margin_m"},
                                             {"contact-compliance", "contact_compliance_m_N"},
                                             {"contact-thickness", "contact_thickness_m"}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i][0], name) == 0) return members[i][1];
    return NULL;
}

/* those that are no members of the scene itself */
static int settings_member(int i, nb_scene_member *member) {
    const nb_scene_setting *s;
    for (int k = 0; (s = nb_scene_setting_at(k)) != NULL; k++)
        if (!nb_scene_member_of_setting(s->option.name) && i-- == 0) break;
    if (!s) return 0;
    const int choice = s->kind == NB_SCENE_CHOICE;
    *member = (nb_scene_member){.name = s->option.name,
                                .value = choice                      ? NB_VALUE_CHOICE
                                         : s->kind == NB_SCENE_WHOLE ? NB_VALUE_WHOLE
                                                                     : NB_VALUE_NUMBER,
                                .unit = choice ? NULL : s->option.units,
                                .standard = "that of the option",
                                .summary = s->option.summary,
                                .least = s->option.minimum,
                                .most = s->option.maximum,
                                .choices = s->option.choices,
                                .word = s->word};
    return 1;
}
const nb_scene_object nb_scene_settings_members = {
    "settings", "options of the command line, without dashes", NULL, 0, settings_member, 0};

#define OF(list) LIST, NULL, "[]", NULL, list
static const nb_scene_member whole[] = {
    {"$schema", TEXT, NULL, NO_DEFAULT, NULL, "for editors", OUTSIDE},
    {"about", TEXT, NULL, NO_DEFAULT, NULL, "for readers", OUTSIDE},
    {"ncpbench_version", TEXT, NULL, NO_DEFAULT, NULL, "version of the program that exported it", OUTSIDE},
    {"command", TEXT, NULL, NO_DEFAULT, NULL, "command that exported it", OUTSIDE},
    {"scenario", TEXT, NULL, NO_DEFAULT, NULL, "scenario that it was exported from", OUTSIDE},
    {"time_s", NUMBER, "s", "0", NULL, "time at which it begins", AT(nb_scene_head, time)},
    {"time_step_s", NUMBER, "s", "0.01", NULL, "time step", AT(nb_scene_head, time_step), .least = 1e-9, .most = 10},
    {"gravity_m_s2", VECTOR, "m/s^2", "[0, 0, -9.81]", "world", "gravity", AT(nb_scene_head, gravity)},
    {"planar", WHOLE, NULL, "0", NULL, "1: bodies with mass stay in the plane y = 0", AT(nb_scene_head, planar),
     .most = 1},
    {"contact_margin_m", NUMBER, "m", "0.01", NULL, "gap below which contacts are made",
     AT(nb_scene_head, contact_margin), .bound = NB_BOUND_ABOVE, .most = 1000},
    {"contact_compliance_m_N", NUMBER, "m/N", "0", NULL, "compliance of a contact along its normal",
     AT(nb_scene_head, contact_compliance), .most = 1},
    {"contact_thickness_m", NUMBER, "m", "0", NULL, "distance that touching bodies keep",
     AT(nb_scene_head, contact_thickness), .most = 1000},
    {"settings", OBJECT, NULL, NO_DEFAULT, NULL, "of contacts, friction and time steps",
     .object = &nb_scene_settings_members},
    {"run", OBJECT, NULL, NO_DEFAULT, NULL, "what a run takes", .object = &nb_scene_run_members},
    {"shapes", OF("shapes of bodies"), .object = &nb_scene_shape_members},
    {"bodies", OF("rigid bodies"), .object = &nb_scene_body_members},
    {"joints", OF("joints between bodies"), .object = &nb_scene_joint_members},
    {"motors", OF("motors, in the order of their joints"), .object = &nb_scene_motor_members},
    {"couplings", OF("couplings of joints"), .object = &nb_scene_coupling_members},
    {"pairs", OF("contacts of two bodies that differ from the rule"), .object = &nb_scene_pair_members},
    {"particles", OF("particles"), .object = &nb_scene_particle_members},
    {"materials", OF("materials of tetrahedra"), .object = &nb_scene_material_members},
    {"tetrahedra", OF("elastic elements"), .object = &nb_scene_tetrahedron_members},
    {"triangles", OF("faces of sheets"), .object = &nb_scene_triangle_members},
    {"springs", OF("springs and rods"), .object = &nb_scene_spring_members},
    {"cavities", OF("enclosed volumes"), .object = &nb_scene_cavity_members},
    {"motion", OF("what is prescribed over time"), .object = &nb_scene_track_members},
    {"expect", OF("reference values after the final step"), .object = &nb_scene_expectation_members, .most_items = 16},
};
const nb_scene_object nb_scene_members = TABLE("scene",
                                               "What `ncpbench export --format scene` writes and every command that "
                                               "takes a scenario reads. SI units, z up; numbers to the last bit.",
                                               whole);

int nb_scene_member_at(const nb_scene_object *object, int i, nb_scene_member *member) {
    int more = 0;
    while (object->more && more <= i && object->more(more, member)) more++;
    if (more > i) return 1;
    if (i - more >= object->count) return 0;
    *member = object->members[i - more];
    return 1;
}

/* ---- reading ---- */

nb_status nb_scene_check_members(const nb_input_at *at, const nb_scene_object *object) {
    const char *keys[NB_SCENE_MOST_MEMBERS + 1];
    nb_scene_member member;
    int count = 0;
    while (count < NB_SCENE_MOST_MEMBERS && nb_scene_member_at(object, count, &member)) keys[count++] = member.name;
    keys[count] = NULL;
    return nb_input_object(at, object->open ? NULL : keys);
}

static int32_t count_of(const nb_world *world, nb_scene_list list) {
    switch (list) {
    case NB_LIST_BODIES: return world->body_count;
    case NB_LIST_PARTICLES: return world->particle_count;
    case NB_LIST_MOTORS: return world->motor_count;
    case NB_LIST_TETRAHEDRA: return world->tetrahedron_count;
    case NB_LIST_SHAPES: return world->shape_count;
    case NB_LIST_JOINTS: return world->joint_count;
    default: return world->material_count;
    }
}

static nb_status read_one(const nb_input_at *at, const nb_scene_member *m, const nb_world *world, void *to) {
    switch (m->value) {
    case NB_VALUE_NUMBER: return nb_input_real(at, to);
    case NB_VALUE_WHOLE: return nb_input_whole(at, (int64_t)m->least, (int64_t)m->most, to);
    case NB_VALUE_INDEX: return nb_input_whole(at, (int64_t)m->least, count_of(world, m->of) - 1, to);
    case NB_VALUE_TEXT: return nb_input_text(at, to);
    default: {
        int count = 0;
        while (m->choices[count]) count++;
        return nb_input_choice(at, m->name, count, m->choices, to);
    }
    }
}

static size_t size_of(nb_scene_value value) {
    return value == NB_VALUE_NUMBER ? sizeof(double) : value == NB_VALUE_TEXT ? sizeof(char *) : sizeof(int32_t);
}

/* Reads the value, from extent `level` of its shape on, and moves *to behind it. */
static nb_status read_value(const nb_input_at *at, const nb_scene_member *m, int level, const nb_world *world,
                            char **to) {
    nb_status status;
    if (level == NB_SCENE_RANK || m->shape[level] == 0) {
        NB_TRY(read_one(at, m, world, *to));
        *to += size_of(m->value);
        return NB_OK;
    }
    const int inner = level + 1 == NB_SCENE_RANK || m->shape[level + 1] == 0;
    NB_TRY(nb_input_array(at));
    if (nb_input_count(at) != m->shape[level])
        return nb_input_fail(at, "expected %d %s, not %lld", m->shape[level], inner ? "numbers" : "items",
                             (long long)nb_input_count(at));
    for (int i = 0; i < m->shape[level]; i++) {
        const nb_input_at item = nb_input_item(at, i);
        NB_TRY(read_value(&item, m, level + 1, world, to));
    }
out:
    return status;
}

nb_status nb_scene_fill(const nb_input_at *at, const nb_scene_object *object, const nb_world *world, void *to) {
    nb_status status;
    nb_scene_member m;
    NB_TRY(nb_scene_check_members(at, object));
    for (int i = 0; nb_scene_member_at(object, i, &m); i++) {
        const nb_input_at member = nb_input_member(at, m.name);
        char *here = (char *)to + m.offset;
        if (m.in && (member.value || !m.standard)) NB_TRY(read_value(&member, &m, 0, world, &here));
    }
out:
    return status;
}

nb_status nb_scene_read_list(const nb_input_at *scene, const char *key, nb_scene_reader *read, nb_world *world) {
    const nb_input_at list = nb_input_member(scene, key);
    nb_status status = list.value ? nb_input_array(&list) : NB_OK;
    for (int64_t i = 0; i < nb_input_count(&list) && status == NB_OK; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        status = read(&item, world);
    }
    return status;
}
