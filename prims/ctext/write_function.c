/* write_function.c - a C text whose head is read becomes a function of kernels: edits around its
 * tokens, for teams and loops their memory and indices; its parameters; its text, in which every
 * name of the top level gets one that no other text has.
 *
 * Bodies are copied as written, but for names and the edits of checks.c, stop_checks.c and
 * barrier.c. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctext/barrier.h"
#include "ctext/maker.h"
#include "ctext/stop_checks.h"
#include "ctext/text_function.h"
#include "table/dtype.h"

/* Each array whose indices are checked takes a parameter for its length, each element around an
 * index one for itself. */
static lun_status check_params(const lun_cmaker *m)
{
    int count = m->neighbours.count + m->scratches.count + (m->division ? LUN_FRONT_NUMBERS : 0);
    for (int k = 0; k < m->scratches.count; k++)
        count += !m->scratches.at[k].count;
    count += m->axes ? 1 + 2 * m->axes : 0;
    for (int k = m->axes; k < m->head.count; k++)
        count += !m->neighbours.replaced[k] + m->checks.indexed[k];
    if (count <= LUN_IR_INPUTS)
        return LUN_OK;
    return lun__csource_error(
        &m->source, m->units.at[m->entry].open, m->error,
        "too many parameters: more than 64, including the lengths that LUN_AT needs and "
        "each element that get(x, ...) reads");
}

/* ---- the function ---------------------------------------------------------------------------- */

/* The parameters of f: elements around an index, those of the text, lengths. */
static void give_params(lun_cmaker *m, lun_ir_function *f)
{
    int number[LUN_MAX_PARAMS];
    f->operands = m->head.count - m->axes;
    f->neighbours = m->neighbours.count;
    for (int k = 0; m->division && k < LUN_FRONT_NUMBERS; k++)
        f->param[f->params++].dtype = LUN_I64;
    for (int k = 0; k < m->neighbours.count; k++)
        f->param[f->params++].dtype = (uint8_t)m->neighbours.at[k].dtype;
    for (int k = 0; m->axes && k < 1 + 2 * m->axes; k++)
        f->param[f->params++].dtype = LUN_I64;
    for (int k = m->axes; k < m->head.count; k++) {
        const bool writes = m->division || m->in_place;
        number[k] = f->params;
        if (m->neighbours.replaced[k])
            continue;
        f->param[f->params].dtype = (uint8_t)m->head.param[k].dtype;
        f->param[f->params].pointer = m->head.param[k].array;
        f->param[f->params].written =
            writes && m->head.param[k].array && !m->head.param[k].constant;
        f->param[f->params].atom = m->head.param[k].atom;
        f->param[f->params++].of = k - m->axes;
    }
    for (int k = 0; k < m->scratches.count; k++) {
        f->param[f->params].dtype = (uint8_t)m->scratches.at[k].dtype;
        f->param[f->params++].pointer = true;
    }
    for (int k = 0; k < m->scratches.count; k++)
        if (!m->scratches.at[k].count)
            f->param[f->params++].dtype = LUN_I64;
    for (int k = 0; k < m->head.count; k++) {
        if (!m->checks.indexed[k])
            continue;
        f->param[f->params].dtype = LUN_I64;
        f->param[f->params++].of = k - m->axes;
        f->lengths++;
    }
    for (int k = 0; k < m->checks.count; k++)
        if (m->checks.faults[k].param >= 0)
            m->checks.faults[k].param = number[m->checks.faults[k].param];
}

