/* h5_library.h - the functions of HDF5's library, which is opened when they are first needed.
 * Its types are opaque here; numbers are those of its documented interface, from 1.10 on. */
#ifndef LUN_H5_LIBRARY_H
#define LUN_H5_LIBRARY_H

#include "hdf5/h5_file.h"

typedef int64_t lun_h5_id; /* negative: none */
typedef unsigned long long lun_h5_size;
/* Called for each link of a group; info begins with an int, its kind. */
typedef int lun_h5_link_fn(lun_h5_id group, const char *name, const int *info, void *ctx);
/* Called for each level of a failure, the innermost first. */
typedef int lun_h5_error_fn(unsigned level, const void *error, void *ctx);

/* Numbers of its interface. */
enum {
    LUN_H5_READ = 0,
    LUN_H5_TRUNCATE = 2,
    LUN_H5_GROUP = 2,   /* objects */
    LUN_H5_DATASET = 5, /* (a committed type is 3) */
    LUN_H5_HARD = 0,    /* links */
    LUN_H5_INTEGER = 0, /* classes of types */
    LUN_H5_FLOAT = 1,
    LUN_H5_ENUM = 8,
    LUN_H5_NULL = 2, /* spaces */
    LUN_H5_CHUNKED = 2,
    LUN_H5_UTF8 = 1,
    LUN_H5_BASIC = 1 /* what is asked of an object */
};

#define LUN_H5_FUNCTIONS(X)                                                               \
    X(int, open, (void))                                                                  \
    X(int, free_memory, (void *))                                                         \
    X(int, Eget_auto2, (lun_h5_id, void **, void **))                                     \
    X(int, Eset_auto2, (lun_h5_id, void *, void *))                                       \
    X(int, Ewalk2, (lun_h5_id, int, lun_h5_error_fn *, void *))                           \
    X(lun_h5_id, Fopen, (const char *, unsigned, lun_h5_id))                              \
    X(lun_h5_id, Fcreate, (const char *, unsigned, lun_h5_id, lun_h5_id))                 \
    X(int, Fclose, (lun_h5_id))                                                           \
    X(lun_h5_id, Oopen, (lun_h5_id, const char *, lun_h5_id))                             \
    X(int, Oclose, (lun_h5_id))                                                           \
    X(int, Iget_type, (lun_h5_id))                                                        \
    X(lun_h5_id, Dcreate2,                                                                \
      (lun_h5_id, const char *, lun_h5_id, lun_h5_id, lun_h5_id, lun_h5_id, lun_h5_id))   \
    X(int, Dclose, (lun_h5_id))                                                           \
    X(lun_h5_id, Dget_type, (lun_h5_id))                                                  \
    X(lun_h5_id, Dget_space, (lun_h5_id))                                                 \
    X(lun_h5_id, Dget_create_plist, (lun_h5_id))                                          \
    X(int, Dread, (lun_h5_id, lun_h5_id, lun_h5_id, lun_h5_id, lun_h5_id, void *))        \
    X(int, Dwrite, (lun_h5_id, lun_h5_id, lun_h5_id, lun_h5_id, lun_h5_id, const void *)) \
    X(lun_h5_id, Screate, (int))                                                          \
    X(lun_h5_id, Screate_simple, (int, const lun_h5_size *, const lun_h5_size *))         \
    X(int, Sclose, (lun_h5_id))                                                           \
    X(int, Sget_simple_extent_type, (lun_h5_id))                                          \
    X(int, Sget_simple_extent_ndims, (lun_h5_id))                                         \
    X(int, Sget_simple_extent_dims, (lun_h5_id, lun_h5_size *, lun_h5_size *))            \
    X(int, Sselect_hyperslab,                                                             \
      (lun_h5_id, int, const lun_h5_size *, const lun_h5_size *, const lun_h5_size *,     \
       const lun_h5_size *))                                                              \
    X(int, Tget_class, (lun_h5_id))                                                       \
    X(size_t, Tget_size, (lun_h5_id))                                                     \
    X(int, Tget_sign, (lun_h5_id))                                                        \
    X(int, Tget_order, (lun_h5_id))                                                       \
    X(int, Tget_fields, (lun_h5_id, size_t *, size_t *, size_t *, size_t *, size_t *))    \
    X(size_t, Tget_ebias, (lun_h5_id))                                                    \
    X(int, Tget_nmembers, (lun_h5_id))                                                    \
    X(char *, Tget_member_name, (lun_h5_id, unsigned))                                    \
    X(int, Tget_member_value, (lun_h5_id, unsigned, void *))                              \
    X(lun_h5_id, Tget_super, (lun_h5_id))                                                 \
    X(lun_h5_id, Tcopy, (lun_h5_id))                                                      \
    X(int, Tclose, (lun_h5_id))                                                           \
    X(int, Tset_fields, (lun_h5_id, size_t, size_t, size_t, size_t, size_t))              \
    X(int, Tset_size, (lun_h5_id, size_t))                                                \
    X(int, Tset_ebias, (lun_h5_id, size_t))                                               \
    X(lun_h5_id, Tenum_create, (lun_h5_id))                                               \
    X(int, Tenum_insert, (lun_h5_id, const char *, const void *))                         \
    X(lun_h5_id, Pcreate, (lun_h5_id))                                                    \
    X(int, Pclose, (lun_h5_id))                                                           \
    X(int, Pget_layout, (lun_h5_id))                                                      \
    X(int, Pget_chunk, (lun_h5_id, int, lun_h5_size *))                                   \
    X(int, Pset_chunk_cache, (lun_h5_id, size_t, size_t, double))                         \
    X(int, Pset_chunk, (lun_h5_id, int, const lun_h5_size *))                             \
    X(int, Pset_deflate, (lun_h5_id, unsigned))                                           \
    X(int, Pset_obj_track_times, (lun_h5_id, unsigned))                                   \
    X(int, Pset_create_intermediate_group, (lun_h5_id, unsigned))                         \
    X(int, Pset_char_encoding, (lun_h5_id, int))

