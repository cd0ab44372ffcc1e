/* gather.c - see gather.h. */
#include "column/gather.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "csv/join_texts.h"

enum { TEXTS = 256 }; /* that are looked up together */

/* A column of all pieces. parts[k]: of piece pieces[k], in any order until it is settled. */
typedef struct column {
    char *name;
    uint32_t length, hash;
    int64_t wish, order; /* order: by which it appeared first */
    lun__csv_how how;
    lun__col_part **parts;
    int64_t *pieces;
    int64_t count, room;
    unsigned seen;
    bool missing;
    lun__csv_kind kind;
    lun__csv_dictionary *dictionaries; /* of texts: LUN__CSV_BUFFERS */
} column;

struct lun__col_gather {
    const lun__col_wishes *wishes;
    pthread_mutex_t lock;
    column *columns;
    int64_t width, width_room;
    uint32_t *found; /* of hash & mask: the number of a column, from 1 */
    uint32_t mask;
    lun__col_cells *pieces;
    unsigned char *owner; /* the buffer of each piece */
    int64_t count, room;
    int64_t rows; /* once it is settled */
};

lun__col_gather *lun__col_gather_new(const lun__col_wishes *wishes)
{
    lun__col_gather *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->wishes = wishes;
    pthread_mutex_init(&g->lock, NULL);
    return g;
}

static void end_texts(column *c)
{
    for (int b = 0; c->dictionaries && b < LUN__CSV_BUFFERS; b++)
        lun__csv_dictionary_end(&c->dictionaries[b]);
    free(c->dictionaries);
    c->dictionaries = NULL;
}

void lun__col_gather_end(lun__col_gather *g)
{
    if (!g)
        return;
    for (int64_t k = 0; k < g->width; k++) {
        end_texts(&g->columns[k]);
        free(g->columns[k].name);
        free(g->columns[k].parts);
        free(g->columns[k].pieces);
    }
    for (int64_t k = 0; k < g->count; k++)
        lun__col_cells_end(&g->pieces[k]);
    pthread_mutex_destroy(&g->lock);
    free(g->columns);
    free(g->found);
    free(g->pieces);
    free(g->owner);
    free(g);
}

bool lun__col_gather_room(lun__col_gather *g, int64_t count)
{
    if (count > g->room) {
        const int64_t room = count + count / 2;
        lun__col_cells *pieces = realloc(g->pieces, (size_t)room * sizeof *pieces);
        g->pieces = pieces ? pieces : g->pieces;
        unsigned char *owner = realloc(g->owner, (size_t)room + 1);
        g->owner = owner ? owner : g->owner;
        if (!pieces || !owner)
            return false;
        g->room = room;
    }
    for (; g->count < count; g->count++) {
        g->pieces[g->count] = (lun__col_cells){0};
        g->owner[g->count] = 0;
    }
    return true;
}

/* ---- a piece is added ------------------------------------------------------------------------ */

static bool more_columns(lun__col_gather *g)
{
    if (g->width < g->width_room)
        return true;
    const int64_t room = g->width_room ? 2 * g->width_room : 16;
    column *columns = realloc(g->columns, (size_t)room * sizeof *columns);
    g->columns = columns ? columns : g->columns;
    uint32_t *found = columns ? calloc(2 * (size_t)room, sizeof *found) : NULL;
    if (!found)
        return false;
    free(g->found);
    g->found = found;
    g->width_room = room;
    g->mask = (uint32_t)(2 * room - 1);
    for (int64_t k = 0; k < g->width; k++) {
        uint32_t at = columns[k].hash & g->mask;
        while (found[at])
            at = (at + 1) & g->mask;
        found[at] = (uint32_t)k + 1;
    }
    return true;
}

