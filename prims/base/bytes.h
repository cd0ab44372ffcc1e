/* bytes.h - numbers, texts and layouts as bytes, one after the other, for a process that has the
 * same byte order; and back, where nothing is believed: what is missing or out of range makes the
 * reader bad, and reads give zeros from then on. */
#ifndef LUN_BYTES_H
#define LUN_BYTES_H

#include "base/layout/layout.h"
#include "base/layout/pad_rows.h"
#include "base/strbuf.h"

/* What is left to read. */
typedef struct lun_bytes {
    const char *at;
    int64_t left;
    bool bad;
} lun_bytes;

/* ---- writing: a failed allocation is the strbuf's -------------------------------------------- */
void lun__bytes_put_u8(lun_strbuf *to, unsigned x);
void lun__bytes_put_i32(lun_strbuf *to, int32_t x);
void lun__bytes_put_i64(lun_strbuf *to, int64_t x);
/* Their number, then the bytes. */
void lun__bytes_put_bytes(lun_strbuf *to, const void *bytes, int64_t count);
/* A text, or NULL. */
void lun__bytes_put_text(lun_strbuf *to, const char *text);
void lun__bytes_put_layout(lun_strbuf *to, const lun_layout *l);
void lun__bytes_put_padding(lun_strbuf *to, const lun_padding *p);

/* ---- reading --------------------------------------------------------------------------------- */
unsigned lun__bytes_take_u8(lun_bytes *from);
int32_t lun__bytes_take_i32(lun_bytes *from);
int64_t lun__bytes_take_i64(lun_bytes *from);
/* A number from low to high; another one is bad, and gives low. */
int64_t lun__bytes_take_within(lun_bytes *from, int64_t low, int64_t high);
/* How many of something follow, each of which takes at least so many bytes. */
int lun__bytes_take_count(lun_bytes *from, int bytes_each);
/* So many bytes, where they stand; NULL: there are not so many. */
const void *lun__bytes_take_raw(lun_bytes *from, int64_t count);
/* Bytes as put by put_bytes, where they stand, and their number; NULL: bad. */
const void *lun__bytes_take_bytes(lun_bytes *from, int64_t *count);
/* A text, which is malloc'd; NULL: it was NULL, or bad, or there is no memory (*nomem). */
char *lun__bytes_take_text(lun_bytes *from, bool *nomem);
/* Their extents are not negative, and the number of their elements is within int64_t. */
lun_layout lun__bytes_take_layout(lun_bytes *from);
lun_padding lun__bytes_take_padding(lun_bytes *from);

#endif
