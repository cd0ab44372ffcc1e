/* options.c - reads the command line of the program; see options.h. Runs nothing. */
#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lunarray_bind.h"
#include "program/options.h"

/* Matches "--name value" and "--name=value" at *index; advances *index over a separate value. The
 * value is NULL if it is missing. */
static bool long_option(const lun_options *o, int *index, const char *name, const char **value)
{
    const char *text = o->argv[*index];
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0)
        return false;
    if (text[length] == '=') {
        *value = text[length + 1] ? text + length + 1 : NULL;
        return true;
    }
    if (text[length] != '\0')
        return false;
    const char *next = o->argv[++*index];
    *value = next && next[0] != '-' ? next : NULL;
    return true;
}

static bool refuse(lun_options *o, const char *option, const char *complaint)
{
    o->bad = option;
    o->complaint = complaint;
    return false;
}

static bool is_count(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 8 && text[digits] == '\0' && strspn(text, "0") < digits;
}

double lun__options_limit(const char *text)
{
    char own[64], *end;
    const char *point = text ? strchr(text, '.') : NULL;
    int before = point ? (int)(point - text) : 0;
    if (!text || text[0] < '0' || text[0] > '9' || strlen(text) > sizeof own / 2)
        return 0;
    /* LUA_INIT may have set a locale with another decimal point */
    if (point)
        snprintf(own, sizeof own, "%.*s%.16s%s", before, text, localeconv()->decimal_point,
                 point + 1);
    else
        snprintf(own, sizeof own, "%s", text);
    double x = strtod(own, &end);
    return *end ? 0 : x;
}

static bool is_limit(const char *text)
{
    return lun__options_limit(text) > 0;
}

enum { MOST_RANKS = 4096 };

static bool is_given(const char *text)
{
    return text[0] != '\0';
}

static bool is_form(const char *text)
{
    return strcmp(text, "text") == 0 || strcmp(text, "json") == 0;
}

static bool is_bind(const char *text)
{
    return strcmp(text, "auto") == 0 || strcmp(text, "cores") == 0 ||
           strcmp(text, "threads") == 0 || strcmp(text, "none") == 0;
}

static bool is_ranks(const char *text)
{
    return is_count(text) && strtol(text, NULL, 10) <= MOST_RANKS;
}

/* A row of options.def: `at` is where its field is in lun_options; `wrong` NULL: a flag. */
typedef struct row {
    const char *text, *value, *help, *wrong;
    bool (*check)(const char *text);
    size_t at;
} row;

#define LUN_STOCK(text, value, help) {text, value, help, NULL, NULL, 0},
#define LUN_FLAG(text, field, help)  {text, "", help, NULL, NULL, offsetof(lun_options, field)},
#define LUN_VALUED(text, value, field, wrong, check, help) \
    {text, value, help, wrong, check, offsetof(lun_options, field)},
static const row rows[] = {
#include "program/options.def"
};
#undef LUN_STOCK
#undef LUN_FLAG
#undef LUN_VALUED
enum { ROWS = sizeof rows / sizeof rows[0] };

void lun__options_pass(const lun_options *o, int *index)
{
    const char *unused = NULL;
    for (int k = 0; k < ROWS; k++)
        if (rows[k].wrong && long_option(o, index, rows[k].text, &unused))
            break;
}

/* Parses an option that starts with two dashes; false with o->bad set if it is unknown. */
static bool parse_long(lun_options *o, int *index)
{
    const char *text = o->argv[*index];
    for (const row *r = rows; r < rows + ROWS; r++) {
        void *field = (char *)o + r->at;
        const char *value = NULL;
        if (r->wrong && long_option(o, index, r->text, &value)) {
            *(const char **)field = value;
            return (value && r->check(value)) || refuse(o, text, r->wrong);
        }
        if (!r->wrong && r->at && !strcmp(text, r->text)) {
            *(bool *)field = true;
            return true;
        }
    }
    return refuse(o, text, "unrecognized option '%s'");
}

/* Parses one option of the stock interpreter, a single letter. */
static bool parse_short(lun_options *o, int *index)
{
    const char *text = o->argv[*index];
    bool alone = text[2] == '\0';
    switch (text[1]) {
    case 'E':
        o->ignore_env = true;
        break;
    case 'i':
        o->interactive = true;
        break;
    case 'v':
        o->version = true;
        break;
    case 'W':
        break;
    case 'e':
        o->executes = true;
        /* fall through */
    case 'l':
        if (alone) {
            const char *value = o->argv[++*index];
            if (!value || value[0] == '-')
                return refuse(o, text, "'%s' needs argument");
        }
        return true;
    default:
        alone = false;
        break;
    }
    return alone || refuse(o, text, "unrecognized option '%s'");
}

bool lun__options_parse(lun_options *o)
{
    int i = 1;
    for (; o->argv[i]; i++) {
        const char *text = o->argv[i];
        if (text[0] != '-' || text[1] == '\0')
            break;
        if (strcmp(text, "--") == 0) {
            i++;
            break;
        }
        if (!(text[1] == '-' ? parse_long(o, &i) : parse_short(o, &i)))
            return false;
    }
    o->script = i;
    o->has_script = i < o->argc;
    if (o->ranks && (o->sandbox || o->seconds || o->megabytes))
        return refuse(o, "--ranks", "'%s' cannot be combined with a sandbox");
    o->linked = lun_names_ranks(o->backend ? o->backend : getenv("LUNARRAY_BACKEND"));
    if (o->ranks && !o->linked && (o->interactive || (!o->has_script && !o->executes && !o->info)))
        return refuse(o, "--ranks", "'%s' needs a script");
    if (o->check && (o->sandbox || o->seconds || o->megabytes))
        return refuse(o, "--check", "'%s' cannot be combined with a sandbox");
    if (o->plan && (o->sandbox || o->seconds || o->megabytes))
        return refuse(o, "--plan", "'%s' cannot be combined with a sandbox");
    if (o->plan && (o->ranks || o->linked))
        return refuse(o, "--plan", "'%s' cannot be combined with ranks");
    if (o->session && (o->plan || o->interactive || o->ranks || o->linked))
        return refuse(o, "--session", "'%s' cannot be combined with --plan, -i or ranks");
    if (o->session && (o->has_script || o->executes))
        return refuse(o, "--session", "'%s' takes no script");
    if (o->plan && !o->has_script)
        return refuse(o, "--plan", "'%s' needs a script");
    return true;
}

/* The options of the stock interpreter as it prints them, the others wider. */
void lun__options_usage(FILE *to, const char *program)
{
    fprintf(to, "usage: %s [options] [script [args]]\nAvailable options are:\n", program);
    for (const row *r = rows; r < rows + ROWS; r++) {
        const int width = r->at ? 18 : 10;
        const int used = fprintf(to, "  %s%s%s", r->text, r->value[0] ? " " : "", r->value) - 2;
        fprintf(to, "%*s%s\n", width - used > 0 ? width - used : 1, "", r->help);
    }
    fflush(to);
}
