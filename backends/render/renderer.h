/* renderer.h - what the parts of the C renderer share; private to this folder. */
#ifndef LUN_RENDER_RENDERER_H
#define LUN_RENDER_RENDERER_H

#include "render/render.h"

/* By instruction: where it is computed, and what it is needed for. */
enum {
    LUN_CF_BODY = 1,        /* needed by stores, reductions, checks */
    LUN_CF_OPERAND = 2,     /* needed for the operand of the SCAN */
    LUN_CF_VARYING = 4,     /* differs between indices; IF, LOOP, BLOCK: indices part ways there */
    LUN_CF_HOISTED = 8,     /* not VARYING, and computed once for a chunk */
    LUN_CF_AS_VECTOR = 16,  /* not VARYING: some statement wants it in every lane */
    LUN_CF_AS_SCALAR = 32,  /* not VARYING: some statement wants it as a single element */
    LUN_CF_STREAM = 64,     /* RANDOM of consecutive elements: made for 64 indices at once */
    LUN_CF_UNMASKED = 128,  /* SET: lanes that do not take part never look at the variable again */
    LUN_CF_LEFT = 256,      /* IF, LOOP, BLOCK: a BREAK or CONTINUE inside goes past it */
    LUN_CF_CONTINUED = 512, /* LOOP: the target of a CONTINUE */
    LUN_CF_ELSE = 1024,     /* IF: its second part is being written */
    LUN_CF_TEMPORAL =
        2048, /* VAR: equal for all lanes that are in LOOP origin[], differs behind it */
    LUN_CF_STRIPPED = 4096,  /* LOOP: see render/facts/exits.c */
    LUN_CF_INDUCTION = 8192, /* VAR, SPLIT: each round of its LAZY LOOP adds the same integer */
    LUN_CF_AFFINE = 16384,   /* i64: the index plus what is equal for all; a<i> is its first lane */
    LUN_CF_WIDE = 32768,     /* REDUCE in f64 of what is f32 up to its CAST, which it does itself */
    LUN_CF_NARROW = 65536,   /* REDUCE that adds up i32 in a chunk, of narrower integers */
    LUN_CF_LINEAR = 131072   /* AFFINE, or tells its range: lanes are not needed */
};

/* How values of a dtype look inside a kernel: a bool is a mask, 0 or -1, in signed integers. */
typedef struct lun_crep {
    lun_dtype t; /* of the lanes */
    bool mask;
} lun_crep;

/* What the statements of a section compute. */
typedef enum lun_cform {
    LUN_CFORM_VECTORS, /* GNU vectors; uniform values are single elements */
    LUN_CFORM_ELEMENT, /* the element of one index, see render/body/item.c */
    LUN_CFORM_FUNCTION /* a function on single elements: ARG k is its parameter a, b, ... */
} lun_cform;

/* A part of the unit that evaluates IR. */
typedef struct lun_csection {
    struct lun_crender *r;
    lun_strbuf *out;
    unsigned need; /* LUN_CF_BODY or LUN_CF_OPERAND; LUN_CF_HOISTED: the uniform values */
    int part;      /* of r->parts: the vector that statements are written for */
    int32_t scope; /* the innermost open IF, LOOP or BLOCK, -1: none */
    int depth;
    lun_strbuf labels; /* those that something jumps to */
    lun_cform form;
    int32_t where;    /* FUNCTION: the instruction of the kernel that a trap names */
    int32_t captured; /* FUNCTION: the kernel's argument that its third parameter is */
    int32_t nonempty; /* the LOOP whose mask is known not to be empty here, -1: none */
    int32_t done;     /* instructions up to this one have been written already */
} lun_csection;

/* A word of the language, from words.def: texts contain it as @name. */
typedef struct lun_cword {
    const char *name, *text;
} lun_cword;

