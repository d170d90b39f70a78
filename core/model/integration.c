#include "model/integration.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "model/drive.h"
#include "model/free_turn.h"

enum {
    MOST_PASSES = 20 /* in which a stage is made again */
};
static const double TURNED = 1e-9; /* change of a spin that is none */

/* a body, or a particle, which has no orientation and no spin */
typedef struct node_state {
    nb_vec3 place;
    nb_quat turn;
    nb_vec3 velocity, spin;
} node_state;

struct nb_integration {
    nb_integrator integrator;
    int32_t nodes;
    int32_t has_step; /* 1: `previous` and `rate` are of the step before */
    double h, time;   /* of the step; when it starts [s] */
    nb_integrator_stages stages;
    int32_t by_be_alone; /* 1: impacts are be's */
    int by_be, meets;    /* 1: the step at work, or the last one, is be's; has impacts */
    nb_impacts impacts;
    int stage, passes;                /* that is at work; how often it was made again */
    double change;                    /* of spins by the last time, over their size */
    node_state *start, *first, *from; /* [nodes] y_n, y_1, y* of the stage */
    node_state *end;                  /* [nodes] where what is prescribed ends the stage */
    node_state *previous;             /* [nodes] y_(n-1) */
    nb_vec3 *rate;                    /* [nodes][2] v'_n, of velocity and of the spin in the body's frame */
    nb_vec3 *pushed;                  /* [nodes][2] what contacts made of them in the stage, where it is needed */
};

/* ---- nodes: bodies, then particles ---- */

static nb_body_kind kind_of(const nb_world *world, int32_t i) {
    return i < world->body_count ? world->bodies[i].kind : world->particles[i - world->body_count].kind;
}

static void read_node(const nb_world *world, int32_t i, node_state *state) {
    if (i < world->body_count) {
        const nb_body *b = &world->bodies[i];
        *state = (node_state){b->position, b->orientation, b->linear_velocity, b->angular_velocity};
        return;
    }
    const nb_particle *p = &world->particles[i - world->body_count];
    *state = (node_state){p->position, nb_quat_identity(), p->velocity, nb_vec3_of(0, 0, 0)};
}

static void write_node(const node_state *state, int32_t i, nb_world *world) {
    if (i < world->body_count) {
        nb_body *b = &world->bodies[i];
        b->position = state->place;
        b->orientation = state->turn;
        b->linear_velocity = state->velocity;
        b->angular_velocity = state->spin;
        return;
    }
    world->particles[i - world->body_count].position = state->place;
    world->particles[i - world->body_count].velocity = state->velocity;
}

static void read_nodes(const nb_integration *in, const nb_world *world, node_state *states) {
    for (int32_t i = 0; i < in->nodes; i++) read_node(world, i, &states[i]);
}

static void write_nodes(const nb_integration *in, const node_state *states, nb_world *world) {
    for (int32_t i = 0; i < in->nodes; i++) write_node(&states[i], i, world);
}

/* ---- y* ---- */

static nb_vec3 combined(const nb_integrator_stage *stage, double h, nb_vec3 start, nb_vec3 previous, nb_vec3 first,
                        nb_vec3 rate) {
    nb_vec3 sum =
        nb_add_scaled(nb_add_scaled(nb_scale(stage->start, start), stage->previous, previous), stage->first, first);
    return nb_add_scaled(sum, stage->rate * h, rate);
}

/* in the body's frame */
static nb_vec3 own_spin(const node_state *body) {
    return nb_quat_rotate(nb_quat_conjugate(body->turn), body->spin);
}

static void combine_node(const nb_integration *in, const nb_integrator_stage *stage, int32_t i, node_state *from) {
    const node_state *y = &in->start[i], *before = &in->previous[i], *first = &in->first[i];
    const nb_vec3 *rate = in->rate + 2 * (ptrdiff_t)i;
    from->place = combined(stage, in->h, y->place, before->place, first->place, y->velocity);
    from->velocity = combined(stage, in->h, y->velocity, before->velocity, first->velocity, rate[0]);
    from->turn = nb_integrator_stage_turn(stage, in->h, y->turn, before->turn, first->turn, y->spin);
    /* in the body's frame, in which the energy of a spin does not depend on how the body stands */
    from->spin =
        nb_quat_rotate(from->turn, combined(stage, in->h, own_spin(y), own_spin(before), own_spin(first), rate[1]));
}

