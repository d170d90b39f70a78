#include "condensed_problem.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "condensed.h"
#include "constraint/step.h"
#include "geometric_stiffness.h"
#include "operator/delassus_matrix.h"
#include "operator/sum.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_GROWN = 3
};

struct nb_condensed_problem {
    nb_problem base; /* first */
    nb_problem *whole;
    nb_system *rows; /* S, C, K and b of the elements, and nothing of the others */
    nb_form *form;
    nb_delassus *delassus; /* holds `matrix` */
    nb_csr *matrix;        /* D_e */
    nb_law_range *ranges;  /* those of the others */
    real *zero, *weight;   /* [rows of the whole] */
    real *update, *y;      /* [rows of the whole] dz = update y */
    nb_geometric_stiffness geometric;
    real *at;        /* [velocities] those of the last evaluate */
    double way;      /* [m/s] from those of the one before, the largest; INFINITY at first */
    int grown;       /* how often it was no shorter than the last */
    nb_status fault; /* of the last evaluate: NaN stand in its values then */
};

static nb_condensed_problem *of(const nb_problem *p) {
    return (nb_condensed_problem *)p;
}

int nb_has_elements(const nb_problem *p) {
    const nb_sum_view *view = p->exact ? nb_sum_view_of(p->exact) : NULL;
    for (int32_t k = 0; view && k < view->sum->packs; k++)
        if (view->sum->pack[k]->of_elements && view->end[k] > view->begin[k]) return 1;
    return 0;
}

/* ---- values ---- */

/* S, C, K and b of the elements at the whole's last evaluate, without impulses of theirs */
static void linearise_elements(nb_condensed_problem *c) {
    const nb_problem *whole = c->whole;
    const nb_linearisation plain = {.function = NB_NCP_MINIMUM_MAP, .scaling = NB_SCALING_IDENTITY};
    const nb_law_state at = {whole->h, whole->value, c->zero, whole->w};
    const nb_newton_weights weights = {c->rows->s, c->rows->c, c->rows->b, c->update, c->rows->k, c->rows->k_place};
    for (int32_t i = 0; i < whole->range_count; i++) {
        const nb_law_range *range = &whole->ranges[i];
        if (range->first_row >= c->base.rows) range->law->type->linearise(range, &at, &plain, &weights);
    }
    nb_system_values_changed(c->rows);
}

/* D_e and the effective inverse masses */
static void form_matrix(nb_condensed_problem *c) {
    nb_problem *p = &c->base;
    const nb_delassus *d = c->form->system->delassus;
    d->type->values(d, c->matrix);
    for (int32_t r = 0; r < p->rows; r++)
        for (int64_t k = c->matrix->start[r]; k < c->matrix->start[r + 1]; k++)
            if (c->matrix->column[k] == r) p->w[r] = c->matrix->value[k];
    for (int32_t i = 0; i < p->contacts; i++) {
        real *w = p->w + p->bilaterals + 3 * (ptrdiff_t)i;
        w[1] = w[2] = (w[1] + w[2]) / 2;
    }
}

/* The whole's values and Jacobians. Once so many ways from one evaluate to the next were no shorter than the one
 * before, elements are so far from their rest shape that they take geometric stiffness, to the end of the step. */
static void evaluate_whole(nb_condensed_problem *c) {
    nb_problem *whole = c->whole;
    const size_t size = (size_t)whole->velocities * sizeof *c->at;
    double way = 0;
    for (int32_t i = 0; i < whole->velocities; i++) nb_raise(&way, fabs((double)(whole->u[i] - c->at[i])));
    if (way > 0) {
        c->grown += way >= c->way;
        c->way = way;
        memcpy(c->geometric.du, c->at, size);
        memcpy(c->at, whole->u, size);
        if (c->grown >= MOST_GROWN) nb_geometric_stiffness_keep(&c->geometric, whole);
    }
    whole->type->evaluate(whole, c->weight);
    if (way > 0 && c->grown >= MOST_GROWN) nb_geometric_stiffness_update(&c->geometric, whole);
}

/* Whatever fails here, the factor's memory or a compliance without an inverse, shows as velocities that are no numbers,
 * with which every method ends the step. */
static void evaluate(nb_problem *p, const real *force_weight) {
    nb_condensed_problem *c = of(p);
    for (int32_t r = 0; r < p->rows; r++) c->weight[r] = force_weight ? force_weight[r] : 1;
    evaluate_whole(c);
    linearise_elements(c);
    c->fault = nb_form_assemble(c->form, c->rows, p->momentum);
    if (c->fault == NB_OK)
        form_matrix(c);
    else
        for (int32_t r = 0; r < p->rows; r++) p->value[r] = (real)NAN;
    p->value_epoch++;
}

/* b of the form is -J H_e^-1 f: the others' own b is zero */
static void momentum_rows(const nb_problem *p, real *out) {
    memcpy(out, of(p)->form->system->b, (size_t)p->rows * sizeof *out);
}

