/* constant.h - integer constants of a C text: sums, differences, products, quotients and remainders
 * of numbers and of names that the caller knows; and such with one name whose value is not known
 * yet. */
#ifndef LUN_CCONSTANT_H
#define LUN_CCONSTANT_H

#include "ctext/token/token.h"

/* `by` times what the name at token `name` will be, and `plus`; by 0: it is known. */
typedef struct lun_clinear {
    int64_t by, plus;
    int name;
} lun_clinear;

typedef struct lun_cconstants {
    const lun_ctokens *t;
    /* Of the name at token *i its value, *i behind it; false: it has none.  NULL: no name has. */
    bool (*named)(const struct lun_cconstants *c, int *i, int64_t *out);
    /* Whether the name at token i has a value later on.  NULL: no name has. */
    bool (*later)(const struct lun_cconstants *c, int i);
    const void *ctx;
    int depth; /* parentheses and names around */
} lun_cconstants;

/* The value of the tokens from *i on, which becomes the token behind it; false: they have none, or
 * one beyond 32 bits, or are nested too deep. */
bool lun__cconstant_read(const lun_cconstants *c, int *i, int64_t *out);
/* The same of a value that may not be known yet. */
bool lun__cconstant_linear(const lun_cconstants *c, int *i, lun_clinear *out);

#endif
