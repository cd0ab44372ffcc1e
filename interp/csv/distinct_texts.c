/* distinct_texts.c - the different texts of columns, in order, and the one of each row. Texts that
 * a part keeps once are hashed once; a partitioned hash table, by the first bits of hashes, has a
 * thread for each partition.
 *
 * Invariant: a text is in the table of its hash's first bits only, which one thread fills; numbers
 * from 1 count in order of appearance within a table. At most half of the slots of a table are
 * used. */
#include <stdlib.h>
#include <string.h>

#include "csv/text_cells.h"

enum {
    TABLES = 16,   /* partitions, by four bits */
    FEW = 1 << 15, /* texts below which one table is used */
    FIRST = 1 << 10
};

/* The number of a text, from 1, among those of its table; 0: none. Its hash is beside it, so that
 * texts are seldom compared in vain. */
typedef struct slot {
    uint32_t hash;
    int32_t number;
} slot;

/* The table of a partition. */
typedef struct table {
    slot *slots;
    int64_t mask, count, room;
    lun__text *texts;
    int64_t first; /* texts of the tables before */
    bool failed;
} table;

/* A part, and the index of its first text among those of all. */
typedef struct piece {
    const lun__texts_part *part;
    int64_t text, row;
} piece;

typedef struct work {
    piece *pieces;
    int64_t count, texts; /* pieces; texts of all */
    uint32_t *hashes;
    int32_t *numbers;
    int tables;
    table table[TABLES];
    const int32_t *rank; /* in order, by number */
    int32_t *codes;
} work;

/* By bits that do not choose a slot within a table. */
static uint32_t table_of(const work *w, uint32_t hash)
{
    return w->tables == 1 ? 0 : hash >> 28;
}

/* ---- finding different texts -------------------------------------------------------------------
 * */

static void hash_piece(void *of, int64_t k)
{
    const work *w = of;
    const piece *p = &w->pieces[k];
    for (int64_t i = 0; i < p->part->levels; i++) {
        lun__text t = lun__texts_kept(p->part, i);
        w->hashes[p->text + i] = lun__texts_hash(t.at, t.length);
    }
}

static slot *slot_of(const table *t, const lun__text *x)
{
    int64_t at = x->hash & t->mask;
    for (; t->slots[at].number; at = (at + 1) & t->mask) {
        if (t->slots[at].hash != x->hash)
            continue;
        const lun__text *found = &t->texts[t->slots[at].number - 1];
        if (found->length == x->length && memcmp(found->at, x->at, x->length) == 0)
            break;
    }
    return &t->slots[at];
}

/* Room for another text; at most half of the slots are used. */
static bool grow(table *t)
{
    if (t->count < t->room)
        return true;
    int64_t room = t->room ? 2 * t->room : FIRST;
    slot *slots = calloc((size_t)room * 2, sizeof *slots);
    lun__text *texts = realloc(t->texts, (size_t)room * sizeof *texts);
    t->texts = texts ? texts : t->texts;
    free(t->slots);
    t->slots = slots;
    if (!slots || !texts)
        return false;
    t->room = room;
    t->mask = 2 * room - 1;
    for (int64_t i = 0; i < t->count; i++) {
        int64_t at = texts[i].hash & t->mask;
        while (slots[at].number)
            at = (at + 1) & t->mask;
        slots[at] = (slot){texts[i].hash, (int32_t)(i + 1)};
    }
    return true;
}

