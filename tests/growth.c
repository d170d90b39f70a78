#include "growth.h"

/* a length in which the pair's numbers are of order one, and the alpha that goes with it */
typedef struct units {
    double length, alpha;
    nb_vec3 origin;
} units;

static nb_vec3 centre_of(const nb_placed_set *placed) {
    return nb_add(placed->position, nb_quat_rotate(placed->turn, placed->set->centre));
}

static int bounded(const nb_placed_set *placed) {
    return isfinite(placed->set->radius);
}

static units units_of(const nb_placed_set pair[2]) {
    nb_vec3 c[2] = {centre_of(&pair[0]), centre_of(&pair[1])};
    double radius = 0;
    for (int i = 0; i < 2; i++)
        if (bounded(&pair[i])) radius += pair[i].set->radius;
    units u = {.origin = bounded(&pair[0]) ? c[0] : c[1]};
    u.length = radius + nb_norm(nb_sub(c[0], c[1]));
    /* of a set that is not bounded its centre may be anywhere on it */
    for (int i = 0; i < 2; i++) {
        const nb_convex_set *set = pair[i].set;
        if (bounded(&pair[i])) continue;
        nb_vec3 from = nb_quat_rotate(nb_quat_conjugate(pair[i].turn), nb_sub(u.origin, c[i]));
        u.length = radius;
        for (int32_t k = 0; k < set->rows; k++)
            u.length = fmax(u.length, radius + fmax(fabs(set->b[k]), fabs(nb_dot(set->a[k], from))));
    }
    u.alpha = u.length / radius;
    return u;
}

/* The rows of one set: s = alpha b - A (R^T (p - x) - centre) - E epsilon, in units. Unknowns: p, alpha, epsilons. */
static void write_set(const nb_placed_set *placed, const units *u, int32_t row, int32_t epsilon, nb_cone_program *p) {
    const nb_convex_set *set = placed->set;
    nb_vec3 from = nb_scale(1 / u->length, nb_sub(u->origin, centre_of(placed)));
    for (int32_t i = 0; i < set->rows; i++, row++) {
        double *g = p->g + (int64_t)row * p->unknowns;
        nb_vec3 a = nb_quat_rotate(placed->turn, set->a[i]);
        g[0] = a.x, g[1] = a.y, g[2] = a.z;
        g[3] = -set->b[i] * u->alpha / u->length;
        for (int32_t k = 0; k < set->unknowns; k++) g[epsilon + k] = set->e[(int64_t)i * set->unknowns + k];
        p->h[row] = -nb_dot(a, from);
    }
}

static void write_blocks(const nb_convex_set *set, int32_t *block, nb_cone_program *p) {
    for (int32_t i = 0; i < set->linear; i++) p->block_rows[(*block)++] = 1;
    for (int32_t c = 0; c < set->cone_count; c++) p->block_rows[(*block)++] = set->cone_rows[c];
}

/* how far row block `block`, whose rows begin at `row`, has its s inside, at p and alpha */
static double inside(const nb_cone_program *p, int32_t row, int32_t rows) {
    double first = 0, tail = 0;
    for (int32_t i = 0; i < rows; i++) {
        const double *g = p->g + (int64_t)(row + i) * p->unknowns;
        double s = p->h[row + i];
        for (int k = 0; k < 4; k++) s -= g[k] * p->x[k];
        if (i == 0)
            first = s;
        else
            tail += s * s;
    }
    return first - sqrt(tail);
}

/* An x inside all cones with epsilon = 0: p well inside of what does not grow, alpha large enough for the others. 0
 * where there is none: a centre that is not inside its set. */
static int find_start(const nb_placed_set pair[2], nb_cone_program *p) {
    for (int i = 0; i < 2; i++) {
        const nb_convex_set *set = pair[i].set;
        int32_t row = i == 0 ? 0 : pair[0].set->rows;
        for (int32_t k = 0; k < set->linear && !bounded(&pair[i]); k++) {
            const double *g = p->g + (int64_t)(row + k) * p->unknowns;
            double height = 1 - inside(p, row + k, 1);
            if (set->b[k] == 0 && height > 0)
                for (int a = 0; a < 3; a++) p->x[a] -= height * g[a];
        }
    }
    for (p->x[3] = 1; p->x[3] < 1e9; p->x[3] *= 2) {
        double least = INFINITY;
        for (int32_t k = 0, row = 0; k < p->block_count; row += p->block_rows[k++])
            least = fmin(least, inside(p, row, p->block_rows[k]));
        if (!(least > 0)) continue;
        p->x[3] *= 2;
        return 1;
    }
    return 0;
}

