/* operand.c - how far operands reach; see operand.h.  Knows C's precedence of * / %, unary and
 * postfix operators; types only by their names.
 *
 * A group in parentheses before an operand is a cast if it begins with a type's name or a name or
 * number follows it.  With a type that is not known as one, (T) - x counts as a subtraction: the
 * compiler refuses what comes of it, so nothing is read as something else. */
#include "ctext/token/operand.h"

#include <stddef.h>

static bool is(const lun_cextent *x, int i, char ch)
{
    return i >= x->first && i < x->past && lun__ctoken_is(x->t, i, ch);
}

static bool is_word(const lun_cextent *x, int i, const char *const *words)
{
    for (; i >= x->first && i < x->past && *words; words++)
        if (lun__ctoken_word(x->t, i, *words))
            return true;
    return false;
}

static bool is_sizeof(const lun_cextent *x, int i)
{
    static const char *const words[] = {"sizeof", "_Alignof", "__alignof__", NULL};
    return is_word(x, i, words);
}

static bool is_head(const lun_cextent *x, int i)
{
    static const char *const words[] = {"if", "while", "for", "switch", NULL};
    return is_word(x, i, words);
}

/* Words before an expression that are no part of it. */
static bool is_keyword(const lun_cextent *x, int i)
{
    static const char *const words[] = {"return", "case", "else", "do", "goto", NULL};
    return is_word(x, i, words) || is_head(x, i);
}

static int kind(const lun_cextent *x, int i)
{
    return i >= x->first && i < x->past ? x->t->at[i].kind : LUN_CTOKEN_END;
}

static bool is_atom(const lun_cextent *x, int i)
{
    int k = kind(x, i);
    return k == LUN_CTOKEN_NUMBER || k == LUN_CTOKEN_LITERAL ||
           (k == LUN_CTOKEN_NAME && !is_keyword(x, i) && !is_sizeof(x, i));
}

/* Token i and i + 1 are one operator of two equal or different characters. */
static bool pair(const lun_cextent *x, int i, char a, char b)
{
    return is(x, i, a) && is(x, i + 1, b) &&
           x->t->at[i].start + x->t->at[i].length == x->t->at[i + 1].start;
}

static bool is_step(const lun_cextent *x, int i)
{
    return pair(x, i, '+', '+') || pair(x, i, '-', '-');
}

int lun__coperand_match(const lun_cextent *x, int i)
{
    bool opens = is(x, i, '(') || is(x, i, '[') || is(x, i, '{');
    int depth = 0, by = opens ? 1 : -1;
    for (; i >= x->first && i < x->past; i += by) {
        if (kind(x, i) == LUN_CTOKEN_DIRECTIVE || kind(x, i) == LUN_CTOKEN_ENDLINE)
            return -1; /* a branch of an #if may begin or end within */
        if (is(x, i, '(') || is(x, i, '[') || is(x, i, '{'))
            depth++;
        if (is(x, i, ')') || is(x, i, ']') || is(x, i, '}'))
            depth--;
        if (!depth)
            return i;
    }
    return -1;
}

static bool begins_type(const lun_cextent *x, int i)
{
    static const char *const words[] = {"__typeof__", "typeof", "struct", "union", "enum", NULL};
    return is_word(x, i, words) || (kind(x, i) == LUN_CTOKEN_NAME && x->is_type(x->ctx, i));
}

/* ---- forward --------------------------------------------------------------------------------- */

static int past_postfix(const lun_cextent *x, int i)
{
    for (;;) {
        if (is(x, i, '(') || is(x, i, '[')) {
            i = lun__coperand_match(x, i) + 1;
            if (!i)
                return -1;
        } else if (is(x, i, '.') && kind(x, i + 1) == LUN_CTOKEN_NAME) {
            i += 2;
        } else if (pair(x, i, '-', '>') && kind(x, i + 2) == LUN_CTOKEN_NAME) {
            i += 3;
        } else if (is_step(x, i)) {
            i += 2;
        } else {
            return i;
        }
    }
}

/* Behind the group that opens at i: 0 in *on where the operand goes on with a cast's operand. */
static int past_group(const lun_cextent *x, int i, bool *on)
{
    int close = lun__coperand_match(x, i);
    *on = false;
    if (close < 0)
        return -1;
    bool type =
        begins_type(x, i + 1) || (kind(x, i + 1) == LUN_CTOKEN_NAME && is_atom(x, close + 1));
    if (type && is(x, close + 1, '{')) {
        int braces = lun__coperand_match(x, close + 1);
        return braces < 0 ? -1 : past_postfix(x, braces + 1);
    }
    *on = type;
    return type ? close + 1 : past_postfix(x, close + 1);
}

