/* Every option with every method, and every option of every linear solver and preconditioner: what is changed gives
 * other bits, or is refused in a line. An option that does neither would be a silent lie in a sweep. */
#include "run/setting_effect.h"

#include <string.h>

#include "base/memory.h"
#include "base/stream.h"
#include "check.h"
#include "registry.h"
#include "run/parameter_grid.h"
#include "run/simulate.h"

NB_PRECISIONS(f64);

enum {
    MOST_VALUES = 8,
    MOST_LINE = 512
};

/* ---- runs ---- */

static int key_of(const char *name) {
    for (const struct argp_option *o = nb_request_arguments(NB_USE_RUNS); o->name || o->doc; o++)
        if (o->name && strcmp(o->name, name) == 0) return o->key;
    fail_msg("no option %s", name);
    return 0;
}

/* "--steps 2 --store-systems", from the left to the right */
static nb_status read_line(const char *line, nb_parameter_grid *grid) {
    char words[4 * MOST_LINE], *rest = NULL;
    nb_status status = NB_OK;
    int known;
    assert_true(strlen(line) < sizeof words);
    strcpy(words, line);
    for (char *word = strtok_r(words, " ", &rest); word && status == NB_OK; word = strtok_r(NULL, " ", &rest)) {
        const int is_switch = strcmp(word, "--store-systems") == 0 || strcmp(word, "--store-iterates") == 0;
        status = nb_parameter_grid_set(grid, key_of(word + 2), is_switch ? NULL : strtok_r(NULL, " ", &rest), &known);
    }
    return status;
}

/* what a run came to, but for its times */
static uint64_t bits_of(const nb_run *run) {
    const int64_t rows = run->step_count > 0 ? run->newton_start[run->step_count] : 0;
    const int64_t linear = rows > 0 ? run->linear_start[rows] : 0;
    const nb_snapshot *end = &run->final;
    uint64_t bits = NB_CHECKSUM_OF_NOTHING;
    const int64_t counts[] = {run->step_count,  rows,          linear,           run->system_count,
                              run->frame_count, end->contacts, run->batch.scenes};
    bits = nb_checksum(bits, counts, sizeof counts);
    bits = nb_checksum(bits, end->q, (size_t)end->bodies * 7 * sizeof(double));
    bits = nb_checksum(bits, end->u, (size_t)end->bodies * 6 * sizeof(double));
    bits = nb_checksum(bits, end->lambda_normal, (size_t)end->contacts * sizeof(double));
    for (int64_t s = 0; s < run->step_count; s++)
        for (int c = 0; c < NB_STEP_COLUMNS; c++)
            if (strcmp(nb_step_columns[c].units, "s") != 0 || strcmp(nb_step_columns[c].name, "time") == 0)
                bits = nb_checksum(bits, &run->steps[s * NB_STEP_COLUMNS + c], sizeof(double));
    for (int64_t r = 0; r < rows; r++)
        for (int c = 0; c < run->newton_columns.count; c++)
            if (strcmp(nb_columns_at(&run->newton_columns, c)->units, "s") != 0)
                bits = nb_checksum(bits, &run->newton[r * run->newton_columns.count + c], sizeof(double));
    for (int64_t r = 0; r < (int64_t)run->batch.scenes * run->batch.steps; r++)
        for (int c = 0; c < NB_BATCH_COLUMNS; c++)
            if (c != NB_BATCH_STEP_S)
                bits = nb_checksum(bits, &run->batch.rows[r * NB_BATCH_COLUMNS + c], sizeof(double));
    for (int64_t r = 0; r < linear; r++)
        for (int c = 0; c < NB_LINEAR_COLUMNS; c++)
            if (strcmp(nb_linear_columns[c].units, "s") != 0)
                bits = nb_checksum(bits, &run->linear[r * NB_LINEAR_COLUMNS + c], sizeof(double));
    return bits;
}

static char geometry_made[NB_NAME_LENGTH]; /* of the last run: asking for what it has in any case changes nothing */

/* The run of the scenario and the options; NB_OK, or what refuses it: an option without effect, the command line, or
 * the run itself. */
