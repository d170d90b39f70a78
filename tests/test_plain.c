/* Plain text: whatever bytes come in, UTF-8 without control characters goes out, and text that is plain stays as it is.
 */
#include "text/plain.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "text/json.h"
#include "text/table.h"

static void becomes(const char *text, const char *expected) {
    char plain[128];
    nb_text_plain(text, plain, sizeof plain);
    assert_string_equal(plain, expected);
}

TEST(test_spelling) {
    becomes("", "");
    becomes("µ → 𝄞 a\\b \"%s\"", "µ → 𝄞 a\\b \"%s\"");
    becomes("\a\b\t\n\v\f\r\x1b[31m\x7f\x01", "\\a\\b\\t\\n\\v\\f\\r\\x1b[31m\\x7f\\x01");
    becomes("\xff\xc3", "\\xff\\xc3");                                              /* no lead byte; cut off */
    becomes("\xc1\xbf\xe0\x9f\xbf", "\\xc1\\xbf\\xe0\\x9f\\xbf");                   /* longer than need be */
    becomes("\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"); /* a surrogate, beyond the last */
    becomes("\xc2\x9b"
            "31m\xe2\x80\xa8\xe2\x80\xae\xef\xbf\xbf",
            "\\xc2\\x9b"
            "31m\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xef\\xbf\\xbf");
    becomes("\xc2\xa0\xe2\x80\xaf\xef\xbf\xbd\xf4\x8f\xbf\xbd", "\xc2\xa0\xe2\x80\xaf\xef\xbf\xbd\xf4\x8f\xbf\xbd");
}

TEST(test_cuts_at_characters) {
    char plain[8];
    nb_text_plain("abcdefgh", plain, sizeof plain);
    assert_string_equal(plain, "abcdefg");
    nb_text_plain("abcde𝄞", plain, sizeof plain);
    assert_string_equal(plain, "abcde");
    nb_text_plain("abcd\n\xff", plain, sizeof plain);
    assert_string_equal(plain, "abcd\\n");
}

/* what nb_print makes of a format, beside what printf does */
#define PRINTS(expected, ...)                            \
    do {                                                 \
        char *text = NULL, wanted[256];                  \
        size_t size = 0;                                 \
        FILE *stream = open_memstream(&text, &size);     \
        nb_print(stream, __VA_ARGS__);                   \
        fclose(stream);                                  \
        snprintf(wanted, sizeof wanted, __VA_ARGS__);    \
        const char *said = expected;                     \
        assert_string_equal(text, said ? said : wanted); \
        free(text);                                      \
    } while (0)

TEST(test_print_is_printf) {
    PRINTS(NULL, "100 %% of\t%d, %5d, %-5d|, %05d, %+d\n", 1, -2, 3, 4, 5);
    PRINTS(NULL, "%u %x %ld %lld %llu %zu", UINT_MAX, 255u, LONG_MIN, LLONG_MIN, ULLONG_MAX, (size_t)-1);
    PRINTS(NULL, "%g %.3f %8.2e %.*g %*d", 0.1, 1.0 / 3, -1e-7, 9, 2.0 / 3, 7, 42);
    PRINTS(NULL, "%s|%8s|%-8s|%.2s|%*s|%-*s|%.*s|", "µm", "abc", "abc", "abc", 5, "x", 5, "y", 1, "zz");
    PRINTS(NULL, "%f %f %e", NAN, -INFINITY, 0.0);
}

TEST(test_print_spells_arguments_alone) {
    PRINTS("\ta\\tb\n\x1b[K", "\t%s\n\x1b[K", "a\tb");
    PRINTS("  \\x1b|\\n  |\\xff\\xff", "%6s|%-4s|%.2s", "\x1b", "\n", "\xff\xff\xff");
}

TEST(test_cells) {
    const char *const titles[] = {"a", "b"};
    char *text = NULL;
    size_t size = 0;
    nb_table *table = NULL;
    FILE *stream = open_memstream(&text, &size);
    CHECK_OK(nb_table_create(2, titles, &table));
    nb_table_cell(table, "x\n%s", "\x1b");
    nb_table_cell(table, "%d", 1);
    CHECK_OK(nb_table_print(table, stream));
    nb_table_destroy(table);
    fclose(stream);
    assert_string_equal(text, "a        b\nx\\n\\x1b  1\n");
    free(text);
}

