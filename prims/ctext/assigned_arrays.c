/* assigned_arrays.c - which arrays a C text may assign elements of; see assigned_arrays.h.  A use
 * that is not understood counts as an assignment. */
#include "ctext/assigned_arrays.h"

#include "ctext/token/atomic_words.h"
#include "ctext/token/macros.h"
#include "ctext/token/parse_statement.h"

/* A definition of the entry, and the name of the parameter that is looked for. */
typedef struct reader {
    const lun_cmaker *m;
    const lun_ctokens *t;
    const lun_cmacros *macros;
    const lun_cunit *u;
    int name;
} reader;

enum { READS = -1, ASSIGNS = LUN_ATOMIC_COUNT }; /* between them: a lun_atomic */

/* Two characters of punctuation, side by side. */
static bool joined(const lun_ctokens *t, int i, char a, char b)
{
    return lun__ctoken_is(t, i, a) && lun__ctoken_is(t, i + 1, b) &&
           t->at[i + 1].start == t->at[i].start + 1;
}

/* Whether what stands behind an operand, from token i on, may assign it. */
static bool assigned_behind(const lun_ctokens *t, int i)
{
    static const char compound[] = "+-*/%&|^";
    if (t->at[i].kind == LUN_CTOKEN_NAME || t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
        return true; /* a macro could */
    if (lun__ctoken_is(t, i, '='))
        return !joined(t, i, '=', '=');
    if (lun__ctoken_is(t, i, '[') || lun__ctoken_is(t, i, '.') || joined(t, i, '+', '+') ||
        joined(t, i, '-', '-') || joined(t, i, '-', '>'))
        return true;
    for (const char *c = compound; *c; c++)
        if (joined(t, i, *c, '='))
            return true;
    return (joined(t, i, '<', '<') || joined(t, i, '>', '>')) && lun__ctoken_is(t, i + 2, '=');
}

/* Words that an operand may follow. */
static bool is_keyword(const lun_ctokens *t, int i)
{
    static const char *const words[] = {"return", "else", "do", "case"};
    bool found = false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        found |= lun__ctoken_word(t, i, words[k]);
    return found;
}

/* Whether what stands before an operand, which begins at token i, may assign it, or take its
 * address. */
static bool assigned_before(const reader *r, int i)
{
    const lun_ctokens *t = r->t;
    bool may = t->at[i - 1].kind == LUN_CTOKEN_ENDLINE ||
               (t->at[i - 1].kind == LUN_CTOKEN_NAME && !is_keyword(t, i - 1));
    if (lun__ctoken_is(t, i - 1, '&')) {
        const bool variable = t->at[i - 2].kind == LUN_CTOKEN_NAME && !is_keyword(t, i - 2) &&
                              lun__cmacro_shape_of(r->macros, i - 2) == LUN_CMACRO_NONE;
        may = !variable && !joined(t, i - 2, '&', '&') && t->at[i - 2].kind != LUN_CTOKEN_NUMBER &&
              !lun__ctoken_is(t, i - 2, ']');
    }
    return may || joined(t, i - 2, '+', '+') || joined(t, i - 2, '-', '-');
}

/* The '(' around token i that is the nearest, within the body; -1: there is none. */
static int opening(const reader *r, int i)
{
    int depth = 0;
    for (i--; i > r->u->body; i--) {
        depth += lun__ctoken_is(r->t, i, ')') - lun__ctoken_is(r->t, i, '(');
        if (depth < 0)
            return i;
    }
    return -1;
}

/* Whether token i stands among what a macro is given. */
static bool in_macro(const reader *r, int i)
{
    while ((i = opening(r, i)) >= 0)
        if (lun__cmacro_shape_of(r->macros, i - 1) != LUN_CMACRO_NONE)
            return true;
    return false;
}

/* Whether token i is an argument that a helper takes as a pointer to const. */
static bool handed_on(const reader *r, int i)
{
    const int open = opening(r, i);
    const lun_cname *n = open < 0 ? NULL : lun__cmaker_name(r->m, open - 1);
    lun_csignature head;
    lun_strbuf unused = LUN_STRBUF_INIT;
    int argument = 0, depth = 0;
    if (!n || n->unit < 0 || r->m->units.at[n->unit].body < 0 ||
        !(lun__ctoken_is(r->t, i + 1, ',') || lun__ctoken_is(r->t, i + 1, ')')) ||
        !(i == open + 1 || lun__ctoken_is(r->t, i - 1, ',')))
        return false;
    for (int k = open + 1; k < i; k++) {
        depth += lun__ctoken_is(r->t, k, '(') - lun__ctoken_is(r->t, k, ')');
        argument += !depth && lun__ctoken_is(r->t, k, ',');
    }
    const lun_status s =
        lun__csignature_read(&head, &r->m->source, &r->m->units.at[n->unit], &unused);
    lun__strbuf_free(&unused);
    return (s == LUN_OK || head.count) && argument < head.count && head.param[argument].array &&
           head.param[argument].constant;
}

/* What token i does with the array whose name it is. */
static int use_of(const reader *r, int i)
{
    const lun_ctokens *t = r->t;
    const int atom = lun__ctoken_is(t, i - 1, '(') ? lun__catomic_of(t, i - 2) : -1;
    int first = i, last = -1;
    if (lun__ctoken_is(t, i - 1, '.') || joined(t, i - 2, '-', '>'))
        return READS; /* another one: a member */
    if (in_macro(r, i))
        return ASSIGNS;
    if (atom >= 0)
        return lun__ctoken_is(t, i + 1, ',') ? atom : ASSIGNS;
    if (lun__ctoken_is(t, i + 1, '[')) {
        last = lun__cstatement_closing(t, i + 1, r->u->end);
    } else if (lun__ctoken_is(t, i - 1, '(') && lun__ctoken_word(t, i - 2, "LUN_AT")) {
        first = i - 2;
        last = lun__cstatement_closing(t, i - 1, r->u->end);
    } else if (handed_on(r, i)) {
        return READS;
    }
    while (last >= 0 && !assigned_behind(t, last + 1) && !assigned_before(r, first)) {
        const bool around = lun__ctoken_is(t, first - 1, '(') && lun__ctoken_is(t, last + 1, ')');
        if (!around || t->at[first - 2].kind == LUN_CTOKEN_NAME)
            return READS;
        first--;
        last++;
    }
    return ASSIGNS;
}

/* What all uses in this definition come to. */
static int uses_of(const reader *r)
{
    int all = READS;
    for (int i = r->u->body + 1; i < r->u->end && all != ASSIGNS; i++) {
        if (!lun__ctoken_same(r->t, i, r->name))
            continue;
        const int use = use_of(r, i);
        all = use == READS || use == all ? all : all == READS ? use : ASSIGNS;
    }
    return all;
}

/* Whether a line of the preprocessor has the name. */
static bool in_lines(const lun_ctokens *t, int name)
{
    for (int i = 0, line = 0; i < t->count; i++) {
        if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            line = lun__ctoken_past_line(t, i);
        if (i < line && lun__ctoken_same(t, i, name))
            return true;
    }
    return false;
}

/* Parameter k of a definition of the entry, by the words of that very one. */
static int of_parameter(reader *r, const lun_csignature *own, int k)
{
    r->name = own->param[k].name;
    return in_lines(r->t, r->name) ? ASSIGNS : uses_of(r);
}

lun_status lun__cassigned_find(lun_cmaker *m)
{
    lun_cmacros macros = {0};
    int all[LUN_MAX_PARAMS];
    lun_strbuf unused = LUN_STRBUF_INIT; /* heads were read before */
    lun_status s = lun__cmacros_read(&macros, &m->source.tokens);
    for (int k = 0; k < m->head.count; k++)
        all[k] = READS;
    for (int i = 0; s == LUN_OK && i < m->units.count; i++) {
        lun_csignature own = m->head;
        reader r = {m, &m->source.tokens, &macros, &m->units.at[i], -1};
        if (!lun__cmaker_defines(m, i))
            continue;
        if (i != m->entry)
            (void)lun__csignature_read(&own, &m->source, r.u, &unused);
        for (int k = 0; k < m->head.count; k++) {
            const int use =
                own.param[k].array && !own.param[k].constant ? of_parameter(&r, &own, k) : READS;
            all[k] = use == READS || use == all[k] ? all[k] : all[k] == READS ? use : ASSIGNS;
        }
    }
    for (int k = 0; k < m->head.count; k++) {
        m->head.param[k].constant |= all[k] == READS;
        m->head.param[k].atom = all[k] >= 0 && all[k] < ASSIGNS ? (uint8_t)(all[k] + 1) : 0;
    }
    lun__strbuf_free(&unused);
    lun__cmacros_free(&macros);
    return s;
}

bool lun__cassigned_any(const lun_csignature *head)
{
    for (int k = 0; k < head->count; k++)
        if (head->param[k].array && !head->param[k].constant)
            return true;
    return false;
}
