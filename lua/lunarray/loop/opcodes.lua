-- What a Lua function does, by its instructions: whether it could do otherwise in another call. Knows nothing of
-- arrays.

local bytecode = require "lunarray.base.bytecode"

-- SETUPVAL, SETTABUP to SETFIELD; NOT; JMP to TAILCALL, tests and calls; FORLOOP to TFORLOOP; CLOSURE, VARARG.
local VARIES = { [10] = true, [51] = true, [79] = true, [80] = true }
for _, range in ipairs { { 15, 18 }, { 56, 69 }, { 73, 77 } } do
    for code = range[1], range[2] do
        VARIES[code] = true
    end
end

local opcodes = {}

-- Whether f has branches, loops, calls or assignments to what outlives it.
function opcodes.varies(f)
    local has = false
    bytecode.each(bytecode.of(f), function(g)
        for _, instruction in ipairs(g.code) do
            has = has or VARIES[instruction & 0x7f] ~= nil
        end
    end)
    return has
end

return opcodes
