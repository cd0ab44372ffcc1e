-- Files of a script on all ranks (--backend mpi): ranks that see a file as rank 0 does read their elements of it themselves,
-- others get them from rank 0. The oracle is the same script on one machine: it prints the same bytes.

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

-- Files of all forms: elements that are numbers 0 .. n - 1 modulo 101, and what is computed with them.
local FORMS = onranks.PUT .. [[
    local forms = { f64 = "d", f32 = "f", i64 = "i8", i32 = "i4", u16 = "I2", u8 = "B" }
    local descr = { f64 = "f8", f32 = "f4", i64 = "i8", i32 = "i4", u16 = "u2", u8 = "u1" }
    local function write(name, ...)
        local f = assert(io.open(name, "wb"))
        assert(f:write(...))
        assert(f:close())
    end
    local function npy(name, descr, left, shape, bytes)
        local head = ("{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }"):format(descr, left and "True" or "False", shape)
        head = head .. (" "):rep(-(#head + 11) % 64) .. "\n"
        write(name, "\x93NUMPY\1\0", string.pack("<s2", head), bytes)
    end
    local function elements(order, form, n)
        local all = {}
        for k = 1, n do all[k] = string.pack(order .. form, k * 7 % 101) end
        return table.concat(all)
    end
    for _, t in ipairs { "f64", "f32", "i64", "i32", "u16", "u8" } do
        for _, n in ipairs { 0, 1, 63, 65, 16385 } do
            for _, order in ipairs { "<", ">" } do
                npy("a.npy", (t == "u8" and "|" or order) .. descr[t], false, n, elements(order, forms[t], n))
                local a = assert(lun.open "a.npy")
                put(a:sum()) put(a * 2 + 1) put(a:cast "f64":scan "+")
                if n > 2 then put(a[n]) put(a:max()) put(a:sub(2, -1, 3) * 1) end
            end
        end
    end
    local n = 20000
    write("a.raw", "odd", elements("<", "d", n))
    local a = lun.open("a.raw", { dtype = "f64", offset = 3 })
    put(a:sum()) put(a:sub(100, 19000) * 2) put(a:sub(101, -1) - a:sub(1, -101))
    put(lun.stencil(function(w) return w(-1) + w(1) end, { edge = "nearest" })(a))
    put(lun.generate(n, function(i) return a[n + 1 - i] end))
    put(a:sort()) put(a:compress(a:gt(50))) put(a:lt(7):count())
    local m = lun.open("a.raw", { dtype = "f64", offset = 3, shape = { 200, 100 } })
    put(m:transpose() * 1) put(m:sum(1)) put(m:sum(2)) put(m:matmul(m:transpose())) put(m[7]:sum())
    npy("left.npy", "<f8", true, "200, 100", elements("<", "d", n))
    local left = lun.open "left.npy"
    put(left + 1) put(left:sum(1)) put(left[3])
    local any = {}
    for k = 1, n do any[k] = string.char(k % 5 == 0 and 0 or k % 256) end
    npy("truth.npy", "|b1", false, n, table.concat(any))
    local truth = lun.open "truth.npy"
    put(truth:count()) put(truth) put(a:compress(truth)) put(1 - truth:cast "i32")
    a[5] = 1000 put(a * 1) put(a:sum())
]]

-- What a function changes in rank 0's counters, and whether that is what the plan of an expression tells.
local COUNTED = [[
    local function counted(expression)
        local told = 0
        for _, m in ipairs(lun.explain(expression).moves) do
            assert(m.from == "file", m.from)
            told = told + m.bytes
        end
        local before = lun.stats()
        expression:eval()
        local after = lun.stats()
        assert(told == after.bytes_to_device - before.bytes_to_device)
        print(after.bytes_sent - before.bytes_sent, told, after.moves - before.moves)
    end
]]

describe("a file of a script on all ranks", function()
    it("gives the bytes of one machine, in every form", function()
        same({ 1, 2, 4 }, FORMS)
    end)

    it("is read by all ranks, and sends no element", function()
        assert.equal("0\t320000\t4\n0\t0\t0\n0\t320048\t8\n0\t80000\t4\n0\t80000\t4\n", (served(4, COUNTED .. [[
            assert(lun.save("b.npy", lun.random(40000, { seed = 1 })))
            local a = lun.open "b.npy"
            counted(a * 2)
            counted(a + 1)
            counted(lun.stencil(function(w) return w(-1) + w(1) end, { edge = "nearest" })(lun.open "b.npy"))
            local part = lun.open "b.npy":sub(10001, 20000)
            counted(part - 1)
            counted(part * 3)]])))
    end)

    it("is asked for once, of all ranks at once, and read with the kernel", function()
        assert.equal("10\t0\n5\t0\n", (served(32, [[
            assert(lun.save("b.npy", lun.random(900000, { seed = 1 })))
            local a = lun.open "b.npy"
            for _, f in ipairs { function() return (a * 2):eval() end, function() return (a * 3):eval() end } do
                local before = lun.stats()
                f()
                local after = lun.stats()
                print(after.messages - before.messages, after.bytes_sent - before.bytes_sent)
            end]])))
    end)

    it("is loaded by all ranks, and does not matter any more then", function()
        same({ 2, 5 }, FORMS:gsub("lun%.open", "lun.load"):gsub(", offset = 3", ""):gsub('"odd", ', ""):gsub(
            "k %% 256", "1"))
        assert.equal("0\t320000\t4\n0\t0\t0\n0\t0\t0\ntrue\n", (served(4, [[
            local function counted(f)
                local before = lun.stats()
                f()
                local after = lun.stats()
                print(after.bytes_sent - before.bytes_sent, after.bytes_to_device - before.bytes_to_device,
                    after.moves - before.moves)
            end
            local own = lun.random({ 200, 200 }, { seed = 1 })
            assert(lun.save("b.npy", own))
            local a
            counted(function() a = lun.load "b.npy" end)
            local f = io.open("b.npy", "wb") f:write(("x"):rep(1000)) f:close()
            os.remove "b.npy"
            counted(function() (a * 2):eval() end)
            counted(function() (a + 1):eval() end)
            local distribution = a:distribution()
            a[3][4] = 7
            own = own:copy()
            own[3][4] = 7
            print(a:eq(own):all() and distribution == own:distribution())]])))
    end)

    it("that cannot be loaded is the error of one machine", function()
        same({ 3 }, [[
            local function write(name, bytes)
                local f = io.open(name, "wb")
                f:write(bytes)
                f:close()
            end
            write("p.raw", ("x"):rep(100001))
            print(lun.load("p.raw", { dtype = "f64" }))
            print(lun.load("p.raw", { dtype = "u8", shape = { 400, 300 } }))
            print(lun.load("p.raw", { dtype = "u8" }):sum())
            print(lun.load "nothing.npy")
            write("p.npy", ("x"):rep(100001))
            print(lun.load "p.npy")
            print(lun.load("/dev/zero", { dtype = "u8", shape = 100000 }))
            local head = "{'descr': '|b1', 'fortran_order': False, 'shape': (100000,), }"
            head = head .. (" "):rep(-(#head + 11) % 64) .. "\n"
            for _, byte in ipairs { 1, 2 } do
                write("p.npy", "\x93NUMPY\1\0" .. string.pack("<s2", head) .. string.char(byte):rep(100000))
                local a, message, code = lun.load "p.npy"
                print(a and a:count(), message, code)
            end
            assert(lun.save("p.npz", { a = lun.index(20000), b = lun.index(20000) * 2 }))
            print(lun.load "p.npz".b:sum())]])
    end)

    it("may be renamed or removed once it was used, and replaced", function()
        same({ 3 }, [[
            assert(lun.save("c.npy", lun.index(50000)))
            local a, b = lun.open "c.npy", lun.open "c.npy"
            local tail = a:sub(40001, -1)
            print(a:sub(1, 40000):sum())
            assert(lun.save("c.npy", lun.index(50000) * 2))
            print(tail:sum(), b:sum(), lun.open "c.npy":sum())
            assert(os.remove "c.npy")
            print((a * 3):sum(), (b * 5):max(), lun.open "c.npy" == nil)]])
        assert.equal("true\n", (served(3, [[
            assert(lun.save("c.npy", lun.index(50000)))
            local a = lun.open "c.npy"
            os.rename("c.npy", "d.npy")
            local before = lun.stats().bytes_sent
            a:sum()
            print(lun.stats().bytes_sent - before > 250000)]])))
    end)

    it("that has changed is the error of one machine, and the session goes on", function()
        same({ 2, 4 }, [[
            local function write(bytes)
                local f = io.open("d.raw", "r+b") or io.open("d.raw", "wb")
                f:write(bytes)
                f:close()
            end
            write(("x"):rep(80000))
            local a, b = lun.open("d.raw", { dtype = "f64" }), lun.open("d.raw", { dtype = "u8" })
            print(b:sum())
            write(("y"):rep(80001))
            local ok, e = pcall(function() return (a * 2):eval() end)
            print(ok, e.code, e.message)
            print(pcall(function() return a:sum() end))
            io.open("d.raw", "wb"):close()
            print(pcall(function() return (a + 1):eval() end))
            print(lun.save("never.npy", a))
            print((lun.index(40000) + 1):sum())
            os.remove "d.raw"]])
    end)

    it("is open on the ranks for as long as it is on rank 0", function()
        assert.equal("0\t4\t0\n", (served(4, [[
            local function open_files()
                local count = 0
                for k = 3, 200 do
                    local f = io.open("/proc/self/fdinfo/" .. k)
                    if f then count = count + 1 f:close() end
                end
                return count
            end
            assert(lun.save("e.npy", lun.index(50000)))
            local start = open_files()
            local a = lun.open "e.npy"
            local before = open_files() - 1 - start
            local b = (a * 2):eval()
            local during = open_files() - start
            a:free()
            collectgarbage()
            assert(b:sum() == 2 * 1250025000)
            print(before, during, open_files() - start)]])))
    end)

    it("may be one of many: ranks that are threads leave descriptors to rank 0", function()
        local launch = "sh -c 'ulimit -n 120; exec \"$@\"' sh " .. path
        local script = [[
            assert(lun.save("q.npy", lun.index(5000)))
            local all, sum = {}, 0
            for k = 1, 70 do
                all[k] = assert(lun.open "q.npy")
                sum = sum + (all[k] * k):sum()
            end
            for k = 1, 70 do sum = sum + (all[k] + k):max() end
            print(sum)]]
        local want = run(launch, script)
        assert.matches("^%d+\n$", want)
        assert.equal(want, (run(launch .. " --ranks 4 --backend mpi", script)))
    end)

    it("is read by other devices' ranks, too", function()
        local text = run("env LUNARRAY_RANK_BACKEND=opencl " .. path .. " --ranks 3 --backend mpi", [[
            assert(lun.save("f.npy", lun.index(300000)))
            local a = lun.open "f.npy"
            local before = lun.stats().bytes_sent
            print((a * 2):sum(), lun.stats().bytes_sent - before)]])
        if not text:find "opencl cannot be used" then
            assert.equal("90000300000\t0\n", text)
        end
    end)

    -- Saves arrays of all kinds as x1, x2, ...
    local SAVES = [[
        local count = 0
        local function save(a, ext, opts)
            count = count + 1
            assert(lun.save(("%s%d.%s"):format(arg[1] or "x", count, ext or "npy"), a, opts))
        end
        for _, n in ipairs { 0, 1, 8191, 8192, 16385, 100003 } do
            save(lun.random(n, { seed = n }) + 1)
            save((lun.index(n) % 7):cast "u8")
            save((lun.index(n) % 3):eq(1))
            save(lun.index(n) * 2, "raw", { dtype = "i32" })
        end
        local m = lun.random({ 300, 200 }, { seed = 1 }) * 2
        save(m) save(m:transpose()) save(m:sub({ 3, 200 }, { 5, 190 })) save(m[7]) save(m:copy { layout = "left" })
        save(m:sub({ 11, 290 }, { 1, 200 })) save(m:reshape(-1):sub(2, -1, 2)) save(m:sum(1)) save(lun.full(20000, 3.5))
        local v = (lun.random(50000, { seed = 2 }) + 1):distribute "copy"
        v:eval() save(v) v[7] = 3 save(v)
        local w = lun.random(50000, { seed = 2 }):eval() save(w) save(w * 1)
        w:distribute "single" save(w * 3)
        save(assert(lun.open "y.npy")) save(lun.open "y.npy" * 2) save(lun.open("y.npy"):sub(101, -1))
    ]]

    it("is saved with the bytes of one machine", function()
        run(path, [[lun.save("y.npy", lun.random(70001, { seed = 7 }))]])
        assert.equal("", (run(path, SAVES)))
        for _, n in ipairs { 2, 4, 7 } do
            assert.equal("", (served(n, SAVES:gsub('arg%[1%] or "x"', '"z"'))))
            local differing, status = shell.capture(("cd %s && for f in x*; do cmp $f z${f#x}; done 2>&1; rm z*"):format(scratch()))
            assert.equal("", differing)
            assert.equal(0, status)
        end
        assert.equal("", (shell.capture(("cd %s && ls -A | grep '^[.]'"):format(scratch()))))
    end)

    it("is saved by all ranks, and no element comes to rank 0", function()
        assert.equal("2\t0\t0\t0\n2\t0\t0\t0\n0\t0\t0\t0\n", (served(4, [[
            local a = (lun.random(40000, { seed = 1 }) + 1):eval()
            for _, x in ipairs { a, a:reshape(200, 200), lun.vector((lun.random(40000, { seed = 2 }) + 1):totable()) } do
                local before = lun.stats()
                assert(lun.save("h.npy", x))
                local after = lun.stats()
                print(after.messages - before.messages, after.bytes_sent - before.bytes_sent,
                    after.bytes_to_host - before.bytes_to_host, after.moves - before.moves)
            end]])))
    end)

    it("is copied from file to file, and nothing is sent", function()
        assert.equal("0\t0\ntrue\n", (served(4, [[
            assert(lun.save("i.npy", lun.random(40000, { seed = 1 })))
            local before = lun.stats()
            assert(lun.save("j.npy", lun.open "i.npy"))
            local after = lun.stats()
            print(after.bytes_sent - before.bytes_sent, after.bytes_to_host - before.bytes_to_host)
            print(lun.load "i.npy":eq(lun.load "j.npy"):all())]])))
    end)

    it("that cannot be saved is the error of one machine, and leaves the old one", function()
        run(path, [[lun.save("k.npy", lun.index(10))]])
        for _, launch in ipairs { path, path .. " --ranks 4 --backend mpi" } do
            assert.equal("nil\tk.npy: File too large\t27\nnil\tnowhere/k.npy: No such file or directory\t2\n"
                .. "nil\tl.raw: the file has changed since it was opened (400000 bytes then, 400001 now); open it again\t5\n"
                .. "true\n", (run("sh -c 'ulimit -f 1000; exec \"$@\"' sh " .. launch, [[
                local a = (lun.index(200000) * 2):eval()
                print(lun.save("k.npy", a))
                print(lun.save("nowhere/k.npy", a))
                local f = io.open("l.raw", "wb") f:write(("x"):rep(400000)) f:flush()
                local b = lun.open("l.raw", { dtype = "u8" })
                f:write "y" f:close()
                print(lun.save("m.npy", b * 2))
                print(lun.load "k.npy":sum() == 55 and not io.open "m.npy")]])))
        end
        assert.equal("", (shell.capture(("cd %s && ls -A | grep '^[.]'"):format(scratch()))))
    end)

    it("larger than what is kept is saved piece by piece", function()
        if sanitized then
            return
        end
        assert.equal("0\t0\ttrue\n", (served(2, [[
            assert(lun.save("n.raw", lun.index(20000000) % 251, { dtype = "u8" }))
            local a = lun.open("n.raw", { dtype = "u8" }):cast "f64" * 2
            local before = lun.stats()
            assert(lun.save("o.npy", a))
            local after = lun.stats()
            local b = lun.open "o.npy"
            print(after.bytes_sent - before.bytes_sent, after.bytes_to_host - before.bytes_to_host,
                b:sum() == a:sum() and b[20000000] == 20000000 % 251 * 2)
            os.remove "n.raw" os.remove "o.npy"]])))
    end)

    local root = shell.capture "id -u" == "0\n" and " --allow-run-as-root" or ""
    for launcher, options in pairs { ["mpirun.mpich"] = "", ["mpirun.openmpi"] = "--oversubscribe" .. root } do
        it("is read through rank 0 by ranks that do not see it, under " .. launcher, function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            -- a path that leads each process elsewhere: rank 1 to nothing, rank 2 to another file of that size and time
            local start = shell.write(scratch() .. "/start.sh", [[
                rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
                case $rank in 1) mkdir -p one; cd one ;; 2) mkdir -p two; cd two; cp -p ../g.npy .; echo more >> g.npy;
                    dd if=g.npy of=h.npy bs=1 count=$(stat -c %s ../g.npy) 2>/dev/null; touch -r ../g.npy h.npy; mv h.npy g.npy ;; esac
                exec "$@"]])
            assert.equal("", (run(path, [[assert(lun.save("g.npy", lun.index(40000)))]])))
            local launch = ("%s %s -n 4 sh %s %s --backend mpi"):format(launcher, options, start, path)
            local text, status = run(launch, COUNTED .. [[
                local a = lun.open "/proc/self/cwd/g.npy"
                counted(a * 2)
                counted(lun.open "g.npy" * 2)
                print(a:sum())
                local b = (lun.random(40000, { seed = 1 }) + 1):eval()
                for _, name in ipairs { "/proc/self/cwd/i.npy", "j.npy" } do
                    local before = lun.stats().bytes_to_host
                    assert(lun.save(name, b))
                    print(lun.stats().bytes_to_host - before, lun.load(name):eq(b):all())
                end]])
            assert.equal("160000\t320000\t4\n0\t320000\t4\n800020000\n160000\ttrue\n0\ttrue\n", text)
            assert.equal(0, status)
        end)
    end
end)