/* The column of a part; NULL: no memory. */
static column *column_of(lun__col_gather *g, const char *name, const lun__col_part *p)
{
    uint32_t at = p->hash & g->mask;
    for (; g->found && g->found[at]; at = (at + 1) & g->mask) {
        column *c = &g->columns[g->found[at] - 1];
        if (c->length == p->length && memcmp(c->name, name, p->length) == 0)
            return c;
    }
    if (!more_columns(g))
        return NULL;
    column *c = &g->columns[g->width];
    *c = (column){.length = p->length, .hash = p->hash, .wish = p->wish, .order = INT64_MAX};
    c->how = p->how;
    c->name = malloc((size_t)p->length + 1);
    if (!c->name)
        return NULL;
    memcpy(c->name, name, p->length);
    c->name[p->length] = '\0';
    for (at = p->hash & g->mask; g->found[at];)
        at = (at + 1) & g->mask;
    g->found[at] = (uint32_t)++g->width;
    return c;
}

static bool keep_part(column *c, lun__col_part *p, int64_t piece)
{
    if (c->count == c->room) {
        const int64_t room = c->room ? 2 * c->room : 8;
        lun__col_part **parts = realloc(c->parts, (size_t)room * sizeof(void *));
        c->parts = parts ? parts : c->parts;
        int64_t *pieces = realloc(c->pieces, (size_t)room * sizeof *pieces);
        c->pieces = pieces ? pieces : c->pieces;
        if (!parts || !pieces)
            return false;
        c->room = room;
    }
    c->parts[c->count] = p;
    c->pieces[c->count++] = piece;
    c->seen |= p->seen;
    return true;
}

static bool holds_texts(const lun__col_part *p)
{
    return p->how.forced ? p->how.kind == LUN__CSV_TEXT : p->since[LUN__COL_TEXTS] >= 0;
}

/* Gives the parts of a piece to their columns, under the lock. */
static lun__col_what join(lun__col_gather *g, int64_t number)
{
    lun__col_cells *cells = &g->pieces[number];
    for (int64_t k = 0; k < cells->count; k++) {
        lun__col_part *p = &cells->parts[k];
        if (p->left_out)
            continue;
        column *c = column_of(g, cells->names + p->name, p);
        if (!c || !keep_part(c, p, number))
            return LUN__COL_MEMORY;
        const int64_t order =
            p->wish >= 0 && g->wishes->only ? p->wish - g->wishes->count : (number << 20) + k;
        c->order = order < c->order ? order : c->order;
        p->column = c - g->columns;
        if (holds_texts(p) && !c->dictionaries)
            c->dictionaries = calloc(LUN__CSV_BUFFERS, sizeof *c->dictionaries);
        if (holds_texts(p) && !c->dictionaries)
            return LUN__COL_MEMORY;
        if (g->width > LUN__COL_MOST)
            return LUN__COL_WIDE;
    }
    return LUN__COL_FINE;
}

/* Makes codes of the texts of a part. */
static lun__col_what encode(const lun__col_cells *cells, lun__csv_dictionary *d, lun__col_part *p)
{
    lun__csv_text texts[TEXTS];
    uint32_t codes[TEXTS];
    bool gaps = false;
    const int64_t count = p->end - p->first;
    for (int64_t k = 0, some; k < count; k += some) {
        some = count - k < TEXTS ? count - k : TEXTS;
        for (int64_t i = 0; i < some; i++) {
            const uint64_t slot = p->slots[k + i];
            const bool gap = p->gaps && p->gaps[k + i];
            texts[i] = (lun__csv_text){gap ? NULL : cells->text + (slot >> 32), (uint32_t)slot};
        }
        if (!lun__csv_dictionary_add(d, texts, some, codes, &gaps))
            return lun__csv_dictionary_full(d) == LUN__CSV_MANY ? LUN__COL_MANY : LUN__COL_MEMORY;
        for (int64_t i = 0; i < some; i++)
            p->slots[k + i] = codes[i];
    }
    return LUN__COL_FINE;
}

