/* openmp_state.h - a state of the backend `openmp` and its kernels, shared by the files that run
 * them. Private to openmp/.
 *
 * Invariant: a kernel is interpreted (`interp`, exec is its), compiled (exec is unit's functions,
 * unit READY, interp NULL), or needs_compiler and neither yet (exec.body NULL); it goes to compiled
 * once and stays so.  Both tiers give the same bits.  All is the engine thread's; workers read
 * only. */
#ifndef LUN_OPENMP_STATE_H
#define LUN_OPENMP_STATE_H

#include "backend.h"
#include "openmp/compiler/jit.h"
#include "openmp/threads/pace.h"
#include "openmp/threads/thread_team.h"
#include "reference/reference.h"
#include "render/render.h"

typedef struct lun_openmp {
    const lun_services *services;
    lun_isa isa;
    lun_openmp_team team;
    lun_pace pace;
    lun_jit_compiler jit;
} lun_openmp;

struct lun_kernel {
    lun_ir ir; /* a copy without functions: what the host and the interpreter look at */
    lun_interp *interp;
    lun_exec exec; /* the one that runs; body NULL: none yet */
    lun_unit unit;
    lun_rate rate;
    int64_t cost, launches;
    int64_t bytes;       /* in stats.kernel_bytes; its object counts itself */
    bool puts_in_loops;  /* an index may take any time, whatever its cost */
    bool needs_compiler; /* it has functions in C, or is otherwise beyond the interpreter */
    bool compiled;       /* exec is machine code */
};

/* ---- openmp_kernel.c ------------------------------------------------------------------------- */
/* Writes the failure's text, "backend openmp: ...", and returns s. */
lun_status lun__openmp_kernel_fail(lun_openmp *o, lun_status s, const char *what, const char *text);
/* The text of a kernel, and what it needs of the runtime; LUN_EARG with the reason in out. */
lun_status lun__openmp_kernel_render(lun_openmp *o, const lun_ir *ir, lun_strbuf *out,
                                     unsigned *needs);
/* Brings the kernel nearer to machine code.  LUN_OK: it can run, one way or the other. */
lun_status lun__openmp_kernel_advance(lun_openmp *o, lun_kernel *k, const lun_launch *launch);
/* Of a kernel whose unit is ready. */
lun_exec lun__openmp_kernel_code(const lun_kernel *k);
void lun__openmp_kernel_take(lun_openmp *o, lun_kernel *k);
/* As backend.h has them. */
lun_status lun__openmp_kernel_build(void *state, const lun_ir *ir, const char *text,
                                    lun_kernel **out);
void lun__openmp_kernel_release(void *state, lun_kernel *k);
lun_status lun__openmp_kernel_prepare(void *state, lun_kernel *k, lun_kernel_facts *out);

/* ---- joint_kernels.c ------------------------------------------------------------------------- */
lun_status lun__joint_chain(lun_openmp *o, lun_chain *c);
lun_status lun__joint_sweep(lun_openmp *o, lun_sweep *sweep);
/* The threads that a product is worth. */
lun_team lun__joint_product_team(lun_openmp *o, const lun_product *p);

#endif
