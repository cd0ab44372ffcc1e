/* token.c - C text cut into tokens. */
#include "ctext/token/token.h"

#include <stdlib.h>
#include <string.h>

typedef struct cutter {
    const char *text;
    size_t length, at;
    lun_ctokens *out;
    bool fresh, directive; /* nothing but spaces on this line yet; inside a preprocessor line */
} cutter;

static char peek(const cutter *c, size_t ahead)
{
    return c->at + ahead < c->length ? c->text[c->at + ahead] : '\0';
}

/* Bytes of a backslash at the end of a line, which joins it with the next; 0: none here. */
static size_t joint(const cutter *c)
{
    if (peek(c, 0) != '\\')
        return 0;
    if (peek(c, 1) == '\n')
        return 2;
    return peek(c, 1) == '\r' && peek(c, 2) == '\n' ? 3 : 0;
}

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static bool in_name(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || is_digit(ch) || ch == '_' ||
           ch == '$' || (unsigned char)ch >= 0x80;
}

static bool push(cutter *c, lun_ctoken_kind kind, size_t start, char ch)
{
    lun_ctokens *t = c->out;
    if (t->count == t->room) {
        int room = t->room ? t->room * 2 : 256;
        lun_ctoken *at = realloc(t->at, (size_t)room * sizeof *at);
        if (!at)
            return false;
        t->at = at;
        t->room = room;
    }
    t->at[t->count++] = (lun_ctoken){(uint32_t)start, (uint32_t)(c->at - start), (uint8_t)kind, ch};
    return true;
}

static void skip_line_comment(cutter *c)
{
    while (c->at < c->length && peek(c, 0) != '\n') {
        size_t n = joint(c);
        c->at += n ? n : 1;
    }
}

/* False: the text ends inside the comment. */
static bool skip_block_comment(cutter *c)
{
    for (c->at += 2; c->at < c->length; c->at++)
        if (peek(c, 0) == '*' && peek(c, 1) == '/') {
            c->at += 2;
            return true;
        }
    return false;
}

/* A literal without its closing quote ends with its line, as in text that #if leaves out. */
static bool cut_literal(cutter *c)
{
    size_t start = c->at;
    char quote = peek(c, 0);
    for (c->at++; c->at < c->length && peek(c, 0) != '\n'; c->at++) {
        if (peek(c, 0) == quote) {
            c->at++;
            break;
        }
        size_t n = joint(c);
        if (n)
            c->at += n - 1;
        else if (peek(c, 0) == '\\' && c->at + 1 < c->length)
            c->at++;
    }
    return push(c, LUN_CTOKEN_LITERAL, start, quote);
}

static bool cut_number(cutter *c)
{
    size_t start = c->at;
    while (c->at < c->length && (in_name(peek(c, 0)) || peek(c, 0) == '.')) {
        char ch = peek(c, 0), next = peek(c, 1);
        bool exponent = ch == 'e' || ch == 'E' || ch == 'p' || ch == 'P';
        c->at += exponent && (next == '+' || next == '-') ? 2 : 1;
    }
    return push(c, LUN_CTOKEN_NUMBER, start, 0);
}

static bool cut_punctuation(cutter *c)
{
    size_t start = c->at;
    char ch = peek(c, 0), next = peek(c, 1);
    c->at++;
    if ((ch == '<' && next == '%') || (ch == '%' && (next == '>' || next == ':'))) {
        c->at++;
        ch = ch == '<' ? '{' : next == '>' ? '}' : '#';
    }
    if (ch == '#' && c->fresh && !c->directive) {
        c->directive = true;
        return push(c, LUN_CTOKEN_DIRECTIVE, start, 0);
    }
    return push(c, LUN_CTOKEN_PUNCT, start, ch);
}

static bool cut_newline(cutter *c)
{
    size_t start = c->at++;
    bool closes = c->directive;
    c->fresh = true;
    c->directive = false;
    return !closes || push(c, LUN_CTOKEN_ENDLINE, start, 0);
}

static bool cut_token(cutter *c)
{
    char ch = peek(c, 0);
    bool done;
    if (is_digit(ch) || (ch == '.' && is_digit(peek(c, 1)))) {
        done = cut_number(c);
    } else if (in_name(ch)) {
        size_t start = c->at;
        while (c->at < c->length && in_name(peek(c, 0)))
            c->at++;
        done = push(c, LUN_CTOKEN_NAME, start, 0);
    } else if (ch == '"' || ch == '\'') {
        done = cut_literal(c);
    } else {
        done = cut_punctuation(c);
    }
    c->fresh = false;
    return done;
}

lun_status lun__ctokens_read(lun_ctokens *out, const char *text, size_t length, size_t *bad)
{
    cutter c = {text, length, 0, out, true, false};
    out->text = text;
    while (c.at < length) {
        char ch = peek(&c, 0);
        size_t n = joint(&c);
        bool done = true;
        if (n) {
            c.at += n;
        } else if (ch == '\n') {
            done = cut_newline(&c);
        } else if (ch == ' ' || (ch >= '\t' && ch <= '\r')) {
            c.at++;
        } else if (ch == '/' && peek(&c, 1) == '/') {
            skip_line_comment(&c);
        } else if (ch == '/' && peek(&c, 1) == '*') {
            size_t start = c.at;
            if (!skip_block_comment(&c)) {
                *bad = start;
                return LUN_EARG;
            }
        } else {
            done = cut_token(&c);
        }
        if (!done)
            return LUN_ENOMEM;
    }
    if (c.directive && !push(&c, LUN_CTOKEN_ENDLINE, length, 0))
        return LUN_ENOMEM;
    return push(&c, LUN_CTOKEN_END, length, 0) ? LUN_OK : LUN_ENOMEM;
}

void lun__ctokens_free(lun_ctokens *t)
{
    free(t->at);
    *t = (lun_ctokens){0};
}

bool lun__ctoken_is(const lun_ctokens *t, int i, char ch)
{
    return t->at[i].kind == LUN_CTOKEN_PUNCT && t->at[i].ch == ch;
}

bool lun__ctoken_word(const lun_ctokens *t, int i, const char *word)
{
    size_t n = strlen(word);
    return t->at[i].kind == LUN_CTOKEN_NAME && t->at[i].length == n &&
           !memcmp(t->text + t->at[i].start, word, n);
}

bool lun__ctoken_same(const lun_ctokens *t, int a, int b)
{
    return t->at[a].kind == LUN_CTOKEN_NAME && t->at[b].kind == LUN_CTOKEN_NAME &&
           t->at[a].length == t->at[b].length &&
           !memcmp(t->text + t->at[a].start, t->text + t->at[b].start, t->at[a].length);
}

const char *lun__ctoken_show(const lun_ctokens *t, int i, char room[48])
{
    size_t length = t->at[i].length;
    bool cut = length > 47;
    if (cut)
        length = 44;
    memcpy(room, t->text + t->at[i].start, length);
    strcpy(room + length, cut ? "..." : "");
    return room;
}

int lun__ctoken_past_line(const lun_ctokens *t, int i)
{
    while (t->at[i].kind != LUN_CTOKEN_ENDLINE && t->at[i].kind != LUN_CTOKEN_END)
        i++;
    return t->at[i].kind == LUN_CTOKEN_ENDLINE ? i + 1 : i;
}
