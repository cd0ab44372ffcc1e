/* text_function.c - a user's C text made into a function of kernels: reads it, chooses the entry
 * and checks its head; how it is written for kernels is write_function.c's. */
#include "ctext/text_function.h"

#include <stdlib.h>
#include <string.h>

#include "ctext/assigned_arrays.h"
#include "ctext/maker.h"
#include "ctext/token/names.h"

/* ---- the entry ------------------------------------------------------------------------------- */

static bool called(const lun_cmaker *m, const lun_cunit *u, const char *word)
{
    return u->name >= 0 && lun__ctoken_word(&m->source.tokens, u->name, word);
}

static lun_status wrong(const lun_cmaker *m, int token, const char *what)
{
    return lun__csource_error(&m->source, token, m->error, "%s", what);
}

/* Several functions, of which none is marked, called f or nameless. */
static lun_status choose_unused(lun_cmaker *m)
{
    char text[48];
    int found = 0, listed = 0;
    lun__cnames_mark(&m->names, &m->source.tokens, &m->units, m->own);
    for (int i = 0; i < m->names.count; i++)
        if (m->names.at[i].unit >= 0 && !m->names.at[i].used) {
            found++;
            m->entry = m->names.at[i].unit;
        }
    if (found == 1)
        return LUN_OK;
    lun__csource_error(
        &m->source, m->units.at[0].start, m->error,
        "the entry function is ambiguous: call it f or write its name as <f>; candidates are");
    for (int i = 0; i < m->units.count; i++) {
        const lun_cunit *u = &m->units.at[i];
        if (u->body < 0)
            continue;
        if (++listed > 8)
            break;
        lun__strbuf_printf(m->error, "%s %s", listed > 1 ? "," : "",
                           lun__ctoken_show(&m->source.tokens, u->name, text));
    }
    if (listed > 8)
        lun__strbuf_puts(m->error, ", ...");
    return LUN_EARG;
}

static lun_status no_function(const lun_cmaker *m)
{
    if (!m->units.count) {
        lun__strbuf_printf(m->error,
                           "%s, line 1: no function found; write one as (float x) { return ...; }",
                           m->source.files[0].name);
        return LUN_EARG;
    }
    const lun_cunit *u = &m->units.at[0];
    return u->close >= 0
               ? wrong(m, u->end,
                       "the function has no body: write { return ...; } after the parameters")
               : wrong(m, u->start,
                       "the function has no parameter list: write it as (float x) { return ...; }");
}

static lun_status choose(lun_cmaker *m)
{
    int marked = -1, f = -1, nameless = -1, last = -1, functions = 0;
    for (int i = 0; i < m->units.count; i++) {
        const lun_cunit *u = &m->units.at[i];
        if (u->body < 0)
            continue;
        functions++;
        last = i;
        if (u->marked && !called(m, u, "f"))
            return wrong(m, u->name, "the name of the entry in angle brackets must be <f>");
        if (u->marked && marked >= 0)
            return wrong(m, u->name, "a second function is marked <f>");
        if (u->name < 0 && nameless >= 0)
            return wrong(m, u->start,
                         "a second function without a name: only the entry may be unnamed");
        if (u->name < 0)
            nameless = i;
        if (u->marked)
            marked = i;
        if (f < 0 && called(m, u, "f"))
            f = i;
    }
    if (!functions)
        return no_function(m);
    m->entry = marked >= 0 ? marked : f >= 0 ? f : nameless >= 0 ? nameless : last;
    if (nameless >= 0 && nameless != m->entry)
        return wrong(m, m->units.at[nameless].start,
                     "an unnamed function besides the entry f: give it a name");
    if (functions > 1 && marked < 0 && f < 0 && nameless < 0)
        return choose_unused(m);
    return LUN_OK;
}

/* Whether units a < b stand in different branches of an #if, as far as lines between them tell. */
static bool apart(const lun_cmaker *m, int a, int b)
{
    static const char *const turns[] = {"else", "elif", "elifdef", "elifndef", "endif"};
    const lun_ctokens *t = &m->source.tokens;
    for (int i = m->units.at[a].end; i < m->units.at[b].start; i++)
        for (size_t k = 0; k < sizeof turns / sizeof *turns; k++)
            if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE && lun__ctoken_word(t, i + 1, turns[k]))
                return true;
    return false;
}

