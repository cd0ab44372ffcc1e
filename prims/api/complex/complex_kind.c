/* complex_kind.c - complex arrays beside others, cast, written into, read: what the kind COMPLEX
 * does. */
#include "api/complex/complex_array.h"

#include <stdlib.h>
#include <string.h>

/* The dtype of the parts of all: of real arrays what their elements become. */
static lun_dtype meeting(lun_array *const *all, int count)
{
    lun_dtype part = LUN_F32;
    for (int k = 0; k < count; k++) {
        const lun_dtype t = lun_dtype_of(all[k]);
        if (!lun_is_weak(all[k]) && lun__dtype_is_double(lun__dtype_storage(t)))
            part = LUN_F64;
    }
    return part;
}

static lun_status alike(lun_engine *e, lun_array *const *all, int count, lun_alike *out)
{
    const lun_dtype part = meeting(all, count);
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        lun_array *re, *im;
        s = lun__complex_array_as(e, all[k], part, &re, &im);
        if (s != LUN_OK)
            break;
        lun_release(out->slots[k]);
        lun_release(out->valid[k]);
        out->slots[k] = re;
        out->valid[k] = im;
    }
    return s == LUN_OK ? lun__validity_pair(e, out->slots[0], out->valid[0], &out->prototype) : s;
}

/* LUN_EDTYPE: elements of a do not fit the dtype. */
static lun_status misfit(lun_engine *e, const lun_array *a, lun_dtype t)
{
    char text[96];
    if (lun__array_is_complex(a))
        return lun__fail(e, LUN_EDTYPE,
                         "a complex array does not fit %s: take real(), imag() or abs()",
                         lun_dtype_name(t));
    return lun__fail(e, LUN_EDTYPE, "%s has no complex elements", lun__array_describe(a, text));
}

static lun_status adopt(lun_engine *e, lun_array *target, lun_array *source, lun_array **slots,
                        lun_array **valid)
{
    const bool numbers = !lun__array_logical(source) || lun__array_is_complex(source);
    if (!lun__array_is_complex(target) || !numbers)
        return misfit(e, source, lun_dtype_of(target));
    return lun__complex_array_as(e, source, lun_complex_part(lun_dtype_of(target)), slots, valid);
}

static lun_status cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    lun_array *re, *im;
    const bool numbers = !lun__array_logical(a) || lun__array_is_complex(a);
    if (lun_dtype_kind(t) != LUN_KIND_COMPLEX || !numbers)
        return misfit(e, a, t);
    lun_status s = lun__complex_array_as(e, a, lun_complex_part(t), &re, &im);
    if (s != LUN_OK)
        return s;
    s = lun__validity_pair(e, re, im, out);
    lun_release(re);
    lun_release(im);
    return s;
}

/* count elements of `size` bytes, each between two others. */
static void interleave(char *to, const char *re, const char *im, size_t size, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        memcpy(to + 2 * (size_t)i * size, re + (size_t)i * size, size);
        memcpy(to + (2 * (size_t)i + 1) * size, im + (size_t)i * size, size);
    }
}

static lun_status read(lun_engine *e, lun_array *a, void *host, int64_t first, int64_t count)
{
    enum { PIECE = 4096 }; /* elements at a time */
    lun_array *parts[2] = {NULL, NULL};
    const size_t size = (size_t)lun_dtype_size(lun_complex_part(lun_dtype_of(a)));
    char *buffer = malloc(2 * PIECE * size);
    lun_status s = buffer ? LUN_OK : lun__fail_nomem(e);
    if (s == LUN_OK && count)
        s = lun_eval(e, &a, 1);
    if (s == LUN_OK)
        s = lun__validity_parts(e, a, false, &parts[0], &parts[1]);
    if (s == LUN_OK && !count)
        s = lun_read(e, parts[0], host, first, 0);
    for (int64_t at = 0; s == LUN_OK && at < count; at += PIECE) {
        const int64_t n = count - at < PIECE ? count - at : PIECE;
        s = lun_read(e, parts[0], buffer, first + at, n);
        if (s == LUN_OK)
            s = lun_read(e, parts[1], buffer + PIECE * size, first + at, n);
        if (s == LUN_OK)
            interleave((char *)host + 2 * (size_t)at * size, buffer, buffer + PIECE * size, size,
                       n);
    }
    lun_release(parts[0]);
    lun_release(parts[1]);
    free(buffer);
    return s;
}

const lun_logical_kind lun__complex_kind = {.alike = alike,
                                            .adopt = adopt,
                                            .cast = cast,
                                            .compute = lun__complex_compute,
                                            .reduce = lun__complex_reduce,
                                            .fold = lun__complex_fold,
                                            .tensor = lun__complex_write_tensor,
                                            .full = lun__complex_write_full,
                                            .write = lun__complex_write_pairs,
                                            .number = lun__complex_write_number,
                                            .read = read,
                                            .matmul = lun__complex_reduce_matmul,
                                            .planes = lun__complex_planes,
                                            .of_planes = lun__complex_planes_joined};
