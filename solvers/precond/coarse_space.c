#include "precond/coarse_space.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <tgmath.h>

#include "base/dense_room.h"
#include "base/interrupt.h"
#include "base/long_call.h"
#include "base/memory.h"
#include "operator/system.h"

NB_PRECISIONS(f32, f64);

/* Where bodies are, from the rows of their contacts alone: systems know no places. Of a contact's three rows, whose
 * directions D are orthonormal, a body's part of J is D and (r x D), r from its centre to the contact, so that
 * r = 1/2 sum of D x (r x D); two bodies in contact are r_a - r_b apart. */

/* from body a to b: x_b - x_a */
typedef struct link {
    int32_t a, b;
    double apart[3];
} link;

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* r of the body whose six columns begin at `column`; 0 where the directions are not orthonormal */
static int find_arm(const real *jacobian, int columns, int column, double arm[3]) {
    double d[3][3];
    memset(arm, 0, 3 * sizeof *arm);
    for (int k = 0; k < 3; k++) {
        const real *row = jacobian + (int64_t)k * columns + column;
        double turn[3], part[3];
        for (int c = 0; c < 3; c++) {
            d[k][c] = (double)row[c];
            turn[c] = (double)row[3 + c];
        }
        cross(d[k], turn, part);
        for (int c = 0; c < 3; c++) arm[c] += 0.5 * part[c];
        for (int l = 0; l <= k; l++) {
            const double product = d[k][0] * d[l][0] + d[k][1] * d[l][1] + d[k][2] * d[l][2];
            if (!(fabs(product - (k == l)) < 1e-4)) return 0;
        }
    }
    return 1;
}

