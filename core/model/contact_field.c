#include "model/contact_field.h"

#include <math.h>

nb_contact_field nb_contact_field_of(const nb_contact_choice *choice, const nb_contact_start *start, double mu) {
    static const double pi = 3.14159265358979323846;
    double sum = 0;
    for (int k = 0; k < 9; k++) sum += start->block[k] * start->block[k];
    const double h = start->h, w = sqrt(sum) / 3, near_rigid = choice->beta / (2 * pi),
                 r = 1 / fmax(near_rigid * near_rigid * w, 1 / (h * h * choice->stiffness)), p = -r / h * start->gap,
                 n0 = fmax(p, 0) * fmax(1 - choice->dissipation * start->rate[0], 0);
    return (nb_contact_field){.similar = choice->model == NB_CONTACTS_SIMILAR,
                              .p = p,
                              .r = r,
                              .dissipation = choice->dissipation,
                              .lead = start->gap / h,
                              .mu = mu,
                              .bound = mu * n0,
                              .e = fmax(choice->stiction, mu * choice->sigma * w * n0)};
}

/* the integral of n from v on, n, and -n' */
static double normal_potential(const nb_contact_field *f, double v, double *n, double *slope) {
    const double a = f->p - f->r * v, b = 1 - f->dissipation * v, d = f->dissipation;
    *n = *slope = 0;
    if (!(a > 0 && b > 0)) return 0;
    const double far = d > 0 ? fmin(a / f->r, b / d) : a / f->r; /* where n ends, from v */
    *n = a * b;
    *slope = f->r * b + d * a;
    return far * (a * b - far * (*slope / 2 - far * f->r * d / 3));
}

double nb_contact_field_potential(const nb_contact_field *f, const double v[3], double z[3], double *g) {
    const double across = v[1] * v[1] + v[2] * v[2], root = sqrt(across + f->e * f->e), soft = across / (root + f->e),
                 t[3] = {0, v[1] / root, v[2] / root};
    double n, slope, l = normal_potential(f, f->similar ? v[0] - f->mu * soft : v[0], &n, &slope);
    const double bound = f->similar ? f->mu * n : f->bound, pull = f->similar ? f->mu : 0;
    if (!f->similar) l += bound * soft;
    z[0] = n;
    for (int k = 1; k < 3; k++) z[k] = -bound * t[k];
    for (int i = 0; g && i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double own = i == 0 ? 1 : -pull * t[i], other = j == 0 ? 1 : -pull * t[j];
            g[3 * i + j] = slope * own * other + (i && j ? bound / root * ((i == j) - t[i] * t[j]) : 0);
        }
    return l;
}
