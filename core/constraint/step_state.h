/* The state of a step, shared by the sources that make it up (private to core/constraint). */
#ifndef NB_SYSTEM_STEP_STATE_H
#define NB_SYSTEM_STEP_STATE_H

#include "base/arena.h"
#include "base/threads.h"
#include "constraint/added_rows.h"
#include "constraint/cone_rows.h"
#include "constraint/coordinate_rows.h"
#include "constraint/problem.h"
#include "contact/detection.h"
#include "element/element_rows.h"
#include "model/world.h"
#include "operator/contact_pack.h"
#include "operator/general_pack.h"
#include "operator/joint_pack.h"
#include "operator/sum.h"

#define nb_step NB_REAL_NAME(nb_step)
#define nb_step_narrow NB_REAL_NAME(nb_step_narrow)
#define nb_step_keeps_starts NB_REAL_NAME(nb_step_keeps_starts)
#define nb_step_is_bare NB_REAL_NAME(nb_step_is_bare)
#define nb_step_begin_nodes NB_REAL_NAME(nb_step_begin_nodes)
#define nb_step_set_motion NB_REAL_NAME(nb_step_set_motion)
#define nb_step_evaluate_momentum NB_REAL_NAME(nb_step_evaluate_momentum)
#define nb_step_momentum_rows NB_REAL_NAME(nb_step_momentum_rows)
#define nb_step_velocity_step NB_REAL_NAME(nb_step_velocity_step)
#define nb_step_rows_of_velocity NB_REAL_NAME(nb_step_rows_of_velocity)
#define nb_step_momentum_error NB_REAL_NAME(nb_step_momentum_error)
#define nb_step_begin_coordinates NB_REAL_NAME(nb_step_begin_coordinates)
#define nb_step_begin_elements NB_REAL_NAME(nb_step_begin_elements)
#define nb_step_row_forces NB_REAL_NAME(nb_step_row_forces)
#define nb_step_stiffen NB_REAL_NAME(nb_step_stiffen)
#define nb_step_begin_cavities NB_REAL_NAME(nb_step_begin_cavities)
#define nb_step_evaluate_cavities NB_REAL_NAME(nb_step_evaluate_cavities)
#define nb_step_renew_cavities NB_REAL_NAME(nb_step_renew_cavities)
#define nb_step_push_cavities NB_REAL_NAME(nb_step_push_cavities)
#define nb_step_clear_cavities NB_REAL_NAME(nb_step_clear_cavities)
#define nb_step_cavities NB_REAL_NAME(nb_step_cavities)
#define nb_step_place_rows NB_REAL_NAME(nb_step_place_rows)
#define nb_step_check_rows NB_REAL_NAME(nb_step_check_rows)
#define nb_step_begin_rows NB_REAL_NAME(nb_step_begin_rows)
#define nb_step_evaluate_rows NB_REAL_NAME(nb_step_evaluate_rows)
#define nb_step_weigh_rows NB_REAL_NAME(nb_step_weigh_rows)
#define nb_step_publish_rows NB_REAL_NAME(nb_step_publish_rows)
#define nb_step_begin_contacts NB_REAL_NAME(nb_step_begin_contacts)
#define nb_step_soften_contacts NB_REAL_NAME(nb_step_soften_contacts)
#define nb_step_evaluate_contacts NB_REAL_NAME(nb_step_evaluate_contacts)
#define nb_step_evaluate_linear_contacts NB_REAL_NAME(nb_step_evaluate_linear_contacts)
#define nb_step_begin_soft NB_REAL_NAME(nb_step_begin_soft)
#define nb_step_evaluate_soft NB_REAL_NAME(nb_step_evaluate_soft)
#define nb_step_weigh_soft NB_REAL_NAME(nb_step_weigh_soft)
#define nb_step_publish_soft NB_REAL_NAME(nb_step_publish_soft)
#define nb_step_find_islands NB_REAL_NAME(nb_step_find_islands)
#define nb_step_order NB_REAL_NAME(nb_step_order)
#define nb_step_island NB_REAL_NAME(nb_step_island)
#define nb_step_islands NB_REAL_NAME(nb_step_islands)

/* the packs of a step's operator, in this order; those of added rows follow */
enum {
    NB_PACK_JOINTS,
    NB_PACK_CONTACTS, /* between bodies */
    NB_PACK_SOFT,     /* of particles */
    NB_PACKS_OF_STEP,
    NB_PACKS_ADDED = NB_SUM_PACKS - NB_PACKS_OF_STEP /* most of these */
};

enum {
    NB_STEP_STARTS = 64 * NB_PART_STEP /* contacts whose arms stay that are begun together */
};

enum {
    NB_SOFT_NODES = NB_CONTACT_PARTICLES + 1, /* at most, of a contact of particles: with a body */
    NB_SOFT_NUMBERS = 3 * (3 * NB_CONTACT_PARTICLES + NB_NODE_WIDEST) /* of its Jacobian */
};

