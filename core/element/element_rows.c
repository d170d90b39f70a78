#include "element/element_rows.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/threads.h"
#include "constraint/bilateral.h"
#include "element/elastic_law.h"
#include "element/scalar_lane.h"
#include "element/tetrahedron_formulas.h"
#include "element/tetrahedron_pack.h"
#include "operator/general_pack.h"

NB_PRECISIONS(f32, f64);

enum {
    PART_ELEMENTS = 1000, /* least elements of a thread's part */
    PRINCIPAL_NUMBERS = 3 * 12,
    SPRING_NUMBERS = 6
};

/* six rows each */
typedef struct strain_rows {
    nb_step_rows base; /* first */
    nb_tetrahedron_pack pack;
    nb_elastic_law law;
    nb_tetrahedron_pass pass;
    nb_tetrahedron_group *group;
    int32_t *element; /* [blocks] its number in the world */
} strain_rows;

/* three rows each, or one: rows with a Jacobian each */
typedef struct general_rows {
    nb_step_rows base; /* first */
    nb_general_pack pack;
    int32_t *element;
    int32_t *row_start, *node_start, *node;
    int64_t *value_start;
    real *value, *compliance;
} general_rows;

typedef struct principal_rows {
    general_rows rows; /* first */
    nb_elastic_law law;
    double (*start)[9]; /* [blocks] F at the start of the step */
} principal_rows;

typedef struct spring_rows {
    general_rows rows; /* first */
    nb_bilateral_law law;
} spring_rows;

struct nb_element_rows {
    const nb_nodes *nodes;
    const nb_world *world;
    nb_arena arena;
    strain_rows strain;
    principal_rows principal;
    spring_rows spring;
};

/* ---- memory ---- */

static void lay_out_general(nb_arena *a, general_rows *g, int32_t blocks, int nodes, int rows, int numbers) {
    NB_PLACE(a, blocks, &g->element);
    NB_PLACE(a, blocks + 1, &g->row_start);
    NB_PLACE(a, blocks + 1, &g->node_start);
    NB_PLACE(a, blocks * (int64_t)nodes, &g->node);
    NB_PLACE(a, blocks + 1, &g->value_start);
    NB_PLACE(a, blocks * (int64_t)numbers, &g->value);
    NB_PLACE(a, blocks * (int64_t)(rows * rows), &g->compliance);
}

static void lay_out(nb_arena *a, nb_element_rows *e, int32_t strained, int32_t principal) {
    strain_rows *s = &e->strain;
    int32_t groups = nb_tetrahedron_groups(strained);
    NB_PLACE(a, groups, &s->group);
    NB_PLACE(a, groups, &s->pass.start);
    NB_PLACE(a, groups, &s->pass.activation);
    NB_PLACE(a, groups, &s->pass.modulus);
    NB_PLACE(a, groups, &s->pass.factor);
    NB_PLACE(a, strained, &s->element);
    NB_PLACE(a, 36 * (int64_t)strained, &s->pass.compliance);
    lay_out_general(a, &e->principal.rows, principal, 4, 3, PRINCIPAL_NUMBERS);
    NB_PLACE(a, principal, &e->principal.start);
    lay_out_general(a, &e->spring.rows, e->world->spring_count, 2, 1, SPRING_NUMBERS);
}

static nb_status make_room(nb_element_rows *e, int32_t strained, int32_t principal) {
    nb_arena_measure(&e->arena);
    lay_out(&e->arena, e, strained, principal);
    nb_status status = nb_arena_reserve(&e->arena);
    if (status == NB_OK) lay_out(&e->arena, e, strained, principal);
    return status;
}

/* ---- six rows ---- */

/* The isotropic compliance [1/Pa] of strains with twice the shear, times the factor. */
static void linear_compliance(const nb_material *material, double factor, real *out) {
    double normal = factor / material->young, shear = factor / nb_material_mu(material);
    memset(out, 0, 36 * sizeof *out);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out[6 * r + c] = (real)(r == c ? normal : -material->poisson * normal);
        out[6 * (3 + r) + 3 + r] = (real)shear;
    }
}

