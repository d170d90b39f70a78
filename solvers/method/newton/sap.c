/* The semi-analytic primal method: Newton's method in velocities for contacts that give way. Impulses are eliminated:
 *
 *     least  |u - u~|^2_M/2 + sum of l_i(J_i u)       gradient g = M (u - u~) - J^T z,  z = -dl/dv
 *     (M + J^T G J) du = -g                           u += t du, t the minimum along du
 *
 * l of contacts is in contact_potential.h, and of fields in model/contact_field.h. Joint rows, and those of joint
 * coordinates, in [lower, upper], are those of a multiplier method: z is the nearest in the interval to (e z' - v)/(E +
 * e), with a small e. z' is z of the last iteration that took a whole step, near the minimum for the z' before. The
 * system is the stiffness form of rows whose weights G are given (primal.h).
 *
 * Geometry that moves is evaluated at every iterate; along a step rows are linear.
 *
 * Source: Castro, Permenter, Han, "An unconstrained convex formulation of compliant contact", 2023. */
#include <string.h>
#include <tgmath.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "constraint/cone_rows.h"
#include "contact_potential.h"
#include "measure/iterate.h"
#include "operator/primal.h"
#include "operator/solve.h"
#include "registry.h"
#include "step/columns.h"

NB_PRECISIONS(f32, f64);

enum {
    STEP_LENGTH = NB_COLUMN_OWN,
    EVALUATIONS,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_COLUMNS_OF_SOLVES,
    [STEP_LENGTH] = {"step_length", "1", "length of the step taken"},
    [EVALUATIONS] = {"line_search_evaluations", "1", "slopes along the step that the line search took"},
};

enum {
    MOST_IDLE = 30,    /* iterations in which an error near round-off is not halved, */
    MOST_ASTRAY = 200, /* and any error: the objective falls, and errors need not */
    MOST_EASED = 5,    /* iterations with one R of a continuation */
    MOST_SLOPES = 50   /* of a line search */
};

enum {
    CONTINUATION,
    OPTIONS
};

#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
static const nb_option options[OPTIONS] = {
    [CONTINUATION] = {"continuation", "1", 0, 0, 0, 0, CHOICES("off", "on"),
                      "begin each step with the softness of beta = 1, and take a tenth of it again and again"},
};

static const double longest_step = 1.5;     /* as published */
static const double slope_tolerance = 1e-8; /* of the slope at zero, or of du.H du */
static const double near_rigid = 1e-6;      /* e over w of joint rows */

typedef struct sap {
    nb_method base;
    nb_method_settings settings;
    double value[OPTIONS];
    /* of the present step */
    nb_problem *p; /* borrowed */
    nb_cone_rows laws;
    int32_t contact_end; /* row behind those of contacts */
    nb_system *rows;
    nb_form *form;
    nb_solve *solve;
    nb_arena arena;
    real *du, *dv, *y;         /* [velocities], [rows], [rows] scratch */
    real *before;              /* [rows] z' of joint rows */
    real *velocity, *force;    /* [padded] */
    int32_t *node, node_count; /* those with mass */
    double ease;               /* R is so many times what it is to be */
    int32_t eased;             /* iterations with it */
    double least, start_scale; /* errors */
    int32_t idle;
} sap;

/* ---- preparation of a step ---- */

static void drop(sap *m) {
    nb_solve_destroy(m->solve);
    nb_form_destroy(m->form);
    nb_system_destroy(m->rows);
    m->solve = NULL;
    m->form = NULL;
    m->rows = NULL;
}

static void lay_out(nb_arena *a, sap *m) {
    const nb_problem *p = m->p;
    NB_PLACE(a, p->velocities, &m->du);
    NB_PLACE(a, p->rows, &m->dv);
    NB_PLACE(a, p->rows, &m->y);
    NB_PLACE(a, p->rows, &m->before);
    NB_PLACE(a, nb_nodes_length(p->nodes), &m->velocity);
    NB_PLACE(a, nb_nodes_length(p->nodes), &m->force);
    NB_PLACE(a, p->nodes->count, &m->node);
}

