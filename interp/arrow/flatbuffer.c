/* flatbuffer.c - see flatbuffer.h.
 *
 * A buffer begins with the offset of its root table.  A table begins with how far its list of
 * offsets is before it (i32), which is: bytes of the list, bytes of the table (u16 each), and the
 * offset of each field in the table, 0 where it is absent.  A vector is a count (u32) and elements;
 * a reference is how far its target is behind it (u32).  All is little-endian. */
#include <stdlib.h>
#include <string.h>

#include "arrow/flatbuffer.h"

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_inside(lun_flatbuffer *f, int64_t at, int64_t bytes)
{
    const bool inside = at >= 0 && bytes >= 0 && bytes <= f->size && at <= f->size - bytes;
    f->bad = f->bad || !inside;
    return inside;
}

int64_t lun__flatbuffer_number(lun_flatbuffer *f, int64_t at, int bytes)
{
    uint64_t x = 0;
    if (!is_inside(f, at, bytes))
        return 0;
    for (int k = 0; k < bytes; k++)
        x |= (uint64_t)f->bytes[at + k] << 8 * k;
    if (bytes < 8 && x >> (8 * bytes - 1)) /* the sign */
        x |= ~UINT64_C(0) << 8 * bytes;
    return (int64_t)x;
}

static int64_t natural(lun_flatbuffer *f, int64_t at, int bytes)
{
    return lun__flatbuffer_number(f, at, bytes) & ((INT64_C(1) << 8 * bytes) - 1);
}

static lun_flatbuffer_table table_at(lun_flatbuffer *f, int64_t at)
{
    enum { HEAD = 4 };
    lun_flatbuffer_table t = {f, at, 0, 0, 0};
    t.fields = at - lun__flatbuffer_number(f, at, HEAD);
    const int64_t list = natural(f, t.fields, 2);
    t.size = (int)natural(f, t.fields + 2, 2);
    t.count = (int)(list - HEAD) / 2;
    f->bad = f->bad || at == 0 || list < HEAD || t.size < HEAD;
    (void)is_inside(f, t.fields, list);
    (void)is_inside(f, at, t.size);
    if (f->bad)
        t.at = 0;
    return t;
}

lun_flatbuffer_table lun__flatbuffer_root(lun_flatbuffer *f)
{
    return table_at(f, natural(f, 0, 4));
}

/* Where field k is; 0: absent. */
static int64_t field_at(lun_flatbuffer_table t, int k, int bytes)
{
    if (!t.at || k >= t.count)
        return 0;
    const int64_t offset = natural(t.in, t.fields + 4 + 2 * k, 2);
    if (offset + bytes > t.size)
        t.in->bad = true;
    return offset && !t.in->bad ? t.at + offset : 0;
}

int64_t lun__flatbuffer_field(lun_flatbuffer_table t, int k, int bytes, int64_t by_default)
{
    const int64_t at = field_at(t, k, bytes);
    return at ? lun__flatbuffer_number(t.in, at, bytes) : by_default;
}

/* What field k refers to; 0: absent. */
static int64_t target_of(lun_flatbuffer_table t, int k)
{
    const int64_t at = field_at(t, k, 4);
    return at ? at + natural(t.in, at, 4) : 0;
}

lun_flatbuffer_table lun__flatbuffer_child(lun_flatbuffer_table t, int k)
{
    const int64_t at = target_of(t, k);
    return at ? table_at(t.in, at) : (lun_flatbuffer_table){.in = t.in};
}

lun_flatbuffer_vector lun__flatbuffer_vector(lun_flatbuffer_table t, int k, int bytes)
{
    const int64_t at = target_of(t, k);
    lun_flatbuffer_vector v = {t.in, at + 4, at ? natural(t.in, at, 4) : 0};
    if (at && !is_inside(t.in, v.at, v.count * bytes))
        v.count = 0;
    return v;
}

lun_flatbuffer_table lun__flatbuffer_element(lun_flatbuffer_vector v, int64_t k)
{
    const int64_t at = v.at + 4 * k;
    return table_at(v.in, at + natural(v.in, at, 4));
}

const char *lun__flatbuffer_text(lun_flatbuffer_table t, int k, int64_t *length)
{
    const lun_flatbuffer_vector v = lun__flatbuffer_vector(t, k, 1);
    *length = v.count;
    return field_at(t, k, 4) && !t.in->bad ? (const char *)t.in->bytes + v.at : NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Makes room for so many zeros at an address of that alignment, behind `before` bytes; where they
 * are. */
static int64_t extend(lun_flatbuffer_made *m, int64_t before, int align, int64_t bytes)
{
    const int64_t at = (m->size + before + align - 1) / align * align, end = at + bytes;
    if (m->failed)
        return 0;
    if (end > m->room) {
        uint8_t *more = realloc(m->bytes, (size_t)end * 2);
        m->failed = !more;
        if (!more)
            return 0;
        m->bytes = more;
        m->room = end * 2;
    }
    memset(m->bytes + m->size, 0, (size_t)(end - m->size));
    m->size = end;
    return at;
}

void lun__flatbuffer_start(lun_flatbuffer_made *m)
{
    *m = (lun_flatbuffer_made){.bytes = NULL};
    (void)extend(m, 0, 4, 4); /* the offset of the root */
}

void lun__flatbuffer_end(lun_flatbuffer_made *m)
{
    free(m->bytes);
    *m = (lun_flatbuffer_made){.bytes = NULL};
}

void lun__flatbuffer_put(lun_flatbuffer_made *m, int64_t at, int bytes, int64_t x)
{
    for (int k = 0; k < bytes && !m->failed; k++)
        m->bytes[at + k] = (uint8_t)((uint64_t)x >> 8 * k);
}

void lun__flatbuffer_put_table(lun_flatbuffer_made *m, int64_t from, const uint8_t *bytes, int n,
                               int64_t *at)
{
    int64_t size = 4;
    for (int k = 0; k < n; k++) {
        const int each = bytes[k] ? bytes[k] : 1;
        size = bytes[k] ? (size + each - 1) / each * each : size;
        at[k] = bytes[k] ? size : 0;
        size += bytes[k];
    }
    const int list = 4 + 2 * n;
    const int64_t table = extend(m, list, 8, size);
    lun__flatbuffer_put(m, from, 4, table - from);
    lun__flatbuffer_put(m, table, 4, list);
    lun__flatbuffer_put(m, table - list, 2, list);
    lun__flatbuffer_put(m, table - list + 2, 2, size);
    for (int k = 0; k < n; k++) {
        lun__flatbuffer_put(m, table - list + 4 + 2 * k, 2, at[k]);
        at[k] += table;
    }
}

int64_t lun__flatbuffer_put_vector(lun_flatbuffer_made *m, int64_t from, int64_t count, int bytes)
{
    const int64_t at = extend(m, 4, bytes > 4 ? 8 : 4, count * bytes);
    lun__flatbuffer_put(m, at - 4, 4, count);
    lun__flatbuffer_put(m, from, 4, at - 4 - from);
    return at;
}

void lun__flatbuffer_put_text(lun_flatbuffer_made *m, int64_t from, const char *text)
{
    const int64_t n = (int64_t)strlen(text);
    const int64_t at = lun__flatbuffer_put_vector(m, from, n + 1, 1);
    lun__flatbuffer_put(m, at - 4, 4, n); /* the NUL does not count */
    if (!m->failed)
        memcpy(m->bytes + at, text, (size_t)n);
}
