/* packed_ir.h - kernel IR as bytes, for another process, and back.  What comes back has been
 * verified: bytes that are no IR give a failure with the reason.  Knows no transport.  Private to
 * prims/ and backends/. */
#ifndef LUN_PACKED_IR_H
#define LUN_PACKED_IR_H

#include "base/bytes.h"
#include "ir/ir.h"

/* An IR with functions of its own. */
typedef struct lun_ir_packed {
    lun_ir ir;
    lun_ir_function *own;
    int count;
} lun_ir_packed;

/* Appends its bytes, all that running it needs: not what messages say of functions.
 * LUN_ENOMEM; LUN_EARG: a function's body refers to functions. */
lun_status lun__packed_ir_write(const lun_ir *ir, lun_strbuf *to);
/* LUN_EARG with the reason in why: it is no IR, or one that breaks a rule.  Also on failure *out is
 * to be freed. */
lun_status lun__packed_ir_read(lun_bytes *from, lun_ir_packed *out, lun_strbuf *why);
void lun__packed_ir_free(lun_ir_packed *p);

#endif