/* Fills table k with the texts of its hashes. */
static void fill_table(void *of, int64_t k)
{
    const work *w = of;
    table *t = &((work *)of)->table[k];
    t->failed = !grow(t);
    for (int64_t j = 0; j < w->count && !t->failed; j++) {
        const piece *p = &w->pieces[j];
        for (int64_t i = 0; i < p->part->levels; i++) {
            uint32_t hash = w->hashes[p->text + i];
            if (table_of(w, hash) != (uint32_t)k)
                continue;
            lun__text x = lun__texts_kept(p->part, i);
            x.hash = hash;
            slot *s = slot_of(t, &x);
            if (!s->number) {
                if (t->count == t->room) {
                    t->failed = !grow(t);
                    if (t->failed)
                        return;
                    s = slot_of(t, &x);
                }
                t->texts[t->count] = x;
                *s = (slot){hash, (int32_t)++t->count};
            }
            w->numbers[p->text + i] = s->number - 1;
        }
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct entry {
    lun__text text;
    uint64_t head; /* its first bytes, which mostly decide */
    int32_t number;
} entry;

static int by_bytes(const void *p, const void *q)
{
    const entry *a = p, *b = q;
    return a->head != b->head ? (a->head > b->head) - (a->head < b->head)
                              : lun__texts_order(&a->text, &b->text);
}

static uint64_t head_of(const lun__text *t)
{
    uint64_t head = 0;
    for (uint32_t i = 0; i < 8; i++)
        head = head << 8 | (i < t->length ? (unsigned char)t->at[i] : 0);
    return head;
}

/* Sorts the texts of all tables; by number of each, its index in that order from 1. */
static bool sort_texts(work *w, lun__texts_levels *out, int32_t **rank)
{
    int64_t count = 0;
    for (int k = 0; k < w->tables; k++) {
        w->table[k].first = count;
        count += w->table[k].count;
    }
    entry *entries = malloc(((size_t)count + 1) * sizeof *entries);
    *rank = malloc(((size_t)count + 1) * sizeof **rank);
    out->levels = malloc(((size_t)count + 1) * sizeof *out->levels);
    out->count = count;
    bool ok = entries && *rank && out->levels;
    for (int k = 0; ok && k < w->tables; k++) {
        const table *t = &w->table[k];
        for (int64_t i = 0; i < t->count; i++)
            entries[t->first + i] =
                (entry){t->texts[i], head_of(&t->texts[i]), (int32_t)(t->first + i)};
    }
    if (ok)
        qsort(entries, (size_t)count, sizeof *entries, by_bytes);
    for (int64_t i = 0; ok && i < count; i++) {
        out->levels[i] = entries[i].text;
        (*rank)[entries[i].number] = (int32_t)(i + 1);
    }
    free(entries);
    return ok;
}

static void code_piece(void *of, int64_t k)
{
    const work *w = of;
    const piece *p = &w->pieces[k];
    for (int64_t i = 0; i < p->part->levels; i++) {
        int64_t t = p->text + i;
        int64_t first = w->table[table_of(w, w->hashes[t])].first;
        w->numbers[t] = w->rank[first + w->numbers[t]];
    }
    for (int64_t i = 0; i < p->part->count; i++)
        w->codes[p->row + i] = w->numbers[p->text + lun__texts_level(p->part, i)];
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool prepare(work *w, const lun__texts *const *columns, int count)
{
    int64_t parts = 0, row = 0;
    for (int c = 0; c < count; c++)
        parts += columns[c]->count;
    w->pieces = malloc(((size_t)parts + 1) * sizeof *w->pieces);
    for (int c = 0; w->pieces && c < count; c++) {
        for (int64_t k = 0; k < columns[c]->count; k++) {
            const lun__texts_part *p = &columns[c]->parts[k];
            w->pieces[w->count++] = (piece){p, w->texts, row + p->first};
            w->texts += p->levels;
        }
        row += columns[c]->rows;
    }
    w->hashes = malloc(((size_t)w->texts + 1) * sizeof *w->hashes);
    w->numbers = malloc(((size_t)w->texts + 1) * sizeof *w->numbers);
    w->tables = w->texts < FEW ? 1 : TABLES;
    return w->pieces && w->hashes && w->numbers;
}

bool lun__distinct_texts(const lun__texts *const *columns, int count, lun__texts_share *share,
                         void *ctx, int32_t *codes, lun__texts_levels *out)
{
    work w = {.codes = codes};
    int32_t *rank = NULL;
    *out = (lun__texts_levels){0};
    bool ok = prepare(&w, columns, count);
    if (ok) {
        share(ctx, w.count, &w, hash_piece);
        share(ctx, w.tables, &w, fill_table);
    }
    for (int k = 0; k < TABLES; k++)
        ok &= !w.table[k].failed;
    ok = ok && sort_texts(&w, out, &rank);
    w.rank = rank;
    if (ok)
        share(ctx, w.count, &w, code_piece);
    for (int k = 0; k < TABLES; k++)
        free(w.table[k].slots), free(w.table[k].texts);
    free(w.pieces);
    free(w.hashes);
    free(w.numbers);
    free(rank);
    if (!ok) {
        free(out->levels);
        out->levels = NULL;
    }
    return ok;
}
