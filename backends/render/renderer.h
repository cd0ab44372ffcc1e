/* renderer.h - what the parts of the C renderer share; private to the files c*.c here.
 *
 *   unit.c    the way through one kernel: facts, sections, the unit put together
 *   render/facts/facts.c    what a look at the IR finds out: what is needed where, what is equal for all lanes
 *   render/facts/affine.c   values that grow by one from index to index
 *   render/facts/lanes.c    how many lanes vectors have
 *   render/text/element.c   operations and casts on single elements, in plain C (any dialect)
 *   render/vector/expression.c     an expression of table/ops.def turned into one on whole vectors
 *   render/body/gather.c   elements of arrays at computed places, and checks of these
 *   render/body/item.c     the statements of a kernel on one element, where they are not those of render/body/statement.c
 *   render/vector/vector.c   GNU vectors: types, memory
 *   render/vector/cast.c     GNU vectors: casts
 *   render/vector/operation.c    GNU vectors: operations, vector math
 *   render/vector/random.c   random bits
 *   render/body/statement.c     the statements of a kernel on GNU vectors, one function per kind
 *   render/body/control.c  control flow under masks
 *   render/body/lazy.c     the same for loops that look around every few rounds only
 *   render/vector/bits.c     masks in registers of their own, a bit for each lane
 *   render/facts/exits.c   loops that may run a few rounds for nobody: which, and what they count
 *   render/body/call.c user functions: their text, calls, combiners
 *   render/user/prelude.c  user functions: the names that their text relies on
 *   render/chunk/chunk.c    what runs the statements: loops, lanes of reductions
 *   render/chunk/scan.c     what runs the statements: scans, the pair tree
 *
 * OpenCL C adds cl*.c, see render/opencl/opencl.h.
 */
#ifndef LUN_CRENDER_H
#define LUN_CRENDER_H

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
    LUN_CF_PLAIN = 128,     /* SET: lanes that do not take part never look at the variable again */
    LUN_CF_LEFT = 256,      /* IF, LOOP, BLOCK: a BREAK or CONTINUE inside goes past it */
    LUN_CF_CONTINUED = 512, /* LOOP: the target of a CONTINUE */
    LUN_CF_ELSE = 1024,     /* IF: its second part is being written */
    LUN_CF_SPLIT = 2048, /* VAR: equal for all lanes that are in LOOP origin[], differs behind it */
    LUN_CF_LAZY = 4096,  /* LOOP: see render/facts/exits.c */
    LUN_CF_COUNTED = 8192, /* VAR, SPLIT: each round of its LAZY LOOP adds the same integer */
    LUN_CF_AFFINE = 16384, /* i64: the index plus what is equal for all; a<i> is its first lane */
    LUN_CF_WIDE = 32768,   /* REDUCE in f64 of what is f32 up to its CAST, which it does itself */
    LUN_CF_NARROW = 65536, /* REDUCE that adds up i32 in a chunk, of narrower integers */
    LUN_CF_LINEAR = 131072 /* AFFINE, or tells its range: lanes are not needed */
};

/* How values of a dtype look inside a kernel: a bool is a mask, 0 or -1, in signed integers. */
typedef struct lun_crep {
    lun_dtype t; /* of the lanes */
    bool mask;
} lun_crep;

/* A part of the unit that evaluates IR. */
typedef struct lun_csection {
    struct lun_crender *r;
    lun_strbuf *out;
    unsigned need; /* LUN_CF_BODY or LUN_CF_OPERAND; LUN_CF_HOISTED: the uniform values */
    int part;      /* of r->parts: the vector that statements are written for */
    int32_t scope; /* the innermost open IF, LOOP or BLOCK, -1: none */
    int depth;
    lun_strbuf labels; /* those that something jumps to */
    bool single;       /* a function on single elements: ARG k is its parameter a, b, ... */
    bool element;      /* the statements of a kernel for one index, see render/body/item.c */
    int32_t where;     /* then: the instruction of the kernel that a trap names */
    int32_t captured;  /* then: the kernel's argument that its third parameter is */
    int32_t sure;      /* the LOOP whose mask is known not to be empty here, -1: none */
    int32_t done;      /* instructions up to this one have been written already */
} lun_csection;

