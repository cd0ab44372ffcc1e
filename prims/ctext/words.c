/* words.c - words of OpenCL C alone; see words.h.  One table; knows no scopes: a name that the text
 * defines at its top level or as a macro is its own. */
#include "ctext/words.h"

#include <string.h>

static const struct {
    const char *begin; /* of a function's name, or all of a type's before its number */
    bool type;
    const char *instead;
} words[] = {
    {"get_global_", false, "map over lun.index(n), which gives each element's number"},
    {"get_local_", false, "elements are computed one by one"},
    {"get_group_id", false, "elements are computed one by one"},
    {"get_num_groups", false, "elements are computed one by one"},
    {"get_work_dim", false, "elements are computed one by one"},
    {"native_", false, "leave out native_, or choose lun.math"},
    {"half_", false, "leave out half_, or choose lun.math"},
    {"vload", false, "take plain numbers"},
    {"vstore", false, "return the result"},
    {"convert_", false, "write a cast, as (int)x"},
    {"as_int", false, "copy the bits through a union"},
    {"as_uint", false, "copy the bits through a union"},
    {"as_long", false, "copy the bits through a union"},
    {"as_ulong", false, "copy the bits through a union"},
    {"as_float", false, "copy the bits through a union"},
    {"as_double", false, "copy the bits through a union"},
    {"atomic_", false, "use lun.reduce"},
    {"atom_", false, "use lun.reduce"},
    {"barrier", false, "elements are computed one by one"},
    {"mem_fence", false, "elements are computed one by one"},
    {"read_mem_fence", false, "elements are computed one by one"},
    {"write_mem_fence", false, "elements are computed one by one"},
    {"async_work_group", false, "index the array"},
    {"prefetch", false, "leave it out"},
    {"read_image", false, "take an array"},
    {"write_image", false, "return the result"},
    {"printf", false, "return what is to be seen"},
    {"char", true, "take plain numbers"},
    {"uchar", true, "take plain numbers"},
    {"short", true, "take plain numbers"},
    {"ushort", true, "take plain numbers"},
    {"int", true, "take plain numbers"},
    {"uint", true, "take plain numbers"},
    {"long", true, "take plain numbers"},
    {"ulong", true, "take plain numbers"},
    {"float", true, "take plain numbers"},
    {"double", true, "take plain numbers"},
    {"half", true, "take plain numbers"},
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
    if (lun__ctoken_word(t, i, "__local"))
        return "elements share no memory";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t n = strlen(words[k].begin);
        if (length < n || memcmp(p, words[k].begin, n))
            continue;
        if (words[k].type ? is_count(p + n, length - n) : lun__ctoken_is(t, i + 1, '('))
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

lun_status lun__cwords_check(const lun_csource *s, const lun_cnames *names, lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    char shown[48];
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
