-- Names that are compositions of others (list.lua), as functions on values that stand in for arrays, such as those of
-- derivatives and batches: loaded when one is first called, they call what those values have.
return function(to)
    for _, names in ipairs(require "lunarray.names.list") do
        local file = "lunarray.names." .. names.file
        for name in (names.functions .. " " .. names.methods):gmatch "%S+" do
            to[name] = function(...)
                return require(file)[name](...)
            end
        end
    end
end
