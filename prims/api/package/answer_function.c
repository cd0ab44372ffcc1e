/* answer_function.c - a function that answers the questions of calls from what a package holds. */
#include <stdlib.h>
#include <string.h>

#include "api/array/apply_function.h"
#include "api/package/package.h"

static bool fits(const lun_answer *a, const lun_front_param *params, int count)
{
    bool same = a->params == count;
    for (int k = 0; same && k < count; k++)
        same = !params[k].array && params[k].index == LUN_FRONT_ELEMENT &&
               params[k].dtype == a->param[k].dtype;
    return same;
}

static void name_dtypes(lun_strbuf *to, const lun_front_param *params, int count)
{
    for (int k = 0; k < count; k++)
        lun__strbuf_printf(to, "%s%s%s", k ? ", " : "", lun_dtype_name(params[k].dtype),
                           params[k].array ? " arrays" : "");
}

static lun_status refuse(const lun_answers *a, const lun_front_param *params, int count,
                         lun_strbuf *error)
{
    lun__strbuf_puts(error, "the package has no function of (");
    name_dtypes(error, params, count);
    lun__strbuf_puts(error, "): it has those of ");
    for (int k = 0; k < a->count; k++) {
        lun__strbuf_puts(error, k ? ", (" : "(");
        name_dtypes(error, a->at[k].param, a->at[k].params);
        lun__strbuf_puts(error, ")");
    }
    lun__strbuf_puts(error, "; the option dtypes of lun.pack says which it has");
    return LUN_EDTYPE;
}

static lun_status specialise(void *ctx, const lun_front_param *params, int count,
                             lun_front_result *out, lun_strbuf *error)
{
    const lun_answers *all = ctx;
    const lun_answer *a = NULL;
    for (int k = 0; !a && k < all->count; k++)
        if (fits(&all->at[k], params, count))
            a = &all->at[k];
    if (!a)
        return refuse(all, params, count, error);
    out->function = &a->packed.own[0];
    out->scalars = a->scalars;
    for (int k = 0; k < a->scalars; k++) {
        out->scalar[k] = a->scalar[k];
        out->scalar_dtype[k] = (lun_dtype)a->scalar_dtype[k];
    }
    out->arrays = a->arrays;
    for (int k = 0; k < a->arrays; k++)
        out->array[k] = all->array[a->array[k]];
    out->notes = (const char *const *)a->note;
    out->note_count = a->notes;
    return LUN_OK;
}

void lun__answer_function_free(lun_answers *all)
{
    for (int k = 0; k < all->count; k++) {
        lun_answer *a = &all->at[k];
        for (int i = 0; a->note && i < a->notes; i++)
            free(a->note[i]);
        free(a->note);
        free(a->param);
        free(a->scalar);
        free(a->scalar_dtype);
        free(a->array);
        lun__packed_ir_free(&a->packed);
    }
    free(all->at);
    for (int k = 0; k < all->arrays; k++)
        lun_release(all->array[k]);
    free(all->array);
    *all = (lun_answers){0};
}

static void release(void *ctx)
{
    lun__answer_function_free(ctx);
    free(ctx);
}

lun_status lun__answer_function_new(lun_engine *e, lun_answers *a, lun_function **out)
{
    lun_answers *ctx = malloc(sizeof *ctx);
    if (!ctx) {
        lun__answer_function_free(a);
        return lun__fail_nomem(e);
    }
    *ctx = *a;
    *a = (lun_answers){0};
    const lun_front front = {.ctx = ctx,
                             .params = ctx->count ? ctx->at[0].params : 0,
                             .specialise = specialise,
                             .release = release};
    const lun_status s = lun__make_function_front(e, &front, out);
    if (s != LUN_OK)
        release(ctx);
    return s;
}
