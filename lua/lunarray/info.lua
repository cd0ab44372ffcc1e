-- lun.info: versions, backends and why one is missing, devices, the kernel cache, as text.

local core = require "lunarray.core"

local M = {}

local function cache_text()
    local dir = os.getenv "LUNARRAY_CACHE_DIR"
    if dir then
        return dir == "" and "none (LUNARRAY_CACHE_DIR is empty)" or dir
    end
    local base = os.getenv "XDG_CACHE_HOME"
    if base and base ~= "" then
        return base .. "/lunarray"
    end
    base = os.getenv "HOME"
    return base and base .. "/.cache/lunarray" or "none (neither XDG_CACHE_HOME nor HOME is set)"
end

function M.text()
    local lines = {}
    local function add(name, text)
        lines[#lines + 1] = ("%-10s %s"):format(name, text)
    end
    local names, reasons = core.backends()
    add("version", ("%s, %s"):format(core._VERSION, _VERSION))
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
    add("math", core.math())
    add("cache", cache_text())
    for _, name in ipairs { "LUNARRAY_BACKEND", "LUNARRAY_THREADS", "LUNARRAY_JIT" } do
        if os.getenv(name) then
            add(name, os.getenv(name))
        end
    end
    return table.concat(lines, "\n")
end

return M
