/* Plugins of ncpbench: linear solvers, preconditioners and methods for contact problems in a shared object, loaded with
 * `ncpbench --plugin FILE.so`.
 *
 * This header is all that a plugin needs; it is plain C (C99 and later), and C++ can include it. A plugin is built by
 *
 *     cc -O2 -fPIC -shared mine.c -o mine.so $(pkg-config --cflags ncpbench)
 *
 * and exports one function, ncpbench_plugin_entry (at the end of this file). What it returns is then found by name on
 * the command line, shown by `ncpbench list --plugin mine.so`, and recorded like what is built in.
 *
 * The system. Every Newton iteration poses A x = b with A symmetric, positive semidefinite and often singular, of
 * `rows` rows. Rows come in blocks (one row for a joint's constraint; normal and tangents for a contact); neighbouring
 * blocks between the same two bodies form a group. A plugin sees A through functions: y = A x, the diagonal, and, for
 * those that ask, its entries. Units: A in 1/kg, b in m/s, x in N s.
 *
 * A method solves a whole contact problem instead; see "methods" below.
 *
 * The calls, in this order, from one thread:
 *
 *     create -> { set_up_pattern (a new sparsity) -> { set_up_values (new entries) -> solve or apply }* }* -> destroy
 *
 * The harness times set-up apart from solve (create is in neither; it may be called once a step) and computes every
 * residual itself. Take memory in the set-ups, not in solve or apply. All vectors have `rows` entries. What the host
 * hands over (system, b, matrix, request) is borrowed for the duration of the call; the structure of the matrix stays
 * valid from a set_up_pattern to the next, its values from a set_up_values to the next; so does the system that a
 * preconditioner is set up for, whose apply may take its products. What the plugin hands over (its
 * description, names, tables) must stay valid until the program ends.
 *
 * Faults. Functions return NULL where all went well, else one line of text that says what is wrong (static, or kept in
 * the state); the run then ends with that line, and other runs go on. That a solve does not converge is no fault: it is
 * a reason in ncpbench_outcome. A solution that is not finite is one, unless the reason is NCPBENCH_DIVERGED.
 * Where plugins are loaded, each run is made in a process of its own: what crashes it does not touch the record.
 *
 * A shared object is loaded twice: first, to see whether it crashes, in a process that ends at once.
 *
 * Precisions. A run is in f32 or in f64. A class offers functions for either or for both; the other is refused.
 *
 * The ABI. NCPBENCH_PLUGIN_ABI changes when old plugins can no longer be loaded. Apart from that, structures only grow
 * at their end, and each says its size: what an older plugin does not have counts as zero, and a newer host's plugin
 * can compare `size` with offsetof before it uses a late member. Structures start with their size and are zero where
 * nothing is said, so that designated initialisers do. */
#ifndef NB_NCPBENCH_PLUGIN_H
#define NB_NCPBENCH_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define NCPBENCH_PLUGIN_ABI 1
/* 1: methods. 2: nodes of groups; positions; products with W and the identity of contacts;
 * ncpbench_outcome.description; ncpbench_plugin.take and probe. 3: a solver's own norm. Older plugins are loaded as
 * before */
#define NCPBENCH_PLUGIN_MINOR 3

/* why a solve or a factorisation ended */
enum {
    NCPBENCH_NONE = 0,         /* of a set-up: all is well, solve; a solve must say one of the others */
    NCPBENCH_CONVERGED = 1,    /* the tolerance was met */
    NCPBENCH_EXACT = 2,        /* a direct method finished */
    NCPBENCH_ROUND_OFF = 3,    /* no further progress is possible in this precision */
    NCPBENCH_ITERATIONS = 4,   /* the iteration limit was reached */
    NCPBENCH_DIVERGED = 5,     /* the residual grew beyond use; x may hold anything */
    NCPBENCH_INDEFINITE = 6,   /* a negative curvature: A or the preconditioner is indefinite */
    NCPBENCH_NOT_POSITIVE = 7, /* a pivot of a Cholesky factorisation was not positive: see failed_row */
    NCPBENCH_SINGULAR = 8,     /* a pivot was zero: see failed_row */
    NCPBENCH_BREAKDOWN = 9,    /* a division by zero in a recurrence */
    NCPBENCH_STAGNATED = 10    /* no better point was found */
};

/* What a user can set with --solver-option, --preconditioner-option or --method-option NAME=VALUE: a number in a range,
 * or one of several names, whose index is then the value. */
