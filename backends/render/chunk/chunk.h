/* chunk.h - how a part's statements are run over a block of 64 indices, and where the values that it
 * hands over go; shared by chunk.c and scan.c. */
#ifndef LUN_CLOOPS_H
#define LUN_CLOOPS_H

#include <stdio.h>

#include "render/renderer.h"

enum { LUN_CLOOP_SINKS = 64 };

typedef enum lun_cway {
    LUN_CLOOP_LANES,    /* into 64 lanes of accumulators, in vectors */
    LUN_CLOOP_ELEMENTS, /* into e<v>[64], as elements in memory, for the pair tree */
    LUN_CLOOP_RAW       /* into e<v>[64], as lanes (a bool as its mask), for the scan */
} lun_cway;

typedef struct lun_csink {
    int32_t v; /* the REDUCE or SCAN */
    lun_cway way;
    char name[24];   /* of the variable that receives the value */
    char target[40]; /* where the chunk's result goes, as a cell */
} lun_csink;

typedef struct lun_cloop {
    unsigned need;
    int count;
    lun_csink sinks[LUN_CLOOP_SINKS];
} lun_cloop;

/* True if v is combined in lanes, starting from an identity. */
bool lun_cin_lanes(const lun_crender *r, int32_t v, uint64_t *identity);

/* In this order: the function's head, declarations before the loop, the loop's head, evaluations, what
 * ends a block; then the caller closes the loop, and the results are written. */
void lun_cloop_open(lun_crender *r, const char *name, lun_strbuf *out);
void lun_cloop_before(lun_crender *r, const lun_cloop *l, lun_strbuf *out);
void lun_cloop_block(lun_crender *r, unsigned need, bool left, lun_strbuf *out);
void lun_cloop_rounds(lun_crender *r, const lun_cloop *l, lun_strbuf *out);
void lun_cloop_after_block(lun_crender *r, const lun_cloop *l, lun_strbuf *out);
void lun_cloop_results(lun_crender *r, const lun_cloop *l, lun_strbuf *out);

/* ---- scan.c ------------------------------------------------------------------------------------- */
void lun_cscan_tree_start(lun_crender *r, int32_t v, lun_strbuf *out);
void lun_cscan_tree_add(lun_crender *r, int32_t v, lun_strbuf *out);
lun_cname lun_cscan_tree_end(lun_crender *r, int32_t v);

void lun_cscan_before(lun_crender *r, lun_strbuf *out);
void lun_cscan_sink(lun_crender *r, lun_cloop *l);
void lun_cscan_step(lun_crender *r, lun_strbuf *out);
/* The function `total`. */
void lun_cscan_total(lun_crender *r, lun_strbuf *out);

#endif
