/* What the back end asks of CUDA apart from kernels (runtime.h): memory, copies through both halves of the staging
 * area, facts, times, too little memory. Skips (77) where there is no GPU. */
#include <stdio.h>

#include "base/memory.h"
#include "check.h"
#include "runtime.h"

enum {
    BYTES = 20 << 20 /* more than both halves of the staging area hold */
};

static const nb_runtime *const cuda = &nb_runtime_cuda;

TEST(bytes_come_back) {
    unsigned char *from, *back;
    void *first, *second;
    CHECK_OK(NB_ALLOCATE(BYTES, &from));
    CHECK_OK(NB_ALLOCATE(BYTES, &back));
    CHECK_OK(cuda->allocate(BYTES, &first));
    CHECK_OK(cuda->allocate(BYTES, &second));
    for (int i = 0; i < BYTES; i++) from[i] = (unsigned char)(i * 7 + (i >> 11));
    CHECK_OK(cuda->upload(first, from, BYTES));
    CHECK_OK(cuda->copy(second, first, BYTES));
    CHECK_OK(cuda->clear(first, BYTES));
    CHECK_OK(cuda->download(back, second, BYTES));
    assert_memory_equal(back, from, BYTES);
    CHECK_OK(cuda->download(back, first, BYTES));
    for (int i = 0; i < BYTES; i++) assert_int_equal(back[i], 0);
    cuda->free(first);
    cuda->free(second);
    nb_free(from);
    nb_free(back);
}

/* and what comes after it is none the worse */
TEST(too_little_memory_is_told) {
    void *memory;
    CHECK_FAULT(cuda->allocate(INT64_C(1) << 50, &memory), NB_ERROR_MEMORY, "not enough memory for 1125899906842624");
    CHECK_OK(cuda->allocate(100, &memory));
    CHECK_OK(cuda->clear(memory, 100));
    CHECK_OK(cuda->wait());
    cuda->free(memory);
}

TEST(facts_are_told) {
    static nb_device_facts facts;
    cuda->describe(&facts);
    assert_non_null(strstr(facts.platform, "built for"));
    assert_non_null(strstr(facts.device, "multiprocessors"));
    assert_non_null(strstr(facts.kernels, "own_pcr_f32 "));
    assert_non_null(strstr(facts.kernels, "island_relax_f64 "));
    assert_non_null(strstr(facts.kernels, "tiles "));
    assert_true(cuda->cache_bytes() > 0);
    assert_true(cuda->block_bytes() >= 48 * 1024);
}

TEST(times_are_added_up) {
    double work, transfer;
    void *memory;
    CHECK_OK(cuda->allocate(BYTES, &memory));
    cuda->take_times(&work, &transfer);
    cuda->mark(NB_TIME_WORK);
    CHECK_OK(cuda->clear(memory, BYTES));
    cuda->mark(NB_TIME_NONE);
    cuda->take_times(&work, &transfer);
    assert_true(work > 0 && work < 10);
    CHECK_NEAR(transfer, 0, 0);
    cuda->free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back),
        cmocka_unit_test(too_little_memory_is_told),
        cmocka_unit_test(facts_are_told),
        cmocka_unit_test(times_are_added_up),
    };
    if (cuda->open() != NB_OK) {
        printf("SKIPPED: %s\n", nb_error_message());
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
