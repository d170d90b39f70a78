#include "contact_pair.h"

#include <string.h>

#include "base/largest.h"

/* ---- sets ---- */

int64_t nb_pair_set_numbers(const nb_convex_set *set) {
    return (int64_t)set->rows * (4 + set->unknowns);
}

/* how large the numbers of a row are [m] */
static double row_size(const nb_convex_set *set, int32_t row, double length) {
    double size = fmax(fabs(set->b[row]), length * nb_norm(set->a[row]));
    for (int32_t k = 0; k < set->unknowns; k++)
        size = fmax(size, length * fabs(set->e[(int64_t)row * set->unknowns + k]));
    return size;
}

void nb_pair_set_make(const nb_convex_set *from, double length, double *memory, nb_pair_set *set) {
    const int32_t rows = from->rows, unknowns = from->unknowns;
    *set = (nb_pair_set){.rows = rows,
                         .linear = from->linear,
                         .cone_count = from->cone_count,
                         .unknowns = unknowns,
                         .cone_rows = from->cone_rows,
                         .a = (nb_vec3 *)(void *)memory,
                         .b = memory + 3 * (int64_t)rows,
                         .e = memory + 4 * (int64_t)rows,
                         .centre = nb_scale(1 / length, from->centre)};
    for (int32_t i = 0, cone = -1, count; i < rows; i += count) {
        double size = 0;
        count = i < from->linear ? 1 : from->cone_rows[++cone];
        for (int32_t k = i; k < i + count; k++) size = fmax(size, row_size(from, k, length));
        for (int32_t k = i; k < i + count; k++) {
            set->a[k] = nb_scale(length / size, from->a[k]);
            set->b[k] = from->b[k] / size;
            for (int32_t j = 0; j < unknowns; j++)
                set->e[(int64_t)k * unknowns + j] = length / size * from->e[(int64_t)k * unknowns + j];
        }
    }
}

/* ---- bodies ---- */

void nb_pair_body_move(nb_quat start, double h, const double *u, nb_pair_body *body) {
    body->h = h;
    body->v = nb_vec3_of(u[0], u[1], u[2]);
    body->w = nb_vec3_of(u[3], u[4], u[5]);
    body->way = nb_scale(h, body->v);
    body->frame = nb_quat_matrix(nb_quat_advance(start, h, body->w));
    /* the rotation of the unit quaternion along (1, t), t = h w/2: it turns by 2 (dt + t x dt)/(1 + |t|^2) */
    nb_vec3 t = nb_scale(0.5 * h, body->w);
    double s = h / (1 + nb_dot(t, t));
    body->by_spin = (nb_mat3){{{s, -s * t.z, s * t.y}, {s * t.z, s, -s * t.x}, {-s * t.y, s * t.x, s}}};
}

/* ---- pairs ---- */

void nb_contact_pair_lay_out(nb_contact_pair *pair) {
    pair->rows = pair->set[0]->rows + pair->set[1]->rows;
    pair->unknowns = pair->set[0]->unknowns + pair->set[1]->unknowns;
    pair->lambda = 4 + pair->unknowns;
    pair->s = pair->lambda + pair->rows;
    pair->gamma = pair->s + pair->rows;
    pair->psi = pair->gamma + 2;
    pair->size = pair->psi + (pair->mu > 0 ? 7 : 0);
    pair->kernels = nb_contact_pair_kernels_get();
}

/* the most unknowns that are left to the dense matrix, and its side */
static int64_t most_order(const nb_contact_pair *pair) {
    return 4 + pair->unknowns + pair->rows + 5;
}

/* up to whole lines of the cache */
static int64_t round_up(int64_t numbers) {
    const int64_t line = 8;
    return (numbers + line - 1) / line * line;
}

int64_t nb_contact_pair_numbers(const nb_contact_pair *pair) {
    const int64_t order = most_order(pair);
    return round_up(4 * (int64_t)pair->size + order * order);
}

int64_t nb_contact_pair_indices(const nb_contact_pair *pair) {
    return pair->rows + most_order(pair);
}

/* the matrix, and rows like its own, of whole registers; what is left, and solutions; factors; sums over half-lines; up
 * to a line's beginning */
int64_t nb_contact_pair_scratch(const nb_contact_pair *pair) {
    const int64_t line = 8, motion = NB_PAIR_MOTION + line, order = most_order(pair), parts = 5 + pair->unknowns;
    return (13 + order) * (round_up(order) + motion) + (NB_PAIR_MOTION + order) * motion + (3 + order) * order +
           parts * parts + line;
}

