/* function.c - a user's C text made into a function of kernels: chooses the entry, rewrites its
 * head, and gives every name of the text's top level one that no other text has.  Bodies are
 * copied as written. */
#include "ctext/function.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "ctext/names.h"
#include "ctext/signature.h"
#include "ctext/source.h"
#include "ctext/unit.h"
#include "table/dtype.h"

typedef struct maker {
    lun_csource source;
    lun_cunits units;
    lun_csignature head;
    lun_cnames names;
    int entry; /* its unit */
    uint64_t hash;
    lun_strbuf text, *error;
} maker;

static lun_cname *find_name(const maker *m, int token)
{
    return lun__cnames_find(&m->names, &m->source.tokens, token);
}

/* ---- the entry ------------------------------------------------------------------------------- */

static bool called(const maker *m, const lun_cunit *u, const char *word)
{
    return u->name >= 0 && lun__ctoken_word(&m->source.tokens, u->name, word);
}

static lun_status wrong(const maker *m, int token, const char *what)
{
    return lun__csource_error(&m->source, token, m->error, "%s", what);
}

/* Several functions, of which none is marked, called f or nameless. */
static lun_status choose_unused(maker *m)
{
    char text[48];
    int found = 0, listed = 0;
    lun__cnames_mark(&m->names, &m->source.tokens, &m->units);
    for (int i = 0; i < m->names.count; i++)
        if (m->names.at[i].unit >= 0 && !m->names.at[i].used) {
            found++;
            m->entry = m->names.at[i].unit;
        }
    if (found == 1)
        return LUN_OK;
    lun__csource_error(
        &m->source, m->units.at[0].start, m->error,
        "which function is the entry? Call it f or write its name as <f>; there are");
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

static lun_status no_function(const maker *m)
{
    if (!m->units.count) {
        lun__strbuf_printf(m->error,
                           "%s, line 1: no function in it; write one as (float x) { return ...; }",
                           m->source.files[0].name);
        return LUN_EARG;
    }
    const lun_cunit *u = &m->units.at[0];
    return u->close >= 0
               ? wrong(m, u->end, "no body: after the parameters follows { return ...; }")
               : wrong(m, u->start,
                       "no parameter list: write a function as (float x) { return ...; }");
}

static lun_status choose(maker *m)
{
    int marked = -1, f = -1, nameless = -1, last = -1, functions = 0;
    for (int i = 0; i < m->units.count; i++) {
        const lun_cunit *u = &m->units.at[i];
        if (u->body < 0)
            continue;
        functions++;
        last = i;
        if (u->marked && !called(m, u, "f"))
            return wrong(m, u->name, "the entry's name is written <f>, with no other name");
        if (u->marked && marked >= 0)
            return wrong(m, u->name, "a second function is marked <f>");
        if (u->name < 0 && nameless >= 0)
            return wrong(m, u->start,
                         "a second function without a name; only the entry may have none");
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
                     "a function without a name, beside the entry f; give it a name");
    if (functions > 1 && marked < 0 && f < 0 && nameless < 0)
        return choose_unused(m);
    return LUN_OK;
}

/* The entry is defined once; helpers have a result type, which C would take for int. */
static lun_status check_functions(const maker *m)
{
    const lun_ctokens *t = &m->source.tokens;
    char text[48];
    for (int i = 0; i < m->units.count; i++) {
        const lun_cunit *u = &m->units.at[i];
        if (u->body < 0 || i == m->entry)
            continue;
        const lun_cname *n = find_name(m, u->name);
        const lun_cunit *entry = &m->units.at[m->entry];
        if (entry->name >= 0 && n == find_name(m, entry->name))
            return lun__csource_error(&m->source, u->name, m->error,
                                      "the entry %s is defined twice, also on line %d",
                                      lun__ctoken_show(t, u->name, text),
                                      lun__csource_line(&m->source, t->at[entry->name].start));
        int k = u->start;
        while (k < u->name && lun__csignature_qualifier(t, k))
            k++;
        if (k == u->name)
            return lun__csource_error(
                &m->source, u->name, m->error,
                "the result's type of %s is missing; only the entry may have none",
                lun__ctoken_show(t, u->name, text));
    }
    return LUN_OK;
}

/* ---- the text -------------------------------------------------------------------------------- */

static void put_token(maker *m, int token)
{
    const lun_ctokens *t = &m->source.tokens;
    const lun_cname *n = find_name(m, token);
    if (n && n->unit == m->entry) {
        lun__strbuf_printf(&m->text, "lun_user_%016" PRIx64, m->hash);
        return;
    }
    lun__strbuf_add(&m->text, t->text + t->at[token].start, t->at[token].length);
    if (n)
        lun__strbuf_printf(&m->text, "_%016" PRIx64, m->hash);
}

/* The newlines between two tokens, so that what follows stands on its own line. */
static void put_newlines(maker *m, int from, int to)
{
    const lun_ctokens *t = &m->source.tokens;
    for (uint32_t i = t->at[from].start; i < t->at[to].start; i++)
        if (t->text[i] == '\n')
            lun__strbuf_puts(&m->text, "\n");
}

static void put_type(maker *m, lun_dtype t)
{
    lun__strbuf_puts(&m->text, lun__dtype_is_bool(t) ? "bool" : lun__dtype_get(t)->ctype);
}

/* The entry's head, in place of tokens from .. to-1; lines: each parameter stays on its line. */
static void put_head(maker *m, int from, int to, bool lines)
{
    lun__strbuf_puts(&m->text, "static ");
    put_type(m, m->head.result);
    lun__strbuf_printf(&m->text, " lun_user_%016" PRIx64 "(", m->hash);
    for (int k = 0; k < m->head.count; k++) {
        int token = m->head.param[k].name;
        lun_dtype dtype = m->head.param[k].dtype;
        if (lines)
            put_newlines(m, from, token);
        if (m->head.param[k].array) {
            lun__strbuf_printf(&m->text, "LUN_GLOBAL const %s *", lun__dtype_get(dtype)->ctype);
        } else {
            put_type(m, dtype);
            lun__strbuf_puts(&m->text, " ");
        }
        put_token(m, token);
        if (k + 1 < m->head.count)
            lun__strbuf_puts(&m->text, ", ");
        if (lines)
            from = token;
    }
    put_newlines(m, from, to);
    lun__strbuf_puts(&m->text, ") ");
}

/* #pragma push_macro or pop_macro for every macro of the text. */
static void put_macros(maker *m, const char *pragma)
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
static bool to_static(const maker *m, const lun_cunit *u)
{
    if (u->is_static || u->is_typedef)
        return false;
    if (u->body >= 0)
        return true;
    const lun_cname *n = find_name(m, u->name);
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

static void put_text(maker *m)
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
            const lun_cname *n = find_name(m, u->name);
            bool entry = unit == m->entry, declares = n && n->unit == m->entry && u->close >= 0;
            if (entry || (declares && !u->is_typedef)) {
                int to = entry ? u->body : u->end;
                put_head(m, i, to, entry);
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
        else if (i < plain)
            lun__strbuf_add(&m->text, t->text + start, done - start);
        else
            put_token(m, i);
    }
}

static lun_status render(maker *m)
{
    m->hash = XXH3_64bits(m->source.text.text, m->source.text.length);
    put_macros(m, "push_macro");
    put_text(m);
    put_macros(m, "pop_macro");
    return m->text.failed ? LUN_ENOMEM : LUN_OK;
}

/* ---- the function ---------------------------------------------------------------------------- */

static lun_status give(maker *m, lun_ir_function **out)
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
    f->outputs = 1;
    f->params = m->head.count;
    for (int k = 0; k < f->params; k++) {
        f->param[k].dtype = (uint8_t)m->head.param[k].dtype;
        f->param[k].pointer = m->head.param[k].array;
    }
    f->result = (uint8_t)m->head.result;
    *out = f;
    return LUN_OK;
}

