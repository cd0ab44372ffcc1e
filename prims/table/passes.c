/* passes.c - how a Fourier transform of a length is done; see passes.h. */
#include "table/passes.h"

bool lun__passes_of(int64_t n, lun_passes *out)
{
    static const int factors[] = {4, 2, 3, 5, 7, 11, 13};
    int64_t l = n, beside = 1;
    *out = (lun_passes){.n = n};
    for (int k = 0; k < 7; k++)
        for (const int f = factors[k]; l % f == 0; beside *= f) {
            l /= f;
            out->size += f > 5 ? f : 0;
            out->pass[out->count++] =
                (lun_pass){.factor = f, .l = l, .beside = beside, .twiddles = out->size};
            out->size += (f - 1) * l;
        }
    return l == 1;
}

int64_t lun__passes_root(const lun_passes *p, int64_t at)
{
    int k = p->count - 1;
    while (p->pass[k].twiddles - (p->pass[k].factor > 5 ? p->pass[k].factor : 0) > at)
        k--;
    const lun_pass *q = &p->pass[k];
    const int64_t i = at - q->twiddles;
    if (i < 0)
        return (q->factor + i) * (p->n / q->factor);
    return (i / q->l + 1) * (i % q->l) * q->beside;
}

/* The least 2^a 3^b 5^c from n on. */
static int64_t smooth_from(int64_t n)
{
    int64_t best = INT64_MAX;
    for (int64_t five = 1; five < 5 * n; five *= 5)
        for (int64_t three = five; three < 3 * n; three *= 3) {
            int64_t m = three;
            while (m < n)
                m *= 2;
            best = m < best ? m : best;
        }
    return best;
}

lun_passes_plan lun__passes_plan(int64_t n, bool real)
{
    lun_passes_plan p = {.n = n, .half = real && n % 2 == 0};
    p.m = p.half ? n / 2 : n;
    p.chirped = !lun__passes_of(p.m, &p.passes);
    if (p.chirped)
        lun__passes_of(smooth_from(2 * p.m - 1), &p.passes);
    p.chirp = p.passes.size;
    p.filter = p.chirp + (p.chirped ? p.m : 0);
    p.halves = p.filter + (p.chirped ? p.passes.n : 0);
    p.size = p.halves + (p.half ? p.m + 1 : 0);
    p.size = p.size ? p.size : 1;
    return p;
}
