/* fetch.h - elements at the locations of a set: for each a piece of memory and the elements that
 * are current in it.  One rule says where what is missing comes from; plans ask it beforehand.
 * Private to prims/.
 *
 * Invariant of a lun_placed: pieces are in order of the numbers of their slots, one for each at
 * most.  A piece's intervals `fresh` lie within lo .. hi - 1, the elements that its memory is for;
 * of a sketch, which has no memory, they lie anywhere.  Every location that has an element as
 * current has the same value.  `host` says what host memory has only while the storage is stale and
 * in no file.  While there are `versions` no interval is current and no piece has memory: elements
 * are read after lun__fetch_merge alone. */
#ifndef LUN_FETCH_H
#define LUN_FETCH_H

#include "engine/state.h"
#include "ir/combine_order.h"
#include "spread/spread.h"
#include "store/storage.h"

/* Elements lo .. hi - 1 at a location. */
typedef struct lun_piece lun_piece;
struct lun_piece {
    lun_backend_slot *at;
    lun_buffer *buffer; /* of a device; */
    void *data;         /* of a location on host memory: the pool's block of so many bytes, */
    int64_t bytes;      /* or with 0 memory that is lent, as long as there is the piece */
    int64_t lo, hi;     /* lo == hi: no memory yet */
    lun_intervals fresh;
};

/* One more than the last element that may be touched: of lent memory no other than is read. */
static inline int64_t lun__fetch_end(const lun_piece *x)
{
    return x->data && !x->bytes ? x->hi : x->lo + lun__order_blocks(x->hi - x->lo);
}

/* The function by which copies that differ are merged, counted; how it ends is its maker's. */
struct lun_combine {
    int refs;
    lun_function *f;
    void (*release)(lun_function *f);
};

/* Copies that differ: each location has written its own.  Until they are merged, which happens
 * once, each is a storage of its own, current at its location alone, and the storage itself has
 * nothing. */
typedef struct lun_versions lun_versions;
typedef lun_status lun_merge_fn(lun_engine *e, lun_storage *s);

/* How a kernel writes copies. */
typedef struct lun_writing {
    lun_op op;     /* by the one operation by which all that it writes is combined; COUNT: else */
    uint64_t cell; /* of op: what all locations but the first begin with */
    lun_merge_fn *merge; /* who merges them, by lun__divergent_taken */
} lun_writing;

struct lun_versions {
    int count;
    lun_storage **at; /* in the order in which they are merged, */
    lun_backend_slot **place;
    lun_writing how;
    bool decided;         /* the array has been distributed anew: `combine` holds, and no kernel */
    lun_combine *combine; /* sees its own location's version any more */
    void (*end)(lun_engine *e, lun_versions *v); /* frees it all */
};

struct lun_placed {
    lun_spread *spread; /* where the elements shall be; NULL: not decided */
    lun_intervals host; /* what host memory has, unless all is current there */
    lun_piece **pieces; /* so many, by the numbers of their locations */
    int count, room;
    lun_combine *combine;   /* of copies that differ, a reference; NULL: none was given */
    lun_versions *versions; /* what is current instead of all this; NULL: nothing */
    lun_placed *next;       /* of those that are not used */
};

/* What a storage has there, made if need be, with the mirrors that it has as pieces. */
lun_status lun__fetch_open(lun_engine *e, lun_storage *s, lun_placed **out);
/* A copy that knows what is where and has no memory; whole: all is current on the host. */
lun_placed *lun__current_sketch(const lun_placed *p, bool whole, int64_t count);
void lun__current_free(lun_engine *e, lun_placed *p); /* NULL is allowed */

/* Elements from one location to another, NULL: the host. */
typedef struct lun_placed_move {
    const lun_backend_slot *from, *to;
    int64_t lo, hi;
} lun_placed_move;
typedef lun_status lun_placed_fn(void *ctx, const lun_placed_move *m);
/* Calls fn for each interval of lo .. hi - 1 that is missing at `to` (NULL: the host), in order: it
 * comes from the host if it is current there, else to a location from the one that it belongs to if
 * that has it, else from the first one that does.  whole: all is current on the host. */
lun_status lun__current_route(const lun_placed *p, bool whole, const lun_backend_slot *to,
                              int64_t lo, int64_t hi, lun_placed_fn *fn, void *ctx);
