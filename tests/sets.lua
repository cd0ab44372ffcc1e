-- Puts sets of places in the place of the host's backends, for specs that know nothing of sets:
-- build/lunarray -e 'dofile "tests/sets.lua"' tests/busted.lua tests/spec/array/operators_spec.lua
local lun = require "lunarray"

local SETS = { openmp = "openmp/3", reference = "reference/2" }
local use = lun.use

function lun.use(name)
    return use(SETS[name] or name)
end

lun.use "openmp"
