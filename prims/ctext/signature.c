/* signature.c - the head of a C function: its result's and parameters' types as dtypes.  Knows C's
 * and OpenCL's words for types; types of the user's own are refused. */
#include "ctext/signature.h"

#include <string.h>

#include "table/dtype.h"

enum { /* the words a type is made of */
       CHAR = 1,
       SHORT = 2,
       INT = 4,
       LONG = 8,
       LONGLONG = 16,
       SIGNED = 32,
       UNSIGNED = 64,
       FLOAT = 128,
       DOUBLE = 256,
       BOOL = 512
};

static const struct {
    const char *word;
    unsigned bit;
} words[] = {{"char", CHAR},     {"short", SHORT},       {"int", INT},          {"long", LONG},
             {"signed", SIGNED}, {"unsigned", UNSIGNED}, {"float", FLOAT},      {"double", DOUBLE},
             {"bool", BOOL},     {"_Bool", BOOL},        {"__signed__", SIGNED}};

/* Complete types; int may be left out beside short, long, signed and unsigned.  A plain char is
 * signed and long has 64 bits, as in OpenCL. */
static const struct {
    unsigned bits;
    lun_dtype dtype;
} types[] = {{CHAR, LUN_I8},
             {SIGNED | CHAR, LUN_I8},
             {UNSIGNED | CHAR, LUN_U8},
             {SHORT, LUN_I16},
             {SIGNED | SHORT, LUN_I16},
             {UNSIGNED | SHORT, LUN_U16},
             {INT, LUN_I32},
             {SIGNED, LUN_I32},
             {UNSIGNED, LUN_U32},
             {LONG, LUN_I64},
             {SIGNED | LONG, LUN_I64},
             {UNSIGNED | LONG, LUN_U64},
             {LONGLONG, LUN_I64},
             {SIGNED | LONGLONG, LUN_I64},
             {UNSIGNED | LONGLONG, LUN_U64},
             {FLOAT, LUN_F32},
             {DOUBLE, LUN_F64},
             {BOOL, LUN_BOOL}};

static const char *const qualifiers[] = {"const",      "restrict",   "__restrict", "__restrict__",
                                         "volatile",   "static",     "inline",     "__inline",
                                         "__inline__", "register",   "__global",   "__const",
                                         "extern",     "__constant", "__private"};

/* Words of OpenCL C that C texts may also use as names. */
static const char *const spaces[] = {"global", "constant", "private"};

/* A type while its words come in. */
typedef struct type {
    unsigned bits;
    int named; /* a dtype that has a name of one word, or -1 */
    int first; /* token, or -1: no word of a type yet */
} type;

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

static unsigned type_bit(const lun_ctokens *t, int i)
{
    for (size_t k = 0; k < LENGTH(words); k++)
        if (lun__ctoken_word(t, i, words[k].word))
            return words[k].bit;
    return 0;
}

/* The dtype with a name of one word: int8_t ... uint64_t, uchar ... ulong; -1: not one of them. */
static int type_name(const lun_ctokens *t, int i)
{
    static const struct {
        const char *word;
        lun_dtype dtype;
    } names[] = {{"uchar", LUN_U8}, {"ushort", LUN_U16}, {"uint", LUN_U32}, {"ulong", LUN_U64}};
    for (size_t k = 0; k < LENGTH(names); k++)
        if (lun__ctoken_word(t, i, names[k].word))
            return (int)names[k].dtype;
    /* a bool, and what is only stored, have another type's C type */
    for (int k = 0; k < LUN_DTYPE_COUNT; k++)
        if (lun__dtype_is_closed((lun_dtype)k) &&
            lun__ctoken_word(t, i, lun__dtype_get((lun_dtype)k)->ctype))
            return k;
    return -1;
}

static bool aggregate(const lun_ctokens *t, int i)
{
    return lun__ctoken_word(t, i, "struct") || lun__ctoken_word(t, i, "union") ||
           lun__ctoken_word(t, i, "enum");
}

static bool size_type(const lun_ctokens *t, int i)
{
    return lun__ctoken_word(t, i, "size_t") || lun__ctoken_word(t, i, "ptrdiff_t");
}

bool lun__csignature_reserved(const lun_ctokens *t, int i)
{
    return type_bit(t, i) || type_name(t, i) >= 0 || aggregate(t, i) || size_type(t, i) ||
           lun__ctoken_word(t, i, "void") || lun__csignature_qualifier(t, i);
}

bool lun__csignature_space(const lun_ctokens *t, int i)
{
    bool is = false, behind_type = i > 0 && (type_bit(t, i - 1) || type_name(t, i - 1) >= 0);
    for (size_t k = 0; k < LENGTH(spaces); k++)
        is |= lun__ctoken_word(t, i, spaces[k]);
    return is &&
           (t->at[i + 1].kind == LUN_CTOKEN_NAME || (behind_type && lun__ctoken_is(t, i + 1, '*')));
}

