/* bits.c - the digest of the bits: generated programs (programs.h) by the loops of one level of
 * instructions.  Needs prims/table, prims/math and the loops alone, so that any cross compiler
 * builds it.
 *
 *   bits LEVEL [FIRST [LINES]]     prints lines FIRST ..., the number and 64 hexadecimal digits of
 *                                  1,000 programs each; of all lines also those of each class of
 *                                  dtypes, and of the whole, which begins with "all"
 *   bits LEVEL find LINE           compares each step of a line's programs with the same operation
 *                                  on one element by itself, and names the first that differs
 *
 * LEVEL: base, avx2, avx512; 3 is the exit status where this machine or build lacks it. */
#include <stdio.h>
#include <stdlib.h>

#include "interpret.h"
#include "levels.h"
#include "math/op_cell.h"
#include "sha256.h"

/* ---- digests --------------------------------------------------------------------------------- */

static void add_results(const run *r, sha256 *sum)
{
    for (int k = 0; k < r->p.steps; k++)
        sha256_add(sum, r->value[r->p.operands + k],
                   (size_t)N * (size_t)lun__dtype_get(r->p.step[k].out)->bytes);
}

static int print_digest(run *r, int first, int lines)
{
    sha256 all = sha256_new(), class[CLASSES];
    char text[65];
    for (int c = 0; c < CLASSES; c++)
        class[c] = sha256_new();
    for (int line = first; line < first + lines; line++) {
        sha256 sum = sha256_new();
        for (int k = 0; k < A_LINE; k++) {
            begin(r, (int64_t)line * A_LINE + k);
            for (int s = 0; s < r->p.steps; s++)
                do_step(r, s);
            add_results(r, &sum);
            add_results(r, &class[class_of(r->p.dtype)]);
        }
        sha256_text(&sum, text);
        sha256_add(&all, text, 64);
        printf("%d %s\n", line, text);
        fflush(stdout);
    }
    if (first || lines != LINES)
        return 0;
    for (int c = 0; c < CLASSES; c++) {
        sha256_text(&class[c], text);
        printf("%s %s\n", class_names[c], text);
    }
    sha256_text(&all, text);
    printf("all %s\n", text);
    return 0;
}

/* ---- the first difference -------------------------------------------------------------------- */

/* Element i of a step by itself; false: there is no such reading of it. */
static bool alone(run *r, int k, int i, uint64_t *out)
{
    const step *s = &r->p.step[k];
    uint64_t x[3] = {0};
    for (int j = 0; j < s->arity; j++) {
        const lun_dtype t = r->p.of[s->at[j]];
        if (computed_in(t) != t)
            return false;
        x[j] = cell_of(r->value[s->at[j]], i, lun__dtype_get(t)->bytes);
    }
    const lun_dtype from = r->p.of[s->at[s->arity - 1]];
    if (s->op == LUN_OP_NONE || !lun__op_cell(s->op, from, 0, x, out))
        return false;
    uint64_t one[ROOM] = {*out};
    canonical(one, s->out);
    *out = cell_of(one, 0, lun__dtype_get(s->out)->bytes);
    return true;
}

static int find(run *r, int line)
{
    for (int64_t number = (int64_t)line * A_LINE; number < (int64_t)(line + 1) * A_LINE; number++) {
        begin(r, number);
        for (int k = 0; k < r->p.steps; k++) {
            const step *s = &r->p.step[k];
            do_step(r, k);
            for (int i = 0; i < N; i++) {
                uint64_t want;
                const uint64_t got =
                    cell_of(r->value[r->p.operands + k], i, lun__dtype_get(s->out)->bytes);
                if (!alone(r, k, i, &want) || got == want)
                    continue;
                printf("program %lld, operation %d (%s of %s), element %d: 0x%llx by this level, "
                       "0x%llx by itself\n",
                       (long long)number, k + 1, step_name(s), lun__dtype_get(r->p.dtype)->name, i,
                       (unsigned long long)got, (unsigned long long)want);
                return 1;
            }
        }
    }
    printf("line %d: every operation gives what it gives by itself: the definition of an operation "
           "has changed\n",
           line);
    return 1;
}

int main(int argc, char **argv)
{
    static run r;
    r.loops = argc > 1 ? loops_of(argv[1]) : NULL;
    if (!r.loops)
        return 3;
    if (argc > 3 && !strcmp(argv[2], "find"))
        return find(&r, atoi(argv[3]));
    const int first = argc > 2 ? atoi(argv[2]) : 0;
    return print_digest(&r, first, argc > 3 ? atoi(argv[3]) : LINES - first);
}
