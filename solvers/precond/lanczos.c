#include "precond/lanczos.h"

#include <math.h>

nb_lanczos nb_lanczos_begin(double rz, double epsilon) {
    return (nb_lanczos){.alpha = 1, .rz = rz, .least = epsilon * epsilon * rz};
}

int nb_lanczos_goes_on(const nb_lanczos *l) {
    return l->count < NB_LANCZOS_PRODUCTS && l->rz > l->least;
}

double nb_lanczos_step(nb_lanczos *l, double curvature) {
    const double before = l->alpha;
    l->products++;
    if (curvature == 0) return 0;
    l->alpha = l->rz / curvature;
    l->diagonal[l->count] = 1 / l->alpha + l->beta / before;
    return l->alpha;
}

double nb_lanczos_turn(nb_lanczos *l, double rz) {
    l->beta = rz / l->rz;
    l->square[l->count++] = l->beta / (l->alpha * l->alpha);
    l->rz = rz;
    return l->beta;
}

/* the largest eigenvalue of the symmetric tridiagonal matrix, by bisection (Sturm) */
static double largest_of(int n, const double *diagonal, const double *square) {
    double low = diagonal[0], high = 0;
    for (int i = 0; i < n; i++) {
        const double around = (i > 0 ? sqrt(square[i - 1]) : 0) + (i + 1 < n ? sqrt(square[i]) : 0);
        low = fmax(low, diagonal[i]);
        high = fmax(high, diagonal[i] + around);
    }
    for (int round = 0; round < 60; round++) {
        const double x = (low + high) / 2;
        double pivot = 1;
        int above = 0; /* whether an eigenvalue is: not all pivots of x - T are positive */
        for (int i = 0; i < n && !above; i++) {
            pivot = x - diagonal[i] - (i > 0 ? square[i - 1] / pivot : 0);
            above = !(pivot > 0);
        }
        *(above ? &low : &high) = x;
    }
    return high;
}

double nb_lanczos_top(const nb_lanczos *l) {
    return 1.1 * (l->count > 0 ? largest_of(l->count, l->diagonal, l->square) : 1);
}
