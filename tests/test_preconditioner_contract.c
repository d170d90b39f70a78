/* The contract of preconditioners (preconditioner.h), clause by clause, of every entry of the table with each of its
 * options; and for each clause an entry that breaks it. */
#include "blocks.h"
#include "contract.h"
#include "precond/row_operations.h"
#include "preconditioner_variants.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;

enum {
    MARK = 77, /* of what is not to be written */
    EMPTY = 4  /* a row without entries */
};

/* the entry at work on a random system of contacts; `redundant`: A is singular */
typedef struct trial {
    random_system t;
    applied a;
} trial;

static void trial_begin(const variant *v, uint64_t *seed, int redundant, trial *x) {
    random_system_create(seed, redundant, redundant ? 0 : 0.5, &x->t);
    apply_to(v, &x->t, &x->a);
}

static const char *trial_end(trial *x, const char *fault) {
    x->a.type->destroy(x->a.state);
    random_system_destroy(&x->t);
    return fault;
}

/* what round-off P may have: the backward error of two triangular solutions, twice the rows each, relative to P */
static double allowed(trial *x) {
    return 8 * x->t.rows * epsilon * x->a.largest * fmax(1, largest_row_sum(x->t.rows, x->t.dense) * x->a.largest);
}

static void draw(int rows, uint64_t *seed, real *x) {
    for (int i = 0; i < rows; i++) x[i] = (real)test_random(seed, -1, 1);
}

/* ---- the clauses ---- */

static const char *has_a_name(const variant *v, uint64_t *seed) {
    (void)seed;
    return named(v->type->name, v->type->summary);
}

static const char *is_symmetric(const variant *v, uint64_t *seed) {
    const char *fault = NULL;
    for (int redundant = 0; redundant < 2; redundant++) {
        trial x;
        trial_begin(v, seed, redundant, &x);
        if (x.a.reason != NB_REASON_NONE) fault = broken("it broke down: %s", nb_reason_name(x.a.reason));
        for (int i = 0; i < x.t.rows; i++)
            for (int j = 0; j < i; j++)
                if (!(fabs(x.a.p[i][j] - x.a.p[j][i]) <= allowed(&x)))
                    fault = broken("P[%d][%d] = %g, and transposed %g", i, j, x.a.p[i][j], x.a.p[j][i]);
        trial_end(&x, NULL);
    }
    return fault;
}

static const char *is_positive(const variant *v, uint64_t *seed) {
    const char *fault = NULL;
    for (int redundant = 0; redundant < 2; redundant++) {
        trial x;
        trial_begin(v, seed, redundant, &x);
        for (int n = 0; n < 20; n++) {
            real r[MOST], z[MOST];
            double product = 0;
            draw(x.t.rows, seed, r);
            x.a.type->apply(x.a.state, r, z);
            for (int i = 0; i < x.t.rows; i++) product += (double)r[i] * (double)z[i];
            if (!(product > 0)) fault = broken("r . P r = %g", product);
        }
        for (int i = 0; i < x.t.rows; i++)
            if (!(x.a.p[i][i] > 0)) fault = broken("P[%d][%d] = %g", i, i, x.a.p[i][i]);
        trial_end(&x, NULL);
    }
    return fault;
}

/* P r is the sum of P's columns */
static const char *is_linear(const variant *v, uint64_t *seed) {
    trial x;
    real r[MOST], z[MOST];
    const char *fault = NULL;
    trial_begin(v, seed, 0, &x);
    draw(x.t.rows, seed, r);
    x.a.type->apply(x.a.state, r, z);
    for (int i = 0; i < x.t.rows; i++) {
        double sum = 0;
        for (int j = 0; j < x.t.rows; j++) sum += x.a.p[i][j] * (double)r[j];
        if (!(fabs((double)z[i] - sum) <= x.t.rows * allowed(&x)))
            fault = broken("row %d is %g, by columns %g", i, (double)z[i], sum);
    }
    return trial_end(&x, fault);
}

