/* The linearised problem that projected methods work on (psor.c, apgd.c), and what they have in common (private to
 * solvers): a step's rows at given velocities, Coulomb's law as a fixed point around the relaxed one, geometry
 * that moves, and what is told of it. Polyhedral laws (model/friction_law.h) likewise: their cones are those of the
 * polygon, and the slip is that against its corners.
 *
 *     v = N z + q,   N = S D S + C,   z in K, v in K*, z.v = 0 in contacts,   v = 0 in bilateral rows
 *
 * Rows of joint coordinates (constraint/box.h) follow those of contacts: their impulses lie in intervals.
 *
 * S is 1, and the ratio of friction in second tangents, so that the cones K = {z_n >= 0, |z_t| <= mu z_n} are circular.
 * Step lengths of Tasora and Anitescu: eta = 3/trace(N_ii) of a contact, 1/N_ii of any other row. Where that is 2 or
 * more of 1/lambda_max(N_ii), beyond what sweeps are sure to converge with, a contact's is 1.5 of it.
 *
 * The rounds: a method that solves this better than the problem differs from it has it made anew, at the velocities it
 * has come to (nb_projected_linearise). What differs is the geometry, unless it is frozen, and for Coulomb's law the
 * shift mu |v_t| of the normal velocities (De Saxce), which the relaxed law with that shift in q has as a fixed point.
 *
 * Source: Tasora, Anitescu, "A fast NCP solver for large rigid-body problems with contacts, friction, and joints",
 * 2009, its sign of b and its projection corrected. */
#ifndef NB_PROJECTED_PROJECTED_H
#define NB_PROJECTED_PROJECTED_H

#include <math.h>

#include "base/arena.h"
#include "cone/friction_polygon.h"
#include "constraint/cone_rows.h"
#include "joint_elimination.h"
#include "method.h"
#include "operator/sum.h"

#define nb_projected NB_REAL_NAME(nb_projected)
#define nb_projected_create NB_REAL_NAME(nb_projected_create)
#define nb_projected_destroy NB_REAL_NAME(nb_projected_destroy)
#define nb_projected_begin NB_REAL_NAME(nb_projected_begin)
#define nb_projected_linearise NB_REAL_NAME(nb_projected_linearise)
#define nb_projected_is_due NB_REAL_NAME(nb_projected_is_due)
#define nb_projected_check NB_REAL_NAME(nb_projected_check)
#define nb_projected_write_row NB_REAL_NAME(nb_projected_write_row)
#define nb_projected_certify NB_REAL_NAME(nb_projected_certify)
#define nb_projected_drop_noise NB_REAL_NAME(nb_projected_drop_noise)
#define nb_projected_proves NB_REAL_NAME(nb_projected_proves)
#define nb_projected_finish NB_REAL_NAME(nb_projected_finish)
#define nb_projected_block NB_REAL_NAME(nb_projected_block)
#define nb_projected_scales NB_REAL_NAME(nb_projected_scales)
#define nb_projected_spectrum NB_REAL_NAME(nb_projected_spectrum)
#define nb_projected_eliminate_joints NB_REAL_NAME(nb_projected_eliminate_joints)
#define nb_projected_apply NB_REAL_NAME(nb_projected_apply)
#define nb_projected_q NB_REAL_NAME(nb_projected_q)
#define nb_projected_velocity NB_REAL_NAME(nb_projected_velocity)
#define nb_projected_project NB_REAL_NAME(nb_projected_project)
#define nb_projected_couplings NB_REAL_NAME(nb_projected_couplings)
#define nb_projected_couple NB_REAL_NAME(nb_projected_couple)
#define nb_projected_check_coupling NB_REAL_NAME(nb_projected_check_coupling)
#define nb_projected_admit NB_REAL_NAME(nb_projected_admit)
#define nb_projected_slip NB_REAL_NAME(nb_projected_slip)
#define nb_projected_follow NB_REAL_NAME(nb_projected_follow)
#define nb_projected_method NB_REAL_NAME(nb_projected_method)
#define nb_projected_method_class NB_REAL_NAME(nb_projected_method_class)
#define nb_projected_method_create NB_REAL_NAME(nb_projected_method_create)
#define nb_projected_method_step NB_REAL_NAME(nb_projected_method_step)
#define nb_project_contact NB_REAL_NAME(nb_project_contact)
#define nb_projected_s NB_REAL_NAME(nb_projected_s)
#define nb_projected_c NB_REAL_NAME(nb_projected_c)

