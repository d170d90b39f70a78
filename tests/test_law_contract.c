/* The contract of laws (constraint/law.h), clause by clause, of every law; and for each clause a law that breaks it.
 * What the formulas are worth is in test_law.c and its neighbours. */
#include "constraint/bilateral.h"
#include "constraint/box.h"
#include "constraint/cone_law.h"
#include "constraint/rolling_law.h"
#include "constraint/unilateral.h"
#include "contract.h"
#include "element/elastic_law.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;

enum {
    BLOCKS = 7,
    BEFORE = 3, /* rows of others, before and after; and blocks of others */
    ROWS = 6 * BLOCKS + 2 * BEFORE,
    TRIALS = 20
};

/* which parameters a law has */
typedef enum kind {
    BILATERAL,
    UNILATERAL,
    CONE,
    FIELD,
    ROLLING,
    ELASTIC,
    BOX
} kind;

typedef struct entry {
    const nb_law_class *type;
    kind kind;
} entry;

static const entry laws[] = {
    {&nb_bilateral_class, BILATERAL},
    {&nb_unilateral_class, UNILATERAL},
    {&nb_cone_class, CONE},
    {&nb_relaxed_class, CONE},
    {&nb_polyhedral_class, CONE},
    {&nb_polyhedral_relaxed_class, CONE},
    {&nb_field_class, FIELD},
    {&nb_rolling_class, ROLLING},
    {&nb_elastic_class, ELASTIC},
    {&nb_elastic_principal_class, ELASTIC},
    {&nb_box_class, BOX},
};

/* a range of a law among other rows, and a state */
typedef struct instance {
    nb_bilateral_law bilateral;
    nb_unilateral_law unilateral;
    nb_cone_law cone, fields;
    nb_contact_field field[BLOCKS];
    nb_rolling_law rolling;
    nb_elastic_law elastic;
    nb_box_law box;
    real lower[BLOCKS], upper[BLOCKS];
    real compliance[36 * BLOCKS], mu[BLOCKS], mu_r[BLOCKS];
    nb_law_range range;
    int rows; /* of the range */
    real value[ROWS], z[ROWS], w[ROWS];
    double size[ROWS]; /* of what is 1 in the norm of projections */
} instance;

static void draw_parameters(instance *it, int rows, uint64_t *seed) {
    for (int i = 0; i < BLOCKS; i++) {
        it->mu[i] = R(test_random(seed, 0.1, 1));
        it->mu_r[i] = R(test_random(seed, 0.1, 1));
        it->upper[i] =
            i % 3 == 1 ? R(test_random(seed, 0.1, 1)) : (real)INFINITY; /* friction; or a limit, or an equation */
        it->lower[i] = i % 3 == 1 ? -it->upper[i] : i % 3 == 0 ? 0 : -(real)INFINITY;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c <= r; c++) /* definite by its diagonal */
                it->compliance[(i * rows + r) * rows + c] = it->compliance[(i * rows + c) * rows + r] =
                    R(r == c ? test_random(seed, 1, 2) : test_random(seed, -0.1, 0.1));
    }
}

/* of both models, before a gap or at none, where rest needs no impulse */
static void draw_fields(instance *it, uint64_t *seed) {
    for (int i = 0; i < BLOCKS; i++)
        it->field[i] = (nb_contact_field){.similar = i % 2,
                                          .p = i % 3 ? -test_random(seed, 0, 0.5) : 0,
                                          .r = test_random(seed, 0.5, 2),
                                          .dissipation = i % 4 ? test_random(seed, 0, 1) : 0,
                                          .mu = (double)it->mu[i],
                                          .bound = test_random(seed, 0, 1),
                                          .e = test_random(seed, 0.01, 0.1)};
}