bool lun__col_gather_add(lun__col_gather *g, int64_t number, int buffer, lun__col_cells *c,
                         lun__col_fault *fault)
{
    lun__col_cells *cells = &g->pieces[number];
    *cells = *c;
    *c = (lun__col_cells){0};
    g->owner[number] = (unsigned char)buffer;
    pthread_mutex_lock(&g->lock);
    lun__col_what what = join(g, number);
    pthread_mutex_unlock(&g->lock);
    for (int64_t k = 0; what == LUN__COL_FINE && k < cells->count; k++) {
        lun__col_part *p = &cells->parts[k];
        if (p->left_out || !holds_texts(p))
            continue;
        pthread_mutex_lock(&g->lock); /* the list of columns moves */
        lun__csv_dictionary *d = &g->columns[p->column].dictionaries[buffer];
        pthread_mutex_unlock(&g->lock);
        what = encode(cells, d, p);
    }
    cells->text = NULL;
    if (what)
        *fault = (lun__col_fault){.what = what};
    return what == LUN__COL_FINE;
}

static int64_t bytes_of_texts(const column *c)
{
    int64_t bytes = 0;
    for (int b = 0; c->dictionaries && b < LUN__CSV_BUFFERS; b++)
        bytes += lun__csv_dictionary_bytes(&c->dictionaries[b]);
    return bytes;
}

int64_t lun__col_gather_bytes(lun__col_gather *g)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < g->count; k++)
        bytes += lun__col_cells_bytes(&g->pieces[k]);
    for (int64_t k = 0; k < g->width; k++)
        bytes += bytes_of_texts(&g->columns[k]);
    return bytes;
}

int64_t lun__col_gather_rows(const lun__col_gather *g)
{
    int64_t rows = 0;
    for (int64_t k = 0; k < g->count; k++)
        rows += g->pieces[k].rows;
    return rows;
}

/* ---- columns are settled --------------------------------------------------------------------- */