static lun_status give(lun_cmaker *m, lun_ir_function **out)
{
    char entry[40];
    lun_ir_function *f = calloc(1, sizeof *f);
    snprintf(entry, sizeof entry, "lun_user_%016" PRIx64, m->hash);
    if (f)
        f->name = strdup(entry);
    if (!f || !f->name) {
        free(f);
        return LUN_ENOMEM;
    }
    f->text = m->text.text;
    m->text = (lun_strbuf)LUN_STRBUF_INIT;
    f->outputs = m->head.nothing < 0;
    give_params(m, f);
    f->neighbour = m->neighbours.at;
    m->neighbours.at = NULL;
    f->faults = m->checks.faults;
    f->fault_count = m->checks.count;
    m->checks.faults = NULL;
    m->checks.count = 0;
    f->asks = m->asks;
    f->has_barriers = m->has_barriers;
    f->result = (uint8_t)lun__cmaker_result(m);
    *out = f;
    return LUN_OK;
}

/* ---- teams and loops ------------------------------------------------------------------------- */

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

static lun_status edit_in_place(lun_cmaker *m)
{
    const lun_cunit *u = &m->units.at[m->entry];
    if (m->head.nothing < 0)
        return LUN_OK;
    lun_status s = find_indices(m, u);
    if (s == LUN_OK)
        s = find_returns(m, u);
    return s == LUN_OK ? put(m, u->end, true, "return 0; ") : s;
}

/* "[8][4]": the extents of x behind the first. */
static void put_rows(const lun_cscratch *x, lun_strbuf *out)
{
    for (int k = 1; k < x->rank; k++)
        lun__strbuf_printf(out, "[%" PRId64 "]", x->extent[k]);
}

/* Memory number k of all teams: " s += (lun_block - lun_base) * n;", or s as rows of it. */
static void put_own(const lun_cmaker *m, int k, lun_strbuf *out)
{
    const lun_cscratch *x = &m->scratches.at[k];
    const char *type = lun__dtype_get(x->dtype)->ctype;
    lun__strbuf_printf(out, x->rank > 1 ? " LUN_GLOBAL %s (*" : " ", type);
    lun__cmaker_put_word(m, x->name, out);
    if (x->rank > 1) {
        lun__strbuf_puts(out, ")");
        put_rows(x, out);
        lun__strbuf_printf(out, " = (LUN_GLOBAL %s (*)", type);
        put_rows(x, out);
        lun__strbuf_printf(out, ")(lun_memory_%d + (lun_block - lun_base) * ", k);
    } else {
        lun__strbuf_puts(out, " += (lun_block - lun_base) * ");
    }
    if (x->count)
        lun__strbuf_printf(out, "%" PRId64, x->count);
    else
        lun__strbuf_printf(out, "lun_count_%d", k);
    lun__strbuf_puts(out, x->rank > 1 ? ");" : ";");
}

/* The memory that is the team's own. */
static lun_status find_own(lun_cmaker *m, const lun_cunit *u)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    for (int k = 0; k < m->scratches.count; k++)
        put_own(m, k, &text);
    lun_status s = text.failed ? LUN_ENOMEM : put(m, u->body, false, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return s == LUN_OK ? put(m, u->end, true, "return 0; ") : s;
}

