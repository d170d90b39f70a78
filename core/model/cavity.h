/* A cavity: the volume that a closed surface of triangles between particles encloses, and the pressure of what it
 * holds.
 *
 *     V = sum a . (b x c)/6,   force = P(V) dV/dx,   P = -dW/dV
 *
 * Triangles' corners a, b, c go counter-clockwise, seen from outside of what is enclosed, so that V > 0. The stiffness
 * of the energy is sparse and indefinite but for one dense row:
 *
 *     d2W/dx2 = -P d2V/dx2 + (d2W/dV2) g g^T,   g = dV/dx
 *
 * With V0 the volume without pressure, e = V/V0 - 1, and a modulus B [Pa]
 *
 *     gas                    W = B V0 (e - ln(1 + e))                P = B (V0/V - 1)      B: the pressure outside
 *     nearly incompressible  W = B V0 ((1 + e) ln(1 + e) - e)        P = -B ln(V/V0)       B = 1/k
 *     quadratic              W = B V0 e^2/2                          P = -B e              B = 1/k
 *
 * of a compression k. They agree to first order in e. In compression the quadratic law is too weak, in expansion too
 * strong.
 *
 * Larionov, Longva, Ascher, Bender, Pai 2023, III-D. All in double: x [particles][3] are positions [m]. */
#ifndef NB_MODEL_CAVITY_H
#define NB_MODEL_CAVITY_H

#include <stdint.h>

#include "base/status.h"

typedef struct nb_cavity {
    int32_t triangle_count;
    const int32_t *triangles; /* [triangle_count][3] particles; borrowed */
} nb_cavity;

/* NB_OK where the surface is closed: each edge is of two triangles, which go along it in opposite directions. Else, and
 * for particles that there are not or corners that are one particle, NB_ERROR_INPUT. The message names the triangle or
 * the edge, and what is wrong. */
nb_status nb_cavity_check(const nb_cavity *cavity, int32_t particle_count);
/* NB_ERROR_INPUT where the volume is not above 0 with the particles at x: the surface is inverted. */
nb_status nb_cavity_check_volume(const nb_cavity *cavity, const double *x);

/* V [m^3] */
double nb_cavity_volume(const nb_cavity *cavity, const double *x);
/* out += scale dV/dx [particles][3] [m^2] */
void nb_cavity_add_gradient(const nb_cavity *cavity, const double *x, double scale, double *out);
/* out += scale (d2V/dx2) y */
void nb_cavity_add_curvature(const nb_cavity *cavity, const double *x, const double *y, double scale, double *out);

typedef enum nb_volume_model {
    NB_VOLUME_GAS,
    NB_VOLUME_NEARLY_INCOMPRESSIBLE,
    NB_VOLUME_QUADRATIC,
    NB_VOLUME_MODELS
} nb_volume_model;

extern const char *const nb_volume_model_names[NB_VOLUME_MODELS + 1]; /* NULL-terminated */

typedef struct nb_volume_law {
    nb_volume_model model;
    double modulus; /* B [Pa] */
    double rest;    /* V0 [m^3] */
} nb_volume_law;

#define NB_ATMOSPHERE 101325.0 /* 1 atm [Pa] */

/* The law of a cavity of `compression` k [1/atm], of a gas the inverse of the pressure outside, which holds a gauge
 * pressure [atm] at `volume` [m^3]. NB_ERROR_USAGE where k or the volume is not above 0, or where no V0 > 0 has that
 * pressure. A gas has none for -1/k or less, the quadratic law none for 1/k or more. */
nb_status nb_volume_law_make(nb_volume_model model, double compression, double gauge_pressure, double volume,
                             nb_volume_law *law);

/* W [J]; INFINITY for V <= 0, where the law is not quadratic */
double nb_volume_energy(const nb_volume_law *law, double volume);
/* P [Pa], gauge */
double nb_volume_pressure(const nb_volume_law *law, double volume);
/* d2W/dV2 = -dP/dV > 0 [Pa/m^3] */
double nb_volume_stiffness(const nb_volume_law *law, double volume);

/* out += (d2W/dx2) y, with the volume and the gradient [particles][3] at x */
void nb_cavity_add_stiffness(const nb_cavity *cavity, const nb_volume_law *law, const double *x, double volume,
                             const double *gradient, int32_t particle_count, const double *y, double *out);

#endif
