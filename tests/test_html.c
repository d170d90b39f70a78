/* HTML: whatever stands in a text stays text, and drawings are let through only where they do nothing but draw. */
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

static void test_text(void **state) {
    (void)state;
    becomes("", "");
    becomes("a b\tc", "a b\tc");
    becomes("<a href=\"x\">&amp;'", "&lt;a href=&quot;x&quot;&gt;&amp;amp;&#39;");
    becomes("µ → 𝄞", "µ → 𝄞");
}

#define LOST "\xef\xbf\xbd"

static void test_bytes_that_are_no_text(void **state) {
    (void)state;
    becomes("a\x01\x7f", "a" LOST LOST);
    becomes("\xff<", LOST "&lt;");
    becomes("\xc3", LOST);                            /* cut off */
    becomes("\xc3<b>", LOST "&lt;b&gt;");             /* a sequence does not swallow what follows it */
    becomes("\xc0\xbc", LOST LOST);                   /* '<', longer than need be */
    becomes("\xe0\x80\xbc", LOST LOST LOST);          /* the same */
    becomes("\xed\xa0\x80", LOST LOST LOST);          /* half a surrogate pair */
    becomes("\xf4\x90\x80\x80", LOST LOST LOST LOST); /* beyond Unicode */
}

/* the page that a drawing gives, to be freed, or NULL where it is refused */
static char *draw(const char *svg) {
    char path[] = "/tmp/ncpbench-html-XXXXXX", *page = NULL;
    size_t size = 0;
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, svg, strlen(svg)) == (ssize_t)strlen(svg));
    close(file);
    FILE *stream = open_memstream(&page, &size);
    nb_status status = nb_html_drawing(stream, path, "p-");
    fclose(stream);
    unlink(path);
    if (status == NB_OK) return page;
    assert_int_equal(status, NB_ERROR_INPUT);
    assert_int_equal(size, 0); /* nothing is written of what is refused */
    free(page);
    return NULL;
}

static void test_drawing(void **state) {
    (void)state;
    char *page =
        draw("<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg viewBox='0 0 1 1' xmlns=\"http://www.w3.org/2000/svg\">"
             "<title>t</title><g id=\"gnuplot_plot_1\"><title>pcr</title><path id='a' d='M0,0'/>"
             "<use xlink:href='#a' fill='url(#b)'/><text>1 &lt; 2 #a</text></g></svg>\n");
    assert_non_null(page);
    assert_string_equal(page, "<svg viewBox='0 0 1 1'><g><path id='p-a' d='M0,0'/>"
                              "<use xlink:href='#p-a' fill='url(#p-b)'/><text>1 &lt; 2 #a</text></g></svg>");
    free(page);
    page = draw("<svg><image xlink:href='data:image/png;base64,AAAA'/></svg>");
    assert_string_equal(page, "<svg><image xlink:href='data:image/png;base64,AAAA'/></svg>");
    free(page);
}

static void test_refused_drawings(void **state) {
    (void)state;
    static const char *const drawings[] = {
        "no drawing",
        "<svg><script>alert(1)</script></svg>",
        "<svg><SCRIPT>alert(1)</SCRIPT></svg>",
        "<svg><g/onload=alert(1)></g></svg>",
        "<svg onload='alert(1)'></svg>",
        "<svg ONLOAD='alert(1)'></svg>",
        "<svg><use xlink:href='http://example.org/a.svg#a'/></svg>",
        "<svg><image href='a.png'/></svg>",
        "<svg><image href='data:image/svg+xml;base64,AAAA'/></svg>",
        "<svg><g fill='url(http://example.org)'></g></svg>",
        "<svg><foreignObject></foreignObject></svg>",
        "<svg><!-- a remark --></svg>",
        "<svg><g></svg>",
        "<svg><g",
        "<svg><g fill='",
        "<svg><g fill=red></g></svg>",
        "<svg><title>",
        "<svg>",
    };
    for (size_t i = 0; i < sizeof drawings / sizeof *drawings; i++) {
        char *page = draw(drawings[i]);
        if (page) fail_msg("'%s' was let through as '%s'", drawings[i], page);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_drawing),
        cmocka_unit_test(test_refused_drawings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
