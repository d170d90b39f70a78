/* Scenes that are run and pass all of their checks, in one table: a new one is a row. What a scene's steps come to
 * beyond that is tested in test_scenarios.c, test_soft_scenes.c and their neighbors. */
#include "check.h"

#include <string.h>

#include "reason.h"
#include "scenario_run.h"

/* How scenes are run. */
typedef enum way_name {
    NEWTON,       /* as request_of_scenario has it */
    SINGLE_LEVEL, /* finds contact points itself */
    SMOOTHED,
    SPRINGS, /* smoothed, with its own linear solver */
    SOFT,    /* newton, with a direct solver over the nodes */
    INTERIOR,
    PRESSING, /* interior-point, to 1e-7 m/s */
    IMPLICIT, /* the papers' steps: interior-point, to 1e-8 m/s */
    LINEARIZED,
    RELAXED,
    WAYS
} way_name;

/* 0 and "": as the method has it */
typedef struct way {
    const char *method, *solver, *options;
    double tolerance;
    int iterations, warm_start;
    nb_stepping_scheme scheme;
    int relaxed; /* 1: friction; 1: stabilized, too */
    int solved;  /* 1: every step must be */
} way;

static const way ways[WAYS] = {
    [NEWTON] = {"newton", "cholesky", "", 1e-10, 60, 0, NB_STEPPING_IMPLICIT, 0, 0},
    [SINGLE_LEVEL] = {"single-level", "", "rho-unit=weight", 0, 0, 0, NB_STEPPING_IMPLICIT, 0, 1},
    [SMOOTHED] = {"smoothed", "multifrontal", "", 0, 20000, 0, NB_STEPPING_IMPLICIT, 0, 0},
    [SPRINGS] = {"smoothed", "", "", 0, 1000, 0, NB_STEPPING_IMPLICIT, 0, 1},
    [SOFT] = {"newton", "cholesky", "form=stiffness geometric-stiffness=diagonal", 1e-8, 60, 1, NB_STEPPING_IMPLICIT, 0,
              0},
    [INTERIOR] = {"interior-point", "", "", 1e-10, 60, 0, NB_STEPPING_IMPLICIT, 0, 0},
    [PRESSING] = {"interior-point", "", "", 1e-7, 2000, 0, NB_STEPPING_IMPLICIT, 0, 0},
    [IMPLICIT] = {"interior-point", "", "", 1e-8, 3000, 0, NB_STEPPING_IMPLICIT, 0, 0},
    [LINEARIZED] = {"interior-point", "", "", 1e-8, 3000, 0, NB_STEPPING_ANITESCU_HART, 0, 0},
    [RELAXED] = {"interior-point", "", "", 1e-8, 3000, 0, NB_STEPPING_TASORA, 1, 0},
};

typedef struct row {
    way_name way;
    const char *scenario, *settings;
    int steps;
    double time_step;    /* [s]; 0: the scenario's */
    const char *holds;   /* NULL or a check, by a part of its name, that must be among those that pass */
    const char *options; /* NULL or further ones of the method */
} row;

