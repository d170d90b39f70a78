#include "measure/start_errors.h"

#include <math.h>
#include <stdio.h>

#include "contact/contact.h"
#include "measure/infeasibility.h"
#include "model/coordinate.h"

/* ---- bodies ---- */

static nb_status find_deepest(const nb_world *world, nb_start_errors *errors) {
    nb_status status;
    nb_contacts *contacts = NULL;
    nb_world bare = *world;
    bare.settings.contact_thickness = 0;
    bare.settings.stepping.scheme = NB_STEPPING_IMPLICIT; /* others have an active set */
    bare.skips_unknown = 1;
    NB_TRY(nb_contacts_create(&contacts));
    NB_TRY(nb_contacts_detect(&bare, 0, contacts));
    for (int32_t i = 0; i < contacts->count; i++) {
        const nb_contact *contact = &contacts->items[i];
        if (!(-contact->gap > errors->penetration)) continue;
        errors->penetration = -contact->gap;
        errors->a = contact->body_a;
        errors->b = contact->body_b;
    }
out:
    nb_contacts_destroy(contacts);
    return status;
}

/* ---- joints ---- */

/* takes the error in, of a length or of an angle, where it is the largest */
static void raise(nb_start_errors *errors, int32_t joint, int along, int of_limit, double by) {
    double *largest = along ? &errors->apart : &errors->turned;
    if (!(by > *largest)) return;
    *largest = by;
    *(along ? &errors->apart_joint : &errors->turned_joint) = joint;
    *(along ? &errors->apart_limit : &errors->turned_limit) = of_limit;
}

static void measure_joint(const nb_world *world, int32_t j, nb_start_errors *errors) {
    const int driven = nb_driven_row(world, j);
    const nb_joint *joint = &world->joints[j];
    nb_joint_row rows[NB_JOINT_MAX_ROWS];
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    double apart = 0, turned = 0;
    nb_world_pose(world, joint->body_a, &xa, &qa);
    nb_world_pose(world, joint->body_b, &xb, &qb);
    const int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows);
    for (int k = 0; k < count; k++) {
        if (rows[k].compliance != 0 || k == driven) continue;
        double *sum = nb_norm(rows[k].linear_a) > 0 ? &apart : &turned;
        *sum = hypot(*sum, rows[k].value);
    }
    raise(errors, j, 1, 0, apart);
    raise(errors, j, 0, 0, turned);
    int along = 0;
    const double crossed = nb_limit_crossed(world, j, nb_coordinate_near(world, j), xa, qa, xb, qb, &along);
    raise(errors, j, along, 1, crossed);
}

nb_status nb_start_errors_of(const nb_world *world, nb_start_errors *errors) {
    *errors = (nb_start_errors){0};
    for (int32_t j = 0; j < world->joint_count; j++) measure_joint(world, j, errors);
    return find_deepest(world, errors);
}

/* ---- words ---- */

static size_t name_node(const nb_world *world, int32_t node, char *text, size_t size) {
    const int32_t particle = node - world->body_count;
    if (particle >= 0) return (size_t)snprintf(text, size, "particle %d", (int)particle);
    const int32_t shape = world->bodies[node].shape;
    return (size_t)snprintf(text, size, "body %d (%s)", (int)node,
                            shape < 0 ? "no shape" : nb_shape_kind_name(world->shapes[shape]->kind));
}

static void describe_joint(const nb_world *world, int32_t joint, const char *how, double by, const char *unit,
                           char *text, size_t size) {
    const nb_joint *of = &world->joints[joint];
    char ends[2][32];
    for (int k = 0; k < 2; k++) {
        const int32_t body = k ? of->body_b : of->body_a;
        if (body < 0)
            snprintf(ends[k], sizeof ends[k], "the world");
        else
            snprintf(ends[k], sizeof ends[k], "body %d", (int)body);
    }
    snprintf(text, size, "joint %d of %s and %s is %.3g %s %s", (int)joint, ends[0], ends[1], by, unit, how);
}

void nb_start_errors_describe(const nb_world *world, const nb_start_errors *errors, char *text, size_t size) {
    const double most = NB_PENETRATION_SHARE * world->settings.contact_margin;
    static const char *const beyond = "beyond its limits";
    char words[3][128] = {"", "", ""}, names[2][48];
    if (errors->penetration > most) {
        name_node(world, errors->a, names[0], sizeof names[0]);
        name_node(world, errors->b, names[1], sizeof names[1]);
        snprintf(words[0], sizeof words[0], "%s is %.3g m deep in %s", names[0], errors->penetration, names[1]);
    }
    if (errors->apart > most)
        describe_joint(world, errors->apart_joint, errors->apart_limit ? beyond : "apart", errors->apart, "m", words[1],
                       sizeof words[1]);
    if (errors->turned > NB_START_TURN)
        describe_joint(world, errors->turned_joint, errors->turned_limit ? beyond : "off", errors->turned, "rad",
                       words[2], sizeof words[2]);
    *text = '\0';
    for (int k = 0, used = 0; k < 3; k++)
        if (*words[k] && (size_t)used < size)
            used += snprintf(text + used, size - (size_t)used, "%s%s", used ? "; " : "at the start ", words[k]);
}
