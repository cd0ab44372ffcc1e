/* number.h - decimal text to numbers, correctly rounded. Knows no columns. */
#ifndef LUN_CSV_NUMBER_H
#define LUN_CSV_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes that must be readable before and after each text. */
enum { LUN__CSV_MARGIN = 64 };

/* The kind of a field, blanks around it stripped. */
typedef enum lun__csv_sort {
    LUN__CSV_IS_INTEGER, /* of i64 */
    LUN__CSV_IS_BEYOND,  /* an integer without sign, beyond i64, of u64 */
    LUN__CSV_IS_FLOAT,
    LUN__CSV_IS_EMPTY,
    LUN__CSV_IS_TRUE,
    LUN__CSV_IS_FALSE,
    LUN__CSV_IS_TEXT,
    LUN__CSV_IS_DATE, /* of the calendar: from here on not by this file */
    LUN__CSV_IS_STAMP,
    LUN__CSV_IS_ZONED
} lun__csv_sort;

typedef struct lun__csv_value {
    lun__csv_sort sort;
    bool sign, minus; /* one is written */
    bool zeros;       /* an integer that begins with a 0 and goes on */
    bool real;        /* a float that is written as no integer */
    unsigned word;    /* EMPTY: the flag of the word that it is (csv/csv.h) */
    union {
        uint64_t bits; /* of an integer */
        double number; /* of a float; nan for an empty field */
    } as;
} lun__csv_value;

lun__csv_value lun__csv_number_value(const char *p, const char *end);
/* The float that an integer or a float is. */
double lun__csv_number_of(lun__csv_value v);
/* The number p .. end, which begins with a digit, a point or a minus; false: it is none. Fast for
 * few digits. */
bool lun__csv_number_float(const char *p, const char *end, double *out);
/* The float nearest to digits * 10^power; false: not decided (float.c). */
bool lun__csv_float_nearest(uint64_t digits, int64_t power, double *out);
/* The same by the C library. */
double lun__csv_number_exactly(uint64_t digits, int64_t power);
/* mantissa * 10^power as product * 2^logarithm, the first 128 bits of it cut off, two units too
 * little or one too much at most; the mantissa's top bit is set. False: beyond the table. */
bool lun__csv_float_times_power(uint64_t mantissa, int64_t power, unsigned __int128 *product,
                                int *logarithm);

/* Bytes of a number as text, at most. */
enum { LUN__CSV_NUMBER = 28 };
/* Write a number in decimal; the end. A float has a point or an exponent. */
char *lun__csv_format_unsigned(char *to, uint64_t x);
char *lun__csv_format_signed(char *to, int64_t x);
char *lun__csv_format_float(char *to, double x);

/* ---- eight digits at once ----------------------------------------------------------------------
 * By the method of Daniel Lemire, "Quickly parsing eight digits" (2018): pairs, then fours, then
 * all eight digits are combined by three multiplications. */

static inline uint64_t lun__csv_number_word(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline bool lun__csv_number_all_digits(uint64_t v)
{
    const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
    return ((v & high) | ((v + UINT64_C(0x0606060606060606)) & high) >> 4) == (zeros | zeros >> 4);
}

static inline uint64_t lun__csv_number_eight(uint64_t v)
{
    v -= UINT64_C(0x3030303030303030);
    v = v * 10 + (v >> 8);
    return ((v & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            (v >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* The `count` bytes before end, 1 to 8, after zeros. */
static inline uint64_t lun__csv_number_tail(const char *end, int64_t count)
{
    uint64_t keep = ~UINT64_C(0) << (64 - 8 * count);
    return (lun__csv_number_word(end - 8) & keep) | (UINT64_C(0x3030303030303030) & ~keep);
}

/* The integer p .. end, of at most 18 digits without a sign; false: it is none. */
static inline bool lun__csv_number_digits(const char *p, const char *end, uint64_t *out)
{
    int64_t n = end - p;
    uint64_t low, high;
    if (n <= 0 || n > 18)
        return false;
    if (n <= 8) {
        low = lun__csv_number_tail(end, n);
        *out = lun__csv_number_eight(low);
        return lun__csv_number_all_digits(low);
    }
    low = lun__csv_number_word(end - 8);
    high = lun__csv_number_tail(end - 8, n < 16 ? n - 8 : 8);
    *out = lun__csv_number_eight(high) * 100000000 + lun__csv_number_eight(low);
    bool ok = lun__csv_number_all_digits(low) && lun__csv_number_all_digits(high);
    if (n <= 16)
        return ok;
    uint64_t top = lun__csv_number_tail(end - 16, n - 16);
    *out += lun__csv_number_eight(top) * UINT64_C(10000000000000000);
    return ok && lun__csv_number_all_digits(top);
}

#endif
