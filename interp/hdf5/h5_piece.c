/* h5_piece.c - a box of elements in pieces, between which work may be told to stop. */
#include "hdf5/h5_library.h"

enum { PIECE = 16 << 20 }; /* bytes */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t lun__h5_pieces_size(int rank, const int64_t *extent)
{
    int64_t n = 1;
    for (int k = 0; k < rank; k++)
        n *= extent[k];
    return n;
}

void lun__h5_pieces_grow(int rank, const int64_t *shape, int64_t *box, int64_t bytes, int64_t most)
{
    int64_t size = bytes;
    for (int k = 0; k < rank; k++)
        size = box[k] > most / size ? most : size * box[k];
    for (int k = rank - 1; k >= 0; k--) {
        while (size <= most / 2 && box[k] < shape[k]) {
            box[k] *= 2;
            size *= 2;
        }
        if (box[k] < shape[k])
            break;
    }
}

/* The piece's extent along an axis: to the next multiple of the step. */
static void cut(lun_h5_pieces *p, int k)
{
    const int64_t into = p->first[k] % p->step[k];
    p->count[k] = least(p->step[k] - into, p->to[k] - p->first[k]);
}

bool lun__h5_pieces_begin(lun_h5_pieces *p, int rank, const int64_t *first, const int64_t *count,
                          const int64_t *chunk, int bytes)
{
    bool some = true;
    p->rank = rank;
    for (int k = 0; k < rank; k++) {
        p->from[k] = p->first[k] = first[k];
        p->to[k] = first[k] + count[k];
        p->step[k] = least(chunk[k], count[k]) < 1 ? 1 : chunk[k];
        some = some && count[k] > 0;
    }
    lun__h5_pieces_grow(rank, count, p->step, bytes, PIECE);
    for (int k = 0; k < rank; k++)
        cut(p, k);
    return some;
}

bool lun__h5_pieces_next(lun_h5_pieces *p)
{
    for (int k = p->rank - 1; k >= 0; k--) {
        p->first[k] += p->count[k];
        const bool more = p->first[k] < p->to[k];
        if (!more)
            p->first[k] = p->from[k];
        cut(p, k);
        if (more)
            return true;
    }
    return false;
}
