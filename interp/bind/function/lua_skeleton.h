/* lua_skeleton.h - skeletons as userdata, for the files that make, call and combine them.
 * A program is a chain or tree of skeletons, kept as a list in postfix order. */
#ifndef LUN_LUA_SKELETON_H
#define LUN_LUA_SKELETON_H

#include "bind/host/bind.h"

/* Kinds of skeletons beside those of the engine's table. */
enum { LUN__PROGRAM = LUN_SKELETON_COUNT };

/* User values of a skeleton: userdata that keep f, id and by alive, the Lua value of which f was
 * made; of a program its list, or before it has run the function that returns it, and its parts. */
enum { LUN__USE_FUNCTION = 1, LUN__USE_ID, LUN__USE_SOURCE, LUN__USE_BY };
enum { LUN__USE_LIST = 1, LUN__USE_PARTS };
#define LUN__SKELETON_VALUES 4

/* The most arrays of a call, with the extra arguments. */
#define LUN__MOST_ARRAYS LUN_MAX_OPERANDS

/* The edges and the radius of a stencil: for all axes, or by axis. */
typedef struct lun__around {
    int edges, radii; /* as many are listed; 0: one for all axes */
    bool far;         /* no radius is given */
    bool valued;      /* x is given */
    lun_edge edge[LUN_MAX_RANK];
    bool keep[LUN_MAX_RANK];
    int64_t radius[LUN_MAX_RANK];
    lun_value x;
} lun__around;

typedef struct lun__skeleton {
    lun__box box;
    int kind;                        /* lun_skeleton or LUN__PROGRAM */
    const char *name;                /* "map", ..., "sequence", "compose" */
    lun_function *f, *by;            /* by: of skeletons that combine results of f; else NULL */
    lun_array *id;                   /* NULL: the operation's identity */
    lun_array *ids[LUN_MOST_VALUES]; /* of reduce and scan of several elements, instead of id */
    lun__axes axes;                  /* axes of the call, and its options */
    lun__around around;              /* of a stencil */
    int leaves, length;              /* arrays that it takes; steps and arguments in its list */
    lua_Integer workgroup;           /* 0: tuned */
    bool deferred; /* a C text that is compiled when the structs that it takes are known */
    bool varies;   /* f is that of a variant, the source, and chosen again at each call */
    int outs;      /* dtypes in `out`, one for each result; -1: one for all; 0: as they are */
    signed char out[LUN_MAX_OUTPUTS];
} lun__skeleton;

/* Where the arguments of a call are on the stack, and how an error counts and names them. */
typedef struct lun__call {
    const char *name; /* NULL: the running function's */
    int element[LUN__MOST_ARRAYS], number[LUN__MOST_ARRAYS];
    int extra, extra_number, extras; /* the first one, and how many */
    int function;                    /* the number of the function, 0 if it is no argument */
    int options;                     /* of the table of options; 0 as well */
    lua_Integer workgroup;           /* for skeletons without one; 0: tuned */
} lun__call;

/* The row of a skeleton of the engine's table. */
static inline lun_skeleton_info lun__lua_skeleton_row(int kind)
{
    lun_skeleton_info row = {.size = sizeof row, .name = ""};
    (void)lun_skeleton_describe((lun_skeleton)kind, &row);
    return row;
}

/* The options of a stencil (stencil_options.c): the defaults, and one of them, by its name and with
 * its value at the top of the stack; false if it is none of them. */
void lun__stencil_option_none(lun__around *o);
bool lun__stencil_option_read(lua_State *L, int options, const char *name, lun__around *o);
/* lun_stencil of `count` operands. */
lun_status lun__stencil_option_run(lun_engine *e, lun_function *f, lun_array *const *operands,
                                   int count, int elements, const lun__around *o, lun_array **outs,
                                   int room, int *results);

/* Whether some elements stay as they are. */
bool lun__stencil_option_keeps(const lun__around *o);
/* Raises a mistake in a stencil, made of the function at 1 and the options at `options`, before it
 * is called. */
void lun__stencil_option_foresee(lua_State *L, lun__host *h, const lun__skeleton *k, int options);

/* Pushes the first value given at i as an array and returns it; nil and NULL if there is none. */
lun_array *lun__identity_push(lua_State *L, lun__host *h, int i);
/* Pushes a list that keeps k's first values alive, those in the list at i, one for each element. */
void lun__identities_push(lua_State *L, lun__host *h, lun__skeleton *k, int i);

lun__skeleton *lun__lua_skeleton_check(lua_State *L, lun__host *h, int i);
/* Pushes a skeleton of a kind, empty. */
lun__skeleton *lun__lua_skeleton_new(lua_State *L, lun__host *h, int kind);
/* The number of functions before the other arguments that make a skeleton of that row. */
static inline int lun__lua_skeleton_functions(const lun_skeleton_info *row)
{
    return row->combines ? 2 : 1;
}

/* k as a value, with its first values; not its axes, which a call resolves. */
lun_skeleton_use lun__lua_skeleton_use(const lun__skeleton *k);
/* Fills k, of its kind, from its functions, the first of which is at f, the identity behind them
 * and the table of options (0: none can be given). Pushes what k->f, k->by and k->id need to stay
 * alive: three values. */
void lun__lua_skeleton_fill(lua_State *L, lun__host *h, lun__skeleton *k, int f, int options);
/* Reads the option `out` of the table at i, the only one that there may be, into k. */
void lun__lua_skeleton_out(lua_State *L, lun__skeleton *k, int i);
/* Raises unless the dtypes of k, if it has a list of them, are as many as the results of `name`. */
void lun__lua_skeleton_check_out(lua_State *L, const lun__skeleton *k, const char *name,
                                 int results);
/* Casts the results of `name`, at first and above, to the dtypes of k; argument: the number of the
 * argument they were made of. */
void lun__lua_skeleton_convert(lua_State *L, lun__host *h, const lun__skeleton *k, const char *name,
                               int first, int results, int argument);
/* Pushes the results of a skeleton that is no program and returns their number. */
int lun__lua_skeleton_call(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c);
/* The same for the skeleton at `at`, of any kind, and the arguments first .. the top; name: what
 * errors call it, NULL: its own. */
int lun__compose_run(lua_State *L, lun__host *h, int at, int first, const char *name);

#endif