/* once more, and by a new state */
static const char *repeats_bits(const variant *v, uint64_t *seed) {
    trial x;
    applied other;
    real r[MOST], z[3][MOST];
    trial_begin(v, seed, 0, &x);
    apply_to(v, &x.t, &other);
    draw(x.t.rows, seed, r);
    for (int k = 0; k < 3; k++) x.a.type->apply(k < 2 ? x.a.state : other.state, r, z[k]);
    int again = differs(x.t.rows, z[0], z[1], sizeof(real)), anew = differs(x.t.rows, z[0], z[2], sizeof(real));
    x.a.type->destroy(other.state);
    return trial_end(&x, again >= 0 || anew >= 0 ? broken("row %d differs", again >= 0 ? again : anew) : NULL);
}

static const char *allocates_in_set_up_alone(const variant *v, uint64_t *seed) {
    trial x;
    real r[MOST], z[MOST];
    trial_begin(v, seed, 0, &x);
    draw(x.t.rows, seed, r);
    int64_t before = nb_allocation_count();
    x.a.type->apply(x.a.state, r, z);
    int64_t applying = nb_allocation_count() - before;
    nb_system_values_changed(x.t.system);
    refresh(&x.a, &x.t);
    int64_t all = nb_allocation_count() - before;
    return trial_end(&x, all > 0 ? broken("%d allocations, %d in apply", (int)all, (int)applying) : NULL);
}

static const char *writes_all_rows_and_no_more(const variant *v, uint64_t *seed) {
    trial x;
    real r[MOST + 1], kept[MOST + 1], z[MOST + 1];
    const char *fault = NULL;
    trial_begin(v, seed, 0, &x);
    draw(MOST + 1, seed, r);
    memcpy(kept, r, sizeof r);
    for (int i = 0; i <= x.t.rows; i++) z[i] = i < x.t.rows ? (real)NAN : MARK;
    x.a.type->apply(x.a.state, r, z);
    for (int i = 0; i < x.t.rows; i++)
        if (!isfinite(z[i])) fault = broken("row %d is not written, or was read", i);
    if (z[x.t.rows] != MARK) fault = broken("what follows the last row is written");
    if (differs(MOST + 1, r, kept, sizeof(real)) >= 0) fault = broken("r is written");
    return trial_end(&x, fault);
}

/* whether it may keep to the values of an earlier set-up */
static int keeps_values(const variant *v) {
    for (int k = 0; v->option && k < v->type->option_count; k++)
        if (strcmp(v->type->options[k].name, "refresh") == 0 && v->values[k] > 0) return 1;
    return 0;
}

/* after new values it is what a new one is */
static const char *follows_values(const variant *v, uint64_t *seed) {
    trial x;
    applied other;
    if (keeps_values(v)) return NULL;
    trial_begin(v, seed, 0, &x);
    for (int i = 0; i < x.t.rows; i++) {
        x.t.system->s[i] = 2;
        x.t.system->c[i] = (real)(1 + i);
    }
    nb_system_values_changed(x.t.system);
    refresh(&x.a, &x.t);
    apply_to(v, &x.t, &other);
    int at = differs(MOST * MOST, x.a.p, other.p, sizeof(double));
    x.a.type->destroy(other.state);
    return trial_end(&x, at >= 0 ? broken("P[%d][%d] is not that of the new values", at / MOST, at % MOST) : NULL);
}

/* P of 4 A is P/4, a power of two, or P is of no values at all */
static const char *is_in_units_of_the_inverse(const variant *v, uint64_t *seed) {
    trial x;
    double before[MOST][MOST];
    const char *fault = NULL;
    if (keeps_values(v)) return NULL;
    trial_begin(v, seed, 0, &x);
    memcpy(before, x.a.p, sizeof before);
    for (int i = 0; i < x.t.rows; i++) {
        x.t.system->s[i] = 2;
        x.t.system->c[i] *= 4;
    }
    nb_system_values_changed(x.t.system);
    refresh(&x.a, &x.t);
    const int identity = v->type->diagonal && !v->type->diagonal(x.a.state);
    for (int e = 0; e < x.t.rows * x.t.rows; e++) {
        const int i = e / x.t.rows, j = e % x.t.rows;
        if (x.a.p[i][j] != before[i][j] / (identity ? 1 : 4)) fault = broken("P[%d][%d] of 4 A is not P/4", i, j);
    }
    return trial_end(&x, fault);
}

