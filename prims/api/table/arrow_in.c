/* arrow_in.c - Arrow's arrays that come in as columns: on their own memory where that is as the
 * engine has elements, else copied once, all batches together.
 *
 * Invariant: memory of an array that came in is read until the column on it has ended, and never
 * written (lun__make_imported); a list of batches is released by the last column on it. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/table/arrow_fill.h"
#include "api/table/arrow_in.h"
#include "api/text/text_array.h"
#include "lunarray_bind.h"
#include "store/pool.h"

void lun__arrow_in_end(lun_arrow_batches *b)
{
    if (!b || __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL))
        return;
    for (int k = 0; k < b->count && b->taken; k++)
        if (b->array[k].release)
            b->array[k].release(&b->array[k]);
    free(b->array);
    free(b);
}

static void end_column(void *data, void *batches)
{
    (void)data;
    lun__arrow_in_end(batches);
}

/* ---- pieces of a column ---------------------------------------------------------------------- */

/* A column that is being made: the pieces of all batches, without those of no rows. */
typedef struct column_in {
    lun_arrow_fill fill;
    lun_arrow_form form;
    lun_arrow_batches *batches;
    lun_arrow_piece *piece;
    int64_t pieces, rows, nulls;
} column_in;

/* The schema, form and pieces of a source; check finds what is wrong with them. */
static lun_status collect(lun_engine *e, const lun_arrow_source *from, column_in *c)
{
    const lun_arrow_batches *b = from->batches;
    const struct ArrowSchema *s = from->schema;
    bool is_signed;
    *c = (column_in){.fill = {.e = e, .name = from->name, .options = from->options},
                     .batches = from->batches,
                     .piece = calloc((size_t)b->count + 1, sizeof *c->piece)};
    if (!c->piece)
        return lun__fail_nomem(e);
    lun_status status = lun__arrow_form_read(e, s->dictionary ? s->dictionary : s, from->name,
                                             from->options, &c->form);
    if (status == LUN_OK && s->dictionary && !lun__arrow_form_codes(s->format, &is_signed))
        status = lun__fail(e, LUN_EDTYPE,
                           "column '%s': the codes of its dictionary are no integers", from->name);
    for (int k = 0; status == LUN_OK && k < b->count; k++) {
        const struct ArrowArray *outer = &b->array[k];
        const struct ArrowArray *a = from->child < 0 ? outer : outer->children[from->child];
        const int64_t offset = (a ? a->offset : 0) + (from->child < 0 ? 0 : outer->offset);
        const lun_arrow_piece p = {s, a, offset, outer->length};
        c->fill.row = c->rows;
        status = lun__arrow_fill_check(&c->fill, &c->form, &p);
        if (status != LUN_OK || !p.n)
            continue;
        c->piece[c->pieces++] = p;
        c->rows += p.n;
        c->nulls += lun__arrow_fill_nulls(&c->form, &p);
    }
    return status;
}

/* Dates of milliseconds, if all of them are whole days. */
static void decide_days(column_in *c)
{
    bool are = c->form.days;
    for (int64_t k = 0; are && k < c->pieces; k++)
        are = !c->piece[k].schema->dictionary && lun__arrow_fill_are_days(&c->piece[k]);
    c->form.days = are;
    if (are)
        c->form.dtype = LUN_DATE;
}

/* ---- on their own memory --------------------------------------------------------------------- */

/* Whether the slots of missing elements are blank already. */
static bool is_blank(const column_in *c, const char *slots)
{
    const lun_dtype t = lun__dtype_storage(c->form.dtype);
    const int size = (int)c->form.width;
    const uint8_t *bits = c->piece[0].array->buffers[0];
    char zero[16] = {0};
    bool blank = true;
    for (int64_t k = 0; blank && k < c->rows; k++) {
        const int64_t at = c->piece[0].from + k;
        const char *slot = slots + k * size;
        if (bits[at / 8] >> at % 8 & 1)
            continue;
        const lun_value x = lun_element_get(t, slot);
        blank = lun__dtype_is_float(t) ? x.as.d != x.as.d : !memcmp(slot, zero, (size_t)size);
    }
    return blank;
}

