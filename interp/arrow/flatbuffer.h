/* flatbuffer.h - FlatBuffers, in which Arrow's files describe themselves: read with every offset
 * checked, and written. */
#ifndef LUN_FLATBUFFER_H
#define LUN_FLATBUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* Bytes that are read.  Whoever asks for what lies outside of them gets 0, and `bad` is set, which
 * stays. */
typedef struct lun_flatbuffer {
    const uint8_t *bytes;
    int64_t size;
    bool bad;
} lun_flatbuffer;
/* at 0: there is none */
typedef struct lun_flatbuffer_table {
    lun_flatbuffer *in;
    int64_t at, fields; /* of the table; of the offsets of its fields */
    int count, size;    /* of fields; bytes of the table */
} lun_flatbuffer_table;
typedef struct lun_flatbuffer_vector {
    lun_flatbuffer *in;
    int64_t at, count; /* of the first element */
} lun_flatbuffer_vector;

lun_flatbuffer_table lun__flatbuffer_root(lun_flatbuffer *f);
/* An integer of so many bytes at an offset. */
int64_t lun__flatbuffer_number(lun_flatbuffer *f, int64_t at, int bytes);
/* Field k of a table, an integer; `by_default` where it is absent. */
int64_t lun__flatbuffer_field(lun_flatbuffer_table t, int k, int bytes, int64_t by_default);
lun_flatbuffer_table lun__flatbuffer_child(lun_flatbuffer_table t, int k);
/* Field k, of elements of so many bytes. */
lun_flatbuffer_vector lun__flatbuffer_vector(lun_flatbuffer_table t, int k, int bytes);
/* Element k of a vector of tables, which has elements of 4 bytes. */
lun_flatbuffer_table lun__flatbuffer_element(lun_flatbuffer_vector v, int64_t k);
/* Field k, which is not terminated; NULL: it is absent. */
const char *lun__flatbuffer_text(lun_flatbuffer_table t, int k, int64_t *length);

/* ---- writing --------------------------------------------------------------------------------- */

/* Bytes that are made, tables before what they refer to.  `failed`: memory was short, and stays
 * so; what is written then goes nowhere. */
typedef struct lun_flatbuffer_made {
    uint8_t *bytes;
    int64_t size, room;
    bool failed;
} lun_flatbuffer_made;
void lun__flatbuffer_start(lun_flatbuffer_made *m);
void lun__flatbuffer_end(lun_flatbuffer_made *m);
/* A table of n fields of `bytes[k]` bytes (0: absent), to which the offset at `from` refers;
 * at[k]: where field k is. */
void lun__flatbuffer_put_table(lun_flatbuffer_made *m, int64_t from, const uint8_t *bytes, int n,
                               int64_t *at);
void lun__flatbuffer_put(lun_flatbuffer_made *m, int64_t at, int bytes, int64_t x);
/* A vector of zeros; where its first element is. */
int64_t lun__flatbuffer_put_vector(lun_flatbuffer_made *m, int64_t from, int64_t count, int bytes);
void lun__flatbuffer_put_text(lun_flatbuffer_made *m, int64_t from, const char *text);

#endif
