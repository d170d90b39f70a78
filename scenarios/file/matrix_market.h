/* Reads matrices in the Matrix Market exchange format (NIST): coordinate or array, real or integer, general or
 * symmetric, of which both triangles are returned. Entries that stand twice are summed; every number must be finite.
 * Lines end in LF, CR LF or CR; a comment may stand behind numbers, a D before an exponent, and UTF-8's mark at the
 * head. Memory is bounded by the size of the text, whatever its header claims. */
#ifndef NB_SCENARIOS_MATRIX_MARKET_H
#define NB_SCENARIOS_MATRIX_MARKET_H

#include <stdint.h>

#include "base/csr.h"
#include "base/status.h"

/* `data` [size] need not end in a zero; `name` stands in messages. NB_ERROR_INPUT with one line that names the line at
 * fault, also for complex, pattern, skew-symmetric and Hermitian matrices. The caller destroys *matrix, which is NULL
 * on a fault. */
nb_status nb_matrix_market_parse(const char *data, int64_t size, const char *name, nb_csr_f64 **matrix);

/* The same for a file; NB_ERROR_IO where it cannot be read. */
nb_status nb_matrix_market_read(const char *path, nb_csr_f64 **matrix);

#endif
