-- The second program of ABC (A Blocked C): a transpose. The rounds run where a[j][i] is, so nothing is read from other
-- ranks; what is assigned there goes as one message to each.
--     build/lunarray --ranks 4 examples/abc_transpose.lua
-- prints:
--     b[3][77] = 7703
--     4 ranks: 0 remote reads, 7500 remote writes, 12 messages
local lun = require "lunarray"

local s = lun.spmd
local m, n = 100, 100
local a = lun.zeros({ n, s.block(m) }, "f32")
local b = lun.zeros({ m, s.block(n) }, "f32")
s.sharedon(a, function(j, i)
    a[j][i] = 100.0 * j + i
end)

lun.stats "reset"
s.sharedon(function(i, j) return a[j][i] end, { m, n }, function(i, j)
    b[i][j] = a[j][i]
end)
local stats = lun.stats()
local counts = s.reduce("+", lun.vector { stats.remote_gets, stats.remote_puts, stats.messages })

local element = b[3][77]
s.barrier()
s.master(function()
    print(("b[3][77] = %.0f"):format(element))
    io.stderr:write(("%d ranks: %d remote reads, %d remote writes, %d messages\n"):format(s.npes, counts[1], counts[2],
        counts[3]))
end)
