/* lent.h - blocked arrays that C text takes on several ranks: each rank has a copy of what its
 * rounds may use, and what they change goes to the ranks that have it.  Private to prims/api. */
#ifndef LUN_API_LENT_H
#define LUN_API_LENT_H

#include "api/spmd/shared.h"
#include "base/layout/layout.h"
#include "base/strbuf.h"

typedef struct lun_elements {
    int rank;
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK]; /* a box, from 0 */
} lun_elements;

typedef struct lun_lent {
    lun_shared *of; /* NULL: none, here or below */
    int64_t reach;
    bool written;
    int size;          /* bytes of an element */
    const char *own;   /* this rank's elements */
    lun_elements need; /* those that the rounds may use */
    lun_array *whole;  /* which has these; of the rest it says nothing */
    char *elements;    /* its memory */
    char *before;      /* of one that is written: the elements of `need` as they were */
} lun_lent;

/* Elements that go to a rank, or come from it. */
typedef struct lun_carried {
    const lun_lent *x;
    int pe;
    bool gives;
    lun_elements box;
    char *bytes;
} lun_carried;

typedef struct lun_lending {
    lun_engine *e;
    int npes, mype, count;
    lun_lent lent[LUN_MAX_OPERANDS];
    lun_carried *carried;
    int carried_count;
} lun_lending;

lun_elements lun__elements_of(const lun_shared *s, int pe);
lun_elements lun__elements_all(const lun_shared *s);
int64_t lun__elements_count(const lun_elements *b);
/* What both have; false: nothing. */
bool lun__elements_common(const lun_elements *a, const lun_elements *b, lun_elements *out);
/* Where elements of b stand among those of `in`. */
lun_layout lun__elements_inside(const lun_elements *b, const lun_elements *in);
/* Copies for this rank, without elements: of, reach and written are set; LUN_ENOMEM. */
lun_status lun__lend(lun_lending *l);
void lun__lent_end(lun_lending *l);
/* An agreement, which fails on all ranks where s is a failure on one: with the text of the first
 * one.  *most: what no rank has more of, afterwards. */
lun_status lun__lent_agree(const lun_lending *l, const lun_said *said, lun_status s, int64_t *most);
/* Memory for what moves, with what the rounds of other ranks may use of this rank's elements. */
lun_status lun__lent_give(lun_lending *l);
/* Moves it.  All ranks do it, as they do the next. */
lun_status lun__lent_fetch(const lun_lending *l);
/* Once the rounds have run, which may have failed: what has changed goes to its owners; nothing is
 * stored where two ranks have changed an element (LUN_EARG). */
lun_status lun__lent_back(lun_lending *l, lun_status ran);

#endif
