/* dtype.c - dtypes.def expanded: rows, promotion, conversion of single elements. */
#include "table/dtype.h"

#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "lunarray_bind.h"
#include "table/floats.h"

const lun_dtype_row lun__dtype_rows[LUN__DTYPE_NUMBERS] = {
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute,   \
                  sum, suffix, npy, doc)                                                          \
    {#name, #ctype,   #utype,   suffix,          npy,           doc,      bytes, LUN_KIND_##kind, \
     rank,  exponent, mantissa, LUN_FORM_##form, LUN_##compute, LUN_##sum},
#include "table/dtypes.def"
#undef LUN_DTYPE
#define LUN_LOGICAL(ID, name_, number, kind_, storage, bytes_, instead, doc_) \
    [number] = {.name = #name_, .doc = doc_, .npy = "", .bytes = bytes_, .kind = LUN_KIND_##kind_},
#define LUN_LOGICAL_RULE(kind, rule, how)
#define LUN_LOGICAL_REDUCTION(kind, reduction)
#include "table/logical.def"
#undef LUN_LOGICAL
#undef LUN_LOGICAL_RULE
#undef LUN_LOGICAL_REDUCTION
};

/* Whether t is one of dtypes.def or logical.def. */
static bool is_dtype(lun_dtype t)
{
    return (unsigned)t < LUN__DTYPE_NUMBERS && lun__dtype_rows[t].name;
}

const char *lun_dtype_name(lun_dtype t)
{
    return is_dtype(t) ? lun__dtype_rows[t].name : NULL;
}

int lun_dtype_size(lun_dtype t)
{
    return is_dtype(t) ? lun__dtype_rows[t].bytes : 0;
}

lun_kind lun_dtype_kind(lun_dtype t)
{
    return is_dtype(t) ? (lun_kind)lun__dtype_rows[t].kind : LUN_KIND_BOOL;
}

lun_dtype lun__dtype_storage(lun_dtype t)
{
#define LUN_LOGICAL(ID, name, number, kind, storage, bytes, instead, doc) [number] = LUN_##storage,
#define LUN_LOGICAL_RULE(kind, rule, how)
#define LUN_LOGICAL_REDUCTION(kind, reduction)
    static const uint8_t storage_of[LUN__DTYPE_NUMBERS] = {
#include "table/logical.def"
    };
#undef LUN_LOGICAL
#undef LUN_LOGICAL_RULE
#undef LUN_LOGICAL_REDUCTION
    return lun__dtype_is_logical(t) ? (lun_dtype)storage_of[t] : t;
}

const char *lun__dtype_instead(lun_dtype t)
{
#define LUN_LOGICAL(ID, name, number, kind, storage, bytes, instead, doc) [number] = instead,
#define LUN_LOGICAL_RULE(kind, rule, how)
#define LUN_LOGICAL_REDUCTION(kind, reduction)
    static const char *const instead_of[LUN__DTYPE_NUMBERS] = {
#include "table/logical.def"
    };
#undef LUN_LOGICAL
#undef LUN_LOGICAL_RULE
#undef LUN_LOGICAL_REDUCTION
    return lun__dtype_is_logical(t) ? instead_of[t] : "";
}

bool lun_dtype_describe(lun_dtype t, lun_dtype_info *out)
{
    if (!is_dtype(t) || !out)
        return false;
    const lun_dtype_row *d = &lun__dtype_rows[t];
    const lun_dtype_info info = {.name = d->name,
                                 .doc = d->doc,
                                 .npy = d->npy,
                                 .bytes = d->bytes,
                                 .kind = (lun_kind)d->kind,
                                 .exponent = d->exponent,
                                 .mantissa = d->mantissa};
    return lun__sized_give(out, &info, sizeof info);
}

lun_dtype lun__dtype_integer(lun_kind kind, int bytes)
{
    int t = 0;
    while (lun__dtype_rows[t].kind != kind || lun__dtype_rows[t].bytes != bytes)
        t++;
    return (lun_dtype)t;
}

bool lun_dtype_find(const char *name, lun_dtype *out)
{
    for (int i = 0; name && out && i < LUN_RECORD; i++) /* of records the struct is named */
        if (is_dtype((lun_dtype)i) && !strcmp(lun__dtype_rows[i].name, name)) {
            *out = (lun_dtype)i;
            return true;
        }
    return false;
}

/* The narrowest float that holds every value of both. */
static lun_dtype holding(const lun_dtype_row *x, const lun_dtype_row *y)
{
    int best = -1;
    for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
        const lun_dtype_row *d = &lun__dtype_rows[t];
        bool holds = d->exponent >= x->exponent && d->mantissa >= x->mantissa &&
                     d->exponent >= y->exponent && d->mantissa >= y->mantissa;
        if (holds && (best < 0 || d->rank < lun__dtype_rows[best].rank))
            best = t;
    }
    return (lun_dtype)best;
}

