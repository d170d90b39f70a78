#include "smoothed_cone.h"

#include <math.h>

/* t in (0, length/2] with t - l = rho/t - rho/(length - t), for l <= length/2 */
static double distance_of(double l, double length, double rho) {
    /* left of the root, as the last term is at most twice rho/length; t - l - rho/t + rho/(length - t) is concave, and
     * Newton's method climbs to the root */
    const int most = 100;
    double t = nb_smoothed_root(l - 2 * rho / length, rho), before = 0;
    if (isinf(length)) return t;
    for (int k = 0; k < most && t > before; k++) {
        const double rest = length - t;
        before = t;
        t -= (t - l - rho / t + rho / rest) / (1 + rho / (t * t) + rho / (rest * rest));
    }
    return before;
}

void nb_smoothed_box_at(double rho, double w, double low, double high, nb_smoothed_box *p) {
    *p = (nb_smoothed_box){.x = w, .slope = 1};
    if (isinf(low) && isinf(high)) return;
    const int upper = w - low > high - w; /* the nearer bound */
    const double length = high - low, t = distance_of(upper ? high - w : w - low, length, rho), rest = length - t,
                 y = rho / t - rho / rest, stiffness = rho / (t * t) + rho / (rest * rest); /* of -y by x */
    p->x = upper ? high - t : low + t;
    p->y = upper ? -y : y;
    p->slope = 1 / (1 + stiffness);
    p->rest = stiffness / (1 + stiffness);
}

void nb_smoothed_cone_slope(const nb_smoothed_cone *p, double slope[9]) {
    nb_cone_slope_matrix(&p->slope, p->slope.low, p->slope.high, p->slope.across, slope);
}

void nb_smoothed_cone_rest(const nb_smoothed_cone *p, double rest[9]) {
    nb_cone_slope_matrix(&p->slope, p->low, p->high, p->across, rest);
}

void nb_smoothed_cone_stiffness(const nb_smoothed_cone *p, double stiffness[9]) {
    nb_cone_slope_matrix(&p->slope, p->slope.low / p->low, p->slope.high / p->high, p->slope.across / p->across,
                         stiffness);
}
