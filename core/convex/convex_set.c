#include "convex/convex_set.h"

#include <string.h>

#include "base/memory.h"

/* how near two unit normals of a polytope are that are one: what single precision leaves of them */
static const double SAME = 1e-7;

static int positive(double x) {
    return x > 0 && isfinite(x);
}

/* ---- memory ---- */

/* a set of zeros with room for its arrays, which makers fill through these */
typedef struct arrays {
    nb_vec3 *a;
    double *e, *b;
    int32_t *cone_rows;
} arrays;

static arrays arrays_of(const nb_convex_set *set) {
    arrays to = {.a = (nb_vec3 *)(void *)set->memory};
    to.b = set->memory + 3 * (int64_t)set->rows;
    to.e = to.b + set->rows;
    to.cone_rows = (int32_t *)(void *)(to.e + (int64_t)set->rows * set->unknowns);
    return to;
}

static nb_status make(int32_t linear, int32_t cone_count, const int32_t *cone_rows, int32_t unknowns,
                      nb_convex_set *set, arrays *to) {
    *set = (nb_convex_set){.rows = linear, .linear = linear, .cone_count = cone_count, .unknowns = unknowns};
    for (int32_t c = 0; c < cone_count; c++) set->rows += cone_rows[c];
    nb_status status = NB_ALLOCATE((int64_t)set->rows * (4 + unknowns) + cone_count, &set->memory);
    if (status != NB_OK) {
        *set = (nb_convex_set){0};
        return status;
    }
    *to = arrays_of(set);
    for (int32_t c = 0; c < cone_count; c++) to->cone_rows[c] = cone_rows[c];
    set->a = to->a, set->e = to->e, set->b = to->b, set->cone_rows = to->cone_rows;
    return NB_OK;
}

void nb_convex_set_clear(nb_convex_set *set) {
    nb_free(set->memory);
    *set = (nb_convex_set){0};
}

nb_status nb_convex_set_copy(const nb_convex_set *from, nb_convex_set *set) {
    arrays to;
    nb_convex_set copy;
    nb_status status = make(from->linear, from->cone_count, from->cone_rows, from->unknowns, &copy, &to);
    if (status == NB_OK) {
        memcpy(copy.memory, from->memory, (size_t)from->rows * (4 + (size_t)from->unknowns) * sizeof *copy.memory);
        copy.centre = from->centre, copy.radius = from->radius;
    }
    *set = copy;
    return status;
}

/* whether all numbers of the rows are finite, and half-lines leave the centre inside */
static int are_rows(const nb_convex_set *set, int32_t rows) {
    double sum = set->centre.x + set->centre.y + set->centre.z;
    for (int32_t i = 0; i < rows; i++) {
        sum += fabs(set->a[i].x) + fabs(set->a[i].y) + fabs(set->a[i].z) + fabs(set->b[i]);
        for (int32_t k = 0; k < set->unknowns; k++) sum += fabs(set->e[(int64_t)i * set->unknowns + k]);
        if (i < set->linear && !positive(set->b[i])) return 0;
    }
    return isfinite(sum);
}

nb_status nb_convex_set_of_rows(const nb_convex_set *from, nb_convex_set *set) {
    int32_t rows = from->linear;
    *set = (nb_convex_set){0};
    for (int32_t c = 0; c < from->cone_count; c++) {
        if (from->cone_rows[c] < 2 || from->cone_rows[c] > NB_CONVEX_CONE_ROWS)
            return nb_fail(NB_ERROR_INPUT, "cone %d of a set has %d rows; it must have 2 to %d", (int)c,
                           (int)from->cone_rows[c], (int)NB_CONVEX_CONE_ROWS);
        rows += from->cone_rows[c];
    }
    if (rows < 1 || !are_rows(from, rows))
        return nb_fail(NB_ERROR_INPUT, "the rows of a set must be finite numbers, with positive heights of half-lines");
    if (!positive(from->radius))
        return nb_fail(NB_ERROR_INPUT, "the radius of a set is %g m; it must be positive and finite", from->radius);
    arrays to;
    nb_status status = make(from->linear, from->cone_count, from->cone_rows, from->unknowns, set, &to);
    if (status != NB_OK) return status;
    memcpy(to.a, from->a, (size_t)rows * sizeof *to.a);
    memcpy(to.b, from->b, (size_t)rows * sizeof *to.b);
    memcpy(to.e, from->e, (size_t)rows * (size_t)from->unknowns * sizeof *to.e);
    set->centre = from->centre, set->radius = from->radius;
    return NB_OK;
}

void nb_convex_set_move(nb_convex_set *set, nb_vec3 offset, nb_quat turn) {
    arrays of = arrays_of(set);
    for (int32_t i = 0; i < set->rows; i++) of.a[i] = nb_quat_rotate(turn, of.a[i]);
    set->centre = nb_add(offset, nb_quat_rotate(turn, set->centre));
}

