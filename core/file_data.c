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

void nb_file_data_from_rows(const nb_file_data *data, const double *problem_rows, double *file_rows) {
    for (int32_t i = 0; i < data->bilaterals; i++) file_rows[i] = problem_rows[i];
    const double *from = problem_rows + data->bilaterals;
    double *to = file_rows + data->bilaterals;
    for (int32_t i = 0; i < data->contacts; i++)
        for (int32_t k = 0; k < data->dimension; k++) *to++ = from[3 * (int64_t)i + k];
}