lun_dtype lun__dtype_common(lun_dtype a, lun_dtype b)
{
    if (a == b)
        return a;
    if (a == LUN_DTYPE_COUNT || b == LUN_DTYPE_COUNT) {
        const lun_dtype other = a == LUN_DTYPE_COUNT ? b : a;
        return lun__dtype_is_float(other) ? other : LUN_DTYPE_COUNT;
    }
    const lun_dtype_row *x = &lun__dtype_rows[a], *y = &lun__dtype_rows[b];
    if (x->kind == LUN_KIND_FLOAT && y->kind == LUN_KIND_FLOAT)
        return holding(x, y);
    if (x->kind == LUN_KIND_BOOL)
        return b;
    if (y->kind == LUN_KIND_BOOL)
        return a;
    if (x->kind == LUN_KIND_FLOAT || y->kind == LUN_KIND_FLOAT) {
        if (x->kind != LUN_KIND_FLOAT)
            return b;
        return a;
    }
    if (x->kind == y->kind)
        return x->rank > y->rank ? a : b;
    /* mixed signs */
    const lun_dtype_row *u = x->kind == LUN_KIND_UNSIGNED ? x : y, *s = u == x ? y : x;
    if (s->rank > u->rank)
        return s == x ? a : b;
    return u->bytes < 8 ? lun__dtype_integer(LUN_KIND_SIGNED, 2 * u->bytes) : LUN_DTYPE_COUNT;
}

/* ---- single elements ------------------------------------------------------------------------- */

static double cell_double(lun_dtype t, uint64_t cell)
{
    const lun_dtype_row *d = &lun__dtype_rows[t];
    if (d->form == LUN_FORM_STORED)
        return cell_double((lun_dtype)d->compute,
                           lun__float_widen((uint32_t)cell & 0xffff, d->exponent, d->mantissa));
    if (d->bytes == sizeof(float)) {
        float f;
        memcpy(&f, &cell, sizeof f);
        return (double)f;
    }
    double x;
    memcpy(&x, &cell, sizeof x);
    return x;
}

lun_value lun__dtype_cell_to_value(lun_dtype t, uint64_t cell)
{
    lun_value v = {.dtype = LUN_I64};
    int bits = lun__dtype_bits(t);
    switch ((lun_kind)lun__dtype_rows[t].kind) {
    case LUN_KIND_FLOAT:
        v.dtype = LUN_F64;
        v.as.d = cell_double(t, cell);
        break;
    case LUN_KIND_BOOL:
        v.dtype = LUN_BOOL;
        v.as.u = (cell & 0xff) != 0;
        break;
    case LUN_KIND_UNSIGNED:
        v.dtype = bits == 64 ? LUN_U64 : LUN_I64;
        v.as.u = bits == 64 ? cell : cell & (((uint64_t)1 << bits) - 1);
        break;
    case LUN_KIND_SIGNED:
        v.as.i = (int64_t)(cell << (64 - bits)) >> (64 - bits);
        break;
    case LUN_KIND_TEXT:
    case LUN_KIND_TIME:
    case LUN_KIND_COMPLEX:
    case LUN_KIND_RECORD: /* no dtype of cells */
        break;
    }
    return v;
}

/* An integer as a double that rounds to a few bits as the integer does: of large ones the low bits
 * only tell whether there are any. */
