/* row_steps_of.h - what a transform does before and behind its passes, over vectors of complex
 * numbers (numbers_of.h).  Included by butterflies_of.h, for what that is included for. */

/* The root of each number: of one line those of COUNT numbers, of lines side by side one. */
EACH V NAME(roots)(const T *w, int64_t k, bool along)
{
    NAME(one) root;
    __builtin_memcpy(&root, w + 2 * k, sizeof root);
    return along ? NAME(load)(w + 2 * k) : REPEATED(root);
}

/* The sign of the imaginary parts, or of the real ones. */
EACH MASK NAME(signs_of)(bool real)
{
    MASK signs = {0};
    for (int k = real ? 0 : 1; k < 2 * COUNT; k += 2)
        signs[k] = (INDEX)(UINT64_C(1) << (8 * sizeof(INDEX) - 1));
    return signs;
}

EACH V NAME(divided)(V x, T by)
{
    return by != 0 ? x / by : x;
}

/* The numbers of the line from k on, downwards. */
EACH V NAME(load_down)(const T *x, int64_t k)
{
    const V v = NAME(load)(x + 2 * (k - (COUNT - 1)));
    return REVERSED(v);
}

#define EACH_NUMBER(s)                                             \
    for (int64_t k = (s)->k0; k < (s)->k1; k += along ? COUNT : 1) \
        for (int64_t t = (s)->t0; t < (s)->t1; t += along ? 1 : COUNT)

static TARGET void NAME(products)(const lun_row_steps *s, const T *w, const T *in, T *out)
{
    const bool along = s->lines == 1 && s->stride == 1;
    const MASK signs = NAME(signs_of)(!s->inverse), flipped = NAME(signs_of)(s->inverse);
    const MASK before = s->conj_before ? flipped : (MASK){0};
    const MASK after = s->conj_after ? flipped : (MASK){0};
    EACH_NUMBER(s)
    {
        const V root = NAME(roots)(w, k, along);
        const V x = NAME(load)(in + 2 * (k * s->lines + t));
        const V y = NAME(by)((V)((MASK)x ^ before), root, signs);
        NAME(store)(out + 2 * (k * s->lines + t), (V)((MASK)y ^ after));
    }
}

static TARGET void NAME(unfold)(const lun_row_steps *s, const T *w, const T *in, T *out)
{
    const bool along = s->lines == 1 && s->stride == 1;
    const MASK im = NAME(signs_of)(false), re = NAME(signs_of)(true);
    const T by = (T)s->by;
    EACH_NUMBER(s)
    {
        const int64_t a = k == s->m ? 0 : k, b = k ? s->m - k : 0;
        const V root = NAME(roots)(w, k, along), x = NAME(load)(in + 2 * (a * s->lines + t));
        const V y = along ? NAME(load_down)(in, b) : NAME(load)(in + 2 * (b * s->lines + t));
        const V conj = (V)((MASK)y ^ im), half = REAL(0.5) * (x - conj);
        const V odd = (V)((MASK)PICK(half, 1, 0) ^ im);
        const V made = NAME(divided)(REAL(0.5) * (x + conj) + NAME(by)(odd, root, re), by);
        NAME(store)(out + 2 * (k * s->stride + t), NAME(one_nan)(made));
    }
}

static TARGET void NAME(fold)(const lun_row_steps *s, const T *w, const T *in, T *out)
{
    const bool along = s->lines == 1 && s->stride == 1;
    const MASK im = NAME(signs_of)(false), re = NAME(signs_of)(true);
    EACH_NUMBER(s)
    {
        const int64_t b = s->m - k;
        const V root = NAME(roots)(w, k, along), x = NAME(load)(in + 2 * (k * s->stride + t));
        const V y = along ? NAME(load_down)(in, b) : NAME(load)(in + 2 * (b * s->stride + t));
        const V conj = (V)((MASK)y ^ im), half = REAL(0.5) * (x - conj);
        const V odd = (V)((MASK)PICK(half, 1, 0) ^ re);
        NAME(store)(out + 2 * (k * s->lines + t), REAL(0.5) * (x + conj) + NAME(by)(odd, root, im));
    }
}
#undef EACH_NUMBER
