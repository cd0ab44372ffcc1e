/* arrow_fill.c - elements of Arrow's arrays written as slots of a dtype.  Values are checked where
 * wrong ones would read beyond a buffer, and where a dtype does not hold them; sizes of buffers
 * cannot be known, but for those of views. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/table/arrow_fill.h"
#include "lunarray_bind.h"

typedef __int128 wide;

/* ---- what is missing ------------------------------------------------------------------------- */

static bool bit_at(const void *bits, int64_t k)
{
    return ((const uint8_t *)bits)[k / 8] >> k % 8 & 1;
}

/* The validity of a piece; NULL: all is there. */
static const void *validity_of(const lun_arrow_piece *p)
{
    return p->array->null_count && p->array->n_buffers ? p->array->buffers[0] : NULL;
}

int64_t lun__arrow_fill_nulls(const lun_arrow_form *form, const lun_arrow_piece *p)
{
    if (form->way == LUN_ARROW_NOTHING)
        return p->n;
    const void *bits = validity_of(p);
    int64_t there = 0, k = 0;
    if (!bits)
        return 0;
    for (; k < p->n && (p->from + k) % 8; k++)
        there += bit_at(bits, p->from + k);
    for (; k + 8 <= p->n; k += 8)
        there += __builtin_popcount(((const uint8_t *)bits)[(p->from + k) / 8]);
    for (; k < p->n; k++)
        there += bit_at(bits, p->from + k);
    return p->n - there;
}

