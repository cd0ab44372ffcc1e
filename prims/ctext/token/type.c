/* type.c - the types of C and OpenCL C as dtypes; see type.h.  Types of the user's own are refused.
 */
#include "ctext/token/type.h"

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

bool lun__ctype_reserved(const lun_ctokens *t, int i)
{
    return type_bit(t, i) || type_name(t, i) >= 0 || aggregate(t, i) || size_type(t, i) ||
           lun__ctoken_word(t, i, "void") || lun__ctype_qualifier(t, i);
}

bool lun__ctype_space(const lun_ctokens *t, int i)
{
    bool is = false, behind_type = i > 0 && (type_bit(t, i - 1) || type_name(t, i - 1) >= 0);
    for (size_t k = 0; k < LENGTH(spaces); k++)
        is |= lun__ctoken_word(t, i, spaces[k]);
    return is &&
           (t->at[i + 1].kind == LUN_CTOKEN_NAME || (behind_type && lun__ctoken_is(t, i + 1, '*')));
}

bool lun__ctype_qualifier(const lun_ctokens *t, int i)
{
    for (size_t k = 0; k < LENGTH(qualifiers); k++)
        if (lun__ctoken_word(t, i, qualifiers[k]))
            return true;
    return lun__ctype_space(t, i);
}

lun_status lun__ctype_unknown(const lun_csource *s, int i, lun_strbuf *error)
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
    if (lun__ctoken_word(t, i, "c64") || lun__ctoken_word(t, i, "c128"))
        return lun__csource_error(
            s, i, error,
            "complex numbers are taken and given by functions of map and zip alone, one, 'c128 z', "
            "or a whole array, 'const c128 *z': other functions take parts, re and im");
    return lun__csource_error(s, i, error,
                              "unknown type '%s': the types are float, double, bool, int8_t to "
                              "uint64_t, char, uchar, short, ushort, int, uint, long, ulong",
                              lun__ctoken_show(t, i, name));
}

lun_status lun__ctype_add(const lun_csource *s, lun_ctype *y, int i, lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    char name[48];
    if (lun__ctype_qualifier(t, i))
        return LUN_OK;
    unsigned bit = type_bit(t, i);
    int named = type_name(t, i);
    /* float and double are names too; as bits they are refused beside long */
    if (bit)
        named = -1;
    if (!bit && named < 0 && !lun__ctoken_word(t, i, "void"))
        return lun__ctype_unknown(s, i, error);
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

bool lun__ctype_complete(const lun_csource *s, const lun_ctype *y, lun_dtype *out,
                         lun_status *status, lun_strbuf *error)
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

lun_status lun__ctype_read(const lun_csource *s, int first, int end, lun_dtype *out,
                           lun_strbuf *error)
{
    lun_ctype y = {0, -1, -1};
    lun_status status = LUN_OK;
    for (int i = first; status == LUN_OK && i < end; i++)
        status = lun__ctype_reserved(&s->tokens, i) ? lun__ctype_add(s, &y, i, error)
                                                    : lun__ctype_unknown(s, i, error);
    if (status != LUN_OK || (y.first >= 0 && lun__ctype_complete(s, &y, out, &status, error)))
        return status;
    return status == LUN_OK ? lun__ctype_unknown(s, first, error) : status;
}
