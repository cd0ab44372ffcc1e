/* user_atomics.c - the words of atomic operations in users' texts; see user_text.h.  Which
 * function is meant the element's type says: in C by a choice among types, in OpenCL C by
 * overloading. */
#include "render/user/user_text.h"

#include "render/text/atomic_text.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/user/word_mention.h"
#include "table/dtype.h"

static const char *const words[LUN_ATOMIC_COUNT] = {
#define LUN_ATOMIC(ID, NAME, OP, EXPECTS) "LUN_ATOMIC_" #ID,
#include "table/atomics.def"
#undef LUN_ATOMIC
};

static bool is_written(const lun_ir *ir, lun_dtype t)
{
    for (int i = 0; i < ir->slot_count; i++)
        if (ir->slots[i].role == LUN_SLOT_TARGET && ir->slots[i].dtype == t)
            return true;
    return false;
}

/* C texts have f16 and bf16 as their bits. */
static bool takes(lun_atomic which, lun_dtype t)
{
    return lun__atomic_takes(which, t) && !lun__dtype_is_stored(t);
}

/* int8_t is another type than char, which texts call it. */
static bool is_char(lun_dtype t)
{
    return lun__dtype_is_signed(t) && lun__dtype_bits(t) == 8;
}

/* The function for elements of t, declared before the texts, and what chooses it. */
static void declare(lun_renderer *r, lun_atomic which, lun_dtype t, lun_strbuf *choice,
                    lun_strbuf *out)
{
    const char *c = lun__dtype_get(t)->ctype, *name = lun__atomic_get(which)->name;
    const bool expects = lun__atomic_get(which)->expects;
    const lun_snippet f = lun__atomic_text(r, which, t, false);
    const lun_snippet more = lun__text_name(expects ? ", const %s e" : "%.0s", c);
    const lun_snippet space = lun__text_global(r);
    lun__strbuf_printf(out, "static inline %s %s(%s%s *p, const %s x%s);\n", c, f.s, space.s, c, c,
                       more.s);
    if (r->dialect->words)
        lun__text_put(r, out,
                      "@overloaded %s lun_user_%s(%s%s *p, const %s x%s) { return %s(p, x%s); }\n",
                      c, name, space.s, c, c, more.s, f.s, expects ? ", e" : "");
    else
        lun__strbuf_printf(choice, is_char(t) ? ", %s: %s, char: %s" : ", %s: %s", c, f.s, f.s);
}

void lun__user_atomics(lun_renderer *r, lun_strbuf *out)
{
    for (int k = 0; k < LUN_ATOMIC_COUNT; k++) {
        const bool expects = lun__atomic_get((lun_atomic)k)->expects;
        lun_strbuf choice = LUN_STRBUF_INIT;
        if (!lun__word_mention(r, words[k]))
            continue;
        for (int t = 0; t < LUN_DTYPE_COUNT; t++)
            if (is_written(r->ir, (lun_dtype)t) && takes((lun_atomic)k, (lun_dtype)t))
                declare(r, (lun_atomic)k, (lun_dtype)t, &choice, out);
        lun__strbuf_printf(out, "#define %s(w, i, %sx) ", words[k], expects ? "e, " : "");
        if (r->dialect->words)
            lun__strbuf_printf(out, "lun_user_%s(&(w)[i]", lun__atomic_get((lun_atomic)k)->name);
        else
            lun__strbuf_printf(out, "_Generic(*(w)%s)(&(w)[i]", lun__strbuf_text(&choice));
        lun__strbuf_printf(out, ", x%s)\n", expects ? ", e" : "");
        out->failed |= choice.failed;
        lun__strbuf_free(&choice);
    }
}
