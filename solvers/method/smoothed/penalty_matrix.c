#include "penalty_matrix.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "constraint/step.h"
#include "operator/contact_pack.h"
#include "operator/delassus_matrix.h"
#include "operator/low_rank_mass.h"
#include "operator/sum.h"
#include "penalty_geometry.h"
#include "penalty_kernels.h"

NB_PRECISIONS(f32, f64);

/* ---- the pattern ---- */

void nb_penalty_matrix_clear(nb_penalty_matrix *m) {
    nb_system_destroy(m->system);
    nb_delassus_matrix_destroy(m->delassus);
    nb_node_pairs_clear(&m->pairs);
    nb_csr_destroy(m->mass);
    nb_free(m->x);
    nb_free(m->place);
    nb_free(m->t);
    nb_free(m->element);
    nb_free(m->position);
    nb_free(m->wide);
    *m = (nb_penalty_matrix){0};
}

nb_status nb_penalty_matrix_make(nb_penalty_matrix *m, nb_problem *p, int symmetric) {
    const nb_delassus *d = p->delassus;
    nb_status status;
    double h;
    nb_penalty_matrix_clear(m);
    const nb_mass *mass = nb_low_rank_mass_base(d->mass);
    if (nb_mass_couples(mass)) NB_TRY(mass->type->matrix(mass, &m->mass));
    NB_TRY(nb_node_pairs_make(&m->pairs, d, m->mass, 1, NULL));
    NB_TRY(NB_ALLOCATE((int64_t)d->block_count + 1, &m->place));
    for (int32_t i = 0; i < d->block_count; i++) {
        const int64_t n = d->block_start[i + 1] - d->block_start[i];
        m->place[i + 1] = m->place[i] + n * n;
    }
    NB_TRY(NB_ALLOCATE(m->place[d->block_count], &m->t));
    NB_TRY(NB_ALLOCATE(d->block_count, &m->element));
    m->world = nb_step_world(nb_step_of(p), &h);
    nb_penalty_geometry_elements(p, m->world, m->element);
    if (m->world->cavity_count > 0) NB_TRY(NB_ALLOCATE(3 * (int64_t)m->world->particle_count, &m->position));
    if (m->pairs.nodes == 0) return NB_OK;
    NB_TRY(nb_node_pairs_csr(&m->pairs, &m->matrix));
    if (sizeof(real) < sizeof(double)) NB_TRY(NB_ALLOCATE(m->pairs.entry[m->pairs.nodes], &m->wide));
    m->value = m->wide ? m->wide : (void *)m->matrix->value;
    NB_TRY(nb_delassus_matrix_create(m->matrix, m->pairs.nodes, m->pairs.row, 0, NULL, &m->delassus));
    NB_TRY(nb_system_create(m->delassus, &m->system));
    NB_TRY(NB_ALLOCATE(m->matrix->rows, &m->x));
    m->system->symmetric = symmetric;
    m->system->unknowns = "velocity changes du, 6 a body that moves (m/s, rad/s), then 3 a particle (m/s)";
out:
    return status;
}

/* ---- the values ---- */

/* whether T of a block is 0: a contact that is open */
static inline int is_zero(int n, const double *t) {
    for (int k = 0; k < n; k++)
        if (t[k * n + k] != 0) return 0;
    return 1;
}

/* sum += J^T T J of a block of n rows */
static inline void add_block(int n, int columns, const real *j, const double *t, double *sum) {
    for (int r = 0; r < n; r++) {
        double right[NB_BLOCK_COLUMNS] = {0};
        for (int k = 0; k < n; k++)
            for (int c = 0; t[r * n + k] != 0 && c < columns; c++)
                right[c] += t[r * n + k] * (double)j[k * columns + c];
        for (int a = 0; a < columns; a++)
            for (int b = 0; b < columns; b++) sum[a * columns + b] += (double)j[r * columns + a] * right[b];
    }
}

