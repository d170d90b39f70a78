/* A scene that is run step by step: built, settled, advanced, checked. A run is one that is recorded (simulate.c), a
 * copy of a batch one of which little is kept (batch.c). */
#ifndef NB_ANALYSIS_SCENE_RUN_H
#define NB_ANALYSIS_SCENE_RUN_H

#include <stdint.h>

#include "measure/energy_room.h"
#include "model/integration.h"
#include "model/world.h"
#include "run/recorder.h"
#include "run/resolve.h"
#include "step/stepper.h"

/* what came of the steps that settle a scene (nb_scene_run_settle) */
typedef struct nb_settling {
    int32_t steps, unsolved; /* made; of them not solved to the tolerance */
    double worst;            /* largest natural map at the end of a step [m/s] */
} nb_settling;

typedef struct nb_scene_run {
    const nb_request *request;    /* prepared; set by the caller, who does not move it from `choose` on */
    int32_t copy;                 /* of a batch, set by the caller; 0: the scene itself */
    const nb_stepper_class *type; /* NULL before `choose` */
    void *stepper;
    nb_measure *measure;
    nb_world *world;
    nb_contacts *contacts;
    nb_geometry geometry;        /* of the steps that are made now */
    nb_integration *integration; /* NULL: of be, whose steps have one stage */
    double h;                    /* length of the present stage [s] */
    int last;                    /* 1: it is the last of its step */
    int follows;                 /* 1: it has the contacts of the one before, which went with their bodies */
    nb_body *kept;               /* [2][bodies] a substep's start, and where it leads */
    nb_particle *kept_particles; /* [particles] its start */
    int64_t kept_capacity, kept_particle_capacity;
    char remark[256];                /* a method's own on the last step */
    nb_energy_room room;             /* of the present step, where it is recorded */
    double started, detected, begun; /* of the present step [s] */
    nb_settling settling;            /* zero before it was settled */
} nb_scene_run;

/* Makes the stepper that the request names. */
nb_status nb_scene_run_choose(nb_scene_run *scene);
/* The same, and the scene. */
nb_status nb_scene_run_build(nb_scene_run *scene);
void nb_scene_run_clear(nb_scene_run *scene); /* also of one that is zero */

/* NB_ERROR_USAGE, with `what`, where a step has more than one stage or its start is another one's: of derivatives. */
nb_status nb_scene_run_refuse_stages(const nb_scene_run *scene, const char *what);

/* One time step, in one row of the record; NB_ERROR_INTERRUPTED leaves a world between two steps. *final is filled
 * where it is not NULL. `recorder` is NULL where nothing else is recorded. */
nb_status nb_scene_run_advance(nb_scene_run *scene, nb_recorder *recorder, int warm_start, nb_snapshot *final,
                               double row[NB_STEP_COLUMNS]);

/* The same in three parts, of which the second makes a step of many scenes of one request in one launch of a device:
 * of be, whose steps have one stage. */
nb_status nb_scene_run_begin(nb_scene_run *scene, nb_recorder *recorder, int warm_start);
nb_status nb_scene_run_launch(nb_scene_run *const *scenes, int32_t count);
nb_status nb_scene_run_end(nb_scene_run *scene, nb_recorder *recorder, int warm_start, nb_snapshot *final,
                           double row[NB_STEP_COLUMNS]);

/* Copies on the request's device, which takes them through steps by itself from where these scenes [count] of one
 * request stand. NB_ERROR_UNSUPPORTED where it does not take them. */
nb_status nb_scene_run_trajectories(nb_scene_run *const *scenes, int32_t count, nb_trajectories **trajectories);

/* How far the scene, which was built, is from what a run may begin with: into the run. */
nb_status nb_scene_run_look_at_start(const nb_scene_run *scene, nb_run *run);

/* Holds the final state against the scenario's known values and the invariants of every scene, and the run's steps,
 * of which `row` is the last, and reference, where one was asked for, against these. `run` NULL: of a copy, which has
 * none. */
nb_status nb_scene_run_check(const nb_scene_run *scene, const nb_snapshot *final, const nb_run *run, const double *row,
                             nb_checks *checks);

/* Moves every dynamic body a little, as copy `copy` of a batch starts: each component of its position by a uniform
 * number within +-size r, of its velocity within +-size r/s, of its angular velocity within +-size rad/s; r is the
 * radius of its shape (1 m without one). Bodies of a planar world stay in the plane. Copy 0 is left as it is. */
void nb_perturb(nb_world *world, double size, uint64_t seed, int32_t copy);

/* Puts the scene into the state that the request begins with (start_state.h; NB_ERROR_INPUT where that is of other
 * counts), and makes the request's info.settle steps with method `auto` in double, each to a natural map of
 * info.settle_tolerance [m/s], by Coulomb's law and with implicit steps. scene->settling receives what came of them.
 * The scene's own method then starts from the velocities and impulses of the last one. A step that is not solved to the
 * tolerance is counted, and the next one goes on from it. Runs of a process that begin alike are settled once (not
 * those of integrators with stages, nor copies of a batch). NB_ERROR_NUMERIC: a step diverged; NB_ERROR_UNSUPPORTED:
 * contact detection does not know a pair of the scene's shapes; NB_ERROR_INTERRUPTED. */
nb_status nb_scene_run_settle(nb_scene_run *scene);

/* The same, where a step that is not solved is a fault, too (NB_ERROR_NUMERIC). */
nb_status nb_scene_run_settle_all(nb_scene_run *scene);

/* Forgets what was settled: the next run is settled anew. */
void nb_scene_run_forget_settled(void);

/* Adds what came of it to the run's usage, in which the copies of a batch are counted together. */
void nb_run_add_settling(nb_run *run, const nb_settling *settling);

#endif
