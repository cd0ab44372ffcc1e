/* maker.c - names and words of a C text as kernels have them; see maker.h. */
#include "ctext/maker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

lun_cname *lun__cmaker_name(const lun_cmaker *m, int token)
{
    return lun__cnames_find(&m->names, &m->source.tokens, token);
}

bool lun__cmaker_defines(const lun_cmaker *m, int i)
{
    const lun_cunit *u = &m->units.at[i], *entry = &m->units.at[m->entry];
    return i == m->entry || (u->body >= 0 && u->name >= 0 && entry->name >= 0 &&
                             lun__cmaker_name(m, u->name) == lun__cmaker_name(m, entry->name));
}

lun_dtype lun__cmaker_result(const lun_cmaker *m)
{
    return m->head.nothing >= 0 ? LUN_I64 : m->head.result;
}

void lun__cmaker_put_name(const lun_cmaker *m, int token, lun_strbuf *out)
{
    const lun_ctokens *t = &m->source.tokens;
    const lun_cname *n = m->pastes ? NULL : lun__cmaker_name(m, token);
    if (n && n->unit == m->entry) {
        lun__strbuf_printf(out, "lun_user_%016" PRIx64, m->hash);
        return;
    }
    lun__strbuf_add(out, t->text + t->at[token].start, t->at[token].length);
    if (n)
        lun__strbuf_printf(out, "_%016" PRIx64, m->hash);
}

void lun__cmaker_put_word(const lun_cmaker *m, int token, lun_strbuf *out)
{
    const lun_ctokens *t = &m->source.tokens;
    bool space = lun__ctype_space(t, token);
    if (lun__ctoken_word(t, token, "__global") || (space && lun__ctoken_word(t, token, "global"))) {
        lun__strbuf_puts(out, "LUN_GLOBAL");
        return;
    }
    if (space)
        lun__strbuf_puts(out, "__");
    lun__cmaker_put_name(m, token, out);
}

static bool pastes(const lun_ctokens *t)
{
    bool found = false;
    for (int i = 0; i + 1 < t->count && !found; i++)
        found = lun__ctoken_is(t, i, '#') && lun__ctoken_is(t, i + 1, '#');
    return found;
}

void lun__cmaker_identify(lun_cmaker *m)
{
    m->pastes = pastes(&m->source.tokens);
    m->hash = XXH3_64bits_withSeed(m->source.text.text, m->source.text.length, m->plain);
    if (m->division)
        m->hash = XXH3_64bits_withSeed(m->division, sizeof *m->division, m->hash);
    if (m->in_place)
        m->hash = XXH3_64bits_withSeed(&m->axes, sizeof m->axes, m->hash);
}

void lun__cmaker_free(lun_cmaker *m)
{
    lun__csource_free(&m->source);
    lun__ctop_level_free(&m->units);
    lun__cnames_free(&m->names);
    free(m->own);
}
