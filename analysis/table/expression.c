#include "table/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = 64, /* of brackets */
    NAME_LENGTH = 64,
    ARGUMENT_LENGTH = 256
};

typedef struct parser {
    const char *text, *at;
    nb_expression_lookup *lookup;
    void *context;
    int depth;
} parser;

static nb_status read_or(parser *p, double *value);

static nb_status wrong(const parser *p, const char *what) {
    if (!*p->at) return nb_fail(NB_ERROR_INPUT, "'%.200s' ends where %s is expected", p->text, what);
    return nb_fail(NB_ERROR_INPUT, "'%.200s': %s is expected at '%.40s'", p->text, what, p->at);
}

static void skip(parser *p) {
    p->at += strspn(p->at, " \t");
}

static int in_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* takes the sign or the word, where it comes next */
static int take(parser *p, const char *sign) {
    size_t length = strlen(sign);
    skip(p);
    if (strncmp(p->at, sign, length) != 0 || (in_name(*sign) && in_name(p->at[length]))) return 0;
    p->at += length;
    return 1;
}

/* ---- functions ---- */

/* the list of values up to the closing bracket: their number, the least and the most */
static nb_status read_list(parser *p, int *count, double *least, double *most) {
    nb_status status = NB_OK;
    double x;
    *count = 0;
    do {
        NB_TRY(read_or(p, &x));
        if (*count == 0 || (!isnan(*least) && !(x >= *least))) *least = x; /* NaN stays */
        if (*count == 0 || (!isnan(*most) && !(x <= *most))) *most = x;
        ++*count;
    } while (take(p, ","));
    if (!take(p, ")")) status = wrong(p, "')'");
out:
    return status;
}

/* one of this file's own functions, whose opening bracket was taken; *own: it is one */
static nb_status read_own(parser *p, const char *name, int *own, double *value) {
    static const char *const names[] = {"min", "max", "abs", "sqrt", "log10"};
    double least = 0, most = 0;
    int count, which = 0;
    while (which < 5 && strcmp(names[which], name) != 0) which++;
    *own = which < 5;
    if (!*own) return NB_OK;
    nb_status status = read_list(p, &count, &least, &most);
    if (status != NB_OK) return status;
    if (count > 1 && which > 1) return nb_fail(NB_ERROR_INPUT, "'%.200s': %s takes one value", p->text, name);
    switch (which) {
    case 0: *value = least; break;
    case 1: *value = most; break;
    case 2: *value = fabs(least); break;
    case 3: *value = sqrt(least); break;
    default: *value = log10(least);
    }
    return NB_OK;
}

static nb_status read_name(parser *p, double *value) {
    char name[NAME_LENGTH], argument[ARGUMENT_LENGTH];
    size_t length = 0;
    nb_status status;
    int own;
    while (in_name(p->at[length])) length++;
    if (length >= sizeof name) return wrong(p, "a shorter name");
    snprintf(name, sizeof name, "%.*s", (int)length, p->at);
    p->at += length;
    if (*p->at != '(') return p->lookup(p->context, name, NULL, value);
    p->at++;
    NB_TRY(read_own(p, name, &own, value));
    if (own) return NB_OK;
    length = strcspn(p->at, "()");
    if (p->at[length] != ')' || length >= sizeof argument) return wrong(p, "')'");
    snprintf(argument, sizeof argument, "%.*s", (int)length, p->at);
    p->at += length + 1;
    status = p->lookup(p->context, name, argument, value);
out:
    return status;
}

/* ---- operators, those that bind most closely first ---- */

static nb_status read_value(parser *p, double *value) {
    char *end;
    skip(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        *value = strtod(p->at, &end);
        if (end == p->at) return wrong(p, "a number");
        p->at = end;
        return NB_OK;
    }
    if (take(p, "(")) {
        nb_status status = read_or(p, value);
        if (status != NB_OK) return status;
        return take(p, ")") ? NB_OK : wrong(p, "')'");
    }
    if (in_name(*p->at)) return read_name(p, value);
    return wrong(p, "a value");
}

static nb_status read_power(parser *p, double *value) {
    nb_status status;
    double exponent = 1, sign = 1;
    *value = 0;
    while (take(p, "-")) sign = -sign;
    NB_TRY(read_value(p, value));
    if (take(p, "^")) {
        NB_TRY(read_power(p, &exponent));
        *value = pow(*value, exponent);
    }
    *value *= sign;
out:
    return status;
}

static nb_status read_product(parser *p, double *value) {
    nb_status status;
    double x;
    NB_TRY(read_power(p, value));
    for (;;) {
        int times = take(p, "*");
        if (!times && !take(p, "/")) break;
        NB_TRY(read_power(p, &x));
        *value = times ? *value * x : *value / x;
    }
out:
    return status;
}

static nb_status read_sum(parser *p, double *value) {
    nb_status status;
    double x;
    NB_TRY(read_product(p, value));
    for (;;) {
        int plus = take(p, "+");
        if (!plus && !take(p, "-")) break;
        NB_TRY(read_product(p, &x));
        *value += plus ? x : -x;
    }
out:
    return status;
}

static int compare(int sign, double a, double b) {
    switch (sign) {
    case 0: return a <= b;
    case 1: return a >= b;
    case 2: return a == b;
    case 3: return a < b || a > b;
    case 4: return a < b;
    default: return a > b;
    }
}

static nb_status read_comparison(parser *p, double *value) {
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">"};
    nb_status status;
    double left, right;
    int chain = 0, all = 1;
    NB_TRY(read_sum(p, &left));
    for (;; chain++) {
        int sign = 0;
        while (sign < 6 && !take(p, signs[sign])) sign++;
        if (sign == 6) break;
        NB_TRY(read_sum(p, &right));
        all &= compare(sign, left, right);
        left = right;
    }
    *value = chain ? all : left;
out:
    return status;
}

static nb_status read_not(parser *p, double *value) {
    int negated = 0;
    while (take(p, "not")) negated++;
    nb_status status = read_comparison(p, value);
    if (negated) *value = (*value != 0) == (negated % 2 == 0);
    return status;
}

static nb_status read_and(parser *p, double *value) {
    nb_status status;
    double x;
    NB_TRY(read_not(p, value));
    while (take(p, "and")) {
        NB_TRY(read_not(p, &x));
        *value = *value != 0 && x != 0;
    }
out:
    return status;
}

static nb_status read_or(parser *p, double *value) {
    nb_status status = NB_OK;
    double x;
    if (p->depth == MOST_DEPTH) return nb_fail(NB_ERROR_INPUT, "'%.200s': too many brackets", p->text);
    p->depth++;
    NB_TRY(read_and(p, value));
    while (take(p, "or")) {
        NB_TRY(read_and(p, &x));
        *value = *value != 0 || x != 0;
    }
    p->depth--;
out:
    return status;
}

nb_status nb_expression_value(const char *text, nb_expression_lookup *lookup, void *context, double *value) {
    parser p = {text, text, lookup, context, 0};
    nb_status status = read_or(&p, value);
    if (status != NB_OK) return status;
    skip(&p);
    return *p.at ? wrong(&p, "an operator") : NB_OK;
}