static lun_status edit_team(lun_cmaker *m)
{
    const lun_cunit *u = &m->units.at[m->entry];
    m->scratches.count = 0;
    m->has_barriers = m->asks = false;
    lun_status s = lun__cscratch_find(&m->scratches, &m->edits, &m->source, &m->head, u,
                                      m->division, m->error);
    if (s == LUN_OK)
        s = lun__cbarrier_has(&m->source, u) ? lun__cbarrier_find(m) : find_returns(m, u);
    return s == LUN_OK ? find_own(m, u) : s;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_name(lun_cmaker *m, int token)
{
    lun__cmaker_put_name(m, token, &m->text);
}

/* A token with what is written around it. */
static void put_token(lun_cmaker *m, int token)
{
    const lun_cedit *e = m->edits.at ? &m->edits.at[token] : &(lun_cedit){0};
    lun__strbuf_puts(&m->text, e->before ? e->before : "");
    if (e->instead)
        lun__strbuf_puts(&m->text, e->instead);
    else
        lun__cmaker_put_word(m, token, &m->text);
    lun__strbuf_puts(&m->text, e->after ? e->after : "");
}

/* Functions hand on where failures are kept and the stop flag. */
static bool hands(const lun_cmaker *m)
{
    return m->checks.count || m->asks;
}

static bool takes_nothing(const lun_cmaker *m, const lun_cunit *u)
{
    return u->open + 1 == u->close ||
           (u->open + 2 == u->close && lun__ctoken_word(&m->source.tokens, u->open + 1, "void"));
}

/* The newlines between two tokens, so that what follows stands on its own line. */
static void put_newlines(lun_cmaker *m, int from, int to)
{
    const lun_ctokens *t = &m->source.tokens;
    for (uint32_t i = t->at[from].start; i < t->at[to].start; i++)
        if (t->text[i] == '\n')
            lun__strbuf_puts(&m->text, "\n");
}

static void put_type(lun_cmaker *m, lun_dtype t)
{
    lun__strbuf_puts(&m->text, lun__dtype_is_bool(t) ? "bool" : lun__dtype_get(t)->ctype);
}

/* The elements around an index, as the first parameters. */
static void put_neighbours(lun_cmaker *m, const lun_csignature *head)
{
    int left = 0;
    for (int k = 0; k < head->count; k++)
        left += !m->neighbours.replaced[k];
    for (int k = 0; k < m->neighbours.count; k++) {
        put_type(m, m->neighbours.at[k].dtype);
        lun__strbuf_printf(&m->text, " lun_around_%d%s", k,
                           k + 1 < m->neighbours.count || left ? ", " : "");
    }
}

/* Parameter k of the head, and a ',' if others follow. */
static void put_param(lun_cmaker *m, const lun_csignature *head, int k)
{
    lun_dtype dtype = head->param[k].dtype;
    bool last = true;
    const bool writes = m->division || m->in_place;
    const bool assigned = writes && !m->head.param[k].constant;
    if (head->param[k].array) {
        lun__strbuf_printf(&m->text, "LUN_GLOBAL %s%s *", assigned ? "" : "const ",
                           lun__dtype_get(dtype)->ctype);
        /* what it assigns is reached in no other way */
        lun__strbuf_puts(&m->text, writes ? "__restrict__ " : "");
    } else {
        put_type(m, dtype);
        lun__strbuf_puts(&m->text, " ");
    }
    put_name(m, head->param[k].name);
    for (int j = k + 1; j < head->count; j++)
        last &= m->neighbours.replaced[j];
    if (!last)
        lun__strbuf_puts(&m->text, ", ");
}

/* Of a function of teams: where a thread is, as the first parameters. */
static void put_thread_words(lun_cmaker *m)
{
    if (!m->division)
        return;
    lun__strbuf_puts(&m->text, "int64_t lun_block, int64_t lun_thread, ");
    for (int k = 0; k < LUN_TEAM_AXES; k++)
        lun__strbuf_printf(&m->text, "int64_t lun_blocks_%d, ", k);
    lun__strbuf_puts(&m->text, "int64_t lun_base, ");
}

/* Of a function of a loop's indices: which index it is called for, and where the axes begin and
 * how long they are. */
static void put_loop(lun_cmaker *m, const lun_csignature *head)
{
    if (m->axes)
        lun__strbuf_puts(&m->text, "int64_t lun_index");
    for (int k = 0; k < m->axes; k++)
        lun__strbuf_printf(&m->text, ", int64_t lun_first_%d, int64_t lun_extent_%d", k, k);
    if (m->axes && m->axes < head->count)
        lun__strbuf_puts(&m->text, ", ");
}

/* Its memory, behind the parameters of the text. */
static void put_scratches(lun_cmaker *m)
{
    for (int k = 0; k < m->scratches.count; k++) {
        lun__strbuf_printf(&m->text, ", LUN_GLOBAL %s *__restrict__ ",
                           lun__dtype_get(m->scratches.at[k].dtype)->ctype);
        if (m->scratches.at[k].rank > 1)
            lun__strbuf_printf(&m->text, "lun_memory_%d", k);
        else
            put_name(m, m->scratches.at[k].name);
    }
    for (int k = 0; k < m->scratches.count; k++)
        if (!m->scratches.at[k].count)
            lun__strbuf_printf(&m->text, ", int64_t lun_count_%d", k);
}

/* The entry's head, in place of tokens from .. to-1; lines: each parameter stays on its line. */
static void put_head(lun_cmaker *m, const lun_csignature *head, int from, int to, bool lines)
{
    lun__strbuf_puts(&m->text, "static ");
    put_type(m, lun__cmaker_result(m));
    lun__strbuf_printf(&m->text,
                       hands(m) ? " (lun_user_%016" PRIx64 ")(LUN_FAULT_FIRST "
                                : " lun_user_%016" PRIx64 "(",
                       m->hash);
    put_thread_words(m);
    put_loop(m, head);
    put_neighbours(m, head);
    for (int k = m->axes; k < head->count; k++) {
        if (lines)
            put_newlines(m, from, head->param[k].name);
        if (!m->neighbours.replaced[k])
            put_param(m, head, k);
        if (lines)
            from = head->param[k].name;
    }
    put_scratches(m);
    for (int k = 0; k < head->count; k++) {
        if (!m->checks.indexed[k])
            continue;
        const lun_ctoken *name = &m->source.tokens.at[head->param[k].name];
        lun__strbuf_printf(&m->text, ", int64_t lun_length_%.*s", (int)name->length,
                           m->source.tokens.text + name->start);
    }
    put_newlines(m, from, to);
    lun__strbuf_puts(&m->text, ") ");
}

/* Words of OpenCL C that the text uses as names become others. */
static void put_words(lun_cmaker *m, bool before)
{
    static const char *const words[] = {"global", "constant", "private", "local", "kernel", "half"};
    const lun_ctokens *t = &m->source.tokens;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        bool found = false;
        for (int i = 0; i < t->count && !found; i++)
            found = lun__ctoken_word(t, i, words[k]) && !lun__ctype_space(t, i);
        if (found && before)
            lun__strbuf_printf(&m->text,
                               "#pragma push_macro(\"%s\")\n#undef %s\n"
                               "#define %s lun_word_%s\n",
                               words[k], words[k], words[k], words[k]);
        else if (found)
            lun__strbuf_printf(&m->text, "#pragma pop_macro(\"%s\")\n", words[k]);
    }
}

