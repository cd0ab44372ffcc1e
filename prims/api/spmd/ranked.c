/* ranked.c - arrays of all ranks combined in rank order, by the pair tree: neighbours, then the
 * results of neighbours; the last one alone goes up as it is. Knows no transport. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/spmd/ranked.h"
#include "lunarray_bind.h"

enum {
    LONGEST = 64 + 21 * LUN_MAX_RANK, /* of a dtype and a shape in words */
    LARGE = 64 << 10                  /* bytes from which arrays are combined in blocks */
};

/* What all ranks must agree on besides the operation: "f64[3,4]". */
static void say_kind(const lun_array *x, char *out)
{
    int64_t shape[LUN_MAX_RANK];
    int rank = lun_shape(x, shape),
        at = snprintf(out, LONGEST, "%s[", lun_dtype_name(lun_dtype_of(x)));
    for (int i = 0; i < rank; i++)
        at += snprintf(out + at, (size_t)(LONGEST - at), i ? ",%lld" : "%lld", (long long)shape[i]);
    snprintf(out + at, (size_t)(LONGEST - at), "]");
}

/* The arrays of ranks first to last from the bytes of all, one after the other. */
static lun_status unpack(lun_engine *e, const lun_array *like, const char *bytes, int64_t count,
                         int ranks, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    int rank = lun_shape(like, shape);
    for (int i = 0; i < ranks; i++) {
        lun_status s = lun_tensor(e, bytes + i * count, rank, shape, lun_dtype_of(like), &out[i]);
        if (s != LUN_OK)
            return s;
    }
    return LUN_OK;
}

static lun_status check_op(lun_engine *e, lun_op op, const lun_array *x)
{
    static const lun_op associative[] = {LUN_OP_ADD,  LUN_OP_MUL,  LUN_OP_BAND, LUN_OP_BOR,
                                         LUN_OP_BXOR, LUN_OP_MIN,  LUN_OP_MAX,  LUN_OP_FMIN,
                                         LUN_OP_FMAX, LUN_OP_LAND, LUN_OP_LOR};
    for (size_t i = 0; i < sizeof associative / sizeof associative[0]; i++)
        if (associative[i] == op)
            return x ? LUN_OK : lun__fail(e, LUN_EARG, "an array is missing");
    return lun__fail(
        e, LUN_EARG,
        "ranks combine by ADD, MUL, BAND, BOR, BXOR, MIN, MAX, FMIN, FMAX, LAND or LOR");
}

/* The words of the agreement of a call by op. */
static lun_said say(lun_op op, const char *call, const lun_array *x, char kind[LONGEST],
                    char doing[LONGEST + 32], char options[64])
{
    say_kind(x, kind);
    snprintf(doing, LONGEST + 32, "%s %s", op == LUN_OP_ADD ? "sums" : "reduces", kind);
    snprintf(options, 64, "%s %d", call, (int)op);
    return (lun_said){sizeof(lun_said), doing, op == LUN_OP_ADD ? "a sum" : "a reduction", options};
}

/* A reduction or scan by op: gathers x of all ranks and combines the first `take` of them. take 0:
 * *out is NULL. */
static lun_status combine(lun_engine *e, const char *call, lun_op op, lun_array *x, int take,
                          lun_array **out)
{
    char kind[LONGEST], doing[LONGEST + 32], options[64];
    int npes = lun_spmd_npes(e);
    int64_t *counts = NULL, size = lun_dtype_size(lun_dtype_of(x)), n = lun_size(x);
    void *bytes = NULL, *own = n > INT64_MAX / size ? NULL : malloc((size_t)(n * size) + 1);
    lun_status s = own ? lun_read(e, x, own, 0, n) : lun__fail_nomem(e);
    const lun_said said = say(op, call, x, kind, doing, options);
    if (s == LUN_OK)
        s = lun_spmd_gather_said(e, &said, own, n * size, &counts, &bytes);
    free(own);
    if (s != LUN_OK)
        return s;
    lun_array **list = calloc((size_t)npes, sizeof *list);
    s = list ? unpack(e, x, bytes, n * size, take, list) : lun__fail_nomem(e);
    if (s == LUN_OK)
        s = lun__reduce_blocks_fold(e, op, list, take);
    if (s == LUN_OK) {
        *out = list[0];
        list[0] = NULL;
    }
    for (int i = 0; list && i < npes; i++)
        lun_release(list[i]);
    free(list);
    free(counts);
    free(bytes);
    return s;
}

/* Whether *is the dtype of op of two such arrays is theirs. */
static lun_status keeps_dtype(lun_engine *e, lun_op op, lun_array *x, bool *is)
{
    lun_array *both = NULL;
    const lun_status s = lun_apply(e, op, (lun_array *[]){x, x}, 2, &both);
    *is = s == LUN_OK && lun_dtype_of(both) == lun_dtype_of(x);
    lun_release(both);
    return s;
}

lun_status lun_spmd_allreduce(lun_engine *e, lun_op op, lun_array *x, lun_array **out)
{
    LUN_NEED(e, out);
    char kind[LONGEST], doing[LONGEST + 32], options[64];
    bool keeps = false;
    lun_status s = check_op(e, op, x);
    if (s == LUN_OK)
        s = lun_measure(e, x);
    if (s != LUN_OK)
        return s;
    const int64_t bytes = lun_size(x) * lun_dtype_size(lun_dtype_of(x));
    if (bytes >= LARGE && lun_spmd_npes(e) > 1)
        s = keeps_dtype(e, op, x, &keeps);
    if (s != LUN_OK || !keeps)
        return s == LUN_OK ? combine(e, "allreduce", op, x, lun_spmd_npes(e), out) : s;
    const lun_said said = say(op, "allreduce", x, kind, doing, options);
    return lun__reduce_blocks(e, &said, op, x, out);
}

lun_status lun_spmd_reduce(lun_engine *e, lun_op op, lun_array *x, int root, lun_array **out)
{
    LUN_NEED(e, out);
    int npes = lun_spmd_npes(e);
    char call[32];
    lun_status s = check_op(e, op, x);
    if (s == LUN_OK && (root < 0 || root >= npes))
        s = lun__fail(e, LUN_EARG, "there is no PE %d: they count from 0 to %d", root, npes - 1);
    if (s != LUN_OK)
        return s;
    snprintf(call, sizeof call, "reduce %d", root);
    return combine(e, call, op, x, lun_spmd_mype(e) == root ? npes : 0, out);
}

lun_status lun_spmd_scan(lun_engine *e, lun_op op, lun_array *x, lun_array **out)
{
    LUN_NEED(e, out);
    lun_status s = check_op(e, op, x);
    return s == LUN_OK ? combine(e, "scan", op, x, lun_spmd_mype(e) + 1, out) : s;
}

lun_status lun_spmd_exscan(lun_engine *e, lun_op op, lun_array *x, lun_array **out)
{
    LUN_NEED(e, out);
    lun_status s = check_op(e, op, x);
    return s == LUN_OK ? combine(e, "exscan", op, x, lun_spmd_mype(e), out) : s;
}
