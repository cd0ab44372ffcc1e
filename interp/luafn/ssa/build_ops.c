/* build_ops.c - instructions that compute: moves, constants, arithmetic, upvalues, indexing. */
#include <string.h>

#include "luafn/ssa/assign_element.h"
#include "luafn/ssa/build.h"
#include "luafn/ssa/captured_record.h"
#include "luafn/ssa/complex_value.h"
#include "luafn/ssa/put_rounds.h"

static lf_value *upvalue(lf_builder *b, int index)
{
    lf_value *v = NULL;
    int var = luafn_builder_upvalue_var(b, b->f, index, &v);
    return var < 0 ? v : luafn_graph_read(b->g, var, b->g->now);
}

/* The advice for an assignment to a variable. */
static const char *instead(const lf_builder *b)
{
    return b->c->writes || b->c->team ? "use a reduction, or assign an element of an array"
                                      : "return the value instead";
}

static void set_upvalue(lf_builder *b, uint32_t w)
{
    lf_value *v = NULL;
    int var = luafn_builder_upvalue_var(b, b->f, lf_b(w), &v);
    if (var < 0)
        luafn_builder_stop(b, "assignment to the captured variable '%s' is not supported: %s",
                           b->f->proto->upval[lf_b(w)].name, instead(b));
    luafn_graph_write(b->g, var, b->g->now, luafn_builder_get(b, lf_a(w)));
}

/* ---- indexing -------------------------------------------------------------------------------- */

/* z.re or z.im of what may be a complex number; NULL: it is none, or records on different paths. */
static lf_value *part_of_number(lf_builder *b, lf_value *t, const char *name)
{
    for (int k = 0; t->kind == LF_PHI && k < t->args; k++)
        if (luafn_graph_find(t->arg[k])->kind == LF_RECORD)
            return NULL;
    return luafn_complex_value_field(b, t, name);
}

static void get_field(lf_builder *b, uint32_t w)
{
    bool up = lf_op(w) == OP_GETTABUP;
    lf_value *t = up ? upvalue(b, lf_b(w)) : luafn_builder_get(b, lf_b(w));
    const lf_const *k = &b->f->proto->k[lf_c(w)];
    const char *name = luafn_builder_value_name(b, t, up ? -1 : lf_b(w));
    lf_value *field = k->tag != LF_K_STRING ? NULL : part_of_number(b, t, k->as.s);
    if (!field && k->tag == LF_K_STRING)
        field = luafn_captured_record_field(b, t, up ? -1 : lf_b(w), k->as.s);
    if (field) {
        luafn_builder_set(b, lf_a(w), field);
        return;
    }
    if (t->kind == LF_TEAM && k->tag == LF_K_STRING)
        luafn_builder_stop(b, "a method of t is called: t:%.60s(...)", k->as.s);
    if (t->kind != LF_TABLE || k->tag != LF_K_STRING)
        luafn_builder_stop(
            b, "field '%.60s' of %s%s: only fields of captured tables and of records can be read",
            k->as.s, luafn_builder_describe(t), name);
    luafn_builder_set(b, lf_a(w), luafn_captured_field(b->c, b->f, b->pc, (int)t->as.i, k->as.s));
}

/* t:name, of a team's t, or z:name, of what may be a complex number. */
static void get_method(lf_builder *b, uint32_t w)
{
    lf_value *t = luafn_builder_get(b, lf_b(w));
    const lf_const *name = lf_k(w) ? &b->f->proto->k[lf_c(w)] : NULL;
    const bool known = t->kind == LF_TEAM || luafn_complex_value_may_be(t);
    if (!known || !name || name->tag != LF_K_STRING)
        luafn_builder_stop(
            b, "a method call is not supported: compute the result beforehand and capture it");
    lf_value *v = luafn_graph_value(b->g, LF_METHOD, 0);
    v->type = LF_OBJECT;
    v->as.s = name->as.s;
    luafn_builder_set(b, lf_a(w) + 1, t);
    luafn_builder_set(b, lf_a(w), v);
}

