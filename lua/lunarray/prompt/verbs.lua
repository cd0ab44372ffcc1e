-- What help says of the methods of tables and of groups of their rows: the call, what it gives, an example over a table
-- t = lun.table{{city = "Oslo", day = 1, temp = 7}, {city = "Rome", day = 1, temp = 21}, {city = "Oslo", day = 2, temp = 9}}
-- and g = t:group "city", and what that is (tests/spec/table/verbs_help_spec.lua runs each).

local M = {}

M.verbs = {
    agg = { "t:agg{name = spec, ...}", "a table of one row: functions of whole columns; specs as g:agg has them",
        't:agg{n = "count", warmest = {"max", "temp"}}.warmest[1]', "21" },
    apply = { "t:apply(f)", "a column of f(row) for each row, by Lua, one row after the other",
        "t:apply(function(r) return r.temp + r.day end)[3]", "11" },
    copy = { "t:copy()", "a table of the same columns, which gains and loses columns by itself", "t:copy() == t", "true" },
    corr = { "t:corr([names])", "the correlation of each two columns of numbers, a row for each", "#t:corr()", "2" },
    describe = { "t:describe()", "a row for each column: count, missing, mean, std, least, quartiles, greatest",
        "#t:describe()", "3" },
    drop = { "t:drop(name, ...)", "without these columns; * matches any characters", 't:drop("day", "c*"):names()[1]',
        "temp" },
    dropna = { "t:dropna([names])", "the rows without a missing element, in these columns", "#t:dropna()", "3" },
    dtypes = { "t:dtypes()", "the dtypes of the columns, in order", "t:dtypes()[3]", "i64" },
    explode = { "t:explode(name, sep)", "a row for each piece of a column of texts, split at sep", '#t:explode("city", "s")',
        "5" },
    fillna = { "t:fillna(x), t:fillna{name = x}", "missing elements filled, of all columns that take x or of some",
        "t:fillna{temp = 0}.temp[1]", "7" },
    filter = { "t:filter(m, ...)",
        "the rows where all hold: masks, {name = value or list}, functions of a row, in Lua",
        '#t:filter(t.temp:gt(8), {city = "Rome"})', "1" },
    group = { 't:group(k, ... [, {order="first", dropna=true, levels=}])',
        "rows in groups by names, arrays or {name = array}; help \"g:agg\" and so on", '#t:group "city"', "2" },
    has = { "t:has(name)", "whether there is a column of that name", 't:has "wind"', "false" },
    head = { "t:head([n=10])", "the first n rows", "#t:head(2)", "2" },
    info = { "t:info()", "a row for each column: dtype, missing elements, bytes", "#t:info()", "3" },
    iter = { "t:iter()", "for i, row in t:iter() do: each row as a Lua table", "select(2, t:iter()(t, 0)).city", "Oslo" },
    join = { 't:join(u, on [, {how="inner", suffix="_right", validate=, na=, source=}])',
        "rows of t beside those of u with equal keys; on: a name, a list or {left = right}; how: inner left right\n"
            .. "full semi anti cross", '#t:join(lun.table{{city = "Rome", land = "Italy"}}, "city")', "1" },
    melt = { "t:melt{id=, vars=, name=, value=}", "a row for each element of the columns vars, named in column name",
        '#t:melt{id = "city", vars = {"day", "temp"}}', "6" },
    names = { "t:names()", "the names of the columns, in order", "t:names()[2]", "day" },
    parts = { "t:parts([rows])", "for first, part in t:parts(1000) do: tables of so many rows", "#select(2, t:parts(2)())", "2" },
    pivot = { 't:pivot{index=, columns=, values=, agg="mean", fill=}', "a row for each index, a column for each value",
        't:pivot{index = "day", columns = "city", values = "temp"}.Rome[1]', "21.0" },
    rename = { "t:rename{old = new, ...}, t:rename(f)", "columns under other names", 't:rename{temp = "t"}.t[1]', "7" },
    rows = { "t:rows(which), t:rows(i, j)", "rows by a mask or by numbers; 0 is a missing row; -1 the last",
        "t:rows{3, 1}.temp[1]", "9" },
    sample = { "t:sample(n [, {seed=, replace=}]), t:sample{frac=}", "rows by chance, in their order",
        "#t:sample(2, {seed = 1})", "2" },
    select = { "t:select(name, ...)", "these columns, in this order; * matches any characters", '#t:select("temp"):names()',
        "1" },
    sort = { 't:sort(k, "-k", ... [, {descending=, missing="first"}])',
        "the rows in order of columns, of - in falling order; equal ones stay in order, missing ones are last",
        't:sort("-temp").city[1]', "Rome" },
    tail = { "t:tail([n=10])", "the last n rows", "t:tail(1).day[1]", "2" },
    totable = { 't:totable([how="rows"])', 'a Lua table of rows, or of "columns"', "t:totable()[3].temp", "9" },
    unique = { 't:unique([names] [, {keep="first"}])', 'one row of equal ones: the first, the "last", or "none" of several',
        '#t:unique "city"', "2" },
    value_counts = { "t:value_counts(name, ...)", "the different rows of these columns and their count, the most first",
        't:value_counts("city").count[1]', "2" },
    with = { "t:with{name = array, value or function(t), ...}", "with these columns, further ones or others",
        "t:with{f = function(t) return t.temp * 2 end}.f[3]", "18" },
}

M.of_groups = {
    agg = { "g:agg{name = spec, ...}",
        "a table of the keys and, for each group, results; a spec is \"count\" or {function, column, argument}:\n"
            .. "count sum prod mean min max first last any all var std median quantile mode nunique corr cov wmean\n"
            .. "argmin argmax concat, or a Lua function of the group's elements; {{name, function, column}, ...} keeps\n"
            .. 'its order, g:agg{"mean", "x", "y"} names results by columns', 'g:agg{t = {"mean", "temp"}}.t[1]', "8.0" },
    codes = { "g:codes()", "the number of each row's group", "g:codes()[2]", "2" },
    head = { "g:head(n)", "the first n rows of each group, in the order of rows", "#g:head(1)", "2" },
    iter = { "g:iter()", "for key, sub in g:iter() do: the rows of each group", "(g:iter()(g))", "Oslo" },
    keys = { "g:keys()", "the keys of the groups, in their order", "g:keys()[2]", "Rome" },
    rows = { "g:rows(k)", "the numbers of the rows of group k", "g:rows(1)[2]", "3" },
    shift = { "g:shift(x [, k=1])", "for each row the element k rows before it in its group", 'g:shift("temp")[3]', "7" },
    size = { "g:size()", "for each row the number of rows of its group", "g:size()[1]", "2" },
    table = { "g:table(k)", "the rows of group k as a table", "#g:table(1)", "2" },
    tail = { "g:tail(n)", "the last n rows of each group, in the order of rows", "#g:tail(1)", "2" },
    topk = { "g:topk(n, x [, {smallest=true}])", "the rows with the n greatest elements of each group",
        'g:topk(1, "temp").temp[1]', "9" },
    transform = { "g:transform(f, x)", "a function of agg, spread to the rows of each group",
        'g:transform("mean", "temp")[3]', "8.0" },
}

return M
