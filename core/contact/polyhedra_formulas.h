/* Two convex polyhedra: separating axes, then the feature pairs that count. One source for this processor and a GPU.
 *
 * Whoever includes this defines NB_KEEP_CONTACT before, which takes what nb_encounter_add takes and does what it does.
 */
#ifndef NB_CONTACT_POLYHEDRA_FORMULAS_H
#define NB_CONTACT_POLYHEDRA_FORMULAS_H

#include "base/features.h"
#include "contact/polyhedra.h"

/* pieces nearer than this multiple of the tolerance are in touch: beyond the tolerance of faces and edges, or a corner
 * that just touches would count on both its sides */
static const double GRAZING = 4;
/* edges closer to parallel than this (sine) are no edge-edge pair: their vertices and faces tell the same */
static const double PARALLEL = 1e-3;
/* the cosine of the angle between a contact's normal and the axis of least penetration: 26 degrees */
static const double ALONG_AXIS = 0.9;

typedef struct separating_axis {
    nb_vec3 direction; /* unit, from b to a */
    double distance;   /* of the pieces along it; negative: they overlap by this much [m] */
} separating_axis;

/* what the separating axes tell of an encounter */
typedef struct separation {
    separating_axis face, edges; /* the best face normal, and the best cross product of edges */
    separating_axis axis;        /* the one of them to go by */
    double zero;                 /* length that counts as zero [m] */
    nb_vec3 touching;            /* the first face normal along which the pieces are no more than in touch */
    int touching_axes;           /* 2 if there is another such normal, in another direction */
    int out_of_reach;            /* along some axis they stay farther apart than the margin */
    int may_meet;                /* along no axis are they sure to stay apart */
    int apart;                   /* not even touching */
} separation;

/* the vertex that lies least far along `axis` */
NB_INLINE_FN int32_t lowest_vertex(const nb_piece *piece, nb_vec3 axis) {
    int32_t lowest = 0;
    double least = INFINITY;
    for (int32_t v = 0; v < piece->polyhedron->vertex_count; v++) {
        double along = nb_dot(axis, piece->vertices[v]);
        if (along < least) least = along, lowest = v;
    }
    return lowest;
}

/* One more axis. The first of equals stays, so that round-off does not choose between them. */
NB_INLINE_FN void offer_axis(const nb_encounter *encounter, nb_vec3 direction, double distance, separating_axis *best,
                             separation *found) {
    double least = nb_encounter_least_distance(encounter, direction, distance);
    if (least > encounter->margin) found->out_of_reach = 1;
    if (least > 0) found->may_meet = 0;
    if (distance > best->distance + found->zero) {
        best->direction = direction;
        best->distance = distance;
    }
}

/* Counts directions in which the pieces' extents do not overlap. */
NB_INLINE_FN void note_touching(nb_vec3 direction, double distance, separation *found) {
    if (distance < -GRAZING * found->zero) return;
    if (found->touching_axes == 0) found->touching = direction, found->touching_axes = 1;
    if (fabs(nb_dot(found->touching, direction)) < ALONG_AXIS) found->touching_axes = 2;
}

/* the face normals of one piece; `sign` is 1 where they point from b to a */
NB_INLINE_FN void try_faces(const nb_encounter *encounter, const nb_piece *piece, const nb_piece *other, double sign,
                            separation *found) {
    for (int32_t f = 0; f < piece->polyhedron->face_count && !found->out_of_reach; f++) {
        int32_t v = lowest_vertex(other, piece->normals[f]);
        double distance = nb_face_height(piece, f, other->vertices[v]);
        offer_axis(encounter, nb_scale(sign, piece->normals[f]), distance, &found->face, found);
        note_touching(piece->normals[f], distance, found);
    }
}

/* an edge in the world: its line, and the normals of its two faces */
typedef struct edge {
    int32_t index;
    nb_vec3 start, along; /* `along` has the edge's length */
    double square;        /* of that length */
    nb_vec3 normal[2];
} edge;

enum {
    EDGES = 64 /* of one piece that are held against all of the other's at a time: they stay in the nearest cache */
};

typedef struct edge_list {
    int32_t count;
    edge items[EDGES];
} edge_list;

/* the same edges by coordinate, for loops over them */
typedef struct edge_columns {
    double along[3][EDGES], normal[2][3][EDGES];
} edge_columns;

