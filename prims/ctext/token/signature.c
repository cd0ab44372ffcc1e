/* signature.c - the head of a C function: its result's and parameters' types as dtypes.  What is a
 * type is type.c's. */
#include "ctext/token/signature.h"

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
static lun_status read_word(const reader *r, lun_ctype *y, int *name, int i)
{
    char text[48];
    if (*name >= 0)
        return lun__csource_error(r->s, i, r->error, "unexpected '%s' after the parameter's name",
                                  lun__ctoken_show(r->t, i, text));
    if (lun__ctype_reserved(r->t, i))
        return lun__ctype_add(r->s, y, i, r->error);
    if (y->first < 0)
        return lun__ctype_unknown(r->s, i, r->error);
    *name = i;
    return LUN_OK;
}

static bool is_const(const lun_ctokens *t, int i)
{
    return lun__ctoken_word(t, i, "const") || lun__ctoken_word(t, i, "__const") ||
           lun__ctoken_word(t, i, "__constant");
}

/* The parameter that tokens first .. end-1 are. */
static lun_status read_param(const reader *r, int first, int end)
{
    lun_ctype y = {0, -1, -1};
    int name = -1, pointers = 0, n = r->out->count;
    bool constant = false;
    lun_status status = LUN_OK;
    for (int i = first; status == LUN_OK && i < end;) {
        if (r->t->at[i].kind == LUN_CTOKEN_NAME) {
            constant |= !pointers && is_const(r->t, i);
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
    if (y.first >= 0 && !lun__ctype_complete(r->s, &y, &dtype, &status, r->error))
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
    r->out->param[n].constant = constant;
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

/* Whether the body, or a macro of the text, returns a value. */
static bool gives_value(const lun_ctokens *t, const lun_cunit *u)
{
    for (int i = 0, line = 0; i < t->count; i++) {
        if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            line = lun__ctoken_past_line(t, i);
        if (lun__ctoken_word(t, i, "return") && !lun__ctoken_is(t, i + 1, ';') &&
            (i < line || (i > u->body && i < u->end)))
            return true;
    }
    return false;
}

static lun_status read_result(const reader *r, const lun_cunit *u)
{
    lun_ctype y = {0, -1, -1};
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
        if (r->t->at[i].kind != LUN_CTOKEN_NAME || !lun__ctype_reserved(r->t, i))
            return r->t->at[i].kind == LUN_CTOKEN_DIRECTIVE ? bad_token(r, i)
                                                            : lun__ctype_unknown(r->s, i, r->error);
        if ((status = lun__ctype_add(r->s, &y, i, r->error)) != LUN_OK)
            return status;
    }
    if (y.first < 0 && !gives_value(r->t, u)) {
        r->out->nothing = u->open;
        return LUN_OK;
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
    if (lun__ctype_complete(r->s, &y, &r->out->result, &status, r->error))
        return LUN_OK;
    r->out->nothing = y.first;
    return status;
}

lun_status lun__csignature_read(lun_csignature *out, const lun_csource *s, const lun_cunit *u,
                                lun_strbuf *error)
{
    reader r = {s, &s->tokens, error, out};
    *out = (lun_csignature){.nothing = -1};
    lun_status status = read_params(&r, u);
    if (status == LUN_OK)
        status = read_result(&r, u);
    if (status == LUN_OK && u->body != u->close + 1)
        status = bad_token(&r, u->close + 1);
    return status;
}

lun_status lun__csignature_void(const lun_csignature *head, const lun_csource *s, lun_strbuf *error)
{
    return lun__csource_error(
        s, head->nothing, error,
        "the result is void: give it the type of the value that the function returns");
}
