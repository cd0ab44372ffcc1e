/* join_texts.c - the dictionaries of a column of text made one; see join_texts.h. */
#include "csv/join_texts.h"

#include <stdlib.h>

#include "csv/csv_state.h"

/* Codes made those of one dictionary, in so many bytes each. */
typedef struct renumbering {
    const lun__csv_coded *c;
    uint32_t *to[LUN__CSV_BUFFERS]; /* by dictionary; NULL: codes grow by `more` */
    uint32_t more[LUN__CSV_BUFFERS];
    int bytes;
    void *codes;
    unsigned char *valid;
} renumbering;

static void renumber_piece(void *of, int64_t k)
{
    const renumbering *w = of;
    const lun__csv_cut *cut = &w->c->cuts[k];
    const int owner = w->c->owner[k];
    const uint32_t *from = w->c->codes, *to = w->to[owner], more = w->more[owner];
    for (int64_t row = cut[0].row; row < cut[1].row; row++) {
        const uint32_t code = to ? to[from[row]] : from[row] ? from[row] + more : 0;
        if (w->bytes == 1)
            ((uint8_t *)w->codes)[row] = (uint8_t)code;
        else if (w->bytes == 2)
            ((uint16_t *)w->codes)[row] = (uint16_t)code;
        else
            ((uint32_t *)w->codes)[row] = code;
        if (w->valid)
            w->valid[row] = code != 0;
    }
}

/* Makes the dictionaries one, the first, and passes its values on. */
static bool join(const lun__csv_services *s, int64_t k, renumbering *w, lun__csv_fault *fault)
{
    lun__csv_dictionary *each = w->c->dictionaries, *all = &each[0];
    for (int b = 1; b < LUN__CSV_BUFFERS; b++)
        if (!lun__csv_dictionary_merge(all, &each[b], &w->to[b], &w->more[b]))
            return lun__csv_state_refuse(fault, lun__csv_dictionary_full(all));
    const int64_t count = all->values.count;
    lun_text_made values = lun__csv_dictionary_values(all);
    w->bytes = count <= UINT8_MAX ? 1 : count <= UINT16_MAX ? 2 : 4;
    w->codes = w->c->codes;
    return s->texts(s->ctx, k, &values, w->bytes, &w->codes) ||
           lun__csv_state_refuse(fault, LUN__CSV_REFUSED);
}

bool lun__csv_join_texts(const lun__csv_services *s, int64_t k, const lun__csv_coded *c,
                         lun__csv_fault *fault)
{
    renumbering w = {.c = c};
    void *memory = NULL;
    bool ok = join(s, k, &w, fault);
    if (ok && c->missing && !s->validity(s->ctx, k, c->cuts[c->pieces].row, &memory))
        ok = lun__csv_state_refuse(fault, LUN__CSV_REFUSED);
    w.valid = memory;
    if (ok)
        s->share(s->ctx, c->pieces, &w, renumber_piece);
    for (int b = 0; b < LUN__CSV_BUFFERS; b++)
        free(w.to[b]);
    return ok;
}
