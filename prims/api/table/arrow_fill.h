/* arrow_fill.h - elements of Arrow's arrays written as slots of a dtype. */
#ifndef LUN_ARROW_FILL_H
#define LUN_ARROW_FILL_H

#include "api/table/arrow_form.h"
#include "text/texts.h"

/* A column that is being read. */
typedef struct lun_arrow_fill {
    lun_engine *e;
    const char *name;
    const lun_arrow_options *options;
    lun_text_pool *texts; /* of a column of texts */
    int64_t row;          /* of the first element of the piece that is read */
} lun_arrow_fill;

/* Elements from .. from + n - 1 of an array, by their places in its buffers. */
typedef struct lun_arrow_piece {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    int64_t from, n;
} lun_arrow_piece;

/* Whether an array has what its form needs: LUN_EARG says what is wrong. */
lun_status lun__arrow_fill_check(const lun_arrow_fill *f, const lun_arrow_form *form,
                                 const lun_arrow_piece *p);
/* How many elements are missing. */
int64_t lun__arrow_fill_nulls(const lun_arrow_form *form, const lun_arrow_piece *p);
/* Whether each element of a piece is there. */
void lun__arrow_fill_validity(const lun_arrow_piece *p, bool *valid);
/* Whether all elements of milliseconds are whole days of the range of dates. */
bool lun__arrow_fill_are_days(const lun_arrow_piece *p);
/* Bytes of an element of a form that is written. */
int lun__arrow_fill_width(const lun_arrow_form *form);
/* Writes n slots of the form's dtype, of texts codes of 4 bytes, and whether each is there; slots
 * of missing elements are blank.  An array with a dictionary gives the values of that. */
lun_status lun__arrow_fill(const lun_arrow_fill *f, const lun_arrow_form *form,
                           const lun_arrow_piece *p, void *slots, bool *valid);

#endif
