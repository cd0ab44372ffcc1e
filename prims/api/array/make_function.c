/* make_function.c - users' functions made: of an operation, a C text, a front end's.  How they are
 * applied is apply_function.c's. */
#include <stdlib.h>

#include "api/array/apply_function.h"
#include "ctext/text_function.h"

lun_status lun__make_function(lun_engine *e, lun_op op, lun_ir_function *text,
                              const lun_front *front, lun_function **out)
{
    if (!lun__account_take_object(e->account, sizeof(lun_function)))
        return lun__fail_nomem(e);
    lun_function *f = calloc(1, sizeof *f);
    if (!f) {
        lun__account_give(e->account, sizeof *f);
        return lun__fail_nomem(e);
    }
    lun__account_keep(e->account);
    f->account = e->account;
    f->refs = 1;
    f->op = op;
    f->text = text;
    if (front)
        f->front = *front;
    *out = f;
    return LUN_OK;
}

lun_status lun_function_op(lun_engine *e, lun_op op, lun_function **out)
{
    LUN_NEED(e, out);
    if ((unsigned)op >= LUN_OP_COUNT)
        return lun__fail(e, LUN_EARG, "no such operation: %d", (int)op);
    return lun__make_function(e, op, NULL, NULL, out);
}

/* team: of a text without a result, its front end. */
static lun_status from_text(lun_engine *e, lun_status s, lun_ir_function *text,
                            const lun_front *team, lun_function **out)
{
    if (s == LUN_OK)
        s = lun__make_function(e, LUN_OP_COUNT, text, team->specialise ? team : NULL, out);
    if (s != LUN_OK)
        lun__cwrite_function_free(text);
    if (s != LUN_OK && team->release)
        team->release(team->ctx);
    return s == LUN_ENOMEM && !e->error.length ? lun__fail_nomem(e) : s;
}

lun_status lun_function_c(lun_engine *e, const char *text, lun_function **out)
{
    LUN_NEED(e, out);
    lun_ir_function *f = NULL;
    lun_front team = {0};
    if (e->sandbox)
        return lun__fail(e, LUN_EARG, "C functions are not allowed in the sandbox");
    if (!text)
        return lun__fail(e, LUN_EARG, "no function text given (NULL)");
    lun__fail_clear(e);
    lun_status s = lun__cfunc_parse(text, e->check_indices, &f, &team, &e->error);
    return from_text(e, s, f, &team, out);
}

lun_status lun_function_file(lun_engine *e, const char *path, lun_function **out)
{
    LUN_NEED(e, out);
    lun_ir_function *f = NULL;
    lun_front team = {0};
    if (e->sandbox)
        return lun__fail(e, LUN_EARG, "function files are not allowed in the sandbox");
    if (!path)
        return lun__fail(e, LUN_EARG, "no file given (NULL)");
    lun__fail_clear(e);
    lun_status s = lun__cfunc_file(path, e->check_indices, &f, &team, &e->error);
    return from_text(e, s, f, &team, out);
}

void lun_check_indices(lun_engine *e, bool on)
{
    LUN_NEED_OR(e, );
    e->check_indices = on;
}

lun_status lun__make_function_front(lun_engine *e, const lun_front *front, lun_function **out)
{
    return lun__make_function(e, LUN_OP_COUNT, NULL, front, out);
}
