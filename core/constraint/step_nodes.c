/* The nodes of a step: their masses and velocities without constraints, and the momentum residual. */
#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "constraint/step.h"
#include "constraint/step_state.h"
#include "model/free_turn.h"

NB_PRECISIONS(f32, f64);

#define NB_LANE real
#include "operator/contact_formulas.h"

/* ---- the start of a step ---- */

void nb_step_narrow(nb_vec3 from, real *to) {
    to[0] = (real)from.x;
    to[1] = (real)from.y;
    to[2] = (real)from.z;
}

static void narrow_symmetric(const nb_mat3 *from, real *to) {
    to[0] = (real)from->m[0][0];
    to[1] = (real)from->m[1][1];
    to[2] = (real)from->m[2][2];
    to[3] = (real)from->m[0][1];
    to[4] = (real)from->m[0][2];
    to[5] = (real)from->m[1][2];
}

/* masses, and u~ = u- + h M^-1 (m g + f, torque - gyroscopic), I of the start or as a stage has it */
static void begin_body(nb_step *s, int32_t i, double h) {
    const nb_body *body = &s->world->bodies[i];
    real *u = s->u + 6 * (ptrdiff_t)i, *u_free = s->u_free + 6 * (ptrdiff_t)i;
    if (body->kind != NB_BODY_DYNAMIC) {
        if (body->kind == NB_BODY_KINEMATIC) {
            nb_step_narrow(body->linear_velocity, u);
            nb_step_narrow(body->angular_velocity, u + 3);
        }
        memcpy(u_free, u, 6 * sizeof *u);
        return;
    }
    const nb_quat turn = body->in_stage ? body->stage_turn : body->orientation;
    const nb_mat3 inertia = nb_inertia_at(body, turn), inverse = nb_inverse_inertia_at(body, turn);
    nb_free_spin free;
    if (body->in_stage)
        free.spin = nb_spin_after(body, h, turn, body->stage_spin);
    else
        nb_turn_free_spin(body, s->world->settings.gyroscopic, h, &free); /* inline: derivatives are not needed */
    nb_vec3 linear =
        nb_add_scaled(body->linear_velocity, h, nb_add_scaled(s->world->gravity, 1 / body->mass, body->force));
    s->moves[i] = 1;
    s->mass[i] = (real)body->mass;
    s->inverse_mass[i].mass = (real)(1 / body->mass);
    narrow_symmetric(&inertia, s->inertia + 6 * (ptrdiff_t)i);
    narrow_symmetric(&inverse, s->inverse_mass[i].inertia);
    nb_step_narrow(linear, u_free);
    nb_step_narrow(free.spin, u_free + 3);
}

/* the same of a particle, u~ = u- + h (g + f/m) */
static void begin_particle(nb_step *s, int32_t i, double h) {
    const nb_particle *particle = &s->world->particles[i];
    int32_t node = s->nodes.bodies + i;
    real *u = s->u + s->nodes.velocity[node], *u_free = s->u_free + s->nodes.velocity[node];
    s->block_place[i] = 9 * i;
    if (particle->kind != NB_BODY_DYNAMIC) {
        if (particle->kind == NB_BODY_KINEMATIC) nb_step_narrow(particle->velocity, u);
        memcpy(u_free, u, 3 * sizeof *u);
        return;
    }
    s->moves[node] = 1;
    for (int k = 0; k < 3; k++) {
        s->block[s->block_place[i] + 4 * k] = s->inertia_block[s->block_place[i] + 4 * k] = (real)particle->mass;
        s->block_inverse[s->block_place[i] + 4 * k] = (real)(1 / particle->mass);
    }
    nb_step_narrow(
        nb_add_scaled(particle->velocity, h, nb_add_scaled(s->world->gravity, 1 / particle->mass, particle->force)),
        u_free);
}

static void put_position(nb_step *s, int32_t node, nb_vec3 at) {
    double *position = s->position + 3 * (ptrdiff_t)node;
    position[0] = at.x, position[1] = at.y, position[2] = at.z;
}