/* ---- makers ---- */

nb_status nb_convex_ball(double radius, nb_convex_set *set) {
    static const int32_t cone[1] = {4};
    arrays to;
    *set = (nb_convex_set){0};
    if (!positive(radius))
        return nb_fail(NB_ERROR_INPUT, "the radius of a ball is %g m; it must be positive and finite", radius);
    nb_status status = make(0, 1, cone, 0, set, &to);
    if (status != NB_OK) return status;
    to.b[0] = set->radius = radius;
    to.a[1].x = to.a[2].y = to.a[3].z = 1;
    return NB_OK;
}

/* rows by the shortest half axis, so that all have the unit of a length */
nb_status nb_convex_ellipsoid(nb_vec3 half, nb_convex_set *set) {
    double least = fmin(half.x, fmin(half.y, half.z));
    *set = (nb_convex_set){0};
    if (!positive(half.x) || !positive(half.y) || !positive(half.z))
        return nb_fail(NB_ERROR_INPUT,
                       "the half axes of an ellipsoid are (%g, %g, %g) m; they must be positive and finite", half.x,
                       half.y, half.z);
    nb_status status = nb_convex_ball(least, set);
    if (status != NB_OK) return status;
    set->radius = fmax(half.x, fmax(half.y, half.z));
    arrays to = arrays_of(set);
    to.a[1].x = least / half.x, to.a[2].y = least / half.y, to.a[3].z = least / half.z;
    return NB_OK;
}

nb_status nb_convex_half_space(nb_convex_set *set) {
    arrays to;
    nb_status status = make(1, 0, NULL, 0, set, &to);
    if (status != NB_OK) return status;
    to.a[0].z = 1;
    set->radius = INFINITY;
    return NB_OK;
}

nb_status nb_convex_polytope(int32_t count, const nb_vec3 *normals, const double *heights, nb_vec3 centre,
                             double radius, nb_convex_set *set) {
    arrays to;
    *set = (nb_convex_set){0};
    if (count < 1) return nb_fail(NB_ERROR_INPUT, "a polytope has %d inequalities; it needs one", (int)count);
    nb_status status = make(count, 0, NULL, 0, set, &to);
    if (status != NB_OK) return status;
    int32_t rows = 0;
    for (int32_t i = 0; i < count; i++) {
        double length = nb_norm(normals[i]), inside = heights[i] - nb_dot(normals[i], centre);
        if (!positive(length) || !positive(inside)) {
            nb_convex_set_clear(set);
            return nb_fail(NB_ERROR_INPUT,
                           "inequality %d of a polytope, (%g, %g, %g) . r <= %g, does not have the center (%g, %g, %g) "
                           "inside",
                           (int)i, normals[i].x, normals[i].y, normals[i].z, heights[i], centre.x, centre.y, centre.z);
        }
        nb_vec3 normal = nb_scale(1 / length, normals[i]);
        int32_t k = 0;
        while (k < rows && nb_norm(nb_sub(to.a[k], normal)) > SAME) k++;
        to.b[k] = k < rows ? fmin(to.b[k], inside / length) : inside / length;
        if (k == rows) to.a[rows++] = normal;
    }
    /* rows that were there twice leave their room at the end of each array */
    set->rows = set->linear = rows;
    arrays moved = arrays_of(set);
    memmove(moved.b, to.b, (size_t)rows * sizeof *to.b);
    set->b = moved.b, set->e = moved.e, set->cone_rows = moved.cone_rows;
    set->centre = centre, set->radius = radius;
    return NB_OK;
}

static nb_status check_round(const char *what, double radius, double length) {
    if (positive(radius) && positive(length)) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "%s has the radius %g m and the length %g m; they must be positive and finite", what,
                   radius, length);
}

nb_status nb_convex_capsule(double radius, double length, nb_convex_set *set) {
    static const int32_t cone[1] = {4};
    arrays to;
    *set = (nb_convex_set){0};
    nb_status status = check_round("a capsule", radius, length);
    if (status == NB_OK) status = make(2, 1, cone, 1, set, &to);
    if (status != NB_OK) return status;
    to.e[0] = 1, to.e[1] = -1; /* |epsilon| <= alpha L/2 */
    to.b[0] = to.b[1] = 0.5 * length;
    to.b[2] = radius;
    to.a[3].x = to.a[4].y = to.a[5].z = 1; /* |r - epsilon z| <= alpha R */
    to.e[5] = -1;
    set->radius = 0.5 * length + radius;
    return NB_OK;
}

