/* account.c - what several threads enter in an account, and objects that know their size. */
#include "base/account.h"

#include <stdalign.h>
#include <stdlib.h>

lun_account *lun__account_open(void)
{
    lun_account *a = calloc(1, sizeof *a);
    if (a)
        a->refs = 1;
    return a;
}

void lun__account_keep(lun_account *a)
{
    __atomic_add_fetch(&a->refs, 1, __ATOMIC_RELAXED);
}

void lun__account_drop(lun_account *a)
{
    if (a && __atomic_sub_fetch(&a->refs, 1, __ATOMIC_ACQ_REL) == 0)
        free(a);
}

void lun__account_give_late(lun_account *a, int64_t bytes)
{
    __atomic_add_fetch(&a->late, bytes, __ATOMIC_RELAXED);
}

int64_t lun__account_late(lun_account *a)
{
    return __atomic_exchange_n(&a->late, 0, __ATOMIC_RELAXED);
}

void lun__account_join(lun_account *a, const lun_account *other)
{
    if (!a->shared)
        a->shared = true;
    __atomic_add_fetch(&a->used, other->used, __ATOMIC_RELAXED);
    __atomic_add_fetch(&a->elements, other->elements, __ATOMIC_RELAXED);
}

bool lun__account_take_shared(lun_account *a, int64_t bytes)
{
    const int64_t now = __atomic_add_fetch(&a->used, bytes, __ATOMIC_RELAXED);
    if (!a->limit || now <= a->limit)
        return true;
    if (__atomic_sub_fetch(&a->used, lun__account_late(a), __ATOMIC_RELAXED) <= a->limit)
        return true;
    __atomic_sub_fetch(&a->used, bytes, __ATOMIC_RELAXED);
    return false;
}

void lun__account_give_shared(lun_account *a, int64_t bytes)
{
    __atomic_sub_fetch(&a->used, bytes, __ATOMIC_RELAXED);
}

bool lun__account_take_elements_shared(lun_account *a, int64_t bytes)
{
    if (!lun__account_take_shared(a, bytes))
        return false;
    const int64_t now = __atomic_add_fetch(&a->elements, bytes, __ATOMIC_RELAXED);
    int64_t peak = __atomic_load_n(&a->peak, __ATOMIC_RELAXED);
    while (peak < now && !__atomic_compare_exchange_n(&a->peak, &peak, now, true, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED))
        ;
    return true;
}

void lun__account_give_elements_shared(lun_account *a, int64_t bytes)
{
    lun__account_give_shared(a, bytes);
    __atomic_sub_fetch(&a->elements, bytes, __ATOMIC_RELAXED);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* What stands before an object. */
typedef union head {
    int64_t bytes; /* of both */
    max_align_t align;
} head;

void *lun__account_object_new(lun_account *a, size_t bytes)
{
    if (bytes > INT64_MAX / 4)
        return NULL;
    const int64_t all = (int64_t)(sizeof(head) + bytes);
    if (!lun__account_take_object(a, all))
        return NULL;
    head *h = calloc(1, (size_t)all);
    if (!h) {
        lun__account_give(a, all);
        return NULL;
    }
    h->bytes = all;
    return h + 1;
}

void lun__account_object_free(lun_account *a, void *object)
{
    if (!object)
        return;
    head *h = (head *)object - 1;
    lun__account_give(a, h->bytes);
    free(h);
}
