#include "precond/places.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

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

nb_status nb_places_of_rows(const nb_delassus *d, double *x) {
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
