-- lun.info: versions, backends and why one is missing, devices, the machine's cores and caches, ranks,
-- the compiler, the kernel cache and libraries of the system, as text.

local core = require "lunarray.core"
local number = require "lunarray.base.number"

local M = {}

local function count(n, what)
    return ("%d %s%s"):format(n, what, n == 1 and "" or "s")
end

-- ---------------------------------------------------------------- the surroundings

-- The compiler's own first line, or why there is none.
local function compiler()
    local name = os.getenv "LUNARRAY_CC"
    name = name and name ~= "" and name or "cc"
    local pipe = io.popen(("'%s' --version 2>/dev/null </dev/null"):format(name:gsub("'", [['\'']])))
    local line = pipe and pipe:read "l"
    if pipe then
        pipe:close()
    end
    return line and ("%s: %s"):format(name, line) or name .. ": not found; kernels stay interpreted"
end

local function cache()
    local dir, entries, bytes, limit = core.internal.cache()
    return dir and ("%s: %s, %s of at most %s"):format(dir, count(entries, "kernel"),
        number.format("%.1f MB", bytes / 1e6), number.format("%.0f MB", limit / 1e6)) or "none: " .. entries
end

-- Lines about ranks: their number, their transport, whether the launcher binds this one to some cores.
local function ranks()
    local npes, mype, transport, cores, all = core.internal.spmd.about()
    if transport == "" then
        return { "1" }
    end
    transport = transport:gsub("%s+", " "):gsub(" Version:", "")
    local lines = { ("%d, this is rank %d: %s"):format(npes, mype, transport) }
    if cores < all and not transport:find "^threads" then
        lines[2] = ("the launcher binds this one to %d of %s%s"):format(cores, count(all, "hardware thread"),
            os.getenv "OMPI_COMM_WORLD_SIZE" and ": mpirun --bind-to none gives it all of them" or "")
    end
    return lines
end

-- Adds a line for each library that data come and go by; opens them.
local function doors(add)
    local k = 1
    local name, use, version, path = core.internal.doors(k)
    while name do
        add(name, version and (version .. ", " .. path):gsub("^, ", "") or "not found: " .. use)
        k = k + 1
        name, use, version, path = core.internal.doors(k)
    end
end

-- ---------------------------------------------------------------- the whole

function M.text()
    local lines = {}
    local function add(name, text)
        lines[#lines + 1] = ("%-10s %s"):format(name, text)
    end
    local names, reasons = core.backends()
    add("version", ("%s, %s"):format(core._VERSION, core.internal.lua_release))
    add("backend", core.use())
    add("backends", table.concat(names, ", "))
    local missing = {}
    for name in pairs(reasons) do
        missing[#missing + 1] = name
    end
    table.sort(missing)
    for _, name in ipairs(missing) do
        add("", ("no %s: %s"):format(name, reasons[name]))
    end
    local devices, machine = core.devices(), "unknown"
    for i, device in ipairs(devices) do
        machine = device.machine or machine
        add(i == 1 and "devices" or "", ("%s (%s, %s): %d units, %s GB"):format(device.name, device.kind,
            device.backend, device.units, number.format("%.1f", device.memory / 1e9)))
    end
    local cores, level, threads = machine:match "^(.*); (%w+); (.-)$" -- of openmp
    add("machine", cores or machine)
    if threads then
        add("isa", level)
        add("threads", threads)
    end
    for i, line in ipairs(ranks()) do
        add(i == 1 and "ranks" or "", line)
    end
    add("math", core.math())
    add("bits", (("%s %s"):format(core.bits(), core.internal.bits_digest(core.bits())):gsub(" $", "")))
    for _, name in ipairs { "matmul", "fft" } do
        local by, library = core.override(name)
        if library then
            add("override", ("%s: %s, %s"):format(name, by, library))
        end
    end
    add("compiler", compiler())
    add("cache", cache())
    doors(add)
    for _, name in ipairs { "LUNARRAY_BACKEND", "LUNARRAY_THREADS", "OMP_NUM_THREADS", "LUNARRAY_ISA",
        "LUNARRAY_BITS", "LUNARRAY_JIT", "LUNARRAY_MPI", "LUNARRAY_RANK_BACKEND", "LUNARRAY_DUCKDB", "LUNARRAY_SQLITE",
        "LUNARRAY_HDF5", "LUNARRAY_BLAS", "LUNARRAY_FFTW", "LUNARRAY_LAPACK" } do
        if os.getenv(name) then
            add(name, os.getenv(name))
        end
    end
    return table.concat(lines, "\n")
end

return M