static int by_order(const void *a, const void *b)
{
    const column *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* The parts of a column in the order of the pieces. */
static bool sort_parts(const lun__col_gather *g, column *c, lun__col_part **by_piece)
{
    for (int64_t k = 0; k < c->count; k++)
        by_piece[c->pieces[k]] = c->parts[k];
    int64_t n = 0;
    for (int64_t k = 0; k < g->count && n < c->count; k++) {
        if (!by_piece[k])
            continue;
        c->parts[n] = by_piece[k];
        c->pieces[n++] = k;
        by_piece[k] = NULL;
    }
    return true;
}

/* A fault of a column, unless an earlier one is known. */
static void blame(const lun__col_gather *g, const column *c, int64_t k, lun__col_what what,
                  int64_t at, int64_t *number, lun__col_fault *fault)
{
    const int64_t piece = c->pieces[k];
    if (fault->what && (*number < piece || (*number == piece && fault->at <= at)))
        return;
    const lun__col_cells *cells = &g->pieces[piece];
    *number = piece;
    lun__col_cells_blame(cells, c->parts[k] - cells->parts, what, at, fault);
}

/* Finds values of another class than those before them. */
static void check_classes(const lun__col_gather *g, const column *c, int64_t *number,
                          lun__col_fault *fault)
{
    int class = -1;
    for (int64_t k = 0; k < c->count; k++)
        for (int is = 0; is < LUN__COL_CLASSES; is++) {
            const int64_t at = c->parts[k]->since[is];
            if (at < 0 || class == is)
                continue;
            if (class >= 0) {
                blame(g, c, k, LUN__COL_CLASS, at, number, fault);
                if (fault->at == at && fault->what == LUN__COL_CLASS) {
                    fault->was = (lun__col_class) class;
                    fault->is = (lun__col_class)is;
                }
                return;
            }
            class = is;
        }
}

/* Finds integers that the dtype of the column does not hold. */
static void check_integers(const lun__col_gather *g, const column *c, int64_t *number,
                           lun__col_fault *fault)
{
    const bool floats = c->seen & LUN__CSV_FLOATS;
    const bool mixed = c->seen & LUN__CSV_BEYOND && c->seen & LUN__CSV_SIGNS;
    for (int64_t k = 0; k < c->count && (floats || mixed); k++) {
        const lun__col_part *p = c->parts[k];
        if (floats && p->large >= 0)
            blame(g, c, k, LUN__COL_ROUNDED, p->large, number, fault);
        else if (!floats && p->beyond >= 0)
            blame(g, c, k, LUN__COL_MIXED, p->beyond, number, fault);
        else
            continue;
        return;
    }
}

static lun__csv_kind kind_of(const column *c)
{
    if (c->how.forced)
        return c->how.kind;
    return c->seen & LUN__CSV_OTHERS   ? LUN__CSV_TEXT
           : c->seen & LUN__CSV_BOOLS  ? LUN__CSV_BOOL
           : c->seen & LUN__CSV_FLOATS ? LUN__CSV_F64
           : c->seen & LUN__CSV_BEYOND ? LUN__CSV_U64
           : c->seen & LUN__CSV_INTS   ? LUN__CSV_I64
                                       : LUN__CSV_F64;
}

/* Whether some rows of the column are missing. */
static bool has_gaps(const lun__col_gather *g, const column *c)
{
    int64_t covered = 0;
    for (int64_t k = 0; k < c->count; k++)
        covered += c->parts[k]->end - c->parts[k]->first;
    return c->seen & LUN__CSV_HOLES || covered < g->rows;
}

bool lun__col_gather_settle(lun__col_gather *g, const lun__csv_services *s, bool whole,
                            int64_t *number, lun__col_fault *fault)
{
    lun__col_part **by_piece = calloc((size_t)g->count + 1, sizeof(void *));
    *fault = (lun__col_fault){.what = by_piece ? LUN__COL_FINE : LUN__COL_MEMORY};
    if (!by_piece)
        return false;
    int64_t row = 0;
    for (int64_t k = 0; k < g->count; k++) {
        g->pieces[k].base = row;
        row += g->pieces[k].rows;
    }
    g->rows = row;
    if (g->width)
        qsort(g->columns, (size_t)g->width, sizeof *g->columns, by_order);
    free(g->found); /* they moved */
    g->found = NULL;
    for (int64_t k = 0; k < g->width; k++) {
        column *c = &g->columns[k];
        sort_parts(g, c, by_piece);
        check_classes(g, c, number, fault);
        c->kind = kind_of(c);
        c->missing = has_gaps(g, c);
        if (c->how.forced && c->kind == LUN__CSV_STAMP && c->seen & LUN__CSV_STAMPS &&
            c->seen & LUN__CSV_ZONED)
            blame(g, c, 0, LUN__COL_OFFSETS, 0, number, fault);
    }
    free(by_piece);
    const bool found = fault->what != LUN__COL_FINE;
    for (int64_t k = 0; whole && !found && k < g->width; k++) /* columns that are of one class */
        check_integers(g, &g->columns[k], number, fault);
    if (!fault->what && s->stop(s->ctx))
        fault->what = LUN__COL_REFUSED;
    return fault->what == LUN__COL_FINE;
}

int64_t lun__col_gather_width(const lun__col_gather *g)
{
    return g->width;
}

const char *lun__col_gather_name(const lun__col_gather *g, int64_t k, size_t *length)
{
    *length = g->columns[k].length;
    return g->columns[k].name;
}

int64_t lun__col_gather_wish(const lun__col_gather *g, int64_t k)
{
    return g->columns[k].wish;
}

/* ---- columns are made ------------------------------------------------------------------------ */

/* The slots of a column written as its elements. */
typedef struct filling {
    const lun__col_gather *g;
    const column *c;
    lun__csv_kind kind;
    char *memory;
    unsigned char *valid;
    int64_t *times[LUN__CSV_BUFFERS]; /* of codes of dates, by dictionary; or NULL */
} filling;

/* Rows first .. last - 1 are missing. */
static void leave_out(const filling *f, int64_t first, int64_t last)
{
    const int64_t bytes = lun__csv_kind_bytes(f->kind);
    const double nothing = NAN;
    if (last <= first)
        return;
    if (f->valid)
        memset(f->valid + first, 0, (size_t)(last - first));
    memset(f->memory + first * bytes, 0, (size_t)((last - first) * bytes));
    for (int64_t row = first; f->kind == LUN__CSV_F64 && row < last; row++)
        memcpy(f->memory + row * 8, &nothing, 8);
}

/* The element in a slot. */
static inline uint64_t element(const filling *f, const lun__col_part *p, uint64_t slot,
                               const int64_t *times)
{
    if (times)
        return (uint64_t)times[slot];
    if (f->kind != LUN__CSV_F64 || p->real)
        return slot;
    const double x = (double)(int64_t)slot;
    memcpy(&slot, &x, sizeof slot);
    return slot;
}

static void store(const filling *f, const lun__col_part *p, int64_t row, const int64_t *times)
{
    const int64_t bytes = lun__csv_kind_bytes(f->kind);
    char *to = f->memory + row * bytes;
    for (int64_t k = 0; k < p->end - p->first; k++, to += bytes) {
        if (p->gaps && p->gaps[k]) {
            leave_out(f, row + k, row + k + 1);
            continue;
        }
        const uint64_t x = element(f, p, p->slots[k], times);
        if (bytes == 8) {
            memcpy(to, &x, 8);
        } else if (bytes == 4) {
            const uint32_t low = (uint32_t)x;
            memcpy(to, &low, 4);
        } else {
            *to = (char)x;
        }
        if (f->valid)
            f->valid[row + k] = 1;
    }
}

/* Part k of the column, and what is missing before it, or behind the last one. */
static void fill_part(void *of, int64_t k)
{
    const filling *f = of;
    const column *c = f->c;
    const lun__col_gather *g = f->g;
    int64_t before = 0, here = g->rows;
    if (k > 0)
        before = g->pieces[c->pieces[k - 1]].base + c->parts[k - 1]->end;
    if (k < c->count)
        here = g->pieces[c->pieces[k]].base + c->parts[k]->first;
    leave_out(f, before, here);
    if (k < c->count)
        store(f, c->parts[k], here, f->times[g->owner[c->pieces[k]]]);
}

/* What all texts of a column are: by ISO 8601 dates, or times with an offset or without. */
static lun__csv_sort texts_sort(const column *c)
{
    lun__csv_sort all = LUN__CSV_IS_EMPTY;
    for (int b = 0; b < LUN__CSV_BUFFERS; b++) {
        const lun_text_made *v = &c->dictionaries[b].values;
        for (int64_t k = 0; k < v->count; k++) {
            const lun_string s = lun__csv_dictionary_text(&c->dictionaries[b], k);
            const lun__csv_sort one = lun__csv_column_sort_of(s.data, s.data + s.length);
            const bool bare = s.length && s.data[0] > ' ' && s.data[s.length - 1] > ' ';
            if (one == LUN__CSV_IS_TEXT || !bare || (all != LUN__CSV_IS_EMPTY && all != one))
                return LUN__CSV_IS_TEXT;
            all = one;
        }
    }
    return all;
}

/* The times that the texts of a column are, by code. */
static bool read_times(filling *f)
{
    const lun_dtype t = f->kind == LUN__CSV_DATE ? LUN_DATE : LUN_TIMESTAMP;
    for (int b = 0; b < LUN__CSV_BUFFERS; b++) {
        const lun__csv_dictionary *d = &f->c->dictionaries[b];
        bool zoned;
        if (!d->values.count)
            continue;
        f->times[b] = calloc((size_t)d->values.count + 1, sizeof(int64_t));
        if (!f->times[b])
            return false;
        for (int64_t k = 0; k < d->values.count; k++)
            (void)lun_time_scan(t, NULL, lun__csv_dictionary_text(d, k), &f->times[b][k + 1],
                                &zoned);
    }
    return true;
}

static bool fail(lun__col_fault *fault, lun__col_what what)
{
    *fault = (lun__col_fault){.what = what};
    return false;
}

/* Gives the memory of a column's slots back: how many bytes. */
static int64_t drop_parts(column *c)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < c->count; k++) {
        bytes += c->parts[k]->room * (c->parts[k]->gaps ? 9 : 8);
        free(c->parts[k]->slots);
        free(c->parts[k]->gaps);
        c->parts[k]->slots = NULL;
        c->parts[k]->gaps = NULL;
        c->parts[k]->room = 0;
    }
    return bytes;
}

