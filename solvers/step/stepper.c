#include "stepper.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "condensed_problem.h"
#include "constraint/step.h"
#include "constraint/step_rate.h"
#include "linear_system.h"
#include "measure/iterate.h"
#include "model/drive.h"
#include "model/integration.h"
#include "no_slip.h"
#include "operator/store.h"
#include "registry.h"
#include "verified_step.h"
#include "warm_start.h"

NB_PRECISIONS(f32, f64);

#define nb_stepper NB_REAL_NAME(nb_stepper)

enum {
    LEAD_OPTIONS = 32 /* of newton, at most */
};

typedef struct stepper {
    nb_method *method;
    nb_method *lead; /* the Newton method: makes the first iterations where the settings ask for it */
    nb_step *step;
    nb_condensed_problem *condensed; /* what a method that knows no elements was given last, or NULL */
    int prepared;                    /* 1: the step that was begun is */
    double smoothing;                /* of the steps' derivatives [J]; 0: none are wanted */
    nb_step_gradient *gradient;      /* of the last step, until it is taken */
    nb_warm_start last;              /* impulses of the last step */
    real *contact_impulse, *push;    /* [rows], [velocities] scratch of hand_over_contacts */
    uint8_t *closure;                /* [contacts] scratch of note_contacts */
    int64_t contact_capacity, push_capacity, closure_capacity;
} stepper;

/* ---- the start of a step ---- */

static double error_of(const nb_problem *p, nb_measure *measure) {
    nb_errors errors;
    nb_measure_iterate(measure, p, &errors);
    return errors.natural_map;
}

static void narrow(nb_vec3 from, real *to) {
    to[0] = (real)from.x;
    to[1] = (real)from.y;
    to[2] = (real)from.z;
}

static nb_vec3 widened(const real *from) {
    return nb_vec3_of((double)from[0], (double)from[1], (double)from[2]);
}

/* the velocities of particle i in u */
static real *of_particle(const nb_problem *p, int32_t i) {
    return p->u + p->nodes->velocity[p->nodes->bodies + i];
}

/* the world's velocities of the bodies and particles of this kind */
static void copy_velocities(const nb_world *world, nb_body_kind kind, nb_problem *p) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        if (body->kind != kind) continue;
        narrow(body->linear_velocity, p->u + 6 * (ptrdiff_t)i);
        narrow(body->angular_velocity, p->u + 6 * (ptrdiff_t)i + 3);
    }
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == kind) narrow(world->particles[i].velocity, of_particle(p, i));
}

/* no impulses, and the velocities that bodies have without any: M u = -g of the zero start; others keep theirs */
static void start_unconstrained(const nb_world *world, nb_problem *p) {
    p->type->evaluate(p, NULL);
    p->type->velocity_step(p, p->z, p->u);
    copy_velocities(world, NB_BODY_KINEMATIC, p);
}

/* the last step's velocities and impulses, unless the zero start has the smaller error */
static void start_warm(stepper *s, const nb_world *world, const nb_contacts *contacts, nb_problem *p,
                       nb_measure *measure) {
    double cold = error_of(p, measure);
    copy_velocities(world, NB_BODY_DYNAMIC, p);
    nb_warm_start_recall(&s->last, s->step, contacts, p);
    if (error_of(p, measure) < cold) return;
    memset(p->z, 0, (size_t)p->rows * sizeof(real));
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC) memset(p->u + 6 * (ptrdiff_t)i, 0, 6 * sizeof(real));
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_DYNAMIC) memset(of_particle(p, i), 0, 3 * sizeof(real));
}

/* ---- the end of a step ---- */

static void write_state(const nb_world *world, double *q, double *u) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        const double state[13] = {b->position.x,        b->position.y,         b->position.z,
                                  b->orientation.w,     b->orientation.x,      b->orientation.y,
                                  b->orientation.z,     b->linear_velocity.x,  b->linear_velocity.y,
                                  b->linear_velocity.z, b->angular_velocity.x, b->angular_velocity.y,
                                  b->angular_velocity.z};
        memcpy(q + 7 * (ptrdiff_t)i, state, 7 * sizeof(double));
        memcpy(u + 6 * (ptrdiff_t)i, state + 7, 6 * sizeof(double));
    }
}

