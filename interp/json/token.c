/* token.c - see token.h. */
#include "json/token.h"

#include <math.h>
#include <string.h>

#include "csv/number.h"

const char *lun__json_token_message(lun__json_what what)
{
    static const char *const messages[] = {
        [LUN__JSON_ENDS] = "the text ends within a value",
        [LUN__JSON_LINE_ENDS] =
            "the line ends within an object; a line of such a file has a whole one",
        [LUN__JSON_NO_VALUE] = "a value is expected",
        [LUN__JSON_NO_KEY] = "a key in double quotes is expected",
        [LUN__JSON_NO_COLON] = "a colon is expected behind the key",
        [LUN__JSON_NO_COMMA] = "a comma or the end of the object or list is expected",
        [LUN__JSON_LAST_COMMA] = "no comma stands before the end of an object or list",
        [LUN__JSON_BEHIND] = "text behind the end of the value",
        [LUN__JSON_ZERO] = "a number has no 0 before its other digits",
        [LUN__JSON_PLUS] = "a number has no + before it",
        [LUN__JSON_NO_DIGIT] = "a digit is expected in the number",
        [LUN__JSON_WORD] = "the words are true, false and null",
        [LUN__JSON_QUOTE] = "texts and keys are in double quotes",
        [LUN__JSON_COMMENT] = "comments are no JSON",
        [LUN__JSON_CONTROL] =
            "a control character in a text; it is written as an escape, such as \\n or \\u0001",
        [LUN__JSON_ESCAPE] = "no escape; they are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with "
                             "four hexadecimal digits",
        [LUN__JSON_SURROGATE] = "half of a surrogate pair, which is no character",
        [LUN__JSON_ENCODING] = "not UTF-8",
        [LUN__JSON_NUL] = "\\u0000, which no text of a column has",
        [LUN__JSON_DEEP] = "more than 512 lists and objects within each other",
        [LUN__JSON_TWICE] = "a key that the object has already",
        [LUN__JSON_NO_ROW] = "an object is expected: a row is one",
        [LUN__JSON_NO_TABLE] =
            "a list of objects, or an object of lists of one length, is expected",
        [LUN__JSON_NO_LIST] = "a list is expected: in an object of columns each value is one; a "
                              "file of an object a line "
                              "is named .jsonl, or read with {form = \"lines\"}",
        [LUN__JSON_LENGTHS] = "the lists of an object of columns have one length",
        [LUN__JSON_LONG] = "2 GB or longer",
        [LUN__JSON_EMPTY] = "there is no value; the text is empty",
    };
    return messages[what] ? messages[what] : "";
}

