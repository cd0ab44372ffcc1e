/* record_function.c - a function that passes the questions of a call on to another one's front end
 * and records the answers. Captured arrays are kept and read later: a front end is asked in the
 * middle of a call. */
#include <stdlib.h>

#include "api/array/apply_function.h"
#include "api/package/package.h"

static lun_status refuse(lun_strbuf *error, const char *what)
{
    lun__strbuf_printf(error, "%s: it cannot be packed", what);
    return LUN_EARG;
}

static lun_status check(const lun_front_param *params, int count, const lun_front_result *r,
                        lun_strbuf *error)
{
    for (int k = 0; k < count; k++)
        if (params[k].array || params[k].index != LUN_FRONT_ELEMENT)
            return refuse(error, "the function takes more than elements and numbers");
    if (r->bound_count || r->window_count || r->store_count || r->scratches || r->neighbours)
        return refuse(error, "the function reads or assigns elements by its index");
    return LUN_OK;
}

/* The number of a captured array in r, which keeps it; -1: there is no room. */
static int keep(lun_recording *r, lun_array *a)
{
    for (int k = 0; k < r->arrays; k++)
        if (r->array[k] == a)
            return k;
    if (r->arrays == LUN_FRONT_ARRAYS)
        return -1;
    lun_retain(a);
    r->array[r->arrays] = a;
    return r->arrays++;
}

static void put_params(lun_strbuf *to, const lun_front_param *params, int count)
{
    lun__bytes_put_i32(to, count);
    for (int k = 0; k < count; k++) {
        lun__bytes_put_u8(to, params[k].dtype);
        lun__bytes_put_u8(to, params[k].weak);
    }
}

/* The function as that of a kernel that has nothing else. */
static lun_status put_function(lun_strbuf *to, lun_ir_function *f)
{
    lun_ir alone;
    lun__ir_init(&alone);
    lun_status s = lun__ir_function_add(&alone, f) < 0 ? LUN_ENOMEM : LUN_OK;
    if (s == LUN_OK)
        s = lun__packed_ir_write(&alone, to);
    lun__ir_free(&alone);
    return s;
}

static lun_status put_answer(lun_recording *r, const lun_front_param *params, int count,
                             const lun_front_result *out, lun_strbuf *to, lun_strbuf *error)
{
    put_params(to, params, count);
    lun__bytes_put_i32(to, out->scalars);
    for (int k = 0; k < out->scalars; k++) {
        const lun_dtype t = out->scalar_dtype[k];
        lun__bytes_put_u8(to, t);
        lun__bytes_put_i64(to, (int64_t)lun__dtype_cell_from_value(t, out->scalar[k]));
    }
    lun__bytes_put_i32(to, out->arrays);
    for (int k = 0; k < out->arrays; k++) {
        const int at = keep(r, out->array[k]);
        if (at < 0)
            return refuse(error, "the function captures too many arrays");
        lun__bytes_put_i32(to, at);
    }
    lun__bytes_put_i32(to, out->note_count);
    for (int k = 0; k < out->note_count; k++)
        lun__bytes_put_text(to, out->notes[k]);
    const lun_status s = put_function(to, out->function);
    return s == LUN_EARG ? refuse(error, "the function calls others that are no Lua functions") : s;
}

/* Whether the answer is among those recorded: a question may be asked again. */
static bool is_recorded(const lun_recording *r, const lun_strbuf *answer)
{
    lun_bytes at = {r->answers.text, (int64_t)r->answers.length, false};
    for (int k = 0; k < r->count; k++) {
        int64_t length = 0;
        const char *bytes = lun__bytes_take_bytes(&at, &length);
        if (bytes && length == (int64_t)answer->length &&
            memcmp(bytes, answer->text, answer->length) == 0)
            return true;
    }
    return false;
}

static lun_status specialise(void *ctx, const lun_front_param *params, int count,
                             lun_front_result *out, lun_strbuf *error)
{
    lun_recording *r = ctx;
    const lun_front *front = &r->f->front;
    lun_strbuf answer = LUN_STRBUF_INIT;
    lun_status s = front->specialise(front->ctx, params, count, out, error);
    if (s == LUN_OK)
        s = check(params, count, out, error);
    if (s == LUN_OK)
        s = put_answer(r, params, count, out, &answer, error);
    if (s == LUN_OK && !is_recorded(r, &answer)) {
        lun__bytes_put_bytes(&r->answers, answer.text, (int64_t)answer.length);
        r->count++;
        if (r->count > LUN_PACKAGE_ANSWERS)
            s = refuse(error, "too many dtypes");
    }
    if (s == LUN_OK && (answer.failed || r->answers.failed))
        s = LUN_ENOMEM;
    lun__strbuf_free(&answer);
    return s;
}

static lun_status foresee(void *ctx, const lun_front_param *params, int count, lun_strbuf *error)
{
    const lun_front *front = &((lun_recording *)ctx)->f->front;
    return front->foresee ? front->foresee(front->ctx, params, count, error) : LUN_OK;
}

static void release(void *ctx)
{
    (void)ctx; /* the recording outlives its function */
}

lun_status lun__record_function_new(lun_engine *e, lun_recording *r, lun_function **out)
{
    const lun_front front = {.ctx = r,
                             .params = r->f->front.params,
                             .specialise = specialise,
                             .foresee = foresee,
                             .release = release};
    return lun__make_function_front(e, &front, out);
}

void lun__record_function_free(lun_recording *r)
{
    for (int k = 0; k < r->arrays; k++)
        lun_release(r->array[k]);
    r->arrays = 0;
    lun__strbuf_free(&r->answers);
}
