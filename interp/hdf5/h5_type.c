/* h5_type.c - types of HDF5 files and dtypes. */
#include <stdio.h>
#include <string.h>

#include "hdf5/h5_library.h"

/* A float in memory, bits from the lowest one: mantissa, exponent, sign. */
typedef struct layout {
    lun_dtype dtype;
    size_t exponent, mantissa;
} layout;

static const layout floats[] = {
    {LUN_F16, 5, 10}, {LUN_BF16, 8, 7}, {LUN_F32, 8, 23}, {LUN_F64, 11, 52}};

static size_t bias(size_t exponent)
{
    return ((size_t)1 << (exponent - 1)) - 1;
}

/* The number of bytes of the least integer of memory that has at least so many; 0: none has. */
static int integer_bytes(size_t size)
{
    for (int bytes = 1; bytes <= 8; bytes *= 2)
        if (size <= (size_t)bytes)
            return bytes;
    return 0;
}

static bool describe_integer(const lun_h5_library *x, lun_h5_id type, lun_h5_set *out)
{
    static const lun_dtype kinds[2][9] = {
        {[1] = LUN_U8, [2] = LUN_U16, [4] = LUN_U32, [8] = LUN_U64},
        {[1] = LUN_I8, [2] = LUN_I16, [4] = LUN_I32, [8] = LUN_I64}};
    const int bytes = integer_bytes(x->Tget_size(type)), order = x->Tget_order(type);
    if (!bytes || order < 0 || order > 1)
        return false;
    out->dtype = kinds[x->Tget_sign(type) == 1][bytes];
    return true;
}

/* A float of another width than ours is one of more bits, which has all its values. */
static bool describe_float(const lun_h5_library *x, lun_h5_id type, lun_h5_set *out)
{
    size_t sign, at, exponent, from, mantissa;
    const int order = x->Tget_order(type);
    if (order < 0 || order > 1 || x->Tget_size(type) > 8 ||
        x->Tget_fields(type, &sign, &at, &exponent, &from, &mantissa) < 0 || exponent < 2 ||
        exponent > 11 || x->Tget_ebias(type) != bias(exponent))
        return false;
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        if (exponent == floats[k].exponent && mantissa == floats[k].mantissa) {
            out->dtype = floats[k].dtype;
            return true;
        }
    out->dtype = exponent <= 8 && mantissa <= 23 ? LUN_F32 : LUN_F64;
    return mantissa <= 52;
}

/* Whether an enumeration is of two, 0 and 1, as truth values are stored. */
static bool is_truth(const lun_h5_library *x, lun_h5_id type)
{
    unsigned char value[2][16] = {{0}, {0}};
    const size_t size = x->Tget_size(type);
    if (x->Tget_nmembers(type) != 2 || size > 8)
        return false;
    const size_t lowest = x->Tget_order(type) == 1 ? size - 1 : 0;
    for (unsigned k = 0; k < 2; k++)
        if (x->Tget_member_value(type, k, value[k]) < 0)
            return false;
    const int one = value[1][lowest] == 1;
    if (value[one][lowest] != 1 || value[!one][lowest] != 0)
        return false;
    value[one][lowest] = 0;
    return memcmp(value[0], value[1], size) == 0 && memcmp(value[0], &value[0][8], size) == 0;
}

static bool describe_enum(const lun_h5_library *x, lun_h5_id type, lun_h5_set *out)
{
    if (is_truth(x, type)) {
        out->dtype = LUN_BOOL;
        return true;
    }
    const lun_h5_id base = x->Tget_super(type);
    const bool ok = base >= 0 && describe_integer(x, base, out);
    if (base >= 0)
        (void)x->Tclose(base);
    return ok;
}

void lun__h5_type_describe(const lun_h5_library *x, lun_h5_id type, lun_h5_set *out)
{
    static const char *const names[] = {
        "integers", "floats",         "times",      "texts",        "bit fields",
        "bytes",    "records",        "references", "enumerations", "lists of varying length",
        "arrays",   "complex numbers"};
    const int class = x->Tget_class(type);
    const bool known = class >= 0 && class < (int)(sizeof names / sizeof *names);
    *out->refused = '\0';
    out->is_number = class == LUN_H5_INTEGER || class == LUN_H5_FLOAT || class == LUN_H5_ENUM;
    if ((class == LUN_H5_INTEGER && describe_integer(x, type, out)) ||
        (class == LUN_H5_FLOAT && describe_float(x, type, out)) ||
        (class == LUN_H5_ENUM && describe_enum(x, type, out)))
        return;
    snprintf(out->refused, sizeof out->refused,
             out->is_number ? "%s of %zu bytes each, of a form that no dtype has" : "%s",
             known ? names[class] : "elements of an unknown class", x->Tget_size(type));
}

