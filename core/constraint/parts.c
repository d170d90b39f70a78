#include "constraint/parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/union_find.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

void nb_parts_destroy(nb_parts *parts) {
    if (!parts) return;
    for (int32_t i = 0; i < parts->count; i++) {
        nb_delassus *d = parts->part[i].delassus;
        if (parts->part_of) {
            nb_delassus_matrix_destroy(d);
        } else if (d) {
            nb_free((void *)d->block_start); /* group_start lies behind it */
            nb_free(d);
        }
    }
    nb_free(parts->part);
    nb_free(parts->row);
    nb_free(parts->range);
    nb_free(parts->part_of);
    nb_free(parts);
}

/* ---- islands that the problem itself knows: their rows follow each other in each of its ranges ---- */

static int32_t blocks_of(const nb_law_range *ranges, int32_t count) {
    int32_t blocks = 0;
    for (int32_t i = 0; i < count; i++) blocks += ranges[i].blocks;
    return blocks;
}

/* Its shares of the problem's ranges, those without blocks left out, become ranges in its own rows. */
static void number_rows(nb_part *part, int32_t count) {
    int32_t rows = 0, blocks = 0;
    part->range_count = 0;
    for (int32_t i = 0; i < count; i++) {
        nb_law_range range = part->ranges[i];
        if (range.blocks == 0) continue;
        int32_t own = nb_law_range_rows(&range);
        for (int32_t r = 0; r < own; r++) part->row[rows + r] = range.first_row + r;
        range.first_row = rows;
        range.first_block = blocks;
        rows += own;
        blocks += range.blocks;
        part->ranges[part->range_count++] = range;
    }
}

static int is_left_out(const uint8_t *left_out, int32_t island) {
    return left_out && left_out[island];
}

static nb_status gather_islands(const nb_problem *p, int32_t least, const uint8_t *left_out, nb_parts *s) {
    nb_status status;
    int32_t rows = 0;
    NB_TRY(NB_ALLOCATE(p->island_count, &s->part));
    NB_TRY(NB_ALLOCATE(p->rows, &s->row));
    NB_TRY(NB_ALLOCATE((int64_t)p->island_count * p->range_count, &s->range));
    for (int32_t first = 0, end; first < p->island_count; first = end) {
        nb_part *part = &s->part[s->count];
        int32_t blocks = 0;
        end = first + 1;
        if (is_left_out(left_out, first)) continue;
        part->row = s->row + rows;
        part->ranges = s->range + (int64_t)s->count * p->range_count;
        for (end = first; end < p->island_count && (blocks < least || end == first); end++) {
            if (is_left_out(left_out, end)) break;
            p->type->island(p, end, part->ranges);
            blocks += blocks_of(part->ranges, p->range_count);
        }
        NB_TRY(p->type->islands(p, first, end, part->ranges, &part->delassus));
        s->count++;
        number_rows(part, p->range_count);
        rows += part->delassus->rows;
    }
out:
    return status;
}

/* ---- islands of a matrix: blocks that no entry couples ---- */

typedef struct split {
    const nb_delassus *d;
    const nb_csr *matrix; /* its entries */
    int32_t *block_of;    /* [rows] */
    int32_t *part_of;     /* [blocks] */
    int32_t *begin;       /* [parts + 1] first of each part's blocks in `order` */
    int32_t *order;       /* [blocks] by part */
    int32_t *own_row;     /* [rows] number in its part */
    int32_t *own_block;   /* [blocks + 1] first own row of the blocks of a part */
} split;

static void clear_split(split *s) {
    nb_free(s->block_of);
    nb_free(s->part_of);
    nb_free(s->begin);
    nb_free(s->order);
    nb_free(s->own_row);
    nb_free(s->own_block);
}

/* part_of: islands numbered by their first block, then small ones put together; returns how many parts there are.
 * `changing`: values are not what they will be. */