NB_INLINE_FN edge edge_of(const nb_piece *piece, int32_t index) {
    const int32_t *ends = &piece->polyhedron->edge_vertex[2 * index], *faces = &piece->polyhedron->edge_face[2 * index];
    nb_vec3 start = piece->vertices[ends[0]];
    nb_vec3 along = nb_sub(piece->vertices[ends[1]], start);
    edge e;
    e.index = index;
    e.start = start;
    e.along = along;
    e.square = nb_dot(along, along);
    e.normal[0] = piece->normals[faces[0]];
    e.normal[1] = piece->normals[faces[1]];
    return e;
}

/* a common perpendicular of two edges, from b to a as their faces lie, and the square of its length; 0 where they are
 * closer to parallel than `sine` */
NB_INLINE_FN int cross_edges(const edge *a, const edge *b, double sine, nb_vec3 *across, double *square) {
    const nb_vec3 cross = nb_cross(a->along, b->along);
    *square = nb_dot(cross, cross);
    if (!(*square > sine * sine * a->square * b->square)) return 0;
    nb_vec3 outward = nb_sub(nb_add(b->normal[0], b->normal[1]), nb_add(a->normal[0], a->normal[1]));
    *across = nb_dot(cross, outward) < 0 ? nb_scale(-1, cross) : cross;
    return 1;
}

/* the edges of the piece from `first` on, as many as fit */
NB_INLINE_FN void list_edges(const nb_piece *piece, int32_t first, edge_list *edges) {
    int32_t left = piece->polyhedron->edge_count - first;
    edges->count = left < EDGES ? left : EDGES;
    for (int32_t k = 0; k < edges->count; k++) edges->items[k] = edge_of(piece, first + k);
}

NB_INLINE_FN void write_column(double columns[3][EDGES], int32_t k, nb_vec3 v) {
    columns[0][k] = v.x, columns[1][k] = v.y, columns[2][k] = v.z;
}

NB_INLINE_FN void spread(const edge_list *edges, edge_columns *columns) {
    for (int32_t k = 0; k < edges->count; k++) {
        const edge *e = &edges->items[k];
        write_column(columns->along, k, e->along);
        for (int side = 0; side < 2; side++) write_column(columns->normal[side], k, e->normal[side]);
    }
}

NB_INLINE_FN double dot_at(const double columns[3][EDGES], int32_t k, nb_vec3 v) {
    return columns[0][k] * v.x + columns[1][k] * v.y + columns[2][k] * v.z;
}

NB_INLINE_FN double larger(double x, double y) {
    return x > y ? x : y;
}

/* Below 0 for each edge of b that makes a face of the Minkowski difference with the edge `a`: their arcs on the sphere
 * of normals cross. */
NB_INLINE_FN void cross_arcs(const edge *a, const edge_columns *b, int32_t count, double *crossing) {
    for (int32_t k = 0; k < count; k++) {
        double b0 = dot_at(b->normal[0], k, a->along), b1 = dot_at(b->normal[1], k, a->along);
        double a0 = dot_at(b->along, k, a->normal[0]), a1 = dot_at(b->along, k, a->normal[1]);
        crossing[k] = larger(larger(b0 * b1, a0 * a1), b0 * a1);
    }
}

/* the axis of two edges, unless pieces surely overlap along it, by more than along the best: that spares a root */
NB_INLINE_FN void try_edge_pair(const nb_encounter *encounter, const edge *a, const edge *b, separation *found) {
    nb_vec3 across;
    double square;
    /* the sine: below it round-off turns the axis by more than 1e-10 */
    if (!cross_edges(a, b, 1e-6, &across, &square)) return;
    const nb_vec3 between = nb_sub(a->start, b->start);
    const double along = nb_dot(across, between), half = found->zero / 2, best = found->edges.distance + half,
                 surely = best < -half ? best : -half;
    if (along < 0 && along * along > surely * surely * square) return;
    const nb_vec3 axis = nb_scale(1 / sqrt(square), across);
    offer_axis(encounter, axis, nb_dot(axis, between), &found->edges, found);
}

NB_INLINE_FN void try_edges(const nb_encounter *encounter, separation *found) {
    const nb_piece *pa = encounter->a.piece, *pb = encounter->b.piece;
    edge_list of_b;
    edge_columns columns;
    double crossing[EDGES];
    for (int32_t first = 0; first < pb->polyhedron->edge_count && !found->out_of_reach; first += EDGES) {
        list_edges(pb, first, &of_b);
        spread(&of_b, &columns);
        for (int32_t i = 0; i < pa->polyhedron->edge_count && !found->out_of_reach; i++) {
            const edge a = edge_of(pa, i);
            cross_arcs(&a, &columns, of_b.count, crossing);
            for (int32_t j = 0; j < of_b.count; j++)
                if (crossing[j] < 0) try_edge_pair(encounter, &a, &of_b.items[j], found);
        }
    }
}

