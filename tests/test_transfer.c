/* A run handed from one process to another is the same run, bit by bit, and what is cut short or corrupted on the way
 * is refused without a leak. */
#include "record/transfer.h"

#include <unistd.h>

#include "random_run.h"

static const random_sizes ordinary = {.steps = 4,
                                      .newtons = 4,
                                      .linears = 5,
                                      .bodies = 5,
                                      .bilaterals = 4,
                                      .contacts = 6,
                                      .repeats = 3,
                                      .frames = 3,
                                      .systems = 3,
                                      .reactions = 9};

TEST(test_same_run) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed;
        nb_run *sent = test_random_run(&random, &ordinary), *received;
        FILE *file = tmpfile();
        test_random_mesh(&random, &ordinary, sent->info.bodies, &sent->mesh);
        CHECK_OK(nb_run_send(file, sent));
        rewind(file);
        CHECK_OK(nb_run_receive(file, &received));
        check_same_run(sent, received);
        check_same_mesh(&sent->mesh, &received->mesh);
        fclose(file);
        nb_run_destroy(sent);
        nb_run_destroy(received);
    }
}

/* what was received can be added to like a run that was made here */
TEST(test_goes_on) {
    uint64_t random = 7;
    nb_run *sent = test_random_run(&random, &ordinary), *received;
    FILE *file = tmpfile();
    CHECK_OK(nb_run_send(file, sent));
    rewind(file);
    CHECK_OK(nb_run_receive(file, &received));
    nb_run *both[2] = {sent, received};
    for (int i = 0; i < 2; i++) {
        double row[NB_STEP_COLUMNS + NB_NEWTON_COLUMNS] = {1, 2, 3};
        uint64_t same = 3;
        nb_stored_system system;
        test_random_system(&same, 1, 2, &system);
        CHECK_OK(nb_run_add_linear(both[i], row));
        CHECK_OK(nb_run_add_newton(both[i], row));
        CHECK_OK(nb_run_add_step(both[i], row));
        CHECK_OK(nb_run_add_system(both[i], &system));
        both[i]->repeat_count = 0;
    }
    check_same_run(sent, received);
    fclose(file);
    nb_run_destroy(sent);
    nb_run_destroy(received);
}

TEST(test_cut_short) {
    uint64_t random = 11;
    nb_run *sent = test_random_run(&random, &ordinary), *received;
    FILE *file = tmpfile();
    CHECK_OK(nb_run_send(file, sent));
    long size = ftell(file);
    for (long cut = size - 1; cut >= 0; cut -= 1 + size / 300) {
        assert_int_equal(ftruncate(fileno(file), cut), 0);
        rewind(file);
        assert_int_equal(nb_run_receive(file, &received), NB_ERROR_INPUT);
        assert_null(received);
    }
    fclose(file);
    nb_run_destroy(sent);
}

/* Numbers that make no sense, as a crashing sender may leave them: whatever stands at any place, the run is refused or
 * is one that can be gone through. */
TEST(test_wild_numbers) {
    static const int64_t wild[] = {-1, -2147483647 - 1, 2147483647, 1}; /* of 4 or 8 bytes */
    uint64_t random = 13;
    nb_run *sent = test_random_run(&random, &ordinary), *received;
    FILE *file = tmpfile();
    CHECK_OK(nb_run_send(file, sent));
    long size = ftell(file);
    int refused = 0, taken = 0;
    for (long k = 0; k < size + size / 4 - 8; k++) { /* numbers of 4 bytes, then -1 of 8 bytes everywhere */
        const size_t width = k < size / 4 ? 4 : 8;
        const long at = width == 4 ? 4 * k : k - size / 4;
        int64_t kept;
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        assert_int_equal(fread(&kept, width, 1, file), 1);
        const int64_t *number = &wild[width == 8 ? 0 : (at / 4) % 4]; /* the low bytes come first */
        assert_int_equal(pwrite(fileno(file), number, width, at), width);
        rewind(file);
        nb_status status = nb_run_receive(file, &received);
        if (status == NB_OK)
            taken++;
        else
            assert_int_equal(status, NB_ERROR_INPUT);
        refused += status != NB_OK;
        for (int32_t s = 0; status == NB_OK && s < received->step_count; s++)
            assert_true(received->newton_start[s + 1] >= received->newton_start[s]);
        nb_run_destroy(received);
        assert_int_equal(pwrite(fileno(file), &kept, width, at), width);
    }
    print_message("%d refused, %d taken\n", refused, taken);
    assert_true(refused > 200);
    fclose(file);
    nb_run_destroy(sent);
}

