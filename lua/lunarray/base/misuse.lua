-- A caller's mistake, raised as an error with the source line of the script that called into these files.

local fault = require "lunarray.base.fault"
local fill = require "lunarray.base.number".fill

-- Raises "bad argument #argument to 'call' (message)"; the message is a format for the other arguments.
return function(argument, call, message, ...)
    fault("bad argument #%d to '%s' (%s)", argument, call, fill(message, ...))
end
