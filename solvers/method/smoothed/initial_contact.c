#include "initial_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "base/stream.h"
#include "penalty_options.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

enum {
    GAP = 1,
    LOADED = 2,
    MOST_STEPS = 100 /* that sink what touches; each takes the way to a tenth or less for a body on its own */
};
static const double STEEP = 0.1 /* least part of a normal that gravity is along, for one to carry the other */,
                    LONGER = 4 /* that the first step of loading is: it leads nearer to rest, and jumps less */,
                    STICKY = 2 /* friction at least, so that contacts stay where they are */,
                    BELOW =
                        1 - 1e-6 /* of static friction: what round-off of the friction of two bodies may not pass */;

/* one number a node: bodies, then particles */
typedef struct nodes {
    nb_world *world;
    double *height; /* [nodes] by which it is raised [m] */
    uint8_t *touches;
    nb_body *bodies; /* as they were */
    nb_particle *particles;
} nodes;

static int moves(const nodes *n, int32_t node) {
    const int32_t particle = node - n->world->body_count;
    return (particle < 0 ? n->world->bodies[node].kind : n->world->particles[particle].kind) == NB_BODY_DYNAMIC;
}

/* the nodes of a contact's side, second: that of body_b */
static int side_of(const nodes *n, const nb_contacts *contacts, int32_t i, int second,
                   int32_t node[NB_CONTACT_PARTICLES]) {
    const nb_contact_side *side = nb_contacts_side(contacts, i);
    const int first = side ? side->count - side->second : 0;
    if (!side || (second && side->second == 0)) {
        node[0] = second ? contacts->items[i].body_b : contacts->items[i].body_a;
        return 1;
    }
    for (int k = second ? first : 0, to = 0; k < (second ? side->count : first); k++, to++)
        node[to] = n->world->body_count + side->particle[k];
    return second ? side->second : first;
}

/* ---- what goes together ---- */

/* Nodes of one element or joint: all of them have the largest height, and touch where one does; 1: something changed.
 */
static int join(const nodes *n, const int32_t *node, int count, int32_t first) {
    double most = 0;
    int touches = 0, changed = 0;
    for (int k = 0; k < count; k++) {
        if (first + node[k] < 0) return 0; /* the world's end of a joint */
        nb_raise(&most, n->height[first + node[k]]);
        touches |= n->touches[first + node[k]];
    }
    for (int k = 0; k < count; k++) {
        const int32_t i = first + node[k];
        if (!moves(n, i)) continue;
        changed |= n->height[i] < most || n->touches[i] < touches;
        n->height[i] = most;
        n->touches[i] = (uint8_t)touches;
    }
    return changed;
}

static int join_all(const nodes *n) {
    const nb_world *w = n->world;
    int changed = 0;
    for (int32_t i = 0; i < w->tetrahedron_count; i++) changed |= join(n, w->tetrahedra[i].particle, 4, w->body_count);
    for (int32_t i = 0; i < w->triangle_count; i++) changed |= join(n, w->triangles[i].particle, 3, w->body_count);
    for (int32_t i = 0; i < w->spring_count; i++) changed |= join(n, w->springs[i].particle, 2, w->body_count);
    for (int32_t i = 0; i < w->joint_count; i++) {
        const int32_t ends[2] = {w->joints[i].body_a, w->joints[i].body_b};
        changed |= ends[0] >= 0 && ends[1] >= 0 && join(n, ends, 2, 0);
    }
    return changed;
}

/* ---- a gap ---- */

/* Raises what the contact has above, so that its gap is `gap` at least; 1: something changed. */
static int raise(const nodes *n, const nb_contacts *contacts, int32_t i, nb_vec3 up, double gap) {
    const nb_contact *contact = &contacts->items[i];
    const double along = nb_dot(contact->normal, up);
    int32_t above[NB_CONTACT_PARTICLES], below[NB_CONTACT_PARTICLES];
    const int count = side_of(n, contacts, i, along < 0, above), under = side_of(n, contacts, i, along > 0, below);
    double base = 0, needed = 0;
    int changed = 0;
    if (fabs(along) < STEEP) return 0;
    for (int k = 0; k < under; k++) nb_raise(&base, n->height[below[k]]);
    needed = base + (gap - contact->gap) / fabs(along);
    for (int k = 0; k < count; k++) {
        if (!moves(n, above[k]) || n->height[above[k]] >= needed) continue;
        n->height[above[k]] = needed;
        changed = 1;
    }
    return changed;
}