/* columns that these methods have in common, and each of them first */
enum {
    NB_PROJECTED_ITERATION,
    NB_PROJECTED_OPERATOR_APPLICATIONS,
    NB_PROJECTED_RESIDUAL,
    NB_PROJECTED_OBJECTIVE,
    NB_PROJECTED_STEP_BOUND,
    NB_PROJECTED_ROUND,
    NB_PROJECTED_CONTRACTION,
    NB_PROJECTED_OWN
};

#define NB_PROJECTED_COLUMNS                                                                                   \
    [NB_PROJECTED_ITERATION] = {"iteration", "1", "iterations of the step that were made before this row"},    \
    [NB_PROJECTED_OPERATOR_APPLICATIONS] = {"operator_applications", "1",                                      \
                                            "products with N, or sweeps over all rows, up to the next row"},   \
    [NB_PROJECTED_RESIDUAL] = {"residual_linf", "m/s",                                                         \
                               "largest change of an impulse over its step length in the iteration before"},   \
    [NB_PROJECTED_OBJECTIVE] = {"dual_objective", "J", "z.(N z)/2 + q.z of the linearized problem"},           \
    [NB_PROJECTED_STEP_BOUND] = {"step_bound", "1",                                                            \
                                 "largest omega eta_i lambda_max(N_ii); sweeps are sure to converge below 2"}, \
    [NB_PROJECTED_ROUND] = {"round", "1", "number of updates of the problem: geometry, and Coulomb's shift"},  \
    [NB_PROJECTED_CONTRACTION] = {"contraction", "1",                                                          \
                                  "largest change of Coulomb's shift over that of the previous outer iteration"}

typedef struct nb_projected {
    nb_problem *p; /* borrowed, as the next four */
    nb_measure *measure;
    const nb_method_settings *settings;
    const nb_observer *observer;
    nb_step_outcome *outcome;
    nb_cone_rows laws;
    int32_t rows, bilaterals, contacts, boxes, blocks;
    int32_t contact_end;       /* the row behind those of contacts, the first of a joint coordinate */
    const real *lower, *upper; /* [boxes] bounds of the impulses of joint coordinates */
    int relaxed;               /* 1: the law is a relaxed one */
    int by_rounds; /* 1: it is not, and is solved by rounds of the relaxed one; 0 where the method solves it itself */
    int own_stop, own_met; /* 1: the method's own criterion ends the step, not the tolerance; it is met */
    int32_t facets;        /* of a polyhedral law; 0: the cones are circular */
    int32_t every;         /* iterations from one row of the record to the next */
    real ratio;            /* of the second tangents */
    double omega;          /* over-relaxation: factor of the step lengths; 1 unless the method says otherwise */
    real *z, *q;           /* [rows]; z is the problem's where S is 1 */
    real *s, *c;           /* [rows] S, C; NULL: 1 and 0 (nb_projected_s, nb_projected_c) */
    real *eta;             /* [blocks] */
    real *earlier;         /* [rows] z when growth was looked at last */
    real *shift;           /* [contacts] mu |v_t|, which q has in the normals; NULL for relaxed laws */
    int coupling;          /* an nb_projected_coupling, of Coulomb's law by rounds */
    real *radius;          /* [contacts] mu z_n of the round before, which friction is held to; NULL: cones */
    real *held;            /* [rows] z where the round began; NULL: nothing is held */
    int holds;             /* 1: friction, 2: normal impulses stay as they are in `held` */
    nb_joint_elimination *eliminated; /* NULL: joint rows are swept */
    nb_csr *matrix;                   /* D where it is known by its entries alone: problem files; else NULL */
    real *longest; /* [contacts] eta at most: INFINITY where 3/trace(N_ii) will do at the start of the step */
    double bound;  /* the largest omega eta_i lambda_max(N_ii) */
    int32_t round;
    double contraction, moved; /* of the rounds; the last one's change of the shift */
    double half_moved;         /* where friction and normal impulses go in turn: the change in the last round */
    nb_newton_report report;   /* of the row under way */
    /* private */
    double residual_before; /* the method's in the round's first iteration */
    double least_error;     /* natural map of a round that ended by round-off */
    int gains;              /* 1: another round is due for it */
    int32_t next_look;      /* iterations after which growth is looked at again */
    int kept;               /* 1: `earlier` has impulses to look at it from */
    int32_t began;          /* iterations before the round */
    double start_scale, since;
    real *u_start, *du, *v; /* [velocities], [velocities], [rows] */
    nb_arena arena;
} nb_projected;

