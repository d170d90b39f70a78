/* How a method is added: it stands in this file alone, with an option, columns and an unknown of its own. It runs like
 * any other, its record tells what it told, and a figure draws its columns.
 *
 * The method goes along the velocities of the rows and projects: z <- P(z - share v/w), u = u~ + M^-1 J^T z. The share
 * is its own unknown: it grows while the error falls, is halved where it rises, and goes on in the next step where it
 * ended in the last one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "figure/figure.h"
#include "measure/iterate.h"
#include "record/record.h"
#include "record_file.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/setting_effect.h"
#include "run/simulate.h"
#include "step/stepper.h"
#include "table/known_columns.h"

NB_PRECISIONS(f64);

/* ---- the method ---- */

enum {
    START,
    OPTIONS
};

static const nb_option options[OPTIONS] = {
    [START] = {"share", "1", 0.3, 0.01, 1, 0, NULL, "of a row's error that is taken away at first"},
};

enum {
    SHARE,
    LOADED_ROWS,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    [SHARE] = {"share", "1", "share of a row's error that the iteration takes away"},
    [LOADED_ROWS] = {"loaded_rows", "1", "rows that carry an impulse", "0=none"},
};

typedef struct projection {
    nb_method base; /* first */
    nb_method_settings settings;
    double share;
    real *du, *y; /* [velocities], [rows]: zeros */
} projection;

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    projection *m = NULL;
    nb_status status = NB_ALLOCATE(1, &m);
    *self = NULL;
    if (status != NB_OK) return status;
    m->base.type = type;
    m->settings = *settings;
    m->share = settings->values ? settings->values[START] : options[START].standard;
    *self = &m->base;
    return NB_OK;
}

static void destroy(nb_method *self) {
    projection *m = (projection *)self;
    if (!m) return;
    nb_free(m->du);
    nb_free(m->y);
    nb_free(m);
}

/* velocities that go with the impulses, and what the rows have of them */
static void follow(projection *m, nb_problem *p) {
    p->type->evaluate(p, NULL);
    p->type->velocity_step(p, m->y, m->du);
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] += m->du[i];
    p->type->evaluate(p, NULL);
}

static void iterate(projection *m, nb_problem *p, nb_newton_report *report) {
    double loaded = 0;
    for (int32_t r = 0; r < p->rows; r++) p->z[r] -= (real)m->share * p->value[r] / p->w[r];
    for (int32_t i = 0; i < p->range_count; i++) p->ranges[i].law->type->project(&p->ranges[i], p->z);
    for (int32_t r = 0; r < p->rows; r++) loaded += p->z[r] != 0;
    follow(m, p);
    report->solved = 1;
    report->values[SHARE] = m->share;
    report->values[LOADED_ROWS] = loaded;
}

static nb_status step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    projection *m = (projection *)self;
    nb_status status;
    double before = INFINITY;
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = NAN, .norm_a_inverse = NAN};
    nb_free(m->du);
    nb_free(m->y);
    m->du = m->y = NULL;
    NB_TRY(NB_ALLOCATE(p->velocities, &m->du));
    NB_TRY(NB_ALLOCATE(p->rows, &m->y));
    follow(m, p);
    for (int32_t k = 0; outcome->reason == NB_REASON_NONE; k++) {
        nb_newton_report report;
        nb_measure_iterate(measure, p, &outcome->errors);
        nb_measure_report(p, &outcome->errors, &report);
        if (nb_measure_converged(&outcome->errors, &m->settings)) outcome->reason = NB_REASON_CONVERGED;
        if (outcome->reason == NB_REASON_NONE && k == m->settings.newton_iterations)
            outcome->reason = NB_REASON_ITERATIONS;
        if (outcome->reason == NB_REASON_NONE) {
            m->share = outcome->errors.natural_map < before ? fmin(1.05 * m->share, 1) : fmax(m->share / 2, 0.01);
            before = outcome->errors.natural_map;
            iterate(m, p, &report);
            outcome->newton_iterations++;
        }
        if (observer && observer->newton) NB_TRY(observer->newton(observer->context, &report));
    }
