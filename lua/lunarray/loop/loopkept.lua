-- What loops that ran before wanted at computed indices, and what others asked of this rank then: it holds while what
-- the indices are computed from has not changed on any rank. Knows no transport.

local core = require "lunarray.core"

local internal = core.internal

local loopkept = {}

local KEPT = 32 -- loops

-- By loop: { run =, wanted =, asked =, depends = }. run: the number of the run, the same on all ranks.
local kept, count = {}, 0

local function free(depends)
    for _, array in ipairs(depends and depends.arrays or {}) do
        array:free()
    end
end

-- What the marks of a loop hang on now: { cells, arrays }, numbers as a string and snapshots; nil if it cannot be told
-- whether that changes. And the numbers of the captured arrays among it.
function loopkept.depends(captured, copy, stands, loop, computed)
    local cells, numbers, arrays = internal.loop_depends(loop, copy, computed, table.unpack(stands))
    for _, k in ipairs(arrays and numbers or {}) do
        local snapshot = internal.snapshot(captured[k].part)
        if not snapshot then
            free { arrays = arrays }
            return nil, numbers
        end
        arrays[#arrays + 1] = snapshot
    end
    return arrays and { cells = cells, arrays = arrays }, numbers
end

-- The loop's entry, if it has the marks that these would give, which are freed then.
function loopkept.find(key, depends)
    local entry = kept[key]
    local before = entry and entry.depends
    local same = before and depends and before.cells == depends.cells and #before.arrays == #depends.arrays
    for k, array in ipairs(same and depends.arrays or {}) do
        same = same and internal.same_elements(array, before.arrays[k])
    end
    if not same then
        return nil
    end
    free(depends)
    return entry
end

-- The loop's entry, if these requests are those of the run that it was made in; nil: there is none.
function loopkept.asked_before(key, wanted)
    local entry = kept[key]
    for pe, request in ipairs(entry and wanted.requests or {}) do
        if entry.wanted.requests[pe] ~= request then
            return nil
        end
    end
    return entry
end

function loopkept.keep(key, entry)
    local before = kept[key]
    if not before then
        count = count + 1
    elseif before.depends ~= entry.depends then
        free(before.depends)
    end
    if count > KEPT then
        for _, other in pairs(kept) do
            free(other.depends)
        end
        kept, count = {}, 1
    end
    kept[key] = entry
end

return loopkept
