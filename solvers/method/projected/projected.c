#include "projected.h"

#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "blocks.h"
#include "measure/iterate.h"
#include "operator/contact_block.h"
#include "operator/sum.h"

NB_PRECISIONS(f32, f64);

enum {
    ROUND_ITERATIONS = 10, /* of a round, at least */
    FIRST_KEPT = 32,       /* iterations after which impulses are kept, to see how they grow */
    REFRESH = 100          /* iterations */
};

/* a round ends when the residual has fallen to this, of what it began with or of the tolerance */
static const double round_share = 0.1;

/* eta_i lambda_max(N_ii): sweeps are sure to converge below the first; the second where it would not be below */
static const double sure_bound = 2, bounded_step = 1.5;

/* A step of so many sweeps, whatever they come to, is as short as they are: a look takes as long as thousands. Contacts
 * that give way have a solution. */
static int looks_at_growth(const nb_projected *s) {
    if (s->laws.cone->softness) return 0;
    return s->settings->newton_tolerance > 0 || s->settings->relative_tolerance > 0;
}

static const nb_box_law *box_of(const nb_projected *s) {
    return (const nb_box_law *)s->laws.box.law;
}

/* Whether S is 1 and C is 0; matrices are multiplied with both. */
static int is_plain(const nb_projected *s) {
    const nb_cone_law *law = s->laws.cone;
    if (!s->p->exact->type->block || s->ratio != 1 || law->soft != 0 || law->softness || s->boxes > 0) return 0;
    for (int32_t r = 0; r < s->bilaterals; r++)
        if (s->laws.bilateral->compliance[r] != 0) return 0;
    return 1;
}

static void lay_out(nb_arena *a, nb_projected *s, int plain) {
    if (!plain) {
        NB_PLACE(a, s->rows, &s->z);
        NB_PLACE(a, s->rows, &s->s);
        NB_PLACE(a, s->rows, &s->c);
    }
    NB_PLACE(a, s->rows, &s->q);
    NB_PLACE(a, s->rows, &s->v);
    NB_PLACE(a, s->blocks, &s->eta);
    NB_PLACE(a, s->contacts, &s->longest);
    if (s->by_rounds) NB_PLACE(a, s->contacts, &s->shift);
    NB_PLACE(a, looks_at_growth(s) ? s->rows : 0, &s->earlier);
    NB_PLACE(a, s->p->velocities, &s->u_start);
    NB_PLACE(a, s->p->velocities, &s->du);
}

nb_status nb_projected_create(nb_problem *p, const nb_method_settings *settings, const char *who, int32_t every,
                              nb_projected **projected) {
    nb_status status;
    nb_projected *s = NULL;
    *projected = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    NB_TRY(nb_any_friction_rows_of(p, who, &s->laws));
    s->p = p;
    s->settings = settings;
    s->every = every;
    s->omega = 1;
    s->rows = p->rows;
    s->bilaterals = p->bilaterals;
    s->contacts = p->contacts;
    s->contact_end = p->bilaterals + 3 * p->contacts;
    s->boxes = s->laws.box.blocks;
    s->blocks = s->bilaterals + s->contacts + s->boxes;
    if (s->boxes > 0) {
        s->lower = box_of(s)->lower + s->laws.box.first;
        s->upper = box_of(s)->upper + s->laws.box.first;
    }
    s->ratio = s->laws.cone->ratio;
    const nb_law_class *law = s->laws.cone->base.type;
    s->relaxed = law == &nb_relaxed_class || law == &nb_polyhedral_relaxed_class;
    s->by_rounds = !s->relaxed && s->contacts > 0;
    s->facets = law == &nb_polyhedral_class || law == &nb_polyhedral_relaxed_class ? s->laws.cone->facets : 0;
    const int plain = is_plain(s);
    if (plain) s->z = p->z;
    lay_out(&s->arena, s, plain);
    NB_TRY(nb_arena_reserve(&s->arena));
    lay_out(&s->arena, s, plain);
    if (!p->exact->type->block) {
        NB_TRY(p->exact->type->pattern(p->exact, &s->matrix));
        p->exact->type->values(p->exact, s->matrix);
    }
    *projected = s;
    return NB_OK;
out:
    nb_projected_destroy(s);
    return status;
}