out:
    return status;
}

static nb_status save(const nb_method *self, nb_stream *stream) {
    const projection *m = (const projection *)self;
    return nb_stream_put(stream, &m->share, sizeof m->share);
}

static nb_status load(nb_method *self, nb_stream *stream) {
    projection *m = (projection *)self;
    return nb_stream_get(stream, &m->share, sizeof m->share);
}

static const nb_method_class method = {
    .name = "projection",
    .summary = "projected steps along the velocities of the rows",
    .options = options,
    .option_count = OPTIONS,
    .columns = columns,
    .column_count = COLUMNS,
    .alone = 1,
    .newton_iterations = 40,
    .create = create,
    .step = step,
    .save = save,
    .load = load,
    .destroy = destroy,
};

/* ---- what comes of it ---- */

enum {
    STEPS = 6
};

static void ask(nb_request *request, const char *share) {
    nb_request_standard(request);
    strcpy(request->info.scenario, "incline");
    strcpy(request->info.method, "projection");
    request->info.steps = STEPS;
    request->setting_count = 1;
    strcpy(request->settings[0].name, "angle"); /* the block sticks */
    strcpy(request->settings[0].value, "0.1");
    if (share) CHECK_OK(nb_request_set_option(request, "share", share));
}

static nb_run *run_with(const char *share) {
    nb_request *request = calloc(1, sizeof *request);
    nb_run *run;
    ask(request, share);
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_simulate(request, NULL, NULL, &run));
    assert_true(run->finished);
    nb_free(request->info.parameters);
    free(request);
    return run;
}

TEST(its_option_is_checked_recorded_and_used) {
    nb_request *request = calloc(1, sizeof *request);
    ask(request, "2");
    CHECK_FAULT(nb_simulate_prepare(request), NB_ERROR_USAGE, "method 'projection': share = 2 is out of range");
    ask(request, NULL);
    CHECK_OK(nb_request_set_option(request, "shard", "0.1"));
    CHECK_FAULT(nb_simulate_prepare(request), NB_ERROR_USAGE, "did you mean 'share'");
    ask(request, NULL); /* one of another method */
    CHECK_OK(nb_request_set_option(request, "damping", "0.5"));
    CHECK_FAULT(nb_simulate_prepare(request), NB_ERROR_USAGE, "--damping requires --method newton");
    free(request);
    nb_run *run = run_with("0.25"), *other = run_with(NULL);
    assert_non_null(strstr(run->info.parameters, "method.share=0.25\n"));
    assert_non_null(strstr(other->info.parameters, "method.share=0.3\n"));
    assert_true(nb_info_uses(&run->info, "method.share"));
    assert_string_equal(nb_info_ignored(&run->info, "damping").by, "projection");
    /* the first iteration grows it by a twentieth */
    int share = nb_run_newton_column(run, "share");
    CHECK_NEAR(nb_run_newton_number(run, 0, share), 1.05 * 0.25, 1e-15);
    CHECK_NEAR(nb_run_newton_number(other, 0, share), 1.05 * 0.3, 1e-15);
    nb_run_destroy(run);
    nb_run_destroy(other);
}

/* The block stays where it is: four contacts share its weight. */
TEST(its_solution_is_one) {
    nb_run *run = run_with(NULL);
    double error = run->steps[(STEPS - 1) * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_ERROR];
    print_message("natural map %.2g m/s after %d steps\n", error, (int)run->step_count);
    CHECK_BELOW(error, 1e-5); /* it converges linearly; seen is 8e-8 */
    nb_run_destroy(run);
}

/* the run as its record has it; *path stays for figures */
static nb_run *through_a_record(const nb_run *run, const char *path) {
    const nb_provenance where = {.cpu_model = "a processor"};
    nb_record *record;
    nb_record_reader *reader;
    nb_run *back;
    CHECK_OK(nb_record_create(path, "a new method", "test", &where, &record));
    CHECK_OK(nb_record_write_run(record, run));
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(nb_record_open(path, &reader));
    CHECK_OK(nb_record_read_run(reader, 0, &back));
    nb_record_reader_close(reader);
    return back;
}

