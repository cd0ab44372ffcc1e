/* text_form.c - operations on complex numbers as functions in C, of structs with members re and im:
 * the expressions of form.h, each operation on parts a constant of the function's. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "complex/form.h"
#include "lunarray_bind.h"

/* What of complex numbers has a function but is no operation on arrays of all dtypes. */
typedef enum text_form { TEXT_OP, TEXT_CONJ, TEXT_ANGLE, TEXT_SQUARE, TEXT_RECIPROCAL } text_form;

typedef struct text_function {
    text_form form;
    lun_op op; /* of TEXT_OP */
} text_function;

/* What a value is in C. */
typedef enum kind { TRUTH, NARROW, WIDE } kind;

enum { MOST = 1024 }; /* values of a function */

typedef struct writing {
    char *text;
    size_t length, room;
    bool failed; /* it does not fit */
    kind part;
    int count;
    uint8_t of[MOST]; /* value k is lun_t<k>: its kind */
} writing;

static const char *const names[] = {[TRUTH] = "int", [NARROW] = "float", [WIDE] = "double"};

__attribute__((format(printf, 2, 3))) static void put(writing *w, const char *format, ...)
{
    const size_t room = w->room - w->length;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(w->text + w->length, room, format, args);
    va_end(args);
    w->failed = w->failed || n < 0 || (size_t)n >= room;
    w->length += w->failed ? 0 : (size_t)n;
}

/* ---- values ---------------------------------------------------------------------------------- */

static lun__real *real(int k)
{
    return (lun__real *)(uintptr_t)((unsigned)k + 1);
}

static int number_of(const lun__real *x)
{
    return (int)((uintptr_t)x - 1);
}

/* Begins the declaration of a new value. */
static lun__real *declare(writing *w, kind k)
{
    if (w->count == MOST) {
        w->failed = true;
        return real(0);
    }
    w->of[w->count] = (uint8_t)k;
    put(w, "const %s lun_t%d = ", names[k], w->count);
    return real(w->count++);
}

/* Appends an expression of ops.def: of operands a, b and c, with M(f) for a function of C, and T
 * for their type. */
static void put_expression(writing *w, const char *text, const int *operand, kind type)
{
    for (const char *p = text; *p; p++) {
        const bool alone =
            (p == text || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[1]);
        if (alone && *p >= 'a' && *p <= 'c') {
            put(w, "lun_t%d", operand[*p - 'a']);
        } else if (alone && *p == 'T') {
            put(w, "%s", names[type]);
        } else if (alone && *p == 'M' && p[1] == '(') {
            const size_t length = strcspn(p + 2, ")");
            put(w, "%.*s", (int)length, p + 2);
            p += 2 + length;
        } else {
            put(w, "%c", *p);
        }
    }
}

static kind wider(kind a, kind b)
{
    return a > b ? a : b;
}

static lun__real *make_op(void *ctx, lun_op op, lun__real *a, lun__real *b, lun__real *c)
{
    writing *w = ctx;
    const lun_op_row *row = lun__op_get(op);
    const int operand[] = {number_of(a), b ? number_of(b) : 0, c ? number_of(c) : 0};
    const bool truth =
        row->rule == LUN_RULE_CMP || row->rule == LUN_RULE_LOGIC || row->rule == LUN_RULE_TEST;
    kind k = row->rule == LUN_RULE_SELECT ? TRUTH : w->of[operand[0]];
    for (int i = 1; i < row->arity; i++)
        k = wider(k, w->of[operand[i]]);
    lun__real *x = declare(w, truth ? TRUTH : k);
    put_expression(w, row->flt ? row->flt : row->integer, operand, k);
    put(w, "; ");
    return x;
}

static lun__real *make_number(void *ctx, double x, bool wide)
{
    writing *w = ctx;
    const kind k = wide ? WIDE : w->part;
    lun__real *made = declare(w, k);
    if (isfinite(x))
        put(w, "(%s)%a; ", names[k], x);
    else
        put(w, "(%s)%s; ", names[k], isnan(x) ? "NAN" : x > 0 ? "INFINITY" : "-INFINITY");
    return made;
}