/* Elements lo .. hi - 1 of one piece of s into another one of the same location. */
lun_status lun__fetch_copy(const lun_storage *s, const lun_piece *from, const lun_piece *to,
                           int64_t lo, int64_t hi);
/* So many bytes, from byte `from_at` of a piece, to byte `to_at` of one of another storage, at any
 * location; counted as no move.  To host memory they are on their way until
 * lun__fetch_settled. */
lun_status lun__fetch_carry(lun_engine *e, const lun_piece *from, int64_t from_at,
                            const lun_piece *to, int64_t to_at, int64_t bytes);
/* Waits for all that is on its way to host memory or from it, and for products, at the locations
 * of the set in use; s, or the first failure, with its text. */
lun_status lun__fetch_settled(lun_engine *e, lun_status s);
/* Gives the memory of a piece back. */
void lun__current_piece_empty(lun_engine *e, lun_piece *x);
/* The piece at a location, made if need be; NULL without memory. */
lun_piece *lun__current_piece(lun_placed *p, lun_backend_slot *at);
/* The same if there is one, else NULL. */
lun_piece *lun__current_find(const lun_placed *p, const lun_backend_slot *at);
void lun__current_swap(lun_placed *a, lun_placed *b);

/* Makes elements lo .. hi - 1 of s current at a location; its piece holds them then.  What comes
 * from host memory must stay there until it is settled; of a file no more is read. */
lun_status lun__fetch_ensure(lun_engine *e, lun_storage *s, lun_backend_slot *at, int64_t lo,
                             int64_t hi, lun_piece **out);
/* Memory for elements lo .. hi - 1 of s at a location, which a kernel is about to write there. */
lun_status lun__fetch_result(lun_engine *e, lun_storage *s, lun_backend_slot *at, int64_t lo,
                             int64_t hi, lun_piece **out);
/* Makes missing elements lo .. hi - 1 current in host memory, which s has. */
lun_status lun__fetch_missing(lun_engine *e, lun_storage *s, int64_t lo, int64_t hi);
/* The same into `host`, where they are not kept for s. */
lun_status lun__fetch_read(lun_engine *e, lun_storage *s, int64_t lo, int64_t hi, void *host);
/* Counts bytes that were moved from one location to another, NULL: the host. */
void lun__fetch_count(lun_engine *e, const lun_backend_slot *from, const lun_backend_slot *to,
                      int64_t bytes);
/* No location has current elements of s any more. */
void lun__current_outdate(lun_storage *s);
/* Makes all elements current in one buffer of a device, which becomes its mirror. */
lun_status lun__fetch_whole(lun_engine *e, lun_storage *s, lun_backend_slot *at);
/* Decides, for the set in use, where the elements of s shall be (a reference is taken). */
lun_status lun__placement_decide(lun_engine *e, lun_storage *s, lun_spread *spread);
/* A storage distributed so, whose memory is that of its locations; spread NULL: in host memory. */
lun_status lun__placement_result(lun_engine *e, lun_dtype t, int64_t n, lun_spread *spread,
                                 lun_storage **out);
/* c (a reference is taken) merges the next copies of s that differ, or those that do now. */
lun_status lun__placement_combine(lun_engine *e, lun_storage *s, lun_combine *c);
lun_combine *lun__current_combine_retain(lun_combine *c); /* NULL is allowed, as here: */
void lun__current_combine_release(lun_combine *c);
/* s, of a new array, shall be distributed as a wish says, which is taken.  Cannot fail: NULL. */
lun_placed *lun__placement_take(lun_engine *e, lun_storage *s, lun_placed *wish);
/* Elements that are a copy of others, or take their place, are distributed as these are; from:
 * what these have or wish, NULL: nothing. */
lun_status lun__placement_follow(lun_engine *e, const lun_placed *from, lun_storage *to);
/* A spread if it is over the locations of the set in use, else NULL. */
const lun_spread *lun__placement_fits(lun_engine *e, const lun_spread *x);
/* How s is distributed over the set in use; NULL: it is not. */
const lun_spread *lun__placement_spread(lun_engine *e, const lun_storage *s);

/* ---- host_elements.c: elements that the host reads and writes for locations ------------------ */

/* Where elements of s are written, part[k] at location k: where they belong, of copies each
 * location a part.  What is not distributed becomes blocks of whole slices of `unit` elements.
 * LUN_ENOMEM. */
lun_status lun__host_elements_owners(lun_engine *e, lun_storage *s, int64_t unit,
                                     lun_interval *part);
