/* Writing FCLIB problems: a small problem with joints, contacts and a body without mass, written in both forms and read
 * back, against a dense reference. What the reference library makes of such files is test_fclib_library.c's. */
#include "exchange/write_fclib.h"

#include <string.h>
#include <unistd.h>

#include "check.h"
#include "contact_scene.h"
#include "file/fclib.h"

static char path[] = "test_write_fclib_XXXXXX";

static int make_path(void **state) {
    (void)state;
    int file = mkstemp(path);
    if (file < 0) return -1;
    close(file);
    return 0;
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

/* what is read back is the Delassus matrix with compliance, q and mu of the scene; tolerances: sums of 12 products of
 * size 1, and for the global form the inverse of blocks with eigenvalues from 1 to 3 */
static void reads_as(const contact_scene *scene, int global, double tolerance) {
    nb_fclib_problem *problem;
    CHECK_OK(nb_fclib_read(path, &problem));
    const nb_file_data *data = &problem->data;
    assert_int_equal(problem->global, global);
    assert_string_equal(problem->title, "title");
    assert_string_equal(problem->description, "description");
    assert_int_equal(data->dimension, 3);
    assert_int_equal(data->bilaterals, SCENE_JOINT_ROWS);
    assert_int_equal(data->contacts, SCENE_CONTACTS);
    for (int i = 0; i < SCENE_ROWS; i++) {
        double row[SCENE_ROWS] = {0};
        for (int64_t k = data->w->start[i]; k < data->w->start[i + 1]; k++) row[data->w->column[k]] = data->w->value[k];
        for (int j = 0; j < SCENE_ROWS; j++)
            CHECK_NEAR(row[j], scene->d[i][j] + (i == j && i < SCENE_JOINT_ROWS ? scene->compliance[i] : 0), tolerance);
        CHECK_NEAR(data->q[i], scene->q[i], tolerance);
    }
    for (int i = 0; i < SCENE_CONTACTS; i++) CHECK_NEAR(data->mu[i], scene->mu[i], 0);
    nb_fclib_destroy(problem);
}

TEST(test_local) {
    contact_scene *scene = contact_scene_make(81, 1);
    CHECK_OK(nb_fclib_write(path, &scene->problem, 0, "title", "description"));
    reads_as(scene, 0, 0); /* copied */
    free(scene);
}

TEST(test_global) {
    contact_scene *scene = contact_scene_make(82, 0);
    CHECK_OK(nb_fclib_write(path, &scene->problem, 1, "title", "description"));
    reads_as(scene, 1, 1e-13);
    free(scene);
}

TEST(test_refusals) {
    contact_scene *scene = contact_scene_make(83, 1);
    CHECK_OK(nb_fclib_write(path, &scene->problem, 0, "title", "description"));
    CHECK_FAULT(nb_fclib_write(path, &scene->problem, 1, "", ""), NB_ERROR_UNSUPPORTED, "compliant joints");
    CHECK_FAULT(nb_fclib_write("no-such-folder/x", &scene->problem, 0, "", ""), NB_ERROR_IO, "no-such-folder/x");
    CHECK_FAULT(nb_fclib_write(".", &scene->problem, 0, "", ""), NB_ERROR_IO, "a folder");
    scene->problem.contacts = 0;
    CHECK_FAULT(nb_fclib_write(path, &scene->problem, 0, "", ""), NB_ERROR_INPUT, "no contacts");
    reads_as(scene, 0, 0); /* what was there is still there */
    free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_global),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
