#include "record/disk_space.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* attributes, headers of groups and data sets, partly filled chunks */
static const int64_t overhead_bytes = 1 << 19;

/* what members take as they are, and what rows are padded with beyond that */
typedef struct needs {
    double bytes, padding;
} needs;

static void add_members(const nb_members *members, const void *owner, needs *n);

/* ragged rows are as long as the longest of their range */
static double padded_rows(const nb_member *member, const void *owner) {
    double entries = 1;
    int64_t ranges = 1;
    for (int i = 0; i < nb_member_rank(member); i++) {
        const int ragged = member->shape[i].kind == NB_EXTENT_RAGGED;
        const int64_t *start = ragged ? nb_extent_starts(&member->shape[i], owner) : NULL;
        const int64_t count = ragged ? nb_longest_range(start, ranges) : nb_extent_count(&member->shape[i], owner);
        ranges = ragged ? start[ranges] : ranges * count;
        entries *= (double)count;
    }
    return entries;
}

static void add_member(const nb_member *member, const void *owner, needs *n) {
    const char *data = NULL;
    if (member->kind == NB_MEMBER_PART) add_members(member->part, (const char *)owner + member->offset, n);
    if (nb_member_is_array(member)) data = nb_member_data(member, owner);
    const int64_t entries = data ? nb_member_entries(member, owner, 0) : 0;
    for (int64_t i = 0; member->kind == NB_MEMBER_STRUCTS && i < entries; i++) {
        add_members(member->part, data + (size_t)i * member->part->size, n);
        n->bytes += (double)overhead_bytes / 2;
    }
    if (!data || member->kind == NB_MEMBER_STRUCTS) return;
    const double size = (double)nb_member_entry_size(member, owner);
    n->bytes += (double)entries * size;
    if (member->kind == NB_MEMBER_ROWS) n->padding += padded_rows(member, owner) * size;
}

static void add_members(const nb_members *members, const void *owner, needs *n) {
    for (int i = 0; i < members->count; i++) add_member(&members->items[i], owner, n);
}

/* what VTK has of each frame besides: the points' places and two velocities a cell, each three singles, a strain,
 * and offsets */
static double drawn_bytes(const nb_run *run) {
    return 8 * (double)run->frame_count * (double)(2 * run->mesh.point_count + 4 * run->mesh.cell_count + 12);
}

int64_t nb_disk_space_of_run(const nb_run *run) {
    needs n = {0};
    add_members(&nb_run_members, run, &n);
    n.bytes += drawn_bytes(run);
    /* deflate leaves less than a hundredth of padding, and adds less than a tenth to what it cannot shrink */
    return (int64_t)(1.1 * n.bytes + n.padding / 100) + overhead_bytes;
}

nb_status nb_disk_space_reserve(const char *path, const char *shown, int64_t bytes) {
    struct stat info;
    int file = open(path, O_WRONLY | O_CLOEXEC), error = file < 0 ? errno : 0;
    if (!error && fstat(file, &info) != 0) error = errno;
    if (!error) {
        error = posix_fallocate(file, info.st_size, bytes);
        if (error && ftruncate(file, info.st_size) != 0) error = errno;
    }
    if (file >= 0) close(file);
    /* a file system that knows no reserving is left to find out by itself */
    if (error && error != EINVAL && error != EOPNOTSUPP)
        return nb_fail(NB_ERROR_IO, "cannot write '%.300s' (%lld bytes more): %s", shown, (long long)bytes,
                       strerror(error));
    return NB_OK;
}