/* Column k, whose elements are no texts. */
static bool make_plain(filling *f, const lun__csv_services *s, int64_t k, lun__col_fault *fault)
{
    const int64_t rows = f->g->rows;
    void *memory = NULL, *valid = NULL;
    bool ok = s->column(s->ctx, k, f->kind, rows, &memory) &&
              (!f->c->missing || s->validity(s->ctx, k, rows, &valid));
    if (!ok)
        return fail(fault, LUN__COL_REFUSED);
    f->memory = memory;
    f->valid = valid;
    if (f->c->dictionaries && !read_times(f))
        ok = fail(fault, LUN__COL_MEMORY);
    if (ok)
        s->share(s->ctx, f->c->count + 1, f, fill_part);
    for (int b = 0; b < LUN__CSV_BUFFERS; b++)
        free(f->times[b]);
    return ok;
}

/* Column k of texts. */
static bool make_texts(filling *f, const lun__csv_services *s, int64_t k, lun__col_fault *fault)
{
    const lun__col_gather *g = f->g;
    void *memory = NULL;
    lun__csv_fault wrong = {0};
    lun__csv_cut *cuts = calloc((size_t)g->count + 1, sizeof *cuts);
    if (!cuts)
        return fail(fault, LUN__COL_MEMORY);
    for (int64_t i = 0; i < g->count; i++)
        cuts[i].row = g->pieces[i].base;
    cuts[g->count].row = g->rows;
    bool ok = s->column(s->ctx, k, LUN__CSV_TEXT, cuts[g->count].row, &memory);
    if (ok) {
        f->memory = memory;
        s->share(s->ctx, f->c->count + 1, f, fill_part);
        const lun__csv_coded coded = {.dictionaries = f->c->dictionaries,
                                      .owner = g->owner,
                                      .cuts = cuts,
                                      .pieces = g->count,
                                      .codes = memory,
                                      .missing = f->c->missing};
        ok = lun__csv_join_texts(s, k, &coded, &wrong);
    }
    free(cuts);
    return ok || fail(fault, wrong.what == LUN__CSV_MANY     ? LUN__COL_MANY
                             : wrong.what == LUN__CSV_MEMORY ? LUN__COL_MEMORY
                                                             : LUN__COL_REFUSED);
}

