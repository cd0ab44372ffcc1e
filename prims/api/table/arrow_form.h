/* arrow_form.h - what Arrow's format strings say, and the options of what goes out and comes in. */
#ifndef LUN_ARROW_FORM_H
#define LUN_ARROW_FORM_H

#include "api/array/array.h"
#include "lunarray_arrow.h"

/* How the elements of a column that comes in stand in its buffers. */
typedef enum lun_arrow_way {
    LUN_ARROW_SAME,    /* as those of dtype `dtype` */
    LUN_ARROW_BITS,    /* a bit each */
    LUN_ARROW_SCALED,  /* integers of `width` bytes, times `up`, through `down` */
    LUN_ARROW_DECIMAL, /* integers of `width` bytes, through 10 ^ scale */
    LUN_ARROW_NOTHING, /* nowhere: all are missing */
    LUN_ARROW_OFFSETS, /* texts or bytes, by offsets of `width` bytes */
    LUN_ARROW_VIEWS,   /* by views */
    LUN_ARROW_FIXED    /* of `width` bytes each */
} lun_arrow_way;

typedef struct lun_arrow_form {
    lun_arrow_way way;
    lun_dtype dtype; /* of the column: for decimals as texts and for bytes LUN_TEXT */
    int64_t width, up, down;
    int scale;
    bool bytes; /* no texts */
    bool days;  /* dates, while all of them are whole days; `dtype` is that of timestamps */
} lun_arrow_form;

/* Options, by the numbers of their words; 0: not given. */
typedef struct lun_arrow_options {
    int64_t rows;                         /* out: of a batch */
    int64_t text;                         /* out: LUN_ARROW_UTF8_VIEW ... */
    int64_t blobs, decimals, nanoseconds; /* in: LUN_ARROW_HEX ..., LUN_ARROW_F64 ..., 1: floor */
} lun_arrow_options;
enum { LUN_ARROW_UTF8_VIEW = 1, LUN_ARROW_LARGE_UTF8, LUN_ARROW_UTF8 };
enum { LUN_ARROW_HEX = 1, LUN_ARROW_BASE64 };
enum { LUN_ARROW_F64 = 1, LUN_ARROW_TEXTS };
/* Reads the options of one direction. */
lun_status lun__arrow_form_options(lun_engine *e, const char *text, bool out, lun_arrow_options *o);

/* The format of a dtype's elements, of texts that of a view; NULL: Arrow has none. */
const char *lun__arrow_form_of(lun_dtype t);
/* What a schema says of the column of that name, without its dictionary: LUN_EDTYPE if it cannot be
 * a column. */
lun_status lun__arrow_form_read(lun_engine *e, const struct ArrowSchema *s, const char *name,
                                const lun_arrow_options *o, lun_arrow_form *out);
/* The bytes of the codes of a dictionary, and whether they have a sign; 0: none of those that codes
 * may be. */
int lun__arrow_form_codes(const char *format, bool *is_signed);

#endif