void lun__arrow_fill_validity(const lun_arrow_piece *p, bool *valid)
{
    const void *bits = validity_of(p);
    if (!bits && p->n)
        memset(valid, true, (size_t)p->n);
    for (int64_t k = 0; bits && k < p->n; k++)
        valid[k] = bit_at(bits, p->from + k);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static lun_status fail(const lun_arrow_fill *f, const char *what, int64_t k)
{
    return lun__fail(f->e, LUN_EARG, "column '%s': row %lld %s", f->name,
                     (long long)(f->row + k + 1), what);
}

static lun_status disagrees(const lun_arrow_fill *f, const char *what)
{
    return lun__fail(f->e, LUN_EARG, "column '%s': the array is not as its schema says: %s",
                     f->name, what);
}

/* Buffers of an array of that form; of views at least so many. */
static int buffers_of(const lun_arrow_form *form)
{
    return form->way == LUN_ARROW_NOTHING                                   ? 0
           : form->way == LUN_ARROW_OFFSETS || form->way == LUN_ARROW_VIEWS ? 3
                                                                            : 2;
}

lun_status lun__arrow_fill_check(const lun_arrow_fill *f, const lun_arrow_form *form,
                                 const lun_arrow_piece *p)
{
    const struct ArrowArray *a = p->array;
    const int need = p->schema->dictionary ? 2 : buffers_of(form);
    const bool more = form->way == LUN_ARROW_VIEWS && !p->schema->dictionary;
    if (!a || !a->release)
        return disagrees(f, "it is released already");
    if (a->length < 0 || a->offset < 0 || p->from < 0 || p->from > INT64_MAX / 32 - p->n)
        return disagrees(f, "its length or offset is negative");
    if (p->n < 0 || p->n > a->length + a->offset - p->from)
        return disagrees(f, "it has too few rows");
    if (more || !need ? a->n_buffers < need : a->n_buffers != need)
        return disagrees(f, "it has another number of buffers");
    if (!p->schema->dictionary != !a->dictionary)
        return disagrees(f, "one of them has a dictionary");
    if (need && !a->buffers)
        return disagrees(f, "it has no buffers");
    if (p->n && need >= 2 && !a->buffers[1])
        return disagrees(f, "a buffer is missing (NULL)");
    if (p->n && more && a->n_buffers > 3 && !a->buffers[a->n_buffers - 1])
        return disagrees(f, "the sizes of its buffers are missing (NULL)");
    return LUN_OK;
}

/* ---- times ----------------------------------------------------------------------------------- */

static int64_t integer_at(const void *data, int64_t width, int64_t k)
{
    int64_t x = 0;
    int32_t narrow = 0;
    if (width == 8) {
        memcpy(&x, (const char *)data + k * 8, sizeof x);
        return x;
    }
    memcpy(&narrow, (const char *)data + k * 4, sizeof narrow);
    return narrow;
}

enum { DAY_MS = 86400000 };

bool lun__arrow_fill_are_days(const lun_arrow_piece *p)
{
    const void *bits = validity_of(p), *data = p->array->buffers[1];
    bool are = true;
    for (int64_t k = p->from; are && k < p->from + p->n; k++) {
        const int64_t x = bits && !bit_at(bits, k) ? 0 : integer_at(data, 8, k);
        are = x % DAY_MS == 0 && x / DAY_MS >= INT32_MIN && x / DAY_MS <= INT32_MAX;
    }
    return are;
}

/* The days of milliseconds that are whole ones. */
static void fill_days(const lun_arrow_piece *p, const bool *valid, void *slots)
{
    for (int64_t k = 0; k < p->n; k++) {
        const int32_t day =
            valid[k] ? (int32_t)(integer_at(p->array->buffers[1], 8, p->from + k) / DAY_MS) : 0;
        memcpy((char *)slots + k * 4, &day, sizeof day);
    }
}

static int64_t floor_of(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

static lun_status fill_scaled(const lun_arrow_fill *f, const lun_arrow_form *form,
                              const lun_arrow_piece *p, const bool *valid, int64_t *slots)
{
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t x = valid[k] ? integer_at(p->array->buffers[1], form->width, p->from + k) : 0;
        if (x % form->down && !f->options->nanoseconds)
            return fail(f, "is no whole microsecond: {nanoseconds = \"floor\"} rounds it down", k);
        if (__builtin_mul_overflow(floor_of(x, form->down), form->up, &slots[k]))
            return fail(f, "is beyond the range of microseconds", k);
    }
    return LUN_OK;
}

/* ---- decimals -------------------------------------------------------------------------------- */

enum { DIGITS = 160 };

static wide decimal_at(const void *data, int64_t width, int64_t k)
{
    wide x = 0;
    if (width < 16)
        return integer_at(data, width, k);
    memcpy(&x, (const char *)data + k * 16, sizeof x);
    return x;
}

/* The digits of x / 10 ^ scale; how many. */
static int write_decimal(wide x, int scale, char text[DIGITS])
{
    char digits[DIGITS];
    int count = 0, at = 0;
    const bool negative = x < 0;
    for (unsigned __int128 rest = negative ? -(unsigned __int128)x : (unsigned __int128)x; rest;
         rest /= 10)
        digits[count++] = (char)('0' + (int)(rest % 10));
    while (count < scale + 1)
        digits[count++] = '0';
    if (negative)
        text[at++] = '-';
    for (int k = count - 1; k >= 0; k--) {
        text[at++] = digits[k];
        if (k == scale && k > 0)
            text[at++] = '.';
    }
    for (int k = scale; k < 0 && x; k++)
        text[at++] = '0';
    text[at] = '\0';
    return at;
}

/* The nearest f64, by a text without a point, which no locale changes. */
static double decimal_number(wide x, int scale)
{
    char text[DIGITS + 16];
    const int n = write_decimal(x, 0, text);
    snprintf(text + n, sizeof text - (size_t)n, "e%d", -scale);
    return strtod(text, NULL);
}

static lun_status fill_decimals(const lun_arrow_fill *f, const lun_arrow_form *form,
                                const lun_arrow_piece *p, const bool *valid, void *slots)
{
    const wide most = (wide)1000000000000000; /* 10 ^ 15 */
    lun_status s = LUN_OK;
    char text[DIGITS];
    for (int64_t k = 0; s == LUN_OK && k < p->n; k++) {
        const wide x = valid[k] ? decimal_at(p->array->buffers[1], form->width, p->from + k) : 0;
        const int n = write_decimal(x, form->scale, text);
        if (f->texts) {
            uint32_t *code = (uint32_t *)slots + k;
            *code = 0;
            s = valid[k] ? lun__text_pool_add(f->e, f->texts, text, n, code) : LUN_OK;
        } else if (!f->options->decimals && (x >= most || x <= -most)) {
            s = lun__fail(f->e, LUN_EARG,
                          "column '%s': %s (row %lld) has more than 15 digits: {decimals = "
                          "\"f64\"} rounds, \"text\" keeps them",
                          f->name, text, (long long)(f->row + k + 1));
        } else {
            ((double *)slots)[k] = decimal_number(x, form->scale);
        }
    }
    return s;
}

/* ---- texts and bytes ------------------------------------------------------------------------- */

/* Bytes as hexadecimal digits or base64; NULL: no memory. */
static char *spell(const unsigned char *bytes, int64_t n, bool hex, int64_t *length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    *length = hex ? 2 * n : (n + 2) / 3 * 4;
    char *text = malloc((size_t)*length + 1), *to = text;
    for (int64_t k = 0; text && hex && k < n; k++) {
        *to++ = "0123456789abcdef"[bytes[k] >> 4];
        *to++ = "0123456789abcdef"[bytes[k] & 15];
    }
    for (int64_t k = 0; text && !hex && k < n; k += 3) {
        const unsigned left = n - k > 2 ? 3 : (unsigned)(n - k);
        const unsigned second = left > 1 ? bytes[k + 1] : 0, third = left > 2 ? bytes[k + 2] : 0;
        const unsigned three = (unsigned)bytes[k] << 16 | second << 8 | third;
        for (unsigned j = 0; j < 4; j++)
            *to++ = j <= left ? letters[three >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

/* The code of element k of the piece. */
static lun_status add_text(const lun_arrow_fill *f, const lun_arrow_form *form, int64_t k,
                           const char *s, int64_t n, uint32_t *code)
{
    lun_status status;
    if (form->bytes) {
        char *text = spell((const unsigned char *)s, n, f->options->blobs == LUN_ARROW_HEX, &n);
        status = text ? lun__text_pool_add(f->e, f->texts, text, n, code) : lun__fail_nomem(f->e);
        free(text);
    } else if (!lun__utf8_valid(s, n)) {
        status = fail(f, memchr(s, 0, (size_t)n) ? "holds a NUL byte" : "is not UTF-8 text", k);
    } else {
        status = lun__text_pool_add(f->e, f->texts, s, n, code);
    }
    f->e->stats.bytes_copied += n;
    return status;
}

/* Element k of the piece by its view; LUN_EARG: it is outside of its buffer. */
static lun_status view_at(const lun_arrow_fill *f, const lun_arrow_piece *p, int64_t k,
                          const char **text, int64_t *length)
{
    const struct ArrowArray *a = p->array;
    const int64_t buffers = a->n_buffers - 3;
    const char *at = (const char *)a->buffers[1] + (p->from + k) * (int64_t)sizeof(lun_text_view);
    lun_text_view v;
    int64_t size = 0;
    memcpy(&v, at, sizeof v);
    *length = v.length;
    *text = at + 4;
    if (v.length < 0)
        return fail(f, "has a negative length", k);
    if (v.length <= (int32_t)sizeof v.as.in_place)
        return LUN_OK;
    if (v.as.far.buffer >= 0 && v.as.far.buffer < buffers)
        memcpy(&size, (const char *)a->buffers[a->n_buffers - 1] + v.as.far.buffer * 8,
               sizeof size);
    if (v.as.far.offset < 0 || v.as.far.offset > size - v.length ||
        !a->buffers[2 + v.as.far.buffer])
        return fail(f, "is a view beyond its buffer", k);
    *text = (const char *)a->buffers[2 + v.as.far.buffer] + v.as.far.offset;
    return LUN_OK;
}

/* The same by offsets. */
static lun_status between_offsets(const lun_arrow_fill *f, const lun_arrow_form *form,
                                  const lun_arrow_piece *p, int64_t k, const char **text,
                                  int64_t *length)
{
    const void *offsets = p->array->buffers[1];
    const int64_t first = integer_at(offsets, form->width, p->from + k);
    const int64_t next = integer_at(offsets, form->width, p->from + k + 1);
    *text = p->array->buffers[2];
    *length = next - first;
    if (first < 0 || next < first)
        return fail(f, "has offsets that descend", k);
    if (*length && !*text)
        return disagrees(f, "the bytes of its texts are missing (NULL)");
    *text = *length ? *text + first : "";
    return LUN_OK;
}

static lun_status fill_texts(const lun_arrow_fill *f, const lun_arrow_form *form,
                             const lun_arrow_piece *p, const bool *valid, uint32_t *codes)
{
    enum { OFTEN = 50000 };
    lun_status s = LUN_OK;
    for (int64_t k = 0; s == LUN_OK && k < p->n; k++) {
        const char *text = "";
        int64_t length = form->width;
        codes[k] = 0;
        if (k % OFTEN == OFTEN - 1)
            s = lun_host_check(f->e);
        if (!valid[k] || s != LUN_OK)
            continue;
        if (form->way == LUN_ARROW_VIEWS)
            s = view_at(f, p, k, &text, &length);
        else if (form->way == LUN_ARROW_OFFSETS)
            s = between_offsets(f, form, p, k, &text, &length);
        else
            text = (const char *)p->array->buffers[1] + (p->from + k) * form->width;
        if (s == LUN_OK)
            s = add_text(f, form, k, text, length, &codes[k]);
    }
    return s;
}

/* ---- all of them ----------------------------------------------------------------------------- */

int lun__arrow_fill_width(const lun_arrow_form *form)
{
    return lun_dtype_kind(form->dtype) == LUN_KIND_TEXT
               ? (int)sizeof(uint32_t)
               : lun__dtype_get(lun__dtype_storage(form->dtype))->bytes;
}

/* The slots of missing elements. */
static void blank(const lun_arrow_form *form, int64_t n, const bool *valid, char *slots)
{
    const lun_dtype t = lun__dtype_storage(form->dtype);
    const size_t size = (size_t)lun__arrow_fill_width(form);
    char slot[16] = {0};
    if (lun__dtype_is_float(t))
        lun_element_set(t, lun__validity_blank(t), slot);
    for (int64_t k = 0; k < n; k++)
        if (!valid[k])
            memcpy(slots + (size_t)k * size, slot, size);
}

/* Elements as they stand, without their dictionary; those that are not used, if that is not NULL,
 * are taken as missing. */
static lun_status fill_plain(const lun_arrow_fill *f, const lun_arrow_form *form,
                             const lun_arrow_piece *p, const bool *used, void *slots, bool *valid)
{
    const void *data = p->n && buffers_of(form) ? p->array->buffers[1] : NULL;
    lun_status s = LUN_OK;
    lun__arrow_fill_validity(p, valid);
    for (int64_t k = 0; used && k < p->n; k++)
        valid[k] = valid[k] && used[k];
    if (form->way == LUN_ARROW_NOTHING)
        memset(valid, 0, (size_t)p->n);
    else if (form->way == LUN_ARROW_BITS)
        for (int64_t k = 0; k < p->n; k++)
            ((bool *)slots)[k] = bit_at(data, p->from + k);
    else if (form->way == LUN_ARROW_DECIMAL)
        s = fill_decimals(f, form, p, valid, slots);
    else if (form->way == LUN_ARROW_SCALED && form->days)
        fill_days(p, valid, slots);
    else if (form->way == LUN_ARROW_SCALED)
        s = fill_scaled(f, form, p, valid, slots);
    else if (form->way == LUN_ARROW_SAME && p->n)
        memcpy(slots, (const char *)data + p->from * form->width, (size_t)(p->n * form->width));
    else if (form->way != LUN_ARROW_SAME)
        s = fill_texts(f, form, p, valid, slots);
    if (s == LUN_OK)
        blank(form, p->n, valid, slots);
    if (lun_dtype_kind(form->dtype) != LUN_KIND_TEXT &&
        lun_dtype_kind(form->dtype) != LUN_KIND_BOOL)
        f->e->stats.bytes_copied += p->n * lun__arrow_fill_width(form);
    return s;
}

/* The number of entry k of a piece in its dictionary; -1: it is negative or too large. */
static int64_t code_of(const lun_arrow_piece *p, int size, bool is_signed, int64_t k)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)p->array->buffers[1] + (p->from + k) * size, (size_t)size);
    if (is_signed && x >> (8 * size - 1) & 1)
        return -1;
    return x > INT64_MAX ? -1 : (int64_t)x;
}

/* Which values of its dictionary a piece uses, and which of its elements are there. */
static lun_status mark_used(const lun_arrow_fill *f, const lun_arrow_piece *p, bool *used,
                            bool *valid)
{
    bool is_signed;
    const int bytes = lun__arrow_form_codes(p->schema->format, &is_signed);
    const int64_t values = p->array->dictionary->length;
    memset(used, 0, (size_t)values);
    lun__arrow_fill_validity(p, valid);
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t code = valid[k] ? code_of(p, bytes, is_signed, k) : 0;
        if (valid[k] && (code < 0 || code >= values))
            return lun__fail(f->e, LUN_EARG,
                             "column '%s': the code of row %lld is not among the %lld values of "
                             "its dictionary",
                             f->name, (long long)(f->row + k + 1), (long long)values);
        if (valid[k])
            used[code] = true;
    }
    return LUN_OK;
}