static void write_vec3(nb_vec3 v, double *to) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static void write_particles(const nb_world *world, double *x, double *v) {
    for (int32_t i = 0; i < world->particle_count; i++) {
        write_vec3(world->particles[i].position, x + 3 * (ptrdiff_t)i);
        write_vec3(world->particles[i].velocity, v + 3 * (ptrdiff_t)i);
    }
}

static void move_world(nb_world *world, const nb_problem *p, double h) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const real *u = p->u + 6 * (ptrdiff_t)i;
        if (world->bodies[i].kind != NB_BODY_DYNAMIC) continue;
        world->bodies[i].linear_velocity = widened(u);
        world->bodies[i].angular_velocity = widened(u + 3);
    }
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_DYNAMIC) world->particles[i].velocity = widened(of_particle(p, i));
    nb_world_move(world, h);
}

/* Bodies of a planar world have no velocity out of the plane: what a method leaves of it, the plane takes up. */
static void hold_plane(const nb_world *world, nb_problem *p) {
    static const int out_of_plane[] = {1, 3, 5};
    for (int32_t i = 0; world->planar && i < world->body_count; i++)
        for (int k = 0; world->bodies[i].kind == NB_BODY_DYNAMIC && k < 3; k++)
            p->u[6 * (ptrdiff_t)i + out_of_plane[k]] = 0;
}

/* The pass without slip: errors are those of its state, and the natural map is that of the soft solve before it. */
static nb_status leave_no_slip(const nb_world *world, nb_problem *p, nb_measure *measure, nb_step_outcome *outcome) {
    const double solved = outcome->errors.natural_map;
    const nb_status status = nb_no_slip(p, (int32_t)world->settings.contacts.no_slip_sweeps);
    if (status != NB_OK) return status;
    nb_measure_iterate(measure, p, &outcome->errors);
    outcome->errors.natural_map = solved;
    return NB_OK;
}

/* Gives an integrator that leaves contacts out of the rate what they did in this step. */
static nb_status hand_over_contacts(stepper *s, nb_world *world, nb_problem *p) {
    nb_status status = NB_OK;
    const int32_t last = p->rows - nb_added_rows(p);
    if (!world->integration || !nb_integration_needs_contacts(world->integration)) return NB_OK;
    NB_TRY(NB_RESERVE(p->rows, &s->contact_capacity, &s->contact_impulse));
    NB_TRY(NB_RESERVE(p->velocities, &s->push_capacity, &s->push));
    for (int32_t r = 0; r < p->rows; r++) s->contact_impulse[r] = r >= p->bilaterals && r < last ? p->z[r] : R(0);
    p->type->evaluate(p, NULL);
    p->type->row_forces(p, s->contact_impulse, s->push);
    for (int32_t i = 0; i < p->nodes->count; i++) {
        const real *of = s->push + p->nodes->velocity[i];
        nb_integration_add_contact_impulse(world->integration, world, i, widened(of),
                                           i < p->nodes->bodies ? widened(of + 3) : nb_vec3_of(0, 0, 0));
    }
out:
    return status;
}

/* the joint limits, behind all contacts */
static nb_status note_limits(const nb_problem *p, double error, nb_impacts *impacts) {
    nb_status status = NB_OK;
    const nb_step *step = nb_step_of((nb_problem *)p);
    const int32_t first = p->bilaterals + 3 * p->contacts;
    for (int32_t i = 0; i < nb_step_coordinate_count(step); i++) {
        const nb_coordinate_row *of = nb_step_coordinate_row(step, i);
        const int32_t r = first + i;
        if (of->kind != NB_COORDINATE_LOWER && of->kind != NB_COORDINATE_UPPER) continue;
        const int presses = (double)(p->w[r] * p->z[r]) > error, parts = (double)p->value[r] > error;
        NB_TRY(nb_impacts_note(impacts, INT32_MAX, of->joint, of->kind,
                               presses ? NB_CONTACT_CLOSED
                               : parts ? NB_CONTACT_OPEN
                                       : NB_CONTACT_EITHER));
    }
out:
    return status;
}

