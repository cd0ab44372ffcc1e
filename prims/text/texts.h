/* texts.h - pools of texts: the values of the codes of an array of dtype text.  A value is a
 * lun_text_view, 16 bytes; beyond 12 its bytes are in a data buffer.  Codes count from 1:
 * 0 is no text.
 *
 * Invariant: values are valid UTF-8 without NUL, are only added, and stay where they are while the
 * pool lives, so that codes and pointers given out go on being right.  A pool that is the levels of
 * another one is frozen: nothing is added to it.  Pools are used by the thread that is inside of
 * their engine. */
#ifndef LUN_TEXTS_H
#define LUN_TEXTS_H

#include "lunarray_bind.h"

typedef struct lun_text_pool lun_text_pool;

/* An empty pool with a reference. */
lun_status lun__text_pool_new(lun_engine *e, lun_text_pool **out);
/* A pool of values that are made already; it takes their memory, also where it fails. */
lun_status lun__text_pool_of(lun_engine *e, lun_text_made *values, lun_text_pool **out);
/* NULL, a pool without values, is allowed, here and where a pool is only read. */
lun_text_pool *lun__text_pool_retain(lun_text_pool *t);
void lun__text_pool_release(lun_text_pool *t);

/* Values, which are the codes from 1 on. */
uint32_t lun__text_pool_count(const lun_text_pool *t);
/* Whether no value is there twice. */
bool lun__text_pool_distinct(const lun_text_pool *t);
/* Whether values are different and in order. */
bool lun__text_pool_sorted(const lun_text_pool *t);
bool lun__text_pool_frozen(const lun_text_pool *t);
/* The bytes of a value and their number; they end with no 0. */
const char *lun__text_pool_at(const lun_text_pool *t, uint32_t code, int64_t *length);
/* What the pool takes in memory, its levels not counted. */
int64_t lun__text_pool_bytes(const lun_text_pool *t);

/* The code of a value, 0: it is not there. */
lun_status lun__text_pool_find(lun_engine *e, lun_text_pool *t, const char *s, int64_t n,
                               uint32_t *code);
/* The same, added if it is not there; the caller has checked that it is UTF-8 without NUL. */
lun_status lun__text_pool_add(lun_engine *e, lun_text_pool *t, const char *s, int64_t n,
                              uint32_t *code);
/* Added, whether or not it is there: its code is the number of values. */
lun_status lun__text_pool_append(lun_engine *e, lun_text_pool *t, const char *s, int64_t n);
/* Gives back what is there to add values; later additions and finds make it again. */
void lun__text_pool_trim(lun_text_pool *t);
/* Another pool with the same values under the same codes. */
lun_status lun__text_pool_copy(lun_engine *e, const lun_text_pool *t, lun_text_pool **out);

/* The values of a pool as they are now, held from outside of the engine: they stay as they are
 * whatever is added to the pool, and when the pool and the engine have ended. */
typedef struct lun_text_block lun_text_block;
typedef struct lun_text_held {
    int64_t count;             /* views, one for each code from 0 on */
    const lun_text_view *view; /* that of code 0 is a text that no other one is */
    int buffers;
    const char **buffer;
    int64_t *used; /* bytes of each */
    lun_text_block **block, *views;
} lun_text_held;
/* NULL is a pool without values.  LUN_ENOMEM. */
lun_status lun__text_held(lun_engine *e, const lun_text_pool *t, lun_text_held *out);
/* Gives them up; on any thread. */
void lun__text_held_end(lun_text_held *h);

/* The number of each code's value among the different ones in order, from 1, of code 0 0: count + 1
 * numbers that live as long as nothing is added; and these values, frozen, which the pool holds. */
lun_status lun__text_order_ranks(lun_engine *e, lun_text_pool *t, const uint32_t **rank,
                                 lun_text_pool **levels);

/* -1, 0 or 1 by bytes, which for UTF-8 is the order of code points. */
int lun__text_order_compare(const char *a, int64_t n, const char *b, int64_t m);

/* ---- UTF-8 ---- */

/* Whether s is UTF-8 without NUL: shortest forms, no surrogates, at most U+10FFFF. */
bool lun__utf8_valid(const char *s, int64_t n);
/* Code points of valid UTF-8. */
int64_t lun__utf8_count(const char *s, int64_t n);
/* The offset behind `count` code points from s on; n if there are fewer. */
int64_t lun__utf8_skip(const char *s, int64_t n, int64_t count);
/* The code point at s and its bytes. */
uint32_t lun__utf8_get(const char *s, int *bytes);
/* Writes a code point; how many bytes. */
int lun__utf8_put(uint32_t point, char out[4]);

#endif
