/* split_text.c - where pieces of the text begin. Blocks of equal size are scanned on all threads:
 * the parity of their quotes, and the newlines outside of quotes for both cases, that the block
 * begins outside or inside of quotes. The case of each block follows from the parities before it. A
 * quote inside of a field without quotes makes this wrong, and so does a line that is no row;
 * splitting a piece finds that, and the text is then scanned in order. */
#include <stdlib.h>
#include <string.h>

#include "csv/buffer_pool.h"
#include "csv/mask.h"

/* A block; [0]: if it begins outside of quotes, [1]: if inside. */
typedef struct block {
    int64_t newlines[2], first[2]; /* outside of quotes; offset of the first one in the text */
    bool odd;                      /* quotes */
    lun__csv_fault fault;
} block;

typedef struct counting {
    lun__csv_pool *pool;
    const lun__csv_cuts *cuts;
    block *blocks;
} counting;

static int64_t count_bits(uint64_t m)
{
    m -= m >> 1 & UINT64_C(0x5555555555555555);
    m = (m & UINT64_C(0x3333333333333333)) + (m >> 2 & UINT64_C(0x3333333333333333));
    m = (m + (m >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int64_t)(m * UINT64_C(0x0101010101010101) >> 56);
}

static void count_block(const char *text, int64_t length, int64_t at, char quote, block *b)
{
    uint64_t inside = 0; /* all ones while inside of quotes, for a block that begins outside */
    for (int64_t i = 0; i < length; i += 64) {
        lun__csv_block bytes = lun__csv_mask_load(text + i);
        uint64_t quotes = lun__csv_mask_equal(bytes, quote),
                 newlines = lun__csv_mask_equal(bytes, '\n');
        uint64_t in = inside ^ lun__csv_mask_odd(quotes);
        uint64_t found[2] = {newlines & ~in, newlines & in};
        for (int k = 0; k < 2; k++) {
            if (found[k] && b->newlines[k] == 0)
                b->first[k] = at + i + __builtin_ctzll(found[k]);
            b->newlines[k] += found[k] ? count_bits(found[k]) : 0;
        }
        inside = -(in >> 63);
    }
    b->odd = inside != 0;
}

static void count_one(void *of, int64_t k)
{
    const counting *c = of;
    block *b = &c->blocks[k];
    lun__csv_piece p = {0};
    int64_t at = c->cuts->start + k * c->pool->piece, left = c->cuts->end - at;
    int buffer = lun__csv_buffer_take(c->pool);
    if (left > c->pool->piece)
        left = c->pool->piece;
    if (lun__csv_buffer_fetch(c->pool, buffer, at, left, false, &p, &b->fault) == LUN__CSV_FINE)
        count_block(p.text, p.length, at, c->pool->rules.quote, b);
    lun__csv_buffer_give(c->pool, buffer);
}

/* Makes the cuts from the blocks; false: the text ends inside of quotes. Where it goes on behind
 * the end of the cuts, their last row may be a part of one. */
static bool join(lun__csv_cuts *cuts, const block *blocks, int64_t count)
{
    int64_t rows = 0;
    int inside = 0;
    cuts->count = 0;
    cuts->list[cuts->count++] = (lun__csv_cut){cuts->start, 0};
    for (int64_t k = 0; k < count; k++) {
        const block *b = &blocks[k];
        if (k > 0 && b->newlines[inside] && b->first[inside] + 1 < cuts->end)
            cuts->list[cuts->count++] = (lun__csv_cut){b->first[inside] + 1, rows + 1};
        rows += b->newlines[inside];
        inside ^= b->odd;
    }
    cuts->list[cuts->count] = (lun__csv_cut){cuts->end, rows + cuts->added};
    return !inside;
}

static bool cut_blocks(lun__csv_pool *d, lun__csv_cuts *cuts, bool whole, lun__csv_fault *fault)
{
    const int64_t count = (cuts->end - cuts->start + d->piece - 1) / d->piece;
    block *blocks = calloc((size_t)count + 1, sizeof *blocks);
    const lun__csv_services *s = d->services;
    counting c = {d, cuts, blocks};
    bool ok = blocks != NULL;
    if (!ok)
        fault->what = LUN__CSV_MEMORY;
    else
        s->share(s->ctx, count, &c, count_one);
    for (int64_t k = 0; ok && k < count; k++)
        if (blocks[k].fault.what) {
            *fault = blocks[k].fault;
            ok = false;
        }
    if (ok && s->stop(s->ctx)) {
        fault->what = LUN__CSV_REFUSED;
        ok = false;
    }
    if (ok && !join(cuts, blocks, count) && whole) {
        fault->what = LUN__CSV_STRAY; /* or a quote is never closed */
        ok = false;
    }
    free(blocks);
    return ok;
}

/* ---- in order -------------------------------------------------------------------------------- */

/* Adds a cut; false: there is no memory. */
static bool add_cut(lun__csv_cuts *cuts, int64_t *room, lun__csv_cut cut)
{
    if (cuts->count + 1 >= *room) {
        int64_t more = 2 * *room;
        lun__csv_cut *list = realloc(cuts->list, (size_t)more * sizeof *list);
        if (!list)
            return false;
        cuts->list = list;
        *room = more;
    }
    cuts->list[cuts->count++] = cut;
    return true;
}

/* Reads bytes from `at` on, so many of them, and counts whole rows among these, at most `most`. */
static bool count_rows(lun__csv_pool *d, int buffer, const lun__csv_cuts *cuts, int64_t at,
                       int64_t length, int64_t most, lun__csv_piece *p, lun__csv_fault *fault)
{
    uint32_t wanted;
    const bool all = at + length == cuts->end;
    *p = (lun__csv_piece){.width = cuts->width, .ends = &wanted, .strays_known = true};
    if (lun__csv_buffer_fetch(d, buffer, at, length, all && cuts->added, p, fault))
        return false;
    if (lun__csv_fields_count(p, most, all, fault))
        return true;
    fault->at += at;
    return false;
}

/* Rows from the first one on, by all rules, up to the end or to the last one that is wanted. */
static bool walk_through(lun__csv_pool *d, lun__csv_cuts *cuts, int64_t room, lun__csv_fault *fault)
{
    const int64_t most = cuts->most;
    int64_t at = cuts->start, rows = 0, size = d->piece;
    int buffer = lun__csv_buffer_take(d);
    bool ok = true;
    while (ok && at < cuts->end && rows != most) {
        int64_t left = cuts->end - at;
        lun__csv_piece p;
        ok = count_rows(d, buffer, cuts, at, size < left ? size : left, most < 0 ? -1 : most - rows,
                        &p, fault);
        if (ok && d->services->stop(d->services->ctx)) {
            fault->what = LUN__CSV_REFUSED;
            ok = false;
        }
        if (ok && p.length == 0) { /* a row goes on */
            size *= 4;
            continue;
        }
        if (ok && !add_cut(cuts, &room, (lun__csv_cut){at, rows})) {
            fault->what = LUN__CSV_MEMORY;
            ok = false;
        }
        at += p.length;
        rows += p.rows;
        cuts->skipped += p.skipped;
        size = d->piece;
    }
    lun__csv_buffer_give(d, buffer);
    cuts->added = cuts->added && at > cuts->end;
    cuts->end = at < cuts->end ? at : cuts->end;
    cuts->list[cuts->count] = (lun__csv_cut){cuts->end, rows};
    return ok;
}

/* ---- a number of rows ------------------------------------------------------------------------ */

/* Ends the cuts behind row `most`, which is in the last of the pieces before which are fewer. */
static bool trim(lun__csv_pool *d, lun__csv_cuts *cuts, lun__csv_fault *fault)
{
    int64_t k = cuts->count - 1;
    lun__csv_piece p;
    while (k > 0 && cuts->list[k].row >= cuts->most)
        k--;
    const lun__csv_cut last = cuts->list[k];
    int buffer = lun__csv_buffer_take(d);
    bool ok = count_rows(d, buffer, cuts, last.at, cuts->list[k + 1].at - last.at,
                         cuts->most - last.row, &p, fault);
    lun__csv_buffer_give(d, buffer);
    if (!ok || p.rows != cuts->most - last.row) { /* quotes mislead, if it can be read */
        fault->what = !ok && fault->what >= LUN__CSV_UNREAD ? fault->what : LUN__CSV_STRAY;
        return false;
    }
    cuts->count = k + 1;
    cuts->added = cuts->added && last.at + p.length > cuts->end;
    cuts->end = cuts->added ? cuts->end : last.at + p.length;
    cuts->list[k + 1] = (lun__csv_cut){cuts->end, cuts->most};
    return true;
}

/* The first rows, on all threads: those of so many bytes as they take, about, or more of them. */
static bool cut_first(lun__csv_pool *d, lun__csv_cuts *cuts, lun__csv_fault *fault)
{
    const int64_t end = cuts->end;
    const bool added = cuts->added;
    int64_t bytes = d->piece;
    if (cuts->row_bytes && cuts->most < (end - cuts->start) / cuts->row_bytes)
        bytes += cuts->most * cuts->row_bytes;
    for (;;) {
        const bool whole = bytes >= end - cuts->start;
        cuts->end = whole ? end : cuts->start + bytes;
        cuts->added = whole && added;
        if (!cut_blocks(d, cuts, whole, fault))
            return false;
        const int64_t rows = cuts->list[cuts->count].row;
        cuts->row_bytes = rows ? bytes / rows + 1 : bytes;
        if (rows >= cuts->most)
            return trim(d, cuts, fault);
        if (whole)
            return true;
        const int64_t more =
            cuts->most < end / cuts->row_bytes ? cuts->most * cuts->row_bytes : end;
        bytes = bytes * 2 > more ? bytes * 2 : more;
    }
}

bool lun__csv_split_text(lun__csv_pool *d, lun__csv_cuts *cuts, bool exact, lun__csv_fault *fault)
{
    int64_t count = (cuts->end - cuts->start + d->piece - 1) / d->piece;
    cuts->exact = exact;
    free(cuts->list);
    cuts->list = calloc((size_t)count + 2, sizeof *cuts->list);
    *fault = (lun__csv_fault){.column = -1};
    if (!cuts->list) {
        *fault = (lun__csv_fault){.what = LUN__CSV_MEMORY, .column = -1};
        return false;
    }
    if (count == 0)
        return true;
    return exact             ? walk_through(d, cuts, count + 2, fault)
           : cuts->most >= 0 ? cut_first(d, cuts, fault)
                             : cut_blocks(d, cuts, true, fault);
}

int64_t lun__csv_split_text_lines(lun__csv_pool *d, int64_t at)
{
    int64_t lines = 0;
    lun__csv_fault fault;
    lun__csv_what what = LUN__CSV_FINE;
    int buffer = lun__csv_buffer_take(d);
    for (int64_t from = 0; from < at && !what; from += d->piece) {
        lun__csv_piece p = {0};
        int64_t left = at - from;
        what = lun__csv_buffer_fetch(d, buffer, from, left < d->piece ? left : d->piece, false, &p,
                                     &fault);
        for (int64_t i = 0; !what && i < p.length; i += 64)
            lines += count_bits(lun__csv_mask_equal(lun__csv_mask_load(p.text + i), '\n'));
    }
    lun__csv_buffer_give(d, buffer);
    return what ? -1 : lines;
}