/* a mesh that names a body which is not there would be drawn from beyond the states */
TEST(test_wild_bodies) {
    for (int i = 0; i < 4; i++) {
        uint64_t random = 19;
        nb_run *sent = test_random_run(&random, &ordinary), *received;
        while (sent->mesh.point_count == 0 || sent->mesh.cell_count == 0) {
            nb_run_destroy(sent);
            sent = test_random_run(&random, &ordinary);
            test_random_mesh(&random, &ordinary, sent->info.bodies, &sent->mesh);
        }
        FILE *file = tmpfile();
        (i % 2 ? sent->mesh.cell_body : sent->mesh.point_body)[0] =
            i < 2 ? -2 - sent->frame_particles : sent->info.bodies;
        CHECK_OK(nb_run_send(file, sent));
        rewind(file);
        assert_int_equal(nb_run_receive(file, &received), NB_ERROR_INPUT);
        assert_null(received);
        fclose(file);
        nb_run_destroy(sent);
    }
}

TEST(test_memory_runs_out) {
    uint64_t random = 17;
    nb_run *sent = test_random_run(&random, &ordinary), *received;
    FILE *file = tmpfile();
    CHECK_OK(nb_run_send(file, sent));
    nb_status status = NB_ERROR_MEMORY;
    int failures = 0;
    for (; status != NB_OK; failures++) {
        rewind(file);
        nb_allocation_fail_after(failures);
        status = nb_run_receive(file, &received);
        nb_allocation_fail_after(-1);
        if (status != NB_OK) assert_int_equal(status, NB_ERROR_MEMORY);
    }
    assert_true(failures > 10);
    check_same_run(sent, received);
    fclose(file);
    nb_run_destroy(sent);
    nb_run_destroy(received);
}

static void random_problem(uint64_t *state, nb_contact_problem *p) {
    *p = (nb_contact_problem){.bilaterals = 4, .contacts = 3, .rows = 13, .velocities = 12, .time_step = 0.01};
    test_random_matrix(state, p->rows, p->rows, &p->delassus);
    test_random_matrix(state, p->velocities, p->velocities, &p->mass);
    test_random_matrix(state, p->rows, p->velocities, &p->jacobian);
    double **vectors[] = {&p->q, &p->w, &p->f, &p->mu, &p->compliance};
    const int64_t counts[] = {p->rows, p->rows, p->velocities, p->contacts, p->bilaterals};
    for (int i = 0; i < 5; i++) {
        CHECK_OK(NB_ALLOCATE(counts[i], vectors[i]));
        test_random_fill(state, *vectors[i], counts[i]);
    }
}

static void check_same_problem(const nb_contact_problem *a, const nb_contact_problem *b) {
    const nb_csr_f64 *x[] = {&a->delassus, &a->mass, &a->jacobian}, *y[] = {&b->delassus, &b->mass, &b->jacobian};
    const double *v[] = {a->q, a->w, a->f, a->mu, a->compliance}, *w[] = {b->q, b->w, b->f, b->mu, b->compliance};
    const int64_t counts[] = {a->rows, a->rows, a->velocities, a->contacts, a->bilaterals};
    assert_true(a->time_step == b->time_step && a->bilaterals == b->bilaterals && a->contacts == b->contacts);
    assert_true(a->rows == b->rows && a->velocities == b->velocities);
    for (int i = 0; i < 3; i++) check_same_matrix("matrix", x[i], y[i]);
    for (int i = 0; i < 5; i++) check_same_vector("vector", v[i], w[i], counts[i]);
}

/* behind a run, as a process hands it on; whole, cut short, and where memory runs out */
TEST(test_contact_problem) {
    uint64_t random = 19;
    nb_contact_problem sent, received;
    nb_run *run = test_random_run(&random, &ordinary), *same;
    FILE *file = tmpfile();
    random_problem(&random, &sent);
    CHECK_OK(nb_run_send(file, run));
    long begin = ftell(file);
    CHECK_OK(nb_contact_problem_send(file, &sent));
    long size = ftell(file);
    rewind(file);
    CHECK_OK(nb_run_receive(file, &same));
    CHECK_OK(nb_contact_problem_receive(file, &received));
    check_same_problem(&sent, &received);
    nb_contact_problem_clear(&received);
    nb_status status = NB_ERROR_MEMORY;
    int failures = 0;
    for (; status != NB_OK; failures++) {
        assert_int_equal(fseek(file, begin, SEEK_SET), 0);
        nb_allocation_fail_after(failures);
        status = nb_contact_problem_receive(file, &received);
        nb_allocation_fail_after(-1);
        if (status != NB_OK) assert_int_equal(status, NB_ERROR_MEMORY);
    }
    assert_int_equal(failures, 3 * 3 + 5 + 1); /* every array failed once */
    check_same_problem(&sent, &received);
    nb_contact_problem_clear(&received);
    for (long cut = size - 1; cut >= begin; cut -= 1 + (size - begin) / 300) {
        assert_int_equal(ftruncate(fileno(file), cut), 0);
        assert_int_equal(fseek(file, begin, SEEK_SET), 0);
        assert_int_equal(nb_contact_problem_receive(file, &received), NB_ERROR_INPUT);
        assert_null(received.q);
    }
    fclose(file);
    nb_contact_problem_clear(&sent);
    nb_run_destroy(run);
    nb_run_destroy(same);
}

RUN_TESTS(test_same_run, test_goes_on, test_cut_short, test_wild_numbers, test_wild_bodies, test_memory_runs_out,
          test_contact_problem)
