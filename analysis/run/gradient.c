#include "run/gradient.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "derivative/contact_rows.h"
#include "run/scene_run.h"

NB_PRECISIONS(f64);

const nb_gradient_kind nb_gradient_kinds[NB_GRADIENT_KINDS] = {
    {"place", NB_INPUT_POSITION, 6, 1},    {"velocity", NB_INPUT_VELOCITY, 6, 0}, {"force", NB_INPUT_FORCE, 6, 0},
    {"mass", NB_INPUT_MASS, 1, 0},         {"inertia", NB_INPUT_INERTIA, 1, 0},   {"size", NB_INPUT_SIZE, 1, 1},
    {"friction", NB_INPUT_FRICTION, 1, 1},
};

const char *const nb_gradient_components[NB_GRADIENT_STATE] = {"x",  "y",  "z",  "rx", "ry", "rz",
                                                               "vx", "vy", "vz", "wx", "wy", "wz"};

/* what is at work: the scene, and what is made of it */
typedef struct chain {
    nb_scene_run scene;
    const nb_gradient_request *what;
    nb_gradient *out;
    nb_step_gradient **step; /* [steps] of the adjoint: all of them */
    double *inputs, *du;     /* [bodies][NB_INPUTS], [bodies][6] of one column */
    double *by_u;            /* [bodies][6] */
    double *state;           /* [bodies][NB_GRADIENT_STATE] derivatives of the objective, or of one column */
} chain;

/* ---- small vectors ---- */

static nb_vec3 take(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

static void put(nb_vec3 from, double *to) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static nb_body_turn turn_of(const nb_step_gradient *g, int32_t body) {
    return nb_body_turn_of(g->h, take(g->u + 6 * (ptrdiff_t)body + 3));
}

/* ---- the scene's states ---- */

static void write_state(const nb_world *world, double *q, double *u) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        const double turn[4] = {b->orientation.w, b->orientation.x, b->orientation.y, b->orientation.z};
        put(b->position, q + 7 * (ptrdiff_t)i);
        memcpy(q + 7 * (ptrdiff_t)i + 3, turn, sizeof turn);
        put(b->linear_velocity, u + 6 * (ptrdiff_t)i);
        put(b->angular_velocity, u + 6 * (ptrdiff_t)i + 3);
    }
}

/* ---- forward: column by column ---- */

/* whether the body has inputs of this kind: what is prescribed has none, and what is fixed has a place and a shape */
static int has_inputs(const nb_world *world, int32_t body, const nb_gradient_kind *kind) {
    nb_body_kind is = world->bodies[body].kind;
    return is == NB_BODY_DYNAMIC || (is == NB_BODY_FIXED && kind->fixed) ||
           (is == NB_BODY_KINEMATIC && kind->fixed && kind->first != NB_INPUT_POSITION);
}

static int is_wanted(const nb_gradient_request *what, int32_t body) {
    int found = what->only_count == 0;
    for (int i = 0; i < what->only_count; i++) found |= what->only[i] == body;
    return found;
}

/* the columns asked for; with room for them, when they are counted */
static int32_t list_columns(const chain *c) {
    const nb_world *world = c->scene.world;
    int32_t count = 0;
    for (int32_t body = 0; body < world->body_count; body++)
        for (int k = 0; k < NB_GRADIENT_KINDS; k++) {
            const nb_gradient_kind *kind = &nb_gradient_kinds[k];
            if (!c->what->with_kind[k] || !is_wanted(c->what, body) || !has_inputs(world, body, kind)) continue;
            for (int n = 0; n < kind->count; n++, count++) {
                if (!c->out->column_body) continue;
                c->out->column_body[count] = body;
                c->out->column_input[count] = kind->first + n;
            }
        }
    return count;
}

static double *derivative_at(const nb_gradient *out, int32_t body, int number, int32_t column) {
    return out->derivative + ((int64_t)body * NB_GRADIENT_STATE + number) * out->columns + column;
}

