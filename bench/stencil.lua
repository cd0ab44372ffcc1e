-- Jacobi sweeps over an n x n array of f32: prints the seconds of each round, for a sweep.
-- usage: lunarray bench/stencil.lua each|lazy n sweeps rounds [edge]    (each: every sweep is evaluated by itself)
-- stencil.c does the same by hand; sh bench/stencil.sh runs both in turn and prints ratios.

local lun = require "lunarray"

local how, n, sweeps, edge = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[5] or "nearest"
local function mean(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) / 4 end
local s = lun.stencil(mean, { edge = tonumber(edge) or edge })
local U = lun.random({ n, n }, { seed = 1, dtype = "f32" }):copy()

for round = 0, tonumber(arg[4]) do
    local start = lun.clock()
    for _ = 1, sweeps do
        U = s(U)
        if how == "each" then U:eval() end
    end
    U:eval()
    if round > 0 then print(("%.9f"):format((lun.clock() - start) / sweeps)) end
end
