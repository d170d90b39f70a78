#include "model/contact_model.h"

#include <math.h>
#include <stddef.h>

const char *const nb_contact_model_names[NB_CONTACT_MODELS + 1] = {
    [NB_CONTACTS_RIGID] = "rigid", [NB_CONTACTS_SAP] = "sap", [NB_CONTACTS_SPRING] = "spring", NULL};

static const double pi = 3.14159265358979323846;

static double frobenius(const double a[9]) {
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

static nb_contact_softness spring(const nb_contact_choice *choice, const nb_contact_start *start) {
    const double h = start->h, omega = 2 * pi * fmin(choice->frequency, 1 / (4 * h)),
                 rate = omega / (2 * choice->damping + h * omega);
    if (!(start->gap < 0)) return (nb_contact_softness){0};
    return (nb_contact_softness){.normal = start->block[0] * rate / (h * omega * omega),
                                 .shift = {start->gap * rate - start->gap / h}};
}

nb_contact_softness nb_contact_soften(const nb_contact_choice *choice, const nb_contact_start *start) {
    if (choice->model == NB_CONTACTS_SPRING) return spring(choice, start);
    const double h = start->h, tau = choice->relaxation, w = frobenius(start->block) / 3,
                 near_rigid = choice->beta / (2 * pi);
    return (nb_contact_softness){.normal = fmax(near_rigid * near_rigid * w, 1 / (h * choice->stiffness * (h + tau))),
                                 .tangent = choice->sigma * w,
                                 .shift = {start->gap < 0 ? start->gap / (h + tau) - start->gap / h : 0}};
}
