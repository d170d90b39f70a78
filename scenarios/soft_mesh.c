#include "soft_mesh.h"

#include <stddef.h>

static nb_soft_part begin_part(const nb_world *world) {
    return (nb_soft_part){.first_particle = world->particle_count, .first_tetrahedron = world->tetrahedron_count};
}

static void end_part(nb_world *world, nb_soft_part *part) {
    part->particle_count = world->particle_count - part->first_particle;
    part->tetrahedron_count = world->tetrahedron_count - part->first_tetrahedron;
    nb_soft_part_set_masses(world, part);
}

static nb_status add_particle(nb_world *world, nb_vec3 position) {
    int32_t index;
    const nb_particle particle = {.kind = NB_BODY_DYNAMIC, .mass = 1, .position = position};
    return nb_world_add_particle(world, &particle, &index);
}

void nb_soft_part_set_masses(nb_world *world, const nb_soft_part *part) {
    for (int32_t i = 0; i < part->particle_count; i++) world->particles[part->first_particle + i].mass = 0;
    for (int32_t i = 0; i < part->tetrahedron_count; i++) {
        const nb_tetrahedron *of = &world->tetrahedra[part->first_tetrahedron + i];
        double quarter = world->materials[of->material].density * of->rest.volume / 4;
        for (int a = 0; a < 4; a++) world->particles[of->particle[a]].mass += quarter;
    }
}

nb_status nb_soft_part_set_rest(nb_world *world, const nb_soft_part *part) {
    nb_status status = NB_OK;
    for (int32_t i = 0; i < part->tetrahedron_count; i++) {
        nb_tetrahedron *of = &world->tetrahedra[part->first_tetrahedron + i];
        nb_vec3 corner[4];
        for (int k = 0; k < 4; k++) corner[k] = world->particles[of->particle[k]].position;
        NB_TRY(nb_rest_shape_of(corner, part->first_tetrahedron + i, &of->rest));
    }
    for (int32_t i = part->first_particle; i < part->first_particle + part->particle_count; i++)
        world->particles[i].rest = world->particles[i].position;
    nb_soft_part_set_masses(world, part);
out:
    return status;
}

void nb_soft_part_set_skin(nb_world *world, const nb_soft_part *part, double friction, double radius) {
    for (int32_t i = 0; i < part->particle_count; i++) {
        world->particles[part->first_particle + i].friction = friction;
        world->particles[part->first_particle + i].radius = radius;
    }
}

/* materials of bodies that fall have a density */
static nb_status check_material(const nb_world *world, int32_t material) {
    if (material < 0 || material >= world->material_count)
        return nb_fail(NB_ERROR_INPUT, "a mesh: there is no material %d", (int)material);
    if (world->materials[material].density > 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "a mesh: material %d has no density", (int)material);
}

/* ---- a box ---- */

nb_status nb_world_add_soft_box(nb_world *world, int32_t material, nb_vec3 low, nb_vec3 edges, const int32_t cells[3],
                                nb_soft_part *part) {
    /* corners by their bits x, y, z; in a mirrored cell the bit x is the other one */
    static const int corner[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}};
    nb_status status;
    const int32_t row = cells[0] + 1, layer = row * (cells[1] + 1);
    *part = begin_part(world);
    NB_TRY(check_material(world, material));
    for (int axis = 0; axis < 3; axis++)
        if (cells[axis] < 1) return nb_fail(NB_ERROR_INPUT, "a mesh of %d cells in a direction", (int)cells[axis]);
    for (int32_t k = 0; k <= cells[2]; k++)
        for (int32_t j = 0; j <= cells[1]; j++)
            for (int32_t i = 0; i <= cells[0]; i++)
                NB_TRY(add_particle(world, nb_add(low, nb_vec3_of(edges.x * i / cells[0], edges.y * j / cells[1],
                                                                  edges.z * k / cells[2]))));
    for (int32_t k = 0; k < cells[2]; k++)
        for (int32_t j = 0; j < cells[1]; j++)
            for (int32_t i = 0; i < cells[0]; i++)
                for (int t = 0; t < 5; t++) {
                    int32_t index, particle[4];
                    for (int a = 0; a < 4; a++) {
                        int bits = corner[t][a] ^ ((i + j + k) % 2);
                        particle[a] = part->first_particle + (k + (bits >> 2)) * layer + (j + (bits >> 1 & 1)) * row +
                                      i + (bits & 1);
                    }
                    NB_TRY(nb_world_add_tetrahedron(world, particle, material, NULL, &index));
                }
    end_part(world, part);