static void begin_strained(nb_element_rows *e, int32_t i, int32_t lane, double h) {
    strain_rows *s = &e->strain;
    const nb_tetrahedron *of = &e->world->tetrahedra[s->element[i]];
    const nb_material *material = &e->world->materials[of->material];
    const int32_t group = lane / NB_ELEMENT_LANES, at = lane % NB_ELEMENT_LANES;
    const double l = of->rest.length, soft = l * l / (of->rest.volume * h * h);
    nb_tetrahedron_group *g = &s->group[group];
    for (int a = 0; a < 4; a++) g->particle[a][at] = of->particle[a];
    for (int a = 0; a < 3; a++) {
        const nb_vec3 b = of->rest.gradient[1 + a];
        g->gradient[3 * a][at] = (real)(l * b.x);
        g->gradient[3 * a + 1][at] = (real)(l * b.y);
        g->gradient[3 * a + 2][at] = (real)(l * b.z);
    }
    for (int k = 0; k < 6; k++) s->pass.activation[group][k][at] = (real)of->activation[k];
    s->pass.factor[group][0][at] = (real)(1 / l);
    s->pass.factor[group][1][at] = (real)(l / h);
    s->pass.factor[group][2][at] = (real)soft;
    if (material->kind == NB_MATERIAL_LINEAR) {
        s->pass.modulus[group][0][at] = s->pass.modulus[group][1][at] = 0;
        if (lane == i) linear_compliance(material, soft, s->pass.compliance + 36 * (ptrdiff_t)i);
        return;
    }
    s->pass.modulus[group][0][at] = (real)nb_material_mu(material);
    s->pass.modulus[group][1][at] = (real)nb_material_lambda(material);
}

/* F of a tetrahedron where its particles are */
static void gradient_now(const nb_world *world, const nb_tetrahedron *of, double f[9]) {
    nb_vec3 corner[4];
    for (int a = 0; a < 4; a++) corner[a] = world->particles[of->particle[a]].position;
    const nb_mat3 m = nb_rest_shape_gradient(&of->rest, corner);
    memcpy(f, m.m, sizeof m.m);
}

static void evaluate_strains(nb_step_rows *base, const nb_world *world, const nb_problem *at, double moved,
                             real *value) {
    strain_rows *s = (strain_rows *)base;
    nb_tetrahedron_pass *pass = &s->pass;
    const int32_t count = s->pack.base.blocks;
    for (int32_t i = 0; moved == 0 && i < NB_ELEMENT_LANES * nb_tetrahedron_groups(count); i++) {
        double f[9];
        gradient_now(world, &world->tetrahedra[s->element[i < count ? i : i - i % NB_ELEMENT_LANES]], f);
        for (int k = 0; k < 9; k++) pass->start[i / NB_ELEMENT_LANES][k][i % NB_ELEMENT_LANES] = (real)f[k];
    }
    pass->group = s->group;
    pass->u = at->u + 6 * (ptrdiff_t)at->nodes->bodies;
    pass->moved = (real)moved;
    pass->value = value;
    int parts = nb_threads_for(count, PART_ELEMENTS);
    NB_EACH_PART(i, parts,
                 s->pack.kernels->evaluate(pass, nb_part_begin(i, parts, count, NB_ELEMENT_LANES),
                                           nb_part_begin(i + 1, parts, count, NB_ELEMENT_LANES)););
}

/* ---- three rows ---- */

