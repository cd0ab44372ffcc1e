-- Disks that are full, read-only or mounted noexec, at every call that writes: results stay right and the program
-- goes on. A preloaded library fails the calls; real file systems are used where root may mount.
local kit = dofile "tests/torture/kit.lua"

-- Two kernels that are compiled and one C function; prints their sums.
local work = [[
local x = lun.range(1, 1000) * 1.0
local y = (x * 3 + 1):eval()
print(y:sum(), (y * x):max(), lun.map "(double a){ return a * 2; }"(x):sum())
]]
local expected = "1502500.0\t3001000.0\t1001000.0\n"
local cc = ("LUNARRAY_CC=%s/torture/stored_cc STORED_CC_DIR=%s LUNARRAY_JIT=sync LUNARRAY_BACKEND=openmp"):format(
    kit.build:find "^/" and kit.build or os.getenv "PWD" .. "/" .. kit.build, kit.directory())

kit.part("failing writes", function()
    local shim = kit.build .. "/torture/io_shim.so"
    local runs, bad, without = 0, 0, 0
    local step = math.max(1, math.ceil(1 / (kit.factor * 10)))
    for _, number in ipairs { 28, 122, 30, 5 } do -- ENOSPC, EDQUOT, EROFS, EIO
        for _, on in ipairs { "", "IO_FAIL_ON=1" } do
            for at = 1, 40, step do
                local cache = kit.directory() .. "/c"
                os.execute("rm -rf " .. cache)
                local out, err, status = kit.run(work, ("%s LUNARRAY_CACHE_DIR=%s LD_PRELOAD=%s IO_FAIL_AT=%d IO_ERRNO=%d %s")
                    :format(cc, cache, shim, at, number, on))
                runs = runs + 1
                -- a C function whose file cannot be written gives an error with the reason
                local refused = status == 1 and err:find("does not compile", 1, true)
                without = without + (refused and 1 or 0)
                if not (refused or status == 0 and out == expected) then
                    bad = bad + 1
                    io.stderr:write(("errno %d at call %d %s: status %s: %s%s\n"):format(number, at, on, status, out, err))
                end
                -- the cache as it was left serves the next program right
                out, err, status = kit.run(work, cc .. " LUNARRAY_CACHE_DIR=" .. cache)
                if status ~= 0 or out ~= expected then
                    bad = bad + 1
                    io.stderr:write(("after errno %d at call %d: status %s: %s%s\n"):format(number, at, status, out, err))
                end
            end
        end
    end
    return bad == 0, "%d runs, %d wrong or ended, %d without C functions", runs, bad, without
end)

local real = "LUNARRAY_JIT=sync LUNARRAY_BACKEND=openmp" -- the machine's own compiler

local layouts = {
    { "not executable", "mount -t tmpfs -o noexec,size=64m none $d && mkdir $d/c $d/t",
        "LUNARRAY_CACHE_DIR=$d/c TMPDIR=$d/t" },
    { "read-only", "mkdir -p $d/c && mount -t tmpfs none $d && mkdir $d/c $d/t && mount -o remount,ro none $d",
        "LUNARRAY_CACHE_DIR=$d/c TMPDIR=$d/t" },
    { "full", "mount -t tmpfs -o size=64k none $d && mkdir $d/c && (cat /dev/zero > $d/fill 2>/dev/null || true)",
        "LUNARRAY_CACHE_DIR=$d/c TMPDIR=$d/c" },
    { "nearly full", "mount -t tmpfs -o size=64k none $d && mkdir $d/c && head -c 45000 /dev/zero > $d/fill",
        "LUNARRAY_CACHE_DIR=$d/c TMPDIR=$d/c" },
    { "out of inodes", "mount -t tmpfs -o nr_inodes=3 none $d && mkdir $d/c", "LUNARRAY_CACHE_DIR=$d/c TMPDIR=$d/c" },
    { "not there", "true", "LUNARRAY_CACHE_DIR=/proc/nonexistent/c TMPDIR=/proc/nonexistent/t" },
    { "no home", "true", "-u LUNARRAY_CACHE_DIR -u HOME -u XDG_CACHE_HOME -u TMPDIR" },
    { "home is a file", "echo x > $d/file", "-u LUNARRAY_CACHE_DIR -u XDG_CACHE_HOME HOME=$d/file TMPDIR=$d/file" },
}

kit.part("disks", function()
    local mounts = os.execute "unshare -m mount -t tmpfs none /mnt >/dev/null 2>&1"
    local bad, runs, skipped = 0, 0, 0
    for i, row in ipairs(layouts) do
        if row[2]:find "mount" and not mounts then
            skipped = skipped + 1
        else
            local d = kit.directory() .. "/disk" .. i
            os.execute("mkdir " .. d)
            local set = row[2]:gsub("%$d", d)
            local env = row[3]:gsub("%$d", d)
            kit.write(kit.directory() .. "/work.lua", work .. work)
            kit.write(kit.directory() .. "/do.sh", ("set -e\n%s\nexec env %s %s %s/lunarray %s/work.lua\n"):format(set, env, real,
                kit.build, kit.directory()))
            local pipe = io.popen((mounts and "unshare -m " or "") .. "sh " .. kit.directory() .. "/do.sh 2>" ..
                kit.directory() .. "/err")
            local out = pipe:read "a"
            local _, _, status = pipe:close()
            runs = runs + 1
            local refused = status == 1 and kit.read(kit.directory() .. "/err"):find("does not compile", 1, true)
            if not (refused or status == 0 and out == expected .. expected) then
                bad = bad + 1
                io.stderr:write(("%s: status %s: %s%s\n"):format(row[1], status, out, kit.read(kit.directory() .. "/err")))
            elseif refused then
                io.stderr:write(row[1], ": ", kit.read(kit.directory() .. "/err"))
            end
        end
    end
    return bad == 0, "%d layouts, %d wrong, %d need root", runs, bad, skipped
end)