static nb_status prepare(sap *m, nb_problem *p) {
    nb_status status;
    drop(m);
    m->p = p;
    NB_TRY(nb_friction_or_field_rows_of(p, "method sap", &m->laws));
    if (!p->nodes) NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "method sap does not support problem files"));
    if (p->contacts > 0 && !m->laws.cone->softness && !m->laws.cone->field)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "method sap requires contacts that give way; use --contact-model sap"));
    if (m->laws.cone->ratio != 1)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "method sap does not support --friction-ratio other than 1"));
    m->contact_end = p->bilaterals + 3 * p->contacts;
    nb_arena_measure(&m->arena);
    lay_out(&m->arena, m);
    NB_TRY(nb_arena_reserve(&m->arena));
    lay_out(&m->arena, m);
    m->node_count = 0;
    for (int32_t i = 0; i < p->nodes->count; i++)
        if (p->delassus->mass->moves[i]) m->node[m->node_count++] = i;
    NB_TRY(nb_system_create(p->delassus, &m->rows));
    NB_TRY(nb_system_use_blocks(m->rows));
    m->rows->symmetric = m->rows->inverted = 1;
    NB_TRY(nb_form_create(&nb_primal_form, m->rows, &m->form));
    NB_TRY(nb_settings_solve(&m->settings, &m->solve));
out:
    return status;
}

/* ---- impulses of velocities ---- */

/* What a joint row or coordinate has: its compliance, e, and its interval. */
typedef struct joint_row {
    real soft, near, lower, upper;
} joint_row;

static joint_row joint_row_of(const sap *m, int32_t r) {
    const real near = (real)near_rigid * m->p->w[r];
    if (r < m->p->bilaterals)
        return (joint_row){m->laws.bilateral->compliance[r], near, -(real)INFINITY, (real)INFINITY};
    const nb_box_law *box = (const nb_box_law *)m->laws.box.law;
    const int32_t i = m->laws.box.first + r - m->contact_end;
    return (joint_row){box->compliance[i], near, box->lower[i], box->upper[i]};
}

/* z at the velocity v, with z' = before; *slope: of -z */
static real joint_impulse(const joint_row *row, real before, real v, double *slope) {
    const real z = (row->near * before - v) / (row->soft + row->near);
    *slope = 0;
    if (z < row->lower) return row->lower;
    if (z > row->upper) return row->upper;
    *slope = 1 / (double)(row->soft + row->near);
    return z;
}

/* the row of joints or their coordinates behind row r; `rows` behind the last */
static int32_t next_joint_row(const sap *m, int32_t r) {
    return r + 1 == m->p->bilaterals ? m->contact_end : r + 1;
}

static int32_t first_joint_row(const sap *m) {
    return m->p->bilaterals > 0 ? 0 : m->contact_end;
}

/* z [3] of contact i at the velocities v [3] */
static void contact_impulse(const sap *m, int32_t i, const real *v, const real *dv, double t, double z[3], double *g) {
    double c[3];
    for (int k = 0; k < 3; k++) c[k] = (double)v[k] + (dv ? t * (double)dv[k] : 0);
    if (m->laws.cone->field) {
        c[0] -= m->laws.cone->field[i].lead;
        nb_contact_field_potential(&m->laws.cone->field[i], c, z, g);
        return;
    }
    const nb_softness *soft = &m->laws.cone->softness[i];
    const double normal = m->ease * (double)soft->normal, tangent = m->ease * (double)soft->tangent;
    for (int k = 0; k < 3; k++) c[k] += (double)soft->shift[k];
    nb_contact_potential(normal, tangent, (double)m->laws.cone->mu[i], c, z, g);
}

/* n x n weights of a row block, whose first row is r; without any the block has no part in the system's pattern */
static void set_weights(sap *m, int32_t block, int32_t r, int n, const double *g) {
    real *k = nb_system_diagonal_block(m->rows, block);
    int any = 0;
    for (int e = 0; e < n * n; e++) {
        k[e] = (real)g[e];
        any |= g[e] != 0;
    }
    for (int e = 0; e < n; e++) m->rows->s[r + e] = any ? 1 : 0;
}

/* G at p->value, z of contacts, and of joint rows what is asked of dz: it begins with z' where that moves on with the
 * velocity, else with the end of the interval. */
