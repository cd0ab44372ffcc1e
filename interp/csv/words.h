/* words.h - fields that are missing, and numbers in other notations than RFC 4180's. Within
 * interp/csv. Knows no columns. */
#ifndef LUN_CSV_WORDS_H
#define LUN_CSV_WORDS_H

#include "csv/csv.h"
#include "csv/number.h"

/* Takes blanks off both ends. */
static inline const char *lun__csv_words_strip(const char *p, const char **end)
{
    while (p < *end && (*p == ' ' || *p == '\t'))
        p++;
    while (p < *end && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
        --*end;
    return p;
}

/* The flag of the field, if it is one of lun__csv_words_defaults; else 0. */
unsigned lun__csv_words_flag(const char *p, const char *end);
/* Whether the field is nothing, blanks left out, or one of the words, if there are any. */
bool lun__csv_words_is_missing(const lun__csv_words *words, const char *p, const char *end);
/* Whether the text, blanks around it left out, is one of the words. */
bool lun__csv_words_is_one(const lun__csv_words *words, const char *p, const char *end);
/* The value of a field whose numbers are written by these rules. */
lun__csv_value lun__csv_words_foreign(const lun__csv_rules *r, const char *p, const char *end);
/* Whether they are not written as lun__csv_number_value reads them. */
static inline bool lun__csv_words_is_foreign(const lun__csv_rules *r)
{
    return r->decimal != '.' || r->thousands != LUN__CSV_NONE;
}

#endif