static void velocity_step(const nb_problem *p, const real *y, real *du) {
    nb_condensed_problem *c = of(p);
    if (c->fault != NB_OK) {
        for (int32_t i = 0; i < p->velocities; i++) du[i] = (real)NAN;
        return;
    }
    memmove(c->form->x, y, (size_t)p->rows * sizeof *y);
    c->form->type->recover(c->form, c->rows, du, c->y);
    for (int32_t r = p->rows; r < c->whole->rows; r++) c->whole->z[r] = c->update[r] * c->y[r];
}

static void rows_of_velocity(const nb_problem *p, const real *du, real *out) {
    nb_condensed_problem *c = of(p);
    c->whole->type->rows_of_velocity(c->whole, du, c->y);
    memcpy(out, c->y, (size_t)p->rows * sizeof *out);
}

static double momentum_error(const nb_problem *p) {
    return of(p)->whole->type->momentum_error(of(p)->whole);
}

static const nb_problem_class condensed_class = {
    .evaluate = evaluate,
    .momentum_rows = momentum_rows,
    .velocity_step = velocity_step,
    .rows_of_velocity = rows_of_velocity,
    .momentum_error = momentum_error,
};

/* ---- making ---- */

static void clear_rows(nb_condensed_problem *c) {
    nb_delassus_matrix_destroy(c->delassus);
    nb_system_destroy(c->rows);
    nb_free(c->ranges);
    nb_free(c->zero);
    nb_free(c->weight);
    nb_free(c->update);
    nb_free(c->y);
    nb_free(c->geometric.du);
    nb_free(c->geometric.before);
    nb_free(c->geometric.after);
    nb_free(c->at);
    nb_free(c->base.w);
    const nb_form *form = c->form;
    *c = (nb_condensed_problem){.form = (nb_form *)form};
}

void nb_condensed_problem_destroy(nb_condensed_problem *c) {
    if (!c) return;
    clear_rows(c);
    nb_form_destroy(c->form);
    nb_free(c);
}

nb_problem *nb_condensed_problem_of(nb_condensed_problem *c) {
    return &c->base;
}

static nb_status copy_ranges(nb_condensed_problem *c) {
    const nb_problem *whole = c->whole;
    nb_problem *p = &c->base;
    nb_status status = NB_ALLOCATE(whole->range_count, &c->ranges);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < whole->range_count; i++)
        if (whole->ranges[i].first_row < p->rows) c->ranges[p->range_count++] = whole->ranges[i];
    p->ranges = c->ranges;
    return NB_OK;
}

/* the form, and D_e with the pattern of its rows */
static nb_status make_operator(nb_condensed_problem *c) {
    nb_status status;
    nb_csr *matrix = NULL;
    NB_TRY(nb_system_create(c->whole->exact, &c->rows));
    NB_TRY(nb_system_use_blocks(c->rows));
    if (c->form)
        NB_TRY(nb_form_renew(c->rows, &c->form));
    else
        NB_TRY(nb_form_create(&nb_condensed_form, c->rows, &c->form));
    const nb_delassus *d = c->form->system->delassus;
    if (d->rows != c->base.rows)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED,
                       "elements are folded into the mass where %d rows of joints and contacts are "
                       "all the others; there are %d",
                       (int)c->base.rows, (int)d->rows));
    linearise_elements(c);
    NB_TRY(nb_form_assemble(c->form, c->rows, c->whole->momentum));
    NB_TRY(d->type->pattern(d, &matrix));
    c->matrix = matrix;
    matrix = NULL;
    NB_TRY(nb_delassus_matrix_create(c->matrix, d->block_count, d->block_start, d->group_count, d->group_start,
                                     &c->delassus));
    c->base.delassus = c->base.exact = c->delassus;
    form_matrix(c);
out:
    return status;
}

nb_status nb_condensed_problem_make(nb_problem *whole, nb_condensed_problem **condensed) {
    nb_status status = NB_OK;
    if (!*condensed) NB_TRY(NB_ALLOCATE(1, condensed));
    nb_condensed_problem *c = *condensed;
    clear_rows(c);
    c->whole = whole;
    c->base = *whole;
    c->base.type = &condensed_class;
    c->base.whole = whole;
    const nb_step *step = nb_step_of(whole);
    c->base.rows = whole->bilaterals + 3 * whole->contacts + (step ? nb_step_coordinate_count(step) : 0);
    c->base.range_count = 0;
    c->base.w = NULL;
    NB_TRY(copy_ranges(c));
    NB_TRY(NB_ALLOCATE(c->base.rows, &c->base.w));
    NB_TRY(NB_ALLOCATE(whole->rows, &c->zero));
    NB_TRY(NB_ALLOCATE(whole->rows, &c->weight));
    NB_TRY(NB_ALLOCATE(whole->rows, &c->update));
    NB_TRY(NB_ALLOCATE(whole->rows, &c->y));
    NB_TRY(NB_ALLOCATE(whole->velocities, &c->geometric.du));
    NB_TRY(NB_ALLOCATE(whole->velocities, &c->geometric.before));
    NB_TRY(NB_ALLOCATE(whole->velocities, &c->geometric.after));
    NB_TRY(NB_ALLOCATE(whole->velocities, &c->at));
    memcpy(c->at, whole->u, (size_t)whole->velocities * sizeof *c->at);
    c->way = INFINITY;
    whole->type->evaluate(whole, c->weight);
    NB_TRY(make_operator(c));
out:
    return status;
}
