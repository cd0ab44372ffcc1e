-- Random programs of states that are changed, looked at, written to, dropped and kept, against the same programs on
-- tables of Lua integers. What is stored on the way, and when, must never show.

local lun = require "lunarray"

local N = 1500 -- more than lun_get evaluates at once

local function binary(f)
    return function(x, y)
        local out = {}
        for i = 1, N do
            out[i] = f(x[i], type(y) == "table" and y[i] or y)
        end
        return out
    end
end

local OPERATIONS = {
    { function(x, y) return x + y end },
    { function(x, y) return x - y end },
    { function(x, y) return x * y end },
    { function(x, y) return x ~ y end },
}
for _, operation in ipairs(OPERATIONS) do
    operation[2] = binary(operation[1])
end

local function fold(f)
    return function(t)
        local x = t[1]
        for i = 2, N do
            x = f(x, t[i])
        end
        return x
    end
end

local LOOKS = {
    { function(a) return a:sum() end, fold(function(x, y) return x + y end) },
    { function(a) return a:max() end, fold(math.max) },
    { function(a) return (a + 1):min() end, function(t) return fold(math.min)(OPERATIONS[1][2](t, 1)) end },
    { function(a, k) return a[k] end, function(t, k) return t[k] end },
    { function(a, k) return (a * 3)[k] end, function(t, k) return t[k] * 3 end },
    { function(a, k) return a:sub(k, k):sum() end, function(t, k) return t[k] end },
    { function(a) return a:scan("+", 0)[N] end, function(t) return fold(function(x, y) return x + y end)(t) - t[N] end },
    { function(a) return a:reduce("+", 7):value() end, function(t) return 7 + fold(function(x, y) return x + y end)(t) end },
}

-- Runs a program of so many statements; gives how many looks there were.
local function program(seed, statements)
    local state = seed
    local function below(n)
        state = (state * 6364136223846793005 + 1442695040888963407) & math.maxinteger
        return state // 65536 % n
    end
    local real, model = {}, {}
    for i = 1, 4 do
        local t = {}
        for k = 1, N do
            t[k] = (k * 7919 + i * 104729) % 1000 - 500
        end
        real[i], model[i] = i == 4 and lun.zeros(N, "i64") or lun.vector(t), t
    end
    model[4] = binary(function(x) return x * 0 end)(model[4], 0)
    local looks = 0
    for at = 1, statements do
        local i, j, k, what = below(4) + 1, below(4) + 1, below(N) + 1, below(20)
        if what < 9 then
            local operation = OPERATIONS[below(#OPERATIONS) + 1]
            local y, z = real[j], model[j]
            if below(2) == 0 then
                y = below(9) - 4
                z = y
            end
            local a, t = operation[1](real[i], y), operation[2](model[i], z)
            if what < 8 then
                real[i], model[i] = a, t
            end
        elseif what < 16 then
            local look = LOOKS[below(#LOOKS) + 1]
            looks = looks + 1
            local want, got = look[2](model[i], k), look[1](real[i], k)
            if want ~= got then
                error(("program %d, statement %d: %s, not %s"):format(seed, at, got, want))
            end
        elseif what == 16 then
            real[i][k], model[i][k] = at, at -- every name of this array sees it
        elseif what == 17 then
            real[i], model[i] = real[j], model[j]
        elseif what == 18 then
            collectgarbage()
        elseif below(2) == 0 then
            real[i]:eval()
        else
            local _ = lun.explain(real[i]:lazy "sum", real[j])
        end
    end
    return looks
end

describe("random programs of states and looks", function()
    local before = lun.use()
    for _, name in ipairs(lun.backends()) do
        it("give what tables of integers give on " .. name, function()
            local device = name:find "opencl"
            lun.use(name)
            local kept, looks = lun.stats().kept, 0
            local ok, problem = pcall(function()
                for seed = 1, device and 3 or 60 do
                    looks = looks + program(seed, device and 25 or 80)
                end
            end)
            lun.use(before)
            assert(ok, problem)
            assert.is_true(looks > 20)
            assert.is_true(device ~= nil or lun.stats().kept - kept > 100)
        end)
    end
end)