/* ---- what is prescribed ---- */

/* Where it is at the stage's end: as from the start of the step on with constant velocities. */
static void find_ends(nb_integration *in, nb_world *world, double h) {
    write_nodes(in, in->start, world);
    world->time = in->time;
    if (world->prescribe) world->prescribe(world, h);
    for (int32_t i = 0; i < in->nodes; i++) {
        node_state now;
        if (kind_of(world, i) != NB_BODY_KINEMATIC) continue;
        read_node(world, i, &now);
        in->end[i].place = nb_add_scaled(now.place, h, now.velocity);
        in->end[i].turn = nb_quat_advance(now.turn, h, now.spin);
    }
}

static void lead_to_ends(const nb_integration *in, nb_world *world, double h) {
    for (int32_t i = 0; i < in->nodes; i++) {
        node_state state = in->from[i];
        if (kind_of(world, i) != NB_BODY_KINEMATIC) continue;
        state.velocity = nb_scale(1 / h, nb_sub(in->end[i].place, state.place));
        state.spin = nb_quat_spin_between(state.turn, in->end[i].turn, h);
        write_node(&state, i, world);
    }
}

/* ---- the step ---- */

static nb_integrator integrator_of_step(const nb_integration *in) {
    nb_integrator_stages stages;
    nb_integrator_stages_of(in->integrator, in->has_step, &stages);
    return stages.needs_rate && !in->has_step ? NB_INTEGRATOR_SDIRK2 : in->integrator;
}

int nb_integration_begin(nb_integration *in, const nb_world *world, double h) {
    in->h = h;
    in->time = world->time;
    in->by_be = in->meets = 0;
    read_nodes(in, world, in->start);
    nb_integrator_stages_of(integrator_of_step(in), in->has_step, &in->stages);
    return in->stages.count;
}

/* the world as the stage starts */
static void write_stage(nb_integration *in, nb_world *world, int k) {
    const nb_integrator_stage *stage = &in->stages.stage[k];
    const double h = stage->length * in->h;
    find_ends(in, world, stage->end * in->h);
    for (int32_t i = 0; i < in->nodes; i++) {
        in->from[i] = in->start[i];
        if (kind_of(world, i) != NB_BODY_FIXED) combine_node(in, stage, i, &in->from[i]);
    }
    write_nodes(in, in->from, world);
    world->time = in->time + (stage->end - stage->length) * in->h;
    nb_world_begin_step(world, h);
    lead_to_ends(in, world, h);
    in->stage = k;
    world->integration = in;
}

double nb_integration_begin_stage(nb_integration *in, nb_world *world, int k) {
    const double h = in->stages.stage[k].length * in->h;
    write_stage(in, world, k);
    for (int32_t i = 0; i < world->body_count; i++) {
        nb_body *b = &world->bodies[i];
        b->in_stage = b->kind == NB_BODY_DYNAMIC;
        if (b->in_stage) nb_free_turn(b, h, &b->stage_turn, &b->stage_spin);
    }
    in->passes = 0;
    in->change = INFINITY;
    return h;
}

/* Takes the inertia and torque of the end to which the body would turn with what constraints did to it; how much that
 * changes its spin, over its size. What weight makes of a body's spin in a hundred stages is a size, too: from there on
 * torques tell. */
static double turn_on(const nb_integration *in, nb_body *b, int32_t i, double h, double gravity) {
    nb_body from = *b;
    if (!b->in_stage) return 0;
    const double radius = sqrt((b->inertia.x + b->inertia.y + b->inertia.z) / (2 * b->mass));
    from.orientation = in->from[i].turn;
    from.angular_velocity = in->from[i].spin;
    const nb_vec3 had = nb_spin_after(&from, h, b->stage_turn, b->stage_spin);
    const nb_mat3 inertia = nb_inertia_at(b, b->stage_turn);
    nb_body pushed = from;
    pushed.torque = nb_add_scaled(b->torque, 1 / h, nb_mat3_apply(&inertia, nb_sub(b->angular_velocity, had)));
    nb_free_turn(&pushed, h, &b->stage_turn, &b->stage_spin);
    const nb_vec3 has = nb_spin_after(&from, h, b->stage_turn, b->stage_spin);
    const double change = nb_norm(nb_sub(has, had));
    return change > 0 ? change / (nb_norm(b->angular_velocity) + 100 * h * gravity / radius) : change;
}