typedef struct ncpbench_option {
    const char *name;           /* lower-case letters, digits and hyphens; not "plugin" */
    const char *summary;        /* one line */
    const char *units;          /* SI; "1" or NULL for a plain number */
    double standard;            /* the default */
    double minimum, maximum;    /* both included; ignored for choices */
    const char *const *choices; /* NULL, or names, NULL-terminated */
    int32_t whole;              /* 1: whole numbers only */
    int32_t reserved;           /* 0 */
} ncpbench_option;

/* What a solver says of its own run. failed_row is -1 and the rest 0 on entry. */
typedef struct ncpbench_outcome {
    uint32_t size;           /* of this structure, set by the host */
    int32_t reason;          /* NCPBENCH_CONVERGED, ... */
    int32_t iterations;      /* done */
    int32_t failed_row;      /* at which a factorisation broke down, or -1 */
    int64_t factor_nonzeros; /* of a direct solver's factor, else 0 */
    /* NULL, or: how the solver was set up, for the record; lines of text that stay until the next call (from minor
     * version 2 on) */
    const char *description;
} ncpbench_outcome;

/* ---- in f64 ---- */

/* the entries of A by compressed rows; symmetric, both triangles */
typedef struct ncpbench_matrix_f64 {
    int32_t rows;
    int32_t reserved;
    const int64_t *start;  /* [rows + 1] row i is start[i] .. start[i + 1] - 1 */
    const int32_t *column; /* [start[rows]] ascending within a row; the diagonal is always there */
    const double *value;   /* [start[rows]] */
} ncpbench_matrix_f64;

typedef struct ncpbench_system_f64 {
    uint32_t size; /* of this structure */
    int32_t rows;
    void *host;                                                     /* to be handed to the functions below */
    void (*apply)(void *host, const double *x, double *y);          /* y = A x; x and y must not overlap */
    void (*diagonal)(void *host, double *diagonal);                 /* the diagonal of A [rows] */
    const char *(*matrix)(void *host, ncpbench_matrix_f64 *matrix); /* assembles; only with NCPBENCH_NEEDS_ENTRIES */
    const double *b;                                                /* [rows] */
    int32_t block_count, group_count;
    const int32_t *block_start; /* [block_count + 1] the first row of each block; blocks cover all rows in order */
    const int32_t *group_start; /* [group_count + 1] the first block of each group */
    /* From minor version 2 on: the nodes with mass that each group acts on, bodies and then particles, those of group g
     * from node_start[g] to node_start[g + 1] - 1. NULL where only the matrix is known. */
    int32_t node_count; /* of the scene */
    int32_t reserved;
    const int32_t *node_start; /* [group_count + 1] */
    const int32_t *node;       /* [node_start[group_count]] */
    /* [block_count][3] the center of each block's body or particle as the step starts [m], where A is in the form
     * `stiffness`: its rows are velocities in the world. NULL elsewhere. */
    const double *position;
} ncpbench_system_f64;

/* what a solve is asked for */
typedef struct ncpbench_request_f64 {
    uint32_t size;      /* of this structure */
    int32_t iterations; /* at most this many */
    double tolerance;   /* stop at ||b - A x|| <= tolerance ||b||, in the 2-norm, which the harness verifies; 0: at
                           round-off */
    void *host;         /* to be handed to the functions below */
    /* z = P r, P symmetric positive definite; NULL without NCPBENCH_TAKES_PRECONDITIONER */
    void (*precondition)(void *host, const double *r, double *z);
    /* Where not NULL: to be called with the iterate x at iteration 0 (x = 0) and after each; the clock stands still. */
    void (*monitor)(void *host, int32_t iteration, const double *x);
    /* From minor version 3 on. Where not NULL: may be called before monitor, with the norm of the residual of x by
     * which the solver itself judges. The record shows it beside the true one. */
    void (*own_norm)(void *host, double norm);
} ncpbench_request_f64;

typedef struct ncpbench_solver_f64 {
    uint32_t size; /* of this structure */
    uint32_t reserved;
    const char *(*set_up_pattern)(void *state, const ncpbench_system_f64 *system); /* or NULL */
    /* or NULL; a breakdown is said in outcome->reason, and solve is then not called */
    const char *(*set_up_values)(void *state, const ncpbench_system_f64 *system, ncpbench_outcome *outcome);
    /* x is zero on entry and the solution on return */
    const char *(*solve)(void *state, const ncpbench_system_f64 *system, const ncpbench_request_f64 *request, double *x,
                         ncpbench_outcome *outcome);
} ncpbench_solver_f64;

