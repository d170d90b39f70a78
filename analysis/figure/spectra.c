#include "figure/spectra.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "operator/delassus_matrix.h"
#include "operator/system.h"
#include "registry.h"

NB_PRECISIONS(f64);

enum {
    BODY_ROWS = 6,
    MOST_OPTIONS = 32
};

/* a system at work, with its preconditioner */
typedef struct spectrum {
    const nb_preconditioner_class *type;
    void *state;
    nb_delassus *delassus;
    nb_system *system;
    double *a, *p, *values, *unit; /* [rows^2], [rows^2], [rows], [rows] */
} spectrum;

static void clear(spectrum *s) {
    if (s->type) s->type->destroy(s->state);
    nb_system_destroy(s->system);
    nb_delassus_matrix_destroy(s->delassus);
    nb_free(s->a);
    nb_free(s->p);
    nb_free(s->values);
    nb_free(s->unit);
}

/* the matrix as a system of blocks of bodies, or of rows */
static nb_status make_system(const nb_csr_f64 *from, spectrum *s) {
    nb_status status;
    nb_csr_f64 *matrix = NULL;
    int32_t *start = NULL;
    const int32_t width = from->rows % BODY_ROWS == 0 ? BODY_ROWS : 1, blocks = from->rows / width;
    NB_TRY(NB_ALLOCATE((int64_t)blocks + 1, &start));
    for (int32_t i = 0; i <= blocks; i++) start[i] = i * width;
    NB_TRY(nb_csr_copy(from, &matrix));
    nb_csr_f64 *given = matrix;
    matrix = NULL; /* taken over */
    NB_TRY(nb_delassus_matrix_create(given, blocks, start, 0, NULL, &s->delassus));
    NB_TRY(nb_system_create(s->delassus, &s->system));
    NB_TRY(NB_ALLOCATE((int64_t)from->rows * from->rows, &s->a));
    NB_TRY(NB_ALLOCATE((int64_t)from->rows * from->rows, &s->p));
    NB_TRY(NB_ALLOCATE(from->rows, &s->values));
    NB_TRY(NB_ALLOCATE(from->rows, &s->unit));
out:
    nb_free(start);
    return status;
}

static nb_status set_up(const char *name, spectrum *s, nb_reason *reason) {
    nb_status status;
    double values[MOST_OPTIONS];
    const nb_preconditioner_class *type;
    *reason = NB_REASON_NONE;
    NB_TRY(nb_preconditioner_find(name, &type));
    nb_options_standard(type->options, type->option_count, values);
    NB_TRY(type->create(values, &s->state));
    s->type = type;
    NB_TRY(type->set_up_pattern(s->state, s->system));
    NB_TRY(type->set_up_values(s->state, s->system, reason));
out:
    return status;
}

/* A and P by columns, P's symmetric part; 0 where P is not symmetric */
static int fill(const nb_csr_f64 *from, spectrum *s) {
    const int32_t n = from->rows;
    double largest = 0, off = 0;
    for (int32_t i = 0; i < n; i++)
        for (int64_t e = from->start[i]; e < from->start[i + 1]; e++)
            s->a[(int64_t)from->column[e] * n + i] = from->value[e];
    for (int32_t i = 0; i < n; i++) {
        s->unit[i] = 1;
        s->type->apply(s->state, s->unit, s->p + (int64_t)i * n);
        s->unit[i] = 0;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < i; k++) {
            double *one = &s->p[(int64_t)i * n + k], *other = &s->p[(int64_t)k * n + i];
            largest = fmax(largest, fmax(fabs(*one), fabs(*other)));
            off = fmax(off, fabs(*one - *other));
            *one = *other = (*one + *other) / 2;
        }
    return off <= 1e-6 * largest;
}

static nb_status write_run(const nb_run *run, FILE *file) {
    nb_status status = NB_OK;
    spectrum s = {0};
    nb_reason reason;
    int found = 0;
    const nb_csr_f64 *a = run && run->system_count > 0 ? &run->systems[0].a : NULL;
    if (!a || a->rows > NB_SPECTRA_ROWS) goto out;
    NB_TRY(make_system(a, &s));
    NB_TRY(set_up(run->info.preconditioner, &s, &reason));
    if (reason != NB_REASON_NONE || !fill(a, &s)) goto out;
    found = LAPACKE_dsygv(LAPACK_COL_MAJOR, 2, 'N', 'L', a->rows, s.a, a->rows, s.p, a->rows, s.values) == 0;
    for (int32_t i = 0; i < a->rows && found; i++) fprintf(file, "%d\t%.9g\n", (int)i + 1, s.values[i]);
out:
    if (!found) fputs("nan\tnan\n", file);
    clear(&s);
    return status;
}

nb_status nb_figure_write_spectra(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status = NB_OK;
    (void)folder;
    for (int s = 0; s < runs->series_count[panel] && status == NB_OK; s++) {
        status = write_run(runs->run[panel][s], file);
        fputs("\n\n", file);
    }
    return status;
}
