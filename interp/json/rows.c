/* rows.c - see rows.h. */
#include "json/rows.h"

#include <string.h>

enum { STEP = 20000 }; /* values of a list between two checks of the stop */

static bool fail_value(lun__json_piece *p, const char *at)
{
    return lun__json_token_fail(&p->t, LUN__JSON_VALUE, at);
}

/* Puts a value into its column. */
static bool put(lun__json_piece *p, int64_t column, lun__col_value *v, const char *at)
{
    v->at = p->at + (at - p->text);
    return lun__col_cells_put(&p->cells, column, v, &p->fault) || fail_value(p, at);
}

/* The text at .. at + length - 1 as that of a value. */
static void take_span(const lun__json_piece *p, lun__col_value *v, const char *at, int64_t length)
{
    v->start = (uint32_t)(at - p->text);
    v->length = (uint32_t)length;
}

/* A text without quotes and escapes. */
static bool take_string(lun__json_piece *p, lun__col_value *v)
{
    lun__json_string s;
    if (!lun__json_token_string(&p->t, &s))
        return false;
    if (s.escaped)
        s.length = lun__json_token_unescape(&s, p->text + (s.at - p->text));
    v->type = LUN__COL_TEXT;
    take_span(p, v, s.at, s.length);
    return true;
}

/* The value that begins here, of that column. */
static bool take_value(lun__json_piece *p, int64_t column, int depth)
{
    const char *at = p->t.at;
    lun__col_value v = {0};
    bool null = false, ok;
    if (*at == '"') {
        ok = take_string(p, &v);
    } else if (*at == '{' || *at == '[') {
        v.type = LUN__COL_NESTED;
        const lun__col_part *part = &p->cells.parts[column];
        if (!part->left_out && !p->cells.wishes->nested)
            return put(p, column, &v, at);
        ok = lun__json_token_skip(&p->t, depth);
        take_span(p, &v, at, p->t.at - at);
    } else {
        ok = lun__json_token_scalar(&p->t, &v, &null);
        take_span(p, &v, at, p->t.at - at);
    }
    return ok && (null || put(p, column, &v, at));
}

/* The column of the key that begins here. */
static int64_t take_key(lun__json_piece *p, int64_t guess)
{
    const char *at = p->t.at;
    lun__col_value key = {0};
    if (*at != '"')
        return lun__json_token_unexpected(&p->t, LUN__JSON_NO_KEY) - 1;
    if (!take_string(p, &key))
        return -1;
    const int64_t column = lun__col_cells_column(&p->cells, guess, p->text + key.start, key.length);
    if (column < 0) {
        p->fault = (lun__col_fault){.what = LUN__COL_MEMORY};
        return fail_value(p, at) - 1;
    }
    lun__col_part *part = &p->cells.parts[column];
    if (part->named > p->cells.rows) {
        lun__col_cells_blame(&p->cells, column, LUN__COL_TWICE, 0, &p->fault);
        return fail_value(p, at) - 1;
    }
    part->named = p->cells.rows + 1;
    lun__json_token_blanks(&p->t);
    if (*p->t.at != ':')
        return lun__json_token_unexpected(&p->t, LUN__JSON_NO_COLON) - 1;
    p->t.at++;
    lun__json_token_blanks(&p->t);
    return column;
}

/* A comma behind a value, or `close`, which ends what it is in: *more says which. */
static bool take_comma(lun__json_text *t, char close, bool *more)
{
    lun__json_token_blanks(t);
    *more = *t->at == ',';
    if (*t->at != ',' && *t->at != close)
        return lun__json_token_unexpected(t, LUN__JSON_NO_COMMA);
    const char *comma = t->at++;
    if (!*more)
        return true;
    lun__json_token_blanks(t);
    return *t->at != close || lun__json_token_fail(t, LUN__JSON_LAST_COMMA, comma);
}

