/* The pack of joint rows between rigid bodies, or a body and the world: one row a block, twelve numbers each. */
#ifndef NB_OPERATOR_JOINT_PACK_H
#define NB_OPERATOR_JOINT_PACK_H

#include "operator/pack.h"
#include "operator/rows.h"

#define nb_joint_pack NB_REAL_NAME(nb_joint_pack)
#define nb_joint_pack_class NB_REAL_NAME(nb_joint_pack_class)
#define nb_joint_pack_of NB_REAL_NAME(nb_joint_pack_of)

typedef struct nb_joint_pack {
    nb_pack base;                /* first */
    const nb_jacobian_row *rows; /* [blocks] */
} nb_joint_pack;

extern const nb_pack_class nb_joint_pack_class;

/* over rows that the caller keeps */
nb_joint_pack nb_joint_pack_of(const nb_nodes *nodes, int32_t count, const nb_jacobian_row *rows);

#endif