int nb_integration_repeats_stage(nb_integration *in, nb_world *world, int k) {
    const double h = in->stages.stage[k].length * in->h, gravity = nb_norm(world->gravity);
    double change = 0;
    for (int32_t i = 0; i < world->body_count; i++) nb_raise(&change, turn_on(in, &world->bodies[i], i, h, gravity));
    /* where it falls no more, it is of solutions that differ by more than their torques */
    const int repeats = change > TURNED && change < in->change / 2 && in->passes < MOST_PASSES;
    in->change = change;
    in->passes++;
    if (repeats) write_stage(in, world, k);
    return repeats;
}

/* the step from its start once more, by be */
static int make_by_be(nb_integration *in, nb_world *world) {
    in->by_be = 1;
    nb_integrator_stages_of(NB_INTEGRATOR_BE, 0, &in->stages);
    write_nodes(in, in->start, world);
    world->time = in->time;
    return 1;
}

int nb_integration_end_stage(nb_integration *in, nb_world *world, int k) {
    const nb_integrator_stage *stage = &in->stages.stage[k];
    const double h = stage->length * in->h;
    world->time = in->time + stage->end * in->h;
    world->integration = NULL;
    for (int32_t i = 0; i < world->body_count; i++) world->bodies[i].in_stage = 0;
    in->meets |= nb_impacts_differ(&in->impacts);
    if (in->meets && in->by_be_alone && !in->by_be) return make_by_be(in, world);
    if (k + 1 < in->stages.count) {
        read_nodes(in, world, in->first);
        return 0;
    }
    nb_impacts_end_step(&in->impacts);
    in->has_step = !in->by_be;
    for (int32_t i = 0; i < in->nodes; i++) {
        node_state end;
        read_node(world, i, &end);
        const nb_vec3 *pushed = in->pushed + 2 * (ptrdiff_t)i; /* 0 but with decoupled-tr */
        in->rate[2 * (ptrdiff_t)i] = nb_scale(1 / h, nb_sub(nb_sub(end.velocity, in->from[i].velocity), pushed[0]));
        in->rate[2 * (ptrdiff_t)i + 1] =
            nb_scale(1 / h, nb_sub(nb_sub(own_spin(&end), own_spin(&in->from[i])), pushed[1]));
    }
    memcpy(in->previous, in->start, (size_t)in->nodes * sizeof *in->start);
    return 0;
}

nb_impacts *nb_integration_impacts(nb_integration *in) {
    return &in->impacts;
}

nb_integration_step nb_integration_last_step(const nb_integration *in) {
    if (in->by_be) return NB_STEP_MADE_BY_BE;
    if (in->meets) return NB_STEP_WITH_IMPACTS;
    return in->impacts.closed_count > 0 ? NB_STEP_WITH_CONTACTS : NB_STEP_WITHOUT_CONTACTS;
}

void nb_integration_lead(const nb_integration *in, int32_t node, int ahead, nb_vec3 *velocity, nb_vec3 *spin) {
    const nb_integrator_stage *stage = &in->stages.stage[in->stage];
    const double h = stage->length * in->h, way = ahead ? stage->end * in->h : 0;
    const node_state *y = &in->start[node], *from = &in->from[node];
    *velocity = nb_scale(1 / h, nb_sub(nb_add_scaled(y->place, way, y->velocity), from->place));
    *spin = nb_quat_spin_between(from->turn, nb_quat_advance(y->turn, way, y->spin), h);
}

nb_vec3 nb_integration_start_position(const nb_integration *in, int32_t node) {
    return in->start[node].place;
}

/* of the body's own point `own` */
static nb_vec3 point_of(const node_state *body, nb_vec3 own) {
    return nb_add(body->place, nb_quat_rotate(body->turn, own));
}