/* the option `joints` */
#define NB_JOINTS_OPTION                                                                                   \
    {                                                                                                      \
        "joints", "1", 0, 0, 0, 0, (const char *const[]){"sweep", "direct", NULL},                         \
            "joint rows: as contacts, row by row; direct: eliminated, so that they hold in each iteration" \
    }

/* Which part of Coulomb's law a round keeps constant; the choices of the option `coupling`. */
typedef enum nb_projected_coupling {
    NB_COUPLING_DESAXCE,         /* the shift mu |v_t| */
    NB_COUPLING_FOLLOWED,        /* nothing: the shift goes 0.3 of the way in each iteration, and there are no rounds */
    NB_COUPLING_TRESCA,          /* the radius mu z_n of the friction disc */
    NB_COUPLING_PANAGIOTOPOULOS, /* friction, then normal impulses, in turn */
} nb_projected_coupling;

extern const char *const nb_projected_couplings[]; /* their names, NULL-terminated */

#define NB_COUPLING_OPTION                                                                                         \
    {                                                                                                              \
        "coupling", "1", NB_COUPLING_DESAXCE, 0, 0, 0, nb_projected_couplings,                                     \
            "kept constant in an outer iteration: mu |v_t|; nothing; mu z_n; friction and normal impulses in turn" \
    }

/* the first row of a block */
static inline int32_t nb_projected_row(const nb_projected *projected, int32_t block) {
    const int32_t i = block - projected->bilaterals;
    return i < 0 ? block : i < projected->contacts ? projected->bilaterals + 3 * i : block + 2 * projected->contacts;
}

/* whether no bound holds the row's impulse */
static inline int nb_projected_is_equation(const nb_projected *projected, int32_t row) {
    const int32_t i = row - projected->contact_end;
    return row < projected->bilaterals || (i >= 0 && isinf(projected->lower[i]) && isinf(projected->upper[i]));
}

/* the nearest impulse within the bounds of a joint coordinate's row; x is z over `scale` */
static inline real nb_projected_clamp(const nb_projected *projected, int32_t row, real scale, real x) {
    const real low = projected->lower[row - projected->contact_end] / scale,
               high = projected->upper[row - projected->contact_end] / scale;
    return x < low ? low : x > high ? high : x;
}

/* S and C of a row */
static inline real nb_projected_s(const nb_projected *projected, int32_t row) {
    return projected->s ? projected->s[row] : 1;
}
static inline real nb_projected_c(const nb_projected *projected, int32_t row) {
    return projected->c ? projected->c[row] : 0;
}

/* For one step's problem. NB_ERROR_UNSUPPORTED, by `who`, where it has other laws than these. */
nb_status nb_projected_create(nb_problem *p, const nb_method_settings *settings, const char *who, int32_t every,
                              nb_projected **projected);
void nb_projected_destroy(nb_projected *projected); /* NULL allowed */

/* Before nb_projected_begin, for methods with these options. Take memory. NB_ERROR_USAGE where there are no joints. */
nb_status nb_projected_eliminate_joints(nb_projected *projected);
nb_status nb_projected_couple(nb_projected *projected, nb_projected_coupling coupling);

