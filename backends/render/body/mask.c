/* mask.c - masks of lanes, labels and jumps: what all statements under control flow share. */
#include "render/body/mask.h"

#include <inttypes.h>
#include <string.h>

#include "render/body/value.h"
#include "render/text/text.h"
#include "render/vector/bits.h"
#include "render/vector/cast.h"

/* ---- facts of a loop ------------------------------------------------------------------------------ */

bool lun_clazy(const lun_csection *s, int32_t loop)
{
    return (s->r->flags[loop] & LUN_CF_LAZY) != 0;
}

bool lun_clazy_bits(const lun_csection *s, int32_t loop)
{
    return lun_clazy(s, loop) && lun_cbits(s->r);
}

bool lun_csplit(const lun_csection *s, int32_t var)
{
    return (s->r->flags[var] & LUN_CF_SPLIT) && !lun__varies(s->r, var);
}

/* ---- masks ---------------------------------------------------------------------------------------- */

lun_cname lun_cmask_type(lun_csection *s)
{
    return lun_cvtype(s->r, lun_cfull_mask(s->r));
}

/* Construct p or the nearest around it that has a mask, -1: none. */
int32_t lun__mask_holder(const lun_csection *s, int32_t p)
{
    while (p >= 0 && !lun__varies(s->r, p))
        p = s->r->parent[p];
    return p;
}

lun_cname lun_cmask_of(lun_csection *s, int32_t p)
{
    p = lun__mask_holder(s, p);
    if (p >= 0 && lun_clazy_bits(s, p))
        return lun_cname_of("%s(%s)", lun_cbits_to_mask(s->r).s, lun_cnamed(s, 'k', p).s);
    if (p >= 0)
        return lun_cnamed(s, 'k', p);
    return s->r->parts == 1 ? lun_cname_of("k") : lun_cname_of("k_%d", s->part);
}

lun_cname lun_ccurrent(lun_csection *s, int bytes)
{
    lun_crep full = lun_cfull_mask(s->r), rep = lun_crep_of(LUN_BOOL, bytes);
    lun_cname k = lun_cmask_of(s, s->scope);
    if (full.t == rep.t)
        return k;
    return lun_cname_of("%s(%s)", lun_cvector_cast(s->r, rep, full).s, k.s);
}

/* Appends "lun_any_b32(k7_0 | k7_1)": whether any lane of any part is in mask `kind` of v. */
static void put_any(lun_csection *s, char kind, int32_t v, lun_strbuf *out)
{
    lun_cname any = lun_cvector_any(s->r, lun_crep_bytes(lun_cfull_mask(s->r)));
    lun_strbuf_printf(out, "%s(", any.s);
    EACH_PART(s)
    lun_strbuf_printf(out, "%s%s", s->part ? " | " : "", lun_cnamed(s, kind, v).s);
    s->part = 0;
    lun_strbuf_puts(out, ")");
}

void lun_ctest_line(lun_csection *s, const char *before, char kind, int32_t v, const char *after)
{
    lun_strbuf any = LUN_STRBUF_INIT;
    put_any(s, kind, v, &any);
    lun_cline(s, "%s%s%s", before, lun_strbuf_text(&any), after);
    if (any.failed)
        s->out->failed = true;
    lun_strbuf_free(&any);
}

/* ---- labels --------------------------------------------------------------------------------------- */

/* e<i>, or f<i> in the second part of an IF. */
static char here(const lun_csection *s, char place, int32_t construct)
{
    return place == 'e' && (s->r->flags[construct] & LUN_CF_ELSE) ? 'f' : place;
}

void lun_cjump(lun_csection *s, char place, int32_t construct)
{
    place = here(s, place, construct);
    lun_strbuf_printf(&s->labels, "\n%c%" PRId32 "\n", place, construct);
    lun_cline(s, "goto %c%" PRId32 ";", place, construct);
}

bool lun__mask_jumped(const lun_csection *s, char place, int32_t construct)
{
    lun_cname name = lun_cname_of("\n%c%" PRId32 "\n", here(s, place, construct), construct);
    return strstr(lun_strbuf_text(&s->labels), name.s) != NULL;
}

void lun_clabel(lun_csection *s, char place, int32_t construct)
{
    if (lun__mask_jumped(s, place, construct))
        lun_cline(s, "%c%" PRId32 ":;", here(s, place, construct), construct);
}

/* A loop may never end: somebody may want it to. */
void lun_cpoll(lun_csection *s)
{
    if (s->r->dialect->cancels)
        lun_cline(
            s, "if (__builtin_expect(__atomic_load_n(f->cancel, __ATOMIC_RELAXED), 0)) return%s;",
            s->single ? " 0" : "");
}