/* the run as another process gets it, or as it goes on from a checkpoint */
static nb_run *carried(const nb_run *run, nb_carrier carrier) {
    nb_stream stream = {.file = tmpfile(), .path = "the test's", .unchecked = 1};
    nb_run *back;
    CHECK_OK(nb_run_create(&back));
    if (carrier == NB_CHECKPOINT) { /* which a run is read into that has its columns */
        CHECK_OK(nb_run_set_newton_columns(back, columns, COLUMNS));
        CHECK_OK(nb_columns_add(&back->newton_columns, nb_place_columns, NB_PLACE_COLUMNS));
    }
    CHECK_OK(nb_members_put(&nb_run_members, carrier, run, &stream));
    stream.left = ftell(stream.file);
    rewind(stream.file);
    CHECK_OK(nb_members_get(&nb_run_members, carrier, back, &stream));
    assert_int_equal(stream.left, 0);
    fclose(stream.file);
    return back;
}

static void check_columns(const nb_run *run, const nb_run *back) {
    const int64_t rows = run->newton_start[STEPS];
    assert_int_equal(back->newton_start[STEPS], rows);
    assert_int_equal(back->newton_columns.count, NB_NEWTON_COLUMNS + COLUMNS + NB_PLACE_COLUMNS);
    assert_int_equal(nb_run_newton_column(back, "linear_iterations"), -1); /* it solves no systems */
    for (int c = 0; c < COLUMNS; c++) {
        int was = nb_run_newton_column(run, columns[c].name), is = nb_run_newton_column(back, columns[c].name);
        assert_true(was >= NB_NEWTON_COLUMNS && is >= NB_NEWTON_COLUMNS);
        const nb_column *column = nb_columns_at(&back->newton_columns, is);
        assert_string_equal(column->units, columns[c].units);
        assert_string_equal(column->long_name, columns[c].long_name);
        assert_string_equal(column->legend, columns[c].legend);
        for (int64_t r = 0; r < rows; r++) {
            double a = nb_run_newton_number(run, r, was), b = nb_run_newton_number(back, r, is);
            assert_true(a == b || (isnan(a) && isnan(b)));
        }
    }
}

TEST(its_columns_are_in_the_record) {
    nb_run *run = run_with(NULL), *back = through_a_record(run, test_path("a.h5"));
    check_columns(run, back);
    for (int i = 0; i < 2; i++) {
        nb_run *other = carried(run, i ? NB_CHECKPOINT : NB_TRANSFER);
        check_columns(run, other);
        nb_run_destroy(other);
    }
    for (int c = 0; c < COLUMNS; c++) assert_true(nb_known_columns_have(columns[c].name)); /* in `list columns` */
    int loaded = nb_run_newton_column(back, "loaded_rows");
    for (int s = 0; s < STEPS; s++) { /* the state after the last iteration is none */
        assert_true(isnan(nb_run_newton_number(back, back->newton_start[s + 1] - 1, loaded)));
        assert_true(nb_run_newton_number(back, back->newton_start[s + 1] - 2, loaded) >= 4);
    }
    nb_run_destroy(run);
    nb_run_destroy(back);
}

