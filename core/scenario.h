/* What a scenario implements. One scenario is one file in scenarios/ and one line in its table.c. */
#ifndef NB_SCENARIO_H
#define NB_SCENARIO_H

#include <stdint.h>

#include "base/member.h"
#include "base/options.h"
#include "base/status.h"
#include "model/friction_law.h"
#include "model/time_stepping.h"
#include "model/world.h"
#include "snapshot.h"
#include "task.h"

enum {
    NB_CHECK_MAX = 32
};

/* one invariant held against its known value */
typedef struct nb_check {
    char name[64];
    char units[16];
    double expected, actual, tolerance;
    int32_t passed; /* |actual - expected| <= tolerance, or actual <= tolerance for one-sided checks */
    /* "", or a premise of the known value that does not hold: the check does not apply, and counts as passed */
    char premise[64];
} nb_check;

typedef struct nb_checks {
    int count;
    nb_check items[NB_CHECK_MAX];
} nb_checks;

extern const nb_members nb_checks_members;

/* Adds |actual - expected| <= tolerance. A NaN never passes. Returns the check, of `checks`, or NULL where no more are
 * taken. */
nb_check *nb_checks_add(nb_checks *checks, const char *name, const char *units, double actual, double expected,
                        double tolerance);
/* Adds actual <= limit. */
nb_check *nb_checks_add_below(nb_checks *checks, const char *name, const char *units, double actual, double limit);

/* The check (NULL: none) does not apply unless `holds`, which is what `premise` says, a clause such as "the run lasts
 * 1 s". The premise is to be known from the scene and the number of steps: from a state that may be wrong, what fails
 * would excuse itself. */
void nb_check_presupposes(nb_check *check, int holds, const char *premise);
/* The same of all checks from number `first` on. */
void nb_checks_presuppose(nb_checks *checks, int first, int holds, const char *premise);

/* How a paper makes the steps of its scene. A member that is zero is left as it is for any scenario: by newton,
 * implicit, with Coulomb's law. */
typedef struct nb_paper_steps {
    const char *source;   /* "Tasora, Anitescu 2009" */
    const char *method;   /* NULL: it has none of the methods here */
    int32_t iterations;   /* of this method, at most, a step; 0: as the method takes them */
    int32_t record_every; /* its option of that name where it is asked for no tolerance; 0: as the method takes it */
    int32_t warm_start;   /* 1: this method starts from the step before; 0: as the method starts */
    nb_stepping_scheme time_stepping;
    double stabilization; /* K of this scheme; 0: as the scheme takes it */
    double restitution;   /* of linearised steps */
    nb_friction_law friction_law;
    int32_t facets; /* of a polyhedral law; 0: NB_FACETS */
    /* options of this method, {name, value}, up to {NULL}; NULL: as the method takes them all */
    const char *const (*options)[2];
} nb_paper_steps;

/* what a run does otherwise than known values may have it */
typedef struct nb_check_premises {
    int springs;      /* 1: contacts give way, and what sticks creeps */
    int beyond_cone;  /* 1: friction may be more than the bodies' coefficient has it */
    int elsewhere;    /* 1: it begins with another state than the scenario's */
    double tolerance; /* natural map that its steps were to be solved to [m/s]; 0: none was asked for */
} nb_check_premises;

typedef struct nb_scenario_class {
    const char *name;    /* lower-case with hyphens */
    const char *summary; /* one line */
    const nb_option *parameters;
    int parameter_count;
    int size_parameter; /* index of the parameter that --size sets, or -1 */
    /* 1: its check knows what all laws of friction and time steps come to (initial->settings) */
    int checks_all;
    int begins_jammed;  /* 1: bodies begin in each other, which is what it is for */
    int checks_springs; /* 1: its check holds for contacts that are springs, too */
    /* what a run takes unless told otherwise (the paper's values where it states them) */
    const nb_paper_steps *paper; /* NULL: the scene is ours, and as any */
    double time_step;            /* [s] */
    int32_t steps, newton_iterations, linear_iterations;
    /* a new world in its initial state; the caller destroys it */
    nb_status (*build)(const double *parameters, uint64_t seed, nb_world **world);
    /* Holds the state after a run against analytic values and invariants. `initial` is the world as built, `final` the
     * state after the last step. General invariants (cone, momentum, gap) are the harness's: state here only what is
     * this scene's own. */
    void (*check)(const double *parameters, const nb_world *initial, const nb_snapshot *final, nb_checks *checks);
    /* Of a scene from a file (scenarios/file/scene_file.h): what build_file builds in the place of `build`, and the
     * settings that hold where nobody says. NULL: the program's own scenario. */
    const struct nb_scene_file *file;
    nb_status (*build_file)(const struct nb_scene_file *file, const double *parameters, nb_world **world);
    void (*check_file)(const struct nb_scene_file *file, const double *parameters, const nb_world *initial,
                       const nb_snapshot *final, nb_checks *checks); /* in the place of `check` */
    const nb_scene_settings *settings;
    /* NULL, or: what its motion is controlled by and is to come to, of the world as built; *task is zero */
    void (*set_task)(const double *parameters, nb_task *task);
} nb_scenario_class;

/* A new world in its initial state, whatever the scenario is of; the caller destroys it. */
static inline nb_status nb_scenario_build(const nb_scenario_class *scenario, const double *parameters, uint64_t seed,
                                          nb_world **world) {
    return scenario->file ? scenario->build_file(scenario->file, parameters, world)
                          : scenario->build(parameters, seed, world);
}

/* scenarios/table.c: all scenarios, NULL-terminated */
extern const nb_scenario_class *const nb_scenarios[];

/* Snapshot against its own equations: the invariants that hold in every scene (cone, gap, momentum over the last step).
 * Forces may be off by what `tolerance` [m/s] leaves of them, as far as such a step is solved (NB_CHECK_SOLVED); 0: by
 * 1e-5 of a weight alone. */
#define NB_CHECK_SOLVED 1e-6
void nb_checks_general(const nb_world *initial, const nb_snapshot *final, double tolerance, nb_checks *checks);

/* These, and the scenario's own, which presuppose the scenario's initial state, rigid contacts without thickness (but
 * for checks_springs, none that are springs), friction that is the same in all directions, and (but for checks_all)
 * Coulomb's law and implicit steps.
 */
void nb_checks_scene(const nb_scenario_class *scenario, const double *parameters, const nb_world *initial,
                     const nb_snapshot *final, const nb_check_premises *premises, nb_checks *checks);

#endif
