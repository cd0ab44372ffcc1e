/* time_compute.c - operations on dates, timestamps and durations: by a table of what each of them
 * gives for which operands. */
#include "api/time/time_array.h"
#include "table/op.h"

enum { MOST = 3 };

/* What an operand is: a date, timestamp, duration, an integer or a float; else 0. */
static char letter_of(const lun_array *a)
{
    const lun_dtype t = lun_dtype_of(a);
    return t == LUN_DATE              ? 'D'
           : t == LUN_TIMESTAMP       ? 'T'
           : t == LUN_DURATION        ? 'U'
           : lun__dtype_is_logical(t) ? 0
           : lun__dtype_is_integer(t) ? 'I'
           : lun__dtype_is_float(t)   ? 'F'
                                      : 0;
}

/* Operations on numbers of microseconds, or of days where one operand is days and the other is an
 * integer or days.  Result 'R': a duration, rounded from a float, missing where that is no number;
 * 'I', 'F': the number. */
static const struct rule {
    lun_op op;
    char a, b, result;
    bool days;
} rules[] = {
    {LUN_OP_ADD, 'D', 'I', 'D', true},   {LUN_OP_ADD, 'I', 'D', 'D', true},
    {LUN_OP_SUB, 'D', 'I', 'D', true},   {LUN_OP_SUB, 'D', 'D', 'I', true},
    {LUN_OP_ADD, 'T', 'U', 'T', false},  {LUN_OP_ADD, 'U', 'T', 'T', false},
    {LUN_OP_SUB, 'T', 'U', 'T', false},  {LUN_OP_SUB, 'T', 'T', 'U', false},
    {LUN_OP_ADD, 'D', 'U', 'T', false},  {LUN_OP_ADD, 'U', 'D', 'T', false},
    {LUN_OP_SUB, 'D', 'U', 'T', false},  {LUN_OP_SUB, 'D', 'T', 'U', false},
    {LUN_OP_SUB, 'T', 'D', 'U', false},  {LUN_OP_ADD, 'U', 'U', 'U', false},
    {LUN_OP_SUB, 'U', 'U', 'U', false},  {LUN_OP_MUL, 'U', 'I', 'U', false},
    {LUN_OP_MUL, 'I', 'U', 'U', false},  {LUN_OP_MUL, 'U', 'F', 'R', false},
    {LUN_OP_MUL, 'F', 'U', 'R', false},  {LUN_OP_DIV, 'U', 'I', 'R', false},
    {LUN_OP_DIV, 'U', 'F', 'R', false},  {LUN_OP_DIV, 'U', 'U', 'F', false},
    {LUN_OP_IDIV, 'U', 'I', 'U', false}, {LUN_OP_IDIV, 'U', 'U', 'I', false},
    {LUN_OP_MOD, 'U', 'U', 'U', false},  {LUN_OP_NEG, 'U', 0, 'U', false},
    {LUN_OP_ABS, 'U', 0, 'U', false},    {LUN_OP_SIGN, 'U', 0, 'I', false},
};

static const struct rule *rule_of(lun_op op, lun_array *const *all, int count)
{
    const char a = letter_of(all[0]), b = count > 1 ? letter_of(all[1]) : 0;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (rules[k].op == op && rules[k].a == a && rules[k].b == b && a && (b || count == 1))
            return &rules[k];
    return NULL;
}

/* A duration of microseconds in floats. */
static lun_array *rounded(lun__calc *c, lun_array *x)
{
    lun_array *made = NULL;
    lun_array *none = lun__calc_op(c, LUN_OP_LNOT, lun__calc_op(c, LUN_OP_ISFINITE, x, NULL), NULL);
    x = lun__calc_cast(c, lun__calc_op(c, LUN_OP_ROUND, x, NULL), LUN_I64);
    const lun_status s = c->s == LUN_OK ? lun_with_missing(c->e, x, none, &made) : c->s;
    return lun__calc_take(c, s, made);
}

