/* h5_elements.c - elements of datasets into memory, and arrays into datasets, in pieces: between
 * two of them work may be told to stop, and others may use the library. */
#include <stdlib.h>
#include <string.h>

#include "hdf5/h5_library.h"

enum { CHUNK = 1 << 20 }; /* bytes of one that is compressed, about */

/* A dataset, and what its elements are moved by. */
typedef struct transfer {
    lun_h5 *x;
    const char *path;
    lun_h5_id set, space, type; /* type: of the memory */
    int rank, bytes;
    int64_t chunk[LUN_MAX_RANK];
} transfer;

static void end(transfer *t)
{
    const lun_h5_library *lib = &t->x->lib;
    if (t->type >= 0)
        (void)lib->Tclose(t->type);
    if (t->space >= 0)
        (void)lib->Sclose(t->space);
    if (t->set >= 0)
        (void)lib->Oclose(t->set);
}

static void to_sizes(int rank, const int64_t *from, lun_h5_size *to)
{
    for (int k = 0; k < rank; k++)
        to[k] = (lun_h5_size)from[k];
}

/* Selects a box of a space. */
static bool select_box(const lun_h5_library *lib, lun_h5_id space, int rank, const int64_t *first,
                       const int64_t *count)
{
    lun_h5_size at[LUN_MAX_RANK], n[LUN_MAX_RANK];
    to_sizes(rank, first, at);
    to_sizes(rank, count, n);
    return rank == 0 || lib->Sselect_hyperslab(space, 0, at, NULL, n, NULL) >= 0;
}

