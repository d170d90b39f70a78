/* One corner of a box against a plane: the step written down anew in complex numbers, without smoothing, regime by
 * regime, so that its derivatives come from complex steps (Squire, Trapp, 1998); against those of every method, which
 * come from the implicit function theorem on the central path. Sticking, sliding, separation. The same with the springs
 * and the friction of method smoothed, whose own equations these are. */
#include <complex.h>

#include "gradient_scene.h"

typedef double complex number;
typedef struct vector {
    number of[3];
} vector;
typedef struct matrix {
    number of[3][3];
} matrix;

enum {
    UNKNOWNS = 9 /* v, omega, and the impulses along the normal and two tangents */
};

enum regime {
    STICKING,
    SLIDING,
    SEPARATING
};
static const char *const regime_names[] = {"sticking", "sliding", "separating"};

/* ---- vectors of complex numbers ---- */

static vector from_real(nb_vec3 v) {
    return (vector){{v.x, v.y, v.z}};
}

static vector plus(vector a, number t, vector b) {
    for (int i = 0; i < 3; i++) a.of[i] += t * b.of[i];
    return a;
}

static number dot(vector a, vector b) {
    return a.of[0] * b.of[0] + a.of[1] * b.of[1] + a.of[2] * b.of[2];
}

static vector cross(vector a, vector b) {
    vector c;
    for (int i = 0; i < 3; i++) c.of[i] = a.of[(i + 1) % 3] * b.of[(i + 2) % 3] - a.of[(i + 2) % 3] * b.of[(i + 1) % 3];
    return c;
}

static vector apply(const matrix *m, vector x, int transposed) {
    vector y = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) y.of[i] += (transposed ? m->of[j][i] : m->of[i][j]) * x.of[j];
    return y;
}

static vector unit(int k) {
    return (vector){{k == 0, k == 1, k == 2}};
}

/* ---- the step ---- */

/* the box, the plane through the origin of its body, and what is between */
typedef struct model {
    double h, gravity;
    enum regime regime;
    int springs;  /* 1: contacts are those of method smoothed */
    int midpoint; /* 1: the gyroscopic torque is that of the midpoint rule */
    /* all that inputs change */
    number mass, moment[3], friction[2];
    matrix turn;   /* of the box */
    vector corner; /* in its axes */
    vector place, velocity, spin, force, torque;
    vector ground, direction[3]; /* a point of the plane; its normal and tangents */
} model;

/* x and a small turn of it */
static vector turned(vector turn, vector x) {
    return plus(x, 1, cross(turn, x));
}

static model model_of(const gradient_scene *s, enum regime regime, int springs, nb_vec3 corner, nb_quat slope,
                      const number *inputs) {
    const nb_body *box = &s->body[1];
    const number *in[2] = {inputs, inputs + NB_INPUTS};
    vector small[2][5]; /* move, turn, velocity, spin, force; the torque follows */
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 5; k++) memcpy(small[b][k].of, in[b] + 3 * k, sizeof small[b][k].of);
    model m = {.h = s->h, .gravity = 9.81, .regime = regime, .springs = springs};
    m.midpoint = s->world->settings.gyroscopic == NB_GYROSCOPIC_IMPLICIT;
    m.mass = box->mass + in[1][NB_INPUT_MASS];
    const double moment[3] = {box->inertia.x, box->inertia.y, box->inertia.z};
    for (int k = 0; k < 3; k++) m.moment[k] = moment[k] * (m.mass / box->mass) * (1 + in[1][NB_INPUT_INERTIA]);
    for (int b = 0; b < 2; b++) m.friction[b] = s->body[b].friction + in[b][NB_INPUT_FRICTION];
    for (int k = 0; k < 3; k++) {
        const nb_vec3 axis = nb_vec3_of(k == 0, k == 1, k == 2);
        const vector column = turned(small[1][1], from_real(nb_quat_rotate(box->orientation, axis)));
        for (int i = 0; i < 3; i++) m.turn.of[i][k] = column.of[i];
        /* the plane's normal is the z axis of its body */
        m.direction[(k + 1) % 3] = turned(small[0][1], from_real(nb_quat_rotate(slope, axis)));
    }
    m.corner = plus(from_real(corner), in[1][NB_INPUT_SIZE], from_real(corner));
    m.place = plus(from_real(box->position), 1, small[1][0]);
    m.velocity = plus(from_real(box->linear_velocity), 1, small[1][2]);
    m.spin = plus(from_real(box->angular_velocity), 1, small[1][3]);
    m.force = small[1][4];
    memcpy(m.torque.of, in[1] + NB_INPUT_FORCE + 3, sizeof m.torque.of);
    m.ground = small[0][0];
    return m;
}

