#include "record/transfer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "record/fields.h"

/* One transfer, in either direction: every array is named once, for both. After a fault the rest is still gone through,
 * so that no pointer of the sender's is left in what was received. */
typedef struct transfer {
    FILE *stream;
    int receives;
    int64_t left; /* bytes that the file still holds */
    nb_status status;
} transfer;

static nb_status move_bytes(transfer *t, void *bytes, size_t size) {
    if (size == 0) return NB_OK;
    if (!t->receives && fwrite(bytes, size, 1, t->stream) != 1)
        return nb_fail(NB_ERROR_IO, "results cannot be handed on: %s", strerror(errno));
    if (t->receives && ((int64_t)size > t->left || fread(bytes, size, 1, t->stream) != 1))
        return nb_fail(NB_ERROR_INPUT, "what was handed on ends early");
    t->left -= (int64_t)size;
    return NB_OK;
}

/* room for an array that the file can hold; `pointer` is a `T **` */
static nb_status make_array(const transfer *t, void *pointer, int64_t count, size_t size) {
    if (count < 0 || (size > 0 && count > t->left / (int64_t)size))
        return nb_fail(NB_ERROR_INPUT, "what was handed on holds %lld entries where %lld bytes are left",
                       (long long)count, (long long)t->left);
    return nb_allocate(count, size, pointer);
}

/* Moves an array, *pointer (a `T **`) of a struct whose own bytes were moved: NULL, or the sender's. */
static void move_array(transfer *t, void *pointer, int64_t count, size_t size) {
    void *array;
    memcpy(&array, pointer, sizeof array);
    if (!array) return;
    if (t->receives) {
        memset(pointer, 0, sizeof array);
        if (t->status == NB_OK) t->status = make_array(t, pointer, count, size);
        memcpy(&array, pointer, sizeof array);
    }
    if (t->status != NB_OK) return;
    t->status = move_bytes(t, array, (size_t)count * size);
    if (t->status == NB_OK || !t->receives) return;
    nb_free(array);
    memset(pointer, 0, sizeof array);
}

#define MOVE(count, pointer) move_array(t, (pointer), (count), sizeof **(pointer))

static void move_matrix(transfer *t, nb_stored_matrix *m) {
    MOVE(m->rows + 1, &m->start);
    MOVE(m->nonzeros, &m->column);
    MOVE(m->nonzeros, &m->value);
}

static void move_system(transfer *t, nb_stored_system *s) {
    move_matrix(t, &s->a);
    move_matrix(t, &s->h);
    move_matrix(t, &s->j);
    move_matrix(t, &s->c);
    move_matrix(t, &s->k);
    MOVE(s->rows, &s->s);
    MOVE(s->rows, &s->b);
    MOVE(s->velocities, &s->g);
    MOVE(s->rows, &s->residual_h);
}

/* whether all of these are of the run's bodies, in what was received */
static void check_bodies(transfer *t, int64_t count, const int32_t *body, int32_t bodies) {
    for (int64_t i = 0; t->receives && t->status == NB_OK && body && i < count; i++)
        if (body[i] < 0 || body[i] >= bodies)
            t->status = nb_fail(NB_ERROR_INPUT, "a run that was handed on draws body %d of %d", body[i], bodies);
}

static void move_mesh(transfer *t, nb_mesh *mesh, int32_t bodies) {
    MOVE(mesh->point_count, &mesh->points);
    MOVE(mesh->point_count, &mesh->point_body);
    MOVE(mesh->cell_count + 1, &mesh->cell_start);
    MOVE(mesh->corner_count, &mesh->corners);
    MOVE(mesh->cell_count, &mesh->cell_kind);
    MOVE(mesh->cell_count, &mesh->cell_body);
    check_bodies(t, mesh->point_count, mesh->point_body, bodies);
    check_bodies(t, mesh->cell_count, mesh->cell_body, bodies);
}

static void move_snapshot(transfer *t, nb_snapshot *final) {
    const int32_t extents[] = {final->bodies, final->bilaterals, final->contacts};
    for (int i = 0; i < nb_final_array_count; i++) {
        const nb_final_array *a = &nb_final_arrays[i];
        int64_t count = (int64_t)extents[a->extent] * a->width * (a->inner > 0 ? a->inner : 1);
        move_array(t, (char *) final + a->offset, count, a->integer ? sizeof(int32_t) : sizeof(double));
    }
}

static void move_reference(transfer *t, nb_reference_solution *reference) {
    move_snapshot(t, &reference->solution);
    MOVE(6 * (int64_t)reference->solution.bodies, &reference->u_of_forces);
    MOVE(reference->masses.bodies, &reference->masses.mass);
    MOVE(9 * (int64_t)reference->masses.bodies, &reference->masses.inertia);
}

/* entry `last` of offsets: how many rows they count */
static int64_t row_count(const transfer *t, const int64_t *start, int64_t last) {
    return t->status == NB_OK && start ? start[last] : 0;
}

/* the rows of steps, Newton and linear iterations; the offsets have an open range at their end (run.c) */
static void move_rows(transfer *t, nb_run *run) {
    int64_t steps = run->step_count;
    move_array(t, &run->steps, steps, NB_STEP_COLUMNS * sizeof(double));
    MOVE(steps + 2, &run->newton_start);
    int64_t newtons = row_count(t, run->newton_start, steps + 1);
    move_array(t, &run->newton, newtons, NB_NEWTON_COLUMNS * sizeof(double));
    MOVE(newtons + 2, &run->linear_start);
    int64_t linears = row_count(t, run->linear_start, newtons + 1);
    move_array(t, &run->linear, linears, NB_LINEAR_COLUMNS * sizeof(double));
    if (!t->receives) return;
    run->step_capacity = steps;
    run->newton_start_capacity = steps + 2;
    run->newton_capacity = newtons;
    run->linear_start_capacity = newtons + 2;
    run->linear_capacity = linears;
}

