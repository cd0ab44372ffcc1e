/* h5_file.c - see h5_file.h.
 *
 * Invariant: `file` is open from lun__h5_file_open or lun__h5_file_create to lun__h5_file_close.
 * What a function opens in it, it closes. */
#include "hdf5/h5_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5/h5_library.h"

enum { MOST_OBJECTS = 1 << 20, INFO = 1024 }; /* bytes that an object's description may take */

static lun_h5 *begin(lun_engine *e, lun_file_fault *f)
{
    lun_h5 *x = calloc(1, sizeof *x);
    *f = (lun_file_fault){.status = x ? LUN_OK : LUN_ENOMEM};
    if (x && !lun__h5_library_open(e, &x->lib, f)) {
        free(x);
        return NULL;
    }
    return x;
}

/* How a file is opened: locked against those who write it, where the system has locks.  One that
 * is made is locked by its maker already, so that the library must not.  Negative: the library
 * cannot do without. */
static lun_h5_id make_access(const lun_h5_library *lib, bool locked)
{
    if (!lib->Pset_file_locking)
        return locked ? 0 : -1;
    const lun_h5_id how = lib->Pcreate(lun__h5_library_property(lib, "FILE_ACCESS"));
    if (how >= 0 && lib->Pset_file_locking(how, locked, 1) < 0) {
        (void)lib->Pclose(how);
        return -1;
    }
    return how;
}

static lun_h5 *open_file(lun_engine *e, const char *path, bool made, lun_file_fault *f)
{
    lun_h5 *x = begin(e, f);
    if (!x)
        return NULL;
    lun_h5_library *lib = &x->lib;
    lun__h5_library_begin(lib);
    const lun_h5_id how = make_access(lib, !made);
    x->file = -1;
    if (how < 0)
        lun__file_fault(f, "library",
                        "this HDF5 library is too old to write: 1.10.7 or newer is needed");
    else
        x->file =
            made ? lib->Fcreate(path, LUN_H5_TRUNCATE, 0, how) : lib->Fopen(path, LUN_H5_READ, how);
    if (x->file < 0)
        lun__h5_library_fault_said(lib, f, made ? "cannot be made" : "cannot be opened");
    if (how > 0)
        (void)lib->Pclose(how);
    lun__h5_library_end(lib);
    if (x->file >= 0)
        return x;
    free(x);
    return NULL;
}

lun_h5 *lun__h5_file_open(lun_engine *e, const char *path, lun_file_fault *f)
{
    return open_file(e, path, false, f);
}

lun_h5 *lun__h5_file_create(lun_engine *e, const char *path, lun_file_fault *f)
{
    return open_file(e, path, true, f);
}

bool lun__h5_file_close(lun_h5 *x, lun_file_fault *f)
{
    *f = (lun_file_fault){.status = LUN_OK};
    if (!x)
        return true;
    lun__h5_library_begin(&x->lib);
    if (!x->is_lost && x->lib.Fclose(x->file) < 0)
        lun__h5_library_fault_said(&x->lib, f, "cannot be written");
    lun__h5_library_end(&x->lib);
    free(x);
    return !f->code;
}

/* ---- datasets -------------------------------------------------------------------------------- */

/* Describes the shape of a space. */
static void describe_space(const lun_h5_library *lib, lun_h5_id space, lun_h5_set *out)
{
    lun_h5_size extent[LUN_MAX_RANK];
    const int rank = lib->Sget_simple_extent_ndims(space);
    if (lib->Sget_simple_extent_type(space) == LUN_H5_NULL) {
        strcpy(out->refused, "no elements and no shape");
        out->is_number = false;
    } else if (rank < 0 || rank > LUN_MAX_RANK) {
        snprintf(out->refused, sizeof out->refused, "rank %d; at most %d is supported", rank,
                 LUN_MAX_RANK);
    } else if (lib->Sget_simple_extent_dims(space, extent, NULL) < 0) {
        strcpy(out->refused, "an unknown shape");
    } else {
        out->rank = rank;
        for (int k = 0; k < rank; k++)
            out->shape[k] = extent[k] <= INT64_MAX ? (int64_t)extent[k] : INT64_MAX;
    }
}

/* Describes an open dataset; false: the library failed. */
static bool describe_open(const lun_h5_library *lib, lun_h5_id set, lun_h5_set *out)
{
    const lun_h5_id type = lib->Dget_type(set), space = lib->Dget_space(set);
    const bool ok = type >= 0 && space >= 0;
    out->rank = 0;
    if (ok)
        lun__h5_type_describe(lib, type, out);
    if (ok && !*out->refused)
        describe_space(lib, space, out);
    if (type >= 0)
        (void)lib->Tclose(type);
    if (space >= 0)
        (void)lib->Sclose(space);
    return ok;
}

lun_h5_id lun__h5_file_open_set(lun_h5 *x, const char *path, lun_file_fault *f)
{
    const lun_h5_id set = x->lib.Oopen(x->file, path, 0);
    if (set < 0)
        lun__h5_library_fault_said(&x->lib, f, "no dataset '%.200s'", path);
    else if (x->lib.Iget_type(set) != LUN_H5_DATASET)
        lun__file_fault(f, "format", "'%.200s' is no dataset", path);
    if (set >= 0 && f->code) {
        (void)x->lib.Oclose(set);
        return -1;
    }
    return set;
}

