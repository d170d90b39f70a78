#include "contact/surface.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/union_find.h"

/* a face of a tetrahedron, or an edge of a face: by its sorted corners (-1 in front of an edge's), and which it is */
typedef struct part {
    int32_t corner[3];
    int32_t of; /* 4 times the tetrahedron plus the corner left out; or the face */
} part;

static int compare_corners(const part *x, const part *y) {
    for (int k = 0; k < 3; k++)
        if (x->corner[k] != y->corner[k]) return x->corner[k] < y->corner[k] ? -1 : 1;
    return 0;
}

static int compare_parts(const void *x, const void *y) {
    const part *a = x, *b = y;
    int order = compare_corners(a, b);
    return order ? order : (a->of > b->of) - (a->of < b->of);
}

static part part_of(int32_t a, int32_t b, int32_t c, int32_t of) {
    part p = {{a, b, c}, of};
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && p.corner[k] < p.corner[k - 1]; k--) {
            int32_t swap = p.corner[k];
            p.corner[k] = p.corner[k - 1], p.corner[k - 1] = swap;
        }
    return p;
}

static void sort(part *parts, int64_t count) {
    if (count > 1) qsort(parts, (size_t)count, sizeof *parts, compare_parts);
}

/* the face opposite corner `without`, counter-clockwise from outside of a tetrahedron whose corners are right-handed */
static const int others[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/* whether its corners were right-handed at rest */
static int right_handed(const nb_tetrahedron *of) {
    const nb_vec3 *g = of->rest.gradient;
    return nb_dot(g[1], nb_cross(g[2], g[3])) > 0;
}

static nb_surface_face face_of(const nb_world *world, int32_t of) {
    const nb_tetrahedron *tetrahedron = &world->tetrahedra[of / 4];
    const int *at = others[of % 4];
    int turn = !right_handed(tetrahedron);
    return (nb_surface_face){{tetrahedron->particle[at[0]], tetrahedron->particle[at[turn ? 2 : 1]],
                              tetrahedron->particle[at[turn ? 1 : 2]], tetrahedron->particle[of % 4]}};
}

static nb_status find_faces(nb_surface *surface, const nb_world *world, part *parts) {
    nb_status status = NB_OK;
    int64_t count = 4 * (int64_t)world->tetrahedron_count;
    for (int32_t t = 0; t < world->tetrahedron_count; t++)
        for (int without = 0; without < 4; without++) {
            const int32_t *p = world->tetrahedra[t].particle;
            const int *at = others[without];
            parts[4 * (ptrdiff_t)t + without] = part_of(p[at[0]], p[at[1]], p[at[2]], 4 * t + without);
        }
    sort(parts, count);
    surface->face_count = 0;
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare_corners(&parts[i], &parts[end]) == 0;) end++;
        if (end > i + 1) continue;
        NB_TRY(NB_RESERVE((int64_t)surface->face_count + 1, &surface->face_capacity, &surface->faces));
        surface->faces[surface->face_count++] = face_of(world, parts[i].of);
    }
    NB_TRY(NB_RESERVE((int64_t)surface->face_count + world->triangle_count, &surface->face_capacity, &surface->faces));
    for (int32_t i = 0; i < world->triangle_count; i++) {
        const int32_t *at = world->triangles[i].particle;
        surface->faces[surface->face_count++] = (nb_surface_face){{at[0], at[1], at[2], -1}};
    }
out:
    return status;
}

static nb_status find_edges(nb_surface *surface, part *parts) {
    nb_status status = NB_OK;
    int64_t count = 3 * (int64_t)surface->face_count;
    for (int32_t f = 0; f < surface->face_count; f++)
        for (int k = 0; k < 3; k++)
            parts[3 * (ptrdiff_t)f + k] =
                part_of(-1, surface->faces[f].particle[k], surface->faces[f].particle[(k + 1) % 3], f);
    sort(parts, count);
    surface->edge_count = 0;
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare_corners(&parts[i], &parts[end]) == 0;) end++;
        NB_TRY(NB_RESERVE((int64_t)surface->edge_count + 1, &surface->edge_capacity, &surface->edges));
        surface->edges[surface->edge_count++] = (nb_surface_edge){{parts[i].corner[1], parts[i].corner[2]},
                                                                  {parts[i].of, end > i + 1 ? parts[i + 1].of : -1}};
    }
