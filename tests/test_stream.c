/* Files of plain numbers: what is put comes back, and nothing that is damaged, cut short or half written is taken. */
#include "base/stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "check.h"

static char folder[] = "/tmp/ncpbench-stream-XXXXXX";
static char part[64], whole[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(part, sizeof part, "%s/part", folder);
    snprintf(whole, sizeof whole, "%s/whole", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(whole);
    return rmdir(folder);
}

static const double numbers[] = {1.5, -0.0, 5e-324, 1e308};

static void write_file(void) {
    nb_stream stream;
    const int32_t answer = 42;
    CHECK_OK(nb_stream_create(part, &stream));
    CHECK_OK(nb_stream_put(&stream, &answer, sizeof answer));
    CHECK_OK(nb_stream_put_text(&stream, "a text"));
    CHECK_OK(nb_stream_put_array(&stream, 4, sizeof *numbers, numbers));
    assert_int_not_equal(access(part, F_OK), -1);
    CHECK_OK(nb_stream_finish(&stream, whole, 1));
    assert_int_equal(access(part, F_OK), -1);
}

TEST(test_what_is_put_comes_back) {
    nb_stream stream;
    int32_t answer;
    int64_t count, capacity = 0;
    char *text;
    double *array = NULL, more;
    write_file();
    CHECK_OK(nb_stream_open(whole, &stream));
    CHECK_OK(nb_stream_get(&stream, &answer, sizeof answer));
    assert_int_equal(answer, 42);
    CHECK_OK(nb_stream_get_text(&stream, &text));
    assert_string_equal(text, "a text");
    CHECK_OK(nb_stream_get_array(&stream, &count, sizeof *array, &capacity, &array));
    assert_int_equal(count, 4);
    assert_memory_equal(array, numbers, sizeof numbers);
    assert_int_equal(nb_stream_get(&stream, &more, sizeof more), NB_ERROR_INPUT); /* the end */
    nb_stream_close(&stream);
    nb_stream_close(&stream);
    nb_free(text);
    nb_free(array);
}

/* an array's count that promises more than the file holds must not be believed */
TEST(test_a_count_beyond_the_end) {
    const int64_t counts[] = {-1, 1, INT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        nb_stream stream;
        int64_t count, capacity = 0;
        double *array = NULL;
        CHECK_OK(nb_stream_create(part, &stream));
        CHECK_OK(nb_stream_put(&stream, &counts[i], sizeof counts[i]));
        CHECK_OK(nb_stream_finish(&stream, whole, 0));
        CHECK_OK(nb_stream_open(whole, &stream));
        assert_int_equal(nb_stream_get_array(&stream, &count, sizeof *array, &capacity, &array), NB_ERROR_INPUT);
        assert_null(array);
        nb_stream_close(&stream);
    }
}

/* the file's bytes, at most 256 */
static size_t read_bytes(unsigned char bytes[256]) {
    FILE *file = fopen(whole, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, 256, file);
    fclose(file);
    return size;
}

static void write_bytes(const unsigned char *bytes, size_t size) {
    FILE *file = fopen(whole, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

TEST(test_every_damage_is_seen) {
    unsigned char bytes[256];
    nb_stream stream;
    write_file();
    size_t size = read_bytes(bytes);
    assert_in_range(size, 60, 255);
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            write_bytes(bytes, size);
            assert_int_equal(nb_stream_open(whole, &stream), NB_ERROR_INPUT);
            bytes[i] ^= (unsigned char)(1 << bit);
        }
        write_bytes(bytes, i);
        assert_int_equal(nb_stream_open(whole, &stream), NB_ERROR_INPUT);
    }
    write_bytes(bytes, size);
    CHECK_OK(nb_stream_open(whole, &stream));
    nb_stream_close(&stream);
}

TEST(test_what_cannot_be_written) {
    nb_stream stream;
    const char *nowhere = "/nonexistent/part";
    assert_int_equal(nb_stream_create(nowhere, &stream), NB_ERROR_IO);
    assert_int_equal(nb_stream_open(nowhere, &stream), NB_ERROR_IO);
    CHECK_OK(nb_stream_create(part, &stream));
    assert_int_equal(nb_stream_finish(&stream, nowhere, 0), NB_ERROR_IO);
    assert_int_equal(access(part, F_OK), -1); /* dropped */
}

/* nobody serves the pipe, and nothing waits for it */
TEST(test_a_pipe_is_refused_at_once) {
    nb_stream stream;
    assert_int_equal(mkfifo(part, 0600), 0);
    assert_int_equal(nb_stream_create(part, &stream), NB_ERROR_IO);
    assert_int_equal(nb_stream_open(part, &stream), NB_ERROR_IO);
    assert_non_null(strstr(nb_error_message(), "not a regular file"));
    assert_int_equal(unlink(part), 0);
}

/* the examples of FIPS 180-4 and a million times "a" (NIST), in pieces */
TEST(sha256_of_known_texts) {
    static const struct {
        const char *text;
        int times;
        const char *sum;
    } known[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        nb_sha256 sha;
        char sum[NB_SHA256_TEXT];
        const size_t length = strlen(known[i].text), cut = length / 3;
        nb_sha256_begin(&sha);
        for (int k = 0; k < known[i].times; k++) {
            nb_sha256_add(&sha, known[i].text, cut);
            nb_sha256_add(&sha, known[i].text + cut, length - cut);
        }
        nb_sha256_end(&sha, sum);
        assert_string_equal(sum, known[i].sum);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_of_known_texts),       cmocka_unit_test(test_what_is_put_comes_back),
        cmocka_unit_test(test_a_count_beyond_the_end), cmocka_unit_test(test_every_damage_is_seen),
        cmocka_unit_test(test_what_cannot_be_written), cmocka_unit_test(test_a_pipe_is_refused_at_once),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
