#include <stddef.h>

#include "base/memory.h"
#include "soft_mesh.h"

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
    double hollow; /* radius of the hole in a shell [m]; 0: there is a particle in the middle */
    int32_t layers, material, points;
    int32_t *inside; /* [][3] triangles of a shell's inner surface */
    int32_t triangles;
    nb_vec3 point[MOST_POINTS];
} sphere;

static int32_t find_point(sphere *of, nb_vec3 toward) {
    nb_vec3 place = nb_normalized(toward);
    for (int32_t i = 0; i < of->points; i++)
        if (nb_norm(nb_sub(of->point[i], place)) < 1e-9) return i;
    of->point[of->points] = place;
    return of->points++;
}

/* the layer of a point's first particle */
static int32_t first_layer(const sphere *of) {
    return of->hollow > 0 ? 0 : 1;
}

/* the particle of a point on a layer; layer 0 of a ball without a hole is its centre */
static int32_t particle_of(const sphere *of, int32_t point, int32_t layer) {
    const int32_t first = first_layer(of);
    return of->part->first_particle + first + point * (of->layers + 1 - first) + layer - first;
}

static nb_status add_particles(const sphere *of) {
    nb_status status = NB_OK;
    int32_t index;
    nb_particle particle = {.kind = NB_BODY_DYNAMIC, .mass = 1, .position = of->centre};
    if (first_layer(of) == 1) NB_TRY(nb_world_add_particle(of->world, &particle, &index));
    for (int32_t i = 0; i < of->points; i++)
        for (int32_t layer = first_layer(of); layer <= of->layers; layer++) {
            const double radius = of->hollow + (of->radius - of->hollow) * layer / of->layers;
            particle.position = nb_add_scaled(of->centre, radius, of->point[i]);
            NB_TRY(nb_world_add_particle(of->world, &particle, &index));
        }
out:
    return status;
}

/* a triangle of points on the inner surface, its corners counter-clockwise, seen from outside */
static nb_status add_inside(sphere *of, const int32_t triangle[3]) {
    const nb_vec3 *a = &of->point[triangle[0]], *b = &of->point[triangle[1]], *c = &of->point[triangle[2]];
    const int turned = nb_dot(*a, nb_cross(*b, *c)) < 0;
    int32_t *corner = of->inside + 3 * (ptrdiff_t)of->triangles++;
    corner[0] = particle_of(of, triangle[0], 0);
    corner[1] = particle_of(of, triangle[turned ? 2 : 1], 0);
    corner[2] = particle_of(of, triangle[turned ? 1 : 2], 0);
    return NB_OK;
}

/* what is below a triangle of points: prisms are split by the order of their points, alike on both sides of a face */
static nb_status add_column(sphere *of, const int32_t triangle[3]) {
    nb_status status = NB_OK;
    int32_t p[3] = {triangle[0], triangle[1], triangle[2]}, index;
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && p[k] < p[k - 1]; k--) {
            int32_t swap = p[k];
            p[k] = p[k - 1], p[k - 1] = swap;
        }
    const int32_t core[4] = {of->part->first_particle, particle_of(of, p[0], 1), particle_of(of, p[1], 1),
                             particle_of(of, p[2], 1)};
    if (first_layer(of) == 1) NB_TRY(nb_world_add_tetrahedron(of->world, core, of->material, NULL, &index));
    for (int32_t layer = first_layer(of); layer < of->layers; layer++)
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
                            nb_status (*add)(sphere *, const int32_t *)) {
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

static nb_status split_icosahedron(sphere *of, int32_t frequency, nb_status (*add)(sphere *, const int32_t *)) {
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

static nb_status split_cube(sphere *of, int32_t frequency, nb_status (*add)(sphere *, const int32_t *)) {
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

static nb_status make(sphere *of, nb_ball_faces faces, int32_t frequency) {
    nb_status status;
    nb_world *world = of->world;
    nb_soft_part *part = of->part;
    const int32_t layers = of->layers, material = of->material;
    const double radius = of->radius;
    *part = (nb_soft_part){.first_particle = world->particle_count, .first_tetrahedron = world->tetrahedron_count};
    if (frequency < 1 || frequency > MOST || layers < 1 || layers > MOST || !(radius > 0))
        return nb_fail(NB_ERROR_INPUT, "a ball of radius %g m, frequency %d and %d layers (1 to %d)", radius,
                       (int)frequency, (int)layers, MOST);
    if (material < 0 || material >= world->material_count || !(world->materials[material].density > 0))
        return nb_fail(NB_ERROR_INPUT, "a ball: material %d is not there, or has no density", (int)material);
    nb_status (*split)(sphere *, int32_t, nb_status(*)(sphere *, const int32_t *)) =
        faces == NB_BALL_CUBE ? split_cube : split_icosahedron;
    NB_TRY(split(of, frequency, NULL));
    NB_TRY(add_particles(of));
    NB_TRY(split(of, frequency, add_column));
    if (of->inside) NB_TRY(split(of, frequency, add_inside));
    part->particle_count = world->particle_count - part->first_particle;
    part->tetrahedron_count = world->tetrahedron_count - part->first_tetrahedron;
    nb_soft_part_set_masses(world, part);
out:
    return status;
}

nb_status nb_world_add_layered_ball(nb_world *world, int32_t material, nb_vec3 centre, double radius,
                                    nb_ball_faces faces, int32_t frequency, int32_t layers, nb_soft_part *part) {
    sphere of = {
        .world = world, .part = part, .centre = centre, .radius = radius, .layers = layers, .material = material};
    return make(&of, faces, frequency);
}

nb_status nb_world_add_ball_shell(nb_world *world, int32_t material, nb_vec3 centre, double inner, double outer,
                                  int32_t frequency, int32_t layers, nb_soft_part *part, int32_t **inside) {
    nb_status status;
    sphere of = {.world = world,
                 .part = part,
                 .centre = centre,
                 .radius = outer,
                 .hollow = inner,
                 .layers = layers,
                 .material = material};
    *inside = NULL;
    if (!(inner > 0) || !(inner < outer))
        return nb_fail(NB_ERROR_INPUT, "a shell from radius %g m to %g m", inner, outer);
    if (frequency < 1 || frequency > MOST)
        return nb_fail(NB_ERROR_INPUT, "a shell of frequency %d (1 to %d)", (int)frequency, MOST);
    NB_TRY(NB_ALLOCATE(3 * (int64_t)NB_SHELL_TRIANGLES * frequency * frequency, &of.inside));
    NB_TRY(make(&of, NB_BALL_ICOSAHEDRON, frequency));
    *inside = of.inside;
    return NB_OK;
out:
    nb_free(of.inside);
    return status;
}