nb_vec3 nb_integration_carried(const nb_integration *in, int32_t body, nb_vec3 place, nb_vec3 *from) {
    const nb_integrator_stage *stage = &in->stages.stage[in->stage];
    const node_state *y = &in->start[body];
    const nb_vec3 arm = nb_sub(place, y->place), own = nb_quat_rotate(nb_quat_conjugate(y->turn), arm),
                  rate = nb_add(y->velocity, nb_cross(y->spin, arm));
    /* states that are not in the sum may be none */
    const nb_vec3 previous = stage->previous != 0 ? point_of(&in->previous[body], own) : place,
                  first = stage->first != 0 ? point_of(&in->first[body], own) : place;
    *from = combined(stage, in->h, place, previous, first, rate);
    return nb_scale(1 / (stage->length * in->h), nb_sub(point_of(&in->end[body], own), *from));
}

double nb_integration_contact_weight(const nb_integration *in) {
    return in->stages.stage[in->stage].contact;
}

int nb_integration_needs_contacts(const nb_integration *in) {
    return in->integrator == NB_INTEGRATOR_DECOUPLED_TR && in->stage + 1 == in->stages.count;
}

void nb_integration_add_contact_impulse(nb_integration *in, const nb_world *world, int32_t node, nb_vec3 impulse,
                                        nb_vec3 turning) {
    nb_vec3 *pushed = in->pushed + 2 * (ptrdiff_t)node;
    pushed[0] = pushed[1] = nb_vec3_of(0, 0, 0);
    if (kind_of(world, node) != NB_BODY_DYNAMIC) return;
    if (node >= world->body_count) {
        pushed[0] = nb_scale(1 / world->particles[node - world->body_count].mass, impulse);
        return;
    }
    const nb_body *b = &world->bodies[node];
    pushed[0] = nb_scale(1 / b->mass, impulse);
    const nb_mat3 inverse = nb_inverse_inertia_at(b, b->stage_turn);
    pushed[1] = nb_quat_rotate(nb_quat_conjugate(b->stage_turn), nb_mat3_apply(&inverse, turning));
}

/* ---- the class ---- */

void nb_integration_destroy(nb_integration *in) {
    if (!in) return;
    node_state *const states[] = {in->start, in->first, in->from, in->end, in->previous};
    for (size_t k = 0; k < sizeof states / sizeof *states; k++) nb_free(states[k]);
    nb_free(in->rate);
    nb_free(in->pushed);
    nb_impacts_clear(&in->impacts);
    nb_free(in);
}

nb_status nb_integration_create(const nb_world *world, nb_integration **integration) {
    nb_status status;
    nb_integration *in = NULL;
    *integration = NULL;
    NB_TRY(NB_ALLOCATE(1, &in));
    in->integrator = world->settings.integrator;
    in->by_be_alone = world->settings.impacts == NB_IMPACTS_BY_BE;
    in->nodes = world->body_count + world->particle_count;
    node_state **const states[] = {&in->start, &in->first, &in->from, &in->end, &in->previous};
    for (size_t k = 0; k < sizeof states / sizeof *states; k++) NB_TRY(NB_ALLOCATE(in->nodes, states[k]));
    NB_TRY(NB_ALLOCATE(2 * (int64_t)in->nodes, &in->rate));
    NB_TRY(NB_ALLOCATE(2 * (int64_t)in->nodes, &in->pushed));
    *integration = in;
out:
    if (status != NB_OK) nb_integration_destroy(in);
    return status;
}

nb_status nb_integration_save(const nb_integration *in, nb_stream *stream) {
    nb_status status;
    NB_TRY(nb_stream_put(stream, &in->has_step, sizeof in->has_step));
    NB_TRY(nb_stream_put(stream, in->previous, (size_t)in->nodes * sizeof *in->previous));
    NB_TRY(nb_stream_put(stream, in->rate, 2 * (size_t)in->nodes * sizeof *in->rate));
    NB_TRY(nb_impacts_save(&in->impacts, stream));
out:
    return status;
}

nb_status nb_integration_load(nb_integration *in, nb_stream *stream) {
    nb_status status;
    NB_TRY(nb_stream_get(stream, &in->has_step, sizeof in->has_step));
    NB_TRY(nb_stream_get(stream, in->previous, (size_t)in->nodes * sizeof *in->previous));
    NB_TRY(nb_stream_get(stream, in->rate, 2 * (size_t)in->nodes * sizeof *in->rate));
    NB_TRY(nb_impacts_load(&in->impacts, stream));
out:
    return status;
}
