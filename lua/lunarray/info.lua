-- lun.info: versions, backends and why one is missing, devices, the machine's cores and caches, the
-- compiler and the kernel cache, as text.

local core = require "lunarray.core"

local M = {}

-- ---------------------------------------------------------------- the machine, as Linux tells it

local SYSTEM = "/sys/devices/system/"

local function first_line(path)
    local file = io.open(path, "rb")
    if not file then
        return nil
    end
    local _ <close> = file
    return file:read "l"
end

-- The numbers in a list such as "0-3,8".
local function numbers_of(list)
    local numbers = {}
    for first, last in (list or ""):gmatch "(%d+)%-?(%d*)" do
        for i = tonumber(first), tonumber(last) or tonumber(first) do
            numbers[#numbers + 1] = i
        end
    end
    return numbers
end

local function count(n, what)
    return ("%d %s%s"):format(n, what, n == 1 and "" or "s")
end

-- "L1 48K, L2 2048K, L3 260M (shared by 2)": of the first core.
local function caches(cpu)
    local parts = {}
    for index = 0, 9 do
        local dir = ("%scpu/cpu%d/cache/index%d/"):format(SYSTEM, cpu, index)
        local level, size = first_line(dir .. "level"), first_line(dir .. "size")
        if level and size and first_line(dir .. "type") ~= "Instruction" then
            local sharing = #numbers_of(first_line(dir .. "shared_cpu_list"))
            local shared = sharing > 1 and (" (shared by %d)"):format(sharing) or ""
            parts[#parts + 1] = ("L%s %s%s"):format(level, size, shared)
        end
    end
    return table.concat(parts, ", ")
end

-- Lines about sockets, cores, what this process may use, caches.
local function topology()
    local cpus = numbers_of(first_line(SYSTEM .. "cpu/online"))
    if #cpus == 0 then
        return { "unknown" }
    end
    local sockets, cores, socket_count, core_count = {}, {}, 0, 0
    for _, cpu in ipairs(cpus) do
        local dir = ("%scpu/cpu%d/topology/"):format(SYSTEM, cpu)
        local socket = first_line(dir .. "physical_package_id") or "0"
        local one = socket .. ":" .. (first_line(dir .. "core_id") or tostring(cpu))
        socket_count = socket_count + (sockets[socket] and 0 or 1)
        core_count = core_count + (cores[one] and 0 or 1)
        sockets[socket], cores[one] = true, true
    end
    local nodes = math.max(1, #numbers_of(first_line(SYSTEM .. "node/online")))
    local allowed = #cpus
    for line in io.lines "/proc/self/status" do
        local list = line:match "^Cpus_allowed_list:%s*(.*)"
        allowed = list and math.min(allowed, #numbers_of(list)) or allowed
    end
    return {
        ("%s, %s, %s, %s"):format(count(socket_count, "socket"), count(nodes, "NUMA node"), count(core_count, "core"),
            count(#cpus, "hardware thread")),
        ("%s for this process; caches: %s"):format(count(allowed, "hardware thread"), caches(cpus[1])),
    }
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
    local dir, entries, bytes = core.internal.cache()
    return dir and ("%s: %s, %.1f MB"):format(dir, count(entries, "kernel"), bytes / 1e6) or "none: " .. entries
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
    for i, device in ipairs(core.devices()) do
        add(i == 1 and "devices" or "", ("%s (%s, %s): %d units, %.1f GB"):format(device.name, device.kind,
            device.backend, device.units, device.memory / 1e9))
    end
    for i, line in ipairs(topology()) do
        add(i == 1 and "machine" or "", line)
    end
    add("math", core.math())
    add("compiler", compiler())
    add("cache", cache())
    for _, name in ipairs { "LUNARRAY_BACKEND", "LUNARRAY_THREADS", "LUNARRAY_JIT" } do
        if os.getenv(name) then
            add(name, os.getenv(name))
        end
    end
    return table.concat(lines, "\n")
end

return M
