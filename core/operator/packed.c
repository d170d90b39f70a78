#include "operator/packed.h"

#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/threads.h"
#include "operator/contact_pack.h"

NB_PRECISIONS(f32, f64, mixed);

/* a pair: contacts of the same two bodies with one frame, or the rows of a joint */
typedef struct pair {
    int32_t first;          /* row block of the system */
    int16_t contacts, rows; /* rows of the whole pair */
} pair;

enum {
    KINDS = NB_PAIR_CONTACTS + 6, /* pairs of 1 to 4 contacts, joints of 1 to 6 rows */
    JOINT_ROWS = 6
};

/* which arrays grow by themselves: the place of each one's capacity */
enum {
    PLACE,
    BLOCKS,
    BLOCK_BODIES,
    GEOMETRY,
    WEIGHT_S,
    WEIGHT_C,
    ROOT,
    INVERSE_MASS,
    FORCE,
    VELOCITY,
    FIRSTS,
    RANK,
    PAIRS,
    ORDER,
    CAPACITIES
};

struct nb_packed_scratch {
    int64_t capacity[CAPACITIES];
    int32_t *first; /* [block_count][NB_LANES] first row block of each pair, or -1 */
    int32_t *rank;  /* [bodies of the world] packed number + 1 while a pattern is set, else 0 */
    pair *pairs;    /* [pair_count] */
    int32_t *order; /* [pair_count + body_count + 1] pairs by their lower body, and where each body's begin */
    int32_t pair_count;
};

void nb_packed_destroy(nb_packed *p) {
    if (!p) return;
    if (p->scratch) {
        nb_free(p->scratch->first);
        nb_free(p->scratch->rank);
        nb_free(p->scratch->pairs);
        nb_free(p->scratch->order);
    }
    nb_free(p->scratch);
    nb_free(p->place);
    nb_free(p->blocks);
    nb_free(p->block_bodies);
    nb_free(p->geometry);
    nb_free(p->s);
    nb_free(p->c);
    nb_free(p->root);
    nb_free(p->inverse_mass);
    nb_free(p->force);
    nb_free(p->velocity);
    nb_free(p);
}

nb_status nb_packed_create(nb_packed **packed) {
    nb_status status;
    nb_packed *p = NULL;
    NB_TRY(NB_ALLOCATE(1, &p));
    NB_TRY(NB_ALLOCATE(1, &p->scratch));
out:
    if (status != NB_OK) {
        nb_packed_destroy(p);
        p = NULL;
    }
    *packed = p;
    return status;
}

int nb_packed_fits(const nb_delassus *delassus) {
    nb_rigid_rows rows;
    return nb_rigid_rows_of(delassus, &rows);
}

static const nb_contact_rows *contact_of(const nb_packed *p, int32_t block) {
    return &p->rigid.contacts[block - p->rigid.joint_row_count];
}

static const nb_jacobian_row *joint_row_of(const nb_packed *p, int32_t block) {
    return &p->rigid.joint_rows[block];
}

static void bodies_of(const nb_packed *p, int32_t block, int32_t body[2]) {
    if (block < p->rigid.joint_row_count) {
        body[0] = joint_row_of(p, block)->a;
        body[1] = joint_row_of(p, block)->b;
    } else {
        body[0] = contact_of(p, block)->a;
        body[1] = contact_of(p, block)->b;
    }
}

/* whether two contacts have one frame, up to round-off */
static int share_frame(const nb_contact_rows *one, const nb_contact_rows *other) {
    const real *x = one->direction[0], *y = other->direction[0];
    for (int k = 0; k < 9; k++)
        if (!(fabs(x[k] - y[k]) <= 4 * NB_REAL_EPSILON)) return 0;
    return 1;
}

