#include "measure/natural_map.h"

#include <math.h>
#include <string.h>

#include "cone.h"
#include "friction_polygon.h"
#include "rolling_cone.h"

static double norm(int32_t count, const double *x) {
    double sum = 0;
    for (int32_t i = 0; i < count; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static double tangential(int32_t dimension, const double *x) {
    return dimension == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

/* The difference is u^ + (x - P_K(x)) as well, for x = r - u^: so written, impulses
 * beyond all bounds do not swallow velocities that are no solution's. */
double nb_natural_map_contact(nb_friction_law law, int32_t facets, int32_t dimension, double mu, const double *r,
                              const double *u) {
    const int has_facets = nb_friction_has_facets(law);
    double v[3] = {0}, x[3] = {0}, p[3], sum = 0;
    const double plane[2] = {u[1], dimension == 2 ? 0 : u[2]};
    double slip = has_facets ? nb_polygon_slip(facets, plane) : tangential(dimension, u);
    double added = nb_friction_is_relaxed(law) ? 0 : mu * slip;
    for (int32_t k = 0; k < dimension; k++) v[k] = u[k] + (k == 0 ? added : 0);
    for (int32_t k = 0; k < dimension; k++) x[k] = r[k] - v[k];
    memcpy(p, x, sizeof p);
    if (has_facets)
        nb_polygon_project_cone(facets, mu, p);
    else
        nb_cone_project_friction(dimension, mu, p);
    for (int32_t k = 0; k < dimension; k++) {
        double f = r[0] > v[0] ? v[k] + (x[k] - p[k]) : r[k] - p[k];
        sum += f * f;
    }
    return sum;
}

double nb_natural_map_rolling(int32_t dimension, double mu, double mu_r, const double *r, const double *u) {
    const int32_t half = (dimension + 1) / 2;
    double v[5] = {0}, x[5] = {0}, p[5], rest[5], sum = 0;
    for (int32_t k = 0; k < dimension; k++) v[k] = u[k];
    v[0] += mu * tangential(half, u) + mu_r * tangential(half, u + half - 1);
    for (int32_t k = 0; k < dimension; k++) x[k] = r[k] - v[k];
    nb_rolling_cone_project(dimension, mu, mu_r, x, p, rest);
    for (int32_t k = 0; k < dimension; k++) {
        double f = r[0] > v[0] ? v[k] + rest[k] : r[k] - p[k];
        sum += f * f;
    }
    return sum;
}

void nb_natural_map_compute(const nb_file_data *data, const double *z, double *u, nb_natural_map *map) {
    int32_t rows = nb_file_data_rows(data), b = data->bilaterals;
    double sum = 0;
    nb_file_data_velocities(data, z, u);
    for (int32_t i = 0; i < data->contacts; i++) {
        int64_t r = b + (int64_t)data->dimension * i;
        const double *own = z + r, *velocity = u + r;
        sum += data->mu_r ? nb_natural_map_rolling(data->dimension, data->mu[i], data->mu_r[i], own, velocity)
                          : nb_natural_map_contact(data->friction_law, data->facets, data->dimension, data->mu[i], own,
                                                   velocity);
    }
    map->contacts = sqrt(sum);
    map->bilaterals = norm(b, u);
    map->fclib = map->contacts / (1 + sqrt(norm(rows - b, data->q + b))) + map->bilaterals / (1 + norm(b, data->q));
    double both = hypot(map->contacts, map->bilaterals), q = norm(rows, data->q);
    double largest = fmax(q, fmax(norm(rows, z), norm(rows - b, u + b)));
    map->relative = q > 0 ? both / q : both;
    map->siconos = largest > 0 ? both / largest : both;
}