/* nb_method_class.check of methods with the option at this place: NB_ERROR_USAGE where the law has no use for it. */
nb_status nb_projected_check_coupling(const nb_method_settings *settings, const nb_method_scene *scene, int option);

/* Names who measures and listens, and linearises at the problem's iterate, whose impulses are z. */
nb_status nb_projected_begin(nb_projected *projected, nb_measure *measure, const nb_observer *observer,
                             nb_step_outcome *outcome);

/* To be asked after every iteration, the first being 1: whether iteration k, whose residual is this, ends the round. It
 * does where that has fallen to a tenth since the round's first one, or to a tenth of what is asked for; never where
 * there is nothing to renew. */
int nb_projected_is_due(nb_projected *projected, int32_t k, double residual);

/* A round: takes z over, and makes q and the rest anew from it. */
nb_status nb_projected_linearise(nb_projected *projected, int32_t k);

/* At iteration k: writes z to the problem, measures it, and begins a row; sets outcome->reason where the step ends.
 * Whenever k has doubled it looks at how z has grown, from 32 on: where there is no solution it grows as k does. `now`
 * [rows]: where the iteration is, if that is not z, else NULL. */
nb_status nb_projected_check(nb_projected *projected, int32_t k, double residual, const real *now);

/* Ends the row, after `iterations` more that took these products and seconds; tells the observer. */
nb_status nb_projected_write_row(nb_projected *projected, int32_t iterations, double products, double seconds);

/* Whether what the impulses [rows] have grown by, in so many iterations since they were zero, shows that there is no
 * solution (recession.c): by the relaxed law in all rows, by Coulomb's, which may have one where that has none, along
 * normals. */
nb_status nb_projected_certify(nb_projected *projected, const real *before, const real *now, int32_t iterations,
                               int *found);

/* Whether the impulses p [rows], in the law's cones, are such a proof. Takes memory. */
nb_status nb_projected_proves(nb_projected *projected, const real *p, int *found);

/* Takes out of the impulses p [rows] of a polyhedral law what facets have left of impulses that should be none. */
void nb_projected_drop_noise(const nb_projected *projected, real *p);

/* Ends the step: the row of the state reached. */
nb_status nb_projected_finish(nb_projected *projected);

/* N_ii of contact i by rows; `rigid` NULL, or the problem's rows between rigid bodies, where it is faster */
void nb_projected_block(const nb_projected *projected, const nb_rigid_rows *rigid, int32_t i, real own[9]);

/* Scales S [rows] of z = S x, one a block, and the mean eta of contacts: 1 for contacts, or sqrt(eta) where
 * `by_blocks`; other rows, which are in m or in rad, go by their own eta in any case. */
double nb_projected_scales(const nb_projected *projected, int by_blocks, real *scale);

enum {
    NB_PROJECTED_POWER_STEPS = 20
};

/* The largest eigenvalue of S N S, from below, by so many steps of the power method, a product each; x, y [rows] are
 * scratch. */
double nb_projected_spectrum(const nb_projected *projected, const real *scale, real *x, real *y);

/* out = N z, and q of a row, with joint rows eliminated where they are (joint_elimination.h): these are then 0 */
void nb_projected_apply(const nb_projected *projected, const real *z, real *out);
real nb_projected_q(const nb_projected *projected, int32_t row);

/* v = N z + q of all rows, eliminated or not */
void nb_projected_velocity(const nb_projected *projected, const real *z, real *v);

/* ---- methods of iterations on such a problem ---- */

enum {
    NB_PROJECTED_OPTIONS = 8 /* that a method has, at most */
};

/* what every one of them begins with */
typedef struct nb_projected_method {
    nb_method base;
    nb_method_settings settings;
    double values[NB_PROJECTED_OPTIONS];
    nb_projected *problem; /* of the present step; NULL before the first */
    double residual;       /* of the last iteration [m/s]; infinite: there was none */
    double products;       /* with N, or sweeps, since the last row of the record */
} nb_projected_method;

