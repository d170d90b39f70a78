#include "constraint/step.h"

#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "base/memory.h"
#include "constraint/moved_body.h"
#include "constraint/step_rate.h"
#include "constraint/step_state.h"
#include "model/carried.h"
#include "model/drive.h"
#include "model/integration.h"
#include "model/joint.h"
#include "operator/contact_kernels.h"

NB_PRECISIONS(f32, f64);

/* ---- memory ---- */

/* the iterate, and what comes of it */
static void lay_out_iterate(nb_arena *a, nb_step *s, int64_t velocities, int64_t rows) {
    NB_PLACE(a, velocities, &s->u);
    NB_PLACE(a, rows, &s->z);
    NB_PLACE(a, rows, &s->value);
    NB_PLACE(a, velocities, &s->momentum);
}

static void lay_out(nb_arena *a, nb_step *s, const nb_world *world, int32_t bilaterals, int32_t contacts) {
    int32_t rows = bilaterals + 3 * contacts + s->added_rows, blocks = bilaterals + contacts;
    for (int32_t i = 0; i < s->added_count; i++) blocks += s->added[i]->pack->blocks;
    int32_t bodies = world->body_count, particles = world->particle_count, nodes = bodies + particles;
    const int bare = nb_step_is_bare(s);
    const int32_t few = contacts < NB_STEP_STARTS ? contacts : NB_STEP_STARTS, named = bare ? bilaterals : blocks;
    const int64_t in_islands = bare ? 0 : (int64_t)blocks + (blocks < nodes ? blocks : nodes) + 1;
    int64_t velocities = 6 * (int64_t)bodies + 3 * (int64_t)particles,
            padded = NB_BODY_STRIDE * (int64_t)bodies + NB_PARTICLE_STRIDE * (int64_t)particles;
    NB_PLACE(a, nodes, &s->kind);
    NB_PLACE(a, nodes, &s->moves);
    NB_PLACE(a, nodes + 1, &s->velocity_start);
    NB_PLACE(a, nodes + 1, &s->place);
    NB_PLACE(a, 3 * (int64_t)nodes, &s->position);
    NB_PLACE(a, bodies, &s->inverse_mass);
    NB_PLACE(a, bodies, &s->mass);
    NB_PLACE(a, 6 * (int64_t)bodies, &s->inertia);
    NB_PLACE(a, particles, &s->block_place);
    NB_PLACE(a, 9 * (int64_t)particles, &s->block);
    NB_PLACE(a, 9 * (int64_t)particles, &s->block_inverse);
    NB_PLACE(a, 9 * (int64_t)particles, &s->inertia_block);
    NB_PLACE(a, velocities, &s->u_free);
    NB_PLACE(a, padded, &s->force);
    NB_PLACE(a, padded, &s->velocity);
    NB_PLACE(a, padded, &s->motion);
    NB_PLACE(a, nodes, &s->dynamic);
    NB_PLACE(a, nodes, &s->node_island);
    NB_PLACE(a, contacts, &s->order);
    NB_PLACE(a, contacts, &s->contacts);
    NB_PLACE(a, NB_ARM_STRIDE * (int64_t)(nb_step_keeps_starts(s) ? contacts : few), &s->start);
    NB_PLACE(a, nb_step_keeps_starts(s) ? 0 : contacts, &s->rate);
    NB_PLACE(a, bilaterals, &s->bilaterals);
    NB_PLACE(a, bilaterals, &s->joint_of_row);
    NB_PLACE(a, bilaterals, &s->bilateral_order);
    NB_PLACE(a, bilaterals, &s->bilateral_rate);
    NB_PLACE(a, s->added_rows, &s->added_rate);
    NB_PLACE(a, bilaterals, &s->compliance);
    NB_PLACE(a, contacts, &s->mu);
    NB_PLACE(a, nb_contact_model_is_soft(world->settings.contacts.model) ? contacts : 0, &s->softness);
    NB_PLACE(a, nb_contact_model_is_field(world->settings.contacts.model) ? contacts : 0, &s->field);
    NB_PLACE(a, s->soft_count + 1, &s->soft_row_start);
    NB_PLACE(a, s->soft_count + 1, &s->soft_node_start);
    NB_PLACE(a, NB_SOFT_NODES * (int64_t)s->soft_count, &s->soft_node);
    NB_PLACE(a, s->soft_count + 1, &s->soft_value_start);
    NB_PLACE(a, NB_SOFT_NUMBERS * (int64_t)s->soft_count, &s->soft_value);
    NB_PLACE(a, NB_CONTACT_PARTICLES * (int64_t)s->soft_count, &s->soft_weight);
    lay_out_iterate(a, s, velocities, rows);
    NB_PLACE(a, rows, &s->w);
    NB_PLACE(a, bare ? bilaterals + 3 * few : rows, &s->diagonal);
    NB_PLACE(a, named + 1, &s->block_start);
    NB_PLACE(a, named + 1, &s->group_start);
    NB_PLACE(a, in_islands, &s->island_block_start);
    NB_PLACE(a, in_islands, &s->island_group_start);
}

