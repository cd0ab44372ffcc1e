/* renderer.h - the state that the files of the renderer share, and its invariants; private to this
 * folder.
 *
 * Uniform and varying.  A value is uniform if it is the same for all indices of a run, else
 * varying. Control flow is divergent if its condition is varying or some lanes leave it by a
 * varying exit.  A uniform value is a single element s<v>; where a statement reads it in lanes
 * (AS_VECTOR), it is also a vector.  A uniform value that arguments and uniform slots determine is
 * hoisted: computed once for a chunk, kept in the struct `uniform` as u->s<v> and u->v<v>.  A
 * varying value is a vector v<v>.
 *
 * Lanes.  All vectors of a kernel have r->lanes lanes, a native vector's for the widest value in
 * lanes; lane l of the vector at index i has index i + l.  r->parts vectors go through the
 * statements together, v<v>_0, v<v>_1, ...; a block of 64 indices is a whole number of them.  Lanes
 * beyond the last index hold anything: they are never stored (or, with padded_stores, stored in
 * padding), never trap and enter reductions as the identity.
 *
 * Masks.  A bool is a mask in lanes, 0 or -1 in signed integers as wide as what it is used with; as
 * a single element and in memory it is 0 or 1.  k is the mask of the lanes below the last index,
 * k<i> that of the active lanes of the divergent construct i.  The mask of a construct is a subset
 * of that of each construct around it.  Statements with effects (stores, traps, SETs but for
 * UNMASKED ones) act on active lanes only, and none runs where the mask is empty, but for
 * iterations of a STRIPPED loop, which have no such effect. */
#ifndef LUN_RENDER_RENDERER_H
#define LUN_RENDER_RENDERER_H

#include "ir/structure.h"
#include "render/render.h"

/* Facts of an instruction: where it is computed, and what it is needed for. */
enum {
    /* the sections that need it */
    LUN_FACT_BODY = 1 << 0,    /* stores, reductions or checks do */
    LUN_FACT_OPERAND = 1 << 1, /* the operand of the SCAN does */
    /* uniform or varying */
    LUN_FACT_VARYING = 1 << 2,   /* a varying value; IF, LOOP, BLOCK: divergent */
    LUN_FACT_HOISTED = 1 << 3,   /* uniform, and computed once for a chunk */
    LUN_FACT_AS_VECTOR = 1 << 4, /* uniform: some statement reads it in lanes */
    LUN_FACT_AS_SCALAR = 1 << 5, /* uniform: some statement reads it as a single element */
    LUN_FACT_TEMPORAL = 1 << 6,  /* VAR: uniform inside LOOP origin[], varying behind it */
    LUN_FACT_AFFINE = 1 << 7,    /* i64: the index plus a uniform value; a<i> is its first lane */
    LUN_FACT_LINEAR = 1 << 8,    /* AFFINE, or the range check of an AFFINE value: not in lanes */
    LUN_FACT_INDUCTION =
        1 << 9, /* TEMPORAL, each iteration of its STRIPPED loop adds one integer */
    /* statements */
    LUN_FACT_STREAM = 1 << 10, /* RANDOM of consecutive elements: made for 64 indices at once */
    LUN_FACT_UNMASKED =
        1 << 11, /* SET: may write all lanes, the others never read the variable again */
    LUN_FACT_WIDE = 1 << 12,   /* REDUCE in f64 of f32 values, which it widens itself */
    LUN_FACT_NARROW = 1 << 13, /* REDUCE of narrow integers that adds in i32 within a chunk */
    /* control flow */
    LUN_FACT_LEFT =
        1 << 14, /* IF, LOOP, BLOCK: a BREAK or CONTINUE inside has a target around it */
    LUN_FACT_CONTINUED = 1 << 15, /* LOOP: the target of a CONTINUE */
    LUN_FACT_ELSE = 1 << 16,      /* IF: its second part is being written */
    LUN_FACT_STRIPPED = 1 << 17,  /* LOOP: strip-mined, see render/facts/exits.c */
    LUN_FACT_PACKED = 1 << 18 /* LOOP: its rounds are lanes, see render/facts/packable_loops.c */
};

/* How values of a dtype are represented in lanes. */
typedef struct lun_rep {
    lun_dtype t; /* of the lanes */
    bool mask;
} lun_rep;

/* What the statements of a section compute. */
typedef enum lun_section_form {
    LUN_SECTION_VECTORS, /* GNU vectors; uniform values are single elements */
    LUN_SECTION_ELEMENT, /* the element of one index, see render/body/indexed_statement.c */
    LUN_SECTION_FUNCTION /* a function on single elements: ARG k is its parameter a, b, ... */
} lun_section_form;

/* A part of the unit that evaluates IR. */
typedef struct lun_section {
    struct lun_renderer *r;
    lun_strbuf *out;
    unsigned need; /* LUN_FACT_BODY or LUN_FACT_OPERAND; LUN_FACT_HOISTED: the hoisted values */
    lun_section_form form;
    int part; /* of r->parts: the vector that statements are written for */
    int depth;
    int32_t scope;     /* the innermost open IF, LOOP or BLOCK, -1: none */
    int32_t nonempty;  /* the LOOP whose mask is not empty at this statement, -1: not known */
    int32_t done;      /* instructions up to this one have been written */
    lun_strbuf labels; /* the targets of jumps */
    int32_t where;     /* FUNCTION: the instruction of the kernel that a trap names */
    int32_t captured;  /* FUNCTION: the argument of the kernel that is its third parameter */
    int32_t arrays;    /* FUNCTION: the slot of the kernel that is its slot 0 */
} lun_section;

/* A word of the language, from words.def: texts contain it as @name. */
typedef struct lun_word {
    const char *name, *text;
} lun_word;

