/* The reader of Matrix Market files. */
#include "file/matrix_market.h"

#include <stdlib.h>

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    nb_csr_f64 *matrix = NULL;
    nb_status status = nb_matrix_market_parse((const char *)bytes, (int64_t)size, "input.mtx", &matrix);
    fuzz_check_status(status);
    if ((status == NB_OK) != (matrix != NULL)) abort();
    for (int64_t i = 0; matrix && i < matrix->rows; i++) {
        if (matrix->start[i + 1] < matrix->start[i]) abort();
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            if (matrix->column[k] < 0 || matrix->column[k] >= matrix->columns) abort();
    }
    nb_csr_destroy_f64(matrix);
    return 0;
}