/* Macros around the text.  Where ## puts names together, the preprocessor renames them: each name
 * that the text defines is a macro for its new one.  In OpenCL C, which has no variables of a
 * thread, functions hand on a pointer to what failed and to what stops them: each is a macro for
 * itself with that argument. */
static void put_names(lun_cmaker *m, bool before)
{
    put_words(m, before);
    for (int i = 0; m->pastes && i < m->names.count; i++) {
        const lun_cname *n = &m->names.at[i];
        lun__strbuf_printf(&m->text, before ? "#define %.*s " : "#undef %.*s\n", (int)n->length,
                           n->text);
        if (before && n->unit == m->entry)
            lun__strbuf_printf(&m->text, "lun_user_%016" PRIx64 "\n", m->hash);
        else if (before)
            lun__strbuf_printf(&m->text, "%.*s_%016" PRIx64 "\n", (int)n->length, n->text, m->hash);
    }
    if (!hands(m))
        return;
    lun__strbuf_puts(&m->text, "#ifdef __OPENCL_VERSION__\n");
    for (int i = 0; i < m->names.count; i++) {
        const lun_cname *n = &m->names.at[i];
        lun_strbuf name = LUN_STRBUF_INIT;
        if (n->unit == m->entry)
            lun__strbuf_printf(&name, "lun_user_%016" PRIx64, m->hash);
        else
            lun__strbuf_printf(&name, "%.*s_%016" PRIx64, (int)n->length, n->text, m->hash);
        const char *text = lun__strbuf_text(&name);
        if (n->unit >= 0 && !before)
            lun__strbuf_printf(&m->text, "#undef %s\n", text);
        else if (n->unit >= 0 && takes_nothing(m, &m->units.at[n->unit]))
            lun__strbuf_printf(&m->text, "#define %s() %s(LUN_FAULT_HERE)\n", text, text);
        else if (n->unit >= 0)
            lun__strbuf_printf(&m->text, "#define %s(...) %s(LUN_FAULT_HERE, __VA_ARGS__)\n", text,
                               text);
        m->text.failed |= name.failed;
        lun__strbuf_free(&name);
    }
    lun__strbuf_puts(&m->text, "#endif\n");
}

