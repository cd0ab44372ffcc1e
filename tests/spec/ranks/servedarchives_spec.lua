-- Archives (.npz) and records that all ranks load of a script that runs on all of them (--backend mpi), each its part. The
-- oracle is the same script on one machine: it prints the same bytes.

local onranks = require "onranks"
local shell = require "shell"

local path, sanitized = onranks.path, onranks.sanitized
local scratch = onranks.scratch(setup, teardown)

-- What a command that runs the script prints, on stderr too, and its status.
local function run(launch, script)
    local file = shell.write(scratch() .. "/s.lua", script)
    return shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 LUNARRAY_JIT=off timeout 300 %s %s 2>&1 </dev/null"):format(
        scratch(), launch, file))
end

local served, same = onranks.serving(run, assert)

-- Files by hand, and what is loaded: bits, dtypes, shapes, layouts.
local FILES = onranks.PUT .. [[
    local function write(name, ...)
        local f = assert(io.open(name, "wb"))
        assert(f:write(...))
        assert(f:close())
    end
    local function npy(descr, left, shape, bytes)
        local head = ("{'descr': %s, 'fortran_order': %s, 'shape': (%s,), }"):format(descr, left and "True" or "False", shape)
        head = head .. (" "):rep(-(#head + 11) % 64) .. "\n"
        return "\x93NUMPY\1\0" .. string.pack("<s2", head) .. bytes
    end
    local function structs(form, n, make)
        local all = {}
        for k = 1, n do all[k] = string.pack(form, make(k)) end
        return table.concat(all)
    end
    local function show(x)
        print(tostring(x:dtype()):gsub("\n.*", ""), x:layout(), table.concat({ x:shape() }, " "))
        if lun.isarray(x) then return put(x) end
        put { eval = function() return x end }
        for _, name in ipairs(x:dtype()) do
            local a = x:field(name)
            print(name, a:dtype())
            put(a) put(a:cast "f64" * 2)
            if #a > 0 then put(a:cast "f64":sum()) end
        end
    end
]]

-- A counter's difference over a call, in bytes of elements sent from rank 0.
local COUNTED = [[
    local function counted(f)
        local before = lun.stats()
        local x = f()
        local after = lun.stats()
        print(after.bytes_sent - before.bytes_sent, after.bytes_to_host - before.bytes_to_host)
        return x
    end
]]

describe("an archive that all ranks load", function()
    it("gives the arrays of one machine", function()
        same({ 2, 3, 5 }, FILES .. [[
            for _, n in ipairs { 0, 1, 2, 3, 4, 8191, 8192, 16383, 16385, 70001 } do
                for _, compress in ipairs { false, true } do
                    local saved = { d = lun.random(n, { seed = n }), i = lun.index(n) % 9, t = (lun.index(n) % 3):eq(1),
                        h = (lun.index(n) % 300):cast "u16", f = lun.random({ 3, n }, { seed = 1, dtype = "f32" }),
                        left = lun.random({ n, 2 }, { seed = 2 }):copy { layout = "left" }, one = lun.index(3) }
                    assert(lun.save("a.npz", saved, { compress = compress }))
                    local t = assert(lun.load "a.npz")
                    for name, x in pairs(t) do
                        print(name, #x)
                        show(x)
                        print(x:eq(saved[name]):all())
                    end
                    if n > 2 then t.d[3] = 7 put(t.d) put(t.d:sum()) end
                end
            end]])
    end)

    it("sends no element where its members are stored, and all of them where they are compressed", function()
        for _, n in ipairs { 4, 64 } do
            local part = 40000 // n * 8 -- rank 0's own
            local want = ("0\t0\n0\t0\n0\t0\n%d\t0\n"):format(40000 * 8 - part)
            assert.equal(want, (served(n, COUNTED .. [[
                local a = { a = lun.random(40000, { seed = 1 }), b = lun.index(40000) }
                assert(lun.save("b.npz", a))
                local t = counted(function() return assert(lun.load "b.npz") end)
                counted(function() (t.a * 2):eval() return (t.b * 2):eval() end)
                assert(t.a:eq(a.a):all() and t.b:eq(a.b):all())
                assert(lun.save("b.npz", a, { compress = true }))
                t = counted(function() return assert(lun.load "b.npz") end)
                counted(function() return (t.a * 2):eval() end)]])), n .. " ranks")
        end
    end)

    it("may be replaced or removed after that", function()
        assert.equal("0\t0\ntrue\n", (served(3, COUNTED .. [[
            assert(lun.save("c.npz", { a = lun.index(40000) }))
            local a = assert(lun.load "c.npz").a
            local f = io.open("c.npz", "r+b") f:write(("x"):rep(100000)) f:close()
            os.remove "c.npz"
            counted(function() return (a * 2):eval() end)
            print(a:eq(lun.index(40000)):all())]])))
    end)

    it("that is damaged is refused as on one machine, wherever", function()
        same({ 3 }, FILES .. [[
            local function load(what)
                local t, message, code = lun.load "d.npz"
                print(what, t and #t.a, message, code)
            end
            assert(lun.save("d.npz", { a = lun.index(20000), b = lun.index(10), c = (lun.index(80000) % 2):eq(1) }))
            local f = io.open("d.npz", "rb")
            local sound = f:read "a"
            f:close()
            for _, at in ipairs { 5, 20, 60, 150, 1000, 70000, 100000, 159000, 160100, 160140, 160300, 161000, 200000,
                #sound - 30, #sound - 200 } do
                write("d.npz", sound:sub(1, at), string.char(sound:byte(at + 1) ~ 64), sound:sub(at + 2))
                load(at)
            end
            for _, length in ipairs { 70000, 160000, #sound - 1 } do
                write("d.npz", sound:sub(1, length))
                load(length)
            end
            write("d.npz", sound)
            load "sound"
            -- truths that are none, with a checksum that holds
            local zip, crc32 = require "lunarray.format.zip", require "lunarray.core".internal.crc32
            for _, byte in ipairs { 1, 2 } do
                local w = zip.writer()
                local text = npy("'|b1'", false, "100000", ("\1"):rep(99999) .. string.char(byte))
                write("d.npz", w:header("a.npy", #text, crc32(text)), text, w:finish())
                load(byte)
            end]])
    end)
end)

describe("records that all ranks load", function()
    it("are those of one machine, however they stand", function()
        same({ 2, 3, 5 }, FILES .. [[
            local forms = {
                { "[('x', '<f8'), ('k', '<i4'), ('', '|V4')]", "<dixxxx", function(k) return k / 3, k end },
                { "[('x', '>f8'), ('k', '<i4'), ('b', '|b1'), ('u', '>u2')]", ">d", function(k) return k / 7 end,
                    "<i4Bxx", function(k) return k, k % 2 end },
                { "[('b', '|b1'), ('f', '<f4'), ('t', '|u1')]", "<Bfb", function(k) return k * k % 2, k / 8, k % 100 end },
            }
            for number, form in ipairs(forms) do
                for _, n in ipairs { 0, 1, 3, 5000, 8192, 16385, 30001 } do
                    local bytes
                    if form[4] then
                        bytes = structs("c8c7", n, function(k)
                            return string.pack(form[2], form[3](k)), string.pack("<i4B>I2", k, k % 2, k % 1000)
                        end)
                    else
                        bytes = structs(form[2], n, form[3])
                    end
                    write("r.npy", npy(form[1], false, n, bytes))
                    local r = assert(lun.load "r.npy")
                    print(number, n)
                    show(r)
                    if n > 5 then
                        put { eval = function() return r:sub(2, -2) end }
                        put { eval = function() return r:copy() end }
                        put { eval = function() return r:copy { layout = "soa" } end }
                        local name = r:dtype()[2]
                        r:field(name):set(lun.index(n) % 2)
                        put(r:field(name):cast "f64")
                        print(r[3][name], r:layout(), r:copy():layout())
                    end
                end
            end
            for _, left in ipairs { false, true } do
                write("r.npy", npy("[('x', '<f4'), ('k', '<i4')]", left, "150, 70", structs("<fi", 10500, function(k)
                    return k / 2, k
                end)))
                show(assert(lun.load "r.npy"))
            end]])
    end)

    it("are read at once, and no element is sent", function()
        for _, n in ipairs { 4, 64 } do
            assert.equal("0\t0\n0\t0\n0\t0\n0\t0\n", (served(n, COUNTED .. [[
                local P = lun.struct("P", { { "x", "f64" }, { "k", "i32" } })
                local r = lun.zeros(40000, P)
                r.x, r.k = lun.random(40000, { seed = 1 }), lun.index(40000)
                assert(lun.save("e.npy", r))
                assert(lun.save("e.npz", { r = r }))
                local all = { counted(function() return assert(lun.load "e.npy") end),
                    counted(function() return assert(lun.load "e.npz").r end) }
                for _, got in ipairs(all) do
                    counted(function() (got.x * 2):eval() return (got.k * 2):eval() end)
                    assert(got.x:eq(r.x):all() and got.k:eq(r.k):all())
                end]])), n .. " ranks")
        end
    end)

    it("that cannot be loaded are the error of one machine", function()
        same({ 3 }, FILES .. [[
            local function load(...)
                write("f.npy", npy(...))
                local r, message, code = lun.load "f.npy"
                print(r and #r, message, code)
            end
            local descr = "[('x', '<f8'), ('b', '|b1')]"
            load(descr, false, "10000", ("x"):rep(90000))
            load(descr, false, "10000", ("x"):rep(90001))
            load(descr, false, "10001", ("x"):rep(90001))
            load(descr, false, "10000", ("\0"):rep(90000))
            load(descr, false, "10000", ("\0"):rep(89999) .. "\2")
            load("[('x', '<c16')]", false, "10000", ("x"):rep(160000))
            load("[('x', '<f8', (2,))]", false, "10000", ("x"):rep(160000))
            load(descr, false, "4000000000000000000, 4", ("x"):rep(90000))]])
    end)

    it("are truths and numbers of other byte order, too, as plain arrays", function()
        same({ 3 }, FILES .. [[
            for _, n in ipairs { 65536, 70001 } do
                write("g.npy", npy("'|b1'", false, n, ("\0\1\1"):rep(n // 3 + 1):sub(1, n)))
                show(assert(lun.load "g.npy"))
                write("g.npy", npy("'>i2'", true, "2, " .. n, ("abcd"):rep(n)))
                show(assert(lun.load "g.npy"))
            end]])
    end)

    local root = shell.capture "id -u" == "0\n" and " --allow-run-as-root" or ""
    for launcher, options in pairs { ["mpirun.mpich"] = "", ["mpirun.openmpi"] = "--oversubscribe" .. root } do
        it("come from rank 0 to ranks that do not see them, as archives do, under " .. launcher, function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            local start = shell.write(scratch() .. "/start.sh", [[
                rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
                case $rank in 1) mkdir -p one; cd one ;; 2) mkdir -p two; cd two; cp ../h.* . ;; esac
                exec "$@"]])
            assert.equal("", (run(path, [[
                local P = lun.struct("P", { { "x", "f64" }, { "k", "f64" } })
                local r = lun.zeros(40000, P)
                r.x, r.k = lun.index(40000), lun.index(40000) * 2
                assert(lun.save("h.npy", r))
                assert(lun.save("h.npz", { a = r.x }))]])))
            local launch = ("%s %s -n 4 sh %s %s --backend mpi"):format(launcher, options, start, path)
            local text, status = run(launch, COUNTED .. [[
                for _, folder in ipairs { "/proc/self/cwd/", "" } do
                    local r = counted(function() return assert(lun.load(folder .. "h.npy")) end)
                    local a = counted(function() return assert(lun.load(folder .. "h.npz")).a end)
                    print(a:sum(), r.x:sum(), r.k:sum())
                end]])
            local sums = "800020000.0\t800020000.0\t1600040000.0\n"
            assert.equal("320000\t0\n160000\t0\n" .. sums .. "0\t0\n0\t0\n" .. sums, text)
            assert.equal(0, status)
        end)
    end
end)
