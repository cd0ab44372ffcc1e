-- Names of pandas, polars and dplyr, and what to write here: code over a table t of city, day and temp, another one u
-- of city and land, groups g of t by city, texts s, times d and what other_names.lua has; and those for which there is
-- nothing, with the reason.

local M = {}

-- Names on the left, with blanks between those that mean the same; the ways on the right.
M.written = {
    -- rows
    ["arrange sort_by order_by sort_index"] = { 't:sort("city", "-temp")' },
    ["slice_head limit"] = { "t:head(2)" }, slice_tail = { "t:tail(2)" }, ["slice_sample sample_n"] = { "t:sample(2)" },
    sample_frac = { "t:sample{frac = 0.5}" }, ["iter_slices partition_rows"] = { "t:parts(1000)" },
    ["nlargest slice_max top_k top_k_by top_n"] = { "t:sort(\"-temp\"):head(2), a:topk(2)" },
    ["nsmallest slice_min bottom_k bottom_k_by"] = { 't:sort("temp"):head(2), a:topk(2, {smallest = true})' },
    ["drop_duplicates distinct is_first_distinct"] = { 't:unique{"city"}, a:unique()' },
    is_last_distinct = { 't:unique({"city"}, {keep = "last"})' },
    ["duplicated is_duplicated"] = { 't:group("city"):size():gt(1)' }, is_unique = { "a:nunique() == #a" },
    ["at iat at_time get rows_by_key xs"] = { "t[2].temp, t.temp[2], t:filter{day = 2}" },
    strftime = { 'd:format "%Y-%m"' },
    ["between is_between between_time"] = { "a:ge(1) & a:le(2)" }, near = { "b:isclose(2.5)" },
    is_close = { "b:isclose(2.5)" },
    ["iterrows itertuples iter_rows rowwise map_rows"] = { "t:iter(), t:apply(function(row) return row.temp end)" },
    ["items iter_columns"] = { "pairs(t)" }, gather_every = { "a:sub(1, -1, 2)" },
    ["row_number with_row_index rowid_to_column"] = { "t:with{row = lun.index(#t)}" },
    ["reset_index set_index reindex reset"] = { "t:with{row = lun.index(#t)}" }, keys = { "t:names()" },
    ["drop_na drop_nulls"] = { "t:dropna()" }, ["fill_null replace_na"] = { "t:fillna{temp = 0}" },
    fill_nan = { "b:fillnan(0)" }, drop_nans = { "b:dropnan()" }, ["forward_fill fill"] = { "a:ffill()" },
    backward_fill = { "a:bfill()" }, ["is_null isnat"] = { "a:ismissing()" },
    ["is_not_null is_not_nan"] = { "a:notna()" },
    is_nan = { "b:isnan()" }, is_finite = { "b:isfinite()" }, is_infinite = { "b:isinf()" },
    ["hasnans has_nulls"] = { "a:ismissing():any()" }, null_count = { "a:ismissing():count()" },
    na_if = { "a:naif(1)" },
    ["first_valid_index"] = { "a:notna():argmax()" }, is_empty = { "#t == 0" }, height = { "#t" },
    lag = { "b:shift(1)" },
    lead = { "b:shift(-1)" }, nth = { "a[2]" }, tally = { "#t" }, ["n count_rows"] = { "#t, g:count()" },
    ["first"] = { "a[1], g:first \"temp\"" }, ["last"] = { 'a[-1], g:last "temp"' },
    ["add_count add_tally"] = { 't:with{n = t:group("city"):size()}' },
    -- columns
    ["mutate assign with_columns with_columns_seq transmute insert_column replace_column isetitem"] =
        { "t:with{f = t.temp * 2}" },
    ["pull get_column to_series get_columns"] = { "t.temp" }, ["relocate select_seq"] = { 't:select("temp", "*")' },
    ["pick any_of all_of across select_dtypes"] = { 't:select("temp", "day"), t:select "*e*"' },
    ["exclude drop_in_place"] = { 't:drop "day"' }, ["starts_with everything"] = { 't:select "te*"' },
    ends_with = { 't:select "*mp"' }, num_range = { 't:select "d*"' },
    ["rename_with alias add_prefix add_suffix rename_axis"] = { 't:rename{temp = "degrees"}' },
    ["get_column_index"] = { "t:names()" }, ["schema collect_schema"] = { "t:dtypes()" },
    ["glimpse show to_string"] = { "t:info()" }, ["estimated_size memory_usage"] = { "a:nbytes(), t:info()" },
    ["convert_dtypes infer_objects match_to_schema"] = { 't:with{temp = t.temp:cast "f64"}' },
    clear = { "t:head(0)" }, ["hstack bind_cols"] = { "t:with{land = lun.vector{1, 2, 3}}" },
    ["bind_rows extend rows_append merge_sorted"] = { "t .. t, lun.concat({t, u}, {union = true})" },
    ["union_all"] = { "t .. t" }, unite = { 's .. "-" .. s' }, separate = { 's:split("a", 2)' },
    ["get_dummies to_dummies one_hot OneHotEncoder"] = { "s:codes():expand_dims(2):eq(lun.index(#s:levels()))" },
    -- groups and windows
    ["group_by group_by_all"] = { 't:group "city"' },
    ["summarise summarize reframe"] = { 'g:agg{m = {"mean", "temp"}}' },
    ["over with_groups"] = { 'g:transform("mean", "temp")' }, ["n_groups"] = { "#g" }, ungroup = { "t" },
    ["partition_by group_split group_nest group_data nest_by nest"] = { "g:iter(), g:table(1)" },
    ["group_map group_modify group_walk map_groups do"] = { "g:apply(function(t) return t:head(1) end)" },
    ["group_vars group_keys"] = { "g:keys()" }, ["group_rows cur_group_rows"] = { "g:rows(1)" },
    ["cur_group_id consecutive_id factorize"] = { "g:codes(), s:codes()" }, cur_group = { "g:keys()" },
    n_distinct = { "a:nunique()" }, ["n_unique approx_n_unique"] = { "a:nunique()" }, cum_sum = { "a:cumsum()" },
    cum_prod = { "a:cumprod()" }, cum_max = { "a:cummax()" }, cum_min = { "a:cummin()" },
    cum_count = { "g:cumcount()" },
    ["asof join_asof"] = { 't:join(t, "day", {how = "asof"})' },
    inner_join = { 't:join(u, "city")' },
    left_join = { 't:join(u, "city", {how = "left"})' }, right_join = { 't:join(u, "city", {how = "right"})' },
    full_join = { 't:join(u, "city", {how = "full"})' }, semi_join = { 't:join(u, "city", {how = "semi"})' },
    anti_join = { 't:join(u, "city", {how = "anti"})' }, join_by = { 't:join(u, {city = "city"})' },
    ["cross_join crossing"] = { 't:drop("city"):join(u:drop("city"), {}, {how = "cross"}), lun.cartesian(a, b)' },
    ["pivot_wider pivot_table"] = { 't:pivot{index = "day", columns = "city", values = "temp"}' },
    ["pivot_longer unpivot"] = { 't:melt{id = "city", vars = {"day", "temp"}}' },
    ["unnest"] = { 't:explode("city", "s")' },
    ["resample asfreq upsample group_by_dynamic"] = { "t:resample(time, \"1mo\")" },
    ["rolling_mean rolling_sum rolling_min rolling_max rolling_std rolling_var rolling_median rolling_quantile"
        .. " rolling_rank rolling_map rolling_skew rolling_kurtosis"] = { 'a:rolling(2, "mean")' },
    ["rolling_mean_by rolling_sum_by rolling_min_by rolling_max_by rolling_std_by rolling_var_by rolling_median_by"
        .. " rolling_quantile_by rolling_rank_by"] = { "t:rolling(time, \"7d\")" },
    expanding = { "a:cumsum(), a:cummax()" },
    ["ewm_mean ewm_std ewm_var ewm_sum ewm_mean_by ewm_sum_by"] = { "a:ewm(0.5)" },
    ["min_rank dense_rank percent_rank cume_dist"] = { "a:rank()" }, ntile = { "b:qcut(2)" },
    -- elements
    ["if_else case_when ternary"] = { "lun.where(m, a, 0)" }, mask = { "lun.where(m, 0, a)" },
    ["case_match recode replace_strict"] = { 's:replace{a = "b"}' }, is_in = { "a:isin{1, 2}" },
    ["and_ if_all"] = { "m & m" }, ["or_ if_any"] = { "m | m" }, ["not_"] = { "~m" }, desc = { 't:sort "-temp"' },
    ["eq_missing"] = { "a:equals(b)" }, ne_missing = { "a:ne(b)" }, update = { "lun.where(b:ismissing(), a, b)" },
    ["combine combine_first"] = { "a:fillna(a)" }, setequal = { "#a:setxor(b) == 0" }, symdiff = { "a:setxor(b)" },
    ["idxmax arg_max nanargmax"] = { "a:argmax()" }, ["idxmin arg_min nanargmin"] = { "a:argmin()" },
    ["max_by"] = { "b[a:argmax()]" }, min_by = { "b[a:argmin()]" }, ["nan_max"] = { "b:nanmax()" },
    nan_min = { "b:nanmin()" },
    lexsort = { 't:with{row = lun.index(#t)}:sort("city", "temp").row' }, ["arg_sort"] = { "a:argsort()" },
    ["arg_true"] = { "m:indices()" }, arg_unique = { "a:unique_all()" },
    index_of = { "a:eq(2):argmax()" }, ["is_monotonic_increasing is_sorted"] = { "a:diff():ge(0):all()" },
    is_monotonic_decreasing = { "a:diff():le(0):all()" }, ["search_sorted"] = { "b:searchsorted(a)" },
    ["argpartition partition"] = { "a:argsort()" }, sem = { "a:std(1) / (#a) ^ 0.5" }, kurt = { "a:kurtosis()" },
    autocorr = { "b:sub(2, -1):corr(b:sub(1, -2))" }, corrwith = { "a:corr(b)" }, entropy = { "-(b * b:log()):sum()" },
    ["max_horizontal"] = { "a:max(b)" }, min_horizontal = { "a:min(b)" }, sum_horizontal = { "a + b" },
    mean_horizontal = { "(a + b) / 2" }, hash_rows = { "g:codes()" }, cot = { "1 / b:tan()" }, floordiv = { "a // b" },
    ["truediv rtruediv rdiv"] = { "a / b" }, ["truncdiv"] = { "(a / b):trunc()" }, radd = { "2 + a" },
    rmul = { "2 * a" },
    rsub = { "2 - a" }, rpow = { "2 ^ a" }, ["rmod rdivmod"] = { "2 % b" }, rfloordiv = { "2 // b" },
    reinterpret = { "a:cast \"u64\"" },
    ["round_sig_figs"] = { 'b:format "%.3g"' }, ["bin"] = { "b:cut{0, 2, 5}" }, approx_quantile = { "a:quantile(0.5)" },
    bitwise_count_ones = { "a:popcount()" }, bitwise_count_zeros = { "64 - a:popcount()" },
    bitwise_leading_zeros = { "a:clz()" }, bitwise_trailing_zeros = { "a:ctz()" },
    bitwise_leading_ones = { "(~a):clz()" }, bitwise_trailing_ones = { "(~a):ctz()" },
    ["collect collapse"] = { "a:eval()" }, ["map_batches map_elements map_columns pipe"] = { "a:map(f)" },
    ["str"] = { "s:upper(), s:contains \"a\", s:split(\"a\", 2)" }, dt = { 'd:year(), d:truncate "1mo"' },
    ["to_timestamp"] = { 'd:cast "timestamp"' },
    ["tz_convert tz_localize"] = { 'ts:zone("UTC", "Europe/Oslo")', 'd:cast "timestamp"' },
    to_period = { 'd:truncate "1mo"' }, ["to_dict"] = { 't:totable "columns"' },
    ["to_dicts to_records"] = { "t:totable()" },
    ["to_numpy to_frame values"] = { "lun.stack({t.day, t.temp}, 2)" },
    ["from_dict tibble tribble"] = { "lun.table{x = a}" },
    ["from_records fromrecords"] = { "lun.table{{x = 1}, {x = 2}}" }, write_csv = { 'lun.save("t.csv", {x = a})' },
    ["to_json write_json write_ndjson"] = { 'lun.save("t.json", {x = a})' },
    ["to_arrow to_pandas"] = { "lun.arrow.export(t)" }, from_arrow = { "lun.arrow.import(lun.arrow.export(t))" },
    ["replace_column_names"] = { 't:rename{temp = "x"}' },
}

