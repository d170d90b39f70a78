#include "figure/extension.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "element/energy.h"
#include "run/recheck.h"

/* ---- the surface ---- */

/* one side of a tetrahedron, its corners in the order that has its normal point out, and sorted */
typedef struct side {
    int32_t corner[3], sorted[3], element;
} side;

static int compare_sides(const void *a, const void *b) {
    const side *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->sorted[k] != y->sorted[k]) return x->sorted[k] < y->sorted[k] ? -1 : 1;
    return 0;
}

static void exchange(int32_t *a, int32_t *b) {
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void sort_corners(const int32_t corner[3], int32_t sorted[3]) {
    memcpy(sorted, corner, 3 * sizeof *sorted);
    if (sorted[0] > sorted[1]) exchange(&sorted[0], &sorted[1]);
    if (sorted[1] > sorted[2]) exchange(&sorted[1], &sorted[2]);
    if (sorted[0] > sorted[1]) exchange(&sorted[0], &sorted[1]);
}

/* the four sides of a tetrahedron: each looks away from the corner that it lacks, in the rest shape */
static void list_sides(const nb_world *world, int32_t element, side out[4]) {
    const nb_tetrahedron *of = &world->tetrahedra[element];
    for (int a = 0; a < 4; a++) {
        int32_t *corner = out[a].corner;
        for (int k = 0; k < 3; k++) corner[k] = of->particle[(a + 1 + k) % 4];
        const nb_vec3 x = world->particles[corner[0]].position;
        nb_vec3 normal =
            nb_cross(nb_sub(world->particles[corner[1]].position, x), nb_sub(world->particles[corner[2]].position, x));
        if (nb_dot(normal, nb_sub(world->particles[of->particle[a]].position, x)) > 0) exchange(&corner[1], &corner[2]);
        sort_corners(corner, out[a].sorted);
        out[a].element = element;
    }
}

/* Leaves of the sorted sides those that no other element has; returns their number. */
static int64_t keep_outer(side *sides, int64_t count) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i + 1 < count && compare_sides(&sides[i], &sides[i + 1]) == 0)
            i++;
        else
            sides[kept++] = sides[i];
    }
    return kept;
}

static nb_vec3 place_of(const double *x, int32_t particle) {
    return nb_vec3_of(x[3 * (int64_t)particle], x[3 * (int64_t)particle + 1], x[3 * (int64_t)particle + 2]);
}

/* the volume of an element with the particles at x, over that at rest */
static double volume_of(const nb_world *world, int32_t element, const double *x) {
    const nb_tetrahedron *of = &world->tetrahedra[element];
    const nb_vec3 a = place_of(x, of->particle[0]);
    nb_vec3 edge[3];
    double rest = 0, now = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 3; k++)
            edge[k] = pass ? nb_sub(place_of(x, of->particle[1 + k]), a)
                           : nb_sub(world->particles[of->particle[1 + k]].position,
                                    world->particles[of->particle[0]].position);
        double volume = nb_dot(edge[0], nb_cross(edge[1], edge[2]));
        *(pass ? &now : &rest) = volume;
    }
    return now / rest;
}

/* seen from the front, a little from the right and from above */
static const double aside = 0.35, above = 0.3;

static void write_edges(const nb_world *world, const side *s, const double *x, FILE *file) {
    nb_vec3 at[3];
    for (int k = 0; k < 3; k++) at[k] = place_of(x, s->corner[k]);
    nb_vec3 normal = nb_cross(nb_sub(at[1], at[0]), nb_sub(at[2], at[0]));
    if (nb_dot(normal, nb_vec3_of(aside, -1, above)) <= 0) return;
    for (int k = 0; k < 3; k++) {
        for (int end = 0; end < 2; end++) {
            nb_vec3 p = at[(k + end) % 3];
            fprintf(file, "%.6g\t%.6g\t%.6g\n", p.x + aside * p.y, p.z + above * p.y, volume_of(world, s->element, x));
        }
        fputc('\n', file);
    }
}

static nb_status write_surface(const nb_world *world, const double *x, const char *path) {
    nb_status status;
    side *sides = NULL;
    FILE *file = NULL;
    int64_t count = 4 * (int64_t)world->tetrahedron_count;
    NB_TRY(NB_ALLOCATE(count, &sides));
    for (int32_t i = 0; i < world->tetrahedron_count; i++) list_sides(world, i, sides + 4 * (int64_t)i);
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    count = keep_outer(sides, count);
    file = fopen(path, "w");
    if (!file) NB_TRY(nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno)));
    for (int64_t i = 0; i < count; i++) write_edges(world, &sides[i], x, file);
out:
    if (file && (ferror(file) | fclose(file)) != 0 && status == NB_OK)
        status = nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    nb_free(sides);
    return status;
}

/* ---- the table ---- */

/* how long the particles lie along x */
static double length_of(const double *x, int32_t particles) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < particles; i++) {
        low = fmin(low, x[3 * (int64_t)i]);
        high = fmax(high, x[3 * (int64_t)i]);
    }
    return high - low;
}

static double rest_length(const nb_world *world) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < world->particle_count; i++) {
        low = fmin(low, world->particles[i].position.x);
        high = fmax(high, world->particles[i].position.x);
    }
    return high - low;
}

static nb_status write_run(const nb_run *run, const char *path, FILE *file) {
    nb_status status;
    const nb_scenario_class *scenario;
    double *values = NULL, least = INFINITY, most = -INFINITY;
    nb_world *world = NULL;
    const double *x = run->final.particle_x;
    NB_TRY(nb_run_rebuild(run, &scenario, &values, &world));
    if (!world || world->tetrahedron_count == 0 || !x)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "scenario '%s' has no tetrahedra, whose volume this figure shows",
                       run->info.scenario));
    for (int32_t i = 0; i < world->tetrahedron_count; i++) {
        least = fmin(least, volume_of(world, i, x));
        most = fmax(most, volume_of(world, i, x));
    }
    fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", length_of(x, world->particle_count) / rest_length(world),
            nb_volume_ratio(world, x), least, most);
    NB_TRY(write_surface(world, x, path));
out:
    nb_free(values);
    nb_world_destroy(world);
    return status;
}

nb_status nb_figure_write_extension(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status = NB_OK;
    for (int s = 0; s < runs->series_count[panel]; s++) {
        char path[512];
        snprintf(path, sizeof path, "%s/panel_%d_%d_surface.tsv", folder, panel + 1, s + 1);
        if (runs->run[panel][s])
            NB_TRY(write_run(runs->run[panel][s], path, file));
        else
            fputs("nan\tnan\tnan\tnan\n", file);
        fputs("\n\n", file);
    }
out:
    return status;
}