out:
    return status;
}

static nb_status find_points(nb_surface *surface, const nb_world *world) {
    nb_status status;
    uint8_t *inside = NULL;
    NB_TRY(NB_ALLOCATE(world->particle_count, &inside));
    NB_TRY(NB_RESERVE(world->particle_count, &surface->point_capacity, &surface->points));
    for (int32_t t = 0; t < world->tetrahedron_count; t++)
        for (int k = 0; k < 4; k++) inside[world->tetrahedra[t].particle[k]] = 1;
    for (int32_t f = 0; f < surface->face_count; f++)
        for (int k = 0; k < 3; k++) inside[surface->faces[f].particle[k]] = 0;
    surface->point_count = 0;
    for (int32_t i = 0; i < world->particle_count; i++)
        if (!inside[i]) surface->points[surface->point_count++] = i;
out:
    nb_free(inside);
    return status;
}

static nb_status list_around(nb_surface *surface, const nb_world *world) {
    nb_status status;
    const int32_t particles = world->particle_count, tetrahedra = world->tetrahedron_count;
    NB_TRY(NB_RESERVE((int64_t)particles + 2, &surface->start_capacity, &surface->around_start));
    NB_TRY(NB_RESERVE(4 * (int64_t)tetrahedra, &surface->around_capacity, &surface->around));
    int32_t *start = surface->around_start;
    memset(start, 0, ((size_t)particles + 2) * sizeof *start);
    for (int32_t t = 0; t < tetrahedra; t++)
        for (int k = 0; k < 4; k++) start[world->tetrahedra[t].particle[k] + 2]++;
    for (int32_t i = 0; i < particles; i++) start[i + 2] += start[i + 1];
    for (int32_t t = 0; t < tetrahedra; t++)
        for (int k = 0; k < 4; k++) surface->around[start[world->tetrahedra[t].particle[k] + 1]++] = t;
out:
    return status;
}

/* the same of edges */
static nb_status list_edges(nb_surface *surface, int32_t particles) {
    nb_status status;
    NB_TRY(NB_RESERVE((int64_t)particles + 2, &surface->edge_start_capacity, &surface->edge_start));
    NB_TRY(NB_RESERVE(2 * (int64_t)surface->edge_count, &surface->edges_at_capacity, &surface->edges_at));
    int32_t *start = surface->edge_start;
    memset(start, 0, ((size_t)particles + 2) * sizeof *start);
    for (int32_t e = 0; e < surface->edge_count; e++)
        for (int k = 0; k < 2; k++) start[surface->edges[e].particle[k] + 2]++;
    for (int32_t i = 0; i < particles; i++) start[i + 2] += start[i + 1];
    for (int32_t e = 0; e < surface->edge_count; e++)
        for (int k = 0; k < 2; k++) surface->edges_at[start[surface->edges[e].particle[k] + 1]++] = e;
out:
    return status;
}

static nb_status number_bodies(nb_surface *surface, const nb_world *world) {
    nb_status status = NB_RESERVE(world->particle_count, &surface->body_capacity, &surface->body);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < world->particle_count; i++) surface->body[i] = i;
    for (int32_t t = 0; t < world->tetrahedron_count; t++)
        for (int k = 1; k < 4; k++)
            nb_unite(surface->body, world->tetrahedra[t].particle[0], world->tetrahedra[t].particle[k]);
    for (int32_t t = 0; t < world->triangle_count; t++)
        for (int k = 1; k < 3; k++)
            nb_unite(surface->body, world->triangles[t].particle[0], world->triangles[t].particle[k]);
    for (int32_t i = 0; i < world->particle_count; i++) surface->body[i] = nb_root(surface->body, i);
    return NB_OK;
}

