-- One lazy array at several places of an expression, or under several views of it: every step that goes through arrays some
-- rows at a time has to find what it reads whole as a whole. Results have the bits of those of evaluated operands, and where
-- plain Lua says what they are, these.
local lun = require "lunarray"
local onplaces = require "onplaces"

local N = 1024 -- squares of f32 take 4 MB: less is not computed in pieces

local SOURCES = {
    virtual = function() return (lun.random({ N, N }, { dtype = "f32", seed = 3 }) * 8):floor() end,
    map = function() return lun.random({ N, N }, { dtype = "f32", seed = 3 }):eval() * 8 - 3 end,
    chain = function()
        local a = lun.random({ N, N }, { dtype = "f32", seed = 4 }):eval()
        return a - a:max { axis = 2, keep = true }
    end,
    stencil = function()
        local a = lun.random({ N, N }, { dtype = "f32", seed = 5 }):eval()
        return a:stencil(function(x) return x(0, 0) + x(0, 1) * 2 end, { edge = 0 })
    end,
}

local function flat(a) return a:reshape(N * N) end
local function places(a) return flat(a):clamp(1, N * N):cast "i64" end

-- Each gives arrays that have a at several operand positions.
local USES = {
    ["A A"] = function(a) return a:matmul(a) end,
    ["A A'"] = function(a) return a:matmul(a:transpose()) end,
    ["A' A"] = function(a) return a:transpose():matmul(a) end,
    ["A' A'"] = function(a) return a:transpose():matmul(a:transpose()) end,
    ["A A, flat"] = function(a) return flat(a):reshape(N, N):matmul(a) end,
    ["A, columns of A"] = function(a) return a:matmul(flat(a):sub(1, 64 * N):reshape(N, 64)) end,
    ["A row"] = function(a) return a:matmul(a[1]) end,
    ["A (A A)"] = function(a) return a:matmul(a:matmul(a)) end,
    ["A A / sums + A"] = function(a)
        local p = a:matmul(a)
        return p / p:sum { axis = 2, keep = true } + a
    end,
    ["dot"] = function(a) return flat(a):lazy("sum"), (flat(a) * flat(a):sub(-1, 1, -1)):lazy "sum" end,
    ["batches"] = function(a) return a:reshape(2, N // 2, N):matmul(a) end,
    ["take"] = function(a) return flat(a):take(places(a)) + flat(a) end,
    ["sort"] = function(a) return flat(a):sort() - flat(a), flat(a):argsort() end,
    ["compress"] = function(a)
        local m = flat(a):gt(1)
        return flat(a):compress(m), m:indices()
    end,
    ["scans"] = function(a) return a:scan("max", -9), a:scan("max", -9, { axis = 2 }) + a end,
    ["both axes"] = function(a) return a:sum { axis = 1 }, a:max { axis = 2 }, a:min { axis = 1 } end,
    ["first row and column"] = function(a)
        return a / (flat(a):sub(1, N):reshape(N, 1) + 4) + flat(a):sub(1, N):reshape(1, N)
    end,
    ["rows, and elements from the first on"] = function(a)
        local r = a - a:max { axis = 2, keep = true }
        return (r + 1) / (flat(r):sub(1, N):reshape(N, 1) - 1)
    end,
}

-- The bytes of the results of a use.
local function results(use, a)
    local all = { use(a) }
    lun.eval(table.unpack(all))
    for i, x in ipairs(all) do
        all[i] = x:kind() == "Scalar" and ("%a"):format(x:value()) or x:tobytes()
    end
    return all
end

local function compare(set, sources)
    for source, make in pairs(sources) do
        for name, use in pairs(USES) do
            local got, wanted = results(use, make()), results(use, make():eval())
            for i = 1, #wanted do
                assert(got[i] == wanted[i], ("%s of %s, result %d, on %s"):format(name, source, i, set))
            end
            collectgarbage()
        end
    end
end

describe("a lazy array at several places", function()
    onplaces.restore(before_each, after_each)

    it("is one array", function() compare("one place", SOURCES) end)

    it("is one array on sets of places #place", function()
        lun.use "openmp/3"
        compare("openmp/3", os.getenv "TEST_WHOLE" and SOURCES or { virtual = SOURCES.virtual, chain = SOURCES.chain })
    end)

    it("multiplies itself to the sums of products", function()
        local A = SOURCES.virtual()
        local P, B = A:matmul(A):eval(), SOURCES.virtual():eval():totable()
        for _, i in ipairs { 1, 255, 256, 257, 1024 } do
            for _, j in ipairs { 1, 640, 1024 } do
                local s = 0
                for k = 1, N do s = s + B[i][k] * B[k][j] end
                assert.equal(s, P[i][j])
            end
        end
    end)
end)

describe("virtual arrays", function()
    onplaces.restore(before_each, after_each)

    -- Element (i, j) of n x m is (i - 1) * m + j.
    local function sums(n, m)
        local rows, columns, most = {}, {}, {}
        for i = 1, n do
            rows[i] = (i - 1) * m * m + m * (m + 1) // 2
            most[i] = i * m
        end
        for j = 1, m do columns[j] = m * (n * (n - 1) // 2) + n * j end
        return rows, columns, most
    end

    it("reduced along axes count their own elements", function()
        for _, shape in ipairs { { 40000, 2 }, { 20000, 50 }, { 5000, 63 }, { 1024, 1024 }, { 300, 300 }, { 64, 640 } } do
            local n, m = shape[1], shape[2]
            local rows, columns, most = sums(n, m)
            for _, set in ipairs { "reference", "openmp", "openmp/3" } do
                lun.use(set)
                local function A() return lun.index(n * m):reshape(n, m) end
                local a, b, c = A():sum { axis = 2 }, A():sum { axis = 1 }, A():max { axis = 2 }
                lun.eval(a, b, c)
                assert.same(rows, a:totable())
                assert.same(columns, b:totable())
                assert.same(most, c:totable())
                assert.same(rows, A():sum({ axis = 2 }):totable())
                assert.same(most, A():max({ axis = 2 }):totable())
                local zeros = lun.zeros({ m, n }, "i64"):transpose() -- columns side by side
                assert.same(rows, (A() + zeros):sum({ axis = 2 }):totable())
            end
        end
    end)
end)