static nb_status raise_all(const nodes *n, const nb_contacts *contacts, nb_vec3 up, double gap) {
    const int32_t count = n->world->body_count + n->world->particle_count;
    int changed = 1;
    for (int32_t pass = 0; changed; pass++) {
        if (pass > count)
            return nb_fail(NB_ERROR_UNSUPPORTED, "--initial-contact gap: bodies carry each other in a ring");
        changed = 0;
        for (int32_t i = 0; i < contacts->count; i++) changed |= raise(n, contacts, i, up, gap);
        changed |= join_all(n);
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t particle = i - n->world->body_count;
        nb_vec3 *x = particle < 0 ? &n->world->bodies[i].position : &n->world->particles[particle].position;
        *x = nb_add_scaled(*x, n->height[i], up);
    }
    return NB_OK;
}

/* ---- a load ---- */

/* Sliding may have no more friction than static friction, where the method is given that. */
static double sticky(double friction, double static_mu) {
    return static_mu > 0 ? BELOW * static_mu : fmax(friction, STICKY);
}

/* All at rest and sticky, and what touches nothing where it was. */
static void rest(const nodes *n, double static_mu) {
    nb_world *w = n->world;
    for (int32_t i = 0; i < w->body_count; i++) {
        nb_body *body = &w->bodies[i];
        if (!n->touches[i]) *body = n->bodies[i];
        body->linear_velocity = body->angular_velocity = nb_vec3_of(0, 0, 0);
        body->friction = sticky(body->friction, static_mu);
    }
    for (int32_t i = 0; i < w->particle_count; i++) {
        nb_particle *particle = &w->particles[i];
        if (!n->touches[w->body_count + i]) *particle = n->particles[i];
        particle->velocity = nb_vec3_of(0, 0, 0);
        particle->friction = sticky(particle->friction, static_mu);
    }
}

/* All as it was, but for the places of what touches. */
static void wake(const nodes *n) {
    nb_world *w = n->world;
    for (int32_t i = 0; i < w->body_count; i++) {
        const nb_body moved = w->bodies[i];
        w->bodies[i] = n->bodies[i];
        if (!n->touches[i]) continue;
        w->bodies[i].position = moved.position;
        w->bodies[i].orientation = moved.orientation;
    }
    for (int32_t i = 0; i < w->particle_count; i++) {
        const nb_vec3 moved = w->particles[i].position;
        w->particles[i] = n->particles[i];
        if (n->touches[w->body_count + i]) w->particles[i].position = moved;
    }
}

/* of what touches */
static double fastest(const nodes *n) {
    const nb_world *w = n->world;
    double most = 0;
    for (int32_t i = 0; i < w->body_count; i++)
        if (n->touches[i]) nb_raise(&most, nb_norm(w->bodies[i].linear_velocity));
    for (int32_t i = 0; i < w->particle_count; i++)
        if (n->touches[w->body_count + i]) nb_raise(&most, nb_norm(w->particles[i].velocity));
    return most;
}

static nb_status sink(const nb_scene_start *c, double h) {
    nb_status status;
    nb_step_outcome outcome;
    nb_step_counts counts;
    NB_TRY(nb_interrupt_check());
    NB_TRY(nb_contacts_detect(c->world, h, c->contacts));
    NB_TRY(c->type->begin(c->stepper, c->world, c->contacts, h, c->geometry));
    NB_TRY(nb_measure_begin_beside(c->measure, c->type->rows(c->stepper), c->world, c->contacts, h, c->geometry));
    NB_TRY(c->type->prepare(c->stepper, c->world, c->contacts, NB_START_ZERO, c->measure));
    NB_TRY(
        c->type->step(c->stepper, c->world, c->contacts, h, NB_START_ZERO, c->measure, NULL, &outcome, &counts, NULL));
    if (!nb_reason_converged(outcome.reason))
        NB_TRY(nb_fail(NB_ERROR_NUMERIC,
                       "--initial-contact loaded: a step did not converge (%s); use a larger --contact-stiffness",
                       nb_reason_name(outcome.reason)));
out:
    return status;
}

/* What the stepper takes over from step to step, as it is before loading; free(*bytes). */
static nb_status keep_stepper(const nb_scene_start *c, char **bytes, size_t *size) {
    nb_status status;
    nb_stream stream = {.file = open_memstream(bytes, size), .path = "stepper before loading", .unchecked = 1};
    if (!stream.file) return nb_fail(NB_ERROR_MEMORY, "out of memory for the state before loading");
    NB_TRY(c->type->save(c->stepper, &stream));
out:
    nb_stream_close(&stream); /* writes *bytes and *size */
    return status;
}