static bool same_head(const lun_csignature *a, const lun_csignature *b)
{
    bool same = a->count == b->count && a->result == b->result;
    for (int k = 0; same && k < a->count; k++)
        same = a->param[k].dtype == b->param[k].dtype && a->param[k].array == b->param[k].array;
    return same;
}

/* All definitions of the entry have one head; helpers have a result type, which C would take for
 * int. */
static lun_status check_functions(const lun_cmaker *m)
{
    const lun_ctokens *t = &m->source.tokens;
    char text[48];
    for (int i = 0; i < m->units.count; i++) {
        const lun_cunit *u = &m->units.at[i];
        if (u->body < 0 || i == m->entry)
            continue;
        if (lun__cmaker_defines(m, i)) {
            lun_csignature own;
            lun_status s = lun__csignature_read(&own, &m->source, u, m->error);
            bool both = i < m->entry ? apart(m, i, m->entry) : apart(m, m->entry, i);
            if (s == LUN_OK && !(both && same_head(&own, &m->head)))
                s = lun__csource_error(
                    &m->source, u->name, m->error,
                    both ? "the entry %s is defined twice, with different types on line %d"
                         : "the entry %s is defined twice, also on line %d",
                    lun__ctoken_show(t, u->name, text),
                    lun__csource_line(&m->source, t->at[m->units.at[m->entry].name].start));
            if (s != LUN_OK)
                return s;
            continue;
        }
        int k = u->start;
        while (k < u->name && lun__ctype_qualifier(t, k))
            k++;
        if (k == u->name)
            return lun__csource_error(
                &m->source, u->name, m->error,
                "the result type of %s is missing: only the entry may omit it",
                lun__ctoken_show(t, u->name, text));
    }
    return LUN_OK;
}

/* ---- the function ---------------------------------------------------------------------------- */

/* From the source to the entry's head. */
static lun_status understand(lun_cmaker *m)
{
    lun_status status = lun__ctop_level_read(&m->units, &m->source, m->error);
    if (status == LUN_OK)
        status = lun__cnames_read(&m->names, &m->source, &m->units);
    if (status == LUN_OK)
        status = lun__cwords_check(&m->source, &m->units, &m->names, m->error);
    if (status == LUN_OK)
        status = lun__cscopes_read(&m->own, &m->source.tokens, &m->units, &m->names);
    if (status == LUN_OK)
        status = lun__ccall_graph_check(&m->source, &m->units, &m->names, m->own, m->error);
    if (status == LUN_OK)
        status = choose(m);
    if (status == LUN_OK)
        status = lun__csignature_read(&m->head, &m->source, &m->units.at[m->entry], m->error);
    return status == LUN_OK ? check_functions(m) : status;
}

/* From the source, once it is read, to the function or, of one that writes arrays, to what makes
 * functions of teams and of loops; frees all of m. */
static lun_status make(lun_cmaker *m, lun_status status, lun_ir_function **out, lun_front *team)
{
    if (status == LUN_OK)
        status = understand(m);
    if (status == LUN_OK)
        status = lun__cassigned_find(m);
    const bool nothing = status == LUN_OK && m->head.nothing >= 0;
    if (status == LUN_OK)
        status = lun__cscratch_words(&m->source, &m->units, m->entry, nothing && team, m->error);
    if (status == LUN_OK && team && (nothing || lun__cassigned_any(&m->head)))
        return lun__cteam_make(m, team);
    if (status == LUN_OK)
        status = nothing ? lun__csignature_void(&m->head, &m->source, m->error)
                         : lun__cwrite_function(m, out);
    lun__cmaker_free(m);
    return status;
}

lun_status lun__cfunc_parse(const char *text, bool plain, lun_ir_function **out, lun_front *team,
                            lun_strbuf *error)
{
    lun_cmaker m = {.plain = plain, .error = error};
    return make(&m, lun__csource_string(&m.source, text ? text : "", error), out, team);
}

lun_status lun__cfunc_file(const char *path, bool plain, lun_ir_function **out, lun_front *team,
                           lun_strbuf *error)
{
    lun_cmaker m = {.plain = plain, .error = error};
    return make(&m, lun__csource_path(&m.source, path ? path : "", error), out, team);
}
