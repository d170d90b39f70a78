#include "run/inputs.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/scene_file.h"
#include "operator/kernels.h"
#include "run/blas.h"
#include "run/start_state.h"

NB_PRECISIONS(f64);

void nb_inputs_clear(nb_inputs *inputs) {
    for (int64_t i = 0; i < inputs->count; i++) {
        nb_free(inputs->items[i].name);
        nb_free(inputs->items[i].value);
    }
    nb_free(inputs->items);
    *inputs = (nb_inputs){0};
}

static const nb_input *find(const nb_inputs *inputs, const char *name) {
    for (int64_t i = 0; i < inputs->count; i++)
        if (strcmp(inputs->items[i].name, name) == 0) return &inputs->items[i];
    return NULL;
}

/* room for one more, empty */
static nb_status begin_one(nb_inputs *inputs, nb_input **input) {
    nb_status status = NB_RESERVE(inputs->count + 1, &inputs->capacity, &inputs->items);
    if (status != NB_OK) return status;
    *input = &inputs->items[inputs->count++];
    **input = (nb_input){0};
    return NB_OK;
}

nb_status nb_inputs_add(nb_inputs *inputs, const char *name, const char *value) {
    nb_status status;
    nb_input *input;
    if (find(inputs, name)) return NB_OK;
    NB_TRY(begin_one(inputs, &input));
    NB_TRY(nb_copy_text(name, &input->name));
    NB_TRY(nb_copy_text(value, &input->value));
out:
    return status;
}

static nb_status quoted(const char *path, char **name) {
    const size_t size = strlen(path) + 3;
    nb_status status = nb_allocate((int64_t)size, 1, name);
    if (status == NB_OK) snprintf(*name, size, "'%s'", path);
    return status;
}

nb_status nb_inputs_add_file(nb_inputs *inputs, const char *path) {
    nb_status status;
    char *name, sum[NB_SHA256_TEXT];
    if (nb_inputs_sha256(inputs, path)) return NB_OK;
    NB_TRY(nb_sha256_file(path, sum));
    NB_TRY(quoted(path, &name));
    status = nb_inputs_add(inputs, name, sum);
    nb_free(name);
out:
    return status;
}

const char *nb_inputs_sha256(const nb_inputs *inputs, const char *path) {
    const size_t length = strlen(path);
    for (int64_t i = 0; i < inputs->count; i++) {
        const char *name = inputs->items[i].name;
        if (*name == '\'' && strncmp(name + 1, path, length) == 0 && strcmp(name + 1 + length, "'") == 0)
            return inputs->items[i].value;
    }
    return NULL;
}

nb_status nb_inputs_add_request(nb_inputs *inputs, const nb_request *request) {
    const nb_choices *choices = &request->choices;
    const char *plugins[] = {choices->method_plugin, choices->solver_plugin, choices->preconditioner_plugin};
    char name[400];
    nb_status status = NB_OK;
    if (choices->scenario && choices->scenario->file)
        NB_TRY(nb_inputs_add_file(inputs, nb_scene_file_path(choices->scenario)));
    if (request->problem_path && *request->problem_path) NB_TRY(nb_inputs_add_file(inputs, request->problem_path));
    for (int i = 0; i < 3; i++)
        if (plugins[i]) NB_TRY(nb_inputs_add_file(inputs, plugins[i]));
    if (request->start) {
        snprintf(name, sizeof name, "the state of '%.300s'", request->from);
        NB_TRY(nb_inputs_add(inputs, name, request->start->text));
    }
out:
    return status;
}

nb_status nb_inputs_add_kernels(nb_inputs *inputs) {
    nb_status status;
    NB_TRY(nb_inputs_add(inputs, "the instruction set of the kernels (NCPBENCH_KERNELS)", nb_kernels()->name));
    NB_TRY(nb_inputs_add(inputs, "BLAS", nb_blas_config()));
    NB_TRY(nb_inputs_add(inputs, "the core type of BLAS (OPENBLAS_CORETYPE)", nb_blas_core()));
out:
    return status;
}

nb_status nb_inputs_add_all(nb_inputs *inputs, const nb_inputs *from) {
    nb_status status = NB_OK;
    for (int64_t i = 0; i < from->count; i++) NB_TRY(nb_inputs_add(inputs, from->items[i].name, from->items[i].value));
out:
    return status;
}

static const char remedy[] = "put back what it was, or give the whole command again with --force";

static nb_status refuse_other(const char *record, const nb_input *then, const nb_input *now) {
    return nb_fail(NB_ERROR_INPUT,
                   "cannot resume '%.200s': %.200s has changed since the command began (now %.32s, then %.32s); %s",
                   record, then->name, now->value, then->value, remedy);
}

static nb_status refuse_one_sided(const char *record, const nb_input *input, const char *how) {
    return nb_fail(NB_ERROR_INPUT,
                   "cannot resume '%.200s': its inputs have changed since the command began: %.200s %s; %s", record,
                   input->name, how, remedy);
}

nb_status nb_inputs_compare(const nb_inputs *then, const nb_inputs *now, const char *record) {
    for (int64_t i = 0; i < then->count; i++) {
        const nb_input *own = &then->items[i], *other = find(now, own->name);
        if (!other) return refuse_one_sided(record, own, "is missing");
        if (strcmp(other->value, own->value) != 0) return refuse_other(record, own, other);
    }
    for (int64_t i = 0; i < now->count; i++)
        if (!find(then, now->items[i].name)) return refuse_one_sided(record, &now->items[i], "is new");
    return NB_OK;
}

nb_status nb_inputs_put(nb_stream *stream, const nb_inputs *inputs) {
    nb_status status;
    NB_TRY(nb_stream_put(stream, &inputs->count, sizeof inputs->count));
    for (int64_t i = 0; i < inputs->count; i++) {
        NB_TRY(nb_stream_put_text(stream, inputs->items[i].name));
        NB_TRY(nb_stream_put_text(stream, inputs->items[i].value));
    }
out:
    return status;
}

nb_status nb_inputs_get(nb_stream *stream, nb_inputs *inputs) {
    nb_status status;
    int64_t count;
    nb_input *input;
    NB_TRY(nb_stream_get(stream, &count, sizeof count));
    for (int64_t i = 0; i < count; i++) {
        NB_TRY(begin_one(inputs, &input));
        NB_TRY(nb_stream_get_text(stream, &input->name));
        NB_TRY(nb_stream_get_text(stream, &input->value));
    }
out:
    return status;
}