/* the inertia to the power of 1 or -1 */
static vector inertia_times(const model *m, int power, vector x) {
    vector own = apply(&m->turn, x, 1);
    for (int k = 0; k < 3; k++) own.of[k] *= power > 0 ? m->moment[k] : 1 / m->moment[k];
    return apply(&m->turn, own, 0);
}

/* kappa [N/m], delta [m] and eps [m/s] of method smoothed: a corner of a box of 2 kg that falls stops within delta */
#define SPRINGS "contact-stiffness=1e5 contact-tolerance=4e-3 friction-tolerance=0.05 residual-tolerance=1e-15"
static const double kappa = 1e5, delta = 4e-3, eps = 0.05;

/* impulses of a contact, written down as in the paper, eq. (2) and (13) */
static void spring(const model *m, number gap, const number slip[2], number impulse[3]) {
    const number speed = csqrt(slip[0] * slip[0] + slip[1] * slip[1]), mu = csqrt(m->friction[0] * m->friction[1]);
    const number force = creal(gap) < delta ? 3 * kappa * (delta - gap) * (delta - gap) / delta : 0;
    const number share = creal(speed) < eps ? 2 / eps - speed / (eps * eps) : 1 / speed;
    impulse[0] = m->h * force;
    for (int k = 0; k < 2; k++) impulse[1 + k] = -m->h * mu * force * share * slip[k];
}

/* the equations of the regime; slip [2] and gap [m] of the step's end */
static void residual(const model *m, const number x[UNKNOWNS], number f[UNKNOWNS], number slip[2], number *gap) {
    vector v, w, impulse = {{0}};
    memcpy(v.of, x, sizeof v.of);
    memcpy(w.of, x + 3, sizeof w.of);
    for (int k = 0; k < 3; k++) impulse = plus(impulse, x[6 + k], m->direction[k]);
    /* the arm turns by the unit quaternion of (1, h w/2) */
    vector start = apply(&m->turn, m->corner, 0), e = plus((vector){{0}}, m->h / 2, w), once = cross(e, start);
    vector arm = plus(start, 2 / (1 + dot(e, e)), plus(once, 1, cross(e, once)));
    vector momentum = plus((vector){{0}}, m->mass, plus(v, -1, m->velocity));
    momentum = plus(momentum, m->h * m->mass * m->gravity, unit(2));
    momentum = plus(plus(momentum, -m->h, m->force), -1, impulse);
    /* of the start, or in the middle between that and the end without contacts */
    vector turning = cross(arm, impulse), free = plus(w, -1, inertia_times(m, -1, turning));
    vector about = m->midpoint ? plus(m->spin, 0.5, plus(free, -1, m->spin)) : m->spin;
    vector spinning = inertia_times(m, 1, plus(w, -1, m->spin));
    spinning = plus(spinning, m->h, cross(about, inertia_times(m, 1, about)));
    spinning = plus(plus(spinning, -m->h, m->torque), -1, turning);
    memcpy(f, momentum.of, sizeof momentum.of);
    memcpy(f + 3, spinning.of, sizeof spinning.of);
    vector end = plus(plus(m->place, m->h, v), 1, arm);
    *gap = dot(m->direction[0], plus(end, -1, m->ground));
    vector point = plus(v, 1, cross(w, arm));
    for (int k = 0; k < 2; k++) slip[k] = dot(m->direction[1 + k], point);
    if (m->springs) {
        number own[3];
        spring(m, *gap, slip, own);
        for (int k = 0; k < 3; k++) f[6 + k] = x[6 + k] - own[k];
        return;
    }
    f[6] = m->regime == SEPARATING ? x[6] : *gap / m->h;
    number speed = csqrt(slip[0] * slip[0] + slip[1] * slip[1]), mu = csqrt(m->friction[0] * m->friction[1]);
    for (int k = 0; k < 2; k++)
        f[7 + k] = m->regime == SEPARATING ? x[7 + k]
                   : m->regime == STICKING ? slip[k]
                                           : x[7 + k] + mu * x[6] * slip[k] / speed;
}