static const row rows[] = {
    {NEWTON, "jammed-box", "mu=0.2", 1, 0, NULL, NULL}, /* comes out, flies and lands */
    {NEWTON, "jammed-box", "mu=0.2", 4, 0, NULL, NULL},
    {NEWTON, "jammed-box", "mu=0", 20, 0, NULL, NULL},
    {NEWTON, "jammed-box", "mu=0.8 lean=0.9 size=2 mass=30", 30, 0.005, NULL, NULL},
    {NEWTON, "jammed-box", "depth=0", 10, 0, NULL, NULL},
    {NEWTON, "heavy-stack", "", 60, 0, NULL, NULL},
    {NEWTON, "heavy-stack", "count=1", 10, 0, NULL, NULL},
    {NEWTON, "heavy-stack", "count=8 mass-ratio=2", 20, 0, NULL, NULL},
    {NEWTON, "heavy-stack", "mass-ratio=0.5 mu=0.2", 20, 0.002, NULL, NULL},
    {NEWTON, "heavy-stack", "box-size=0.1 bottom-mass=0.01", 20, 0.02, NULL, NULL},
    {NEWTON, "incline", "", 60, 0, NULL, NULL}, /* follows the closed form */
    {NEWTON, "incline", "mu=0.8", 60, 0, NULL, NULL},
    {NEWTON, "incline", "mu=0.1 angle=0.9", 60, 0.002, NULL, NULL},
    {NEWTON, "incline", "mu=0.8 speed=1", 60, 0.01, NULL, NULL},
    {NEWTON, "incline", "angle=0 mu=0.2 speed=3", 40, 0, NULL, NULL},
    {NEWTON, "incline", "mu=0", 40, 0, NULL, NULL},
    {NEWTON, "incline", "mu=0.7 mass=200 length=3", 40, 0, NULL, NULL},
    {NEWTON, "arch", "", 20, 0, NULL, NULL},
    {NEWTON, "arch", "count=4", 20, 0, NULL, NULL},
    {NEWTON, "arch", "count=7 mu=0.8", 20, 0, NULL, NULL},
    {NEWTON, "arch", "count=41 foot-mass=60", 5, 0, NULL, NULL},
    {NEWTON, "arch", "rise=1.5 mu=1", 10, 0, NULL, NULL},
    {NEWTON, "arch", "count=60", 3, 0, NULL, NULL},
    {NEWTON, "arch", "rise=2.4 span=2", 10, 0.004, NULL, NULL},
    {NEWTON, "wall", "width=1 height=1", 10, 0, NULL, NULL},
    {NEWTON, "wall", "width=3 height=4", 10, 0, NULL, NULL},
    {NEWTON, "wall", "width=4 height=2 mu=0.3 brick-mass=10", 10, 0.004, NULL, NULL},
    {NEWTON, "beam", "slot=0 insertion-speed=0", 150, 0, NULL, NULL}, /* bends as a cantilever */
    {NEWTON, "beam", "slot=0 insertion-speed=0 count=5 stiffness=40", 150, 0, NULL, NULL},
    {NEWTON, "beam", "slot=0 insertion-speed=0.3", 20, 0, NULL, NULL},
    {NEWTON, "beam", "slot=0 insertion-speed=0 position-compliance=1e-6", 150, 0, NULL, NULL},
    {NEWTON, "beam", "", 30, 0, NULL, NULL}, /* enters its slot */
    {NEWTON, "beam", "count=4 mu=0.2", 25, 0, NULL, NULL},
    {NEWTON, "beam", "count=4 slot-turn=0.01 stiffness=50", 25, 0.004, NULL, NULL},
    {NEWTON, "beam", "count=3 mu=0 clearance=0.002", 20, 0, NULL, NULL},
    {NEWTON, "piling", "shape=sphere count=8 tilt=0 jitter=0 spacing=0", 5, 0, NULL, NULL}, /* carries its weight */
    {NEWTON, "piling", "shape=box count=8 tilt=0 jitter=0 spacing=0", 5, 0, NULL, NULL},
    {NEWTON, "piling", "count=4", 7, 0, NULL, NULL}, /* the next one newton does not solve in 60 iterations */
    {NEWTON, "piling", "shape=sphere count=27 walls=1 size=0.05 mass=0.1 mu=0.3", 30, 0.004, NULL, NULL},
    {NEWTON, "humanoids", "count=2 lying=0 amplitude=0", 20, 0, NULL, NULL},
    {NEWTON, "humanoids", "count=1 lying=0 amplitude=0 mu=0.5 stiffness=2000", 10, 0.002, NULL, NULL},

    /* a cube stops after 3.6547 m, or is launched by the relaxed law; a block on tan 0.5 goes 1.75487 m in 2 s, and
     * a h t/2 more */
    {NEWTON, "incline", "angle=0 speed=6 length=0.1 height=1 mu=0.5", 300, 0.005, "way down the slope", NULL},
    {NEWTON, "incline", "angle=0.4636476090008061 mu=0.4", 400, 0.005, "way down the slope", NULL},
    {NEWTON, "kapla", "", 10, 0, NULL, NULL},
    {NEWTON, "kapla", "layers=3 mu=0.1 width=0.4", 10, 0.01, NULL, NULL},
    {INTERIOR, "card-house", "levels=3", 20, 0, "drift", NULL},
    {INTERIOR, "card-house", "levels=1 lean=1 mu=0.7 cubes=1", 60, 0, "vertical force", NULL},
    {INTERIOR, "card-house", "levels=1 mu=0.2", 30, 0.005, "cannot stand", NULL},
    {INTERIOR, "painleve-box", "", 60, 0, "way down the slope", NULL},
    {INTERIOR, "painleve-box", "mu=0.55", 60, 0, "must tip", NULL},
    {INTERIOR, "turntable", "", 100, 0, "way of the cube", NULL},
    {INTERIOR, "turntable", "speed=2.3", 100, 0, "what slides", NULL},
    {INTERIOR, "backspin", "", 240, 0, "error of a spin", NULL},
    {INTERIOR, "backspin", "mu=0.1 radius=0.1 spin=20", 100, 0.005, "error of a way", NULL},
    {INTERIOR, "rolling", "count=5 mu=0.2", 60, 0.01, "across", NULL},
    {LINEARIZED, "elastic-666", "side=3", 60, 0, "energy lost", NULL},
    /* cards that are thin for their length, boxes that tip, what is about to; balls at rest, and heavy ones */
    {INTERIOR, "card-house", "levels=2 thickness=0.0001", 10, 0, "drift", NULL},
    {INTERIOR, "rolling", "count=2 mu=10", 60, 0, NULL, NULL},
    {INTERIOR, "painleve-box", "length=0.01", 60, 0, NULL, NULL},
    {LINEARIZED, "elastic-666", "side=2 speed=0", 2, 0, NULL, NULL},
    {LINEARIZED, "elastic-666", "mass=1e6", 60, 0, "energy lost", NULL},

    /* from random places to rest, on each other, in a hole, and shapes that collision detection does not support */
    {SINGLE_LEVEL, "drop", "", 100, 0, NULL, NULL},
    {SINGLE_LEVEL, "drop", "set=polytope height=0.2", 100, 0, NULL, NULL},
    {SINGLE_LEVEL, "blocks", "offset=0.72", 20, 0, NULL, NULL},
    {SINGLE_LEVEL, "stack-4", "", 20, 0, NULL, NULL},
    {SINGLE_LEVEL, "peg", "", 60, 0, NULL, NULL},
    {SINGLE_LEVEL, "bundles", "", 60, 0, NULL, NULL},
    {SINGLE_LEVEL, "bundles", "tilt=-2 mu=0.2", 60, 0, NULL, NULL},
    {SINGLE_LEVEL, "walker", "", 20, 0, NULL, NULL}, /* whose last step begins four times */

    /* blocks that slide, turn and open joints; the check of angular momentum applies, too */
    {SMOOTHED, "incline", "", 30, 0, NULL, NULL},
    {SMOOTHED, "arch", "", 6, 0, NULL, NULL},
    {SMOOTHED, "blocks", "", 30, 0, NULL, NULL},
    {SMOOTHED, "stick-slip", "", 10, 0, NULL, NULL},
    {SMOOTHED, "wedge", "", 10, 0, NULL, NULL},
    {SMOOTHED, "bowl", "", 10, 0, NULL, NULL},
    {SMOOTHED, "beam", "", 10, 0, NULL, NULL},
    {SMOOTHED, "heavy-stack", "", 10, 0, NULL, NULL},
    {SMOOTHED, "peg", "", 30, 0, NULL, NULL},
    {SMOOTHED, "disks", "", 10, 0, NULL, NULL},
    {SMOOTHED, "load-ramp", "", 6, 0, NULL, NULL},
    {SMOOTHED, "arch", "", 6, 0, NULL, "basis-derivatives=on"},

    /* an inflated tire is led down by its rim, a ball comes to its walls, a cloth to its rod */
    {SPRINGS, "tyre", "along=8 around=6 duration=0.005", 12, 0, NULL, NULL},
    {SPRINGS, "ball-in-box", "spin=1000 along=-4", 3, 0, NULL, NULL}, /* the fourth is solved, or not, by rounding */
    {SPRINGS, "tube-cloth", "around=4 sections=4 duration=0.4", 6, 0, NULL, NULL},

    {SOFT, "bar", "", 120, 0, "volume", NULL},
    {SOFT, "bar", "material=neo-hookean", 120, 0, "volume", NULL},
    {SOFT, "bar", "material=neo-hookean stretch=3", 120, 0, "volume", NULL},
    {SOFT, "cantilever", "", 4, 0, "deflection", NULL},
    {SOFT, "cantilever", "material=neo-hookean poisson=0.45", 4, 0, "deflection", NULL},
    {SOFT, "cantilever", "young=1e5 density=10", 4, 0, "speed in the end", NULL}, /* softer: it still vibrates */
    {SOFT, "sheet", "", 20, 0, "force on the edges", NULL},
    {SOFT, "sheet", "count=5 stretch=1.2", 5, 0, "force on the edges", NULL},

    /* a roof that stands, and one that slides apart */
    {INTERIOR, "hinged-boxes", "", 30, 0, "stands", NULL},
    {INTERIOR, "hinged-boxes", "mu=0.2", 60, 0, "slides", NULL},
    {INTERIOR, "hinged-boxes", "angle=1.4", 60, 0, "stands", NULL},
    {INTERIOR, "wedge", "", 1, 0, NULL, NULL}, /* the force where a block lands */
    {INTERIOR, "wedge", "", 2, 0, NULL, NULL},
    {INTERIOR, "wedge", "lean=0.1", 1, 0, NULL, NULL},
    {INTERIOR, "wedge", "lean=0.1", 2, 0, NULL, NULL},
    {INTERIOR, "wedge", "mu=1 fall=0.05", 1, 0, NULL, NULL},
    {INTERIOR, "wedge", "mu=1 fall=0.05", 2, 0, NULL, NULL},
    {INTERIOR, "wedge", "lean=1 mu=0 size=2 mass=30", 1, 0, NULL, NULL},
    {INTERIOR, "wedge", "lean=1 mu=0 size=2 mass=30", 2, 0, NULL, NULL},

    /* what stays where there is no friction, and what friction moves */
    {PRESSING, "hand-object", "mu=0", 140, 0, "way of the object, which slips", NULL},
    {PRESSING, "cabinets", "count=1 mu=0", 140, 0, "way of the drawer that came farthest", NULL},
    {PRESSING, "hand-object", "", 140, 0, "way of the object with the palm", NULL},
    {PRESSING, "cabinets", "count=1", 140, 0, "way of the drawer that came least", NULL},
};

