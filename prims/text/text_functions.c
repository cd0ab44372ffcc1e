/* text_functions.c - functions of one text: case, ends, parts, lengths, the number that it is. */
#include "text/text_functions.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
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

/* ---- numbers --------------------------------------------------------------------------------- */

/* Blanks around a number are allowed, and what is no number of that kind is missing. */
static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The text of the call from *end back and from the result on, without blanks. */
static const char *body_of(const lun_text_call *c, const char **end)
{
    const char *s = c->s;
    *end = s + c->n;
    while (s < *end && is_blank(*s))
        s++;
    while (*end > s && is_blank((*end)[-1]))
        (*end)--;
    return s;
}

/* Whether s to end is that word of small letters, in any case. */
static bool is_word(const char *s, const char *end, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(end - s) != n)
        return false;
    for (size_t k = 0; k < n; k++)
        if ((s[k] >= 'A' && s[k] <= 'Z' ? s[k] + ('a' - 'A') : s[k]) != word[k])
            return false;
    return true;
}

void lun__text_run_integer(lun_text_call *c)
{
    const char *end, *s = body_of(c, &end);
    const bool minus = s < end && *s == '-', is_signed = c->number[1] != 0;
    const int bits = (int)c->number[0];
    uint64_t x = 0;
    s += s < end && (*s == '-' || *s == '+');
    c->missing = s == end;
    for (; s < end && !c->missing; s++) {
        const uint64_t digit = (uint64_t)(*s - '0');
        c->missing = !is_digit(*s) || x > (UINT64_MAX - digit) / 10;
        x = x * 10 + digit;
    }
    const uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - !minus
                          : minus   ? 0
                                    : UINT64_MAX >> (64 - bits);
    c->missing = c->missing || x > most;
    c->result = (int64_t)(minus ? 0 - x : x);
}

void lun__text_run_truth(lun_text_call *c)
{
    const char *end, *s = body_of(c, &end);
    c->result = is_word(s, end, "true");
    c->missing = !c->result && !is_word(s, end, "false");
}

/* A number in digits as it is written: the first digits, up to 19, times a power of ten. */
typedef struct decimal {
    uint64_t digits;
    int count;       /* of digits, without zeros in front */
    int64_t power;   /* of ten */
    bool any, whole; /* some digit; all text belongs to it */
} decimal;

static const char *add_digits(decimal *d, const char *s, const char *end, int64_t step)
{
    for (; s < end && is_digit(*s); s++) {
        d->any = true;
        if (d->count < 19) {
            d->digits = d->digits * 10 + (uint64_t)(*s - '0');
            d->count += d->digits != 0;
            d->power += step;
        } else {
            d->count++;
            d->power += step + 1;
        }
    }
    return s;
}

/* Without a sign. */
static decimal decimal_of(const char *s, const char *end)
{
    decimal d = {0};
    s = add_digits(&d, s, end, 0);
    if (s < end && *s == '.')
        s = add_digits(&d, s + 1, end, -1);
    d.whole = d.any && s == end;
    if (d.any && s < end && (*s == 'e' || *s == 'E')) {
        int64_t power = 0;
        const char *at = s + 1;
        const bool minus = at < end && *at == '-';
        at += at < end && (*at == '-' || *at == '+');
        d.whole = at < end;
        for (; at < end && d.whole; at++) {
            d.whole = is_digit(*at);
            power = power < 100000 ? power * 10 + (*at - '0') : power;
        }
        d.power += minus ? -power : power;
    }
    return d;
}

/* The nearest number by the C library: the text is copied, for its end and a decimal point of the
 * locale. */
static double nearest(lun_text_call *c, const char *s, const char *end)
{
    const char *point = localeconv()->decimal_point;
    const char *at = memchr(s, '.', (size_t)(end - s));
    lun__strbuf_clear(&c->out);
    lun__strbuf_add(&c->out, s, (size_t)((at ? at : end) - s));
    if (at) {
        lun__strbuf_puts(&c->out, point);
        lun__strbuf_add(&c->out, at + 1, (size_t)(end - at - 1));
    }
    return c->out.failed ? NAN : strtod(lun__strbuf_text(&c->out), NULL);
}

void lun__text_run_real(lun_text_call *c)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *end, *s = body_of(c, &end);
    const bool minus = s < end && *s == '-';
    s += s < end && (*s == '-' || *s == '+');
    double x = NAN;
    const decimal d = decimal_of(s, end);
    if (d.whole && d.count <= 15 && d.power >= -22 && d.power <= 22)
        x = d.power < 0 ? (double)d.digits / ten[-d.power] : (double)d.digits * ten[d.power];
    else if (d.whole)
        x = nearest(c, s, end);
    else if (is_word(s, end, "inf") || is_word(s, end, "infinity"))
        x = INFINITY;
    else
        c->missing = !is_word(s, end, "nan");
    x = minus && !isnan(x) ? -x : x;
    memcpy(&c->result, &x, sizeof x);
}
