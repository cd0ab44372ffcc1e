-- Values of C's functions where they are exact or at the end of what their type holds (C99, annex F; true values from
-- 60 decimals), the same on every backend, for arrays of one element and of many, and on OpenCL in both forms of kernels.
local lun = require "lunarray"
local shell = require "shell"

local inf, nan = math.huge, 0 / 0

-- function, arguments, value, value in f32 (else the same)
local rows = {
    { "exp", -inf, 0.0 }, { "exp", inf, inf }, { "exp", 0.0, 1.0 }, { "exp2", -inf, 0.0 }, { "exp2", 10.0, 1024.0 },
    { "expm1", -inf, -1.0 }, { "expm1", -0.0, -0.0 }, { "expm1", inf, inf }, { "log", 0.0, -inf }, { "log", 1.0, 0.0 },
    { "log", inf, inf }, { "log", -1.0, nan }, { "log2", 8.0, 3.0 }, { "log2", 0.0, -inf }, { "log10", 0.0, -inf },
    { "log1p", -1.0, -inf }, { "log1p", -0.0, -0.0 }, { "log1p", -2.0, nan }, { "sin", -0.0, -0.0 },
    { "sin", inf, nan }, { "cos", 0.0, 1.0 }, { "cos", -inf, nan }, { "tan", -0.0, -0.0 }, { "tan", inf, nan },
    { "asin", -0.0, -0.0 }, { "asin", 2.0, nan }, { "acos", 1.0, 0.0 }, { "acos", -2.0, nan }, { "atan", -0.0, -0.0 },
    { "sinh", inf, inf }, { "sinh", -inf, -inf }, { "sinh", -0.0, -0.0 }, { "cosh", -inf, inf }, { "cosh", 0.0, 1.0 },
    { "tanh", inf, 1.0 }, { "tanh", -inf, -1.0 }, { "tanh", 50.0, 1.0 }, { "tanh", -0.0, -0.0 }, { "tanh", nan, nan },
    { "asinh", -inf, -inf }, { "asinh", -0.0, -0.0 }, { "acosh", 1.0, 0.0 }, { "acosh", inf, inf }, { "acosh", 0.5, nan },
    { "atanh", 1.0, inf }, { "atanh", -1.0, -inf }, { "atanh", -0.0, -0.0 }, { "atanh", 2.0, nan }, { "erf", inf, 1.0 },
    { "erf", -inf, -1.0 }, { "erfc", inf, 0.0 }, { "erfc", -inf, 2.0 }, { "cbrt", -inf, -inf }, { "cbrt", -0.0, -0.0 },
    { "sqrt", -0.0, -0.0 }, { "sqrt", -1.0, nan }, { "hypot", inf, nan, inf }, { "hypot", nan, -inf, inf },
    { "hypot", 3.0, 4.0, 5.0 }, { "pow", nan, 0.0, 1.0 }, { "pow", 1.0, nan, 1.0 }, { "pow", 0.0, -1.0, inf },
    { "pow", -0.0, -1.0, -inf }, { "pow", -0.0, -2.0, inf }, { "pow", -0.0, 3.0, -0.0 }, { "pow", -1.0, inf, 1.0 },
    { "pow", 0.5, -inf, inf }, { "pow", 2.0, -inf, 0.0 }, { "pow", -inf, 3.0, -inf }, { "pow", -inf, -3.0, -0.0 },
    { "pow", -8.0, 0.5, nan }, { "atan2", -0.0, 1.0, -0.0 }, { "atan2", 0.0, 0.0, 0.0 }, { "exp", nan, nan },
}

-- f64 beside its largest and smallest: within 2 units of the true value
local edges = {
    { "exp", 0x1.62e42fefa39efp+9, 0x1.fffffffffff2ap+1023 }, { "exp", 0x1.62e42fefa39fp+9, inf },
    { "exp", 709.0, 0x1.d422d2be5dc9bp+1022 }, { "sinh", 0x1.633ce8fb9f87dp+9, 0x1.ffffffffffd3bp+1023 },
    { "sinh", -0x1.633ce8fb9f87dp+9, -0x1.ffffffffffd3bp+1023 }, { "cosh", -0x1.633ce8fb9f87dp+9, 0x1.ffffffffffd3bp+1023 },
    { "sinh", 0x1.633ce8fb9f87ep+9, inf }, { "cosh", 0x1.633ce8fb9f87ep+9, inf },
}