static nb_status make_room(nb_step *s, const nb_world *world, int32_t bilaterals, int32_t contacts) {
    nb_arena_measure(&s->arena);
    lay_out(&s->arena, s, world, bilaterals, contacts);
    nb_status status = nb_arena_reserve(&s->arena);
    if (status == NB_OK) lay_out(&s->arena, s, world, bilaterals, contacts);
    return status;
}

/* ---- the start of a step ---- */

/* The rows of a joint at the positions after `h`, into bilaterals from `first` on, their values over the step's length
 * into `rate` (at the step's start, as its scheme has them). Returns their number. */
static int evaluate_joint(nb_step *s, int32_t j, int32_t first, double h, real *rate) {
    const nb_joint *joint = &s->world->joints[j];
    nb_joint_row rows[NB_JOINT_MAX_ROWS];
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    nb_moved_body(s->world, s->u, joint->body_a, h, &xa, &qa);
    nb_moved_body(s->world, s->u, joint->body_b, h, &xb, &qb);
    int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows);
    for (int k = 0; k < count; k++) {
        nb_jacobian_row *row = &s->bilaterals[first + k];
        row->a = joint->body_a;
        row->b = joint->body_b;
        nb_step_narrow(rows[k].linear_a, row->j);
        nb_step_narrow(rows[k].angular_a, row->j + 3);
        nb_step_narrow(rows[k].linear_b, row->j + 6);
        nb_step_narrow(rows[k].angular_b, row->j + 9);
        rate[first + k] = (real)nb_joint_rate(s->world, j, k, rows[k].value, rows[k].compliance, (double)s->problem.h);
        s->compliance[first + k] = (real)(rows[k].compliance / ((double)s->problem.h * (double)s->problem.h));
    }
    double excess[NB_JOINT_MAX_ROWS];
    const int carried = s->begun_frozen ? nb_carried_joint(s->world, joint, rows, s->h, excess) : 0;
    for (int k = 0; k < carried; k++) rate[first + k] += (real)excess[k];
    return count;
}

/* ---- evaluation ---- */

/* their part of diagonal[] and w[] */
static void weigh_joints(nb_step *s) {
    nb_sum_block_diagonal(&s->weighing, 0, s->bilateral_count, s->diagonal);
    memcpy(s->w, s->diagonal, (size_t)s->bilateral_count * sizeof *s->w);
}

