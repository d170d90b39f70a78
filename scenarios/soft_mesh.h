/* Deformable bodies of simple shapes, meshed. Their particles are dynamic and at rest, with the mass of a quarter of
 * each tetrahedron, or a third of each triangle, that they are a corner of. */
#ifndef NB_SCENARIOS_SOFT_MESH_H
#define NB_SCENARIOS_SOFT_MESH_H

#include "model/world.h"

/* what was added to a world */
typedef struct nb_soft_part {
    int32_t first_particle, particle_count, first_tetrahedron, tetrahedron_count;
} nb_soft_part;

enum {
    NB_BALL_MOST_SHELLS = 12,
    NB_SHELL_TRIANGLES = 20 /* of a shell's surface, times its frequency squared */
};

/* A box from `low` on with these edges, in cells of five tetrahedra: one in the middle and four at corners, in
 * neighbouring cells mirrored, so that no direction is preferred. Particle (i, j, k) of the lattice is
 * first_particle + (k (cells[1] + 1) + j) (cells[0] + 1) + i. */
nb_status nb_world_add_soft_box(nb_world *world, int32_t material, nb_vec3 low, nb_vec3 edges, const int32_t cells[3],
                                nb_soft_part *part);

/* A ball: an icosahedron's 20 faces and its centre make tetrahedra, each split in shells^3, whose corners then lie on
 * so many spheres. */
nb_status nb_world_add_soft_ball(nb_world *world, int32_t material, nb_vec3 centre, double radius, int32_t shells,
                                 nb_soft_part *part);

typedef enum nb_ball_faces {
    NB_BALL_ICOSAHEDRON, /* 20 triangles */
    NB_BALL_CUBE,        /* 12: two a side */
} nb_ball_faces;

/* A ball of spherical layers of equal thickness about a core: the faces of a solid are split in frequency^2 triangles
 * each and laid on a sphere; with the centre they make tetrahedra, with the next layer three each. There are
 * n (3 layers - 2) tetrahedra for n triangles: other numbers than shells^3 gives. */
nb_status nb_world_add_layered_ball(nb_world *world, int32_t material, nb_vec3 centre, double radius,
                                    nb_ball_faces faces, int32_t frequency, int32_t layers, nb_soft_part *part);

/* A hollow ball: an icosahedron's faces are split in frequency^2 triangles each and laid on the spheres of `layers`
 * layers of equal thickness between the two radii; a prism between two spheres is three tetrahedra. Fills *inside with
 * the triangles of the inner surface [NB_SHELL_TRIANGLES frequency^2][3], whose corners go counter-clockwise, seen from
 * outside: those of a cavity. The caller frees it. */
nb_status nb_world_add_ball_shell(nb_world *world, int32_t material, nb_vec3 centre, double inner, double outer,
                                  int32_t frequency, int32_t layers, nb_soft_part *part, int32_t **inside);

/* A sheet of springs and triangles: a rectangle from `low` on, whose edges `along` and `across` are at right angles, in
 * cells of two triangles each, cut along one diagonal and in neighbouring cells along the other. Springs along all
 * edges of triangles, of this stiffness [N/m], hold it in its plane; nothing holds it flat. Its particles have a third
 * of each triangle's area times `density` [kg/m^2]. Particle (i, j) is first_particle + j (cells[0] + 1) + i. A density
 * or a stiffness that is not positive is NB_ERROR_INPUT. */
nb_status nb_world_add_sheet(nb_world *world, nb_vec3 low, nb_vec3 along, nb_vec3 across, const int32_t cells[2],
                             double density, double stiffness, nb_soft_part *part);

/* Friction and radius of all particles of a part, which have none at first. */
void nb_soft_part_set_skin(nb_world *world, const nb_soft_part *part, double friction, double radius);

/* At rest where its particles now are, with the masses that this gives (nb_soft_part_set_masses). A tetrahedron that
 * has no volume there is NB_ERROR_INPUT. */
nb_status nb_soft_part_set_rest(nb_world *world, const nb_soft_part *part);

/* The material's density times volume / 4 becomes mass of the tetrahedra's corners; which have none before. */
void nb_soft_part_set_masses(nb_world *world, const nb_soft_part *part);

#endif