/* x = A^-1 x by Gauss */
static void eliminate(number a[UNKNOWNS][UNKNOWNS], number x[UNKNOWNS]) {
    for (int k = 0; k < UNKNOWNS; k++) {
        int best = k;
        for (int i = k + 1; i < UNKNOWNS; i++)
            if (cabs(a[i][k]) > cabs(a[best][k])) best = i;
        for (int j = 0; j <= UNKNOWNS; j++) {
            number *one = j < UNKNOWNS ? &a[k][j] : &x[k], *two = j < UNKNOWNS ? &a[best][j] : &x[best], kept = *one;
            *one = *two;
            *two = kept;
        }
        for (int i = k + 1; i < UNKNOWNS; i++) {
            number factor = a[i][k] / a[k][k];
            for (int j = k; j < UNKNOWNS; j++) a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = UNKNOWNS - 1; k >= 0; k--) {
        for (int j = k + 1; j < UNKNOWNS; j++) x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
}

/* Newton's method in complex numbers, with a Jacobian of differences: what that is off by, another iteration mends. It
 * begins at the velocities at the step's start, or, as from there springs lead it in circles, at `from` [6]. */
static void solve(const model *m, const double *from, number x[UNKNOWNS], number slip[2], number *gap) {
    const double step = 1e-5;
    memset(x, 0, UNKNOWNS * sizeof *x);
    memcpy(x, m->velocity.of, sizeof m->velocity.of);
    memcpy(x + 3, m->spin.of, sizeof m->spin.of);
    for (int k = 0; m->springs && k < 6; k++) x[k] = from[k];
    x[6] = 1;
    for (int iteration = 0; iteration < 40; iteration++) {
        number f[UNKNOWNS], a[UNKNOWNS][UNKNOWNS], some[2], other;
        for (int k = 0; k < UNKNOWNS; k++) {
            number up[UNKNOWNS], down[UNKNOWNS], kept = x[k];
            x[k] = kept + step;
            residual(m, x, up, some, &other);
            x[k] = kept - step;
            residual(m, x, down, some, &other);
            x[k] = kept;
            for (int i = 0; i < UNKNOWNS; i++) a[i][k] = (up[i] - down[i]) / (2 * step);
        }
        residual(m, x, f, slip, gap);
        eliminate(a, f);
        for (int k = 0; k < UNKNOWNS; k++) x[k] -= f[k];
    }
    number f[UNKNOWNS];
    residual(m, x, f, slip, gap);
    for (int k = 0; k < UNKNOWNS; k++) CHECK_BELOW(cabs(f[k]), 1e-12);
}

/* ---- scenes ---- */

static const nb_vec3 half = {0.3, 0.2, 0.15};

/* a box on one of its corners, on a slope; returns the corner in the box's axes */
static nb_vec3 make_scene(gradient_scene *s, enum regime regime, uint64_t *random, nb_quat *slope) {
    const nb_vec3 z = {0, 0, 1};
    nb_quat turn;
    nb_vec3 corner = {0};
    double lowest, second;
    *slope = nb_quat_product(nb_quat_about(nb_vec3_of(0, 1, 0), test_random(random, -0.2, 0.2)),
                             nb_quat_about(nb_vec3_of(1, 0, 0), test_random(random, -0.2, 0.2)));
    const nb_vec3 up = nb_quat_rotate(*slope, z);
    do { /* the others well above, where there is no contact at all */
        lowest = second = INFINITY;
        turn = nb_quat_product(nb_quat_about(nb_vec3_of(1, 0, 0), test_random(random, -1, 1)),
                               nb_quat_about(nb_vec3_of(0, 1, 0), test_random(random, -1, 1)));
        for (int k = 0; k < 8; k++) {
            nb_vec3 at = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
            double height = nb_dot(up, nb_quat_rotate(turn, at));
            if (height < lowest) {
                second = lowest;
                lowest = height;
                corner = at;
            } else if (height < second) {
                second = height;
            }
        }
    } while (second - lowest < 0.08);
    gradient_scene_ground(s, regime == SLIDING ? 0.1 : 1.5, *slope);
    const double gap = 2e-3;
    nb_body *box = gradient_scene_box(s, half, 2, regime == SLIDING ? 0.2 : 1.2, nb_scale(gap - lowest, up), turn);
    nb_vec3 along = nb_quat_rotate(*slope, nb_vec3_of(1, 0.5, 0));
    double ahead = regime == SLIDING ? 3 : 0.05, down = regime == SEPARATING ? -0.5 : 1.5;
    box->linear_velocity = nb_add_scaled(nb_scale(ahead, along), -down, up);
    box->angular_velocity =
        nb_vec3_of(test_random(random, -0.3, 0.3), test_random(random, -0.3, 0.3), test_random(random, -0.3, 0.3));
    return corner;
}

/* ---- what holds ---- */

static void check_regime(const model *m, const number *x, const number slip[2], number gap) {
    double friction = hypot(creal(x[7]), creal(x[8])),
           most = sqrt(creal(m->friction[0] * m->friction[1])) * creal(x[6]);
    if (m->regime == SEPARATING) CHECK_BELOW(1e-3 + m->springs * delta, creal(gap));
    if (m->regime == STICKING && m->springs) CHECK_BELOW(hypot(creal(slip[0]), creal(slip[1])), eps);
    if (m->regime == STICKING && !m->springs) CHECK_BELOW(friction, 0.9 * most);
    if (m->regime == SLIDING) CHECK_BELOW(0.5, hypot(creal(slip[0]), creal(slip[1])));
    if (m->regime != SEPARATING) CHECK_BELOW(0.5, creal(x[6]));
}

TEST(derivatives_are_those_of_complex_steps) {
    /* The error is linear in rho; of single-level there is round-off of some 1e-15/rho to 1e-14/rho, too: what holds a
     * contact in its matrices is as stiff as 1/rho. Method smoothed has no rho. */
    static const struct {
        const char *name;
        double rho, round_off;
        const char *options;
    } methods[] = {{"interior-point", 1e-10, 0, ""},
                   {"newton", 1e-10, 0, ""},
                   {"single-level", 1e-8, 1e-5, ""},
                   {"smoothed", NB_SMOOTHING_OWN, 1e-10, SPRINGS}};
    const int count = sizeof methods / sizeof *methods;
    const double tiny = 1e-30;
    uint64_t random = test_seed();
    for (int n = 0; n < 3 * count * 4; n++) {
        const enum regime regime = (enum regime)(n % 3);
        const char *method = methods[n / 3 % count].name;
        const double rho = methods[n / 3 % count].rho;
        const int springs = rho == NB_SMOOTHING_OWN;
        nb_quat slope;
        gradient_scene *s = gradient_scene_open();
        const nb_vec3 corner = make_scene(s, regime, &random, &slope);
        s->world->settings.gyroscopic = n / 3 / count % 2 ? NB_GYROSCOPIC_EXPLICIT : NB_GYROSCOPIC_IMPLICIT;
        number x[UNKNOWNS], slip[2], gap, none[2 * NB_INPUTS] = {0};
        double worst = 0, largest = 1, off = 0;
        gradient_scene_start_with(s, method, methods[n / 3 % count].options);
        nb_step_gradient *gradient = gradient_scene_step(s, rho);
        model m = model_of(s, regime, springs, corner, slope, none);
        solve(&m, gradient->u + 6, x, slip, &gap);
        check_regime(&m, x, slip, gap);
        for (int k = 0; k < 6; k++) off = fmax(off, fabs(gradient->u[6 + k] - creal(x[k])));
        for (int k = 0; k < 2 * NB_INPUTS; k++) {
            const int body = k / NB_INPUTS, own = k % NB_INPUTS;
            double in[GRADIENT_INPUTS] = {0}, du[6 * GRADIENT_BODIES];
            number at[2 * NB_INPUTS] = {0};
            if (body == 0 && own >= NB_INPUT_VELOCITY && own < NB_INPUT_SIZE) continue; /* it does not move */
            in[k] = 1;
            at[k] = tiny * I;
            CHECK_OK(gradient->type->forward(gradient, in, du));
            m = model_of(s, regime, springs, corner, slope, at);
            solve(&m, gradient->u + 6, x, slip, &gap);
            for (int i = 0; i < 6; i++) {
                const double by_step = cimag(x[i]) / tiny;
                worst = fmax(worst, fabs(du[6 + i] - by_step));
                largest = fmax(largest, fabs(by_step));
            }
        }
        print_message("%s, %s: off by %.1e of %.1e, velocities by %.1e\n", method, regime_names[regime], worst, largest,
                      off);
        CHECK_BELOW(off, springs ? 1e-12 : 1e2 * rho);
        CHECK_BELOW(worst, 1e4 * fmax(rho, 0) + methods[n / 3 % count].round_off * largest);
        nb_step_gradient_destroy(gradient);
        gradient_scene_close(s);
    }
}

RUN_TESTS(derivatives_are_those_of_complex_steps)
