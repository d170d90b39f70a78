#include "siconos_text.h"

#include <string.h>

#include "base/csr.h"
#include "base/memory.h"
#include "bytes.h"
#include "siconos_matrix.h"

/* the text, and what is made of it */
typedef struct parser {
    nb_siconos_words words;
    nb_fclib_problem *problem;
    int64_t rows; /* of the contacts */
} parser;

/* ---- plasticity ---- */

/* Siconos's plasticity problems, with the rows of three stresses for those of a contact, and the yield surface's
 * numbers for coefficients of friction */
static nb_status refuse_plasticity(const parser *p, const char *which) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s' is a plasticity problem (%s), and no contact problem", p->words.name,
                   which);
}

/* Newer ones have the number of their model before the matrix. */
static nb_status look_for_model(const parser *p) {
    static const char *const models[] = {"of no model", "Drucker-Prager", "von Mises"};
    nb_siconos_words ahead = p->words;
    int64_t found[4]; /* model, storage, rows, columns; or storage, rows, columns, what follows */
    for (int i = 0; i < 4; i++)
        if (nb_siconos_whole(&ahead, "number", 0, INT32_MAX, &found[i]) != NB_OK) return NB_OK;
    if (found[0] > 2 || found[1] > 2 || found[2] != p->rows || found[3] != p->rows) return NB_OK;
    return refuse_plasticity(p, models[found[0]]);
}

/* Older ones look as problems with rolling friction in two dimensions do. Siconos's own are mc2d_*, plasticity_2d_*. */
static nb_status look_at_name(const parser *p) {
    static const char *const words[] = {"mc2d", "mohr", "plasticity", "drucker"};
    const char *slash = strrchr(p->words.name, '/'), *name = slash ? slash + 1 : p->words.name;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(name, words[i])) return refuse_plasticity(p, "by its name");
    return NB_OK;
}

/* ---- complementarity problems ---- */

static nb_status refuse_complementarity(const parser *p, const char *what, int64_t rows) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s' is %s of %lld rows, and no contact problem", p->words.name, what,
                   (long long)rows);
}

/* Siconos's other problems begin with numbers that no contact problem begins with:
 *
 *     linear complementarity (LCP), relay: rows   storage   rows   columns ..., then q, and of a relay two bounds a row
 *     mixed (MLCP): which of two storages it has   n   m ...
 *
 * But for a contact problem of one contact in two dimensions, stored sparse. */
static nb_status look_for_complementarity(const parser *p) {
    nb_siconos_words ahead = p->words;
    int64_t found[4];
    for (int i = 0; i < 4; i++)
        if (nb_siconos_whole(&ahead, "number", 0, INT32_MAX, &found[i]) != NB_OK) return NB_OK;
    const int64_t rows = found[0], storage = found[1];
    if (rows + storage == 1 && rows * storage == 0 && found[2] + found[3] > 0)
        return refuse_complementarity(p, "a mixed linear complementarity problem (MLCP)", found[2] + found[3]);
    if (rows == 0 || storage > 2 || found[2] != rows || found[3] != rows) return NB_OK;
    if (rows == 2 && storage == 1) return NB_OK;
    ahead = p->words;
    nb_siconos_matrix m = {.name = 'M'};
    nb_csr_f64 *matrix = NULL;
    int digits = 0;
    int64_t left = -1;
    if (nb_siconos_whole(&ahead, "number", 0, INT32_MAX, &found[0]) == NB_OK &&
        nb_siconos_matrix_begin(&ahead, &m) == NB_OK && nb_siconos_check_left(&ahead, "q", rows) == NB_OK &&
        nb_siconos_matrix_read(&ahead, &m, &digits, &matrix) == NB_OK)
        left = nb_siconos_count(&ahead);
    nb_csr_destroy_f64(matrix);
    return refuse_complementarity(p,
                                  left >= 3 * rows ? "a relay problem"
                                  : left >= 0      ? "a linear complementarity problem (LCP)"
                                                   : "a linear complementarity or relay problem",
                                  rows);
}

/* ---- contact problems ---- */

static nb_status read_head(parser *p) {
    nb_status status;
    nb_siconos_words *w = &p->words;
    int64_t dimension, contacts;
    NB_TRY(look_for_complementarity(p));
    NB_TRY(nb_siconos_whole(w, "dimension", 2, 5, &dimension));
    if (dimension == 4) return nb_siconos_bad(w, "dimension is 4, expected 2, 3 or 5 (rolling friction)");
    NB_TRY(nb_siconos_whole(w, "number of contacts", 1, INT32_MAX / 5 - 1, &contacts));
    p->problem->data.dimension = (int32_t)dimension;
    p->problem->data.contacts = (int32_t)contacts;
    p->problem->rolling = dimension == 5;
    p->rows = dimension * contacts;
    if (dimension == 3) NB_TRY(look_for_model(p));
    NB_TRY(nb_siconos_check_left(w, "q and mu", p->rows + contacts));
out:
    return status;
}

/* Whether what follows a matrix of the contacts' size is H, the matrix having been the mass of a global problem: the
 * vectors of a local problem have a known number of words. */
static int is_global(const parser *p) {
    nb_siconos_words ahead = p->words;
    nb_siconos_matrix h = {.name = 'H'};
    int64_t beyond = nb_siconos_count(&ahead) - p->rows, contacts = p->problem->data.contacts;
    if (beyond == contacts || beyond == contacts + 1 || beyond == 2 * contacts || beyond == 2 * contacts + 1) return 0;
    return nb_siconos_matrix_begin(&ahead, &h) == NB_OK && h.rows == p->rows && h.columns == p->rows;
}