bool lun__csignature_qualifier(const lun_ctokens *t, int i)
{
    for (size_t k = 0; k < LENGTH(qualifiers); k++)
        if (lun__ctoken_word(t, i, qualifiers[k]))
            return true;
    return lun__csignature_space(t, i);
}

static lun_status unknown_type(const lun_csource *s, int i, lun_strbuf *error)
{
    char name[48];
    const lun_ctokens *t = &s->tokens;
    if (aggregate(t, i))
        return lun__csource_error(
            s, i, error, "a %s cannot be a parameter or the result: pass its members separately",
            lun__ctoken_show(t, i, name));
    if (size_type(t, i))
        return lun__csource_error(
            s, i, error, "%s has no fixed width: write uint64_t or int64_t (ulong or long)",
            lun__ctoken_show(t, i, name));
    return lun__csource_error(s, i, error,
                              "unknown type '%s': the types are float, double, bool, int8_t to "
                              "uint64_t, char, uchar, short, ushort, int, uint, long, ulong",
                              lun__ctoken_show(t, i, name));
}

/* Takes token i, a reserved word, into a type. */
static lun_status add_word(const lun_csource *s, type *y, int i, lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    char name[48];
    if (lun__csignature_qualifier(t, i))
        return LUN_OK;
    unsigned bit = type_bit(t, i);
    int named = type_name(t, i);
    /* float and double are names too; as bits they are refused beside long */
    if (bit)
        named = -1;
    if (!bit && named < 0 && !lun__ctoken_word(t, i, "void"))
        return unknown_type(s, i, error);
    if (bit == LONG && (y->bits & (LONG | LONGLONG)))
        bit = LONGLONG;
    if ((y->bits & bit) || y->named >= 0 || (named >= 0 && y->bits))
        return lun__csource_error(s, i, error, "'%s' cannot follow the type before it",
                                  lun__ctoken_show(t, i, name));
    if (bit == LONGLONG)
        y->bits &= ~(unsigned)LONG;
    y->bits |= bit;
    y->named = named;
    if (y->first < 0)
        y->first = i;
    return LUN_OK;
}

/* void gives false with *out untouched and nothing written; so does a type that does not exist,
 * with its error in *status. */
static bool complete(const lun_csource *s, const type *y, lun_dtype *out, lun_status *status,
                     lun_strbuf *error)
{
    *status = LUN_OK;
    if (y->named >= 0) {
        *out = (lun_dtype)y->named;
        return true;
    }
    if (!y->bits)
        return false;
    unsigned bits = y->bits;
    if (bits & (SHORT | LONG | LONGLONG | SIGNED | UNSIGNED))
        bits &= ~(unsigned)INT;
    for (size_t k = 0; k < LENGTH(types); k++)
        if (types[k].bits == bits) {
            *out = types[k].dtype;
            return true;
        }
    *status = lun__csource_error(s, y->first, error,
                                 "unsupported type (long double, for example, cannot be used)");
    return false;
}

/* ---- parameters ------------------------------------------------------------------------------ */

typedef struct reader {
    const lun_csource *s;
    const lun_ctokens *t;
    lun_strbuf *error;
    lun_csignature *out;
} reader;

static int past_bracket(const reader *r, int i, int end)
{
    int depth = 0;
    for (; i < end; i++) {
        if (lun__ctoken_is(r->t, i, '['))
            depth++;
        if (lun__ctoken_is(r->t, i, ']') && --depth == 0)
            return i + 1;
    }
    return end;
}

