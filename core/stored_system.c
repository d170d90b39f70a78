#include "stored_system.h"

#include "base/memory.h"

static void clear_matrix(nb_stored_matrix *matrix) {
    nb_free(matrix->start);
    nb_free(matrix->column);
    nb_free(matrix->value);
}

void nb_stored_system_clear(nb_stored_system *system) {
    clear_matrix(&system->a);
    clear_matrix(&system->h);
    clear_matrix(&system->j);
    clear_matrix(&system->c);
    nb_free(system->s);
    nb_free(system->b);
    nb_free(system->g);
    nb_free(system->residual_h);
    *system = (nb_stored_system){0};
}
