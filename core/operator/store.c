#include "operator/store.h"

#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "constraint/cone_rows.h"
#include "operator/sum.h"

NB_PRECISIONS(f32, f64);

static nb_status widen(int64_t count, const real *from, double **to) {
    nb_status status = NB_ALLOCATE(count, to);
    for (int64_t i = 0; status == NB_OK && i < count; i++) (*to)[i] = (double)from[i];
    return status;
}

static nb_status copy_entries(const nb_csr *a, nb_csr_f64 *to) {
    nb_status status;
    NB_TRY(nb_csr_make_f64(a->rows, a->rows, a->start[a->rows], to));
    memcpy(to->start, a->start, ((size_t)a->rows + 1) * sizeof *to->start);
    memcpy(to->column, a->column, (size_t)to->capacity * sizeof *to->column);
    for (int64_t k = 0; k < to->capacity; k++) to->value[k] = (double)a->value[k];
out:
    return status;
}

static nb_status store_entries(nb_system *system, nb_csr_f64 *to) {
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    return status == NB_OK ? copy_entries(a, to) : status;
}

static nb_status store_diagonal(const nb_system *system, nb_csr_f64 *to) {
    nb_status status = nb_csr_make_f64(system->rows, system->rows, system->rows, to);
    for (int32_t i = 0; status == NB_OK && i < system->rows; i++) {
        to->start[i + 1] = i + 1;
        to->column[i] = i;
        to->value[i] = (double)system->c[i];
    }
    return status;
}

/* K by rows: each row of a block has all of the block's columns */
static nb_status store_blocks(const nb_system *system, nb_csr_f64 *to) {
    const nb_delassus *d = system->delassus;
    nb_status status = nb_csr_make_f64(system->rows, system->rows, system->k_place[d->block_count], to);
    for (int32_t i = 0; status == NB_OK && i < d->block_count; i++) {
        int32_t first = d->block_start[i], n = d->block_start[i + 1] - first;
        for (int32_t r = 0; r < n; r++) {
            int64_t place = system->k_place[i] + (int64_t)r * n; /* the order of k is that of the rows */
            for (int32_t c = 0; c < n; c++) {
                to->column[place + c] = first + c;
                to->value[place + c] = (double)system->k[place + c];
            }
            to->start[first + r + 1] = place + n;
        }
    }
    return status;
}

/* H, whose rows are empty for nodes without mass */
static nb_status store_mass(const nb_mass *mass, nb_csr_f64 *to) {
    nb_csr *h;
    nb_status status = mass->type->matrix(mass, &h);
    if (status == NB_OK) status = copy_entries(h, to);
    nb_csr_destroy(h);
    return status;
}

/* the nodes of a block with the columns of its Jacobian where each one's begin, by ascending nodes */
static void sort_nodes(const nb_nodes *nodes, int count, int32_t node[NB_BLOCK_NODES], int begin[NB_BLOCK_NODES]) {
    for (int n = 0, column = 0; n < count; n++) {
        int32_t moved = node[n];
        int at = n;
        for (; at > 0 && node[at - 1] > moved; at--) {
            node[at] = node[at - 1];
            begin[at] = begin[at - 1];
        }
        node[at] = moved;
        begin[at] = column;
        column += nb_node_velocities(nodes, moved);
    }
}

/* the rows of J of one block, from entry `used` on; returns the entry behind them */
static int64_t store_block_rows(const nb_sum_view *view, int32_t i, int64_t used, nb_csr_f64 *to) {
    const nb_nodes *nodes = view->sum->mass->nodes;
    const int32_t *start = view->base.block_start;
    real block[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES];
    int begin[NB_BLOCK_NODES], columns = 0, count = nb_sum_whole_jacobian(view, i, node, block);
    for (int n = 0; n < count; n++) columns += nb_node_velocities(nodes, node[n]);
    sort_nodes(nodes, count, node, begin);
    for (int32_t r = start[i]; r < start[i + 1]; r++) {
        const real *row = block + (ptrdiff_t)(r - start[i]) * columns;
        for (int n = 0; n < count; n++)
            for (int c = 0; c < nb_node_velocities(nodes, node[n]); c++) {
                to->column[used] = nodes->velocity[node[n]] + c;
                to->value[used++] = (double)row[begin[n] + c];
            }
        to->start[r + 1] = used;
    }
    return used;
}

/* J, with columns for nodes without mass */
static nb_status store_jacobian(const nb_sum_view *view, nb_csr_f64 *to) {
    nb_status status;
    const nb_delassus *d = &view->base;
    real block[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES];
    int64_t nonzeros = 0, used = 0;
    for (int32_t i = 0; i < d->block_count; i++) {
        int count = nb_sum_whole_jacobian(view, i, node, block);
        for (int n = 0; n < count; n++)
            nonzeros +=
                (int64_t)(d->block_start[i + 1] - d->block_start[i]) * nb_node_velocities(d->mass->nodes, node[n]);
    }
    NB_TRY(nb_csr_make_f64(d->rows, d->mass->nodes->velocity[d->mass->nodes->count], nonzeros, to));
    for (int32_t i = 0; i < d->block_count; i++) used = store_block_rows(view, i, used, to);
out:
    return status;
}

