/* token.h - JSON text (RFC 8259) as tokens. Within interp/. Knows neither Lua nor columns.
 *
 * Invariant: at is between the text's beginning and `end`; LUN__CSV_MARGIN bytes behind `end` are
 * readable and 0, so that a token ends there by itself. After a fault `at` is where it is. */
#ifndef LUN_JSON_TOKEN_H
#define LUN_JSON_TOKEN_H

#include "column/cells.h"

enum { LUN__JSON_DEPTH = 512 }; /* of lists and objects within each other */

typedef enum lun__json_what {
    LUN__JSON_FINE,
    LUN__JSON_ENDS,      /* the text ends within a value */
    LUN__JSON_LINE_ENDS, /* a line does, where each has an object */
    LUN__JSON_NO_VALUE,  /* where one must stand */
    LUN__JSON_NO_KEY,
    LUN__JSON_NO_COLON,
    LUN__JSON_NO_COMMA,   /* nor the end of the object or list */
    LUN__JSON_LAST_COMMA, /* a comma before the end of an object or list */
    LUN__JSON_BEHIND,     /* text behind the value */
    LUN__JSON_ZERO,       /* a number that begins with a 0 and goes on */
    LUN__JSON_PLUS,
    LUN__JSON_NO_DIGIT, /* behind a sign, a point or an exponent */
    LUN__JSON_WORD,     /* none of true, false, null, NaN, Infinity */
    LUN__JSON_QUOTE,    /* single quotes */
    LUN__JSON_COMMENT,
    LUN__JSON_CONTROL, /* a control character in a text */
    LUN__JSON_ESCAPE,
    LUN__JSON_SURROGATE, /* half of a pair */
    LUN__JSON_ENCODING,  /* not UTF-8 */
    LUN__JSON_NUL,       /* \u0000 in a text of a column */
    LUN__JSON_DEEP,
    LUN__JSON_TWICE,    /* a key in an object */
    LUN__JSON_NO_ROW,   /* an element of the list that is no object */
    LUN__JSON_NO_TABLE, /* neither a list nor an object */
    LUN__JSON_NO_LIST,  /* a value of the object that is no list */
    LUN__JSON_LENGTHS,  /* lists of several lengths */
    LUN__JSON_LONG,     /* a row, or a text, longer than 2 GB */
    LUN__JSON_EMPTY,    /* no value at all */
    LUN__JSON_UNREAD,
    LUN__JSON_VALUE /* of a column: see the fault of column/cells.h */
} lun__json_what;

typedef struct lun__json_text {
    const char *at, *end;
    bool lines; /* a line feed is no blank */
    bool nul;   /* \u0000 may stand in texts */
    lun__json_what what;
} lun__json_text;

/* A text without its quotes; escaped: it has escapes, which are in order. */
typedef struct lun__json_string {
    const char *at;
    int64_t length;
    bool escaped;
} lun__json_string;

/* What is wrong, in words. */
const char *lun__json_token_message(lun__json_what what);

/* Sets a fault; false. */
static inline bool lun__json_token_fail(lun__json_text *t, lun__json_what what, const char *at)
{
    t->what = what;
    t->at = at;
    return false;
}

static inline void lun__json_token_blanks(lun__json_text *t)
{
    while (*t->at == ' ' || *t->at == '\t' || *t->at == '\r' || (*t->at == '\n' && !t->lines))
        t->at++;
}

/* The fault where something else than `what` expects stands. */
bool lun__json_token_unexpected(lun__json_text *t, lun__json_what what);
/* The text that begins with the quote here. */
bool lun__json_token_string(lun__json_text *t, lun__json_string *s);
/* Writes a text without its escapes, in place or elsewhere; the length. */
int64_t lun__json_token_unescape(const lun__json_string *s, char *to);
/* The number or word that begins here: type and value; *null: it is null. Texts, lists and objects
 * are not for it. */
bool lun__json_token_scalar(lun__json_text *t, lun__col_value *v, bool *null);
/* Passes over the value that begins here, within `depth` lists and objects. */
bool lun__json_token_skip(lun__json_text *t, int depth);

#endif