/* The values of the codes of a piece, and whether they are there, of which the dictionary's are in
 * `all` and `there`. */
static void look_up(const lun_arrow_form *form, const lun_arrow_piece *p, const char *all,
                    const bool *there, char *slots, bool *valid)
{
    bool is_signed;
    const int size = lun__arrow_fill_width(form);
    const int bytes = lun__arrow_form_codes(p->schema->format, &is_signed);
    for (int64_t k = 0; k < p->n; k++) {
        if (!valid[k])
            continue;
        const int64_t code = code_of(p, bytes, is_signed, k);
        valid[k] = there[code];
        memcpy(slots + k * size, all + code * size, (size_t)size);
    }
    blank(form, p->n, valid, slots);
}

lun_status lun__arrow_fill(const lun_arrow_fill *f, const lun_arrow_form *form,
                           const lun_arrow_piece *p, void *slots, bool *valid)
{
    const struct ArrowArray *d = p->array->dictionary;
    if (!d)
        return fill_plain(f, form, p, NULL, slots, valid);
    const lun_arrow_piece values = {p->schema->dictionary, d, d->offset, d->length};
    lun_status s = lun__arrow_fill_check(f, form, &values);
    if (s != LUN_OK)
        return s;
    char *all = malloc((size_t)(d->length + 1) * (size_t)lun__arrow_fill_width(form));
    bool *there = malloc((size_t)d->length + 1), *used = malloc((size_t)d->length + 1);
    s = all && there && used ? mark_used(f, p, used, valid) : lun__fail_nomem(f->e);
    if (s == LUN_OK)
        s = fill_plain(f, form, &values, used, all, there);
    if (s == LUN_OK)
        look_up(form, p, all, there, slots, valid);
    free(all);
    free(there);
    free(used);
    return s;
}
