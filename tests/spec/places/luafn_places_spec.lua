-- Captured arrays read at places that grow with the index, as stencils do: values, edges, and the error for
-- the first place outside.

local lun = require "lunarray"

local SIZES = { 1, 5, 63, 64, 65, 127, 129, 300 } -- around vectors and blocks

local function number(x)
    return x == true and 1 or x == false and 0 or x
end

local function check(f, n, ...)
    local got = lun.zip(f)(lun.index(n), (...)):totable()
    for i = 1, n do
        assert.equal(f(i, (...)[i]), got[i], ("element %d of %d"):format(i, n))
    end
end

describe("captured arrays at places near the index", function()
    for _, dtype in ipairs { "f32", "f64", "i32", "i64", "u8", "i16" } do
        it("give their elements, of " .. dtype, function()
            for _, n in ipairs(SIZES) do
                local w = (lun.index(n) * 7 % 5):cast(dtype):copy()
                local x = lun.random(n, { seed = n, dtype = "f32" }):copy()
                check(function(i, t) -- only some elements look, and only inside
                    local s = 0
                    for j = -2, 2 do
                        local k = i + j
                        if k >= 1 and k <= n and t > 0.3 then
                            s = s + w[i + j]
                        end
                    end
                    return s
                end, n, x)
            end
        end)
    end

    it("give booleans", function()
        local n = 130
        local w = (lun.index(n) % 3):eq(0):copy()
        check(function(i, _)
            local s = 0
            for j = 0, 3 do
                if i + j <= n then
                    if w[i + j] then
                        s = s + 1
                    end
                end
            end
            return s
        end, n, lun.zeros(n))
    end)

    it("tell the first place outside", function()
        for _, n in ipairs(SIZES) do
            local w = lun.ones(n, "f32")
            for _, shift in ipairs { -1, 1, 3 } do
                local ok, message = pcall(function()
                    return lun.index(n):map(function(i) return w[i + shift] end):totable()
                end)
                assert.is_false(ok)
                local place = shift < 0 and 0 or math.max(n, shift) + 1
                assert.truthy(tostring(message):find(("%%f[%%d]%d%%f[%%D]"):format(place)), tostring(message))
            end
        end
    end)

    it("are summed over a window", function()
        for _, n in ipairs(SIZES) do
            local w = lun.random(n + 16, { seed = 9, dtype = "f32" }):copy()
            local box = lun.index(n):map(function(i)
                local sum = 0.0
                for j = 0, 16 do
                    sum = sum + w[i + j]
                end
                return sum / 17
            end)
            for i = 1, n, n // 20 + 1 do
                local sum = 0
                for j = 0, 16 do
                    sum = sum + number(w[i + j])
                end
                assert.is_true(math.abs(box[i] - sum / 17) < 1e-6)
            end
        end
    end)

    it("reads several captured arrays of f32 in lanes of f32", function()
        local n = 10000
        local a, b, c = lun.random(n, { seed = 1, dtype = "f32" }), lun.random(n, { seed = 2, dtype = "f32" }),
            lun.random(n, { seed = 3, dtype = "f32" })
        local u, v, w = a:eval(), b:eval(), c:eval()
        local f = function(i) return math.sqrt(u[i]) * v[i] + w[i] end
        for _, backend in ipairs(lun.backends()) do
            lun.use(backend)
            assert.same((u:sqrt() * v + w):totable(), lun.index(n):map(f):totable())
            w = lun.random(n - 3, { seed = 3, dtype = "f32" }):eval()
            local ok, message = pcall(function() return lun.index(n):map(f):eval() end)
            assert.is_false(ok)
            assert.matches("index %d+ is out of range for array 'w' of length 9997", tostring(message))
            w = c:eval()
        end
        lun.use "openmp"
        -- no place is held in lanes, which would have 64 bits and halve those of the elements
        local source = lun.explain(lun.index(n):map(f))[1].source
        assert.truthy(source:find("f32x", 1, true))
        assert.falsy(source:find("i64x", 1, true))
        lun.use(lun.backends()[1])
    end)
end)