static int find_link(const nb_delassus *d, int32_t i, link *l) {
    int32_t node[NB_BLOCK_NODES];
    real jacobian[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    double arm[2][3];
    const int nodes = d->type->block_jacobian(d, i, node, jacobian);
    if (nodes != 2 || d->block_start[i + 1] - d->block_start[i] < 3) return 0;
    for (int k = 0; k < 2; k++)
        if (nb_node_velocities(d->mass->nodes, node[k]) != 6 || !find_arm(jacobian, 12, 6 * k, arm[k])) return 0;
    l->a = node[0];
    l->b = node[1];
    for (int c = 0; c < 3; c++) l->apart[c] = arm[0][c] - arm[1][c];
    return 1;
}

/* goes from body to body along links, of which `first` and `next` are lists: 2 l from a, 2 l + 1 from b */
static void walk(int32_t nodes, const link *links, const int32_t *first, const int32_t *next, int32_t *queue, double *x,
                 uint8_t *known) {
    for (int32_t root = 0; root < nodes; root++) {
        int32_t count = 0;
        if (known[root]) continue;
        known[root] = 1;
        queue[count++] = root;
        for (int32_t at = 0; at < count; at++)
            for (int32_t e = first[queue[at]]; e >= 0; e = next[e]) {
                const link *l = &links[e / 2];
                const int32_t to = e % 2 ? l->a : l->b;
                if (known[to]) continue;
                known[to] = 1;
                for (int c = 0; c < 3; c++) x[3 * to + c] = x[3 * queue[at] + c] + (e % 2 ? -1 : 1) * l->apart[c];
                queue[count++] = to;
            }
    }
}

/* x [nodes][3], each up to a translation of all bodies that contacts join it to [m]; zero where none joins it. */
static nb_status places_of_rows(const nb_delassus *d, double *x) {
    nb_status status;
    const int32_t nodes = d->mass->nodes->count;
    int32_t count = 0, *first = NULL, *next = NULL, *queue = NULL;
    link *links = NULL;
    uint8_t *known = NULL;
    NB_TRY(NB_ALLOCATE(d->block_count, &links));
    NB_TRY(NB_ALLOCATE(nodes, &first));
    NB_TRY(NB_ALLOCATE(nodes, &queue));
    NB_TRY(NB_ALLOCATE(nodes, &known));
    NB_TRY(NB_ALLOCATE(2 * (int64_t)d->block_count, &next));
    memset(x, 0, 3 * (size_t)nodes * sizeof *x);
    memset(first, -1, (size_t)nodes * sizeof *first);
    for (int32_t i = 0; i < d->block_count; i++) {
        if (!find_link(d, i, &links[count])) continue;
        next[2 * count] = first[links[count].a];
        first[links[count].a] = 2 * count;
        next[2 * count + 1] = first[links[count].b];
        first[links[count].b] = 2 * count + 1;
        count++;
    }
    walk(nodes, links, first, next, queue, x, known);
out:
    nb_free(links);
    nb_free(first);
    nb_free(next);
    nb_free(queue);
    nb_free(known);
    return status;
}

static const double threshold = 0.1; /* of eigenvalues */

void nb_coarse_space_clear(nb_coarse_space *s) {
    void *owned[] = {s->slot, s->x,    s->in, s->inverse, s->owner, s->place,   s->value,      s->coarse,
                     s->c,    s->kept, s->w,  s->neumann, s->right, s->vectors, s->eigenvalues};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    *s = (nb_coarse_space){0};
}

nb_status nb_coarse_space_begin(nb_coarse_space *s, nb_system *system, const nb_csr *a, const nb_block_graph *graph,
                                const int32_t *parts_of_row) {
    nb_status status;
    const nb_system *rows = system->origin;
    if (!rows || rows->k || !rows->delassus->mass || nb_mass_couples(rows->delassus->mass))
        return nb_fail(NB_ERROR_USAGE,
                       "preconditioner 'schwarz': a coarse space requires --form stiffness and no elements");
    const nb_nodes *nodes = rows->delassus->mass->nodes;
    int32_t slots = 0;
    s->system = system;
    s->a = a;
    s->graph = graph;
    s->columns = 0;
    s->flops = 0;
    NB_TRY(NB_RESERVE(nodes->count, &s->slot_capacity, &s->slot));
    NB_TRY(NB_RESERVE(3 * (int64_t)nodes->count, &s->x_capacity, &s->x));
    NB_TRY(NB_RESERVE(a->rows, &s->in_capacity, &s->in));
    NB_TRY(NB_RESERVE(a->rows, &s->inverse_capacity, &s->inverse));
    NB_TRY(NB_RESERVE(a->rows, &s->w_capacity, &s->w));
    NB_TRY(NB_RESERVE(1, &s->place_capacity, &s->place));
    for (int32_t i = 0; i < nodes->count; i++) s->slot[i] = rows->delassus->mass->moves[i] ? slots++ : -1;
    for (int32_t i = 0; i < a->rows; i++) {
        s->inverse[i] = 1.0 / parts_of_row[i];
        s->in[i] = -1;
    }
    s->place[0] = 0;
    NB_TRY(places_of_rows(rows->delassus, s->x));
    if (slots != graph->count) return nb_fail(NB_ERROR_USAGE, "preconditioner 'schwarz': blocks are not the nodes");
out:
    return status;
}

void nb_coarse_space_keep(nb_coarse_space *s, nb_system *system, const nb_csr *a) {
    s->system = system;
    s->a = a;
    s->flops = 0;
}

/* ---- the vectors of a part ---- */

/* N += J^T S (1/C) S J of the rows of block i, where all of its nodes are in the part */
static void add_rows(nb_coarse_space *s, int32_t n, int32_t i) {
    const nb_system *rows = s->system->origin;
    const nb_delassus *d = rows->delassus;
    const int32_t *first = s->graph->first;
    real jacobian[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES], at[NB_BLOCK_COLUMNS], columns = 0;
    const int nodes = d->type->block_jacobian(d, i, node, jacobian);
    for (int k = 0; k < nodes; k++)
        for (int32_t slot = s->slot[node[k]], r = first[slot]; r < first[slot + 1]; r++) {
            if (s->in[r] < 0) return;
            at[columns++] = s->in[r];
        }
    for (int32_t r = d->block_start[i], b = 0; r < d->block_start[i + 1]; r++, b++) {
        const double weight = (double)rows->s[r] * (double)rows->s[r] / (double)rows->c[r];
        const real *j = jacobian + (int64_t)b * columns;
        for (int32_t k = 0; k < columns; k++)
            for (int32_t l = 0; l < columns; l++)
                s->neumann[(int64_t)at[k] * n + at[l]] += weight * ((double)j[k] * (double)j[l]);
    }
}

/* N and X B X of the part, [n][n] */
static void load(nb_coarse_space *s, const nb_part_rows *part) {
    const nb_system *rows = s->system->origin;
    const nb_mass *mass = rows->delassus->mass;
    const int32_t n = part->rows, *first = s->graph->first;
    memset(s->neumann, 0, (size_t)n * (size_t)n * sizeof *s->neumann);
    memset(s->right, 0, (size_t)n * (size_t)n * sizeof *s->right);
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = s->a->start[part->row[i]]; k < s->a->start[part->row[i] + 1]; k++) {
            const int32_t j = s->in[s->a->column[k]];
            if (j >= 0)
                s->right[(int64_t)i * n + j] =
                    s->inverse[part->row[i]] * (double)s->a->value[k] * s->inverse[part->row[j]];
        }
    for (int32_t node = 0; node < mass->nodes->count; node++) {
        real block[NB_NODE_WIDEST * NB_NODE_WIDEST];
        const int32_t slot = s->slot[node], at = slot >= 0 ? s->in[first[slot]] : -1;
        if (at < 0) continue;
        const int32_t width = first[slot + 1] - first[slot];
        mass->type->block(mass, node, block);
        for (int32_t r = 0; r < width; r++)
            for (int32_t c = 0; c < width; c++)
                s->neumann[(int64_t)(at + r) * n + at + c] += (double)block[r * width + c];
    }
    for (int32_t i = 0; i < rows->delassus->block_count; i++) add_rows(s, n, i);
}