static void step_values(nb_problem *p) {
    nb_step *s = (nb_step *)p;
    int32_t nb = p->bilaterals;
    nb_step_set_motion(s);
    if (p->frozen) {
        nb_sum_row_velocities(&s->whole, s->motion, p->value);
        for (int32_t i = 0; i < nb; i++) p->value[i] += s->bilateral_rate[i];
        for (int32_t i = 0; i < p->contacts; i++)
            p->value[nb + 3 * i] += nb_step_keeps_starts(s) ? s->start[NB_ARM_STRIDE * (ptrdiff_t)i + 6] : s->rate[i];
        for (int32_t i = 0; i < s->added_rows; i++) p->value[nb + 3 * p->contacts + i] += s->added_rate[i];
        return;
    }
    for (int32_t row = 0; row < nb;) row += evaluate_joint(s, s->joint_of_row[row], row, (double)p->h, p->value);
    if (s->geometry == NB_GEOMETRY_UPDATED)
        nb_step_evaluate_contacts(s);
    else
        nb_step_evaluate_linear_contacts(s);
    nb_step_evaluate_cavities(s);
    weigh_joints(s);
    nb_step_evaluate_soft(s);
    nb_step_evaluate_rows(s, p->value);
    p->value_epoch++;
}

static void step_momentum(nb_problem *problem, const real *force_weight) {
    nb_step *s = (nb_step *)problem;
    nb_step_evaluate_momentum(s, force_weight);
    nb_step_push_cavities(s);
}

static void step_evaluate(nb_problem *problem, const real *force_weight) {
    step_values(problem);
    step_momentum(problem, force_weight);
}

static nb_status step_detect(nb_problem *problem, int32_t *added);
static nb_status step_verify(nb_problem *problem, double most, nb_verify_mode mode, nb_overlap *overlap);

static const nb_problem_class step_class = {.evaluate = step_evaluate,
                                            .evaluate_values = step_values,
                                            .evaluate_momentum = step_momentum,
                                            .momentum_rows = nb_step_momentum_rows,
                                            .velocity_step = nb_step_velocity_step,
                                            .rows_of_velocity = nb_step_rows_of_velocity,
                                            .momentum_error = nb_step_momentum_error,
                                            .island = nb_step_island,
                                            .islands = nb_step_islands,
                                            .detect = step_detect,
                                            .verify = step_verify,
                                            .row_forces = nb_step_row_forces,
                                            .stiffen = nb_step_stiffen};

/* ---- public ---- */

nb_status nb_step_create(nb_step **step) {
    nb_status status = NB_ALLOCATE(1, step);
    if (status != NB_OK) return status;
    (*step)->problem.type = &step_class;
    (*step)->problem.nodes = &(*step)->nodes;
    return NB_OK;
}

void nb_step_keep_to_errors(nb_step *step) {
    step->for_errors = 1;
}

void nb_step_destroy(nb_step *step) {
    if (!step) return;
    nb_arena_clear(&step->arena);
    nb_arena_clear(&step->ordering);
    nb_detection_clear(&step->detection);
    nb_coordinate_row_set_destroy(step->coordinates);
    nb_element_rows_destroy(step->elements);
    nb_step_clear_cavities(step);
    nb_free(step->kept);
    nb_free(step->islands);
    nb_free(step);
}

