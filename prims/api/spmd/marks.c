/* marks.c - elements of a blocked array that are marked by bits: asked of the ranks that have them,
 * and kept with this rank's own.  Knows no transport. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "base/sized.h"
#include "lunarray_bind.h"

enum { WORD = 32 };

/* A PE's elements as runs of neighbours in row-major order: all along the axes but the last one,
 * which has `length` of them. */
typedef struct runs {
    int axes;
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK], stride[LUN_MAX_RANK];
    int64_t number, length;
} runs;

static runs runs_of(const lun_blocks *b, int pe)
{
    runs r = {.number = 1, .length = 1};
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK], behind = 1;
    lun_blocks_box(b, pe, first, count);
    int d = b->rank - 1;
    while (d > 0 && count[d] == b->extent[d]) /* whole axes at the end are one with the next */
        behind *= b->extent[d--];
    r.axes = d + 1;
    r.length = behind * count[d];
    for (int k = d; k >= 0; k--) {
        r.first[k] = first[k];
        r.count[k] = count[k];
        r.stride[k] = behind;
        behind *= b->extent[k];
        r.number *= k < d ? count[k] : 1;
    }
    return r;
}

/* The place of the first element of run k. */
static int64_t place_of(const runs *r, int64_t k)
{
    const int last = r->axes - 1;
    int64_t place = r->first[last] * r->stride[last];
    for (int d = last - 1; d >= 0; d--) {
        place += (r->first[d] + k % r->count[d]) * r->stride[d];
        k /= r->count[d];
    }
    return place;
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* The bits of places from `at` on, up to 32 of them, the first one the lowest. */
static uint32_t bits_at(const uint32_t *marks, int64_t at, int64_t count)
{
    const int by = (int)(at % WORD);
    uint64_t x = marks[at / WORD];
    if (by && by + count > WORD)
        x |= (uint64_t)marks[at / WORD + 1] << WORD;
    x >>= by;
    return (uint32_t)(count < WORD ? x & ((UINT64_C(1) << count) - 1) : x);
}

static int64_t marked_in(const uint32_t *marks, int64_t at, int64_t count)
{
    int64_t n = 0;
    for (int64_t k = 0; k < count; k += WORD)
        n += __builtin_popcount(bits_at(marks, at + k, count - k));
    return n;
}

static int64_t marked_of(const uint32_t *marks, const runs *r)
{
    int64_t n = 0;
    for (int64_t k = 0; r->length && k < r->number; k++)
        n += marked_in(marks, place_of(r, k), r->length);
    return n;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Bytes: a letter; 'l' and the numbers of elements, int64_t, or 'b' and a bit for each. */
static void list(const uint32_t *marks, const runs *r, char *to)
{
    for (int64_t k = 0; k < r->number; k++) {
        const int64_t at = place_of(r, k), before = k * r->length;
        for (int64_t i = 0; i < r->length; i += WORD)
            for (uint32_t x = bits_at(marks, at + i, r->length - i); x; x &= x - 1) {
                const int64_t number = before + i + __builtin_ctz(x);
                memcpy(to, &number, sizeof number);
                to += sizeof number;
            }
    }
}

static void copy_bits(const uint32_t *marks, const runs *r, unsigned char *to)
{
    for (int64_t k = 0; k < r->number; k++) {
        const int64_t at = place_of(r, k), before = k * r->length;
        for (int64_t i = 0; i < r->length; i += WORD) {
            uint64_t x = (uint64_t)bits_at(marks, at + i, r->length - i) << (before + i) % 8;
            for (int64_t byte = (before + i) / 8; x; x >>= 8)
                to[byte++] |= (unsigned char)x;
        }
    }
}

lun_status lun_marks_request(lun_engine *e, lun_array *marks, const lun_blocks *b, int pe,
                             void **bytes, int64_t *count, int64_t *wanted)
{
    LUN_NEED(e, marks && LUN_HAS(b, grid) && bytes && count && wanted);
    const runs r = runs_of(b, pe);
    const void *bits;
    *bytes = NULL;
    *count = 0;
    lun_status s = lun_data(e, marks, &bits);
    *wanted = s == LUN_OK ? marked_of(bits, &r) : 0;
    if (!*wanted)
        return s;
    const int64_t listed = *wanted * (int64_t)sizeof(int64_t), all = r.number * r.length / 8 + 1;
    *count = 1 + (listed < all ? listed : all);
    char *to = *bytes = calloc(1, (size_t)*count);
    if (!to)
        return lun__fail_nomem(e);
    *to = listed < all ? 'l' : 'b';
    if (*to == 'l')
        list(bits, &r, to + 1);
    else
        copy_bits(bits, &r, (unsigned char *)to + 1);
    return LUN_OK;
}

/* The numbers, from 1, of the set bits of so many; how many there are. */
static int64_t numbers_of(const unsigned char *bits, int64_t bytes, int64_t size, int64_t *to)
{
    int64_t n = 0;
    for (int64_t k = 0; k < bytes; k++)
        for (unsigned x = bits[k]; x; x &= x - 1) {
            const int64_t at = 8 * k + __builtin_ctz(x);
            if (at >= size)
                return -1;
            if (to)
                to[n] = at + 1;
            n++;
        }
    return n;
}

lun_status lun_marks_asked(lun_engine *e, int64_t size, const void *bytes, int64_t count,
                           lun_array **places)
{
    LUN_NEED(e, bytes && count > 0 && places);
    const unsigned char *from = (const unsigned char *)bytes + 1;
    const bool listed = *(const char *)bytes == 'l';
    const int64_t n = listed ? (count - 1) / 8 : numbers_of(from, count - 1, size, NULL);
    lun_blank *blank = NULL;
    void *to = NULL;
    lun_status s = n < 0 ? lun__fail(e, LUN_EARG, "a request for elements that are not there")
                         : lun_blank_new(e, n, sizeof(int64_t), &blank, &to);
    if (s == LUN_OK && !listed)
        (void)numbers_of(from, count - 1, size, to);
    for (int64_t k = 0; s == LUN_OK && listed && k < n; k++) {
        int64_t at;
        memcpy(&at, from + 8 * k, sizeof at);
        if (at < 0 || at >= size)
            s = lun__fail(e, LUN_EARG, "a request for elements that are not there");
        ((int64_t *)to)[k] = at + 1;
    }
    if (s == LUN_OK)
        s = lun_blank_vector(e, blank, LUN_I64, places);
    if (s != LUN_OK)
        lun_blank_drop(e, blank);
    return s;
}

/* ---- filling --------------------------------------------------------------------------------- */

static void mark_own(uint32_t *marks, const runs *r)
{
    for (int64_t k = 0; r->length && k < r->number; k++)
        for (int64_t at = place_of(r, k), end = at + r->length; at < end;) {
            const int by = (int)(at % WORD);
            const int64_t some = end - at < WORD - by ? end - at : WORD - by;
            marks[at / WORD] |= (uint32_t)(((UINT64_C(1) << some) - 1) << by);
            at += some;
        }
}

/* Elements at hand: all from place `from` on, or those that are marked, which words number. */
typedef struct hoard {
    const uint32_t *marks;
    const uint64_t *words;
    char *elements;
    int64_t from, count;
    int size;
} hoard;

static int64_t rank_of(const hoard *h, int64_t place)
{
    const uint64_t word = h->words[place / WORD];
    const uint32_t lower = (uint32_t)((UINT64_C(1) << place % WORD) - 1);
    return (int64_t)(word >> WORD) + __builtin_popcount((uint32_t)word & lower);
}

/* The marked ones of so many elements from `at` on, which stand one after the other; how many. */
static int64_t put_marked(const hoard *h, int64_t at, int64_t count, const char *from)
{
    int64_t n = 0;
    if (h->words) {
        n = marked_in(h->marks, at, count);
        if (n)
            memcpy(h->elements + rank_of(h, at) * h->size, from, (size_t)(n * h->size));
        return n;
    }
    for (int64_t i = 0; i < count; i += WORD) {
        char *to = h->elements + (at + i - h->from) * h->size;
        uint32_t x = bits_at(h->marks, at + i, count - i);
        if (x == UINT32_MAX) {
            memcpy(to, from + n * h->size, (size_t)(WORD * h->size));
            n += WORD;
            continue;
        }
        for (; x; x &= x - 1, n++)
            memcpy(to + __builtin_ctz(x) * h->size, from + n * h->size, (size_t)h->size);
    }
    return n;
}

static void put_all(const hoard *h, const runs *r, const char *from)
{
    for (int64_t k = 0; r->length && k < r->number; k++)
        from += put_marked(h, place_of(r, k), r->length, from) * h->size;
}

/* Of 32 places each: their bits, and how many are marked before. */
static lun_status make_words(lun_engine *e, const uint32_t *marks, int64_t count, lun_array **out)
{
    lun_blank *blank;
    void *to;
    lun_status s = lun_blank_new(e, count, sizeof(uint64_t), &blank, &to);
    if (s != LUN_OK)
        return s;
    uint64_t before = 0;
    for (int64_t k = 0; k < count; k++) {
        ((uint64_t *)to)[k] = before << WORD | marks[k];
        before += (uint64_t)__builtin_popcount(marks[k]);
    }
    s = lun_blank_vector(e, blank, LUN_U64, out);
    if (s != LUN_OK)
        lun_blank_drop(e, blank);
    return s;
}

/* How h has elements: as a range where that takes at most twice the memory. */
static lun_status choose(lun_engine *e, const uint32_t *marks, int64_t words, hoard *h,
                         lun_part *out)
{
    int64_t low = 0, high = words, all = 0;
    const void *data = NULL;
    while (low < high && !marks[low])
        low++;
    while (high > low && !marks[high - 1])
        high--;
    for (int64_t k = low; k < high; k++)
        all += __builtin_popcount(marks[k]);
    h->marks = marks;
    h->from = low * WORD;
    h->count = (high - low) * WORD;
    if (h->count <= 2 * all + WORD || all > UINT32_MAX)
        return LUN_OK;
    h->from = 0;
    h->count = all;
    lun_status s = make_words(e, marks, words, &out->words);
    if (s == LUN_OK)
        s = lun_data(e, out->words, &data);
    h->words = data;
    return s;
}

/* Everyone's elements into h. */
static lun_status put_parts(lun_engine *e, const hoard *h, const lun_blocks *b, int pe,
                            const void *own, const void *const *bytes, const int64_t *counts)
{
    for (int k = 0; k < b->npes; k++) {
        const runs r = runs_of(b, k);
        const int64_t wanted = k == pe ? 0 : marked_of(h->marks, &r) * h->size;
        if (k != pe && wanted != counts[k])
            return lun__fail(e, LUN_EARG, "PE %d has sent %lld bytes, not %lld", k,
                             (long long)counts[k], (long long)wanted);
        put_all(h, &r, k == pe ? own : bytes[k]);
    }
    return LUN_OK;
}

lun_status lun_marks_fill(lun_engine *e, lun_array *marks, const lun_blocks *b, int pe,
                          lun_array *own, const void *const *bytes, const int64_t *counts,
                          lun_part *filled)
{
    LUN_NEED(e, marks && LUN_HAS(b, grid) && own && bytes && counts && LUN_HAS(filled, words));
    const lun_dtype t = lun_dtype_of(own);
    const int64_t words = lun_size(marks);
    const runs mine = runs_of(b, pe);
    hoard h = {.size = lun_dtype_size(t)};
    const void *bits, *data;
    lun_blank *blank = NULL;
    void *to;
    lun_part out = {.size = sizeof out, .computed = true};
    lun_status s = lun_data(e, marks, &bits);
    if (s == LUN_OK)
        s = lun_data(e, own, &data);
    if (s != LUN_OK)
        return s;
    uint32_t *all = malloc((size_t)words * sizeof *all);
    if (!all)
        return lun__fail_nomem(e);
    memcpy(all, bits, (size_t)words * sizeof *all);
    mark_own(all, &mine);
    s = choose(e, all, words, &h, &out);
    if (s == LUN_OK)
        s = lun_blank_new(e, h.count, h.size, &blank, &to);
    if (s == LUN_OK) {
        h.elements = to;
        if (!h.words)
            memset(to, 0, (size_t)(h.count * h.size));
        s = put_parts(e, &h, b, pe, data, bytes, counts);
        if (s == LUN_OK)
            s = lun_blank_vector(e, blank, t, &out.elements);
        if (s != LUN_OK)
            lun_blank_drop(e, blank);
    }
    out.from = h.from;
    if (s != LUN_OK) {
        lun_release(out.words);
        out.words = NULL;
    }
    lun__sized_give(filled, &out, sizeof out);
    free(all);
    return s;
}