static void draw(const entry *e, uint64_t *seed, instance *it) {
    const int rows = e->type->rows;
    draw_parameters(it, rows, seed);
    const real soft = R(test_random(seed, 0, 1)), ratio = R(test_random(seed, 0.5, 2));
    it->bilateral = (nb_bilateral_law){{e->type}, it->compliance};
    it->unilateral = (nb_unilateral_law){{e->type}, soft};
    it->cone = (nb_cone_law){{e->type}, it->mu, ratio, soft, 6, NULL, NULL};
    draw_fields(it, seed);
    it->fields = (nb_cone_law){{e->type}, it->mu, 1, 0, 0, NULL, it->field};
    it->rolling = (nb_rolling_law){{e->type}, it->mu, it->mu_r};
    it->elastic = (nb_elastic_law){{e->type}, it->compliance};
    it->box = (nb_box_law){{e->type}, it->lower, it->upper, it->compliance};
    const nb_law *const own[] = {&it->bilateral.base, &it->unilateral.base, &it->cone.base, &it->fields.base,
                                 &it->rolling.base,   &it->elastic.base,    &it->box.base};
    it->range = (nb_law_range){own[e->kind], BLOCKS, BEFORE, BEFORE, 0};
    it->rows = nb_law_range_rows(&it->range);
    for (int r = 0; r < ROWS; r++) {
        it->value[r] = R(test_random(seed, -1, 1));
        it->z[r] = R(test_random(seed, -1, 1));
        it->w[r] = R(test_random(seed, 0.1, 2));
        it->size[r] = 1;
    }
    for (int i = 0; (e->kind == CONE || e->kind == ROLLING) && i < BLOCKS; i++)
        for (int k = 2; k < rows; k += 2) it->w[BEFORE + rows * i + k] = it->w[BEFORE + rows * i + k - 1];
    for (int i = 0; e->kind == CONE && i < BLOCKS; i++) it->size[BEFORE + 3 * i + 2] = (double)ratio;
}

static nb_law_state state_of(const instance *it) {
    return (nb_law_state){R(0.125), it->value, it->z, it->w};
}

/* blocks 3 and 4 of the range, by themselves */
static nb_law_range share_of(const nb_law_range *range) {
    nb_law_range share = *range;
    share.blocks = 2;
    share.first += 3;
    share.first_block += 3;
    share.first_row += 3 * range->law->type->rows;
    return share;
}

static int is_in(const nb_law_range *range, int row) {
    return row >= range->first_row && row < range->first_row + nb_law_range_rows(range);
}

/* ---- what a law makes of a state ---- */

typedef struct weights {
    real row[4][ROWS]; /* s, c, b, update; NaN where nothing was written */
    real k[36 * (BLOCKS + BEFORE)];
} weights;

static void linearise(const nb_law_range *range, const instance *it, weights *to) {
    int64_t place[BLOCKS + 2 * BEFORE];
    const nb_law_state at = state_of(it);
    const nb_linearisation how = {NB_NCP_FISCHER_BURMEISTER, NB_SCALING_EFFECTIVE_MASS, 0, R(1e-3)};
    const nb_newton_weights rows = {to->row[0], to->row[1], to->row[2], to->row[3], to->k, place};
    for (int i = 0; i < BLOCKS + 2 * BEFORE; i++) place[i] = 36 * (int64_t)(i < BEFORE + BLOCKS ? i : 0);
    memset(to, 0xff, sizeof *to);
    if (range->law->type->linearise) range->law->type->linearise(range, &at, &how, &rows);
}

/* the natural map at x and v, of no scale; NaN where nothing is written */
static void natural(const nb_law_range *range, const double *x, const double *v, double *f) {
    static real ones[ROWS];
    for (int r = 0; r < ROWS; r++) ones[r] = 1;
    memset(f, 0xff, ROWS * sizeof *f);
    const nb_natural_point at = {ones, x, v, 1, 1, 1e-8};
    range->law->type->natural(range, &at, f);
}

/* what the natural map projects on: x - F at rest */
static void project_scaled(const nb_law_range *range, const double *x, double *p) {
    const double rest[ROWS] = {0};
    double f[ROWS];
    natural(range, x, rest, f);
    for (int r = 0; r < ROWS; r++) p[r] = is_in(range, r) ? x[r] - f[r] : x[r];
}

