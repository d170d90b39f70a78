#include "stored_system.h"

#include "base/memory.h"
#include "contact_problem.h"

void nb_stored_matrix_clear(nb_stored_matrix *matrix) {
    nb_free(matrix->start);
    nb_free(matrix->column);
    nb_free(matrix->value);
    *matrix = (nb_stored_matrix){0};
}

void nb_stored_system_clear(nb_stored_system *system) {
    nb_stored_matrix_clear(&system->a);
    nb_stored_matrix_clear(&system->h);
    nb_stored_matrix_clear(&system->j);
    nb_stored_matrix_clear(&system->c);
    nb_stored_matrix_clear(&system->k);
    nb_free(system->s);
    nb_free(system->b);
    nb_free(system->g);
    nb_free(system->residual_h);
    *system = (nb_stored_system){0};
}

void nb_contact_problem_clear(nb_contact_problem *problem) {
    nb_stored_matrix_clear(&problem->delassus);
    nb_stored_matrix_clear(&problem->mass);
    nb_stored_matrix_clear(&problem->jacobian);
    nb_free(problem->q);
    nb_free(problem->w);
    nb_free(problem->f);
    nb_free(problem->mu);
    nb_free(problem->compliance);
    *problem = (nb_contact_problem){0};
}