static nb_status make(const char *scenario, const char *line, uint64_t *bits) {
    static nb_request request; /* large */
    nb_parameter_grid *grid = NULL;
    nb_unused_options *unused = NULL;
    nb_run *run = NULL;
    nb_status status;
    memset(&request, 0, sizeof request);
    NB_TRY(nb_parameter_grid_create(&grid));
    NB_TRY(nb_parameter_grid_add_scenarios(grid, scenario));
    NB_TRY(read_line(line, grid));
    NB_TRY(nb_parameter_grid_request(grid, 0, &request));
    NB_TRY(nb_simulate_prepare(&request));
    NB_TRY(nb_unused_options_create(grid, &unused));
    nb_unused_options_look(unused, &request);
    NB_TRY(nb_unused_options_check(unused));
    NB_TRY(nb_simulate(&request, NULL, NULL, &run));
    *bits = bits_of(run);
    strcpy(geometry_made, request.info.geometry);
out:
    nb_run_destroy(run);
    nb_free(request.info.parameters);
    nb_unused_options_destroy(unused);
    nb_parameter_grid_destroy(grid);
    return status;
}

/* ---- values ---- */

/* Options whose effect is no number of a run, and why; the rest of all is walked. */
static const struct {
    const char *name, *why;
} elsewhere[] = {
    {"--method", "walked"},
    {"--device", "none here"},
    {"--whole-steps", "no device here"},
    {"--threads", "the same bits"},
    {"--from", "a record"},
    {"--size", "of scenarios"},
    {"--set", "of scenarios"},
    {"--seed", "of random numbers"},
    {"--repeat", "times"},
    {"--warmup", "times"},
    {"--solver-option", "walked below"},
    {"--preconditioner-option", "walked below"},
    {"--method-option", "each has its own"},
    {"--linear-history", "off is what is had without linear solves"},
};

/* values to try where the other choices, or one and a half times the standard, will not do */
static const struct {
    const char *name, *values;
} tried[] = {
    {"--precision", "f32"},
    {"--fbf-iterations", "1"},
    {"--linear-solver", "gmres pcg multifrontal"},
    {"--preconditioner", "block-jacobi lu"},
    {"--steps", "2"},
    {"--time-step", "0.003"},
    {"--settle", "1"},
    {"--settle-tolerance", "1e-2"},
    {"--batch", "2"},
    {"--batch-perturbation", "1e-3"},
    {"--contact-margin", "1e-6 0.5"},
    {"--contact-compliance", "1e-4"},
    {"--contact-thickness", "1e-3"},
    {"--verify-contacts", "1e-12"},
    {"--friction-direction", "0.5"},
    {"--facets", "6"},
    {"--stabilization", "0.3"},
    {"--recovery-speed", "1e-9"},
    {"--active-set", "1e-9"},
    {"--restitution", "0.5"},
    {"--lead", "2"},
    {"--newton-iterations", "1 2"},
    {"--newton-tolerance", "1e6 1e-1"},
    {"--linear-iterations", "2"},
    {"--linear-tolerance", "0.5 1e-9"},
    {"--recycle", "4"},
    {"--store-states", "1"},
    {"--store-iterates", ""},
    {"--store-systems", ""},
    {"--regularization", "0.1"},
    {"--lemke-shift", "1e-3"},
    {"--inner-tolerance", "1e-6 1e-1"},
    {"--friction-iterations", "3"},
    {"--lag-tolerance", "0.5"},
    {"--contact-stiffness", "1000"},
    {"--static-mu", "2"},
    {"--viscous-friction", "0.3"},
    {"--rayleigh-mass", "0.5"},
    {"--rayleigh-stiffness", "0.01"},
    {"--residual-tolerance", "0.1"},
    {"--record-every", "3"},
    {"fill", "1"},
    {"size", "2"},
    {"overlap", "0"},
    {"corrections", "0"},
    {"inner", "jacobi ict 2"},
};

static const char *listed(const char *name) {
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (strcmp(tried[i].name, name) == 0) return tried[i].values;
    return NULL;
}

static int is_elsewhere(const char *name) {
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].name, name) == 0) return 1;
    return 0;
}