/* #pragma push_macro or pop_macro for every macro of the text. */
static void put_macros(lun_cmaker *m, const char *pragma)
{
    const lun_ctokens *t = &m->source.tokens;
    for (int i = 0; i + 2 < t->count; i++) {
        if (t->at[i].kind != LUN_CTOKEN_DIRECTIVE || t->at[i + 2].kind != LUN_CTOKEN_NAME)
            continue;
        if (!lun__ctoken_word(t, i + 1, "define") && !lun__ctoken_word(t, i + 1, "undef"))
            continue;
        lun__strbuf_printf(&m->text, "#pragma %s(\"", pragma);
        put_token(m, i + 2);
        lun__strbuf_puts(&m->text, "\")\n");
    }
}

/* Helpers and constants become static: other kernels have others, and calls can be inlined. */
static bool to_static(const lun_cmaker *m, const lun_cunit *u)
{
    if (u->is_static || u->is_typedef)
        return false;
    if (u->body >= 0)
        return true;
    const lun_cname *n = lun__cmaker_name(m, u->name);
    return (n && n->unit >= 0) || (u->assigned && u->external < 0);
}

/* A constant, which in OpenCL has an address space of its own. */
static bool is_constant(const lun_cunit *u)
{
    return u->assigned && u->is_const && !u->is_constant && !u->is_typedef && u->external < 0;
}

/* Up to which token nothing is renamed: past the word of the preprocessor line at i, past all of a
 * #pragma. */
static int past_plain(const lun_ctokens *t, int i)
{
    return lun__ctoken_word(t, i + 1, "pragma") ? lun__ctoken_past_line(t, i) : i + 2;
}

/* With the parameters' names of that very definition. */
static void put_entry(lun_cmaker *m, int unit, int from, int to, bool lines)
{
    lun_csignature own = m->head;
    lun_strbuf unused = LUN_STRBUF_INIT; /* it was read before */
    if (lines && unit != m->entry)
        (void)lun__csignature_read(&own, &m->source, &m->units.at[unit], &unused);
    lun__strbuf_free(&unused);
    put_head(m, &own, from, to, lines);
}

/* A helper's head in a text whose functions hand something on. */
static bool hands_on(const lun_cmaker *m, const lun_cunit *u)
{
    const lun_cname *n = lun__cmaker_name(m, u->name);
    return hands(m) && u->close >= 0 && !u->is_typedef && n && n->unit >= 0;
}

/* Its name, which is not to be taken for the macro, or the '(' of its parameters, at token *i. */
static void put_helper(lun_cmaker *m, const lun_cunit *u, int *i, size_t *done)
{
    const lun_ctokens *t = &m->source.tokens;
    if (*i == u->name) {
        lun__strbuf_puts(&m->text, "(");
        put_name(m, *i);
        lun__strbuf_puts(&m->text, ")");
    } else if (takes_nothing(m, u)) {
        lun__strbuf_puts(&m->text, "(LUN_FAULT_ONLY");
        *i = u->close - 1;
        *done = t->at[u->close].start;
    } else {
        lun__strbuf_puts(&m->text, "(LUN_FAULT_FIRST ");
    }
}