static void begin_columns(const chain *c) {
    const nb_gradient *out = c->out;
    for (int32_t k = 0; k < out->columns; k++)
        if (out->column_input[k] < NB_GRADIENT_STATE)
            *derivative_at(out, out->column_body[k], out->column_input[k], k) = 1;
}

static nb_status advance_column(chain *c, nb_step_gradient *g, int32_t column) {
    const nb_gradient *out = c->out;
    memset(c->inputs, 0, NB_INPUTS * (size_t)out->bodies * sizeof *c->inputs);
    for (int32_t i = 0; i < out->bodies; i++)
        for (int n = 0; n < NB_GRADIENT_STATE; n++) {
            c->state[NB_GRADIENT_STATE * i + n] = *derivative_at(out, i, n, column);
            c->inputs[NB_INPUTS * i + n] = c->state[NB_GRADIENT_STATE * i + n];
        }
    if (out->column_input[column] >= NB_GRADIENT_STATE)
        c->inputs[NB_INPUTS * out->column_body[column] + out->column_input[column]] = 1;
    nb_status status = nb_step_chain_forward(g, c->scene.world, c->inputs, c->du, c->state);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < out->bodies; i++)
        for (int n = 0; n < NB_GRADIENT_STATE; n++)
            *derivative_at(out, i, n, column) = c->state[NB_GRADIENT_STATE * i + n];
    return NB_OK;
}

/* ---- back ---- */

static nb_status go_back(chain *c, int32_t step) {
    nb_status status;
    nb_gradient *out = c->out;
    nb_step_gradient *g = c->step[step];
    for (int32_t i = 0; i < out->bodies; i++) {
        const double *state = c->state + NB_GRADIENT_STATE * (ptrdiff_t)i;
        double *by_u = c->by_u + 6 * (ptrdiff_t)i;
        nb_body_turn turn = turn_of(g, i);
        put(nb_add_scaled(take(state + 6), g->h, take(state)), by_u);
        put(nb_add(take(state + 9), nb_body_turn_change_back(&turn, g->h, take(state + 3))), by_u + 3);
        if (c->scene.world->bodies[i].kind != NB_BODY_DYNAMIC) memset(by_u, 0, 6 * sizeof *by_u);
    }
    memset(c->inputs, 0, NB_INPUTS * (size_t)out->bodies * sizeof *c->inputs);
    NB_TRY(g->type->adjoint(g, c->by_u, c->inputs));
    for (int32_t i = 0; i < out->bodies; i++) {
        const double *in = c->inputs + NB_INPUTS * (ptrdiff_t)i;
        double *state = c->state + NB_GRADIENT_STATE * (ptrdiff_t)i, *sum = out->by_input + NB_INPUTS * (ptrdiff_t)i;
        nb_body_kind kind = c->scene.world->bodies[i].kind;
        nb_body_turn turn = turn_of(g, i);
        for (int k = NB_INPUT_FORCE; k < NB_INPUTS; k++) sum[k] += in[k];
        memcpy(out->by_force + 6 * ((int64_t)step * out->bodies + i), in + NB_INPUT_FORCE, 6 * sizeof *in);
        if (kind == NB_BODY_KINEMATIC) continue; /* its place is prescribed */
        put(nb_add(take(state), take(in)), state);
        nb_vec3 before = kind == NB_BODY_DYNAMIC ? nb_body_turn_back(&turn, take(state + 3)) : take(state + 3);
        put(nb_add(before, take(in + 3)), state + 3);
        memcpy(state + 6, in + NB_INPUT_VELOCITY, 6 * sizeof *in);
    }
out:
    return status;
}

static nb_status run_back(chain *c) {
    nb_status status = NB_OK;
    nb_gradient *out = c->out;
    c->state[NB_GRADIENT_STATE * c->what->body + c->what->component] = 1;
    for (int32_t k = out->steps - 1; k >= 0; k--) NB_TRY(go_back(c, k));
    for (int32_t i = 0; i < out->bodies; i++)
        memcpy(out->by_input + NB_INPUTS * (ptrdiff_t)i, c->state + NB_GRADIENT_STATE * (ptrdiff_t)i,
               NB_GRADIENT_STATE * sizeof *c->state);
out:
    return status;
}

