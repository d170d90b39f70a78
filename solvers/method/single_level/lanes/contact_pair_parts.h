/* What the elimination of a pair (contact_pair_system.c) and the steps by its factors (contact_pair_step.c) have in
 * common (private to lanes/); both are compiled for each instruction set, whose name theirs end with. */
#ifndef NB_LANES_CONTACT_PAIR_PARTS_H
#define NB_LANES_CONTACT_PAIR_PARTS_H

#include "base/real.h"
#include "method/single_level/contact_pair.h"

#define NB_OF_SET(name) NB_OF_SET_(name, NB_INSTRUCTION_SET)
#define NB_OF_SET_(name, set) NB_OF_SET__(name, set)
#define NB_OF_SET__(name, set) name##_##set
#define nb_contact_pair_side NB_OF_SET(nb_contact_pair_side)
#define nb_contact_pair_reduced NB_OF_SET(nb_contact_pair_reduced)
#define nb_contact_pair_recovered NB_OF_SET(nb_contact_pair_recovered)

/* how bodies move */
typedef struct motion {
    nb_vec3 way[2], turn[2], v[2], w[2];
} motion;

static inline double component(nb_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static inline nb_vec3 read3(const double *x) {
    return nb_vec3_of(x[0], x[1], x[2]);
}

static inline void add_vector(nb_vec3 v, double *row) {
    row[0] += v.x;
    row[1] += v.y;
    row[2] += v.z;
}

/* where gamma is among the unknowns, and psi and beta behind it */
static inline int32_t place_of_impulse(const nb_contact_pair *pair) {
    return pair->order - (pair->mu > 0 ? 5 : 1);
}

/* whether the equations of collision hold as they are */
static inline int is_solved(const nb_contact_pair *pair) {
    return pair->apart && !pair->alone;
}

static inline nb_vec3 beta_of(const nb_contact_pair *pair) {
    return pair->mu > 0 ? read3(pair->x + pair->psi + 1) : nb_vec3_of(0, 0, 0);
}

/* b, for bodies that move so; dg_i where no unknown changes */
void nb_contact_pair_side(const nb_contact_pair *pair, const nb_pair_body *const body[2], const motion *by, double *b,
                          nb_vec3 gradient[2]);

/* the kernels `reduce` and `recover` */
void nb_contact_pair_reduced(const nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double *scratch,
                             double left[NB_PAIR_MOTION]);
void nb_contact_pair_recovered(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, const double *du_a,
                               const double *du_b, double *scratch);

#endif