-- Names without a way, and why.
M.none = {
    ["droplevel reorder_levels swaplevel reindex_like set_axis axes align first_index"] =
        "rows have numbers and no labels: keys are columns",
    ["to_clipboard write_clipboard to_excel write_excel to_hdf to_html to_latex to_markdown to_pickle"
        .. " to_stata to_xarray to_xml to_orc to_iceberg write_iceberg write_delta write_avro write_database"
        .. " to_sql to_jax to_torch style"] =
        "tables are saved as .csv, .tsv, .json, .jsonl and .npz",
    ["to_feather to_parquet write_parquet write_ipc write_ipc_stream serialize deserialize sql explain_sql"] =
        "tables are saved as .csv, .tsv, .json, .jsonl and .npz: lun.help \"save\"",
    ["arr list struct implode to_struct ext bin_intervals bin_ranks bin_quantiles"] =
        "cells hold no lists and no records",
    ["lazy_frame rechunk n_chunks shrink_to_fit set_sorted to_physical to_init_repr flags set_flags attrs"
        .. " sparse meta name inspect"] =
        "what is computed when is the engine's concern: lun.help \"explain\"",
    ["rle rle_id peak_max peak_min interpolate_by extend_constant repeat_by lower_bound upper_bound"
        .. " cumulative_eval to_dummies join_where pipe_with_dtype hash compare last_valid_index"] =
        "masks, group and join say it in a line or two",
    ["rows_delete rows_insert rows_patch rows_update rows_upsert nest_join expand complete group_trim"
        .. " with_order cur_column top_frac funs vars"] =
        "filter, join and with say it in a line or two",
}