nb_status nb_projected_eliminate_joints(nb_projected *s) {
    if (s->bilaterals == 0) return nb_fail(NB_ERROR_USAGE, "--joints direct has no effect without joints");
    return nb_joint_elimination_create(s->p->exact, s->bilaterals, &s->eliminated);
}

const char *const nb_projected_couplings[] = {[NB_COUPLING_DESAXCE] = "desaxce",
                                              [NB_COUPLING_FOLLOWED] = "followed",
                                              [NB_COUPLING_TRESCA] = "tresca",
                                              [NB_COUPLING_PANAGIOTOPOULOS] = "panagiotopoulos",
                                              NULL};

static nb_status check_coupling(int coupling, int relaxed, int faceted) {
    const char *name = nb_projected_couplings[coupling];
    if (coupling == NB_COUPLING_DESAXCE) return NB_OK;
    if (relaxed) return nb_fail(NB_ERROR_USAGE, "--coupling %s has no effect with relaxed friction", name);
    if (coupling != NB_COUPLING_FOLLOWED && faceted)
        return nb_fail(NB_ERROR_USAGE, "--coupling %s does not support polyhedral friction; use coulomb", name);
    return NB_OK;
}

nb_status nb_projected_check_coupling(const nb_method_settings *settings, const nb_method_scene *scene, int option) {
    const nb_friction_law law = scene->settings.friction_law;
    const int coupling = settings->values ? (int)settings->values[option] : NB_COUPLING_DESAXCE;
    return scene->file ? NB_OK : check_coupling(coupling, nb_friction_is_relaxed(law), nb_friction_has_facets(law));
}

nb_status nb_projected_couple(nb_projected *s, nb_projected_coupling coupling) {
    nb_status status;
    if (s->contacts == 0) return NB_OK;
    NB_TRY(check_coupling((int)coupling, s->relaxed, s->facets > 0));
    s->coupling = coupling;
    if (coupling == NB_COUPLING_TRESCA || coupling == NB_COUPLING_PANAGIOTOPOULOS)
        NB_TRY(NB_ALLOCATE(s->contacts, &s->radius));
    if (coupling == NB_COUPLING_PANAGIOTOPOULOS) NB_TRY(NB_ALLOCATE(s->rows, &s->held));
out:
    return status;
}

void nb_projected_destroy(nb_projected *s) {
    if (!s) return;
    nb_joint_elimination_destroy(s->eliminated);
    nb_free(s->radius);
    nb_free(s->held);
    nb_csr_destroy(s->matrix);
    nb_arena_clear(&s->arena);
    nb_free(s);
}

/* ---- the linearisation ---- */

/* the largest eigenvalue of a symmetric 3 x 3 matrix, by its characteristic polynomial's angle */
static double largest_eigenvalue(const double g[9]) {
    double mean = (g[0] + g[4] + g[8]) / 3, a = g[0] - mean, b = g[4] - mean, c = g[8] - mean;
    double off = g[1] * g[1] + g[2] * g[2] + g[5] * g[5], size = sqrt((a * a + b * b + c * c + 2 * off) / 6);
    if (!(size > 0)) return mean;
    double det = a * (b * c - g[5] * g[5]) - g[1] * (g[1] * c - g[5] * g[2]) + g[2] * (g[1] * g[5] - b * g[2]);
    double ratio = fmin(fmax(det / (2 * size * size * size), -1), 1);
    return mean + 2 * size * cos(acos(ratio) / 3);
}

void nb_projected_block(const nb_projected *s, const nb_rigid_rows *rigid, int32_t i, real own[9]) {
    const nb_delassus *d = s->p->exact;
    const int32_t r = s->bilaterals + 3 * i;
    memset(own, 0, 9 * sizeof *own);
    if (rigid) {
        nb_contact_own_block(&rigid->contacts[i], rigid->inverse, own);
    } else if (s->eliminated || s->matrix) {
        nb_block_copy(s->eliminated ? s->eliminated->reduced : s->matrix, r, 3, own);
    } else {
        d->type->block(d, s->bilaterals + i, s->bilaterals + i, own);
    }
    for (int j = 0; j < 9; j++) own[j] *= nb_projected_s(s, r + j / 3) * nb_projected_s(s, r + j % 3);
    for (int j = 0; j < 3; j++) own[4 * j] += nb_projected_c(s, r + j);
}

