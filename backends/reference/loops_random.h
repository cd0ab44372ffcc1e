/* loops_random.h - Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, 2011), the
 * bits behind RANDOM; a part of instruction_loops.c. */

typedef uint64_t words __attribute__((vector_size(BYTES)));

enum { WORDS = BYTES / 8 };

/* Products of the low halves. */
static inline words multiply(words a, words b)
{
#if BYTES == 64
    return (words)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif BYTES == 32
    return (words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/* Blocks first .. first + WORDS - 1: 4 words each, in order, at out. Words are in the low halves
 * of lanes; what is in the high halves never matters, for products and results look at the low
 * ones. */
static inline void blocks(uint64_t *out, uint64_t first, uint64_t key)
{
    const words m0 = (words){} + 0xd2511f53, m1 = (words){} + 0xcd9e8d57,
                low = (words){} + 0xffffffff;
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint64_t low_pair[WORDS], high_pair[WORDS];
    words c0, c1, c2 = {}, c3 = {};
    for (int l = 0; l < WORDS; l++)
        c0[l] = first + (uint64_t)l;
    c1 = c0 >> 32;
    for (int round = 0; round < 10; round++) {
        words p0 = multiply(c0, m0), p1 = multiply(c2, m1);
        c0 = (p1 >> 32) ^ c1 ^ (uint64_t)k0;
        c2 = (p0 >> 32) ^ c3 ^ (uint64_t)k1;
        c1 = p1;
        c3 = p0;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    words pair = (c0 & low) | (c1 << 32);
    memcpy(low_pair, &pair, sizeof pair);
    pair = (c2 & low) | (c3 << 32);
    memcpy(high_pair, &pair, sizeof pair);
    for (int l = 0; l < WORDS; l++) {
        out[2 * l] = low_pair[l];
        out[2 * l + 1] = high_pair[l];
    }
}

static bool consecutive(const int64_t *index, int64_t n)
{
    uint64_t differs = 0;
    n &= -LUN_BLOCK;
    for (int64_t i = 0; i < n; i++)
        differs |= (uint64_t)index[i] ^ ((uint64_t)index[0] + (uint64_t)i);
    return differs == 0;
}

/* Elements of `size` bytes first .. first + n - 1 of the stream in which blocks follow each
 * other. */
static void run_of(char *out, uint64_t first, uint64_t key, int64_t n, int size)
{
    enum { STEP = 16 * WORDS }; /* bytes of the blocks of one call */
    const uint64_t per_block = 16 / (uint64_t)size;
    uint64_t block = first / per_block, skip = first % per_block * (uint64_t)size;
    uint64_t buffer[2 * WORDS];
    int64_t bytes = n * size, done = 0;
    if (skip == 0) { /* n is a multiple of 64 elements, so of STEP bytes or half of that */
        for (; done + STEP <= bytes; done += STEP, block += WORDS) {
            blocks(buffer, block, key);
            memcpy(out + done, buffer, STEP);
        }
    }
    for (; done < bytes; block += WORDS, skip = 0) {
        int64_t part = STEP - (int64_t)skip;
        blocks(buffer, block, key);
        if (part > bytes - done)
            part = bytes - done;
        memcpy(out + done, (const char *)buffer + skip, (size_t)part);
        done += part;
    }
}

static void random32(void *d, const void *index, uint64_t key, int64_t n)
{
    const int64_t *at = index;
    uint32_t *out = d;
    if (consecutive(at, n)) {
        run_of(d, (uint64_t)at[0], key, n, 4);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        uint64_t element = (uint64_t)at[i], buffer[2 * WORDS];
        blocks(buffer, element / 4, key);
        memcpy(out + i, (const char *)buffer + element % 4 * 4, 4);
    }
}

static void random64(void *d, const void *index, uint64_t key, int64_t n)
{
    const int64_t *at = index;
    uint64_t *out = d;
    if (consecutive(at, n)) {
        run_of(d, (uint64_t)at[0], key, n, 8);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        uint64_t element = (uint64_t)at[i], buffer[2 * WORDS];
        blocks(buffer, element / 2, key);
        out[i] = buffer[element % 2];
    }
}