static nb_law_errors errors_of(const nb_law_range *range, const instance *it, double from) {
    nb_law_errors errors = {from, from, from, from};
    const nb_law_state at = state_of(it);
    range->law->type->error(range, &at, &errors);
    return errors;
}

static double sum_of(const nb_law_errors *e) {
    return e->bilateral + e->complementarity + e->friction + e->penetration;
}

/* ---- the clauses ---- */

static const char *has_its_parts(const entry *e, uint64_t *seed) {
    (void)seed;
    const nb_law_class *c = e->type;
    const char *fault = named(c->name, "no summary");
    if (c->rows < 1 || c->rows > NB_BLOCK_ROWS) fault = broken("%d rows a block", (int)c->rows);
    if (!c->project || !c->error) fault = broken("no projection, or no error");
    if (!c->scale != !c->natural || !c->scale != !c->jacobian) fault = broken("a part of what scaled problems need");
    if (c->cones < 0 || c->cones > NB_LAW_CONES || (c->cones && !c->scale)) fault = broken("%d cones", (int)c->cones);
    if (c->relaxes && c->relaxes->rows != c->rows) fault = broken("other rows than the law that it relaxes");
    return fault;
}

static const char *projects_once(const entry *e, uint64_t *seed) {
    const char *fault = NULL;
    for (int n = 0; n < TRIALS; n++) {
        instance it;
        real once[ROWS];
        draw(e, seed, &it);
        e->type->project(&it.range, it.z);
        memcpy(once, it.z, sizeof once);
        e->type->project(&it.range, it.z);
        for (int r = 0; r < ROWS; r++)
            if (!(fabs((double)(it.z[r] - once[r])) <= 8 * epsilon))
                fault = broken("row %d is %g, then %g", r, (double)once[r], (double)it.z[r]);
    }
    return fault;
}

/* no two impulses are further from each other for it, block by block, in its norm */
static const char *projects_without_expansion(const entry *e, uint64_t *seed) {
    const char *fault = NULL;
    for (int n = 0; n < TRIALS; n++) {
        instance it;
        real x[ROWS], y[ROWS];
        draw(e, seed, &it);
        for (int r = 0; r < ROWS; r++) y[r] = R((double)it.z[r] + pow(10, -(n % 4)) * test_random(seed, -1, 1));
        memcpy(x, it.z, sizeof x);
        real p[ROWS], q[ROWS];
        memcpy(p, x, sizeof p);
        memcpy(q, y, sizeof q);
        e->type->project(&it.range, p);
        e->type->project(&it.range, q);
        for (int first = BEFORE; first < BEFORE + it.rows; first += e->type->rows) {
            double before = 0, after = 0;
            for (int r = first; r < first + e->type->rows; r++) {
                before += pow((double)(x[r] - y[r]) / it.size[r], 2);
                after += pow((double)(p[r] - q[r]) / it.size[r], 2);
            }
            if (!(sqrt(after) <= sqrt(before) + 16 * epsilon))
                fault = broken("from a distance of %g to %g", sqrt(before), sqrt(after));
        }
    }
    return fault;
}

/* the same of the scaled problem: what its natural map is of */
static const char *has_a_natural_projection(const entry *e, uint64_t *seed) {
    const char *fault = NULL;
    for (int n = 0; n < TRIALS && e->type->natural; n++) {
        instance it;
        double x[ROWS], y[ROWS], p[ROWS], q[ROWS], again[ROWS];
        draw(e, seed, &it);
        for (int r = 0; r < ROWS; r++) {
            x[r] = test_random(seed, -1, 1);
            y[r] = x[r] + pow(10, -(n % 4)) * test_random(seed, -1, 1);
        }
        project_scaled(&it.range, x, p);
        project_scaled(&it.range, y, q);
        project_scaled(&it.range, p, again);
        for (int first = BEFORE; first < BEFORE + it.rows; first += e->type->rows) {
            double before = 0, after = 0;
            for (int r = first; r < first + e->type->rows; r++) {
                before += (x[r] - y[r]) * (x[r] - y[r]);
                after += (p[r] - q[r]) * (p[r] - q[r]);
                if (!(fabs(again[r] - p[r]) <= 1e-14)) fault = broken("row %d is %g, then %g", r, p[r], again[r]);
            }
            if (!(sqrt(after) <= sqrt(before) + 1e-14))
                fault = broken("from a distance of %g to %g", sqrt(before), sqrt(after));
        }
    }
    return fault;
}

