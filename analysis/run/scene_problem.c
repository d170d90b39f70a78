#include "run/scene_problem.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/contact_file.h"
#include "file/scene_file.h"
#include "model/drive.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

/* D with E/h^2 on the diagonal of the joints' rows */
static nb_status copy_matrix(const nb_contact_problem *stored, nb_csr_f64 **w) {
    nb_status status = nb_csr_copy_f64(&stored->delassus, w);
    for (int32_t r = 0; status == NB_OK && r < stored->bilaterals; r++)
        for (int64_t k = (*w)->start[r]; k < (*w)->start[r + 1]; k++)
            if ((*w)->column[k] == r) (*w)->value[k] += stored->compliance[r];
    return status;
}

static nb_status copy_reals(int64_t count, const double *from, double **to) {
    nb_status status = NB_ALLOCATE(count, to);
    if (status == NB_OK) memcpy(*to, from, (size_t)count * sizeof **to);
    return status;
}

static nb_status copy_texts(nb_fclib_problem *p) {
    nb_status status;
    NB_TRY(nb_copy_text("", &p->title));
    NB_TRY(nb_copy_text("", &p->description));
    NB_TRY(nb_copy_text("", &p->math_info));
out:
    return status;
}

/* A contact problem of a step as one from a file: W = D with the joints' compliance on its diagonal, q, mu. Copies;
 * `path` stands in messages. The caller destroys *problem. NB_ERROR_INPUT where it has no contacts. */
static nb_status problem_of(const char *path, const nb_contact_problem *stored, nb_fclib_problem **problem) {
    nb_status status;
    nb_fclib_problem *p = NULL;
    *problem = NULL;
    if (stored->contacts == 0)
        return nb_fail(NB_ERROR_INPUT, "'%.300s': the step has no contacts: there is no contact problem", path);
    NB_TRY(NB_ALLOCATE(1, &p));
    p->data = (nb_file_data){.dimension = 3, .bilaterals = stored->bilaterals, .contacts = stored->contacts};
    NB_TRY(copy_matrix(stored, &p->w));
    NB_TRY(copy_reals(stored->rows, stored->q, &p->q));
    NB_TRY(copy_reals(stored->contacts, stored->mu, &p->mu));
    NB_TRY(copy_texts(p));
    NB_TRY(nb_fclib_finish(path, p));
    *problem = p;
    p = NULL;
out:
    nb_fclib_destroy(p);
    return status;
}

/* the problem of the world's first step; any method's stepper begins it alike */
static nb_status store(nb_world *world, double h, nb_contact_problem *stored) {
    nb_status status;
    const nb_method_settings settings = nb_lead_settings();
    nb_contacts *contacts = NULL;
    void *stepper = NULL;
    NB_TRY(nb_contacts_create(&contacts));
    NB_TRY(nb_stepper_f64.create("newton", &settings, &stepper));
    nb_world_begin_step(world, h);
    NB_TRY(nb_contacts_detect(world, h, contacts));
    NB_TRY(nb_stepper_f64.begin(stepper, world, contacts, h, NB_GEOMETRY_FROZEN));
    NB_TRY(nb_stepper_f64.store_problem(stepper, stored));
out:
    nb_stepper_f64.destroy(stepper);
    nb_contacts_destroy(contacts);
    return status;
}

/* Of a scene file (file/scene_file.h), with its own settings, friction and length of a step: to the last bit what
 * `export FILE --at 0 --format fclib` writes. Laws of friction other than Coulomb's are left to who solves it. */
static nb_status read_scene(const char *path, nb_fclib_problem **problem) {
    nb_status status;
    nb_world *world = NULL;
    nb_contact_problem stored = {0};
    double h;
    *problem = NULL;
    NB_TRY(nb_scene_file_world(path, &world, &h));
    NB_TRY(store(world, h, &stored));
    NB_TRY(problem_of(path, &stored, problem));
out:
    nb_contact_problem_clear(&stored);
    nb_world_destroy(world);
    return status;
}

nb_status nb_problem_file_read(const char *path, nb_fclib_problem **problem) {
    return nb_scene_file_is(path) ? read_scene(path, problem) : nb_contact_file_read(path, problem);
}