/* A Vector on the memory of the only piece; NULL in *out: it cannot be there. */
static lun_status wrap(lun_engine *e, column_in *c, lun_array **out)
{
    const lun_arrow_piece *p = c->piece;
    *out = NULL;
    if (c->pieces != 1 || c->form.way != LUN_ARROW_SAME || p->schema->dictionary)
        return LUN_OK;
    const char *slots = (const char *)p->array->buffers[1] + p->from * c->form.width;
    if ((uintptr_t)slots % (uintptr_t)c->form.width || (c->nulls && !is_blank(c, slots)))
        return LUN_OK;
    lun_status s = lun__make_imported(e, slots, c->rows, lun__dtype_storage(c->form.dtype),
                                      end_column, c->batches, out);
    if (s == LUN_OK)
        __atomic_add_fetch(&c->batches->refs, 1, __ATOMIC_RELAXED);
    return s;
}

/* ---- copied ---------------------------------------------------------------------------------- */

/* Slots of all pieces, one after the other, into memory for them and for the validity. */
static lun_status fill_all(column_in *c, char *slots, bool *valid)
{
    const int width = lun__arrow_fill_width(&c->form);
    lun_status s = LUN_OK;
    int64_t row = 0;
    c->nulls = 0;
    for (int64_t k = 0; s == LUN_OK && k < c->pieces; k++) {
        c->fill.row = row;
        s = lun__arrow_fill(&c->fill, &c->form, &c->piece[k], slots + row * width, valid + row);
        row += c->piece[k].n;
    }
    for (int64_t k = 0; s == LUN_OK && k < c->rows; k++)
        c->nulls += !valid[k];
    return s;
}

/* A Vector of n elements of a blank, which is given up. */
static lun_status of_blank(lun_engine *e, lun_blank *b, lun_dtype t, lun_array **out)
{
    lun_status s = lun_blank_vector(e, b, t, out);
    if (s != LUN_OK)
        lun_blank_drop(e, b);
    return s;
}

static lun_status copy(lun_engine *e, column_in *c, lun_array **slots, lun_array **valid)
{
    const bool is_text = lun_dtype_kind(c->form.dtype) == LUN_KIND_TEXT;
    const lun_dtype t =
        is_text ? lun__dtype_integer(LUN_KIND_UNSIGNED, 4) : lun__dtype_storage(c->form.dtype);
    lun_blank *blank[2] = {NULL, NULL};
    void *data, *there;
    lun_status s = is_text ? lun__text_pool_new(e, &c->fill.texts) : LUN_OK;
    if (s == LUN_OK)
        s = lun_blank_new(e, c->rows, lun__arrow_fill_width(&c->form), &blank[0], &data);
    if (s == LUN_OK)
        s = lun_blank_new(e, c->rows, 1, &blank[1], &there);
    if (s == LUN_OK)
        s = fill_all(c, data, there);
    if (s == LUN_OK) {
        s = of_blank(e, blank[0], t, slots);
        blank[0] = NULL;
    }
    if (s == LUN_OK && c->nulls) {
        s = of_blank(e, blank[1], LUN_BOOL, valid);
        blank[1] = NULL;
    }
    lun_blank_drop(e, blank[0]);
    lun_blank_drop(e, blank[1]);
    return s;
}

