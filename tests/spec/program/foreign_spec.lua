-- What NumPy, Torch and pandas call things: each entry is code that runs here, or says that there is nothing yet.
local lun = require "lunarray"
local foreign = require "lunarray.prompt.other_names"
local core = require "lunarray.core"

-- What stands in the entries, and files in a directory of its own.
local function environment()
    local a, b = lun.vector { 3, 1, 2 }, lun.vector { 1.0, 2.5, 4.0 }
    local M = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }
    local directory = io.popen "mktemp -d":read "l"
    local function inside(name)
        return function(path, ...)
            return assert(lun[name](directory .. "/" .. path, ...))
        end
    end
    inside "save"("t.csv", { a = a, b = b })
    inside "save"("a.npy", a)
    inside "save"("a.raw", b:cast "f32")
    inside "save"("picture.png", M:cast "u8")
    local quiet = setmetatable({
        load = inside "load", open = inside "open", save = function(path, x)
            return inside "save"(path, lun.isarray(x) and #x < 3 and x:cast "u8" or x)
        end,
        plot = function(x) return lun.plot(x, { string = true }) end,
        image = function(x) return lun.image(x, { string = true }) end,
        hist = function(x) return lun.hist(x, { string = true }) end,
        use = function(name) assert(name == "opencl") end, -- not on every machine
    }, { __index = lun })
    local t = lun.table { { city = "Oslo", day = 1, temp = 7 }, { city = "Rome", day = 1, temp = 21 },
        { city = "Oslo", day = 2, temp = 9 } }
    local d = lun.vector({ "2024-01-05", "2024-02-05", "2024-02-07" }, "date")
    return setmetatable({ lun = quiet, a = a, b = b, M = M, m = a:gt(1), f = function(x) return x * 2 end,
        t = t, u = lun.table { { city = "Rome", land = "Italy" } }, g = t:group "city", s = lun.vector { "a", "ba", "c" },
        d = d, time = d, ts = d:cast "timestamp" }, { __index = _G }), directory
end

describe("names of other libraries", function()
    after_each(function()
        lun.precision(nil)
        lun.width(nil)
    end)

    it("are code that runs, in terms of what exists", function()
        local env, directory = environment()
        local count, said, print = 0, {}, _G.print
        _G.print = function() end -- t:info() prints
        for name in pairs(foreign.written) do
            local code = foreign.code(name)
            if code then
                local ok, problem = pcall(assert(load("return " .. code, "=" .. name, "t", env)))
                assert.is_true(ok, name .. ": " .. tostring(problem))
                assert.equal(("'%s' is %s here"):format(name, code), foreign.hint(name))
                count = count + 1
                said[code] = true
            end
        end
        for name, code in pairs(foreign.of_tables) do
            local ok, problem = pcall(assert(load("return " .. code, "=" .. name, "t", env)))
            assert.is_true(ok, name .. ": " .. tostring(problem))
            assert.equal(("'%s' is %s here"):format(name, code), foreign.table_hint(name))
        end
        _G.print = print
        os.execute(("rm -r '%s'"):format(directory))
        assert.is_true(count > 500, count .. " names")
        assert.is_true(said['a:cast "f32"'] and said["a .. b"] and said["lun"])
    end)

    it("are all answered that pandas, polars, NumPy, SciPy and dplyr have", function()
        local file = assert(io.open "tests/spec/program/other_names.txt")
        local text = file:read("a"):gsub("#[^\n]*", ""):gsub("[%a_]+:", "")
        file:close()
        local count = 0
        for name in text:gmatch "%S+" do
            assert.is_falsy(lun.help(name):find("^no help"), name)
            count = count + 1
        end
        assert.is_true(count > 1700)
        assert.equal("'mutate' is t:with{f = t.temp * 2} here", lun.help "mutate")
        assert.equal("'complex128' is \"c128\" here", lun.help "complex128")
        assert.equal("there is no 'sort_complex' here: complex numbers have no order: take a:abs(), a:real() or a:imag()",
            lun.help "sort_complex")
        assert.equal("'None' is nil here", lun.help "None")
        assert.equal("'toeplitz' is lun.generate({3, 3}, function(i, j) return b[math.abs(i - j) + 1] end) here", lun.help "toeplitz")
        assert.equal("there is no 'schur' here: factors of matrices are lu, cholesky, qr, svd, eigh and eig", lun.help "schur")
    end)

    it("say nothing where the engine has that name", function()
        for _, name in ipairs { "where", "linspace", "pow", "sum", "cast", "reshape", "clamp" } do
            assert.is_nil(foreign.hint(name), name)
        end
        for _, names in ipairs { foreign.written, foreign.instead } do
            for name in pairs(names) do
                if lun[name] ~= nil or core.internal.methods[name] ~= nil then
                    assert.is_nil(foreign.hint(name), name)
                else
                    local all_there = foreign.code(name) or foreign.instead[name]
                    assert.equal(all_there ~= nil, foreign.hint(name) ~= nil, name)
                end
            end
        end
    end)

    it("give the same as the library does", function()
        local env, directory = environment()
        local function gives(name)
            local value = load("return " .. foreign.code(name), "=" .. name, "t", env)()
            return lun.isarray(value) and value:totable() or value
        end
        assert.same({ 3, 4, 6 }, gives "accumulate")
        assert.same({ 2, 1, 3 }, gives "reversed")
        assert.same({ { 3, 2, 1 }, { 6, 5, 4 } }, gives "fliplr")
        assert.same({ 3, 2 }, gives "remove")
        assert.same({ 3, 1, 2, 1.0, 2.5, 4.0 }, gives "concatenate")
        assert.same({ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, gives "identity")
        assert.same({ 2, 5 }, gives "column")
        assert.same({ 4, 5, 6 }, gives "iloc")
        assert.same({ 2, 3 }, gives "gather")
        assert.is_true(math.abs(gives "pearsonr" + 0.5) < 1e-12)
        -- SciPy 1.17.1: toeplitz(b), hankel(b[:2], b[1:]), logsumexp(b), ndtr(b), xlogy(b, b), kl_div's rel_entr(b, a), boxcox(b, 2)
        assert.same({ { 1, 2.5, 4 }, { 2.5, 1, 2.5 }, { 4, 2.5, 1 } }, gives "toeplitz")
        assert.same({ { 1, 2.5 }, { 2.5, 4 } }, gives "hankel")
        assert.same({ { 1, 4, 2.5 }, { 2.5, 1, 4 }, { 4, 2.5, 1 } }, gives "circulant")
        for name, expected in pairs { logsumexp = { 4.2413112966572 }, ndtr = { 0.84134474606854, 0.99379033467422, 0.99996832875817 },
            xlogy = { 0, 2.2907268296854, 5.5451774444796 }, rel_entr = { -1.0986122886681, 2.2907268296854, 2.7725887222398 },
            boxcox = { 0, 2.625, 7.5 }, log_softmax = { -3.2413112966572, -1.7413112966572, -0.24131129665716 },
            exprel = { 1.718281828459, 4.4729975842814, 13.399537508286 } } do
            local got = gives(name)
            for k, x in ipairs(expected) do
                assert.is_true(math.abs((type(got) == "table" and got[k] or got) - x) < 1e-12, name)
            end
        end
        -- NumPy 2.4.6 and SciPy 1.17.1, indices from 1: around(b), triu_indices(3), unravel_index(a - 1, (2, 3)), lexsort((temp, city)),
        -- interp1d([1, 2, 3], a)(b), cumulative_trapezoid(b), stats.sem(a), spearmanr(a, b), linregress(a, b), kl_div(b, a), cdist(M, M)
        assert.same({ 1, 2, 4 }, gives "around")
        local triangle = load("return " .. foreign.code "triu_indices", "=triu", "t", env)()
        assert.same({ { 1, 1, 1, 2, 2, 3 }, { 1, 2, 3, 2, 3, 3 } }, { triangle[1]:totable(), triangle[2]:totable() })
        assert.same({ 1, 1, 1 }, gives "unravel_index")
        assert.same({ 1, 3, 2 }, gives "lexsort")
        for name, expected in pairs { interp1d = { 3, 1.5, 2 }, cumulative_trapezoid = { 1.75, 5 }, sem = { 0.5773502691896258 },
            spearmanr = { -0.5 }, linregress = { -0.75, 4 }, kl_div = { 0.9013877113318902, 0.7907268296853878, 0.7725887222397811 } } do
            local got = gives(name)
            for k, x in ipairs(expected) do
                assert.is_true(math.abs((type(got) == "table" and got[k] or got) - x) < 1e-12, name)
            end
        end
        assert.is_true(math.abs(gives "cdist"[1][2] - 5.196152422706632) < 1e-12)
        assert.is_true(env.M:matmul(lun.vector(gives "null_space")):abs():max() < 1e-12)
        assert.same({ 3, 1 }, { lun.vector(gives "null_space"):shape() })
        local total = 0
        for _, x in ipairs(gives "softmax") do
            total = total + x
        end
        assert.is_true(math.abs(total - 1) < 1e-12)
        os.execute(("rm -r '%s'"):format(directory))
    end)

    it("are answered by help, and near misses of our own", function()
        assert.equal("'astype' is a:cast \"f32\" here", lun.help "astype")
        assert.equal("'fliplr' is M:flip(2) here", lun.help "np.fliplr")
        assert.equal(lun.help "a:truncate", lun.help "w.date:truncate")
        assert.equal("a:flip([axes]): a window with the order along these axes reversed: a number, a list, by default all\n"
            .. "example: lun.vector{{1, 2}, {3, 4}}:flip(2) is {{2, 1}, {4, 3}}", lun.help "np.flip")
        local env, directory = environment()
        -- methods of NumPy's functions, of which the last name alone says something else
        for name, code in pairs { ["np.subtract.outer"] = "a:expand_dims(2) - b", ["maximum.accumulate"] = "a:cummax()",
            ["numpy.minimum.outer"] = "a:expand_dims(2):min(b)", ["add.at"] = 'b:put({1, 1}, 2, {combine = "+"})',
            ["multiply.reduce"] = 'a:reduce "*"', ["emath.sqrt"] = "(b + 0 * lun.i):sqrt()" } do
            assert.equal(("'%s' is %s here"):format(name:match "%a+%.%a+$", code), lun.help(name))
            assert.is_true(pcall(assert(load("return " .. code, name, "t", env))))
        end
        assert.equal("'accumulate' is a:cumsum() here", lun.help "accumulate")
        os.execute(("rm -r '%s'"):format(directory))
        assert.equal("no help for 'vectr'; did you mean 'vector'? lun.help() lists everything", lun.help "vectr")
        assert.equal("no help for 'a:summ'; did you mean 'sum'? lun.help() lists everything", lun.help "a:summ")
        assert.equal("no help for 'xyzzy'; lun.help() lists everything", lun.help "xyzzy")
    end)
end)
