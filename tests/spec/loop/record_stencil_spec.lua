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

    it("read records of many elements, of which few are read at each offset", function()
        local W = lun.struct("W", { { "f", "f64", { 3, 9 } }, { "k", "i32" } })
        local list, makes, sums = {}, {}, {}
        for i = 1, 12 do
            list[i] = { f = {}, k = i }
            for r = 1, 3 do
                list[i].f[r] = {}
                for c = 1, 9 do list[i].f[r][c] = (i * 31 + r * 7 + c * 3) % 17 + 0.5 end
            end
        end
        for r = 1, 3 do
            makes[r] = {}
            for c = 1, 9 do
                makes[r][c] = ("p(%d, %d).f[%d][%d] + s * k"):format(r - 2, (c - 1) % 3 - 1, r, c)
                sums[#sums + 1] = ("p(0, 0).f[%d][%d]"):format(r, c)
            end
            makes[r] = "{" .. table.concat(makes[r], ", ") .. "}"
        end
        local text = ("local W = ... return function(p, k) local s = %s return W({%s}, p(1, -1).k) end"):format(
            table.concat(sums, " + "), table.concat(makes, ", "))
        local f, g = load(text)(W), load(text)(function(m, k) return { f = m, k = k } end)
        -- What the cell at i, j is by an edge.
        local function at(i, j, edge)
            if edge == "wrap" then
                i, j = (i - 1) % 3 + 1, (j - 1) % 4 + 1
            elseif edge == "nearest" then
                i, j = math.max(1, math.min(3, i)), math.max(1, math.min(4, j))
            elseif i < 1 or i > 3 or j < 1 or j > 4 then
                local row = { 2, 2, 2, 2, 2, 2, 2, 2, 2 }
                return { f = { row, row, row }, k = 2 }
            end
            return list[(i - 1) * 4 + j]
        end
        expect.everywhere(function()
            for _, layout in ipairs { "aos", "soa" } do
                local V = lun.struct("W", { { "f", "f64", { 3, 9 } }, { "k", "i32" } }, { layout = layout })
                local a = lun.vector(list, V):reshape(3, 4)
                for _, edge in ipairs { "wrap", "nearest", 2, "keep" } do
                    local got = a:stencil(f, 0.25, { edge = edge }):totable()
                    for i = 1, 3 do
                        for j = 1, 4 do
                            local stays = edge == "keep" and (i ~= 2 or j == 1 or j == 4)
                            local wanted = stays and at(i, j) or g(function(di, dj) return at(i + di, j + dj, edge) end, 0.25)
                            assert.same(wanted, got[i][j])
                        end
                    end
                end
                local few = a:stencil(function(p) return p(0, 1).f[3][9] - p(-1, 0).f[1][1] end):totable()
                assert.equal(at(2, 4).f[3][9] - at(1, 3).f[1][1], few[2][3])
            end
        end)
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
