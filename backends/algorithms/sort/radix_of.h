/* radix_of.h - the functions of lun_radix for one kind of records: RECORD, its KEY, a WORD, which
 * has the lowest bit LOW; records in their order LESS; LAST and KEEP read and write a record of a
 * lun_seen.  Included by radix.c once for each ID. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define NAME(f)     JOIN(f, ID)

static void NAME(see)(const void *from, int64_t n, lun_seen *seen)
{
    const RECORD *x = from;
    uint64_t any = 0, all = ~(uint64_t)0;
    unsigned descends = 0;
    if (n == 0)
        return;
    if (seen->some && LESS(x[0], LAST(seen)))
        seen->descends = true;
    for (int64_t i = 0; i < n; i++) {
        any |= KEY(x[i]);
        all &= KEY(x[i]);
    }
    for (int64_t i = 1; i < n && !seen->descends; i += 256) {
        int64_t end = n - i < 256 ? n : i + 256;
        for (int64_t j = i; j < end; j++)
            descends |= LESS(x[j], x[j - 1]);
        seen->descends |= descends;
    }
    seen->any = (seen->some ? seen->any : 0) | any;
    seen->all = seen->some ? seen->all & all : all;
    KEEP(seen, x[n - 1]);
    seen->some = true;
}

static inline uint32_t NAME(digit_of)(WORD key, lun_digit digit)
{
    const WORD base = (WORD)digit.base, most = digit.mask;
    key = (WORD)(key >> digit.shift);
    key = (key < base ? base : key) - base;
    return (uint32_t)(key > most ? most : key);
}

static void NAME(count)(const void *from, int64_t n, lun_digit digit,
                        uint32_t counts[2][LUN_DIGITS])
{
    const RECORD *x = from;
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        counts[0][NAME(digit_of)(KEY(x[i]), digit)]++;
        counts[1][NAME(digit_of)(KEY(x[i + 1]), digit)]++;
    }
    if (i < n)
        counts[0][NAME(digit_of)(KEY(x[i]), digit)]++;
}

static void NAME(spread)(const void *from, int64_t n, lun_digit digit, lun_spread *to)
{
    const RECORD *x = from;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t d = NAME(digit_of)(KEY(x[i]), digit);
        char *at = to->at[d];
        memcpy(to->line[d] + (uintptr_t)at % LUN_LINE, &x[i], sizeof(RECORD));
        at += sizeof(RECORD);
        to->at[d] = at;
        if ((uintptr_t)at % LUN_LINE == 0)
            leave_line(to, d, at);
    }
}

static void NAME(mark)(const void *from, int64_t n, lun_digit digit, const uint8_t *wanted,
                       uint8_t *mask)
{
    const RECORD *x = from;
    for (int64_t i = 0; i < n; i++)
        mask[i] = wanted[NAME(digit_of)(KEY(x[i]), digit)];
}

/* Sorts by insertion; false if records had to move more than `most` times, which then are in some
 * order that keeps equal ones as they were. */
static bool NAME(insert)(RECORD *x, int64_t n, int64_t most)
{
    for (int64_t i = 1; i < n; i++) {
        if (!LESS(x[i], x[i - 1]))
            continue;
        const RECORD r = x[i];
        int64_t j = i;
        do
            x[j] = x[j - 1];
        while (--j > 0 && LESS(r, x[j - 1]));
        x[j] = r;
        most -= i - j;
        if (most < 0)
            return false;
    }
    return true;
}

/* Sorts by bits low .. high - 1 of the keys, the lowest digit first. */
static void NAME(sort_digits)(RECORD *x, int64_t n, int low, int high, RECORD *beside,
                              uint32_t *counts)
{
    const int digits = (high - low + LUN_DIGIT - 1) / LUN_DIGIT;
    const int bits = (high - low + digits - 1) / digits;
    const uint32_t mask = ((uint32_t)1 << bits) - 1;
    RECORD *at = x, *to = beside;
    for (int k = 0; k < digits; k++)
        memset(counts + k * LUN_DIGITS, 0, (mask + (size_t)1) * sizeof *counts);
    if (digits == 2)
        for (int64_t i = 0; i < n; i++) {
            counts[(KEY(x[i]) >> low) & mask]++;
            counts[LUN_DIGITS + ((KEY(x[i]) >> (low + bits)) & mask)]++;
        }
    else
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < digits; k++)
                (counts + k * LUN_DIGITS)[(KEY(x[i]) >> (low + k * bits)) & mask]++;
    for (int k = 0; k < digits; k++) {
        const int shift = low + k * bits;
        uint32_t *next = counts + k * LUN_DIGITS, sum = 0;
        if (next[(KEY(x[0]) >> shift) & mask] == n)
            continue;
        for (uint32_t d = 0; d <= mask; d++) {
            uint32_t count = next[d];
            next[d] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < n; i++)
            to[next[(KEY(at[i]) >> shift) & mask]++] = at[i];
        RECORD *old = at;
        at = to;
        to = old;
    }
    if (at != x)
        memcpy(x, at, (size_t)n * sizeof *x);
}

/* By the two upper digits first, then by insertion what they leave; where that would be much, by
 * all digits. */
static void NAME(settle)(void *records, int64_t n, int high, void *beside, uint32_t *counts)
{
    RECORD *x = records;
    if (n <= LUN_FEW) {
        NAME(insert)(x, n, INT64_MAX);
        return;
    }
    const int bits = 2 * digit_for(n);
    int low = LOW;
    if (high - low > bits) {
        lun_seen seen = {0};
        NAME(see)(x, n, &seen);
        uint64_t varying = (seen.any ^ seen.all) >> LOW << LOW;
        if (!seen.descends || varying == 0)
            return;
        high = lun__radix_top(varying);
        low = __builtin_ctzll(varying);
    }
    const int from = high - low > bits ? high - bits : low;
    NAME(sort_digits)(x, n, from, high, beside, counts);
    if (from > low && !NAME(insert)(x, n, 8 * n))
        NAME(sort_digits)(x, n, low, high, beside, counts);
}

#undef JOIN_
#undef JOIN
#undef NAME
#undef ID
#undef RECORD
#undef WORD
#undef KEY
#undef LESS
#undef LAST
#undef KEEP
#undef LOW
