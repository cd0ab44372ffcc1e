/* unit_result.h - a kernel's text on its way to functions. */
#ifndef LUN_UNIT_RESULT_H
#define LUN_UNIT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "host/host.h"
#include "openmp/compiler/loader.h"

typedef enum lun_unit_state {
    LUN_UNIT_NEW,
    LUN_UNIT_MISSED,  /* looked for on disk, not found */
    LUN_UNIT_QUEUED,  /* waits for the compiler */
    LUN_UNIT_RUNNING, /* the compiler works on it */
    LUN_UNIT_READY,
    LUN_UNIT_FAILED
} lun_unit_state;

typedef struct lun_unit {
    char *source; /* owned; NULL once it is ready */
    unsigned needs;
    const char *bits;    /* the version of the bits that the text was rendered for */
    bool scans, reduces; /* which functions it has */
    bool wanted;         /* required: its failure is an error, not a line in the log */
    bool alone;          /* not to be compiled together with others */
    bool no_vectors;     /* of the compiler's making: it rounded products together with sums */
    lun_unit_state state;
    lun_object *object; /* what holds its code */
    lun_chunk_fn kernel, total;
    void (*combine)(const void *self, int result, const uint64_t *a, const uint64_t *b,
                    uint64_t *out, lun_frame *frame);
    lun_strbuf message; /* FAILED: why, with the compiler's words */

    struct lun_unit *next,
        **link; /* in the queue; link: what points to this one, NULL: not there */
    /* ns */
    int64_t since; /* when another process was first seen to make it */
    int64_t left;  /* when that was seen to have left it */
    int64_t again; /* when to look again */
} lun_unit;

/* Takes its functions from a shared object.  False with the reason in why.  scratch:
 * lun__loader_open's fallback. */
bool lun__unit_result_load(lun_unit *u, lun_loader *l, const char *scratch, const void *bytes,
                           size_t length, lun_strbuf *why);
/* FAILED: who did what, with the words of the compiler, cut. */
void lun__unit_result_fail(lun_unit *u, const char *who, const char *what, const char *words);
void lun__unit_result_free(lun_unit *u);

#endif
