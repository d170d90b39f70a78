#include "constraint/newton_rows.h"

#include "base/instruction_set.h"
#include "base/threads.h"
#include "operator/contact_pack.h"

NB_PRECISIONS(f32, f64);

#define INSTRUCTION_SET(set, has) extern nb_newton_rows_kernel NB_REAL_NAME(nb_newton_rows_##set);
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) NB_REAL_NAME(nb_newton_rows_##set),
static nb_newton_rows_kernel *const kernels[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

void nb_newton_rows_assemble(const nb_newton_rows *rows, int32_t contacts) {
    nb_newton_rows_kernel *kernel = kernels[nb_instruction_set()];
    int parts = nb_threads_for(contacts, NB_PART_CONTACTS);
    NB_EACH_PART(i, parts,
                 kernel(rows, nb_part_begin(i, parts, contacts, NB_PART_STEP),
                        nb_part_begin(i + 1, parts, contacts, NB_PART_STEP)););
}