/* What the parts say differently in different languages. */
typedef struct lun_cdialect {
    const char *global;   /* stands before what a slot's address points to */
    const char *cells;    /* stands before the cells of arguments */
    const char *own;      /* begins the names of loads and stores in a function's own memory */
    const char *function; /* a chunk function up to its bounds, with its name at %s */
    const char *any;      /* body of lun_any on a mask a, NULL: by instructions */
    bool streams;         /* stores may bypass caches, and may fill blocks beyond the last index */
    bool builtins;        /* the language has the functions of M(), for whole vectors too */
    bool wraps;           /* overflow of signed single elements is defined */
    bool cancels;         /* loops look at frame.cancel */
    void (*prelude)(struct lun_crender *r, lun_strbuf *out); /* before users' texts */
    void (*exports)(struct lun_crender *r, lun_strbuf *out); /* behind the chunk functions */
} lun_cdialect;

typedef struct lun_crender {
    const lun_ir *ir;
    const lun_cdialect *dialect;
    const lun_cstyle_target *target;
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
lun_cname lun_cname_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True once for each name: the caller then writes what is called so. */
bool lun_cmake(lun_crender *r, const char *name);

/* ---- render/facts/facts.c ------------------------------------------------------------------------------------ */
lun_status lun_cfacts(lun_crender *r);
/* True for an instruction that fails where its second operand is 0. */
bool lun_cfacts_traps(const lun_crender *r, int32_t i);
/* The same for a function's body, which runs on single elements: everything is needed. */
lun_status lun_cfacts_single(lun_crender *r);
/* The same for a kernel whose statements are written for one index: nothing varies. */
lun_status lun_cfacts_element(lun_crender *r);
/* True for a GET or SET that sees a variable behind the LOOP that splits it. */
bool lun_cfacts_behind(const lun_crender *r, int32_t i);
/* True for a CHECK that the AFFINE value it reports lies between two that are equal for all. */
bool lun_cfacts_range(const lun_crender *r, int32_t check, int32_t *value, int32_t *low,
                      int32_t *high);
/* True for a value that some section wants in lanes. */
bool lun_cfacts_in_lanes(const lun_crender *r, int32_t i);
/* Number of statements that the section evaluates for every vector. */
int lun_cfacts_weight(const lun_crender *r, unsigned need);

/* Calls visit for each value that the instruction reads. */
void lun_cfacts_inputs(lun_crender *r, int32_t i,
                       void (*visit)(lun_crender *r, int32_t i, int32_t v));

/* ---- render/facts/affine.c ----------------------------------------------------------------------------------- */
/* Marks AFFINE and LINEAR values; what varies and what is needed is known. */
void lun_caffine(lun_crender *r);

/* ---- render/facts/lanes.c ------------------------------------------------------------------------------------ */
/* Number of lanes, widths of masks, WIDE and NARROW reductions; all other facts are known. */
void lun_clanes(lun_crender *r);

/* ---- render/facts/exits.c ----------------------------------------------------------------------------------- */
/* Marks LAZY loops and COUNTED variables; the other facts, but for lanes, are known. */
void lun_crounds_find(lun_crender *r);
/* Bytes of the widest value in lanes inside loops, where wider ones outside may take two vectors; else 0. */
int lun_crounds_widest(const lun_crender *r);
/* Rounds of a LAZY LOOP between two looks at who is left. */
int lun_crounds(const lun_crender *r, int32_t loop);
/* The value that each round adds to a SPLIT variable (down: subtracts); -1: no such. */
int32_t lun_crounds_step(const lun_crender *r, int32_t var, bool *down);

/* ---- render/text/element.c ----------------------------------------------------------------------------------- */
/* C type of one element: "lun_f32"; a bool is a lun_u8 of 0 or 1. */
lun_cname lun_ctype(lun_dtype t);
/* Signed, unsigned integer of that many bytes. */
lun_dtype lun_csigned(int bytes);
lun_dtype lun_cunsigned(int bytes);
/* Writes the row's expression for a dtype as C over a b c. */
void lun_cexpression(lun_crender *r, lun_op op, lun_dtype from, lun_strbuf *out);
/* Names of functions on single elements, written to r->helpers on first use. */
lun_cname lun_cscalar_op(lun_crender *r, lun_op op, lun_dtype from);
lun_cname lun_cscalar_cast(lun_crender *r, lun_dtype to, lun_dtype from);
lun_cname lun_cscalar_cell(lun_crender *r, lun_dtype t);   /* element to cell */
lun_cname lun_cscalar_uncell(lun_crender *r, lun_dtype t); /* cell to element */
lun_cname lun_cscalar_const(lun_crender *r, lun_dtype t, uint64_t bits);
/* Result dtype of an operation on `from`. */
lun_dtype lun_cop_result(lun_op op, lun_dtype from);

/* ---- render/vector/expression.c ------------------------------------------------------------------------------------- */
/* Writes the row's expression as one on whole vectors a b c of rep.  False if it has no such form: then
 * it is computed lane by lane. */
bool lun_cexpr_vector(lun_crender *r, lun_op op, lun_crep rep, lun_strbuf *out);

/* ---- render/vector/vector.c ----------------------------------------------------------------------------------- */
lun_crep lun_crep_of(lun_dtype t, int mask_bytes);
int lun_crep_bytes(lun_crep rep); /* of a lane */
/* "f32", "b32": for names of helpers. */
lun_cname lun_crep_name(lun_crep rep);
/* Vector type of so many lanes, "f32x16". */
lun_cname lun_cvector(lun_crender *r, lun_dtype t, int lanes);
lun_cname lun_cvtype(lun_crender *r, lun_crep rep);
/* Appends a template to the helpers: $v vector type of rep, $m its mask type, $u the unsigned one,
 * $t type of a lane, $n name of rep, $s bits of a lane, $W lanes, $g the dialect's word for memory of
 * slots, $$ a dollar. */
void lun_ctemplate(lun_crender *r, lun_strbuf *out, lun_crep rep, const char *text);

/* Of memory of a slot or, with `own`, of the function. */
lun_cname lun_cvector_load(lun_crender *r, lun_crep rep, bool own);
lun_cname lun_cvector_store(lun_crender *r, lun_crep rep, bool own);
lun_cname lun_cvector_splat(lun_crender *r, lun_crep rep);  /* from a single element */
lun_cname lun_cvector_select(lun_crender *r, lun_crep rep); /* (mask, then, else) */
lun_cname lun_cvector_live(lun_crender *r, int bytes);      /* mask of the first `left` lanes */
lun_cname lun_cvector_any(lun_crender *r, int bytes);
/* Text of a shuffle of vectors a and b of rep: lane l comes from index at(l, lanes, arg). */
void lun_cshuffle(lun_crender *r, lun_strbuf *out, lun_crep rep, const char *a, const char *b,
                  int (*at)(int lane, int lanes, int arg), int arg);
/* Appends a template to the helpers, after the types that it mentions. */
void lun_chelper(lun_crender *r, lun_crep rep, const char *text);

/* ---- render/vector/cast.c ------------------------------------------------------------------------------------- */
lun_cname lun_cvector_cast(lun_crender *r, lun_crep to, lun_crep from);

/* ---- render/vector/operation.c ------------------------------------------------------------------------------------ */
lun_cname lun_cvector_op(lun_crender *r, lun_op op, lun_crep rep);
/* Floor, ceil, trunc, sqrt, fma: exact functions that have instructions. */
lun_cname lun_cvector_exact(lun_crender *r, const char *name, lun_crep rep);
/* Vector math: (function, a, ...); the function's type. */
lun_cname lun_cvector_math(lun_crender *r, lun_dtype t, int arity);
lun_cname lun_cmath_type(lun_crender *r, lun_dtype t, int arity);
/* The same for single elements, which take the same function as arrays do. */
lun_cname lun_cscalar_math(lun_crender *r, lun_dtype t, int arity);
/* True if the table of vector math has the operation. */
bool lun_chas_math(const lun_crender *r, lun_op op, lun_dtype t);
/* (mask, i, frame, instruction, values or 0): sets the trap for the first lane below n, if any is. */
lun_cname lun_cvector_note(lun_crender *r, int bytes);

/* ---- render/vector/random.c ----------------------------------------------------------------------------------- */
/* The words that STREAMs of a section give for the 64 indices from i on, as w<v>. */
void lun_crandom_streams(lun_crender *r, unsigned need, lun_strbuf *out);
/* (element, key): one word. */
lun_cname lun_crandom_one(lun_crender *r, lun_dtype t);

/* ---- render/vector/bits.c ------------------------------------------------------------------------------------- */
/* True if masks of full lanes may be kept as bits; everything else here only then. */
bool lun_cbits(const lun_crender *r);
lun_cname lun_cbits_type(const lun_crender *r);
lun_cname
lun_cbits_set(lun_crender *r); /* type: .part[] for each part, .all of them as one number */
lun_cname lun_cbits_of_mask(lun_crender *r);
lun_cname lun_cbits_to_mask(lun_crender *r);
lun_cname lun_cbits_keep(lun_crender *r);  /* (address, bits): into memory */
lun_cname lun_cbits_count(lun_crender *r); /* (lanes, bits, n): n less in these lanes */
/* (bits, a, b): those where the comparison holds (negated: does not); "" where there is none. */
lun_cname lun_cbits_while(lun_crender *r, lun_op op, lun_dtype t, bool negated);
lun_cname lun_cbits_while_mask(lun_crender *r, bool negated); /* (bits, mask) */

/* ---- render/body/statement.c ------------------------------------------------------------------------------------- */
lun_crep lun_cvalue_rep(const lun_crender *r, int32_t v);
/* Mask of all lanes of the kernel, in the widest lanes. */
lun_crep lun_cfull_mask(const lun_crender *r);
/* Text of value v in every lane, as rep; as a single element. */
lun_cname lun_cas_vector(lun_csection *s, int32_t v, lun_crep rep);
lun_cname lun_cas_scalar(const lun_csection *s, int32_t v);
/* Field of the uniform struct that holds a slot's address ("p3"). */
lun_cname lun_cslot(lun_crender *r, int64_t slot);
/* "v12", or "v12_0" for each part where there are several. */
lun_cname lun_cnamed(const lun_csection *s, char kind, int32_t v);
/* The first index of the vector: "i + 16". */
lun_cname lun_cindex(const lun_csection *s);
/* Appends an indented line. */
void lun_cline(lun_csection *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the statements that the section needs. */
void lun_cbody(lun_csection *s);

/* ---- render/body/item.c ------------------------------------------------------------------------------------- */
/* In a section with `element`: what reads or writes at the index, and calls.  False for other kinds. */
bool lun_citem(lun_csection *s, int32_t v);

/* ---- render/opencl/math.c ------------------------------------------------------------------------------------ */
/* Writes the operation as a function on whole vectors under that name, where the language's own function
 * is not near enough; else false. */
bool lun_clmath(lun_crender *r, const char *helper, lun_op op, lun_crep rep);

/* ---- render/body/control.c ---------------------------------------------------------------------------------- */
/* IF to CONTINUE, VAR, GET, SET. */
void lun_ccontrol(lun_csection *s, int32_t v);
/* Text of the mask of the lanes that take part here, in lanes of so many bytes. */
lun_cname lun_ccurrent(lun_csection *s, int bytes);

/* ---- render/body/gather.c ----------------------------------------------------------------------------------- */
/* The first lane of an AFFINE value, a<v>; the others follow it.  Nothing for other values. */
void lun_cfirst_lane(lun_csection *s, int32_t v);
void lun_cgather(lun_csection *s, int32_t v);
void lun_ccheck(lun_csection *s, int32_t v);

/* ---- render/body/call.c --------------------------------------------------------------------------------- */
/* The texts of a user's C functions, after what they rely on. */
void lun_cfunctions(lun_crender *r, lun_strbuf *out);
/* Name of a helper that calls function `imm` of CALL instruction v lane by lane. */
lun_cname lun_ccall(lun_crender *r, int32_t v);
/* Name of a function (a, b, frame) that combines two single elements for REDUCE or SCAN instruction v. */
lun_cname lun_ccombiner(lun_crender *r, int32_t v);

/* ---- render/user/prelude.c ---------------------------------------------------------------------------------- */
void lun_cprelude(lun_crender *r, lun_strbuf *out);
void lun_cprelude_opencl(lun_crender *r, lun_strbuf *out);

/* ---- render/chunk/chunk.c ------------------------------------------------------------------------------------ */
/* Everything behind the head; the functions that run chunks, and the exports, go to `functions`. */
void lun_cframe(lun_crender *r, lun_strbuf *out, lun_strbuf *functions);

/* ---- unit.c ------------------------------------------------------------------------------------ */
/* Facts, then the parts, then the unit: a comment, users' texts, the head, and the rest. */
lun_status lun_crender_unit(lun_crender *r, const char *head, lun_strbuf *out);
/* Ends a rendering: LUN_OK, or the problem in out. */
lun_status lun_crender_end(lun_crender *r, lun_status s, lun_strbuf *out);

#endif