static void add_group(nb_penalty_matrix *m, const nb_problem *p, int32_t g) {
    const nb_delassus *d = p->delassus;
    double sum[NB_BLOCK_COLUMNS * NB_BLOCK_COLUMNS];
    real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES];
    const int columns = nb_node_pairs_columns(&m->pairs, g);
    int closed = 0;
    for (int32_t i = d->group_start[g]; i < d->group_start[g + 1]; i++) {
        const int n = (int)(d->block_start[i + 1] - d->block_start[i]);
        const double *t = m->t + m->place[i];
        if (is_zero(n, t)) continue;
        if (!closed) memset(sum, 0, (size_t)(columns * columns) * sizeof *sum);
        closed = 1;
        const int nodes = d->type->block_jacobian(d, i, node, j);
        if (n == 3 && columns == 3) /* constants: loops unrolled */
            add_block(3, 3, j, t, sum);
        else
            add_block(n, columns, j, t, sum);
        nb_penalty_geometry_add(p, m->world, m->element[i], m->exact, nodes, node, sum);
    }
    if (closed) nb_node_pairs_add(&m->pairs, g, sum, m->value);
}

/* ---- contacts between rigid bodies ---- */

/* The blocks of contacts between bodies, from *first on, *count of them; NULL: there are none. */
static const nb_contact_rows *find_contacts(const nb_delassus *d, int32_t *first, int32_t *count) {
    const nb_sum_view *view = nb_sum_view_of(d);
    *first = *count = 0;
    for (int k = 0; view && k < view->sum->packs; k++) {
        if (view->sum->pack[k]->type != &nb_contact_pack_class) continue;
        *first = view->first[k];
        *count = view->end[k] - view->begin[k];
        return ((const nb_contact_pack *)view->sum->pack[k])->contacts + view->begin[k];
    }
    return NULL;
}

static void add_rows(nb_penalty_matrix *m, const nb_problem *p) {
    const nb_delassus *d = p->delassus;
    int32_t first, count;
    const nb_contact_rows *contacts = find_contacts(d, &first, &count);
    for (int32_t g = 0; g < d->group_count;) {
        int32_t end = g;
        while (end < d->group_count && d->group_start[end] >= first && d->group_start[end] < first + count) end++;
        if (end == g) {
            add_group(m, p, g++);
            continue;
        }
        const nb_penalty_pairs of = {&m->pairs,      d->group_start, contacts, m->t + m->place[first],
                                     d->mass->moves, first,          m->value};
        nb_penalty_kernels_best()->add_pairs(&of, g, end);
        g = end;
    }
}

/* ---- cavities ---- */

/* the block of particles (a, b) += scale [c]x, and that of (b, a) its transpose, where both have mass and share a row
 */
static void add_turn(nb_penalty_matrix *m, const nb_problem *p, const int32_t particle[2], double scale,
                     const double c[3]) {
    const nb_node_pairs *pairs = &m->pairs;
    const int32_t i = pairs->slot[p->nodes->bodies + particle[0]], j = pairs->slot[p->nodes->bodies + particle[1]];
    if (i < 0 || j < 0) return;
    for (int back = 0; back < 2; back++) {
        const int32_t place = nb_node_pairs_find(pairs, back ? j : i, back ? i : j);
        const int64_t stride = pairs->length[back ? j : i];
        const double s = back ? -scale : scale;
        if (place < 0) continue;
        double *to = m->value + pairs->entry[back ? j : i] + place;
        to[1] -= s * c[2];
        to[2] += s * c[1];
        to[stride] += s * c[2];
        to[stride + 2] -= s * c[0];
        to[2 * stride] -= s * c[1];
        to[2 * stride + 1] += s * c[0];
    }
}

/* -h^2 P d2V/dx2 at the iterate, which is indefinite */
static void add_cavities(nb_penalty_matrix *m, const nb_problem *p) {
    const nb_world *world = m->world;
    const double h = (double)p->h;
    if (!m->position) return;
    for (int32_t i = 0; i < world->particle_count; i++) {
        const real *u = p->u + p->nodes->velocity[p->nodes->bodies + i];
        const nb_vec3 at = world->particles[i].position;
        const double x[3] = {at.x + h * (double)u[0], at.y + h * (double)u[1], at.z + h * (double)u[2]};
        memcpy(m->position + 3 * (ptrdiff_t)i, x, sizeof x);
    }
    for (int32_t k = 0; k < world->cavity_count; k++) {
        const nb_cavity *surface = &world->cavities[k].surface;
        const double pressure = nb_volume_pressure(&world->cavities[k].law, nb_cavity_volume(surface, m->position));
        for (int32_t i = 0; isfinite(pressure) && i < 3 * surface->triangle_count; i++) {
            const int32_t *corner = surface->triangles + 3 * (ptrdiff_t)(i / 3);
            const int32_t edge[2] = {corner[i % 3], corner[(i + 1) % 3]};
            add_turn(m, p, edge, h * h * pressure / 6, m->position + 3 * (ptrdiff_t)corner[(i + 2) % 3]);
        }
    }
}

