#include "penalty_geometry.h"

#include <math.h>
#include <string.h>

#include "constraint/bilateral.h"
#include "element/elastic_law.h"
#include "element/scalar_lane.h"
#include "element/tetrahedron_formulas.h"

NB_PRECISIONS(f32, f64);

/* ---- which element a block is ---- */

static int is_principal(const nb_world *world, int32_t i) {
    return world->materials[world->tetrahedra[i].material].kind == NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL;
}

/* tetrahedra of one kind stand in the world's order */
static void list_tetrahedra(const nb_world *world, int principal, int32_t *element) {
    for (int32_t i = 0; i < world->tetrahedron_count; i++)
        if (is_principal(world, i) == principal) *element++ = 2 * i;
}

void nb_penalty_geometry_elements(const nb_problem *p, const nb_world *world, int32_t *element) {
    for (int32_t i = 0; i < p->delassus->block_count; i++) element[i] = -1;
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        int32_t node[NB_BLOCK_NODES];
        if (range->blocks == 0) continue;
        if (range->law->type == &nb_elastic_class)
            list_tetrahedra(world, 0, element + range->first_block);
        else if (range->law->type == &nb_elastic_principal_class)
            list_tetrahedra(world, 1, element + range->first_block);
        else if (range->law->type == &nb_bilateral_class && range->blocks == world->spring_count &&
                 p->delassus->type->block_nodes(p->delassus, range->first_block, node) > 0 &&
                 node[0] >= p->nodes->bodies)
            for (int32_t i = 0; i < range->blocks; i++) element[range->first_block + i] = 2 * i + 1;
    }
}

/* ---- one element ---- */

static nb_vec3 position_of(const nb_problem *p, const nb_world *world, int32_t particle) {
    const real *u = p->u + p->nodes->velocity[p->nodes->bodies + particle];
    return nb_add_scaled(world->particles[particle].position, (double)p->h,
                         nb_vec3_of((double)u[0], (double)u[1], (double)u[2]));
}

/* which of the nodes the particle is, or -1: it has no mass */
static int slot_of(const nb_problem *p, int32_t particle, int nodes, const int32_t *node) {
    for (int k = 0; k < nodes; k++)
        if (node[k] == p->nodes->bodies + particle) return k;
    return -1;
}

static void add_spring(const nb_problem *p, const nb_world *world, const nb_spring *of, int exact, int nodes,
                       const int32_t *node, double *sum) {
    const nb_vec3 apart = nb_sub(position_of(p, world, of->particle[0]), position_of(p, world, of->particle[1]));
    const double length = nb_norm(apart), n[3] = {apart.x / length, apart.y / length, apart.z / length};
    const double pull = (double)p->h * (double)p->h * of->stiffness * (length - of->length) / length;
    if (!(exact || pull > 0) || !isfinite(pull)) return;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            const int i = slot_of(p, of->particle[a], nodes, node), j = slot_of(p, of->particle[b], nodes, node);
            const double sign = a == b ? pull : -pull;
            for (int r = 0; i >= 0 && j >= 0 && r < 3; r++)
                for (int c = 0; c < 3; c++) sum[(3 * i + r) * 3 * nodes + 3 * j + c] += sign * ((r == c) - n[r] * n[c]);
        }
}

typedef struct stresses {
    double q[3], g[3];   /* principal; G of the pairs (1, 2), (0, 2), (0, 1), as the rows have it [Pa] */
    double more[3];      /* what G is more */
    double normal[3][3]; /* what the second derivatives by stretches are more than the rows have */
} stresses;

