/* bytes.c - values as bytes and back; see bytes.h. */
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------------------- */

static void put(lun_strbuf *to, const void *x, size_t size)
{
    lun__strbuf_add(to, x, size);
}

void lun__bytes_put_u8(lun_strbuf *to, unsigned x)
{
    const uint8_t byte = (uint8_t)x;
    put(to, &byte, sizeof byte);
}

void lun__bytes_put_i32(lun_strbuf *to, int32_t x)
{
    put(to, &x, sizeof x);
}

void lun__bytes_put_i64(lun_strbuf *to, int64_t x)
{
    put(to, &x, sizeof x);
}

void lun__bytes_put_bytes(lun_strbuf *to, const void *bytes, int64_t count)
{
    lun__bytes_put_i64(to, count);
    if (count)
        put(to, bytes, (size_t)count);
}

void lun__bytes_put_text(lun_strbuf *to, const char *text)
{
    lun__bytes_put_u8(to, text != NULL);
    if (text)
        lun__bytes_put_bytes(to, text, (int64_t)strlen(text));
}

void lun__bytes_put_layout(lun_strbuf *to, const lun_layout *l)
{
    lun__bytes_put_u8(to, (unsigned)l->rank);
    lun__bytes_put_i64(to, l->offset);
    for (int k = 0; k < l->rank; k++) {
        lun__bytes_put_i64(to, l->extent[k]);
        lun__bytes_put_i64(to, l->stride[k]);
    }
}

void lun__bytes_put_padding(lun_strbuf *to, const lun_padding *p)
{
    lun__bytes_put_u8(to, (unsigned)p->rank);
    lun__bytes_put_i64(to, (int64_t)p->value);
    for (int k = 0; k < p->rank; k++) {
        lun__bytes_put_i64(to, p->extent[k]);
        lun__bytes_put_i64(to, p->inner[k]);
        lun__bytes_put_i64(to, p->before[k]);
        lun__bytes_put_u8(to, p->rule[k]);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

const void *lun__bytes_take_raw(lun_bytes *from, int64_t count)
{
    if (from->bad || count < 0 || count > from->left) {
        from->bad = true;
        return NULL;
    }
    const void *at = from->at;
    from->at += count;
    from->left -= count;
    return at;
}

static void take(lun_bytes *from, void *x, size_t size)
{
    const void *at = lun__bytes_take_raw(from, (int64_t)size);
    if (at)
        memcpy(x, at, size);
}

unsigned lun__bytes_take_u8(lun_bytes *from)
{
    uint8_t x = 0;
    take(from, &x, sizeof x);
    return x;
}

int32_t lun__bytes_take_i32(lun_bytes *from)
{
    int32_t x = 0;
    take(from, &x, sizeof x);
    return x;
}

int64_t lun__bytes_take_i64(lun_bytes *from)
{
    int64_t x = 0;
    take(from, &x, sizeof x);
    return x;
}

int64_t lun__bytes_take_within(lun_bytes *from, int64_t low, int64_t high)
{
    const int64_t x = lun__bytes_take_i64(from);
    if (!from->bad && x >= low && x <= high)
        return x;
    from->bad = true;
    return low;
}

int lun__bytes_take_count(lun_bytes *from, int bytes_each)
{
    const int32_t n = lun__bytes_take_i32(from);
    if (!from->bad && n >= 0 && n <= from->left / bytes_each)
        return n;
    from->bad = true;
    return 0;
}

const void *lun__bytes_take_bytes(lun_bytes *from, int64_t *count)
{
    const int64_t n = lun__bytes_take_i64(from);
    const void *at = lun__bytes_take_raw(from, n);
    *count = at ? n : 0;
    return at;
}

char *lun__bytes_take_text(lun_bytes *from, bool *nomem)
{
    int64_t n;
    if (!lun__bytes_take_u8(from))
        return NULL;
    const char *at = lun__bytes_take_bytes(from, &n);
    if (at && n && memchr(at, 0, (size_t)n))
        from->bad = true;
    if (!at || from->bad)
        return NULL;
    char *text = malloc((size_t)n + 1);
    if (!text) {
        *nomem = true;
        return NULL;
    }
    memcpy(text, at, (size_t)n);
    text[n] = 0;
    return text;
}

/* Extents whose product is within int64_t. */
static bool are_extents(const int64_t *extent, int rank)
{
    int64_t n = 1;
    for (int k = 0; k < rank; k++)
        if (extent[k] < 0 || __builtin_mul_overflow(n, extent[k] ? extent[k] : 1, &n))
            return false;
    return true;
}

lun_layout lun__bytes_take_layout(lun_bytes *from)
{
    lun_layout l = {.rank = (int)lun__bytes_take_u8(from)};
    if (l.rank > LUN_LAYOUT_RANK) {
        from->bad = true;
        l.rank = 0;
    }
    l.offset = lun__bytes_take_i64(from);
    for (int k = 0; k < l.rank; k++) {
        l.extent[k] = lun__bytes_take_i64(from);
        l.stride[k] = lun__bytes_take_i64(from);
    }
    if (!from->bad && are_extents(l.extent, l.rank))
        return l;
    from->bad = true;
    return (lun_layout){.rank = 0};
}

lun_padding lun__bytes_take_padding(lun_bytes *from)
{
    lun_padding p = {.rank = (int)lun__bytes_take_u8(from)};
    if (p.rank < 1 || p.rank > LUN_LAYOUT_RANK) {
        from->bad = true;
        p.rank = 1;
    }
    p.value = (uint64_t)lun__bytes_take_i64(from);
    for (int k = 0; k < p.rank; k++) {
        p.extent[k] = lun__bytes_take_i64(from);
        p.inner[k] = lun__bytes_take_i64(from);
        p.before[k] = lun__bytes_take_i64(from);
        p.rule[k] = (uint8_t)lun__bytes_take_u8(from);
        if (p.rule[k] > LUN_PAD_NEAREST || (p.rule[k] != LUN_PAD_VALUE && p.inner[k] <= 0))
            from->bad = true;
    }
    if (!from->bad && are_extents(p.extent, p.rank) && are_extents(p.inner, p.rank))
        return p;
    from->bad = true;
    return (lun_padding){.rank = 1};
}