/* ---- random bytes ---- */

enum {
    LENGTH = 24
};

/* bytes of all kinds: any at all, ASCII, those of UTF-8 that is nearly right */
static void make(uint64_t *seed, char text[LENGTH + 1]) {
    static const char pieces[] =
        "\xc2\x80\xc3\xa9\xe2\x80\xa8\xed\x9f\xbf\xee\x80\xef\xbf\xbe\xf0\x9d\x84\x9e\xf4\x8f\xbf";
    int kind = (int)(test_random(seed, 0, 4)), length = (int)(test_random(seed, 0, LENGTH));
    for (int i = 0; i < length; i++) {
        double x = test_random(seed, 0, 1);
        text[i] = (char)(kind == 0   ? 1 + (int)(255 * x)
                         : kind == 1 ? 32 + (int)(95 * x)
                                     : pieces[(int)((double)(sizeof pieces - 1) * x)]);
    }
    text[length] = '\0';
}

static void is_plain(const char *text) {
    for (int length; *text; text += length) {
        uint32_t code;
        length = nb_text_character(text, &code);
        assert_true(length > 0 && nb_text_printable(code));
    }
}

/* the text of {"a": "..."}, with its escapes decoded (RFC 8259, section 7) */
static void decode(const char *object, char *back) {
    static const char begin[] = "{\"a\": \"", escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *at = object + sizeof begin - 1;
    assert_memory_equal(object, begin, sizeof begin - 1);
    while (*at != '"') {
        if (*at != '\\') {
            *back++ = *at++;
        } else if (at[1] == 'u') {
            const unsigned code = (unsigned)strtoul((char[5]){at[2], at[3], at[4], at[5], 0}, NULL, 16);
            if (code < 0x80) *back++ = (char)code;
            if (code >= 0x800) *back++ = (char)(0xe0 | code >> 12);
            if (code >= 0x80)
                *back++ = (char)((code < 0x800 ? 0xc0 : 0x80) | (code >> 6 & (code < 0x800 ? 0x1f : 0x3f)));
            if (code >= 0x80) *back++ = (char)(0x80 | (code & 0x3f));
            at += 6;
        } else {
            const char *found = strchr(escapes, at[1]);
            assert_non_null(found);
            *back++ = meanings[found - escapes];
            at += 2;
        }
    }
    *back = '\0';
    assert_string_equal(at, "\"}");
}

/* whether every byte is of a character that JSON can hold as it is, or as \uXXXX */
static int is_text(const char *text) {
    for (int length; *text; text += length) {
        uint32_t code;
        length = nb_text_character(text, &code);
        if (length == 0 || (code > 0xffff && !nb_text_printable(code))) return 0;
    }
    return 1;
}

TEST(test_random_bytes) {
    uint64_t seed = test_seed();
    int kept = 0, read = 0;
    for (int i = 0; i < 20000; i++) {
        char text[LENGTH + 1], plain[4 * LENGTH + 1], again[4 * LENGTH + 1], back[4 * LENGTH] = "";
        make(&seed, text);
        nb_text_plain(text, plain, sizeof plain);
        is_plain(plain);
        nb_text_plain(plain, again, sizeof again);
        assert_string_equal(again, plain);
        kept += strcmp(plain, text) == 0;
        char *object = NULL;
        size_t size = 0;
        nb_json json = {.stream = open_memstream(&object, &size)};
        nb_json_object(&json, NULL);
        nb_json_text(&json, "a", text);
        nb_json_end(&json);
        fclose(json.stream);
        is_plain(object);
        decode(object, back);
        if (is_text(text)) {
            assert_string_equal(back, text);
            read++;
        }
        free(object);
    }
    assert_true(kept > 2000 && kept < 18000 && read > kept);
}

RUN_TESTS(test_spelling, test_cuts_at_characters, test_print_is_printf, test_print_spells_arguments_alone, test_cells,
          test_random_bytes)