bool lun__json_token_unexpected(lun__json_text *t, lun__json_what what)
{
    const char c = *t->at;
    if (t->at >= t->end)
        what = LUN__JSON_ENDS;
    else if (c == '\n' && t->lines)
        what = LUN__JSON_LINE_ENDS;
    else if (c == '\'')
        what = LUN__JSON_QUOTE;
    else if (c == '/' || c == '#')
        what = LUN__JSON_COMMENT;
    return lun__json_token_fail(t, what, t->at);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The four hexadecimal digits at p, -1: there are none. */
static int hexadecimal(const char *p)
{
    int x = 0;
    for (int k = 0; k < 4; k++) {
        const char c = p[k];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        x = x * 16 + digit;
    }
    return x;
}

/* The escape at p, a backslash: what is behind it; NULL: *t has the fault. */
static const char *escape(lun__json_text *t, const char *p)
{
    if (p[1] != 'u') {
        if (p[1] && strchr("\"\\/bfnrt", p[1]))
            return p + 2;
        (void)lun__json_token_fail(t, p + 1 >= t->end ? LUN__JSON_ENDS : LUN__JSON_ESCAPE, p);
        return NULL;
    }
    const int x = hexadecimal(p + 2);
    if (x < 0 || (x == 0 && !t->nul) || (x >= 0xDC00 && x < 0xE000)) {
        (void)lun__json_token_fail(t,
                                   x < 0    ? LUN__JSON_ESCAPE
                                   : x == 0 ? LUN__JSON_NUL
                                            : LUN__JSON_SURROGATE,
                                   p);
        return NULL;
    }
    if (x < 0xD800 || x >= 0xE000)
        return p + 6;
    const int low = p[6] == '\\' && p[7] == 'u' ? hexadecimal(p + 8) : -1;
    if (low >= 0xDC00 && low < 0xE000)
        return p + 12;
    (void)lun__json_token_fail(t, LUN__JSON_SURROGATE, p);
    return NULL;
}

/* Bits where one of eight bytes ends a run: a quote, a backslash, a control character; others may
 * stand above the first one. */
static inline uint64_t special(uint64_t v)
{
    const uint64_t each = UINT64_C(0x0101010101010101), top = UINT64_C(0x8080808080808080);
    const uint64_t quote = v ^ each * '"', back = v ^ each * '\\';
    return (((quote - each) & ~quote) | ((back - each) & ~back) | ((v - each * 0x20) & ~v)) & top;
}

bool lun__json_token_string(lun__json_text *t, lun__json_string *s)
{
    const char *p = t->at + 1;
    *s = (lun__json_string){.at = p};
    for (;;) {
        uint64_t found = special(lun__csv_number_word(p));
        if (!found) {
            p += 8;
            continue;
        }
        p += __builtin_ctzll(found) / 8;
        if (*p == '"')
            break;
        if (*p != '\\')
            return lun__json_token_fail(t, p >= t->end ? LUN__JSON_ENDS : LUN__JSON_CONTROL, p);
        s->escaped = true;
        p = escape(t, p);
        if (!p)
            return false;
    }
    s->length = p - s->at;
    if (s->length > INT32_MAX)
        return lun__json_token_fail(t, LUN__JSON_LONG, t->at);
    t->at = p + 1;
    return true;
}

static char *put_character(char *to, int x)
{
    if (x < 0x80) {
        *to++ = (char)x;
        return to;
    }
    if (x >= 0x10000) {
        *to++ = (char)(0xF0 | x >> 18);
        *to++ = (char)(0x80 | (x >> 12 & 0x3F));
    } else if (x >= 0x800) {
        *to++ = (char)(0xE0 | x >> 12);
    } else {
        *to++ = (char)(0xC0 | x >> 6);
        *to++ = (char)(0x80 | (x & 0x3F));
        return to;
    }
    *to++ = (char)(0x80 | (x >> 6 & 0x3F));
    *to++ = (char)(0x80 | (x & 0x3F));
    return to;
}

int64_t lun__json_token_unescape(const lun__json_string *s, char *to)
{
    static const char from[] = "bfnrt", into[] = "\b\f\n\r\t";
    char *first = to;
    for (const char *p = s->at, *end = p + s->length; p < end;) {
        if (*p != '\\') {
            *to++ = *p++;
            continue;
        }
        const char *known = strchr(from, p[1]);
        if (p[1] != 'u') {
            *to++ = known ? into[known - from] : p[1];
            p += 2;
            continue;
        }
        int x = hexadecimal(p + 2);
        p += 6;
        if (x >= 0xD800 && x < 0xDC00) {
            x = 0x10000 + ((x - 0xD800) << 10) + hexadecimal(p + 2) - 0xDC00;
            p += 6;
        }
        to = put_character(to, x);
    }
    return to - first;
}

/* ---- numbers and words ----------------------------------------------------------------------- */

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool word(lun__json_text *t, const char *text, size_t length)
{
    if (memcmp(t->at, text, length) != 0)
        return lun__json_token_fail(t, LUN__JSON_WORD, t->at);
    const char c = t->at[length];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c))
        return lun__json_token_fail(t, LUN__JSON_WORD, t->at);
    t->at += length;
    return true;
}

static bool real_word(lun__json_text *t, lun__col_value *v, const char *text, size_t length,
                      double x)
{
    v->type = LUN__COL_REAL;
    v->as.number = x;
    return word(t, text, length);
}

/* Passes over a fraction and an exponent at p. */
static const char *fraction(lun__json_text *t, const char *p)
{
    for (int part = 0; part < 2; part++) {
        if (part == 0 && *p != '.')
            continue;
        if (part == 1 && *p != 'e' && *p != 'E')
            continue;
        p++;
        if (part == 1 && (*p == '+' || *p == '-'))
            p++;
        if (!is_digit(*p)) {
            (void)lun__json_token_fail(t, p >= t->end ? LUN__JSON_ENDS : LUN__JSON_NO_DIGIT, p);
            return NULL;
        }
        while (is_digit(*p))
            p++;
    }
    return p;
}

/* An integer of digits first .. end - 1. */
static void integer(lun__col_value *v, const char *start, const char *first, const char *end)
{
    const bool minus = first > start;
    unsigned __int128 x = 0;
    v->type = LUN__COL_INTEGER;
    if (end - first <= 20)
        for (const char *p = first; p < end; p++)
            x = x * 10 + (unsigned)(*p - '0');
    if (end - first <= 20 && x <= (uint64_t)INT64_MAX + minus) {
        v->as.bits = minus ? -(uint64_t)x : (uint64_t)x;
    } else if (end - first <= 20 && x <= UINT64_MAX && !minus) {
        v->type = LUN__COL_BEYOND;
        v->as.bits = (uint64_t)x;
    } else {
        v->type = LUN__COL_OVER;
        (void)lun__csv_number_float(start, end, &v->as.number);
    }
}