static lun__real *make_wide(void *ctx, lun__real *x)
{
    writing *w = ctx;
    const int from = number_of(x);
    if (w->of[from] == WIDE)
        return x;
    lun__real *made = declare(w, WIDE);
    put(w, "lun_t%d; ", from);
    return made;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The function of that name, such as "mul"; false: there is none. */
static bool find(const char *name, text_function *out)
{
    static const struct {
        const char *name;
        text_form form;
    } others[] = {{"conj", TEXT_CONJ},
                  {"angle", TEXT_ANGLE},
                  {"square", TEXT_SQUARE},
                  {"reciprocal", TEXT_RECIPROCAL}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].name) == 0) {
            *out = (text_function){.form = others[i].form};
            return true;
        }
    for (int op = 0; op < LUN_OP_COUNT; op++) {
        const lun_op_row *row = lun__op_get((lun_op)op);
        const bool logic = row->rule == LUN_RULE_LOGIC || row->rule == LUN_RULE_SELECT;
        if (strcmp(name, row->name) == 0 && !logic && lun__form_of((lun_op)op) != LUN__FORM_NONE) {
            *out = (text_function){.form = TEXT_OP, .op = (lun_op)op};
            return true;
        }
    }
    return false;
}

static int arity_of(text_function f)
{
    return f.form == TEXT_OP ? lun__op_get(f.op)->arity : 1;
}

/* Whether the function gives a complex number. */
static bool is_complex(text_function f)
{
    return f.form != TEXT_ANGLE && (f.form != TEXT_OP || lun__form_of(f.op) == LUN__FORM_COMPLEX);
}

static bool is_test(text_function f)
{
    return !is_complex(f) && f.form == TEXT_OP && f.op != LUN_OP_ABS;
}

static lun__pair compute(const lun__maker *m, text_function f, const lun__pair *in)
{
    switch (f.form) {
    case TEXT_CONJ:
        return (lun__pair){in[0].re, m->op(m->ctx, LUN_OP_NEG, in[0].im, NULL, NULL)};
    case TEXT_ANGLE:
        return (lun__pair){lun__form_angle(m, in[0]), NULL};
    case TEXT_SQUARE:
        return lun__form_times(m, in[0], in[0]);
    case TEXT_RECIPROCAL: {
        const lun__pair quotient[] = {{m->number(m->ctx, 1, false), NULL}, in[0]};
        return lun__form_complex(m, LUN_OP_DIV, quotient, NULL);
    }
    default:
        return is_complex(f) ? lun__form_complex(m, f.op, in, NULL)
                             : (lun__pair){lun__form_real(m, f.op, in), NULL};
    }
}

/* The parts of the parameters, x and y. */
static void take_parameters(writing *w, int arity, lun__pair *in)
{
    static const char parameter[] = {'x', 'y'};
    for (int i = 0; i < arity; i++) {
        in[i].re = declare(w, w->part);
        put(w, "%c.re; ", parameter[i]);
        in[i].im = declare(w, w->part);
        put(w, "%c.im; ", parameter[i]);
    }
}

/* Writes the definition of a function on structs of that type. */
static void write_function(writing *w, text_function f, const char *symbol, const char *type)
{
    const lun__maker m = {w, make_op, make_number, make_wide};
    lun__pair in[2] = {{NULL, NULL}, {NULL, NULL}};
    const char *part = names[w->part];
    const int arity = arity_of(f);
    put(w, "static %s %s(%s x", is_complex(f) ? type : is_test(f) ? "int" : part, symbol, type);
    if (arity > 1)
        put(w, ", %s y", type);
    put(w, ") { ");
    take_parameters(w, arity, in);
    const lun__pair z = compute(&m, f, in);
    if (is_complex(f))
        put(w, "%s lun_z = {(%s)lun_t%d, (%s)lun_t%d}; return lun_z; }", type, part,
            number_of(z.re), part, number_of(z.im));
    else
        put(w, "return lun_t%d; }", number_of(z.re));
}

lun_status lun_complex_text(const char *name, const char *symbol, lun_dtype t, size_t room,
                            char *text)
{
    text_function f;
    if (!name || !symbol || !text || lun_dtype_kind(t) != LUN_KIND_COMPLEX || !find(name, &f))
        return LUN_EARG;
    const lun_dtype part = lun__dtype_storage(t);
    writing w = {.text = text, .room = room, .part = lun__dtype_is_double(part) ? WIDE : NARROW};
    write_function(&w, f, symbol, lun_dtype_name(t));
    return w.failed ? LUN_ERANGE : LUN_OK;
}
