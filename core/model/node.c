#include "model/node.h"

const nb_node_type nb_node_kinds[NB_NODE_KINDS] = {
    [NB_NODE_BODY] = {6, NB_BODY_STRIDE},
    [NB_NODE_PARTICLE] = {3, NB_PARTICLE_STRIDE},
};

void nb_nodes_number(int32_t count, const nb_node_type *types, const uint8_t *kind, int32_t *velocity, int32_t *place,
                     nb_nodes *nodes) {
    *nodes = (nb_nodes){.count = count, .velocity = velocity, .place = place};
    velocity[0] = place[0] = 0;
    for (int32_t i = 0; i < count; i++) {
        const nb_node_type *type = &types[kind[i]];
        nodes->bodies += kind[i] == NB_NODE_BODY;
        velocity[i + 1] = velocity[i] + type->velocities;
        place[i + 1] = place[i] + type->stride;
    }
}