static int32_t number_parts(split *s, int32_t least, int changing) {
    const nb_csr *a = s->matrix;
    int32_t blocks = s->d->block_count, *parent = s->part_of, *sizes = s->own_block, *part = s->order, parts = 0,
            size = 0;
    for (int32_t i = 0; i < blocks; i++) parent[i] = i;
    for (int32_t r = 0; r < a->rows; r++)
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++)
            if (changing || a->value[k] != 0) nb_unite(parent, s->block_of[r], s->block_of[a->column[k]]);
    memset(sizes, 0, (size_t)blocks * sizeof *sizes);
    for (int32_t i = 0; i < blocks; i++) sizes[nb_root(parent, i)]++;
    for (int32_t i = 0; i < blocks; i++) { /* roots come before their members */
        if (nb_root(parent, i) != i) continue;
        if (size >= least || parts == 0) parts++, size = 0;
        part[i] = parts - 1;
        size += sizes[i];
    }
    for (int32_t i = blocks - 1; i >= 0; i--) parent[i] = part[nb_root(parent, i)]; /* members before their roots */
    return parts;
}

static void sort_blocks(split *s, int32_t parts) {
    int32_t blocks = s->d->block_count;
    for (int32_t i = 0; i < blocks; i++) s->begin[s->part_of[i] + 1]++;
    for (int32_t k = 0; k < parts; k++) s->begin[k + 1] += s->begin[k];
    for (int32_t i = 0; i < blocks; i++) s->order[s->begin[s->part_of[i]]++] = i;
    for (int32_t k = parts; k > 0; k--) s->begin[k] = s->begin[k - 1];
    s->begin[0] = 0;
}

/* the range that a block of the problem is in */
static const nb_law_range *range_with(const nb_problem *p, int32_t block) {
    const nb_law_range *range = p->ranges;
    while (block >= range->first_block + range->blocks) range++;
    return range;
}

/* a block more at the end of the part's ranges */
static void add_block(const nb_problem *p, int32_t block, int32_t own_block, int32_t own_row, nb_part *part) {
    const nb_law_range *of = range_with(p, block);
    int32_t first = of->first + block - of->first_block;
    nb_law_range *last = &part->ranges[part->range_count - 1];
    if (part->range_count > 0 && last->law == of->law && last->first + last->blocks == first) {
        last->blocks++;
        return;
    }
    part->ranges[part->range_count++] = (nb_law_range){of->law, 1, own_block, own_row, first};
}

/* rows, ranges and own numbers of part k; returns the number of its rows */
static int32_t number_part(const nb_problem *p, split *s, int32_t k, nb_part *part) {
    const int32_t *start = s->d->block_start;
    int32_t rows = 0;
    for (int32_t i = s->begin[k]; i < s->begin[k + 1]; i++) {
        int32_t block = s->order[i], own = i - s->begin[k];
        add_block(p, block, own, rows, part);
        s->own_block[own] = rows;
        for (int32_t r = start[block]; r < start[block + 1]; r++) {
            s->own_row[r] = rows;
            part->row[rows++] = r;
        }
    }
    s->own_block[s->begin[k + 1] - s->begin[k]] = rows;
    return rows;
}

/* the place of the part's rows of the matrix; what couples them with others is zero */
static nb_status copy_pattern(const split *s, const int32_t *part_of, int32_t k, int32_t rows, const nb_part *part,
                              nb_csr **matrix) {
    const nb_csr *a = s->matrix;
    int64_t count = 0;
    for (int32_t r = 0; r < rows; r++)
        for (int64_t e = a->start[part->row[r]]; e < a->start[part->row[r] + 1]; e++)
            count += part_of[a->column[e]] == k;
    nb_status status = nb_csr_create(rows, rows, count, matrix);
    if (status != NB_OK) return status;
    count = 0;
    for (int32_t r = 0; r < rows; r++) {
        for (int64_t e = a->start[part->row[r]]; e < a->start[part->row[r] + 1]; e++)
            if (part_of[a->column[e]] == k) (*matrix)->column[count++] = s->own_row[a->column[e]];
        (*matrix)->start[r + 1] = count;
    }
    return NB_OK;
}

