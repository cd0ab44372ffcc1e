/* words.c - words of OpenCL C that C does not have. One table.  In all scopes a name
 * that the text defines at its top level or as a macro is the text's. */
#include "ctext/token/names.h"

#include <string.h>

/* How a row stands for words. */
typedef enum form {
    CALLED, /* functions whose names begin so */
    NAMED,  /* the function of this name */
    TYPE,   /* the type followed by 2, 3, 4, 8 or 16 */
    WORD    /* the word before a type or name */
} form;

static const struct {
    const char *text;
    form form;
    const char *instead;
} words[] = {
    {"get_global_", CALLED, "map over lun.index(n), whose elements are the indices"},
    {"get_local_", CALLED, "functions of lun.teams have LUN_THREAD(d) and LUN_THREADS(d)"},
    {"get_enqueued_", CALLED, "each element is computed on its own"},
    {"get_group_id", CALLED, "functions of lun.teams have LUN_BLOCK(d)"},
    {"get_num_groups", CALLED, "functions of lun.teams have LUN_BLOCKS(d)"},
    {"get_work_dim", CALLED, "each element is computed on its own"},
    {"work_group_", CALLED, "each element is computed on its own"},
    {"sub_group_", CALLED, "each element is computed on its own"},
    {"native_", CALLED, "remove native_, or set lun.math"},
    {"half_", CALLED, "remove half_, or set lun.math"},
    {"fast_", CALLED, "use scalars instead of vectors"},
    {"vload", CALLED, "use scalars instead of vectors"},
    {"vstore", CALLED, "assign elements"},
    {"convert_", CALLED, "write a cast, such as (int)x"},
    {"as_int", CALLED, "copy the bits through a union"},
    {"as_uint", CALLED, "copy the bits through a union"},
    {"as_long", CALLED, "copy the bits through a union"},
    {"as_ulong", CALLED, "copy the bits through a union"},
    {"as_float", CALLED, "copy the bits through a union"},
    {"as_double", CALLED, "copy the bits through a union"},
    {"atomic_", CALLED, "LUN_ATOMIC_ADD(w, i, x) and its like change an element at once"},
    {"atom_", CALLED, "LUN_ATOMIC_ADD(w, i, x) and its like change an element at once"},
    {"barrier", CALLED, "functions of lun.teams have LUN_BARRIER"},
    {"mem_fence", CALLED, "each element is computed on its own"},
    {"read_mem_fence", CALLED, "each element is computed on its own"},
    {"write_mem_fence", CALLED, "each element is computed on its own"},
    {"async_work_group", CALLED, "index the array"},
    {"prefetch", CALLED, "remove it"},
    {"read_image", CALLED, "pass an array"},
    {"write_image", CALLED, "return the result"},
    {"printf", NAMED, "return the value to be shown"},
    {"dot", NAMED, "multiply scalars"},
    {"cross", NAMED, "use scalars instead of vectors"},
    {"length", NAMED, "use fabs, or hypot of two numbers"},
    {"distance", NAMED, "use fabs of the difference"},
    {"normalize", NAMED, "use copysign(1, x)"},
    {"any", NAMED, "write a condition"},
    {"all", NAMED, "write a condition"},
    {"shuffle", NAMED, "use scalars instead of vectors"},
    {"shuffle2", NAMED, "use scalars instead of vectors"},
    {"vec_step", NAMED, "use scalars instead of vectors"},
    {"rootn", NAMED, "write cbrt(x), or pow(x, 1.0 / n)"},
    {"upsample", NAMED, "shift the upper half and add the lower half"},
    {"nan", NAMED, "write NAN"},
    {"char", TYPE, "use scalars instead of vectors"},
    {"uchar", TYPE, "use scalars instead of vectors"},
    {"short", TYPE, "use scalars instead of vectors"},
    {"ushort", TYPE, "use scalars instead of vectors"},
    {"int", TYPE, "use scalars instead of vectors"},
    {"uint", TYPE, "use scalars instead of vectors"},
    {"long", TYPE, "use scalars instead of vectors"},
    {"ulong", TYPE, "use scalars instead of vectors"},
    {"float", TYPE, "use scalars instead of vectors"},
    {"double", TYPE, "use scalars instead of vectors"},
    {"half", TYPE, "use scalars instead of vectors"},
    {"half", WORD, "write float"},
    {"local", WORD, "functions of lun.teams have LUN_SCRATCH(type, name, n)"},
    {"__local", WORD, "functions of lun.teams have LUN_SCRATCH(type, name, n)"},
    {"kernel", WORD, "write a function that takes one element and returns its result"},
    {"__kernel", WORD, "write a function that takes one element and returns its result"},
};

static bool is_count(const char *p, size_t n)
{
    return (n == 1 && strchr("2348", *p)) || (n == 2 && !memcmp(p, "16", 2));
}

/* What to write instead of the word at token i, NULL: it is none of these. */
static const char *instead_of(const lun_ctokens *t, int i)
{
    const char *p = t->text + t->at[i].start;
    size_t length = t->at[i].length;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t n = strlen(words[k].text);
        form is = words[k].form;
        if (length < n || memcmp(p, words[k].text, n) ||
            ((is == NAMED || is == WORD) && length != n))
            continue;
        if (is == TYPE   ? is_count(p + n, length - n)
            : is == WORD ? t->at[i + 1].kind == LUN_CTOKEN_NAME
                         : lun__ctoken_is(t, i + 1, '('))
            return words[k].instead;
    }
    return NULL;
}

static bool is_macro(const lun_ctokens *t, int token)
{
    for (int i = 0; i + 2 < t->count; i++)
        if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE && lun__ctoken_word(t, i + 1, "define") &&
            t->at[i + 2].length == t->at[token].length &&
            !memcmp(t->text + t->at[i + 2].start, t->text + t->at[token].start,
                    t->at[token].length))
            return true;
    return false;
}

static bool is_member(const lun_ctokens *t, int i)
{
    return i > 0 && (lun__ctoken_is(t, i - 1, '.') || lun__ctoken_is(t, i - 1, '>'));
}

static lun_status check_statics(const lun_csource *s, const lun_cunits *units, lun_strbuf *error)
{
    for (int k = 0; k < units->count; k++)
        for (int i = units->at[k].body; i >= 0 && i < units->at[k].end; i++)
            if (lun__ctoken_word(&s->tokens, i, "static"))
                return lun__csource_error(
                    s, i, error,
                    "static variable in a function: C functions must run on every backend, and "
                    "OpenCL has none; make it a constant outside the function");
    return LUN_OK;
}

lun_status lun__cwords_check(const lun_csource *s, const lun_cunits *units, const lun_cnames *names,
                             lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    char shown[48];
    lun_status status = check_statics(s, units, error);
    if (status != LUN_OK)
        return status;
    for (int i = 0; i < t->count; i++) {
        if (t->at[i].kind != LUN_CTOKEN_NAME || is_member(t, i))
            continue;
        const char *instead = instead_of(t, i);
        if (!instead || lun__cnames_find(names, t, i) || is_macro(t, i))
            continue;
        return lun__csource_error(
            s, i, error, "%s exists only in OpenCL, and C functions must run on every backend: %s",
            lun__ctoken_show(t, i, shown), instead);
    }
    return LUN_OK;
}