/* Cuts the groups of the source into pairs. */
static nb_status list_pairs(nb_packed *p) {
    nb_status status;
    struct nb_packed_scratch *w = p->scratch;
    const nb_delassus *d = p->source;
    int32_t joint_rows = p->rigid.joint_row_count, count = 0;
    NB_TRY(NB_RESERVE(d->block_count, &w->capacity[PAIRS], &w->pairs));
    for (int32_t g = 0; g < d->group_count; g++) {
        int32_t end = d->group_start[g + 1];
        for (int32_t i = d->group_start[g]; i < end;) {
            pair *next = &w->pairs[count++];
            *next = (pair){.first = i};
            int joint = i < joint_rows, most = joint ? JOINT_ROWS : NB_PAIR_CONTACTS;
            do {
                next->rows = (int16_t)(next->rows + (joint ? 1 : 3));
                next->contacts = (int16_t)(next->contacts + !joint);
                i++;
            } while (i < end && i - next->first < most && joint == (i < joint_rows) &&
                     (joint || share_frame(contact_of(p, next->first), contact_of(p, i))));
        }
    }
    w->pair_count = count;
out:
    return status;
}

/* the bodies in the view's order; the world's lie on idle numbers of their own at the end */
static nb_status number_bodies(nb_packed *p) {
    nb_status status;
    const nb_rigid_rows *rigid = &p->rigid;
    struct nb_packed_scratch *w = p->scratch;
    NB_TRY(NB_RESERVE(rigid->bodies, &w->capacity[RANK], &w->rank));
    for (int32_t i = 0; i < rigid->dynamic_count; i++) w->rank[rigid->dynamic[i]] = i + 1;
    p->body_count = (rigid->dynamic_count + NB_LANES - 1) / NB_LANES * NB_LANES + NB_LANES;
    NB_TRY(NB_RESERVE(8 * (int64_t)p->body_count, &w->capacity[INVERSE_MASS], &p->inverse_mass));
    p->parts = nb_threads_for(p->rows, 3 * NB_PART_CONTACTS);
    NB_TRY(NB_RESERVE(p->parts * NB_BODY_STRIDE * (int64_t)p->body_count, &w->capacity[FORCE], &p->force));
    NB_TRY(NB_RESERVE(NB_BODY_STRIDE * (int64_t)p->body_count, &w->capacity[VELOCITY], &p->velocity));
    size_t length = (size_t)p->body_count * NB_BODY_STRIDE;
    memset(p->inverse_mass, 0, length * sizeof(real));
    memset(p->force, 0, (size_t)p->parts * length * sizeof(real));
    memset(p->velocity, 0, length * sizeof(real));
    for (int32_t i = 0; i < rigid->dynamic_count; i++) {
        const nb_inverse_mass *inverse = &rigid->inverse[rigid->dynamic[i]];
        real *m = p->inverse_mass + 8 * (ptrdiff_t)(i - i % NB_LANES) + i % NB_LANES;
        m[0] = inverse->mass;
        for (int k = 0; k < 6; k++) m[(k + 1) * NB_LANES] = inverse->inertia[k];
    }
out:
    return status;
}

static int32_t rank_of(const nb_packed *p, int32_t body) {
    return body < 0 ? -1 : p->scratch->rank[body] - 1;
}

/* pairs by the lower of their bodies, so that what lies near in space lies near in memory */
static nb_status sort_pairs(nb_packed *p) {
    nb_status status;
    struct nb_packed_scratch *w = p->scratch;
    int32_t body[2], bodies = p->rigid.dynamic_count;
    NB_TRY(NB_RESERVE(w->pair_count + (int64_t)bodies + 2, &w->capacity[ORDER], &w->order));
    int32_t *begin = w->order + w->pair_count;
    memset(begin, 0, ((size_t)bodies + 2) * sizeof *begin);
    for (int pass = 0; pass < 2; pass++) { /* count, then place */
        for (int32_t i = 0; i < w->pair_count; i++) {
            bodies_of(p, w->pairs[i].first, body);
            int32_t a = rank_of(p, body[0]), b = rank_of(p, body[1]);
            int32_t key = a < 0 || (b >= 0 && b < a) ? b : a;
            if (key < 0) key = 0; /* moves nothing */
            if (pass == 0)
                begin[key + 2]++;
            else
                w->order[begin[key + 1]++] = i;
        }
        for (int32_t i = 0; pass == 0 && i <= bodies; i++) begin[i + 1] += begin[i];
    }
out:
    return status;
}