NB_INLINE_FN separation separate(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    separation found;
    found.face.direction = found.edges.direction = found.touching = nb_vec3_of(0, 0, 0);
    found.face.distance = found.edges.distance = -INFINITY;
    found.touching_axes = found.out_of_reach = 0;
    found.may_meet = 1;
    found.zero = NB_TOUCHING * fmin(a->radius, b->radius);
    try_faces(encounter, b, a, 1, &found);
    try_faces(encounter, a, b, -1, &found);
    try_edges(encounter, &found);
    /* an edge axis has to be clearly better: faces give more contacts and steadier normals */
    double bonus = 0.05 * fabs(found.face.distance) + found.zero;
    found.axis = found.edges.distance > found.face.distance + bonus ? found.edges : found.face;
    found.apart = fmax(found.face.distance, found.edges.distance) > GRAZING * found.zero;
    return found;
}

NB_INLINE_FN int has_face(const nb_piece *piece, nb_vec3 normal) {
    for (int32_t f = 0; f < piece->polyhedron->face_count; f++)
        if (nb_dot(piece->normals[f], normal) > 1 - 1e-8) return 1;
    return 0;
}

/* Whether two parallel faces touch along no more than a border, as boxes of a grid do diagonally: they hold nothing,
 * and a contact would keep the one from sliding past the other. */
NB_INLINE_FN int grazes(const nb_encounter *encounter, const separation *found) {
    nb_vec3 axis = found->axis.direction;
    return !found->apart && found->touching_axes > 1 && has_face(encounter->b.piece, axis) &&
           has_face(encounter->a.piece, nb_scale(-1, axis));
}

/* whether feature pairs with this normal count, given how the pieces lie as a whole */
NB_INLINE_FN int sensible_normal(const separation *found, nb_vec3 normal) {
    return found->apart || nb_dot(normal, found->axis.direction) >= ALONG_AXIS;
}

/* whether those with this gap count */
NB_INLINE_FN int sensible_gap(const separation *found, double gap) {
    if (found->apart) return gap >= -found->zero;
    /* a point that leaves through this feature is no deeper than the pieces are into each other, tilt allowed for */
    return gap >= 1.5 * found->axis.distance - GRAZING * found->zero;
}

/* vertices of `other` over faces of `piece`; `sign` is 1 where `piece` is b */
NB_INLINE_FN nb_status add_vertices(const nb_encounter *encounter, const separation *found, const nb_piece *piece,
                                    const nb_piece *other, int sign) {
    double reach = nb_encounter_reach(encounter);
    nb_status status = NB_OK;
    for (int32_t f = 0; f < piece->polyhedron->face_count; f++) {
        nb_vec3 normal = piece->normals[f],
                corner = piece->vertices[piece->polyhedron->face_vertex[piece->polyhedron->face_start[f]]];
        if (!sensible_normal(found, nb_scale(sign, normal))) continue;
        for (int32_t v = 0; v < other->polyhedron->vertex_count; v++) {
            nb_vec3 vertex = other->vertices[v];
            double gap = nb_dot(normal, nb_sub(vertex, corner));
            if (gap > reach || !sensible_gap(found, gap)) continue;
            if (!nb_face_contains(piece, f, vertex, found->zero) || !nb_vertex_faces(other, v, normal)) continue;
            nb_vec3 foot = nb_add_scaled(vertex, -gap, normal);
            if (sign > 0)
                NB_TRY(NB_KEEP_CONTACT(encounter, NB_FEATURE_VERTEX_FACE, v, f, vertex, foot, normal));
            else
                NB_TRY(NB_KEEP_CONTACT(encounter, NB_FEATURE_FACE_VERTEX, f, v, foot, vertex, nb_scale(-1, normal)));
        }
    }
out:
    return status;
}

/* Whether something straight ahead in this direction, or at most 30 degrees off, meets the edge before its faces: the
 * direction lies in the edge's normal cone, widened. */
NB_INLINE_FN int edge_faces(const edge *e, nb_vec3 direction) {
    double limit = NB_TURNED_AWAY * sqrt(e->square);
    return nb_dot(direction, nb_add(e->normal[0], e->normal[1])) > 0 &&
           nb_dot(direction, nb_cross(e->normal[0], e->along)) <= limit &&
           nb_dot(direction, nb_cross(e->normal[1], e->along)) >= -limit;
}

