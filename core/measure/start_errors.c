#include "measure/start_errors.h"

#include <math.h>
#include <stdio.h>

#include "contact/contact.h"
#include "measure/infeasibility.h"

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

static void pose_of(const nb_world *world, int32_t body, nb_vec3 *x, nb_quat *turn) {
    *x = body < 0 ? nb_vec3_of(0, 0, 0) : world->bodies[body].position;
    *turn = body < 0 ? nb_quat_identity() : world->bodies[body].orientation;
}

/* `driven`: the row of its motor, or -1 */
static void measure_joint(const nb_world *world, int32_t j, int driven, nb_start_errors *errors) {
    const nb_joint *joint = &world->joints[j];
    nb_joint_row rows[NB_JOINT_MAX_ROWS];
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    double apart = 0, turned = 0;
    pose_of(world, joint->body_a, &xa, &qa);
    pose_of(world, joint->body_b, &xb, &qb);
    const int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows);
    for (int k = 0; k < count; k++) {
        if (rows[k].compliance != 0 || k == driven) continue;
        double *sum = nb_norm(rows[k].linear_a) > 0 ? &apart : &turned;
        *sum = hypot(*sum, rows[k].value);
    }
    if (apart > errors->apart) errors->apart = apart, errors->apart_joint = j;
    if (turned > errors->turned) errors->turned = turned, errors->turned_joint = j;
}

nb_status nb_start_errors_of(const nb_world *world, nb_start_errors *errors) {
    *errors = (nb_start_errors){0};
    for (int32_t j = 0, m = 0; j < world->joint_count; j++) {
        const nb_motor *motor = m < world->motor_count && world->motors[m].joint == j ? &world->motors[m++] : NULL;
        measure_joint(world, j, motor ? motor->along ? 0 : 3 : -1, errors);
    }
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
    char words[3][128] = {"", "", ""}, names[2][48];
    if (errors->penetration > most) {
        name_node(world, errors->a, names[0], sizeof names[0]);
        name_node(world, errors->b, names[1], sizeof names[1]);
        snprintf(words[0], sizeof words[0], "%s is %.3g m deep in %s", names[0], errors->penetration, names[1]);
    }
    if (errors->apart > most)
        describe_joint(world, errors->apart_joint, "apart", errors->apart, "m", words[1], sizeof words[1]);
    if (errors->turned > NB_START_TURN)
        describe_joint(world, errors->turned_joint, "off", errors->turned, "rad", words[2], sizeof words[2]);
    *text = '\0';
    for (int k = 0, used = 0; k < 3; k++)
        if (*words[k] && (size_t)used < size)
            used += snprintf(text + used, size - (size_t)used, "%s%s", used ? "; " : "at the start ", words[k]);
}