static void set_impulses(sap *m) {
    nb_problem *p = m->p;
    for (int32_t r = first_joint_row(m); r < p->rows; r = next_joint_row(m, r)) {
        const joint_row row = joint_row_of(m, r);
        double slope;
        const real z = joint_impulse(&row, m->before[r], p->value[r], &slope);
        p->z[r] = slope == 0 ? z : m->before[r];
        m->rows->b[r] = -(p->value[r] + row.soft * p->z[r]);
        set_weights(m, r < p->bilaterals ? r : r - 2 * p->contacts, r, 1, &slope);
    }
    for (int32_t i = 0; i < p->contacts; i++) {
        const int32_t r = p->bilaterals + 3 * i;
        double z[3], g[9];
        contact_impulse(m, i, p->value + r, NULL, 0, z, g);
        for (int k = 0; k < 3; k++) p->z[r + k] = (real)z[k];
        set_weights(m, p->bilaterals + i, r, 3, g);
    }
    nb_system_values_changed(m->rows);
}

/* value, z, G and the gradient at p->u */
static void evaluate(sap *m) {
    nb_problem *p = m->p;
    p->type->evaluate_values(p);
    set_impulses(m);
    p->type->evaluate_momentum(p, NULL);
}

/* ---- the line search ---- */

/* slope and curvature of the objective along du at t: du.g + t du.H du + sum of (z(0) - z(t)).dv; *noise: what rounding
 * makes of the slope */
static double slope_at(const sap *m, double first, double mass, double t, double *curvature, double *noise) {
    const nb_problem *p = m->p;
    double sum = first + t * mass, size = fabs(first) + mass;
    *curvature = mass;
    for (int32_t r = first_joint_row(m); r < p->rows; r = next_joint_row(m, r)) {
        const joint_row row = joint_row_of(m, r);
        const double dv = (double)m->dv[r];
        double slope;
        const real z = joint_impulse(&row, m->before[r], p->value[r] + (real)t * m->dv[r], &slope);
        sum += ((double)p->z[r] - (double)z) * dv;
        size += fabs((double)z * dv);
        *curvature += slope * dv * dv;
    }
    for (int32_t i = 0; i < p->contacts; i++) {
        const int32_t r = p->bilaterals + 3 * i;
        const real *dv = m->dv + r;
        double z[3], g[9];
        contact_impulse(m, i, p->value + r, dv, t, z, g);
        for (int k = 0; k < 3; k++) {
            sum += ((double)p->z[r + k] - z[k]) * (double)dv[k];
            size += fabs(z[k] * (double)dv[k]);
            for (int j = 0; j < 3; j++) *curvature += g[3 * k + j] * (double)dv[k] * (double)dv[j];
        }
    }
    *noise = (double)NB_REAL_EPSILON * size;
    return sum;
}

/* du.H du */
static double kinetic(sap *m) {
    const nb_nodes *nodes = m->p->nodes;
    const nb_mass *mass = m->p->delassus->mass;
    double sum = 0;
    for (int32_t k = 0; k < m->node_count; k++) {
        const int32_t i = m->node[k];
        memcpy(m->velocity + nodes->place[i], m->du + nodes->velocity[i],
               (size_t)nb_node_velocities(nodes, i) * sizeof(real));
    }
    mass->type->apply(mass, m->node_count, m->node, m->velocity, m->force);
    for (int32_t k = 0; k < m->node_count; k++)
        for (int j = 0; j < nb_node_velocities(nodes, m->node[k]); j++) {
            const int32_t at = nodes->place[m->node[k]] + j;
            sum += (double)m->velocity[at] * (double)m->force[at];
        }
    return sum;
}

/* The length of the step du at which the objective is least: Newton's method on its slope, which grows, within a
 * bracket. */
static double search_line(sap *m, int *evaluations) {
    const nb_problem *p = m->p;
    const double mass = kinetic(m);
    double first = 0, low = 0, high = longest_step, t = 1, curvature, noise;
    for (int32_t i = 0; i < p->velocities; i++) first += (double)p->momentum[i] * (double)m->du[i];
    for (*evaluations = 1; *evaluations <= MOST_SLOPES; (*evaluations)++) {
        const double slope = slope_at(m, first, mass, t, &curvature, &noise);
        if (fabs(slope) <= fmax(slope_tolerance * fmax(fabs(first), mass), noise) || !isfinite(slope)) break;
        if (slope < 0)
            low = t;
        else
            high = t;
        const double next = t - slope / curvature;
        if (low >= longest_step) return longest_step;
        if (next >= longest_step && high == longest_step)
            t = longest_step;
        else
            t = next > low && next < high ? next : (low + high) / 2;
    }
    return t;
}

