#include "manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "record/provenance.h"

/* text as roff takes it: no character that it would act on, hyphens that can be copied */
static void put_text(const char *text, size_t length) {
    int begins = 1; /* a line, where '.' and "'" would be requests */
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (begins && (c == '.' || c == '\'')) fputs("\\&", stdout);
        if (c == '\\')
            fputs("\\e", stdout);
        else if (c == '-')
            fputs("\\-", stdout);
        else
            putchar(c);
        begins = c == '\n';
    }
}

static void put(const char *text) {
    put_text(text, strlen(text));
}

/* a line with a text in bold */
static void put_bold(const char *text) {
    fputs("\\fB", stdout);
    put(text);
    fputs("\\fR", stdout);
}

/* paragraphs with an empty line between; indented ones are examples */
static void put_paragraphs(const char *text) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        int example = strncmp(text, "  ", 2) == 0;
        puts(example ? ".PP\n.RS\n.nf" : ".PP");
        put_text(text + (example ? 2 : 0), length - (example ? 2 : 0));
        puts(example ? "\n.fi\n.RE" : "");
        text += length;
        text += strspn(text, "\n");
    }
}

/* "-o FILE, --output=FILE" and what it means; or the title of a group */
static void put_option(const struct argp_option *o) {
    if (!o->name) {
        fputs(".PP\n", stdout);
        put(o->doc);
        putchar('\n');
        return;
    }
    fputs(".TP\n", stdout);
    if (o->key > ' ' && o->key < 0x7f) printf("\\fB\\-%c\\fR, ", o->key);
    fputs("\\fB\\-\\-", stdout);
    put(o->name);
    fputs("\\fR", stdout);
    if (o->arg) {
        fputs("=\\fI", stdout);
        put(o->arg);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put(o->doc ? o->doc : "");
    putchar('\n');
}

static void put_command(const nb_command *command) {
    struct argp_option options[NB_COMMAND_MOST_OPTIONS];
    fputs(".SS ncpbench ", stdout);
    put(command->name);
    put(*command->arguments ? " " : "");
    for (const char *c = command->arguments; *c; c++) {
        if (*c == '\n') /* two ways to call it: a heading is one line */
            put(" | ");
        else
            put_text(c, 1);
    }
    printf("\n%c", toupper((unsigned char)command->summary[0]));
    put(command->summary + 1);
    puts(".");
    if (command->details) put_paragraphs(command->details);
    nb_command_options(command, options);
    for (const struct argp_option *o = options; o->name || o->doc; o++) put_option(o);
}

static void put_named(const nb_named *one) {
    fputs(".TP\n", stdout);
    put_bold(one->name);
    putchar('\n');
    put(one->summary);
    if (one->option_count > 0) fputs(" (", stdout);
    for (int i = 0; i < one->option_count; i++) {
        put(i ? ", " : "");
        put(one->options[i].name);
    }
    puts(one->option_count > 0 ? ")" : "");
}

static void put_names(void) {
    nb_named one;
    puts(".SH NAMES");
    puts("In brackets stand the names of an entry's parameters or options; \\fBncpbench list\\fR says what they mean.");
    for (int k = 0; k < NB_NAMED_KINDS; k++) {
        fputs(".SS ", stdout);
        put(nb_named_kinds[k].title);
        putchar('\n');
        for (int i = 0; nb_named_kinds[k].at(i, &one); i++)
            if (!one.plugin) put_named(&one);
    }
}

static void put_end(void) {
    puts(".SH EXIT STATUS");
    put(nb_exit_statuses);
    puts(
        ".SH ENVIRONMENT\n.TP\n\\fBNCPBENCH_PLUGINS\\fR\nplugins that \\fBlist\\fR, \\fBrun\\fR, \\fBsolve\\fR and "
        "\\fBexport\\fR load as if given by \\fB\\-\\-plugin\\fR, with \\(oq:\\(cq between them"
        "\n.TP\n\\fBNCPBENCH_KERNELS\\fR\n\\fBavx2\\fR or \\fBbaseline\\fR: kernels for lesser processors than this "
        "one; another value is refused"
        "\n.TP\n\\fBTMPDIR\\fR\nthe folder for the histories of long runs (else /var/tmp) and for drawing (else /tmp)");
    puts(".SH FILES\n.TP\n\\fIFILE.h5\\fR\na record: plain HDF5, as schema.md in the program's documentation describes "
         "it"
         "\n.TP\n\\fIFILE.h5~\\fR\nan earlier record that one of another command, or an incomplete one, replaced; "
         "likewise \\fIFILE.h5~2\\fR, ..."
         "\n.TP\n\\fIFILE.h5.checkpoint\\fR\nwhat \\fBrun \\-\\-resume FILE.h5\\fR, or \\fBreproduce\\fR given again, "
         "goes on from"
         "\n.TP\n\\fIncpbench/plugin.h\\fR\nthe header that a plugin is written with; its place is told by"
         "\n\\fBpkg\\-config \\-\\-cflags ncpbench\\fR");
}

void nb_manual_print(const nb_command *const *commands, int count) {
    printf(".\\\" written by ncpbench --man\n.TH NCPBENCH 1 \"\" \"ncpbench %s\" \"User Commands\"\n", nb_version());
    puts(".nh\n.ad l"); /* names are to be copied: no hyphens at line ends */
    puts(".SH NAME\nncpbench \\- compares solvers for the Newton systems of non\\-smooth multibody dynamics");
    puts(".SH SYNOPSIS\n.B ncpbench\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]");
    puts(".SH DESCRIPTION");
    puts("A scenario, or a problem file that others published, becomes Newton systems of rigid bodies with joints, "
         "contact "
         "and friction. Every linear solver, preconditioner and complementarity scaling runs on the same systems; "
         "residuals, times and parameters go into one HDF5 record, and figures are drawn from the record.");
    puts(".SH COMMANDS");
    for (int i = 0; i < count; i++) put_command(commands[i]);
    put_names();
    put_end();
}
