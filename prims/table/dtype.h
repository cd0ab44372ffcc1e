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

typedef enum lun_kind_of {
    LUN_KIND_BOOL,
    LUN_KIND_SIGNED,
    LUN_KIND_UNSIGNED,
    LUN_KIND_FLOAT
} lun_kind_of;

typedef struct lun_dtype_row {
    const char *name, *ctype, *utype, *npy, *doc;
    uint8_t bytes, kind, rank;
} lun_dtype_row;

extern const lun_dtype_row lun__dtype_rows[LUN_DTYPE_COUNT];

static inline const lun_dtype_row *lun_dtype_get(lun_dtype t)
{
    return &lun__dtype_rows[t];
}

static inline bool lun_dtype_is_float(lun_dtype t)
{
    return lun_dtype_get(t)->kind == LUN_KIND_FLOAT;
}

/* The dtype two arrays meet in (SPEC: float beats integer, then the wider wins, mixed signs take the
 * narrowest signed type that holds both, any signed with u64: i64). */
lun_dtype lun_dtype_common(lun_dtype a, lun_dtype b);

/* A scalar value as scripts hand it over. */
uint64_t lun_cell_from_value(lun_dtype t, lun_value v); /* converts like a CAST */
lun_value lun_cell_to_value(lun_dtype t, uint64_t cell);
/* True if v is a number of dtype t without loss of range (2.5 does not fit i32, 300 not u8). */
bool lun_value_fits(lun_dtype t, lun_value v);
/* CAST on one element. */
uint64_t lun_cell_cast(lun_dtype to, lun_dtype from, uint64_t cell);
/* Writes the cell n times, as elements of dtype t. */
void lun_cell_fill(lun_dtype t, uint64_t cell, void *to, int64_t n);

#endif