static int is_whole(double length) {
    return length > 0.9 && length < 1.1;
}

/* ---- continuation ---- */

/* R of beta = 1, w/(2 pi)^2, over that of the stiffest contact */
static double first_ease(const sap *m) {
    const nb_problem *p = m->p;
    double ease = 1;
    for (int32_t i = 0; i < p->contacts; i++)
        nb_raise(&ease, (double)p->w[p->bilaterals + 3 * i] / (40 * (double)m->laws.cone->softness[i].normal));
    return ease;
}

/* A tenth of the softness where an iteration took a whole step, and after a few in any case. */
static void ease_on(sap *m, double length) {
    if (m->ease <= 1 || (++m->eased < MOST_EASED && !is_whole(length))) return;
    m->ease = fmax(m->ease / 10, 1);
    m->eased = 0;
    evaluate(m);
}

/* ---- the step ---- */

/* u += t du, and z' of joint rows behind whole steps: the objective of one z' falls until its minimum is near. The
 * largest change of an impulse, as a velocity */
static double take_step(sap *m, double t) {
    nb_problem *p = m->p;
    double largest = 0;
    memcpy(m->y, p->z, (size_t)p->rows * sizeof *m->y);
    for (int32_t r = first_joint_row(m); is_whole(t) && r < p->rows; r = next_joint_row(m, r)) {
        const joint_row row = joint_row_of(m, r);
        double slope;
        m->before[r] = joint_impulse(&row, m->before[r], p->value[r] + (real)t * m->dv[r], &slope);
    }
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] += (real)t * m->du[i];
    evaluate(m);
    for (int32_t r = 0; r < p->rows; r++) nb_raise(&largest, (double)fabs(p->w[r] * (p->z[r] - m->y[r])));
    return largest;
}

static nb_status iterate(sap *m, const nb_observer *observer, nb_newton_report *report, nb_step_outcome *outcome) {
    nb_status status;
    nb_problem *p = m->p;
    nb_solve_report solved;
    double *v = report->values, start = nb_clock_seconds();
    int evaluations;
    nb_columns_begin_solves(report);
    v[NB_COLUMN_RESIDUAL_LINF] = report->momentum_error;
    NB_TRY(nb_form_assemble(m->form, m->rows, p->momentum));
    report->assembly_s = nb_clock_seconds() - start;
    if (observer && observer->system)
        NB_TRY(observer->system(observer->context, outcome->newton_iterations, m->form->system, p));
    NB_TRY(nb_solve_run(m->solve, m->form->system, &m->settings.linear, observer ? observer->linear : NULL,
                        observer ? observer->context : NULL, m->form->x, &solved));
    nb_columns_add_solve(&solved, 1, 0, report);
    v[NB_COLUMN_FACTOR_NONZEROS] = (double)solved.factor_nonzeros;
    v[NB_COLUMN_LINEAR_ITERATIONS] = solved.iterations;
    v[NB_COLUMN_LINEAR_REASON] = solved.reason;
    v[NB_COLUMN_LINEAR_RESIDUAL] = solved.rhs_l2 > 0 ? solved.residual_l2 / solved.rhs_l2 : 0;
    start = nb_clock_seconds();
    m->form->type->recover(m->form, m->rows, m->du, m->y);
    p->type->rows_of_velocity(p, m->du, m->dv);
    v[STEP_LENGTH] = search_line(m, &evaluations);
    v[EVALUATIONS] = evaluations;
    v[NB_COLUMN_STEP_LINF] = take_step(m, v[STEP_LENGTH]);
    ease_on(m, v[STEP_LENGTH]);
    report->update_s = nb_clock_seconds() - start;
    report->assembly_s += report->update_s;
    nb_columns_end_iteration(report, outcome);
out:
    return status;
}

