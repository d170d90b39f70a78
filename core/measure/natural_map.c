#include "measure/natural_map.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/norm.h"
#include "cone/cone.h"
#include "cone/friction_polygon.h"
#include "cone/rolling_cone.h"

enum {
    MOST_ROWS = 5 /* of a contact */
};

static double tangential(int32_t dimension, const double *x) {
    return dimension == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

/* rows of the normal and the tangents */
static int32_t sliding_rows(const nb_natural_law *law) {
    return law->rolls ? (law->dimension + 1) / 2 : law->dimension;
}

/* ---- one contact ---- */

/* u^ */
static void tilt(const nb_natural_law *law, const double *u, double v[MOST_ROWS]) {
    const int32_t half = sliding_rows(law);
    const double plane[2] = {u[1], half == 2 ? 0 : u[2]};
    double slip = nb_friction_has_facets(law->friction) ? nb_polygon_slip(law->facets, plane) : tangential(half, u);
    for (int32_t k = 0; k < law->dimension; k++) v[k] = u[k];
    if (!nb_friction_is_relaxed(law->friction)) v[0] += law->mu * slip;
    if (law->rolls) v[0] += law->mu_r * tangential(half, u + half - 1);
}

/* P_K(x), and x less it */
static void project(const nb_natural_law *law, const double *x, double *point, double *rest) {
    if (law->rolls) {
        nb_rolling_cone_project(law->dimension, law->mu, law->mu_r, x, point, rest);
        return;
    }
    memcpy(point, x, (size_t)law->dimension * sizeof *x);
    if (nb_friction_has_facets(law->friction))
        nb_polygon_project_cone(law->facets, law->mu, point);
    else
        nb_cone_project_friction(law->dimension, law->mu, point);
    for (int32_t k = 0; k < law->dimension; k++) rest[k] = x[k] - point[k];
}

/* The difference is u^ + (x - P_K(x)) as well, for x = r - u^: so written, impulses
 * beyond all bounds do not swallow velocities that are no solution's. */
double nb_natural_map_square(const nb_natural_law *law, const double *r, const double *u, double noise) {
    double v[MOST_ROWS] = {0}, x[MOST_ROWS] = {0}, p[MOST_ROWS], rest[MOST_ROWS], sum = 0;
    tilt(law, u, v);
    const int by_velocities = r[0] > v[0];
    for (int32_t k = 0; k < law->dimension; k++) x[k] = r[k] - v[k];
    project(law, x, p, rest);
    for (int32_t k = 0; k < law->dimension; k++) {
        double f = by_velocities ? v[k] + rest[k] : r[k] - p[k];
        sum += f * f;
    }
    if (by_velocities) nb_raise(&sum, noise * noise);
    return sum;
}

/* the mean of `count` numbers; of none 0 */
static double mean(int32_t count, const double *x) {
    double sum = 0;
    for (int32_t i = 0; i < count; i++) sum += x[i];
    return count > 0 ? sum / count : 0;
}

static double inverse_mass(const nb_natural_law *law, const double *diagonal) {
    return (diagonal[0] + 2 * mean(sliding_rows(law) - 1, diagonal + 1)) / 3;
}

double nb_natural_map_length(const nb_natural_law *law, const double *diagonal) {
    const int32_t half = sliding_rows(law);
    return law->rolls ? sqrt(inverse_mass(law, diagonal) / mean(law->dimension - half, diagonal + half)) : 1;
}

double nb_natural_map_velocity_square(const nb_natural_law *law, const double *diagonal, double size, const double *r,
                                      const double *u, double noise) {
    const double w = inverse_mass(law, diagonal) / size, length = nb_natural_map_length(law, diagonal);
    double x[MOST_ROWS] = {0}, v[MOST_ROWS] = {0};
    nb_natural_law own = *law;
    own.mu_r /= length;
    for (int32_t k = 0; k < law->dimension; k++) {
        const double lever = k < sliding_rows(law) ? 1 : length;
        x[k] = w * r[k] / lever;
        v[k] = u[k] * lever / size;
    }
    return nb_natural_map_square(&own, x, v, noise / size);
}

/* ---- a file's ---- */

/* row i of W z + q, the diagonal there, and what round-off of the terms leaves the velocity unknown by */
static double row_velocity(const nb_file_data *data, int32_t i, const double *z, double *diagonal, double *noise) {
    const nb_csr_f64 *w = data->w;
    double sum = data->q[i], terms = 0;
    *diagonal = 0;
    for (int64_t k = w->start[i]; k < w->start[i + 1]; k++) {
        const double term = w->value[k] * z[w->column[k]];
        sum += term;
        terms += fabs(term);
        if (w->column[k] == i) *diagonal = w->value[k];
    }
    *noise = DBL_EPSILON * terms;
    return sum;
}

/* of the rows that have one; 1 where none has. *mean: 0, or what it was before */
static double mean_diagonal(const nb_file_data *data, double *mean) {
    double sum = 0;
    int32_t count = 0;
    if (*mean > 0) return *mean;
    for (int32_t i = 0; i < nb_file_data_rows(data); i++)
        for (int64_t k = data->w->start[i]; k < data->w->start[i + 1]; k++)
            if (data->w->column[k] == i && data->w->value[k] > 0) {
                sum += data->w->value[k];
                count++;
            }
    *mean = count > 0 ? sum / count : 1;
    return *mean;
}

/* sums of squares over the rows seen */
typedef struct squares {
    double bilaterals, contacts, velocities, q; /* e_b; e; e_v and ||q|| in the unit `size` */
    double size;                                /* of the largest q */
    double mean_diagonal;                       /* 0: not asked for yet */
} squares;

/* contact i, whose rows begin at row `first` */
static void add_contact(const nb_file_data *data, int32_t i, int32_t first, const double *z, double *u, squares *sum) {
    const int rolls = data->mu_r != NULL;
    const nb_natural_law law = {data->friction_law,       data->facets, data->dimension, rolls, data->mu[i],
                                rolls ? data->mu_r[i] : 0};
    double diagonal[MOST_ROWS] = {0}, square = 0, noise;
    for (int32_t k = 0; k < law.dimension; k++) {
        u[first + k] = row_velocity(data, first + k, z, &diagonal[k], &noise);
        square += noise * noise;
        if (!(diagonal[k] > 0)) diagonal[k] = mean_diagonal(data, &sum->mean_diagonal);
    }
    noise = sqrt(square);
    sum->contacts += nb_natural_map_square(&law, z + first, u + first, noise);
    sum->velocities += nb_natural_map_velocity_square(&law, diagonal, sum->size, z + first, u + first, noise);
    for (int32_t k = 0; k < law.dimension; k++) {
        const double lever = k < sliding_rows(&law) ? 1 : nb_natural_map_length(&law, diagonal);
        const double q = data->q[first + k] * lever / sum->size;
        sum->q += q * q;
    }
}

void nb_natural_map_compute(const nb_file_data *data, const double *z, double *u, nb_natural_map *map) {
    const int32_t rows = nb_file_data_rows(data), b = data->bilaterals;
    squares sum = {0};
    for (int32_t i = 0; i < rows; i++) sum.size = fmax(sum.size, fabs(data->q[i]));
    if (!(sum.size > 0)) sum.size = 1;
    for (int32_t i = 0; i < b; i++) {
        double diagonal, noise;
        u[i] = row_velocity(data, i, z, &diagonal, &noise);
        double off = fabs(u[i]), q = data->q[i] / sum.size;
        nb_raise(&off, noise);
        sum.bilaterals += off * off;
        sum.velocities += off / sum.size * (off / sum.size);
        sum.q += q * q;
    }
    for (int32_t i = 0; i < data->contacts; i++) add_contact(data, i, b + data->dimension * i, z, u, &sum);
    map->contacts = sqrt(sum.contacts);
    map->bilaterals = sqrt(sum.bilaterals);
    map->fclib =
        map->contacts / (1 + sqrt(nb_norm_of(rows - b, data->q + b))) + map->bilaterals / (1 + nb_norm_of(b, data->q));
    map->relative = sqrt(sum.q > 0 ? sum.velocities / sum.q : sum.velocities);
    double both = hypot(map->contacts, map->bilaterals), q = nb_norm_of(rows, data->q);
    double largest = fmax(q, fmax(nb_norm_of(rows, z), nb_norm_of(rows - b, u + b)));
    map->siconos = largest > 0 ? both / largest : both;
}