/* the papers' scenes, on and off their defaults, by three ways each */
static const row papers[] = {
    {IMPLICIT, "pendulum", "", 60, 0, NULL, NULL},
    {IMPLICIT, "pendulum", "length=0.2 angle=2.8 mass=3", 60, 0.002, NULL, NULL},
    {IMPLICIT, "ellipse", "", 60, 0, NULL, NULL},
    {IMPLICIT, "ellipse", "long=3 short=2 height=2 spin=-7 mu=0.8", 60, 0.01, NULL, NULL},
    {IMPLICIT, "three-disks", "", 20, 0, NULL, NULL},
    {IMPLICIT, "three-disks", "mu=0.269 radius=0.1 mass=7", 20, 0.01, NULL, NULL},
    {IMPLICIT, "three-disks", "mu=0.267", 20, 0, NULL, NULL},
    {IMPLICIT, "disks", "rows=4", 40, 0, NULL, NULL},
    {IMPLICIT, "disks", "rows=3 mu=0.6 radius=0.5", 20, 0.01, NULL, NULL},
    {IMPLICIT, "four-bar", "", 60, 0, NULL, NULL},
    {IMPLICIT, "four-bar", "crank=0.6 coupler=2 rocker=1.4 ground=1.8 angle=0.3", 60, 0.005, NULL, NULL},
    {IMPLICIT, "walker", "", 30, 0, NULL, NULL},
    {IMPLICIT, "four-bars", "count=3", 30, 0, NULL, NULL},
    {IMPLICIT, "bricard", "", 40, 0, NULL, NULL},
    {IMPLICIT, "nunchaku", "", 40, 0, NULL, NULL},
    {IMPLICIT, "nunchaku", "held=1 angle=1 count=3", 40, 0, "held rod", NULL},
    {IMPLICIT, "loop-chain", "", 40, 0, "45 degrees", NULL},
    {IMPLICIT, "delta", "", 30, 0, "platform", NULL},
    {IMPLICIT, "loop-biped", "", 20, 0, "torso", NULL},
    {IMPLICIT, "loop-biped", "period=0.2", 40, 0, NULL, NULL}, /* its feet come off the ground */
    {IMPLICIT, "walker", "period=0.5 swing=0.2 lift=0.2 mu=0.9", 40, 0.005, NULL, NULL},
    /* bodies that turn by radians within an implicit step, which it need not solve, are no test of it */
    {LINEARIZED, "brazil-nut", "count=20 width=4 ratio=1.5", 30, 0, NULL, NULL},
    {LINEARIZED, "brazil-nut", "count=12 width=3 mu=0.2 period=0.9", 30, 0.05, NULL, NULL},
    {LINEARIZED, "granular", "count=30 opening=0", 20, 0, NULL, NULL},
    {LINEARIZED, "granular", "count=30 width=4 opening=2 mu=0.2 radius=0.02", 20, 0.005, NULL, NULL},
};