bool lun__col_gather_finish(lun__col_gather *g, const lun__csv_services *s, lun__csv_wanted *wanted,
                            lun__col_fault *fault)
{
    int64_t held = lun__col_gather_bytes(g);
    bool ok = true;
    for (int64_t k = 0; ok && k < g->width; k++) {
        column *c = &g->columns[k];
        const int64_t texts = bytes_of_texts(c);
        if (c->kind == LUN__CSV_TEXT && !c->dictionaries)
            c->dictionaries = calloc(LUN__CSV_BUFFERS, sizeof *c->dictionaries);
        if (c->kind == LUN__CSV_TEXT && !c->dictionaries)
            return fail(fault, LUN__COL_MEMORY);
        if (c->kind == LUN__CSV_TEXT && !c->how.forced && !c->how.undated) {
            const lun__csv_sort sort = texts_sort(c);
            c->kind = sort == LUN__CSV_IS_DATE                                 ? LUN__CSV_DATE
                      : sort == LUN__CSV_IS_STAMP || sort == LUN__CSV_IS_ZONED ? LUN__CSV_STAMP
                                                                               : LUN__CSV_TEXT;
        }
        filling f = {.g = g, .c = c, .kind = c->kind};
        ok = c->kind == LUN__CSV_TEXT ? make_texts(&f, s, k, fault) : make_plain(&f, s, k, fault);
        held -= drop_parts(c) + texts;
        end_texts(c);
        wanted[k].kind = c->kind;
        wanted[k].missing = c->missing;
        if (ok && !s->memory(s->ctx, held))
            ok = fail(fault, LUN__COL_REFUSED);
        if (ok && s->stop(s->ctx))
            ok = fail(fault, LUN__COL_REFUSED);
    }
    return ok;
}
