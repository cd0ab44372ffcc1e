-- Arrow's files that are cut or of which a byte is changed: each of them is loaded, or refused by name.
local shell = require "shell"

local M = {}

local FILES = "tests/spec/doors/arrowfiles/"
local CODES = { format = true, short = true, long = true, unsupported = true, [12] = true }

-- Tries every step-th length and every step-th byte of each file, in a folder; gives the number of tries.
function M.try(folder, step)
    local name, tries = folder .. "/cut.arrow", 0
    local function sound(bytes)
        tries = tries + 1
        local t, message, code = lun.load(shell.write(name, bytes))
        assert(t ~= nil or CODES[code] and message:find(name, 1, true) == 1, message)
        return t
    end
    for _, file in ipairs { "pyarrow.arrow", "pyarrow-lz4.arrows", "replaced.arrows", "grown.arrow", "polars.ipc", "pandas.feather" } do
        local bytes = shell.slurp(FILES .. file)
        for n = 0, #bytes - 1, step do
            assert(sound(bytes:sub(1, n)) == nil, file .. n)
        end
        local random = lun.random(#bytes, { seed = 1, dtype = "f64" }):totable()
        for n = 1, #bytes, step do
            local x = bytes:byte(n)
            for _, y in ipairs { x ~ (1 << n % 8), math.floor(random[n] * 256) } do
                sound(bytes:sub(1, n - 1) .. string.char(y) .. bytes:sub(n + 1))
            end
        end
    end
    return tries
end

return M
