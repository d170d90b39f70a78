#include "run/checkpoint.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "record/provenance.h"

static const char mark[8] = "NCPBCKP7";

/* ---- the file ---- */

static nb_status joined(const char *a, const char *b, char **text) {
    size_t size = strlen(a) + strlen(b) + 1;
    nb_status status = nb_allocate((int64_t)size, 1, text);
    if (status == NB_OK) snprintf(*text, size, "%s%s", a, b);
    return status;
}

void nb_checkpoint_destroy(nb_checkpoint *checkpoint) {
    if (!checkpoint) return;
    nb_stream_close(&checkpoint->saved);
    nb_free(checkpoint->path);
    nb_free(checkpoint->temporary);
    nb_free(checkpoint->command);
    nb_inputs_clear(&checkpoint->inputs);
    nb_free(checkpoint);
}

static nb_status create(const char *record, nb_checkpoint **checkpoint) {
    nb_status status;
    nb_checkpoint *c = NULL;
    *checkpoint = NULL;
    NB_TRY(NB_ALLOCATE(1, &c));
    NB_TRY(joined(record, ".checkpoint", &c->path));
    NB_TRY(joined(record, ".checkpoint-new", &c->temporary));
    c->run = -1;
    c->process = getpid();
    c->interval = NB_CHECKPOINT_STANDARD_INTERVAL;
    c->last = nb_clock_seconds();
    *checkpoint = c;
out:
    if (status != NB_OK) nb_checkpoint_destroy(c);
    return status;
}

nb_status nb_checkpoint_create(const char *record, const char *command, nb_checkpoint **checkpoint) {
    nb_status status;
    NB_TRY(create(record, checkpoint));
    NB_TRY(nb_copy_text(command, &(*checkpoint)->command));
    (*checkpoint)->started = time(NULL);
out:
    if (status != NB_OK) {
        nb_checkpoint_destroy(*checkpoint);
        *checkpoint = NULL;
    }
    return status;
}

/* what wrote the file: a state is good only for the build that left it */
static void identity(char text[160]) {
    nb_provenance here;
    nb_provenance_fill(&here);
    snprintf(text, 160, "%s (%s%s, %s)", here.ncpbench_version, here.git_commit, here.git_dirty ? " changed" : "",
             here.build_type);
}

static nb_status put_head(const nb_checkpoint *c, nb_stream *stream) {
    nb_status status;
    char build[160];
    identity(build);
    NB_TRY(nb_stream_put(stream, mark, sizeof mark));
    NB_TRY(nb_stream_put_text(stream, build));
    NB_TRY(nb_stream_put_text(stream, c->command));
    NB_TRY(nb_inputs_put(stream, &c->inputs));
    NB_TRY(nb_stream_put(stream, &c->before, sizeof c->before));
    NB_TRY(nb_stream_put(stream, &c->started, sizeof c->started));
    NB_TRY(nb_stream_put(stream, &c->process, sizeof c->process));
    NB_TRY(nb_stream_put(stream, &c->run, sizeof c->run));
out:
    return status;
}

static nb_status get_head(nb_checkpoint *c) {
    nb_status status;
    char build[160], found_mark[sizeof mark], *found = NULL;
    identity(build);
    NB_TRY(nb_stream_get(&c->saved, found_mark, sizeof found_mark));
    if (memcmp(found_mark, mark, sizeof mark) != 0) return nb_fail(NB_ERROR_INPUT, "'%.300s': no checkpoint", c->path);
    NB_TRY(nb_stream_get_text(&c->saved, &found));
    if (strcmp(found, build) != 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s' was left by ncpbench %.70s; this is %.70s, which cannot resume it",
                       c->path, found, build));
    NB_TRY(nb_stream_get_text(&c->saved, &c->command));
    NB_TRY(nb_inputs_get(&c->saved, &c->inputs));
    NB_TRY(nb_stream_get(&c->saved, &c->before, sizeof c->before));
    NB_TRY(nb_stream_get(&c->saved, &c->started, sizeof c->started));
    NB_TRY(nb_stream_get(&c->saved, &c->process, sizeof c->process));
    NB_TRY(nb_stream_get(&c->saved, &c->run, sizeof c->run));