static int has_factors(const nb_problem *p) {
    return nb_sum_view_of(p->delassus) != NULL;
}

static nb_status store_factors(const nb_problem *p, nb_csr_f64 *jacobian, nb_csr_f64 *mass) {
    nb_status status;
    NB_TRY(store_jacobian((const nb_sum_view *)p->delassus, jacobian));
    NB_TRY(store_mass(p->delassus->mass, mass));
out:
    return status;
}

/* whether the system is over the problem's rows; else it is a matrix over something of the method's own */
static int is_over_rows(const nb_system *system, const nb_problem *p) {
    return system->delassus == p->delassus || system->delassus == p->exact;
}

/* h = S J H^-1 g - b */
static nb_status store_residual(const nb_system *system, const nb_problem *p, nb_stored_system *stored) {
    nb_status status;
    real *rows = NULL;
    NB_TRY(NB_ALLOCATE(p->rows, &rows));
    NB_TRY(NB_ALLOCATE(p->rows, &stored->residual_h));
    p->type->momentum_rows(p, rows);
    for (int32_t r = 0; r < p->rows; r++) stored->residual_h[r] = (double)(system->s[r] * rows[r]) - stored->b[r];
out:
    nb_free(rows);
    return status;
}

nb_status nb_system_store(nb_system *system, const nb_problem *problem, nb_stored_system *stored) {
    nb_status status;
    *stored = (nb_stored_system){.rows = system->rows};
    if (system->unknowns) snprintf(stored->unknowns, sizeof stored->unknowns, "%s", system->unknowns);
    for (int k = 0; system->unknowns && k < 2; k++)
        snprintf(stored->units[k], sizeof *stored->units, "%s", system->units[k] ? system->units[k] : "see unknowns");
    NB_TRY(store_entries(system, &stored->a));
    NB_TRY(store_diagonal(system, &stored->c));
    if (system->k) NB_TRY(store_blocks(system, &stored->k));
    NB_TRY(widen(system->rows, system->s, &stored->s));
    NB_TRY(widen(system->rows, system->b, &stored->b));
    if (!is_over_rows(system, problem)) {
        NB_TRY(NB_ALLOCATE(system->rows, &stored->residual_h));
        for (int32_t r = 0; r < system->rows; r++) stored->residual_h[r] = -stored->b[r];
        goto out;
    }
    NB_TRY(store_residual(system, problem, stored));
    if (has_factors(problem)) {
        stored->velocities = problem->velocities;
        NB_TRY(store_factors(problem, &stored->j, &stored->h));
        NB_TRY(widen(problem->velocities, problem->momentum, &stored->g));
    }
out:
    if (status != NB_OK) nb_stored_system_clear(stored);
    return status;
}

/* what a row is multiplied with so that the friction's ellipse becomes a disc */
static double stretch_of(const nb_problem *p, const nb_cone_rows *laws, int64_t row) {
    return row >= p->bilaterals && (row - p->bilaterals) % 3 == 2 ? (double)laws->cone->ratio : 1;
}

/* What stands above the diagonal, below it as well, where it was summed in another order: columns ascend in each row.
 */
static nb_status mirror(nb_csr_f64 *a) {
    nb_status status;
    int64_t *next = NULL; /* [rows] entry of each row that is to be written next */
    NB_TRY(NB_ALLOCATE(a->rows, &next));
    memcpy(next, a->start, (size_t)a->rows * sizeof *next);
    for (int32_t r = 0; r < a->rows; r++)
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++)
            if (a->column[k] > r) a->value[next[a->column[k]]++] = a->value[k];
out:
    nb_free(next);
    return status;
}

static nb_status store_delassus(const nb_problem *p, const nb_cone_rows *laws, nb_csr_f64 *to) {
    nb_status status;
    nb_csr *d = NULL;
    NB_TRY(p->delassus->type->pattern(p->delassus, &d));
    p->delassus->type->values(p->delassus, d);
    NB_TRY(nb_interrupt_check());
    for (int32_t r = p->bilaterals; r < p->rows; r += 3)
        for (int64_t k = d->start[r]; k < d->start[r + 1]; k++)
            if (d->column[k] == r) d->value[k] += laws->cone->soft;
    NB_TRY(copy_entries(d, to));
    for (int32_t r = 0; r < p->rows; r++)
        for (int64_t k = to->start[r]; k < to->start[r + 1]; k++)
            to->value[k] *= stretch_of(p, laws, r) * stretch_of(p, laws, to->column[k]);
    NB_TRY(mirror(to));
out:
    nb_csr_destroy(d);
    return status;
}