void nb_contact_pair_set_arrays(nb_contact_pair *pair, double *numbers, int32_t *indices) {
    pair->x = numbers;
    pair->r = pair->x + pair->size;
    pair->dx = pair->r + pair->size;
    pair->kept = pair->dx + pair->size;
    pair->factors = pair->kept + pair->size;
    pair->place = indices;
    pair->pivot = indices + pair->rows;
}

static void fetch(const void *from, int64_t bytes) {
    const int64_t line = 64;
    for (int64_t k = 0; k < bytes; k += line) __builtin_prefetch((const char *)from + k);
}

void nb_contact_pair_fetch(const nb_contact_pair *pair, int arrays, int factors) {
    const int64_t order = pair->order, part = (int64_t)sizeof *pair->x;
    fetch(pair, sizeof *pair);
    fetch(pair->x, arrays * (int64_t)pair->size * part);
    fetch(pair->place, (pair->rows + order) * (int64_t)sizeof *pair->place);
    if (factors) fetch(pair->factors, order * order * part);
}

static nb_vec3 read3(const double *x) {
    return nb_vec3_of(x[0], x[1], x[2]);
}

static void write3(nb_vec3 v, double *x) {
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

static nb_vec3 turned_back(const nb_mat3 *frame, nb_vec3 v) {
    const double(*m)[3] = frame->m;
    return nb_vec3_of(m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z, m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
                      m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z);
}

/* of body i's centre of mass, and of its set */
static nb_vec3 position_of(const nb_contact_pair *pair, int i, const nb_pair_body *body) {
    return nb_add(pair->start[i], body->way);
}

/* where a cone of the pair's rows has how many; half-lines have one */
typedef struct walk {
    const nb_pair_set *set;
    int32_t row, count, cone;
} walk;

static int next_block(walk *w) {
    w->row += w->count;
    if (w->row >= w->set->rows) return 0;
    w->count = w->row < w->set->linear ? 1 : w->set->cone_rows[w->cone++];
    return 1;
}

void nb_contact_pair_start_collision(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b) {
    nb_vec3 centre[2];
    const nb_pair_body *body[2] = {a, b};
    double *x = pair->x;
    memset(x, 0, (size_t)pair->gamma * sizeof *x);
    for (int i = 0, first = 0; i < 2; first += pair->set[i++]->rows) {
        walk w = {.set = pair->set[i]};
        centre[i] = nb_add(position_of(pair, i, body[i]), nb_mat3_apply(&body[i]->frame, pair->set[i]->centre));
        while (next_block(&w)) x[pair->lambda + first + w.row] = x[pair->s + first + w.row] = 1;
    }
    /* a set that is not bounded has its centre anywhere */
    nb_vec3 middle = nb_scale(0.5, nb_add(centre[0], centre[1]));
    for (int i = 0; i < 2; i++) {
        const nb_pair_set *set = pair->set[i];
        if (set->rows == 1 && set->b[0] == 0) middle = centre[1 - i];
    }
    write3(middle, x);
    x[3] = 1;
}

void nb_contact_pair_start_impulse(nb_contact_pair *pair, double target, double least) {
    double *x = pair->x;
    memset(x + pair->gamma, 0, (size_t)(pair->size - pair->gamma) * sizeof *x);
    x[pair->gamma + 1] = fmax(x[3] - 1, least);
    x[pair->gamma] = pair->part[0] * target / x[pair->gamma + 1];
    if (pair->mu > 0) x[pair->psi] = pair->part[1] * target / (pair->mu * x[pair->gamma]);
}

void nb_contact_pair_widen(nb_contact_pair *pair, double more) {
    double *x = pair->x;
    for (int i = 0, first = 0; !pair->apart && i < 2; first += pair->set[i++]->rows) {
        walk w = {.set = pair->set[i]};
        while (next_block(&w)) {
            x[pair->lambda + first + w.row] += more;
            x[pair->s + first + w.row] += more;
        }
    }
    x[pair->gamma] += more;
    x[pair->gamma + 1] += more;
    if (pair->mu > 0) x[pair->psi] += more;
}

/* r of a product u o v of `count` numbers: of a cone, or of a half-line */
static void product(int32_t count, const double *u, const double *v, double *out) {
    double sum = 0;
    for (int32_t k = 0; k < count; k++) sum += u[k] * v[k];
    for (int32_t k = 1; k < count; k++) out[k] = u[0] * v[k] + v[0] * u[k];
    out[0] = sum;
}

void nb_contact_pair_friction(const nb_contact_pair *pair, const double *x, double u[4], double v[4]) {
    u[0] = pair->mu * x[pair->gamma];
    v[0] = x[pair->psi];
    for (int k = 0; k < 3; k++) {
        u[1 + k] = x[pair->psi + 1 + k];
        v[1 + k] = x[pair->psi + 4 + k];
    }
}

/* whether products of collision are the size of the others */
static int are_alike(const nb_contact_pair *pair) {
    return !pair->apart && !(pair->bound > 0);
}

/* what products of collision aim at */
static double of_collision(const nb_contact_pair *pair, double target) {
    return pair->bound > 0 ? target / (1 + target / pair->bound) : target;
}

/* residuals of all products */
static void write_products(nb_contact_pair *pair, double target) {
    const double *x = pair->x, collision = of_collision(pair, target);
    double *r = pair->r;
    pair->target = target;
    pair->weight = 0;
    for (int i = 0, first = 0; i < 2; first += pair->set[i++]->rows) {
        const nb_pair_set *set = pair->set[i];
        const int32_t l = pair->lambda + first, s = pair->s + first;
        for (int32_t k = 0; k < set->linear; k++) r[l + k] = x[l + k] * x[s + k] - collision;
        for (int32_t c = 0, k = set->linear; c < set->cone_count; k += set->cone_rows[c++]) {
            product(set->cone_rows[c], x + l + k, x + s + k, r + l + k);
            r[l + k] -= collision;
        }
    }
    int32_t g = pair->gamma;
    r[g] = x[g] * x[g + 1] - pair->part[0] * target;
    if (!(pair->mu > 0)) return;
    double u[4], v[4];
    nb_contact_pair_friction(pair, x, u, v);
    product(4, u, v, r + pair->psi);
    r[pair->psi] -= pair->part[1] * target;
}

void nb_contact_pair_aim(nb_contact_pair *pair, double target) {
    const double less = target - pair->target,
                 collision = of_collision(pair, target) - of_collision(pair, pair->target);
    double *r = pair->r;
    if (pair->weight != 0) {
        write_products(pair, target);
        return;
    }
    pair->target = target;
    for (int i = 0, first = 0; i < 2; first += pair->set[i++]->rows) {
        const nb_pair_set *set = pair->set[i];
        const int32_t l = pair->lambda + first;
        for (int32_t k = 0; k < set->linear; k++) r[l + k] -= collision;
        for (int32_t c = 0, k = set->linear; c < set->cone_count; k += set->cone_rows[c++]) r[l + k] -= collision;
    }
    r[pair->gamma] -= pair->part[0] * less;
    if (pair->mu > 0) r[pair->psi] -= pair->part[1] * less;
}

void nb_contact_pair_correct(nb_contact_pair *pair, double weight) {
    const double *dx = pair->dx;
    double *r = pair->r, second[NB_CONVEX_CONE_ROWS], u[4], v[4];
    pair->weight = weight;
    for (int i = 0, first = 0; i < 2; first += pair->set[i++]->rows) {
        const nb_pair_set *set = pair->set[i];
        const int32_t l = pair->lambda + first, s = pair->s + first;
        for (int32_t k = 0; k < set->linear; k++) r[l + k] += weight * dx[l + k] * dx[s + k];
        for (int32_t c = 0, k = set->linear; c < set->cone_count; k += set->cone_rows[c++]) {
            product(set->cone_rows[c], dx + l + k, dx + s + k, second);
            for (int32_t j = 0; j < set->cone_rows[c]; j++) r[l + k + j] += weight * second[j];
        }
    }
    int32_t g = pair->gamma;
    r[g] += weight * dx[g] * dx[g + 1];
    if (!(pair->mu > 0)) return;
    nb_contact_pair_friction(pair, dx, u, v);
    product(4, u, v, second);
    for (int k = 0; k < 4; k++) r[pair->psi + k] += weight * second[k];
}

double nb_contact_pair_parting(const nb_contact_pair *pair, double h) {
    return pair->relaxed * h * pair->mu;
}

/* arms, g_i and V_i at x */
static void move_gradients(nb_contact_pair *pair, const nb_pair_body *const body[2]) {
    const double *lambda = pair->x + pair->lambda;
    for (int i = 0; i < 2; i++) {
        const nb_pair_set *set = pair->set[i];
        nb_vec3 sum = {0};
        for (int32_t k = 0; k < set->rows; k++, lambda++) sum = nb_add_scaled(sum, *lambda, set->a[k]);
        pair->g[i] = nb_mat3_apply(&body[i]->frame, sum);
        pair->arm[i] = nb_sub(read3(pair->x), position_of(pair, i, body[i]));
        pair->velocity[i] = nb_add(body[i]->v, nb_cross(body[i]->w, pair->arm[i]));
    }
    pair->velocity[1] = nb_add(pair->velocity[1], pair->carried);
}

/* the equations of b.lambda, E^T lambda and s */
static void evaluate_set(const nb_contact_pair *pair, int i, const nb_pair_body *body, int32_t first, int32_t unknown) {
    const nb_pair_set *set = pair->set[i];
    const double *x = pair->x, *epsilon = x + 4 + unknown;
    double *r = pair->r, *of_epsilon = r + 4 + unknown;
    nb_vec3 at = nb_sub(turned_back(&body->frame, pair->arm[i]), set->centre);
    for (int32_t j = 0; j < set->unknowns; j++) of_epsilon[j] = 0;
    for (int32_t k = 0; k < set->rows; k++) {
        const double *e = set->e + (int64_t)k * set->unknowns;
        double lambda = x[pair->lambda + first + k], s = x[3] * set->b[k] - nb_dot(set->a[k], at);
        for (int32_t j = 0; j < set->unknowns; j++) {
            s -= e[j] * epsilon[j];
            of_epsilon[j] += e[j] * lambda;
        }
        r[pair->s + first + k] = x[pair->s + first + k] - s;
        r[3] -= set->b[k] * lambda;
    }
}

void nb_contact_pair_evaluate(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double target) {
    const nb_pair_body *body[2] = {a, b};
    const double *x = pair->x;
    double *r = pair->r;
    move_gradients(pair, body);
    write3(nb_add(pair->g[0], pair->g[1]), r);
    r[3] = 1;
    evaluate_set(pair, 0, a, 0, 0);
    evaluate_set(pair, 1, b, pair->set[0]->rows, pair->set[0]->unknowns);
    r[pair->gamma + 1] = x[pair->gamma + 1] - (x[3] - 1);
    if (pair->relaxed > 0 && pair->mu > 0) r[pair->gamma + 1] += nb_contact_pair_parting(pair, a->h) * x[pair->psi];
    write_products(pair, target);
    nb_vec3 beta = pair->mu > 0 ? read3(x + pair->psi + 1) : nb_vec3_of(0, 0, 0), w = {0};
    for (int i = 0; i < 2; i++) {
        nb_vec3 g = pair->g[i];
        pair->force[i] = nb_sub(nb_scale(-x[pair->gamma], g), nb_cross(g, beta));
        pair->torque[i] = nb_cross(pair->arm[i], pair->force[i]);
        w = nb_add(w, nb_cross(g, pair->velocity[i]));
    }
    if (pair->mu > 0) write3(nb_sub(read3(x + pair->psi + 4), w), r + pair->psi + 4);
}

static void raise_all(double *largest, double factor, const double *r, int32_t from, int32_t to) {
    for (int32_t k = from; k < to; k++) nb_raise(largest, factor * fabs(r[k]));
}

void nb_contact_pair_violation(const nb_contact_pair *pair, double *equality, double *cone) {
    const double *r = pair->r;
    const int32_t gamma = pair->gamma, psi = pair->psi, size = pair->size;
    if (!pair->apart) raise_all(cone, 1, r, pair->lambda, pair->s);
    raise_all(cone, 1 / pair->part[0], r, gamma, gamma + 1);
    raise_all(cone, 1 / pair->part[1], r, psi, size < psi + 4 ? size : psi + 4);
    if (!equality) return;
    if (!pair->apart) {
        raise_all(equality, 1, r, 0, pair->lambda);
        raise_all(equality, 1, r, pair->s, gamma);
    }
    raise_all(equality, 1, r, gamma + 1, psi);
    raise_all(equality, 1, r, psi + 4, size);
}

int32_t nb_contact_pair_degree(const nb_contact_pair *pair) {
    int32_t count = 1 + (pair->mu > 0);
    for (int i = 0; are_alike(pair) && i < 2; i++) count += pair->set[i]->linear + pair->set[i]->cone_count;
    return count;
}

/* the sum of products of what is in cones in two vectors of unknowns */
static double inner(const nb_contact_pair *pair, const double *x, const double *y) {
    double sum = 0;
    for (int32_t k = 0; are_alike(pair) && k < pair->rows; k++) sum += x[pair->lambda + k] * y[pair->s + k];
    const int32_t g = pair->gamma, f = pair->psi;
    sum += x[g] * y[g + 1] / pair->part[0];
    if (!(pair->mu > 0)) return sum;
    double friction = pair->mu * x[g] * y[f];
    for (int k = 1; k < 4; k++) friction += x[f + k] * y[f + 3 + k];
    return sum + friction / pair->part[1];
}

double nb_contact_pair_product(const nb_contact_pair *pair) {
    return inner(pair, pair->x, pair->x);
}

void nb_contact_pair_product_by_step(const nb_contact_pair *pair, double by[2]) {
    by[0] = inner(pair, pair->x, pair->dx) + inner(pair, pair->dx, pair->x);
    by[1] = inner(pair, pair->dx, pair->dx);
}

/* the largest t <= most for which u + t d, with u inside, is in the cone of `count` numbers */
static double reach(int32_t count, const double *u, const double *d, double most) {
    if (count == 1) return d[0] < 0 ? fmin(most, -u[0] / d[0]) : most;
    double a = d[0] * d[0], b = u[0] * d[0], c = 0, length = 0;
    for (int32_t k = 1; k < count; k++) {
        a -= d[k] * d[k];
        b -= u[k] * d[k];
        length += u[k] * u[k];
    }
    c = (u[0] - sqrt(length)) * (u[0] + sqrt(length));
    /* a t^2 + 2 b t + c = 0, its least positive root, without differences of what is nearly the same */
    double root = b * b - a * c;
    if (d[0] < 0) most = fmin(most, -u[0] / d[0]);
    if (a >= 0 && (b >= 0 || root < 0)) return most;
    if (root < 0) return most;
    root = sqrt(root);
    double t = b < 0 ? c / (-b + root) : -(b + root) / a;
    return t > 0 ? fmin(most, t) : most;
}

/* the largest -d/u of half-lines: one over the longest step; 0 where none comes nearer to its end */
static double steepest(int32_t count, const double *u, const double *d) {
    enum {
        PARTS = 4 /* side by side */
    };
    double largest[PARTS] = {0}, most = 0;
    int32_t k = 0;
    for (; k + PARTS <= count; k += PARTS)
        for (int i = 0; i < PARTS; i++) {
            const double slope = -d[k + i] / u[k + i];
            largest[i] = slope > largest[i] ? slope : largest[i];
        }
    for (int i = 0; k < count; k++, i++) {
        const double slope = -d[k] / u[k];
        largest[i] = slope > largest[i] ? slope : largest[i];
    }
    for (int i = 0; i < PARTS; i++) most = largest[i] > most ? largest[i] : most;
    return most;
}

static double reach_of_half_lines(int32_t count, const double *u, const double *d, double most) {
    const double slope = steepest(count, u, d);
    return slope * most > 1 ? 1 / slope : most;
}

double nb_contact_pair_reach(const nb_contact_pair *pair, double most) {
    const double *x = pair->x, *dx = pair->dx;
    for (int i = 0, first = 0; !pair->apart && i < 2; first += pair->set[i++]->rows) {
        const nb_pair_set *set = pair->set[i];
        const int32_t l = pair->lambda + first, s = pair->s + first;
        most = reach_of_half_lines(set->linear, x + l, dx + l, most);
        most = reach_of_half_lines(set->linear, x + s, dx + s, most);
        for (int32_t c = 0, k = set->linear; c < set->cone_count; k += set->cone_rows[c++]) {
            most = reach(set->cone_rows[c], x + l + k, dx + l + k, most);
            most = reach(set->cone_rows[c], x + s + k, dx + s + k, most);
        }
    }
    if (pair->alone) return most;
    most = reach(1, x + pair->gamma, dx + pair->gamma, most);
    most = reach(1, x + pair->gamma + 1, dx + pair->gamma + 1, most);
    if (!(pair->mu > 0)) return most;
    double u[4], v[4], du[4], dv[4];
    nb_contact_pair_friction(pair, x, u, v);
    nb_contact_pair_friction(pair, dx, du, dv);
    return reach(4, v, dv, reach(4, u, du, most));
}

void nb_contact_pair_move(nb_contact_pair *pair, double t) {
    if (!pair->moved) memcpy(pair->kept, pair->x, (size_t)pair->size * sizeof *pair->x);
    pair->moved = 1;
    for (int32_t k = pair->apart ? pair->gamma : 0; k < pair->size; k++) pair->x[k] = pair->kept[k] + t * pair->dx[k];
}