out:
    nb_free(found);
    return status;
}

nb_status nb_checkpoint_read(const char *record, nb_checkpoint **checkpoint) {
    nb_status status;
    nb_checkpoint *c = NULL;
    *checkpoint = NULL;
    NB_TRY(create(record, &c));
    if (access(c->path, F_OK) != 0) NB_TRY(nb_fail(NB_ERROR_INPUT, "nothing to resume: there is no '%.300s'", c->path));
    NB_TRY(nb_stream_open(c->path, &c->saved));
    NB_TRY(get_head(c));
    if (c->run < 0) nb_stream_close(&c->saved);
    *checkpoint = c;
out:
    if (status != NB_OK) nb_checkpoint_destroy(c);
    return status;
}

void nb_checkpoint_remove(const nb_checkpoint *checkpoint) {
    unlink(checkpoint->path);
}

int nb_checkpoint_due(const nb_checkpoint *checkpoint) {
    double since = nb_clock_seconds() - checkpoint->last;
    if (checkpoint->failed) return 0;
    return checkpoint->interval == 0 || (since >= checkpoint->interval && since >= 100 * checkpoint->cost);
}

void nb_checkpoint_write(nb_checkpoint *checkpoint, int32_t run, nb_checkpoint_put *put, const void *context) {
    nb_status status;
    nb_stream stream = {0};
    double start = nb_clock_seconds();
    checkpoint->run = run;
    checkpoint->process = getpid();
    NB_TRY(nb_stream_create(checkpoint->temporary, &stream));
    NB_TRY(put_head(checkpoint, &stream));
    if (put) NB_TRY(put(context, &stream));
    NB_TRY(nb_stream_finish(&stream, checkpoint->path, put && checkpoint->interval > 0));
out:
    if (stream.file) unlink(checkpoint->temporary);
    nb_stream_close(&stream);
    checkpoint->failed = status != NB_OK;
    checkpoint->last = nb_clock_seconds();
    checkpoint->cost = checkpoint->last - start;
}

/* ---- the world ---- */

static nb_status transfer(nb_stream *stream, int get, void *bytes, size_t size) {
    return get ? nb_stream_get(stream, bytes, size) : nb_stream_put(stream, bytes, size);
}

/* Writes what may change in a run, or with `get` reads it. */
static nb_status transfer_world(nb_stream *stream, int get, nb_world *world) {
    nb_status status;
    NB_TRY(transfer(stream, get, &world->time, sizeof world->time));
    NB_TRY(transfer(stream, get, world->prescribed, sizeof world->prescribed));
    for (int32_t i = 0; i < world->body_count; i++) {
        nb_body *b = &world->bodies[i];
        nb_vec3 *vectors[] = {&b->position, &b->linear_velocity, &b->angular_velocity, &b->force, &b->torque};
        for (int k = 0; k < 5; k++) NB_TRY(transfer(stream, get, vectors[k], sizeof *vectors[k]));
        NB_TRY(transfer(stream, get, &b->orientation, sizeof b->orientation));
    }
    for (int32_t i = 0; i < world->particle_count; i++) {
        nb_particle *p = &world->particles[i];
        nb_vec3 *vectors[] = {&p->position, &p->velocity, &p->force};
        for (int k = 0; k < 3; k++) NB_TRY(transfer(stream, get, vectors[k], sizeof *vectors[k]));
    }
    for (int32_t j = 0; j < world->joint_count; j++) {
        NB_TRY(transfer(stream, get, &world->joints[j].counted, sizeof world->joints[j].counted));
        NB_TRY(transfer(stream, get, &world->joints[j].turned, sizeof world->joints[j].turned));
    }
out:
    return status;
}

nb_status nb_checkpoint_put_world(nb_stream *stream, const nb_world *world) {
    return transfer_world(stream, 0, (nb_world *)world); /* which is only read */
}

nb_status nb_checkpoint_get_world(nb_stream *stream, nb_world *world) {
    return transfer_world(stream, 1, world);
}
