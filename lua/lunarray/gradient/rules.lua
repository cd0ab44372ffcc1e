-- The rules of all names: which have a derivative, which have none.

local elementwise = require "lunarray.gradient.elementwise"
local tape = require "lunarray.gradient.tape"

for name, rule in pairs(elementwise.rules) do
    tape.rules[name] = rule
end
require "lunarray.gradient.arrays"

-- What gives no derivative: its results are those of the values.
local CONSTANT = elementwise.none .. [[ lxor argmin argmax argsort argwhere nonzero any all count shape dtype size kind
    itemsize nbytes layout strides rank equals allclose isclose signbit isin searchsorted digitize matrix_rank
    ones_like zeros_like full_like touched pending value totable tobytes]]

-- What has a derivative that is not known here, with what to do.
local UNKNOWN = {
    [""] = [[lu qr svd eigh eig eigvals roots pinv lstsq
        quantile percentile median histogram histogram2d unique topk mode]],
    [": functions of elements are not differentiated, write it with operations on arrays"] =
        [[map zip reduce scan generate stencil call run each teams]],
    [": watched arrays are not written to, make a new one, with where or concat"] =
        [[set put fill copyto shuffle put_along_axis]],
}

for name in CONSTANT:gmatch "%S+" do
    tape.constant[name] = true
end
for advice, names in pairs(UNKNOWN) do
    for name in names:gmatch "%S+" do
        tape.without[name] = advice
    end
end

return tape