/* W, or M and H */
static nb_status read_matrices(parser *p) {
    nb_status status;
    nb_siconos_words *w = &p->words;
    nb_siconos_matrix first = {.name = 'W'}, second = {.name = 'H'};
    NB_TRY(nb_siconos_matrix_begin(w, &first));
    if (first.rows != first.columns)
        return nb_fail(
            NB_ERROR_INPUT,
            "'%.300s', line %lld: the first matrix is %lld x %lld: expected W, of the contacts' %lld rows and "
            "columns, or the mass matrix of a global problem",
            w->name, (long long)w->line, (long long)first.rows, (long long)first.columns, (long long)p->rows);
    int global = first.rows != p->rows;
    if (global) {
        first.name = 'M';
        NB_TRY(nb_siconos_check_left(w, "the force of each velocity", first.rows));
    }
    nb_fclib_problem *problem = p->problem;
    NB_TRY(nb_siconos_matrix_read(w, &first, &problem->digits, &problem->w));
    if (!global && !is_global(p)) return NB_OK;
    problem->mass = problem->w;
    problem->w = NULL;
    NB_TRY(nb_siconos_matrix_begin(w, &second));
    if (second.rows != first.rows || second.columns != p->rows)
        return nb_fail(NB_ERROR_INPUT,
                       "'%.300s', line %lld: H is %lld x %lld, expected the %lld rows of M and the contacts' %lld",
                       w->name, (long long)w->line, (long long)second.rows, (long long)second.columns,
                       (long long)first.rows, (long long)p->rows);
    NB_TRY(nb_siconos_matrix_read(w, &second, &problem->digits, &problem->jacobian));
out:
    return status;
}

static nb_status read_friction(parser *p, const char *what, double **mu) {
    nb_status status = nb_siconos_reals(&p->words, what, p->problem->data.contacts, mu);
    for (int32_t i = 0; status == NB_OK && i < p->problem->data.contacts; i++)
        if ((*mu)[i] < 0)
            return nb_fail(NB_ERROR_INPUT, "'%.300s': the %s of contact %d is %g: expected at least 0", p->words.name,
                           what, (int)i, (*mu)[i]);
    return status;
}

/* Three rows a contact are those of rolling friction in two dimensions where as many numbers follow mu as there are
 * contacts. One number behind one contact may be the word of Siconos 2 as well, which has no point. */
static nb_status look_for_rolling(parser *p) {
    nb_status status = NB_OK;
    nb_siconos_words ahead = p->words;
    int64_t contacts = p->problem->data.contacts, left = nb_siconos_count(&ahead);
    if (p->problem->data.dimension != 3 || (left != contacts && (left != contacts + 1 || contacts == 1))) return NB_OK;
    if (left == 1) {
        NB_TRY(nb_siconos_word(&ahead, "end"));
        if (ahead.word[strspn(ahead.word, "0123456789")] == '\0') return NB_OK;
    }
    if (!p->problem->mass) NB_TRY(look_at_name(p));
    p->problem->rolling = 1;
    p->problem->ambiguous = !p->problem->mass;
out:
    return status;
}

static nb_status read_vectors(parser *p) {
    nb_status status;
    nb_siconos_words *w = &p->words;
    nb_fclib_problem *problem = p->problem;
    if (problem->mass) {
        NB_TRY(nb_siconos_reals(w, "entry of q", problem->mass->rows, &problem->force));
        NB_TRY(nb_siconos_reals(w, "entry of b", p->rows, &problem->free_velocity));
    } else {
        NB_TRY(nb_siconos_reals(w, "entry of q", p->rows, &problem->q));
    }
    NB_TRY(read_friction(p, "coefficient of friction", &problem->mu));
    NB_TRY(look_for_rolling(p));
    if (problem->rolling) NB_TRY(read_friction(p, "coefficient of rolling friction", &problem->mu_r));
    if (nb_siconos_more(w)) NB_TRY(nb_siconos_word(w, "end")); /* Siconos 2 said whether W is complete */
    if (nb_siconos_more(w)) return nb_siconos_bad(w, "more numbers than a contact problem has");
out:
    return status;
}

static nb_status read_problem(parser *p) {
    nb_status status;
    NB_TRY(read_head(p));
    NB_TRY(read_matrices(p));
    NB_TRY(read_vectors(p));
    if (p->problem->mass) NB_TRY(nb_fclib_condense(p->words.name, p->problem));
    NB_TRY(nb_fclib_finish(p->words.name, p->problem));
out:
    return status;
}

nb_status nb_siconos_parse(const char *data, int64_t size, const char *name, nb_fclib_problem **problem) {
    nb_status status;
    parser p = {.words = {.name = name, .next = data, .end = data + size, .line = 1}};
    *problem = NULL;
    NB_TRY(NB_ALLOCATE(1, problem));
    p.problem = *problem;
    char **texts[] = {&(*problem)->title, &(*problem)->description, &(*problem)->math_info};
    for (int i = 0; i < 3; i++) NB_TRY(nb_copy_text("", texts[i]));
    NB_TRY(read_problem(&p));
out:
    if (status != NB_OK) {
        nb_fclib_destroy(*problem);
        *problem = NULL;
    }
    return status;
}

nb_status nb_siconos_read(const char *path, nb_fclib_problem **problem) {
    nb_status status;
    char *data = NULL;
    int64_t size;
    *problem = NULL;
    NB_TRY(nb_bytes_read(path, &data, &size));
    NB_TRY(nb_siconos_parse(data, size, path, problem));
out:
    nb_free(data);
    return status;
}
