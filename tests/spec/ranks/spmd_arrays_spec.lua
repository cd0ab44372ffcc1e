-- Arrays that ranks gather, exchange, combine and send, under --ranks and both MPIs: of all dtypes, as views, empty, of sizes
-- about the one from which they travel by themselves, among other values; what is sent before anything is received; ranks
-- without memory and ranks that end. Expected bytes are made by string.pack, in plain Lua.

local onranks = require "onranks"
local shell = require "shell"

local path, sanitized = onranks.path, onranks.sanitized
local scratch = onranks.scratch(setup, teardown)

-- Element i of rank r's array of some dtype, and such an array; what its bytes are.
local HEAD = [[
local s = lun.spmd
local n, me = s.npes, s.mype
local FORMATS = { bool = "B", i8 = "b", u8 = "B", i16 = "<h", u16 = "<H", i32 = "<i4", u32 = "<I4", i64 = "<i8", u64 = "<I8",
    f32 = "<f", f64 = "<d" }
local DTYPES = {}
for name in pairs(FORMATS) do DTYPES[#DTYPES + 1] = name end
table.sort(DTYPES)
local function element(dtype, r, i)
    local x = (i * 7 + r * 31) % 101
    return dtype == "bool" and x % 2 or x
end
local function bytes_of(dtype, r, count)
    local list = {}
    for i = 1, 101 do list[i] = string.pack(FORMATS[dtype], element(dtype, r, i)) end
    return (table.concat(list):rep(count // 101 + 1):sub(1, count * #list[1]))
end
local function array(dtype, r, count)
    return lun.frombytes(bytes_of(dtype, r, count), dtype)
end
local function same(a, dtype, bytes, ...)
    assert(a:dtype() == dtype and table.concat({ a:shape() }, " ") == table.concat({ ... }, " "))
    assert(a:tobytes() == bytes, dtype)
end
]]

-- What the ranks print, sorted; what they write to stderr; the status.
local function run(launch, script, environment)
    local file = shell.write(scratch() .. "/s.lua", HEAD .. script)
    local text, status = shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 %s timeout 200 %s s.lua 2>err"):format(scratch(),
        environment or "", launch))
    return onranks.lines(text, true), shell.slurp(file:gsub("s%.lua$", "err")), status
end

-- The script goes well on so many ranks.
local function holds(n, script, environment)
    local lines, err, status = run(("%s --ranks %d"):format(path, n), script .. "\nprint(true)", environment)
    assert.are.equal("", err)
    assert.are.equal(0, status)
    assert.are.same(("true "):rep(n), table.concat(lines, " ") .. " ")
end

local DTYPES = [[
    for _, dtype in ipairs(DTYPES) do
        local size = #string.pack(FORMATS[dtype], 0)
        local count = 65536 // size + me
        local a = array(dtype, me, count)
        local function check(list)
            for r = 0, n - 1 do same(list[r + 1], dtype, bytes_of(dtype, r, 65536 // size + r), 65536 // size + r) end
        end
        check(s.allgather(a))
        local list = s.gather(a, n - 1)
        if me == n - 1 then check(list) else assert(list == nil) end
        local parts = {}
        for k = 1, n do parts[k] = { a, k } end
        list = s.alltoall(parts)
        for k = 1, n do
            assert(list[k][2] == me + 1)
            list[k] = list[k][1]
        end
        check(list)
        for k = 1, n do list[k][1] = dtype == "bool" or 1 end -- each rank's own
        same(a, dtype, bytes_of(dtype, me, count), count)
    end
]]

-- Bytes about the size from which an array travels by itself; nothing; much. Before anything is received all have sent.
local SIZES = [[
    local sizes = { 65535, 65536, 65537, 0, 1, 300001 }
    for k, size in ipairs(sizes) do
        local a = array("u8", me, size)
        for pe = 0, n - 1 do s.send(pe, { k, a }, 3) end
        if size > 0 then a[1] = 0 end -- what was sent stays as it was
    end
    for pe = n - 1, 0, -1 do
        for k, size in ipairs(sizes) do
            local t = s.recv(pe, 3)
            assert(t[1] == k)
            same(t[2], "u8", bytes_of("u8", pe, size), size)
        end
    end
    for _, size in ipairs(sizes) do -- of one rank long, of the others short, or the other way round
        for _, long in ipairs { 0, n - 1 } do
            local mine = (me == long) and size or 7
            local list = s.allgather { array("u8", me, mine), "text" }
            for r = 0, n - 1 do
                same(list[r + 1][1], "u8", bytes_of("u8", r, r == long and size or 7), r == long and size or 7)
            end
            list = s.gather(array("u8", me, mine), long)
            for r = 0, me == long and n - 1 or -1 do
                same(list[r + 1], "u8", bytes_of("u8", r, r == long and size or 7), r == long and size or 7)
            end
        end
    end
]]

local MIXED = [[
    local wide = array("i32", me, 300 * 200):reshape(300, 200)
    local known = {}
    local function values(r)
        if known[r] then return known[r] end
        local t = {}
        for k = 1, 200 do
            for i = 1, 300 do t[#t + 1] = string.pack("<i4", element("i32", r, (i - 1) * 200 + k)) end
        end
        known[r] = table.concat(t)
        return known[r]
    end
    local own = { n = me, wide:transpose(), { deep = { wide:sub({ 11, 290 }, { 1, 200 }) } }, "text\0more", lun.zeros { 0, 5 },
        lun.ones(3), 2.5, false, wide * 2, lun.vector { me } }
    local function check(t, r)
        assert(t.n == r and t[3] == "text\0more" and t[6] == 2.5 and t[7] == false and t[9][1] == r)
        same(t[1], "i32", values(r), 200, 300)
        local rows = bytes_of("i32", r, 300 * 200)
        same(t[2].deep[1], "i32", rows:sub(10 * 800 + 1, 290 * 800), 280, 200)
        assert(t[8][300][200] == 2 * element("i32", r, 60000))
        same(t[4], "f64", "", 0, 5)
    end
    collectgarbage("generational")
    for round = 1, 3 do
        local list = s.allgather(own)
        for r = 0, n - 1 do check(list[r + 1], r) end
        local parts = {}
        for k = 1, n do parts[k] = k % 2 == 1 and own or k end
        list = s.alltoall(parts)
        parts = nil
        collectgarbage()
        for r = 0, n - 1 do
            if me % 2 == 0 then check(list[r + 1], r) else assert(list[r + 1] == me + 1) end
        end
        list = s.gather(me % 2 == 0 and own or nil)
        for r = 0, me == 0 and n - 1 or -1 do
            if r % 2 == 0 then check(list[r + 1], r) else assert(list[r + 1] == nil) end
        end
        s.send((me + 1) % n, own)
        collectgarbage()
        check(s.recv((me - 1) % n), (me - 1) % n)
    end
]]

local REDUCED = [[
    local a = array("i64", me, 20000)
    local function sum(first, last, i)
        local total = 0
        for r = first, last do total = total + element("i64", r, i) end
        return total
    end
    local function check(x, first, last)
        assert(#x == 20000 and x:dtype() == "i64")
        for i = 1, 20000, 997 do assert(x[i] == sum(first, last, i)) end
    end
    check(s.allreduce("+", a), 0, n - 1)
    check(s.scan("+", a), 0, me)
    check(s.exscan("+", a), 0, me - 1)
    local x = s.reduce(function(p, q) return p + q end, a, n - 1)
    if me == n - 1 then check(x, 0, n - 1) else assert(x == nil) end
    same(a, "i64", bytes_of("i64", me, 20000), 20000)
]]

-- Of arrays that are combined in blocks: each element's bits are those of the pair tree of whole arrays.
local BLOCKS = [[
    local operations = {
        ["+"] = function(a, b) return a + b end, ["*"] = function(a, b) return a * b end,
        max = function(a, b) return a:max(b) end, ["~"] = function(a, b) return a ~ b end,
    }
    local function tree(f, list)
        while #list > 1 do
            local level = {}
            for k = 1, #list, 2 do level[#level + 1] = list[k + 1] and f(list[k], list[k + 1]) or list[k] end
            list = level
        end
        return list[1]
    end
    local function check(op, x)
        local got, want = s.allreduce(op, x), tree(operations[op], s.allgather(x))
        assert(got:dtype() == want:dtype() and got:tobytes() == want:tobytes(), op)
        assert(table.concat({ got:shape() }, " ") == table.concat({ x:shape() }, " "))
    end
    local x = lun.random({ 300, 1003 }, { seed = me + 1 }):eval() * 10 ^ me -- 2.4 MB: three blocks
    check("+", x)
    check("*", x + 0.1)
    check("max", x:cast "f32")
    check("+", (x * 1000):cast "i8")
    check("~", (x * 1000):cast "u32")
    check("+", x:transpose()) -- not side by side
    check("+", x:sub(3, 299, 2))
    check("+", lun.full(8192 + n - 1, me + 0.1)) -- 64 KB and a few
    local whole, t = lun.ones(100000):copy(), s.allreduce(function(p, q) return p + q end, x)
    assert(t:tobytes() == s.allreduce("+", x):tobytes())
    assert(s.allreduce("+", whole)[100000] == n and whole[1] == 1)
]]

describe("arrays on ranks that are threads", function()
    for _, n in ipairs { 1, 2, 3, 5 } do
        it(("%d: are combined in blocks as whole ones are"):format(n), function()
            holds(n, BLOCKS)
        end)
    end

    for _, n in ipairs { 1, 2, 3, 4 } do
        it(("%d: of all dtypes, sizes and forms"):format(n), function()
            holds(n, ("do %s end do %s end do %s end do %s end"):format(DTYPES, SIZES, MIXED, REDUCED))
        end)
    end

    -- Megabytes that the process takes at most on top of what it had, for arrays of 64 MB each that the ranks have.
    local function extra(n, script)
        local lines, err = run(("%s --ranks %d"):format(path, n), [[
            local function peak()
                for line in io.lines "/proc/self/status" do
                    local kilobytes = line:match "VmHWM:%s*(%d+)"
                    if kilobytes then return kilobytes / 1000 end
                end
            end
            local a = lun.zeros(8000000):copy():eval()
            s.barrier()
            local before = peak()
            s.barrier()
            local got = (function() ]] .. script .. [[ end)()
            s.barrier()
            if me == 0 then print(peak() - before) end]])
        assert.are.equal("", err)
        return tonumber(lines[1])
    end

    it("take the memory of what comes", function()
        if sanitized then
            return
        end
        assert.is_true(extra(2, "return s.gather(a)") < 1.5 * 64)
        assert.is_true(extra(3, "return s.gather(a, 2)") < 1.5 * 2 * 64)
        assert.is_true(extra(2, "return s.allgather(a)") < 1.5 * 2 * 64)
        assert.is_true(extra(2, "return s.alltoall { a, a }") < 1.5 * 2 * 64)
        assert.is_true(extra(4, "return s.allreduce('+', a)") < 1.5 * 4 * 64)
        assert.is_true(extra(2, "s.send(1 - me, a) s.barrier() return s.recv(1 - me)") < 1.5 * 2 * 64)
        assert.is_true(extra(2, "s.send(me, a) return s.recv(me)") < 0.5 * 64)
        assert.is_true(extra(2, "for k = 1, 20 do s.send(1 - me, a) end s.barrier()") < 0.5 * 64)
    end)

    it("are nobody's loss where a rank has no memory for them", function()
        local lines, err = run(("%s --ranks 3"):format(path), [[
            local net = require "lunarray.core".internal.spmd
            local blank = net.blank -- memory for an array that comes
            local function says(what, f, ...)
                local count = 0
                net.blank = me == 1 and function(...)
                    count = count + 1
                    if count == 2 then error("out of memory", 0) end
                    return blank(...)
                end or blank
                local ok, e = pcall(f, ...)
                print(what, ok, not ok and (tostring(e):gsub("^s.lua:%d+: ", ""):gsub("%d+:", "N:")))
                net.blank = blank
            end
            local a = array("u8", me, 300000)
            says("allgather", s.allgather, a)
            says("alltoall", s.alltoall, { a, a, "text" })
            says("bcast", s.bcast, me == 0 and { a, a } or nil)
            for r, x in ipairs(s.allgather(a)) do same(x, "u8", bytes_of("u8", r - 1, 300000), 300000) end
            if me == 0 then s.send(1, { a, a, "first" }) s.send(1, "second") end
            if me == 1 then
                says("recv", s.recv, 0)
                local t = s.recv(0)
                same(t[2], "u8", bytes_of("u8", 0, 300000), 300000)
                assert(t[3] == "first" and s.recv(0) == "second")
            end]])
        assert.are.equal("", err)
        local told = "%s\tfalse\trank 1 cannot take its step (s.lua:N: out of memory)"
        local want = { "recv\tfalse\tout of memory" }
        for _, call in ipairs { "bcast", "alltoall", "allgather" } do
            for _ = 1, 3 do table.insert(want, 1, told:format(call)) end
        end
        assert.are.same(want, lines)
    end)

    it("that nobody receives hold up no end", function()
        for _, ending in ipairs { "", "os.exit(0)", "error 'x'" } do
            local lines, _, status = run(("%s --ranks 2"):format(path), ([[
                s.send(1 - me, array("f64", me, 100000))
                s.send(me, array("f64", me, 100000))
                if me == 0 then %s end
                local a = me == 1 and s.recv(0)
                if me == 1 then same(a, "f64", bytes_of("f64", 0, 100000), 100000) print "received" end
            ]]):format(ending == "" and "return" or ending))
            assert.are.same({ "received" }, lines)
            assert.are.equal(ending == "error 'x'" and 1 or 0, status)
        end
    end)

    it("that are awaited from a rank that has ended are an error", function()
        local lines = run(("%s --ranks 2"):format(path), [[
            if me == 0 then s.send(1, array("f64", me, 100000)) os.exit(0) end
            s.recv(0)
            print((tostring(select(2, pcall(s.recv, 0))):gsub("^s.lua:%d+: ", "")))]])
        assert.are.same({ "rank 0 has ended (os.exit)" }, lines)
    end)
end)

describe("arrays on ranks that are processes", function()
    local root = shell.capture "id -u" == "0\n" and " --allow-run-as-root" or ""
    for launcher, options in pairs { ["mpirun.mpich"] = "", ["mpirun.openmpi"] = "--oversubscribe" .. root } do
        it("under " .. launcher .. " do the same", function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            local lines, err, status = run(("%s -n 3 %s %s"):format(launcher, options, path),
                ("do %s end do %s end do %s end do %s end print(true)"):format(DTYPES, SIZES, MIXED, REDUCED),
                "LUNARRAY_MPI=" .. launcher:match "%w+$")
            assert.are.equal(0, status, err)
            assert.are.same({ "true", "true", "true" }, lines)
        end)
    end
end)
