/* teamtext.c - what the text of a function of teams, or of a loop, becomes: its memory, its
 * indices, its jumps; see teamtext.h. */
#include "ctext/teamtext.h"

#include <inttypes.h>

#include "ctext/barrier.h"
#include "table/dtype.h"

static lun_status put(lun_cmaker *m, int token, bool before, const char *text)
{
    lun_cedit *e = lun__cedits_of(&m->edits, token);
    return e ? lun__cedits_add(before ? &e->before : &e->after, text, before) : LUN_ENOMEM;
}

/* Jumps out of the function give its result. */
static lun_status find_returns(lun_cmaker *m, const lun_cunit *u)
{
    const lun_ctokens *t = &m->source.tokens;
    lun_status s = LUN_OK;
    for (int i = u->body; s == LUN_OK && i < u->end; i++) {
        if (!lun__ctoken_word(t, i, "return"))
            continue;
        s = lun__ctoken_is(t, i + 1, ';')
                ? put(m, i, false, " 0")
                : lun__csource_error(&m->source, i, m->error,
                                     "a function without a result returns a value");
    }
    return s;
}

/* The indices of the loop, from that of the launch: row-major. */
static lun_status find_indices(lun_cmaker *m, const lun_cunit *u)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    for (int k = 0; k < m->axes; k++) {
        const lun_dtype t = m->head.param[k].dtype;
        lun__strbuf_printf(&text, " %s ", lun__dtype_get(t)->ctype);
        lun__cmaker_put_word(m, m->head.param[k].name, &text);
        lun__strbuf_printf(&text, " = (%s)(lun_first_%d + lun_index", lun__dtype_get(t)->ctype, k);
        for (int i = k + 1; i < m->axes; i++)
            lun__strbuf_printf(&text, "%slun_extent_%d", i == k + 1 ? " / (" : " * ", i);
        lun__strbuf_puts(&text, k + 1 < m->axes ? ")" : "");
        if (k)
            lun__strbuf_printf(&text, " %% lun_extent_%d", k);
        lun__strbuf_puts(&text, ");");
    }
    lun_status s = text.failed ? LUN_ENOMEM : put(m, u->body, false, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return s;
}

lun_status lun__cinplace_find(lun_cmaker *m)
{
    const lun_cunit *u = &m->units.at[m->entry];
    if (m->head.nothing < 0)
        return LUN_OK;
    lun_status s = find_indices(m, u);
    if (s == LUN_OK)
        s = find_returns(m, u);
    return s == LUN_OK ? put(m, u->end, true, "return 0; ") : s;
}

/* The memory that is the team's own. */
static lun_status find_own(lun_cmaker *m, const lun_cunit *u)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    for (int k = 0; k < m->scratches.count; k++) {
        lun__strbuf_puts(&text, " ");
        lun__cmaker_put_word(m, m->scratches.at[k].name, &text);
        lun__strbuf_printf(&text, " += (lun_block - lun_base) * %" PRId64 ";",
                           m->scratches.at[k].count);
    }
    lun_status s = text.failed ? LUN_ENOMEM : put(m, u->body, false, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return s == LUN_OK ? put(m, u->end, true, "return 0; ") : s;
}

lun_status lun__cteam_find(lun_cmaker *m)
{
    const lun_cunit *u = &m->units.at[m->entry];
    m->scratches.count = 0;
    m->meets = m->asks = false;
    lun_status s =
        lun__cscratch_find(&m->scratches, &m->edits, &m->source, u, m->division, m->error);
    if (s == LUN_OK)
        s = lun__cmeet_has(&m->source, u) ? lun__cmeet_find(m) : find_returns(m, u);
    return s == LUN_OK ? find_own(m, u) : s;
}