typedef struct ncpbench_precond_f64 {
    uint32_t size; /* of this structure */
    uint32_t reserved;
    const char *(*set_up_pattern)(void *state, const ncpbench_system_f64 *system); /* or NULL */
    /* or NULL; a breakdown is said in outcome->reason */
    const char *(*set_up_values)(void *state, const ncpbench_system_f64 *system, ncpbench_outcome *outcome);
    void (*apply)(void *state, const double *r, double *z); /* z = P r; r and z do not overlap */
} ncpbench_precond_f64;

/* ---- in f32: the same with float ---- */

typedef struct ncpbench_matrix_f32 {
    int32_t rows;
    int32_t reserved;
    const int64_t *start;
    const int32_t *column;
    const float *value;
} ncpbench_matrix_f32;

typedef struct ncpbench_system_f32 {
    uint32_t size;
    int32_t rows;
    void *host;
    void (*apply)(void *host, const float *x, float *y);
    void (*diagonal)(void *host, float *diagonal);
    const char *(*matrix)(void *host, ncpbench_matrix_f32 *matrix);
    const float *b;
    int32_t block_count, group_count;
    const int32_t *block_start;
    const int32_t *group_start;
    int32_t node_count;
    int32_t reserved;
    const int32_t *node_start;
    const int32_t *node;
    const double *position;
} ncpbench_system_f32;

typedef struct ncpbench_request_f32 {
    uint32_t size;
    int32_t iterations;
    double tolerance;
    void *host;
    void (*precondition)(void *host, const float *r, float *z);
    void (*monitor)(void *host, int32_t iteration, const float *x);
    void (*own_norm)(void *host, double norm);
} ncpbench_request_f32;

typedef struct ncpbench_solver_f32 {
    uint32_t size;
    uint32_t reserved;
    const char *(*set_up_pattern)(void *state, const ncpbench_system_f32 *system);
    const char *(*set_up_values)(void *state, const ncpbench_system_f32 *system, ncpbench_outcome *outcome);
    const char *(*solve)(void *state, const ncpbench_system_f32 *system, const ncpbench_request_f32 *request, float *x,
                         ncpbench_outcome *outcome);
} ncpbench_solver_f32;

typedef struct ncpbench_precond_f32 {
    uint32_t size;
    uint32_t reserved;
    const char *(*set_up_pattern)(void *state, const ncpbench_system_f32 *system);
    const char *(*set_up_values)(void *state, const ncpbench_system_f32 *system, ncpbench_outcome *outcome);
    void (*apply)(void *state, const float *r, float *z);
} ncpbench_precond_f32;

/* ---- methods, in f64 ----
 *
 * The contact problem of a file, or of a scenario's step linearised at its start: find impulses r with
 *
 *     u = W r + q,    u = 0 in the rows of joints,
 *     in each contact u^ = u + (mu |u_T|, 0, 0), K* contains u^, orthogonal to r in the cone K = {|r_T| <= mu r_N}
 *
 * Rows: those of joints first, then three a contact: normal, tangent 1, tangent 2 (2D problems have a second tangent
 * that is coupled with nothing). The harness computes every error, from r alone.
 *
 * The calls: create -> { convert -> solve }* -> destroy. What is timed is solve; converting W into one's own storage is
 * not, as reading the file is not: factorise in solve. */

typedef struct ncpbench_contacts_f64 {
    uint32_t size; /* of this structure */
    int32_t joints, contacts;
    int32_t reserved;
    ncpbench_matrix_f64 w; /* of joints + 3 contacts rows; need not be symmetric, and may hold zeros */
    const double *q;       /* [rows] */
    const double *mu;      /* [contacts] */
    double norm_q;         /* ||q||_2 */
    /* From minor version 2 on: y = W r without entries; r and y must not overlap. */
    void *host; /* to be handed to it */
    void (*apply)(void *host, const double *r, double *y);
    /* What the contacts are, in the step of a scenario; NULL for problem files. */
    const int32_t *body;     /* [contacts][2] the normal points from the second to the first */
    const uint64_t *feature; /* [contacts] names the pair of features; the same from step to step, unique in a pair */
    const int32_t *previous; /* [contacts] the contact's number in the step before; -1: it is new */
    const double *frame;     /* [contacts][3][3] normal, tangent 1, tangent 2 in the world */
} ncpbench_contacts_f64;

