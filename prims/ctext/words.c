/* words.c - words of OpenCL C alone; see words.h.  One table; knows no scopes: a name that the text
 * defines at its top level or as a macro is its own. */
#include "ctext/words.h"

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
    {"get_global_", CALLED, "map over lun.index(n), which gives each element's number"},
    {"get_local_", CALLED, "elements are computed one by one"},
    {"get_enqueued_", CALLED, "elements are computed one by one"},
    {"get_group_id", CALLED, "elements are computed one by one"},
    {"get_num_groups", CALLED, "elements are computed one by one"},
    {"get_work_dim", CALLED, "elements are computed one by one"},
    {"work_group_", CALLED, "elements are computed one by one"},
    {"sub_group_", CALLED, "elements are computed one by one"},
    {"native_", CALLED, "leave out native_, or choose lun.math"},
    {"half_", CALLED, "leave out half_, or choose lun.math"},
    {"fast_", CALLED, "take plain numbers"},
    {"vload", CALLED, "take plain numbers"},
    {"vstore", CALLED, "return the result"},
    {"convert_", CALLED, "write a cast, as (int)x"},
    {"as_int", CALLED, "copy the bits through a union"},
    {"as_uint", CALLED, "copy the bits through a union"},
    {"as_long", CALLED, "copy the bits through a union"},
    {"as_ulong", CALLED, "copy the bits through a union"},
    {"as_float", CALLED, "copy the bits through a union"},
    {"as_double", CALLED, "copy the bits through a union"},
    {"atomic_", CALLED, "use lun.reduce"},
    {"atom_", CALLED, "use lun.reduce"},
    {"barrier", CALLED, "elements are computed one by one"},
    {"mem_fence", CALLED, "elements are computed one by one"},
    {"read_mem_fence", CALLED, "elements are computed one by one"},
    {"write_mem_fence", CALLED, "elements are computed one by one"},
    {"async_work_group", CALLED, "index the array"},
    {"prefetch", CALLED, "leave it out"},
    {"read_image", CALLED, "take an array"},
    {"write_image", CALLED, "return the result"},
    {"printf", NAMED, "return what is to be seen"},
    {"dot", NAMED, "multiply plain numbers"},
    {"cross", NAMED, "take plain numbers"},
    {"length", NAMED, "take fabs, or hypot of two numbers"},
    {"distance", NAMED, "take fabs of the difference"},
    {"normalize", NAMED, "take copysign(1, x)"},
    {"any", NAMED, "write a condition"},
    {"all", NAMED, "write a condition"},
    {"shuffle", NAMED, "take plain numbers"},
    {"shuffle2", NAMED, "take plain numbers"},
    {"vec_step", NAMED, "take plain numbers"},
    {"rootn", NAMED, "write cbrt(x), or pow(x, 1.0 / n)"},
    {"upsample", NAMED, "shift the upper half and add the lower one"},
    {"nan", NAMED, "write NAN"},
    {"char", TYPE, "take plain numbers"},
    {"uchar", TYPE, "take plain numbers"},
    {"short", TYPE, "take plain numbers"},
    {"ushort", TYPE, "take plain numbers"},
    {"int", TYPE, "take plain numbers"},
    {"uint", TYPE, "take plain numbers"},
    {"long", TYPE, "take plain numbers"},
    {"ulong", TYPE, "take plain numbers"},
    {"float", TYPE, "take plain numbers"},
    {"double", TYPE, "take plain numbers"},
    {"half", TYPE, "take plain numbers"},
    {"half", WORD, "write float"},
    {"local", WORD, "elements share no memory"},
    {"__local", WORD, "elements share no memory"},
    {"kernel", WORD, "write a function of one element that returns its result"},
    {"__kernel", WORD, "write a function of one element that returns its result"},
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
                    "a static variable does not exist in OpenCL, and a C function runs on every "
                    "backend: make a constant of it outside of the function");
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
            s, i, error, "%s exists in OpenCL alone, and a C function runs on every backend: %s",
            lun__ctoken_show(t, i, shown), instead);
    }
    return LUN_OK;
}
