/* scratch.c - LUN_SCRATCH and the words of a thread's position; see scratch.h. */
#include "ctext/scratch.h"

#include <inttypes.h>

#include "ctext/token/loop_tokens.h"
#include "ctext/token/macros.h"

/* Words that are numbers: of the league and of a thread, and constants. */
static const char *const positions[] = {"LUN_BLOCK", "LUN_BLOCKS", "LUN_THREAD", "LUN_INDEX"};
static const char *const known[] = {"LUN_THREADS", "LUN_ELEMENTS"};

static bool one_of(const lun_ctokens *t, int i, const char *const *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (lun__ctoken_word(t, i, words[k]))
            return true;
    return false;
}

/* ---- constants ------------------------------------------------------------------------------- */

typedef struct scope {
    const lun_cdivision *d;
    const lun_cmacros *macros;
    const lun_csignature *head;
} scope;

/* LUN_THREADS(d) or LUN_ELEMENTS(d) at token *i, or without d. */
static bool extent(const lun_ctokens *t, int *i, const int64_t all[LUN_TEAM_AXES], int64_t *out)
{
    int at = *i + 1;
    if (!lun__ctoken_is(t, at, '('))
        return false;
    if (lun__ctoken_is(t, at + 1, ')')) {
        *out = lun_team_product(all, 0);
        *i = at + 2;
        return true;
    }
    const char d = t->text[t->at[at + 1].start];
    if (t->at[at + 1].length != 1 || d < '0' || d >= '0' + LUN_TEAM_AXES ||
        !lun__ctoken_is(t, at + 2, ')'))
        return false;
    *out = all[d - '0'];
    *i = at + 3;
    return true;
}

static bool named(const lun_cconstants *c, int *i, int64_t *out)
{
    const scope *s = c->ctx;
    int params;
    if (lun__ctoken_word(c->t, *i, known[0]))
        return extent(c->t, i, s->d->threads, out);
    if (lun__ctoken_word(c->t, *i, known[1]))
        return extent(c->t, i, s->d->elements, out);
    for (int k = 0; k < s->macros->macros; k++) {
        if (!lun__ctoken_same(c->t, s->macros->names[k], *i))
            continue;
        int at = lun__cmacro_replacement(c->t, s->macros->names[k], &params);
        ++*i;
        return params < 0 && lun__cconstant_read(c, &at, out) &&
               c->t->at[at].kind == LUN_CTOKEN_ENDLINE;
    }
    return false;
}

/* A parameter that is a number, which no macro is. */
static bool later(const lun_cconstants *c, int i)
{
    const scope *s = c->ctx;
    bool found = false;
    for (int k = 0; k < s->head->count; k++)
        found |= !s->head->param[k].array && lun__ctoken_same(c->t, s->head->param[k].name, i);
    for (int k = 0; k < s->macros->macros; k++)
        found &= !lun__ctoken_same(c->t, s->macros->names[k], i);
    return found;
}

/* ---- LUN_SCRATCH ----------------------------------------------------------------------------- */

typedef struct finder {
    lun_cscratches *out;
    lun_cedits *edits;
    const lun_csource *s;
    lun_strbuf *error;
    scope scope;
} finder;

static lun_status wrong(const finder *f, int i, const char *what)
{
    return lun__csource_error(f->s, i, f->error, "%s", what);
}

