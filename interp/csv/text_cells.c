/* text_cells.c - packing and finding the cells of a column of text; see text_cells.h. */
#include <stdlib.h>
#include <string.h>

#include "csv/number.h"
#include "csv/text_cells.h"

enum {
    SLOTS = 2 * LUN__TEXTS_LEVELS, /* of the table of texts seen */
    TRIAL = LUN__TEXTS_LEVELS,     /* texts after which numbering is given up if most differ */
    MANY = TRIAL / 4 * 3
};

/* Every bit of the product's halves depends on all bits of x. */
static uint64_t fold(uint64_t x)
{
    unsigned __int128 product = (unsigned __int128)x * UINT64_C(0xD6E8FEB86659FD93);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint32_t lun__texts_hash(const char *p, size_t n)
{
    uint64_t h = (uint64_t)n * UINT64_C(0x9E3779B97F4A7C15);
    for (; n > 8; n -= 8, p += 8)
        h = fold(h ^ lun__csv_number_word(p));
    if (n > 0)
        h = fold(h ^ (lun__csv_number_word(p) & ~UINT64_C(0) >> (64 - 8 * n)));
    return (uint32_t)(fold(h) >> 32);
}

int lun__texts_order(const lun__text *a, const lun__text *b)
{
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->at, b->at, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* ---- packing --------------------------------------------------------------------------------- */

static size_t codes_size(int64_t count)
{
    return ((size_t)count * sizeof(uint16_t) + 3) / 4 * 4;
}

size_t lun__texts_room(int64_t count, size_t bytes)
{
    return codes_size(count) + (size_t)count * sizeof(uint32_t) + bytes;
}

/* Numbers texts by the different ones among them, whose indices go to `which`; returns how many
 * these are, 0: too many. */
static int64_t number(const lun__text *texts, int64_t count, uint16_t *codes, uint32_t *which)
{
    uint16_t slots[SLOTS] = {0};
    int64_t levels = 0, most = count / 2 < LUN__TEXTS_LEVELS ? count / 2 : LUN__TEXTS_LEVELS;
    for (int64_t i = 0; i < count; i++) {
        const lun__text *t = &texts[i];
        uint32_t at = t->hash % SLOTS;
        for (; slots[at]; at = (at + 1) % SLOTS) {
            const lun__text *found = &texts[which[slots[at] - 1]];
            if (found->hash == t->hash && found->length == t->length &&
                memcmp(found->at, t->at, t->length) == 0)
                break;
        }
        if (!slots[at]) {
            if (levels == most || (i < TRIAL && levels == MANY))
                return 0;
            which[levels++] = (uint32_t)i;
            slots[at] = (uint16_t)levels;
        }
        codes[i] = (uint16_t)(slots[at] - 1);
    }
    return levels;
}

void lun__texts_pack(const lun__text *texts, int64_t first, int64_t count, void *room,
                     lun__texts_part *out)
{
    uint32_t which[LUN__TEXTS_LEVELS];
    uint16_t *codes = room;
    int64_t levels = number(texts, count, codes, which), kept = levels ? levels : count;
    uint32_t *ends = (uint32_t *)(void *)((char *)room + (levels ? codes_size(count) : 0));
    char *bytes = (char *)(ends + kept);
    uint32_t end = 0;
    for (int64_t k = 0; k < kept; k++) {
        const lun__text *t = &texts[levels ? which[k] : k];
        memcpy(bytes + end, t->at, t->length);
        end += t->length;
        ends[k] = end;
    }
    *out = (lun__texts_part){.first = first,
                             .count = count,
                             .levels = kept,
                             .codes = levels ? codes : NULL,
                             .ends = ends,
                             .bytes = bytes};
}

/* ---- a column -------------------------------------------------------------------------------- */

static size_t bytes_of(const lun__texts_part *p)
{
    return p->levels ? p->ends[p->levels - 1] : 0;
}

size_t lun__texts_size(const lun__texts_part *p)
{
    size_t codes = p->codes ? codes_size(p->count) : 0;
    return codes + (size_t)p->levels * sizeof *p->ends + (bytes_of(p) + 3) / 4 * 4;
}

static void *copy(char **to, const void *from, size_t size, size_t step)
{
    char *place = *to;
    memcpy(place, from, size);
    *to += step;
    return place;
}

bool lun__texts_add(lun__texts *t, const lun__texts_part *parts, int64_t count, char *memory)
{
    if (t->count + count > t->room) {
        int64_t room = 2 * (t->count + count);
        lun__texts_part *list = realloc(t->parts, (size_t)room * sizeof *list);
        if (!list)
            return false;
        t->parts = list;
        t->room = room;
    }
    memory += LUN__TEXTS_MARGIN;
    for (int64_t k = 0; k < count; k++) {
        lun__texts_part p = parts[k];
        if (p.count == 0)
            continue;
        size_t ends = (size_t)p.levels * sizeof *p.ends, bytes = bytes_of(&p);
        if (p.codes)
            p.codes = copy(&memory, p.codes, (size_t)p.count * 2, codes_size(p.count));
        p.ends = copy(&memory, p.ends, ends, ends);
        p.bytes = copy(&memory, p.bytes, bytes, (bytes + 3) / 4 * 4);
        t->parts[t->count++] = p;
        t->rows = p.first + p.count;
    }
    return true;
}

int64_t lun__texts_find(const lun__texts *t, int64_t row, int64_t hint)
{
    const lun__texts_part *p = t->parts;
    if (hint < t->count && p[hint].first <= row && row < p[hint].first + p[hint].count)
        return hint;
    int64_t low = 0, high = t->count - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (p[middle].first <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void lun__texts_clear(lun__texts *t)
{
    free(t->parts);
    *t = (lun__texts){0};
}