/* lambda_max of N_ii */
static double largest_of_contact(const nb_projected *s, const nb_rigid_rows *rigid, int32_t i) {
    real own[9];
    double g[9];
    nb_projected_block(s, rigid, i, own);
    for (int j = 0; j < 9; j++) g[j] = (double)own[j];
    return largest_eigenvalue(g);
}

/* of N_ii where joint rows are eliminated, but no less than round-off of what it was */
static real trace_of(const nb_projected *s, int32_t i) {
    const int32_t r = s->bilaterals + 3 * i;
    real own[9];
    nb_projected_block(s, NULL, i, own);
    return fmax(own[0] + own[4] + own[8], 1000 * NB_REAL_EPSILON * (s->p->w[r] + 2 * s->p->w[r + 1]));
}

/* the same of the row of a joint coordinate */
static real size_of(const nb_projected *s, int32_t r) {
    real size = s->p->w[r];
    if (s->eliminated) nb_block_copy(s->eliminated->reduced, r, 1, &size);
    return fmax(size, 1000 * NB_REAL_EPSILON * s->p->w[r]) + s->c[r];
}

static void set_steps(nb_projected *s) {
    const real *w = s->p->w, ratio = s->ratio;
    for (int32_t r = 0; s->s && r < s->bilaterals; r++) {
        s->s[r] = 1;
        s->c[r] = s->laws.bilateral->compliance[r];
    }
    for (int32_t r = 0; r < s->bilaterals; r++) s->eta[r] = 1 / (w[r] + s->laws.bilateral->compliance[r]);
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t r = s->bilaterals + 3 * i;
        const nb_softness soft = nb_softness_of(s->laws.cone, i);
        for (int k = 0; s->s && k < 3; k++) {
            s->s[r + k] = k == 2 ? ratio : 1;
            s->c[r + k] = (k ? soft.tangent : soft.normal) * s->s[r + k] * s->s[r + k];
        }
        const real mean =
            3 / (s->eliminated ? trace_of(s, i) : w[r] + soft.normal + (1 + ratio * ratio) * (w[r + 1] + soft.tangent));
        s->eta[s->bilaterals + i] = mean < s->longest[i] ? mean : s->longest[i];
    }
    for (int32_t i = 0; s->s && i < s->boxes; i++) { /* matrices have none */
        const int32_t r = s->contact_end + i;
        s->s[r] = 1;
        s->c[r] = box_of(s)->compliance[s->laws.box.first + i];
        s->eta[s->bilaterals + s->contacts + i] = 1 / size_of(s, r);
    }
}

/* The bound, and steps within it: where a contact moves much more easily in one direction than in the others, as on a
 * sheet whose springs are condensed, 3/trace comes close to 3/lambda_max, and sweeps go round in circles. */
static void bound_steps(nb_projected *s) {
    nb_rigid_rows rows;
    const nb_rigid_rows *rigid = !s->eliminated && nb_rigid_rows_of(s->p->exact, &rows) ? &rows : NULL;
    s->bound = s->bilaterals + s->boxes > 0 ? 1 : 0;
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t b = s->bilaterals + i;
        const double largest = largest_of_contact(s, rigid, i);
        if ((double)s->eta[b] * largest >= sure_bound) s->eta[b] = s->longest[i] = (real)(bounded_step / largest);
        nb_raise(&s->bound, (double)s->eta[b] * largest);
    }
    s->bound *= s->omega;
}

/* S, C and q at the problem's present velocities; the problem is evaluated there, without impulses */
static nb_status linearise(nb_projected *s) {
    nb_status status = NB_OK;
    nb_problem *p = s->p;
    memset(s->q, 0, (size_t)s->rows * sizeof *s->q);
    p->type->evaluate(p, s->q);
    if (s->matrix && p->whole) p->exact->type->values(p->exact, s->matrix); /* it is no file's, which stays */
    memcpy(s->u_start, p->u, (size_t)p->velocities * sizeof *p->u);
    p->type->momentum_rows(p, s->q);
    if (s->eliminated) NB_TRY(nb_joint_elimination_set(s->eliminated, s->laws.bilateral->compliance));
    set_steps(s);
    for (int32_t r = 0; r < s->rows; r++) s->q[r] = nb_projected_s(s, r) * (p->value[r] - s->q[r]);
    for (int32_t r = s->bilaterals; s->laws.cone->softness && r < s->contact_end; r++)
        s->q[r] += s->s[r] * s->laws.cone->softness[(r - s->bilaterals) / 3].shift[(r - s->bilaterals) % 3];
    for (int32_t i = 0; s->by_rounds && i < s->contacts; i++) s->q[s->bilaterals + 3 * i] += s->shift[i];
    if (!s->eliminated) return NB_OK;
    NB_TRY(nb_joint_elimination_set_free(s->eliminated, s->q));
out:
    return status;
}

