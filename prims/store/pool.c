/* pool.c - blocks in size classes: four steps to each power of two, so at most a quarter is wasted.
 * Small blocks come from the C library, large ones from mmap with huge pages advised.  The free
 * blocks of a class are a stack: the one that was given last is taken first, and the one at the
 * bottom has been unused longest.
 *
 * Invariant: a block is in use, or once in the stack of its class, all of whose blocks are of one
 * size; a free block has its links in its own first bytes, and `given` rises from the bottom of a
 * stack to its top.  stats->allocated is the sum of the blocks in use, which the account has, too;
 * stats->pooled that of the free ones, which it has not. */
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
    KEEP = 64 << 20,   /* unused bytes always kept; beyond that as much as was alive before */
    OF_LIMIT = 4,      /* but at most this part of a memory limit, */
    SLACK = 1 << 20    /* given back at once beyond what must be */
};

typedef struct block {
    struct block *below, *above; /* above: undefined at the top */
    uint64_t given;              /* when: the count of blocks given before */
} block;

typedef struct stack {
    block *top, *bottom; /* both NULL: it is empty */
    int64_t size;        /* of each block */
} stack;

struct lun_pool {
    stack free[CLASSES];
    uint64_t given;
    void *(*alloc)(void *ctx, void *old, size_t bytes);
    void *ctx;
    lun_stats *stats;
    lun_account *account;
    lun_tools *tools;
    int64_t pressure;
    int64_t refused; /* see lun__pool_thrifty */
    bool thrifty;
    bool asked; /* a host is thrifty now and then */
};

lun_pool *lun__pool_open(const lun_config *config, lun_stats *stats, lun_account *account,
                         lun_tools *tools)
{
    lun_pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->alloc = config->alloc;
    p->ctx = config->alloc_ctx;
    p->stats = stats;
    p->account = account;
    p->tools = tools;
    return p;
}

