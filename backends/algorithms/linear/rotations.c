/* rotations.c - plane rotations of rows; see rotations.h. */
#include "algorithms/linear/rotations.h"

#include "algorithms/parts/work_parts.h"

/* Columns; rows from which threads share blocks; sweeps one behind the other, and rows from which
 * they are. */
enum { WIDEST = 32, SHARED = 128, FRONT = 8, LONG = 64 };

/* Rotations of neighbouring rows one after the other: they begin with number `start`, and are of
 * rows i with step * i = first .. last. */
typedef struct sweep {
    int64_t start, first, last;
} sweep;

/* Columns of a block: of few columns a power of 2 that has room for them. */
static int64_t width_of(int64_t columns)
{
    int64_t width = 4;
    while (width < WIDEST && width < columns)
        width *= 2;
    return width;
}

static int64_t blocks(const lun_rotations *r)
{
    return (r->columns + r->width - 1) / r->width;
}

int64_t lun__rotations_elements(int64_t rows, int64_t columns)
{
    const int64_t width = width_of(columns);
    return rows * ((columns + width - 1) / width * width);
}

lun_rotations lun__rotations_of(int64_t rows, int64_t columns)
{
    return (lun_rotations){
        .isa = lun__isa_here(), .rows = rows, .columns = columns, .width = width_of(columns)};
}

static int64_t most_rotations(int64_t rows)
{
    return LUN_ROTATIONS_SWEEPS * rows;
}

int64_t lun__rotations_list_elements(int64_t rows)
{
    return 2 * 4 * most_rotations(rows); /* f32: two numbers and two indices; and in order */
}

#define OF "algorithms/linear/rotations_of.h"
#include "algorithms/parts/both_floats.h"