/* P is zero there (or, without a preconditioner, one), and couples the row with no other */
static const char *leaves_an_empty_row_alone(const variant *v, uint64_t *seed) {
    random_system base;
    trial x;
    double dense[MOST][MOST];
    const char *fault = NULL;
    random_system_create(seed, 0, 0.5, &base);
    memcpy(dense, base.dense, sizeof dense);
    for (int i = 0; i < base.rows; i++) dense[EMPTY][i] = dense[i][EMPTY] = 0;
    system_of_dense(base.rows, dense, base.delassus->block_count, base.delassus->block_start,
                    base.delassus->group_count, base.delassus->group_start, &x.t);
    apply_to(v, &x.t, &x.a);
    const int identity = v->type->diagonal && !v->type->diagonal(x.a.state);
    for (int i = 0; i < x.t.rows; i++) {
        const double own = i == EMPTY && identity;
        if (x.a.p[EMPTY][i] != own || x.a.p[i][EMPTY] != own) fault = broken("the empty row is coupled with row %d", i);
        if (i != EMPTY && !(x.a.p[i][i] > 0)) fault = broken("P[%d][%d] = %g", i, i, x.a.p[i][i]);
    }
    random_system_destroy(&base);
    return trial_end(&x, fault);
}

static const char *takes_no_rows(const variant *v, uint64_t *seed) {
    trial x;
    double dense[MOST][MOST] = {{0}};
    real r = 3, z = MARK;
    (void)seed;
    system_of_dense(0, dense, 0, NULL, 0, NULL, &x.t);
    apply_to(v, &x.t, &x.a);
    x.a.type->apply(x.a.state, &r, &z);
    v->type->destroy(NULL); /* allowed */
    return trial_end(&x, x.a.reason != NB_REASON_NONE || z != MARK ? broken("something was done") : NULL);
}

/* whichever allocation fails, of making or set-up: a fault, and nothing leaked; no state where none was made */
static const char *survives_failing_allocations(const variant *v, uint64_t *seed) {
    random_system t;
    const nb_csr *matrix;
    const char *fault = NULL;
    nb_status status = NB_ERROR_MEMORY;
    random_system_create(seed, 0, 0.5, &t);
    CHECK_OK(nb_system_matrix(t.system, &matrix)); /* which the system keeps */
    for (int64_t successes = 0; status != NB_OK && !fault; successes++) {
        int64_t held = nb_allocation_held();
        void *state = &t;
        nb_reason reason = NB_REASON_NONE;
        nb_allocation_fail_after(successes);
        status = v->type->create(v->values, &state);
        int made = status == NB_OK;
        if (made) status = v->type->set_up_pattern(state, t.system);
        if (status == NB_OK) status = v->type->set_up_values(state, t.system, &reason);
        nb_allocation_fail_after(-1);
        if (!made && state) fault = broken("a state where none was made");
        if (made) v->type->destroy(state);
        if (nb_allocation_held() != held) fault = broken("memory is kept after failure %d", (int)successes);
        if (status != NB_OK && status != NB_ERROR_MEMORY) fault = broken("status %d of an allocation", (int)status);
    }
    random_system_destroy(&t);
    return fault;
}