static double few_bits(lun_value v)
{
    const uint64_t low = 0xffff, few = (uint64_t)1 << 26;
    uint64_t magnitude = lun__dtype_is_signed(v.dtype) && v.as.i < 0 ? 0 - v.as.u : v.as.u;
    if (magnitude >= few && (v.as.u & low))
        v.as.u = (v.as.u & ~low) | (low + 1) / 2;
    return lun__dtype_value_double(v);
}

/* v as a float of dtype t, rounded once; of all NaN the canonical one. */
static uint64_t float_cell(lun_dtype t, lun_value v)
{
    const lun_dtype_row *d = &lun__dtype_rows[t];
    uint64_t cell = 0;
    if (lun__dtype_value_is_float(v) && isnan(v.as.d))
        v.as.d = __builtin_nan("");
    if (d->form == LUN_FORM_STORED) {
        double x = lun__dtype_value_is_float(v) ? v.as.d : few_bits(v);
        memcpy(&cell, &x, sizeof x);
        return lun__float_narrow64(cell, d->exponent, d->mantissa);
    }
    if (d->bytes == sizeof(float)) {
        float f = lun__dtype_value_is_float(v)      ? (float)v.as.d
                  : lun__dtype_value_is_unsigned(v) ? (float)v.as.u
                                                    : (float)v.as.i;
        memcpy(&cell, &f, sizeof f);
    } else {
        double x = lun__dtype_value_double(v);
        memcpy(&cell, &x, sizeof x);
    }
    return cell;
}

/* Truncates and saturates; NaN gives 0. */
static uint64_t integer_from_double(lun_dtype t, double x)
{
    int bits = lun__dtype_bits(t);
    if (isnan(x))
        return 0;
    if (lun__dtype_is_unsigned(t)) {
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

uint64_t lun__dtype_cell_from_value(lun_dtype t, lun_value v)
{
    bool is_float = lun__dtype_value_is_float(v);
    if (lun__dtype_is_bool(t))
        return is_float ? v.as.d != 0 : v.as.u != 0;
    if (lun__dtype_is_float(t))
        return float_cell(t, v);
    if (is_float)
        return integer_from_double(t, v.as.d);
    return v.as.u & (UINT64_MAX >> (64 - lun__dtype_bits(t)));
}

uint64_t lun__dtype_cell_cast(lun_dtype to, lun_dtype from, uint64_t cell)
{
    return lun__dtype_cell_from_value(to, lun__dtype_cell_to_value(from, cell));
}

lun_value lun_element_get(lun_dtype t, const void *element)
{
    uint64_t cell = 0;
    if ((unsigned)t >= LUN_DTYPE_COUNT || !element)
        return (lun_value){.dtype = LUN_I64};
    memcpy(&cell, element, lun__dtype_rows[t].bytes);
    return lun__dtype_cell_to_value(t, cell);
}

void lun_element_set(lun_dtype t, lun_value x, void *element)
{
    if ((unsigned)t >= LUN_DTYPE_COUNT || (unsigned)x.dtype >= LUN_DTYPE_COUNT || !element)
        return;
    uint64_t cell = lun__dtype_cell_from_value(t, x);
    memcpy(element, &cell, lun__dtype_rows[t].bytes);
}

void lun__dtype_cell_fill(lun_dtype t, uint64_t cell, void *to, int64_t n)
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

bool lun__dtype_value_fits(lun_dtype t, lun_value v)
{
    int bits = lun__dtype_bits(t);
    if (lun__dtype_is_float(t))
        return !lun__dtype_value_is_bool(v);
    if (lun__dtype_is_bool(t))
        return lun__dtype_value_is_bool(v);
    if (lun__dtype_value_is_bool(v))
        return true;
    bool is_unsigned = lun__dtype_is_unsigned(t);
    if (lun__dtype_value_is_float(v)) {
        double x = v.as.d, top = ldexp(1, is_unsigned ? bits : bits - 1);
        return x == floor(x) && x < top && x >= (is_unsigned ? 0 : -top);
    }
    if (lun__dtype_value_is_unsigned(v) && v.as.u > INT64_MAX)
        return is_unsigned && bits == 64;
    if (is_unsigned)
        return bits == 64 || (v.as.i >= 0 && v.as.i >> bits == 0);
    return bits == 64 ||
           (v.as.i >= -((int64_t)1 << (bits - 1)) && v.as.i < (int64_t)1 << (bits - 1));
}