static lf_value *array_at(lf_builder *b, int reg, const char *what)
{
    lf_value *v = luafn_builder_get(b, reg);
    if (v->kind == LF_ARRAY || v->kind == LF_PART)
        return v;
    if (v->kind == LF_TABLE)
        luafn_builder_stop(
            b,
            "%s of a table%s cannot be read%s: convert the table with lun.vector(t) and "
            "capture the array",
            what, luafn_builder_value_name(b, v, reg),
            *what == 'a' ? " at an index that is no constant" : "");
    if (v->kind == LF_BLOCKED)
        luafn_builder_stop(
            b,
            "%s of a blocked array%s: lun.spmd.sharedon runs loops over blocked arrays, and "
            "a:distribute(\"copy\", {over=\"ranks\"}) is a private array",
            what, luafn_builder_value_name(b, v, reg));
    if (v->kind == LF_LOAD) {
        int rank = lf_whose_is(b->c, v->arg[0]).rank;
        luafn_builder_stop(
            b, "%s of an element of '%s', which has %d dimension%s: too many indices", what,
            luafn_captured_array_name(b->c, v->arg[0]), rank, rank == 1 ? "" : "s");
    }
    for (int k = 0; v->kind == LF_PHI && k < v->args; k++)
        if (v->arg[k]->kind == LF_ARRAY || v->arg[k]->kind == LF_PART)
            luafn_builder_stop(
                b,
                "%s of a value that is a different array on each path%s: read the element "
                "on each path",
                what, luafn_builder_reg_name(b, reg));
    luafn_builder_stop(b, "%s of %s%s: only captured arrays and array arguments have elements",
                       what, luafn_builder_describe(v), luafn_builder_value_name(b, v, reg));
}

/* The index of an instruction that reads or assigns an element. */
static lf_value *index_at(lf_builder *b, int reg)
{
    lf_value *i = luafn_builder_get(b, reg);
    luafn_builder_need_number(b, i, reg, "indexing");
    return i;
}

/* Whether t is captured records, or an element of some that have more axes. */
static bool has_records(const lf_builder *b, const lf_value *t)
{
    return t->kind == LF_RECORD_AT || luafn_record_value_is(b->c, t);
}

static void get_element(lf_builder *b, uint32_t w)
{
    lf_value *t = luafn_builder_get(b, lf_b(w));
    lf_value *i =
        lf_op(w) == OP_GETI ? luafn_graph_int(b->g, lf_c(w)) : luafn_builder_get(b, lf_c(w));
    int64_t key;
    if (t->kind == LF_TABLE && !luafn_record_value_is(b->c, t) &&
        luafn_known_integer(b->c, i, &key)) {
        luafn_builder_set(b, lf_a(w), luafn_captured_item(b->c, b->f, b->pc, (int)t->as.i, key));
        return;
    }
    if (lf_op(w) != OP_GETI)
        i = index_at(b, lf_c(w));
    lf_value *item = luafn_captured_record_item(b, t, i);
    if (item) {
        luafn_builder_set(b, lf_a(w), item);
        return;
    }
    if (has_records(b, t)) {
        luafn_builder_set(b, lf_a(w), luafn_captured_record_next(b, t, i));
        return;
    }
    if (t->kind == LF_COMPLEXES) {
        luafn_builder_set(b, lf_a(w), luafn_complex_value_element(b, t, i));
        return;
    }
    t = array_at(b, lf_b(w), "an element");
    luafn_builder_set(b, lf_a(w), luafn_cell_element(b, t, luafn_assign_element_index(b, t, i)));
}

/* The operand C of w, which is assigned. */
static lf_value *assigned(lf_builder *b, uint32_t w)
{
    return lf_k(w) ? luafn_builder_const_of(b, lf_c(w)) : luafn_builder_get(b, lf_c(w));
}

