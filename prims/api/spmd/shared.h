/* shared.h - elements that other ranks reach while this one waits: what shared.c keeps of them.
 * Private to prims/api. */
#ifndef LUN_API_SHARED_H
#define LUN_API_SHARED_H

#include "api/array/api.h"
#include "lunarray_bind.h"

typedef enum lun_shared_kind {
    LUN_SHARED_ONE,
    LUN_SHARED_SYMMETRIC,
    LUN_SHARED_BLOCKED
} lun_shared_kind;

struct lun_shared {
    struct lun_shared *next;
    lun_engine *engine;
    int64_t number; /* the same on all ranks */
    lun_dtype dtype;
    lun_shared_kind kind;
    int64_t n;      /* elements on each rank that has them; BLOCKED: see blocks */
    lun_array *own; /* NULL: the elements stand on PE 0 alone */
    lun_blocks blocks;
};

/* How a step that makes them is told. */
typedef struct lun_shared_step {
    const char *doing, *noun, *options;
} lun_shared_step;

/* Makes `like`, with an array of this rank's elements, which is taken over, also by a failure, and
 * evaluated: a step. */
lun_status lun__shared_make(lun_engine *e, lun_shared like, const lun_shared_step *step,
                            lun_shared **out);
/* LUN_EARG unless there is such a PE. */
lun_status lun__shared_check_pe(lun_engine *e, int pe);
/* Elements that a PE has. */
int64_t lun__shared_size(const lun_shared *s, int pe);

#endif
