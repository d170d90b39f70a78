#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "manual.h"
#include "names.h"

/* ---- the words that can stand in a place ---- */

static void put_names(const nb_named_kind *kind) {
    nb_named one;
    for (int i = 0; kind->at(i, &one); i++)
        if (!one.plugin) printf(" %s", one.name);
}

/* the options of everything of a kind, each once, with the "=" that follows */
static void put_option_names(const nb_named_kind *kind) {
    nb_named one, other;
    for (int i = 0; kind->at(i, &one); i++)
        for (int o = 0; o < one.option_count; o++) {
            int known = 0;
            for (int k = 0; k < i && kind->at(k, &other); k++)
                for (int p = 0; p < other.option_count; p++)
                    known |= strcmp(other.options[p].name, one.options[o].name) == 0;
            if (!known) printf(" %s=", one.options[o].name);
        }
}

/* whether a text is the words to choose from, "a|b|c" or "a,b,c": lower case and more than one */
static int is_choice(const char *text) {
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < length; i++)
        if (isupper((unsigned char)text[i]) || text[i] == '.') return 0;
    return strcspn(text, "|,") < length;
}

static void put_choices(const char *text) {
    putchar(' ');
    for (; *text && *text != ' '; text++) putchar(strchr("|,", *text) ? ' ' : *text);
}

static int names_file(const char *text) {
    return strstr(text, "FILE") || strstr(text, "DIR");
}

/* what follows an option: `names` and `files` of the script */
static void put_value(const nb_command *command, const struct argp_option *o) {
    const nb_named_kind *kind = NULL, *owner = NULL;
    for (int k = 0; k < NB_NAMED_KINDS; k++) {
        const nb_named_kind *one = &nb_named_kinds[k];
        if (one->flag && strcmp(one->flag, o->name) == 0) kind = one;
        if (one->options_flag && strcmp(one->options_flag, o->name) == 0) owner = one;
    }
    printf("    %s:%s", command->name, o->name);
    if (o->key > ' ' && o->key < 0x7f) printf(" | %s:%c", command->name, o->key);
    fputs(") names='", stdout);
    if (kind) put_names(kind);
    if (owner) put_option_names(owner);
    if (is_choice(o->arg)) put_choices(o->arg);
    printf("' files=%d ;;\n", names_file(o->arg));
}

/* What a command's argument can be, by the words that its --help uses for it. */
static void put_arguments(const nb_command *command) {
    const char *first = command->arguments + strspn(command->arguments, "[");
    printf("    %s:) names='", command->name);
    if (strncmp(first, "SCENARIO", 8) == 0) put_names(&nb_named_kinds[0]);
    if (strncmp(first, "KIND", 4) == 0)
        for (int k = 0; k < NB_NAMED_KINDS; k++) printf(" %s", nb_named_kinds[k].name);
    for (int k = 0; nb_bench_kernels[k] && strncmp(first, "KERNEL", 6) == 0; k++) printf(" %s", nb_bench_kernels[k]);
    for (int k = 0; k < NB_NAMED_KINDS && strncmp(first, "NAME", 4) == 0; k++)
        if (strcmp(nb_named_kinds[k].name, "figures") == 0) put_names(&nb_named_kinds[k]), fputs(" all", stdout);
    if (is_choice(first)) put_choices(first);
    int files = strncmp(first, "FILE", 4) == 0 || strncmp(first, "PROBLEM", 7) == 0 || strncmp(first, "A.h5", 4) == 0;
    printf("' files=%d ;;\n", files);
}

/* ---- tables, which both shells read ---- */

static void put_values(const nb_command *const *commands, int count) {
    struct argp_option options[NB_COMMAND_MOST_OPTIONS];
    puts("# what can follow COMMAND:OPTION, or stand as an argument of COMMAND:\n"
         "_ncpbench_values() {\n    case $1 in");
    for (int i = 0; i < count; i++) {
        nb_command_options(commands[i], options);
        for (const struct argp_option *o = options; o->name || o->doc; o++)
            if (o->name && o->arg) put_value(commands[i], o);
        put_arguments(commands[i]);
    }
    puts("    *) return 1 ;;\n    esac\n}\n");
}

/* " 'NAME:DESCRIPTION'", as zsh's _describe takes it */
static void put_described(const char *dashes, const char *name, const char *equals, const char *text) {
    printf(" '%s%s%s:", dashes, name, equals);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    }
    putchar('\'');
}

/* every command's options: words of a text, or, with descriptions, of an array */
static void put_options(const nb_command *const *commands, int count, int described) {
    struct argp_option options[NB_COMMAND_MOST_OPTIONS];
    puts("_ncpbench_options() {\n    case $1 in");
    for (int i = 0; i < count; i++) {
        printf("    %s) %s", commands[i]->name, described ? "options=(" : "names='");
        nb_command_options(commands[i], options);
        for (const struct argp_option *o = options; o->name || o->doc; o++) {
            const char *equals = o->arg ? "=" : "";
            if (o->name && described)
                put_described("--", o->name, equals, o->doc);
            else if (o->name)
                printf(" --%s%s", o->name, equals);
        }
        puts(described ? ") ;;" : "' ;;");
    }
    printf("    *) %s ;;\n    esac\n}\n\n", described ? "options=()" : "names=''");
}

