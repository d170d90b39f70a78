#include "file_readers.h"

#include "base/memory.h"
#include "file/linear_problem.h"
#include "file/scene_file.h"
#include "record/record.h"
#include "record/whole.h"
#include "run/scene_problem.h"

nb_status nb_read_record(const char *path) {
    nb_record_reader *reader = NULL;
    nb_timing *timings = NULL;
    int count;
    nb_status status;
    NB_TRY(nb_record_open(path, &reader));
    for (int i = 0; i < nb_record_run_count(reader) && status == NB_OK; i++) {
        nb_run *run = NULL;
        status = nb_record_read_run(reader, i, &run);
        nb_run_destroy(run);
    }
    if (status == NB_OK) status = nb_record_read_timings(reader, &timings, &count);
out:
    nb_free(timings);
    nb_record_reader_close(reader);
    return status;
}

nb_status nb_read_whole_record(const char *path) {
    const nb_status status = nb_read_record(path);
    return status == NB_OK ? nb_whole_read(path) : status;
}

static nb_status read_problem(const char *path) {
    if (nb_linear_problem_is(path)) {
        nb_linear_problem *linear = NULL;
        nb_status read = nb_linear_problem_read(path, NULL, &linear);
        nb_linear_problem_destroy(linear);
        return read;
    }
    nb_fclib_problem *problem = NULL;
    nb_status status = nb_problem_file_read(path, &problem);
    nb_fclib_destroy(problem);
    return status;
}

nb_status nb_check_problem(const char *path) {
    return nb_scene_file_is(path) ? read_problem(path) : nb_safe_read(path, read_problem);
}
