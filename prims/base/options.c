/* options.c - see options.h. */
#include "base/options.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; /* bytes of a name or word */

static void skip_blanks(const char **at)
{
    while (isspace((unsigned char)**at))
        ++*at;
}

/* A name, or with `quote` a text up to that; false: there is none. */
static bool read_word(const char **at, char quote, char word[MOST])
{
    int n = 0;
    const char *p = *at;
    for (; quote ? *p && *p != quote && *p != '\\' : isalnum((unsigned char)*p) || *p == '_'; p++) {
        if (n == MOST - 1)
            return false;
        word[n++] = *p;
    }
    word[n] = '\0';
    if (quote && *p++ != quote)
        return false;
    *at = p;
    return quote || n > 0;
}

/* The number of a word in a list, from 1; 0: it is not there. */
static int place_of(const char *words, const char *word)
{
    const size_t n = strlen(word);
    int place = 1;
    for (const char *at = words;; place++) {
        const size_t length = strcspn(at, " ");
        if (length == n && n && !strncmp(at, word, n))
            return place;
        if (!at[length])
            return 0;
        at += length + 1;
    }
}

static const lun_option *find(const lun_option *known, int count, const char *name, lun_strbuf *why)
{
    for (int k = 0; k < count; k++)
        if (!strcmp(known[k].name, name))
            return &known[k];
    lun__strbuf_printf(why, "unknown option '%s'; there are ", name);
    for (int k = 0; k < count; k++)
        lun__strbuf_printf(why, "%s%s", k ? ", " : "", known[k].name);
    return NULL;
}

/* A whole number from 1 on. */
static bool read_number(const char **at, const lun_option *o, lun_strbuf *why)
{
    char *end;
    const long long x = strtoll(*at, &end, 10);
    const bool good = end != *at && *end != '.' && x > 0 && x < INT64_MAX;
    if (good)
        *o->to = x;
    else
        lun__strbuf_printf(why, "option %s: a whole number from 1 on expected", o->name);
    *at = end;
    return good;
}

/* One of the words. */
static bool read_choice(const char **at, const lun_option *o, lun_strbuf *why)
{
    char word[MOST] = "";
    const char quote = **at;
    const bool is_text = quote == '"' || quote == '\'';
    *at += is_text;
    const int place = is_text && read_word(at, quote, word) ? place_of(o->words, word) : 0;
    *o->to = place;
    if (!place)
        lun__strbuf_printf(why, "option %s: one of the texts %s expected", o->name, o->words);
    return place > 0;
}

bool lun__options_read(const char *text, const lun_option *known, int count, lun_strbuf *why)
{
    char name[MOST];
    const char *at = text ? text : "{}";
    skip_blanks(&at);
    bool whole = *at++ == '{';
    for (skip_blanks(&at); whole && *at && *at != '}'; skip_blanks(&at)) {
        whole = read_word(&at, 0, name);
        skip_blanks(&at);
        whole = whole && *at++ == '=';
        if (!whole)
            break;
        const lun_option *o = find(known, count, name, why);
        skip_blanks(&at);
        if (!o || !(o->words ? read_choice(&at, o, why) : read_number(&at, o, why)))
            return false;
        skip_blanks(&at);
        if (*at == ',' || *at == ';')
            at++;
        else
            whole = *at == '}';
    }
    whole = whole && *at == '}';
    at += whole;
    skip_blanks(&at);
    if (!whole || *at)
        lun__strbuf_puts(why, "the options are no table of constants, such as {rows = 1000}");
    return whole && !*at;
}