out:
    return status;
}

/* ---- a ball ---- */

/* a ball being made */
typedef struct ball {
    nb_world *world;
    nb_soft_part *part;
    nb_vec3 centre;
    double radius;
    int32_t shells, material;
    nb_vec3 face[3]; /* corners of the face at hand, unit vectors */
} ball;

/* The particle at these coordinates of the face's tetrahedron, shells >= a >= b >= c >= 0; made where there is none.
 * The sphere is a's; the place on it by the other two. */
static nb_status find_particle(const ball *of, const int32_t at[3], int32_t *index) {
    nb_status status;
    const double a = at[0], k = of->shells;
    nb_vec3 toward = nb_add(nb_scale(a - at[1], of->face[0]),
                            nb_add(nb_scale(at[1] - at[2], of->face[1]), nb_scale(at[2], of->face[2])));
    nb_vec3 place = nb_add_scaled(of->centre, of->radius * a / k, nb_normalized(toward));
    for (*index = of->part->first_particle; *index < of->world->particle_count; ++*index)
        if (nb_norm(nb_sub(of->world->particles[*index].position, place)) < 1e-9 * of->radius) return NB_OK;
    NB_TRY(add_particle(of->world, place));
out:
    return status;
}

/* The tetrahedron that a path through the unit cube from `start` makes, where it lies within. */
static nb_status add_piece(const ball *of, const int32_t start[3], const int order[3]) {
    nb_status status;
    int32_t at[4][3], particle[4], index;
    for (int v = 0; v < 4; v++) {
        for (int axis = 0; axis < 3; axis++) at[v][axis] = v == 0 ? start[axis] : at[v - 1][axis];
        if (v > 0) at[v][order[v - 1]]++;
        if (at[v][0] > of->shells || at[v][0] < at[v][1] || at[v][1] < at[v][2]) return NB_OK;
    }
    for (int v = 0; v < 4; v++) NB_TRY(find_particle(of, at[v], &particle[v]));
    NB_TRY(nb_world_add_tetrahedron(of->world, particle, of->material, NULL, &index));
out:
    return status;
}

static nb_status add_face(const ball *of) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    nb_status status = NB_OK;
    for (int32_t a = 0; a < of->shells; a++)
        for (int32_t b = 0; b <= a; b++)
            for (int32_t c = 0; c <= b; c++)
                for (int o = 0; o < 6; o++) NB_TRY(add_piece(of, (const int32_t[3]){a, b, c}, orders[o]));
out:
    return status;
}