/* the contacts of the solved step, with its natural map `error`, for an integrator that asks which are closed */
static nb_status note_contacts(const nb_world *world, const nb_contacts *contacts, const int32_t *order, double error,
                               nb_problem *p, uint8_t **closure, int64_t *capacity) {
    nb_status status;
    nb_impacts *impacts = world->integration ? nb_integration_impacts(world->integration) : NULL;
    if (!impacts) return NB_OK;
    NB_TRY(NB_RESERVE(p->contacts, capacity, closure));
    p->type->evaluate(p, NULL);
    error += 4 * (double)NB_REAL_EPSILON * p->place_speed;
    for (int32_t i = 0; i < p->contacts; i++) {
        const ptrdiff_t r = p->bilaterals + 3 * (ptrdiff_t)i;
        const int presses = (double)(p->w[r] * p->z[r]) > error, parts = (double)p->value[r] > error;
        (*closure)[order[i]] = presses ? NB_CONTACT_CLOSED : parts ? NB_CONTACT_OPEN : NB_CONTACT_EITHER;
    }
    nb_impacts_begin(impacts);
    for (int32_t i = 0; i < p->contacts; i++) {
        const nb_contact *c = &contacts->items[i];
        NB_TRY(nb_impacts_note(impacts, c->body_a, c->body_b, c->feature, (nb_closure)(*closure)[i]));
    }
    NB_TRY(note_limits(p, error, impacts));
out:
    return status;
}

/* k-th of the contacts of particles */
static void write_side(const nb_contact_side *side, int32_t k, nb_snapshot *final) {
    for (int n = 0; n < NB_CONTACT_PARTICLES; n++) {
        int there = n < side->count;
        final->soft_particle[NB_CONTACT_PARTICLES * (ptrdiff_t)k + n] = there ? side->particle[n] : -1;
        final->soft_weight[NB_CONTACT_PARTICLES * (ptrdiff_t)k + n] = there ? side->weight[n] : 0;
    }
}

/* forces and contacts, after the measure has seen the last iterate */
static void write_forces(const stepper *s, const nb_world *world, const nb_contacts *contacts, const nb_problem *p,
                         nb_measure *measure, double h, nb_snapshot *final) {
    const int32_t *order = nb_step_contact_order(s->step);
    const double *value = nb_measure_values(measure);
    const int32_t *joints = nb_step_bilateral_order(s->step);
    const int32_t coordinates = nb_step_coordinate_count(s->step), elements = nb_added_rows(p) - coordinates;
    const real *of_coordinates = p->z + (p->rows - elements - coordinates);
    final->contact_weight = world->integration ? nb_integration_contact_weight(world->integration) : 1;
    const double acts = h * final->contact_weight;
    for (int32_t r = 0; r < p->bilaterals; r++) final->lambda_bilateral[joints[r]] = (double)p->z[r] / h;
    for (int32_t r = 0; r < coordinates; r++) final->lambda_coordinate[r] = (double)of_coordinates[r] / h;
    for (int32_t r = 0; r < elements; r++) final->lambda_element[r] = (double)p->z[p->rows - elements + r] / h;
    for (int32_t i = 0; i < p->contacts; i++) {
        const nb_contact *contact = &contacts->items[order[i]];
        const nb_contact_side *side = nb_contacts_side(contacts, order[i]);
        ptrdiff_t r = p->bilaterals + 3 * (ptrdiff_t)i;
        double directions[3][3];
        nb_step_contact_directions(s->step, i, directions);
        memcpy(final->contact_tangent + 6 * (ptrdiff_t)i, directions[1], 6 * sizeof(double));
        final->lambda_normal[i] = (double)p->z[r] / acts;
        final->gap[i] = value[r] * h;
        if (world->settings.stepping.scheme != NB_STEPPING_IMPLICIT) /* what is linearised at the start */
            final->gap[i] = contact->gap + h * (value[r] - nb_contact_rate(world, contact, h));
        for (int k = 0; k < 2; k++) {
            final->lambda_friction[2 * (ptrdiff_t)i + k] = (double)p->z[r + 1 + k] / acts;
            final->slip[2 * (ptrdiff_t)i + k] = value[r + 1 + k];
        }
        final->contact_bodies[2 * (ptrdiff_t)i] = side ? -1 : contact->body_a;
        if (side) write_side(side, nb_snapshot_soft(final, i), final);
        final->contact_bodies[2 * (ptrdiff_t)i + 1] = side && side->second > 0 ? -1 : contact->body_b;
        write_vec3(nb_step_contact_point(s->step, i), final->contact_point + 3 * (ptrdiff_t)i);
        write_vec3(contact->normal, final->contact_normal + 3 * (ptrdiff_t)i);
        final->mu[i] = contact->friction;
    }
    nb_measure_each(measure, final);
}

