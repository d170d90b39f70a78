#include "figure/extension.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "element/energy.h"
#include "figure/picture_soft.h"
#include "table/recheck.h"

/* ---- the surface ---- */

static nb_vec3 place_of(const double *x, int32_t particle) {
    return nb_vec3_of(x[3 * (int64_t)particle], x[3 * (int64_t)particle + 1], x[3 * (int64_t)particle + 2]);
}

/* seen from the front, a little from the right and from above */
static const double aside = 0.35, above = 0.3;

static void write_edges(const nb_world *world, const nb_surface *surface, const nb_surface_face *face, const double *x,
                        FILE *file) {
    nb_vec3 at[3];
    int32_t element = nb_surface_element(surface, world, face);
    if (element < 0) return;
    for (int k = 0; k < 3; k++) at[k] = place_of(x, face->particle[k]);
    nb_vec3 normal = nb_cross(nb_sub(at[1], at[0]), nb_sub(at[2], at[0]));
    if (nb_dot(normal, nb_vec3_of(aside, -1, above)) <= 0) return;
    for (int k = 0; k < 3; k++) {
        for (int end = 0; end < 2; end++) {
            nb_vec3 p = at[(k + end) % 3];
            fprintf(file, "%.6g\t%.6g\t%.6g\n", p.x + aside * p.y, p.z + above * p.y,
                    nb_volume_ratio_of(world, element, x));
        }
        fputc('\n', file);
    }
}

static nb_status write_surface(const nb_world *world, const double *x, const char *path) {
    nb_status status;
    nb_surface surface = {0};
    FILE *file = NULL;
    NB_TRY(nb_surface_update(&surface, world));
    file = fopen(path, "w");
    if (!file) NB_TRY(nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno)));
    for (int32_t i = 0; i < surface.face_count; i++) write_edges(world, &surface, &surface.faces[i], x, file);
out:
    if (file && (ferror(file) | fclose(file)) != 0 && status == NB_OK)
        status = nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    nb_surface_clear(&surface);
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
        least = fmin(least, nb_volume_ratio_of(world, i, x));
        most = fmax(most, nb_volume_ratio_of(world, i, x));
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
