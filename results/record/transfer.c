#include "record/transfer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/stream.h"

static nb_stream stream_of(FILE *file) {
    return (nb_stream){.file = file, .path = "what is handed on", .unchecked = 1};
}

static nb_status send(FILE *file, const nb_members *members, const void *owner) {
    nb_stream stream = stream_of(file);
    nb_status status = nb_members_put(members, NB_TRANSFER, owner, &stream);
    if (status == NB_OK && fflush(file) != 0)
        status = nb_fail(NB_ERROR_IO, "results cannot be handed on: %s", strerror(errno));
    return status;
}

static nb_status receive(FILE *file, const nb_members *members, void *owner) {
    nb_stream stream = stream_of(file);
    struct stat info;
    if (fstat(fileno(file), &info) != 0)
        return nb_fail(NB_ERROR_IO, "results cannot be handed on: %s", strerror(errno));
    stream.left = info.st_size - ftell(file);
    return nb_members_get(members, NB_TRANSFER, owner, &stream);
}

nb_status nb_run_send(FILE *stream, const nb_run *run) {
    return send(stream, &nb_run_members, run);
}

nb_status nb_run_receive(FILE *stream, nb_run **run) {
    nb_status status = nb_run_create(run);
    if (status != NB_OK) return status;
    status = receive(stream, &nb_run_members, *run);
    if (status == NB_OK) return NB_OK;
    nb_run_destroy(*run);
    *run = NULL;
    return status;
}

nb_status nb_contact_problem_send(FILE *stream, const nb_contact_problem *problem) {
    return send(stream, &nb_contact_problem_members, problem);
}

nb_status nb_contact_problem_receive(FILE *stream, nb_contact_problem *problem) {
    *problem = (nb_contact_problem){0};
    nb_status status = receive(stream, &nb_contact_problem_members, problem);
    if (status != NB_OK) nb_contact_problem_clear(problem);
    return status;
}