/* ---- the class ---- */

static void drop_methods(stepper *s) {
    if (s->method) s->method->type->destroy(s->method);
    if (s->lead) s->lead->type->destroy(s->lead);
    s->method = s->lead = NULL;
}

static void stepper_destroy(void *state) {
    stepper *s = state;
    if (!s) return;
    drop_methods(s);
    nb_condensed_problem_destroy(s->condensed);
    nb_step_gradient_destroy(s->gradient);
    nb_step_destroy(s->step);
    nb_warm_start_clear(&s->last);
    nb_free(s->contact_impulse);
    nb_free(s->push);
    nb_free(s->closure);
    nb_free(s);
}

/* the Newton method that makes the first iterations */
static nb_status create_lead(const nb_method_settings *settings, nb_method **lead) {
    nb_status status;
    double values[LEAD_OPTIONS];
    const nb_method_class *newton;
    nb_method_settings own = nb_lead_settings();
    own.newton_iterations = settings->lead_iterations;
    NB_TRY(nb_method_find("newton", &newton));
    if (settings->lead_exact) {
        nb_options_standard(newton->options, newton->option_count, values);
        NB_TRY(nb_options_set(newton->options, newton->option_count, "newton", "form", "stiffness", values));
        own.values = values;
        own.linear_solver = "cholesky";
    }
    NB_TRY(newton->create(newton, &own, lead));
out:
    return status;
}

static nb_status stepper_configure(void *state, const char *method, const nb_method_settings *settings) {
    stepper *s = state;
    nb_status status;
    const nb_method_class *type;
    drop_methods(s);
    NB_TRY(nb_method_find(method, &type));
    NB_TRY(type->create(type, settings, &s->method));
    if (settings->lead_iterations > 0) NB_TRY(create_lead(settings, &s->lead));
out:
    return status;
}

static nb_status stepper_create(const char *method, const nb_method_settings *settings, void **state) {
    nb_status status;
    stepper *s = NULL;
    *state = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    NB_TRY(nb_step_create(&s->step));
    NB_TRY(stepper_configure(s, method, settings));
    *state = s;
out:
    if (status != NB_OK) stepper_destroy(s);
    return status;
}

static nb_status stepper_prepare(void *state, const nb_world *world, const nb_contacts *contacts, int warm_start,
                                 nb_measure *measure) {
    stepper *s = state;
    nb_status status = NB_OK;
    nb_step_outcome led;
    nb_problem *p = nb_step_problem(s->step);
    s->method->warm = warm_start == NB_START_PREVIOUS;
    if (warm_start == NB_START_PREVIOUS) start_warm(s, world, contacts, p, measure);
    nb_warm_start_release(&s->last);
    if (warm_start == NB_START_UNCONSTRAINED) start_unconstrained(world, p);
    if (s->lead) NB_TRY(s->lead->type->step(s->lead, p, measure, NULL, &led));
    if (s->method->type->prepare) NB_TRY(s->method->type->prepare(s->method, p));
    s->prepared = 1;
out:
    return status;
}

static nb_status stepper_launch(void *const *steppers, int32_t count) {
    nb_status status;
    nb_method **methods = NULL;
    const nb_method_class *type = count > 0 ? ((const stepper *)steppers[0])->method->type : NULL;
    if (!type || !type->launch) return NB_OK;
    NB_TRY(NB_ALLOCATE(count, &methods));
    for (int32_t i = 0; i < count; i++) methods[i] = ((const stepper *)steppers[i])->method;
    NB_TRY(type->launch(methods, count));
out:
    nb_free(methods);
    return status;
}

static nb_status stepper_trajectories(const void *state, const nb_trajectories_start *start,
                                      nb_trajectories **trajectories) {
    const nb_method *method = ((const stepper *)state)->method;
    return method->type->trajectories(method, start, trajectories);
}