/* The object that begins here, as a row. */
static bool take_row(lun__json_piece *p, int depth)
{
    lun__json_text *t = &p->t;
    if (*t->at != '{')
        return lun__json_token_unexpected(t, LUN__JSON_NO_ROW);
    t->at++;
    lun__json_token_blanks(t);
    bool more = *t->at != '}';
    if (!more)
        t->at++;
    int64_t before = -1;
    while (more) {
        const lun__col_part *parts = p->cells.parts;
        const int64_t guess = before >= 0 ? parts[before].follower : p->cells.count ? 0 : -1;
        const int64_t column = take_key(p, guess);
        if (column < 0)
            return false;
        if (before >= 0)
            p->cells.parts[before].follower = column;
        before = column;
        if (!take_value(p, column, depth + 1) || !take_comma(t, '}', &more))
            return false;
    }
    p->cells.rows++;
    return true;
}

static bool is_full(const lun__json_piece *p)
{
    return p->most >= 0 && p->cells.rows >= p->most;
}

bool lun__json_rows_lines(lun__json_piece *p)
{
    lun__json_text *t = &p->t;
    t->lines = true;
    while (!is_full(p)) {
        lun__json_token_blanks(t);
        while (*t->at == '\n') {
            t->at++;
            lun__json_token_blanks(t);
        }
        if (t->at >= t->end)
            return true;
        if (!take_row(p, 0))
            return false;
        lun__json_token_blanks(t);
        if (*t->at != '\n' && t->at < t->end)
            return lun__json_token_unexpected(t, LUN__JSON_BEHIND);
    }
    return true;
}

/* The end of the text. */
static bool take_end(lun__json_text *t)
{
    lun__json_token_blanks(t);
    return t->at >= t->end || lun__json_token_unexpected(t, LUN__JSON_BEHIND);
}

bool lun__json_rows_list(lun__json_piece *p, bool first, bool last)
{
    lun__json_text *t = &p->t;
    bool more = true;
    lun__json_token_blanks(t);
    if (first && last && *t->at == ']') {
        t->at++;
        return take_end(t);
    }
    while (more && !is_full(p)) {
        lun__json_token_blanks(t);
        if (!last && t->at >= t->end)
            return true;
        if (!take_row(p, 1) || !take_comma(t, ']', &more))
            return false;
    }
    return more || take_end(t);
}

/* The values of the list that begins here, of that column. */
static bool take_list(lun__json_piece *p, int64_t column)
{
    lun__json_text *t = &p->t;
    if (*t->at != '[')
        return lun__json_token_unexpected(t, LUN__JSON_NO_LIST);
    t->at++;
    lun__json_token_blanks(t);
    bool more = *t->at != ']';
    if (!more)
        t->at++;
    p->cells.rows = 0;
    while (more) {
        const lun__csv_services *s = p->services;
        if (s && p->cells.rows % STEP == STEP - 1 && s->stop(s->ctx)) {
            p->fault = (lun__col_fault){.what = LUN__COL_REFUSED};
            return fail_value(p, t->at);
        }
        if (!take_value(p, column, 2))
            return false;
        p->cells.rows++;
        if (!take_comma(t, ']', &more))
            return false;
    }
    return true;
}

bool lun__json_rows_columns(lun__json_piece *p)
{
    lun__json_text *t = &p->t;
    int64_t rows = -1;
    t->at++;
    lun__json_token_blanks(t);
    bool more = *t->at != '}';
    if (!more)
        t->at++;
    while (more) {
        p->cells.rows = 0;
        const char *at = t->at;
        const int64_t column = take_key(p, -1);
        if (column < 0)
            return false;
        p->cells.parts[column].named = INT64_MAX;
        if (!take_list(p, column))
            return false;
        if (rows >= 0 && p->cells.rows != rows)
            return lun__json_token_fail(t, LUN__JSON_LENGTHS, at);
        rows = p->cells.rows;
        if (!take_comma(t, '}', &more))
            return false;
    }
    p->cells.rows = rows < 0 ? 0 : rows;
    return take_end(t);
}
