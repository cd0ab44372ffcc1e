/* pool.c - blocks in size classes: four steps to each power of two, so at most a quarter is wasted.
 * Small blocks come from the C library, large ones from mmap with huge pages advised.  A free block
 * keeps the link to the next one in its own first bytes. */
#include "store/pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ALIGN_BITS = 6,
    ALIGN = 1 << ALIGN_BITS,
    CLASSES = 4 * 63,
    MAP_FROM = 1 << 20, /* blocks of this size and more are mapped */
    HUGE_PAGE = 2 << 20,
    LARGE = 512 << 10, /* blocks of this size and more are worth a collection */
    KEEP = 64 << 20    /* unused bytes always kept; beyond that as much as is alive */
};

typedef struct block {
    struct block *next;
} block;

struct lun_pool {
    block *free[CLASSES];
    int64_t size[CLASSES]; /* of the blocks in that list */
    void *(*alloc)(void *ctx, void *old, size_t bytes);
    void *ctx;
    lun_stats *stats;
    int64_t limit, pressure;
    int64_t refused; /* see lun__pool_thrifty */
    bool thrifty;
    bool asked; /* a host is thrifty now and then */
};

lun_pool *lun__pool_open(const lun_config *config, lun_stats *stats, int64_t limit)
{
    lun_pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->alloc = config->alloc;
    p->ctx = config->alloc_ctx;
    p->stats = stats;
    p->limit = limit;
    return p;
}

/* Size class of a number of bytes, and the class's size. */
static inline int class_of(int64_t bytes, int64_t *size)
{
    /* what rounding up to lines, or to huge pages, adds must not change the class */
    uint64_t grain = bytes > MAP_FROM / 8 * 7 ? HUGE_PAGE : ALIGN;
    uint64_t whole = ((uint64_t)bytes + grain - 1) & ~(grain - 1);
    /* the power of two below: base < whole <= 2 * base */
    int step = whole > 2 * ALIGN ? 63 - __builtin_clzll(whole - 1) - ALIGN_BITS : 0;
    uint64_t base = (uint64_t)ALIGN << step;
    int quarter = step + ALIGN_BITS - 2; /* as a power of two */
    uint64_t k = (whole - base + (UINT64_C(1) << quarter) - 1) >> quarter;
    uint64_t most = base + (k << quarter);
    *size = (int64_t)((most + grain - 1) & ~(grain - 1));
    return 4 * step + (int)k;
}

/* With an allocator of the user's the original pointer is kept in front of the aligned block. */
static void *system_take(lun_pool *p, int64_t size)
{
    if (p->alloc) {
        char *raw = p->alloc(p->ctx, NULL, (size_t)size + ALIGN + sizeof(void *));
        if (!raw)
            return NULL;
        char *at = raw + sizeof(void *);
        at += (ALIGN - (uintptr_t)at % ALIGN) % ALIGN;
        memcpy(at - sizeof(void *), &raw, sizeof raw);
        return at;
    }
    if (size < MAP_FROM)
        return aligned_alloc(ALIGN, (size_t)size);
    /* aligned to a huge page by mapping one more and cutting the ends off */
    size_t bytes = (size_t)size, more = bytes + HUGE_PAGE;
    char *m = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return NULL;
    size_t head = (HUGE_PAGE - (uintptr_t)m % HUGE_PAGE) % HUGE_PAGE;
    if (head)
        munmap(m, head);
    if (more - head - bytes)
        munmap(m + head + bytes, more - head - bytes);
    madvise(m + head, bytes, MADV_HUGEPAGE);
    return m + head;
}

static void system_give(lun_pool *p, void *at, int64_t size)
{
    if (p->alloc) {
        void *raw;
        memcpy(&raw, (char *)at - sizeof(void *), sizeof raw);
        p->alloc(p->ctx, raw, 0);
    } else if (size < MAP_FROM) {
        free(at);
    } else {
        munmap(at, (size_t)size);
    }
}

/* What a garbage collector is to be told of a block. */
static inline int64_t pressure_of(const lun_pool *p, int64_t size)
{
    return p->asked && size >= LARGE ? 0 : size;
}

lun_status lun__pool_take(lun_pool *p, int64_t bytes, void **out, int64_t *room)
{
    if (bytes < 0 || bytes > INT64_MAX / 4)
        return LUN_ENOMEM;
    int64_t size;
    int c = class_of(bytes < ALIGN ? ALIGN : bytes, &size);
    lun_stats *s = p->stats;
    if (p->limit && s->allocated + size > p->limit)
        return LUN_ELIMIT;
    block *b = p->free[c];
    if (b) {
        p->free[c] = b->next;
        s->pooled -= size;
    } else if (p->thrifty && size >= LARGE) {
        p->thrifty = false;
        p->refused = size;
        return LUN_ENOMEM;
    } else {
        b = system_take(p, size);
        if (!b && s->pooled) {
            lun__pool_trim(p);
            b = system_take(p, size);
        }
        if (!b)
            return LUN_ENOMEM;
        s->allocations++;
    }
    s->allocated += size;
    if (s->allocated > s->peak)
        s->peak = s->allocated;
    p->pressure += pressure_of(p, size);
    *out = b;
    *room = size;
    return LUN_OK;
}

void lun__pool_give(lun_pool *p, void *at, int64_t room)
{
    int64_t size;
    lun_stats *s = p->stats;
    s->allocated -= room;
    p->pressure -= pressure_of(p, room);
    if (s->pooled + room > KEEP && s->pooled + room > s->allocated) {
        system_give(p, at, room);
        return;
    }
    block *b = at;
    int c = class_of(room, &size);
    b->next = p->free[c];
    p->free[c] = b;
    p->size[c] = size;
    s->pooled += room;
}

void lun__pool_trim(lun_pool *p)
{
    for (int c = 0; c < CLASSES; c++)
        while (p->free[c]) {
            block *b = p->free[c];
            p->free[c] = b->next;
            p->stats->pooled -= p->size[c];
            system_give(p, b, p->size[c]);
        }
}

void lun__pool_close(lun_pool *p)
{
    if (!p)
        return;
    lun__pool_trim(p);
    free(p);
}

void lun__pool_press(lun_pool *p, int64_t bytes)
{
    p->pressure += bytes;
}

int64_t lun__pool_pressure(lun_pool *p)
{
    int64_t n = p->pressure;
    p->pressure = 0;
    return n;
}

bool lun__pool_refused(const lun_pool *p)
{
    return p->refused > 0;
}

int64_t lun__pool_thrifty(lun_pool *p, bool on)
{
    int64_t refused = p->refused;
    p->thrifty = on;
    p->asked |= on;
    p->refused = 0;
    return refused;
}
