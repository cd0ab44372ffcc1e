-- sin, cos and tan of arguments that are rare, which compiled kernels leave to the library: the same bits interpreted and
-- compiled, at each instruction set, and within the bound of what MPFR 4.2 says with 2,000 bits.

-- The program that runs this.
local program = arg[0]
for i = -1, -100, -1 do
    program = arg[i] or program
end

-- x, sin x, cos x, tan x.
local VALUES = {
    f64 = {
        { 0x1p+30, -0.61732641504604213, 0.78670712294118816, -0.78469661331920049 },
        { -0x1.921fb54442d18p+40, 6.7325669728197023e-05, 0.99999999773362713, 6.7325669880782108e-05 },
        { 0x1.c6bf52634p+49, 0.85827279317023586, -0.51319373778697031, -1.672414782127583 },
        { -0x1.0f0cf064dd592p+73, 0.85220084976718879, 0.52321478539513899, 1.6287782256068988 },
        { 0x1.6ac5b262ca1ffp+849, 1, -4.6871659242546277e-19, -2.1334853857537039e+18 },
        { 0x1.7e43c8800759cp+996, -0.81788191211590855, -0.57538611195754907, 1.4214488238747245 },
        { -0x1.fffffffffffffp+1023, -0.004961954789184062, -0.99998768942655991, 0.0049620158744448951 },
    },
    f32 = {
        { 0x1.388p+15, 0.94653965678573371, 0.32258747361288764, 2.9342108240743503 },
        { -0x1.86ap+16, -0.035748797972016508, -0.99936080743821243, 0.035771662952898776 },
        { 0x1.dcd65p+29, 0.54584344944869956, 0.83788718136390239, 0.65145220214514132 },
        { -0x1p+31, 0.97131017579293921, 0.23781619457280337, 4.0842894552985927 },
        { 0x1.5af1d8p+66, 0.65657667785459028, 0.75425928307010548, 0.87049200797647197 },
        { -0x1.fffffep+127, 0.52187652333365853, 0.8530210398303042, 0.61179794983424807 },
    },
}

-- Prints the bits of all three, of the arguments among small ones at each place of a vector.
local SCRIPT = [[
local lun = require "lunarray"
local dtype = arg[1]
local values = {}
for k = 2, #arg do
    for before = 0, 15 do
        for small = 1, before do values[#values + 1] = small / 8 end
        values[#values + 1] = tonumber(arg[k])
    end
end
local x = lun.vector(values, dtype)
for _, name in ipairs { "sin", "cos", "tan" } do
    io.write(name, " ", (lun[name](x):eval():tobytes():gsub(".", function(c) return ("%02x"):format(c:byte()) end)), "\n")
end
]]

local directory

local function bits(environment, dtype)
    local words = { dtype }
    for _, row in ipairs(VALUES[dtype]) do
        words[#words + 1] = ("%a"):format(row[1])
    end
    local pipe = assert(io.popen(("env LUNARRAY_BACKEND=openmp LUNARRAY_CACHE_DIR='%s' %s '%s' '%s/script.lua' %s 2>&1"):format(
        directory, environment, program, directory, table.concat(words, " "))))
    local text = pipe:read "a"
    pipe:close()
    return text
end

-- The values at the arguments of VALUES, of a line of what the script printed.
local function at_arguments(line, dtype)
    local format, size, found, place = dtype == "f64" and "<d" or "<f", dtype == "f64" and 8 or 4, {}, 0
    local bytes = line:gsub("%x%x", function(c) return string.char(tonumber(c, 16)) end)
    for _ = 1, #VALUES[dtype] do
        for before = 0, 15 do
            place = place + before
            found[#found + 1] = string.unpack(format, bytes, place * size + 1)
            place = place + 1
        end
    end
    return found
end

describe("sin, cos and tan of large arguments", function()
    before_each(function()
        local pipe = assert(io.popen "mktemp -d")
        directory = pipe:read "l"
        pipe:close()
        local file = assert(io.open(directory .. "/script.lua", "w"))
        file:write(SCRIPT)
        file:close()
    end)
    after_each(function()
        os.execute(("rm -r '%s'"):format(directory))
    end)

    for _, dtype in ipairs { "f64", "f32" } do
        it("are right in " .. dtype, function()
            local text = bits("LUNARRAY_JIT=off", dtype)
            local ulp = dtype == "f64" and 0x1p-52 or 0x1p-23
            for column, name in ipairs { "sin", "cos", "tan" } do
                local found = at_arguments(assert(text:match(name .. " (%x+)\n"), text), dtype)
                for k, row in ipairs(VALUES[dtype]) do
                    for place = 1, 16 do
                        local got, want = found[(k - 1) * 16 + place], row[column + 1]
                        assert.is_true(math.abs(got - want) <= 1.6 * ulp * math.abs(want),
                            ("%s(%a) is %.17g, not %.17g"):format(name, row[1], got, want))
                    end
                end
            end
        end)
        it("have the same bits compiled, " .. dtype, function()
            local text = bits("LUNARRAY_JIT=off", dtype)
            for _, isa in ipairs { "base", "avx2", "avx512" } do -- a level that the machine lacks is lowered
                assert.equal(text, bits("LUNARRAY_JIT=sync LUNARRAY_ISA=" .. isa, dtype))
            end
        end)
    end
end)