local binary = { hypot = true, pow = true, atan2 = true }

local function units(x)
    local bits = string.unpack("<i8", string.pack("<d", x))
    return bits < 0 and math.mininteger - bits or bits
end

local function shown(x)
    return x ~= x and "nan" or ("%a"):format(x)
end

-- A row's function on n equal elements of dtype t: its last value.
local function value(row, t, n)
    local arguments = {}
    for k = 2, #row - 1 do
        arguments[k - 1] = lun.vector({ row[k] }, t)
        if n > 1 then
            arguments[k - 1] = lun.full(n, row[k], t):eval()
        end
    end
    return lun[row[1]](table.unpack(arguments)):totable()[n]
end

-- The same by one C text for all rows: the values of n elements, row by row and again.
local function values_of_text(list, c, n)
    local cases, a, b = {}, {}, {}
    for k, row in ipairs(list) do
        cases[k] = ("case %d: return %s(a[k]%s);"):format(k - 1, row[1], binary[row[1]] and ", b[k]" or "")
        a[k], b[k] = row[2], binary[row[1]] and row[3] or 0.0
    end
    local t = c == "float" and "f32" or "f64"
    return lun.map(("%s f(long i, const %s *a, const %s *b)\n{\n    int k = i %% %d;\n    switch (k) {\n    %s\n    }\n" ..
        "    return 0;\n}\n"):format(c, c, c, #list, table.concat(cases, "\n    ")))(lun.index(n) - 1, lun.vector(a, t),
        lun.vector(b, t)):totable()
end

local backends = os.getenv "LUNARRAY_OPENCL_FORM" and { "opencl" } or lun.backends()

for _, backend in ipairs(backends) do
    describe("on " .. backend, function()
        setup(function() lun.use(backend) end)
        teardown(function() lun.use(backends[1]) end)

        it("functions have C99's values at zeros, infinities and NaN", function()
            for _, row in ipairs(rows) do
                for _, t in ipairs { "f32", "f64" } do
                    for _, n in ipairs { 1, 70 } do
                        assert.equal(shown(row[#row]), shown(value(row, t, n)),
                            ("%s of %s(%s, ...), %d elements"):format(t, row[1], shown(row[2]), n))
                    end
                end
            end
        end)

        it("functions in C texts have them too", function()
            for _, c in ipairs { "float", "double" } do
                for i, got in ipairs(values_of_text(rows, c, 3 * #rows)) do
                    local row = rows[(i - 1) % #rows + 1]
                    assert.equal(shown(row[#row]), shown(got), ("%s %s(%s, ...)"):format(c, row[1], shown(row[2])))
                end
            end
            for i, got in ipairs(values_of_text(edges, "double", 3 * #edges)) do
                local row = edges[(i - 1) % #edges + 1]
                assert(row[3] == got or math.abs(units(row[3]) - units(got)) <= 2 and math.abs(row[3]) < inf,
                    ("%s(%a) is %a, %a expected"):format(row[1], row[2], got, row[3]))
            end
        end)

        it("f64 functions end where their type does", function()
            for _, row in ipairs(edges) do
                for _, n in ipairs { 1, 70 } do
                    local got = value(row, "f64", n)
                    assert(row[3] == got or math.abs(units(row[3]) - units(got)) <= 2 and math.abs(row[3]) < inf,
                        ("%s(%a) is %a, %a expected"):format(row[1], row[2], got, row[3]))
                end
            end
        end)
    end)
end

describe("the form of kernels for GPUs", function()
    it("has the same values", function()
        local usable = false
        for _, backend in ipairs(lun.backends()) do
            usable = usable or backend == "opencl"
        end
        if not usable or os.getenv "LUNARRAY_OPENCL_FORM" then
            return
        end
        local text, status = shell.capture("LUNARRAY_OPENCL_FORM=scalar " .. shell.interpreter() ..
            " tests/busted.lua tests/diff/special_spec.lua 2>&1")
        assert.equal(0, status, text)
    end)
end)