/* less what contacts that move add to d(J^T z)/du */
static void add_basis(nb_penalty_matrix *m, const nb_penalty_basis *basis) {
    const nb_node_pairs *pairs = &m->pairs;
    for (int32_t n = 0; n < basis->count; n++)
        for (int part = 0; part < 4; part++) {
            const nb_penalty_change *c = &basis->change[n];
            const int32_t i = pairs->slot[c->body[part / 2]], j = pairs->slot[c->body[part % 2]];
            if (i < 0 || j < 0) continue;
            const double *from = c->by_velocity + 72 * (part / 2) + 6 * (part % 2);
            double *to = m->value + pairs->entry[i] + nb_node_pairs_find(pairs, i, j);
            for (int r = 0; r < 6; r++, from += 12, to += pairs->length[i])
                for (int k = 0; k < 6; k++) to[k] -= from[k];
        }
}

void nb_penalty_matrix_assemble(nb_penalty_matrix *m, const nb_problem *p, double damping) {
    const nb_delassus *d = p->delassus;
    const nb_node_pairs *pairs = &m->pairs;
    if (!m->system) return;
    memset(m->value, 0, (size_t)pairs->entry[pairs->nodes] * sizeof *m->value);
    nb_node_pairs_add_mass(pairs, nb_low_rank_mass_base(d->mass), m->mass, m->value);
    for (int64_t e = 0; damping > 0 && e < pairs->entry[pairs->nodes]; e++) m->value[e] *= 1 + damping;
    add_rows(m, p);
    if (m->basis) add_basis(m, m->basis);
    if (m->exact) add_cavities(m, p);
    for (int64_t e = 0; m->wide && e < pairs->entry[pairs->nodes]; e++) m->matrix->value[e] = (real)m->value[e];
    for (int32_t i = 0; i < pairs->nodes; i++) {
        const real *g = p->momentum + p->nodes->velocity[pairs->node[i]];
        for (int32_t r = pairs->row[i]; r < pairs->row[i + 1]; r++) m->system->b[r] = -*g++;
    }
    nb_system_values_changed(m->system);
}

void nb_penalty_matrix_spread(const nb_penalty_matrix *m, const nb_problem *p, real *du) {
    memset(du, 0, (size_t)p->velocities * sizeof *du);
    for (int32_t i = 0; i < m->pairs.nodes; i++)
        memcpy(du + p->nodes->velocity[m->pairs.node[i]], m->x + m->pairs.row[i],
               (size_t)nb_node_pairs_width(&m->pairs, i) * sizeof *du);
}

void nb_penalty_matrix_damp(const nb_penalty_matrix *m, nb_problem *p, double damping, real *scratch) {
    const nb_nodes *nodes = p->nodes;
    const nb_mass *mass = nb_low_rank_mass_base(p->delassus->mass);
    real *velocity = scratch, *force = scratch + nb_nodes_length(nodes);
    for (int32_t i = 0; i < m->pairs.nodes; i++) {
        const int32_t node = m->pairs.node[i];
        memcpy(velocity + nodes->place[node], p->u + nodes->velocity[node],
               (size_t)nb_node_velocities(nodes, node) * sizeof *velocity);
    }
    mass->type->apply(mass, m->pairs.nodes, m->pairs.node, velocity, force);
    for (int32_t i = 0; i < m->pairs.nodes; i++) {
        const int32_t node = m->pairs.node[i];
        for (int k = 0; k < nb_node_velocities(nodes, node); k++)
            p->momentum[nodes->velocity[node] + k] += (real)damping * force[nodes->place[node] + k];
    }
}