static int kind_of(const pair *like) {
    return like->contacts ? like->contacts - 1 : NB_PAIR_CONTACTS + like->rows - 1;
}

/* a new block for pairs like this one, all of its places idle */
static void open_block(nb_packed *p, const pair *like, int32_t block, int64_t *geometry) {
    p->blocks[block] = (nb_packed_block){like->contacts, like->rows, *geometry, p->length};
    p->length += (int64_t)like->rows * NB_LANES;
    *geometry += NB_LANES * (like->contacts ? NB_FRAME_NUMBERS + (int64_t)like->contacts * NB_ARM_NUMBERS
                                            : (int64_t)like->rows * NB_JOINT_ROW_NUMBERS);
    int32_t *bodies = p->block_bodies + 2 * NB_LANES * (ptrdiff_t)block;
    for (int lane = 0; lane < NB_LANES; lane++) {
        bodies[lane] = bodies[NB_LANES + lane] = p->body_count - NB_LANES + lane;
        p->scratch->first[NB_LANES * (ptrdiff_t)block + lane] = -1;
    }
}

/* Deals the pairs to blocks of their kind; a block is opened where the first of its pairs comes. */
static void fill_blocks(nb_packed *p, int64_t *geometry) {
    struct nb_packed_scratch *w = p->scratch;
    int32_t open[KINDS], used[KINDS] = {0}, body[2];
    for (int32_t i = 0; i < w->pair_count; i++) {
        const pair *next = &w->pairs[w->order[i]];
        int kind = kind_of(next), lane = used[kind];
        if (lane == 0) open_block(p, next, open[kind] = p->block_count++, geometry);
        used[kind] = (lane + 1) % NB_LANES;
        int32_t block = open[kind], *bodies = p->block_bodies + 2 * NB_LANES * (ptrdiff_t)block + lane;
        w->first[NB_LANES * (ptrdiff_t)block + lane] = next->first;
        bodies_of(p, next->first, body);
        for (int side = 0; side < 2; side++)
            if (rank_of(p, body[side]) >= 0) bodies[side * NB_LANES] = rank_of(p, body[side]);
        int32_t row = p->source->block_start[next->first];
        for (int k = 0; k < next->rows; k++) p->place[row + k] = p->blocks[block].vector + (int64_t)k * NB_LANES + lane;
    }
}

/* the frames of contacts; they keep through the pattern's life */
static void set_frames(nb_packed *p) {
    for (int32_t i = 0; i < p->block_count; i++) {
        storage *geometry = p->geometry + p->blocks[i].geometry;
        for (int lane = 0; p->blocks[i].contacts && lane < NB_LANES; lane++) {
            int32_t first = p->scratch->first[NB_LANES * (ptrdiff_t)i + lane];
            if (first < 0) continue;
            const nb_contact_rows *contact = contact_of(p, first);
            for (int k = 0; k < 6; k++) geometry[k * NB_LANES + lane] = (storage)contact->direction[k / 3][k % 3];
        }
    }
}