/* z of joint rows where they are eliminated */
static nb_status complete(nb_projected *s) {
    nb_status status;
    if (!s->eliminated) return NB_OK;
    for (int32_t r = s->bilaterals; r < s->rows; r++) s->v[r] = nb_projected_s(s, r) * s->z[r];
    NB_TRY(nb_joint_elimination_solve(s->eliminated, s->q, s->v));
    memcpy(s->z, s->v, (size_t)s->bilaterals * sizeof *s->z);
out:
    return status;
}

void nb_projected_apply(const nb_projected *s, const real *z, real *out) {
    const nb_delassus *d = s->p->exact;
    if (!s->eliminated) {
        d->type->apply(d, s->s, s->c, z, out);
        return;
    }
    const nb_csr *a = s->eliminated->reduced;
    for (int32_t r = 0; r < s->rows; r++) {
        double sum = 0;
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++)
            sum += (double)a->value[k] * (double)(nb_projected_s(s, a->column[k]) * z[a->column[k]]);
        out[r] = r < s->bilaterals ? 0 : nb_projected_s(s, r) * (real)sum + nb_projected_c(s, r) * z[r];
    }
}

real nb_projected_q(const nb_projected *s, int32_t r) {
    if (!s->eliminated) return s->q[r];
    return r < s->bilaterals ? 0 : s->q[r] + nb_projected_s(s, r) * s->eliminated->offset[r];
}

double nb_projected_scales(const nb_projected *s, int by_blocks, real *scale) {
    double sum = 0;
    for (int32_t i = s->bilaterals; i < s->bilaterals + s->contacts; i++) sum += (double)s->eta[i];
    const double mean = s->contacts > 0 ? sum / s->contacts : 1;
    for (int32_t i = 0; i < s->blocks; i++) {
        const int32_t r = nb_projected_row(s, i);
        const int contact = r >= s->bilaterals && r < s->contact_end;
        for (int k = 0; k < (contact ? 3 : 1); k++)
            scale[r + k] = contact && !by_blocks ? 1 : (real)sqrt((double)s->eta[i] / (by_blocks ? 1 : mean));
    }
    return mean;
}

double nb_projected_spectrum(const nb_projected *s, const real *scale, real *x, real *y) {
    const nb_delassus *d = s->p->exact;
    double largest = 0;
    for (int32_t r = 0; r < s->rows; r++) x[r] = (real)(1 + 0.5 * sin(r)); /* any vector that is no eigenvector */
    for (int k = 0; k < NB_PROJECTED_POWER_STEPS; k++) {
        double square = 0, before = 0;
        for (int32_t r = 0; r < s->rows; r++) {
            before += (double)x[r] * (double)x[r];
            x[r] *= scale[r];
        }
        d->type->apply(d, s->s, s->c, x, y);
        for (int32_t r = 0; r < s->rows; r++) {
            x[r] = scale[r] * y[r];
            square += (double)x[r] * (double)x[r];
        }
        if (!(square > 0)) return largest;
        largest = sqrt(square / before);
        for (int32_t r = 0; r < s->rows; r++) x[r] *= (real)(1 / sqrt(square));
    }
    return largest;
}

void nb_projected_velocity(const nb_projected *s, const real *z, real *v) {
    const nb_delassus *d = s->p->exact;
    d->type->apply(d, s->s, s->c, z, v);
    for (int32_t r = 0; r < s->rows; r++) v[r] += s->q[r];
}

/* the problem's iterate from z: velocities follow by the linearisation */
static void write(nb_projected *s) {
    nb_problem *p = s->p;
    for (int32_t r = 0; r < s->rows; r++) p->z[r] = nb_projected_s(s, r) * s->z[r];
    p->type->velocity_step(p, p->z, s->du);
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] = s->u_start[i] + s->du[i];
}

/* Coulomb's shift of contact i at the velocities v */
static real shift_of(const nb_projected *s, int32_t i) {
    return s->laws.cone->mu[i] * nb_projected_slip(s, s->v + s->bilaterals + 3 * (ptrdiff_t)i + 1);
}

