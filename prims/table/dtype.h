/* dtype.h - dtypes.def expanded, and conversions between single elements.
 *
 * A cell is a uint64_t that holds an element's bits in its low bytes (memory order: the element is
 * at the cell's address on little-endian machines, which are the ones supported). */
#ifndef LUN_DTYPE_H
#define LUN_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lunarray.h"

typedef enum lun_form { LUN_FORM_PLAIN, LUN_FORM_STORED } lun_form;

/* The columns of dtypes.def. */
typedef struct lun_dtype_row {
    const char *name, *ctype, *utype, *suffix, *npy, *doc;
    uint8_t bytes, kind, rank, exponent, mantissa;
    uint8_t form;         /* lun_form */
    uint8_t compute, sum; /* lun_dtype */
} lun_dtype_row;

/* Rows of numbers up to those of logical.def; a number without a dtype has no name. */
enum { LUN__DTYPE_NUMBERS = 40 };
extern const lun_dtype_row lun__dtype_rows[LUN__DTYPE_NUMBERS];

static inline const lun_dtype_row *lun__dtype_get(lun_dtype t)
{
    return &lun__dtype_rows[t];
}

static inline bool lun__dtype_is_float(lun_dtype t)
{
    return lun__dtype_get(t)->kind == LUN_KIND_FLOAT;
}

static inline bool lun__dtype_is_bool(lun_dtype t)
{
    return lun__dtype_get(t)->kind == LUN_KIND_BOOL;
}

static inline bool lun__dtype_is_signed(lun_dtype t)
{
    return lun__dtype_get(t)->kind == LUN_KIND_SIGNED;
}

static inline bool lun__dtype_is_unsigned(lun_dtype t)
{
    return lun__dtype_get(t)->kind == LUN_KIND_UNSIGNED;
}

/* A signed or unsigned integer; a bool is none. */
static inline bool lun__dtype_is_integer(lun_dtype t)
{
    return lun__dtype_is_signed(t) || lun__dtype_is_unsigned(t);
}

static inline int lun__dtype_bits(lun_dtype t)
{
    return 8 * lun__dtype_get(t)->bytes;
}

/* An unsigned integer of 64 bits: some are beyond i64. */
static inline bool lun__dtype_is_wide_unsigned(lun_dtype t)
{
    return lun__dtype_is_unsigned(t) && lun__dtype_bits(t) == 64;
}

/* True for a float of which C knows the bits alone: it is loaded, stored and gathered as it is, and
 * becomes its row's PLAIN float before anything is computed. */
static inline bool lun__dtype_is_stored(lun_dtype t)
{
    return lun__dtype_get(t)->form == LUN_FORM_STORED;
}

/* A float that C computes with: PLAIN. */
static inline bool lun__dtype_is_plain_float(lun_dtype t)
{
    return lun__dtype_is_float(t) && !lun__dtype_is_stored(t);
}

/* A PLAIN float of 64 bits: C's double. */
static inline bool lun__dtype_is_double(lun_dtype t)
{
    return lun__dtype_is_plain_float(t) && lun__dtype_bits(t) == 64;
}

/* Bits of a float's significand, the leading 1 included; of an integer's magnitude. */
static inline int lun__dtype_precision(lun_dtype t)
{
    return lun__dtype_is_float(t) ? lun__dtype_get(t)->mantissa + 1
                                  : lun__dtype_bits(t) - lun__dtype_is_signed(t);
}

/* The dtype of indices and lengths, in kernels as in scripts. */
static inline bool lun__dtype_is_index(lun_dtype t)
{
    return lun__dtype_is_signed(t) && lun__dtype_bits(t) == 64;
}

/* True if arithmetic on two operands of t computes in t and gives t. */
static inline bool lun__dtype_is_closed(lun_dtype t)
{
    return !lun__dtype_is_bool(t) && lun__dtype_get(t)->compute == t;
}

/* A row of logical.def: no dtype of kernels. */
static inline bool lun__dtype_is_logical(lun_dtype t)
{
    return (unsigned)t > LUN_DTYPE_COUNT && (unsigned)t < LUN__DTYPE_NUMBERS &&
           lun__dtype_rows[t].name;
}
/* The dtype of the nodes of a logical one, or the widest of those; t itself if it is none. */
lun_dtype lun__dtype_storage(lun_dtype t);
/* What an operand of a logical dtype can be turned into, for errors. */
const char *lun__dtype_instead(lun_dtype t);

/* The integer dtype of that kind with so many bytes: 1, 2, 4 or 8. */
lun_dtype lun__dtype_integer(lun_kind kind, int bytes);

/* The dtype that elements of both are converted to: float beats integer, then the wider wins, mixed
 * signs take the narrowest signed dtype that holds both.  No integer dtype holds u64 and a signed
 * one: LUN_DTYPE_COUNT, which a float still beats. */
lun_dtype lun__dtype_common(lun_dtype a, lun_dtype b);

/* ---- values as scripts hand them over: bool, i64, u64 or f64 --------------------------------- */

static inline bool lun__dtype_value_is_float(lun_value v)
{
    return lun__dtype_is_float(v.dtype);
}

static inline bool lun__dtype_value_is_bool(lun_value v)
{
    return lun__dtype_is_bool(v.dtype);
}

static inline bool lun__dtype_value_is_unsigned(lun_value v)
{
    return lun__dtype_is_unsigned(v.dtype);
}

/* v as a float, rounded to nearest if need be. */
static inline double lun__dtype_value_double(lun_value v)
{
    if (lun__dtype_value_is_float(v))
        return v.as.d;
    return lun__dtype_is_signed(v.dtype) ? (double)v.as.i : (double)v.as.u;
}

uint64_t lun__dtype_cell_from_value(lun_dtype t, lun_value v); /* converts like a CAST */
lun_value lun__dtype_cell_to_value(lun_dtype t, uint64_t cell);
/* True if v is a number of dtype t without loss of range (2.5 does not fit i32, 300 not u8).  An
 * i64 is one of u64 by its bits: so scripts hold elements from 2^63 on. */
bool lun__dtype_value_fits(lun_dtype t, lun_value v);
/* CAST on one element. */
uint64_t lun__dtype_cell_cast(lun_dtype to, lun_dtype from, uint64_t cell);
/* Writes the cell n times, as elements of dtype t. */
void lun__dtype_cell_fill(lun_dtype t, uint64_t cell, void *to, int64_t n);

#endif
