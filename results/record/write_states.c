/* VTKHDF: Kitware's layout of unstructured grids in HDF5, version 2.0, whose group Steps says where the arrays of each
 * frame start. Cells and what is constant stand there once. Readers of version 1 know no Steps and see the first frame.
 */
#include "record/write_states.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "record/h5.h"

/* ---- what all frames share ---- */

static nb_status write_number(hid_t group, const char *name, const char *long_name, int64_t number) {
    const nb_meaning meaning = {name, "1", long_name};
    hsize_t dims[1] = {1};
    return nb_h5_write_array(group, &meaning, H5T_NATIVE_INT64, 1, dims, &number);
}

static nb_status write_kinds(hid_t group, const nb_mesh *mesh) {
    const nb_meaning meaning = {"Types", "1", "kind of each cell, by VTK's numbers"};
    hsize_t dims[1] = {(hsize_t)mesh->cell_count};
    uint8_t *kinds;
    nb_status status = NB_ALLOCATE(mesh->cell_count, &kinds);
    if (status != NB_OK) return status;
    for (int64_t i = 0; i < mesh->cell_count; i++) kinds[i] = (uint8_t)mesh->cell_kind[i];
    status = nb_h5_write_array(group, &meaning, H5T_NATIVE_UINT8, 1, dims, kinds);
    nb_free(kinds);
    return status;
}

static nb_status write_attribute(hid_t group, const char *name, hid_t file_type, hid_t memory_type, hid_t space,
                                 const void *value) {
    hid_t attribute = H5Acreate2(group, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t done = attribute < 0 ? -1 : H5Awrite(attribute, memory_type, value);
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return done < 0 ? nb_h5_fault("cannot write the attributes of the states") : NB_OK;
}

/* VTK takes a type neither of variable length nor, before 9.4, with a zero at its end. */
static nb_status write_identity(hid_t group) {
    static const int64_t version[2] = {2, 0};
    static const char kind[] = "UnstructuredGrid";
    nb_status status;
    const hsize_t two = 2;
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, sizeof kind - 1);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    NB_TRY(
        write_attribute(group, "Version", H5T_STD_I64LE, H5T_NATIVE_INT64, H5Screate_simple(1, &two, NULL), version));
    NB_TRY(write_attribute(group, "Type", text, text, H5Screate(H5S_SCALAR), kind));
out:
    H5Tclose(text);
    return status;
}

static nb_status write_cells(hid_t group, const nb_mesh *mesh) {
    nb_status status;
    const hsize_t starts = (hsize_t)mesh->cell_count + 1, corners = (hsize_t)mesh->corner_count;
    const nb_meaning start = {"Offsets", "1", "cell i has the corners Offsets[i] .. Offsets[i + 1] - 1"};
    const nb_meaning corner = {"Connectivity", "1", "points that are the cells' corners"};
    NB_TRY(write_identity(group));
    NB_TRY(write_number(group, "NumberOfPoints", "points of a frame", mesh->point_count));
    NB_TRY(write_number(group, "NumberOfCells", "cells of a frame", mesh->cell_count));
    NB_TRY(write_number(group, "NumberOfConnectivityIds", "corners of a frame's cells", mesh->corner_count));
    NB_TRY(nb_h5_write_array(group, &start, H5T_NATIVE_INT64, 1, &starts, mesh->cell_start));
    NB_TRY(nb_h5_write_array(group, &corner, H5T_NATIVE_INT64, 1, &corners, mesh->corners));
    NB_TRY(write_kinds(group, mesh));
out:
    return status;
}

/* ---- what each frame has ---- */

static void pack_places(const void *context, int64_t first, int64_t count, void *data) {
    const nb_run *run = context;
    float *rows = data;
    for (int64_t i = 0, n = run->mesh.point_count; i < count; i++) {
        int64_t frame = (first + i) / n, point = (first + i) % n;
        nb_vec3 x = nb_mesh_position(&run->mesh, run->frames + frame * 7 * run->info.bodies,
                                     run->frame_x ? run->frame_x + frame * 3 * run->frame_particles : NULL, point);
        rows[3 * i] = (float)x.x;
        rows[3 * i + 1] = (float)x.y;
        rows[3 * i + 2] = (float)x.z;
    }
}