/* what differs between them */
typedef struct nb_projected_method_class {
    nb_status (*begin_step)(nb_projected_method *self, nb_problem *p); /* makes self->problem */
    nb_status (*iterate)(nb_projected_method *self);                   /* once; sets the residual, adds its products */
    nb_status (*read_problem)(nb_projected_method *self); /* copies its own numbers from a problem just linearised */
    void (*write_impulses)(nb_projected_method *self);    /* NULL, or: writes the iterate to problem->z */
    void (*recompute)(nb_projected_method *self);         /* NULL, or: removes round-off from what is carried along;
                                                             called in every hundredth iteration */
    const real *(*impulses)(nb_projected_method *self);   /* NULL, or: the iterate [rows], if not problem->z */
    void (*write_columns)(nb_projected_method *self);     /* NULL, or: its own columns of the row that ends */
} nb_projected_method_class;

/* A method of `size` bytes that begins with an nb_projected_method, with its options. */
nb_status nb_projected_method_create(const nb_method_class *type, const nb_method_settings *settings, size_t size,
                                     nb_method **self);

/* A step: iterations, and looks at what they have come to, until one ends it. */
nb_status nb_projected_method_step(nb_projected_method *self, const nb_projected_method_class *type, nb_problem *p,
                                   nb_measure *measure, const nb_observer *observer, nb_step_outcome *outcome);

/* The nearest point of the cone |x_t| <= mu x_n, mu = 0 included. */
static inline void nb_project_contact(real mu, real x[3]) {
    real square = x[1] * x[1] + x[2] * x[2], limit = mu * x[0];
    if (x[0] >= 0 && square <= limit * limit) return;
    real length = NB_REAL_BITS == 32 ? (real)__builtin_sqrtf((float)square) : (real)__builtin_sqrt((double)square);
    if (mu * length <= -x[0]) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    real normal = (x[0] + mu * length) / (1 + mu * mu), scale = mu * normal / length;
    x[0] = normal;
    x[1] *= scale;
    x[2] *= scale;
}

/* The nearest point of the cone of a contact with this mu, by the law: a polygon's where there are facets. */
static inline void nb_projected_project(int32_t facets, real mu, real x[3]) {
    if (facets == 0) {
        nb_project_contact(mu, x);
        return;
    }
    double own[3] = {(double)x[0], (double)x[1], (double)x[2]};
    nb_polygon_project_cone(facets, (double)mu, own);
    for (int k = 0; k < 3; k++) x[k] = (real)own[k];
}

/* The nearest impulse x of contact i that the round admits; x is z over `scale`. */
static inline void nb_projected_admit(const nb_projected *s, int32_t i, real scale, real x[3]) {
    if (!s->radius) {
        nb_projected_project(s->facets, s->laws.cone->mu[i], x);
        return;
    }
    const real radius = s->radius[i] / scale, length = (real)sqrt((double)(x[1] * x[1] + x[2] * x[2])),
               share = length > radius ? radius / length : 1;
    const real *held = s->held ? s->held + s->bilaterals + 3 * (ptrdiff_t)i : NULL;
    x[0] = held && s->holds == 2 ? held[0] / scale : x[0] > 0 ? x[0] : 0;
    for (int k = 1; k < 3; k++) x[k] = held && s->holds == 1 ? held[k] / scale : share * x[k];
}

/* |v_t| of tangential velocities v [2], or against the polygon's corners */
static inline real nb_projected_slip(const nb_projected *s, const real *v) {
    const double t[2] = {(double)v[0], (double)v[1]};
    return (real)(s->facets == 0 ? sqrt(t[0] * t[0] + t[1] * t[1]) : nb_polygon_slip(s->facets, t));
}

/* The shift of contact i follows its velocity v [3], of which the normal one has it, and is brought up to date. */
static inline void nb_projected_follow(nb_projected *s, int32_t i, real v[3]) {
    const real change = (real)0.3 * (s->laws.cone->mu[i] * nb_projected_slip(s, v + 1) - s->shift[i]);
    s->shift[i] += change;
    s->q[s->bilaterals + 3 * (ptrdiff_t)i] += change;
    v[0] += change;
}

#endif