static nb_status check_pair(const nb_placed_set pair[2]) {
    for (int i = 0; i < 2; i++)
        if (pair[i].set->rows == 0) return nb_fail(NB_ERROR_INPUT, "set %d of a pair is empty", i);
    if (!bounded(&pair[0]) && !bounded(&pair[1]))
        return nb_fail(NB_ERROR_INPUT, "two sets without end, such as two half-spaces, have no growth distance");
    return NB_OK;
}

static void gather(const nb_placed_set *placed, const double *lambda, nb_growth *growth, int i) {
    nb_vec3 sum = {0};
    for (int32_t k = 0; k < placed->set->rows; k++) sum = nb_add_scaled(sum, lambda[k], placed->set->a[k]);
    nb_vec3 n = nb_quat_rotate(placed->turn, sum), arm = nb_sub(growth->point, placed->position);
    nb_vec3 moment = nb_cross(arm, n);
    const double gradient[6] = {-n.x, -n.y, -n.z, -moment.x, -moment.y, -moment.z};
    growth->normal[i] = n;
    for (int k = 0; k < 6; k++) growth->gradient[i][k] = gradient[k];
    growth->lambda[i] = lambda;
}

nb_status nb_growth_solve(const nb_placed_set pair[2], double tolerance, nb_growth_workspace *workspace,
                          nb_growth *growth) {
    nb_cone_program *p = &workspace->program;
    const nb_convex_set *a = pair[0].set, *b = pair[1].set;
    nb_status status;
    *growth = (nb_growth){0};
    NB_TRY(check_pair(pair));
    const units u = units_of(pair);
    int32_t rows = a->rows + b->rows, blocks = a->linear + a->cone_count + b->linear + b->cone_count, block = 0;
    if (!(u.length > 0) || !isfinite(u.length) || !isfinite(u.alpha))
        return nb_fail(NB_ERROR_INPUT, "a pair of sets has places or sizes that are not finite");
    NB_TRY(nb_cone_program_reserve(4 + a->unknowns + b->unknowns, rows + 1, blocks + 1, p));
    write_set(&pair[0], &u, 0, 4, p);
    write_set(&pair[1], &u, a->rows, 4 + a->unknowns, p);
    write_blocks(a, &block, p);
    write_blocks(b, &block, p);
    p->block_rows[block] = 1; /* alpha >= 0 */
    p->g[(int64_t)rows * p->unknowns + 3] = -1;
    p->c[3] = 1;
    if (!find_start(pair, p))
        return nb_fail(NB_ERROR_INPUT, "a set of a pair does not have its center inside: it is empty or flat");
    if (!nb_cone_program_solve(p, tolerance))
        return nb_fail(NB_ERROR_NUMERIC, "the growth distance of two sets is known to %.1e alone after %d iterations",
                       (p->gap + p->dual_error) * u.alpha, (int)p->iterations);
    /* in their own units: alpha = u.alpha x_3, lengths times u.length, and multipliers the other way round */
    for (int32_t i = 0; i < rows; i++) p->z[i] *= u.alpha / u.length;
    for (int32_t k = 4; k < p->unknowns; k++) p->x[k] *= u.length;
    growth->alpha = u.alpha * p->x[3];
    growth->gap = u.alpha * p->gap;
    growth->iterations = p->iterations;
    growth->point = nb_add_scaled(u.origin, u.length, nb_vec3_of(p->x[0], p->x[1], p->x[2]));
    gather(&pair[0], p->z, growth, 0);
    gather(&pair[1], p->z + a->rows, growth, 1);
    growth->epsilon[0] = p->x + 4, growth->epsilon[1] = p->x + 4 + a->unknowns;
out:
    return status;
}

nb_status nb_growth_metres(const nb_growth *growth, double *metres) {
    double length = nb_norm(growth->normal[0]);
    *metres = 0;
    if (!(growth->alpha > 1e-6) || !(length > 0))
        return nb_fail(NB_ERROR_INPUT, "the center of a set lies in that of another, or in a half-space: no direction "
                                       "separates them, and their distance in meters does not exist");
    *metres = (growth->alpha - 1) / length;
    return NB_OK;
}

void nb_growth_workspace_clear(nb_growth_workspace *workspace) {
    nb_cone_program_clear(&workspace->program);
}