/* three numbers of every cell's body, from the column `from` of u on; of an element its velocity, and no turning */
static void pack_velocity(const nb_run *run, int from, int64_t first, int64_t count, float *rows) {
    for (int64_t i = 0, n = run->mesh.cell_count; i < count; i++) {
        int64_t frame = (first + i) / n, cell = (first + i) % n, body = run->mesh.cell_body[cell];
        if (body < 0) {
            const double *v = run->frame_v + frame * 3 * run->frame_particles;
            nb_vec3 mean = from == 0 ? nb_mesh_element_velocity(&run->mesh, v, cell) : nb_vec3_of(0, 0, 0);
            rows[3 * i] = (float)mean.x;
            rows[3 * i + 1] = (float)mean.y;
            rows[3 * i + 2] = (float)mean.z;
            continue;
        }
        const double *u = run->frame_u + 6 * (frame * run->info.bodies + body) + from;
        for (int k = 0; k < 3; k++) rows[3 * i + k] = (float)u[k];
    }
}

static void pack_linear(const void *context, int64_t first, int64_t count, void *data) {
    pack_velocity(context, 0, first, count, data);
}

static void pack_angular(const void *context, int64_t first, int64_t count, void *data) {
    pack_velocity(context, 3, first, count, data);
}

static void pack_strain(const void *context, int64_t first, int64_t count, void *data) {
    const nb_run *run = context;
    float *rows = data;
    for (int64_t i = 0, n = run->mesh.cell_count; i < count; i++) {
        const double *x = run->frame_x + (first + i) / n * 3 * run->frame_particles;
        rows[i] = (float)nb_mesh_volumetric_strain(&run->mesh, x, (first + i) % n);
    }
}

static const char strain_name[] = "volumetric_strain";

static int has_strain(const nb_mesh *mesh) {
    for (int64_t i = 0; i < mesh->cell_count; i++)
        if (mesh->cell_volume[i] > 0) return 1;
    return 0;
}

static nb_status write_frames(hid_t group, const nb_run *run) {
    nb_status status;
    hid_t data = -1;
    const nb_mesh *mesh = &run->mesh;
    hsize_t points = (hsize_t)mesh->point_count, cells = (hsize_t)mesh->cell_count;
    hsize_t dims[2] = {(hsize_t)run->frame_count * points, 3}, cell_dims[2] = {(hsize_t)run->frame_count * cells, 3};
    const nb_meaning place = {"Points", "m", "points of the bodies' shapes in the world, frame after frame"};
    const nb_meaning body = {"body", "1", "body of each cell; -1: an element"};
    const nb_meaning linear = {"velocity", "m/s", "velocity of the centre of mass of each cell's body"};
    const nb_meaning angular = {"angular_velocity", "rad/s", "angular velocity of each cell's body"};
    const nb_meaning strain = {strain_name, "1",
                               "volume of each element over that at rest, less one; NaN: no tetrahedron"};
    NB_TRY(nb_h5_write_rows(group, &place, H5T_NATIVE_FLOAT, 2, dims, pack_places, run));
    NB_TRY(nb_h5_create_group(group, "CellData", &data));
    NB_TRY(nb_h5_write_array(data, &body, H5T_NATIVE_INT32, 1, &cells, mesh->cell_body));
    NB_TRY(nb_h5_write_rows(data, &linear, H5T_NATIVE_FLOAT, 2, cell_dims, pack_linear, run));
    NB_TRY(nb_h5_write_rows(data, &angular, H5T_NATIVE_FLOAT, 2, cell_dims, pack_angular, run));
    if (has_strain(mesh)) NB_TRY(nb_h5_write_rows(data, &strain, H5T_NATIVE_FLOAT, 1, cell_dims, pack_strain, run));
out:
    if (data >= 0) H5Gclose(data);
    return status;
}