static void move_batch(transfer *t, nb_batch *batch) {
    move_array(t, &batch->rows, (int64_t)batch->scenes * batch->steps, NB_BATCH_COLUMNS * sizeof(double));
    MOVE(batch->scenes, &batch->max_penetration);
    MOVE(batch->scenes, &batch->failed_checks);
    MOVE(batch->pass_count, &batch->pass_s);
    MOVE(batch->pass_count, &batch->device_work_s);
    MOVE(batch->pass_count, &batch->device_transfer_s);
    MOVE(batch->fault_count, &batch->faults);
}

/* everything that a run whose own bytes were moved points to */
static void move_arrays(transfer *t, nb_run *run, int64_t parameters_length) {
    int64_t repeats = (int64_t)run->repeat_count * run->step_count;
    MOVE(parameters_length, &run->info.parameters);
    move_rows(t, run);
    MOVE(repeats, &run->repeat_setup_s);
    MOVE(repeats, &run->repeat_solve_s);
    MOVE(repeats, &run->repeat_assembly_s);
    MOVE(repeats, &run->repeat_step_s);
    MOVE(run->repeat_count, &run->repeat_order);
    move_snapshot(t, &run->final);
    move_reference(t, &run->reference);
    MOVE(run->reaction_count, &run->reaction);
    MOVE(run->reaction_count, &run->velocity);
    MOVE(run->frame_count, &run->frame_time);
    move_array(t, &run->frames, run->frame_count, 7 * (size_t)run->info.bodies * sizeof(double));
    move_array(t, &run->frame_u, run->frame_count, 6 * (size_t)run->info.bodies * sizeof(double));
    move_mesh(t, &run->mesh, run->info.bodies);
    move_batch(t, &run->batch);
    MOVE(run->system_count, &run->systems);
    for (int32_t i = 0; run->systems && i < run->system_count; i++) move_system(t, &run->systems[i]);
    if (!run->systems) run->system_count = 0;
    if (!t->receives) return;
    run->frame_capacity = run->frame_u_capacity = run->frame_time_capacity = run->frame_count;
    run->system_capacity = run->system_count;
}

nb_status nb_run_send(FILE *stream, const nb_run *run) {
    nb_status status;
    transfer t = {.stream = stream};
    nb_run image = *run;
    memset(image.mapped, 0, sizeof image.mapped); /* files of this process */
    int64_t length = run->info.parameters ? (int64_t)strlen(run->info.parameters) + 1 : 0;
    NB_TRY(move_bytes(&t, &image, sizeof image));
    NB_TRY(move_bytes(&t, &length, sizeof length));
    move_arrays(&t, &image, length);
    NB_TRY(t.status);
    if (fflush(stream) != 0) status = nb_fail(NB_ERROR_IO, "results cannot be handed on: %s", strerror(errno));
out:
    return status;
}

static nb_status begin_receiving(FILE *stream, transfer *t) {
    struct stat info;
    *t = (transfer){.stream = stream, .receives = 1};
    if (fstat(fileno(stream), &info) != 0)
        return nb_fail(NB_ERROR_IO, "results cannot be handed on: %s", strerror(errno));
    t->left = info.st_size - ftell(stream);
    return NB_OK;
}

nb_status nb_run_receive(FILE *stream, nb_run **run) {
    nb_status status;
    transfer t;
    nb_run *image = NULL;
    int64_t length = 0;
    *run = NULL;
    NB_TRY(begin_receiving(stream, &t));
    NB_TRY(NB_ALLOCATE(1, &image));
    status = move_bytes(&t, image, sizeof *image);
    if (status == NB_OK) status = move_bytes(&t, &length, sizeof length);
    if (status != NB_OK) { /* it may hold the sender's pointers */
        nb_free(image);
        return status;
    }
    memset(image->mapped, 0, sizeof image->mapped);
    move_arrays(&t, image, length);
    NB_TRY(t.status);
    *run = image;
    return NB_OK;
out:
    nb_run_destroy(image);
    return status;
}

/* ---- contact problems ---- */

static void move_problem(transfer *t, nb_contact_problem *p) {
    move_matrix(t, &p->delassus);
    move_matrix(t, &p->mass);
    move_matrix(t, &p->jacobian);
    MOVE(p->rows, &p->q);
    MOVE(p->rows, &p->w);
    MOVE(p->velocities, &p->f);
    MOVE(p->contacts, &p->mu);
    MOVE(p->bilaterals, &p->compliance);
}

nb_status nb_contact_problem_send(FILE *stream, const nb_contact_problem *problem) {
    transfer t = {.stream = stream};
    nb_contact_problem image = *problem;
    t.status = move_bytes(&t, &image, sizeof image);
    if (t.status == NB_OK) move_problem(&t, &image);
    if (t.status == NB_OK && fflush(stream) != 0)
        t.status = nb_fail(NB_ERROR_IO, "results cannot be handed on: %s", strerror(errno));
    return t.status;
}

nb_status nb_contact_problem_receive(FILE *stream, nb_contact_problem *problem) {
    transfer t;
    nb_contact_problem image;
    *problem = (nb_contact_problem){0};
    nb_status status = begin_receiving(stream, &t);
    if (status == NB_OK) status = move_bytes(&t, &image, sizeof image);
    if (status != NB_OK) return status; /* it may hold the sender's pointers */
    move_problem(&t, &image);
    if (t.status == NB_OK)
        *problem = image;
    else
        nb_contact_problem_clear(&image);
    return t.status;
}
