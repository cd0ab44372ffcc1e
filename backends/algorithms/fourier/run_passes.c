/* run_passes.c - the passes of a Fourier transform, one after the other; see run_passes.h. */
#include "algorithms/fourier/run_passes.h"

#include "algorithms/fourier/butterflies.h"
#include "algorithms/parts/work_parts.h"

enum { PART = 1 << 15 }; /* numbers of a part: no part of what is computed */

typedef struct pass_work {
    const lun_run_passes *how;
    const lun_pass *pass;
    int64_t parts;
    const void *in;
    void *out;
} pass_work;

static void do_pass(void *ctx, int64_t number, int worker)
{
    (void)worker;
    const pass_work *w = ctx;
    const lun_run_passes *h = w->how;
    const int64_t beside = w->pass->beside * h->lines, l = w->pass->l;
    lun_butterflies part = {h->lines, 0, l, 0, beside, h->inverse};
    if (l >= beside) {
        part.j0 = l / w->parts * number;
        part.j1 = number + 1 < w->parts ? l / w->parts * (number + 1) : l;
    } else {
        part.t0 = beside / w->parts * number;
        part.t1 = number + 1 < w->parts ? beside / w->parts * (number + 1) : beside;
    }
    if (h->is_double)
        lun__butterflies_f64(h->isa, w->pass, h->table, &part, w->in, w->out);
    else
        lun__butterflies_f32(h->isa, w->pass, h->table, &part, w->in, w->out);
}

void *lun__run_passes(const lun_run_passes *how, void *in, void *const to[2])
{
    const lun_team alone = {.threads = 1};
    void *at = in;
    for (int k = 0; k < how->passes->count; k++) {
        pass_work w = {how, &how->passes->pass[k], 1, at, to[k % 2]};
        const int64_t beside = w.pass->beside * how->lines, l = w.pass->l;
        w.parts = (beside * l * w.pass->factor + PART - 1) / PART;
        w.parts = w.parts < (l >= beside ? l : beside) ? w.parts : l >= beside ? l : beside;
        if (!lun__work_parts(how->services, how->team ? how->team : &alone, w.parts, &w, do_pass))
            return to[k % 2];
        at = to[k % 2];
    }
    return at;
}