static nb_status make_gradient(stepper *s, nb_problem *p) {
    nb_step_gradient_destroy(s->gradient);
    s->gradient = NULL;
    if (s->smoothing == 0) return NB_OK;
    double start = nb_clock_seconds();
    nb_status status = s->method->type->differentiate(s->method, p, s->smoothing, &s->gradient);
    if (status == NB_OK) s->gradient->made_s = nb_clock_seconds() - start;
    return status;
}

static nb_status stepper_differentiate(void *state, double smoothing) {
    stepper *s = state;
    if (!s->method->type->differentiate)
        return nb_fail(
            NB_ERROR_UNSUPPORTED,
            "method %s has no derivatives of its steps; --method newton, interior-point, auto, single-level and "
            "smoothed have",
            s->method->type->name);
    s->smoothing = smoothing;
    return NB_OK;
}

static nb_step_gradient *stepper_take_gradient(void *state) {
    stepper *s = state;
    nb_step_gradient *gradient = s->gradient;
    s->gradient = NULL;
    return gradient;
}

static void count_rows(const nb_problem *p, nb_step_counts *counts) {
    counts->contacts = p->contacts;
    counts->rows = p->rows;
    counts->islands = p->island_count;
    counts->largest_island = p->largest_island;
}

/* of a step that was not verified */
static nb_step_counts counts_of(const nb_problem *p) {
    nb_step_counts counts = {.verification = {-1, -1, NAN, 0}};
    count_rows(p, &counts);
    return counts;
}

static nb_look look_of(const nb_observer *observer) {
    if (!observer || !observer->newton) return NB_LOOK_FOR_NOTHING;
    return observer->contact_errors ? NB_LOOK_FOR_CONTACTS : NB_LOOK_FOR_LARGEST;
}

static nb_status stepper_step(void *state, nb_world *world, const nb_contacts *contacts, double h, int warm_start,
                              nb_measure *measure, const nb_observer *observer, nb_step_outcome *outcome,
                              nb_step_counts *counts, nb_snapshot *final) {
    stepper *s = state;
    nb_status status;
    nb_problem *p = nb_step_problem(s->step);
    *counts = counts_of(p);
    if (!s->prepared) {
        NB_TRY(stepper_prepare(s, world, contacts, warm_start, measure));
        NB_TRY(stepper_launch(&state, 1));
    }
    s->prepared = 0;
    nb_measure_look(measure, look_of(observer));
    nb_problem *given = p;
    if (s->method->type->condenses && nb_has_elements(p)) {
        NB_TRY(nb_condensed_problem_make(p, &s->condensed));
        given = nb_condensed_problem_of(s->condensed);
    }
    if (isfinite(world->settings.verify_contacts))
        NB_TRY(nb_verified_step(s->method, given, measure, world->settings.verify_contacts, observer, outcome,
                                &counts->verification));
    else
        NB_TRY(s->method->type->step(s->method, given, measure, observer, outcome));
    nb_measure_look(measure, NB_LOOK_FOR_NOTHING);
    NB_TRY(nb_interrupt_check()); /* what loops were left for that is no solution */
    const nb_contact_choice *contact = &world->settings.contacts;
    const int without_slip = contact->model == NB_CONTACTS_MUJOCO && contact->no_slip_sweeps > 0;
    if (without_slip) NB_TRY(leave_no_slip(world, p, measure, outcome));
    hold_plane(world, p);
    NB_TRY(make_gradient(s, p));
    NB_TRY(hand_over_contacts(s, world, p));
    contacts = nb_step_contacts(s->step); /* the method may have detected more */
    NB_TRY(note_contacts(world, contacts, nb_step_contact_order(s->step), outcome->errors.natural_map, p, &s->closure,
                         &s->closure_capacity));
    count_rows(p, counts);
    if (final) {
        const int32_t coordinates = nb_step_coordinate_count(s->step);
        NB_TRY(nb_snapshot_resize_soft(final, world->body_count, p->bilaterals, p->contacts, coordinates,
                                       coordinates > 0 ? world->joint_count : 0, world->particle_count,
                                       nb_added_rows(p) - coordinates, contacts->soft_count));
        write_state(world, final->q_before, final->u_before);
        write_particles(world, final->particle_x_before, final->particle_v_before);
        const double error = error_of(p, measure);
        if (!without_slip) outcome->errors.natural_map = error;
        write_forces(s, world, contacts, p, measure, h, final);
    }
    move_world(world, p, h);
    if (final) {
        write_state(world, final->q, final->u);
        write_particles(world, final->particle_x, final->particle_v);
        for (int32_t j = 0; j < final->joints; j++) final->joint_coordinate[j] = nb_coordinate_of_joint(world, j);
        final->time = world->time;
        final->time_step = h;
        final->error = outcome->errors.natural_map;
    }
    NB_TRY(nb_warm_start_remember(&s->last, s->step, contacts, p));
out:
    return status;
}

