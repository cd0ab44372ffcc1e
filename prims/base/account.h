/* account.h - the memory that an engine has in use, and its limit.  What takes memory in proportion
 * to what a script asks for, sizes or counts, is entered here first, whatever allocates it: blocks
 * of the pool, buffers of devices, objects, an interpreter's heap.
 *
 * Invariant: `used` is the sum of what was taken and not given back, and at most `limit`;
 * `elements` is its part that elements of arrays and buffers are; `late` is what was given back on
 * any thread and not taken off `used` yet.  An engine and the workers of its queues have one
 * account, which exists as long as anything holds a reference. */
#ifndef LUN_ACCOUNT_H
#define LUN_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lun_account {
    int64_t limit; /* 0: none */
    int64_t used, elements;
    int64_t late;
    int refs;
    int64_t peak; /* the most elements */
    bool shared;  /* by several threads: set before the second one begins */
    bool refused; /* memory for an object, since that was last reported */
} lun_account;

static inline int64_t lun__account_used(const lun_account *a)
{
    return __atomic_load_n(&a->used, __ATOMIC_RELAXED) -
           __atomic_load_n(&a->late, __ATOMIC_RELAXED);
}

/* An empty one, with a reference; NULL: no memory. */
lun_account *lun__account_open(void);
void lun__account_keep(lun_account *a);
/* NULL is allowed. */
void lun__account_drop(lun_account *a);

/* Another one joins, of an engine that is to have a thread of its own. */
void lun__account_join(lun_account *a, const lun_account *other);

/* For what is released on any thread, also while another one uses the account. */
void lun__account_give_late(lun_account *a, int64_t bytes);
/* What was given back so, to be taken off. */
int64_t lun__account_late(lun_account *a);

bool lun__account_take_shared(lun_account *a, int64_t bytes);
void lun__account_give_shared(lun_account *a, int64_t bytes);

/* False where the limit would be passed: then nothing is entered. */
static inline bool lun__account_take(lun_account *a, int64_t bytes)
{
    if (a->shared)
        return lun__account_take_shared(a, bytes);
    if (a->limit && bytes > a->limit - a->used) {
        a->used -= lun__account_late(a);
        if (bytes > a->limit - a->used)
            return false;
    }
    a->used += bytes;
    return true;
}

static inline void lun__account_give(lun_account *a, int64_t bytes)
{
    if (a->shared)
        lun__account_give_shared(a, bytes);
    else
        a->used -= bytes;
}

bool lun__account_take_elements_shared(lun_account *a, int64_t bytes);
void lun__account_give_elements_shared(lun_account *a, int64_t bytes);

/* The same of elements.  NULL: nothing is counted. */
static inline bool lun__account_take_elements(lun_account *a, int64_t bytes)
{
    if (!a || a->shared)
        return !a || lun__account_take_elements_shared(a, bytes);
    if (!lun__account_take(a, bytes))
        return false;
    a->elements += bytes;
    a->peak = a->peak < a->elements ? a->elements : a->peak;
    return true;
}

static inline void lun__account_give_elements(lun_account *a, int64_t bytes)
{
    if (a && a->shared) {
        lun__account_give_elements_shared(a, bytes);
    } else if (a) {
        a->used -= bytes;
        a->elements -= bytes;
    }
}

/* The same of objects, of which a failure is out of memory: `refused` tells why. */
static inline bool lun__account_take_object(lun_account *a, int64_t bytes)
{
    if (lun__account_take(a, bytes))
        return true;
    __atomic_store_n(&a->refused, true, __ATOMIC_RELAXED);
    return false;
}

/* An object of zeros that counts until lun__account_object_free; NULL: no memory. */
void *lun__account_object_new(lun_account *a, size_t bytes);
/* NULL is allowed. */
void lun__account_object_free(lun_account *a, void *object);

#endif
