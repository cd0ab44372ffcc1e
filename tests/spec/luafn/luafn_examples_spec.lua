-- The examples of Lua functions, compiled: each compares its results with the Lua VM itself. And what the
-- convolution's loads from neighbouring places rest on: every length around whole vectors, both ends.
local program = (os.getenv "BUILD" or "build") .. "/lunarray"

local function output(backend, rest)
    local pipe = assert(io.popen(("LUNARRAY_JIT=sync LUNARRAY_BACKEND=%s %s %s 2>&1"):format(backend, program, rest)))
    local text = pipe:read "a"
    return pipe:close(), text
end

describe("the examples of Lua functions", function()
    for _, backend in ipairs { "reference", "openmp" } do
        it("agree with the VM on " .. backend, function()
            local ok, text = output(backend, "examples/convolution.lua 5000 6")
            assert.is_true(ok, text)
            assert.matches("1000 of them checked", text, 1, true)
            assert.matches("convolution.lua:%d+: index %-5 is out of range for array 'signal' of length 5000", text)
            ok, text = output(backend, "examples/blackscholes.lua 5000")
            assert.is_true(ok, text)
            assert.matches("volatility 0.4: calls 6.%d+, puts 6.%d+ on average", text)
        end)

        it("stay within arrays of every length on " .. backend, function()
            local script = os.tmpname()
            local file = assert(io.open(script, "w"))
            file:write [[
                for n = 1, 140 do
                    local w = lun.range(101, 100 + n):copy()
                    local function near(i)
                        local s = w[i]
                        if i > 2 then s = s + w[i - 2] * 3 end
                        if i < n then s = s + w[i + 1] * 5 end
                        return s
                    end
                    local got = lun.index(n):map(near):totable()
                    for i = 1, n do assert(got[i] == near(i), n .. " " .. i) end
                    for _, off in ipairs { -1, 1 } do
                        local ok, e = pcall(function() return lun.index(n):map(function(i) return w[i + off] end):eval() end)
                        assert(not ok and e.message == ("index %d is out of range for array 'w' of length %d"):format(
                            off < 0 and 0 or n + 1, n), e.message)
                    end
                end
                print "all well"
            ]]
            file:close()
            local ok, text = output(backend, script)
            os.remove(script)
            assert.is_true(ok, text)
            assert.matches("all well", text, 1, true)
        end)
    end

    -- Behind a loop on i32, lanes are so many that those of i64 fill two registers.
    it("are compiled whatever their results are cast to", function()
        local ok, text = output("openmp", [=[-e "
            local x = lun.index(1000):cast 'i32':copy()
            local function count(x) local n = 0 while x < 100 and n < 20 do x, n = x * 2 + 1, n + 1 end return n end
            for _, dtype in ipairs { 'i8', 'u16', 'i32', 'f32', 'f64' } do
                assert((x:map(count):cast(dtype) + x)[3] == 3 + count(3))
                assert(((x:map(count):cast(dtype) + x:cast 'u8'):cast 'i64' + x:cast 'i8')[3] == 6 + count(3))
            end
            print(lun.stats().interpreted)"]=])
        assert.is_true(ok, text)
        assert.equal("0\n", text)
    end)
end)
