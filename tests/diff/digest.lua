-- Computes what threads could disturb, and prints a line "name dtype digest" for each result. Run by
-- threads_spec.lua in processes of their own, with the backend and the number of threads in the
-- environment: all must print the same. DIGEST_DTYPES: only these, for what takes long to compile.

package.cpath = (os.getenv "BUILD" or "build") .. "/tests/?.so;" .. package.cpath

local lun = require "lunarray"
local libm = require "libm"

-- Digits of Weyl's sequence: no two elements alike, and no dependence on lun.random.
local function sequence(n, dtype, by, scale)
    local x = lun.range(1, n) * by
    return ((x - x:floor()) * scale):cast(dtype)
end

local function show(name, array)
    if type(array) ~= "userdata" then
        print(name, math.type(array) or type(array),
            math.type(array) == "float" and ("%a"):format(array) or tostring(array))
        return
    end
    print(name, array:dtype(), ("%016x"):format(libm.digest(array:dtype(), array:tobytes())))
end

local some = os.getenv "DIGEST_DTYPES"

local function wanted(t)
    return not some or (" " .. some .. " "):find(" " .. t .. " ", 1, true)
end

local function each(dtypes)
    local list = {}
    for _, t in ipairs(dtypes) do
        list[#list + 1] = wanted(t) and t or nil
    end
    return ipairs(list)
end

local n = tonumber(os.getenv "DIGEST_N") or 300007
local phi, root = (5 ^ 0.5 - 1) / 2, 2 ^ 0.5

for _, t in each { "f64", "f32", "i64", "i32", "u8" } do
    local scale = t == "u8" and 250 or 1000
    local a, b = sequence(n, t, phi, scale), sequence(n, t, root, scale)
    lun.eval(a, b)
    local near_one = t:find "f" and 1 + (b / scale - 0.5) / 1000 or b
    local sum, prod, min, max, count = lun.eval(a:lazy "sum", near_one:lazy "prod", a:lazy "min", b:lazy "max",
        a:gt(b):lazy "count")
    for name, x in pairs { sum = sum, prod = prod, min = min, max = max, count = count, mean = a:mean(), var = b:var(),
        norm = a:norm(), dot = a:dot(b), argmin = a:argmin(), argmax = b:argmax() } do
        show(t .. " " .. name, x)
    end
    show(t .. " arithmetic", (a + b) * (a - b) - a * 3)
    show(t .. " where", lun.where(a:lt(b), a * 2, b) + lun.max(a, b))
    show(t .. " exclusive sum", lun.scan("+", 0)(a))
    show(t .. " inclusive sum of squares, plus b", lun.scan("+", 0, { inclusive = true })(a * a) + b)
    show(t .. " running maximum", lun.scan(lun.op.max, 0)(b))
    local function recurrence(p, q, x, y)
        return p * x, q * x + y
    end
    local P, Q = lun.scan(recurrence, { 1, 0 }, { elements = 2 })(a, b)
    show(t .. " products of a recurrence", P)
    show(t .. " recurrence", Q)
    local p, q = lun.reduce(recurrence, { 1, 0 }, { elements = 2 })(a, b)
    show(t .. " last of the products", p:value())
    show(t .. " last of the recurrence", q:value())
    show(t .. " reduced", lun.reduce("*", 1)(near_one - 0):value())
    -- lines of memory and across them, of few elements and of many; a device runs each by itself
    for _, rows in ipairs(not some and (t == "f32" or t == "i64") and { 2, 7, 300, 1001, 100001 } or {}) do
        local grid = a:sub(1, n // rows * rows):reshape(rows, n // rows):eval()
        for k, view in ipairs { grid, grid:transpose(), grid:sub({ -1, 1, -1 }, { 1, -1, 2 }) } do
            for axis = 1, 2 do
                local name = ("%s %d rows, view %d, axis %d"):format(t, rows, k, axis)
                show(name .. " sum", view:sum(axis))
                show(name .. " argmax", view:argmax(axis))
                show(name .. " var", view:var { axis = axis })
                show(name .. " scan", view:scan("+", 0, { axis = axis }))
            end
        end
    end
    -- several results of one pass, and lengths around the chunks
    for _, m in ipairs { 1, 64, 16383, 16384, 16385, 65537, 131072, 200000 } do
        local x = a:sub(1, m)
        local y, z, s = lun.eval(x * 2, x:gt(5), (x + 1):lazy "sum")
        show(("%s twice, %d"):format(t, m), y)
        show(("%s flags, %d"):format(t, m), z)
        show(("%s sum, %d"):format(t, m), s)
    end
end

for _, t in each { "f64", "f32" } do
    local a, b = sequence(n, t, phi, 20), sequence(n, t, root, 3)
    lun.eval(a, b)
    show(t .. " functions", (a:sin() * b:exp() + (a + 1):log()):sqrt():atan2(b) + a:tanh() - b:erf() + a ^ b)
    show(t .. " sum of functions", (a:cos() * b:cbrt()):sum())
    for _, m in ipairs { 1, 15, 17, 64, 65, 16385 } do
        local x, y = a:sub(1, m), b:sub(1, m)
        local s, p = lun.eval((x:cos() * y:exp()):lazy "sum", (x:sin() / 30 + 1):lazy "prod")
        show(("%s sum of functions, %d"):format(t, m), s)
        show(("%s product of functions, %d"):format(t, m), p)
    end
    show(t .. " uniform", lun.random(n, { seed = 42, dtype = t }))
    show(t .. " uniform, in a pass", (lun.random(n, { seed = 43, dtype = t }) * a):sum())
    show(t .. " normal", lun.random(n, { seed = 44, dtype = t, dist = "normal" }))
end

-- f32 numbers whose sum hangs on the order in which they are added: fortieth powers, by multiplications
local base = sequence(n, "f32", phi, 2)
local eighth = base * base * base * base * base * base * base * base
local wild = (eighth * eighth * eighth * eighth * eighth * sequence(n, "f32", root, 1) - 1e7):eval()
show("wild sum", wild:sum())
show("wild scan", lun.scan("+", 0)(wild:cast "f64"))
for i = 1, some and 20 or 200 do
    local part = wild:sub(i, n - 1000 * i)
    show("wild sum " .. i, part:sum())
end

local compose = [[(long x, long y) {
    long p = x >> 16, q = x & 0xffff, r = y >> 16, s = y & 0xffff;
    return ((p * r & 0xffff) << 16) | ((q * r + s) & 0xffff);
}]]
-- C text needs a compiler
if os.getenv "LUNARRAY_JIT" ~= "off" and wanted "i64" then
    local maps = sequence(n, "i64", phi, 2.0 ^ 32)
    show("composed", lun.reduce(compose, 1 << 16)(maps):value())
    show("compositions", lun.scan(compose, 1 << 16)(maps))
end
