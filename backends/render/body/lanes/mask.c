/* mask.c - masks of active lanes, labels and jumps: what statements under control flow share. */
#include "render/body/lanes/mask.h"

#include <inttypes.h>
#include <string.h>

#include "render/body/lanes/value_text.h"
#include "render/text/text.h"
#include "render/vector/bits.h"
#include "render/vector/cast.h"

/* ---- facts of a loop ------------------------------------------------------------------------- */

bool lun__mask_stripped(const lun_section *s, int32_t loop)
{
    return (s->r->flags[loop] & LUN_FACT_STRIPPED) != 0;
}

bool lun__mask_in_bits(const lun_section *s, int32_t loop)
{
    return lun__mask_stripped(s, loop) && lun__bits_usable(s->r);
}

bool lun__mask_has_live(const lun_section *s, int32_t loop)
{
    return lun__renderer_ins(s->r, loop)->kind == LUN_IR_LOOP && lun__renderer_varies(s->r, loop) &&
           (s->r->flags[loop] & LUN_FACT_CONTINUED);
}

bool lun__mask_temporal(const lun_section *s, int32_t var)
{
    return (s->r->flags[var] & LUN_FACT_TEMPORAL) && !lun__renderer_varies(s->r, var);
}

/* ---- masks ----------------------------------------------------------------------------------- */

lun_snippet lun__mask_type(lun_section *s)
{
    return lun__vector_type(s->r, lun__value_mask_rep(s->r));
}

int32_t lun__mask_holder(const lun_section *s, int32_t p)
{
    while (p >= 0 && !lun__renderer_varies(s->r, p))
        p = s->r->parent[p];
    return p;
}

lun_snippet lun__mask_of(lun_section *s, int32_t p)
{
    p = lun__mask_holder(s, p);
    if (p >= 0 && lun__mask_in_bits(s, p))
        return lun__text_name("%s(%s)", lun__bits_to_mask(s->r).s, lun__value_name(s, 'k', p).s);
    if (p >= 0)
        return lun__value_name(s, 'k', p);
    return s->r->parts == 1 ? lun__text_name("k") : lun__text_name("k_%d", s->part);
}

lun_snippet lun__mask_current(lun_section *s, int bytes)
{
    lun_rep full = lun__value_mask_rep(s->r), rep = lun__vector_rep(LUN_BOOL, bytes);
    lun_snippet k = lun__mask_of(s, s->scope);
    if (full.t == rep.t)
        return k;
    return lun__text_name("%s(%s)", lun__cast_vector(s->r, rep, full).s, k.s);
}

/* Appends "lun_any_b32(k7_0 | k7_1)": true if any lane of any part is in mask `kind` of v. */
static void put_any(lun_section *s, char kind, int32_t v, lun_strbuf *out)
{
    lun_snippet any = lun__vector_any(s->r, lun__vector_rep_bytes(lun__value_mask_rep(s->r)));
    lun__strbuf_printf(out, "%s(", any.s);
    EACH_PART(s)
    lun__strbuf_printf(out, "%s%s", s->part ? " | " : "", lun__value_name(s, kind, v).s);
    s->part = 0;
    lun__strbuf_puts(out, ")");
}

void lun__mask_test(lun_section *s, const char *before, char kind, int32_t v, const char *after)
{
    lun_strbuf any = LUN_STRBUF_INIT;
    put_any(s, kind, v, &any);
    lun__text_line(s, "%s%s%s", before, lun__strbuf_text(&any), after);
    if (any.failed)
        s->out->failed = true;
    lun__strbuf_free(&any);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* e<i>, or f<i> in the second part of an IF. */
static char here(const lun_section *s, char place, int32_t construct)
{
    return place == 'e' && (s->r->flags[construct] & LUN_FACT_ELSE) ? 'f' : place;
}

void lun__mask_jump(lun_section *s, char place, int32_t construct)
{
    place = here(s, place, construct);
    lun__strbuf_printf(&s->labels, "\n%c%" PRId32 "\n", place, construct);
    lun__text_line(s, "goto %c%" PRId32 ";", place, construct);
}

bool lun__mask_jumped(const lun_section *s, char place, int32_t construct)
{
    lun_snippet name = lun__text_name("\n%c%" PRId32 "\n", here(s, place, construct), construct);
    return strstr(lun__strbuf_text(&s->labels), name.s) != NULL;
}

void lun__mask_label(lun_section *s, char place, int32_t construct)
{
    if (lun__mask_jumped(s, place, construct))
        lun__text_line(s, "%c%" PRId32 ":;", here(s, place, construct), construct);
}

void lun__mask_poll(lun_section *s)
{
    if (s->r->stops)
        lun__text_line(s, "if (%s) return%s;", s->r->dialect->stopped,
                       s->form == LUN_SECTION_FUNCTION ? " 0" : "");
}