/* Begins a round of held friction: by impulses as they are. The largest change of a radius, as a velocity. */
static double hold(nb_projected *s) {
    double moved = 0;
    for (int32_t i = 0; i < s->contacts; i++) {
        const real now = s->laws.cone->mu[i] * fmax(s->z[s->bilaterals + 3 * (ptrdiff_t)i], (real)0);
        nb_raise(&moved, (double)(fabs(now - s->radius[i]) / s->eta[s->bilaterals + i]));
        s->radius[i] = now;
    }
    if (!s->held) return moved;
    for (int32_t r = s->bilaterals; r < s->contact_end; r++)
        nb_raise(&moved, (double)(fabs(s->z[r] - s->held[r]) / s->eta[s->bilaterals + (r - s->bilaterals) / 3]));
    const double before = s->half_moved;
    memcpy(s->held, s->z, (size_t)s->rows * sizeof *s->z);
    s->holds = s->holds == 1 ? 2 : 1;
    s->half_moved = moved;
    return fmax(moved, before); /* of both halves */
}

nb_status nb_projected_begin(nb_projected *s, nb_measure *measure, const nb_observer *observer,
                             nb_step_outcome *outcome) {
    nb_problem *p = s->p;
    s->measure = measure;
    s->observer = observer;
    s->outcome = outcome;
    s->round = s->began = 0;
    s->contraction = s->moved = (double)NAN;
    s->start_scale = s->least_error = s->half_moved = INFINITY;
    s->gains = 0;
    s->next_look = FIRST_KEPT;
    s->kept = 0;
    if (s->by_rounds) memset(s->shift, 0, (size_t)s->contacts * sizeof *s->shift);
    for (int32_t i = 0; i < s->contacts; i++) s->longest[i] = INFINITY;
    const nb_status status = linearise(s);
    if (status != NB_OK) return status;
    for (int32_t r = 0; r < s->rows; r++) s->z[r] = p->z[r] / nb_projected_s(s, r);
    bound_steps(s);
    if (s->radius) hold(s);
    if (!s->by_rounds || s->radius) return NB_OK;
    nb_projected_velocity(s, s->z, s->v); /* a warm start's slip, or that without impulses */
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t r = s->bilaterals + 3 * i;
        int loaded = s->z[r] > 0;
        s->shift[i] = loaded ? shift_of(s, i) : 0;
        s->q[r] += s->shift[i];
    }
    return NB_OK;
}

/* ---- rounds ---- */

/* whether the residual is round-off of what makes it up */
static int is_round_off(const nb_projected *s, double residual) {
    double size = 0;
    for (int32_t i = 0; i < s->blocks; i++) {
        const int32_t r = nb_projected_row(s, i);
        nb_raise(&size, (double)fabs(s->z[r] / s->eta[i]));
        nb_raise(&size, (double)fabs(s->q[r]));
    }
    return residual <= 2 * (double)NB_REAL_EPSILON * size;
}

/* whether what rounds hold of Coulomb's law has moved by round-off, in the last of them */
static int is_shift_settled(const nb_projected *s) {
    return !s->by_rounds || s->coupling == NB_COUPLING_FOLLOWED || is_round_off(s, s->moved);
}

/* Whether a round, of which k is no first iteration, had nothing left to do, and was not the first two. A linearisation
 * solves with the mass that elements are folded into, and rounds accordingly. */
static int began_at_round_off(const nb_projected *s, int32_t k) {
    return s->round > 1 && k > s->began && is_round_off(s, 1e-3 * s->residual_before);
}

int nb_projected_is_due(nb_projected *s, int32_t k, double residual) {
    const double asked = s->settings->newton_tolerance;
    if (k == s->began + 1) s->residual_before = residual;
    if ((!s->by_rounds || s->coupling == NB_COUPLING_FOLLOWED) && s->p->frozen) return 0;
    if (is_round_off(s, residual))
        return !is_shift_settled(s) || (!s->p->frozen && (s->gains || !began_at_round_off(s, k)));
    if (k - s->began < ROUND_ITERATIONS && !(residual <= round_share * asked)) return 0;
    return residual <= round_share * fmax(s->residual_before, asked);
}

