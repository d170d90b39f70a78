/* The reader of problems in the FCLIB format. */
#include <math.h>
#include <stdlib.h>

#include "file/fclib.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* what the header promises of a problem that was read */
static void check_problem(const nb_fclib_problem *problem) {
    const nb_file_data *data = &problem->data;
    int32_t rows = nb_file_data_rows(data);
    if (rows <= 0 || data->w->start[0] != 0) abort();
    for (int32_t i = 0; i < rows; i++) {
        if (data->w->start[i + 1] < data->w->start[i] || !isfinite(data->q[i])) abort();
        for (int64_t k = data->w->start[i]; k < data->w->start[i + 1]; k++) {
            if (data->w->column[k] < 0 || data->w->column[k] >= rows) abort();
            if (k > data->w->start[i] && data->w->column[k] <= data->w->column[k - 1]) abort();
            (void)*(const volatile double *)&data->w->value[k];
        }
    }
    for (int32_t i = 0; i < data->contacts; i++)
        if (!(data->mu[i] >= 0)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    nb_fclib_problem *problem = NULL;
    const char *path = fuzz_input(bytes, size);
    if (!path) return 0;
    nb_status status = nb_fclib_read(path, &problem);
    fuzz_check_status(status);
    if (status == NB_OK) check_problem(problem);
    nb_fclib_destroy(problem);
    fuzz_check_closed();
    return 0;
}
