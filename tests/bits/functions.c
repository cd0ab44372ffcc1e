/* functions.c - the math functions of one argument on all of f32, and those of f64 on many
 * arguments against their scalar reading, by the loops of one level of instructions.
 *
 *   functions LEVEL f32 NAME        prints the name and 32 hexadecimal digits of all 2^32 results,
 *                                   in the order of the arguments' bits
 *   functions LEVEL f64 NAME COUNT  compares so many results with those of scalar_sequence.h: of
 *                                   random bits, and of numbers near 0, 1, multiples of pi/2
 *   functions LEVEL names           prints the names
 *
 * LEVEL: base, avx2, avx512; 3 is the exit status where this machine or build lacks it. */
#include <stdio.h>
#include <stdlib.h>

#include "levels.h"
#include "math/scalar_sequence.h"
#include "sha256.h"
#include "table/op.h"

enum { BLOCK = 4096, LANES = 4 };

static bool has_one_argument(int op)
{
    const lun_op_row *row = lun__op_get((lun_op)op);
    return (row->flags & LUN_OPF_VEC) && row->arity == 1;
}

static int find(const char *name)
{
    for (int op = 0; op < LUN_OP_COUNT; op++)
        if (has_one_argument(op) && !strcmp(lun__op_get((lun_op)op)->name, name))
            return op;
    return -1;
}

/* ---- f32 ------------------------------------------------------------------------------------- */

/* Each step is a bijection of the lane and of the word: no single change is lost. */
static void mix(uint64_t lane[LANES], const uint64_t *words)
{
    for (int i = 0; i < BLOCK / 2; i += LANES)
        for (int k = 0; k < LANES; k++) {
            const uint64_t x = (lane[k] ^ words[i + k]) * UINT64_C(0x9e3779b97f4a7c15);
            lane[k] = x << 29 | x >> 35;
        }
}

static int all_of_f32(const lun_loops *loops, int op)
{
    static _Alignas(64) uint32_t x[BLOCK], y[BLOCK];
    uint64_t lane[LANES] = {1, 2, 3, 4};
    for (uint64_t first = 0; first < UINT64_C(1) << 32; first += BLOCK) {
        for (uint32_t i = 0; i < BLOCK; i++)
            x[i] = (uint32_t)first + i;
        lun__instruction_loops_math(loops, 0, (lun_op)op, LUN_F32)(y, x, NULL, NULL, BLOCK);
        for (int i = 0; i < BLOCK; i++)
            if ((y[i] & 0x7fffffff) > 0x7f800000 && y[i] != 0x7fc00000) {
                printf("%s of %#x: %#x, not the canonical NaN\n", lun__op_get((lun_op)op)->name,
                       x[i], y[i]);
                return 1;
            }
        mix(lane, (const uint64_t *)(const void *)y);
    }
    sha256 sum = sha256_new();
    char text[65];
    sha256_add(&sum, lane, sizeof lane);
    sha256_text(&sum, text);
    printf("%s %.32s\n", lun__op_get((lun_op)op)->name, text);
    return 0;
}

/* ---- f64 ------------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Half of any bits; of the others a third each near 0, near 1, near a multiple of pi/2. */
static double argument(uint64_t *state)
{
    const uint64_t r = next(state), s = next(state);
    const double small = (double)(int64_t)s * 0x1p-63;
    double x;
    if (r & 1) {
        memcpy(&x, &s, sizeof x);
        return x;
    }
    switch (r >> 8 & 3) {
    case 0:
        return small * (double)(UINT64_C(1) << (r >> 16 & 15)) * 0x1p-8;
    case 1:
        return 1 + small * 0x1p-40 * (double)(UINT64_C(1) << (r >> 16 & 63) % 40);
    default:
        x = (double)(int32_t)(s >> 32 >> (r >> 16 & 31)) * 0x1.921fb54442d18p+0;
        return x * (1 + (double)(int64_t)((r >> 24 & 7) - 3) * 0x1p-52);
    }
}

static int many_of_f64(const lun_loops *loops, int op, int64_t count)
{
    static _Alignas(64) double x[BLOCK];
    static _Alignas(64) uint64_t y[BLOCK];
    uint64_t state = (uint64_t)op;
    for (int64_t done = 0; done < count; done += BLOCK) {
        for (int i = 0; i < BLOCK; i++)
            x[i] = argument(&state);
        lun__instruction_loops_math(loops, 0, (lun_op)op, LUN_F64)(y, x, NULL, NULL, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            uint64_t cells[2] = {0}, want;
            double a, b;
            memcpy(cells, &x[i], sizeof x[i]);
            if (!lun__scalar_sequence((lun_op)op, LUN_F64, 0, cells, &want))
                return 1;
            memcpy(&a, &want, sizeof a);
            memcpy(&b, &y[i], sizeof b);
            if (want == y[i] && (a == a || want == UINT64_C(0x7ff8000000000000)))
                continue;
            printf("%s(%a): %a by this level, %a by itself\n", lun__op_get((lun_op)op)->name, x[i],
                   b, a);
            return 1;
        }
    }
    printf("%s: %lld arguments\n", lun__op_get((lun_op)op)->name, (long long)count);
    return 0;
}

int main(int argc, char **argv)
{
    const lun_loops *loops = argc > 2 ? loops_of(argv[1]) : NULL;
    if (!loops)
        return 3;
    if (!strcmp(argv[2], "names")) {
        for (int op = 0; op < LUN_OP_COUNT; op++)
            if (has_one_argument(op))
                printf("%s\n", lun__op_get((lun_op)op)->name);
        return 0;
    }
    const int op = argc > 3 ? find(argv[3]) : -1;
    if (op < 0)
        return 2;
    if (!strcmp(argv[2], "f32"))
        return all_of_f32(loops, op);
    return many_of_f64(loops, op, argc > 4 ? atoll(argv[4]) : INT64_C(1) << 31);
}
