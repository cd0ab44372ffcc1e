/* op_cell_of.h - the operations of ops.def on one element of a dtype, included by op_cell.c once
 * for each.  Before: ID is the dtype, KIND its kind; forgets them.  No include guard: it is made to
 * be included again and again. */
#define T                  JOIN(type_, ID)
#define U                  JOIN(unsigned_, ID)
#define WIDTH              JOIN(width_, ID)
#define M(name)            __builtin_choose_expr(sizeof(T) == sizeof(float), name##f, name)
#define PICK(flt, integer) JOIN(PICK_, KIND)(flt, integer)
#define VALUE(expression)  JOIN(VALUE_, KIND)(expression)

static uint64_t JOIN(do_, ID)(int op, const uint64_t *x)
{
    uint64_t cell = 0;
    const T b = *(const T *)(const void *)&x[1], c = *(const T *)(const void *)&x[2];
    (void)b, (void)c;
    switch (op) {
#define LUN_OP(ROW, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc) \
    case LUN_OP_##ROW: {                                                                    \
        const FIRST_##rule a = *(const FIRST_##rule *)(const void *)x;                      \
        (void)a;                                                                            \
        *(RESULT_##rule *)(void *)&cell =                                                   \
            (flags)&VEC ? (RESULT_##rule)0 : (RESULT_##rule)(VALUE(PICK(flt, integer)));    \
        break;                                                                              \
    }
#include "table/ops.def"
#undef LUN_OP
    default:
        break;
    }
    return cell;
}

#undef VALUE
#undef PICK
#undef M
#undef WIDTH
#undef U
#undef T
#undef KIND
#undef ID
