#include "operator/form.h"

#include "base/memory.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

/* `before`: NULL, or what it takes the place of, which is destroyed */
static nb_status make(const nb_form_class *type, const nb_system *rows, nb_form *before, nb_form **form) {
    nb_status status;
    nb_form *made = NULL;
    *form = NULL;
    if (!rows->delassus->mass || !rows->delassus->type->block_nodes)
        status = nb_fail(NB_ERROR_UNSUPPORTED, "the %s form requires velocities, which a problem file does not have",
                         type->name);
    else
        status = nb_allocate(1, type->size, &made);
    if (made) made->type = type;
    if (made && before && type->inherit) type->inherit(made, before);
    nb_form_destroy(before);
    if (!made) return status;
    NB_TRY(type->create(made, rows));
    made->system->symmetric = type->symmetric && rows->symmetric;
    made->system->origin = rows;
    made->system->unknowns = type->unknowns ? type->unknowns : type->name;
    for (int k = 0; k < 2; k++) made->system->units[k] = type->units[k];
    *form = made;
    return NB_OK;
out:
    nb_form_destroy(made);
    return status;
}

nb_status nb_form_create(const nb_form_class *type, const nb_system *rows, nb_form **form) {
    return make(type, rows, NULL, form);
}

nb_status nb_form_renew(const nb_system *rows, nb_form **form) {
    return make((*form)->type, rows, *form, form);
}

void nb_form_destroy(nb_form *form) {
    if (!form) return;
    form->type->clear(form);
    nb_system_destroy(form->system);
    nb_delassus_matrix_destroy(form->delassus);
    nb_free(form->x);
    nb_free(form);
}

nb_status nb_form_set_matrix(nb_form *form, nb_csr *matrix, int32_t block_count, const int32_t *block_start) {
    nb_status status;
    NB_TRY(nb_delassus_matrix_create(matrix, block_count, block_start, 0, NULL, &form->delassus));
    form->matrix = matrix;
    if (form->type->symmetric) NB_TRY(nb_delassus_matrix_halve(form->delassus));
    NB_TRY(nb_system_create(form->delassus, &form->system));
    NB_TRY(NB_ALLOCATE(matrix->rows, &form->x));
out:
    return status;
}

nb_status nb_form_assemble(nb_form *form, const nb_system *rows, const real *momentum) {
    nb_status status = NB_OK;
    form->system->origin = rows;
    if (form->value_epoch != rows->value_epoch) {
        form->value_epoch = 0; /* epochs begin with 1 */
        NB_TRY(form->type->set_values(form, rows));
        form->value_epoch = rows->value_epoch;
        form->system->symmetric = form->type->symmetric && rows->symmetric;
        if (form->delassus) nb_delassus_matrix_values(form->delassus, form->system->symmetric);
        nb_system_values_changed(form->system);
    }
    form->type->set_right_hand_side(form, rows, momentum);
out:
    return status;
}