static lun_status by_rule(lun_engine *e, const struct rule *r, lun_array *const *all, int count,
                          lun_array **out)
{
    lun__calc c = {.e = e};
    lun_array *in[2] = {NULL, NULL}, *x = NULL;
    for (int k = 0; c.s == LUN_OK && k < count; k++) {
        in[k] = all[k];
        if (!lun__time_array_is(all[k]))
            continue;
        lun_status s = lun__time_array_numbers(e, all[k], !r->days, &in[k]);
        in[k] = lun__calc_take(&c, s, in[k]);
    }
    x = lun__calc_op(&c, r->op, in[0], in[1]);
    if (r->result == 'R')
        x = rounded(&c, x);
    if (r->result == 'I' || r->result == 'F')
        return lun__calc_end(&c, x, out);
    lun_array *made = NULL;
    const lun_dtype t = r->result == 'D'   ? LUN_DATE
                        : r->result == 'T' ? LUN_TIMESTAMP
                                           : LUN_DURATION;
    lun_status s = c.s == LUN_OK ? lun__time_array(e, x, t, &made) : c.s;
    return lun__calc_end(&c, lun__calc_take(&c, s, made), out);
}

/* The dtype of a text beside elements of dtype t: what is added is a duration, what is subtracted
 * is one unless it is a date. */
static lun_status meant(lun_engine *e, lun_op op, lun_array *text, lun_dtype *t)
{
    lun_string s = {NULL, 0};
    int64_t x;
    lun_status status =
        op == LUN_OP_SUB && lun_size(text) == 1 ? lun_text_read(e, text, 0, 1, &s) : LUN_OK;
    if (op == LUN_OP_ADD || (s.data && !lun_time_read(LUN_TIMESTAMP, s, &x)))
        *t = LUN_DURATION;
    return status;
}

/* Texts among the operands in the dtype that goes with the others, in in[], all with references. */
static lun_status read_texts(lun_engine *e, lun_op op, lun_array *const *all, int count,
                             lun_array **in)
{
    const int first = op == LUN_OP_WHERE;
    lun_dtype t = LUN_DATE;
    lun_status s = LUN_OK;
    for (int k = first; k < count; k++)
        if (lun__time_array_is(all[k]) && (t == LUN_DATE || lun__array_logical(all[k]) != LUN_DATE))
            t = lun__array_logical(all[k]);
    for (int k = 0; k < count; k++)
        in[k] = NULL;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        lun_dtype as = t;
        if (k >= first && lun__array_logical(all[k]) == LUN_TEXT) {
            s = meant(e, op, all[k], &as);
            s = s == LUN_OK ? lun__time_text_beside(e, all[k], as, &in[k]) : s;
        } else
            lun_retain(in[k] = all[k]);
        if (s != LUN_OK)
            e->error_operand = k + 1;
    }
    return s;
}

/* What compares, chooses or picks: of operands that are all dates, timestamps or durations. */
static lun_status of_times(lun_engine *e, lun_op op, lun_array *const *all, int count,
                           lun_array **out)
{
    const int first = op == LUN_OP_WHERE;
    for (int k = first; k < count; k++)
        if (!lun__time_array_is(all[k]))
            return lun__logical_refuse(e, all, count);
    return first ? lun__logical_move(e, all, out) : lun__logical_by_order(e, op, all, count, out);
}

lun_status lun__time_compute(lun_engine *e, lun_op op, lun_array *const *all, int count,
                             lun_array **out)
{
    const int rule = lun__op_get(op)->rule;
    const bool alike = rule == LUN_RULE_CMP || rule == LUN_RULE_PICK || rule == LUN_RULE_SELECT;
    lun_array *in[MOST] = {NULL};
    lun_status s = read_texts(e, op, all, count, in);
    const struct rule *r = s == LUN_OK && !alike ? rule_of(op, in, count) : NULL;
    if (s == LUN_OK && r)
        s = by_rule(e, r, in, count, out);
    else if (s == LUN_OK)
        s = alike ? of_times(e, op, in, count, out) : lun__logical_refuse(e, in, count);
    for (int k = 0; k < count; k++)
        lun_release(in[k]);
    return s;
}
