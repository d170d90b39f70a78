#include "file_data.h"

int32_t nb_file_data_rows(const nb_file_data *data) {
    return data->bilaterals + data->dimension * data->contacts;
}

void nb_file_data_velocities(const nb_file_data *data, const double *z, double *u) {
    int32_t rows = nb_file_data_rows(data);
    for (int32_t i = 0; i < rows; i++) {
        double sum = data->q[i];
        for (int64_t k = data->w->start[i]; k < data->w->start[i + 1]; k++)
            sum += data->w->value[k] * z[data->w->column[k]];
        u[i] = sum;
    }
}

int32_t nb_file_data_contact_rows(const nb_file_data *data) {
    return data->mu_r ? 5 : 3;
}

int64_t nb_file_data_problem_rows(const nb_file_data *data) {
    return data->bilaterals + nb_file_data_contact_rows(data) * (int64_t)data->contacts;
}

int32_t nb_file_data_problem_row(const nb_file_data *data, int32_t i) {
    int32_t k = i - data->bilaterals, own = k % data->dimension;
    if (k < 0) return i;
    if (data->mu_r && data->dimension == 3 && own == 2) own = 3; /* the rolling row, behind both tangents */
    return data->bilaterals + nb_file_data_contact_rows(data) * (k / data->dimension) + own;
}

void nb_file_data_from_rows(const nb_file_data *data, const double *problem_rows, double *file_rows) {
    int32_t rows = nb_file_data_rows(data);
    for (int32_t i = 0; i < rows; i++) file_rows[i] = problem_rows[nb_file_data_problem_row(data, i)];
}

static int64_t count_entries(const nb_csr_f64 *w) {
    int64_t count = 0;
    for (int64_t k = 0; k < w->start[w->rows]; k++) count += w->value[k] != 0;
    return count;
}

static void add_reals(nb_sha256 *sha, int64_t count, const double *x) {
    for (int64_t i = 0; x && i < count; i++) nb_sha256_add_real(sha, x[i]);
}

void nb_file_data_checksum(const nb_file_data *data, char text[NB_SHA256_TEXT]) {
    nb_sha256 sha;
    const nb_csr_f64 *w = data->w;
    nb_sha256_begin(&sha);
    nb_sha256_add_integer(&sha, data->dimension);
    nb_sha256_add_integer(&sha, data->bilaterals);
    nb_sha256_add_integer(&sha, data->contacts);
    nb_sha256_add_integer(&sha, count_entries(w));
    for (int32_t r = 0; r < w->rows; r++)
        for (int64_t k = w->start[r]; k < w->start[r + 1]; k++) {
            if (w->value[k] == 0) continue;
            nb_sha256_add_integer(&sha, r);
            nb_sha256_add_integer(&sha, w->column[k]);
            nb_sha256_add_real(&sha, w->value[k]);
        }
    add_reals(&sha, nb_file_data_rows(data), data->q);
    add_reals(&sha, data->contacts, data->mu);
    add_reals(&sha, data->contacts, data->mu_r);
    nb_sha256_end(&sha, text);
}
