-- With LUNARRAY_CHECK=1 each step on a set is compared with what explain says of it: random expressions on arrays that are
-- distributed in all ways pass, and a value that is no number is refused.
local onplaces = require "onplaces"
local shell = require "shell"

local PROGRAM = [[
package.path = "tests/?.lua;tests/spec/?.lua;" .. package.path
local lun = require "lunarray"
local moves = require "moves"
for seed = 1, 60 do moves.check(seed, { "openmp/2", "openmp/3", "openmp/7", "reference/3" }) end
lun.use "openmp/3"
local m = lun.range(1, 30000):reshape(300, 100):copy():distribute "block"
local e = (m - m:max { axis = 2, keep = true }):exp()
print((e / e:sum { axis = 2, keep = true }):sum() // 1)
local u = (m:flatten() % 17):unique()
print(#u, m:flatten():argsort()[1], m:flatten():topk(2)[1], m:flatten():median())
local x, key = m:flatten(), (lun.range(1, 30000) // 7000):copy()
local g = lun.group(key)
local low, mean, high = lun.eval(g:min(x), g:mean((x + 2) / 2), g:max(x * 3))
print(low[1], mean[1], high[1])
local many = {}
for k = 1, 20 do many[k] = g:sum(x + k) end
many = { lun.eval(table.unpack(many)) }
print(many[1][1], many[20][1])
local step = lun.stencil(function(x) return x(-1) + x(1) end, { edge = "wrap" })
print(step(step(step(m:flatten() % 3))):sum() // 1)
]]

-- A function along segments, where devices run it: what it reads is brought there at once.
local DEVICES = [[
local lun = require "lunarray"
assert(select("#", lun.use "opencl:*") == 3)
for _, kind in ipairs { "single", "block" } do
    local a = lun.eval(lun.range(1, 40) + 0):distribute(kind)
    a:put({ 40, 1, -1, 40, 2, 1 }, lun.range(1, 6):copy():distribute(kind), { combine = function(x, y) return x * 2 + y end })
    print(a[1], a[2], a[40])
end
]]

describe("LUNARRAY_CHECK #place", function()
    local scratch

    setup(function()
        scratch = shell.scratch()
        shell.write(scratch .. "/p.lua", PROGRAM)
    end)

    teardown(function() shell.discard(scratch) end)

    it("finds steps as explain says", function()
        local command = ("timeout 300 %s %s/p.lua 2>&1"):format(shell.interpreter(), scratch)
        local plain, status = shell.capture(command)
        assert.equal(0, status, plain)
        local checked, checked_status = shell.capture("LUNARRAY_CHECK=1 " .. command)
        assert.equal(0, checked_status, checked)
        assert.equal(plain, checked)
    end)

    it("finds functions along segments on devices as explain says", function()
        if not onplaces.there "opencl" then return end
        shell.write(scratch .. "/d.lua", DEVICES)
        local text = shell.capture(("LUNARRAY_CHECK=1 POCL_DEVICES='pthread pthread pthread' timeout 100 %s %s/d.lua 2>&1"):format(
            shell.interpreter(), scratch))
        assert.equal("14\t9\t334\n14\t9\t334\n", text)
    end)

    it("has to be a number", function()
        local text, status = shell.capture(("LUNARRAY_CHECK=yes timeout 100 %s -e 'print(1)' 2>&1"):format(shell.interpreter()))
        assert.not_equal(0, status)
        assert.matches("LUNARRAY_CHECK must be a positive number, not 'yes'", text)
    end)
end)