/* first + i * each for every frame i */
static nb_status write_offsets(hid_t group, const char *name, const char *long_name, int rank, int32_t frames,
                               int64_t first, int64_t each) {
    const nb_meaning meaning = {name, "1", long_name};
    hsize_t dims[2] = {(hsize_t)frames, 1};
    int64_t *offsets;
    nb_status status = NB_ALLOCATE(frames, &offsets);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < frames; i++) offsets[i] = first + i * each;
    status = nb_h5_write_array(group, &meaning, H5T_NATIVE_INT64, rank, dims, offsets);
    nb_free(offsets);
    return status;
}

static nb_status write_data_offsets(hid_t steps, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    int32_t frames = run->frame_count;
    int64_t cells = run->mesh.cell_count;
    NB_TRY(nb_h5_create_group(steps, "CellDataOffsets", &group));
    NB_TRY(write_offsets(group, "body", "first row of each frame", 1, frames, 0, 0));
    NB_TRY(write_offsets(group, "velocity", "first row of each frame", 1, frames, 0, cells));
    NB_TRY(write_offsets(group, "angular_velocity", "first row of each frame", 1, frames, 0, cells));
    if (has_strain(&run->mesh))
        NB_TRY(write_offsets(group, strain_name, "first row of each frame", 1, frames, 0, cells));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_steps(hid_t group, const nb_run *run) {
    nb_status status;
    hid_t steps = -1;
    int32_t frames = run->frame_count;
    int64_t count = frames;
    const hsize_t dims[1] = {(hsize_t)frames};
    const nb_meaning time = {"Values", "s", "time of each frame"};
    NB_TRY(nb_h5_create_group(group, "Steps", &steps));
    NB_TRY(nb_h5_write_integer(steps, "NSteps", H5T_NATIVE_INT64, &count));
    NB_TRY(nb_h5_write_array(steps, &time, H5T_NATIVE_DOUBLE, 1, dims, run->frame_time));
    NB_TRY(write_offsets(steps, "PartOffsets", "first part of each frame", 1, frames, 0, 0));
    NB_TRY(write_offsets(steps, "NumberOfParts", "parts of each frame", 1, frames, 1, 0));
    NB_TRY(write_offsets(steps, "PointOffsets", "first point of each frame", 1, frames, 0, run->mesh.point_count));
    NB_TRY(write_offsets(steps, "CellOffsets", "first cell of each frame", 2, frames, 0, 0));
    NB_TRY(write_offsets(steps, "ConnectivityIdOffsets", "first corner of each frame", 2, frames, 0, 0));
    NB_TRY(write_data_offsets(steps, run));
out:
    if (steps >= 0) H5Gclose(steps);
    return status;
}

/* ---- contacts: a grid of its own, whose only cell has all points of a frame ---- */

/* columns of a contact from `column` on, as many as `wide` */
typedef struct contact_packing {
    const nb_run *run;
    int column, wide;
} contact_packing;

static void pack_contacts(const void *context, int64_t first, int64_t count, void *data) {
    const contact_packing *p = context;
    float *to = data;
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < p->wide; k++)
            *to++ = (float)p->run->frame_contacts[(first + i) * NB_FRAME_CONTACT_COLUMNS + p->column + k];
}

static void pack_errors(const void *context, int64_t first, int64_t count, void *data) {
    const nb_run *run = context;
    for (int64_t i = 0; i < count; i++) {
        const double *row = run->frame_contacts + (first + i) * NB_FRAME_CONTACT_COLUMNS;
        ((float *)data)[i] = (float)fmax(row[NB_FRAME_CONTACT_NORMAL_ERROR], row[NB_FRAME_CONTACT_FRICTION_ERROR]);
    }
}

