/* jit_run.h - a run of the compiler over parts of the queue, for jit.c alone. */
#ifndef LUN_JIT_RUN_H
#define LUN_JIT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "openmp/compiler/jit.h"

enum { LUN_JIT_GIVE_UP = 3 }; /* failures in a row after which ordinary kernels stay interpreted */

/* Takes a unit from disk if it is there. */
bool lun__jit_run_load(lun_jit_compiler *c, lun_unit *u, const lun_strbuf *key);
/* A unit (NULL: a released one) failed; the first failure is logged. */
void lun__jit_run_fail(lun_jit_compiler *c, lun_unit *u, const char *what, const char *words);

/* Starts the compiler on the parts; on failure their units have FAILED.  A compiler that no
 * evaluation waits for runs at low priority.  The claims are the compiler's from now on. */
void lun__jit_run_start(lun_jit_compiler *c, bool waited_for, const int *claims, int claim_count);
/* Looks after the compiler that runs, and takes what it has made. */
void lun__jit_run_look_after(lun_jit_compiler *c);
/* Lets go of what the run was about; unclaim: it is this process' run. */
void lun__jit_run_clear(lun_jit_compiler *c, bool unclaim);

/* ---- contraction_check.c --------------------------------------------------------------------- */
/* Whether machine code rounds products together with sums in a way that no
 * text of a kernel asks for. */

/* True if the code of a shared object that lun__loader_check has seen has an instruction of the
 * group vfmaddsub, vfmsubadd.  False on other machines than x86-64. */
bool lun__contraction_check(const void *bytes, size_t length);

#endif