static const char *diagonal_is_that_of_p(const variant *v, uint64_t *seed) {
    trial x;
    const char *fault = NULL;
    if (!v->type->diagonal) return NULL;
    trial_begin(v, seed, 0, &x);
    const real *diagonal = v->type->diagonal(x.a.state);
    for (int i = 0; i < x.t.rows; i++)
        for (int j = 0; j < x.t.rows; j++) {
            double own = i != j ? 0 : diagonal ? (double)diagonal[i] : 1;
            if (!(fabs(x.a.p[i][j] - own) <= 2 * epsilon * x.a.largest))
                fault = broken("P[%d][%d] = %g and not %g", i, j, x.a.p[i][j], own);
        }
    return trial_end(&x, fault);
}

/* the order of the rows in sweeps over so coloured blocks, or in natural order */
static void rank_rows(const nb_delassus *d, const nb_colouring *colouring, int rank[MOST]) {
    int count = 0;
    for (int32_t i = 0; i < d->block_count; i++) {
        const int32_t block = colouring ? colouring->block[i] : i;
        for (int32_t r = d->block_start[block]; r < d->block_start[block + 1]; r++) rank[r] = count++;
    }
}

/* ---- a device as the descriptions have it: operations by rows, and by the parts of a trial ---- */

static const trial *on; /* the trial */
static nb_preconditioner_parts parts;

static void multiply_by_parts(void *system, int transposed, const void *x, void *out) {
    const nb_block_matrix *m = &parts.matrix;
    const real *from = x;
    real *to = out;
    const int32_t rows = ((const nb_system *)system)->rows;
    for (int32_t i = 0; i < rows; i++) to[i] = m->diagonal ? m->diagonal[i] * from[i] : 0;
    for (int32_t b = 0; !m->diagonal && b < m->count; b++) {
        const int32_t first = m->start[b], n = m->start[b + 1] - first;
        const real *value = m->value + m->place[b];
        if (!m->column) {
            memcpy(to + first, from + first, (size_t)n * sizeof *to);
            nb_block_solve_symmetric(n, value, to + first);
            continue;
        }
        for (int32_t r = first; r < first + n; r++)
            for (int64_t e = m->columns[b]; e < m->columns[b + 1]; e++, value++)
                to[transposed ? m->column[e] : r] += *value * from[transposed ? r : m->column[e]];
    }
}

static void sweep_by_parts(void *system, int backward, const void *r, void *out) {
    const nb_sweeps *sweeps = &parts.sweeps;
    const int32_t rows = ((const nb_system *)system)->rows;
    const double omega = (double)sweeps->omega;
    int rank[MOST], row[MOST];
    real *z = out;
    rank_rows(on->t.delassus, sweeps->colouring, rank);
    for (int i = 0; i < rows; i++) row[rank[i]] = i;
    for (int turn = 0; turn < rows; turn++) {
        const int i = row[backward ? rows - 1 - turn : turn];
        double sum = 0;
        for (int j = 0; j < rows; j++)
            if (backward ? rank[j] > rank[i] : rank[j] < rank[i]) sum += on->t.dense[i][j] * (double)z[j];
        const double own = fabs(on->t.dense[i][i]);
        z[i] = (real)(backward ? (double)z[i] - omega * sum / own : ((double)((const real *)r)[i] - omega * sum) / own);
    }
    for (int i = 0; i < rows && backward; i++) z[i] *= sweeps->omega * (2 - sweeps->omega);
}

