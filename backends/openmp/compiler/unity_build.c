/* unity_build.c - several texts as one; see unity_build.h.  C has no way to put a text into a scope
 * of its own, so the preprocessor renames what the text names outside of braces and parentheses.
 *
 * A process with 100 new small kernels (LUNARRAY_JIT=auto, empty cache, two cores) has all of
 * them compiled after 1.9 s of processor time, and after 4.5 s with one run of the compiler for
 * each; with 3 kernels after 0.08 s and 0.11 s.  Under LUNARRAY_JIT=sync each is compiled alone. */
#include "openmp/compiler/unity_build.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "math/sequence.h"

static const char *const exported[] = {"lun_kernel", "lun_total", "lun_combine"};

void lun__unity_build_suffix(const char *text, char suffix[LUN_SUFFIX])
{
    snprintf(suffix, LUN_SUFFIX, "_%016" PRIx64, (uint64_t)XXH3_64bits(text, strlen(text)));
}

static bool starts_word(int c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_word(int c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a list " a b c " has a word. */
static bool listed(const char *list, const char *word, size_t n)
{
    for (const char *p = list; (p = strchr(p, ' ')) && p[1]; p++)
        if (!strncmp(p + 1, word, n) && p[n + 1] == ' ')
            return true;
    return false;
}

static void list(lun_strbuf *to, const char *word, size_t n)
{
    if (listed(lun__strbuf_text(to), word, n))
        return;
    if (!to->length)
        lun__strbuf_puts(to, " ");
    lun__strbuf_add(to, word, n);
    lun__strbuf_puts(to, " ");
}

/* Words of the language that occur at file scope; those with two underscores ahead are known by
 * them.  The last one is a variable that all texts share. */
static const char language[] =
    " auto char const double enum extern float inline int long register "
    "restrict short signed static "
    "struct typedef union unsigned void volatile _Bool " LUN_SEQUENCE_LOOPS " ";

/* Behind a comment, a string or a line of the preprocessor that begins at p; p where none does.
 * The names of macros are listed. */
static const char *skip(const char *p, const char *text, lun_strbuf *macros)
{
    if (*p == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (*p == '"' || *p == '\'') {
        const char quote = *p++;
        while (*p && *p != quote)
            p += *p == '\\' && p[1] ? 2 : 1;
        return *p ? p + 1 : p;
    }
    if (*p == '#' && (p == text || p[-1] == '\n')) {
        if (!strncmp(p, "#define ", 8))
            list(macros, p + 8,
                 strspn(p + 8, "abcdefghijklmnopqrstuvwxyz_"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"));
        while (*p && *p != '\n')
            p += *p == '\\' && p[1] ? 2 : 1;
    }
    return p;
}

/* Lists the names that a text uses outside of braces and parentheses, and those of types of
 * pointers to functions: (*name). */
static void collect(const char *text, lun_strbuf *names, lun_strbuf *macros)
{
    int depth = 0;
    for (const char *p = text; *p;) {
        const char *behind = skip(p, text, macros);
        if (behind != p) {
            p = behind;
            continue;
        }
        if (!starts_word(*p)) {
            depth += (*p == '{' || *p == '(' || *p == '[') - (*p == '}' || *p == ')' || *p == ']');
            while (isdigit((unsigned char)*p) && is_word(p[1]))
                p++; /* no name within a number */
            p++;
            continue;
        }
        const char *word = p;
        while (is_word(*p))
            p++;
        bool pointer = depth == 1 && word - text >= 2 && word[-1] == '*' && word[-2] == '(';
        if ((depth == 0 || pointer) && strncmp(word, "__", 2) &&
            !listed(language, word, (size_t)(p - word)))
            list(names, word, (size_t)(p - word));
    }
}

void lun__unity_build_add(lun_strbuf *out, const char *text, const char *suffix, bool with_others)
{
    lun_strbuf names = LUN_STRBUF_INIT, macros = LUN_STRBUF_INIT;
    for (size_t i = 0; i < sizeof exported / sizeof *exported; i++)
        list(&names, exported[i], strlen(exported[i]));
    if (with_others)
        collect(text, &names, &macros);
    for (int pass = 0; pass < 2 && !names.failed; pass++) {
        for (const char *p = lun__strbuf_text(&names) + 1; *p;) {
            size_t n = strcspn(p, " ");
            if (listed(lun__strbuf_text(&macros), p, n))
                ;
            else if (pass == 0)
                lun__strbuf_printf(out, "#define %.*s %.*s%s\n", (int)n, p, (int)n, p, suffix);
            else if (with_others)
                lun__strbuf_printf(out, "#undef %.*s\n", (int)n, p);
            p += n + 1;
        }
        if (pass == 0) {
            lun__strbuf_puts(out, text);
            lun__strbuf_puts(out, "\n");
        }
    }
    out->failed = out->failed || names.failed || macros.failed;
    lun__strbuf_free(&names);
    lun__strbuf_free(&macros);
}