nb_status nb_packed_set_pattern(nb_packed *p, const nb_delassus *delassus) {
    nb_status status;
    struct nb_packed_scratch *w = p->scratch;
    p->source = delassus;
    nb_rigid_rows_of(delassus, &p->rigid);
    p->rows = delassus->rows;
    p->length = 0;
    p->block_count = 0;
    NB_TRY(number_bodies(p));
    NB_TRY(list_pairs(p));
    NB_TRY(sort_pairs(p));
    int64_t blocks = w->pair_count / NB_LANES + KINDS, geometry = 0;
    NB_TRY(NB_RESERVE(p->rows, &w->capacity[PLACE], &p->place));
    NB_TRY(NB_RESERVE(p->rows, &w->capacity[ROOT], &p->root));
    NB_TRY(NB_RESERVE(blocks, &w->capacity[BLOCKS], &p->blocks));
    NB_TRY(NB_RESERVE(blocks * NB_LANES, &w->capacity[FIRSTS], &w->first));
    NB_TRY(NB_RESERVE(2 * blocks * NB_LANES, &w->capacity[BLOCK_BODIES], &p->block_bodies));
    fill_blocks(p, &geometry);
    p->geometry_length = geometry;
    NB_TRY(NB_RESERVE(geometry, &w->capacity[GEOMETRY], &p->geometry));
    NB_TRY(NB_RESERVE(p->length, &w->capacity[WEIGHT_S], &p->s));
    NB_TRY(NB_RESERVE(p->length, &w->capacity[WEIGHT_C], &p->c));
    memset(p->geometry, 0, (size_t)geometry * sizeof(storage));
    memset(p->s, 0, (size_t)p->length * sizeof(storage));
    memset(p->c, 0, (size_t)p->length * sizeof(storage));
    set_frames(p);
    nb_packed_set_values(p);
out:
    for (int32_t i = 0; w->rank && i < p->rigid.dynamic_count; i++) w->rank[p->rigid.dynamic[i]] = 0;
    return status;
}

static inline real dot(const real *a, const real *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void set_arms(const nb_contact_rows *contact, storage *to) {
    for (int k = 0; k < 3; k++) {
        to[k * NB_LANES] = (storage)dot(contact->direction[k], contact->arm_a);
        to[(3 + k) * NB_LANES] = (storage)dot(contact->direction[k], contact->arm_b);
    }
}

static void set_block(const nb_packed *p, int32_t i, int lane) {
    const nb_packed_block *block = &p->blocks[i];
    const int32_t first = p->scratch->first[NB_LANES * (ptrdiff_t)i + lane];
    storage *to = p->geometry + block->geometry + lane;
    if (first < 0) return;
    if (block->contacts) {
        const nb_contact_rows *contact = contact_of(p, first);
        for (int k = 0; k < block->contacts; k++)
            set_arms(&contact[k], to + (NB_FRAME_NUMBERS + k * NB_ARM_NUMBERS) * NB_LANES);
    } else {
        const nb_jacobian_row *row = joint_row_of(p, first);
        for (int k = 0; k < NB_JOINT_ROW_NUMBERS * block->rows; k++)
            to[k * NB_LANES] = (storage)row[k / NB_JOINT_ROW_NUMBERS].j[k % NB_JOINT_ROW_NUMBERS];
    }
}

void nb_packed_set_values(nb_packed *p) {
    const int parts = p->parts;
    NB_EACH_PART(part, parts, {
        const int32_t end = nb_part_begin(part + 1, parts, p->block_count, 1);
        for (int32_t i = nb_part_begin(part, parts, p->block_count, 1); i < end; i++)
            for (int lane = 0; lane < NB_LANES; lane++) set_block(p, i, lane);
    });
}

void nb_packed_set_weights(nb_packed *p, const real *s, const real *c, const real *diagonal) {
    const int parts = p->parts;
    NB_EACH_PART(part, parts, {
        const int32_t end = nb_part_begin(part + 1, parts, p->rows, 1);
        for (int32_t r = nb_part_begin(part, parts, p->rows, 1); r < end; r++) {
            const real root = diagonal ? sqrt(diagonal[r]) : 1;
            p->root[r] = root;
            p->s[p->place[r]] = (storage)(s[r] * root);
            p->c[p->place[r]] = (storage)(diagonal ? c[r] * diagonal[r] : c[r]);
        }
    });
}

void nb_packed_take(const nb_packed *p, const real *rows, storage *v) {
    memset(v, 0, (size_t)p->length * sizeof *v);
    for (int32_t r = 0; r < p->rows; r++) v[p->place[r]] = (storage)(p->root[r] * rows[r]);
}

void nb_packed_give(const nb_packed *p, const storage *v, real a, const storage *w, real *rows) {
    for (int32_t r = 0; r < p->rows; r++) {
        int64_t k = p->place[r];
        rows[r] = p->root[r] * (w ? (real)v[k] + a * (real)w[k] : (real)v[k]);
    }
}