/* P by its parts and operations is P */
static const char *parts_are_those_of_p(const variant *v, uint64_t *seed) {
    trial x;
    real memory[NB_WORK_VECTORS][MOST], r[MOST] = {0}, z[MOST];
    void *vector[NB_WORK_VECTORS];
    const char *fault = NULL;
    if (!v->type->parts) return NULL;
    trial_begin(v, seed, 0, &x);
    on = &x;
    nb_preconditioner_tell_parts(v->type, x.a.state, &parts);
    if (!parts.matrix.diagonal && !parts.matrix.start && !(parts.sweeps.omega > 0)) return trial_end(&x, NULL);
    if (parts.vectors > NB_WORK_VECTORS) fault = broken("it works in %d vectors", parts.vectors);
    for (int i = 0; i < NB_WORK_VECTORS; i++) vector[i] = i < parts.vectors ? memory[i] : NULL;
    nb_vector_operations o = nb_row_operations(x.t.system, vector);
    o.by_rows = 0;
    o.multiply = multiply_by_parts;
    o.triangle = sweep_by_parts;
    for (int j = 0; j < x.t.rows && !fault; j++) {
        for (int i = 0; i < x.t.rows; i++) r[i] = i == j;
        for (int i = 0; i < x.t.rows; i++) z[i] = 0;
        nb_preconditioner_apply_by(v->type, x.a.state, &o, r, z);
        for (int i = 0; i < x.t.rows; i++)
            if (!(fabs((double)z[i] - x.a.p[i][j]) <= allowed(&x)))
                fault = broken("P[%d][%d] = %g, and by its parts %g", i, j, x.a.p[i][j], (double)z[i]);
    }
    return trial_end(&x, fault);
}

/* ---- entries that break them: Jacobi with one function put wrong ---- */

static const nb_preconditioner_class *right; /* what is put wrong */
static int rows_of_wrong, calls;

static nb_status noting_rows(void *state, nb_system *system) {
    rows_of_wrong = system->rows;
    calls = 0;
    return right->set_up_pattern(state, system);
}

static void unsymmetric(void *state, const real *r, real *z) {
    right->apply(state, r, z);
    z[0] += z[1];
}

static void negative(void *state, const real *r, real *z) {
    right->apply(state, r, z);
    z[2] = -z[2];
}

static void in_size(void *state, const real *r, real *z) {
    right->apply(state, r, z);
    for (int i = 0; i < rows_of_wrong; i++) z[i] = NB_ABS(z[i]);
}

static void wandering(void *state, const real *r, real *z) {
    right->apply(state, r, z);
    z[3] *= 1 + (real)calls++ * NB_REAL_EPSILON;
}

static void allocating(void *state, const real *r, real *z) {
    real *own = NULL;
    if (NB_ALLOCATE(1, &own) == NB_OK) right->apply(state, r, z);
    nb_free(own);
}

static void skipping(void *state, const real *r, real *z) {
    real kept = z[rows_of_wrong - 1];
    right->apply(state, r, z);
    z[rows_of_wrong - 1] = kept;
}

static void overrunning(void *state, const real *r, real *z) {
    right->apply(state, r, z);
    z[rows_of_wrong] = 0;
}

static void scribbling(void *state, const real *r, real *z) {
    right->apply(state, r, z);
    ((real *)(uintptr_t)r)[0] = 0; /* const or not */
}

static void coupling(void *state, const real *r, real *z) {
    right->apply(state, r, z);
    z[EMPTY] += r[0];
    z[0] += r[EMPTY];
}

static nb_status first_values_only(void *state, nb_system *system, nb_reason *reason) {
    return calls++ > 0 ? NB_OK : right->set_up_values(state, system, reason);
}

static void unscaled(void *state, const real *r, real *z) {
    right->apply(state, r, z);
    for (int i = 0; i < rows_of_wrong; i++) z[i] += r[i];
}

/* leaves its own where making the rest fails */
static nb_status leaking(const double *values, void **state) {
    static void *own; /* within reach: no leak to a sanitizer */
    *state = NULL;
    nb_status status = nb_allocate(1, 8, &own);
    if (status != NB_OK) return status;
    status = right->create(values, state);
    if (status == NB_OK) nb_free(own);
    return status;
}

static nb_status stateful(const double *values, void **state) {
    void *kept = *state;
    nb_status status = right->create(values, state);
    if (status != NB_OK) *state = kept;
    return status;
}

static const real *ones(const void *state) {
    (void)state;
    return NULL;
}

static void fewer_blocks(const void *state, nb_preconditioner_parts *told) {
    right->parts(state, told);
    told->matrix.count--;
}

static void slower_sweeps(const void *state, nb_preconditioner_parts *told) {
    right->parts(state, told);
    told->sweeps.omega *= R(0.99);
}

