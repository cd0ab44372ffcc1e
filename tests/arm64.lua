-- Results that are the same on every processor, a line each: golden/arm64.txt has them. What is rounded is rounded once for
-- each operation, in an order that the engine fixes.
local lun = require "lunarray"

local function show(name, value)
    print(("%s %s"):format(name, math.type(value) == "float" and ("%a"):format(value) or tostring(value)))
end

local n = 100003
local x = (lun.index(n) - 5) * 0.1
local u = lun.random(n, { seed = 7 })
local i = (lun.random(n, { seed = 8 }) * 1000):cast "i32"
show("sum", x:sum())
show("sum of random", u:sum())
show("f32", (x:cast "f32" * 3 + 1):sum())
show("f16", u:cast "f16":sum())
show("square roots", (u:sqrt() / (u + 1)):sum())
show("integers", (i * i // 7 % 5):sum())
show("bits", (i & 255 ~ 21):sum())
show("scan", lun.scan("+", 0)(u)[n])
show("minimum", (u - 0.5):abs():min())
show("place", (u * i):argmax())
show("sorted", u:sort()[n // 3])
show("plain Lua", u:map(function(v)
    local k = 0
    while v > 0.01 and k < 50 do v, k = v * 0.7, k + 1 end
    return k
end):sum())
if os.getenv "LUNARRAY_JIT" ~= "off" then
    show("C text", lun.map "(double v, double a) { return v < a ? v * v : a - v; }"(u, 0.25):sum())
end
show("product", u:sub(1, 4096):reshape { 64, 64 }:matmul(u:sub(4097, 8192):reshape { 64, 64 }):sum())
show("stencil", lun.stencil(function(v) return v(-1) - 2 * v(0) + v(1) end, { edge = 0 })(u):abs():sum())
