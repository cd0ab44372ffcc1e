/* team_methods.c - see team_methods.h.  Memory of t:memory has the dtype of the values assigned to
 * it, or with `wide` the widest of its kind; threads write and read it with barriers between. */
#include "luafn/ssa/team_methods.h"

#include "ir/combine_order.h"

#define LANES LUN_ORDER_TEXT(LUN_LANES)
#define CHUNK LUN_ORDER_TEXT(LUN_CHUNK)

/* The tree of adjacent pairs over cells pushed one by one, as lun__order_push does it: `value` is
 * number `number`, from 0; cells[k] combines 2^(k - 1) of those before, for each bit of that. */
#define PUSH(cells, number, value)                     \
    "local cell, k, left = " value ", 1, " number "\n" \
    "while left % 2 == 1 do\n"                         \
    "    cell = op(" cells "[k], cell)\n"              \
    "    k = k + 1\n"                                  \
    "    left = left // 2\n"                           \
    "end\n" cells "[k] = cell\n"
/* s: the total of `count` of them; of none it is `first`. */
#define JOIN(cells, count, first)                                              \
    "local s, k, left, some = " first ", 1, " count ", false\n"                \
    "while left > 0 do\n"                                                      \
    "    if left % 2 == 1 then\n"                                              \
    "        if some then s = op(" cells "[k], s) else s = " cells "[k] end\n" \
    "        some = true\n"                                                    \
    "    end\n"                                                                \
    "    k = k + 1\n"                                                          \
    "    left = left // 2\n"                                                   \
    "end\n"

/* Orders are those of ir/combine_order.h: lanes of chunks, and pairs of neighbours. */
/* clang-format off */
const char luafn_team_methods[] =
    "local function broadcast(t, x, thread)\n"
    "    local all = t:memory(t:threads())\n"
    "    all[t:thread()] = x\n"
    "    t:barrier()\n"
    "    local v = all[thread]\n"
    "    t:barrier()\n"
    "    return v\n"
    "end\n"
    "local function reduce(t, op, x)\n"
    "    local all, one = t:memory(t:threads()), t:memory(1)\n"
    "    all[t:thread()] = x\n"
    "    t:barrier()\n"
    "    if t:thread() == 1 then\n"
    "        local s = all[1]\n"
    "        for k = 2, t:threads() do s = op(s, all[k]) end\n"
    "        one[1] = s\n"
    "    end\n"
    "    t:barrier()\n"
    "    return one[1]\n"
    "end\n"
    "local function scan(t, op, x, id)\n"
    "    local all, to = t:memory(t:threads()), t:memory(t:threads() + 1)\n"
    "    all[t:thread()] = x\n"
    "    t:barrier()\n"
    "    if t:thread() == 1 then\n"
    "        local s = id\n"
    "        for k = 1, t:threads() do\n"
    "            to[k] = s\n"
    "            s = op(s, all[k])\n"
    "        end\n"
    "        to[t:threads() + 1] = s\n"
    "    end\n"
    "    t:barrier()\n"
    "    return to[t:thread()], to[t:threads() + 1]\n"
    "end\n"
    "local function lanes(t, op, n, g)\n"
    "    local lanes, cells = t:memory(" LANES ", true), t:memory(50, true)\n"
    "    local one = t:memory(1, true)\n"
    "    local id = t:identity(op, lanes)\n"
    "    local chunks = (n + (" CHUNK " - 1)) // " CHUNK "\n"
    "    for c = 0, chunks - 1 do\n"
    "        local first, last = c * " CHUNK ", (c + 1) * " CHUNK "\n"
    "        if last > n then last = n end\n"
    "        for lane = t:thread(), " LANES ", t:threads() do\n"
    "            local s = id\n"
    "            for i = first + lane, last, " LANES " do s = op(s, g(i)) end\n"
    "            lanes[lane] = s\n"
    "        end\n"
    "        t:barrier()\n"
    "        if t:thread() == 1 then\n"
    "            local half = " LANES " // 2\n"
    "            while half > 0 do\n"
    "                for l = 1, half do lanes[l] = op(lanes[l], lanes[l + half]) end\n"
    "                half = half // 2\n"
    "            end\n"
    PUSH("cells", "c", "lanes[1]")
    "        end\n"
    "        t:barrier()\n"
    "    end\n"
    "    if t:thread() == 1 then\n"
    JOIN("cells", "chunks", "id")
    "        one[1] = s\n"
    "    end\n"
    "    t:barrier()\n"
    "    return one[1]\n"
    "end\n"
    /* each thread combines 64 elements at a time, the first thread their results */
    "local function pairs(t, op, n, g, id)\n"
    "    local all, cells, one = t:memory(t:threads()), t:memory(" LANES "), t:memory(1)\n"
    "    local own = t:private_memory(8)\n"
    "    local blocks = (n + (" LANES " - 1)) // " LANES "\n"
    "    for round = 0, (blocks - 1) // t:threads() do\n"
    "        local block = round * t:threads() + t:thread() - 1\n"
    "        if block < blocks then\n"
    "            local from, count = block * " LANES ", n - block * " LANES "\n"
    "            if count > " LANES " then count = " LANES " end\n"
    "            for i = 0, count - 1 do\n"
    PUSH("own", "i", "g(from + i + 1)")
    "            end\n"
    JOIN("own", "count", "own[1]")
    "            all[t:thread()] = s\n"
    "        end\n"
    "        t:barrier()\n"
    "        if t:thread() == 1 then\n"
    "            local before = round * t:threads()\n"
    "            local count = blocks - before\n"
    "            if count > t:threads() then count = t:threads() end\n"
    "            for l = 1, count do\n"
    PUSH("cells", "before + l - 1", "all[l]")
    "            end\n"
    "        end\n"
    "        t:barrier()\n"
    "    end\n"
    "    if t:thread() == 1 then\n"
    JOIN("cells", "blocks", "id")
    "        one[1] = s\n"
    "    end\n"
    "    t:barrier()\n"
    "    return one[1]\n"
    "end\n";
/* clang-format on */
