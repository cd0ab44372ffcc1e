/* flat.h - FlatBuffers, in which Arrow's files describe themselves: read with every offset checked,
 * and written. */
#ifndef LUN_FLAT_H
#define LUN_FLAT_H

#include <stdbool.h>
#include <stdint.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* Bytes that are read.  Whoever asks for what lies outside of them gets 0, and `bad` is set, which
 * stays. */
typedef struct lun_flat {
    const uint8_t *bytes;
    int64_t size;
    bool bad;
} lun_flat;
/* at 0: there is none */
typedef struct lun_flat_table {
    lun_flat *in;
    int64_t at, fields; /* of the table; of the offsets of its fields */
    int count, size;    /* of fields; bytes of the table */
} lun_flat_table;
typedef struct lun_flat_vector {
    lun_flat *in;
    int64_t at, count; /* of the first element */
} lun_flat_vector;

lun_flat_table lun__flat_root(lun_flat *f);
/* An integer of so many bytes at an offset. */
int64_t lun__flat_number(lun_flat *f, int64_t at, int bytes);
/* Field k of a table, an integer; `by_default` where it is absent. */
int64_t lun__flat_field(lun_flat_table t, int k, int bytes, int64_t by_default);
lun_flat_table lun__flat_child(lun_flat_table t, int k);
/* Field k, of elements of so many bytes. */
lun_flat_vector lun__flat_vector(lun_flat_table t, int k, int bytes);
/* Element k of a vector of tables, which has elements of 4 bytes. */
lun_flat_table lun__flat_element(lun_flat_vector v, int64_t k);
/* Field k, which is not terminated; NULL: it is absent. */
const char *lun__flat_text(lun_flat_table t, int k, int64_t *length);

/* ---- writing --------------------------------------------------------------------------------- */

/* Bytes that are made, tables before what they refer to.  `failed`: memory was short, and stays
 * so; what is written then goes nowhere. */
typedef struct lun_flat_made {
    uint8_t *bytes;
    int64_t size, room;
    bool failed;
} lun_flat_made;
void lun__flat_start(lun_flat_made *m);
void lun__flat_end(lun_flat_made *m);
/* A table of n fields of `bytes[k]` bytes (0: absent), to which the offset at `from` refers;
 * at[k]: where field k is. */
void lun__flat_put_table(lun_flat_made *m, int64_t from, const uint8_t *bytes, int n, int64_t *at);
void lun__flat_put(lun_flat_made *m, int64_t at, int bytes, int64_t x);
/* A vector of zeros; where its first element is. */
int64_t lun__flat_put_vector(lun_flat_made *m, int64_t from, int64_t count, int bytes);
void lun__flat_put_text(lun_flat_made *m, int64_t from, const char *text);

#endif