/* the largest coordinate of what moves by forces [m]; joints have errors of unit vectors, too */
static double largest_coordinate(const nb_world *world) {
    double largest = world->joint_count > 0;
    for (int32_t i = 0; i < world->body_count + world->particle_count; i++) {
        const int32_t k = i - world->body_count;
        const nb_vec3 x = k < 0 ? world->bodies[i].position : world->particles[k].position;
        if ((k < 0 ? world->bodies[i].kind : world->particles[k].kind) == NB_BODY_DYNAMIC)
            largest = fmax(largest, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    return largest;
}

static void publish(nb_step *s, double h) {
    nb_problem *p = &s->problem;
    p->nodes = &s->nodes;
    p->delassus = p->exact = &s->whole.base;
    p->bilaterals = s->bilateral_count;
    p->contacts = s->contact_count - s->soft_count;
    p->rows = s->whole.base.rows;
    p->velocities = s->nodes.velocity[s->nodes.count];
    p->h = (real)h;
    p->place_speed = largest_coordinate(s->world) / h;
    p->frozen = s->begun_frozen;
    p->contacts_linear = s->geometry != NB_GEOMETRY_UPDATED;
    p->pattern_epoch++;
    p->value_epoch++;
    p->u = s->u;
    p->z = s->z;
    p->value = s->value;
    p->momentum = s->momentum;
    p->w = s->w;
    s->laws.bilateral.compliance = s->compliance;
    s->laws.cone.mu = s->mu;
    s->laws.cone.ratio = (real)s->world->settings.friction_ratio;
    s->laws.cone.facets = s->world->settings.friction_facets;
    s->laws.cone.softness = nb_contact_model_is_soft(s->world->settings.contacts.model) ? s->softness : NULL;
    s->laws.cone.field = nb_contact_model_is_field(s->world->settings.contacts.model) ? s->field : NULL;
    s->laws.friction = s->world->settings.friction_law;
    const double acts = s->world->integration ? nb_integration_contact_weight(s->world->integration) : 1;
    s->laws.cone.soft = (real)(s->world->settings.contact_compliance / (acts * h * h)); /* e of forces, z / (acts h) */
    nb_cone_laws_publish(&s->laws, p);
    memcpy(s->ranges, p->ranges, (size_t)p->range_count * sizeof *s->ranges);
    p->ranges = s->ranges;
    nb_step_publish_soft(s);
    nb_step_publish_rows(s);
}

/* the sum of joints and contacts over the nodes' mass; added rows are not in it yet */
static void make_operator(nb_step *s) {
    s->joint_pack = nb_joint_pack_of(&s->nodes, s->bilateral_count, s->bilaterals);
    s->contact_pack = nb_contact_pack_of(&s->nodes, s->contact_count - s->soft_count, s->contacts);
    s->soft_pack = nb_general_pack_of(
        &s->nodes, s->soft_count,
        (nb_general_blocks){s->soft_row_start, s->soft_node_start, s->soft_node, s->soft_value_start, s->soft_value});
    s->soft_pack.base.rows_each = 3;
    s->sum = (nb_sum){.mass = &s->mass_of_nodes.base,
                      .packs = NB_PACKS_OF_STEP,
                      .pack = {&s->joint_pack.base, &s->contact_pack.base, &s->soft_pack.base},
                      .first_row = {0, s->bilateral_count, s->bilateral_count + 3 * (s->contact_count - s->soft_count)},
                      .force = s->force,
                      .velocity = s->velocity,
                      .diagonal = s->diagonal};
}

/* the rows of these contacts and of the world's joints */
static nb_status make_rows(nb_step *step, const nb_world *world, const nb_contacts *contacts, double h,
                           nb_geometry geometry) {
    nb_status status;
    int32_t bilaterals = 0;
    for (int32_t j = 0; j < world->joint_count; j++) bilaterals += nb_joint_rows(world->joints[j].kind);
    step->world = world;
    NB_TRY(nb_step_begin_coordinates(step, h));
    NB_TRY(nb_step_begin_elements(step, h));
    NB_TRY(nb_step_check_rows(step));
    step->soft_count = contacts->soft_count;
    step->geometry = geometry;
    step->begun_frozen = geometry == NB_GEOMETRY_FROZEN || (geometry == NB_GEOMETRY_JOINTS && bilaterals == 0 &&
                                                            step->added_rows == 0 && world->cavity_count == 0);
    NB_TRY(make_room(step, world, bilaterals, contacts->count));
    step->h = h;
    step->contact_count = contacts->count;
    step->bilateral_count = bilaterals;
    step->problem.h = (real)h;
    nb_step_begin_nodes(step, h);
    make_operator(step);
    NB_TRY(nb_step_begin_cavities(step));
    NB_TRY(nb_step_place_rows(step));
    nb_step_find_islands(step, contacts);
    NB_TRY(nb_step_order(step, contacts));
    for (int32_t row = 0; row < bilaterals;)
        row += evaluate_joint(step, step->joint_of_row[row], row, 0, step->bilateral_rate);
    nb_step_begin_contacts(step, contacts, h);
    weigh_joints(step);
    nb_step_evaluate_soft(step);
    nb_step_begin_rows(step);
    nb_step_soften_contacts(step, contacts, h);
    publish(step, h);
out:
    return status;
}

nb_status nb_step_begin(nb_step *step, const nb_world *world, const nb_contacts *contacts, double h,
                        nb_geometry geometry) {
    step->found = 0;
    nb_detection_begin(&step->detection, contacts);
    return make_rows(step, world, contacts, h, geometry);
}

int nb_step_may_be_shared(const nb_step *rows) {
    return rows->begun_frozen && rows->soft_count == 0 && rows->added_rows == 0 && rows->cavities.count == 0;
}

/* What points into `rows` goes on doing so, scratch of the operator included. */
nb_status nb_step_begin_beside(nb_step *step, const nb_step *rows) {
    const int64_t velocities = rows->problem.velocities, count = rows->problem.rows;
    nb_status status;
    nb_arena_measure(&step->arena);
    lay_out_iterate(&step->arena, step, velocities, count);
    NB_TRY(nb_arena_reserve(&step->arena));
    const nb_step own = *step;
    *step = *rows;
    step->arena = own.arena;
    step->ordering = own.ordering;
    step->detection = own.detection;
    step->coordinates = own.coordinates;
    step->elements = own.elements;
    step->cavities = own.cavities;
    step->kept = own.kept;
    step->kept_capacity = own.kept_capacity;
    step->islands = own.islands;
    step->islands_capacity = own.islands_capacity;
    step->for_errors = own.for_errors;
    nb_detection_begin(&step->detection, rows->detection.contacts);
    lay_out_iterate(&step->arena, step, velocities, count);
    memcpy(step->u, rows->u, (size_t)velocities * sizeof *step->u); /* of what is prescribed */
    step->problem.u = step->u;
    step->problem.z = step->z;
    step->problem.value = step->value;
    step->problem.momentum = step->momentum;
out:
    return status;
}

nb_status nb_step_set_contacts(nb_step *step, const nb_contacts *contacts) {
    step->found = 1;
    nb_detection_begin(&step->detection, contacts);
    return make_rows(step, step->world, contacts, step->h, step->geometry);
}

/* ---- contacts on the way ---- */

/* The iterate, its impulses by joints and contacts and not by the order of rows. */
static void keep_iterate(const nb_step *s) {
    const nb_problem *p = &s->problem;
    real *added = s->kept + p->velocities, *z = added + s->added_rows;
    memcpy(s->kept, p->u, (size_t)p->velocities * sizeof *p->u);
    memcpy(added, p->z + (p->rows - s->added_rows), (size_t)s->added_rows * sizeof *z);
    for (int32_t r = 0; r < p->bilaterals; r++) z[s->bilateral_order[r]] = p->z[r];
    for (int32_t i = 0; i < p->contacts; i++)
        memcpy(z + p->bilaterals + 3 * (ptrdiff_t)s->order[i], p->z + p->bilaterals + 3 * (ptrdiff_t)i, 3 * sizeof *z);
}

static void restore_iterate(nb_step *s) {
    nb_problem *p = &s->problem;
    const real *added = s->kept + p->velocities, *z = added + s->added_rows;
    memcpy(p->u, s->kept, (size_t)p->velocities * sizeof *p->u);
    memcpy(p->z + (p->rows - s->added_rows), added, (size_t)s->added_rows * sizeof *z);
    for (int32_t r = 0; r < p->bilaterals; r++) p->z[r] = z[s->bilateral_order[r]];
    for (int32_t i = 0; i < p->contacts; i++) {
        int32_t before = s->detection.before[s->order[i]];
        if (before < 0) continue;
        memcpy(p->z + p->bilaterals + 3 * (ptrdiff_t)i, z + p->bilaterals + 3 * (ptrdiff_t)before, 3 * sizeof *z);
    }
}

/* Where the iterate leads bodies and particles, with its velocities. */
static nb_status move_to_end(nb_step *s) {
    const nb_problem *p = &s->problem;
    nb_status status;
    NB_TRY(nb_detection_copy_bodies(&s->detection, s->world));
    for (int32_t i = 0; i < s->world->body_count; i++) {
        nb_body *body = &s->detection.bodies[i];
        const real *u = p->u + 6 * (ptrdiff_t)i;
        if (body->kind == NB_BODY_FIXED) continue;
        if (body->kind == NB_BODY_DYNAMIC) {
            body->linear_velocity = nb_vec3_of((double)u[0], (double)u[1], (double)u[2]);
            body->angular_velocity = nb_vec3_of((double)u[3], (double)u[4], (double)u[5]);
        }
        nb_body_move(body, s->h);
    }
    for (int32_t i = 0; i < s->world->particle_count; i++) {
        nb_particle *particle = &s->detection.particles[i];
        const real *u = p->u + p->nodes->velocity[p->nodes->bodies + i];
        if (particle->kind != NB_BODY_FIXED)
            particle->position =
                nb_add_scaled(particle->position, s->h, nb_vec3_of((double)u[0], (double)u[1], (double)u[2]));
    }
out:
    return status;
}

/* the rows of the contacts that the detection has by now, at the same iterate */
static nb_status renew_rows(nb_step *s) {
    nb_status status;
    NB_TRY(NB_RESERVE((int64_t)s->problem.velocities + s->problem.rows, &s->kept_capacity, &s->kept));
    keep_iterate(s);
    NB_TRY(make_rows(s, s->world, s->detection.contacts, s->h, s->geometry));
    restore_iterate(s);
    step_evaluate(&s->problem, NULL);
out:
    return status;
}

static nb_status step_detect(nb_problem *problem, int32_t *added) {
    nb_step *s = (nb_step *)problem;
    nb_status status;
    NB_TRY(move_to_end(s));
    NB_TRY(nb_detection_find(&s->detection, s->world, added));
    if (*added > 0) NB_TRY(renew_rows(s));
out:
    return status;
}

static nb_status step_verify(nb_problem *problem, double most, nb_verify_mode mode, nb_overlap *overlap) {
    nb_step *s = (nb_step *)problem;
    nb_status status;
    nb_overlap passing = {0, 0, 0};
    NB_TRY(nb_world_refuse_particles(s->world, "--verify-contacts"));
    if (s->geometry == NB_GEOMETRY_UPDATED)
        return nb_fail(NB_ERROR_UNSUPPORTED, "contacts are verified where they are linear: geometry joints or frozen");
    NB_TRY(move_to_end(s));
    if (mode == NB_VERIFY_TAKE && nb_detection_is_diverted(&s->detection, s->world, s->h)) {
        NB_TRY(nb_detection_sweep(&s->detection, s->world, s->h, most, &passing));
        if (passing.added > 0) {
            NB_TRY(renew_rows(s));
            /* how what passes lies at the end says nothing of where it came from: the next round takes the rest */
            mode = NB_VERIFY_ONLY;
        }
        NB_TRY(move_to_end(s));
    }
    NB_TRY(nb_detection_verify(&s->detection, s->world, s->h, most, mode, overlap));
    if (overlap->added + overlap->renewed > 0) NB_TRY(renew_rows(s));
    overlap->added += passing.added;
out:
    return status;
}

void nb_step_hand_over(nb_step *step, nb_contacts *contacts) {
    nb_detection_hand_over(&step->detection, contacts);
}

nb_problem *nb_step_problem(nb_step *step) {
    return &step->problem;
}

nb_step *nb_step_of(nb_problem *problem) {
    return problem->type == &step_class ? (nb_step *)problem : NULL;
}

const nb_world *nb_step_world(const nb_step *step, double *h) {
    *h = step->h;
    return step->world;
}

const nb_contacts *nb_step_contacts(const nb_step *step) {
    return step->detection.contacts;
}

const int32_t *nb_step_contact_order(const nb_step *step) {
    return step->order;
}

const int32_t *nb_step_bilateral_order(const nb_step *step) {
    return step->bilateral_order;
}

/* the particle of the largest weight on a side of a contact */
static int32_t nearest_particle(const nb_step *s, const nb_contact_side *side, int first, int end) {
    int largest = first;
    for (int k = first; k < end; k++)
        if (fabs(side->weight[k]) > fabs(side->weight[largest])) largest = k;
    return s->nodes.bodies + side->particle[largest];
}

void nb_step_name_row(const nb_step *s, int32_t row, int32_t *index, int32_t nodes[2]) {
    const int32_t joints = s->problem.bilaterals, contact = (row - joints) / 3;
    nodes[0] = nodes[1] = -1;
    if (row < joints) {
        *index = s->joint_of_row[row];
        nodes[0] = s->world->joints[*index].body_a;
        nodes[1] = s->world->joints[*index].body_b;
    } else if (contact < s->problem.contacts) {
        const nb_contact *of = &s->detection.contacts->items[s->order[contact]];
        const nb_contact_side *side = nb_contacts_side(s->detection.contacts, s->order[contact]);
        const int first = side ? side->count - side->second : 0;
        *index = contact;
        nodes[0] = side ? nearest_particle(s, side, 0, first) : of->body_a;
        nodes[1] = side && side->second > 0 ? nearest_particle(s, side, first, side->count) : of->body_b;
    } else {
        const int32_t added = row - joints - 3 * s->problem.contacts, coordinates = nb_step_coordinate_count(s);
        *index = added - coordinates;
        if (added >= coordinates) return;
        *index = nb_coordinate_row_set_row(s->coordinates, added)->joint;
        nodes[0] = s->world->joints[*index].body_a;
        nodes[1] = s->world->joints[*index].body_b;
    }
}

const nb_coordinate_row *nb_step_coordinate_row(const nb_step *s, int32_t i) {
    return nb_coordinate_row_set_row(s->coordinates, i);
}

int32_t nb_step_coordinate_count(const nb_step *s) {
    return s->coordinates ? nb_coordinate_row_set_item(s->coordinates)->pack->blocks : 0;
}

void nb_step_contact_directions(const nb_step *step, int32_t i, double directions[3][3]) {
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) directions[k][j] = (double)step->contacts[i].direction[k][j];
}

void nb_step_arrays_of(const nb_step *step, nb_step_arrays *arrays) {
    *arrays = (nb_step_arrays){step->nodes.bodies,
                               step->inverse_mass,
                               step->u_free,
                               step->contacts,
                               nb_step_keeps_starts(step) ? step->start : NULL,
                               step->rate,
                               step->bilaterals,
                               step->bilateral_rate};
}

int nb_step_joint_starts(const nb_step *s, int32_t row, int32_t *motion, real *start) {
    const nb_joint *joint = &s->world->joints[s->joint_of_row[row]];
    nb_joint_start starts[NB_JOINT_MAX_ROWS];
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    nb_moved_body(s->world, s->u, joint->body_a, 0, &xa, &qa);
    nb_moved_body(s->world, s->u, joint->body_b, 0, &xb, &qb);
    int count = nb_joint_begin(joint, xa, qa, xb, qb, starts);
    for (int i = 0; i < count; i++) {
        motion[i] = (int32_t)starts[i].motion;
        for (int k = 0; k < NB_JOINT_NUMBERS; k++) start[i * NB_JOINT_NUMBERS + k] = (real)starts[i].numbers[k];
    }
    return count;
}

void nb_step_range_of(const nb_step *step, int32_t island, nb_step_range *range) {
    const nb_sum_view *view = island < 0 ? &step->whole : &step->islands[island];
    *range = (nb_step_range){view->begin[NB_PACK_JOINTS],
                             view->end[NB_PACK_JOINTS],
                             view->begin[NB_PACK_CONTACTS],
                             view->end[NB_PACK_CONTACTS],
                             view->dynamic,
                             view->dynamic_count};
}