static void once(void *state, const nb_vector_operations *o, const void *r, void *z) {
    (void)state;
    o->multiply(o->state, 0, r, z);
}

/* ---- both tests ---- */

typedef const char *clause(const variant *v, uint64_t *seed);

static const struct {
    const char *name;
    clause *holds;
    const char *of;                /* the entry that is put wrong; NULL: jacobi */
    nb_preconditioner_class wrong; /* what differs of the entry that breaks it */
} clauses[] = {
    {"has a name", has_a_name, NULL, {.name = "Two Words"}},
    {"is symmetric", is_symmetric, NULL, {.apply = unsymmetric}},
    {"is positive", is_positive, NULL, {.apply = negative}},
    {"is linear", is_linear, NULL, {.apply = in_size}},
    {"repeats its bits", repeats_bits, NULL, {.apply = wandering}},
    {"allocates in set-up alone", allocates_in_set_up_alone, NULL, {.apply = allocating}},
    {"writes all rows", writes_all_rows_and_no_more, NULL, {.apply = skipping}},
    {"writes no more", writes_all_rows_and_no_more, NULL, {.apply = overrunning}},
    {"leaves r as it is", writes_all_rows_and_no_more, NULL, {.apply = scribbling}},
    {"follows values", follows_values, NULL, {.set_up_values = first_values_only}},
    {"is in units of the inverse", is_in_units_of_the_inverse, NULL, {.apply = unscaled}},
    {"leaves an empty row alone", leaves_an_empty_row_alone, NULL, {.apply = coupling}},
    {"takes no rows", takes_no_rows, NULL, {.apply = overrunning}},
    {"keeps nothing where memory fails", survives_failing_allocations, NULL, {.create = leaking}},
    {"makes no state where memory fails", survives_failing_allocations, NULL, {.create = stateful}},
    {"has P's diagonal", diagonal_is_that_of_p, NULL, {.diagonal = ones}},
    {"has P's parts: blocks", parts_are_those_of_p, "block-jacobi", {.parts = fewer_blocks}},
    {"has P's parts: sweeps", parts_are_those_of_p, "ssor", {.parts = slower_sweeps}},
    {"is P by operations", parts_are_those_of_p, "fsai", {.apply_by = once}},
};
enum {
    CLAUSES = sizeof clauses / sizeof *clauses
};

TEST(every_entry_keeps_every_clause) {
    variant variants[MOST_VARIANTS];
    uint64_t seed = test_seed();
    const int count = each_variant(variants);
    for (int i = 0; i < count; i++) {
        say(&variants[i]);
        for (int k = 0; k < CLAUSES; k++)
            contract_expect(clauses[k].name, variants[i].type->name, clauses[k].holds(&variants[i], &seed), 1);
    }
    for (int i = 0; nb_preconditioners[i]; i++) /* which names are found by */
        for (int k = 0; k < i; k++) assert_string_not_equal(nb_preconditioners[i]->name, nb_preconditioners[k]->name);
}

TEST(every_clause_can_fail) {
    uint64_t seed = test_seed();
    for (int k = 0; k < CLAUSES; k++) {
        const nb_preconditioner_class *w = &clauses[k].wrong;
        CHECK_OK(nb_preconditioner_find(clauses[k].of ? clauses[k].of : "jacobi", &right));
        nb_preconditioner_class type = *right;
        if (w->name) type.name = w->name;
        if (w->create) type.create = w->create;
        if (w->set_up_values) type.set_up_values = w->set_up_values;
        if (w->apply) type.apply = w->apply;
        if (w->diagonal) type.diagonal = w->diagonal;
        if (w->parts) type.parts = w->parts;
        if (w->apply_by) type.apply_by = w->apply_by;
        type.set_up_pattern = noting_rows;
        const variant v = variant_of(&type);
        contract_expect(clauses[k].name, type.name, clauses[k].holds(&v, &seed), 0);
    }
}

RUN_TESTS(every_entry_keeps_every_clause, every_clause_can_fail)