/* What differs between languages, fact by fact. */
typedef struct lun_dialect {
    const lun_word *words; /* up to a name of NULL; NULL: texts contain none */
    const char *own;       /* begins the names of loads and stores in a function's own memory */
    const char *function;  /* a chunk function up to its bounds, with its name at %s */
    const char *any;       /* body of lun_any on a mask a, NULL: by instructions */

    /* analysis */
    bool affine;      /* a gather at an affine index is a load */
    bool wide_sums;   /* a sum in f64 of f32 values splits its vectors, lanes stay those of f32 */
    bool narrow_sums; /* a sum in 64 bits of narrow integers is one in i32 within a chunk */

    /* memory */
    bool frame_slots;   /* the frame has an array of the slots' addresses; else a field p<i> each */
    bool padded_stores; /* stores may fill blocks beyond the last index; else they stop there */
    bool streamed_stores; /* stores may bypass the caches; only with padded_stores */
    bool flat;            /* slots lie where a function's own memory does, whatever words say */

    /* statements */
    bool elements; /* loops that walk along arrays (render/facts/walks.c) run on single elements */
    bool unrolls;  /* short loops over the vectors of a block are unrolled by a pragma */
    bool f64_by_bits; /* 64-bit integers become f64 by their bits if no instruction does it */
    /* M(name) for single elements: appends its name; NULL: it is of the C library */
    void (*single)(struct lun_renderer *r, const char *name, size_t n, lun_dtype t,
                   lun_strbuf *out);
    bool bit_names; /* words.def has functions for the bits of a float; else memory is copied */
    bool wraps;     /* overflow of signed single elements is defined */
    const char *product; /* definition of lun_product(x): a product of floats that is not rounded
                          * together with a sum; NULL: each is so */
    int rounds;          /* of a loop between two questions whether it shall stop */
    bool far_stop;       /* each question may take as long as hundreds of rounds: they are fewer */
    const char *stopped; /* condition: this launch shall end, in a function with a frame f */

    /* Writes a function on whole vectors under the name `helper`: the language's function `name` of
     * `arity` operands of rep.  NULL: the language has none. */
    void (*vector_function)(struct lun_renderer *r, const char *helper, const char *name, int arity,
                            lun_rep rep);
    bool sequences_of_one; /* those of math/sequence.h take one element, else a native vector */
    bool sequence_loops;   /* they leave rare arguments to the library's loops */

    void (*prelude)(struct lun_renderer *r, lun_strbuf *out); /* before users' texts */
    void (*exports)(struct lun_renderer *r, lun_strbuf *out); /* behind the chunk functions */
} lun_dialect;

typedef struct lun_renderer {
    const lun_ir *ir;
    const lun_dialect *dialect;
    const lun_render_target *target;
    int bytes, lanes; /* of a native vector; of all vectors */
    int parts;        /* vectors that go through the statements together, to hide latency */

    /* by instruction */
    uint32_t *flags; /* LUN_FACT_... */
    lun_ir_structure blocks;
    int32_t *parent;    /* of blocks: the IF, LOOP or BLOCK around it, -1: none */
    uint8_t *mask;      /* of a value of dtype bool in lanes: bytes of a lane */
    int32_t *first_var; /* of a LOOP: the first VAR whose origin it is, itself if there is none */
    int32_t *origin;    /* another instruction that belongs to it, -1: none:
                      *   BREAK, CONTINUE   the target
                      *   ELSE, END         the construct
                      *   VAR               the one LOOP beside it with all SETs that do not stand
                      *                     beside it; below -1: several
                      *   RANDOM, STREAM    the value added to the index */

    /* of a kernel in versions (render/versions): by instruction the kernel's for which it stands;
     * else NULL */
    const int32_t *from;
    bool versions; /* OpenCL: kernels that put elements are written so */
    int locals;    /* slots from here on are arrays of each index itself; 0: there are none */
    const struct lun_versions
        *whole; /* with tests for many indices at once; NULL: there are none */

    struct lun_lane_barriers *barriers; /* of a kernel of teams: where threads vote; else NULL */

    bool changed;       /* analysis: a fact was added in this round */
    bool masked;        /* there is control flow: statements run under masks */
    bool guarded;       /* vectors without an index below n are skipped */
    bool stops;         /* loops ask dialect->stopped */
    bool fp64;          /* OpenCL: the device has double */
    bool plain_reads;   /* OpenCL: of cells that others change at once */
    bool more_atomics;  /* OpenCL: all that change integers of 64 bits at once */
    size_t local_open;  /* OpenCL: bytes of local memory, in the kernel being written */
    size_t local_bytes; /* in the largest kernel */

    lun_strbuf types, helpers, fields, setup, prepare, keys; /* parts of the unit */
    lun_strbuf made;    /* names of types and helpers, each between newlines */
    lun_strbuf after;   /* text behind users' texts */
    lun_strbuf problem; /* why this IR cannot be rendered */
    unsigned libs;      /* LUN_RENDER_LIBM, LUN_RENDER_USER */
    unsigned sequences; /* the texts of math/sequence.h that the unit needs */
} lun_renderer;

static inline const lun_ir_ins *lun__renderer_ins(const lun_renderer *r, int32_t v)
{
    return &r->ir->ins[v];
}

/* The number under which a failure of instruction v is known. */
static inline int32_t lun__renderer_number(const lun_renderer *r, int32_t v)
{
    return r->from ? r->from[v] : v;
}

/* True for a varying value or a divergent construct. */
static inline bool lun__renderer_varies(const lun_renderer *r, int32_t v)
{
    return (r->flags[v] & LUN_FACT_VARYING) != 0;
}

/* A name or a short piece of text, by value. */
typedef struct lun_snippet {
    char s[64];
} lun_snippet;

#endif