/* the shift at the velocities v of the linearisation; how it moves */
static void update_shift(nb_projected *s) {
    double moved = s->radius ? hold(s) : 0;
    if (!s->radius) nb_projected_velocity(s, s->z, s->v);
    for (int32_t i = 0; !s->radius && i < s->contacts; i++) {
        const int32_t r = s->bilaterals + 3 * i;
        real now = shift_of(s, i);
        nb_raise(&moved, (double)fabs(now - s->shift[i]));
        s->q[r] += now - s->shift[i];
        s->shift[i] = now;
    }
    s->contraction = s->moved > 0 ? moved / s->moved : (double)NAN;
    s->moved = moved;
}

nb_status nb_projected_linearise(nb_projected *s, int32_t k) {
    nb_status status;
    NB_TRY(complete(s));
    if (s->by_rounds) update_shift(s);
    if (!s->p->frozen) {
        write(s);
        NB_TRY(linearise(s));
    }
    s->round++;
    s->gains = 0;
    s->began = k;
out:
    return status;
}

/* ---- what is told ---- */

static double objective(const nb_projected *s) {
    double sum = 0;
    nb_projected_velocity(s, s->z, s->v);
    for (int32_t r = 0; r < s->rows; r++) sum += (double)s->z[r] * ((double)s->v[r] + (double)s->q[r]) / 2;
    return sum;
}

/* Impulses so large that velocities are lost in their rounding: a map that is small then says nothing. */
static int is_beyond_use(const nb_projected *s) {
    const double eps = (double)NB_REAL_EPSILON;
    double force = 0, free = 0;
    for (int32_t i = 0; i < s->blocks; i++) {
        const int32_t r = nb_projected_row(s, i);
        nb_raise(&force, (double)fabs(s->z[r] / s->eta[i]));
        nb_raise(&free, (double)fabs(s->q[r]));
    }
    return free > 0 && eps * force > (NB_REAL_BITS == 64 ? 1e-6 : 1e-2) * free;
}

/* how the impulses have grown since the look before, when k was half of what it is, or in the last iteration, less */
static nb_status check_growth(nb_projected *s, int32_t k, const real *now) {
    int found;
    const int lost = s->outcome->reason == NB_REASON_DIVERGED;
    const int last = lost || (s->kept && k >= s->settings->newton_iterations);
    if ((k < s->next_look && !last) || !looks_at_growth(s)) return NB_OK;
    if (lost && !s->kept) memset(s->earlier, 0, (size_t)s->rows * sizeof *now); /* all of it has grown */
    if (s->kept || lost) {
        nb_status status = nb_projected_certify(s, s->earlier, now, k, &found);
        if (status != NB_OK) return status;
        if (found) s->outcome->reason = NB_REASON_INFEASIBLE;
    }
    s->kept = 1;
    memcpy(s->earlier, now, (size_t)s->rows * sizeof *now);
    s->next_look = 2 * k;
    return NB_OK;
}

/* Whether the last round made of the error less than half of the least so far: what is not linear in impulses, such as
 * elements, is left. */
static int gains_by_rounds(nb_projected *s, double error) {
    s->gains = !s->p->frozen && error < 0.5 * s->least_error;
    if (s->gains) s->least_error = error;
    return s->gains;
}

nb_status nb_projected_check(nb_projected *s, int32_t k, double residual, const real *now) {
    nb_step_outcome *outcome = s->outcome;
    double *of = s->report.values;
    const nb_status done = complete(s);
    if (done != NB_OK) return done;
    const int beyond = is_beyond_use(s);
    write(s);
    nb_measure_iterate(s->measure, s->p, &outcome->errors);
    nb_measure_report(s->p, &outcome->errors, &s->report);
    if (k == 0) s->start_scale = nb_measure_start_scale(s->p, &outcome->errors);
    of[NB_PROJECTED_ITERATION] = k;
    of[NB_PROJECTED_RESIDUAL] = isfinite(residual) ? residual : (double)NAN;
    of[NB_PROJECTED_OBJECTIVE] = objective(s);
    of[NB_PROJECTED_STEP_BOUND] = s->bound;
    of[NB_PROJECTED_ROUND] = s->round;
    of[NB_PROJECTED_CONTRACTION] = s->contraction;
    if ((s->own_stop ? s->own_met : nb_measure_converged(&outcome->errors, s->settings)) && !beyond)
        outcome->reason = NB_REASON_CONVERGED;
    else if (nb_measure_diverged(&outcome->errors, s->start_scale) || beyond)
        outcome->reason = NB_REASON_DIVERGED;
    else if (is_round_off(s, residual) && (s->p->frozen || began_at_round_off(s, k)) && is_shift_settled(s) &&
             !gains_by_rounds(s, outcome->errors.natural_map))
        outcome->reason = NB_REASON_ROUND_OFF;
    if (outcome->reason == NB_REASON_NONE || outcome->reason == NB_REASON_DIVERGED) {
        nb_status status = check_growth(s, k, now ? now : s->z);
        if (status != NB_OK) return status;
    }
    if (outcome->reason == NB_REASON_NONE && k >= s->settings->newton_iterations)
        outcome->reason = NB_REASON_ITERATIONS;
    return NB_OK;
}

