#include "text/markup.h"

#include <string.h>

#include "text/plain.h"

/* a letter that LaTeX would read otherwise, and how it writes it */
static const char *const latex[][2] = {
    {"\\", "\\textbackslash{}"},
    {"_", "\\_"},
    {"%", "\\%"},
    {"#", "\\#"},
    {"&", "\\&"},
    {"$", "\\$"},
    {"^", "\\^{}"},
    {"~", "\\~{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"|", "$|$"},
    {"<", "$<$"},
    {">", "$>$"},
    {"λ", "$\\lambda$"},
    {"φ", "$\\varphi$"},
    {"μ", "$\\mu$"},
    {"µ", "$\\mu$"},
    {"Δ", "$\\Delta$"},
    {"×", "$\\times$"},
    {"ε", "$\\varepsilon$"},
};

/* "10^{-3}", as gnuplot writes a decade: its length, or 0 */
static int decade_length(const char *text) {
    int length = 0;
    if (sscanf(text, "10^{%*d}%n", &length) != 0 && length == 0) return 0;
    return length;
}

void nb_tex_write(const char *text, size_t length, FILE *file) {
    for (const char *end = text + length; text < end;) {
        size_t taken = 0;
        const char *instead = NULL;
        const int decade = decade_length(text);
        if (decade > 0 && text + decade <= end) {
            fprintf(file, "$%.*s$", decade, text);
            text += decade;
            continue;
        }
        for (size_t i = 0; i < sizeof latex / sizeof *latex && !instead; i++)
            if (strncmp(text, latex[i][0], strlen(latex[i][0])) == 0) {
                instead = latex[i][1];
                taken = strlen(latex[i][0]);
            }
        if (instead)
            fputs(instead, file);
        else
            fputc(*text, file);
        text += instead ? taken : 1;
    }
}

void nb_markdown_write(const char *text, FILE *file) {
    char plain[1024];
    nb_text_plain(text, plain, sizeof plain);
    for (const char *c = plain; *c; c++) {
        if (strchr("\\|*_<>`[]", *c)) fputc('\\', file);
        fputc(*c, file);
    }
}