void lun__pool_join(lun_pool *p, lun_account *account)
{
    p->account = account;
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

void lun__pool_free(void *(*alloc)(void *ctx, void *old, size_t bytes), void *ctx, void *at,
                    int64_t size)
{
    if (alloc) {
        void *raw;
        memcpy(&raw, (char *)at - sizeof(void *), sizeof raw);
        alloc(ctx, raw, 0);
    } else if (size < MAP_FROM) {
        free(at);
    } else {
        munmap(at, (size_t)size);
    }
}

static void system_give(lun_pool *p, void *at, int64_t size)
{
    lun__pool_free(p->alloc, p->ctx, at, size);
}

/* ---- free blocks ----------------------------------------------------------------------------- */

static inline void push(stack *s, block *b, int64_t size, uint64_t given)
{
    b->below = s->top;
    b->given = given;
    if (s->top)
        s->top->above = b;
    else
        s->bottom = b;
    s->top = b;
    s->size = size;
}

static inline block *pop(stack *s)
{
    block *b = s->top;
    if (b) {
        s->top = b->below;
        if (!s->top)
            s->bottom = NULL;
    }
    return b;
}

/* Gives the block at the bottom back to the system. */
static void drop_oldest(lun_pool *p, stack *s)
{
    block *b = s->bottom;
    if (b == s->top)
        s->top = s->bottom = NULL;
    else
        s->bottom = b->above;
    if (s->bottom)
        s->bottom->below = NULL;
    p->stats->pooled -= s->size;
    system_give(p, b, s->size);
}

/* The stack whose bottom has been unused longest, NULL if all are empty; *next: when the one after
 * it was given. */
static stack *oldest_stack(lun_pool *p, uint64_t *next)
{
    stack *oldest = NULL;
    *next = UINT64_MAX;
    for (stack *s = p->free; s < p->free + CLASSES; s++) {
        if (!s->bottom || s->bottom->given >= *next)
            continue;
        if (oldest && oldest->bottom->given < s->bottom->given) {
            *next = s->bottom->given;
            continue;
        }
        *next = oldest ? oldest->bottom->given : UINT64_MAX;
        oldest = s;
    }
    return oldest;
}

/* Gives back the blocks that have been unused longest, until at most so many bytes are kept. */
static void shrink(lun_pool *p, int64_t most)
{
    uint64_t next;
    for (stack *s; p->stats->pooled > most && (s = oldest_stack(p, &next));)
        while (s->bottom && s->bottom->given < next && p->stats->pooled > most)
            drop_oldest(p, s);
}

/* ---- taking and giving ----------------------------------------------------------------------- */

/* What counts of a block in the pressure on a garbage collector. */
static inline int64_t pressure_of(const lun_pool *p, int64_t size)
{
    return p->asked && size >= LARGE ? 0 : size;
}

bool lun__pool_refuse(lun_pool *p, int64_t bytes)
{
    if (!p->thrifty || bytes < LARGE)
        return false;
    p->thrifty = false;
    p->refused = bytes;
    return true;
}

/* A block of a class, unused or from the system.  Within a memory limit what is unused makes room
 * first for what is in use. */
static lun_status take_block(lun_pool *p, int c, int64_t size, void **out)
{
    lun_stats *s = p->stats;
    block *b = pop(&p->free[c]);
    if (b) {
        s->pooled -= size;
        *out = b;
        return LUN_OK;
    }
    if (lun__pool_refuse(p, size))
        return LUN_ENOMEM;
    const int64_t free_bytes = p->account->limit - lun__account_used(p->account);
    if (p->account->limit && s->pooled > free_bytes)
        shrink(p, free_bytes);
    b = system_take(p, size);
    if (!b && s->pooled) {
        lun__pool_trim(p);
        b = system_take(p, size);
    }
    if (!b)
        return LUN_ENOMEM;
    s->allocations++;
    *out = b;
    return LUN_OK;
}

static void call_tools(const lun_pool *p, bool begins, const void *at, int64_t size)
{
    lun_tool_event ev = {.kind = LUN_TOOL_ALLOCATION,
                         .name = "elements",
                         .place = "host",
                         .id = (uint64_t)(uintptr_t)at,
                         .bytes = size};
    lun__tools_call(p->tools, begins, &ev);
}

lun_status lun__pool_take(lun_pool *p, int64_t bytes, void **out, int64_t *room)
{
    if (bytes < 0 || bytes > INT64_MAX / 4)
        return LUN_ENOMEM;
    int64_t size;
    int c = class_of(bytes < ALIGN ? ALIGN : bytes, &size);
    lun_stats *s = p->stats;
    if (!lun__account_take_elements(p->account, size))
        return LUN_ELIMIT;
    const lun_status status = take_block(p, c, size, out);
    if (status != LUN_OK) {
        lun__account_give_elements(p->account, size);
        return status;
    }
    s->allocated += size;
    p->pressure += pressure_of(p, size);
    *room = size;
    if (lun__tools_watch(p->tools))
        call_tools(p, true, *out, size);
    return LUN_OK;
}

void lun__pool_pad(void *at, int64_t count, int64_t size)
{
    const int64_t beyond = -count & 63;
    memset((char *)at + count * size, 0, (size_t)(beyond * size));
}

void lun__pool_give(lun_pool *p, void *at, int64_t room)
{
    int64_t size;
    lun_stats *s = p->stats;
    if (lun__tools_watch(p->tools))
        call_tools(p, false, at, room);
    int64_t alive = s->allocated; /* a loop's result may be larger than all else that is alive */
    s->allocated -= room;
    lun__account_give_elements(p->account, room);
    p->pressure -= pressure_of(p, room);
    int64_t most = s->allocated == 0 || alive < KEEP ? KEEP : alive;
    if (p->account->limit && most > p->account->limit / OF_LIMIT)
        most = p->account->limit / OF_LIMIT;
    if (room > most) {
        system_give(p, at, room);
        return;
    }
    if (s->pooled + room > most)
        shrink(p, most - room - SLACK);
    int c = class_of(room, &size);
    push(&p->free[c], at, size, ++p->given);
    s->pooled += room;
}

void lun__pool_trim(lun_pool *p)
{
    for (stack *s = p->free; s < p->free + CLASSES; s++)
        while (s->bottom)
            drop_oldest(p, s);
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
