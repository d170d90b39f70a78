#include <stddef.h>

#include "model/soft_mesh.h"

enum {
    MOST = NB_BALL_MOST_SHELLS, /* frequency, and layers */
    MOST_POINTS = 10 * MOST * MOST + 2
};

/* the unit sphere, in points that are made where they are asked for */
typedef struct sphere {
    nb_world *world;
    nb_soft_part *part;
    nb_vec3 centre;
    double radius;
    int32_t layers, material, points;
    nb_vec3 point[MOST_POINTS];
} sphere;

static int32_t find_point(sphere *of, nb_vec3 toward) {
    nb_vec3 place = nb_normalized(toward);
    for (int32_t i = 0; i < of->points; i++)
        if (nb_norm(nb_sub(of->point[i], place)) < 1e-9) return i;
    of->point[of->points] = place;
    return of->points++;
}

/* the particle of a point on layer 1, 2, ...; layer 0 is the centre */
static int32_t particle_of(const sphere *of, int32_t point, int32_t layer) {
    return of->part->first_particle + 1 + point * of->layers + layer - 1;
}

static nb_status add_particles(const sphere *of) {
    nb_status status;
    int32_t index;
    nb_particle particle = {.kind = NB_BODY_DYNAMIC, .mass = 1, .position = of->centre};
    NB_TRY(nb_world_add_particle(of->world, &particle, &index));
    for (int32_t i = 0; i < of->points; i++)
        for (int32_t layer = 1; layer <= of->layers; layer++) {
            particle.position = nb_add_scaled(of->centre, of->radius * layer / of->layers, of->point[i]);
            NB_TRY(nb_world_add_particle(of->world, &particle, &index));
        }
out:
    return status;
}

/* what is below a triangle of points: prisms are split by the order of their points, alike on both sides of a face */
static nb_status add_column(const sphere *of, const int32_t triangle[3]) {
    nb_status status;
    int32_t p[3] = {triangle[0], triangle[1], triangle[2]}, index;
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && p[k] < p[k - 1]; k--) {
            int32_t swap = p[k];
            p[k] = p[k - 1], p[k - 1] = swap;
        }
    const int32_t core[4] = {of->part->first_particle, particle_of(of, p[0], 1), particle_of(of, p[1], 1),
                             particle_of(of, p[2], 1)};
    NB_TRY(nb_world_add_tetrahedron(of->world, core, of->material, NULL, &index));
    for (int32_t layer = 1; layer < of->layers; layer++)
        for (int up = 0; up < 3; up++) { /* the points below `up` have gone to the next layer */
            int32_t corner[4];
            for (int k = 0; k < 4; k++)
                corner[k] = particle_of(of, p[k <= up ? k : k - 1], k <= up ? layer + 1 : layer);
            NB_TRY(nb_world_add_tetrahedron(of->world, corner, of->material, NULL, &index));
        }
out:
    return status;
}

/* `add` NULL: only finds the points */
static nb_status split_face(sphere *of, int32_t frequency, const nb_vec3 corner[3],
                            nb_status (*add)(const sphere *, const int32_t *)) {
    nb_status status = NB_OK;
    const nb_vec3 across = nb_scale(1. / frequency, nb_sub(corner[1], corner[0])),
                  up = nb_scale(1. / frequency, nb_sub(corner[2], corner[0]));
    for (int32_t i = 0; i < frequency; i++)
        for (int32_t k = 0; i + k < frequency; k++)
            for (int turned = 0; turned < (i + k < frequency - 1 ? 2 : 1); turned++) {
                static const int step[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 1}, {0, 1}, {1, 0}}};
                int32_t p[3];
                for (int c = 0; c < 3; c++)
                    p[c] = find_point(of, nb_add_scaled(nb_add_scaled(corner[0], i + step[turned][c][0], across),
                                                        k + step[turned][c][1], up));
                if (add) NB_TRY(add(of, p));
            }
out:
    return status;
}

static nb_status split_icosahedron(sphere *of, int32_t frequency, nb_status (*add)(const sphere *, const int32_t *)) {
    nb_status status = NB_OK;
    const double golden = (1 + sqrt(5)) / 2, edge = 2 + 1e-9;
    nb_vec3 v[12];
    for (int i = 0; i < 4; i++) {
        double one = i & 1 ? -1 : 1, long_one = i & 2 ? -golden : golden;
        v[i] = nb_vec3_of(0, one, long_one);
        v[4 + i] = nb_vec3_of(one, long_one, 0);
        v[8 + i] = nb_vec3_of(long_one, 0, one);
    }
    for (int p = 0; p < 12; p++)
        for (int q = p + 1; q < 12; q++)
            for (int r = q + 1; r < 12; r++)
                if (nb_norm(nb_sub(v[p], v[q])) < edge && nb_norm(nb_sub(v[q], v[r])) < edge &&
                    nb_norm(nb_sub(v[p], v[r])) < edge)
                    NB_TRY(split_face(of, frequency, (const nb_vec3[3]){v[p], v[q], v[r]}, add));
out:
    return status;
}

static nb_status split_cube(sphere *of, int32_t frequency, nb_status (*add)(const sphere *, const int32_t *)) {
    nb_status status = NB_OK;
    for (int side = 0; side < 6; side++) {
        double v[4][3];
        nb_vec3 corner[4];
        for (int c = 0; c < 4; c++) {
            v[c][side / 2] = side % 2 ? -1 : 1;
            v[c][(side / 2 + 1) % 3] = c == 1 || c == 2 ? 1 : -1;
            v[c][(side / 2 + 2) % 3] = c >= 2 ? 1 : -1;
            corner[c] = nb_vec3_of(v[c][0], v[c][1], v[c][2]);
        }
        NB_TRY(split_face(of, frequency, (const nb_vec3[3]){corner[0], corner[1], corner[2]}, add));
        NB_TRY(split_face(of, frequency, (const nb_vec3[3]){corner[0], corner[2], corner[3]}, add));
    }
out:
    return status;
}

nb_status nb_world_add_layered_ball(nb_world *world, int32_t material, nb_vec3 centre, double radius,
                                    nb_ball_faces faces, int32_t frequency, int32_t layers, nb_soft_part *part) {
    nb_status status;
    sphere of = {
        .world = world, .part = part, .centre = centre, .radius = radius, .layers = layers, .material = material};
    *part = (nb_soft_part){.first_particle = world->particle_count, .first_tetrahedron = world->tetrahedron_count};
    if (frequency < 1 || frequency > MOST || layers < 1 || layers > MOST || !(radius > 0))
        return nb_fail(NB_ERROR_INPUT, "a ball of radius %g m, frequency %d and %d layers (1 to %d)", radius,
                       (int)frequency, (int)layers, MOST);
    if (material < 0 || material >= world->material_count || !(world->materials[material].density > 0))
        return nb_fail(NB_ERROR_INPUT, "a ball: material %d is not there, or has no density", (int)material);
    nb_status (*split)(sphere *, int32_t, nb_status(*)(const sphere *, const int32_t *)) =
        faces == NB_BALL_CUBE ? split_cube : split_icosahedron;
    NB_TRY(split(&of, frequency, NULL));
    NB_TRY(add_particles(&of));
    NB_TRY(split(&of, frequency, add_column));
    part->particle_count = world->particle_count - part->first_particle;
    part->tetrahedron_count = world->tetrahedron_count - part->first_tetrahedron;
    nb_soft_part_set_masses(world, part);
out:
    return status;
}