/* v = X v, of length one, as the next column of Z */
static nb_status take_vector(nb_coarse_space *s, const nb_part_rows *part, const double *v) {
    nb_status status;
    const int64_t at = s->place[s->columns];
    double square = 0;
    NB_TRY(NB_RESERVE(s->columns + 1, &s->owner_capacity, &s->owner));
    NB_TRY(NB_RESERVE(s->columns + 2, &s->place_capacity, &s->place));
    NB_TRY(NB_RESERVE(at + part->rows, &s->value_capacity, &s->value));
    for (int32_t i = 0; i < part->rows; i++) {
        s->value[at + i] = s->inverse[part->row[i]] * v[i];
        square += s->value[at + i] * s->value[at + i];
    }
    for (int32_t i = 0; i < part->rows; i++) s->value[at + i] /= sqrt(square);
    s->owner[s->columns++] = part;
    s->place[s->columns] = at + part->rows;
out:
    return status;
}

static void solve_eigenproblem(void *space) {
    nb_coarse_space *s = space;
    const lapack_int n = s->size;
    int32_t *failed = (int32_t *)(void *)(s->eigenvalues + n);
    s->info = LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'V', 'V', 'L', n, s->neumann, n, s->right, n, -threshold, threshold,
                             0, 0, 0, &s->found, s->eigenvalues, s->vectors, n, failed);
}

static void factorise_coarse(void *space) {
    nb_coarse_space *s = space;
    s->info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', s->size, s->coarse, s->size);
}

