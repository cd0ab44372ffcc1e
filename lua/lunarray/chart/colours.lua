-- Colours of heat maps: from a part of the way, 0 to 1, to red, green and blue.

local colours = {}

colours.NAMES = '"viridis", "grey" or "blue-red"'

-- Colours at equal steps, six hexadecimal digits each; between them they go over in straight lines.
local SCALES = {
    -- dark blue over green to yellow, even for the eye, also in grey and for those who see no red or no green
    viridis = "440154470D6048186A482374472D7B4537814240863E49893B528B375B8D33638D"
        .. "2F6B8E2C728E297A8E26828E23898E21908C1F978B1F9F8821A68527AD8131B57B"
        .. "3EBC744DC26C5CC8636ECE5882D34D95D840AADC32C0DF25D5E21AEAE51AFDE725",
    grey = "000000FFFFFF",
    ["blue-red"] = "2B5CB89DBCE8F7F7F7F0A58FBE2A36",
}

-- Whether there are colours of that name.
function colours.known(name)
    return SCALES[name] ~= nil
end

-- A function from 0 to 1 to red, green and blue, 0 to 255 each.
function colours.of(name)
    local steps = {}
    for digits in SCALES[name]:gmatch "%x%x" do
        steps[#steps + 1] = tonumber(digits, 16)
    end
    local last = #steps // 3 - 1
    return function(part)
        local at = part * last
        local i = math.min(math.floor(at), last - 1)
        local rest, from = at - i, 3 * i
        local function channel(c)
            return math.floor(steps[from + c] + (steps[from + c + 3] - steps[from + c]) * rest + 0.5)
        end
        return channel(1), channel(2), channel(3)
    end
end

return colours
