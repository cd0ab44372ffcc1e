/* report.c - the types that inference found, as text: of parameters, captured values, local
 * variables and results, and where integers become floats. Runs after inference; changes
 * nothing. */
#include "luafn/type/type.h"

#include <string.h>

#include "luafn/graph/captured.h"
#include "luafn/graph/local_names.h"
#include "luafn/type/rules.h"

static const char *type_name(const lf_compile *c, lf_type t)
{
    switch (lf_settled(c, t)) {
    case LF_I32:
        return "i32";
    case LF_I64:
        return "i64";
    case LF_F32:
        return "f32";
    case LF_F64:
        return "f64";
    case LF_Z32:
        return "c64";
    case LF_Z64:
        return "c128";
    case LF_BOOL:
        return "bool";
    case LF_OBJECT:
        return "function or array";
    case LF_NIL:
        return "nil";
    case LF_NONE:
        return "never computed";
    default:
        return "of mixed types";
    }
}

static lf_type type_of(lf_value *v)
{
    return (lf_type)luafn_graph_find(v)->type;
}

/* One local variable: all values that are written to it. */
static void put_local(const lf_compile *c, int first, lun_strbuf *out)
{
    const lf_named *of = c->named.at[first];
    const lf_named *integer = NULL;
    lf_type t = LF_NONE;
    bool narrowed = false;
    int values = 0;
    for (int i = first; i >= 0; i = ((const lf_named *)c->named.at[i])->next) {
        const lf_named *n = c->named.at[i];
        values++;
        narrowed |= luafn_graph_find(n->value)->narrowed;
        t = luafn_type_join(t, type_of(n->value));
        if (!integer && lf_is_int(type_of(n->value)))
            integer = n;
    }
    if (values == 1 && of->pc < 0)
        return; /* a parameter that keeps its value */
    lun__strbuf_printf(out, "\n  local %s: %s", of->name, type_name(c, t));
    if (narrowed && t == LF_F32)
        lun__strbuf_puts(out, " (float literals alone become f32)");
    if (integer && lf_is_float(t))
        lun__strbuf_printf(out, " (the integer of line %d becomes a float)",
                           luafn_debug_line(integer->proto, integer->pc));
}

static size_t hash(const char *name)
{
    size_t h = 5381;
    while (*name)
        h = h * 33 + (unsigned char)*name++;
    return h;
}

/* Links the values of each name, in their order. */
static void link_names(lf_compile *c)
{
    size_t room = 16;
    while (room < 2 * (size_t)c->named.count)
        room *= 2;
    int *known = LF_NEW(&c->unit, int, room); /* by hash: the first so far of a name, from 1 */
    for (int i = c->named.count - 1; i >= 0; i--) {
        lf_named *n = c->named.at[i], *next = NULL;
        size_t at = hash(n->name) & (room - 1);
        while (known[at] && (next = c->named.at[known[at] - 1], strcmp(next->name, n->name) != 0))
            at = (at + 1) & (room - 1);
        n->next = known[at] - 1;
        n->first = true;
        if (known[at])
            next->first = false;
        known[at] = i + 1;
    }
}

static void put_captured(lf_compile *c, lun_strbuf *out)
{
    for (int i = 1; i < c->sources; i++) {
        const lf_capture *s = &c->source[i].capture;
        const char *name = luafn_captured_source_name(c, i);
        if (luafn_captured_is_part(c, i))
            continue;
        if (s->kind == LF_CAPTURE_COMPLEX)
            lun__strbuf_printf(out, "\n  captured %s: %s", name,
                               s->rank < 0 ? "a complex number, read at each call"
                                           : "array of complex numbers");
        else if (s->kind == LF_CAPTURE_ARRAY)
            lun__strbuf_printf(out, "\n  captured %s: array of %s", name, lun_dtype_name(s->dtype));
        else if (s->kind >= LF_CAPTURE_BOOL && s->kind <= LF_CAPTURE_FLOAT)
            lun__strbuf_printf(out, "\n  captured %s: %s, read at each call", name,
                               lun__dtype_is_float(s->value.dtype)  ? "a float"
                               : lun__dtype_value_is_bool(s->value) ? "a boolean"
                                                                    : "an integer");
    }
}

/* Argument i of the function that is wrapped. */
static void put_argument(lf_compile *c, const lf_proto *p, int i, lun_strbuf *out)
{
    const char *name = luafn_debug_local_name(p, i, 0);
    const lf_value *v = luafn_graph_find(c->shown_args.at[i]);
    const bool pair = v->kind == LF_COMPLEXES;
    const lf_value *at = pair ? luafn_graph_find(v->arg[0]) : v;
    const bool whole = at->kind == LF_ARRAY, around = at->kind == LF_AROUND;
    lf_type t = (lf_type)v->type;
    if (whole || around)
        t = luafn_graph_type_of(whole ? lf_whose_is(c, at).dtype : c->param[at->as.i].dtype);
    lun__strbuf_printf(out, "%s%s: %s%s", i ? ", " : "", name ? name : "?",
                       whole    ? "array of "
                       : around ? "elements around an index, of "
                                : "",
                       type_name(c, pair ? lf_complex_of(lf_part_of(t)) : t));
}

void luafn_report(lf_compile *c, lun_strbuf *out)
{
    const lf_proto *p = c->shown;
    link_names(c);
    lun__strbuf_puts(out, "function ");
    luafn_debug_where(p, -1, out);
    lun__strbuf_puts(out, "(");
    for (int i = 0; i < c->shown_args.count && i < p->params; i++)
        put_argument(c, p, i, out);
    for (int i = 0; p == c->program->proto && i < p->params && i < c->params; i++) {
        const char *name = luafn_debug_local_name(p, i, 0);
        lun__strbuf_printf(out, "%s%s: %s%s", i ? ", " : "", name ? name : "?",
                           c->param[i].array                       ? "array of "
                           : c->param[i].index == LUN_FRONT_AROUND ? "elements around an index, of "
                                                                   : "",
                           c->param[i].array || c->param[i].index == LUN_FRONT_AROUND ||
                                   !c->param_value[i]
                               ? lun_dtype_name(c->param[i].dtype)
                               : type_name(c, (lf_type)c->param_value[i]->type));
    }
    lun__strbuf_puts(out, ") returns ");
    for (int i = 0; i < c->graph.results.count; i++)
        lun__strbuf_printf(out, "%s%s", i ? ", " : "",
                           type_name(c, type_of(c->graph.results.at[i])));
    put_captured(c, out);
    for (int i = 0; i < c->named.count; i++)
        if (((const lf_named *)c->named.at[i])->first)
            put_local(c, i, out);
}
