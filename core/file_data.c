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