/* From the source, once it is read, to the function; frees all of m. */
static lun_status make(maker *m, lun_status status, lun_ir_function **out)
{
    if (status == LUN_OK)
        status = lun__cunits_read(&m->units, &m->source, m->error);
    if (status == LUN_OK)
        status = lun__cnames_read(&m->names, &m->source, &m->units);
    if (status == LUN_OK)
        status = choose(m);
    if (status == LUN_OK)
        status = check_functions(m);
    if (status == LUN_OK)
        status = lun__csignature_read(&m->head, &m->source, &m->units.at[m->entry], m->error);
    if (status == LUN_OK)
        status = render(m);
    if (status == LUN_OK)
        status = give(m, out);
    lun__csource_free(&m->source);
    lun__cunits_free(&m->units);
    lun__strbuf_free(&m->text);
    lun__cnames_free(&m->names);
    return status;
}

lun_status lun__cfunc_parse(const char *text, lun_ir_function **out, lun_strbuf *error)
{
    maker m = {.error = error};
    return make(&m, lun__csource_string(&m.source, text ? text : "", error), out);
}

lun_status lun__cfunc_file(const char *path, lun_ir_function **out, lun_strbuf *error)
{
    maker m = {.error = error};
    return make(&m, lun__csource_path(&m.source, path ? path : "", error), out);
}

void lun__cfunc_free(lun_ir_function *f)
{
    if (!f)
        return;
    free(f->text);
    free(f->name);
    free(f);
}