nb_status nb_convex_cylinder(double radius, double length, nb_convex_set *set) {
    static const int32_t cone[1] = {3};
    arrays to;
    *set = (nb_convex_set){0};
    nb_status status = check_round("a cylinder", radius, length);
    if (status == NB_OK) status = make(2, 1, cone, 0, set, &to);
    if (status != NB_OK) return status;
    to.a[0].z = 1, to.a[1].z = -1;
    to.b[0] = to.b[1] = 0.5 * length;
    to.b[2] = radius;
    to.a[3].x = to.a[4].y = 1;
    set->radius = hypot(0.5 * length, radius);
    return NB_OK;
}

nb_status nb_convex_cone(double radius, double height, nb_convex_set *set) {
    static const int32_t cone[1] = {3};
    arrays to;
    *set = (nb_convex_set){0};
    nb_status status = check_round("a cone", radius, height);
    if (status == NB_OK) status = make(1, 1, cone, 0, set, &to);
    if (status != NB_OK) return status;
    to.a[0].z = -1; /* -z <= alpha H/4 */
    to.b[0] = 0.25 * height;
    to.a[1].z = radius / height; /* |(x, y)| <= tan(nu) (alpha 3H/4 - z) */
    to.b[1] = 0.75 * radius;
    to.a[2].x = to.a[3].y = 1;
    set->radius = fmax(0.75 * height, hypot(0.25 * height, radius));
    return NB_OK;
}

/* Copies rows `from` .. `end` - 1 of a term of a sum to rows from `row` on. Of the first term the point is the unknown
 * p1, of the second r - p1; `at` is the place of p1 among the unknowns, `own` that of the term's. */
static void copy_rows(const nb_convex_set *term, int32_t from, int32_t end, int first, int32_t own, int32_t at,
                      int32_t row, int32_t unknowns, const arrays *to) {
    for (int32_t i = from; i < end; i++, row++) {
        double *e = to->e + (int64_t)row * unknowns, sign = first ? 1 : -1;
        nb_vec3 a = term->a[i];
        if (!first) to->a[row] = a;
        to->b[row] = term->b[i];
        for (int32_t k = 0; k < term->unknowns; k++) e[own + k] = term->e[(int64_t)i * term->unknowns + k];
        e[at] = sign * a.x, e[at + 1] = sign * a.y, e[at + 2] = sign * a.z;
    }
}

nb_status nb_convex_sum(const nb_convex_set *first, const nb_convex_set *second, nb_convex_set *set) {
    arrays to;
    int32_t linear = first->linear + second->linear, own = first->unknowns, at = own + second->unknowns;
    int32_t cone_count = first->cone_count + second->cone_count, *cone_rows = NULL;
    nb_status status;
    *set = (nb_convex_set){0};
    NB_TRY(NB_ALLOCATE(cone_count, &cone_rows));
    for (int32_t c = 0; c < cone_count; c++)
        cone_rows[c] = c < first->cone_count ? first->cone_rows[c] : second->cone_rows[c - first->cone_count];
    NB_TRY(make(linear, cone_count, cone_rows, at + 3, set, &to));
    copy_rows(first, 0, first->linear, 1, 0, at, 0, at + 3, &to);
    copy_rows(second, 0, second->linear, 0, own, at, first->linear, at + 3, &to);
    copy_rows(first, first->linear, first->rows, 1, 0, at, linear, at + 3, &to);
    copy_rows(second, second->linear, second->rows, 0, own, at, linear + first->rows - first->linear, at + 3, &to);
    set->centre = nb_add(first->centre, second->centre);
    set->radius = first->radius + second->radius;
out:
    nb_free(cone_rows);
    return status;
}

nb_status nb_convex_padded(const nb_convex_set *of, double radius, nb_convex_set *set) {
    nb_convex_set ball;
    *set = (nb_convex_set){0};
    nb_status status = nb_convex_ball(radius, &ball);
    if (status != NB_OK) return status;
    status = nb_convex_sum(&ball, of, set); /* epsilon is the ball's point */
    nb_convex_set_clear(&ball);
    return status;
}

/* ---- questions ---- */

void nb_convex_set_slack(const nb_convex_set *set, nb_vec3 r, double alpha, const double *epsilon, double *s) {
    nb_vec3 from = nb_sub(r, set->centre);
    for (int32_t i = 0; i < set->rows; i++) {
        s[i] = alpha * set->b[i] - nb_dot(set->a[i], from);
        for (int32_t k = 0; k < set->unknowns; k++) s[i] -= set->e[(int64_t)i * set->unknowns + k] * epsilon[k];
    }
}

double nb_convex_set_margin(const nb_convex_set *set, const double *s) {
    double least = INFINITY;
    for (int32_t i = 0; i < set->linear; i++) least = fmin(least, s[i]);
    for (int32_t c = 0, i = set->linear; c < set->cone_count; i += set->cone_rows[c++]) {
        double square = 0;
        for (int32_t k = 1; k < set->cone_rows[c]; k++) square += s[i + k] * s[i + k];
        least = fmin(least, s[i] - sqrt(square));
    }
    return least;
}