static void stepper_hand_over(void *state, nb_contacts *contacts) {
    nb_step_hand_over(((stepper *)state)->step, contacts);
}

static nb_status stepper_begin(void *state, const nb_world *world, const nb_contacts *contacts, double h,
                               nb_geometry geometry) {
    stepper *s = state;
    s->prepared = 0;
    return nb_step_begin(s->step, world, contacts, h, geometry);
}

static const struct nb_step_f64 *stepper_rows(const void *state) {
    return NB_REAL_BITS == 64 ? (const struct nb_step_f64 *)((const stepper *)state)->step : NULL;
}

static nb_status stepper_solve(void *state, const nb_file_data *data, nb_measure *measure, const nb_observer *observer,
                               nb_step_outcome *outcome, nb_step_counts *counts, double *impulse) {
    stepper *s = state;
    nb_status status;
    nb_problem *p = NULL;
    NB_TRY(nb_file_problem_create(data, &p));
    *counts = counts_of(p);
    nb_measure_look(measure, look_of(observer));
    NB_TRY(s->method->type->step(s->method, p, measure, observer, outcome));
    NB_TRY(nb_interrupt_check());
    for (int32_t r = 0; r < p->rows; r++) impulse[r] = (double)p->z[r];
out:
    nb_file_problem_destroy(p);
    return status;
}

static nb_status stepper_store(void *system, const void *problem, nb_stored_system *stored) {
    return nb_system_store(system, problem, stored);
}

static nb_status stepper_save_impulses(const void *state, nb_stream *stream) {
    return nb_warm_start_save(&((const stepper *)state)->last, stream);
}

static nb_status stepper_load_impulses(void *state, nb_stream *stream) {
    return nb_warm_start_load(&((stepper *)state)->last, stream);
}

static nb_status stepper_save(const void *state, nb_stream *stream) {
    const nb_method *method = ((const stepper *)state)->method;
    nb_status status = stepper_save_impulses(state, stream);
    return status == NB_OK && method->type->save ? method->type->save(method, stream) : status;
}

static nb_status stepper_load(void *state, nb_stream *stream) {
    nb_method *method = ((stepper *)state)->method;
    nb_status status = stepper_load_impulses(state, stream);
    return status == NB_OK && method->type->load ? method->type->load(method, stream) : status;
}

static nb_status stepper_store_problem(void *state, nb_contact_problem *stored) {
    return nb_problem_store(nb_step_problem(((stepper *)state)->step), stored);
}

const nb_stepper_class nb_stepper = {
    .precision = NB_REAL_NAMED,
    .create = stepper_create,
    .configure = stepper_configure,
    .begin = stepper_begin,
    .rows = stepper_rows,
    .prepare = stepper_prepare,
    .launch = stepper_launch,
    .trajectories = stepper_trajectories,
    .step = stepper_step,
    .hand_over = stepper_hand_over,
    .differentiate = stepper_differentiate,
    .take_gradient = stepper_take_gradient,
    .solve = stepper_solve,
    .store = stepper_store,
    .store_problem = stepper_store_problem,
    .create_linear = nb_linear_system_create,
    .solve_linear = nb_linear_system_solve,
    .destroy_linear = nb_linear_system_destroy,
    .linear_columns = &nb_linear_system_columns,
    .save = stepper_save,
    .load = stepper_load,
    .save_impulses = stepper_save_impulses,
    .load_impulses = stepper_load_impulses,
    .destroy = stepper_destroy,
};
