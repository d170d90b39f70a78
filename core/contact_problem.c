#include "contact_problem.h"

#define NUMBERS(member, kind, extent) \
    { NB_LINE_ARRAY(#member, NULL, NULL, nb_contact_problem, member, REAL, NB_COUNT##kind(nb_contact_problem, extent)) }

static const nb_member of_problem[] = {
    {NB_LINE("bilaterals", nb_contact_problem, bilaterals, COUNT)},
    {NB_LINE("contacts", nb_contact_problem, contacts, COUNT)},
    {NB_LINE("rows", nb_contact_problem, rows, COUNT)},
    {NB_LINE("velocities", nb_contact_problem, velocities, COUNT)},
    {NB_LINE("time_step", nb_contact_problem, time_step, REAL)},
    {NB_LINE("soft", nb_contact_problem, soft, REAL)},
    {NB_LINE_PART(nb_contact_problem, delassus, nb_csr_members)},
    {NB_LINE_PART(nb_contact_problem, mass, nb_csr_members)},
    {NB_LINE_PART(nb_contact_problem, jacobian, nb_csr_members)},
    NUMBERS(q, 64, rows),
    NUMBERS(w, 64, rows),
    NUMBERS(f, 64, velocities),
    NUMBERS(mu, 32, contacts),
    NUMBERS(compliance, 32, bilaterals),
};
const nb_members nb_contact_problem_members = NB_MEMBERS(nb_contact_problem, of_problem);

void nb_contact_problem_clear(nb_contact_problem *problem) {
    nb_members_clear(&nb_contact_problem_members, problem);
}
