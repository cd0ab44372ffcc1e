/* read_package.c - a skeleton from the bytes of a package, of which nothing is believed: what is
 * not in its range, or is no function of elements, is refused. */
#include <stdlib.h>
#include <string.h>

#include "api/array/array.h"
#include "api/package/package.h"

typedef struct reader {
    lun_engine *e;
    lun_bytes *from;
    lun_strbuf *why;
    lun_answers answers;
} reader;

static lun_status refuse(const reader *r, const char *what)
{
    if (!r->why->length)
        lun__strbuf_puts(r->why, what);
    return LUN_EARG;
}

static lun_dtype take_dtype(lun_bytes *from)
{
    const unsigned t = lun__bytes_take_u8(from);
    from->bad = from->bad || t >= LUN_DTYPE_COUNT;
    return from->bad ? LUN_BOOL : (lun_dtype)t;
}

/* x, a number from low to high. */
static int within(lun_bytes *from, int64_t x, int low, int high)
{
    from->bad = from->bad || x < low || x > high;
    return from->bad ? low : (int)x;
}

/* ---- the skeleton ---------------------------------------------------------------------------- */

static lun_status take_first(reader *r, lun_array **out)
{
    const int which = within(r->from, lun__bytes_take_u8(r->from), LUN_FIRST_NONE, LUN_FIRST_TYPED);
    const lun_dtype t = take_dtype(r->from);
    const uint64_t cell = (uint64_t)lun__bytes_take_i64(r->from);
    if (which == LUN_FIRST_NONE || r->from->bad)
        return LUN_OK;
    const lun_value x = lun__dtype_cell_to_value(t, cell);
    uint64_t element = 0;
    if (which == LUN_FIRST_WEAK && lun__dtype_is_float(t))
        return lun_number(r->e, x.as.d, out);
    if (which == LUN_FIRST_WEAK && lun__dtype_is_signed(t))
        return lun_integer(r->e, x.as.i, out);
    if (which == LUN_FIRST_WEAK && lun__dtype_is_bool(t))
        return lun_boolean(r->e, x.as.u != 0, out);
    lun_element_set(t, x, &element);
    return lun_tensor(r->e, &element, 0, NULL, t, out);
}

static lun_status take_use(reader *r, lun_skeleton_use *u)
{
    u->kind = (lun_skeleton)lun__bytes_take_u8(r->from);
    const bool folds = u->kind == LUN_SKELETON_REDUCE || u->kind == LUN_SKELETON_SCAN;
    u->elements = within(r->from, lun__bytes_take_u8(r->from), 1, LUN_MOST_VALUES);
    u->keep = lun__bytes_take_u8(r->from) != 0;
    u->inclusive = lun__bytes_take_u8(r->from) != 0;
    u->axes = lun__bytes_take_count(r->from, 4);
    if (r->from->bad)
        return refuse(r, "it ends too early");
    if (!folds && u->kind != LUN_SKELETON_MAP && u->kind != LUN_SKELETON_ZIP)
        return refuse(r, "it has no map, zip, reduce or scan");
    if (u->axes > LUN_MAX_RANK || (u->axes > 1 && u->kind == LUN_SKELETON_SCAN))
        return refuse(r, "it has too many axes");
    for (int k = 0; k < u->axes; k++)
        u->axis[k] = lun__bytes_take_i32(r->from);
    const int firsts = lun__bytes_take_count(r->from, 10);
    if (firsts != (folds ? u->elements : 0))
        return refuse(r, "its first values are not as many as its elements");
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < firsts; k++)
        s = take_first(r, &u->id[k]);
    return s;
}

static lun_status take_outs(reader *r, lun_skeleton_use *u)
{
    u->outs = lun__bytes_take_count(r->from, 1);
    if (u->outs > LUN_MAX_OUTPUTS)
        return refuse(r, "it has too many results");
    for (int k = 0; k < u->outs; k++)
        u->out[k] = take_dtype(r->from);
    if (lun__bytes_take_u8(r->from))
        u->outs = u->outs == 1 ? -1 : 0;
    return LUN_OK;
}

/* ---- captured arrays ------------------------------------------------------------------------- */