typedef struct lun_h5_library {
    lun_engine *e;
#define LUN_H5_FIELD(type, name, arguments) type(*name) arguments;
    LUN_H5_FUNCTIONS(LUN_H5_FIELD)
#undef LUN_H5_FIELD
    /* Of other names from version to version: what says of an object begins with the number of its
     * file and where it is there, `identity` bytes. */
    int (*Literate)(lun_h5_id, int, int, lun_h5_size *, lun_h5_link_fn *, void *);
    int (*Oget_info)(lun_h5_id, void *, unsigned);
    size_t identity;
    int (*Pset_file_locking)(lun_h5_id, unsigned, unsigned); /* NULL: before 1.10.7 */
    void *printer, *printer_ctx; /* the process's, while a call of ours runs */
} lun_h5_library;

/* Opens the library.  False: there is none that will do, as *f says. */
bool lun__h5_library_open(lun_engine *e, lun_h5_library *out, lun_file_fault *f);
/* Calls of the library stand between these: one thread of the process at a time is there, since not
 * every build of it is made for more, and it prints no failures. */
void lun__h5_library_begin(lun_h5_library *x);
void lun__h5_library_end(lun_h5_library *x);
/* A type of the library's own, such as "NATIVE_INT8", not to be closed. */
lun_h5_id lun__h5_library_type(const lun_h5_library *x, const char *name);

/* A class of lists of properties, such as "LINK_CREATE". */
lun_h5_id lun__h5_library_property(const lun_h5_library *x, const char *name);

/* lun__file_fault for a call of the library that has just failed; its own words follow `what`. */
__attribute__((format(printf, 3, 4))) bool
lun__h5_library_fault_said(const lun_h5_library *x, lun_file_fault *f, const char *format, ...);

struct lun_h5 {
    lun_h5_library lib;
    lun_h5_id file;
    bool is_lost; /* a write has failed: see lun__h5_elements_write */
};
/* The dataset at a path, to be closed by Oclose; negative: there is none, or *f failed before. */
lun_h5_id lun__h5_file_open_set(lun_h5 *x, const char *path, lun_file_fault *f);

/* ---- types (h5_type.c) ----------------------------------------------------------------------- */

/* What elements of a type of a file are, in out->dtype; or, where no array can hold them, why. */
void lun__h5_type_describe(const lun_h5_library *x, lun_h5_id type, lun_h5_set *out);
/* The type of such elements in memory; negative: the library failed.  To be closed. */
lun_h5_id lun__h5_type_in_memory(const lun_h5_library *x, lun_h5_id type, lun_dtype t);
/* The type by which elements are written; negative: the library failed.  To be closed. */
lun_h5_id lun__h5_type_to_write(const lun_h5_library *x, lun_dtype t);

/* ---- pieces (h5_piece.c) --------------------------------------------------------------------- */

/* Boxes of about 16 MB that cover another one, in row-major order, whose faces are faces of
 * chunks where they can. */
typedef struct lun_h5_pieces {
    int rank;
    int64_t from[LUN_MAX_RANK], to[LUN_MAX_RANK];     /* what is covered */
    int64_t step[LUN_MAX_RANK];                       /* faces are multiples of it */
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK]; /* the piece */
} lun_h5_pieces;
/* chunk: the extents of a chunk, 1 where there are none.  False: nothing is covered. */
bool lun__h5_pieces_begin(lun_h5_pieces *p, int rank, const int64_t *first, const int64_t *count,
                          const int64_t *chunk, int bytes);
bool lun__h5_pieces_next(lun_h5_pieces *p);
/* Grows a box within a shape to about so many bytes, along the last axis first. */
void lun__h5_pieces_grow(int rank, const int64_t *shape, int64_t *box, int64_t bytes, int64_t most);
/* The number of elements of a box. */
int64_t lun__h5_pieces_size(int rank, const int64_t *extent);

#endif