static const struct {
    nb_meaning meaning;
    int column, wide;
} contact_data[] = {
    {{"Points", "m", "contact point on the first body at the start of the step"}, NB_FRAME_CONTACT_POINT, 3},
    {{"force", "N", "force on the first body"}, NB_FRAME_CONTACT_FORCE, 3},
    {{"slip", "m/s", "tangential velocity at the end of the step"}, NB_FRAME_CONTACT_SLIP, 3},
    {{"gap", "m", "gap at the end of the step"}, NB_FRAME_CONTACT_GAP, 1},
    {{"mode", "1", "mode of each contact: 0 open, 1 sticking, 2 sliding"}, NB_FRAME_CONTACT_MODE, 1},
    {{"error", "m/s", "natural map of each contact, the larger of normal and friction"}, -1, 1},
};
enum {
    CONTACT_DATA = sizeof contact_data / sizeof *contact_data
};

static nb_status write_contact_data(hid_t grid, hid_t point_data, const nb_run *run) {
    nb_status status = NB_OK;
    for (int i = 0; i < CONTACT_DATA; i++) {
        const contact_packing packing = {run, contact_data[i].column, contact_data[i].wide};
        const hsize_t dims[2] = {(hsize_t)run->frame_contact_start[run->frame_count], (hsize_t)packing.wide};
        const int rank = packing.wide > 1 ? 2 : 1, derived = packing.column < 0;
        NB_TRY(nb_h5_write_rows(i == 0 ? grid : point_data, &contact_data[i].meaning, H5T_NATIVE_FLOAT, rank, dims,
                                derived ? pack_errors : pack_contacts,
                                derived ? (const void *)run : (const void *)&packing));
    }
out:
    return status;
}

/* `count` numbers of one array */
static nb_status write_numbers(hid_t group, const char *name, const char *long_name, int64_t count,
                               const int64_t *numbers) {
    const nb_meaning meaning = {name, "1", long_name};
    const hsize_t dims[1] = {(hsize_t)count};
    return nb_h5_write_array(group, &meaning, H5T_NATIVE_INT64, 1, dims, numbers);
}

static nb_status write_contact_cells(hid_t grid, const nb_run *run) {
    nb_status status;
    const int64_t frames = run->frame_count, most = nb_longest_range(run->frame_contact_start, frames);
    const nb_meaning kind = {"Types", "1", "kind of each frame's cell, by VTK's numbers: 2, points"};
    const hsize_t dims[1] = {(hsize_t)frames};
    int64_t *lengths = NULL, *offsets = NULL, *points = NULL;
    uint8_t *kinds = NULL;
    NB_TRY(NB_ALLOCATE(frames, &lengths));
    NB_TRY(NB_ALLOCATE(2 * frames, &offsets));
    NB_TRY(NB_ALLOCATE(most, &points));
    NB_TRY(NB_ALLOCATE(frames, &kinds));
    for (int64_t i = 0; i < most; i++) points[i] = i;
    for (int64_t f = 0; f < frames; f++) {
        lengths[f] = offsets[2 * f + 1] = run->frame_contact_start[f + 1] - run->frame_contact_start[f];
        kinds[f] = 2;
    }
    NB_TRY(write_numbers(grid, "NumberOfPoints", "points of each frame", frames, lengths));
    NB_TRY(write_numbers(grid, "NumberOfConnectivityIds", "points of each frame's cell", frames, lengths));
    NB_TRY(write_offsets(grid, "NumberOfCells", "cells of each frame", 1, run->frame_count, 1, 0));
    NB_TRY(write_numbers(grid, "Offsets", "each frame's cell has the points 0 .. NumberOfPoints - 1", 2 * frames,
                         offsets));
    NB_TRY(write_numbers(grid, "Connectivity", "points of each frame's cell", most, points));
    NB_TRY(nb_h5_write_array(grid, &kind, H5T_NATIVE_UINT8, 1, dims, kinds));
out:
    nb_free(lengths);
    nb_free(offsets);
    nb_free(points);
    nb_free(kinds);
    return status;
}