int lun__coperand_end(const lun_cextent *x, int i)
{
    static const char unary[] = "+-!~*&";
    for (bool on = true; on;) {
        on = false;
        for (const char *u = unary; *u; u++)
            on |= is(x, i, *u);
        if (on || lun__ctoken_word(x->t, i, "__extension__")) {
            on = true;
            i++;
        } else if (is_sizeof(x, i)) {
            i++;
            on = !(is(x, i, '(') && begins_type(x, i + 1));
            if (!on)
                i = lun__coperand_match(x, i) + 1;
        } else if (is(x, i, '(')) {
            i = past_group(x, i, &on);
        } else if (is_atom(x, i)) {
            while (kind(x, i) == LUN_CTOKEN_LITERAL && kind(x, i + 1) == LUN_CTOKEN_LITERAL)
                i++;
            i = past_postfix(x, i + 1);
        } else {
            return -1;
        }
        if (i < 0 || i > x->past)
            return -1;
    }
    return i - 1;
}

int lun__coperand_value_end(const lun_cextent *x, int i)
{
    int from = i, choices = 0;
    for (; i < x->past; i++) {
        if (is(x, i, '(') || is(x, i, '[') || is(x, i, '{')) {
            i = lun__coperand_match(x, i);
            if (i < 0)
                return -1;
            continue;
        }
        if (kind(x, i) == LUN_CTOKEN_DIRECTIVE || kind(x, i) == LUN_CTOKEN_ENDLINE)
            return -1;
        choices += is(x, i, '?');
        if (is(x, i, ',') || is(x, i, ';') || is(x, i, ')') || is(x, i, ']') || is(x, i, '}') ||
            (is(x, i, ':') && choices-- == 0))
            break;
    }
    return i > from ? i - 1 : -1;
}

/* ---- backward -------------------------------------------------------------------------------- */

/* The first token of the postfix expression that ends at i. */
static int start_postfix(const lun_cextent *x, int i)
{
    for (;;) {
        if (is_step(x, i - 1)) {
            i -= 2;
            continue;
        }
        if (is(x, i, ')') || is(x, i, ']')) {
            bool index = is(x, i, ']');
            i = lun__coperand_match(x, i);
            if (i < 0)
                return -1;
            bool base = is_atom(x, i - 1) || is(x, i - 1, ')') || is(x, i - 1, ']');
            if (index && !base)
                return -1;
            if (!base || (is(x, i - 1, ')') && !index && begins_type(x, i + 1)))
                return i;
            if (is(x, i - 1, ')') && !index) { /* (T)(x), (f)(x) or if (c) (x) */
                int open = lun__coperand_match(x, i - 1);
                if (open < 0 || is_head(x, open - 1) || begins_type(x, open + 1))
                    return open < 0 ? -1 : i;
            }
            i--;
            continue;
        }
        if (!is_atom(x, i))
            return -1;
        if (kind(x, i) == LUN_CTOKEN_NAME && is(x, i - 1, '.'))
            i -= 2;
        else if (kind(x, i) == LUN_CTOKEN_NAME && pair(x, i - 2, '-', '>'))
            i -= 3;
        else
            return i;
    }
}

/* Whether an operand ends at token i, so that an operator behind it is binary. */
static bool ends_operand(const lun_cextent *x, int i)
{
    if (is(x, i, ')')) {
        int open = lun__coperand_match(x, i);
        return open >= 0 && !is_head(x, open - 1) &&
               (!begins_type(x, open + 1) || is_sizeof(x, open - 1));
    }
    return is_atom(x, i) || is(x, i, ']') || (is_step(x, i - 1) && ends_operand(x, i - 2));
}

/* The first token of the unary or cast expression whose postfix expression begins at i. */
static int start_unary(const lun_cextent *x, int i)
{
    static const char unary[] = "+-!~*&";
    for (;;) {
        int p = i - 1;
        bool sign = false;
        for (const char *u = unary; *u; u++)
            sign |= is(x, p, *u);
        if (sign) {
            if (is(x, p - 2, x->t->at[p].ch) && pair(x, p - 1, x->t->at[p].ch, x->t->at[p].ch) &&
                pair(x, p - 2, x->t->at[p].ch, x->t->at[p].ch))
                return -1; /* a+++b */
            bool step = is_step(x, p - 1);
            if (!step && ends_operand(x, p - 1))
                return i;
            i = step ? p - 1 : p;
        } else if (is_sizeof(x, p) ||
                   (p >= x->first && lun__ctoken_word(x->t, p, "__extension__"))) {
            i = p;
        } else if (is(x, p, ')')) {
            int open = lun__coperand_match(x, p);
            if (open < 0)
                return -1;
            if (is_head(x, open - 1) || (is_atom(x, open - 1) && !begins_type(x, open + 1)))
                return i;
            i = open;
        } else {
            return i;
        }
    }
}

int lun__coperand_start(const lun_cextent *x, int i, bool unary)
{
    for (;;) {
        int start = start_postfix(x, i - 1);
        if (start >= 0)
            start = start_unary(x, start);
        if (start < 0 || (start > x->first && lun__ctoken_word(x->t, start - 1, "case")))
            return -1;
        bool binary = is(x, start - 1, '*') || is(x, start - 1, '/') || is(x, start - 1, '%');
        if (unary || !binary)
            return start;
        i = start - 1;
    }
}
