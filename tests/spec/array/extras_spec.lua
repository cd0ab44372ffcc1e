-- Numbers behind the two values of the function of a reduce or scan, on every backend.

local lun = require "lunarray"
local expect = require "expect"

local backends = lun.backends()

-- Addition of remainders, which is associative.
local forms = {
    ["a Lua function"] = function(x, y, m) return (x + y) % m end,
    ["a C text"] = "(long x, long y, long m) { return (x + y) % m; }",
}

for _, backend in ipairs(backends) do
    for name, f in pairs(forms) do
        describe(name .. " with an extra argument on " .. backend, function()
            setup(function() lun.use(backend) end)
            teardown(function() lun.use(backends[1]) end)

            local n = 70000
            local list = {}
            for i = 1, n do
                list[i] = i * i % 1009
            end

            it("reduces", function()
                local a, reduce = lun.vector(list), lun.reduce(f, 0)
                for _, m in ipairs { 97, 1000003 } do
                    assert.equal(a:sum() % m, reduce(a, m):value())
                    assert.equal(a:sum() % m, a:reduce(f, 0, m):value())
                    assert.equal((a * 3):sum() % m, reduce:run { a * 3, m }:value())
                end
                assert.equal(5 % 7, lun.vector { 5 }:reduce(f, nil, 7):value())
            end)

            it("scans", function()
                local a, sum, wanted = lun.vector(list), 0, {}
                for i = 1, n do
                    wanted[i] = sum
                    sum = (sum + list[i]) % 89
                end
                expect.elements(wanted, a:scan(f, 0, 89))
                expect.elements(wanted, lun.scan(f, 0)(a, 89))
                table.remove(wanted, 1)
                wanted[n] = sum
                expect.elements(wanted, a:scan(f, 0, 89, { inclusive = true }))
                expect.elements(wanted, lun.scan(f, 0, { inclusive = true })(a, 89))
            end)

            it("reduces and scans along axes", function()
                local rows, columns, m = 40, 30, 53
                local A = lun.vector { table.unpack(list, 1, rows * columns) }:reshape(rows, columns):eval()
                for _, x in ipairs { A, A * 3 } do
                    expect.elements((x:sum { axis = 2 } % m):totable(), x:reduce(f, 0, m, { axis = 2 }))
                    expect.elements((x:sum { axis = 1 } % m):totable(), x:reduce(f, 0, m, { axis = 1 }))
                    expect.elements((x:sum { axis = 1 } % m):totable(), lun.reduce(f, 0, { axis = 1 })(x, m))
                    assert.same({ rows, 1 }, { x:reduce(f, 0, m, { axis = 2, keep = true }):shape() })
                    assert.same({ 1, 1 }, { x:reduce(f, 0, m, { keep = true }):shape() })
                    for axis = 1, 2 do
                        local sums = x:scan("+", 0, { axis = axis, inclusive = true })
                        local scanned = x:scan(f, 0, m, { axis = axis, inclusive = true })
                        assert.same((sums % m):totable(), scanned:totable())
                        assert.same({ rows, columns }, { scanned:shape() })
                        assert.same(scanned:totable(), lun.scan(f, 0, { axis = axis, inclusive = true })(x, m):totable())
                    end
                end
                expect.failure("axis 3 is out of range", A.reduce, A, f, 0, m, { axis = 3 })
                expect.failure(type(f) == "string" and "extra arguments of reduce and scan must be numbers" or "arithmetic",
                    A.reduce, A, f, 0, A, { axis = 1 })
            end)

            it("compiles nothing for another number", function()
                local a = lun.vector(list) + 1
                local sum, first = a:sum(), a:reduce(f, 0, 11):value()
                local before = lun.stats().kernels
                assert.equal(sum % 11, first)
                assert.equal(sum % 13, a:reduce(f, 0, 13):value())
                assert.equal(before, lun.stats().kernels)
            end)

            it("takes two results of different numbers in one pass", function()
                local a = lun.vector(list)
                local x, y = lun.eval(a:reduce(f, 0, 31), a:reduce(f, 0, 37))
                assert.equal(a:sum() % 31, x)
                assert.equal(a:sum() % 37, y)
            end)

            it("refuses what is no number, or too many and too few", function()
                local a = lun.vector(list)
                expect.failure(type(f) == "string" and "extra arguments of reduce and scan must be numbers, but argument 1 is an array"
                    or "arithmetic", a.reduce, a, f, 0, a)
                expect.failure("argument 1 is a Scalar: pass s:value()", a.scan, a, f, 0, (a + 1):lazy "sum")
                expect.failure("extra argument", a.reduce, a, "+", 0, 2)
                expect.failure("number expected", a.reduce, a, f, 0, "x")
                expect.failure("called with", a.reduce, a, f, 0, 2, 3)
                expect.failure(type(f) == "string" and "called with 0" or "nil", a.reduce, a, f, 0)
                expect.failure("unknown option 'inclusive'", a.reduce, a, f, 0, 7, { inclusive = true })
                assert.equal(a:sum(), a:reduce("+", 0, nil):value()) -- options that are nil
            end)

            it("is checked by lun.check", function()
                local a = lun.vector(list)
                lun.check(true)
                local ok, message = pcall(function()
                    assert.equal(a:sum() % 97, (a % 97):reduce(f, 0, 97):value())
                    expect.elements({ 0, 1 }, lun.scan(f, 0)(lun.vector { 1, 2 }, 97))
                    local A = (a % 97):eval():reshape(700, 100)
                    expect.elements((A:sum { axis = 2 } % 97):totable(), A:reduce(f, 0, 97, { axis = 2 }))
                    expect.elements((A:sum { axis = 1 } % 97):totable(), lun.reduce(f, 0, { axis = 1 })(A, 97))
                    expect.elements((a * 2 % 5):totable(), a:map(f, a, 5, { elements = 2 }))
                    expect.elements((a * 2 % 5):totable(), lun.map(f, { elements = 2 })(a, a, 5))
                    expect.failure("not associative", function()
                        local wrong = type(f) == "string" and "(long x, long y, long m) { return x - y * m; }"
                            or function(x, y, m) return x - y * m end
                        return A:reduce(wrong, 0, 3, { axis = 2 }):eval()
                    end)
                    expect.failure("not associative", function()
                        local wrong = type(f) == "string" and "(long x, long y, long m) { return x - y * m; }"
                            or function(x, y, m) return x - y * m end
                        return a:reduce(wrong, 0, 3):value()
                    end)
                end)
                lun.check(false)
                assert(ok, message)
            end)
        end)
    end
end