static nb_status write_contact_steps(hid_t steps, hid_t data_offsets, const nb_run *run) {
    nb_status status;
    const int32_t frames = run->frame_count;
    const int64_t count = frames;
    const hsize_t dims[1] = {(hsize_t)frames};
    const nb_meaning time = {"Values", "s", "time of each frame"};
    NB_TRY(nb_h5_write_integer(steps, "NSteps", H5T_NATIVE_INT64, &count));
    NB_TRY(nb_h5_write_array(steps, &time, H5T_NATIVE_DOUBLE, 1, dims, run->frame_time));
    NB_TRY(write_offsets(steps, "PartOffsets", "first part of each frame", 1, frames, 0, 1));
    NB_TRY(write_offsets(steps, "NumberOfParts", "parts of each frame", 1, frames, 1, 0));
    NB_TRY(write_numbers(steps, "PointOffsets", "first point of each frame", frames, run->frame_contact_start));
    NB_TRY(write_offsets(steps, "CellOffsets", "first cell of each frame", 2, frames, 0, 1));
    NB_TRY(write_offsets(steps, "ConnectivityIdOffsets", "first entry of each frame", 2, frames, 0, 0));
    for (int i = 1; i < CONTACT_DATA; i++)
        NB_TRY(write_numbers(data_offsets, contact_data[i].meaning.name, "first row of each frame", frames,
                             run->frame_contact_start));
out:
    return status;
}

static nb_status write_contacts(hid_t states, const nb_run *run) {
    nb_status status;
    hid_t grid = -1, point_data = -1, steps = -1, data_offsets = -1;
    NB_TRY(nb_h5_create_group(states, "contacts", &grid));
    NB_TRY(nb_h5_create_group(grid, "PointData", &point_data));
    NB_TRY(nb_h5_create_group(grid, "Steps", &steps));
    NB_TRY(nb_h5_create_group(steps, "PointDataOffsets", &data_offsets));
    NB_TRY(write_identity(grid));
    NB_TRY(write_contact_cells(grid, run));
    NB_TRY(write_contact_data(grid, point_data, run));
    NB_TRY(write_contact_steps(steps, data_offsets, run));
out:
    if (data_offsets >= 0) H5Gclose(data_offsets);
    if (steps >= 0) H5Gclose(steps);
    if (point_data >= 0) H5Gclose(point_data);
    if (grid >= 0) H5Gclose(grid);
    return status;
}

nb_status nb_write_states(hid_t run_group, const nb_run *run) {
    nb_status status = NB_OK;
    const int seen = run->mesh.cell_count > 0, touches = run->frame_contact_start[run->frame_count] > 0;
    if (run->frame_count == 0 || (!seen && !touches)) return NB_OK; /* nothing to be seen */
    hid_t group = H5Gopen2(run_group, "states", H5P_DEFAULT);
    if (group < 0) return nb_h5_fault("cannot write the states");
    if (seen) {
        NB_TRY(write_cells(group, &run->mesh));
        NB_TRY(write_frames(group, run));
        NB_TRY(write_steps(group, run));
    }
    if (touches) NB_TRY(write_contacts(group, run));
out:
    H5Gclose(group);
    return status;
}

nb_status nb_link_states(hid_t file, const char *run) {
    char states[40], steps[48];
    snprintf(states, sizeof states, "/runs/%s/states", run);
    snprintf(steps, sizeof steps, "%s/Steps", states);
    if (H5Lexists(file, "VTKHDF", H5P_DEFAULT) > 0 || H5Lexists(file, states, H5P_DEFAULT) <= 0 ||
        H5Lexists(file, steps, H5P_DEFAULT) <= 0)
        return NB_OK;
    if (H5Lcreate_soft(states, file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT) < 0)
        return nb_h5_fault("cannot link the states");
    return NB_OK;
}
