/* reference.h - the interpreter: computes a kernel from its IR, without a compiler.
 *
 * A backend of its own (single-threaded: `reference`), and the first tier of others, which run its
 * lun_exec until compiled code is there; both give the same bits. Thread-safe: what it holds never
 * changes, all that a run writes is in the frame. */
#ifndef LUN_REFERENCE_H
#define LUN_REFERENCE_H

#include "backend.h"
#include "host/host.h"
#include "isa/isa.h"

typedef struct lun_interp lun_interp;

/* Takes what it needs from ir. version: of the bits (math/version.h). LUN_ENOMEM, or LUN_EBACKEND
 * where the IR cannot be interpreted: functions in C (CALL, and REDUCE or SCAN by one), REDUCE and
 * SCAN inside control flow, and combining functions that are too large or use memory. */
lun_status lun__interpreter_make(const lun_ir *ir, int version, lun_interp **out);
/* The same for an instruction set that this CPU has. */
lun_status lun__interpreter_make_isa(const lun_ir *ir, int version, lun_isa isa, lun_interp **out);
/* One whose exec has `combine` alone, for the REDUCEs of ir: the rest of the kernel may be what
 * cannot be interpreted. */
lun_status lun__interpreter_combine(const lun_ir *ir, int version, lun_interp **out);
const lun_exec *lun__interpreter_exec(const lun_interp *interp);
/* Bytes of memory that it takes, about; NULL: 0. */
int64_t lun__interpreter_bytes(const lun_interp *interp);
void lun__interpreter_free(lun_interp *interp);

extern const lun_backend lun__backend_reference;

#endif