static void evaluate_principal(const nb_world *world, const principal_rows *p, int32_t i, const nb_problem *at,
                               double moved, real *value) {
    const general_rows *g = &p->rows;
    const nb_tetrahedron *of = &world->tetrahedra[g->element[i]];
    const nb_material *material = &world->materials[of->material];
    const double h = (double)at->h, l = of->rest.length;
    const real *u = at->u + 6 * (ptrdiff_t)at->nodes->bodies;
    nb_lane_svd svd;
    nb_lane_principal principal;
    real f[9], *j = g->value + g->value_start[i], *soft = g->compliance + 9 * (ptrdiff_t)i;
    double b[4][3], df[9] = {0};
    for (int a = 0; a < 4; a++) {
        const double gradient[3] = {of->rest.gradient[a].x, of->rest.gradient[a].y, of->rest.gradient[a].z};
        memcpy(b[a], gradient, sizeof gradient);
        for (int k = 0; k < 9; k++) df[k] += (double)u[3 * (ptrdiff_t)of->particle[a] + k / 3] * b[a][k % 3];
    }
    for (int k = 0; k < 9; k++) f[k] = (real)(p->start[i][k] + moved * df[k]);
    nb_lane_svd_of(f, &svd);
    nb_lane_neo_hookean((real)nb_material_mu(material), (real)nb_material_lambda(material), svd.s, &principal);
    for (int r = 0; r < 3; r++) {
        value[r] = (real)(l / h) * principal.strain[r];
        for (int a = 0; a < 4; a++) { /* d s_r/d x_a = (grad N_a . v_r) u_r */
            real along = (real)(l * b[a][0]) * svd.v[r] + (real)(l * b[a][1]) * svd.v[3 + r] +
                         (real)(l * b[a][2]) * svd.v[6 + r];
            for (int k = 0; k < 3; k++) *j++ = along * svd.u[3 * k + r];
        }
    }
    static const int triangle[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    for (int k = 0; k < 9; k++) soft[k] = (real)(l * l / (of->rest.volume * h * h)) * principal.normal[triangle[k]];
}

static void evaluate_principals(nb_step_rows *base, const nb_world *world, const nb_problem *at, double moved,
                                real *value) {
    principal_rows *p = (principal_rows *)base;
    for (int32_t i = 0; i < p->rows.pack.base.blocks; i++) {
        if (moved == 0) gradient_now(world, &world->tetrahedra[p->rows.element[i]], p->start[i]);
        evaluate_principal(world, p, i, at, moved, value + 3 * (ptrdiff_t)i);
    }
}

/* ---- springs ---- */

static nb_vec3 position_after(const nb_world *world, const nb_problem *at, int32_t particle, double moved) {
    const real *u = at->u + at->nodes->velocity[at->nodes->bodies + particle];
    return nb_add_scaled(world->particles[particle].position, moved,
                         nb_vec3_of((double)u[0], (double)u[1], (double)u[2]));
}

static void evaluate_springs(nb_step_rows *base, const nb_world *world, const nb_problem *at, double moved,
                             real *value) {
    spring_rows *s = (spring_rows *)base;
    for (int32_t i = 0; i < s->rows.pack.base.blocks; i++) {
        const nb_spring *of = &world->springs[i];
        nb_vec3 apart = nb_sub(position_after(world, at, of->particle[0], moved),
                               position_after(world, at, of->particle[1], moved));
        double length = nb_norm(apart);
        /* ends in one place may part in any direction */
        nb_vec3 along = length > 0 ? nb_scale(1 / length, apart) : nb_vec3_of(0, 0, 1);
        const real n[3] = {(real)along.x, (real)along.y, (real)along.z};
        real *j = s->rows.value + s->rows.value_start[i];
        for (int k = 0; k < 3; k++) {
            j[k] = n[k];
            j[3 + k] = -n[k];
        }
        value[i] = (real)((length - of->length) / (double)at->h);
    }
}

/* ---- all of them ---- */

/* block i of `rows` rows over these particles */
static void begin_general(const nb_nodes *nodes, general_rows *g, int32_t i, int count, const int32_t *particle,
                          int rows) {
    g->row_start[i + 1] = rows * (i + 1);
    g->node_start[i + 1] = count * (i + 1);
    for (int a = 0; a < count; a++) g->node[count * (ptrdiff_t)i + a] = nodes->bodies + particle[a];
    g->value_start[i + 1] = 3 * count * rows * (int64_t)(i + 1);
}

static void fill_general(const nb_nodes *nodes, general_rows *g, int32_t blocks, int32_t rows) {
    g->pack = nb_general_pack_of(nodes, blocks,
                                 (nb_general_blocks){g->row_start, g->node_start, g->node, g->value_start, g->value});
    g->pack.base.of_elements = 1;
    g->pack.base.rows_each = rows;
}

nb_status nb_element_rows_begin(nb_element_rows *e, const nb_world *world, double h) {
    nb_status status;
    const nb_nodes bodies_first = {.bodies = world->body_count};
    int32_t strained = 0, principal = 0;
    e->world = world;
    for (int32_t i = 0; i < world->tetrahedron_count; i++)
        if (world->materials[world->tetrahedra[i].material].kind == NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL)
            principal++;
        else
            strained++;
    NB_TRY(make_room(e, strained, principal));
    strained = principal = 0;
    for (int32_t i = 0; i < world->tetrahedron_count; i++) {
        const nb_tetrahedron *of = &world->tetrahedra[i];
        if (world->materials[of->material].kind != NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL) {
            e->strain.element[strained++] = i;
            continue;
        }
        e->principal.rows.element[principal] = i;
        begin_general(&bodies_first, &e->principal.rows, principal++, 4, of->particle, 3);
    }
    for (int32_t i = 0; i < strained; i++) begin_strained(e, i, i, h);
    for (int32_t i = strained; i % NB_ELEMENT_LANES != 0; i++) begin_strained(e, i - i % NB_ELEMENT_LANES, i, h);
    for (int32_t i = 0; i < world->spring_count; i++) {
        begin_general(&bodies_first, &e->spring.rows, i, 2, world->springs[i].particle, 1);
        e->spring.rows.compliance[i] = (real)(1 / (world->springs[i].stiffness * h * h));
    }
    e->strain.pack.base.blocks = strained;
    e->strain.pack.group = e->strain.group;
    e->strain.law.compliance = e->strain.pass.compliance;
    fill_general(e->nodes, &e->principal.rows, principal, 3);
    e->principal.law.compliance = e->principal.rows.compliance;
    fill_general(e->nodes, &e->spring.rows, world->spring_count, 1);
    e->spring.law.compliance = e->spring.rows.compliance;
out:
    return status;
}

nb_step_rows *nb_element_rows_item(nb_element_rows *e, int i) {
    nb_step_rows *const items[NB_ELEMENT_ROWS] = {&e->strain.base, &e->principal.rows.base, &e->spring.rows.base};
    return items[i];
}

nb_status nb_element_rows_create(const nb_nodes *nodes, nb_element_rows **rows) {
    nb_status status = NB_ALLOCATE(1, rows);
    if (status != NB_OK) return status;
    nb_element_rows *e = *rows;
    e->nodes = nodes;
    e->strain.pack = (nb_tetrahedron_pack){
        .base = {.type = &nb_tetrahedron_pack_class, .nodes = nodes, .rows_each = 6, .of_elements = 1},
        .kernels = nb_tetrahedron_kernels_best(),
    };
    e->strain.law.base.type = &nb_elastic_class;
    e->principal.law.base.type = &nb_elastic_principal_class;
    e->spring.law.base.type = &nb_bilateral_class;
    e->strain.base = (nb_step_rows){&e->strain.pack.base, &e->strain.law.base, evaluate_strains};
    e->principal.rows.base = (nb_step_rows){&e->principal.rows.pack.base, &e->principal.law.base, evaluate_principals};
    e->spring.rows.base = (nb_step_rows){&e->spring.rows.pack.base, &e->spring.law.base, evaluate_springs};
    return NB_OK;
}

void nb_element_rows_destroy(nb_element_rows *rows) {
    if (!rows) return;
    nb_arena_clear(&rows->arena);
    nb_free(rows);
}