static void set_element(lf_builder *b, uint32_t w)
{
    if (!b->c->writes && !b->c->team)
        luafn_builder_stop(b,
                           "assignment to an element or field is not supported: return the value "
                           "instead, or assign it in lun.each or lun.teams");
    lf_value *t = luafn_builder_get(b, lf_a(w));
    const bool records = has_records(b, t);
    if (t->kind != LF_COMPLEXES && !records)
        t = array_at(b, lf_a(w), "an element");
    lf_value *i = lf_op(w) == OP_SETI ? luafn_graph_int(b->g, lf_b(w)) : index_at(b, lf_b(w));
    if (records)
        luafn_assign_element_record(b, luafn_captured_record_next(b, t, i), assigned(b, w));
    else
        luafn_assign_element(b, t, i, assigned(b, w));
}

/* A field of captured records at an index; false: it is no such field. */
static bool set_field(lf_builder *b, uint32_t w)
{
    const lf_value *v = luafn_builder_get(b, lf_a(w));
    const lf_const *k = &b->f->proto->k[lf_b(w)];
    bool settable = (b->c->writes || b->c->team) && k->tag == LF_K_STRING;
    lf_value *t = settable ? luafn_captured_record_array(b, v, lf_a(w), k->as.s) : NULL;
    if (!t)
        return false;
    if (luafn_record_value_is(b->c, t)) {
        luafn_assign_element_record(b, luafn_record_value_at_same(b, t, v), assigned(b, w));
        return true;
    }
    const char *form = luafn_captured_record_form(b, v, k->as.s);
    t = luafn_captured_record_row(b, t, v, v->args - 1);
    lf_value *i = luafn_graph_find(v->arg[v->args - 1]);
    if (*form == '[')
        luafn_assign_element_list(b, luafn_captured_record_element(b, t, i), form, assigned(b, w));
    else
        luafn_assign_element(b, t, i, assigned(b, w));
    return true;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void arithmetic(lf_builder *b, uint32_t w, lf_arith op, bool constant)
{
    lf_value *x = luafn_builder_get(b, lf_b(w)), *y;
    luafn_builder_need_number(b, x, lf_b(w), "arithmetic");
    if (constant) {
        const lf_const *k = &b->f->proto->k[lf_c(w)];
        y = k->tag == LF_K_INT ? luafn_graph_int(b->g, k->as.i) : luafn_graph_float(b->g, k->as.n);
    } else {
        y = luafn_builder_get(b, lf_c(w));
        luafn_builder_need_number(b, y, lf_c(w), "arithmetic");
    }
    luafn_builder_set(b, lf_a(w), luafn_builder_emit2(b, LF_ARITH, op, x, y));
}

/* SHRI is x >> sC, SHLI is sC << x. */
static void immediate(lf_builder *b, uint32_t w)
{
    lf_value *x = luafn_builder_get(b, lf_b(w)), *n = luafn_graph_int(b->g, lf_sc(w));
    luafn_builder_need_number(b, x, lf_b(w), "arithmetic");
    if (lf_op(w) == OP_SHLI)
        luafn_builder_set(b, lf_a(w), luafn_builder_emit2(b, LF_ARITH, LF_SHL, n, x));
    else
        luafn_builder_set(
            b, lf_a(w),
            luafn_builder_emit2(b, LF_ARITH, lf_op(w) == OP_ADDI ? LF_ADD : LF_SHR, x, n));
}

static void unary(lf_builder *b, uint32_t w, lf_kind kind)
{
    lf_value *x = luafn_builder_get(b, lf_b(w));
    if (kind == LF_LENGTH && luafn_record_value_is_list(x)) {
        luafn_builder_set(b, lf_a(w), luafn_graph_int(b->g, x->args));
        return;
    }
    lf_value *records = NULL;
    if (kind == LF_LENGTH && (luafn_record_value_is(b->c, x) || x->kind == LF_RECORD_AT))
        records = luafn_captured_record_measured(b, x);
    if (records) {
        x = records;
    } else if (kind == LF_LENGTH && x->kind == LF_COMPLEXES) {
        x = luafn_graph_find(x->arg[0]);
    } else if (kind == LF_LENGTH) {
        x = array_at(b, lf_b(w), "the length");
    } else if (kind != LF_NOT) {
        luafn_builder_need_number(b, x, lf_b(w), "arithmetic");
        if (kind == LF_NEG && lf_is_whole(x)) {
            luafn_builder_set(b, lf_a(w), luafn_graph_whole(b->g, x->type, -x->as.i));
            return;
        }
        if (kind == LF_NEG && lf_is_const(x, LF_WF)) {
            luafn_builder_set(b, lf_a(w), luafn_graph_float(b->g, -x->as.n));
            return;
        }
    }
    luafn_builder_set(b, lf_a(w), luafn_builder_emit1(b, kind, 0, x));
}

/* Adds the values that a long constructor has put into the table in register a, c of them; false:
 * it is another table. */
static bool continued(lf_builder *b, int a, int c, lf_list *values)
{
    const lf_value *t = luafn_captured_record_resolved(b, luafn_builder_get(b, a));
    if (!luafn_record_value_is_list(t) || t->args != c)
        return false;
    for (int k = 0; k < c; k++)
        luafn_arena_push(&b->c->unit, values, t->arg[k]);
    return true;
}

/* {x, y}: the table, then its values from the next register on, fifty at a time. Others are
 * refused. */
static void list(lf_builder *b, uint32_t w)
{
    const bool begins = lf_op(w) == OP_NEWTABLE;
    const int a = lf_a(w), n = lf_b(w) ? lf_b(w) : b->top - a - 1;
    lf_list values = {0};
    if (begins ? lf_b(w) || !lf_c(w)
               : lf_k(w) || n < 1 || (lf_c(w) && !continued(b, a, lf_c(w), &values)))
        luafn_builder_stop(
            b, "a table constructor is not supported: use local variables, or capture an array");
    for (int k = 1; !begins && k <= n; k++)
        luafn_arena_push(&b->c->unit, &values, luafn_builder_get(b, a + k));
    luafn_builder_set(b, a, luafn_record_value_list(b, &values));
}

static _Noreturn void refuse(lf_builder *b, lf_opcode op)
{
    switch (op) {
    case OP_SETFIELD:
        luafn_builder_stop(b, "assignment to an element or field is not supported: %s", instead(b));
    case OP_SETTABUP: {
        const lf_proto *proto = b->f->proto;
        const int upvalue = lf_a(proto->code[b->pc]); /* of changed bytecode it may be no upvalue */
        if (upvalue >= proto->upvals || strcmp(proto->upval[upvalue].name, "_ENV") != 0)
            luafn_builder_stop(b, "assignment to an element or field is not supported: %s",
                               instead(b));
        luafn_builder_stop(b,
                           "assignment to a global variable is not supported: declare it local, or "
                           "return the value");
    }
    case OP_CONCAT:
        luafn_builder_stop(b,
                           "string concatenation (..) is not supported: kernels have no strings");
    case OP_TFORPREP:
    case OP_TFORCALL:
    case OP_TFORLOOP:
        luafn_builder_stop(
            b, "a generic 'for' is not supported: use a numeric for, 'for i = 1, #w do'");
    case OP_VARARG:
    case OP_VARARGPREP:
        luafn_builder_stop(b, "'...' is not supported: name the parameters");
    case OP_TBC:
        luafn_builder_stop(
            b, "a to-be-closed variable is not supported: kernels have nothing to close");
    default:
        luafn_builder_stop(b, "unknown bytecode instruction (%d)", op);
    }
}

/* ADD to SHR and ADDK to BXORK have the same order. */
static lf_arith arith_of(int distance)
{
    static const lf_arith order[] = {LF_ADD,  LF_SUB,  LF_MUL, LF_MOD,  LF_POW, LF_DIV,
                                     LF_IDIV, LF_BAND, LF_BOR, LF_BXOR, LF_SHL, LF_SHR};
    enum { ALL = sizeof order / sizeof *order };
    _Static_assert(OP_SHR - OP_ADD + 1 == ALL, "ADD to SHR are neighbours");
    _Static_assert(OP_BXORK - OP_ADDK + 1 == ALL - 2, "ADDK to BXORK are neighbours");
    return order[distance];
}

/* Moves and constants; false if w is something else. */
static bool load(lf_builder *b, uint32_t w)
{
    int a = lf_a(w);
    switch (lf_op(w)) {
    case OP_MOVE:
        luafn_builder_set(b, a, luafn_builder_get(b, lf_b(w)));
        return true;
    case OP_LOADI:
        luafn_builder_set(b, a, luafn_graph_int(b->g, lf_sbx(w)));
        return true;
    case OP_LOADF:
        luafn_builder_set(b, a, luafn_graph_float(b->g, lf_sbx(w)));
        return true;
    case OP_LOADFALSE:
    case OP_LOADTRUE:
        luafn_builder_set(b, a, luafn_graph_bool(b->g, lf_op(w) == OP_LOADTRUE));
        return true;
    case OP_LOADNIL:
        for (int r = a; r <= a + lf_b(w); r++)
            luafn_builder_set(b, r, luafn_graph_nil(b->g));
        return true;
    case OP_GETUPVAL:
        luafn_builder_set(b, a, upvalue(b, lf_b(w)));
        return true;
    default:
        return false;
    }
}

/* Arithmetic, bitwise operations, length; false if w is something else. */
static bool compute(lf_builder *b, uint32_t w)
{
    lf_opcode op = lf_op(w);
    if (op >= OP_ADD && op <= OP_SHR) {
        arithmetic(b, w, arith_of((int)op - OP_ADD), false);
        return true;
    }
    if (op >= OP_ADDK && op <= OP_BXORK) {
        arithmetic(b, w, arith_of((int)op - OP_ADDK), true);
        return true;
    }
    switch (op) {
    case OP_ADDI:
    case OP_SHRI:
    case OP_SHLI:
        immediate(b, w);
        return true;
    case OP_MMBIN: /* only for operands with metamethods */
    case OP_MMBINI:
    case OP_MMBINK:
        return true;
    case OP_UNM:
        unary(b, w, LF_NEG);
        return true;
    case OP_BNOT:
        unary(b, w, LF_BNOT);
        return true;
    case OP_NOT:
        unary(b, w, LF_NOT);
        return true;
    case OP_LEN:
        unary(b, w, LF_LENGTH);
        return true;
    default:
        return false;
    }
}

void luafn_build_op(lf_builder *b, uint32_t w)
{
    if (load(b, w) || compute(b, w))
        return;
    switch (lf_op(w)) {
    case OP_SETUPVAL:
        set_upvalue(b, w);
        break;
    case OP_GETTABUP:
    case OP_GETFIELD:
        get_field(b, w);
        break;
    case OP_GETTABLE:
    case OP_GETI:
        get_element(b, w);
        break;
    case OP_SETTABLE:
    case OP_SETI:
        set_element(b, w);
        break;
    case OP_SETFIELD:
        if (!set_field(b, w))
            refuse(b, OP_SETFIELD);
        break;
    case OP_NEWTABLE:
    case OP_SETLIST:
        list(b, w);
        break;
    case OP_EXTRAARG: /* of NEWTABLE */
        break;
    case OP_SELF:
        get_method(b, w);
        break;
    case OP_CLOSURE:
        luafn_closure(b, w);
        break;
    case OP_CLOSE:
        luafn_closure_close(b, lf_a(w));
        break;
    default:
        refuse(b, lf_op(w));
    }
}