/* the nearest points of two edges' lines, as fractions s/det and t/det of the edges */
typedef struct line_points {
    double s, t, det;
} line_points;

NB_INLINE_FN line_points nearest_on_lines(const edge *a, const edge *b) {
    nb_vec3 between = nb_sub(a->start, b->start);
    double ab = nb_dot(a->along, b->along), ra = nb_dot(a->along, between), rb = nb_dot(b->along, between);
    line_points at;
    at.s = ab * rb - b->square * ra;
    at.t = a->square * rb - ab * ra;
    at.det = a->square * b->square - ab * ab;
    return at;
}

/* whether one of them is an end of its edge or beyond; near-parallel lines may leave it open */
NB_INLINE_FN int surely_outside(line_points at) {
    return at.det > 0 && (at.s <= 0 || at.s >= at.det || at.t <= 0 || at.t >= at.det);
}

NB_INLINE_FN int inside(double fraction, const edge *e, double zero) {
    double length = sqrt(e->square);
    return fraction * length > zero && (1 - fraction) * length > zero;
}

/* Whether the common perpendicular of the edges surely leads too far from the axis of least penetration for a contact:
 * spares most pairs the rest. */
NB_INLINE_FN int crosses_axis(const separation *found, const edge *a, const edge *b) {
    const double surely = 0.99 * ALONG_AXIS;
    nb_vec3 cross = nb_cross(a->along, b->along);
    double along = nb_dot(cross, found->axis.direction);
    return !found->apart && along * along < surely * surely * nb_dot(cross, cross);
}

NB_INLINE_FN nb_status add_edge_pair(const nb_encounter *encounter, const separation *found, const edge *a,
                                     const edge *b) {
    nb_vec3 across;
    double square;
    /* cheap tests first: nothing but a contact passes all */
    if (crosses_axis(found, a, b)) return NB_OK;
    const line_points at = nearest_on_lines(a, b);
    if (surely_outside(at)) return NB_OK;
    const double s = at.s / at.det, t = at.t / at.det;
    if (!inside(s, a, found->zero) || !inside(t, b, found->zero)) return NB_OK;
    if (!cross_edges(a, b, PARALLEL, &across, &square)) return NB_OK;
    const nb_vec3 normal = nb_scale(1 / sqrt(square), across);
    if (!sensible_normal(found, normal)) return NB_OK;
    if (!edge_faces(b, normal) || !edge_faces(a, nb_scale(-1, normal))) return NB_OK;
    nb_vec3 point_a = nb_add_scaled(a->start, s, a->along), point_b = nb_add_scaled(b->start, t, b->along);
    if (!sensible_gap(found, nb_dot(normal, nb_sub(point_a, point_b)))) return NB_OK;
    return NB_KEEP_CONTACT(encounter, NB_FEATURE_EDGE_EDGE, a->index, b->index, point_a, point_b, normal);
}

/* Whether the edge comes down along `axis` to `height` or below. One between two faces in one plane is no real edge. */
NB_INLINE_FN int edge_descends(const edge *e, nb_vec3 axis, double height) {
    double start = nb_dot(axis, e->start);
    return (start <= height || start + nb_dot(axis, e->along) <= height) &&
           nb_dot(e->normal[0], e->normal[1]) < 1 - PARALLEL * PARALLEL;
}

NB_INLINE_FN void keep_descending(nb_vec3 axis, double height, edge_list *edges) {
    int32_t kept = 0;
    for (int32_t k = 0; k < edges->count; k++)
        if (edge_descends(&edges->items[k], axis, height)) edges->items[kept++] = edges->items[k];
    edges->count = kept;
}

NB_INLINE_FN nb_status add_edges(const nb_encounter *encounter, const separation *found) {
    const nb_piece *pa = encounter->a.piece, *pb = encounter->b.piece;
    nb_vec3 up = found->axis.direction, down = nb_scale(-1, up);
    /* only edges near the gap between the pieces can be near enough to each other: most pairs are spared */
    double span = fmax(nb_encounter_reach(encounter), 1.5 * fabs(found->axis.distance));
    double top_of_b = nb_dot(up, pb->vertices[lowest_vertex(pb, down)]);
    double bottom_of_a = nb_dot(up, pa->vertices[lowest_vertex(pa, up)]);
    edge_list of_b;
    nb_status status = NB_OK;
    for (int32_t first = 0; first < pb->polyhedron->edge_count; first += EDGES) {
        list_edges(pb, first, &of_b);
        keep_descending(down, span - bottom_of_a, &of_b);
        for (int32_t i = 0; i < pa->polyhedron->edge_count; i++) {
            const edge a = edge_of(pa, i);
            if (!edge_descends(&a, up, top_of_b + span)) continue;
            for (int32_t j = 0; j < of_b.count; j++) NB_TRY(add_edge_pair(encounter, found, &a, &of_b.items[j]));
        }
    }
out:
    return status;
}

