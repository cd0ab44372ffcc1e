/* time_text.c - texts to dates, timestamps and durations: each different text is read once. */
#include <stdlib.h>
#include <string.h>

#include "api/text/text_array.h"
#include "api/time/time_array.h"

enum { SHOWN = 40, PIECE = 4096 }; /* bytes of a text in a message; elements read at a time */

/* Texts of a pool being read: by code what they mean, and what is wrong with them. */
typedef struct reading {
    lun_engine *e;
    const lun_text_pool *pool;
    int64_t count;
    lun_dtype t;
    const char *format;
    int64_t *values;      /* of codes 0 to count */
    uint8_t *bad, *zoned; /* lun__time_bad */
    bool some_bad, offset, plain;
} reading;

static void read_one(const reading *r, int64_t code)
{
    int64_t n;
    bool zoned;
    const char *s = lun__text_pool_at(r->pool, (uint32_t)code, &n);
    r->bad[code] =
        (uint8_t)(r->format ? lun__time_read_as(r->t, r->format, s, n, &r->values[code], &zoned)
                            : lun__time_read(r->t, s, n, &r->values[code], &zoned));
    r->zoned[code] = zoned;
    if (r->bad[code])
        r->values[code] = 0;
}

enum { TASK = 8192 }; /* texts that one task reads */

static void read_task(void *of, int64_t k)
{
    const reading *r = of;
    const int64_t end = (k + 1) * TASK < r->count ? (k + 1) * TASK : r->count;
    for (int64_t code = k * TASK + 1; code <= end; code++)
        read_one(r, code);
}

static lun_status read_all(reading *r)
{
    r->count = lun__text_pool_count(r->pool);
    r->values = calloc((size_t)r->count + 1, sizeof *r->values);
    r->bad = calloc(2 * ((size_t)r->count + 1), 1);
    if (!r->values || !r->bad)
        return lun__fail_nomem(r->e);
    r->zoned = r->bad + r->count + 1;
    lun_host_share(r->e, (r->count + TASK - 1) / TASK, r, read_task);
    for (int64_t code = 1; code <= r->count; code++) {
        r->some_bad |= r->bad[code] != LUN__TIME_GOOD;
        r->offset |= !r->bad[code] && r->zoned[code];
        r->plain |= !r->bad[code] && !r->zoned[code];
    }
    return LUN_OK;
}

static lun_status complain(const reading *r, int64_t row, uint32_t code)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "1d 2h30m or 02:30:00"};
    char shown[SHOWN + 1];
    int64_t n;
    const char *s = lun__text_pool_at(r->pool, code, &n);
    const int64_t some = n < SHOWN ? n : SHOWN;
    for (int64_t k = 0; k < some; k++)
        shown[k] = (unsigned char)s[k] < ' ' ? '?' : s[k];
    shown[some] = 0;
    if (!r->bad[code])
        return lun__fail(
            r->e, LUN_EARG, "row " LUN_NTH_LONG ": '%s' has %s offset from UTC, others have %s",
            (long long)row, shown, r->zoned[code] ? "an" : "no", r->zoned[code] ? "none" : "one");
    return lun__fail(r->e, LUN_EARG, "row " LUN_NTH_LONG ": '%s%s' is no %s of the form %s",
                     (long long)row, shown, some < n ? "..." : "", lun_dtype_name(r->t),
                     r->format ? r->format : forms[r->t - LUN_DATE]);
}

/* LUN_EARG, and the first row that is wrong, if one is: a pool may have texts that no row has. */
static lun_status find_wrong(const reading *r, lun_array *codes, bool missing)
{
    const int size = lun_dtype_size(lun_dtype_of(codes));
    const int64_t all = lun_size(codes);
    char *piece = malloc((size_t)PIECE * (size_t)size);
    int first = -1; /* whether the first text has an offset */
    lun_status s = piece ? lun_eval(r->e, &codes, 1) : lun__fail_nomem(r->e);
    for (int64_t at = 0, some; s == LUN_OK && at < all; at += some) {
        some = all - at < PIECE ? all - at : PIECE;
        s = lun_read(r->e, codes, piece, at, some);
        for (int64_t k = 0; s == LUN_OK && k < some; k++) {
            uint32_t code = 0;
            memcpy(&code, piece + k * size, (size_t)size);
            if (code && !r->bad[code] && first < 0)
                first = r->zoned[code];
            if (code && (r->bad[code] ? !missing : r->zoned[code] != first))
                s = complain(r, at + k, code);
        }
    }
    free(piece);
    return s;
}