nb_status nb_coarse_space_add(nb_coarse_space *s, const nb_part_rows *part, int32_t *found) {
    nb_status status;
    const int32_t n = s->size = part->rows;
    const int64_t square = (int64_t)n * n;
    const double operations = 10.0 * n * n * n;
    *found = 0;
    if (n == 0) return NB_OK;
    NB_TRY(nb_dense_room());
    NB_TRY(NB_RESERVE(square, &s->neumann_capacity, &s->neumann));
    NB_TRY(NB_RESERVE(square, &s->right_capacity, &s->right));
    NB_TRY(NB_RESERVE(square, &s->vectors_capacity, &s->vectors));
    NB_TRY(NB_RESERVE(2 * (int64_t)n, &s->eigenvalues_capacity, &s->eigenvalues));
    for (int32_t i = 0; i < n; i++) s->in[part->row[i]] = i;
    load(s, part);
    for (int32_t i = 0; i < n; i++) s->in[part->row[i]] = -1;
    NB_TRY(nb_long_call(operations, solve_eigenproblem, s));
    s->flops += operations;
    if (s->info != 0) s->found = 0; /* a part that is not positive has no vectors: its factor raises its diagonal */
    for (int32_t k = 0; k < s->found; k++) NB_TRY(take_vector(s, part, s->vectors + (int64_t)k * n));
    *found = s->found;
out:
    return status;
}

/* ---- rigid motions ---- */

/* node i's first row in the part at hand, or -1 */
static int32_t row_of_node(const nb_coarse_space *s, int32_t i) {
    return s->slot[i] < 0 ? -1 : s->in[s->graph->first[s->slot[i]]];
}

/* the middle of the bodies of the part at hand; returns their root mean square distance from it [m] */
static double find_middle(const nb_coarse_space *s, double middle[3]) {
    const int32_t nodes = s->system->origin->delassus->mass->nodes->count;
    double count = 0, square = 0;
    memset(middle, 0, 3 * sizeof *middle);
    for (int32_t i = 0; i < nodes; i++) {
        if (row_of_node(s, i) < 0) continue;
        count++;
        for (int c = 0; c < 3; c++) middle[c] += (s->x[3 * i + c] - middle[c]) / count;
    }
    for (int32_t i = 0; i < nodes; i++)
        for (int c = 0; row_of_node(s, i) >= 0 && c < 3; c++)
            square += (s->x[3 * i + c] - middle[c]) * (s->x[3 * i + c] - middle[c]);
    return count > 0 ? sqrt(square / count) : 0;
}

/* v [part's rows] = motion k: along an axis, or about one through the middle, in units of the part's size */
static void fill_motion(const nb_coarse_space *s, int k, const double middle[3], double size, double *v) {
    const nb_nodes *nodes = s->system->origin->delassus->mass->nodes;
    for (int32_t i = 0; i < nodes->count; i++) {
        const int32_t row = row_of_node(s, i);
        const int width = nb_node_velocities(nodes, i), axis = k % 3;
        if (row < 0) continue;
        for (int c = 0; c < width; c++) v[row + c] = 0;
        if (k < 3) v[row + axis] = 1;
        if (k < 3 || width < 6) continue;
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        v[row + next] = -(s->x[3 * i + last] - middle[last]) / size; /* axis x (x - middle) */
        v[row + last] = (s->x[3 * i + next] - middle[next]) / size;
        v[row + 3 + axis] = 1 / size;
    }
}

nb_status nb_coarse_space_add_rigid(nb_coarse_space *s, const nb_part_rows *part, int32_t *found) {
    nb_status status;
    double middle[3];
    *found = 0;
    if (part->rows == 0) return NB_OK;
    NB_TRY(NB_RESERVE(part->rows, &s->vectors_capacity, &s->vectors));
    for (int32_t i = 0; i < part->rows; i++) s->in[part->row[i]] = i;
    const double size = find_middle(s, middle);
    for (int k = 0; k < 6; k++) {
        fill_motion(s, k, middle, size > 0 ? size : 1, s->vectors);
        double largest = 0;
        for (int32_t i = 0; i < part->rows; i++) largest = fmax(largest, fabs(s->vectors[i]));
        if (largest == 0) continue; /* particles do not turn */
        NB_TRY(take_vector(s, part, s->vectors));
        ++*found;
    }
out:
    for (int32_t i = 0; i < part->rows; i++) s->in[part->row[i]] = -1;
    return status;
}