/* the pressure of the world's cavities at the iterate, or where the step is linear at its start (step_cavities.c) */
typedef struct nb_step_cavities {
    int32_t count;
    nb_mass *mass;     /* H: mass_of_nodes with a dense row a cavity; NULL: there are none */
    double *start, *x; /* [particles][3] at the start of the step, and at the iterate [m] */
    double *gradient;  /* [count][velocities] dV/dx [m^2] */
    double *weight;    /* [count] h^2 d2W/dV2 [kg/m^4] */
    double *pressure;  /* [count] [Pa] */
    nb_arena arena;
} nb_step_cavities;

typedef struct nb_step {
    nb_problem problem; /* first: a step is a problem */
    nb_cone_laws laws;
    nb_nodes nodes;
    nb_block_mass mass_of_nodes;    /* H, but for the pressure of cavities */
    nb_block_mass inertia_of_nodes; /* M: momentum's, and where nothing stiffens it the same */
    nb_joint_pack joint_pack;
    nb_contact_pack contact_pack;
    nb_general_pack soft_pack;
    nb_coordinate_row_set *coordinates;  /* of the world, the first that had any; NULL: none had */
    nb_element_rows *elements;           /* of the world, the first that had any; NULL: none had */
    nb_step_rows *added[NB_PACKS_ADDED]; /* borrowed; those of elements, and of whoever added rows */
    int32_t added_count, added_rows;
    nb_law_range ranges[NB_SUM_PACKS]; /* the problem's */
    nb_sum sum;
    nb_sum_view whole;
    nb_sum blocks; /* the sum over mass_of_nodes: diagonal[] and w[] are of it, and of `whole` where there are no */
    nb_sum_view weighing; /* cavities; else an estimate from above. All its rows */
    nb_step_cavities cavities;
    nb_sum_view *islands;  /* [problem.island_count] */
    const nb_world *world; /* borrowed */
    double h;              /* [s] */
    nb_detection detection;
    real *kept; /* [velocities + rows] the iterate, while the rows are made anew */
    int64_t kept_capacity, islands_capacity;
    int32_t contact_count, bilateral_count, island_count;
    nb_geometry geometry; /* what it was begun with */
    int begun_frozen;     /* 1: all rows are linear, and stay so */
    int found;            /* 1: contacts were found where bodies come to be (nb_step_set_contacts) */
    int for_errors;       /* 1: what these do not need is left out, where all rows are linear */
    int32_t soft_count;   /* of the contacts, the last of them: those of particles */

    nb_arena ordering;               /* scratch of nb_step_order: rows are made anew in every iteration by some */
    nb_arena arena;                  /* holds all arrays below */
    uint8_t *kind, *moves;           /* [nodes] */
    int32_t *velocity_start, *place; /* [nodes + 1] */
    double *position;                /* [nodes][3] as the step starts [m] */
    nb_inverse_mass *inverse_mass;   /* [bodies] */
    real *mass;                      /* [bodies] [kg], zero where prescribed */
    real *inertia;                   /* [bodies][6] world frame at the start of the step */
    int32_t *block_place;            /* [particles] as in nb_block_mass */
    real *block, *block_inverse;     /* [particles][9] H and its inverse */
    real *inertia_block;             /* [particles][9] M */
    real *u_free;                    /* [velocities] u~ */
    real *force, *velocity;          /* [padded] scratch of the operator */
    real *diagonal;                  /* [rows] of D at the present iterate; of a bare step joints', and scratch */
    real *motion;                    /* [padded] u, and NB_MOTION_SCALE of bodies, while rows are evaluated; scratch */
    int32_t *dynamic;                /* nodes with mass, by island, near ones together */
    int32_t *node_island;            /* [nodes] or -1 */
    int32_t *order;                  /* [contacts] detected index of each row block */
    nb_contact_rows *contacts;       /* [contacts] at the present iterate */
    real *start;                     /* [contacts][NB_ARM_STRIDE] at the start of the step: arms, gap / h [m/s],
                                        1 where arms turn; scratch where contacts are linear, unless some are of
                                        particles */
    real *rate;                      /* [contacts] of such a step: these gap / h */
    nb_jacobian_row *bilaterals;     /* [bilaterals] at the present iterate */
    int32_t *joint_of_row;           /* [bilaterals] the joint; its rows follow each other */
    int32_t *bilateral_order; /* [bilaterals] place of each row among all rows of the world's joints in their order */
    real *bilateral_rate;     /* [bilaterals] c_b at the start of the step / h */
    real *added_rate;         /* [added_rows] their values at the start of the step */
    real *compliance, *mu, *u, *z, *value, *momentum, *w;
    nb_softness *softness;   /* [contacts] of models that give way by a cone law; else of no contacts */
    nb_contact_field *field; /* [contacts] of models that are fields; else of no contacts */
    /* of contacts of particles: their blocks (general_pack.h), and the weights [soft_count][NB_CONTACT_PARTICLES] */
    int32_t *soft_row_start, *soft_node_start, *soft_node;
    int64_t *soft_value_start;
    real *soft_value, *soft_weight;
    int32_t *block_start, *group_start;               /* the whole system's */
    int32_t *island_block_start, *island_group_start; /* one after the other, each island's own */
} nb_step;

void nb_step_narrow(nb_vec3 from, real *to);