/* The projection of the scaled problem is on the cones that interior points are told of: it lies in all, and leaves
 * what lies in them. */
static const char *projects_on_its_cones(const entry *e, uint64_t *seed) {
    const char *fault = NULL;
    for (int n = 0; n < TRIALS && e->type->cones > 0; n++) {
        instance it;
        double x[ROWS], p[ROWS];
        draw(e, seed, &it);
        for (int r = 0; r < ROWS; r++) x[r] = test_random(seed, -1, 1);
        for (int i = 0; n % 2 && i < BLOCKS; i++) /* within all */
            for (int k = 0; k < e->type->cones; k++) x[BEFORE + i * e->type->rows + e->type->cone[k][0]] = 2;
        project_scaled(&it.range, x, p);
        for (int i = 0; i < BLOCKS; i++)
            for (int k = 0; k < e->type->cones; k++) {
                const int32_t *cone = e->type->cone[k];
                const double *own = p + BEFORE + i * e->type->rows;
                double tangents = hypot(own[cone[1]], own[cone[2]]);
                if (!(tangents <= own[cone[0]] + 1e-14)) fault = broken("%g against %g", tangents, own[cone[0]]);
            }
        for (int r = BEFORE; n % 2 && r < BEFORE + it.rows; r++)
            if (!(fabs(p[r] - x[r]) <= 1e-14)) fault = broken("row %d of a cone's point is moved", r);
    }
    return fault;
}