static lun_status bad_token(const reader *r, int i)
{
    char text[48];
    if (r->t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
        return lun__csource_error(
            r->s, i, r->error,
            "a preprocessor directive is not allowed in the function's parameter list");
    if (lun__ctoken_is(r->t, i, '.'))
        return lun__csource_error(r->s, i, r->error,
                                  "a variable number of parameters (...) is not supported");
    if (lun__ctoken_is(r->t, i, '('))
        return lun__csource_error(r->s, i, r->error, "a function cannot be a parameter");
    return lun__csource_error(r->s, i, r->error, "unexpected '%s' in the parameter list",
                              lun__ctoken_show(r->t, i, text));
}

/* One word of a parameter: of its type, or its name. */
static lun_status read_word(const reader *r, type *y, int *name, int i)
{
    char text[48];
    if (*name >= 0)
        return lun__csource_error(r->s, i, r->error, "unexpected '%s' after the parameter's name",
                                  lun__ctoken_show(r->t, i, text));
    if (lun__csignature_reserved(r->t, i))
        return add_word(r->s, y, i, r->error);
    if (y->first < 0)
        return unknown_type(r->s, i, r->error);
    *name = i;
    return LUN_OK;
}

/* The parameter that tokens first .. end-1 are. */
static lun_status read_param(const reader *r, int first, int end)
{
    type y = {0, -1, -1};
    int name = -1, pointers = 0, n = r->out->count;
    lun_status status = LUN_OK;
    for (int i = first; status == LUN_OK && i < end;) {
        if (r->t->at[i].kind == LUN_CTOKEN_NAME) {
            status = read_word(r, &y, &name, i++);
        } else if (lun__ctoken_is(r->t, i, '*') && y.first >= 0 && name < 0) {
            pointers++;
            i++;
        } else if (lun__ctoken_is(r->t, i, '[') && name >= 0) {
            pointers++;
            i = past_bracket(r, i, end);
        } else {
            status = bad_token(r, i);
        }
    }
    if (status != LUN_OK)
        return status;
    if (n == LUN_MAX_PARAMS)
        return lun__csource_error(r->s, first, r->error, "more than %d parameters", LUN_MAX_PARAMS);
    lun_dtype dtype = LUN_F64;
    if (y.first >= 0 && !complete(r->s, &y, &dtype, &status, r->error))
        return status != LUN_OK ? status
                                : lun__csource_error(r->s, y.first, r->error,
                                                     "parameter %d is void: give it a type", n + 1);
    if (name < 0)
        return lun__csource_error(r->s, first, r->error, "parameter %d has no %s", n + 1,
                                  y.first < 0 ? "type" : "name");
    if (pointers > 1)
        return lun__csource_error(
            r->s, name, r->error,
            "parameter %d is a pointer to a pointer: arrays are plain pointers", n + 1);
    r->out->param[n].name = name;
    r->out->param[n].dtype = dtype;
    r->out->param[n].array = pointers > 0;
    r->out->count++;
    return LUN_OK;
}

static lun_status read_params(const reader *r, const lun_cunit *u)
{
    int first = u->open + 1, depth = 0;
    bool none =
        first == u->close || (first + 1 == u->close && lun__ctoken_word(r->t, first, "void"));
    if (none)
        return lun__csource_error(
            r->s, u->open, r->error,
            "the function has no parameters: it needs at least one, the element");
    for (int i = first; i <= u->close; i++) {
        bool ends = i == u->close || (depth == 0 && lun__ctoken_is(r->t, i, ','));
        if (lun__ctoken_is(r->t, i, '(') || lun__ctoken_is(r->t, i, '['))
            depth++;
        if (lun__ctoken_is(r->t, i, ')') || lun__ctoken_is(r->t, i, ']'))
            depth--;
        if (!ends)
            continue;
        if (first == i)
            return lun__csource_error(r->s, i, r->error, "parameter %d is missing",
                                      r->out->count + 1);
        lun_status status = read_param(r, first, i);
        if (status != LUN_OK)
            return status;
        first = i + 1;
    }
    return LUN_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* __attribute__ and its parentheses: the token after them, or i. */
static int past_attribute(const lun_ctokens *t, int i, int end)
{
    if (!lun__ctoken_word(t, i, "__attribute__"))
        return i;
    int depth = 0;
    for (i++; i < end; i++) {
        if (lun__ctoken_is(t, i, '('))
            depth++;
        if (lun__ctoken_is(t, i, ')') && --depth == 0)
            return i + 1;
    }
    return end;
}

static lun_status read_result(const reader *r, const lun_cunit *u)
{
    type y = {0, -1, -1};
    int end = u->name < 0 ? u->open : u->marked ? u->name - 1 : u->name;
    for (int i = u->start; i < end; i++) {
        lun_status status;
        int past = past_attribute(r->t, i, end);
        if (past > i) {
            i = past - 1;
            continue;
        }
        if (lun__ctoken_is(r->t, i, '*'))
            return lun__csource_error(r->s, i, r->error,
                                      "the result is a pointer: a function must return a number");
        if (r->t->at[i].kind != LUN_CTOKEN_NAME || !lun__csignature_reserved(r->t, i))
            return r->t->at[i].kind == LUN_CTOKEN_DIRECTIVE ? bad_token(r, i)
                                                            : unknown_type(r->s, i, r->error);
        if ((status = add_word(r->s, &y, i, r->error)) != LUN_OK)
            return status;
    }
    if (y.first < 0) {
        r->out->result = r->out->param[0].dtype;
        if (!r->out->param[0].array)
            return LUN_OK;
        return lun__csource_error(r->s, u->start, r->error,
                                  "the result type is missing, and cannot be taken from the first "
                                  "parameter, which is an array");
    }
    lun_status status;
    if (complete(r->s, &y, &r->out->result, &status, r->error))
        return LUN_OK;
    if (status != LUN_OK)
        return status;
    return lun__csource_error(
        r->s, y.first, r->error,
        "the result is void: give it the type of the value that the function returns");
}

lun_status lun__csignature_read(lun_csignature *out, const lun_csource *s, const lun_cunit *u,
                                lun_strbuf *error)
{
    reader r = {s, &s->tokens, error, out};
    *out = (lun_csignature){0};
    lun_status status = read_params(&r, u);
    if (status == LUN_OK)
        status = read_result(&r, u);
    if (status == LUN_OK && u->body != u->close + 1)
        status = bad_token(&r, u->close + 1);
    return status;
}
