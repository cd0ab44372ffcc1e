-- How long ten typical Lua functions take to become kernels, each in a state that has not seen it: to IR
-- (bytecode, types, control flow), and with the compiler.
-- usage: LUNARRAY_JIT=sync lunarray bench/compile.lua, with an empty LUNARRAY_CACHE_DIR

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local x = lun.random(1000, { dtype = "f32" }):copy()
local i = lun.index(1000):copy()
local w = lun.random(1100, { dtype = "f32" }):copy()
local scale, limit = 2.5, 256

local texts = {
    { "a line", x, "return x * scale + 1" },
    { "branches", x, "if x > 0.7 then return x * x elseif x > 0.3 then return -x else return 0.0 end" },
    { "clamp", x, "return math.max(0.25, math.min(0.75, x))" },
    { "and, or", x, "return x > 0.5 and x or 1 - x" },
    { "Newton", x, "local y = x + 1 for _ = 1, 8 do y = 0.5 * (y + x / y) end return y" },
    { "Mandelbrot", x, "local a, b, n = 0.0, 0.0, 0 while n < limit and a * a + b * b <= 4 do "
        .. "a, b, n = a * a - b * b + x - 2, 2 * a * b + 0.1, n + 1 end return n" },
    { "Collatz", i, "local n, s = x, 0 while n > 1 do if n % 2 == 0 then n = n // 2 else n = 3 * n + 1 end "
        .. "s = s + 1 end return s" },
    { "box", i, "local s = 0.0 for j = 0, 16 do s = s + w[x + j] end return s / 17" },
    { "helpers", x, "local function f(a) return math.exp(-a * a) end return f(x) * f(1 - x) + f(x / 2)" },
    { "three results", i, "local q, r = x // 7, x % 7 return q, r, q * 7 + r == x" },
}

for _, case in ipairs(texts) do
    local name, a, text = table.unpack(case)
    local f = assert(load("local scale, limit, w = ... return function(x) " .. text .. " end"))(scale, limit, w)
    local function first(...) return (...) end
    local start = measure.now()
    local e = first(a:map(f))
    local specialised = measure.now()
    lun.eval(e)
    local done = measure.now()
    start, specialised, done = start * 1e3, specialised * 1e3, done * 1e3 -- microseconds
    measure.print("IR", (name:gsub(" ", "_")), (specialised - start) / 1e3)
    measure.print("first", (name:gsub(" ", "_")), (done - specialised) / 1e3)
end