void nb_step_begin_nodes(nb_step *s, double h) {
    int32_t bodies = s->world->body_count, particles = s->world->particle_count;
    memset(s->kind, NB_NODE_BODY, (size_t)bodies);
    memset(s->kind + bodies, NB_NODE_PARTICLE, (size_t)particles);
    nb_nodes_number(bodies + particles, nb_node_kinds, s->kind, s->velocity_start, s->place, &s->nodes);
    for (int32_t i = 0; i < bodies; i++) begin_body(s, i, h);
    for (int32_t i = 0; i < particles; i++) begin_particle(s, i, h);
    for (int32_t i = 0; i < bodies; i++) put_position(s, i, s->world->bodies[i].position);
    for (int32_t i = 0; i < particles; i++) put_position(s, bodies + i, s->world->particles[i].position);
    s->nodes.position = s->position;
    s->mass_of_nodes = (nb_block_mass){.base = {&nb_block_mass_class, &s->nodes, s->moves},
                                       .inverse = s->inverse_mass,
                                       .mass = s->mass,
                                       .inertia = s->inertia,
                                       .block_place = s->block_place,
                                       .block = s->block,
                                       .block_inverse = s->block_inverse,
                                       .diagonal_blocks = 1};
    s->inertia_of_nodes = s->mass_of_nodes;
    s->inertia_of_nodes.block = s->inertia_block;
}

void nb_step_set_motion(nb_step *s) {
    for (int32_t i = 0; i < s->nodes.count; i++) {
        real *motion = s->motion + s->place[i];
        memcpy(motion, s->u + s->velocity_start[i], (size_t)nb_node_velocities(&s->nodes, i) * sizeof(real));
        if (i < s->nodes.bodies) motion[NB_MOTION_SCALE] = nb_lane_motion_scale(s->problem.h, motion + 3);
    }
}

/* ---- momentum ---- */

/* the first velocity of the k-th node with mass, their number, and its place in padded arrays */
static int32_t node_of(const nb_step *s, int32_t k, int *count, int32_t *place) {
    int32_t i = s->whole.dynamic[k];
    *count = nb_node_velocities(&s->nodes, i);
    *place = s->place[i];
    return s->velocity_start[i];
}

void nb_step_evaluate_momentum(nb_step *s, const real *force_weight) {
    nb_problem *p = &s->problem;
    int32_t nodes = s->whole.dynamic_count, place;
    int n;
    memset(s->force, 0, (size_t)nb_nodes_length(&s->nodes) * sizeof(real));
    nb_sum_add_forces(&s->whole, force_weight, p->z, s->force);
    for (int32_t k = 0; k < nodes; k++) {
        int32_t first = node_of(s, k, &n, &place);
        for (int j = 0; j < n; j++) s->velocity[place + j] = s->u[first + j] - s->u_free[first + j];
    }
    const nb_mass *inertia = &s->inertia_of_nodes.base;
    inertia->type->apply(inertia, nodes, s->whole.dynamic, s->velocity, s->motion);
    for (int32_t k = 0; k < nodes; k++) {
        int32_t first = node_of(s, k, &n, &place);
        for (int j = 0; j < n; j++) p->momentum[first + j] = s->motion[place + j] - s->force[place + j];
    }
}

/* velocity scratch = H^-1 force scratch, where force = sign g + (J^T y where y is given) */
static void velocities_from(nb_step *s, real sign, const real *y) {
    for (int32_t k = 0; k < s->whole.dynamic_count; k++) {
        int n;
        int32_t place, first = node_of(s, k, &n, &place);
        for (int j = 0; j < n; j++) s->force[place + j] = sign * s->problem.momentum[first + j];
    }
    if (y) nb_sum_add_forces(&s->whole, NULL, y, s->force);
    s->sum.mass->type->solve(s->sum.mass, s->whole.dynamic_count, s->whole.dynamic, s->force, s->velocity);
}

void nb_step_momentum_rows(const nb_problem *problem, real *out) {
    nb_step *s = (nb_step *)problem;
    velocities_from(s, 1, NULL);
    nb_sum_row_velocities(&s->whole, s->velocity, out);
}

void nb_step_velocity_step(const nb_problem *problem, const real *y, real *du) {
    nb_step *s = (nb_step *)problem;
    velocities_from(s, -1, y);
    for (int32_t i = 0; i < s->nodes.count; i++)
        memcpy(du + s->velocity_start[i], s->velocity + s->place[i],
               (size_t)nb_node_velocities(&s->nodes, i) * sizeof *du);
}

void nb_step_rows_of_velocity(const nb_problem *problem, const real *du, real *out) {
    nb_step *s = (nb_step *)problem;
    for (int32_t k = 0; k < s->whole.dynamic_count; k++) {
        int n;
        int32_t place, first = node_of(s, k, &n, &place);
        memcpy(s->velocity + place, du + first, (size_t)n * sizeof *du);
    }
    nb_sum_row_velocities(&s->whole, s->velocity, out);
}

