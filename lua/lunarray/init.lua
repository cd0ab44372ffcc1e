-- The module: the functions of the engine's binding, and what is said in Lua. Knows no details: each
-- part has a file of its own, and what not every script needs is loaded when it is first called.

local core = require "lunarray.core"
local skeleton = require "lunarray.skeleton"

local lun = {}
for name, value in pairs(core) do
    if name ~= "internal" then
        lun[name] = value
    end
end

lun.sequence = skeleton.sequence
lun.compose = skeleton.compose

-- A function of another file, which is loaded with the first call.
local function later(file, name)
    return function(...)
        return require("lunarray." .. file)[name](...)
    end
end

lun.load = later("io", "load")
lun.open = later("io", "open")
lun.save = later("io", "save")
lun.plot = later("plot", "plot")
lun.hist = later("hist", "hist")
lun.image = later("image", "image")
lun.profile = later("profile", "profile")
lun.check = later("check", "check")
lun.info = later("info", "text")
lun.help = later("help", "text")

core.internal.methods.source = later("plan", "source")
core.internal.page_type.__tostring = later("plan", "page")
core.internal.array_type.__tostring = function(a)
    return require "lunarray.show"(a)
end

return lun