static lun_h5_id make_space(const lun_h5_library *lib, int rank, const int64_t *extent)
{
    lun_h5_size n[LUN_MAX_RANK];
    to_sizes(rank, extent, n);
    return rank == 0 ? lib->Screate(0) : lib->Screate_simple(rank, n, NULL);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The extents of a chunk, 1 where there are none. */
static void find_chunk(transfer *t)
{
    const lun_h5_library *lib = &t->x->lib;
    lun_h5_size chunk[LUN_MAX_RANK];
    const lun_h5_id how = lib->Dget_create_plist(t->set);
    for (int k = 0; k < t->rank; k++)
        t->chunk[k] = 1;
    if (how >= 0 && lib->Pget_layout(how) == LUN_H5_CHUNKED &&
        lib->Pget_chunk(how, t->rank, chunk) == t->rank)
        for (int k = 0; k < t->rank; k++)
            t->chunk[k] = chunk[k] && chunk[k] < CHUNK ? (int64_t)chunk[k] : 1;
    if (how >= 0)
        (void)lib->Pclose(how);
}

static bool open_to_read(transfer *t, const lun_h5_set *set, lun_file_fault *f)
{
    const lun_h5_library *lib = &t->x->lib;
    t->rank = set->rank;
    t->bytes = lun_dtype_size(set->dtype);
    t->set = lun__h5_file_open_set(t->x, t->path, f);
    if (t->set < 0)
        return false;
    const lun_h5_id type = lib->Dget_type(t->set);
    t->type = type < 0 ? -1 : lun__h5_type_in_memory(lib, type, set->dtype);
    if (type >= 0)
        (void)lib->Tclose(type);
    t->space = lib->Dget_space(t->set);
    find_chunk(t);
    return (t->type >= 0 && t->space >= 0) ||
           lun__h5_library_fault_said(lib, f, "dataset '%.200s'", t->path);
}

/* Reads a piece of the box from `first` on, whose memory is `to`. */
static bool read_piece(const transfer *t, const lun_h5_pieces *p, const int64_t *first,
                       lun_h5_id memory, void *to, lun_file_fault *f)
{
    const lun_h5_library *lib = &t->x->lib;
    int64_t inside[LUN_MAX_RANK];
    for (int k = 0; k < t->rank; k++)
        inside[k] = p->first[k] - first[k];
    return (select_box(lib, t->space, t->rank, p->first, p->count) &&
            select_box(lib, memory, t->rank, inside, p->count) &&
            lib->Dread(t->set, t->type, memory, t->space, 0, to) >= 0) ||
           lun__h5_library_fault_said(lib, f, "dataset '%.200s' cannot be read", t->path);
}

/* Whether truth values are: members of the enumeration. */
static bool check_truth(const transfer *t, const unsigned char *x, int64_t n, lun_file_fault *f)
{
    for (int64_t k = 0; k < n; k++)
        if (x[k] > 1)
            return lun__file_fault(f, "format",
                                   "dataset '%.200s': element %lld is no member of the enumeration",
                                   t->path, (long long)k + 1);
    return true;
}

bool lun__h5_elements_read(lun_h5 *x, const char *path, const lun_h5_set *set, const int64_t *first,
                           const int64_t *count, void *to, lun_file_fault *f)
{
    lun_engine *e = x->lib.e;
    transfer t = {.x = x, .path = path, .set = -1, .space = -1, .type = -1};
    lun_h5_pieces p;
    lun_h5_id memory = -1;
    *f = (lun_file_fault){.status = LUN_OK};
    lun__h5_library_begin(&x->lib);
    bool ok = open_to_read(&t, set, f);
    ok = ok && lun__h5_pieces_begin(&p, t.rank, first, count, t.chunk, t.bytes);
    if (ok)
        memory = make_space(&x->lib, t.rank, count);
    while (ok) {
        ok = read_piece(&t, &p, first, memory, to, f) && lun__h5_pieces_next(&p);
        lun__h5_library_end(&x->lib);
        ok = ok && ((f->status = lun_host_check(e)) == LUN_OK);
        lun__h5_library_begin(&x->lib);
    }
    if (memory >= 0)
        (void)x->lib.Sclose(memory);
    end(&t);
    lun__h5_library_end(&x->lib);
    if (!f->code && f->status == LUN_OK && lun_dtype_kind(set->dtype) == LUN_KIND_BOOL)
        check_truth(&t, to, lun__h5_pieces_size(t.rank, count), f);
    return !f->code && f->status == LUN_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* How a dataset is kept: compressed at a level, or -1. Times of day are left out, so that equal
 * arrays are equal files. */
static lun_h5_id make_keeping(transfer *t, const int64_t *shape, int level)
{
    const lun_h5_library *lib = &t->x->lib;
    lun_h5_size chunk[LUN_MAX_RANK];
    const lun_h5_id how = lib->Pcreate(lun__h5_library_property(lib, "DATASET_CREATE"));
    bool ok = how >= 0 && lib->Pset_obj_track_times(how, 0) >= 0;
    for (int k = 0; k < t->rank; k++)
        t->chunk[k] = 1;
    if (ok && level >= 0 && t->rank > 0 && lun__h5_pieces_size(t->rank, shape) > 0) {
        lun__h5_pieces_grow(t->rank, shape, t->chunk, t->bytes, CHUNK);
        for (int k = 0; k < t->rank; k++)
            t->chunk[k] = t->chunk[k] < shape[k] ? t->chunk[k] : shape[k];
        to_sizes(t->rank, t->chunk, chunk);
        ok = lib->Pset_chunk(how, t->rank, chunk) >= 0 &&
             lib->Pset_deflate(how, (unsigned)level) >= 0;
    }
    if (!ok && how >= 0)
        (void)lib->Pclose(how);
    return ok ? how : -1;
}

/* How it is written: each chunk at once, so that none is left to fail when it is closed. */
static lun_h5_id make_passing(const lun_h5_library *lib)
{
    const lun_h5_id how = lib->Pcreate(lun__h5_library_property(lib, "DATASET_ACCESS"));
    if (how >= 0 && lib->Pset_chunk_cache(how, 0, 0, 0) < 0) {
        (void)lib->Pclose(how);
        return -1;
    }
    return how;
}

/* How its name is kept: in UTF-8; groups are made. */
static lun_h5_id make_naming(const lun_h5_library *lib)
{
    const lun_h5_id how = lib->Pcreate(lun__h5_library_property(lib, "LINK_CREATE"));
    if (how >= 0 && (lib->Pset_create_intermediate_group(how, 1) < 0 ||
                     lib->Pset_char_encoding(how, LUN_H5_UTF8) < 0)) {
        (void)lib->Pclose(how);
        return -1;
    }
    return how;
}

static bool make_set(transfer *t, lun_dtype dtype, const int64_t *shape, int level,
                     lun_file_fault *f)
{
    const lun_h5_library *lib = &t->x->lib;
    const lun_h5_id keeping = make_keeping(t, shape, level), naming = make_naming(lib),
                    passing = make_passing(lib), type = lun__h5_type_to_write(lib, dtype);
    t->type = lun__h5_type_in_memory(lib, -1, dtype);
    t->space = make_space(lib, t->rank, shape);
    if (keeping >= 0 && naming >= 0 && passing >= 0 && type >= 0 && t->type >= 0 && t->space >= 0)
        t->set = lib->Dcreate2(t->x->file, t->path, type, t->space, naming, keeping, passing);
    if (t->set < 0)
        lun__h5_library_fault_said(lib, f, "dataset '%.200s' cannot be made", t->path);
    if (keeping >= 0)
        (void)lib->Pclose(keeping);
    if (naming >= 0)
        (void)lib->Pclose(naming);
    if (passing >= 0)
        (void)lib->Pclose(passing);
    if (type >= 0)
        (void)lib->Tclose(type);
    return !f->code;
}

static bool write_piece(const transfer *t, const lun_h5_pieces *p, const void *from,
                        lun_file_fault *f)
{
    const lun_h5_library *lib = &t->x->lib;
    const lun_h5_id memory = make_space(lib, t->rank, p->count);
    if (memory < 0 || !select_box(lib, t->space, t->rank, p->first, p->count) ||
        lib->Dwrite(t->set, t->type, memory, t->space, 0, from) < 0)
        lun__h5_library_fault_said(lib, f, "dataset '%.200s' cannot be written", t->path);
    if (memory >= 0)
        (void)lib->Sclose(memory);
    return !f->code;
}

/* Writes all elements, of which each piece is some in row-major order: chunks are grown along the
 * last axis first, as pieces are. */
static void write_all(transfer *t, lun_array *a, lun_h5_pieces *p, lun_file_fault *f)
{
    lun_h5_library *lib = &t->x->lib;
    int64_t at = 0, most = 1;
    for (int k = 0; k < t->rank; k++)
        most *= p->step[k] < p->to[k] ? p->step[k] : p->to[k];
    void *buffer = malloc((size_t)most * (size_t)t->bytes);
    if (!buffer) {
        lun__file_fault_of(f, LUN_ENOMEM);
        return;
    }
    bool more = true;
    while (more) {
        const int64_t n = lun__h5_pieces_size(t->rank, p->count);
        f->status = lun_read(lib->e, a, buffer, at, n);
        if (f->status == LUN_OK)
            f->status = lun_host_check(lib->e);
        lun__h5_library_begin(lib);
        more = f->status == LUN_OK && write_piece(t, p, buffer, f) && lun__h5_pieces_next(p);
        lun__h5_library_end(lib);
        at += n;
    }
    free(buffer);
}

/* Where elements could not be written, the dataset and the file stay open until the process ends:
 * releases of the library from 1.10 to 2.0 fall over what they cannot write when they close it, or
 * another file afterwards. */
bool lun__h5_elements_write(lun_h5 *x, const char *path, lun_array *a, int level, lun_file_fault *f)
{
    static const int64_t zeros[LUN_MAX_RANK];
    int64_t shape[LUN_MAX_RANK];
    transfer t = {.x = x, .path = path, .set = -1, .space = -1, .type = -1};
    lun_h5_pieces p;
    *f = (lun_file_fault){.status = LUN_OK};
    t.rank = lun_shape(a, shape);
    t.bytes = lun_dtype_size(lun_dtype_of(a));
    lun__h5_library_begin(&x->lib);
    const bool ok = make_set(&t, lun_dtype_of(a), shape, level, f);
    lun__h5_library_end(&x->lib);
    if (ok && lun__h5_pieces_begin(&p, t.rank, zeros, shape, t.chunk, t.bytes))
        write_all(&t, a, &p, f);
    x->is_lost = f->code != NULL;
    lun__h5_library_begin(&x->lib);
    if (!x->is_lost)
        end(&t);
    lun__h5_library_end(&x->lib);
    return !f->code && f->status == LUN_OK;
}
