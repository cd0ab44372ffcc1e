/* h5_file.h - arrays of numbers in HDF5 files, through the system's library.  Knows no Lua; arrays
 * by the public headers alone. */
#ifndef LUN_H5_FILE_H
#define LUN_H5_FILE_H

#include "column/file_fault.h"
#include "lunarray_bind.h"

/* A dataset. */
typedef struct lun_h5_set {
    char *path; /* from the root, without a '/' in front */
    int rank;   /* 0: a Scalar, or more than an array can have */
    int64_t shape[LUN_MAX_RANK];
    lun_dtype dtype;
    char refused[96]; /* what it is, where it is nothing that an array can hold; else "" */
    bool is_number;   /* though refused */
} lun_h5_set;

typedef struct lun_h5 lun_h5;
/* Opens a file to read.  NULL: *f. */
lun_h5 *lun__h5_file_open(lun_engine *e, const char *path, lun_file_fault *f);
/* Makes a file, or empties the one that is there. */
lun_h5 *lun__h5_file_create(lun_engine *e, const char *path, lun_file_fault *f);
/* Closes it; false: what was written may not be there.  NULL is allowed. */
bool lun__h5_file_close(lun_h5 *x, lun_file_fault *f);
/* The datasets, in each group by name and before those of the groups in it; a group that has
 * several names under the first.  Links to elsewhere are not followed.  *sets: to be given to
 * lun__h5_file_sets_free, also where it fails. */
bool lun__h5_file_list(lun_h5 *x, lun_h5_set **sets, int64_t *count, lun_file_fault *f);
void lun__h5_file_sets_free(lun_h5_set *sets, int64_t count);
/* Describes one; path is not set. */
bool lun__h5_file_describe(lun_h5 *x, const char *path, lun_h5_set *out, lun_file_fault *f);
/* Reads a box of its elements, first and count within its shape, to memory for them in row-major
 * order. */
bool lun__h5_elements_read(lun_h5 *x, const char *path, const lun_h5_set *set, const int64_t *first,
                           const int64_t *count, void *to, lun_file_fault *f);
/* Writes a new one, whose groups are made; level: of deflate, 0 to 9, or -1: not compressed. */
bool lun__h5_elements_write(lun_h5 *x, const char *path, lun_array *a, int level,
                            lun_file_fault *f);

#endif
