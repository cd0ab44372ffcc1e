/* dictionary.h - the texts of a column as codes that count values from 1; 0 is a missing one. One
 * thread fills a dictionary; those of all threads are made one. Within interp/csv.
 *
 * Invariant: values are views in the engine's layout (lun_text_view); those of more than 12 bytes
 * are in the buffers. While `slot` is there, each value is there once and found by it: at most half
 * of its mask + 1 entries are used, and hash[k] belongs to value k + 1. A dictionary whose texts
 * seldom repeat gives slots and hashes up: from then on each text is a value of its own. */
#ifndef LUN_CSV_DICTIONARY_H
#define LUN_CSV_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "csv/csv.h"

/* A text of a piece, of which LUN__CSV_MARGIN bytes more are readable; at NULL: it is missing. */
typedef struct lun__csv_text {
    const char *at;
    uint32_t length;
} lun__csv_text;

typedef struct lun__csv_dictionary {
    lun_text_made values;
    int64_t room, buffer_room; /* of views; bytes of the last buffer */
    int64_t texts;             /* that were added */
    int64_t half, halved;      /* so many, and the values then: half of those at which it is decided
                                  whether texts repeat */
    uint32_t *slot, *hash;
    uint32_t mask;
    bool plain;
    char apart[64]; /* another thread's is the next in memory */
} lun__csv_dictionary;

/* The codes of texts. *gaps: some are missing. False: no memory, or more values than codes. */
bool lun__csv_dictionary_add(lun__csv_dictionary *d, const lun__csv_text *texts, int64_t count,
                             uint32_t *codes, bool *gaps);
/* Why it takes no more: it has as many values as there are codes, or there is no memory. */
static inline lun__csv_what lun__csv_dictionary_full(const lun__csv_dictionary *d)
{
    return d->values.count >= LUN_TEXT_MOST ? LUN__CSV_MANY : LUN__CSV_MEMORY;
}
/* Text k of its values. */
lun_string lun__csv_dictionary_text(const lun__csv_dictionary *d, int64_t k);
/* What it takes in memory. */
int64_t lun__csv_dictionary_bytes(const lun__csv_dictionary *d);
/* Adds the values of `from`, which is empty then. to[k]: their codes, k from 0 to their count; or
 * NULL where each code is to grow by *more. False: as above. */
bool lun__csv_dictionary_merge(lun__csv_dictionary *d, lun__csv_dictionary *from, uint32_t **to,
                               uint32_t *more);
/* Its values, in no more memory than they need; the dictionary is empty then. */
lun_text_made lun__csv_dictionary_values(lun__csv_dictionary *d);
void lun__csv_dictionary_end(lun__csv_dictionary *d);

#endif