/* The extent at token *at, which becomes the token behind it: number x->rank of x. */
static lun_status add_extent(finder *f, int *at, lun_cscratch *x)
{
    const lun_ctokens *t = &f->s->tokens;
    const lun_cconstants c = {.t = t, .named = named, .later = later, .ctx = &f->scope};
    const int first = *at;
    char shown[48];
    lun_clinear n;
    if (!lun__cconstant_linear(&c, at, &n) || (n.by && x->rank) ||
        !(lun__ctoken_is(t, *at, ')') || lun__ctoken_is(t, *at, ',')))
        return wrong(f, first,
                     "LUN_SCRATCH(type, name, n): n is an integer constant, made of numbers, "
                     "macros of the text, LUN_THREADS(d) and LUN_ELEMENTS(d); or, of several "
                     "extents the first one alone, a parameter that is a number, times and plus "
                     "such constants");
    if (x->rank == LUN_MAX_RANK)
        return lun__csource_error(f->s, first, f->error, "%s has more than %d extents",
                                  lun__ctoken_show(t, x->name, shown), LUN_MAX_RANK);
    if (n.by) {
        x->first = n;
        n.plus = 0;
    } else if (n.plus < 1) {
        return lun__csource_error(f->s, x->name, f->error, "%s has %lld elements: 1 at least",
                                  lun__ctoken_show(t, x->name, shown), (long long)n.plus);
    }
    x->extent[x->rank++] = n.plus;
    x->count *= n.plus;
    return x->count <= INT32_MAX
               ? LUN_OK
               : lun__csource_error(f->s, x->name, f->error, "%s has more than %d elements",
                                    lun__ctoken_show(t, x->name, shown), INT32_MAX);
}

static lun_status add(finder *f, int first, int comma, int name)
{
    const lun_ctokens *t = &f->s->tokens;
    lun_cscratch x = {.name = name, .dtype = LUN_F64, .count = 1};
    lun_status s = lun__ctype_read(f->s, first, comma, &x.dtype, f->error);
    for (int at = name + 1; s == LUN_OK && lun__ctoken_is(t, at, ',');) {
        at++;
        s = add_extent(f, &at, &x);
    }
    if (s != LUN_OK)
        return s;
    if (f->out->count == LUN_FRONT_SCRATCHES)
        return wrong(f, name, "more than 48 arrays of LUN_SCRATCH");
    f->out->at[f->out->count++] = x;
    return LUN_OK;
}

/* The text of tokens first .. last is left out. */
static lun_status leave_out(finder *f, int first, int last)
{
    lun_status s = LUN_OK;
    for (int i = first; s == LUN_OK && i <= last; i++) {
        lun_cedit *e = lun__cedits_of(f->edits, i);
        s = e ? lun__cedits_add(&e->instead, "", false) : LUN_ENOMEM;
    }
    return s;
}

/* Token i is LUN_SCRATCH. */
static lun_status take(finder *f, int i, int past)
{
    const lun_ctokens *t = &f->s->tokens;
    int close = lun__ctoken_is(t, i + 1, '(') ? lun__cloop_closing(t, i + 1, past) : -1;
    int comma = i + 2;
    while (comma < close && !lun__ctoken_is(t, comma, ','))
        comma++;
    if (close < 0 || comma >= close || t->at[comma + 1].kind != LUN_CTOKEN_NAME ||
        !lun__ctoken_is(t, comma + 2, ',') || !lun__ctoken_is(t, close + 1, ';'))
        return wrong(f, i, "LUN_SCRATCH(type, name, n); has a type, a name and extents");
    lun_status s = add(f, i + 2, comma, comma + 1);
    return s == LUN_OK ? leave_out(f, i, close) : s;
}

