/* strided.c - copies between layouts and contiguous memory; see layout.h.  Cuts a window of the
 * flat order into planes of two axes (plane.h), without a division or a recursion on the way. */
#include "base/layout/layout.h"
#include "base/layout/plane.h"

#include <stdlib.h>
#include <string.h>

/* A window of the flat order on its way through a simplified layout: indices, and the offset. */
typedef struct walk {
    lun_layout l;
    int64_t index[LUN_LAYOUT_RANK];
    int64_t at;
} walk;

static walk walk_from(const lun_layout *simplified, int64_t first)
{
    walk w = {.l = *simplified, .at = simplified->offset};
    for (int k = w.l.rank - 1; k >= 0 && first > 0; k--) {
        w.index[k] = first % w.l.extent[k];
        first /= w.l.extent[k];
        w.at += w.index[k] * w.l.stride[k];
    }
    return w;
}

/* Indices of axis k from the present one on, at most `most`. */
static int64_t piece(const walk *w, int k, int64_t most)
{
    int64_t left = w->l.extent[k] - w->index[k];
    return left < most ? left : most;
}

/* On by n <= piece(w, k, n) indices of axis k. */
static void walk_on(walk *w, int k, int64_t n)
{
    w->index[k] += n;
    w->at += n * w->l.stride[k];
    while (k > 0 && w->index[k] == w->l.extent[k]) {
        w->index[k] = 0;
        w->at -= w->l.extent[k] * w->l.stride[k];
        k--;
        w->index[k]++;
        w->at += w->l.stride[k];
    }
}

/* A copy between the strided side, where the layout has its base, and the packed side, which moves
 * on as elements are copied. */
typedef struct copy {
    walk w;
    char *strided, *packed;
    int64_t size;
    bool read;
} copy;

static void copy_plane(const copy *c, lun_plane *p, int64_t at, char *packed)
{
    char *strided = c->strided + at * c->size;
    p->size = (int)c->size;
    if (c->read)
        lun__plane_read(p, packed, strided);
    else
        lun__plane_write(p, strided, packed);
}

/* The rest of the present row, at most `most` elements; how many. */
static int64_t copy_piece(copy *c, int64_t most)
{
    int last = c->w.l.rank - 1;
    int64_t n = piece(&c->w, last, most);
    lun_plane p = {.rows = 1, .n = n, .step = c->w.l.stride[last]};
    copy_plane(c, &p, c->w.at, c->packed);
    walk_on(&c->w, last, n);
    c->packed += n * c->size;
    return n;
}

/* So many whole blocks of the axes behind axis k, each of `block` elements: planes of axis k and
 * the last one, one after the other for all indices of the axes between. */
static void copy_blocks(copy *c, int k, int64_t block, int64_t blocks)
{
    const lun_layout *l = &c->w.l;
    int last = l->rank - 1;
    while (blocks > 0) {
        lun_plane p = {.rows = piece(&c->w, k, blocks), .n = l->extent[last]};
        p.row = l->stride[k];
        p.step = l->stride[last];
        p.pitch = block;
        if (k + 1 == last) {
            copy_plane(c, &p, c->w.at, c->packed);
        } else {
            walk between = c->w;
            for (int64_t to = 0; to < block; to += p.n) {
                copy_plane(c, &p, between.at, c->packed + to * c->size);
                walk_on(&between, last - 1, 1);
            }
        }
        walk_on(&c->w, k, p.rows);
        c->packed += p.rows * block * c->size;
        blocks -= p.rows;
    }
}

/* Elements in the order of the packed side: the rest of a row, rows, the beginning of a row. */
static void copy_rows(copy *c, int64_t count)
{
    int last = c->w.l.rank - 1;
    int64_t n = c->w.l.extent[last];
    if (count > 0 && (last == 0 || c->w.index[last] > 0 || count < n))
        count -= copy_piece(c, count);
    if (count >= n) {
        copy_blocks(c, last - 1, n, count / n);
        count %= n;
    }
    if (count > 0)
        copy_piece(c, count);
}

