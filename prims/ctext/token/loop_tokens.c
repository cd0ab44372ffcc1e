/* loop_tokens.c - loops of a C text by their tokens; see loop_tokens.h. */
#include "ctext/token/loop_tokens.h"

#include <string.h>

enum { FEW = 64 }; /* rounds of a loop that need not ask */

/* ---- tokens ---------------------------------------------------------------------------------- */

int lun__cloop_closing(const lun_ctokens *t, int i, int past)
{
    int depth = 0;
    for (; i < past && t->at[i].kind != LUN_CTOKEN_DIRECTIVE; i++) {
        depth += lun__ctoken_is(t, i, '(') || lun__ctoken_is(t, i, '{');
        depth -= lun__ctoken_is(t, i, ')') || lun__ctoken_is(t, i, '}');
        if (!depth)
            return i;
    }
    return -1;
}

int lun__cloop_semicolon(const lun_ctokens *t, int i, int past)
{
    for (int depth = 0; i < past; i++) {
        depth += lun__ctoken_is(t, i, '(') || lun__ctoken_is(t, i, '{');
        depth -= lun__ctoken_is(t, i, ')') || lun__ctoken_is(t, i, '}');
        if (!depth && lun__ctoken_is(t, i, ';'))
            return i;
    }
    return -1;
}

int lun__cloop_comma(const lun_ctokens *t, int i, int past)
{
    for (int depth = 0; i < past; i++) {
        depth += lun__ctoken_is(t, i, '(') || lun__ctoken_is(t, i, '[');
        depth -= lun__ctoken_is(t, i, ')') || lun__ctoken_is(t, i, ']');
        if (!depth && lun__ctoken_is(t, i, ','))
            return i;
    }
    return -1;
}

/* A decimal literal, -1: it is none, or large. */
static int literal(const lun_ctokens *t, int i)
{
    const char *p = t->text + t->at[i].start;
    int n = 0;
    if (t->at[i].kind != LUN_CTOKEN_NUMBER || t->at[i].length > 5 ||
        (*p == '0' && t->at[i].length > 1))
        return -1;
    for (uint32_t k = 0; k < t->at[i].length; k++) {
        if (p[k] < '0' || p[k] > '9')
            return -1;
        n = 10 * n + p[k] - '0';
    }
    return n;
}

/* ---- few rounds ------------------------------------------------------------------------------ */

/* x++ or ++x at token i, as all up to the ')'. */
static bool counts_up(const lun_ctokens *t, int i, int name, int close)
{
    bool behind = lun__ctoken_same(t, name, i);
    int sign = behind ? i + 1 : i;
    return lun__ctoken_is(t, sign, '+') && lun__ctoken_is(t, sign + 1, '+') && close == i + 3 &&
           (behind || lun__ctoken_same(t, name, i + 2));
}

/* True if tokens first .. past-1 do not change a variable. */
static bool keeps(const lun_ctokens *t, int name, int first, int past)
{
    for (int i = first; i < past; i++) {
        if (!lun__ctoken_same(t, name, i))
            continue;
        int next = i + 1;
        if (next + 1 < past && (lun__ctoken_is(t, next, '<') || lun__ctoken_is(t, next, '>')) &&
            lun__ctoken_is(t, next + 1, t->at[next].ch))
            next++; /* a shift */
        bool sets = lun__ctoken_is(t, next, '=') && !lun__ctoken_is(t, next + 1, '=');
        bool joins = t->at[next].kind == LUN_CTOKEN_PUNCT && strchr("+-*/%&|^<>", t->at[next].ch) &&
                     lun__ctoken_is(t, next + 1, '=') &&
                     (next > i + 1 || !strchr("<>", t->at[next].ch));
        bool steps = (lun__ctoken_is(t, i + 1, '+') || lun__ctoken_is(t, i + 1, '-')) &&
                     lun__ctoken_is(t, i + 2, t->at[i + 1].ch);
        bool before = lun__ctoken_is(t, i - 1, '&') ||
                      ((lun__ctoken_is(t, i - 1, '+') || lun__ctoken_is(t, i - 1, '-')) &&
                       lun__ctoken_is(t, i - 2, t->at[i - 1].ch));
        if (sets || joins || steps || before)
            return false;
    }
    return true;
}

bool lun__cloop_few(const lun_ctokens *t, int first, int second, int close, int past)
{
    int name = first + 1, equal = lun__ctoken_is(t, first + 3, '='), bound = first + 3 + equal;
    if (t->at[name].kind != LUN_CTOKEN_NAME || !lun__ctoken_is(t, first + 2, '<') ||
        second != bound + 1 || literal(t, bound) < 0 || literal(t, bound) > FEW ||
        literal(t, first - 1) < 0 || !lun__ctoken_is(t, first - 2, '=') ||
        !lun__ctoken_same(t, name, first - 3) || !counts_up(t, second + 1, name, close))
        return false;
    int end = lun__ctoken_is(t, close + 1, '{') ? lun__cloop_closing(t, close + 1, past)
                                                : lun__cloop_semicolon(t, close + 1, past);
    return end >= 0 && keeps(t, name, close + 1, end);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

bool lun__cloop_go_on(const lun_ctokens *t, int close, int past)
{
    static const char *const words[] = {"if",   "for",    "while", "do",     "switch",
                                        "goto", "return", "break", "_Pragma"};
    bool braces = lun__ctoken_is(t, close + 1, '{');
    int end =
        braces ? lun__cloop_closing(t, close + 1, past) : lun__cloop_semicolon(t, close + 1, past);
    if (end < 0 || end == close + 1) /* of a do, or empty */
        return false;
    for (size_t k = 0; k < sizeof words / sizeof *words && !braces; k++)
        if (lun__ctoken_word(t, close + 1, words[k]))
            return false;
    for (int i = close + 1; i < end; i++)
        if (lun__ctoken_word(t, i, "break") || lun__ctoken_word(t, i, "goto") ||
            t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            return false;
    return true;
}

/* ---- jumps ----------------------------------------------------------------------------------- */

bool lun__cloop_back(const lun_ctokens *t, int i, int past)
{
    for (int k = i + 2; k + 1 < past; k++) {
        bool begins = t->at[k - 1].ch && strchr(";{}:", t->at[k - 1].ch);
        if (begins && lun__ctoken_same(t, i + 1, k) && lun__ctoken_is(t, k + 1, ':'))
            return false;
    }
    return true;
}
