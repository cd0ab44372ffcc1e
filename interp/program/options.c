/* options.c - reads the command line of the program; see options.h. Runs nothing. */
#include <locale.h>
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

void lun__options_pass(const lun_options *o, int *index)
{
    static const char *const valued[] = {"--backend", "--threads", "--ranks", "--time-limit",
                                         "--memory-limit"};
    const char *unused = NULL;
    for (size_t k = 0; k < sizeof valued / sizeof valued[0]; k++)
        if (long_option(o, index, valued[k], &unused))
            break;
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

/* Parses an option that starts with two dashes; false with o->bad set if it is unknown. */
static bool parse_long(lun_options *o, int *index)
{
    const char *text = o->argv[*index];
    if (long_option(o, index, "--backend", &o->backend))
        return o->backend || refuse(o, text, "'%s' needs argument");
    if (long_option(o, index, "--threads", &o->threads))
        return (o->threads && is_count(o->threads)) ||
               refuse(o, text, "'%s' needs a positive number");
    if (long_option(o, index, "--ranks", &o->ranks))
        return (o->ranks && is_count(o->ranks) && strtol(o->ranks, NULL, 10) <= MOST_RANKS) ||
               refuse(o, text, "'%s' needs a number from 1 to 4096");
    if (long_option(o, index, "--time-limit", &o->seconds))
        return is_limit(o->seconds) || refuse(o, text, "'%s' needs a positive number of seconds");
    if (long_option(o, index, "--memory-limit", &o->megabytes))
        return is_limit(o->megabytes) ||
               refuse(o, text, "'%s' needs a positive number of megabytes");
    if (strcmp(text, "--info") == 0)
        o->info = true;
    else if (strcmp(text, "--sandbox") == 0)
        o->sandbox = true;
    else if (strcmp(text, "--check") == 0)
        o->check = true;
    else if (strcmp(text, "--help") == 0)
        o->help = true;
    else if (strcmp(text, "--version") == 0)
        o->about = true;
    else
        return refuse(o, text, "unrecognized option '%s'");
    return true;
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
    return true;
}

void lun__options_usage(FILE *to, const char *program)
{
    fprintf(
        to,
        "usage: %s [options] [script [args]]\nAvailable options are:\n  -e stat   execute string "
        "'stat'\n  -i        enter interactive mode after executing 'script'\n  -l mod    require "
        "library 'mod' into global 'mod'\n  -l g=mod  require library 'mod' into global 'g'\n  -v  "
        "      show version information\n  -E        ignore environment variables\n  -W        "
        "turn warnings on\n  --        stop handling options\n  -         stop handling options "
        "and execute stdin\n  --backend name  compute with this backend (see --info)\n  --threads "
        "n     use at most n threads of the host\n  --ranks n       run the script on n threads, "
        "each with a state and an engine of its own; with --backend mpi on one, which the others "
        "serve\n  --check         test functions for "
        "associativity and indices, recompute elements\n  --sandbox       deny scripts access to "
        "files and "
        "processes\n  --time-limit s    stop the script after s seconds; implies --sandbox\n  "
        "--memory-limit m  limit memory to m megabytes; implies --sandbox\n  --info          show "
        "versions, backends, devices, ranks and the kernel cache\n  --version       show the "
        "version of "
        "Lunarray and of Lua\n  --help          show this text\n",
        program);
    fflush(to);
}
