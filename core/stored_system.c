#include "stored_system.h"

/* ---- matrices ---- */

/* pointers that rise to the number of entries, columns that ascend and are in range */
static nb_status check_matrix(void *owner) {
    const nb_csr_f64 *m = owner;
    if (!m->start) return NB_OK;
    int good = m->start[0] == 0 && m->start[m->rows] == m->capacity;
    for (int32_t i = 0; good && i < m->rows; i++) good = m->start[i + 1] >= m->start[i];
    for (int32_t i = 0; good && i < m->rows; i++)
        for (int64_t k = m->start[i]; good && k < m->start[i + 1]; k++)
            good = m->column[k] >= (k > m->start[i] ? m->column[k - 1] + 1 : 0) && m->column[k] < m->columns;
    return good ? NB_OK : nb_fail(NB_ERROR_INPUT, "a stored matrix holds places that make no sense");
}

#define ENTRIES NB_COUNT64(nb_csr_f64, capacity)

static const nb_member of_matrix[] = {
    {NB_LINE("rows", nb_csr_f64, rows, INT32)},
    {NB_LINE("columns", nb_csr_f64, columns, INT32)},
    {NB_LINE("entries", nb_csr_f64, capacity, COUNT)},
    {NB_LINE_ARRAY("start", "1", "row i is start[i] .. start[i + 1] - 1", nb_csr_f64, start, INT64,
                   NB_ONE_MORE32(nb_csr_f64, rows))},
    {NB_LINE_ARRAY("column", "1", "column of each entry", nb_csr_f64, column, INT32, ENTRIES)},
    {NB_LINE_ARRAY("value", NULL, NULL, nb_csr_f64, value, REAL, ENTRIES)}, /* its meaning is the matrix's */
    {NB_LINE_CHECK(check_matrix)},
};
const nb_members nb_csr_members = NB_MEMBERS(nb_csr_f64, of_matrix);

/* ---- systems ---- */

static int is(const nb_csr_f64 *m, int64_t rows, int64_t columns) {
    return m->rows == rows && m->columns == columns;
}

static nb_status check_system(void *owner) {
    const nb_stored_system *s = owner;
    int good =
        is(&s->a, s->rows, s->rows) && is(&s->c, s->rows, s->rows) && (!s->k.start || is(&s->k, s->rows, s->rows));
    if (s->g) good = good && is(&s->h, s->velocities, s->velocities) && is(&s->j, s->rows, s->velocities);
    return good ? NB_OK : nb_fail(NB_ERROR_INPUT, "the matrices of a stored system do not fit each other");
}

#define MATRIX(title, member, unit, ...) \
    { NB_LINE_PART(nb_stored_system, member, nb_csr_members), .name = title, .units = unit, .long_name = __VA_ARGS__ }
#define VECTOR(title, member, extent, unit, text) \
    { NB_LINE_ARRAY(title, unit, text, nb_stored_system, member, REAL, NB_COUNT64(nb_stored_system, extent)) }

static const nb_member of_bodies[] = {
    VECTOR("g", g, velocities, "N s, N m s", "momentum residual"),
    MATRIX("H", h, "kg, kg m^2", "entries of H, the mass matrix"),
    MATRIX("J", j, "1, m", "entries of J, the rows' Jacobian"),
};
static const nb_members bodies = NB_MEMBERS(nb_stored_system, of_bodies);

static const nb_member of_system[] = {
    {NB_LINE("step", nb_stored_system, step, INT32), .left_out = NB_RECORD}, /* which names its group by these */
    {NB_LINE("newton", nb_stored_system, newton, INT32), .left_out = NB_RECORD},
    {NB_LINE("rows", nb_stored_system, rows, COUNT)},
    {NB_LINE("velocities", nb_stored_system, velocities, COUNT)},
    {NB_LINE("unknowns", nb_stored_system, unknowns, TEXT), .optional = 1},
    {NB_LINE("units_a", nb_stored_system, units[0], TEXT), .left_out = NB_RECORD}, /* where they are attributes */
    {NB_LINE("units_b", nb_stored_system, units[1], TEXT), .left_out = NB_RECORD},
    VECTOR("b", b, rows, "m/s", "right-hand side"),
    VECTOR("s", s, rows, "1", "row weights S"),
    VECTOR("h", residual_h, rows, "m/s", "residual of the weighted rows: b = S J H^-1 g - h"),
    MATRIX("A", a, "1/kg", "entries of A = S J H^-1 J^T S + C + K"),
    MATRIX("C", c, "1/kg", "entries of C, the regularization included"),
    MATRIX("K", k, "1/kg", "entries of K, block diagonal and perhaps not symmetric", .optional = 1),
    {NB_LINE_GROUP(NULL, bodies), .optional = 1},
    {NB_LINE_CHECK(check_system)},
};
const nb_members nb_stored_system_members = NB_MEMBERS(nb_stored_system, of_system);

void nb_stored_system_clear(nb_stored_system *system) {
    nb_members_clear(&nb_stored_system_members, system);
}