/* ---- types to read and write by -------------------------------------------------------------- */

/* A float of such fields, little-endian. */
static lun_h5_id make_float(const lun_h5_library *x, const layout *l)
{
    const size_t bits = l->mantissa + l->exponent;
    const lun_h5_id t = x->Tcopy(lun__h5_library_type(x, "IEEE_F32LE"));
    if (t >= 0 &&
        (x->Tset_fields(t, bits, l->mantissa, l->exponent, 0, l->mantissa) < 0 ||
         x->Tset_size(t, (bits + 1) / 8) < 0 || x->Tset_ebias(t, bias(l->exponent)) < 0)) {
        (void)x->Tclose(t);
        return -1;
    }
    return t;
}

/* An enumeration of bytes with the names of another one's members 0 and 1, or those of h5py. */
static lun_h5_id make_truth(const lun_h5_library *x, lun_h5_id like)
{
    const lun_h5_id t = x->Tenum_create(lun__h5_library_type(x, "STD_I8LE"));
    const size_t size = like >= 0 ? x->Tget_size(like) : 1;
    const size_t lowest = like >= 0 && x->Tget_order(like) == 1 ? size - 1 : 0;
    bool ok = t >= 0;
    for (unsigned k = 0; ok && k < 2; k++) {
        unsigned char value[16] = {0};
        char *name = like >= 0 ? x->Tget_member_name(like, k) : NULL;
        value[lowest] = (unsigned char)k;
        ok = like < 0 || (name && x->Tget_member_value(like, k, value) >= 0);
        ok = ok && x->Tenum_insert(t, name ? name : k ? "TRUE" : "FALSE", &value[lowest]) >= 0;
        if (name)
            (void)x->free_memory(name);
    }
    if (!ok && t >= 0)
        (void)x->Tclose(t);
    return ok ? t : -1;
}

/* The type of the library's that a dtype is, its name with that in front and behind. */
static lun_h5_id plain(const lun_h5_library *x, lun_dtype t, bool native)
{
    static const char *const names[LUN_DTYPE_COUNT][2] = {
        [LUN_I8] = {"STD_I8LE", "NATIVE_INT8"},     [LUN_U8] = {"STD_U8LE", "NATIVE_UINT8"},
        [LUN_I16] = {"STD_I16LE", "NATIVE_INT16"},  [LUN_U16] = {"STD_U16LE", "NATIVE_UINT16"},
        [LUN_I32] = {"STD_I32LE", "NATIVE_INT32"},  [LUN_U32] = {"STD_U32LE", "NATIVE_UINT32"},
        [LUN_I64] = {"STD_I64LE", "NATIVE_INT64"},  [LUN_U64] = {"STD_U64LE", "NATIVE_UINT64"},
        [LUN_F32] = {"IEEE_F32LE", "NATIVE_FLOAT"}, [LUN_F64] = {"IEEE_F64LE", "NATIVE_DOUBLE"}};
    const char *name = t >= 0 && t < LUN_DTYPE_COUNT ? names[t][native] : NULL;
    for (size_t k = 0; k < 2; k++)
        if (floats[k].dtype == t)
            return make_float(x, &floats[k]);
    return name ? x->Tcopy(lun__h5_library_type(x, name)) : -1;
}

lun_h5_id lun__h5_type_in_memory(const lun_h5_library *x, lun_h5_id type, lun_dtype t)
{
    return lun_dtype_kind(t) == LUN_KIND_BOOL ? make_truth(x, type) : plain(x, t, true);
}

lun_h5_id lun__h5_type_to_write(const lun_h5_library *x, lun_dtype t)
{
    return lun_dtype_kind(t) == LUN_KIND_BOOL ? make_truth(x, -1) : plain(x, t, false);
}