nb_status nb_world_add_soft_ball(nb_world *world, int32_t material, nb_vec3 centre, double radius, int32_t shells,
                                 nb_soft_part *part) {
    nb_status status;
    const double golden = (1 + sqrt(5)) / 2;
    nb_vec3 vertex[12];
    ball of = {
        .world = world, .part = part, .centre = centre, .radius = radius, .shells = shells, .material = material};
    *part = begin_part(world);
    NB_TRY(check_material(world, material));
    if (shells < 1 || shells > NB_BALL_MOST_SHELLS || !(radius > 0))
        return nb_fail(NB_ERROR_INPUT, "a ball of radius %g m and %d shells (1 to %d)", radius, (int)shells,
                       NB_BALL_MOST_SHELLS);
    for (int i = 0; i < 4; i++) {
        double one = i & 1 ? -1 : 1, long_one = i & 2 ? -golden : golden;
        vertex[i] = nb_vec3_of(0, one, long_one);
        vertex[4 + i] = nb_vec3_of(one, long_one, 0);
        vertex[8 + i] = nb_vec3_of(long_one, 0, one);
    }
    /* in one order of all, so that faces in common are split alike */
    for (int p = 0; p < 12; p++)
        for (int q = p + 1; q < 12; q++)
            for (int r = q + 1; r < 12; r++) {
                const double edge = 2 + 1e-9;
                if (nb_norm(nb_sub(vertex[p], vertex[q])) > edge || nb_norm(nb_sub(vertex[q], vertex[r])) > edge ||
                    nb_norm(nb_sub(vertex[p], vertex[r])) > edge)
                    continue;
                of.face[0] = nb_normalized(vertex[p]);
                of.face[1] = nb_normalized(vertex[q]);
                of.face[2] = nb_normalized(vertex[r]);
                NB_TRY(add_face(&of));
            }
    end_part(world, part);
out:
    return status;
}

/* ---- a sheet ---- */

static nb_status add_spring(nb_world *world, int32_t a, int32_t b, double stiffness) {
    int32_t index;
    const nb_spring spring = {
        {a, b}, nb_norm(nb_sub(world->particles[b].position, world->particles[a].position)), stiffness};
    return nb_world_add_spring(world, &spring, &index);
}

/* one cell's triangles, and the spring between them; corners by their bits along, across */
static nb_status add_cell(nb_world *world, const int32_t corner[4], int mirrored, double density, double stiffness) {
    static const int halves[2][2][3] = {{{0, 1, 3}, {0, 3, 2}}, {{0, 1, 2}, {1, 3, 2}}};
    nb_status status;
    for (int half = 0; half < 2; half++) {
        int32_t particle[3], index;
        nb_vec3 x[3];
        for (int k = 0; k < 3; k++) {
            particle[k] = corner[halves[mirrored][half][k]];
            x[k] = world->particles[particle[k]].position;
        }
        double area = nb_norm(nb_cross(nb_sub(x[1], x[0]), nb_sub(x[2], x[0]))) / 2;
        for (int k = 0; k < 3; k++) world->particles[particle[k]].mass += density * area / 3;
        NB_TRY(nb_world_add_triangle(world, particle, &index));
    }
    NB_TRY(add_spring(world, corner[mirrored ? 1 : 0], corner[mirrored ? 2 : 3], stiffness));
out:
    return status;
}

nb_status nb_world_add_sheet(nb_world *world, nb_vec3 low, nb_vec3 along, nb_vec3 across, const int32_t cells[2],
                             double density, double stiffness, nb_soft_part *part) {
    nb_status status = NB_OK;
    const int32_t row = cells[0] + 1;
    *part = begin_part(world);
    if (!(density > 0)) return nb_fail(NB_ERROR_INPUT, "a sheet's density is %g kg/m^2; it must be positive", density);
    for (int32_t j = 0; j <= cells[1]; j++)
        for (int32_t i = 0; i <= cells[0]; i++)
            NB_TRY(add_particle(
                world, nb_add_scaled(nb_add_scaled(low, (double)i / cells[0], along), (double)j / cells[1], across)));
    part->particle_count = world->particle_count - part->first_particle;
    for (int32_t i = part->first_particle; i < world->particle_count; i++) world->particles[i].mass = 0;
    for (int32_t j = 0; j <= cells[1]; j++)
        for (int32_t i = 0; i <= cells[0]; i++) {
            const int32_t at = part->first_particle + j * row + i, corner[4] = {at, at + 1, at + row, at + row + 1};
            if (i < cells[0]) NB_TRY(add_spring(world, at, at + 1, stiffness));
            if (j < cells[1]) NB_TRY(add_spring(world, at, at + row, stiffness));
            if (i < cells[0] && j < cells[1]) NB_TRY(add_cell(world, corner, (i + j) % 2, density, stiffness));
        }
out:
    return status;
}
