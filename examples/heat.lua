-- The heat equation on a square plate whose rim is kept at 0: u_t = u_xx + u_yy by explicit steps, a stencil of the
-- four neighbours. Half a sine wave each way keeps its form and decays at a known rate; all points are checked.
-- Usage: lunarray examples/heat.lua [points [steps]], points along a side
-- prints:
--     time 0.006: 0.8865 in the middle, exact solution 0.8865
--     time 0.012: 0.7859 in the middle, exact solution 0.7859
--     time 0.018: 0.6967 in the middle, exact solution 0.6967
--     time 0.024: 0.6176 in the middle, exact solution 0.6176
--     time 0.031: 0.5475 in the middle, exact solution 0.5475
local lun = require "lunarray"

local n, steps = tonumber(arg[1]) or 127, tonumber(arg[2]) or 2000
local h = 1 / (n + 1) -- the points inside the rim of a plate of side 1
local dt = h * h / 4  -- larger steps are unstable

local heat = lun.stencil(function(u)
    return u(0, 0) + dt / (h * h) * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0))
end, { edge = 0 })

local x = lun.sin(math.pi * h * lun.index(n))
local wave = (x * x:view { n, 1 }):eval()

local U = wave
for step = 1, steps do
    U = heat(U)
    if step % math.max(steps // 5, 1) == 0 then
        local time = step * dt
        local exact = math.exp(-2 * math.pi ^ 2 * time)
        print(("time %.3f: %.4f in the middle, exact solution %.4f"):format(time, U:max(), exact))
    end
end

-- Each step multiplies the wave by this factor, up to rounding.
local factor = 1 - 8 * dt / (h * h) * math.sin(math.pi * h / 2) ^ 2
assert((U - wave * factor ^ steps):abs():max() < 1e-12, "another rate")
