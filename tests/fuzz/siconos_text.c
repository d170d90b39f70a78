/* The reader of Siconos's text. */
#include "file/siconos_text.h"

#include <stdlib.h>

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    nb_fclib_problem *problem = NULL;
    nb_status status = nb_siconos_parse((const char *)bytes, (int64_t)size, "input.dat", &problem);
    fuzz_check_status(status);
    if ((status == NB_OK) != (problem != NULL)) abort();
    int32_t rows = problem ? nb_file_data_rows(&problem->data) : 0;
    for (int32_t i = 0; i < rows; i++) {
        const nb_file_data *d = &problem->data;
        if (d->w->start[i + 1] < d->w->start[i]) abort();
        for (int64_t k = d->w->start[i]; k < d->w->start[i + 1]; k++)
            if (d->w->column[k] < 0 || d->w->column[k] >= rows ||
                (k > d->w->start[i] && d->w->column[k] <= d->w->column[k - 1]))
                abort();
    }
    nb_fclib_destroy(problem);
    return 0;
}
