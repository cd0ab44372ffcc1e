-- lun.profile: a row for each kernel that ran in a function, and what it printed of them.

-- What f prints, as text, and its results.
local function printed(f)
    local lines, real = {}, print
    rawset(_G, "print", function(text)
        lines[#lines + 1] = text
    end)
    local results = table.pack(pcall(f))
    rawset(_G, "print", real)
    return table.concat(lines, "\n"), table.unpack(results, 1, results.n)
end

describe("lun.profile", function()
    it("names what queues did, as far as it was waited for #place", function()
        for _, device in ipairs(lun.backends()) do
            for _, async in ipairs { false, true } do
                local q, b, y = lun.queue(device, { async = async }), lun.buffer(device, 100), lun.zeros(100)
                local _, ok, rows = printed(function()
                    return lun.profile(function()
                        local task = lun.task(lun.workdiv(100), function(t, to) to[t:index()] = math.sqrt(t:index()) end, b)
                        for _ = 1, 3 do q:enqueue(task) end
                        q:enqueue(lun.range(1, 100) * 2 + 1)
                        lun.copy(q, y, b)
                        q:wait()
                    end)
                end)
                assert.is_true(ok, rows)
                local by = {}
                for _, row in ipairs(rows) do by[row.name] = row end
                assert.matches("sqrt", by.task.what)
                assert.same({ 3, 300 }, { by.task.calls, by.task.elements })
                assert.matches("^" .. device .. ".* to an array$", by.copy.what)
                assert.same({ 1, 100, 1600 }, { by.copy.calls, by.copy.elements, by.copy.bytes })
                local whole = by[async and "evaluate" or "map"]
                assert.same({ 1, 100 }, { whole.calls, whole.elements })
                assert.equal(3, #rows)
                for _, row in ipairs(rows) do assert.matches("profile_spec.lua:%d+", row.where) end
            end
        end
    end)

    local a = lun.random(100000, { seed = 3 }):eval()

    it("names C functions and loops, and no more operations than there is room for", function()
        local _, ok, rows = printed(function()
            return lun.profile(function()
                local b = a:map "(double x) { return x + 1; }":eval()
                b:map(function(x) while x < 5 do x = x + 1 end return x end):eval()
                local c = a
                for _ = 1, 40 do
                    c = (c * 1.5):sin()
                end
                c:eval()
            end)
        end)
        assert.is_true(ok, rows)
        local names = {}
        for i, row in ipairs(rows) do
            names[i] = row.what
        end
        table.sort(names, function(x, y) return #x < #y end)
        assert.equal("C", names[1])
        assert.is_truthy(names[2]:find("loop", 1, true), names[2])
        assert.matches("^mul sin mul sin .* %.%.%.$", names[3])
    end)

    it("counts calls, elements and bytes of each kernel", function()
        local text, ok, rows, sum, extra = printed(function()
            return lun.profile(function(k, more)
                local s = 0
                for i = 1, 5 do
                    s = s + ((a - i) * k):sum()
                end
                local b = (a:sqrt() + 1):eval()
                return s, more, b
            end, 2, "more")
        end)
        assert.is_true(ok, rows)
        assert.equal("more", extra)
        assert.is_true(sum < 0)
        assert.equal(2, #rows)
        local by = { [rows[1].name] = rows[1], [rows[2].name] = rows[2] }
        assert.same({ 5, 500000, 5 * 800000, 3 }, { by.reduce.calls, by.reduce.elements, by.reduce.bytes, by.reduce.ops })
        assert.same({ 1, 100000, 1600000, 2 }, { by.map.calls, by.map.elements, by.map.bytes, by.map.ops })
        assert.equal("sub mul", by.reduce.what)
        assert.equal("sqrt add", by.map.what)
        for _, row in ipairs(rows) do
            assert.is_true(row.run > 0 and row.run < 60 and row.compile >= 0 and row.transfer >= 0)
            assert.is_true(row.interpreted <= row.calls)
        end
        assert.is_true(rows[1].run >= rows[2].run)
        local lines = {}
        for line in text:gmatch "[^\n]+" do
            lines[#lines + 1] = line
        end
        assert.equal(3, #lines)
        assert.matches("^kernel +calls +compile +transfer +run ms +GB/s +operations$", lines[1])
        assert.matches("^%l+ +%d+ +[%d.]+ +[%d.]+ +[%d.]+ +[%d.]+ +%l+ %l+", lines[2])
    end)

    it("has a row for each algorithm of a line", function()
        for _, backend in ipairs(lun.backends()) do
            lun.use(backend)
            local keys = lun.index(30000) % 7
            local b = lun.random(30000, { seed = 4 }):copy()
            local _, ok, rows = printed(function()
                return lun.profile(function()
                    for _ = 1, 3 do b:sort():eval() end
                    b:argsort():eval()
                    return (b * 2 + 1):compress(b:gt(0.5)):size(), lun.group(keys):count():eval()
                end)
            end)
            lun.use(lun.backends()[1])
            assert.is_true(ok, rows)
            local by = {}
            for _, row in ipairs(rows) do
                by[row.what] = row
                assert.is_true(row.run > 0 and row.run < 60 and row.transfer >= 0, row.what)
            end
            assert.same({ "sort", 3, 90000, 3 * 2 * 240000, 1 },
                { by.sort.name, by.sort.calls, by.sort.elements, by.sort.bytes, by.sort.ops })
            assert.same({ 1, 30000, 2 * 240000 }, { by.argsort.calls, by.argsort.elements, by.argsort.bytes })
            assert.same({ 1, 30000 }, { by.compress.calls, by.compress.elements })
            assert.equal(1, by.group.calls)
            assert.not_equal(by.sort.where, by.argsort.where)
            assert.matches("profile_spec.lua:%d+", by.sort.where)
            local kernels = 0 -- of the elements that are kept, made in pieces
            for _, row in ipairs(rows) do
                kernels = kernels + (row.what:find("mul add", 1, true) and row.calls or 0)
            end
            assert.equal(1, kernels, backend)
        end
    end)

    it("has the kernels that run together", function()
        local A = lun.random({ 1000, 1100 }, { seed = 1 }):copy()
        local s = lun.stencil(function(x) return x(-1, 0) * x(0, 1) end)
        local _, ok, rows = printed(function()
            return lun.profile(function()
                s(s(s(A))):eval() -- on some backends blocked in time
                ;(A / A:max { axis = 2, keep = true }):eval() -- and a chain
            end)
        end)
        assert.is_true(ok, rows)
        local calls, bytes, elements = {}, 0, {}
        for _, row in ipairs(rows) do
            calls[row.what], elements[row.what] = row.calls, row.elements
            bytes = bytes + row.bytes
        end
        assert.is_true(bytes >= 4 * 8800000)
        if lun.use():find "opencl" then -- in slices
            assert.is_true(calls.mul >= 3 and calls[""] >= 1 and calls.div >= 1)
            return
        end
        assert.same({ mul = 3, [""] = 1, div = 1 }, calls)
        assert.same({ mul = 3300000, [""] = 1100000, div = 1100000 }, elements)
    end)

    it("starts anew and says when nothing ran", function()
        local text, _, rows = printed(function() return lun.profile(function() end) end)
        assert.equal("no kernel ran", text)
        assert.same({}, rows)
    end)

    it("passes errors on and ends with them", function()
        local text, ok, problem = printed(function()
            return lun.profile(function()
                (a + 1):eval()
                error({ "mine" })
            end)
        end)
        assert.same({ "", false }, { text, ok })
        assert.same({ "mine" }, problem)
        assert.same({ "no kernel ran" }, { (printed(function() return lun.profile(print and function() end) end)) })
    end)

    it("wants a function", function()
        assert.has_error(function() lun.profile(7) end, "bad argument #1 to 'profile' (function expected, got number)")
    end)

    it("has a row for matrix products, alone and with what takes their rows", function()
        local A, B = lun.random({ 700, 300 }, { seed = 1 }):eval(), lun.random({ 300, 500 }, { seed = 2 }):eval()
        local _, ok, rows = printed(function()
            return lun.profile(function()
                for i = 1, 3 do
                    local C = A:matmul(B) -- one line, one row
                    if i == 3 then
                        (C + 1):max(60):eval()
                    else
                        C:eval():free()
                    end
                    A[1][1] = i
                end
            end)
        end)
        assert.is_true(ok, rows)
        local by = {}
        for _, row in ipairs(rows) do
            by[row.name] = row
        end
        assert.same({ 3, 3 * 350000, 1 }, { by.matmul.calls, by.matmul.elements, by.matmul.ops })
        assert.truthy(by.matmul.where:find("profile_spec", 1, true), by.matmul.where)
        assert.same({ 1, 350000, 2 }, { by.map.calls, by.map.elements, by.map.ops })
        assert.is_true(by.matmul.run > by.map.run)
    end)
end)