/* What is said differently in different languages, fact by fact. */
typedef struct lun_cdialect {
    const lun_cword *words; /* up to a name of NULL; NULL: texts contain none */
    const char *own;        /* begins the names of loads and stores in a function's own memory */
    const char *function;   /* a chunk function up to its bounds, with its name at %s */
    const char *any;        /* body of lun_any on a mask a, NULL: by instructions */

    /* analysis */
    bool affine; /* a gather at index + constant is a load, a check of its range two comparisons */
    bool wide_sums; /* a sum in f64 of f32 values splits its vectors instead of halving all lanes */
    bool narrow_sums; /* a sum in 64 bits of narrow integers is one of i32 within a chunk */

    /* memory */
    bool
        frame_slots; /* the frame has an array of the slots' addresses; else a field p<i> for each */
    bool
        padded_stores; /* stores may fill blocks beyond the last index; else they are told what is left */
    bool
        streamed_stores; /* stores may bypass the caches, and are told whether to; only with padded_stores */

    /* statements */
    bool unrolls;     /* short loops over the vectors of a block are unrolled by a pragma */
    bool f64_by_bits; /* 64-bit integers become f64 by their bits where no instruction does it */
    bool overloads; /* M(name) is `name` for every float dtype; else a function of the C library */
    bool
        bit_names; /* the bits of a float are taken by functions of words.def; else by a copy of memory */
    bool wraps;   /* overflow of signed single elements is defined */
    bool cancels; /* loops look at frame.cancel */

    /* Write a function on whole vectors under the name `helper`: of the name that the language has for it (`arity`
     * operands of rep), or for an operation with LUN_OPF_VEC.  NULL: the language has no such functions. */
    void (*vector_function)(struct lun_crender *r, const char *helper, const char *name, int arity,
                            lun_crep rep);
    void (*vector_math)(struct lun_crender *r, const char *helper, lun_op op, lun_crep rep);

    void (*prelude)(struct lun_crender *r, lun_strbuf *out); /* before users' texts */
    void (*exports)(struct lun_crender *r, lun_strbuf *out); /* behind the chunk functions */
} lun_cdialect;

typedef struct lun_crender {
    const lun_ir *ir;
    const lun_cdialect *dialect;
    const lun_render_target *target;
    int bytes, lanes;   /* of a native vector; how many elements of the widest dtype it holds */
    int parts;          /* vectors that go through the body together, so that loops do not wait */
    uint32_t *flags;    /* by instruction */
    int32_t *parent;    /* by instruction: the IF, LOOP or BLOCK around it, -1: none */
    uint8_t *mask;      /* by value of dtype bool that is VARYING or AS_VECTOR: bytes of a lane */
    int32_t *origin;    /* by RANDOM with STREAM: the value added to the index, -1: none; by BREAK,
                         CONTINUE: the target; by END, ELSE: what it belongs to; by VAR: the
                         LOOP beside it that alone sets it inside, -1: none or several */
    bool fp64;          /* OpenCL: double exists */
    bool changed;       /* while facts spread: something new was found */
    bool masked;        /* there is control flow: statements run under masks */
    bool guarded;       /* vectors without an index below n are left out */
    size_t local_bytes; /* OpenCL: of local memory, in the largest kernel */
    lun_strbuf types, helpers, fields, setup, prepare, keys; /* parts of the unit */
    lun_strbuf made;  /* names of types and helpers, each between newlines */
    lun_strbuf after; /* what stands behind users' texts */
    unsigned libs;
    lun_strbuf problem; /* why this IR cannot be rendered */
} lun_crender;

static inline const lun_ir_ins *lun__ins(const lun_crender *r, int32_t v)
{
    return &r->ir->ins[v];
}

/* True for a value, or a construct, that may differ between indices. */
static inline bool lun__varies(const lun_crender *r, int32_t v)
{
    return (r->flags[v] & LUN_CF_VARYING) != 0;
}

/* A name or a short piece of text, by value. */
typedef struct lun_cname {
    char s[64];
} lun_cname;

#endif
