-- Reductions of short rows of every number: one kernel holds them and what uses their results. Each row has the bits of the same
-- reduction of that row as a Vector, whichever rows and lengths came before.
local lun = require "lunarray"

local ROWS = { 1, 7, 8, 31, 64, 65, 255, 256, 257, 700 }
local LENGTHS = { 2, 3, 5, 8, 13, 21, 34, 55, 56, 57, 63, 64, 65 }
local NAMES = { "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count", "argmin", "argmax", "norm" }
local nan = 0.0 / 0.0

local function table_of(rows, length, dtype, seed)
    local A = (lun.random({ rows, length }, { seed = seed }) * 200):cast(dtype):copy()
    if dtype == "f32" or dtype == "f64" then
        A = (A - 100):eval()
        A:sub({ 1, rows, 5 }, { 2, 2 }):fill(nan)
        A:sub({ 1, rows, 3 }, { 1, 1 }):fill(-0.0)
    end
    return A
end

-- Whether two numbers or truth values have the same bits, NaNs counting as one; t: the dtype of the first.
local function same(x, y, t)
    if t == "bool" then
        return x == (y == true or y == 1)
    elseif t == "f32" and y == y then
        y = string.unpack("<f", string.pack("<f", y))
    end
    return x ~= x and y ~= y or x == y and (x ~= 0 or math.type(x) == "integer" or 1 / x == 1 / y)
end

-- Fails unless element i of a reduction along the rows of A is that of row i alone; every `step` rows.
local function check(A, name, step)
    local got = A[name](A, { axis = 2 })
    local t, list = got:dtype(), got:totable()
    for i = 1, #list, step do
        local row = A:row(i):copy()
        local wanted = row[name](row)
        assert(same(list[i], wanted, t), ("%s of %d x %d %s, row %d: %s, %s expected"):format(name, #list, #row,
            A:dtype(), i, list[i], wanted))
    end
end

-- What f does is done once with so many launches, wherever it is done for the first or a later time.
local function launches(f)
    local before = lun.stats().launches
    f():eval()
    return lun.stats().launches - before
end

describe("reductions of short rows", function()
    after_each(function() lun.use(lun.backends()[1]) end)

    for _, dtype in ipairs { "f64", "f32", "i32", "u8", "bool" } do
        it("have the bits of each row as a Vector, in any sequence of shapes: " .. dtype, function()
            local seed = 0
            for round = 1, 2 do
                for k, length in ipairs(LENGTHS) do
                    local rows = ROWS[(k * 3 + round) % #ROWS + 1]
                    seed = seed + 1
                    local A = table_of(rows, length, dtype, seed)
                    for _, name in ipairs(NAMES) do
                        check(A, name, rows // 9 + 1)
                    end
                end
            end
        end)
    end

    it("have them on every backend and on sets", function()
        for _, place in ipairs { "reference", "openmp", "openmp/3", "opencl" } do
            if place ~= "opencl" or table.concat(lun.backends(), " "):find "opencl" then
                lun.use(place)
                for _, shape in ipairs { { 300, 3 }, { 40, 9 }, { 20000, 3 }, { 5000, 17 } } do
                    local A = table_of(shape[1], shape[2], "f64", 11)
                    for _, name in ipairs { "sum", "min", "argmax", "var" } do
                        check(A, name, shape[1] // 50 + 1)
                    end
                end
            end
        end
    end)

    it("take expressions, windows, layouts and rows that are broadcast", function()
        for round = 1, 3 do
            for rows = 30, 330, 60 do
                local A, B = table_of(rows, 6, "f64", rows), table_of(rows, 6, "f64", rows + round)
                local offset = lun.vector { 1, 2, 3, 4, 5, 6 } * round
                for _, M in ipairs {
                    (A * 2 + B):eval(), A:sub({}, { 2, 5 }), A:sub({ -1, 1, -1 }, {}), A:copy { layout = "left" },
                    A:transpose():copy():transpose(), (A - offset):eval(),
                } do
                    check(M, "sum", 7)
                    check(M, "argmin", 7)
                end
                local lazy, done = (A * 2 + B):sum(2), (A * 2 + B):eval():sum(2)
                assert(lazy:eq(done):lor(done:isnan():land(lazy:isnan())):all())
                assert(same((A - offset):argmax(2)[rows], (A - offset):eval():row(rows):argmax(), "i64"))
                local windows = lun.range(1, rows + 4):cast "f64":windows(5):mean(2)
                for i = 1, rows, 11 do
                    assert.equal(i + 2.0, windows[i])
                end
            end
        end
    end)

    it("are one kernel with what is made of each row, however often", function()
        lun.use "openmp"
        for _, rows in ipairs { 64, 500, 4000, 20000 } do
            local A = lun.random({ rows, 5 }, { seed = rows }):eval()
            for _ = 1, 3 do
                for _, f in ipairs {
                    function() return A:sum(2) end, function() return A:mean(2) end, function() return A:var { axis = 2 } end,
                    function() return A:argmin(2) end, function() return (A:sum(2) + 1):sqrt() * A:max { axis = 2 } end,
                } do
                    assert.equal(1, launches(f))
                end
            end
        end
    end)

    it("give results that stay, alone and together", function()
        local A = lun.random({ 200, 4 }, { seed = 3 }):eval()
        local mean = A:mean(2)
        local above = (A - A:mean { axis = 2, keep = true }):sum(2)
        local most, least, where = lun.eval(A:max { axis = 2 }, A:min { axis = 2 }, A:argmax(2))
        for i = 1, 200, 13 do
            local row = A:row(i):copy()
            assert.equal(row:mean(), mean[i])
            assert(math.abs(above[i]) < 1e-12)
            assert.equal(row:max(), most[i])
            assert.equal(row:min(), least[i])
            assert.equal(row:argmax(), where[i])
        end
        local sums = A:sum(2)
        A:fill(1)
        assert(math.abs(sums[1] - mean[1] * 4) < 1e-12)
        assert.equal(4.0, A:sum(2)[1])
    end)

    it("fail with the line of the script where an element fails", function()
        local A = lun.ones({ 400, 3 }, "i64")
        A[399][2] = 0
        local ok, said = pcall(function() return (lun.full({ 400, 3 }, 6, "i64") // A):sum(2):eval() end)
        assert.is_false(ok)
        assert(tostring(said):find "short_rows_spec.lua:%d+: attempt to perform 'n//0'", tostring(said))
    end)
end)