nb_status nb_projected_write_row(nb_projected *s, int32_t iterations, double products, double seconds) {
    s->report.values[NB_PROJECTED_OPERATOR_APPLICATIONS] = products;
    s->report.solve_s = seconds;
    s->report.solved = 1;
    s->outcome->newton_iterations += iterations;
    s->outcome->operator_applications += products;
    s->outcome->solve_s += seconds;
    return s->observer && s->observer->newton ? s->observer->newton(s->observer->context, &s->report) : NB_OK;
}

nb_status nb_projected_finish(nb_projected *s) {
    return s->observer && s->observer->newton ? s->observer->newton(s->observer->context, &s->report) : NB_OK;
}

/* ---- methods of iterations ---- */

nb_status nb_projected_method_create(const nb_method_class *type, const nb_method_settings *settings, size_t size,
                                     nb_method **self) {
    nb_projected_method *m = NULL;
    nb_status status = nb_allocate(1, size, (void *)&m);
    *self = NULL;
    if (status != NB_OK) return status;
    m->base.type = type;
    m->settings = *settings;
    nb_options_standard(type->options, type->option_count, m->values);
    if (settings->values) memcpy(m->values, settings->values, (size_t)type->option_count * sizeof *m->values);
    *self = &m->base;
    return NB_OK;
}

/* Iterations from k on up to the next row of the record; *made: how many there were. */
static nb_status iterate(nb_projected_method *m, const nb_projected_method_class *type, int32_t k, int32_t *made) {
    nb_status status = NB_OK;
    nb_projected *s = m->problem;
    int32_t count = s->every < s->settings->newton_iterations - k ? s->every : s->settings->newton_iterations - k;
    for (int32_t i = 0; i < count && !nb_interrupt_requested(); i++) {
        NB_TRY(type->iterate(m));
        k++;
        if (nb_projected_is_due(s, k, m->residual)) {
            if (type->write_impulses) type->write_impulses(m);
            NB_TRY(nb_projected_linearise(s, k));
            NB_TRY(type->read_problem(m));
        } else if (type->recompute && k % REFRESH == 0) {
            type->recompute(m);
        }
    }
    *made = count;
out:
    return status;
}

nb_status nb_projected_method_step(nb_projected_method *m, const nb_projected_method_class *type, nb_problem *p,
                                   nb_measure *measure, const nb_observer *observer, nb_step_outcome *outcome) {
    nb_status status;
    double start = nb_clock_seconds();
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = (double)NAN, .norm_a_inverse = (double)NAN};
    m->residual = INFINITY;
    NB_TRY(type->begin_step(m, p));
    NB_TRY(nb_projected_begin(m->problem, measure, observer, outcome));
    NB_TRY(type->read_problem(m));
    outcome->setup_s += nb_clock_seconds() - start;
    for (int32_t k = 0;;) {
        if (type->write_impulses) type->write_impulses(m);
        NB_TRY(nb_projected_check(m->problem, k, m->residual, type->impulses ? type->impulses(m) : NULL));
        if (outcome->reason != NB_REASON_NONE) break;
        start = nb_clock_seconds();
        m->products = 0;
        int32_t made;
        NB_TRY(iterate(m, type, k, &made));
        NB_TRY(nb_interrupt_check());
        if (type->write_columns) type->write_columns(m);
        NB_TRY(nb_projected_write_row(m->problem, made, m->products, nb_clock_seconds() - start));
        k += made;
    }
    NB_TRY(nb_projected_finish(m->problem));
out:
    return status;
}
