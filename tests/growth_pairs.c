/* Growth distances of random pairs of polytopes, for growth.py, which solves them anew:
 *
 *     growth_pairs PAIRS SEED
 *
 * A line a pair: alpha, then how many rows, then rows a_x a_y a_z b h of s = alpha b - a . p + h. */
#include <stdio.h>

#include "check.h"
#include "growth.h"

enum {
    MOST_ROWS = 24
};

static nb_vec3 random_vector(uint64_t *seed, double size) {
    nb_vec3 v = {test_random(seed, -size, size), 0, 0};
    v.y = test_random(seed, -size, size);
    v.z = test_random(seed, -size, size);
    return v;
}

/* random planes around the origin; the box closes it */
static nb_status random_polytope(uint64_t *seed, nb_convex_set *set) {
    nb_vec3 normals[MOST_ROWS] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    double heights[MOST_ROWS] = {1, 1, 1, 1, 1, 1};
    int32_t rows = 6 + (int32_t)test_random(seed, 0, MOST_ROWS - 6);
    for (int32_t i = 6; i < rows; i++) {
        do normals[i] = random_vector(seed, 1);
        while (nb_norm(normals[i]) < 0.1);
        heights[i] = nb_norm(normals[i]) * test_random(seed, 0.2, 1);
    }
    return nb_convex_polytope(rows, normals, heights, random_vector(seed, 0.1), 2, set);
}

static void print_rows(const nb_placed_set *placed) {
    nb_vec3 centre = nb_add(placed->position, nb_quat_rotate(placed->turn, placed->set->centre));
    for (int32_t i = 0; i < placed->set->rows; i++) {
        nb_vec3 a = nb_quat_rotate(placed->turn, placed->set->a[i]);
        printf(" %.17g %.17g %.17g %.17g %.17g", a.x, a.y, a.z, placed->set->b[i], nb_dot(a, centre));
    }
}

int main(int argc, char **argv) {
    int pairs = argc > 1 ? atoi(argv[1]) : 1;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    nb_growth_workspace workspace = {0};
    nb_status status = NB_OK;
    for (int k = 0; k < pairs && status == NB_OK; k++) {
        nb_convex_set sets[2] = {{0}};
        nb_placed_set pair[2];
        nb_growth growth;
        for (int i = 0; i < 2; i++) {
            nb_quat q = {1, test_random(&seed, -1, 1), test_random(&seed, -1, 1), test_random(&seed, -1, 1)};
            NB_TRY(random_polytope(&seed, &sets[i]));
            pair[i] = (nb_placed_set){&sets[i], random_vector(&seed, 2), nb_quat_normalized(q)};
        }
        NB_TRY(nb_growth_solve(pair, NB_GROWTH_TOLERANCE, &workspace, &growth));
        printf("%.17g %d", growth.alpha, (int)(sets[0].rows + sets[1].rows));
        print_rows(&pair[0]);
        print_rows(&pair[1]);
        printf("\n");
    out:
        nb_convex_set_clear(&sets[0]);
        nb_convex_set_clear(&sets[1]);
    }
    if (status != NB_OK) fprintf(stderr, "%s\n", nb_error_message());
    nb_growth_workspace_clear(&workspace);
    return status == NB_OK ? 0 : 1;
}
