/* write_package.c - a skeleton with its recorded answers as bytes; the format is package.h's. */
#include <stdlib.h>

#include "api/array/array.h"
#include "api/package/package.h"
#include "base/crc.h"

static uint32_t add_name(uint32_t crc, const char *name)
{
    return lun__crc32(crc, name, (int64_t)strlen(name) + 1);
}

uint32_t lun__write_package_names(void)
{
    uint32_t crc = 0;
    for (int k = 0; k < LUN_OP_COUNT; k++)
        crc = add_name(crc, lun__op_get((lun_op)k)->name);
    for (int k = 0; k < LUN_IR_KIND_COUNT; k++)
        crc = add_name(crc, lun__ir_row(k)->text);
    for (int k = 0; k < LUN_DTYPE_COUNT; k++)
        crc = add_name(crc, lun_dtype_name((lun_dtype)k));
    return crc;
}

/* A number that is the first value of a fold: a script's takes the dtype of the elements. */
static lun_status put_first(lun_engine *e, lun_array *id, lun_strbuf *to)
{
    lun_value x = {.dtype = LUN_I64};
    const lun_status s = id ? lun_get(e, id, 0, &x) : LUN_OK;
    const lun_dtype t = id && !id->weak ? lun_dtype_of(id) : x.dtype;
    lun__bytes_put_u8(to, !id ? LUN_FIRST_NONE : id->weak ? LUN_FIRST_WEAK : LUN_FIRST_TYPED);
    lun__bytes_put_u8(to, t);
    lun__bytes_put_i64(to, (int64_t)lun__dtype_cell_from_value(t, x));
    return s;
}

static lun_status put_array(lun_engine *e, lun_array *a, lun_strbuf *to)
{
    int64_t shape[LUN_MAX_RANK], bytes = 0;
    const int rank = lun_shape(a, shape);
    const lun_dtype t = lun_dtype_of(a);
    if (lun_has_missing(a))
        return lun__fail(e, LUN_EARG, "a captured array has missing elements: it is not packed");
    if (t >= LUN_DTYPE_COUNT)
        return lun__fail(e, LUN_EDTYPE, "a captured array is of %s: it is not packed",
                         lun_dtype_name(t));
    const int64_t n = lun_size(a), size = lun_dtype_size(t);
    if (n > LUN_PACKAGE_ARRAY / size)
        return lun__fail(e, LUN_ELIMIT,
                         "a captured array has %lld bytes, at most %d are packed: pass it as an "
                         "argument, or load it where the package is used",
                         (long long)n * size, LUN_PACKAGE_ARRAY);
    bytes = n * size;
    void *elements = malloc((size_t)bytes + 1);
    if (!elements)
        return lun__fail_nomem(e);
    const lun_status s = lun_read(e, a, elements, 0, n);
    lun__bytes_put_u8(to, t);
    lun__bytes_put_i32(to, rank);
    for (int k = 0; k < rank; k++)
        lun__bytes_put_i64(to, shape[k]);
    lun__bytes_put_bytes(to, elements, bytes);
    free(elements);
    return s;
}

static void put_answers(const lun_recording *r, lun_strbuf *to)
{
    lun_bytes at = {r->answers.text, (int64_t)r->answers.length, false};
    lun__bytes_put_i32(to, r->count);
    for (int k = 0; k < r->count; k++) {
        int64_t length = 0;
        const char *bytes = lun__bytes_take_bytes(&at, &length);
        lun__strbuf_add(to, bytes, (size_t)length);
    }
}

lun_status lun__write_package(lun_engine *e, const lun_skeleton_use *u, const lun_recording *r,
                              lun_strbuf *to)
{
    const bool folds = u->kind == LUN_SKELETON_REDUCE || u->kind == LUN_SKELETON_SCAN;
    const bool named = u->f->op < LUN_OP_COUNT;
    lun_status s = LUN_OK;
    lun__bytes_put_u8(to, u->kind);
    lun__bytes_put_u8(to, (unsigned)u->elements);
    lun__bytes_put_u8(to, u->keep);
    lun__bytes_put_u8(to, u->inclusive);
    lun__bytes_put_i32(to, u->axes);
    for (int k = 0; k < u->axes; k++)
        lun__bytes_put_i32(to, u->axis[k]);
    lun__bytes_put_i32(to, folds ? u->elements : 0);
    for (int k = 0; s == LUN_OK && folds && k < u->elements; k++)
        s = put_first(e, u->id[k], to);
    lun__bytes_put_i32(to, u->outs < 0 ? 1 : u->outs);
    for (int k = 0; k < (u->outs < 0 ? 1 : u->outs); k++)
        lun__bytes_put_u8(to, u->out[k]);
    lun__bytes_put_u8(to, u->outs < 0);
    lun__bytes_put_i32(to, r->arrays);
    for (int k = 0; s == LUN_OK && k < r->arrays; k++)
        s = put_array(e, r->array[k], to);
    lun__bytes_put_text(to, named ? lun__op_get(u->f->op)->name : NULL);
    if (!named)
        put_answers(r, to);
    return s == LUN_OK && to->failed ? lun__fail_nomem(e) : s;
}
