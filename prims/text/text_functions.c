/* text_functions.c - functions of one text: case, ends, parts, lengths. */
#include "text/text_functions.h"

#include <string.h>

#include "base/sized.h"

const lun_text_function *lun__text_functions_row(int which)
{
    static const lun_text_function rows[] = {
#define LUN_TEXT_FUNCTION(name_, result, texts_, numbers_, doc_)          \
    {{.name = #name_, .doc = doc_, .texts = texts_, .numbers = numbers_}, \
     LUN_TEXT_RESULT_##result,                                            \
     lun__text_run_##name_},
#include "text/text_functions.def"
#undef LUN_TEXT_FUNCTION
    };
    const bool is = which >= 0 && which < (int)(sizeof rows / sizeof *rows);
    return is ? &rows[which] : NULL;
}

bool lun_text_function_describe(int which, lun_text_function_info *out)
{
    const lun_text_function *f = lun__text_functions_row(which);
    return f && out && lun__sized_give(out, &f->info, sizeof f->info);
}

static void give(lun_text_call *c, const char *s, int64_t n)
{
    lun__strbuf_add(&c->out, s, (size_t)n);
}

/* ---- case ------------------------------------------------------------------------------------ */

typedef struct mapping {
    uint32_t first, last, step;
    int32_t delta;
} mapping;

static const mapping upper[] = {
#define LUN_CASE(to, first, last, step, delta) LUN_CASE_##to(first, last, step, delta)
#define LUN_CASE_UPPER(...)                    {__VA_ARGS__},
#define LUN_CASE_LOWER(...)
#include "text/case.def"
#undef LUN_CASE_UPPER
#undef LUN_CASE_LOWER
};
static const mapping lower[] = {
#define LUN_CASE_UPPER(...)
#define LUN_CASE_LOWER(...) {__VA_ARGS__},
#include "text/case.def"
#undef LUN_CASE_UPPER
#undef LUN_CASE_LOWER
#undef LUN_CASE
};

/* The code point that the table maps to. */
static uint32_t mapped(const mapping *rows, int count, uint32_t point)
{
    int low = 0;
    while (low < count) { /* the last row that begins at point or before */
        const int middle = low + (count - low) / 2;
        if (rows[middle].first <= point)
            low = middle + 1;
        else
            count = middle;
    }
    const mapping *m = low ? &rows[low - 1] : NULL;
    const bool is = m && point <= m->last && (point - m->first) % m->step == 0;
    return is ? (uint32_t)((int32_t)point + m->delta) : point;
}

static void change_case(lun_text_call *c, char first, char last, const mapping *rows, int count)
{
    char to[4];
    for (int64_t at = 0; at < c->n;) {
        int bytes;
        const uint32_t point = lun__utf8_get(c->s + at, &bytes);
        const uint32_t other = point >= 0x80 ? mapped(rows, count, point)
                               : point >= (uint32_t)first && point <= (uint32_t)last ? point ^ 0x20
                                                                                     : point;
        give(c, to, lun__utf8_put(other, to));
        at += bytes;
    }
}

void lun__text_run_upper(lun_text_call *c)
{
    change_case(c, 'a', 'z', upper, (int)(sizeof upper / sizeof *upper));
}

void lun__text_run_lower(lun_text_call *c)
{
    change_case(c, 'A', 'Z', lower, (int)(sizeof lower / sizeof *lower));
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Whether the code point of these bytes is one of the first text of the call. */
static bool among(const lun_text_call *c, const char *s, int bytes)
{
    const lun_string *set = &c->text[0];
    for (int64_t at = 0; at < set->length;) {
        int one;
        (void)lun__utf8_get(set->data + at, &one);
        if (one == bytes && !memcmp(set->data + at, s, (size_t)bytes))
            return true;
        at += one;
    }
    return false;
}

static void trim(lun_text_call *c, bool begin, bool end)
{
    int64_t first = 0, last = c->n;
    int bytes;
    while (begin && first < last) {
        (void)lun__utf8_get(c->s + first, &bytes);
        if (!among(c, c->s + first, bytes))
            break;
        first += bytes;
    }
    while (end && last > first) {
        int64_t at = last - 1;
        while (((unsigned char)c->s[at] & 0xc0) == 0x80)
            at--;
        if (!among(c, c->s + at, (int)(last - at)))
            break;
        last = at;
    }
    give(c, c->s + first, last - first);
}

void lun__text_run_ltrim(lun_text_call *c)
{
    trim(c, true, false);
}

void lun__text_run_rtrim(lun_text_call *c)
{
    trim(c, false, true);
}

void lun__text_run_trim(lun_text_call *c)
{
    trim(c, true, true);
}

static void fill(lun_text_call *c)
{
    for (int64_t k = lun__utf8_count(c->s, c->n); k < c->number[0]; k++)
        give(c, c->text[0].data, c->text[0].length);
}

void lun__text_run_lpad(lun_text_call *c)
{
    fill(c);
    give(c, c->s, c->n);
}

void lun__text_run_rpad(lun_text_call *c)
{
    give(c, c->s, c->n);
    fill(c);
}

void lun__text_run_prefix(lun_text_call *c)
{
    give(c, c->text[0].data, c->text[0].length);
    give(c, c->s, c->n);
}

void lun__text_run_suffix(lun_text_call *c)
{
    give(c, c->s, c->n);
    give(c, c->text[0].data, c->text[0].length);
}

/* ---- parts by number, lengths ---------------------------------------------------------------- */

void lun__text_run_substr(lun_text_call *c)
{
    const int64_t n = lun__utf8_count(c->s, c->n);
    int64_t i = c->number[0], j = c->number[1];
    i = i < 0 ? i < -n ? 1 : n + i + 1 : i == 0 ? 1 : i;
    j = j < 0 ? n + j + 1 : j > n ? n : j;
    if (i > j)
        return;
    const int64_t first = lun__utf8_skip(c->s, c->n, i - 1);
    give(c, c->s + first, lun__utf8_skip(c->s + first, c->n - first, j - i + 1));
}

void lun__text_run_len(lun_text_call *c)
{
    c->result = lun__utf8_count(c->s, c->n);
}

void lun__text_run_bytes(lun_text_call *c)
{
    c->result = c->n;
}

/* ---- parts that are looked for --------------------------------------------------------------- */

/* The place of a part in bytes from `from` on; -1: it is not there. */
static int64_t place_of(const lun_text_call *c, int64_t from, const lun_string *part)
{
    if (!part->length)
        return from;
    for (const char *at = c->s + from, *end = c->s + c->n; end - at >= part->length; at++) {
        at = memchr(at, part->data[0], (size_t)(end - at - part->length + 1));
        if (!at)
            break;
        if (!memcmp(at, part->data, (size_t)part->length))
            return at - c->s;
    }
    return -1;
}

void lun__text_run_find(lun_text_call *c)
{
    const int64_t at = place_of(c, 0, &c->text[0]);
    c->result = at < 0 ? 0 : lun__utf8_count(c->s, at) + 1;
}

void lun__text_run_contains(lun_text_call *c)
{
    c->result = place_of(c, 0, &c->text[0]) >= 0;
}

void lun__text_run_startswith(lun_text_call *c)
{
    const lun_string *x = &c->text[0];
    c->result = x->length <= c->n && !memcmp(c->s, x->data, (size_t)x->length);
}

void lun__text_run_endswith(lun_text_call *c)
{
    const lun_string *x = &c->text[0];
    c->result = x->length <= c->n && !memcmp(c->s + c->n - x->length, x->data, (size_t)x->length);
}

void lun__text_run_replace(lun_text_call *c)
{
    const lun_string *old = &c->text[0], *new = &c->text[1];
    int64_t at = 0, left = c->number[0];
    while (old->length && left) {
        const int64_t place = place_of(c, at, old);
        if (place < 0)
            break;
        lun__strbuf_add(&c->out, c->s + at, (size_t)(place - at));
        lun__strbuf_add(&c->out, new->data, (size_t) new->length);
        at = place + old->length;
        left--;
    }
    lun__strbuf_add(&c->out, c->s + at, (size_t)(c->n - at));
}

/* How many pieces there are. */
static int64_t pieces(const lun_text_call *c)
{
    int64_t count = 1, at = 0;
    while ((at = place_of(c, at, &c->text[0])) >= 0) {
        at += c->text[0].length;
        count++;
    }
    return count;
}

void lun__text_run_part(lun_text_call *c)
{
    int64_t wanted = c->number[0], at = 0;
    if (wanted < 0)
        wanted += pieces(c) + 1;
    c->missing = wanted < 1;
    while (!c->missing && wanted > 1) {
        at = place_of(c, at, &c->text[0]);
        c->missing = at < 0;
        at += c->text[0].length;
        wanted--;
    }
    if (c->missing)
        return;
    const int64_t end = place_of(c, at, &c->text[0]);
    lun__strbuf_add(&c->out, c->s + at, (size_t)((end < 0 ? c->n : end) - at));
}
