/* program_builder.c - what the writers of a program share: its operands, registers and steps; see
 * program_builder.h. */
#include "reference/program_builder.h"

#include <stdlib.h>

void lun__builder_fail(builder *b, lun_status status)
{
    if (b->status == LUN_OK)
        b->status = status;
}

bool lun__builder_grow(builder *b, void *array, int count, int *room, size_t bytes)
{
    void **p = array;
    if (count < *room)
        return true;
    int more = *room ? 2 * *room : 32;
    void *q = *room < INT32_MAX / 4 ? realloc(*p, (size_t)more * bytes) : NULL;
    if (!q) {
        lun__builder_fail(b, LUN_ENOMEM);
        return false;
    }
    *p = q;
    *room = more;
    return true;
}

/* ---- operands -------------------------------------------------------------------------------- */

int32_t lun__builder_operand(builder *b, int32_t slot, int64_t offset, int size)
{
    lun_program *p = b->p;
    if (!lun__builder_grow(b, &p->operands, p->operand_count, &b->operand_room,
                           sizeof *p->operands))
        return 0;
    p->operands[p->operand_count] = (lun_operand){slot, offset, (uint8_t)(1 << size)};
    return p->operand_count++;
}

int64_t lun__builder_register(builder *b, int size)
{
    if (b->free_count[size] > 0)
        return b->free_registers[size][--b->free_count[size]];
    int64_t offset = b->p->bytes;
    b->p->bytes += 1 << size;
    return offset;
}

static void give_register(builder *b, int64_t offset, int size)
{
    if (offset < 0)
        return;
    if (!lun__builder_grow(b, &b->free_registers[size], b->free_count[size], &b->free_room[size],
                           sizeof *b->free_registers[size]))
        return;
    b->free_registers[size][b->free_count[size]++] = offset;
}

int32_t lun__builder_take(builder *b, int size)
{
    return lun__builder_operand(b, -1, lun__builder_register(b, size), size);
}

void lun__builder_give(builder *b, int32_t operand)
{
    if (operand < 0)
        return;
    int size = 0;
    while (1 << size < b->p->operands[operand].bytes)
        size++;
    give_register(b, b->p->operands[operand].offset, size);
}

/* ---- steps ----------------------------------------------------------------------------------- */

lun_step *lun__builder_step(builder *b, lun_step_kind kind, int ins)
{
    lun_program *p = b->p;
    lun_step *s = &b->spare;
    if (lun__builder_grow(b, &p->steps, p->count, &b->step_room, sizeof *p->steps))
        s = &p->steps[p->count++];
    *s = (lun_step){.kind = (uint8_t)kind,
                    .ins = ins,
                    .d = -1,
                    .a = -1,
                    .b = -1,
                    .c = -1,
                    .mask = lun__builder_mask(b),
                    .jump = -1};
    return s;
}