typedef struct ncpbench_method_request_f64 {
    uint32_t size;      /* of this structure */
    int32_t iterations; /* at most this many */
    /* the natural map wanted, relative to ||q||: || r - P_K(r - u^) || / ||q||; 0: as small as can be. In the step of a
     * scenario, whose errors are in m/s, a guess. */
    double tolerance;
    void *host; /* to be handed to the function below */
    /* Where not NULL: may be called with the iterate r after an iteration, for the record; the clock stands still. */
    void (*monitor)(void *host, const double *r);
} ncpbench_method_request_f64;

typedef struct ncpbench_method_outcome {
    uint32_t size;          /* of this structure, set by the host; the rest is zero on entry */
    int32_t reason;         /* NCPBENCH_CONVERGED, ...: the method's own opinion; the harness does not rely on it */
    int64_t iterations;     /* done */
    int64_t factorisations; /* of matrices, done */
    char words[128];        /* a line of its own on how it went, for the record; or "" */
} ncpbench_method_outcome;

typedef struct ncpbench_method_f64 {
    uint32_t size;      /* of this structure */
    int32_t iterations; /* at most, where the user does not say; 0: 200 */
    const char *(*convert)(void *state, const ncpbench_contacts_f64 *problem); /* or NULL */
    /* r [rows]: a start on entry (zero, as a rule), the solution on return */
    const char *(*solve)(void *state, const ncpbench_contacts_f64 *problem, const ncpbench_method_request_f64 *request,
                         double *r, ncpbench_method_outcome *outcome);
} ncpbench_method_f64;

/* ---- what a plugin holds ---- */

enum {
    NCPBENCH_TAKES_PRECONDITIONER = 1, /* a solver that calls request->precondition */
    NCPBENCH_NEEDS_ENTRIES = 2,        /* calls system->matrix */
    NCPBENCH_DIRECT = 4                /* a solver without iterations */
};

/* A linear solver (with solver_f32, solver_f64 or both), a preconditioner (with precond_f32, precond_f64 or both) or a
 * method (with method_f64). */
typedef struct ncpbench_class {
    uint32_t size;       /* of this structure */
    uint32_t flags;      /* NCPBENCH_TAKES_PRECONDITIONER, ... or-ed */
    const char *name;    /* lower-case letters, digits and hyphens; none that ncpbench or another plugin has */
    const char *summary; /* one line */
    const ncpbench_option *options;
    uint32_t option_count;
    uint32_t option_size; /* sizeof(ncpbench_option), where there are options */
    /* `values`, one number an option in their order, is borrowed during the call; `precision` is 32 or 64 */
    const char *(*create)(const double *values, int32_t precision, void **state);
    void (*destroy)(void *state);
    const ncpbench_solver_f32 *solver_f32;
    const ncpbench_solver_f64 *solver_f64;
    const ncpbench_precond_f32 *precond_f32;
    const ncpbench_precond_f64 *precond_f64;
    const ncpbench_method_f64 *method_f64; /* from minor version 1 on */
} ncpbench_class;

typedef struct ncpbench_plugin {
    uint32_t abi;                         /* NCPBENCH_PLUGIN_ABI */
    uint32_t size;                        /* of this structure */
    const ncpbench_class *const *classes; /* NULL-terminated */
    /* ---- from minor version 2 on ---- */
    /* NULL, or: takes what the user wrote for this plugin (count texts, borrowed), before `classes` is read */
    const char *(*take)(int32_t count, const char *const *words);
    /* NULL, or: tries in a process of its own what was taken; a line of text refuses it before anything runs */
    const char *(*probe)(void);
} ncpbench_plugin;

#ifdef __cplusplus
#define NCPBENCH_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define NCPBENCH_EXPORT __attribute__((visibility("default")))
#endif

/* The one symbol that a plugin exports:
 *
 *     NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(uint32_t host_abi) { return &mine; }
 */
NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(uint32_t host_abi);
typedef const ncpbench_plugin *ncpbench_plugin_entry_function(uint32_t host_abi);

/* What brings plugins in another language exports, ncpbench_plugin_open: the classes of the file at `path`, or NULL
 * with one line in *fault. What it gives stays valid until the program ends. */
typedef const ncpbench_plugin *ncpbench_plugin_open_function(const char *path, const char **fault);

#endif
