/* time_array.h - arrays of dates, timestamps and durations from inside. */
#ifndef LUN_TIME_ARRAY_H
#define LUN_TIME_ARRAY_H

#include "api/array/array.h"
#include "api/calc/calc.h"
#include "lunarray_bind.h"
#include "time/time.h"

/* Whether a is of one of these dtypes. */
static inline bool lun__time_array_is(const lun_array *a)
{
    return lun_dtype_kind(lun__array_logical(a)) == LUN_KIND_TIME;
}
/* LUN_EDTYPE unless a is of one of these dtypes, and of none that is not in `dtypes`, bits by
 * LUN__TIME_BIT; what: what is wanted. */
#define LUN__TIME_BIT(t) (1U << ((t)-LUN_DATE))
lun_status lun__time_array_check(lun_engine *e, lun_array *a, unsigned dtypes, const char *what);
/* An array of dtype t with the elements of i64 or of t's storage, which may be missing. */
lun_status lun__time_array(lun_engine *e, lun_array *numbers, lun_dtype t, lun_array **out);
/* The elements of a in the dtype of their slots, missing where they are. */
lun_status lun__time_array_stored(lun_engine *e, lun_array *a, lun_array **out);
/* The elements of a as i64, missing where they are; dates in microseconds if `us`. */
lun_status lun__time_array_numbers(lun_engine *e, lun_array *a, bool us, lun_array **out);
/* a's elements, dates or timestamps, in that dtype. */
lun_status lun__time_array_as(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out);

/* ---- texts (time_text.c) ---- */
/* The elements of a text array as dtype t. format: NULL: as lun__time_read; missing: a text that is
 * none is a missing element. */
lun_status lun__time_text_read(lun_engine *e, lun_array *a, lun_dtype t, const char *format,
                               bool missing, lun_array **out);
/* What is one text, in the dtype of it that goes with elements of dtype t. */
lun_status lun__time_text_beside(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out);
/* LUN_EARG unless the format is one of texts of dtype t, to be read or written. */
lun_status lun__time_text_format(lun_engine *e, lun_dtype t, const char *format, bool write);
/* The texts of a's elements (time_texts.c). */
lun_status lun__time_texts(lun_engine *e, lun_array *a, const char *format, lun_array **out);

/* ---- operations (time_compute.c) ---- */
lun_status lun__time_compute(lun_engine *e, lun_op op, lun_array *const *all, int count,
                             lun_array **out);

/* ---- reductions (time_reduce.c) ---- */
lun_status lun__time_reduce(lun_engine *e, lun_reduction r, lun_array *a, const lun_reducing *by,
                            lun_array **out);
lun_status lun__time_reduce_numbers(lun_engine *e, lun_array *a, lun_array **numbers,
                                    lun_array **from);
lun_status lun__time_reduce_of_numbers(lun_engine *e, lun_array *from, lun_array *numbers,
                                       lun_array **out);

/* What the kind TIME does (time_kind.c). */
extern const lun_logical_kind lun__time_kind;

#endif