-- The same where a table is asked for them; other values have methods of these names, or write it otherwise.
M.of_tables = {
    query = 't:filter(t.temp:gt(8))', loc = 't:rows(2, 3), t[2].temp', iloc = 't:rows(2, 3), t[2].temp',
    isna = "t.temp:isna()", isnull = "t.temp:isna()", mean = 't:agg{"mean", "temp"}', sum = 't:agg{"sum", "temp"}',
    median = 't:agg{"median", "temp"}', std = 't:agg{"std", "temp"}', min = 't:agg{"min", "temp"}',
    max = 't:agg{"max", "temp"}',
    count = "t:agg()", quantile = 't:agg{q = {"quantile", "temp", 0.9}}', nunique = "t.city:nunique()",
    crosstab = 't:pivot{index = "day", columns = "city", agg = "count"}', merge = 't:join(u, "city")',
    sort_values = 't:sort("city", "-temp")', groupby = 't:group "city"', shape = "#t, #t:names()", size = "#t",
    columns = "t:names()", index = "lun.index(#t)", where = "t:with{temp = lun.where(t.temp:gt(8), t.temp, 0)}",
    replace = 't:with{city = t.city:replace{Oslo = "Bergen"}}', map = "t.temp:map(function(x) return x + 1 end)",
    plot = 't:plot{x = "day", y = "temp"}', cumsum = "t.temp:cumsum()", shift = 't:group("city"):shift "temp"',
    diff = "t.temp:diff{lag = 1}",
    col = "t.temp", sub = "t:rows(2, 3)", slice = "t:rows(2, 3)", len = "#t", nrow = "#t", ncol = "#t:names()",
    show = "print(t)", print = "print(t)", first = "t:head(1)", last = "t:tail(1)", each = "t:iter()",
    shuffle = "t:sample(#t)", remove = 't:drop "day"', delete = 't:drop "day"', isin = 't:filter(t.city:isin{"Oslo"})',
    save = 'lun.save("t.csv", t)', write = 'lun.save("t.csv", t)', round = "t:with{temp = t.temp:round(1)}",
    hist = "lun.hist(t.temp, {string = true})", find = 't:filter(t.city:contains "O")',
    astype = 't:with{temp = t.temp:cast "f64"}', to_csv = 'lun.save("t.csv", t)', append = "t .. t", insert = "t .. t",
}

return M