void nb_parts_copy_values(nb_parts *parts, const nb_problem *p) {
    const nb_csr *a = parts->part_of ? nb_delassus_matrix_of(p->exact) : NULL;
    for (int32_t k = 0; a && k < parts->count; k++) {
        const nb_part *part = &parts->part[k];
        real *value = nb_delassus_matrix_of(part->delassus)->value;
        for (int32_t r = 0; r < part->delassus->rows; r++)
            for (int64_t e = a->start[part->row[r]]; e < a->start[part->row[r] + 1]; e++)
                if (parts->part_of[a->column[e]] == k) *value++ = a->value[e];
    }
}

static nb_status begin_split(const nb_delassus *d, split *s) {
    nb_status status;
    s->d = d;
    s->matrix = nb_delassus_matrix_of(d);
    NB_TRY(NB_ALLOCATE(d->rows, &s->block_of));
    NB_TRY(NB_ALLOCATE(d->block_count, &s->part_of));
    NB_TRY(NB_ALLOCATE(d->block_count, &s->order));
    NB_TRY(NB_ALLOCATE(d->rows, &s->own_row));
    NB_TRY(NB_ALLOCATE((int64_t)d->block_count + 1, &s->own_block));
    for (int32_t i = 0; i < d->block_count; i++)
        for (int32_t r = d->block_start[i]; r < d->block_start[i + 1]; r++) s->block_of[r] = i;
out:
    return status;
}

static nb_status split_matrix(const nb_problem *p, int32_t least, nb_parts *parts) {
    nb_status status;
    split s = {0};
    int32_t rows = 0;
    NB_TRY(begin_split(p->exact, &s));
    int32_t count = number_parts(&s, least, p->whole != NULL);
    NB_TRY(NB_ALLOCATE((int64_t)count + 1, &s.begin));
    sort_blocks(&s, count);
    NB_TRY(NB_ALLOCATE(count, &parts->part));
    NB_TRY(NB_ALLOCATE(p->rows, &parts->row));
    NB_TRY(NB_ALLOCATE(s.d->block_count, &parts->range));
    NB_TRY(NB_ALLOCATE(p->rows, &parts->part_of));
    for (int32_t r = 0; r < p->rows; r++) parts->part_of[r] = s.part_of[s.block_of[r]];
    for (int32_t k = 0; k < count && count > 1; k++) {
        nb_part *part = &parts->part[parts->count++];
        nb_csr *matrix;
        *part = (nb_part){.row = parts->row + rows, .ranges = parts->range + s.begin[k]};
        int32_t own = number_part(p, &s, k, part);
        rows += own;
        NB_TRY(copy_pattern(&s, parts->part_of, k, own, part, &matrix));
        NB_TRY(nb_delassus_matrix_create(matrix, s.begin[k + 1] - s.begin[k], s.own_block, 0, NULL, &part->delassus));
    }
    nb_parts_copy_values(parts, p);
out:
    clear_split(&s);
    return status;
}

nb_status nb_parts_create(const nb_problem *p, int32_t least, const uint8_t *left_out, nb_parts **parts) {
    nb_status status;
    nb_parts *s = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    if (p->island_count > 1 && p->type->islands)
        NB_TRY(gather_islands(p, least, left_out, s));
    else if ((p->island_count > 1 || p->whole) && nb_delassus_matrix_of(p->exact)) /* a whole may know of fewer */
        NB_TRY(split_matrix(p, least, s));
out:
    if (status == NB_OK && s->count == 1 && !left_out) { /* it is the whole */
        nb_parts_destroy(s);
        status = NB_ALLOCATE(1, &s);
    }
    if (status != NB_OK) {
        nb_parts_destroy(s);
        s = NULL;
    }
    *parts = s;
    return status;
}
