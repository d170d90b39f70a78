/* Forms of one Newton system. The rows' S, C, K and b and the nodes' H and momentum residual g ask for du and y with
 *
 *     H du - J^T S y = -g,    S J du + (C + K) y = b                      (dz is y, weighted by the method)
 *
 *     dual     (S D S + C + K) y = b + S J H^-1 g,  D = J H^-1 J^T        nb_system itself (system.h)
 *     primal   (H + J^T S (C + K)^-1 S J) du = J^T S (C + K)^-1 b - g     primal.h
 *     saddle   both equations at once                                     saddle.h
 *
 * and one that eliminates the rows of elements alone is in solvers/condensed.h.
 *
 * A form makes a system of its own for the linear solvers, and recovers (du, y) from its unknowns. A new form is a
 * class; saddle.c is the shortest.
 *
 * Source: Macklin et al. 2019, eq. (56), (59), (64), in impulses (formulation.md). */
#ifndef NB_OPERATOR_FORM_H
#define NB_OPERATOR_FORM_H

#include "operator/system.h"

#define nb_form NB_REAL_NAME(nb_form)
#define nb_form_class NB_REAL_NAME(nb_form_class)
#define nb_form_create NB_REAL_NAME(nb_form_create)
#define nb_form_assemble NB_REAL_NAME(nb_form_assemble)
#define nb_form_set_matrix NB_REAL_NAME(nb_form_set_matrix)
#define nb_form_renew NB_REAL_NAME(nb_form_renew)
#define nb_form_destroy NB_REAL_NAME(nb_form_destroy)

typedef struct nb_form nb_form;

/* None of these functions allocates, `create` apart, and `set_values` where the pattern changes. */
typedef struct nb_form_class {
    const char *name;     /* as the command line has it */
    const char *unknowns; /* what x is, in which units and order (nb_system); NULL: its name */
    const char *units[2]; /* of its A and b; NULL: of several kinds */
    size_t size;          /* [bytes] of its struct, whose first member is nb_form; the rest is zero before `create` */
    int symmetric;        /* 1: its system is where the rows' is; 0: never */
    /* the pattern of the rows, which are of a source that has block_nodes and a mass: `system` and `x`, which a form
     * with a matrix gets by nb_form_set_matrix */
    nb_status (*create)(nb_form *form, const nb_system *rows);
    /* NULL, or: takes over before `create` what holds of a form that this one takes the place of */
    void (*inherit)(nb_form *form, nb_form *before);
    /* form->matrix from H, J and the rows' S, C and K, with a new pattern where these ask for one
     * (nb_system_pattern_changed); a fault where this form cannot have them */
    nb_status (*set_values)(nb_form *form, const nb_system *rows);
    /* form->system->b from the rows' b and g [velocities] */
    void (*set_right_hand_side)(nb_form *form, const nb_system *rows, const real *momentum);
    /* du [velocities], zero for nodes without mass, and y [rows] from form->x */
    void (*recover)(nb_form *form, const nb_system *rows, real *du, real *y);
    /* frees what the class added to nb_form, after a fault in `create` too */
    void (*clear)(nb_form *form);
} nb_form_class;

struct nb_form {
    const nb_form_class *type;
    nb_system *system;       /* what linear solvers are given; owned, like all below */
    real *x;                 /* [system->rows] its unknowns, for the caller to fill */
    nb_csr *matrix;          /* of `system`, of forms that have one */
    int64_t factor_nonzeros; /* of what the form factorises itself; 0: nothing */
    /* private */
    nb_delassus *delassus; /* holds `matrix` */
    int64_t value_epoch;   /* of the rows whose values it has */
};

/* A form of a system as its pattern is now; it borrows the system's source, and is used until that one's pattern
 * changes: then the caller renews or destroys it. NB_ERROR_UNSUPPORTED where the source is a matrix alone (problem
 * files). */
nb_status nb_form_create(const nb_form_class *type, const nb_system *rows, nb_form **form);
/* The same in the place of *form, which is of this class and of other rows, or of these with another pattern; NULL
 * after a fault. */
nb_status nb_form_renew(const nb_system *rows, nb_form **form);
void nb_form_destroy(nb_form *form); /* NULL allowed */

/* Fills form->system from the rows: its right-hand side, and its values where the rows' value epoch is a new one. The
 * rows' b is without the momentum's part; momentum [velocities] is g. */
nb_status nb_form_assemble(nb_form *form, const nb_system *rows, const real *momentum);

/* For `create`: the form's system over `matrix`, which is taken over on a fault too; its blocks of rows as in
 * nb_delassus_matrix_create. */
nb_status nb_form_set_matrix(nb_form *form, nb_csr *matrix, int32_t block_count, const int32_t *block_start);

#endif