/* Codes in the narrowest dtype. */
static lun_status narrow(lun_engine *e, const column_in *c, lun_array **codes)
{
    lun_array *made;
    lun__pool_press(e->pool, lun__text_pool_bytes(c->fill.texts));
    lun_status s =
        lun_cast(e, *codes, lun__text_array_codes(lun__text_pool_count(c->fill.texts)), &made);
    if (s != LUN_OK)
        return s;
    lun_release(*codes);
    *codes = made;
    return lun_size(made) > 1 ? lun_eval(e, codes, 1) : LUN_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The array of slots and validity, in the form's dtype. */
static lun_status join(lun_engine *e, const column_in *c, lun_array *slots, lun_array *valid,
                       lun_array **out)
{
    lun_array *a, *none;
    if (c->fill.texts)
        return lun__text_array(e, slots, valid, c->fill.texts, out);
    lun_status s =
        valid ? lun_with_parts(e, slots, valid, &a) : lun_missing_parts(e, slots, &a, &none);
    if (s != LUN_OK)
        return s;
    a->logical = lun__dtype_is_logical(c->form.dtype) ? (uint8_t)c->form.dtype : 0;
    *out = a;
    return LUN_OK;
}

static lun_status make_column(lun_engine *e, column_in *c, lun_array **out)
{
    lun_array *slots = NULL, *valid = NULL;
    decide_days(c);
    lun_status s = wrap(e, c, &slots);
    if (s == LUN_OK && slots && c->nulls) {
        lun_blank *blank;
        void *there;
        s = lun_blank_new(e, c->rows, 1, &blank, &there);
        if (s == LUN_OK) {
            lun__arrow_fill_validity(c->piece, there);
            s = of_blank(e, blank, LUN_BOOL, &valid);
        }
    } else if (s == LUN_OK && !slots) {
        s = copy(e, c, &slots, &valid);
    }
    if (s == LUN_OK && c->fill.texts)
        s = narrow(e, c, &slots);
    if (s == LUN_OK)
        s = join(e, c, slots, valid, out);
    lun_release(slots);
    lun_release(valid);
    return s;
}

lun_status lun__arrow_in_column(lun_engine *e, const lun_arrow_source *from, lun_array **out)
{
    column_in c;
    lun_status s = collect(e, from, &c);
    if (s == LUN_OK)
        s = make_column(e, &c, out);
    lun__text_pool_release(c.fill.texts);
    free(c.piece);
    return s;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* LUN_EARG: a struct array is not as its schema says, or one of its rows is missing. */
static lun_status check_struct(lun_engine *e, const struct ArrowSchema *s,
                               const struct ArrowArray *a)
{
    const void *bits = a->n_buffers == 1 && a->buffers && a->null_count ? a->buffers[0] : NULL;
    if (a->n_children != s->n_children || (a->n_children && !a->children) || a->n_buffers > 1)
        return lun__fail(e, LUN_EARG, "the array is not as its schema says: %lld columns and %lld",
                         (long long)a->n_children, (long long)s->n_children);
    if (a->length < 0 || a->offset < 0 || a->offset > INT64_MAX / 32 - a->length)
        return lun__fail(e, LUN_EARG, "the length or offset of the array is negative");
    for (int64_t k = 0; bits && k < a->length; k++)
        if (!(((const uint8_t *)bits)[(a->offset + k) / 8] >> (a->offset + k) % 8 & 1))
            return lun__fail(e, LUN_EARG, "row %lld of the struct is missing as a whole",
                             (long long)k + 1);
    return LUN_OK;
}

static lun_status check_schema(lun_engine *e, const struct ArrowSchema *s)
{
    if (!s->format || strcmp(s->format, "+s"))
        return lun__fail(e, LUN_EDTYPE,
                         "a table comes in as a struct (+s), got '%.60s': lun_array_from_arrow "
                         "takes one column",
                         s->format ? s->format : "");
    bool good = s->n_children >= 0 && (!s->n_children || s->children);
    for (int64_t k = 0; good && k < s->n_children; k++)
        good = s->children[k];
    return good ? LUN_OK : lun__fail(e, LUN_EARG, "the schema has columns that are missing (NULL)");
}

/* Columns with their names, as they are made. */
typedef struct columns_in {
    char **names;
    lun_array **columns;
    int64_t count;
} columns_in;

static lun_status add_column(lun_engine *e, const struct ArrowSchema *s, lun_arrow_batches *b,
                             const lun_arrow_options *o, columns_in *to)
{
    const int64_t k = to->count;
    const struct ArrowSchema *child = s->children[k];
    if (!child->name || lun__utf8_valid(child->name, (int64_t)strlen(child->name)))
        to->names[k] = lun__table_name(child->name, k, to->names);
    else
        return lun__fail(e, LUN_EARG, "the name of column %lld is not UTF-8", (long long)k + 1);
    if (!to->names[k])
        return lun__fail_nomem(e);
    to->count++;
    const lun_arrow_source from = {child, to->names[k], b, k, o};
    return lun__arrow_in_column(e, &from, &to->columns[k]);
}

lun_status lun__arrow_in_table(lun_engine *e, const struct ArrowSchema *s, lun_arrow_batches *b,
                               const lun_arrow_options *o, lun_table **out)
{
    lun_status status = check_schema(e, s);
    for (int k = 0; status == LUN_OK && k < b->count; k++)
        status = check_struct(e, s, &b->array[k]);
    if (status != LUN_OK)
        return status;
    const size_t room = (size_t)s->n_children + 1;
    columns_in c = {calloc(room, sizeof *c.names), calloc(room, sizeof(lun_array *)), 0};
    status = c.names && c.columns ? LUN_OK : lun__fail_nomem(e);
    while (status == LUN_OK && c.count < s->n_children)
        status = add_column(e, s, b, o, &c);
    if (status == LUN_OK)
        status = lun_table_make(e, (const char *const *)c.names, c.columns, c.count, out);
    for (int64_t k = 0; k < c.count; k++) {
        lun_release(c.columns[k]);
        free(c.names[k]);
    }
    free(c.columns);
    free(c.names);
    return status;
}

/* ---- one array ------------------------------------------------------------------------------- */

/* What is made of a caller's schema and array, which are taken if that succeeds. */
typedef struct lun_arrow_target {
    lun_table **table;
    lun_array **column;
} lun_arrow_target;

static lun_status make_of_one(lun_engine *e, struct ArrowSchema *s, lun_arrow_batches *b,
                              const lun_arrow_target *to)
{
    const lun_arrow_options none = {.rows = 0};
    const lun_arrow_source from = {s, s->name && *s->name ? s->name : "value", b, -1, &none};
    return to->table ? lun__arrow_in_table(e, s, b, &none, to->table)
                     : lun__arrow_in_column(e, &from, to->column);
}

static lun_status take(lun_engine *e, struct ArrowSchema *s, struct ArrowArray *a,
                       const lun_arrow_target *to)
{
    if (!s->release || !a->release)
        return lun__fail(e, LUN_EARG, "the %s is released already: it can be taken once",
                         s->release ? "array" : "schema");
    lun_arrow_batches *b = calloc(1, sizeof *b);
    if (b)
        *b = (lun_arrow_batches){.refs = 1, .count = 1, .array = malloc(sizeof *b->array)};
    if (!b || !b->array) {
        free(b);
        return lun__fail_nomem(e);
    }
    b->array[0] = *a;
    lun_status status = make_of_one(e, s, b, to);
    if (status == LUN_OK) {
        a->release = NULL;
        s->release(s);
        b->taken = true;
    }
    lun__arrow_in_end(b);
    return status;
}

lun_status lun_from_arrow(lun_engine *e, struct ArrowSchema *s, struct ArrowArray *a,
                          lun_table **out)
{
    LUN_NEED(e, s && a && out);
    return take(e, s, a, &(lun_arrow_target){.table = out});
}

lun_status lun_array_from_arrow(lun_engine *e, struct ArrowSchema *s, struct ArrowArray *x,
                                lun_array **out)
{
    LUN_NEED(e, s && x && out);
    return take(e, s, x, &(lun_arrow_target){.column = out});
}
