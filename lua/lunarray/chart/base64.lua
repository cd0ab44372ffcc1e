-- Bytes as base64, for pictures within texts.

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- The four digits of three bytes, for the first twelve bits and for the others.
local PAIRS = {}
for i = 0, 4095 do
    PAIRS[i] = DIGITS:sub((i >> 6) + 1, (i >> 6) + 1) .. DIGITS:sub((i & 63) + 1, (i & 63) + 1)
end

-- The bytes as base64, padded.
return function(bytes)
    local parts = {}
    for i = 1, #bytes - 2, 3 do
        local a, b, c = bytes:byte(i, i + 2)
        local bits = a << 16 | b << 8 | c
        parts[#parts + 1] = PAIRS[bits >> 12] .. PAIRS[bits & 4095]
    end
    local rest = #bytes % 3
    if rest > 0 then
        local a, b = bytes:byte(#bytes - rest + 1, #bytes)
        local bits = a << 16 | (b or 0) << 8
        parts[#parts + 1] = PAIRS[bits >> 12] .. (rest == 2 and PAIRS[bits & 4095]:sub(1, 1) .. "=" or "==")
    end
    return table.concat(parts)
end