/* the values to try: those that are listed, all choices but the standard one, or one and a half times the standard */
static int values_of(const nb_option *option, const char *list, char values[MOST_VALUES][NB_NAME_LENGTH]) {
    int count = 0;
    for (const char *at = list; at && *at && count < MOST_VALUES; at += strcspn(at, " "), at += strspn(at, " "))
        snprintf(values[count++], NB_NAME_LENGTH, "%.*s", (int)strcspn(at, " "), at);
    for (int c = 0; !list && option->choices && option->choices[c] && count < MOST_VALUES; c++)
        if (c != (int)option->standard) snprintf(values[count++], NB_NAME_LENGTH, "%s", option->choices[c]);
    if (list && !*list) *values[count++] = '\0'; /* a switch */
    if (!list && !option->choices) {
        double value = 1.5 * option->standard;
        if (option->integer) value = option->standard + 1;
        if (value == 0) value = 0.5;
        if (!(value <= option->maximum)) value = 0.5 * option->standard;
        snprintf(values[count++], NB_NAME_LENGTH, "%.9g", value);
    }
    assert_true(count > 0);
    return count;
}

/* ---- the walk ---- */

/* scenes that have, between them, what options are of: contacts that slide, joints, particles, gas; each with options
 */
static const char *const scenes[][2] = {
    {"wedge", "--steps 2"},
    {"heavy-stack", "--size 2 --steps 3 --time-step 0.01"},
    {"humanoids", "--set count=2 --set lying=0 --steps 3"},
    {"soft-stack", "--set count=1 --set cells=1 --set height=0 --steps 2"},
    {"sheet", "--set count=4 --steps 2"},
    {"wall", "--set width=5 --set height=5 --steps 1"}, /* bricks in loops: factors have fill */
    {"tennis-ball", "--set frequency=1 --steps 2"},
};

enum {
    SCENES = sizeof scenes / sizeof *scenes
};

/* what the scenes come to by the same options, each found when it is asked for first */
static struct {
    char options[2 * MOST_LINE];
    int known[SCENES], made[SCENES];
    uint64_t bits[SCENES];
} before;

static int find_before(const char *options, size_t s, uint64_t *bits) {
    char line[4 * MOST_LINE];
    if (strcmp(scenes[s][0], "tennis-ball") == 0 && !strstr(options, "smoothed")) return 0; /* for its gas; large */
    if (strcmp(before.options, options) != 0) {
        memset(&before, 0, sizeof before);
        snprintf(before.options, sizeof before.options, "%s", options);
    }
    snprintf(line, sizeof line, "%s %s", scenes[s][1], options);
    if (!before.known[s]) before.made[s] = make(scenes[s][0], line, &before.bits[s]) == NB_OK;
    before.known[s] = 1;
    *bits = before.bits[s];
    return before.made[s];
}

/* Whether some value gives other bits in some scene, or each is refused. */
static int acts(const char *base, const char *flag, const char *between, char values[MOST_VALUES][NB_NAME_LENGTH],
                int count) {
    char changed[4 * MOST_LINE];
    int made = 0;
    for (size_t s = 0; s < SCENES; s++) {
        uint64_t bits, other;
        if (!find_before(base, s, &bits)) continue;
        for (int i = 0; i < count; i++) {
            snprintf(changed, sizeof changed, "%s %s %s %s%s", scenes[s][1], base, flag, between, values[i]);
            const nb_status status = make(scenes[s][0], changed, &other);
            if (status == NB_OK && other != bits) return 1;
            made += status == NB_OK && !(strcmp(flag, "--geometry") == 0 && strcmp(values[i], geometry_made) == 0);
        }
        if (made == 0) return 1; /* what is refused here is refused anywhere */
    }
    return made == 0;
}

/* what methods are combined with */
static const char *const contexts[] = {"", "--time-stepping anitescu-hart"};

TEST(every_option_acts_with_every_method_or_is_refused) {
    char values[MOST_VALUES][NB_NAME_LENGTH], base[MOST_LINE];
    int silent = 0, walked = 0;
    for (int m = 0; nb_methods[m]; m++)
        for (size_t c = 0; c < sizeof contexts / sizeof *contexts; c++) {
            const char *law = nb_methods[m]->friction_laws == NB_FRICTION_FACETED ? " --friction-law polyhedral"
                              : nb_methods[m]->gives_way ? " --contact-model sap --friction-law relaxed"
                                                         : "";
            snprintf(base, sizeof base, "--method %s %s%s", nb_methods[m]->name, contexts[c], law);
            print_message("  %s\n", base);
            for (int i = 0; i < nb_request_option_count(); i++) {
                const nb_request_option *o = nb_request_option_at(i);
                if (is_elsewhere(o->option.name) || !(o->use & 1) || strstr(base, o->option.name)) continue;
                const int count = values_of(&o->option, listed(o->option.name), values);
                walked++;
                if (acts(base, o->option.name, "", values, count)) continue;
                print_error("%s %s: neither other bits nor a word\n", base, o->option.name);
                silent++;
            }
        }
    print_message("%d options walked\n", walked);
    assert_int_equal(silent, 0);
}