/* ---- scripts ---- */

/* Bash hands '--option=value' over as three words. In a comma list only the last item is completed. */
static const char bash_engine[] =
    "_ncpbench() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} option='' names='' files=0 "
    "list=''\n"
    "    local command=${COMP_WORDS[1]}\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$_ncpbench_commands --help --version\" -- \"$current\")\n"
    "        return\n"
    "    fi\n"
    "    if [ \"$current\" = = ]; then\n"
    "        option=$before current=''\n"
    "        case $option in -*) ;; *) return ;; esac\n" /* NAME=VALUE: the value is free */
    "    elif [ \"$before\" = = ]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD-2]}\n"
    "        case $option in -*) ;; *) return ;; esac\n"
    "    else\n"
    "        option=$before\n"
    "    fi\n"
    "    case $option in\n"
    "    --*) option=${option#--} ;;\n"
    "    -?) option=${option#-} ;;\n"
    "    *) option='' ;;\n"
    "    esac\n"
    "    if [[ $current == -* ]]; then\n"
    "        _ncpbench_options \"$command\"\n"
    "    elif [ -z \"$option\" ] || ! _ncpbench_values \"$command:$option\"; then\n"
    "        _ncpbench_values \"$command:\"\n"
    "    fi\n"
    "    if [ \"$files\" = 1 ]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
    "        return\n"
    "    fi\n"
    "    case $current in *,*) list=${current%,*}, ;; esac\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"$names\" -- \"${current##*,}\")\n"
    "    case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
    "}\n"
    "complete -F _ncpbench ncpbench\n";

/* What compset takes off stands before the cursor and is kept: '--option=', and a comma list but for its last item.
 * The file is a function that zsh loads when it is first wanted, or is sourced. */
static const char zsh_engine[] =
    "_ncpbench() {\n"
    "    local command=${words[2]} before=${words[CURRENT-1]} option='' names='' files=0\n"
    "    local -a options described plain\n"
    "    if (( CURRENT == 2 )); then\n"
    "        options=('--help:how it is used' '--version:its version')\n"
    "        _describe -V command _ncpbench_commands -- options\n"
    "        return\n"
    "    fi\n"
    "    if [[ $PREFIX == --*=* ]]; then\n"
    "        option=${${PREFIX%%=*}#--}\n"
    "        compset -P 1 '--*='\n"
    "    elif [[ $PREFIX == -* ]]; then\n"
    "        _ncpbench_options \"$command\"\n"
    "        described=(${(M)options:#--[^:]#=:*}) plain=(${options:#--[^:]#=:*})\n"
    "        _describe -V option described -S '' -- plain\n"
    "        return\n"
    "    elif [[ $before == --[^=]## ]]; then\n"
    "        option=${before#--}\n"
    "    elif [[ $before == -? ]]; then\n"
    "        option=${before#-}\n"
    "    fi\n"
    "    if [[ -z $option ]] || ! _ncpbench_values \"$command:$option\"; then\n"
    "        _ncpbench_values \"$command:\"\n"
    "    fi\n"
    "    if (( files )); then\n"
    "        _files\n"
    "        return\n"
    "    fi\n"
    "    compset -P '*,'\n"
    "    described=(${(M)${=names}:#*=}) plain=(${${=names}:#*=})\n"
    "    compadd -V names -S '' -a described\n"
    "    compadd -V names -a plain\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _ncpbench ]; then _ncpbench \"$@\"; else compdef _ncpbench ncpbench; fi\n";

static void print_bash(const nb_command *const *commands, int count) {
    fputs("# bash completion for ncpbench, written by 'ncpbench --completion bash'\n\n_ncpbench_commands='", stdout);
    for (int i = 0; i < count; i++) printf("%s%s", i ? " " : "", commands[i]->name);
    puts("'\n");
    put_values(commands, count);
    put_options(commands, count, 0);
    fputs(bash_engine, stdout);
}

static void print_zsh(const nb_command *const *commands, int count) {
    fputs("#compdef ncpbench\n# zsh completion for ncpbench, written by 'ncpbench --completion zsh'\n\n"
          "typeset -ga _ncpbench_commands\n_ncpbench_commands=(",
          stdout);
    for (int i = 0; i < count; i++) put_described("", commands[i]->name, "", commands[i]->summary);
    puts(")\n");
    put_values(commands, count);
    put_options(commands, count, 1);
    fputs(zsh_engine, stdout);
}

static const char *shell_at(const void *shells, int i) {
    return ((const char *const *)shells)[i];
}

nb_status nb_completion_print(const char *shell, const nb_command *const *commands, int count) {
    static const char *const shells[] = {"bash", "zsh"};
    static void (*const print[])(const nb_command *const *, int) = {print_bash, print_zsh};
    int i = nb_name_find(shell, 2, shell_at, shells);
    if (i < 0) return nb_name_unknown("shell", shell, 2, shell_at, shells);
    print[i](commands, count);
    return NB_OK;
}