/* Where contacts are linear arms stay what they are at the start: those of a few contacts at a time are enough. (Not so
 * contacts of particles, whose arms are in no other place.) */
static inline int nb_step_keeps_starts(const nb_step *s) {
    return s->geometry == NB_GEOMETRY_UPDATED || s->soft_count > 0;
}

/* whether contacts have no blocks and no part of diagonal[], and there are no islands */
static inline int nb_step_is_bare(const nb_step *s) {
    return s->for_errors && s->begun_frozen && !nb_step_keeps_starts(s) && s->added_rows == 0 &&
           s->world->cavity_count == 0;
}

/* Numbers the nodes: their masses, u~, and u of those without mass (step_nodes.c). */
void nb_step_begin_nodes(nb_step *s, double h);
/* motion[] from u */
void nb_step_set_motion(nb_step *s);
/* momentum[] from u and z */
void nb_step_evaluate_momentum(nb_step *s, const real *force_weight);
/* members of the problem's class (problem.h) */
void nb_step_momentum_rows(const nb_problem *problem, real *out);
void nb_step_velocity_step(const nb_problem *problem, const real *y, real *du);
void nb_step_rows_of_velocity(const nb_problem *problem, const real *du, real *out);
double nb_step_momentum_error(const nb_problem *problem);
void nb_step_row_forces(const nb_problem *problem, const real *z, real *out);
void nb_step_stiffen(nb_problem *problem, const real *shift);

/* ---- added rows (step_rows.c) ---- */

/* Before that: the world's joint coordinates become added rows, the first of them. */
nb_status nb_step_begin_coordinates(nb_step *s, double h);
/* And its elements. */
nb_status nb_step_begin_elements(nb_step *s, double h);
/* Before the step has room: how many rows there are, in added_rows. A fault where a law's blocks are not the pack's. */
nb_status nb_step_check_rows(nb_step *s);
/* When nodes are numbered: their packs in s->sum. A fault where a block acts on no node with mass. */
nb_status nb_step_place_rows(nb_step *s);
/* When there are views: added_rate. */
void nb_step_begin_rows(nb_step *s);
/* value[], with the nodes moved by u for h */
void nb_step_evaluate_rows(nb_step *s, real *value);
/* their part of diagonal[] and w[] */
void nb_step_weigh_rows(nb_step *s);
/* their ranges, after those that the problem has */
void nb_step_publish_rows(nb_step *s);

/* ---- cavities (step_cavities.c) ---- */

/* When nodes are numbered: H with a dense row a cavity as the mass of s->sum, with the volumes at the start of the
 * step. NB_ERROR_INPUT where a cavity is inverted, NB_ERROR_UNSUPPORTED where the world has no elements. */
nb_status nb_step_begin_cavities(nb_step *s);
/* volumes, pressures and H with the nodes moved by u for h */
void nb_step_evaluate_cavities(nb_step *s);
/* H, where mass_of_nodes has other values */
void nb_step_renew_cavities(nb_step *s);
/* momentum[] less what pressures push */
void nb_step_push_cavities(nb_step *s);
void nb_step_clear_cavities(nb_step *s);

/* ---- contacts of particles (step_soft.c) ---- */

/* the contacts of the list in their order, and what those between bodies come to where nothing has moved */
void nb_step_begin_contacts(nb_step *s, const nb_contacts *contacts, double h);
/* softness[] or field[] of all contacts where the world's model has them give way */
void nb_step_soften_contacts(nb_step *s, const nb_contacts *contacts, double h);
/* arms, values and the diagonal of D for all contacts between bodies, with these moved as motion[] says */
void nb_step_evaluate_contacts(nb_step *s);
/* values of linear ones, J u + gap/h, with u in motion[] */
void nb_step_evaluate_linear_contacts(nb_step *s);
/* When contacts are ordered: the nodes of the pack's blocks, and the weights, of the contacts of this list. */
void nb_step_begin_soft(nb_step *s, const nb_contacts *contacts);
/* their part of value[], diagonal[] and w[], and their Jacobians, with the nodes moved as motion[] says */
void nb_step_evaluate_soft(nb_step *s);
/* their part of diagonal[] and w[] */
void nb_step_weigh_soft(nb_step *s);
/* their range, after those that the problem has */
void nb_step_publish_soft(nb_step *s);

/* Islands are nodes with mass that touch or are joined, directly or through others. Numbers them by their first node,
 * in node_island; a node without constraints is an island of its own. */
void nb_step_find_islands(nb_step *s, const nb_contacts *contacts);

/* Orders contacts (order[], and the bodies of each row block), joints (joint_of_row[]) and nodes (dynamic[]) by
 * island, and makes the views: the whole system's, and one for every island that has constraints. */
nb_status nb_step_order(nb_step *s, const nb_contacts *contacts);

/* members of the problem's class (problem.h) */
const nb_delassus *nb_step_island(const nb_problem *problem, int32_t island, nb_law_range *ranges);
nb_status nb_step_islands(const nb_problem *problem, int32_t first, int32_t end, nb_law_range *ranges,
                          nb_delassus **view);

#endif