/* the objective's number; a turn is none, only its changes are */
static double value_of(const nb_gradient *out, int body, int component) {
    if (component < 3) return out->q[7 * body + component];
    return component < 6 ? NAN : out->u[6 * body + component - 6];
}

/* ---- the run ---- */

static nb_status make_room(chain *c) {
    nb_status status;
    nb_gradient *out = c->out;
    const int64_t bodies = c->scene.world->body_count, steps = c->scene.request->info.steps;
    const int back = c->what->body >= 0;
    out->bodies = (int32_t)bodies;
    out->steps = (int32_t)steps;
    out->columns = back ? 0 : list_columns(c);
    if (!back && out->columns == 0)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "gradient: none of these bodies has any of these inputs"));
    NB_TRY(nb_members_allocate(&nb_gradient_members, out));
    NB_TRY(NB_ALLOCATE(steps, &c->step));
    NB_TRY(NB_ALLOCATE(NB_INPUTS * bodies, &c->inputs));
    NB_TRY(NB_ALLOCATE(6 * bodies, &c->du));
    NB_TRY(NB_ALLOCATE(6 * bodies, &c->by_u));
    NB_TRY(NB_ALLOCATE(NB_GRADIENT_STATE * bodies, &c->state));
    if (back) { /* the columns are those of the other way */
        nb_free(out->derivative);
        nb_free(out->column_body);
        nb_free(out->column_input);
        out->derivative = NULL;
        out->column_body = out->column_input = NULL;
    } else {
        nb_free(out->by_input);
        nb_free(out->by_force);
        out->by_input = out->by_force = NULL;
        list_columns(c);
        begin_columns(c);
    }
out:
    return status;
}

/* The states of a motion that is smoothed have gaps which less does not carry: contacts would be open. */
static nb_status check_smoothing(const nb_step_gradient *g, const nb_method_class *method) {
    const double round_off = 1e-12;
    if (g->smoothing >= (1 - round_off) * g->own) return NB_OK;
    return nb_fail(NB_ERROR_USAGE,
                   "--smoothing %g J: the motion itself is smoothed by up to %.3g J, by --%s, and less does not carry "
                   "its gaps; without --smoothing derivatives are those of the motion",
                   g->smoothing, g->own, method->smooths);
}

/* whether the step's velocities are open, -1 where that is not looked for or cannot be told */
static int32_t look(nb_step_gradient *g) {
    int open;
    return g->type->look && g->type->look(g, &open) == NB_OK ? open : -1;
}

static nb_status make_step(chain *c, int32_t k) {
    nb_status status;
    nb_gradient *out = c->out;
    double row[NB_STEP_COLUMNS], start = nb_clock_seconds();
    NB_TRY(nb_scene_run_advance(&c->scene, NULL, c->scene.request->info.warm_start, NULL, row));
    nb_step_gradient *g = c->step[k] = c->scene.type->take_gradient(c->scene.stepper);
    NB_TRY(check_smoothing(g, c->scene.request->choices.method));
    out->smoothing = fmax(out->smoothing, g->smoothing);
    out->residual[k] = g->residual;
    out->distance[k] = g->distance;
    out->iterations[k] = g->iterations;
    out->contacts[k] = (int32_t)row[NB_STEP_CONTACTS];
    out->open[k] = look(g);
    for (int32_t n = 0; n < out->columns; n++) NB_TRY(advance_column(c, g, n));
    out->steps_s += row[NB_STEP_STEP_S];
    out->gradient_s += nb_clock_seconds() - start - row[NB_STEP_STEP_S];
    if (out->columns > 0) {
        nb_step_gradient_destroy(g);
        c->step[k] = NULL;
    }
out:
    return status;
}