static lun_status take_array(reader *r, lun_array **out)
{
    const lun_dtype t = take_dtype(r->from);
    int64_t shape[LUN_MAX_RANK], n = 1, bytes = 0;
    const int rank = within(r->from, lun__bytes_take_i32(r->from), 0, LUN_MAX_RANK);
    const int64_t size = lun_dtype_size(t);
    for (int k = 0; k < rank; k++) {
        shape[k] = lun__bytes_take_within(r->from, 0, LUN_PACKAGE_ARRAY);
        n = n > LUN_PACKAGE_ARRAY ? n : n * shape[k];
    }
    const void *elements = lun__bytes_take_bytes(r->from, &bytes);
    if (r->from->bad || n > LUN_PACKAGE_ARRAY || n * size != bytes)
        return refuse(r, "an array is not of its shape");
    return lun_tensor(r->e, elements, rank, shape, t, out);
}

static lun_status take_arrays(reader *r)
{
    lun_answers *a = &r->answers;
    const int count = lun__bytes_take_count(r->from, 10);
    lun_status s = LUN_OK;
    if (count > LUN_FRONT_ARRAYS)
        return refuse(r, "it has too many arrays");
    a->array = calloc((size_t)count + 1, sizeof *a->array);
    if (!a->array)
        return LUN_ENOMEM;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        s = take_array(r, &a->array[k]);
        a->arrays += s == LUN_OK;
    }
    return s;
}

/* ---- answers --------------------------------------------------------------------------------- */

static lun_status take_params(reader *r, lun_answer *a)
{
    a->params = lun__bytes_take_count(r->from, 2);
    if (a->params < 1 || a->params > LUN_MAX_OPERANDS)
        return refuse(r, "a function has too many parameters, or none");
    a->param = calloc((size_t)a->params, sizeof *a->param);
    for (int k = 0; a->param && k < a->params; k++) {
        a->param[k].dtype = take_dtype(r->from);
        a->param[k].weak = lun__bytes_take_u8(r->from) != 0;
    }
    return a->param ? LUN_OK : LUN_ENOMEM;
}

static lun_status take_captured(reader *r, lun_answer *a)
{
    a->scalars = lun__bytes_take_count(r->from, 9);
    if (a->scalars > LUN_FRONT_SCALARS)
        return refuse(r, "a function captures too many numbers");
    a->scalar = calloc((size_t)a->scalars + 1, sizeof *a->scalar);
    a->scalar_dtype = calloc((size_t)a->scalars + 1, sizeof *a->scalar_dtype);
    if (!a->scalar || !a->scalar_dtype)
        return LUN_ENOMEM;
    for (int k = 0; k < a->scalars; k++) {
        a->scalar_dtype[k] = (uint8_t)take_dtype(r->from);
        const uint64_t cell = (uint64_t)lun__bytes_take_i64(r->from);
        a->scalar[k] = lun__dtype_cell_to_value((lun_dtype)a->scalar_dtype[k], cell);
    }
    a->arrays = lun__bytes_take_count(r->from, 4);
    a->array = calloc((size_t)a->arrays + 1, sizeof *a->array);
    if (a->arrays > LUN_FRONT_ARRAYS || (r->answers.arrays == 0 && a->arrays > 0))
        return refuse(r, "a function captures arrays that are not there");
    for (int k = 0; a->array && k < a->arrays; k++)
        a->array[k] = within(r->from, lun__bytes_take_i32(r->from), 0, r->answers.arrays - 1);
    return a->array ? LUN_OK : LUN_ENOMEM;
}

/* The messages, and one more for indices. */
static lun_status take_notes(reader *r, lun_answer *a)
{
    static const char outside[] = "index outside of an array that the package has: %lld, from 0";
    bool nomem = false;
    const int count = lun__bytes_take_count(r->from, 1);
    a->note = calloc((size_t)count + 1, sizeof *a->note);
    if (!a->note)
        return LUN_ENOMEM;
    for (; a->notes < count && !nomem && !r->from->bad; a->notes++) {
        a->note[a->notes] = lun__bytes_take_text(r->from, &nomem);
        if (!a->note[a->notes] && !nomem)
            return refuse(r, "a message is missing");
    }
    if (nomem)
        return LUN_ENOMEM;
    if (r->from->bad)
        return refuse(r, "a message is missing");
    a->note[a->notes] = malloc(sizeof outside);
    if (!a->note[a->notes])
        return LUN_ENOMEM;
    memcpy(a->note[a->notes++], outside, sizeof outside);
    return LUN_OK;
}

