-- Team kernels without races: teams that meet and share memory. Run by races.sh on a device that watches accesses, where
-- each element costs, and with check=true on reference.
local lun = require "lunarray"

-- On the device, and watched by the interpreter.
local function both(check)
    for _, backend in ipairs { "opencl", "reference" } do
        lun.use(backend)
        check(backend == "reference")
    end
end

describe("team kernels without races", function()
    it("fold, scan and count", function()
        both(function(watched)
            local n = 24
            local x, sums, counts = lun.range(1, n):cast "i64", lun.zeros(n, "i64"), lun.zeros(4, "i32")
            local reals = lun.zeros(2)
            lun.teams { league = 4, team = 6, check = watched }(function(t, v, to, h, r)
                local i = t:index()
                to[i] = t:reduce("+", v[i]) - t:scan("+", v[i])
                lun.atomic.add(h, v[i] % 4 + 1, 1)
                lun.atomic.add(r, 1, v[i] * 0.5) -- of floats OpenCL C has no such operation: a loop
                lun.atomic.max(r, 2, v[i])
            end, x, sums, counts, reals)
            assert.same({ 6, 6, 6, 6 }, counts:totable())
            assert.same({ n * (n + 1) / 4, n * 1.0 }, reals:totable())
            for i = 1, n do
                local sum = 0
                for k = i, (i - 1) // 6 * 6 + 6 do sum = sum + k end
                assert.equal(sum, sums[i])
            end
        end)
    end)

    it("share memory, loops and what one of them computes", function()
        both(function(watched)
            local w = lun.zeros(12, "i64")
            lun.teams { league = 2, team = 3, elements = 2, check = watched }(function(t, to)
                local s, own = t:scratch("i64", 6), t:private("i64", 2)
                for k = 1, 2 do own[k] = t:index() + k - 1 end
                t:each(6, function(i) s[i] = i end)
                local most = t:broadcast(own[2], 3)
                t:single(function() s[1] = s[6] * 100 end)
                for round = 1, 2 do
                    local next_one = s[t:thread() % 3 + 1]
                    t:barrier()
                    s[t:thread()] = next_one + round
                    t:barrier()
                end
                for k = 1, 2 do to[t:index() + k - 1] = own[k] * 1000000 + most * 1000 + s[t:thread()] end
            end, w)
            local s, wanted = { 600, 2, 3 }, {}
            for round = 1, 2 do s = { s[2] + round, s[3] + round, s[1] + round } end
            for i = 1, 12 do wanted[i] = i * 1000000 + ((i + 5) // 6 * 6) * 1000 + s[(i - 1) % 6 // 2 + 1] end
            assert.same(wanted, w:totable())
        end)
    end)

    it("turn around, in C", function()
        lun.use "opencl"
        local to = lun.zeros(12, "i32")
        lun.teams { league = 3, team = 4 }([[void f(int *to) {
            LUN_SCRATCH(int, s, LUN_THREADS(0));
            s[LUN_THREAD(0)] = LUN_INDEX(0);
            LUN_BARRIER;
            to[LUN_INDEX(0)] = s[LUN_THREADS(0) - 1 - LUN_THREAD(0)];
        }]], to)
        assert.same({ 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8 }, to:totable())
    end)
end)
