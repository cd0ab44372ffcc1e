-- The colours of a photograph reduced to a few by k-means: each pixel goes to the nearest centre, each centre to the
-- mean of its pixels, until no pixel changes. Takes any PNG or PPM picture in colours; the second name is the file to
-- write.
-- Usage: lunarray examples/kmeans.lua picture [file [colours]]
--     build/lunarray examples/kmeans.lua examples/data/china.png /tmp/kmeans.png
-- prints:
--     68160 pixels, 8 shades of gray: mean square error 1074.2
--     after 68 rounds: 573.1
--      13.2 %  #191610
--      13.6 %  #3e392c
--      13.9 %  #685d3d
--       7.4 %  #80816e
--       2.9 %  #c4855f
--       7.0 %  #aab3b1
--      18.1 %  #c6d5e6
--      24.0 %  #eaf1f9
--     wrote /tmp/kmeans.png
local lun = require "lunarray"

local path, out, k = assert(arg[1], "which picture?"), arg[2], tonumber(arg[3]) or 8
local picture = assert(lun.load(path))
local height, width, channels = picture:shape()
assert(channels and channels >= 3, "the picture has no colours")

-- The three colours of all pixels, as Vectors.
local red, green, blue = lun.eval(picture:select(3, 1):flatten(), picture:select(3, 2):flatten(),
    picture:select(3, 3):flatten())

local function distance(r, g, b, centre)
    return (r - centre[1]) ^ 2 + (g - centre[2]) ^ 2 + (b - centre[3]) ^ 2
end

-- The number of the nearest centre, and the square of the distance.
local nearest = lun.map(function(r, g, b, centres)
    local best, least = 1, distance(r, g, b, centres[1])
    for c = 2, #centres do
        local d = distance(r, g, b, centres[c])
        if d < least then
            best, least = c, d
        end
    end
    return best, least
end, { elements = 3 })

-- The mean colour of the pixels of each centre.
local function means(which)
    local count, r, g, b = lun.zeros(k), lun.zeros(k), lun.zeros(k), lun.zeros(k)
    lun.each(#which, function(i)
        local c = which[i]
        count[c] = count[c] + 1
        r[c] = r[c] + red[i]
        g[c] = g[c] + green[i]
        b[c] = b[c] + blue[i]
    end)
    return lun.stack({ r, g, b }, 2) / count:max(1):view { k, 1 }
end

-- The first centres are shades of gray.
local shades = lun.linspace(0, 255, k)
local centres = lun.stack({ shades, shades, shades }, 2)
local which, far = lun.eval(nearest(red, green, blue, centres))
local rounds, loss = 0, far:mean()
print(("%d pixels, %d shades of gray: mean square error %.1f"):format(#which, k, loss))
repeat
    local before = which
    centres = means(which):eval()
    which, far = lun.eval(nearest(red, green, blue, centres))
    assert(far:mean() <= loss, "a round made it worse")
    rounds, loss = rounds + 1, far:mean()
until which:eq(before):all()
print(("after %d rounds: %.1f"):format(rounds, loss))

-- The same by loops in Lua.
local pixels, list, group = lun.stack({ red, green, blue }, 2):totable(), centres:totable(), which:totable()
local sums = {}
for c = 1, k do
    sums[c] = { 0, 0, 0, 0 }
end
for i, pixel in ipairs(pixels) do
    local sum, own = sums[group[i]], distance(pixel[1], pixel[2], pixel[3], list[group[i]])
    for c = 1, k do
        assert(own <= distance(pixel[1], pixel[2], pixel[3], list[c]), "another centre is nearer")
    end
    sum[1], sum[2], sum[3], sum[4] = sum[1] + pixel[1], sum[2] + pixel[2], sum[3] + pixel[3], sum[4] + 1
end
for c, sum in ipairs(sums) do
    for colour = 1, 3 do
        local mean = sum[colour] / math.max(sum[4], 1)
        assert(math.abs(list[c][colour] - mean) < 1e-9, "a centre is not the mean of its pixels")
    end
    local colour = centres[c]:round():cast "u8":totable()
    print(("%5.1f %%  #%02x%02x%02x"):format(100 * sum[4] / #pixels, table.unpack(colour)))
end

if out then
    local colours = centres:round():cast "u8"
    local reduced = lun.generate({ #which, 3 }, function(i, colour) return colours[which[i]][colour] end)
    assert(lun.save(out, reduced:cast "u8":reshape { height, width, 3 }))
    print(("wrote %s"):format(out))
end
