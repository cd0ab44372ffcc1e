/* loop.h - the loop over a chunk, and the sinks of the values that its statements hand over. */
#ifndef LUN_RENDER_CHUNK_LOOP_H
#define LUN_RENDER_CHUNK_LOOP_H

#include "render/renderer.h"

typedef enum lun_loop_way {
    LUN_LOOP_LANES,    /* into 64 lanes of accumulators, in vectors */
    LUN_LOOP_INDICES,  /* the same, with an index beside each */
    LUN_LOOP_ELEMENTS, /* into e<v>[64], as elements in memory, for the pair tree */
    LUN_LOOP_RAW       /* into e<v>[64], as lanes (a bool as its mask), for the scan */
} lun_loop_way;

typedef struct lun_sink {
    int32_t v; /* the REDUCE or SCAN */
    lun_loop_way way;
    char name[24];   /* of the variable that receives the value */
    char target[40]; /* where the chunk's result goes, as a cell */
} lun_sink;

typedef struct lun_loop {
    unsigned need;
    int count;
    lun_sink sinks[LUN_IR_SINKS];
} lun_loop;

/* Parameters after (i, f, u) or, with `offset`, the arguments for them; values are handed over in
 * arrays with that suffix, an element for each part. */
void lun__loop_parameters(lun_renderer *r, unsigned need, lun_strbuf *out, const char *offset,
                          const char *suffix);

/* Before the head of the loop, where a chunk comes in parts: the head of the loop over these, which
 * the caller closes too. */
void lun__loop_parts(lun_strbuf *out);
/* In this order: the head of the function, declarations before the loop, the head of the loop,
 * evaluations, the end of a block; then the caller closes the loop, and the results follow. */
void lun__loop_open(lun_renderer *r, const char *name, bool parts, lun_strbuf *out);
void lun__loop_before(lun_renderer *r, const lun_loop *l, lun_strbuf *out);
void lun__loop_block(lun_renderer *r, unsigned need, bool left, bool parts, lun_strbuf *out);
void lun__loop_vectors(lun_renderer *r, const lun_loop *l, lun_strbuf *out);
void lun__loop_after_block(lun_renderer *r, const lun_loop *l, lun_strbuf *out);
void lun__loop_results(lun_renderer *r, const lun_loop *l, lun_strbuf *out);

#endif
