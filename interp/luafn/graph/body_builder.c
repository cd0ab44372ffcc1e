/* body_builder.c - registers, values, edges and messages of one body being translated. */
#include "luafn/graph/body_builder.h"

#include <stdarg.h>
#include <stdio.h>

#include "luafn/graph/local_names.h"

/* The source of the current instruction; of a built-in method its call. */
static lf_spot spot(const lf_builder *b)
{
    const lf_frame *f = b->f;
    int pc = b->pc;
    for (; f->built_in; f = f->caller)
        pc = f->call_pc;
    return (lf_spot){f->proto, pc};
}

void luafn_builder_stop(lf_builder *b, const char *format, ...)
{
    const lf_spot at = spot(b);
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    luafn_debug_fail(&b->c->unit, at.proto, at.pc, "%s", text);
}

void luafn_builder_too_large(lf_builder *b)
{
    luafn_builder_stop(b, "the function is too large after its calls have been inlined: split it");
}

lf_value *luafn_builder_get(lf_builder *b, int reg)
{
    return luafn_graph_read(b->g, b->f->base + reg, b->g->now);
}

void luafn_builder_set(lf_builder *b, int reg, lf_value *v)
{
    luafn_graph_write(b->g, b->f->base + reg, b->g->now, v);
    if (!b->f->built_in)
        luafn_local_name_report(b->c, b->f->proto, reg, b->pc, v);
}

lf_value *luafn_builder_const_of(lf_builder *b, int index)
{
    const lf_const *k = &b->f->proto->k[index];
    switch (k->tag) {
    case LF_K_NIL:
        return luafn_graph_nil(b->g);
    case LF_K_FALSE:
    case LF_K_TRUE:
        return luafn_graph_bool(b->g, k->tag == LF_K_TRUE);
    case LF_K_INT:
        return luafn_graph_int(b->g, k->as.i);
    case LF_K_FLOAT:
        return luafn_graph_float(b->g, k->as.n);
    default: {
        lf_value *v = luafn_graph_value(b->g, LF_STRING, 0);
        v->type = LF_OBJECT;
        v->as.s = k->as.s;
        return v;
    }
    }
}

lf_value *luafn_builder_new_op(lf_builder *b, lf_kind kind, unsigned sub, int args)
{
    lf_value *v = luafn_graph_value(b->g, kind, args);
    if (b->g->values - b->g->unrolled > LF_MAX_VALUES)
        luafn_builder_too_large(b);
    v->sub = (uint8_t)sub;
    const lf_spot at = spot(b);
    v->proto = at.proto;
    v->pc = at.pc;
    v->block = b->g->now;
    luafn_arena_push(b->g->u, &b->g->now->ops, v);
    return v;
}

lf_value *luafn_builder_emit1(lf_builder *b, lf_kind kind, unsigned sub, lf_value *x)
{
    lf_value *v = luafn_builder_new_op(b, kind, sub, 1);
    v->arg[0] = x;
    return v;
}

lf_value *luafn_builder_emit2(lf_builder *b, lf_kind kind, unsigned sub, lf_value *x, lf_value *y)
{
    if (kind == LF_ARITH) {
        lf_value *r = luafn_fold_lua(b->g, (lf_arith)sub, x, y);
        if (r)
            return r;
    }
    lf_value *v = luafn_builder_new_op(b, kind, sub, 2);
    v->arg[0] = x;
    v->arg[1] = y;
    return v;
}

lf_value *luafn_builder_emit4(lf_builder *b, lf_kind kind, lf_value *x, lf_value *y, lf_value *z,
                              lf_value *w)
{
    lf_value *v = luafn_builder_new_op(b, kind, 0, w ? 4 : 3);
    v->arg[0] = x;
    v->arg[1] = y;
    v->arg[2] = z;
    if (w)
        v->arg[3] = w;
    return v;
}

