/* version_writer.h - a kernel that is written anew in versions, and what is known of its
 * instructions. */
#ifndef LUN_VERSION_WRITER_H
#define LUN_VERSION_WRITER_H

#include "ir/writer.h"
#include "render/facts/counted.h"
#include "render/versions/loop_versions.h"

/* What is known of an instruction of the kernel. */
enum {
    LUN_WRITTEN_EARLY = 1,   /* written before all versions */
    LUN_WRITTEN_NOT = 2,     /* CHECK: it holds in the version that is being written */
    LUN_WRITTEN_COUNTER = 4, /* VAR: of a loop that counts, with which it is written */
    LUN_WRITTEN_DECIDED = 8  /* IF: holds where lun_versions.whole does */
};

typedef struct lun_writer {
    lun_ir_writer to;
    lun_ir_structure blocks;
    lun_counted *loop; /* by LOOP; var -1: it does not count */
    uint8_t *state;    /* by instruction: LUN_WRITTEN_... */
    int32_t *local;    /* by slot: the private array that replaces it, -1: none */
    uint8_t *own;      /* by slot: such an array may replace it */
    lun_versions *out;
} lun_writer;

/* Whether v is written before all versions, which begin at instruction `cut`. */
static inline bool lun__version_writer_early(const lun_writer *w, int32_t cut, int32_t v)
{
    return v < cut || (w->state[v] & LUN_WRITTEN_EARLY);
}

/* Whether instruction i is cheap, without effect, and of integers: it may be computed where it is
 * not needed. */
bool lun__version_writer_free(const lun_writer *w, int32_t i);
/* The first instruction written for the kernel's v, which must be written. */
int32_t lun__version_writer_first(const lun_writer *w, int32_t v);
/* Whether IF p has the LOOP run only where there is a round to run. */
bool lun__version_writer_guards(const lun_writer *w, int32_t p, int32_t loop);

#endif