static lun_dtype computed(const lun_array *a)
{
    return (lun_dtype)lun__dtype_get(lun_dtype_of(a))->compute;
}

/* Whether the body takes what it is given: elements, numbers, captured numbers, Scalars, arrays. */
static bool takes(const reader *r, const lun_answer *a, const lun_ir *body)
{
    int numbers = 0, arrays = 0;
    bool same = body->arg_count >= a->params + a->scalars;
    for (int k = 0; same && k < a->params; k++)
        same = body->args[k] == a->param[k].dtype || a->param[k].weak;
    for (int k = 0; same && k < a->scalars; k++)
        same = body->args[a->params + k] == a->scalar_dtype[k];
    for (int k = 0; same && k < a->arrays; k++) {
        const lun_array *x = r->answers.array[a->array[k]];
        int64_t shape[LUN_MAX_RANK];
        const int at = lun_shape(x, shape) > 0 ? arrays++ : -1;
        numbers += at < 0;
        same = at < 0 || (at < body->slot_count && body->slots[at].dtype == computed(x));
    }
    return same && body->arg_count == a->params + a->scalars + numbers &&
           body->slot_count == arrays;
}

static lun_status guard(reader *r, lun_answer *a)
{
    lun_ir_function *f = a->packed.own;
    int64_t sizes[LUN_FRONT_ARRAYS], shape[LUN_MAX_RANK];
    int arrays = 0;
    if (a->packed.count != 1 || !f->body || a->packed.ir.count || !takes(r, a, f->body))
        return refuse(r, "a function does not take what it is given");
    for (int k = 0; k < a->arrays; k++) {
        const lun_array *x = r->answers.array[a->array[k]];
        if (lun_shape(x, shape) > 0)
            sizes[arrays++] = lun_size(x);
    }
    return lun__guard_body(f, sizes, arrays, a->notes - 1, r->why);
}

static lun_status take_answer(reader *r, lun_answer *a)
{
    lun_status s = take_params(r, a);
    if (s == LUN_OK)
        s = take_captured(r, a);
    if (s == LUN_OK)
        s = take_notes(r, a);
    if (s == LUN_OK)
        s = lun__packed_ir_read(r->from, &a->packed, r->why);
    return s == LUN_OK ? guard(r, a) : s;
}

static lun_status take_answers(reader *r, lun_function **f)
{
    lun_answers *all = &r->answers;
    const int count = lun__bytes_take_count(r->from, 1);
    lun_status s = LUN_OK;
    if (count < 1 || count > LUN_PACKAGE_ANSWERS)
        return refuse(r, "it has no function, or too many");
    all->at = calloc((size_t)count, sizeof *all->at);
    if (!all->at)
        return LUN_ENOMEM;
    while (s == LUN_OK && all->count < count)
        s = take_answer(r, &all->at[all->count++]);
    return s == LUN_OK ? lun__answer_function_new(r->e, all, f) : s;
}

static bool reduces(lun_op op)
{
    lun_op_info info = {.size = sizeof info};
    return lun_op_describe(op, &info) && info.reduces;
}

static lun_status take_function(reader *r, const lun_skeleton_use *u, lun_function **f)
{
    const bool folds = u->kind == LUN_SKELETON_REDUCE || u->kind == LUN_SKELETON_SCAN;
    bool nomem = false;
    lun_op op;
    char *name = lun__bytes_take_text(r->from, &nomem);
    if (nomem)
        return LUN_ENOMEM;
    if (!name)
        return take_answers(r, f);
    const bool found = lun_op_find(name, folds ? 2 : u->elements, &op) && (!folds || reduces(op)) &&
                       (!folds || u->elements == 1);
    free(name);
    return found ? lun_function_op(r->e, op, f) : refuse(r, "its operation does not exist");
}

lun_status lun__read_package(lun_engine *e, lun_bytes *from, lun_package *p, lun_strbuf *why)
{
    reader r = {.e = e, .from = from, .why = why};
    lun_status s = take_use(&r, &p->use);
    if (s == LUN_OK)
        s = take_outs(&r, &p->use);
    if (s == LUN_OK)
        s = take_arrays(&r);
    if (s == LUN_OK)
        s = take_function(&r, &p->use, &p->use.f);
    if (from->bad || (s == LUN_OK && from->left))
        s = refuse(&r, "its parts are not of the length that it says");
    lun__answer_function_free(&r.answers);
    return s;
}