/* Whether elements of s may be written there: it is in no file, and wraps no memory. */
bool lun__host_elements_takes(const lun_engine *e, const lun_storage *s);
/* Memory for elements lo .. hi - 1 of s at a location, beside what its piece holds; they are not
 * made current. */
lun_status lun__fetch_room(lun_engine *e, lun_storage *s, lun_backend_slot *at, int64_t lo,
                           int64_t hi, lun_piece **out);
/* Elements lo .. hi - 1 of s become current in host memory, which may lack others. */
lun_status lun__host_elements_ensure(lun_engine *e, lun_storage *s, int64_t lo, int64_t hi);
/* Elements lo .. hi - 1 of s become current where the host reads them for a location: in that
 * location's memory, or for a device in host memory.  *out: the first of them; none where lo ==
 * hi. */
lun_status lun__host_elements_for(lun_engine *e, lun_storage *s, lun_backend_slot *at, int64_t lo,
                                  int64_t hi, const void **out);
/* Whether elements of s are at locations of the set in use, over which it is distributed, alone. */
bool lun__host_elements_alone(lun_engine *e, const lun_storage *s);
/* The elements of `from`, which is such, into `to`, a new storage without memory, where they
 * belong. */
lun_status lun__host_elements_copy(lun_engine *e, lun_storage *from, lun_storage *to);
/* So many calls of lun__host_elements_wrote are about to come, which has the pieces that it will
 * have. */
lun_status lun__host_elements_writes(lun_engine *e, lun_storage *s, int calls);
/* Elements lo .. hi - 1 have been written at a location, NULL: in host memory.  They are current
 * there alone. */
void lun__host_elements_wrote(lun_storage *s, const lun_backend_slot *at, int64_t lo, int64_t hi);

/* ---- load_shard.c: elements of a file at locations ------------------------------------------- */

/* Whether machines of locations in use read files themselves. */
bool lun__load_shard_possible(const lun_engine *e);
/* Elements of s, which is in a file, become current at the locations in use that read it
 * themselves, or at all, each of which gets a block of whole slices of `unit` elements. */
lun_status lun__load_shard(lun_engine *e, lun_storage *s, int64_t unit, bool all);
/* The same at all locations: from now on they are there, and not in the file. */
lun_status lun__load_shard_for_good(lun_engine *e, lun_storage *s, int64_t unit);

/* ---- file_checksum.c: checksums of files ----------------------------------------------------- */

/* The CRC-32 of `count` bytes of the file of s, which has bytes, from `first` on: each location
 * that reads files reads a block of them, and the host the rest. */
lun_status lun__file_checksum(lun_engine *e, lun_storage *s, int64_t first, int64_t count,
                              uint32_t *out);

/* ---- save_shards.c: elements into a file ----------------------------------------------------- */

/* A file that is open here for writing, and how locations' machines find it; path NULL: not at
 * all. */
typedef struct lun_store_to {
    int descriptor;
    int64_t at; /* the byte to which the first element goes */
    lun_outfile out;
} lun_store_to;
/* Writes elements lo .. hi - 1 of s, as this machine stores them.  LUN_EIO: *failure is an errno,
 * or 0 where it is not the file that failed. */
lun_status lun__save_shards(lun_engine *e, lun_storage *s, int64_t lo, int64_t hi,
                            const lun_store_to *to, int *failure);

/* ---- divergent.c: copies that differ --------------------------------------------------------- */

/* The copies of s, which is a copy on every location of the set in use, are about to be written by
 * a kernel, each at its location: they become versions, unless they are already and go on as
 * such. */
lun_status lun__divergent_open(lun_engine *e, lun_storage *s, const lun_writing *how);
/* The version of a location, which has one. */
lun_storage *lun__divergent_at(const lun_storage *s, const lun_backend_slot *at);
/* Merges the versions of s, if it has some. */
static inline lun_status lun__fetch_merge(lun_engine *e, lun_storage *s)
{
    return s->placed && s->placed->versions ? s->placed->versions->how.merge(e, s) : LUN_OK;
}
/* The function by which they are merged; NULL: none was given. */
lun_function *lun__divergent_function(const lun_storage *s);
/* s takes the elements of `from`, of as many, which nothing else uses: they are what the versions
 * come to, and those are gone.  Its own distribution stays. */
lun_status lun__divergent_taken(lun_engine *e, lun_storage *s, lun_storage *from);

#endif