const char *luafn_builder_describe(const lf_value *v)
{
    switch ((lf_kind)v->kind) {
    case LF_FUNCTION:
    case LF_BUILTIN:
    case LF_FORMER:
    case LF_ROW:
    case LF_ATOMIC:
    case LF_CLOSURE:
        return "a function";
    case LF_METHOD:
        return "a method";
    case LF_TEAM:
        return "the team";
    case LF_TABLE:
        return "a table";
    case LF_COMPLEXES:
        return "a complex array";
    case LF_STRUCT:
        return "a struct";
    case LF_BLOCKED:
        return "a blocked array";
    case LF_RECORD:
        return v->as.i < 0 ? "a list" : "a record";
    case LF_RECORD_AT:
        return "a record";
    case LF_AROUND:
        return "the elements around an index";
    case LF_ARRAY:
        return "an array";
    case LF_PART:
        return "a part of an array";
    case LF_STRING:
        return "a string";
    case LF_OTHER:
        return "a value that is not a number";
    case LF_CONST:
        return v->type == LF_NIL ? "nil" : v->type == LF_BOOL ? "a boolean" : "a number";
    default:
        return "a value";
    }
}

const char *luafn_builder_reg_name(const lf_builder *b, int reg)
{
    const char *name = reg < 0 ? NULL : luafn_debug_local_name(b->f->proto, reg, b->pc);
    if (!name)
        return "";
    char *text = luafn_arena_new(&b->c->unit, 16 + 64, 1);
    snprintf(text, 16 + 64, " (local '%.60s')", name);
    return text;
}

const char *luafn_builder_value_name(const lf_builder *b, const lf_value *v, int reg)
{
    const char *name = luafn_builder_reg_name(b, reg);
    bool source = v->kind == LF_STRING || v->kind == LF_FUNCTION || v->kind == LF_TABLE ||
                  v->kind == LF_OTHER || (v->kind == LF_ARRAY && v->as.i >= 0);
    if (*name || !source)
        return name;
    char *text = luafn_arena_new(&b->c->unit, 128, 1);
    if (v->kind == LF_STRING)
        snprintf(text, 128, " ('%.100s')", v->as.s);
    else
        snprintf(text, 128, " (%.100s)", luafn_captured_source_name(b->c, (int)v->as.i));
    return text;
}

void luafn_builder_need_number(lf_builder *b, const lf_value *v, int reg, const char *what)
{
    const char *hint = "only numbers and booleans are supported";
    if (v->kind == LF_ARRAY || v->kind == LF_COMPLEXES)
        hint = "index an element, w[i], or pass arrays of one shape to lun.zip, or to lun.map with "
               "{elements=3}";
    if (v->kind == LF_RECORD || v->kind == LF_RECORD_AT)
        hint = v->as.i < 0 ? "take one of its elements" : "take one of its fields";
    if (v->kind == LF_PART) {
        lf_whose of = lf_whose_is(b->c, v);
        luafn_builder_stop(
            b,
            "%s on a part of '%s', which has %d dimensions but is indexed with %d %s: take "
            "an element",
            what, luafn_captured_array_name(b->c, v), of.rank, of.fixed,
            of.fixed == 1 ? "index" : "indices");
    }
    if (v->kind >= LF_FUNCTION && v->kind <= LF_OTHER)
        luafn_builder_stop(b, "%s on %s%s: %s", what, luafn_builder_describe(v),
                           luafn_builder_value_name(b, v, reg), hint);
}

int luafn_builder_upvalue_var(lf_builder *b, const lf_frame *f, int index, lf_value **value)
{
    while (f->closure) {
        const lf_upval *u = &f->proto->upval[index];
        f = f->closure->frame;
        if (u->in_stack)
            return f->base + u->index;
        index = u->index;
    }
    *value = luafn_captured_upvalue(b->c, b->f, b->pc, f->source, index + 1);
    return -1;
}

/* ---- edges ----------------------------------------------------------------------------------- */

lf_block *luafn_builder_target(lf_builder *b, int pc)
{
    int i = b->f->proto->flow->at[pc];
    if (i < 0)
        luafn_builder_stop(b, "the bytecode of this Lua function is invalid");
    return i <= b->span ? b->head[i] : b->start[i];
}

void luafn_builder_jump_to(lf_builder *b, int pc)
{
    luafn_graph_jump(b->g, b->g->now, luafn_builder_target(b, pc));
    b->ended = true;
}

void luafn_builder_branch_to(lf_builder *b, lf_value *cond, int yes, int no)
{
    luafn_graph_branch(b->g, b->g->now, cond, luafn_builder_target(b, yes),
                       luafn_builder_target(b, no));
    b->ended = true;
}
