/* distinct_of.h - a hash table of keys of one width: KEY, BITS. Threads put keys into it at once:
 * an entry is written once, from 0 to its key. Included by hash_keys.c once for each width. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define NAME(f)     JOIN(f, BITS)

static inline int64_t NAME(hash)(KEY key, int log2)
{
#if BITS == 64
    key ^= key >> 32;
    return (int64_t)((key * 0x9e3779b97f4a7c15u) >> (BITS - log2));
#else
    return (int64_t)((key * 0x9e3779b1u) >> (BITS - log2));
#endif
}

/* The entries of n <= AHEAD keys, which are put there if `fill`; how many were. All are asked for
 * before the first is looked at, so that they come from a far cache side by side. Entry -1: it
 * is not there, or there is no free entry within TRIES. */
static int64_t NAME(find)(const table *t, const KEY *keys, int64_t n, bool fill, int32_t *entries)
{
    _Atomic(KEY) *slots = t->slots;
    const int64_t mask = ((int64_t)1 << t->log2) - 1;
    int64_t made = 0;
    for (int64_t i = 0; i < n; i++) {
        entries[i] = (int32_t)NAME(hash)(keys[i], t->log2);
        __builtin_prefetch((const void *)&slots[entries[i]]);
    }
    for (int64_t i = 0; i < n; i++) {
        const KEY key = keys[i];
        int64_t at = entries[i];
        int tries = 0;
        for (;; at = (at + 1) & mask) {
            KEY held = atomic_load_explicit(&slots[at], memory_order_relaxed);
            if (held == key)
                break;
            if (held == 0 && fill) {
                made++;
                if (atomic_compare_exchange_strong_explicit(
                        &slots[at], &held, key, memory_order_relaxed, memory_order_relaxed))
                    break;
                made--;
                if (held == key)
                    break;
            }
            if (++tries == TRIES || held == 0) {
                at = -1;
                break;
            }
        }
        entries[i] = (int32_t)at;
    }
    return made;
}

/* The numbers of n <= AHEAD keys, of a table that no thread writes to; false: some key
 * is not there. Most keys are at their own entry, which takes no branch. */
static bool NAME(number)(const table *t, const KEY *keys, int64_t n, int32_t *to)
{
    const KEY *slots = (const KEY *)t->slots;
    int32_t others[AHEAD], entry;
    int64_t count = 0;
    bool all = true;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = NAME(hash)(keys[i], t->log2);
        to[i] = t->numbers[at];
        others[count] = (int32_t)i;
        count += slots[at] != keys[i];
    }
    for (int64_t k = 0; k < count; k++) {
        NAME(find)(t, &keys[others[k]], 1, false, &entry);
        all = all && entry >= 0;
        to[others[k]] = entry >= 0 ? t->numbers[entry] : 0;
    }
    return all;
}

/* The keys in entries from .. to - 1 side by side, or if `to_keys` is NULL only how many. */
static int64_t NAME(collect)(const table *t, int64_t from, int64_t to, KEY *to_keys)
{
    const KEY *slots = (const KEY *)t->slots;
    int64_t count = 0;
    for (int64_t i = from; i < to; i++) {
        if (to_keys && slots[i])
            to_keys[count] = slots[i];
        count += slots[i] != 0;
    }
    return count;
}

#undef JOIN_
#undef JOIN
#undef NAME
#undef KEY
#undef BITS