/* rows += sign J v: by the matrix as it is stored, and no kernel of an instruction set, whose sums are rounded
 * otherwise, so that the numbers of a problem are the same on every processor */
static void add_product(const nb_csr_f64 *jacobian, double sign, const real *velocity, double *rows) {
    for (int64_t r = 0; r < jacobian->rows; r++) {
        double sum = 0;
        for (int64_t k = jacobian->start[r]; k < jacobian->start[r + 1]; k++)
            sum += jacobian->value[k] * (double)velocity[jacobian->column[k]];
        rows[r] += sign * sum;
    }
}

static int any_moves(const nb_problem *p) {
    for (int32_t i = 0; i < p->velocities; i++)
        if (p->u[i] != 0) return 1;
    return 0;
}

/* w = value, J u of bodies that are moved included */
static nb_status store_values(nb_problem *p, const nb_cone_rows *laws, nb_contact_problem *stored) {
    nb_status status;
    const int apart = p->frozen && any_moves(p); /* else values are no J u and a constant */
    const size_t bytes = (size_t)p->velocities * sizeof(real);
    real *u = NULL;
    NB_TRY(NB_ALLOCATE(p->velocities, &u));
    memcpy(u, p->u, bytes);
    if (apart) {
        memset(p->u, 0, bytes);
        p->type->evaluate_values(p);
    }
    NB_TRY(widen(p->rows, p->value, &stored->w));
    for (int32_t r = 0; r < p->rows; r++) stored->w[r] *= stretch_of(p, laws, r);
    if (apart) {
        memcpy(p->u, u, bytes);
        p->type->evaluate_values(p);
        add_product(&stored->jacobian, 1, u, stored->w);
    }
out:
    nb_free(u);
    return status;
}

/* q = w - J M^-1 g */
static nb_status store_free_velocities(const nb_problem *p, nb_contact_problem *stored) {
    nb_status status;
    const nb_mass *mass = p->delassus->mass;
    const int32_t *first = p->nodes->velocity;
    real *velocity = NULL;
    NB_TRY(NB_ALLOCATE(p->velocities, &velocity));
    for (int32_t i = 0; i < p->nodes->count; i++)
        if (mass->moves[i]) mass->type->solve_node(mass, i, p->momentum + first[i], velocity + first[i]);
    NB_TRY(NB_ALLOCATE(p->rows, &stored->q));
    memcpy(stored->q, stored->w, (size_t)p->rows * sizeof *stored->q);
    add_product(&stored->jacobian, -1, velocity, stored->q);
out:
    nb_free(velocity);
    return status;
}

/* At u = 0, z = 0 the momentum residual is g = -M u~, and the rows' value holds what does not depend on u:
 * f = -g, w = value, q = value - J M^-1 g. The Jacobian is stored by then. */
static nb_status store_vectors(nb_problem *p, const nb_cone_rows *laws, nb_contact_problem *stored) {
    nb_status status;
    NB_TRY(store_values(p, laws, stored));
    NB_TRY(store_free_velocities(p, stored));
    NB_TRY(widen(p->velocities, p->momentum, &stored->f));
    for (int32_t i = 0; i < p->velocities; i++) stored->f[i] = 0 - stored->f[i]; /* no zero below zero */
    NB_TRY(widen(p->contacts, laws->cone->mu, &stored->mu));
    NB_TRY(widen(p->bilaterals, laws->bilateral->compliance, &stored->compliance));
out:
    return status;
}

nb_status nb_problem_store(nb_problem *problem, nb_contact_problem *stored) {
    nb_status status;
    nb_cone_rows laws;
    *stored = (nb_contact_problem){0};
    NB_TRY(nb_cone_rows_of(problem, "a contact problem's file", &laws));
    problem->type->evaluate(problem, NULL);
    *stored = (nb_contact_problem){.bilaterals = problem->bilaterals,
                                   .contacts = problem->contacts,
                                   .rows = problem->rows,
                                   .velocities = problem->velocities,
                                   .time_step = (double)problem->h,
                                   .soft = (double)laws.cone->soft};
    NB_TRY(store_delassus(problem, &laws, &stored->delassus));
    NB_TRY(store_factors(problem, &stored->jacobian, &stored->mass));
    for (int32_t r = 0; r < problem->rows; r++)
        for (int64_t k = stored->jacobian.start[r]; k < stored->jacobian.start[r + 1]; k++)
            stored->jacobian.value[k] *= stretch_of(problem, &laws, r);
    NB_TRY(store_vectors(problem, &laws, stored));
out:
    if (status != NB_OK) nb_contact_problem_clear(stored);
    return status;
}
