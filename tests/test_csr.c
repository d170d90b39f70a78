/* Sparse matrices by compressed rows against dense ones: entries in any order, copies, transposes, products; and no
 * leak at any allocation that fails. */
#include "base/csr.h"

#include <string.h>

#include "base/memory.h"
#include "base/real.h"
#include "check.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST = 9,
    MOST_ENTRIES = 200
};

/* triplets and the matrix they make; entries are small whole numbers, so that sums are exact in both precisions */
typedef struct instance {
    int32_t rows, columns, row[MOST_ENTRIES], column[MOST_ENTRIES];
    int64_t count;
    real value[MOST_ENTRIES], dense[MOST][MOST];
} instance;

static void make_random(uint64_t *random, instance *t) {
    *t = (instance){.rows = (int32_t)(test_random_bits(random) % (MOST + 1)),
                    .columns = 1 + (int32_t)(test_random_bits(random) % MOST)};
    t->count = t->rows > 0 ? (int64_t)(test_random_bits(random) % MOST_ENTRIES) : 0;
    for (int64_t k = 0; k < t->count; k++) {
        t->row[k] = (int32_t)(test_random_bits(random) % (uint64_t)t->rows);
        t->column[k] = (int32_t)(test_random_bits(random) % (uint64_t)t->columns);
        t->value[k] = (real)(test_random_bits(random) % 17) - 8;
        t->dense[t->row[k]][t->column[k]] += t->value[k];
    }
}

/* `a` is the dense matrix, or its transpose, with an entry wherever there was a triplet and nowhere else */
static void check_is(const instance *t, const nb_csr *a, int transposed) {
    int there[MOST][MOST] = {{0}};
    int64_t entries = 0;
    for (int64_t k = 0; k < t->count; k++) {
        int *place = transposed ? &there[t->column[k]][t->row[k]] : &there[t->row[k]][t->column[k]];
        entries += !*place;
        *place = 1;
    }
    assert_int_equal(a->rows, transposed ? t->columns : t->rows);
    assert_int_equal(a->columns, transposed ? t->rows : t->columns);
    assert_int_equal(a->start[0], 0);
    assert_int_equal(nb_csr_nonzeros(a), entries);
    for (int32_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            int32_t j = a->column[k];
            assert_true(k == a->start[i] || j > a->column[k - 1]);
            assert_true(there[i][j]);
            assert_true(a->value[k] == (transposed ? t->dense[j][i] : t->dense[i][j]));
        }
}

static void check_product(const instance *t, const nb_csr *a) {
    real x[MOST], y[MOST];
    for (int j = 0; j < MOST; j++) x[j] = (real)(j - 4);
    nb_csr_apply(a, x, y);
    for (int i = 0; i < t->rows; i++) {
        real sum = 0;
        for (int j = 0; j < t->columns; j++) sum += t->dense[i][j] * x[j];
        assert_true(y[i] == sum);
    }
}

TEST(triplets_make_what_they_say) {
    uint64_t seed = 1207, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 300; trial++) {
        instance t;
        nb_csr *a, *copy, *transposed, *back;
        make_random(&random, &t);
        CHECK_OK(nb_csr_from_triplets(t.rows, t.columns, t.count, t.row, t.column, t.value, &a));
        check_is(&t, a, 0);
        check_product(&t, a);
        CHECK_OK(nb_csr_find_triples(a)); /* the same products, three rows at a time where they agree */
        check_product(&t, a);
        CHECK_OK(nb_csr_copy(a, &copy));
        CHECK_OK(nb_csr_transpose(a, &transposed));
        nb_csr_destroy(a);
        check_is(&t, copy, 0);
        check_is(&t, transposed, 1);
        CHECK_OK(nb_csr_transpose(transposed, &back));
        check_is(&t, back, 0);
        nb_csr_destroy(copy);
        nb_csr_destroy(transposed);
        nb_csr_destroy(back);
    }
}

/* three rows with the same columns twice, one more between them; the diagonal's places */
TEST(triples_and_diagonals) {
    instance t = {.rows = 7, .columns = 7};
    for (int32_t i = 0; i < 7; i++)
        for (int32_t j = 0; j < 7; j++) {
            if (i == 3 ? j != 3 : j == 3) continue;
            t.row[t.count] = i;
            t.column[t.count] = j;
            t.value[t.count++] = t.dense[i][j] = (real)(i + 2 * j);
        }
    nb_csr *a;
    int64_t place[7];
    CHECK_OK(nb_csr_from_triplets(t.rows, t.columns, t.count, t.row, t.column, t.value, &a));
    CHECK_OK(nb_csr_find_triples(a));
    static const uint8_t triple[] = {1, 0, 0, 0, 1, 0, 0};
    assert_memory_equal(a->triple, triple, sizeof triple);
    check_product(&t, a);
    nb_csr_diagonal(a, place);
    for (int i = 0; i < 7; i++) {
        assert_in_range(place[i], (uintmax_t)a->start[i], (uintmax_t)a->start[i + 1] - 1);
        assert_int_equal(a->column[place[i]], i);
    }
    nb_csr_destroy(a);
}

TEST(none_is_empty) {
    nb_csr *made, inside;
    CHECK_OK(nb_csr_create(3, 2, 4, &made));
    assert_int_equal(nb_csr_nonzeros(made), 0); /* room alone */
    inside = *made;
    nb_free(made);
    nb_csr_clear(&inside);
    assert_null(inside.start);
    assert_int_equal(nb_csr_nonzeros(&inside), 0);
    nb_csr_clear(&inside);
    nb_csr_destroy(NULL);
}

static nb_status make_all(const instance *t) {
    nb_csr *a = NULL, *copy = NULL, *transposed = NULL;
    nb_status status = nb_csr_from_triplets(t->rows, t->columns, t->count, t->row, t->column, t->value, &a);
    assert_true((status == NB_OK) == (a != NULL));
    if (status == NB_OK) status = nb_csr_copy(a, &copy);
    if (status == NB_OK) status = nb_csr_transpose(a, &transposed);
    if (status == NB_OK) status = nb_csr_find_triples(a);
    nb_csr_destroy(a);
    nb_csr_destroy(copy);
    nb_csr_destroy(transposed);
    return status;
}

TEST(faults_leave_nothing) {
    uint64_t random = 3;
    instance t;
    do make_random(&random, &t);
    while (t.count < 3);
    const int64_t held = nb_allocation_held();
    nb_status status = NB_ERROR_MEMORY;
    int failures = 0;
    for (; status != NB_OK; failures++) {
        assert_true(failures < 100);
        nb_allocation_fail_after(failures);
        status = make_all(&t);
        nb_allocation_fail_after(-1);
        assert_int_equal(nb_allocation_held(), held);
    }
    assert_int_equal(failures - 1, 4 + 2 + 4 + 1 + 4 + 1); /* one an allocation */
}

RUN_TESTS(triplets_make_what_they_say, triples_and_diagonals, none_is_empty, faults_leave_nothing)