static int64_t length_of(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* A window that begins or ends within a row, as up to three planes of columns instead: where rows
 * run across memory, neighbours in a column are copied together.  False, and nothing done, where
 * they do not, or the window is not of enough rows of one block. */
static bool copy_columns(const copy *c, int64_t count)
{
    enum { ENOUGH = 8 };
    const lun_layout *l = &c->w.l;
    const int last = l->rank - 1;
    const int64_t n = l->extent[last], begin = c->w.index[last];
    if (last == 0 || length_of(l->stride[last]) <= length_of(l->stride[last - 1]))
        return false;
    const int64_t rows = (begin + count) / n, end = (begin + count) % n;
    if (rows < ENOUGH || begin + end == 0 || piece(&c->w, last - 1, rows + 1) < rows + (end > 0))
        return false;
    const int64_t cut[4] = {0, begin < end ? begin : end, begin < end ? end : begin, n};
    for (int k = 0; k < 3; k++) {
        const int64_t first = cut[k] < begin;
        lun_plane p = {.rows = rows - first + (cut[k] < end), .n = cut[k + 1] - cut[k], .pitch = n};
        p.row = l->stride[last - 1];
        p.step = l->stride[last];
        if (p.n > 0)
            copy_plane(c, &p, c->w.at + first * p.row + (cut[k] - begin) * p.step,
                       c->packed + (first * n + cut[k] - begin) * c->size);
    }
    return true;
}

/* The axis that is copied together with the last one: the last but one, or an earlier one where
 * elements stand closer together, if a window of so many elements holds enough of its blocks. */
static int companion(const lun_layout *l, int64_t count, int64_t *block)
{
    enum { ENOUGH = 8 };
    int last = l->rank - 1, best = last - 1;
    int64_t closest = length_of(l->stride[last]), size = 1;
    *block = l->extent[last];
    if (closest <= 1)
        return best;
    for (int k = last - 1; k >= 0; k--) {
        size *= l->extent[k + 1];
        int64_t length = length_of(l->stride[k]);
        if (count / size < ENOUGH + 1)
            break;
        if (length != 0 && length < closest && l->extent[k] >= ENOUGH) {
            closest = length;
            best = k;
            *block = size;
        }
    }
    return best;
}

static void copy_window(copy *c, const lun_layout *simplified, int64_t first, int64_t count)
{
    int64_t block;
    int k = companion(simplified, count, &block), last = simplified->rank - 1;
    c->w = walk_from(simplified, first);
    if (k == last - 1 && copy_columns(c, count))
        return;
    if (k < last - 1) {
        int64_t before = (block - first % block) % block;
        copy_rows(c, before);
        copy_blocks(c, k, block, (count - before) / block);
        count = (count - before) % block;
    }
    copy_rows(c, count);
}

/* `done` bytes that repeat are written on until there are `bytes`. */
static void repeat(char *to, int64_t done, int64_t bytes)
{
    enum { MOST = 1 << 14 }; /* what is read again should still be in the nearest cache */
    int64_t period = done, most = period > MOST ? period : MOST / period * period;
    while (done < bytes) {
        int64_t n = done < most ? done : most;
        if (n > bytes - done)
            n = bytes - done;
        memcpy(to + done, to, (size_t)n);
        done += n;
    }
}

void lun__strided_read(const lun_layout *l, const void *base, int size, int64_t first,
                       int64_t count, void *to)
{
    if (count <= 0)
        return;
    lun_layout s = lun__layout_simplified(l);
    copy c = {.strided = (char *)(uintptr_t)base, .packed = to, .size = size, .read = true};
    int64_t once = count;
    if (s.rank > 1 && s.stride[0] == 0) {
        int64_t period = lun__layout_count(&s) / s.extent[0];
        once = period < count ? period : count;
    }
    copy_window(&c, &s, first, once);
    repeat(to, once * size, count * size);
}

void lun__strided_write(const lun_layout *l, void *base, int size, int64_t first, int64_t count,
                        const void *from)
{
    if (count <= 0)
        return;
    lun_layout s = lun__layout_simplified(l);
    copy c = {.strided = base, .packed = (char *)from, .size = size};
    copy_window(&c, &s, first, count);
}

void lun__strided_copy(const lun_layout *from, const void *from_base, const lun_layout *to,
                       void *to_base, int size, int64_t first, int64_t count)
{
    enum { FEW = 4 << 10, BYTES = 256 << 10 }; /* many rows, while they stay in a cache */
    uint64_t few[FEW / sizeof(uint64_t)];
    if (lun__layout_is_dense(to)) {
        lun__strided_read(from, from_base, size, first, count,
                          (char *)to_base + (to->offset + first) * size);
        return;
    }
    if (lun__layout_is_dense(from)) {
        lun__strided_write(to, to_base, size, first, count,
                           (const char *)from_base + (from->offset + first) * size);
        return;
    }
    void *many = count > FEW / size ? malloc(BYTES) : NULL, *piece = many ? many : few;
    const int64_t most = (many ? BYTES : FEW) / size;
    for (int64_t end = first + count, some; first < end; first += some) {
        some = end - first < most ? end - first : most;
        lun__strided_read(from, from_base, size, first, some, piece);
        lun__strided_write(to, to_base, size, first, some, piece);
    }
    free(many);
}

void lun__strided_offsets(const lun_layout *l, int64_t first, int64_t count, int64_t *to)
{
    if (count <= 0)
        return;
    lun_layout s = lun__layout_simplified(l);
    walk w = walk_from(&s, first);
    while (count > 0) {
        int64_t n = piece(&w, s.rank - 1, count), stride = s.stride[s.rank - 1];
        for (int64_t i = 0; i < n; i++)
            *to++ = w.at + i * stride;
        walk_on(&w, s.rank - 1, n);
        count -= n;
    }
}