/* ---- products with A and Z ---- */

/* w = A x [rows] */
static void multiply(const nb_coarse_space *s, const double *x, double *w) {
    for (int32_t i = 0; i < s->a->rows; i++) {
        w[i] = 0;
        for (int64_t k = s->a->start[i]; k < s->a->start[i + 1]; k++)
            w[i] += (double)s->a->value[k] * x[s->a->column[k]];
    }
    nb_system_count_product(s->system);
}

/* c = Z^T x */
static void restrict_to(const nb_coarse_space *s, const double *x, double *c) {
    for (int32_t k = 0; k < s->columns; k++) {
        const double *z = s->value + s->place[k];
        c[k] = 0;
        for (int32_t i = 0; i < s->owner[k]->rows; i++) c[k] += z[i] * x[s->owner[k]->row[i]];
    }
}

/* x += Z c */
static void extend(const nb_coarse_space *s, const double *c, double *x) {
    for (int32_t k = 0; k < s->columns; k++) {
        const double *z = s->value + s->place[k];
        for (int32_t i = 0; i < s->owner[k]->rows; i++) x[s->owner[k]->row[i]] += z[i] * c[k];
    }
}

static void solve(const nb_coarse_space *s, double *c) {
    const lapack_int n = s->columns;
    if (n > 0) LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, s->coarse, n, c, n);
}

nb_status nb_coarse_space_finish(nb_coarse_space *s, nb_reason *reason) {
    nb_status status;
    const int64_t n = s->columns;
    double *x = NULL;
    NB_TRY(NB_RESERVE(n * n, &s->coarse_capacity, &s->coarse));
    NB_TRY(NB_RESERVE(n, &s->c_capacity, &s->c));
    NB_TRY(NB_RESERVE(n, &s->kept_capacity, &s->kept));
    NB_TRY(NB_RESERVE(s->a->rows, &s->vectors_capacity, &s->vectors));
    x = s->vectors;
    for (int32_t k = 0; k < n; k++) {
        NB_TRY(nb_interrupt_check());
        memset(x, 0, (size_t)s->a->rows * sizeof *x);
        const double *z = s->value + s->place[k];
        for (int32_t i = 0; i < s->owner[k]->rows; i++) x[s->owner[k]->row[i]] = z[i];
        multiply(s, x, s->w);
        restrict_to(s, s->w, s->coarse + k * n);
    }
    for (int64_t k = 0; k < n; k++)
        s->coarse[k * n + k] *= 1 + 0x1p-40; /* vectors may be dependent but for round-off */
    s->flops += (double)n * (2.0 * (double)nb_csr_nonzeros(s->a) + 2.0 * (double)s->place[n]) + (double)(n * n * n) / 3;
    s->size = s->columns;
    s->info = 0;
    if (n > 0) NB_TRY(nb_long_call((double)(n * n * n) / 3, factorise_coarse, s));
    if (s->info != 0) *reason = NB_REASON_SINGULAR;
out:
    return status;
}

void nb_coarse_space_before(nb_coarse_space *s, double *r) {
    restrict_to(s, r, s->kept);
    solve(s, s->kept);
    memset(s->vectors, 0, (size_t)s->a->rows * sizeof *s->vectors);
    extend(s, s->kept, s->vectors);
    multiply(s, s->vectors, s->w);
    for (int32_t i = 0; i < s->a->rows; i++) r[i] -= s->w[i];
}

void nb_coarse_space_after(nb_coarse_space *s, double *z) {
    multiply(s, z, s->w);
    restrict_to(s, s->w, s->c);
    solve(s, s->c);
    for (int32_t k = 0; k < s->columns; k++) s->c[k] = s->kept[k] - s->c[k];
    extend(s, s->c, z);
}