/* whether and why the step ends at the iterate, whose errors are in the outcome */
static nb_reason judge(sap *m, const nb_step_outcome *outcome) {
    const double error = outcome->errors.natural_map, eps = (double)NB_REAL_EPSILON;
    m->idle = error < 0.5 * m->least ? 0 : m->idle + 1;
    if (error < 0.5 * m->least) m->least = error;
    if (nb_measure_converged(&outcome->errors, &m->settings)) return NB_REASON_CONVERGED;
    if (nb_measure_diverged(&outcome->errors, m->start_scale)) return NB_REASON_DIVERGED;
    if (outcome->newton_iterations >= m->settings.newton_iterations) return NB_REASON_ITERATIONS;
    const int small = error <= sqrt(eps) * nb_problem_velocity_scale(m->p);
    if (m->idle < (small ? MOST_IDLE : MOST_ASTRAY)) return NB_REASON_NONE;
    return small ? NB_REASON_ROUND_OFF : NB_REASON_STAGNATED;
}

static nb_status sap_step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                          nb_step_outcome *outcome) {
    sap *m = (sap *)self;
    nb_status status;
    nb_newton_report report;
    double start = nb_clock_seconds();
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = NAN, .norm_a_inverse = NAN};
    NB_TRY(prepare(m, p));
    m->ease = m->value[CONTINUATION] == 1 ? first_ease(m) : 1;
    m->eased = 0;
    memcpy(m->before, p->z, (size_t)p->rows * sizeof *m->before);
    evaluate(m);
    outcome->setup_s += nb_clock_seconds() - start - nb_solve_create_s(m->solve);
    m->least = INFINITY;
    m->idle = 0;
    for (;;) {
        NB_TRY(nb_interrupt_check());
        nb_measure_iterate(measure, p, &outcome->errors);
        nb_measure_report(p, &outcome->errors, &report);
        if (outcome->newton_iterations == 0) m->start_scale = nb_measure_start_scale(p, &outcome->errors);
        outcome->reason = judge(m, outcome);
        if (outcome->reason != NB_REASON_NONE) break;
        NB_TRY(iterate(m, observer, &report, outcome));
        if (observer && observer->newton) NB_TRY(observer->newton(observer->context, &report));
    }
    if (observer && observer->newton) NB_TRY(observer->newton(observer->context, &report));
out:
    drop(m);
    return status;
}

static nb_status check(const nb_method_settings *settings, const nb_method_scene *scene) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    if (scene->file) return nb_fail(NB_ERROR_UNSUPPORTED, "method 'sap' does not support problem files; use newton");
    if (!nb_contact_model_is_regular(scene->settings.contacts.model))
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "method 'sap' does not support --contact-model %s; use sap, mujoco, lagged or similar",
                       nb_contact_model_names[scene->settings.contacts.model]);
    if (settings->values && settings->values[CONTINUATION] == 1 && scene->settings.contacts.model != NB_CONTACTS_SAP)
        return nb_fail(NB_ERROR_USAGE,
                       "--continuation on has no effect with --contact-model %s, which is as soft from the start",
                       nb_contact_model_names[scene->settings.contacts.model]);
    if (scene->settings.friction_ratio != 1)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method 'sap' does not support --friction-ratio other than 1");
    NB_TRY(nb_linear_solver_find(settings->linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(settings->preconditioner, &preconditioner));
    NB_TRY(nb_check_form(solver, preconditioner, nb_primal_form.name));
    NB_TRY(nb_check_symmetric(solver, preconditioner));
out:
    return status;
}

static void destroy(nb_method *self) {
    sap *m = (sap *)self;
    if (!m) return;
    drop(m);
    nb_arena_clear(&m->arena);
    nb_free(m);
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    sap *m = NULL;
    nb_status status = NB_ALLOCATE(1, &m);
    *self = NULL;
    if (status != NB_OK) return status;
    m->base.type = type;
    m->settings = *settings;
    nb_options_standard(options, OPTIONS, m->value);
    if (settings->values) memcpy(m->value, settings->values, sizeof m->value);
    *self = &m->base;
    return NB_OK;
}

const nb_method_class NB_REAL_NAME(nb_sap_method) = {
    .name = "sap",
    .summary = "Newton's method in velocities for contacts that give way, with an exact line search, as Drake has it",
    .options = options,
    .option_count = OPTIONS,
    .linear_solver = "multifrontal",
    .scene_solver = "multifrontal",
    .scene_preconditioner = "none",
    .columns = columns,
    .column_count = COLUMNS,
    .friction_laws = 1U << NB_FRICTION_RELAXED,
    .gives_way = 1,
    .warm_start = 1,
    .newton_iterations = 500,
    .check = check,
    .create = create,
    .step = sap_step,
    .destroy = destroy,
};