/* ---- options of solvers and preconditioners ---- */

/* each option, with the standard values of the others and with each choice of another one */
static int walk_options(const char *base, const char *flag, const nb_option *options, int count) {
    char values[MOST_VALUES][NB_NAME_LENGTH], with[2 * MOST_LINE], between[NB_NAME_LENGTH + 2];
    int silent = 0;
    for (int other = -1; other < count; other++)
        for (int choice = 0; other < 0 ? choice < 1 : options[other].choices && options[other].choices[choice];
             choice++)
            for (int i = 0; i < count; i++) {
                if (i == other) continue;
                snprintf(with, sizeof with, "%s", base);
                if (other >= 0)
                    snprintf(with, sizeof with, "%s %s %s=%s", base, flag, options[other].name,
                             options[other].choices[choice]);
                snprintf(between, sizeof between, "%s=", options[i].name);
                const int tries = values_of(&options[i], listed(options[i].name), values);
                if (acts(with, flag, between, values, tries)) continue;
                print_error("%s %s %s: neither other bits nor a word\n", with, flag, options[i].name);
                silent++;
            }
    return silent;
}

TEST(every_option_of_a_solver_acts_or_is_refused) {
    char base[MOST_LINE];
    int silent = 0;
    for (int i = 0; nb_linear_solvers[i]; i++) {
        snprintf(base, sizeof base, "--method newton --linear-iterations 60 --linear-solver %s",
                 nb_linear_solvers[i]->name);
        if (nb_linear_solvers[i]->direct)
            snprintf(base, sizeof base, "--method newton --linear-solver %s", nb_linear_solvers[i]->name);
        silent +=
            walk_options(base, "--solver-option", nb_linear_solvers[i]->options, nb_linear_solvers[i]->option_count);
    }
    assert_int_equal(silent, 0);
}

TEST(every_option_of_a_preconditioner_acts_or_is_refused) {
    char base[MOST_LINE];
    int silent = 0;
    for (int i = 0; nb_preconditioners[i]; i++) {
        const nb_preconditioner_class *p = nb_preconditioners[i];
        const char *with = p->takes_mirrored ? "--method newton --form saddle --linear-solver minres"
                           : p->of_symmetric ? "--method newton --form saddle --linear-solver gmres"
                                             : "--method newton --form stiffness --linear-solver pcg";
        if (p->of_symmetric && !p->takes_mirrored) with = "--method interior-point --linear-solver gmres";
        snprintf(base, sizeof base, "%s --linear-iterations 8 --preconditioner %s%s", with, p->name,
                 strcmp(p->name, "schwarz") == 0 ? " --preconditioner-option size=4" : ""); /* several parts */
        silent += walk_options(base, "--preconditioner-option", p->options, p->option_count);
    }
    assert_int_equal(silent, 0);
}

/* ---- what is said ---- */

TEST(what_is_refused_says_why_and_what_to_do) {
    uint64_t bits;
    CHECK_FAULT(make("granular", "--linear-solver pcr", &bits), NB_ERROR_USAGE,
                "--linear-solver has no effect with psor; use a --method with linear systems, or leave it out");
    CHECK_FAULT(make("granular", "--preconditioner jacobi", &bits), NB_ERROR_USAGE, "--preconditioner has no effect");
    CHECK_FAULT(make("incline", "--linear-solver cholesky --linear-iterations 5", &bits), NB_ERROR_USAGE,
                "has no effect with cholesky; use an iterative --linear-solver, or leave it out");
    CHECK_FAULT(make("incline", "--solver-option omega=0.5 --linear-solver jacobi", &bits), NB_ERROR_USAGE,
                "--solver-option omega has no effect with variant l1; use another --solver-option variant");
    CHECK_FAULT(make("incline", "--lead-exact on", &bits), NB_ERROR_USAGE, "lead 0; use another --lead, or");
    CHECK_OK(make("incline", "--steps 1 --lead-exact off --recovery-speed any --contact-margin scenario", &bits));
}

RUN_TESTS(what_is_refused_says_why_and_what_to_do, every_option_of_a_solver_acts_or_is_refused,
          every_option_of_a_preconditioner_acts_or_is_refused, every_option_acts_with_every_method_or_is_refused)