static bool number(lun__json_text *t, lun__col_value *v)
{
    const char *start = t->at, *first = start + (*start == '-'), *p = first;
    uint64_t x = 0;
    if (!is_digit(*p)) {
        if (*p == 'I')
            return real_word(t, v, "-Infinity", 9, -INFINITY);
        return lun__json_token_fail(t, p >= t->end ? LUN__JSON_ENDS : LUN__JSON_NO_DIGIT, p);
    }
    for (; is_digit(*p); p++)
        x = x * 10 + (unsigned)(*p - '0');
    if (*first == '0' && p - first > 1)
        return lun__json_token_fail(t, LUN__JSON_ZERO, start);
    if (*p == '.' || *p == 'e' || *p == 'E') {
        p = fraction(t, p);
        if (!p)
            return false;
        v->type = LUN__COL_REAL;
        (void)lun__csv_number_float(start, p, &v->as.number);
    } else if (p - first <= 18) {
        v->type = LUN__COL_INTEGER;
        v->as.bits = first > start ? -x : x;
    } else {
        integer(v, start, first, p);
    }
    t->at = p;
    return true;
}

bool lun__json_token_scalar(lun__json_text *t, lun__col_value *v, bool *null)
{
    const char c = *t->at;
    *null = false;
    if (is_digit(c) || c == '-')
        return number(t, v);
    v->type = LUN__COL_TRUTH;
    v->as.bits = c == 't';
    switch (c) {
    case 't':
        return word(t, "true", 4);
    case 'f':
        return word(t, "false", 5);
    case 'n':
        *null = true;
        return word(t, "null", 4);
    case 'N':
        return real_word(t, v, "NaN", 3, NAN);
    case 'I':
        return real_word(t, v, "Infinity", 8, INFINITY);
    case '+':
        return lun__json_token_fail(t, LUN__JSON_PLUS, t->at);
    default:
        break;
    }
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return lun__json_token_fail(t, LUN__JSON_WORD, t->at);
    return lun__json_token_unexpected(t, LUN__JSON_NO_VALUE);
}

/* ---- whole values ---------------------------------------------------------------------------- */

/* The key and the colon of an object. */
static bool pass_key(lun__json_text *t)
{
    lun__json_string s;
    lun__json_token_blanks(t);
    if (*t->at != '"')
        return lun__json_token_unexpected(t, LUN__JSON_NO_KEY);
    if (!lun__json_token_string(t, &s))
        return false;
    lun__json_token_blanks(t);
    if (*t->at != ':')
        return lun__json_token_unexpected(t, LUN__JSON_NO_COLON);
    t->at++;
    return true;
}

/* Passes over a text, a number or a word. */
static bool pass_plain(lun__json_text *t)
{
    lun__json_string s;
    lun__col_value v;
    bool null;
    return *t->at == '"' ? lun__json_token_string(t, &s) : lun__json_token_scalar(t, &v, &null);
}

/* Opens a list or an object, whose bit in `objects` says which; *empty: it has ended already. */
static bool open_nested(lun__json_text *t, int depth, unsigned char *objects, bool *empty)
{
    const bool object = *t->at == '{';
    if (depth >= LUN__JSON_DEPTH)
        return lun__json_token_fail(t, LUN__JSON_DEEP, t->at);
    objects[depth] = object;
    t->at++;
    lun__json_token_blanks(t);
    *empty = *t->at == (object ? '}' : ']');
    return *empty || !object || pass_key(t);
}

/* Behind a value in a list or an object: a comma, and what follows it; or ends of those outside. */
static bool pass_ends(lun__json_text *t, int first, int *depth, const unsigned char *objects)
{
    while (*depth > first) {
        const bool object = objects[*depth - 1];
        const char close = object ? '}' : ']';
        lun__json_token_blanks(t);
        if (*t->at == close) {
            t->at++;
            --*depth;
            continue;
        }
        if (*t->at != ',')
            return lun__json_token_unexpected(t, LUN__JSON_NO_COMMA);
        const char *comma = t->at++;
        lun__json_token_blanks(t);
        if (*t->at == close)
            return lun__json_token_fail(t, LUN__JSON_LAST_COMMA, comma);
        return !object || pass_key(t);
    }
    return true;
}

bool lun__json_token_skip(lun__json_text *t, int depth)
{
    unsigned char objects[LUN__JSON_DEPTH];
    const int first = depth;
    do {
        lun__json_token_blanks(t);
        bool empty = true;
        if (*t->at == '{' || *t->at == '[') {
            if (!open_nested(t, depth, objects, &empty))
                return false;
            depth++;
            if (!empty)
                continue;
        } else if (!pass_plain(t)) {
            return false;
        }
        if (!pass_ends(t, first, &depth, objects))
            return false;
    } while (depth > first);
    return true;
}