static nb_status restore_stepper(const nb_scene_start *c, char *bytes, size_t size) {
    nb_status status;
    nb_stream stream = {.file = fmemopen(bytes, size, "rb"), .path = "stepper before loading", .left = (int64_t)size};
    if (!stream.file) return nb_fail(NB_ERROR_MEMORY, "out of memory for the state before loading");
    NB_TRY(c->type->load(c->stepper, &stream));
out:
    nb_stream_close(&stream);
    return status;
}

/* By steps in which a body falls freely by delta, the first two longer, until none moves by a millionth of that. What
 * sticks to a slope creeps at less than the friction tolerance for ever. Contacts at gap 0 move bodies by more than
 * delta at first: a stiffness that this asks for is not that of the load, and is forgotten. */
static nb_status load(const nb_scene_start *c, const nodes *n, double delta) {
    nb_status status;
    char *before = NULL;
    size_t size = 0;
    const double static_mu = c->values[NB_PENALTY_STATIC_MU], creep = c->values[NB_PENALTY_FRICTION_TOLERANCE];
    nb_world *w = c->world;
    const nb_scene_settings settings = w->settings;
    const double time = w->time, shortest = sqrt(delta / nb_norm(w->gravity));
    double h = LONGER * shortest, moved = INFINITY;
    w->settings.integrator = NB_INTEGRATOR_BE;
    w->settings.gyroscopic = NB_GYROSCOPIC_IMPLICIT;
    NB_TRY(keep_stepper(c, &before, &size));
    for (int k = 0; k < MOST_STEPS && moved > 1e-6 * delta; k++, h = fmax(h / 2, shortest)) {
        rest(n, static_mu);
        NB_TRY(sink(c, h));
        moved = h * fastest(n);
        if (moved > delta) NB_TRY(restore_stepper(c, before, size));
    }
    if (fastest(n) > fmax(creep, 1e-6 * delta / shortest))
        NB_TRY(nb_fail(NB_ERROR_NUMERIC,
                       "--initial-contact loaded: after %d steps bodies still move, at up to %.2g m/s", MOST_STEPS,
                       fastest(n)));
out:
    free(before);
    wake(n);
    w->settings = settings;
    w->time = time;
    return status;
}

/* ---- the whole ---- */

static nb_status keep(nodes *n) {
    nb_status status;
    const nb_world *w = n->world;
    const int64_t count = (int64_t)w->body_count + w->particle_count;
    NB_TRY(NB_ALLOCATE(count, &n->height));
    NB_TRY(NB_ALLOCATE(count, &n->touches));
    NB_TRY(NB_ALLOCATE(w->body_count, &n->bodies));
    NB_TRY(NB_ALLOCATE(w->particle_count, &n->particles));
    if (w->body_count > 0) memcpy(n->bodies, w->bodies, (size_t)w->body_count * sizeof *w->bodies);
    if (w->particle_count > 0) memcpy(n->particles, w->particles, (size_t)w->particle_count * sizeof *w->particles);
out:
    return status;
}

static void clear(nodes *n) {
    nb_free(n->height);
    nb_free(n->touches);
    nb_free(n->bodies);
    nb_free(n->particles);
}

/* the contacts that are closer than delta, and what they touch */
static nb_status find_touching(const nb_scene_start *c, nodes *n, double delta) {
    nb_status status;
    const double margin = c->world->settings.contact_margin;
    nb_contacts *contacts = c->contacts;
    c->world->settings.contact_margin = fmax(margin, delta);
    NB_TRY(nb_contacts_detect(c->world, 0, contacts));
    for (int32_t i = 0; i < contacts->count; i++)
        for (int second = 0; second < 2; second++) {
            int32_t node[NB_CONTACT_PARTICLES] = {0};
            const int count = side_of(n, contacts, i, second, node);
            for (int k = 0; k < count; k++)
                if (contacts->items[i].gap <= delta) n->touches[node[k]] = 1;
        }
    while (join_all(n)) continue;
out:
    c->world->settings.contact_margin = margin;
    return status;
}

nb_status nb_initial_contact_take(const nb_scene_start *c) {
    const double choice = c->values[NB_PENALTY_INITIAL_CONTACT], delta = c->values[NB_PENALTY_CONTACT_TOLERANCE];
    const double pull = nb_norm(c->world->gravity);
    nodes n = {.world = c->world};
    nb_status status;
    if (!(choice > 0) || !(delta > 0) || !(pull > 0)) return NB_OK;
    NB_TRY(keep(&n));
    NB_TRY(find_touching(c, &n, delta));
    if (choice == GAP) NB_TRY(raise_all(&n, c->contacts, nb_scale(-1 / pull, c->world->gravity), delta));
    if (choice == LOADED) NB_TRY(load(c, &n, delta));
out:
    clear(&n);
    return status;
}
