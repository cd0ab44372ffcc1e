-- Stencils of records: functions that see the records around an index, against plain Lua loops over tables; edges, axes,
-- nested fields, several arrays; what is refused. On every backend.
local lun = require "lunarray"
local expect = require "expect"

local FIELDS = { { "h", "f64" }, { "v", "i32" } }

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = { h = (i * 37 % 101) / 4, v = i * 13 % 29 }
    end
    return list
end

-- The row at place i of a list by what stands beyond its ends.
local function row_at(list, i, edge)
    if edge == "wrap" then
        return list[(i - 1) % #list + 1]
    elseif edge == "nearest" then
        return list[math.max(1, math.min(#list, i))]
    end
    return list[i] or { h = edge, v = edge }
end

describe("stencils of records", function()
    it("see the records around each index, on every backend", function()
        expect.everywhere(function()
            for _, layout in ipairs { "aos", "soa" } do
                local C = lun.struct("Cell", FIELDS, { layout = layout })
                local list = rows(200)
                local a = lun.vector(list, C)
                for _, edge in ipairs { "nearest", "wrap", 3 } do
                    local made = a:stencil(function(p, k)
                        return C(p(-1).h + p(2).h * k, p(0).v - p(1).v)
                    end, 2, { edge = edge })
                    assert.equal(C, made:dtype())
                    local got = made:totable()
                    for i in ipairs(list) do
                        local function p(d) return row_at(list, i + d, edge) end
                        assert.same({ h = p(-1).h + p(2).h * 2, v = p(0).v - p(1).v }, got[i])
                    end
                end
                local sums = lun.stencil(function(p) return p(-1).h * p(0).v end)(a):totable()
                assert.equal(list[199].h * list[200].v, sums[200])
            end
        end)
    end)

    it("go along several axes, over nested fields and several arrays", function()
        local C = lun.struct("Cell", FIELDS)
        local P = lun.struct("Place", { { "cell", C }, { "w", "f64", 2 } })
        local list = rows(12)
        local places = {}
        for i, row in ipairs(list) do
            places[i] = { cell = row, w = { i, -i } }
        end
        local a, x = lun.vector(places, P):reshape(3, 4), lun.index(12):reshape(3, 4)
        local got = lun.stencil(function(p, q)
            local sum = 0
            for k = 1, 2 do
                sum = sum + p(0, 1).w[k] * k
            end
            return p(-1, 0).cell.h + sum + q(1, -1)
        end, { elements = 2, edge = "wrap" })(a, x):totable()
        for i = 1, 3 do
            for j = 1, 4 do
                local up, right = places[((i + 1) % 3) * 4 + j], places[(i - 1) * 4 + j % 4 + 1]
                local corner = (i % 3) * 4 + (j + 2) % 4 + 1
                assert.equal(up.cell.h + right.w[1] + 2 * right.w[2] + corner, got[i][j])
            end
        end
    end)

    it("are refused where a record is no function, and in C", function()
        local C = lun.struct("Cell", FIELDS)
        local a = lun.zeros(5, C)
        expect.failure("field 'h' of a function (local 'p')", a.stencil, a, function(p) return p.h end)
        expect.failure("no field 'z' of a record", a.stencil, a, function(p) return p(0).z end)
        expect.failure("records need a function in Lua: p(-1).x; functions in C take fields", function()
            lun.stencil "double f(const double *x) { return get(x, -1); }"(a)
        end)
        expect.failure("array expected", function()
            lun.stencil(function(p, q) return p(0).h + q end, { elements = 2 })(a, 3)
        end)
    end)
end)