lun_status lun__cscratch_find(lun_cscratches *out, lun_cedits *edits, const lun_csource *s,
                              const lun_csignature *head, const lun_cunit *entry,
                              const lun_cdivision *d, lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    lun_cmacros macros = {0};
    finder f = {out, edits, s, error, {d, &macros, head}};
    lun_status status = lun__cmacros_read(&macros, t);
    for (int i = entry->body + 1, depth = 0; status == LUN_OK && i < entry->end; i++) {
        depth += lun__ctoken_is(t, i, '{') - lun__ctoken_is(t, i, '}');
        if (!lun__ctoken_word(t, i, "LUN_SCRATCH"))
            continue;
        status = depth ? wrong(&f, i,
                               "LUN_SCRATCH stands at the top level of the function, in no block "
                               "of it")
                       : take(&f, i, entry->end);
    }
    lun__cmacros_free(&macros);
    return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

lun_status lun__cscratch_words(const lun_csource *s, const lun_cunits *units, int entry, bool teams,
                               lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    const lun_cunit *u = &units->at[entry];
    char shown[48];
    for (int i = 0, line = 0; i < t->count; i++) {
        bool is_team_word =
            lun__ctoken_word(t, i, "LUN_BARRIER") || lun__ctoken_word(t, i, "LUN_SCRATCH");
        if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            line = lun__ctoken_past_line(t, i);
        if (!is_team_word && !one_of(t, i, positions, sizeof positions / sizeof *positions) &&
            (teams || !one_of(t, i, known, sizeof known / sizeof *known)))
            continue;
        if (!teams)
            return lun__csource_error(s, i, error,
                                      "%s is for functions without a result, which lun.teams and "
                                      "lun.task take",
                                      lun__ctoken_show(t, i, shown));
        if ((i < line && is_team_word) || (i >= line && (i < u->body || i > u->end)))
            return lun__csource_error(s, i, error,
                                      "%s stands in the function that kernels call itself, in no "
                                      "helper%s",
                                      lun__ctoken_show(t, i, shown),
                                      is_team_word ? " or macro" : "");
    }
    return LUN_OK;
}

/* ---- macros ---------------------------------------------------------------------------------- */

static void constants(const char *word, const int64_t extent[LUN_TEAM_AXES], lun_strbuf *out)
{
    lun__strbuf_printf(out, "#define LUN_%s(d) LUN_%s_##d\n#define LUN_%s_ %" PRId64 "\n", word,
                       word, word, lun_team_product(extent, 0));
    for (int d = 0; d < LUN_TEAM_AXES; d++)
        lun__strbuf_printf(out, "#define LUN_%s_%d %" PRId64 "\n", word, d, extent[d]);
}

/* The number along axis d of row-major number `name`, whose extents are `extents`_0 .. _(rank-1).
 */
static void along(const char *word, const char *name, const char *extents, int64_t rank,
                  lun_strbuf *out)
{
    lun__strbuf_printf(out, "#define LUN_%s(d) LUN_%s_##d\n#define LUN_%s_ %s\n", word, word, word,
                       name);
    for (int d = 0; d < LUN_TEAM_AXES; d++) {
        if (d >= rank) {
            lun__strbuf_printf(out, "#define LUN_%s_%d 0\n", word, d);
            continue;
        }
        lun__strbuf_printf(out, "#define LUN_%s_%d (%s", word, d, name);
        for (int64_t k = d + 1; k < rank; k++)
            lun__strbuf_printf(out, " / %s_%" PRId64, extents, k);
        if (d)
            lun__strbuf_printf(out, " %% %s_%d", extents, d);
        lun__strbuf_puts(out, ")\n");
    }
}

void lun__cscratch_macros(const lun_cdivision *d, lun_strbuf *out)
{
    constants("THREADS", d->threads, out);
    constants("ELEMENTS", d->elements, out);
    lun__strbuf_puts(out, "#define LUN_BLOCKS(d) lun_blocks_##d\n#define lun_blocks_ (");
    for (int k = 0; k < LUN_TEAM_AXES; k++)
        lun__strbuf_printf(out, "%slun_blocks_%d", k ? " * " : "", k);
    lun__strbuf_puts(out, ")\n");
    along("BLOCK", "lun_block", "lun_blocks", d->rank, out);
    along("THREAD", "lun_thread", "LUN_THREADS", LUN_TEAM_AXES, out);
    lun__strbuf_puts(out, "#define LUN_INDEX(d) \\\n"
                          "    ((LUN_BLOCK_##d * LUN_THREADS_##d + LUN_THREAD_##d) * "
                          "LUN_ELEMENTS_##d)\n");
}

void lun__cscratch_forget(lun_strbuf *out)
{
    static const char *const words[] = {"THREADS", "ELEMENTS", "BLOCK", "THREAD"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        lun__strbuf_printf(out, "#undef LUN_%s\n#undef LUN_%s_\n", words[k], words[k]);
        for (int d = 0; d < LUN_TEAM_AXES; d++)
            lun__strbuf_printf(out, "#undef LUN_%s_%d\n", words[k], d);
    }
    lun__strbuf_puts(out, "#undef LUN_BLOCKS\n#undef lun_blocks_\n#undef LUN_INDEX\n");
}
