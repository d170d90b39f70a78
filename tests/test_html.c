/* HTML: whatever stands in a text or a drawing stays within its place in the page. */
#include "text/html.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/* what nb_html_text makes of a text */
static void becomes(const char *text, const char *expected) {
    char *page = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&page, &size);
    nb_html_text(stream, text);
    fclose(stream);
    assert_string_equal(page, expected);
    free(page);
}

TEST(test_text) {
    becomes("", "");
    becomes("a b\tc", "a b\tc");
    becomes("<a href=\"x\">&amp;'", "&lt;a href=&quot;x&quot;&gt;&amp;amp;&#39;");
    becomes("µ → 𝄞", "µ → 𝄞");
}

#define LOST "\xef\xbf\xbd"

TEST(test_bytes_that_are_no_text) {
    becomes("a\x01\x7f", "a" LOST LOST);
    becomes("\xff<", LOST "&lt;");
    becomes("\xc3", LOST);                            /* cut off */
    becomes("\xc3<b>", LOST "&lt;b&gt;");             /* a sequence does not swallow what follows it */
    becomes("\xc0\xbc", LOST LOST);                   /* '<', longer than need be */
    becomes("\xe0\x80\xbc", LOST LOST LOST);          /* the same */
    becomes("\xed\xa0\x80", LOST LOST LOST);          /* half a surrogate pair */
    becomes("\xf4\x90\x80\x80", LOST LOST LOST LOST); /* beyond Unicode */
}

/* the image that a drawing gives */
static void draws(const char *svg, const char *expected) {
    char path[] = "/tmp/ncpbench-html-XXXXXX", *page = NULL;
    size_t size = 0;
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, svg, strlen(svg)) == (ssize_t)strlen(svg));
    close(file);
    FILE *stream = open_memstream(&page, &size);
    CHECK_OK(nb_html_drawing(stream, path, "a \"title\""));
    fclose(stream);
    unlink(path);
    assert_string_equal(page, expected);
    free(page);
}

#define IMAGE "<img alt=\"a &quot;title&quot;\" src=\"data:image/svg+xml,"

/* all of it is in the attribute, whatever it is, and none of it ends the attribute or the URL */
TEST(test_drawings) {
    draws("<svg a='b'>1 \t\n µ</svg>", IMAGE "%3Csvg a='b'%3E1 %09%0A µ%3C/svg%3E\">");
    draws("\"><script>alert(1)</script>", IMAGE "%22%3E%3Cscript%3Ealert(1)%3C/script%3E\">");
    draws("100% #a &quot; &#34;", IMAGE "100%25 %23a %26quot; %26%2334;\">");
    draws("a\xff\xc3\x7f", IMAGE "a" LOST LOST "%7F\">");
    draws("", IMAGE "\">");
}

TEST(test_a_file_that_is_not_there) {
    char *page = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&page, &size);
    assert_int_equal(nb_html_drawing(stream, "/nonexistent/a.svg", "title"), NB_ERROR_IO);
    fclose(stream);
    assert_int_equal(size, 0);
    free(page);
}

RUN_TESTS(test_text, test_bytes_that_are_no_text, test_drawings, test_a_file_that_is_not_there)
