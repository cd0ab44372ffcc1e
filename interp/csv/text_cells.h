/* text_cells.h - a column of text: its cells as bytes, in parts of some rows. A part whose rows
 * have few different texts keeps each once, and a code for each row.
 *
 * Invariant: parts of a column are in order of rows, without gaps and none empty; ends[k] is the
 * offset in `bytes` behind text k, and codes, if there are any, are below `levels`. A part never
 * changes once it is added. */
#ifndef LUN_TEXT_CELLS_H
#define LUN_TEXT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LUN__TEXTS_MARGIN = 8,   /* readable bytes before and after every text */
    LUN__TEXTS_LEVELS = 2048 /* different texts of a part with codes */
};

/* A text; equal ones have equal hashes. */
typedef struct lun__text {
    const char *at;
    uint32_t length, hash;
} lun__text;

typedef struct lun__texts_part {
    int64_t first, count;  /* rows */
    int64_t levels;        /* texts that are kept */
    const uint16_t *codes; /* of each row: the number of its text; NULL: row i has text i */
    const uint32_t *ends;  /* of each: its end in `bytes` */
    const char *bytes;
} lun__texts_part;

typedef struct lun__texts {
    lun__texts_part *parts; /* in order of rows, none of them empty */
    int64_t count, room, rows;
} lun__texts;

/* The number of the text of row i, counted from the part's first row. */
static inline int64_t lun__texts_level(const lun__texts_part *p, int64_t i)
{
    return p->codes ? p->codes[i] : i;
}

/* A text of a part, without its hash. */
static inline lun__text lun__texts_kept(const lun__texts_part *p, int64_t level)
{
    uint32_t start = level ? p->ends[level - 1] : 0;
    return (lun__text){p->bytes + start, p->ends[level] - start, 0};
}

/* Its hash; LUN__TEXTS_MARGIN bytes after the text are read, but do not count. */
uint32_t lun__texts_hash(const char *text, size_t length);
/* The order of bytes. */
int lun__texts_order(const lun__text *a, const lun__text *b);

/* The most bytes that packing so many texts takes, which have so many bytes together. */
size_t lun__texts_room(int64_t count, size_t bytes);
/* Packs texts, which have hashes, into `room`, which is aligned for a uint32_t: 4 GB at most. */
void lun__texts_pack(const lun__text *texts, int64_t first, int64_t count, void *room,
                     lun__texts_part *out);
/* Bytes that a copy of a part takes, a multiple of 4. */
size_t lun__texts_size(const lun__texts_part *p);
/* Adds parts, whose rows follow the last ones. They are copied to `memory`, which has the sum of
 * their sizes and margins at both ends. False: there is no memory for the list. */
bool lun__texts_add(lun__texts *t, const lun__texts_part *parts, int64_t count, char *memory);
/* The part with row `row`, from 0; `hint`: a part that may have it. */
int64_t lun__texts_find(const lun__texts *t, int64_t row, int64_t hint);
/* Frees the list of parts. */
void lun__texts_clear(lun__texts *t);

/* Calls task(of, k) for each k < count, on several threads, and waits. */
typedef void lun__texts_share(void *ctx, int64_t count, void *of,
                              void (*task)(void *of, int64_t k));
/* The different texts of columns, one column after the other. */
typedef struct lun__texts_levels {
    lun__text *levels; /* in order of their bytes; they stay where they are in the columns */
    int64_t count;
} lun__texts_levels;
/* Finds them, and for each row of all columns the number of its text, from 1. False: there is no
 * memory. */
bool lun__distinct_texts(const lun__texts *const *columns, int count, lun__texts_share *share,
                         void *ctx, int32_t *codes, lun__texts_levels *out);

#endif