static void put_text(lun_cmaker *m)
{
    const lun_ctokens *t = &m->source.tokens;
    size_t done = 0;
    int unit = 0, plain = 0;
    for (int i = 0; i < t->count; i++) {
        while (unit < m->units.count && m->units.at[unit].end < i)
            unit++;
        const lun_cunit *u = unit < m->units.count ? &m->units.at[unit] : NULL;
        size_t start = t->at[i].start;
        lun__strbuf_add(&m->text, t->text + done, start - done);
        done = start + t->at[i].length;
        if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            plain = past_plain(t, i);
        if (u && i == u->start) {
            const lun_cname *n = lun__cmaker_name(m, u->name);
            bool entry = lun__cmaker_defines(m, unit);
            bool declares = n && n->unit == m->entry && u->close >= 0;
            if (entry || (declares && !u->is_typedef)) {
                int to = entry ? u->body : u->end;
                put_entry(m, unit, i, to, entry);
                i = to;
                done = (size_t)t->at[i].start + t->at[i].length;
            } else {
                if (to_static(m, u) && u->external < 0)
                    lun__strbuf_puts(&m->text, "static ");
                if (is_constant(u))
                    lun__strbuf_puts(&m->text, "LUN_CONSTANT ");
            }
        }
        if (u && i == u->external && to_static(m, u))
            lun__strbuf_puts(&m->text, "static");
        else if (u && (i == u->name || i == u->open) && hands_on(m, u))
            put_helper(m, u, &i, &done);
        else if (i < plain)
            lun__strbuf_add(&m->text, t->text + start, done - start);
        else
            put_token(m, i);
    }
}

static lun_status write_text(lun_cmaker *m)
{
    put_macros(m, "push_macro");
    put_names(m, true);
    if (m->division)
        lun__cscratch_macros(m->division, &m->text);
    if (m->has_barriers)
        lun__cbarrier_macros(m, true, &m->text);
    put_text(m);
    if (m->has_barriers)
        lun__cbarrier_macros(m, false, &m->text);
    if (m->division)
        lun__cscratch_forget(&m->text);
    put_names(m, false);
    put_macros(m, "pop_macro");
    return m->text.failed ? LUN_ENOMEM : LUN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

lun_status lun__cwrite_function(lun_cmaker *m, lun_ir_function **out)
{
    lun_status status = LUN_OK;
    m->edits.tokens = m->source.tokens.count;
    lun__cmaker_identify(m);
    if (m->division)
        status = edit_team(m);
    else if (m->in_place)
        status = edit_in_place(m);
    else
        status = lun__cneighbours_find(&m->neighbours, &m->edits, &m->source, &m->units, &m->names,
                                       m->entry, m->error);
    if (status == LUN_OK)
        status = lun__cchecks_find(&m->checks, &m->edits, &m->source, &m->units, m->entry, m->plain,
                                   m->error);
    if (status == LUN_OK)
        status = lun__cstop_checks_find(&m->asks, &m->edits, &m->source, &m->units, &m->names,
                                        m->entry, m->checks.count > 0);
    if (status == LUN_OK)
        status = check_params(m);
    if (status == LUN_OK)
        status = write_text(m);
    if (status == LUN_OK)
        status = give(m, out);
    lun__strbuf_free(&m->text);
    lun__cchecks_free(&m->checks);
    free(m->neighbours.at);
    lun__cedits_free(&m->edits);
    return status;
}

void lun__cwrite_function_free(lun_ir_function *f)
{
    if (!f)
        return;
    for (int k = 0; k < f->fault_count; k++)
        free(f->faults[k].text);
    free(f->faults);
    free(f->neighbour);
    free(f->text);
    free(f->name);
    free(f);
}