static nb_status check_objective(const chain *c) {
    const nb_world *world = c->scene.world;
    int body = c->what->body;
    nb_status status = nb_world_refuse_particles(world, "a gradient");
    if (status != NB_OK) return status;
    if (body >= world->body_count)
        return nb_fail(NB_ERROR_USAGE, "gradient: there is no body %d; the last one is %d", body,
                       (int)world->body_count - 1);
    if (body >= 0 && world->bodies[body].kind != NB_BODY_DYNAMIC)
        return nb_fail(NB_ERROR_USAGE, "gradient: body %d is fixed or kinematic: its state depends on no input", body);
    for (int i = 0; i < c->what->only_count; i++)
        if (c->what->only[i] >= world->body_count)
            return nb_fail(NB_ERROR_USAGE, "gradient: there is no body %d; the last one is %d", (int)c->what->only[i],
                           (int)world->body_count - 1);
    return NB_OK;
}

static void close_chain(chain *c) {
    for (int32_t k = 0; c->step && k < c->out->steps; k++) nb_step_gradient_destroy(c->step[k]);
    nb_free(c->step);
    nb_free(c->inputs);
    nb_free(c->du);
    nb_free(c->by_u);
    nb_free(c->state);
    nb_scene_run_clear(&c->scene);
}

nb_status nb_gradient_run(const nb_request *request, const nb_gradient_request *what, nb_gradient *out) {
    nb_status status;
    chain c = {.scene = {.request = request}, .what = what, .out = out};
    const double standard = request->choices.method->smooths ? NB_SMOOTHING_OWN : 1e-8,
                 smoothing = what->smoothing > 0 ? what->smoothing : standard;
    NB_TRY(nb_scene_run_build(&c.scene));
    NB_TRY(nb_scene_run_refuse_stages(&c.scene, "a gradient"));
    NB_TRY(check_objective(&c));
    NB_TRY(c.scene.type->differentiate(c.scene.stepper, 0)); /* whether it can, before anything is run */
    NB_TRY(make_room(&c));
    NB_TRY(nb_scene_run_settle_all(&c.scene));
    NB_TRY(nb_copy_text(request->info.parameters ? request->info.parameters : "", &out->parameters));
    out->info = request->info;
    out->info.parameters = NULL;
    out->info.bodies = out->bodies;
    write_state(c.scene.world, out->q_before, out->u_before);
    NB_TRY(c.scene.type->differentiate(c.scene.stepper, smoothing));
    for (int32_t k = 0; k < out->steps; k++) NB_TRY(make_step(&c, k));
    write_state(c.scene.world, out->q, out->u);
    out->value = NAN;
    if (what->body < 0) goto out;
    double start = nb_clock_seconds();
    snprintf(out->objective, sizeof out->objective, "%d:%s", what->body, nb_gradient_components[what->component]);
    out->value = value_of(out, what->body, what->component);
    NB_TRY(run_back(&c));
    out->gradient_s += nb_clock_seconds() - start;
out:
    close_chain(&c);
    return status;
}

/* One link of a chain of steps: a small change of a scene's state over a step (step_gradient.h). */

nb_status nb_step_chain_forward(nb_step_gradient *g, const nb_world *world, const double *inputs, double *du,
                                double *state) {
    nb_status status = g->type->forward(g, inputs, du);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < g->bodies; i++) {
        const double *in = inputs + NB_INPUTS * (ptrdiff_t)i, *faster = du + 6 * (ptrdiff_t)i;
        double *after = state + NB_INPUT_FORCE * (ptrdiff_t)i;
        if (world->bodies[i].kind != NB_BODY_DYNAMIC) continue;
        /* x+ = x + h v+, R+ = C R */
        nb_body_turn turn = nb_body_turn_of(g->h, take(g->u + 6 * (ptrdiff_t)i + 3));
        put(nb_add_scaled(take(in), g->h, take(faster)), after);
        put(nb_add(nb_body_turn_apply(&turn, take(in + 3)), nb_body_turn_change(&turn, g->h, take(faster + 3))),
            after + 3);
        memcpy(after + 6, faster, 6 * sizeof *faster);
    }
    return NB_OK;
}