/* what the convex model of the material leaves out */
static void leave_out(double mu, double lambda, const real s[3], stresses *out) {
    static const int at[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    const real floor = (real)(mu / 2);
    real stiffness[6], shear[3], full[9], root[3], convex[6];
    nb_lane_svd apart;
    nb_lane_neo_hookean_stiffness((real)mu, (real)lambda, s, stiffness, shear);
    for (int k = 0; k < 9; k++) full[k] = stiffness[at[k]];
    nb_lane_svd_of(full, &apart);
    for (int k = 0; k < 3; k++) {
        root[k] = nb_lane_largest(nb_lane_abs(apart.s[k]), floor);
        out->more[k] = (double)shear[k] - out->g[k];
    }
    nb_lane_symmetric(apart.v, root, convex);
    for (int k = 0; k < 9; k++) out->normal[k / 3][k % 3] = (double)(full[k] - convex[at[k]]);
}

static void stresses_of(const nb_world *world, const nb_tetrahedron *of, const nb_lane_svd *svd, int exact,
                        stresses *out) {
    const nb_material *material = &world->materials[of->material];
    const double mu = nb_material_mu(material), lambda = nb_material_lambda(material);
    double strain[3], trace = 0;
    nb_lane_principal at;
    memset(out, 0, sizeof *out);
    if (material->kind != NB_MATERIAL_LINEAR) {
        nb_lane_neo_hookean((real)mu, (real)lambda, svd->s, &at);
        for (int k = 0; k < 3; k++) {
            out->q[k] = (double)at.stress[k];
            out->g[k] = 1 / (double)at.shear[k];
        }
        if (exact) leave_out(mu, lambda, svd->s, out);
        return;
    }
    for (int k = 0; k < 3; k++) {
        const double v[3] = {(double)svd->v[k], (double)svd->v[3 + k], (double)svd->v[6 + k]}, *a = of->activation;
        strain[k] = (double)svd->s[k] - 1 - a[0] * v[0] * v[0] - a[1] * v[1] * v[1] - a[2] * v[2] * v[2] -
                    a[3] * v[1] * v[2] - a[4] * v[0] * v[2] - a[5] * v[0] * v[1];
        trace += strain[k];
    }
    for (int k = 0; k < 3; k++) {
        out->q[k] = 2 * mu * strain[k] + lambda * trace;
        out->g[k] = mu;
    }
}

/* a tetrahedron where the iterate leads: its corners among the nodes, or -1, F, and its stresses */
typedef struct deformed {
    int slot[4];
    double b[4][3]; /* gradients of the shape functions [1/m] */
    nb_lane_svd svd;
    stresses at;
} deformed;

static void deform(const nb_problem *p, const nb_world *world, const nb_tetrahedron *of, int exact, int nodes,
                   const int32_t *node, deformed *d) {
    nb_vec3 corner[4];
    real f[9];
    for (int a = 0; a < 4; a++) {
        d->b[a][0] = of->rest.gradient[a].x;
        d->b[a][1] = of->rest.gradient[a].y;
        d->b[a][2] = of->rest.gradient[a].z;
        corner[a] = position_of(p, world, of->particle[a]);
        d->slot[a] = slot_of(p, of->particle[a], nodes, node);
    }
    const nb_mat3 m = nb_rest_shape_gradient(&of->rest, corner);
    for (int k = 0; k < 9; k++) f[k] = (real)m.m[k / 3][k % 3];
    nb_lane_svd_of(f, &d->svd);
    stresses_of(world, of, &d->svd, exact, &d->at);
}

/* u_i . dF v_j over the velocities of the nodes */
static void form_of(const deformed *d, int i, int j, double form[12]) {
    memset(form, 0, 12 * sizeof *form);
    for (int a = 0; a < 4; a++) {
        double along = 0;
        if (d->slot[a] < 0) continue;
        for (int k = 0; k < 3; k++) along += d->b[a][k] * (double)d->svd.v[3 * k + j];
        for (int k = 0; k < 3; k++) form[3 * d->slot[a] + k] = (double)d->svd.u[3 * k + i] * along;
    }
}

/* sum += a x y^T */
static void add_product(int n, double a, const double x[12], const double y[12], double *sum) {
    for (int r = 0; a != 0 && r < n; r++)
        for (int c = 0; c < n; c++) sum[r * n + c] += a * x[r] * y[c];
}

/* the pair (i, j), the k-th; `own` 1: its rows have the shear G */
static void add_pair(const deformed *d, int k, int own, int exact, double weight, int n, double *sum) {
    const int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    const double *q = d->at.q, s[2] = {(double)d->svd.s[i], (double)d->svd.s[j]}, across = q[j] - q[i],
                 both = fmax(s[0] + s[1], (double)nb_least_sum), g = 4 * d->at.g[k];
    double turn = q[i] * s[0] + q[j] * s[1], x[12], t[12], p[12];
    if (!exact) turn = fmax(turn, across * across / g);
    form_of(d, i, j, x);
    form_of(d, j, i, t);
    for (int r = 0; r < n; r++) {
        t[r] = (x[r] - t[r]) / both;
        p[r] = x[r] - s[1] * t[r];
    }
    add_product(n, weight * (4 * d->at.more[k] + (own ? 0 : g)), p, p, sum);
    add_product(n, weight * across, p, t, sum);
    add_product(n, weight * across, t, p, sum);
    add_product(n, weight * turn, t, t, sum);
}

static void add_tetrahedron(const nb_problem *p, const nb_world *world, int32_t i, int exact, int nodes,
                            const int32_t *node, double *sum) {
    const nb_tetrahedron *of = &world->tetrahedra[i];
    const double weight = (double)p->h * (double)p->h * of->rest.volume;
    double s[3][12];
    deformed d;
    deform(p, world, of, exact, nodes, node, &d);
    for (int k = 0; k < 3; k++) add_pair(&d, k, !is_principal(world, i), exact, weight, 3 * nodes, sum);
    if (!exact) return;
    for (int r = 0; r < 3; r++) form_of(&d, r, r, s[r]);
    for (int k = 0; k < 9; k++) add_product(3 * nodes, weight * d.at.normal[k / 3][k % 3], s[k / 3], s[k % 3], sum);
}

void nb_penalty_geometry_add(const nb_problem *p, const nb_world *world, int32_t element, int exact, int nodes,
                             const int32_t *node, double *sum) {
    if (element < 0) return;
    if (element % 2)
        add_spring(p, world, &world->springs[element / 2], exact, nodes, node, sum);
    else
        add_tetrahedron(p, world, element / 2, exact, nodes, node, sum);
}
