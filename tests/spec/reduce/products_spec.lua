-- Products beside products: compiled code rounds each product and each sum by itself, as Lua does, whatever the compiler
-- knows of instructions that round both at once. Values are compared with plain Lua's, and the machine code is read.

local shell = require "shell"

local directory

-- Complex products of pairs that stand side by side, by one way of saying it; prints how many differ from plain Lua.
local SCRIPT = [[
local lun, dtype, way = require "lunarray", ...
lun.use "openmp"
local n = 4096
-- uniform numbers: those of another distribution are made by functions whose sequences have such instructions
local function operand(seed) return (lun.random(2 * n, {seed = seed}) * 6 - 3):cast(dtype):copy() end
local t, r, o = operand(1), operand(2), lun.zeros(2 * n, dtype)
local REAL = dtype == "f32" and "float" or "double"
local C = ([=[void f(int64_t i, const REAL *t, const REAL *r, REAL *o) {
    REAL c = t[2 * i], d = t[2 * i + 1], u = r[2 * i], v = r[2 * i + 1];
    o[2 * i] = u * c - v * d;
    o[2 * i + 1] = u * d + v * c;
}]=]):gsub("REAL", REAL)
local LOOP = ([=[void f(int64_t i, const REAL *t, const REAL *r, REAL *o) {
    for (int64_t k = 64 * i; k < 64 * i + 64; k++) {
        o[2 * k] = r[2 * k] * t[2 * k] - r[2 * k + 1] * t[2 * k + 1];
        o[2 * k + 1] = r[2 * k] * t[2 * k + 1] + r[2 * k + 1] * t[2 * k];
    }
}]=]):gsub("REAL", REAL)
local ways = {
    teams = function()
        lun.teams{league = n // 64, team = 1, elements = 64}(function(w)
            local i = w:index()
            for k = i, i + 63 do
                local c, d, u, v = t[2 * k - 1], t[2 * k], r[2 * k - 1], r[2 * k]
                o[2 * k - 1] = u * c - v * d
                o[2 * k] = u * d + v * c
            end
        end)
    end,
    text = function() lun.each(n, C, t, r, o) end,
    loop = function() lun.each(n // 64, LOOP, t, r, o) end,
}
ways[way]()
local function f32(x) return (string.unpack("<f", string.pack("<f", x))) end
local round = dtype == "f32" and f32 or function(x) return x end
local a, b, g, wrong = t:totable(), r:totable(), o:totable(), 0
for k = 1, n do
    local c, d, u, v = a[2 * k - 1], a[2 * k], b[2 * k - 1], b[2 * k]
    local re, im = round(round(u * c) - round(v * d)), round(round(u * d) + round(v * c))
    if g[2 * k - 1] ~= re or g[2 * k] ~= im then wrong = wrong + 1 end
end
print(wrong .. " differ")
]]

-- The instructions that round products together with sums, in the kernels of a cache directory. nil: no objdump here.
local function fused(cache)
    if not os.execute "command -v objdump >/dev/null 2>&1" then
        return nil
    end
    local found, kernels = "", 0
    for name in shell.capture(("ls '%s'"):format(cache)):gmatch "%S+" do
        local bytes = shell.slurp(cache .. "/" .. name)
        local start = bytes:find("\127ELF", 1, true)
        if start then
            kernels = kernels + 1
            local object = shell.write(directory .. "/kernel.so", bytes:sub(start))
            found = found .. shell.capture(("objdump -d '%s' | grep -E 'vfn?m(add|sub)|fn?ml[as]|fn?m(add|sub)'"):format(object))
        end
    end
    return found, kernels
end

describe("a product beside a product", function()
    setup(function()
        directory = shell.scratch()
        shell.write(directory .. "/script.lua", SCRIPT)
    end)
    teardown(function() shell.discard(directory) end)

    for _, way in ipairs{"teams", "text", "loop"} do
        for _, dtype in ipairs{"f64", "f32"} do
            it(("in %s of %s is rounded as in Lua"):format(way, dtype), function()
                local cache = ("%s/%s_%s"):format(directory, way, dtype)
                local command = ("LUNARRAY_JIT=sync LUNARRAY_CACHE_DIR=%s %s %s/script.lua %s %s 2>&1"):format(cache,
                    shell.interpreter(), directory, dtype, way)
                assert.equal("0 differ\n", (shell.capture(command)))
                assert.equal("0 differ\n", (shell.capture(command))) -- from the cache
                local instructions, kernels = fused(cache)
                if instructions then
                    assert.equal("", instructions)
                    assert(kernels > 0)
                end
            end)
        end
    end
end)