static int is_in(const nb_world *world, int32_t t, nb_vec3 point) {
    const int32_t *p = world->tetrahedra[t].particle;
    nb_vec3 edge[3], to = nb_sub(point, world->particles[p[0]].position);
    double sum = 0;
    for (int k = 0; k < 3; k++) edge[k] = nb_sub(world->particles[p[1 + k]].position, world->particles[p[0]].position);
    double volume = nb_dot(edge[0], nb_cross(edge[1], edge[2]));
    for (int k = 0; k < 3; k++) {
        double share = nb_dot(to, nb_cross(edge[(k + 1) % 3], edge[(k + 2) % 3])) / volume;
        if (!(share >= -1e-6)) return 0;
        sum += share;
    }
    return sum <= 1 + 1e-6;
}

static int has_one_of(const nb_tetrahedron *tetrahedron, int count, const int32_t *particle) {
    for (int n = 0; n < count; n++)
        for (int k = 0; k < 4; k++)
            if (tetrahedron->particle[k] == particle[n]) return 1;
    return 0;
}

int nb_surface_inside(const nb_surface *surface, const nb_world *world, int count, const int32_t *particle,
                      int owner_count, const int32_t *owners, nb_vec3 point) {
    for (int k = 0; k < count; k++)
        for (int32_t i = surface->around_start[particle[k]]; i < surface->around_start[particle[k] + 1]; i++) {
            int32_t t = surface->around[i];
            if (!has_one_of(&world->tetrahedra[t], owner_count, owners) && is_in(world, t, point)) return 1;
        }
    return 0;
}

static int up_to_date(const nb_surface *surface, const nb_world *world) {
    const int32_t *at = surface->corners;
    if (surface->tetrahedra != world->tetrahedron_count || surface->triangles != world->triangle_count ||
        surface->particles != world->particle_count)
        return 0;
    for (int32_t t = 0; t < world->tetrahedron_count; t++, at += 4)
        if (memcmp(at, world->tetrahedra[t].particle, 4 * sizeof *at) != 0) return 0;
    for (int32_t t = 0; t < world->triangle_count; t++, at += 3)
        if (memcmp(at, world->triangles[t].particle, 3 * sizeof *at) != 0) return 0;
    return 1;
}

static void keep_corners(nb_surface *surface, const nb_world *world) {
    int32_t *at = surface->corners;
    for (int32_t t = 0; t < world->tetrahedron_count; t++, at += 4)
        memcpy(at, world->tetrahedra[t].particle, 4 * sizeof *at);
    for (int32_t t = 0; t < world->triangle_count; t++, at += 3)
        memcpy(at, world->triangles[t].particle, 3 * sizeof *at);
    surface->tetrahedra = world->tetrahedron_count;
    surface->triangles = world->triangle_count;
    surface->particles = world->particle_count;
}

nb_status nb_surface_update(nb_surface *surface, const nb_world *world) {
    nb_status status = NB_OK;
    const int64_t tetrahedra = world->tetrahedron_count, triangles = world->triangle_count;
    part *parts = NULL;
    if (up_to_date(surface, world)) return NB_OK;
    surface->tetrahedra = -1; /* nothing is known, should there be no memory */
    NB_TRY(NB_ALLOCATE(12 * tetrahedra + 3 * triangles, &parts));
    NB_TRY(NB_RESERVE(4 * tetrahedra + 3 * triangles, &surface->corner_capacity, &surface->corners));
    NB_TRY(find_faces(surface, world, parts));
    NB_TRY(find_edges(surface, parts));
    NB_TRY(find_points(surface, world));
    NB_TRY(list_around(surface, world));
    NB_TRY(list_edges(surface, world->particle_count));
    NB_TRY(number_bodies(surface, world));
    keep_corners(surface, world);
out:
    nb_free(parts);
    return status;
}

void nb_surface_clear(nb_surface *surface) {
    nb_free(surface->points);
    nb_free(surface->faces);
    nb_free(surface->edges);
    nb_free(surface->corners);
    nb_free(surface->around_start);
    nb_free(surface->around);
    nb_free(surface->edge_start);
    nb_free(surface->edges_at);
    nb_free(surface->body);
    *surface = (nb_surface){0};
}