NB_INLINE_FN double clamped(double fraction) {
    return fmin(1.0, fmax(0.0, fraction));
}

/* The nearest points of two edges, their ends included. */
NB_INLINE_FN double nearest_on_edges(const edge *a, const edge *b, nb_vec3 *point_a, nb_vec3 *point_b) {
    double aa = a->square, bb = b->square, ab = nb_dot(a->along, b->along), s, t;
    nb_vec3 between = nb_sub(a->start, b->start);
    const line_points at = nearest_on_lines(a, b);
    s = at.det > 1e-12 * aa * bb ? clamped(at.s / at.det) : 0; /* of parallel lines any point is nearest */
    t = clamped((s * ab + nb_dot(b->along, between)) / bb);
    s = clamped((t * ab - nb_dot(a->along, between)) / aa);
    *point_a = nb_add_scaled(a->start, s, a->along);
    *point_b = nb_add_scaled(b->start, t, b->along);
    return nb_norm(nb_sub(*point_a, *point_b));
}

/* Pieces whose nearest features are vertices and edges: one contact between their nearest points. */
NB_INLINE_FN nb_status add_nearest(const nb_encounter *encounter) {
    const nb_piece *pa = encounter->a.piece, *pb = encounter->b.piece;
    double least = INFINITY;
    int32_t edge_a = 0, edge_b = 0;
    nb_vec3 nearest_a = nb_vec3_of(0, 0, 0), nearest_b = nearest_a, point_a, point_b;
    for (int32_t i = 0; i < pa->polyhedron->edge_count; i++)
        for (int32_t j = 0; j < pb->polyhedron->edge_count; j++) {
            edge a = edge_of(pa, i), b = edge_of(pb, j);
            double distance = nearest_on_edges(&a, &b, &point_a, &point_b);
            if (distance < least) least = distance, edge_a = i, edge_b = j, nearest_a = point_a, nearest_b = point_b;
        }
    return NB_KEEP_CONTACT(encounter, NB_FEATURE_NEAREST, edge_a, edge_b, nearest_a, nearest_b,
                           nb_normalized(nb_sub(nearest_a, nearest_b)));
}

NB_INLINE_FN nb_status add_deepest(const nb_encounter *encounter, const separation *found) {
    int32_t v = lowest_vertex(encounter->a.piece, found->axis.direction);
    nb_vec3 vertex = encounter->a.piece->vertices[v];
    return NB_KEEP_CONTACT(encounter, NB_FEATURE_DEEPEST, v, 0, vertex,
                           nb_add_scaled(vertex, -found->axis.distance, found->axis.direction), found->axis.direction);
}

/* Appends all contacts of two polyhedra: vertex-face pairs both ways and edge-edge pairs whose nearest points lie
 * within the face or within both edges, where each feature faces the other.
 *
 * Pieces apart: every such pair. Pieces that touch or pass through each other: those whose normal is near the axis of
 * least penetration (separating axis theorem over face normals and edge cross products, faces preferred), so that boxes
 * sunk into each other are pushed apart through the faces that met. Where no pair remains although the pieces overlap
 * or would meet within the step, one contact stands in: the deepest vertex, or the nearest points of two edges. */
NB_INLINE_FN nb_status nb_encounter_collide_polyhedra(const nb_encounter *encounter) {
    separation found = separate(encounter);
    int32_t before = encounter->contacts->count;
    nb_status status = NB_OK;
    if (found.out_of_reach || grazes(encounter, &found)) return NB_OK;
    NB_TRY(add_vertices(encounter, &found, encounter->b.piece, encounter->a.piece, 1));
    NB_TRY(add_vertices(encounter, &found, encounter->a.piece, encounter->b.piece, -1));
    NB_TRY(add_edges(encounter, &found));
    if (encounter->contacts->count > before) return NB_OK;
    if (found.apart && found.may_meet) return add_nearest(encounter);
    if (!found.apart && (found.may_meet || found.axis.distance < -found.zero)) return add_deepest(encounter, &found);
out:
    return status;
}

#endif
