/* What moves: nodes, each of a kind that says how many velocities it has. Row blocks, the mass and the
 * record of a step name them by number. Bodies come first, so that body i is node i.
 *
 * A new kind is a line here and in the table of node.c, and what makes its block of the mass (operator/mass.h); or a
 * table of one's own. */
#ifndef NB_MODEL_NODE_H
#define NB_MODEL_NODE_H

#include <stddef.h>
#include <stdint.h>

typedef enum nb_node_kind {
    NB_NODE_BODY,     /* rigid: linear and angular velocity */
    NB_NODE_PARTICLE, /* a point */
    NB_NODE_KINDS
} nb_node_kind;

enum {
    NB_NODE_WIDEST = 6, /* velocities of a node at most */
    NB_BODY_STRIDE = 8, /* numbers of a body in padded arrays: a cache line in f64 */
    NB_PARTICLE_STRIDE = 4
};

/* a kind */
typedef struct nb_node_type {
    int velocities;
    int stride; /* numbers in padded arrays of velocities and forces */
} nb_node_type;

extern const nb_node_type nb_node_kinds[NB_NODE_KINDS];

/* all nodes of a problem; its arrays are the maker's. Problem files have none. */
typedef struct nb_nodes {
    int32_t count;
    int32_t bodies;          /* the first ones: node i < bodies has its velocities from 6 i on, its place at 8 i */
    const int32_t *velocity; /* [count + 1] first velocity of each; the last entry: all velocities */
    const int32_t *place;    /* [count + 1] first number of each in padded arrays of velocities and forces */
    const double *position;  /* [count][3] centers as the step starts [m]; NULL: not known */
} nb_nodes;

/* Fills velocity and place [count + 1] from the kinds [count], and *nodes with these two arrays; `types` is
 * nb_node_kinds, or a table that begins with a body as well. Bodies come first in kind. */
void nb_nodes_number(int32_t count, const nb_node_type *types, const uint8_t *kind, int32_t *velocity, int32_t *place,
                     nb_nodes *nodes);

/* velocities of node i */
static inline int nb_node_velocities(const nb_nodes *nodes, int32_t i) {
    return (int)(nodes->velocity[i + 1] - nodes->velocity[i]);
}

/* the length of a padded array */
static inline int64_t nb_nodes_length(const nb_nodes *nodes) {
    return nodes->place[nodes->count];
}

#endif
