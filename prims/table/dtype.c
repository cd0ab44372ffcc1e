/* dtype.c - dtypes.def expanded: rows, promotion, conversion of single elements. */
#include "table/dtype.h"

#include <math.h>
#include <string.h>

const lun_dtype_row lun__dtype_rows[LUN_DTYPE_COUNT] = {
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, npy, doc) \
    {#name, #ctype, #utype, npy, doc, bytes, LUN_KIND_##kind, rank},
#include "table/dtypes.def"
#undef LUN_DTYPE
};

const char *lun_dtype_name(lun_dtype t)
{
    return (unsigned)t < LUN_DTYPE_COUNT ? lun__dtype_rows[t].name : NULL;
}

int lun_dtype_size(lun_dtype t)
{
    return (unsigned)t < LUN_DTYPE_COUNT ? lun__dtype_rows[t].bytes : 0;
}

bool lun_dtype_find(const char *name, lun_dtype *out)
{
    for (int i = 0; name && out && i < LUN_DTYPE_COUNT; i++)
        if (!strcmp(lun__dtype_rows[i].name, name)) {
            *out = (lun_dtype)i;
            return true;
        }
    return false;
}

lun_dtype lun_dtype_common(lun_dtype a, lun_dtype b)
{
    const lun_dtype_row *x = &lun__dtype_rows[a], *y = &lun__dtype_rows[b];
    if (a == b)
        return a;
    if (x->kind == LUN_KIND_BOOL)
        return b;
    if (y->kind == LUN_KIND_BOOL)
        return a;
    if (x->kind == LUN_KIND_FLOAT || y->kind == LUN_KIND_FLOAT) {
        if (x->kind != LUN_KIND_FLOAT)
            return b;
        if (y->kind != LUN_KIND_FLOAT)
            return a;
        return x->rank > y->rank ? a : b;
    }
    if (x->kind == y->kind)
        return x->rank > y->rank ? a : b;
    /* mixed signs */
    lun_dtype s = x->kind == LUN_KIND_SIGNED ? a : b, u = x->kind == LUN_KIND_SIGNED ? b : a;
    if (lun__dtype_rows[s].rank > lun__dtype_rows[u].rank)
        return s;
    static const lun_dtype wider[] = {LUN_I16, LUN_I16, LUN_I32, LUN_I64, LUN_I64};
    return wider[lun__dtype_rows[u].rank];
}

/* ---- single elements ---------------------------------------------------------------------------- */

static double cell_double(lun_dtype t, uint64_t cell)
{
    if (t == LUN_F32) {
        float f;
        memcpy(&f, &cell, sizeof f);
        return (double)f;
    }
    double d;
    memcpy(&d, &cell, sizeof d);
    return d;
}

lun_value lun_cell_to_value(lun_dtype t, uint64_t cell)
{
    lun_value v = {.dtype = LUN_I64};
    int bits = 8 * lun__dtype_rows[t].bytes;
    switch (lun__dtype_rows[t].kind) {
    case LUN_KIND_FLOAT:
        v.dtype = LUN_F64;
        v.as.d = cell_double(t, cell);
        break;
    case LUN_KIND_BOOL:
        v.dtype = LUN_BOOL;
        v.as.u = (cell & 0xff) != 0;
        break;
    case LUN_KIND_UNSIGNED:
        v.dtype = t == LUN_U64 ? LUN_U64 : LUN_I64;
        v.as.u = bits == 64 ? cell : cell & (((uint64_t)1 << bits) - 1);
        break;
    default:
        v.as.i = (int64_t)(cell << (64 - bits)) >> (64 - bits);
    }
    return v;
}

static uint64_t float_cell(lun_dtype t, double x)
{
    uint64_t cell = 0;
    if (t == LUN_F32) {
        float f = (float)x;
        memcpy(&cell, &f, sizeof f);
    } else {
        memcpy(&cell, &x, sizeof x);
    }
    return cell;
}

/* Truncates and saturates; NaN gives 0. */
static uint64_t integer_from_double(lun_dtype t, double x)
{
    int bits = 8 * lun__dtype_rows[t].bytes;
    if (isnan(x))
        return 0;
    if (lun__dtype_rows[t].kind == LUN_KIND_UNSIGNED) {
        if (x <= 0)
            return 0;
        if (x >= ldexp(1, bits))
            return UINT64_MAX >> (64 - bits);
        return (uint64_t)x;
    }
    if (x <= -ldexp(1, bits - 1))
        return (uint64_t)INT64_MIN >> (64 - bits);
    if (x >= ldexp(1, bits - 1))
        return (uint64_t)INT64_MAX >> (64 - bits);
    return (uint64_t)(int64_t)x & (UINT64_MAX >> (64 - bits));
}

uint64_t lun_cell_from_value(lun_dtype t, lun_value v)
{
    bool is_float = v.dtype == LUN_F64;
    if (t == LUN_BOOL)
        return is_float ? v.as.d != 0 : v.as.u != 0;
    if (lun__dtype_rows[t].kind == LUN_KIND_FLOAT) {
        if (is_float)
            return float_cell(t, v.as.d);
        if (t == LUN_F32) { /* one rounding, not two */
            float f = v.dtype == LUN_U64 ? (float)v.as.u : (float)v.as.i;
            return float_cell(t, (double)f);
        }
        return float_cell(t, v.dtype == LUN_U64 ? (double)v.as.u : (double)v.as.i);
    }
    if (is_float)
        return integer_from_double(t, v.as.d);
    return v.as.u & (UINT64_MAX >> (64 - 8 * lun__dtype_rows[t].bytes));
}

uint64_t lun_cell_cast(lun_dtype to, lun_dtype from, uint64_t cell)
{
    return lun_cell_from_value(to, lun_cell_to_value(from, cell));
}

void lun_cell_fill(lun_dtype t, uint64_t cell, void *to, int64_t n)
{
    enum { BLOCK = 1 << 14 }; /* copied from a part that stays in the nearest cache */
    size_t size = lun__dtype_rows[t].bytes, total = (size_t)n * size, done = size;
    if (n <= 0)
        return;
    memcpy(to, &cell, size);
    while (done < total) {
        size_t part = done < BLOCK ? done : BLOCK;
        if (part > total - done)
            part = total - done;
        memcpy((char *)to + done, to, part);
        done += part;
    }
}

bool lun_value_fits(lun_dtype t, lun_value v)
{
    int bits = 8 * lun__dtype_rows[t].bytes;
    if (lun__dtype_rows[t].kind == LUN_KIND_FLOAT)
        return v.dtype != LUN_BOOL;
    if (t == LUN_BOOL)
        return v.dtype == LUN_BOOL;
    if (v.dtype == LUN_BOOL)
        return true;
    bool is_unsigned = lun__dtype_rows[t].kind == LUN_KIND_UNSIGNED;
    if (v.dtype == LUN_F64) {
        double x = v.as.d, top = ldexp(1, is_unsigned ? bits : bits - 1);
        return x == floor(x) && x < top && x >= (is_unsigned ? 0 : -top);
    }
    if (v.dtype == LUN_U64 && v.as.u > INT64_MAX)
        return t == LUN_U64;
    if (is_unsigned)
        return v.as.i >= 0 && (bits == 64 || v.as.i >> bits == 0);
    return bits == 64 ||
           (v.as.i >= -((int64_t)1 << (bits - 1)) && v.as.i < (int64_t)1 << (bits - 1));
}