void nb_step_row_forces(const nb_problem *problem, const real *z, real *out) {
    nb_step *s = (nb_step *)problem;
    memset(s->force, 0, (size_t)nb_nodes_length(&s->nodes) * sizeof(real));
    nb_sum_add_forces(&s->whole, NULL, z, s->force);
    for (int32_t i = 0; i < s->nodes.count; i++)
        memcpy(out + s->velocity_start[i], s->force + s->place[i],
               (size_t)nb_node_velocities(&s->nodes, i) * sizeof *out);
}

void nb_step_stiffen(nb_problem *problem, const real *shift) {
    nb_step *s = (nb_step *)problem;
    for (int32_t i = s->nodes.bodies; i < s->nodes.count; i++) {
        int32_t at = s->block_place[i - s->nodes.bodies];
        for (int k = 0; k < 3 && s->moves[i]; k++) {
            s->block[at + 4 * k] = s->inertia_block[at + 4 * k] + (shift ? shift[s->velocity_start[i] + k] : 0);
            s->block_inverse[at + 4 * k] = 1 / s->block[at + 4 * k];
        }
    }
    nb_step_renew_cavities(s);
    nb_step_weigh_soft(s);
    nb_step_weigh_rows(s);
    problem->value_epoch++;
}

/* what makes a velocity of a body's rotation: its radius of gyration, by the mean of its inverse inertia [m] */
static double radius_of_gyration(const nb_inverse_mass *inverse) {
    const real *i = inverse->inertia;
    return (double)sqrt(3 * inverse->mass / (i[0] + i[1] + i[2]));
}

/* the error of momentum in velocity[] of the k-th dynamic node, which is *node */
static double node_error(const nb_step *s, int32_t k, int32_t *node) {
    double largest = 0;
    int n;
    int32_t place;
    *node = s->whole.dynamic[k];
    const double radius = *node < s->nodes.bodies ? radius_of_gyration(&s->inverse_mass[*node]) : 1;
    node_of(s, k, &n, &place);
    for (int j = 0; j < n; j++) nb_raise(&largest, (j < 3 ? 1 : radius) * (double)fabs(s->velocity[place + j]));
    return largest;
}

/* the largest of all, and its node */
static double largest_velocity(const nb_step *s, int32_t *largest_node) {
    double largest = 0;
    *largest_node = -1;
    for (int32_t k = 0; k < s->whole.dynamic_count; k++) {
        int32_t node;
        const double before = largest;
        nb_raise(&largest, node_error(s, k, &node));
        if (largest > before) *largest_node = node;
    }
    return largest;
}

double nb_step_momentum_error(const nb_problem *problem) {
    nb_step *s = (nb_step *)problem;
    int32_t node;
    velocities_from(s, 1, NULL);
    return largest_velocity(s, &node);
}

int32_t nb_step_momentum_node(const nb_step *step) {
    int32_t node;
    velocities_from((nb_step *)step, 1, NULL); /* scratch */
    (void)largest_velocity(step, &node);
    return node;
}

void nb_step_momentum_errors(const nb_step *step, double *error) {
    velocities_from((nb_step *)step, 1, NULL); /* scratch */
    memset(error, 0, (size_t)step->nodes.bodies * sizeof *error);
    for (int32_t k = 0; k < step->whole.dynamic_count; k++) {
        int32_t node;
        const double own = node_error(step, k, &node);
        if (node < step->nodes.bodies) error[node] = own;
    }
}

nb_vec3 nb_step_contact_point(const nb_step *s, int32_t i) {
    const nb_contact *contact = &s->detection.contacts->items[s->order[i]];
    if (!s->found || s->geometry == NB_GEOMETRY_UPDATED || s->contacts[i].a >= s->nodes.bodies) return contact->point_a;
    const nb_body *body = &s->world->bodies[contact->body_a];
    const real *w = s->u + 6 * (ptrdiff_t)contact->body_a + 3;
    const nb_quat end = nb_quat_advance(body->orientation, s->h, nb_vec3_of((double)w[0], (double)w[1], (double)w[2]));
    const nb_vec3 arm = nb_sub(contact->point_a, body->position);
    return nb_add(body->position, nb_quat_rotate(body->orientation, nb_quat_rotate(nb_quat_conjugate(end), arm)));
}
