-- Histograms and quantiles on several locations, which count their own elements: results have the bits of one location, and few bytes
-- go to the host.

local moves = require "moves"
local onranks = require "onranks"
local shell = require "shell"
local lun = require "lunarray"

teardown(function() lun.use "openmp" end)

-- Prints what each of many programs gives, on what is in use; `ways`: distributions.
local PROGRAM = [[
    local WHOLE = os.getenv "TEST_WHOLE"
    local function show(text, f, ...)
        local done, x = pcall(function(...) return table.concat(f(...):totable(), " ") end, ...)
        print(text, done and x or tostring(x):match "edge [^\n]*" or x)
    end
    local ways = { { "block" }, { "block", { rule = "ceiling" } }, { "single" }, { "copy" }, { "overlap" } }
    for _, n in ipairs(WHOLE and { 1, 2, 63, 64, 65, 1000, 20011, 70001 } or { 1, 63, 65, 1000, 20011 }) do
        for _, t in ipairs { "f64", "f32", "f16", "i32", "u8", "i64", "bool" } do
            for w, way in ipairs(ways) do
                local a = ((lun.random(n, { seed = n + w }) * 90 - 30):floor() / (t:find "f" and 8 or 1)):cast(t)
                if t:find "f" then a = lun.where((lun.index(n) % 17):eq(3), 0 / 0, a):cast(t) end
                a = a:copy():distribute(way[1], way[2])
                for _, bins in ipairs { 1, 5, 200 } do
                    show(("%d %s %d, %d bins"):format(n, t, w, bins), function()
                        return (a:histogram(bins, { range = { -20, 20 } }))
                    end)
                end
                show("of all", function() return (a:histogram(9)) end)
                show("computed", function() return ((a + a):histogram(9, { range = { -3, 7 } })) end)
                show("edges that are parts, too", function()
                    return (a:histogram((lun.range(1, 12) * 0.5 - 3):copy():distribute "block" + 0))
                end)
                show("no order", function() return (a:histogram(lun.vector { 1, 2, 3, 2, 5 })) end)
                show("a part", function() return (a:flatten():sub { n // 3 + 1, n }:histogram(4, { range = { -2, 3 } })) end)
            end
        end
    end
]]

-- Of so many elements that digits of keys are counted.
local QUANTILES = [[
    local WHOLE = os.getenv "TEST_WHOLE"
    local parts = { 0, 0.25, 0.5, 0.77, 0.999, 1 }
    local function show(text, e) print(text, (e:tobytes():gsub(".", function(c) return ("%02x"):format(c:byte()) end))) end
    for _, n in ipairs(WHOLE and { 4095, 12289, 28673, 70001 } or { 4095, 28673 }) do
        for _, t in ipairs(WHOLE and { "f64", "f32", "f16", "i32", "u8", "i16", "i64", "u64", "bool" }
            or { "f64", "f16", "i32", "u8", "u64" }) do
            for w, way in ipairs { { "block" }, { "block", { rule = "ceiling" } }, { "single" }, { "copy" } } do
                local a = lun.random(n, { seed = n + w }) * 90 - (t:find "u" and 0 or 30)
                if w == 2 then a = a:floor() end
                a = a:cast(t):copy():distribute(way[1], way[2])
                local text = ("%d %s %d"):format(n, t, w)
                show(text, a:quantile(parts))
                show(text .. " median", a:quantile { 0.5 })
                if t:find "^f" then
                    local holes = lun.where((lun.index(n) % 17):eq(3), 0 / 0, a / (lun.index(n) % 5)):cast(t):eval()
                    show(text .. " NaNs", holes:quantile(parts))
                    show(text .. " without NaNs", holes:quantile(parts, { skipnan = true }))
                    show(text .. " few numbers", lun.where((lun.index(n) % 97):eq(3), a, 0 / 0):cast(t):eval()
                        :quantile(parts, { skipnan = true }))
                    show(text .. " ends", lun.where(a:gt(0), 1 / 0, -1 / 0):cast(t):eval():quantile(parts))
                    show(text .. " zeros", (a * 0):eval():quantile(parts))
                    show(text .. " only NaNs", (a * (0 / 0)):eval():quantile(parts, { skipnan = true }))
                end
                show(text .. " most alike", lun.where((lun.index(n) % 9):eq(1), 1, a):cast(t):eval():quantile { 0.5, 0.9 })
                show(text .. " few others", lun.where((lun.index(n) % 9):eq(1), a, 7):cast(t):eval():quantile { 0.02, 0.5, 0.9 })
                if t:find "^f" then
                    for _, by in ipairs { 2^-8, 2^-14, 2^-40 } do
                        show(text .. " close", (a * by + 2):eval():quantile { 0.05, 0.5, 0.77 })
                        show(text .. " close below 0", (a * by - 1e3):eval():quantile { 0.05, 0.5, 0.77 })
                    end
                end
                show(text .. " a part", a:sub { n // 3 + 1, n }:quantile(parts))
            end
        end
    end
]]

local function on(set, text)
    lun.use(set)
    local said = {}
    assert(load(text, "=program", "t", setmetatable({ print = function(...)
        said[#said + 1] = table.concat({ ... }, ": ")
    end }, { __index = _G })))()
    return said
end

describe("what several locations count", function()
    it("has the bits of one, on sets and ranks", function()
        local wanted = on("openmp", PROGRAM)
        for _, set in ipairs { "openmp/2", "openmp/3", "reference/7" } do assert.same(wanted, on(set, PROGRAM), set) end
        local scratch = shell.scratch()
        shell.write(scratch .. "/s.lua", PROGRAM)
        local text = shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=30 timeout 200 %s --ranks 3 --backend mpi s.lua 2>&1 </dev/null")
            :format(scratch, onranks.path))
        shell.discard(scratch)
        local k = 0
        for line in text:gmatch "[^\n]+" do
            k = k + 1
            assert.equal(wanted[k], (line:gsub("\t", ": ")))
        end
        assert.equal(#wanted, k)
    end)

    it("has the bits of one where quantiles are narrowed down", function()
        local wanted = on("openmp", QUANTILES)
        for _, set in ipairs { "openmp/2", "openmp/3", "reference/7" } do assert.same(wanted, on(set, QUANTILES), set) end
    end)

    it("has the bits of one where ranks that serve narrow them down", function()
        local wanted, scratch = on("openmp", QUANTILES), shell.scratch()
        shell.write(scratch .. "/q.lua", QUANTILES .. [[
            local a = lun.random(100000, { seed = 5 }):copy():distribute "block":eval()
            a:sum()
            local before = lun.stats()
            a:quantile({ 0.1, 0.5 }):eval()
            local after = lun.stats()
            print("to the host", after.bytes_to_host - before.bytes_to_host < 1000)
        ]])
        local text = shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=30 timeout 200 %s --ranks 3 --backend mpi q.lua 2>&1 </dev/null")
            :format(scratch, onranks.path))
        shell.discard(scratch)
        wanted[#wanted + 1] = "to the host: true"
        local k = 0
        for line in text:gmatch "[^\n]+" do
            k = k + 1
            assert.equal(wanted[k], (line:gsub("\t", ": ")))
        end
        assert.equal(#wanted, k)
    end)

    it("leaves elements where they are, as it is explained", function()
        lun.use "openmp/3"
        local n = 100000
        local a = ((lun.random(n, { seed = 1 }) * 2):copy():distribute "block" + 1):eval()
        local e = (a:histogram(100, { range = { 0, 3 } }))
        local plan = lun.explain(e)
        assert.equal(3, #plan[1].places)
        assert.equal(0, #plan.moves)
        moves.counted(function() e:eval() end, moves.told(e), "histogram")
        assert.equal(n, e:sum())
        for _, parts in ipairs { { 0.5 }, { 0.1, 0.5, 0.9 } } do
            local q = a:quantile(parts)
            assert.equal(3, #lun.explain(q)[1].places)
            moves.counted(function() q:eval() end, { moves = 0, bytes_moved = 0, bytes_to_host = 0, bytes_to_device = 0 }, "quantile")
        end
        -- as many bins as elements: these go to the host, and not bins
        e = (a:histogram(n, { range = { 0, 3 } }))
        assert.equal(1, #lun.explain(e)[1].places)
        moves.counted(function() e:eval() end, moves.told(e), "many bins")
        assert.equal(n, e:sum())
    end)
end)