TEST(a_figure_draws_its_column) {
    nb_run *run = run_with(NULL);
    nb_run_destroy(through_a_record(run, test_path("a.h5")));
    char svg[300], csv[300], line[512];
    snprintf(svg, sizeof svg, "%s", test_path("a.svg"));
    snprintf(csv, sizeof csv, "%s", test_path("a.csv"));
    nb_record_reader *reader;
    nb_figure_choice choice;
    nb_figure_choice_standard(&choice);
    choice.quantity = "loaded-rows";
    const nb_figure_class *figure = nb_figure_at(0);
    for (int i = 0; strcmp(figure->name, "convergence") != 0; i++) figure = nb_figure_at(i);
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    const nb_figure_source source = {.readers = &reader, .count = 1, .choice = &choice, .csv = csv};
    CHECK_OK(nb_figure_draw_from(figure, &source, svg));
    FILE *file = fopen(csv, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(strstr(line, "loaded_rows"));
    int64_t row = run->newton_start[STEPS - 1];
    int loaded = nb_run_newton_column(run, "loaded_rows"), compared = 0;
    for (; fgets(line, sizeof line, file) && row < run->newton_start[STEPS] - 1; row++, compared++)
        CHECK_NEAR(atof(strrchr(line, ',') + 1), nb_run_newton_number(run, row, loaded), 0);
    assert_true(compared > 5);
    fclose(file);
    choice.quantity = "loaded-row"; /* and knows the nearest name of the record's own */
    CHECK_FAULT(nb_figure_draw_from(figure, &source, svg), NB_ERROR_USAGE, "did you mean 'loaded_rows'");
    nb_record_reader_close(reader);
    nb_run_destroy(run);
}

/* one step of the world by the stepper */
static void advance(void *stepper, nb_world *world, nb_contacts *contacts, nb_measure *measure, double h) {
    nb_step_outcome outcome;
    nb_step_counts counts;
    CHECK_OK(nb_contacts_detect(world, h, contacts));
    CHECK_OK(nb_stepper_f64.begin(stepper, world, contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_stepper_f64.step(stepper, world, contacts, h, 1, measure, NULL, &outcome, &counts, NULL));
}

/* A stepper that is saved and loaded goes on as if nothing had been: with the share that it had come to. */
TEST(its_unknown_goes_through_a_checkpoint) {
    nb_request *request = calloc(1, sizeof *request);
    void *stepper[2];
    nb_world *world[2];
    nb_contacts *contacts;
    nb_measure *measure;
    nb_stream stream;
    ask(request, NULL);
    request->info.newton_iterations = 7;
    CHECK_OK(nb_simulate_prepare(request));
    const nb_method_settings settings = nb_request_settings(request);
    const double h = request->info.time_step;
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_measure_create(&measure));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(request->choices.scenario->build(request->choices.parameters, 1, &world[i]));
        CHECK_OK(nb_stepper_f64.create("projection", &settings, &stepper[i]));
    }
    for (int k = 0; k < 3; k++) advance(stepper[0], world[0], contacts, measure, h);
    const char *path = test_path("state");
    CHECK_OK(nb_stream_create(path, &stream));
    CHECK_OK(nb_stepper_f64.save(stepper[0], &stream));
    CHECK_OK(nb_stream_finish(&stream, path, 0));
    CHECK_OK(nb_stream_open(path, &stream));
    CHECK_OK(nb_stepper_f64.load(stepper[1], &stream));
    nb_stream_close(&stream);
    memcpy(world[1]->bodies, world[0]->bodies, (size_t)world[0]->body_count * sizeof *world[0]->bodies);
    world[1]->time = world[0]->time;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) advance(stepper[i], world[i], contacts, measure, h);
    for (int32_t b = 0; b < world[0]->body_count; b++)
        assert_memory_equal(&world[0]->bodies[b].position, &world[1]->bodies[b].position, sizeof(nb_vec3));
    for (int i = 0; i < 2; i++) {
        nb_stepper_f64.destroy(stepper[i]);
        nb_world_destroy(world[i]);
    }
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_free(request->info.parameters);
    free(request);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_option_is_checked_recorded_and_used),
        cmocka_unit_test(its_solution_is_one),
        cmocka_unit_test_setup_teardown(its_columns_are_in_the_record, test_folder_create, test_folder_destroy),
        cmocka_unit_test_setup_teardown(a_figure_draws_its_column, test_folder_create, test_folder_destroy),
        cmocka_unit_test_setup_teardown(its_unknown_goes_through_a_checkpoint, test_folder_create, test_folder_destroy),
    };
    nb_method_add(&method);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
