/* function_cache.h - a cache of compiled functions: each holds for certain dtypes of parameters and
 * certain kinds of captured values. */
#ifndef LUAFN_FUNCTION_CACHE_H
#define LUAFN_FUNCTION_CACHE_H

#include "luafn/capture/function_registry.h"
#include "luafn/graph/compile.h"

/* The texts of the notes for one combination of extents of arrays. */
typedef struct lf_texts {
    struct lf_texts *next;
    int64_t *extent; /* by note; 0 if its text has no extent */
    char **text;
} lf_texts;

typedef struct lf_cached {
    struct lf_cached *next;
    lf_host *host; /* a reference, for the anchors */
    const lf_program *owner;
    lun_front_param *param;
    int params;
    lun_neighbour *neighbour;
    int neighbours;
    lf_source *source; /* with references to their programs, but to the owner */
    lf_capture *now;   /* by source: as seen by the last call */
    int *anchor;       /* by source: registry reference of a known function, or LUA_NOREF */
    int sources;
    char *fields;             /* the names in the sources */
    int record;               /* source of the struct whose record is returned; 0: none is */
    uint32_t pairs;           /* which results are complex: luafn_compile_pairs */
    lf_input *scalar, *array; /* captured, in the body's order */
    int scalars, arrays;
    lun_front_bound *bound; /* their arrays are those of the last call */
    lun_front_window *window;
    lun_front_store *store;
    int *bound_source, *window_source, *store_source;
    int bounds, windows, stores;
    char **names; /* of arrays of the body, in a team kernel */
    int name_count;
    lun_front_scratch scratch[LUN_FRONT_SCRATCHES];
    int scratches;
    bool assigns;
    lun_array **captured; /* by source */
    lf_note *note;
    int notes;
    lf_texts *texts;
    lun_strbuf types; /* the report of luafn/type/report.c */
    lun_ir ir;
    lun_ir_function function;
} lf_cached;

/* Makes an empty one; NULL without memory. */
lf_cached *luafn_function_cache_new(lf_host *h, const lf_program *owner);
void luafn_function_cache_free(lf_cached *s);
/* Adds s to the cache of its program, which frees it. */
void luafn_function_cache_add(lf_program *p, lf_cached *s);
/* Fills s from a finished compilation. */
lun_status luafn_function_cache_fill(lf_cached *s, const lf_compile *c);
bool luafn_function_cache_fits(const lf_cached *s, const lun_front_param *param, int params);
/* Looks at the sources again and pushes the value of each from v->base + 1 on; *same: the code is
 * valid for these. May raise a Lua error. */
lun_status luafn_function_cache_check(lf_cached *s, const lf_capture_context *v, bool *same,
                                      lun_strbuf *error);
/* References the functions that the sources have, so that the next call knows them by address. */
void luafn_function_cache_anchor(lf_cached *s, const lf_capture_context *v);
lun_status luafn_function_cache_result(lf_cached *s, const lun_front_param *param,
                                       lun_front_result *out);

#endif
