-- Wrong arguments for the functions of lun.spmd: an error on each rank that names the argument, and all ranks can go on.

local onranks = require "onranks"
local shell = require "shell"

local scratch = onranks.scratch(setup, teardown)

-- What is called, and what the error says; `a` is a blocked array of 10 elements, v and w are shared, y is symmetric.
local CALLS = {
    { "s.sharedon(a, { -1 }, function(i) a[i] = 1 end)", "bad argument #2 to 'sharedon' (axis 1: the extent is negative: -1)" },
    { "s.sharedon(a, -3, function(i) a[i] = 1 end)", "bad argument #2 to 'sharedon' (axis 1: the extent is negative: -3)" },
    { "s.sharedon(a, { 3 }, function(i) a[i] = 1 end, 5)",
        "bad argument #4 to 'sharedon' (a table of options expected, got number)" },
    { "s.sharedon(a, function(i) s.sharedon(a, function(j) a[j] = 1 end) end)", "a call of 's.sharedon' is not supported" },
    { "s.sharedon(a, function(i) s.barrier() a[i] = 1 end)", "a call of 's.barrier' is not supported" },
    { "s.block(5, 5)", "bad argument #2 to 'block' (a table of options expected, got number)" },
    { "s.block(-1)", "bad argument #1 to 'block' (an extent expected, got -1)" },
    { "w:get()", "the shared array f64[3] is no value: its elements are v[i]" },
    { "w:set(3)", "the shared array f64[3] is no value: its elements are v[i]" },
    { "none:get()", "the shared array f64[0] is no value: its elements are v[i]" },
    { "square:get()", "the shared array f64[1, 1] is no value: its elements are v[i]" },
    { "y:get(s.npes, 1)", "a PE from 0 to %d expected, got %d" },
    { "s.send(0, print)", "a function cannot be sent" },
    { "s.endmaster()", "endmaster without master" },
    { "s.critical(function() s.master(function() end) end)", "master inside critical would wait for ranks that wait for its end" },
}

describe("wrong arguments of lun.spmd", function()
    it("are errors that name the argument, on each rank", function()
        local lines = { [[
            local s = lun.spmd
            local a, y = lun.zeros(s.block(10)), s.symmetric("f64", 4)
            local v, w = s.shared("i64", 4), s.shared("f64", lun.ones(3))
            local none, square = s.shared("f64", lun.ones(0)), s.shared("f64", lun.ones(1, 1))
            local said = {}
            local function try(f) said[#said + 1] = select(2, pcall(f)) s.barrier() end]] }
        for k, call in ipairs(CALLS) do
            lines[k + 1] = ("try(function() %s end)"):format(call[1])
        end
        lines[#lines + 1] = [[
            assert(v:get() == 4 and w[3] == 1 and square[1][1] == 1 and a:sum() == 0)
            for _, all in ipairs(s.allgather(said)) do
                for k, text in ipairs(all) do print(k, text) end
            end]]
        for _, n in ipairs { 1, 3 } do
            shell.write(scratch() .. "/s.lua", table.concat(lines, "\n"))
            local text, status = shell.capture(
                ("cd %s && LUNARRAY_RANK_TIMEOUT=120 timeout -k 5 300 %s --ranks %d s.lua 2>&1"):format(scratch(), onranks.path, n))
            assert.equal(0, status, text)
            local counts = {}
            for k, message in text:gmatch "(%d+)\t([^\n]*)" do
                k = tonumber(k)
                counts[k] = (counts[k] or 0) + 1
                local wanted = CALLS[k][2]:gsub("%%d", n - 1, 1):gsub("%%d", n)
                assert.truthy(message:find(wanted, 1, true), CALLS[k][1] .. ": " .. message)
                assert.truthy(message:find "s%.lua:%d+: ", message)
            end
            for k in ipairs(CALLS) do
                assert.equal(n * n, counts[k], CALLS[k][1])
            end
        end
    end)
end)