bool lun__h5_file_describe(lun_h5 *x, const char *path, lun_h5_set *out, lun_file_fault *f)
{
    *f = (lun_file_fault){.status = LUN_OK};
    lun__h5_library_begin(&x->lib);
    const lun_h5_id set = lun__h5_file_open_set(x, path, f);
    if (set >= 0 && !describe_open(&x->lib, set, out))
        lun__h5_library_fault_said(&x->lib, f, "dataset '%.200s'", path);
    if (set >= 0)
        (void)x->lib.Oclose(set);
    lun__h5_library_end(&x->lib);
    return !f->code;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Groups still to be read, of which those from `next` on are not yet; what was seen of them. */
typedef struct walk {
    lun_h5 *x;
    char **paths; /* objects, in the order in which they are looked at */
    int64_t count, room, next;
    char *seen; /* identities of groups */
    int64_t seen_count;
    const char *group; /* that is read */
    lun_h5_set *sets;
    int64_t set_count;
    bool full; /* no memory, or too many */
} walk;

static bool grow(void *list, int64_t count, size_t bytes)
{
    void *old;
    memcpy(&old, list, sizeof old);
    if (count & (count - 1) || count >= MOST_OBJECTS) /* a power of two is full */
        return count < MOST_OBJECTS;
    void *now = realloc(old, (size_t)(count ? 2 * count : 1) * bytes);
    if (now)
        memcpy(list, &now, sizeof now);
    return now != NULL;
}

static int take_link(lun_h5_id group, const char *name, const int *info, void *ctx)
{
    walk *w = ctx;
    const size_t before = strlen(w->group), length = before + strlen(name) + 2;
    (void)group;
    if (*info != LUN_H5_HARD)
        return 0;
    char *path = grow(&w->paths, w->count, sizeof *w->paths) ? malloc(length) : NULL;
    if (!path) {
        w->full = true;
        return 1;
    }
    snprintf(path, length, "%s%s%s", w->group, before ? "/" : "", name);
    w->paths[w->count++] = path;
    return 0;
}

/* Whether a group is new. */
static bool is_new(walk *w, lun_h5_id group, lun_file_fault *f)
{
    char info[INFO] = {0};
    const size_t size = w->x->lib.identity;
    if (w->x->lib.Oget_info(group, info, LUN_H5_BASIC) < 0)
        return lun__h5_library_fault_said(&w->x->lib, f, "group '/%.200s'", w->group);
    for (int64_t k = 0; k < w->seen_count; k++)
        if (memcmp(w->seen + (size_t)k * size, info, size) == 0)
            return false;
    if (!grow(&w->seen, w->seen_count, size)) {
        w->full = true;
        return false;
    }
    memcpy(w->seen + (size_t)w->seen_count++ * size, info, size);
    return true;
}

/* Describes a dataset, or takes the links of a group. */
static void look_at(walk *w, const char *path, lun_file_fault *f)
{
    const lun_h5_library *lib = &w->x->lib;
    const lun_h5_id object = lib->Oopen(w->x->file, *path ? path : "/", 0);
    const int kind = object < 0 ? -1 : lib->Iget_type(object);
    lun_h5_set one = {.path = NULL};
    w->group = path;
    if (kind == LUN_H5_GROUP && is_new(w, object, f) &&
        lib->Literate(object, 0, 0, NULL, take_link, w) < 0)
        lun__h5_library_fault_said(lib, f, "group '/%.200s'", path);
    if (kind == LUN_H5_DATASET && !describe_open(lib, object, &one))
        lun__h5_library_fault_said(lib, f, "dataset '%.200s'", path);
    if (object < 0)
        lun__h5_library_fault_said(lib, f, "'%.200s' cannot be opened", path);
    else
        (void)lib->Oclose(object);
    if (kind == LUN_H5_DATASET && !f->code) {
        one.path = grow(&w->sets, w->set_count, sizeof one) ? strdup(path) : NULL;
        if (one.path)
            w->sets[w->set_count++] = one;
        w->full = w->full || !one.path;
    }
}

bool lun__h5_file_list(lun_h5 *x, lun_h5_set **sets, int64_t *count, lun_file_fault *f)
{
    walk w = {.x = x};
    *f = (lun_file_fault){.status = LUN_OK};
    lun__h5_library_begin(&x->lib);
    look_at(&w, "", f);
    while (w.next < w.count && !f->code && !w.full)
        look_at(&w, w.paths[w.next++], f);
    lun__h5_library_end(&x->lib);
    if (w.full && (w.count >= MOST_OBJECTS || w.set_count >= MOST_OBJECTS))
        lun__file_fault(f, "unsupported", "more than %d objects", MOST_OBJECTS);
    else if (w.full)
        lun__file_fault_of(f, LUN_ENOMEM);
    for (int64_t k = 0; k < w.count; k++)
        free(w.paths[k]);
    free(w.paths);
    free(w.seen);
    *sets = w.sets;
    *count = w.set_count;
    return !f->code && f->status == LUN_OK;
}

void lun__h5_file_sets_free(lun_h5_set *sets, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        free(sets[k].path);
    free(sets);
}
