/* words.c - fields that are missing, and numbers in other notations; see words.h. */
#include "csv/words.h"

enum { LONGEST = 1024 }; /* bytes of a number in another notation */

const char lun__csv_words_defaults[LUN__CSV_WORD_COUNT][5] = {"NA",   "N/A",  "n/a",  "#N/A",
                                                              "NULL", "null", "None", "<NA>"};

unsigned lun__csv_words_flag(const char *p, const char *end)
{
    p = lun__csv_words_strip(p, &end);
    const size_t n = (size_t)(end - p);
    for (int k = 0; n >= 2 && n <= 4 && k < LUN__CSV_WORD_COUNT; k++) {
        const char *word = lun__csv_words_defaults[k];
        if (word[0] == *p && strlen(word) == n && memcmp(word, p, n) == 0)
            return (unsigned)LUN__CSV_WORDS << k;
    }
    return 0;
}

bool lun__csv_words_is_one(const lun__csv_words *words, const char *p, const char *end)
{
    p = lun__csv_words_strip(p, &end);
    size_t n = (size_t)(end - p);
    for (int64_t k = 0; k < words->count; k++) {
        uint32_t first = k ? words->ends[k - 1] : 0;
        if (words->ends[k] - first == n && memcmp(words->bytes + first, p, n) == 0)
            return true;
    }
    return false;
}

bool lun__csv_words_is_missing(const lun__csv_words *words, const char *p, const char *end)
{
    p = lun__csv_words_strip(p, &end);
    return p == end || (words && lun__csv_words_is_one(words, p, end));
}

/* Writes the number p .. end as lun__csv_number_value reads it; its end, NULL: it is none. */
static char *translate(const lun__csv_rules *r, const char *p, const char *end, char *to)
{
    int64_t group = 0;     /* digits since the last separator */
    bool grouped = false;  /* there was one */
    bool fraction = false; /* behind the point, or in the exponent */
    for (; p < end; p++) {
        bool digit = *p >= '0' && *p <= '9';
        if (!fraction && *p == r->thousands) {
            if (grouped ? group != 3 : group < 1 || group > 3)
                return NULL;
            grouped = true;
            group = 0;
            continue;
        }
        if (!fraction && !digit && group > 0) {
            if (grouped && group != 3)
                return NULL;
            fraction = true;
        } else if (*p == '.' && r->decimal != '.') {
            return NULL;
        }
        if (*p == r->decimal)
            *to++ = '.';
        else if (*p == '.')
            return NULL;
        else
            *to++ = *p;
        group += digit;
    }
    return !fraction && grouped && group != 3 ? NULL : to;
}

lun__csv_value lun__csv_words_foreign(const lun__csv_rules *r, const char *p, const char *end)
{
    char text[LONGEST + 2 * LUN__CSV_MARGIN] = {0};
    char *start = text + LUN__CSV_MARGIN, *last = NULL;
    p = lun__csv_words_strip(p, &end);
    if (end - p <= LONGEST)
        last = translate(r, p, end, start);
    return last ? lun__csv_number_value(start, last) : (lun__csv_value){.sort = LUN__CSV_IS_TEXT};
}