/* x of a x = b by elimination; a is definite enough to need no pivots but for cones, so it has them */
static void solve_dense(int n, double a[NB_BLOCK_ROWS][NB_BLOCK_ROWS], double *b) {
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c; i < n; i++)
            if (fabs(a[i][c]) > fabs(a[pivot][c])) pivot = i;
        for (int j = 0; j < n; j++) {
            double kept = a[c][j];
            a[c][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        double kept = b[c];
        b[c] = b[pivot];
        b[pivot] = kept;
        for (int i = c + 1; i < n; i++) {
            double factor = a[i][c] / a[c][c];
            for (int j = c; j < n; j++) a[i][j] -= factor * a[c][j];
            b[i] -= factor * b[c];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

/* v = D x + q of each block, D definite */
static void velocities(int rows, double d[NB_BLOCK_ROWS][NB_BLOCK_ROWS], const double *q, const double *x, double *v) {
    for (int r = 0; r < ROWS; r++) v[r] = q[r];
    for (int first = BEFORE; first + rows <= ROWS - BEFORE; first += rows)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) v[first + i] += d[i][j] * x[first + j];
}

/* Along the step that it gives, the natural map goes to zero: F' dx = -F, by central differences off the kinks. */
static const char *has_the_natural_maps_jacobian(const entry *e, uint64_t *seed) {
    const double tiny = 1e-7; /* errors of 1e-8 by the floor on slopes, and as much by round-off against its inverse */
    const int rows = e->type->rows;
    const char *fault = NULL;
    int checked = 0;
    if (!e->type->natural || NB_REAL_BITS == 32) return NULL; /* K is of f32, of four digits there */
    for (int n = 0; n < TRIALS; n++) {
        instance it;
        real k[36 * BLOCKS], ones[ROWS];
        double d[NB_BLOCK_ROWS][NB_BLOCK_ROWS], q[ROWS], x[ROWS], v[ROWS], f[ROWS], b[ROWS] = {0}, dx[ROWS] = {0},
                                                                                    near[2][ROWS], moved[ROWS];
        draw(e, seed, &it);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j <= i; j++)
                d[i][j] = d[j][i] = i == j ? test_random(seed, 1, 2) : test_random(seed, -0.2, 0.2);
        for (int r = 0; r < ROWS; r++) {
            q[r] = test_random(seed, -1, 1);
            x[r] = test_random(seed, -1, 1);
            ones[r] = 1;
        }
        velocities(rows, d, q, x, v);
        natural(&it.range, x, v, f);
        const nb_natural_point at = {ones, x, v, 1, 1, 1e-8};
        e->type->jacobian(&it.range, &at, f, b, k);
        for (int i = 0; i < BLOCKS; i++) {
            double m[NB_BLOCK_ROWS][NB_BLOCK_ROWS];
            for (int r = 0; r < rows * rows; r++)
                m[r / rows][r % rows] = d[r / rows][r % rows] + (double)k[i * rows * rows + r];
            memcpy(dx + BEFORE + i * rows, b + BEFORE + i * rows, (size_t)rows * sizeof *dx);
            solve_dense(rows, m, dx + BEFORE + i * rows);
        }
        for (int side = 0; side < 2; side++) {
            for (int r = 0; r < ROWS; r++) moved[r] = x[r] + (side ? tiny : -tiny) * dx[r];
            velocities(rows, d, q, moved, v);
            natural(&it.range, moved, v, near[side]);
        }
        for (int r = BEFORE; r < BEFORE + it.rows; r++) {
            if (!(fabs(near[1][r] + near[0][r] - 2 * f[r]) < 1e-10)) continue; /* a kink between the two */
            double slope = (near[1][r] - near[0][r]) / (2 * tiny);
            if (!(fabs(slope + f[r]) <= 1e-6 * (1 + fabs(f[r])))) fault = broken("%g and not %g", slope, -f[r]);
            checked++;
        }
    }
    return checked < TRIALS * BLOCKS / 2 ? broken("%d rows are no kinks", checked) : fault;
}

/* Of the other rows it writes none; a share of a range is what the whole has there. */
static const char *minds_its_share(const entry *e, uint64_t *seed) {
    instance it;
    weights all, part;
    const char *fault = NULL;
    real z[2][ROWS];
    draw(e, seed, &it);
    const nb_law_range share = share_of(&it.range);
    memcpy(z[0], it.z, sizeof it.z);
    memcpy(z[1], it.z, sizeof it.z);
    e->type->project(&it.range, z[0]);
    e->type->project(&share, z[1]);
    for (int r = 0; r < ROWS; r++) {
        if (z[1][r] != (is_in(&share, r) ? z[0][r] : it.z[r])) fault = broken("row %d of a share's projection", r);
        if (!is_in(&it.range, r) && z[0][r] != it.z[r]) fault = broken("row %d is projected, and another's", r);
    }
    linearise(&it.range, &it, &all);
    linearise(&share, &it, &part);
    for (int of = 0; e->type->linearise && of < 4 * ROWS; of++) {
        const int k = of / ROWS, r = of % ROWS;
        const double whole = (double)all.row[k][r], own = (double)part.row[k][r];
        if (isnan(own) == is_in(&share, r) || isnan(whole) == is_in(&it.range, r))
            fault = broken("array %d of row %d", k, r);
        if (is_in(&share, r) && !(fabs(own - whole) <= 100 * epsilon * (1 + fabs(whole)))) /* sets of lanes round */
            fault = broken("array %d of row %d is %g, and %g in a share", k, r, whole, own);
    }
    const nb_law_errors whole = errors_of(&it.range, &it, 0), own = errors_of(&share, &it, 0);
    if (own.bilateral > whole.bilateral || own.complementarity > whole.complementarity ||
        own.friction > whole.friction || own.penetration > whole.penetration)
        fault = broken("a share has more error than the whole");
    nb_law_errors sum = {0}; /* the largest of all blocks */
    for (int32_t i = 0; i < it.range.blocks; i++) {
        const nb_law_state at = state_of(&it);
        nb_law_range one = it.range;
        one.blocks = 1;
        one.first += i;
        one.first_block += i;
        one.first_row += i * e->type->rows;
        e->type->error(&one, &at, &sum);
    }
    if (sum.bilateral != whole.bilateral || sum.complementarity != whole.complementarity ||
        sum.friction != whole.friction || sum.penetration != whole.penetration)
        fault = broken("blocks have other errors than the whole");
    return fault;
}

/* at rest, without impulse, nothing is wrong and nothing is to be done; at random something is */
static const char *is_content_at_rest(const entry *e, uint64_t *seed) {
    instance it;
    weights at_rest;
    const char *fault = NULL;
    draw(e, seed, &it);
    nb_law_errors errors = errors_of(&it.range, &it, 0);
    if (!(sum_of(&errors) > 0.1)) fault = broken("a random state has an error of %g", sum_of(&errors));
    memset(it.z, 0, sizeof it.z);
    memset(it.value, 0, sizeof it.value);
    errors = errors_of(&it.range, &it, 0);
    if (sum_of(&errors) != 0) fault = broken("an error of %g at rest", sum_of(&errors));
    linearise(&it.range, &it, &at_rest);
    for (int r = BEFORE; e->type->linearise && r < BEFORE + it.rows; r++)
        if (at_rest.row[2][r] != 0) fault = broken("row %d is moved from rest", r);
    return fault;
}

static const char *raises_errors(const entry *e, uint64_t *seed) {
    const double much = 1e3;
    instance it;
    draw(e, seed, &it);
    const nb_law_errors errors = errors_of(&it.range, &it, much), none = errors_of(&it.range, &it, 0);
    if (sum_of(&errors) != 4 * much) return broken("larger errors come to %g", sum_of(&errors));
    if (none.bilateral < 0 || none.complementarity < 0 || none.friction < 0 || none.penetration < 0)
        return broken("an error is negative");
    return NULL;
}

/* in any row, of a velocity or of an impulse */
static const char *tells_of_nan(const entry *e, uint64_t *seed) {
    const char *fault = NULL;
    for (int k = 0; k < 2 * e->type->rows; k++) {
        instance it;
        draw(e, seed, &it);
        real *row = (k % 2 ? it.value : it.z) + BEFORE + 2 * e->type->rows + k / 2;
        *row = (real)NAN;
        const nb_law_errors errors = errors_of(&it.range, &it, 0);
        if (!isnan(sum_of(&errors))) fault = broken("%s of row %d of a block", k % 2 ? "velocity" : "impulse", k / 2);
    }
    return fault;
}

/* twice the same bits, and no memory taken */
static const char *repeats_bits(const entry *e, uint64_t *seed) {
    instance it;
    weights one, other;
    real z[2][ROWS];
    draw(e, seed, &it);
    int64_t before = nb_allocation_count();
    for (int k = 0; k < 2; k++) {
        memcpy(z[k], it.z, sizeof it.z);
        e->type->project(&it.range, z[k]);
        linearise(&it.range, &it, k ? &other : &one);
    }
    const nb_law_errors first = errors_of(&it.range, &it, 0), again = errors_of(&it.range, &it, 0);
    if (nb_allocation_count() != before) return broken("it allocates");
    if (memcmp(z[0], z[1], sizeof z[0]) != 0 || memcmp(&one, &other, sizeof one) != 0 ||
        sum_of(&first) != sum_of(&again))
        return broken("other bits");
    return NULL;
}

/* ---- laws that break them: stops, or contacts, put wrong ---- */

static int calls;

static void project_half(const nb_law_range *range, real *z) {
    for (int32_t r = range->first_row; r < range->first_row + range->blocks; r++) z[r] /= 2;
}

static void project_far(const nb_law_range *range, real *z) {
    for (int32_t r = range->first_row; r < range->first_row + range->blocks; r++) z[r] = z[r] < 0 ? 0 : 1;
}

static void project_another(const nb_law_range *range, real *z) {
    nb_unilateral_class.project(range, z);
    z[range->first_row + range->blocks] = 2;
}

static void project_in_turn(const nb_law_range *range, real *z) {
    nb_unilateral_class.project(range, z);
    z[range->first_row] = R(calls++ % 2);
}

static void natural_of_half(const nb_law_range *range, const nb_natural_point *at, double *f) {
    for (int32_t r = range->first_row; r < range->first_row + range->blocks; r++) f[r] = at->x[r] / 2;
}

static void no_jacobian(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k) {
    nb_unilateral_class.jacobian(range, at, f, b, k);
    for (int32_t i = 0; i < range->blocks; i++) k[i] = 0;
}

static void restless(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                     const nb_newton_weights *to) {
    nb_unilateral_class.linearise(range, at, how, to);
    to->b[range->first_row] += 1;
}

static void never_content(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    nb_unilateral_class.error(range, at, errors);
    errors->complementarity = fmax(errors->complementarity, 0.01);
}

static void sets_errors(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    *errors = (nb_law_errors){0};
    nb_unilateral_class.error(range, at, errors);
}

static void deaf_to_nan(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    nb_law_errors own = {0};
    nb_unilateral_class.error(range, at, &own);
    if (!isnan(sum_of(&own))) *errors = own;
}

/* ---- both tests ---- */

typedef const char *clause(const entry *e, uint64_t *seed);

static const struct {
    const char *name;
    clause *holds;
    int of_cone;        /* 1: Coulomb's law is put wrong, else stops */
    nb_law_class wrong; /* what differs of the law that breaks it */
} clauses[] = {
    {"has its parts", has_its_parts, 0, {.rows = NB_BLOCK_ROWS + 1}},
    {"projects once", projects_once, 0, {.project = project_half}},
    {"projects without expansion", projects_without_expansion, 0, {.project = project_far}},
    {"has a natural projection", has_a_natural_projection, 0, {.natural = natural_of_half}},
    {"projects on its cones", projects_on_its_cones, 1, {.cone = {{1, 0, 2}}}},
    {"has the natural map's Jacobian", has_the_natural_maps_jacobian, 0, {.jacobian = no_jacobian}},
    {"minds its share", minds_its_share, 0, {.project = project_another}},
    {"is content at rest: Newton", is_content_at_rest, 0, {.linearise = restless}},
    {"is content at rest: errors", is_content_at_rest, 0, {.error = never_content}},
    {"raises errors", raises_errors, 0, {.error = sets_errors}},
    {"tells of NaN", tells_of_nan, 0, {.error = deaf_to_nan}},
    {"repeats its bits", repeats_bits, 0, {.project = project_in_turn}},
};
enum {
    CLAUSES = sizeof clauses / sizeof *clauses
};

TEST(every_law_keeps_every_clause) {
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        print_message("  %s\n", laws[i].type->name);
        for (int k = 0; k < CLAUSES; k++)
            contract_expect(clauses[k].name, laws[i].type->name, clauses[k].holds(&laws[i], &seed), 1);
    }
}

TEST(every_clause_can_fail) {
    uint64_t seed = test_seed();
    for (int k = 0; k < CLAUSES; k++) {
        const nb_law_class *w = &clauses[k].wrong;
        nb_law_class type = clauses[k].of_cone ? nb_cone_class : nb_unilateral_class;
        if (w->rows) type.rows = w->rows;
        if (w->cone[0][0]) memcpy(type.cone, w->cone, sizeof type.cone);
        if (w->linearise) type.linearise = w->linearise;
        if (w->natural) type.natural = w->natural;
        if (w->jacobian) type.jacobian = w->jacobian;
        if (w->project) type.project = w->project;
        if (w->error) type.error = w->error;
        const entry e = {&type, clauses[k].of_cone ? CONE : UNILATERAL};
        if (NB_REAL_BITS == 32 && w->jacobian) continue; /* not asked there */
        contract_expect(clauses[k].name, type.name, clauses[k].holds(&e, &seed), 0);
    }
}

RUN_TESTS(every_law_keeps_every_clause, every_clause_can_fail)