/* The elements by code: values, and which are there. */
static lun_status by_code(reading *r, lun_array *codes, lun_array *valid, lun_array **out)
{
    lun__calc c = {.e = r->e};
    lun_array *x = NULL, *good = NULL, *both = NULL;
    lun_status s = lun__text_array_by_code(r->e, r->values, r->count, LUN_I64, codes, &x);
    x = lun__calc_take(&c, s, x);
    for (int64_t k = 0; r->some_bad && k <= r->count; k++)
        r->bad[k] = k && !r->bad[k];
    if (c.s == LUN_OK && r->some_bad) {
        s = lun__text_array_by_code(r->e, r->bad, r->count, LUN_BOOL, codes, &good);
        valid = lun__calc_take(&c, s, good);
    }
    if (c.s == LUN_OK && valid) {
        s = lun_with_parts(r->e, x, valid, &both);
        x = lun__calc_take(&c, s, both);
    }
    s = lun__calc_end(&c, x, &x);
    if (s != LUN_OK)
        return s;
    s = lun__time_array(r->e, x, r->t, out);
    lun_release(x);
    return s;
}

lun_status lun__time_text_format(lun_engine *e, lun_dtype t, const char *format, bool write)
{
    char which;
    if (t == LUN_DURATION && format)
        return lun__fail(e, LUN_EARG, "durations have no format");
    const char *wrong = format ? lun__time_read_check(t, format, write, &which) : NULL;
    return wrong
               ? lun__fail(e, LUN_EARG, "format '%s': %%%c %s", format, which ? which : ' ', wrong)
               : LUN_OK;
}

lun_status lun__time_text_read(lun_engine *e, lun_array *a, lun_dtype t, const char *format,
                               bool missing, lun_array **out)
{
    reading r = {.e = e, .t = t, .format = format, .pool = lun__text_array_pool(a)};
    lun_array *codes = NULL, *valid = NULL;
    lun_status s = lun__time_text_format(e, t, format, false);
    if (s == LUN_OK)
        s = lun__validity_parts(e, a, false, &codes, &valid);
    if (s != LUN_OK)
        return s;
    s = read_all(&r);
    if (s == LUN_OK && ((r.some_bad && !missing) || (r.offset && r.plain)))
        s = find_wrong(&r, codes, missing);
    if (s == LUN_OK)
        s = by_code(&r, codes, valid, out);
    free(r.values);
    free(r.bad);
    lun_release(codes);
    lun_release(valid);
    return s;
}

lun_status lun__time_text_beside(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    lun_string s;
    int64_t x;
    bool zoned;
    if (t == LUN_DATE && lun_size(a) == 1) {
        lun_status status = lun_text_read(e, a, 0, 1, &s);
        if (status != LUN_OK)
            return status;
        if (s.data && lun__time_read(t, s.data, s.length, &x, &zoned) &&
            !lun__time_read(LUN_TIMESTAMP, s.data, s.length, &x, &zoned))
            t = LUN_TIMESTAMP;
    }
    return lun__time_text_read(e, a, t, NULL, false, out);
}

lun_status lun_time_parse(lun_engine *e, lun_array *a, lun_dtype t, const char *format,
                          bool missing, lun_array **out)
{
    LUN_NEED(e, a && out);
    char text[96];
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && lun__array_logical(a) != LUN_TEXT)
        s = lun__fail(e, LUN_EDTYPE, "text expected, got %s", lun__array_describe(a, text));
    if (s == LUN_OK && lun_dtype_kind(t) != LUN_KIND_TIME)
        s = lun__fail(e, LUN_EDTYPE, "%s is no dtype of dates", lun_dtype_name(t));
    return s == LUN_OK ? lun__time_text_read(e, a, t, format, missing, out) : s;
}

bool lun_time_read(lun_dtype t, lun_string s, int64_t *out)
{
    bool zoned;
    return lun_dtype_kind(t) == LUN_KIND_TIME && s.data && out &&
           lun__time_read(t, s.data, s.length, out, &zoned) == LUN__TIME_GOOD;
}

bool lun_time_scan(lun_dtype t, const char *format, lun_string s, int64_t *out, bool *zoned)
{
    if (lun_dtype_kind(t) != LUN_KIND_TIME || !s.data || !out || !zoned)
        return false;
    return (format ? lun__time_read_as(t, format, s.data, s.length, out, zoned)
                   : lun__time_read(t, s.data, s.length, out, zoned)) == LUN__TIME_GOOD;
}

const char *lun_time_check(lun_dtype t, const char *format, bool write, char *which)
{
    return lun__time_read_check(t, format, write, which);
}