static nb_run *run_row(const row *r, way_name by) {
    const way *w = &ways[by];
    nb_request request = request_of_scenario(r->scenario, r->settings, r->steps, w->tolerance);
    strcpy(request.info.method, w->method);
    strcpy(request.info.linear_solver, w->solver);
    request.info.newton_iterations = w->iterations;
    request.info.warm_start = w->warm_start;
    request.info.time_step = r->time_step;
    request.scene.stepping.scheme = w->scheme;
    if (w->relaxed) {
        request.scene.friction_law = NB_FRICTION_RELAXED;
        request.scene.stepping.stabilization = 1;
    }
    set_options(w->options, &request);
    if (r->options) set_options(r->options, &request);
    return run(&request);
}

static void check_row(const row *r, way_name by) {
    nb_run *done = run_row(r, by);
    int failed = failures(done, 1), named = 0;
    double contacts = 0;
    if (done->step_count != r->steps || done->checks.count <= (by >= IMPLICIT ? 6 : 4)) failed++;
    for (int i = 0; r->holds && i < done->checks.count; i++)
        named += strstr(done->checks.items[i].name, r->holds) != NULL;
    if (r->holds && !named) fail_msg("%s %s has no check '%s'", r->scenario, r->settings, r->holds);
    for (int32_t s = 0; ways[by].solved && s < done->step_count; s++) {
        const double *step = done->steps + (ptrdiff_t)s * NB_STEP_COLUMNS;
        failed += (int)step[NB_STEP_REASON] != NB_REASON_CONVERGED;
        contacts = fmax(contacts, step[NB_STEP_CONTACTS]);
    }
    if (by == SPRINGS) assert_true(contacts > 0);
    if (by == SOFT) assert_true(done->final.particles > 0);
    if (failed)
        fail_msg("%s %s, %d steps by %s, row kind %d", r->scenario, r->settings, r->steps, ways[by].method, (int)by);
    nb_run_destroy(done);
}

/* under sanitizers without the last two, which take a fifth of the time */
TEST(scenes_pass_their_checks) {
    const size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < (test_share() > 1 ? count - 2 : count); i++) check_row(&rows[i], rows[i].way);
}

/* implicit, linearized with Coulomb's law, and relaxed */
TEST(papers_scenes_pass_by_each_way) {
    for (size_t i = 0; i < 3 * sizeof papers / sizeof *papers; i += (size_t)test_share()) {
        const way_name by = (way_name)(IMPLICIT + i % 3);
        if (by >= papers[i / 3].way) check_row(&papers[i / 3], by);
    }
}

RUN_TESTS(scenes_pass_their_checks, papers_scenes_pass_by_each_way)
