/* atomic_words.c - the words of atomic operations; see atomic_words.h. */
#include "ctext/token/atomic_words.h"

#include "table/dtype.h"

static const char *const words[LUN_ATOMIC_COUNT] = {
#define LUN_ATOMIC(ID, NAME, OP, EXPECTS) "LUN_ATOMIC_" #ID,
#include "table/atomics.def"
#undef LUN_ATOMIC
};

int lun__catomic_of(const lun_ctokens *t, int i)
{
    for (int k = 0; k < LUN_ATOMIC_COUNT; k++)
        if (lun__ctoken_word(t, i, words[k]))
            return k;
    return -1;
}

/* f16 and bf16 are their bits in C texts. */
static bool takes(lun_atomic which, lun_dtype t)
{
    return lun__atomic_takes(which, t) && !lun__dtype_is_stored(t);
}

lun_status lun__catomic_check(const lun_csource *s, int i, bool complete,
                              const lun_csignature *head, int param, lun_strbuf *error)
{
    const lun_atomic which = (lun_atomic)lun__catomic_of(&s->tokens, i);
    const bool expects = lun__atomic_get(which)->expects;
    if (!complete)
        return lun__csource_error(s, i, error, "%s(w, i, %sx) takes an array, an index and %s",
                                  words[which], expects ? "expected, " : "",
                                  expects ? "two values" : "a value");
    if (param >= 0 && head->param[param].constant)
        return lun__csource_error(s, i, error, "%s of a pointer to const", words[which]);
    if (param >= 0 && !takes(which, head->param[param].dtype))
        return lun__csource_error(s, i, error, "%s on elements of %s: it is for %s", words[which],
                                  lun__dtype_get(head->param[param].dtype)->name,
                                  lun__atomic_takes(which, LUN_F64) ? "numbers" : "integers");
    return LUN_OK;
}
