-- Plots of next to nothing and of very much: everything missing, one point, a million groups, windows that are too narrow;
-- as letters, as SVG and as PNG.

local expect = require "expect"
local shell = require "shell"

local na, inf = lun.na, math.huge
local directory
local count = 0 -- of pictures

-- A call's letters; the files that it draws, PNG one time in five, are pictures in which no coordinate is NaN.
local function drawn(f, ...)
    local given = table.pack(...)
    local function with(more)
        local args = table.move(given, 1, given.n, 1, {})
        local opts = {}
        for k, x in pairs(args[given.n]) do
            opts[k] = x
        end
        for k, x in pairs(more) do
            opts[k] = x
        end
        args[given.n] = opts
        return f(table.unpack(args, 1, given.n))
    end
    local svg, png = directory .. "/e.svg", directory .. "/e.png"
    assert.is_true(with { file = svg })
    assert.is_falsy(shell.slurp(svg):lower():find '"[^">]*nan[^">]*"')
    count = count + 1
    if count % 5 == 1 then
        assert.is_true(with { file = png })
        assert.is_true(lun.load(png):shape() >= 120)
    end
    local text = with { string = true }
    assert.is_falsy(text:lower():find "%f[%a]nan%f[%A] *┤")
    return text
end

describe("a plot", function()
    setup(function() directory = shell.scratch() end)
    teardown(function() shell.discard(directory) end)

    it("of nothing but missing elements is one of empty axes", function()
        local texts = lun.vector({ na, na, na }, "text")
        local of_dtypes = { lun.vector({ na, na, na }, "f64"), lun.vector({ na, na, na }, "i32"), lun.vector({ na, na, na }, "bool"),
            texts:cast "date", texts:cast "timestamp" }
        for _, x in ipairs(of_dtypes) do
            for _, opts in ipairs { {}, { step = true }, { by = lun.vector { "a", "b", "a" } }, { by = texts } } do
                assert.is_truthy(drawn(lun.plot, x, opts):find "┤")
            end
            drawn(lun.plot, x, lun.index(3), {})
            drawn(lun.plot, lun.index(3), x, {})
        end
        local x = of_dtypes[1]
        assert.is_truthy(drawn(lun.plot, x, { ylog = true }):find "10 ┤")
        drawn(lun.plot, x, x, { xlog = true, ylog = true })
        assert.equal("no finite elements (3 missing)", drawn(lun.hist, x, {}))
        assert.equal("no finite elements (2 nan, inf or missing)", drawn(lun.hist, lun.vector { na, 0 / 0 }, {}))
        assert.matches("1 missing skipped$", drawn(lun.hist, lun.vector { 1, na }, {}))
        assert.equal("no texts (3 missing)", drawn(lun.hist, texts, {}))
        assert.equal("a | -\nb | -\nc | -", drawn(lun.bars, { "a", "b", "c" }, x, {}))
        assert.equal("a | -\nb | -\nc | -", drawn(lun.bars, { "a", "b", "c" }, x, { sort = true, most = 5 }))
        assert.matches("<NA> |", drawn(lun.bars, texts, lun.index(3), {}), 1, true)
        assert.matches("^ │\n", drawn(lun.box, x, {}))
        assert.matches("^missing │\n", drawn(lun.box, x, texts, {}))
        assert.matches("^%?%?%?\n", drawn(lun.image, lun.where(lun.vector { { true, true, true } }, na, 1.0), { bar = true }))
    end)

    it("of one point has it", function()
        for _, x in ipairs { lun.vector { 3 }, lun.vector { -0.5 }, lun.vector { true }, lun.vector { 1e308 } } do
            assert.is_truthy(drawn(lun.plot, x, {}):find "[⡀-⣿]")
            drawn(lun.plot, x, x, { step = true })
        end
        drawn(lun.plot, lun.vector { 3 }, lun.vector { 4 }, { xlog = true, ylog = true })
        drawn(lun.plot, lun.vector { "2024-01-31" }:cast "date", lun.vector { 1 }, { by = lun.vector { "a" } })
        drawn(lun.plot, lun.vector { inf }, {})
        assert.matches("^2.5 to 3.5 |.* 1$", drawn(lun.hist, lun.vector { 3.0 }, {}))
        assert.matches("^a |.* 1$", drawn(lun.hist, lun.vector { "a" }, {}))
        assert.matches("^a |.* 3$", drawn(lun.bars, { "a" }, { 3 }, {}))
        assert.is_truthy(drawn(lun.box, lun.vector { 3 }, {}):find "┃")
        drawn(lun.image, lun.vector { { 3.0 } }, { bar = true })
    end)

    it("of a million groups shows as many as there is room for, within seconds", function()
        local n = 1000000
        local k = lun.index(n)
        local texts = k:cast "text"
        local began = os.clock()
        for _, by in ipairs { k, texts } do
            assert.matches("1 +[%d ]*other", (drawn(lun.plot, k, { by = by })))
            local lines = select(2, drawn(lun.box, k, by, {}):gsub("\n", ""))
            assert.is_true(lines <= 20 + 3, lines)
        end
        for _, opts in ipairs { { most = 20 }, { most = 20, sort = true } } do
            assert.matches("\n%.%.%. 999980 more$", drawn(lun.bars, texts, k, opts))
        end
        drawn(lun.bars, texts, k, {})
        expect.failure("1000000 different texts; from 1 to 200 can be shown", lun.hist, texts, { string = true })
        if not (os.getenv "BUILD" or ""):find "san" then
            assert.is_true(os.clock() - began < 60)
        end
    end)

    it("has its least width and height", function()
        local k, A = lun.index(10), lun.zeros { 3, 3 }
        for _, width in ipairs { 1, 0, -1, 19, 1.5, 2.0 ^ 40, 0 / 0 } do
            for _, file in ipairs { false, directory .. "/w.svg" } do
                local opts = { width = width, string = not file or nil, file = file or nil }
                for _, call in ipairs { { lun.plot, k }, { lun.hist, k }, { lun.bars, { "a" }, { 1 } }, { lun.box, k },
                    { lun.image, A } } do
                    call[#call + 1] = opts
                    expect.failure("at least", table.unpack(call))
                end
            end
        end
        expect.failure("option 'height': a number of rows, at least 2, expected", lun.plot, k, { height = 1, string = true })
        for _, call in ipairs { { lun.plot, k }, { lun.hist, k }, { lun.bars, { "a" }, { 1 } }, { lun.box, k } } do
            call[#call + 1] = { width = 20, string = true }
            assert.is_true(#call[1](table.unpack(call, 2)) > 0)
        end
        assert.is_nil(io.open(directory .. "/w.svg"))
    end)
end)
