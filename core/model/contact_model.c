#include "model/contact_model.h"

#include <math.h>
#include <stddef.h>

const char *const nb_contact_model_names[NB_CONTACT_MODELS + 1] = {[NB_CONTACTS_RIGID] = "rigid",
                                                                   [NB_CONTACTS_SAP] = "sap",
                                                                   [NB_CONTACTS_SPRING] = "spring",
                                                                   [NB_CONTACTS_MUJOCO] = "mujoco",
                                                                   [NB_CONTACTS_LAGGED] = "lagged",
                                                                   [NB_CONTACTS_SIMILAR] = "similar",
                                                                   NULL};

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

/* d, from one value without penetration to the other from the width on */
static double impedance(const nb_contact_choice *choice, double penetration) {
    const double x = fmin(penetration / choice->width, 1), y = x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
    return choice->impedance + y * (choice->most_impedance - choice->impedance);
}

static nb_contact_softness mujoco(const nb_contact_choice *choice, const nb_contact_start *start) {
    const double h = start->h, d = impedance(choice, fmax(0, -start->gap)),
                 scale = choice->most_impedance * fmax(choice->time_constant, 2 * h), spring = scale * choice->ratio,
                 softness = (1 - d) / d * start->weight;
    nb_contact_softness of = {.normal = softness, .tangent = softness / choice->impedance_ratio};
    if (start->gap > 0) return of;
    for (int k = 0; k < 3; k++) of.shift[k] = (2 * h / scale - 1) * start->rate[k];
    of.shift[0] += h * d / (spring * spring) * start->gap - start->gap / h;
    return of;
}

nb_contact_softness nb_contact_soften(const nb_contact_choice *choice, const nb_contact_start *start) {
    if (choice->model == NB_CONTACTS_SPRING) return spring(choice, start);
    if (choice->model == NB_CONTACTS_MUJOCO) return mujoco(choice, start);
    const double h = start->h, tau = choice->relaxation, w = frobenius(start->block) / 3,
                 near_rigid = choice->beta / (2 * pi);
    return (nb_contact_softness){.normal = fmax(near_rigid * near_rigid * w, 1 / (h * choice->stiffness * (h + tau))),
                                 .tangent = choice->sigma * w,
                                 .shift = {start->gap < 0 ? start->gap / (h + tau) - start->gap / h : 0}};
}
