/* writer.h - IR that is written anew from another one, instruction by instruction. */
#ifndef LUN_IR_WRITER_H
#define LUN_IR_WRITER_H

#include "ir/ir.h"

typedef struct lun_ir_writer {
    const lun_ir *ir; /* what is read, */
    lun_ir *to;       /* and what is written */
    int32_t **from;   /* by instruction of `to`: that of `ir` for which it stands, -1: none */
    int32_t *map;     /* by instruction of `ir`: what it is where things are written now */
    int room;         /* of *from */
    bool failed;      /* without memory */
} lun_ir_writer;

/* Each of these appends an instruction and gives its number; after a failure 0.  `from`: see
 * above. */
int32_t lun__ir_write_as(lun_ir_writer *w, lun_ir_ins ins, int32_t from);
/* One that stands for none. */
int32_t lun__ir_write(lun_ir_writer *w, lun_ir_kind kind, lun_dtype dtype, int32_t a, int32_t b,
                      int64_t imm);
int32_t lun__ir_write_integer(lun_ir_writer *w, int64_t x);
/* Of i64, or of two bools (LAND). */
int32_t lun__ir_write_op(lun_ir_writer *w, lun_op op, int32_t a, int32_t b);
/* Instruction i on what its operands are now. */
int32_t lun__ir_write_copy(lun_ir_writer *w, int32_t i);

#endif
