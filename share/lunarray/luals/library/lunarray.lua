---@meta lunarray
-- Definitions of Lunarray for lua-language-server, made by `make docs` of the program's own help; do not edit.

---@alias lun.dtype "bool"|"i8"|"u8"|"i16"|"u16"|"i32"|"u32"|"i64"|"u64"|"f32"|"f64"|"f16"|"bf16"|"text"|"date"|"timestamp"|"duration"|"c64"|"c128"
---@alias lun.Shape integer|(integer|integer[])[]
---@alias lun.Value number|boolean|string|lun.Array
---@alias lun.Operand lun.Array|number|boolean|string
---@alias lun.Function function|string|lun.Skeleton|lun.Operation
---@alias lun.Along { axis?: integer|integer[], keep?: boolean, skipnan?: boolean, skipna?: boolean, ddof?: number }

---An operation of lun.op, which skeletons take.
---@class lun.Operation

---The page of lun.explain.
---@class lun.Plan
---@field text string


---An array: Vector, View, Scalar or Composition.
---@class lun.Array
---@operator add(lun.Operand): lun.Array
---@operator sub(lun.Operand): lun.Array
---@operator mul(lun.Operand): lun.Array
---@operator div(lun.Operand): lun.Array
---@operator mod(lun.Operand): lun.Array
---@operator pow(lun.Operand): lun.Array
---@operator idiv(lun.Operand): lun.Array
---@operator band(lun.Operand): lun.Array
---@operator bor(lun.Operand): lun.Array
---@operator bxor(lun.Operand): lun.Array
---@operator shl(lun.Operand): lun.Array
---@operator shr(lun.Operand): lun.Array
---@operator concat(lun.Operand): lun.Array
---@operator unm: lun.Array
---@operator bnot: lun.Array
---@operator len: integer
---@field [integer] any
---@field [string] any
local Array = {}

---absolute value
---`a:abs()`
---@return lun.Array
function Array:abs() end

---arc cosine, in radians
---`a:acos()`
---@return lun.Array
function Array:acos() end

---inverse hyperbolic cosine
---`a:acosh()`
---@return lun.Array
function Array:acosh() end

---+; sum; of dates a:add(unit): a step by the calendar, "1mo" or "-2d"; months end on their last day at most
---`a:add(b)`
---@param b lun.Operand
---@return lun.Array
function Array:add(b) end

---the conjugate of the matrices of the last two axes, transposed
---`A:adjoint()`
---@return lun.Array
function Array:adjoint() end

---whether what is written to one may change the other: an element is in both, as windows on one array
---`a:aliases(b)`
---@param b lun.Operand
---@return boolean
function Array:aliases(b) end

---true if every element is true; a:all{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:all([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:all(options) end

---whether isclose holds of all elements
---`a:allclose(b [, {rtol=1e-5, atol=1e-8, equal_nan=false}])`
---@param b lun.Operand
---@param options? { rtol?: number, atol?: number, equal_nan?: boolean }
---@return boolean
function Array:allclose(b, options) end

---of A, n x k, and B, m x k, the n x m matrix whose element (i, j) combines f(A[i][l], B[j][l], extra...), l = 1 to k, by the associative g(x, y): distances, correlations; "*" and "+" are a matrix product; out as in map
---`a:allpairs(b, f, g, id, extra... [, {out=dtype}])`
---@param b lun.Operand
---@param f lun.Function
---@param g lun.Function
---@param id lun.Operand
---@param ... any
---@return lun.Array
function Array:allpairs(b, f, g, id, ...) end

---atan2(a.im, a.re), in radians from -pi to pi
---`a:angle()`
---@return lun.Array
function Array:angle() end

---true if some element is true; a:any{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:any([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:any(options) end

---adds a number, or the elements of a Vector, behind those of a Vector, and returns it; windows on it stay.
---It takes constant time for each element, on average
---`a:append(x)`
---@param x lun.Operand
---@return lun.Array
function Array:append(x) end

---the index of the first largest element; the first NaN wins; a:argmax{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:argmax([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:argmax(options) end

---the index of the first smallest element; the first NaN wins; a:argmin{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:argmin([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:argmin(options) end

---the indices, along the axis, of the elements in the order of sort; of equal ones the first comes first;
---of a Vector a:take(a:argsort()) is a:sort()
---`a:argsort([{axis=, descending=true, missing="first"}])`
---@param options? { axis?: integer|integer[], descending?: boolean, missing?: any }
---@return lun.Array
function Array:argsort(options) end

---a matrix with a row of indices for each element that is not 0
---`a:argwhere()`
---@return lun.Array
function Array:argwhere() end

---arc sine, in radians
---`a:asin()`
---@return lun.Array
function Array:asin() end

---inverse hyperbolic sine
---`a:asinh()`
---@return lun.Array
function Array:asinh() end

---arc tangent, in radians
---`a:atan()`
---@return lun.Array
function Array:atan() end

---angle of the point (b, a), in radians
---`a:atan2(b)`
---@param b lun.Operand
---@return lun.Array
function Array:atan2(b) end

---inverse hyperbolic tangent
---`a:atanh()`
---@return lun.Array
function Array:atanh() end

---the mean weighted by w, an array of a's shape or a Vector along the axis; without an axis a number
---`a:average(w [, {axis=}])`
---@param w lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:average(w, options) end

---where its elements are: on a backend, or in host memory if not on the current device
---`a:backend()`
---@return string
function Array:backend() end

---&; bitwise and
---`a:band(b)`
---@param b lun.Operand
---@return lun.Array
function Array:band(b) end

---each NaN replaced by the first number behind it, over `limit` of them at most
---`a:bfill([limit] [, {axis=1}])`
---@param limit? integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:bfill(limit, options) end

---how often each value 1 to n occurs in a Vector of integers, or the sums of its weights; n is by default the largest
---`a:bincount([{weights=, n=}])`
---@param options? { weights?: lun.Array|number|table, n?: integer }
---@return lun.Array
function Array:bincount(options) end

---~; bitwise complement
---`a:bnot()`
---@return lun.Array
function Array:bnot() end

---|; bitwise or
---`a:bor(b)`
---@param b lun.Operand
---@return lun.Array
function Array:bor(b) end

---a window that repeats axes of extent 1 and adds missing axes in front
---`a:broadcast(shape)`
---@param shape lun.Shape
---@return lun.Array
function Array:broadcast(shape) end

---a:broadcast: a window that repeats axes of extent 1 and adds axes in front
---`a:broadcast_to(shape)`
---@param shape lun.Shape
---@return lun.Array
function Array:broadcast_to(shape) end

---~; bitwise exclusive or
---`a:bxor(b)`
---@param b lun.Operand
---@return lun.Array
function Array:bxor(b) end

---the elements converted to another dtype
---of texts: a:cast(dtype [, {errors="raise"}]), the numbers that texts are, blanks around them allowed; with errors="missing" what is none is missing
---`a:cast(dtype)`
---@param dtype lun.dtype
---@return lun.Array
function Array:cast(dtype) end

---cube root
---`a:cbrt()`
---@return lun.Array
function Array:cbrt() end

---rounded up
---`a:ceil()`
---@return lun.Array
function Array:ceil() end

---L with L L' = A, of which the lower triangle is read; upper: L', of complex matrices the adjoint
---`A:cholesky([{upper=false}])`
---@param options? { upper?: boolean }
---@return lun.Array
function Array:cholesky(options) end

---a limited to b .. c
---`a:clamp(b, c)`
---@param b lun.Operand
---@param c lun.Operand
---@return lun.Array
function Array:clamp(b, c) end

---lo where a is below, hi where it is above: a:clamp; nil: no limit
---`a:clip(lo, hi)`
---@param lo any
---@param hi any
---@return lun.Array
function Array:clip(lo, hi) end

---how many zero bits stand above the highest one that is set; of 0 all bits of the dtype
---`a:clz()`
---@return lun.Array
function Array:clz() end

---of texts: the number of each one among a:levels(), u32, 0 where it is missing
---`a:codes()`
---@return lun.Array
function Array:codes() end

---a window on column j
---`A:col(j)`
---@param j integer
---@return lun.Array
function Array:col(j) end

---the elements, in row-major order, at which mask, bools of a's shape, is true: a Vector whose length is known
---once it is evaluated, which #, shape and expressions of it do; along an axis, slices at which mask, a
---Vector of that extent, is true
---`a:compress(mask [, {axis=}])`
---@param mask lun.Array
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:compress(mask, options) end

---the condition number: the greatest singular value over the least, with -2 the least over the greatest; with
---"fro", "nuc", 1, -1, math.huge and -math.huge the norm of a square matrix times that of its inverse. Of a
---singular matrix infinity
---`A:cond([ord=2])`
---@param ord? integer
---@return lun.Array
function Array:cond(ord) end

---complex numbers with the sign of their imaginary parts changed
---`a:conj()`
---@return lun.Array
function Array:conj() end

---whether a text is part of it; x: a text, or an array of texts
---`a:contains(x)`
---@param x lun.Operand
---@return lun.Array
function Array:contains(x) end

---sums of products of a's elements with b's in reverse, of 1 to 3 axes; mode: "full", "same", as many as
---the longer has, or "valid", where both overlap; of floats, if both have more than 64 elements, by Fourier
---transforms
---`a:convolve(b [, {mode="full"}])`
---@param b lun.Operand
---@param options? { mode?: string }
---@return lun.Array
function Array:convolve(b, options) end

---a copy with its own elements, in row-major order or the given layout (options: see lun.vector)
---`a:copy([{layout=, align=, label=, readonly=true}])`
---@param options? { layout?: string|integer[], align?: any, label?: string, readonly?: boolean }
---@return lun.Array
function Array:copy(options) end

---a with the sign of b
---`a:copysign(b)`
---@param b lun.Operand
---@return lun.Array
function Array:copysign(b) end

---stores a's elements into b, which has its shape; returns b
---`a:copyto(b)`
---@param b lun.Operand
---@return lun.Array
function Array:copyto(b) end

---the correlation of two arrays by Pearson, a number, without pairs of which one is missing
---`a:corr(b)`
---@param b lun.Operand
---@return lun.Value
function Array:corr(b) end

---the matrix of the correlations of a matrix's rows, or, with rows=false, columns
---`A:corrcoef([{rows=true}])`
---@param options? { rows?: boolean }
---@return lun.Array
function Array:corrcoef(options) end

---sums of products of a's elements with the conjugates of b's at each shift, of 1 to 3 axes; modes as of convolve
---`a:correlate(b [, {mode="valid"}])`
---@param b lun.Operand
---@param options? { mode?: string }
---@return lun.Array
function Array:correlate(b, options) end

---cosine, a in radians
---`a:cos()`
---@return lun.Array
function Array:cos() end

---hyperbolic cosine
---`a:cosh()`
---@return lun.Array
function Array:cosh() end

---cos(pi * a), exact where a is a multiple of 1/2
---`a:cospi()`
---@return lun.Array
function Array:cospi() end

---the number of elements that are true (not 0); a:count{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:count([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:count(options) end

---the number of elements that are not 0: a:count
---`a:count_nonzero([{axis=, keep=true}])`
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function Array:count_nonzero(options) end

---the covariance of two arrays, a number, without pairs of which one is missing; of a matrix that of its rows, or, with
---rows=false, columns, a matrix; divided by n - ddof, which is n - 1 here
---`a:cov(b [, {ddof=1}]), A:cov([{ddof=1, rows=true}])`
---@overload fun(self: lun.Array, options?: { ddof?: number, rows?: boolean }): lun.Value
---@param b lun.Operand
---@param options? { ddof?: number }
---@return lun.Value
function Array:cov(b, options) end

---the vector product of vectors of 3 elements along an axis
---`a:cross(b [, {axis=-1}])`
---@param b lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:cross(b, options) end

---how many zero bits stand below the lowest one that is set; of 0 all bits of the dtype
---`a:ctz()`
---@return lun.Array
function Array:ctz() end

---the running maxima; NaN from the first NaN on; each element's own is in it; without an axis a Vector in row-major order
---`a:cummax([{axis=}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:cummax(options) end

---the running minima; NaN from the first NaN on; each element's own is in it; without an axis a Vector in row-major order
---`a:cummin([{axis=}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:cummin(options) end

---the running products; of integers i64 or u64, as prod; each element's own is in it; without an axis a Vector in row-major order
---`a:cumprod([{axis=}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:cumprod(options) end

---the running sums; of integers i64 or u64, as sum; each element's own is in it; without an axis a Vector in row-major order
---`a:cumsum([{axis=}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:cumsum(options) end

---the running products along an axis, which a Vector need not name; include_initial: with the 1 before them
---`a:cumulative_prod([{axis=, include_initial=true}])`
---@param options? { axis?: integer|integer[], include_initial?: boolean }
---@return lun.Array
function Array:cumulative_prod(options) end

---the running sums along an axis, which a Vector need not name; include_initial: with the 0 before them
---`a:cumulative_sum([{axis=, include_initial=true}])`
---@param options? { axis?: integer|integer[], include_initial?: boolean }
---@return lun.Array
function Array:cumulative_sum(options) end

---the number of the interval between edges that each element is in, missing of those in none; right: an interval has its
---upper edge, else its lower one; labels: texts instead of numbers, true: such as "(0, 10]"
---`a:cut(edges [, {labels=, right=true}])`
---@param edges lun.Array|table|integer
---@param options? { labels?: any, right?: boolean }
---@return lun.Array
function Array:cut(edges, options) end

---the dates of timestamps
---`a:date()`
---@return lun.Array
function Array:date() end

---the day of the month, from 1, i64
---`a:day()`
---@return lun.Array
function Array:day() end

---degrees as radians
---`a:deg2rad()`
---@return lun.Array
function Array:deg2rad() end

---a value without the elements at i, an index or several; without an axis in row-major order
---`a:delete(i [, {axis=}])`
---@param i integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:delete(i, options) end

---a table of numbers: count, mean, std, min, q25, median, q75, max, of the elements that are neither missing nor NaN
---`a:describe()`
---@return lun.Array
function Array:describe() end

---the determinant, a number; of batches an array
---`A:det()`
---@return lun.Array
function Array:det() end

---of a Vector the matrix that has it as its k-th diagonal, else 0; of a matrix a window on its k-th diagonal
---`a:diag([k])`
---@param k? integer
---@return lun.Array
function Array:diag(k) end

---a window on the elements A[i][i + k] of the last two axes
---`A:diagonal([k])`
---@param k? integer
---@return lun.Array
function Array:diagonal(k) end

---the differences of neighbours, n times, each one shorter; prepend, append: numbers or slices put in front and
---behind before; with lag=k, as long as a, the difference from k before, with k missing ones first
---`a:diff([n=1] [, {axis=-1, prepend=, append=}]), a:diff{lag=k}`
---@overload fun(self: lun.Array, options: { lag?: any }): lun.Array
---@param n? integer
---@param options? { axis?: integer|integer[], prepend?: lun.Array|number|table, append?: lun.Array|number|table }
---@return lun.Array
function Array:diff(n, options) end

---the bin of each element: the index of the first edge above it, or, with right, of the first that is not below
---`a:digitize(edges [, {right=true}])`
---@param edges lun.Array|table|integer
---@param options? { right?: boolean }
---@return lun.Array
function Array:digitize(edges, options) end

---where the elements belong in a set of places: "single", "block", "overlap" or "copy"; rule: "remainder",
---"ceiling" or "balanced"; combine: by which copies that lun.teams has written are merged, as
---reduce takes it; moves nothing until a kernel needs it; returns a
---`a:distribute(kind [, {device=1, rule=, weights=, halo=1, combine=}])`
---@param kind string
---@param options? { device?: integer, rule?: any, weights?: lun.Array|number|table, halo?: any, combine?: any }
---@return lun.Array
function Array:distribute(kind, options) end

---the kind, and a table: devices, counts, starts, rule, axis, halo, fresh, combine, diverged
---`a:distribution()`
---@return any
function Array:distribution() end

---/; quotient, always a float
---`a:div(b)`
---@param b lun.Operand
---@return lun.Array
function Array:div(b) end

---the sum of the products
---`a:dot(b)`
---@param b lun.Operand
---@return lun.Value
function Array:dot(b) end

---the elements that are neither missing nor NaN
---`a:dropna()`
---@return lun.Array
function Array:dropna() end

---the elements that are not NaN; length: as compress
---`a:dropnan()`
---@return lun.Array
function Array:dropnan() end

---the name of the element type
---`a:dtype()`
---@return string
function Array:dtype() end

---the eigenvalues of a square matrix, complex, ascending by real, then imaginary part, and its eigenvectors, as
---columns of length 1 whose element of the greatest modulus is real and positive
---`A:eig()`
---@return lun.Array
function Array:eig() end

---the eigenvalues of a symmetric or Hermitian matrix, ascending, and its eigenvectors, as columns, in which the
---element of the greatest modulus is real and positive; the lower triangle is read
---`A:eigh([{upper=false}])`
---@param options? { upper?: boolean }
---@return lun.Array
function Array:eigh(options) end

---the eigenvalues of a square matrix alone
---`A:eigvals()`
---@return lun.Array
function Array:eigvals() end

---the eigenvalues of a symmetric or Hermitian matrix alone
---`A:eigvalsh([{upper=false}])`
---@param options? { upper?: boolean }
---@return lun.Array
function Array:eigvalsh(options) end

---whether it ends so; x: a text, or an array of texts
---`a:endswith(x)`
---@param x lun.Operand
---@return lun.Array
function Array:endswith(x) end

---equal, elementwise
---`a:eq(b)`
---@param b lun.Operand
---@return lun.Array
function Array:eq(b) end

---whether b is an array of a's shape with equal elements: NaN equals NaN, missing missing
---`a:equals(b), a == b`
---@param b lun.Operand
---@return boolean
function Array:equals(b) end

---error function
---`a:erf()`
---@return lun.Array
function Array:erf() end

---1 - erf(a)
---`a:erfc()`
---@return lun.Array
function Array:erfc() end

---evaluates it now; returns a
---`a:eval()`
---@return lun.Array
function Array:eval() end

---the mean of the elements of a Vector up to each one, each weighted 1 - alpha times as much as the next one; missing ones
---stay so and have no weight
---`a:ewm(alpha)`
---@param alpha number
---@return lun.Array
function Array:ewm(alpha) end

---e^a
---`a:exp()`
---@return lun.Array
function Array:exp() end

---2^a
---`a:exp2()`
---@return lun.Array
function Array:exp2() end

---a window with a new axis of extent 1, which is axis `axis` of the result
---`a:expand_dims(axis)`
---@param axis integer
---@return lun.Array
function Array:expand_dims(axis) end

---1 / (1 + exp(-a))
---`a:expit()`
---@return lun.Array
function Array:expit() end

---the exponential of a square matrix: the sum of A^k / k!
---`A:expm()`
---@return lun.Array
function Array:expm() end

---e^a - 1, exact near 0
---`a:expm1()`
---@return lun.Array
function Array:expm1() end

---the elements where mask is true: a:compress
---`a:extract(mask)`
---@param mask lun.Array
---@return lun.Array
function Array:extract(mask) end

---each NaN replaced by the last number before it, over `limit` of them at most
---`a:ffill([limit] [, {axis=1}])`
---@param limit? integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:ffill(limit, options) end

---the Fourier transform along an axis, of which n elements are taken, zeros where there are none: c64 of f32 and
---c64, c128 of others; norm: "backward" divides inverse transforms by n, "ortho" both by its root,
---"forward" the others
---`a:fft([{n=, axis=-1, norm="backward"}])`
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function Array:fft(options) end

---fft along all axes, or those given, the last one first; shape: the number of elements of each
---`a:fftn([{axes=, shape=, norm="backward"}])`
---@param options? { axes?: integer|integer[], shape?: lun.Shape, norm?: string }
---@return lun.Array
function Array:fftn(options) end

---each axis, or those given, rolled by n//2: element 1 of fft, frequency 0, in the middle
---`a:fftshift([{axes=}])`
---@param options? { axes?: integer|integer[] }
---@return lun.Array
function Array:fftshift(options) end

---sets all elements; returns a
---`a:fill(x)`
---@param x lun.Operand
---@return lun.Array
function Array:fill(x) end

---x, a number or an array that broadcasts, where elements are missing or NaN
---`a:fillna(x)`
---@param x lun.Operand
---@return lun.Array
function Array:fillna(x) end

---a, but b where a is NaN
---`a:fillnan(b)`
---@param b lun.Operand
---@return lun.Array
function Array:fillnan(b) end

---the elements for which p(x, extra...) gives true; length: as compress
---`a:filter(p, extra...)`
---@param p lun.Operand
---@param ... any
---@return lun.Array
function Array:filter(p, ...) end

---the first character of the first place of a text in it, i64, 0 where it is none; x: a text, or an array of texts
---`a:find(x)`
---@param x lun.Operand
---@return lun.Array
function Array:find(x) end

---the elements in row-major order as a Vector
---`a:flatten()`
---@return lun.Array
function Array:flatten() end

---a window with the order along these axes reversed: a number, a list, by default all
---`a:flip([axes])`
---@param axes? integer|integer[]
---@return lun.Array
function Array:flip(axes) end

---rounded down
---`a:floor()`
---@return lun.Array
function Array:floor() end

---a * b + c, rounded once
---`a:fma(b, c)`
---@param b lun.Operand
---@param c lun.Operand
---@return lun.Array
function Array:fma(b, c) end

---the larger one; NaN is ignored
---`a:fmax(b)`
---@param b lun.Operand
---@return lun.Array
function Array:fmax(b) end

---the smaller one; NaN is ignored
---`a:fmin(b)`
---@param b lun.Operand
---@return lun.Array
function Array:fmin(b) end

---the remainder of a / b rounded to zero, as C has it: the sign is a's
---`a:fmod(b)`
---@param b lun.Operand
---@return lun.Array
function Array:fmod(b) end

---numbers as texts by one conversion of string.format
---`a:format(f)`
---@param f lun.Function
---@return lun.Array
function Array:format(f) end

---releases the memory now
---`a:free()`
---@return any
function Array:free() end

---two: m from 0.5 on and below 1, with a's sign, and e, i32, such that a = m * 2^e; of 0, NaN and
---infinities a and 0
---`a:frexp()`
---@return lun.Array
function Array:frexp() end

---all elements x, in a's shape and dtype, or in that dtype
---`a:full_like(x [, dtype])`
---@param x lun.Operand
---@param dtype? lun.dtype
---@return lun.Array
function Array:full_like(x, dtype) end

---smoothed along each axis by a bell of that standard deviation, cut off after 4 of them; beyond the ends the elements
---mirrored
---`A:gaussian(sigma)`
---@param sigma number
---@return lun.Array
function Array:gaussian(sigma) end

---the greatest common divisor of integers, not negative; of 0 and 0 it is 0
---`a:gcd(b)`
---@param b lun.Operand
---@return lun.Array
function Array:gcd(b) end

---greater than or equal
---`a:ge(b)`
---@param b lun.Operand
---@return lun.Array
function Array:ge(b) end

---the slope along each axis, an array for each, or along one: central differences, one-sided ones at the ends; dx:
---the distance of neighbours, or a Vector of coordinates
---`a:gradient([dx=1] [, {axis=}])`
---@param dx? number
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:gradient(dx, options) end

---string.gsub of each text; r: a text, a table or a function
---`a:gsub(p, r [, n])`
---@param p lun.Operand
---@param r lun.Operand
---@param n? integer
---@return lun.Array
function Array:gsub(p, r, n) end

---greater than
---`a:gt(b)`
---@param b lun.Operand
---@return lun.Array
function Array:gt(b) end

---0 where a < 0, b where a is 0, else 1; floats
---`a:heaviside(b)`
---@param b lun.Operand
---@return lun.Array
function Array:heaviside(b) end

---the transform, real, of n numbers of which the first m are given and the others are their conjugates
---`a:hfft([{n=2*(m-1), axis=-1, norm="backward"}])`
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function Array:hfft(options) end

---counts of elements in bins of equal width, and the edges; bins: a number, or a Vector of edges; with
---weights their sums, the edges and the counts; the last bin holds its upper edge, NaN is in none
---of dates: a:histogram([bins=10] [, {range=, weights=}]), counts of the elements in bins, and their edges: bins of one size, rounded down, or a list of edges; the last bin has
---its upper edge; with weights sums, edges and counts
---`a:histogram([bins=10] [, {range={lo, hi}, weights=}])`
---@param bins? integer|lun.Array
---@param options? { range?: any, weights?: lun.Array|number|table }
---@return lun.Array
function Array:histogram(bins, options) end

---counts of the pairs of two Vectors in a grid of bins, a matrix, and the edges of both; bins: a number, a Vector of
---edges, or a list of two of these; the last bins hold their upper edges
---`a:histogram2d(b [, bins=10])`
---@param b lun.Operand
---@param bins? integer|lun.Array
---@return lun.Array
function Array:histogram2d(b, bins) end

---the hour, i64
---`a:hour()`
---@return lun.Array
function Array:hour() end

---sqrt(a^2 + b^2) without overflow
---`a:hypot(b)`
---@param b lun.Operand
---@return lun.Array
function Array:hypot(b) end

---the modified Bessel function of order 0
---`a:i0()`
---@return lun.Array
function Array:i0() end

---//; quotient rounded down; integer division by zero is an error
---`a:idiv(b)`
---@param b lun.Operand
---@return lun.Array
function Array:idiv(b) end

---the inverse of fft
---`a:ifft([{n=, axis=-1, norm="backward"}])`
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function Array:ifft(options) end

---the inverse of fftn
---`a:ifftn([{axes=, shape=, norm="backward"}])`
---@param options? { axes?: integer|integer[], shape?: lun.Shape, norm?: string }
---@return lun.Array
function Array:ifftn(options) end

---the inverse of fftshift: rolled by -(n//2)
---`a:ifftshift([{axes=}])`
---@param options? { axes?: integer|integer[] }
---@return lun.Array
function Array:ifftshift(options) end

---the inverse of hfft: the first n//2 + 1 numbers
---`a:ihfft([{n=, axis=-1, norm="backward"}])`
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function Array:ihfft(options) end

---a window on the imaginary parts of complex numbers; zeros of real ones
---`a:imag(), a.im`
---@return lun.Array
function Array:imag() end

---the positions, row-major and from 1, of the true elements; length: as compress
---`mask:indices()`
---@return lun.Array
function Array:indices() end

---sums of products along the last axes of both; of Vectors a number
---`a:inner(b)`
---@param b lun.Operand
---@return lun.Array
function Array:inner(b) end

---a value with x before the elements at i, an index or several up to one past the end; x is cast to a's dtype;
---without an axis in row-major order
---`a:insert(i, x [, {axis=}])`
---@param i integer
---@param x lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:insert(i, x, options) end

---at each element of a the line through the points (x, y), x ascending; before and after them left and right, by
---default the first and the last y; y may be complex
---`a:interp(x, y [, {left=, right=}])`
---@param x lun.Operand
---@param y lun.Operand
---@param options? { left?: any, right?: any }
---@return lun.Array
function Array:interp(x, y, options) end

---each missing one or NaN between two numbers replaced by the line between them; at the ends they stay; dates are
---rounded down
---`a:interpolate([{axis=1}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:interpolate(options) end

---the different values that are in both, sorted
---`a:intersect(b)`
---@param b lun.Operand
---@return lun.Array
function Array:intersect(b) end

---the inverse: A:solve of the identity
---`A:inv()`
---@return lun.Array
function Array:inv() end

---a to the whole power k, exact, in the integers' dtype, which wraps; k: integers, not negative (^ gives floats)
---`a:ipow(k)`
---@param k integer
---@return lun.Array
function Array:ipow(k) end

---the inverse of rfft: n real numbers of the m first elements of a transform
---`a:irfft([{n=2*(m-1), axis=-1, norm="backward"}])`
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function Array:irfft(options) end

---the inverse of rfftn: real; the last length is 2 (m - 1) if not given
---`a:irfftn([{axes=, shape=, norm="backward"}])`
---@param options? { axes?: integer|integer[], shape?: lun.Shape, norm?: string }
---@return lun.Array
function Array:irfftn(options) end

---where |a - b| is at most atol + rtol * |b|, or both are the same infinity; equal_nan: or both are NaN
---`a:isclose(b [, {rtol=1e-5, atol=1e-8, equal_nan=false}])`
---@param b lun.Operand
---@param options? { rtol?: number, atol?: number, equal_nan?: boolean }
---@return lun.Array
function Array:isclose(b, options) end

---true for neither NaN nor infinity
---`a:isfinite()`
---@return lun.Array
function Array:isfinite() end

---where elements are among those of a list or an array; NaN is in none, missing ones where one is there
---`a:isin(list)`
---@param list table
---@return lun.Array
function Array:isin(list) end

---true for an infinity
---`a:isinf()`
---@return lun.Array
function Array:isinf() end

---a mask, true where elements are missing; NaN, a value, is not
---`a:ismissing()`
---@return lun.Array
function Array:ismissing() end

---where elements are missing, or NaN
---`a:isna()`
---@return lun.Array
function Array:isna() end

---true for NaN
---`a:isnan()`
---@return lun.Array
function Array:isnan() end

---the year that the week by ISO 8601 belongs to, i64
---`a:isoyear()`
---@return lun.Array
function Array:isoyear() end

---the bytes of one element, or record
---`a:itemsize()`
---@return integer
function Array:itemsize() end

---elements in order
---`for i, x in a:iter()`
---@return any
function Array:iter() end

---Vector, View, Scalar or Composition
---`a:kind()`
---@return string
function Array:kind() end

---each element of a times all of b, as blocks (Kronecker's product)
---`a:kron(b)`
---@param b lun.Operand
---@return lun.Array
function Array:kron(b) end

---the fourth moment over the square of the second, less 3, biased
---`a:kurtosis([{axis=}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:kurtosis(options) end

---its label, or nil; with a text gives it that one, with nil none, and returns it: errors, lun.explain and
---lun.profile name it so
---`a:label([text])`
---@param text? string
---@return lun.Array
function Array:label(text) end

---logical and
---`a:land(b)`
---@param b lun.Operand
---@return lun.Array
function Array:land(b) end

---"right" (rows side by side), "left" (columns) or "strided"
---`a:layout()`
---@return string
function Array:layout() end

---a reduction as a lazy Scalar, to be evaluated with others by lun.eval; opts: as the reduction takes them
---`a:lazy("sum" [, opts])`
---@param text string
---@param opts? table
---@return lun.Array
function Array:lazy(text, opts) end

---the least common multiple of integers, not negative, which wraps; beside 0 it is 0
---`a:lcm(b)`
---@param b lun.Operand
---@return lun.Array
function Array:lcm(b) end

---a * 2^k, rounded once; k: integers
---`a:ldexp(k)`
---@param k integer
---@return lun.Array
function Array:ldexp(k) end

---less than or equal
---`a:le(b)`
---@param b lun.Operand
---@return lun.Array
function Array:le(b) end

---the number of characters, i64, or of bytes
---`a:len([{bytes=true}])`
---@param options? { bytes?: boolean }
---@return lun.Array
function Array:len(options) end

---of texts: the different ones in order, which a:codes() count
---`a:levels()`
---@return lun.Array
function Array:levels() end

---logical not
---`a:lnot()`
---@return lun.Array
function Array:lnot() end

---natural logarithm
---`a:log()`
---@return lun.Array
function Array:log() end

---logarithm to base 10
---`a:log10()`
---@return lun.Array
function Array:log10() end

---log(1 + a), exact near 0
---`a:log1p()`
---@return lun.Array
function Array:log1p() end

---logarithm to base 2
---`a:log2()`
---@return lun.Array
function Array:log2() end

---log(exp(a) + exp(b)) without the overflow of exp
---`a:logaddexp(b)`
---@param b lun.Operand
---@return lun.Array
function Array:logaddexp(b) end

---log(a / (1 - a)), the inverse of expit
---`a:logit()`
---@return lun.Array
function Array:logit() end

---logical or
---`a:lor(b)`
---@param b lun.Operand
---@return lun.Array
function Array:lor(b) end

---small letters, one code point to one, whatever the locale
---`a:lower()`
---@return lun.Array
function Array:lower() end

---at least n characters, filled with c at the beginning
---`a:lpad(n [, c=" "])`
---@param n integer
---@param c? lun.Operand
---@return lun.Array
function Array:lpad(n, c) end

---x with the least |A x - B|, and of these the least |x|, for a Vector or the columns of B; the rank; the sums of
---squares of A x - B, none where the rank is below A's columns or A has no more rows; the singular values.
---rcond: which of these count as 0, as rtol of pinv
---`A:lstsq(B [, {rcond=}])`
---@param B lun.Array
---@param options? { rcond?: number }
---@return lun.Array
function Array:lstsq(B, options) end

---less than
---`a:lt(b)`
---@param b lun.Operand
---@return lun.Array
function Array:lt(b) end

---without the characters of chars, by default blanks, at the beginning
---`a:ltrim([chars])`
---@param chars? string
---@return lun.Array
function Array:ltrim(chars) end

---P, L, U: A:take(P) is L U, L with ones on its diagonal, P the rows, i64
---`A:lu()`
---@return lun.Array
function Array:lu() end

---whether one of the two is true, not both
---`a:lxor(b)`
---@param b lun.Operand
---@return lun.Array
function Array:lxor(b) end

---f(x, extra...) on each element; elements=3: f(x, y, z, extra...) on each three of as many arrays, which broadcast; out: the result's dtype; for several results a list
---of texts: a:map(f), f(s) of each different text, called once for it: a text, a number, a boolean, or nil, which is missing
---`a:map(f, extra... [, {elements=1, out=dtype}])`
---@param f lun.Function
---@param ... any
---@return lun.Array
function Array:map(f, ...) end

---the first match of a Lua pattern, or that capture of it; missing where it does not match
---`a:match(p [, group=1])`
---@param p lun.Operand
---@param group? integer
---@return lun.Array
function Array:match(p, group) end

---whether a Lua pattern matches
---`a:matches(p)`
---@param p lun.Operand
---@return lun.Array
function Array:matches(p) end

---the product of matrices; a Vector is a row on the left, a column on the right; axes in front are batches and
---broadcast; floats give their common dtype, integers i64 or u64
---`A:matmul(B)`
---@param B lun.Array
---@return lun.Array
function Array:matmul(B) end

---of matrices: "fro" (the root of the sum of squares), 1 and -1 (the greatest and the least sum of moduli of a
---column), math.huge and -math.huge (of a row), 2 and -2 (the greatest and the least singular value), "nuc"
---(their sum)
---`A:matrix_norm([{ord="fro", keep=false}])`
---@param options? { ord?: number|string, keep?: boolean }
---@return lun.Array
function Array:matrix_norm(options) end

---A times itself, k factors, by squaring; k < 0: of the inverse
---`A:matrix_power(k)`
---@param k integer
---@return lun.Array
function Array:matrix_power(k) end

---how many singular values are above rtol times the greatest; by default epsilon times the greater extent; of
---batches rtol may be an array, a number for each matrix
---`A:matrix_rank([{rtol=}])`
---@param options? { rtol?: number }
---@return lun.Array
function Array:matrix_rank(options) end

---a window with the last two axes exchanged
---`A:matrix_transpose()`
---@return lun.Array
function Array:matrix_transpose() end

---the largest element; NaN if any is NaN; a:max{axis=2, keep=true, skipnan=true, skipna=false} along axes, but a:max(b) is elementwise, with a number too
---`a:max()`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:max(options) end

---the larger one, NaN beside NaN: a:max(b)
---`a:maximum(b)`
---@param b lun.Operand
---@return lun.Array
function Array:maximum(b) end

---the arithmetic mean, a float; a:mean{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:mean([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:mean(options) end

---the median of the w elements around each one of a Vector, zeros beyond its ends; w is odd
---`a:medfilt(w)`
---@param w lun.Operand
---@return lun.Array
function Array:medfilt(w) end

---the middle element, or the mean of two: a:quantile(0.5)
---`a:median([{axis=, skipnan=true, skipna=false}])`
---@param options? { axis?: integer|integer[], skipnan?: boolean, skipna?: boolean }
---@return lun.Value
function Array:median(options) end

---the microsecond, i64
---`a:microsecond()`
---@return lun.Array
function Array:microsecond() end

---the smallest element; NaN if any is NaN; a:min{axis=2, keep=true, skipnan=true, skipna=false} along axes, but a:min(b) is elementwise, with a number too
---`a:min()`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:min(options) end

---the smaller one, NaN beside NaN: a:min(b)
---`a:minimum(b)`
---@param b lun.Operand
---@return lun.Array
function Array:minimum(b) end

---the minute, i64
---`a:minute()`
---@return lun.Array
function Array:minute() end

---%; remainder of division rounded down: the sign is that of b; integer b == 0 is an error
---`a:mod(b)`
---@param b lun.Operand
---@return lun.Array
function Array:mod(b) end

---the value that occurs most often, of several the least
---`a:mode()`
---@return lun.Array
function Array:mode() end

---two: the part behind the point and the whole part, both with a's sign, floats
---`a:modf()`
---@return lun.Array
function Array:modf() end

---the mean of the k-th powers of the deviations from the mean
---`a:moment(k [, {axis=}])`
---@param k integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:moment(k, options) end

---the month, from 1, i64
---`a:month()`
---@return lun.Array
function Array:month() end

---a window with axis `from` at `to`, the others in their order; lists move several
---`a:moveaxis(from, to)`
---@param from any
---@param to any
---@return lun.Array
function Array:moveaxis(from, to) end

---*; product
---`a:mul(b)`
---@param b lun.Operand
---@return lun.Array
function Array:mul(b) end

---missing where elements are equal to x, a number or an array that broadcasts, NaN to NaN
---`a:naif(x)`
---@param x lun.Operand
---@return lun.Array
function Array:naif(x) end

---numbers for NaN and infinities, for these by default the largest and the smallest of the dtype, in complex
---numbers of each part
---`a:nan_to_num([{nan=0, posinf=, neginf=}])`
---@param options? { nan?: number, posinf?: number, neginf?: number }
---@return lun.Array
function Array:nan_to_num(options) end

---the largest element of the elements that are not NaN: a:max{skipnan=true}
---`a:nanmax([{axis=, keep=}])`
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function Array:nanmax(options) end

---the mean of the elements that are not NaN: a:mean{skipnan=true}
---`a:nanmean([{axis=, keep=}])`
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function Array:nanmean(options) end

---the median of the elements that are not NaN: a:median{skipnan=true}
---`a:nanmedian([{axis=}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:nanmedian(options) end

---the smallest element of the elements that are not NaN: a:min{skipnan=true}
---`a:nanmin([{axis=, keep=}])`
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function Array:nanmin(options) end

---the standard deviation of the elements that are not NaN: a:std{skipnan=true}
---`a:nanstd([{axis=, keep=, ddof=}])`
---@param options? { axis?: integer|integer[], keep?: boolean, ddof?: number }
---@return lun.Array
function Array:nanstd(options) end

---the sum of the elements that are not NaN: a:sum{skipnan=true}
---`a:nansum([{axis=, keep=}])`
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function Array:nansum(options) end

---the bytes of all elements; of texts those of codes, and of values that others may share
---`a:nbytes()`
---@return integer
function Array:nbytes() end

---not equal, elementwise
---`a:ne(b)`
---@param b lun.Operand
---@return lun.Array
function Array:ne(b) end

----; negation
---`a:neg()`
---@return lun.Array
function Array:neg() end

---the next float of the dtype after a towards b; b where they are equal
---`a:nextafter(b)`
---@param b lun.Operand
---@return lun.Array
function Array:nextafter(b) end

---a list of Vectors, one for each axis: the indices of the elements that are not 0
---`a:nonzero()`
---@return lun.Array
function Array:nonzero() end

---the square root of the sum of squares; a:norm{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:norm([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:norm(options) end

---where elements are neither missing nor NaN
---`a:notna()`
---@return lun.Array
function Array:notna() end

---how many different values there are, missing ones left out; all NaN are one
---`a:nunique()`
---@return lun.Array
function Array:nunique() end

---a view whose indices begin elsewhere, {first, ...}, a number for each axis: negative ones are plain indices
---there and no ends; o:first(), o:last() and o:array(), with indices from 1; what is computed element
---by element has its indices, too
---`a:offset(firsts)`
---@param firsts any
---@return lun.Array
function Array:offset(firsts) end

---ones in a's shape and dtype, or in that dtype
---`a:ones_like([dtype])`
---@param dtype? lun.dtype
---@return lun.Array
function Array:ones_like(dtype) end

---the products of each element of a with each of b, as a matrix
---`a:outer(b)`
---@param b lun.Operand
---@return lun.Array
function Array:outer(b) end

---eight elements of a mask in a byte, in flat order, the first one in its highest bit, with little in its
---lowest: a u8 Vector of an eighth of the elements; what is not 0 is true, bits behind the last element 0
---`m:packbits([{bitorder="big"}])`
---@param options? { bitorder?: string }
---@return lun.Array
function Array:packbits(options) end

---a value with n more elements at both ends of each axis; {{b1, a1}, {b2, a2}}: before and after each axis;
---edge: their value, "wrap", "nearest" or a number, NaN by default for floats
---`a:pad(n [, edge])`
---@param n integer
---@param edge? string
---@return lun.Array
function Array:pad(n, edge) end

---the i-th piece between separators, negative from the end; missing where there is none
---`a:part(sep, i)`
---@param sep string
---@param i integer
---@return lun.Array
function Array:part(sep, i) end

---a / a[i - k] - 1, with k missing ones first
---`a:pct_change([k=1] [, {axis=1}])`
---@param k? integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:pct_change(k, options) end

---the number of pending operations
---`a:pending()`
---@return integer
function Array:pending() end

---the quantile of p percent: a:quantile(p / 100); p: a number or a list
---`a:percentile(p [, {axis=, skipnan=true}])`
---@param p lun.Operand
---@param options? { axis?: integer|integer[], skipnan?: boolean }
---@return lun.Array
function Array:percentile(p, options) end

---the pseudoinverse of Moore and Penrose; singular values not above rtol times the greatest count as 0, by default
---epsilon times the greater extent; rtol as of matrix_rank
---`A:pinv([{rtol=}])`
---@param options? { rtol?: number }
---@return lun.Array
function Array:pinv(options) end

---the coefficients of the polynomial with these roots
---`r:poly()`
---@return lun.Array
function Array:poly() end

---the coefficients of the sum
---`c:polyadd(d)`
---@param d lun.Operand
---@return lun.Array
function Array:polyadd(d) end

---the coefficients of the m-th derivative
---`c:polyder([m=1])`
---@param m? integer
---@return lun.Array
function Array:polyder(m) end

---two: the coefficients of the quotient and of the rest, floats; the first of d is not 0
---`c:polydiv(d)`
---@param d lun.Operand
---@return lun.Array
function Array:polydiv(d) end

---the coefficients of the polynomial of degree k that is nearest to the points (x, y), in the least sum of squares:
---orthogonal columns of the scaled Vandermonde matrix, made orthogonal twice
---`x:polyfit(y, k)`
---@param y lun.Operand
---@param k integer
---@return lun.Array
function Array:polyfit(y, k) end

---the coefficients of the m-th integral that is 0 at 0, floats
---`c:polyint([m=1])`
---@param m? integer
---@return lun.Array
function Array:polyint(m) end

---the coefficients of the product
---`c:polymul(d)`
---@param d lun.Operand
---@return lun.Array
function Array:polymul(d) end

---the polynomial at x, an array or a number, by Horner's rule; coefficients highest power first
---`c:polyval(x)`
---@param x lun.Operand
---@return lun.Array
function Array:polyval(x) end

---how many bits of each integer are set
---`a:popcount()`
---@return lun.Array
function Array:popcount() end

---^; power, always a float
---`a:pow(b)`
---@param b lun.Operand
---@return lun.Array
function Array:pow(b) end

---the product; of integers i64 or u64, wrapping; a:prod{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:prod([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:prod(options) end

---the largest element less the smallest
---`a:ptp([{axis=, keep=true}])`
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function Array:ptp(options) end

---writes x to the elements at the indices i; of equal indices the last one wins, or, with combine, each is
---combined in turn; returns a
---`a:put(i, x [, {axis=1, combine="+"}])`
---@param i integer
---@param x lun.Operand
---@param options? { axis?: integer|integer[], combine?: any }
---@return lun.Array
function Array:put(i, x, options) end

---writes x to the elements at i along the axis; of equal indices the last one wins; returns a
---`a:put_along_axis(i, x [, {axis=-1}])`
---@param i integer
---@param x lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:put_along_axis(i, x, options) end

---the number, 1 to n, of the part that each element is in if all in their order are cut into n of one size, at quantiles;
---missing of missing ones and NaN; labels: n texts instead
---`a:qcut(n [, {labels=}])`
---@param n integer
---@param options? { labels?: any }
---@return lun.Array
function Array:qcut(n, options) end

---Q, R: A is Q R, Q with orthonormal columns, R upper triangular with a real diagonal >= 0; of m x n
---matrices Q has as many columns as the lesser of m and n, with mode "complete" m; mode "r": R alone
---`A:qr([{mode="reduced"}])`
---@param options? { mode?: string }
---@return lun.Array
function Array:qr(options) end

---the q-quantile, q from 0 to 1, linearly interpolated; a list of q adds an axis in front; a line with a NaN
---gives NaN, unless skipnan leaves NaNs out; between an infinity and a number it is that infinity,
---between -inf and inf NaN
---`a:quantile(q [, {axis=, skipnan=true, skipna=false}])`
---@param q lun.Operand
---@param options? { axis?: integer|integer[], skipnan?: boolean, skipna?: boolean }
---@return lun.Value
function Array:quantile(q, options) end

---the quarter of the year, from 1, i64
---`a:quarter()`
---@return lun.Array
function Array:quarter() end

---radians as degrees
---`a:rad2deg()`
---@return lun.Array
function Array:rad2deg() end

---the place of each element of a Vector in their order, f64; of equal ones the mean of their places, "average",
---the least, "min", the greatest, "max", one after the other, "first", or without gaps, "dense"; NaN is last;
---what is missing has none
---`a:rank([{method="average", descending=true}])`
---@param options? { method?: string, descending?: boolean }
---@return lun.Array
function Array:rank(options) end

---a table of some elements, counted in row-major order
---`a:read(first, count)`
---@param first integer
---@param count integer
---@return table
function Array:read(first, count) end

---a window on all of it through which nothing is written, here or in functions
---`a:readonly()`
---@return lun.Array
function Array:readonly() end

---a window on the real parts of complex numbers, which is written through; of real ones a itself
---`a:real(), a.re`
---@return lun.Array
function Array:real() end

---1 / a, a float
---`a:reciprocal()`
---@return lun.Array
function Array:reciprocal() end

---all elements combined by an associative f(x, y, extra...), in order: a lazy Scalar; along axes an array; elements=2: a list of first values, f(x1, y1, x2, y2, extra...) gives two results, which x1, y1 or x2, y2 of other calls are: two Scalars of two arrays, along axes two arrays
---of dates: a:reduce(f [, id [, {axis=}]]), the least or latest of dates, timestamps or durations, "min" or "max", of durations also "+"; a function sees integers
---`a:reduce(f, id, extra... [, {elements=1, axis=2, keep=true}])`
---@param f lun.Function
---@param id lun.Operand
---@param ... any
---@return lun.Array
function Array:reduce(f, id, ...) end

---reduces each run of elements, from its offset up to the next one, in order, by f: a function of two values,
---or "+" "*" "min" "max" "&" "|" "~"; id: the initial value, and the result of empty runs
---`a:reduceat(offsets, f [, id])`
---@param offsets lun.Array
---@param f lun.Function
---@param id? lun.Operand
---@return lun.Array
function Array:reduceat(offsets, f, id) end

---runs of equal neighbours in k, a Vector or a list of texts: their keys, and f, a function or
---"+" "*" "min" "max", of a's elements in each, from id on, one after the other
---`a:reduceby(k, f, id)`
---@param k integer
---@param f lun.Function
---@param id lun.Operand
---@return lun.Array
function Array:reduceby(k, f, id) end

---a:spread: each element, or slice along the axis, as often as counts says, one number for each or a single number
---`a:repeat_(counts [, {axis=1}])`
---@param counts lun.Array|table|integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:repeat_(counts, options) end

---each old in it, or the first n, replaced by new, plain; of a table: whole texts
---`a:replace(old, new [, n]), a:replace{old = new, ...}`
---@overload fun(self: lun.Array, options: table): lun.Array
---@param old lun.Operand
---@param new lun.Operand
---@param n? integer
---@return lun.Array
function Array:replace(old, new, n) end

---the same elements in another shape; one extent may be -1 and is computed from the others
---`a:reshape(shape)`
---@param shape lun.Shape
---@return lun.Array
function Array:reshape(shape) end

---changes its extents, as many as it has, and returns it; elements in both shapes stay, others are 0, or
---missing of texts and dates; windows on the old elements keep these
---`a:resize(shape)`
---@param shape lun.Shape
---@return lun.Array
function Array:resize(shape) end

---the first n//2 + 1 elements of the transform of real numbers, which determine the others
---`a:rfft([{n=, axis=-1, norm="backward"}])`
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function Array:rfft(options) end

---rfft along the last of the axes, then fft along the others
---`a:rfftn([{axes=, shape=, norm="backward"}])`
---@param options? { axes?: integer|integer[], shape?: lun.Shape, norm?: string }
---@return lun.Array
function Array:rfftn(options) end

---the nearest whole number, halves to the even one; the dtype is kept
---`a:rint()`
---@return lun.Array
function Array:rint() end

---a value: the elements moved by k, the last ones to the beginning; without an axis in row-major order; k and axis
---may be lists
---`a:roll(k [, {axis=}])`
---@param k integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:roll(k, options) end

---of each element of a Vector f of the w elements up to it, or, with center, around it: "count" "sum" "prod" "mean" "min"
---"max" "first" "last" "any" "all" "var" "std" "median" "quantile" with q, "nunique" "argmin" "argmax", and of another
---Vector b "corr" "cov" "wmean"; missing where there are fewer than min of them, not missing
---`a:rolling(w, f [, b] [, {min=w, center=true, ddof=0, q=, skipnan=true}])`
---@param w lun.Operand
---@param f lun.Function
---@param b? lun.Operand
---@param options? { min?: any, center?: boolean, ddof?: number, q?: number, skipnan?: boolean }
---@return lun.Array
function Array:rolling(w, f, b, options) end

---the roots of the polynomial, complex, ascending by real, then imaginary part: the eigenvalues of its companion
---`c:roots()`
---@return lun.Array
function Array:roots() end

---a window: the first two axes turned by k right angles, from the first to the second
---`A:rot90([k=1])`
---@param k? integer
---@return lun.Array
function Array:rot90(k) end

---rounded to the nearest integer, halves away from zero
---`a:round()`
---@return lun.Array
function Array:round() end

---a window on row i, as A[i]
---`A:row(i)`
---@param i integer
---@return lun.Array
function Array:row(i) end

---at least n characters, filled with c at the end
---`a:rpad(n [, c=" "])`
---@param n integer
---@param c? lun.Operand
---@return lun.Array
function Array:rpad(n, c) end

---without the characters of chars, by default blanks, at the end
---`a:rtrim([chars])`
---@param chars? string
---@return lun.Array
function Array:rtrim(chars) end

---shift right by k that keeps the sign, as of two's complement; a negative count shifts left
---`a:sar(k)`
---@param k integer
---@return lun.Array
function Array:sar(k) end

---each element of a Vector replaced by the polynomial of that degree fitted to `width` elements around it, of those at
---the ends to the first and last ones; width is odd
---`a:savgol(width, order)`
---@param width any
---@param order integer
---@return lun.Array
function Array:savgol(width, order) end

---running combinations by an associative f(x, y, extra...), in order, or along an axis; inclusive=false is the default here, each without its own element, and true that of g:scan and scanby; elements as in reduce: linear recurrences, extremes with their places
---of dates: a:scan(f [, id [, {inclusive=, axis=}]]), the running results of a:reduce(f)
---`a:scan(f, id, extra... [, {elements=1, axis=2, inclusive=true}])`
---@param f lun.Function
---@param id lun.Operand
---@param ... any
---@return lun.Array
function Array:scan(f, id, ...) end

---a scan that starts anew with each run of equal neighbours in k, element after element; inclusive by
---default, unlike a:scan: {inclusive=false} leaves each element's own out
---`a:scanby(k, f, id [, {inclusive=false}])`
---@param k integer
---@param f lun.Function
---@param id lun.Operand
---@param options? { inclusive?: boolean }
---@return lun.Array
function Array:scanby(k, f, id, options) end

---for a sorted Vector: the index at which each element of x would be inserted, before equal elements or, with
---"right", after them; from 1 to #s + 1; a number gives a number
---`s:searchsorted(x [, {side="right"}])`
---@param x lun.Operand
---@param options? { side?: string }
---@return lun.Array
function Array:searchsorted(x, options) end

---the second, i64
---`a:second()`
---@return lun.Array
function Array:second() end

---durations as f64
---`a:seconds()`
---@return lun.Array
function Array:seconds() end

---a window on index i of that axis, which is dropped
---`A:select(axis, i)`
---@param axis integer
---@param i integer
---@return lun.Array
function Array:select(axis, i) end

---stores an expression into a's elements, broadcast to its shape; returns a
---`a:set(e)`
---@param e any
---@return lun.Array
function Array:set(e) end

---the different values of a that are not in b, sorted
---`a:setdiff(b)`
---@param b lun.Operand
---@return lun.Array
function Array:setdiff(b) end

---the different values that are in one of the two, sorted
---`a:setxor(b)`
---@param b lun.Operand
---@return lun.Array
function Array:setxor(b) end

---the extents, as several numbers
---`a:shape()`
---@return integer
function Array:shape() end

---a value whose element i is a[i - k]; edge: the value beyond the end, "wrap", "nearest", a number or
---lun.na; by default NaN for floats, else missing
---`a:shift(k [, {axis=1, edge=}])`
---@param k integer
---@param options? { axis?: integer|integer[], edge?: any }
---@return lun.Array
function Array:shift(k, options) end

---<<; logical shift left; a negative count shifts right
---`a:shl(b)`
---@param b lun.Operand
---@return lun.Array
function Array:shl(b) end

--->>; logical shift right; a negative count shifts left
---`a:shr(b)`
---@param b lun.Operand
---@return lun.Array
function Array:shr(b) end

---exchanges the elements along the first axis, in place; gives the array
---`a:shuffle([{seed=}])`
---@param options? { seed?: integer }
---@return lun.Array
function Array:shuffle(options) end

----1, 0 or 1; NaN stays NaN
---`a:sign()`
---@return lun.Array
function Array:sign() end

---whether the sign is set: negative numbers, -0.0
---`a:signbit()`
---@return lun.Array
function Array:signbit() end

---sine, a in radians
---`a:sin()`
---@return lun.Array
function Array:sin() end

---sin(pi * a) / (pi * a), 1 at 0
---`a:sinc()`
---@return lun.Array
function Array:sinc() end

---hyperbolic sine
---`a:sinh()`
---@return lun.Array
function Array:sinh() end

---sin(pi * a), exact where a is a multiple of 1/2
---`a:sinpi()`
---@return lun.Array
function Array:sinpi() end

---the number of elements; #a is the first extent
---`a:size()`
---@return integer
function Array:size() end

---the third moment over the second to the power 3/2, biased
---`a:skew([{axis=}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:skew(options) end

---the sign of the determinant and the logarithm of its modulus; of a singular matrix 0, -inf
---`A:slogdet()`
---@return lun.Array
function Array:slogdet() end

---log(1 + exp(a)) without the overflow of exp
---`a:softplus()`
---@return lun.Array
function Array:softplus() end

---x with A x = B, a Vector or matrix; axes before the last two are batches, which broadcast
---`A:solve(B)`
---@param B lun.Array
---@return lun.Array
function Array:solve(B) end

---x with A x = B of a triangular matrix, whose other triangle is not read
---`A:solve_triangular(B [, {upper=false, unit=false, transpose=false, adjoint=false}])`
---@param B lun.Array
---@param options? { upper?: boolean, unit?: boolean, transpose?: boolean, adjoint?: boolean }
---@return lun.Array
function Array:solve_triangular(B, options) end

---the elements of each line along the axis, by default the last one, sorted; stable, NaN last in both
---directions, -0.0 before 0.0 (after it if descending), false before true
---`a:sort([{axis=, descending=true, missing="first"}])`
---@param options? { axis?: integer|integer[], descending?: boolean, missing?: any }
---@return lun.Array
function Array:sort(options) end

---the source code of the kernels that would compute it
---`a:source([backend])`
---@param backend? string
---@return string
function Array:source(backend) end

---a list of windows: n of equal extent, or those that begin at 1 and at each index of a list; lun.split(seed, i):
---the i-th seed that is made of a seed, an i64; i may be an array
---`a:split(n [, {axis=1}])`
---@param n integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:split(n, options) end

---repeats each element, or slice along the axis; counts: how often, one number for each or a single number
---`a:spread(counts [, {axis=1}])`
---@param counts lun.Array|table|integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:spread(counts, options) end

---square root
---`a:sqrt()`
---@return lun.Array
function Array:sqrt() end

---a * a
---`a:square()`
---@return lun.Array
function Array:square() end

---a window without these axes, whose extents are 1, by default all such
---`a:squeeze([axes])`
---@param axes? integer|integer[]
---@return lun.Array
function Array:squeeze(axes) end

---whether it begins so; x: a text, or an array of texts
---`a:startswith(x)`
---@param x lun.Operand
---@return lun.Array
function Array:startswith(x) end

---the square root of the variance; a:std{axis=2, keep=true, skipnan=true, skipna=false, ddof=1} along axes
---`a:std([ddof])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:std(options) end

---f(x, extra...) on the elements around each one, x(-1, 0), in C get(x, -1, 0), is the one above; edge: what stands beyond the ends, "wrap", "nearest", a number or "keep": elements that would need it stay; a list: by axis; radius: how far f may look; elements and out as in map
---`a:stencil(f, extra... [, {elements=1, edge=0, radius=1, out=dtype}])`
---@param f lun.Function
---@param ... any
---@return lun.Array
function Array:stencil(f, ...) end

---the distance in elements between neighbours along each axis, as several numbers
---`a:strides()`
---@return integer
function Array:strides() end

---a window on elements i to j, or rows; with tables, on that part of each axis, {} being all of it; by rules
---of string.sub; writing to it writes to a
---`a:sub(i, j [, step]), A:sub({i, j [, step]}, ...)`
---@overload fun(self: lun.Array, list: table, ...: any): lun.Array
---@param i integer
---@param j integer
---@param step? any
---@return lun.Array
function Array:sub(i, j, step) end

---characters i to j, by the rules of string.sub
---`a:substr(i [, j])`
---@param i integer
---@param j? integer
---@return lun.Array
function Array:substr(i, j) end

---the sum; of integers i64 or u64, wrapping; a:sum{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:sum([axis])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:sum(options) end

---U, S, Vh: A is U times the singular values S, which descend, times Vh; of m x n matrices U has as many columns,
---and Vh as many rows, as the lesser of m and n; full: m columns, n rows. In each row of Vh the element of
---the greatest modulus is real and positive
---`A:svd([{full=false}])`
---@param options? { full?: boolean }
---@return lun.Array
function Array:svd(options) end

---the singular values, which descend
---`A:svdvals()`
---@return lun.Array
function Array:svdvals() end

---a window with two axes exchanged
---`a:swapaxes(i, j)`
---@param i integer
---@param j integer
---@return lun.Array
function Array:swapaxes(i, j) end

---the elements at the indices i, an integer array or a table, whose shape replaces the axis; negative ones
---count from the end; 0 gives x
---`a:take(i [, {axis=1, missing=x}])`
---@param i integer
---@param options? { axis?: integer|integer[], missing?: any }
---@return lun.Array
function Array:take(i, options) end

---the elements at i along the axis, as argsort gives them: i has a's rank, the other axes broadcast
---`a:take_along_axis(i [, {axis=-1}])`
---@param i integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:take_along_axis(i, options) end

---tangent, a in radians
---`a:tan()`
---@return lun.Array
function Array:tan() end

---hyperbolic tangent
---`a:tanh()`
---@return lun.Array
function Array:tanh() end

---sums of products along the last axes of a and the first of b, so many; or along {{axes of a}, {axes of b}}
---`a:tensordot(b [, axes=2])`
---@param b lun.Operand
---@param axes? integer|integer[]
---@return lun.Array
function Array:tensordot(b, axes) end

---a repeated: n times along the last axis, or {n1, n2, ...} times along the axes
---`a:tile(n)`
---@param n integer
---@return lun.Array
function Array:tile(n) end

---the durations since midnight of timestamps
---`a:time()`
---@return lun.Array
function Array:time() end

---the elements as a string of bytes
---`a:tobytes()`
---@return string
function Array:tobytes() end

---two Vectors: the k largest elements of a Vector, largest first, or the smallest, smallest first, and their
---indices; of equal ones the first; of fewer than k all; NaN is taken last
---`a:topk(k [, {smallest=true}])`
---@param k integer
---@param options? { smallest?: boolean }
---@return lun.Array
function Array:topk(k, options) end

---a table of the elements, nested above rank 1; missing: for missing ones
---`a:totable([{missing=}])`
---@param options? { missing?: any }
---@return table
function Array:totable(options) end

---says that the copies of a, one on each place, differ from now on; returns a
---`a:touched()`
---@return lun.Array
function Array:touched() end

---the sum of the elements A[i][i + k] of the last two axes, a number; of batches an array
---`A:trace([k])`
---@param k? integer
---@return lun.Array
function Array:trace(k) end

---a window with the axes reversed, or axis p1 first, then p2
---`A:transpose([{p1, p2, ...}])`
---@param list? table
---@return lun.Array
function Array:transpose(list) end

---a:trapz
---`a:trapezoid([x] [, {dx=1, axis=-1}])`
---@param x? lun.Operand
---@param options? { dx?: number, axis?: integer|integer[] }
---@return lun.Array
function Array:trapezoid(x, options) end

---the integral by the trapezoidal rule, a number of a Vector; x: the coordinates, else dx apart
---`a:trapz([x] [, {dx=1, axis=-1}])`
---@param x? lun.Operand
---@param options? { dx?: number, axis?: integer|integer[] }
---@return lun.Array
function Array:trapz(x, options) end

---the elements on and below the k-th diagonal of the last two axes, else 0
---`A:tril([k])`
---@param k? integer
---@return lun.Array
function Array:tril(k) end

---without the characters of chars, by default blanks, at both ends
---`a:trim([chars])`
---@param chars? string
---@return lun.Array
function Array:trim(chars) end

---a window on a Vector without the zeros at its ends
---`a:trim_zeros()`
---@return lun.Array
function Array:trim_zeros() end

---the elements on and above the k-th diagonal of the last two axes, else 0
---`A:triu([k])`
---@param k? integer
---@return lun.Array
function Array:triu(k) end

---rounded towards zero
---`a:trunc()`
---@return lun.Array
function Array:trunc() end

---the starts of the units that elements are in: "1d", "1w" from Monday on, "1mo", "3mo", "1q", "1y", "1h", "15m"
---`a:truncate(unit)`
---@param unit string
---@return lun.Array
function Array:truncate(unit) end

---the different values that are in one or both, sorted
---`a:union(b)`
---@param b lun.Operand
---@return lun.Array
function Array:union(b) end

---two Vectors: the distinct values, sorted, and how often each occurs; 0.0 and -0.0 are one value, 0.0, and so
---are all NaN; length: as compress; with axis the distinct rows, or parts along it, of a matrix, sorted
---by their first elements, and how often each occurs
---`a:unique([{axis=1}])`
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:unique(options) end

---four: the different values, as of unique_values; the index, row-major, at which each first occurs; for each element
---the index of its value; how often each occurs
---`a:unique_all()`
---@return lun.Array
function Array:unique_all() end

---the different values, as of unique_values, and how often each occurs
---`a:unique_counts()`
---@return lun.Array
function Array:unique_counts() end

---the different values, as of unique_values, and for each element, in a's shape, the index of its value
---`a:unique_inverse()`
---@return lun.Array
function Array:unique_inverse() end

---the different values, sorted: the first result of a:unique, but each NaN is a value of its own
---`a:unique_values()`
---@return lun.Array
function Array:unique_values() end

---the first n bits of bytes, all of them by default, as a mask: what packbits has packed
---`p:unpackbits([n] [, {bitorder="big"}])`
---@param n? integer
---@param options? { bitorder?: string }
---@return lun.Array
function Array:unpackbits(n, options) end

---a list of windows, one for each index along the axis, which is gone
---`a:unstack([axis=1])`
---@param axis? integer
---@return lun.Array
function Array:unstack(axis) end

---capital letters, one code point to one, whatever the locale
---`a:upper()`
---@return lun.Array
function Array:upper() end

---the number of a Scalar
---`a:value()`
---@return lun.Value
function Array:value() end

---a table of columns, value and count: most frequent first, then by value
---`a:value_counts()`
---@return lun.Array
function Array:value_counts() end

---the Vandermonde matrix: a row x^(n-1), ..., x, 1 for each element; n columns, by default as many as rows
---`x:vander([n])`
---@param n? integer
---@return lun.Array
function Array:vander(n) end

---the variance, divided by n - ddof (0 by default); a:var{axis=2, keep=true, skipnan=true, skipna=false, ddof=1} along axes
---`a:var([ddof])`
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function Array:var(options) end

---sums of products along an axis, the others broadcast; of Vectors a number; of a complex a its conjugate counts
---`a:vecdot(b [, {axis=-1}])`
---@param b lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function Array:vecdot(b, options) end

---of the elements of all axes or of some: the root of the sum of powers; ord: also 1, 0 (how many are not 0),
---math.huge and -math.huge (the greatest and the least modulus)
---`a:vector_norm([{ord=2, axis=, keep=false}])`
---@param options? { ord?: number|string, axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function Array:vector_norm(options) end

---a window on the same elements in another shape; one extent may be -1; where none is possible, use reshape
---`a:view(shape)`
---@param shape lun.Shape
---@return lun.Array
function Array:view(shape) end

---the week by ISO 8601, from 1, i64
---`a:week()`
---@return lun.Array
function Array:week() end

---the day of the week, 1: Monday, i64
---`a:weekday()`
---@return lun.Array
function Array:weekday() end

---b where a is true, else c
---`a:where(b, c)`
---@param b lun.Operand
---@param c lun.Operand
---@return lun.Array
function Array:where(b, c) end

---windows of w adjacent elements, as a new last axis; read-only if they overlap;
---M:windows{3, 3}: windows along several axes, all or {axis={...}}, as new last axes
---`a:windows(w [, {axis=1, step=1}])`
---@param w lun.Operand
---@param options? { axis?: integer|integer[], step?: integer }
---@return lun.Array
function Array:windows(w, options) end

---the year, i64
---`a:year()`
---@return lun.Array
function Array:year() end

---the day of the year, from 1, i64
---`a:yearday()`
---@return lun.Array
function Array:yearday() end

---zeros in a's shape and dtype, or in that dtype
---`a:zeros_like([dtype])`
---@param dtype? lun.dtype
---@return lun.Array
function Array:zeros_like(dtype) end

---f(x, y, extra...) on each pair of elements; out as in map
---`a:zip(b, f, extra... [, {out=dtype}])`
---@param b lun.Operand
---@param f lun.Function
---@param ... any
---@return lun.Array
function Array:zip(b, f, ...) end

---timestamps by the clock of one zone, "UTC" or such as "Europe/Berlin", as those of another, out of the system's zone files;
---a time that is there twice is read as the first, one that is not there is moved forward by the gap; nil, message
---where there is no such zone
---`a:zone(from, to)`
---@param from any
---@param to any
---@return lun.Array
function Array:zone(from, to) end

---the deviations from the mean over the standard deviation, of all elements or along an axis
---`a:zscore([{axis=, ddof=0}])`
---@param options? { axis?: integer|integer[], ddof?: number }
---@return lun.Array
function Array:zscore(options) end

---A table of columns.
---@class lun.Table
---@operator concat(lun.Table): lun.Table
---@operator len: integer
---@field [string] lun.Array
---@field [integer] table
local Table = {}

---a table of one row: functions of whole columns; specs as g:agg has them
---`t:agg{name = spec, ...}`
---@param options table
---@return lun.Table
function Table:agg(options) end

---a column of f(row) for each row, by Lua, one row after the other
---`t:apply(f)`
---@param f lun.Function
---@return lun.Array
function Table:apply(f) end

---a table of the same columns, which gains and loses columns by itself
---`t:copy()`
---@return lun.Table
function Table:copy() end

---the correlation of each two columns of numbers, a row for each
---`t:corr([names])`
---@param names? string|string[]
---@return lun.Table
function Table:corr(names) end

---a row for each column: count, missing, mean, std, least, quartiles, greatest
---`t:describe()`
---@return lun.Table
function Table:describe() end

---without these columns; * matches any characters
---`t:drop(name, ...)`
---@param name string
---@param ... any
---@return lun.Table
function Table:drop(name, ...) end

---the rows without a missing element, in these columns
---`t:dropna([names])`
---@param names? string|string[]
---@return lun.Table
function Table:dropna(names) end

---the dtypes of the columns, in order
---`t:dtypes()`
---@return table
function Table:dtypes() end

---a row for each piece of a column of texts, split at sep
---`t:explode(name, sep)`
---@param name string
---@param sep string
---@return lun.Table
function Table:explode(name, sep) end

---missing elements filled, of all columns that take x or of some
---`t:fillna(x), t:fillna{name = x}`
---@overload fun(self: lun.Table, options: table): lun.Table
---@param x lun.Operand
---@return lun.Table
function Table:fillna(x) end

---the rows where all hold: masks, {name = value or list}, functions of a row, in Lua
---`t:filter(m, ...)`
---@param m integer
---@param ... any
---@return lun.Table
function Table:filter(m, ...) end

---rows in groups by names, arrays or {name = array}; help "g:agg" and so on
---`t:group(k, ... [, {order="first", dropna=true, levels=}])`
---@param k integer
---@param ... any
---@return lun.Groups
function Table:group(k, ...) end

---whether there is a column of that name
---`t:has(name)`
---@param name string
---@return boolean
function Table:has(name) end

---the first n rows
---`t:head([n=10])`
---@param n? integer
---@return lun.Table
function Table:head(n) end

---a row for each column: dtype, missing elements, bytes
---`t:info()`
---@return lun.Table
function Table:info() end

---for i, row in t:iter() do: each row as a Lua table
---`t:iter()`
---@return any
function Table:iter() end

---rows of t beside those of u with equal keys; on: a name, a list or {left = right}; how: inner left right
---full semi anti cross
---`t:join(u, on [, {how="inner", suffix="_right", validate=, na=, source=, by=, direction=, tolerance=}])`
---@param u lun.Operand
---@param on string
---@param options? { how?: string, suffix?: string, validate?: any, na?: any, source?: any, by?: any, direction?: any, tolerance?: any }
---@return lun.Table
function Table:join(u, on, options) end

---a row for each element of the columns vars, named in column name
---`t:melt{id=, vars=, name=, value=}`
---@param options { id?: any, vars?: any, name?: string, value?: any }
---@return lun.Table
function Table:melt(options) end

---the names of the columns, in order
---`t:names()`
---@return table
function Table:names() end

---for first, part in t:parts(1000) do: tables of so many rows
---`t:parts([rows])`
---@param rows? integer
---@return any
function Table:parts(rows) end

---a row for each index, a column for each value
---`t:pivot{index=, columns=, values=, agg="mean", fill=}`
---@param options { index?: any, columns?: any, values?: any, agg?: string, fill?: lun.Operand }
---@return lun.Table
function Table:pivot(options) end

---lun.plot of its columns, with all its options
---`t:plot{x="date", y="wind", by="city", ...}`
---@param options table
---@return any
function Table:plot(options) end

---columns under other names
---`t:rename{old = new, ...}, t:rename(f)`
---@overload fun(self: lun.Table, f: lun.Function): lun.Table
---@param options table
---@return lun.Table
function Table:rename(options) end

---groups of periods of a column of times, for g:agg: each one from the first to the last, empty ones too
---`t:resample(time, "1mo" [, {by=names}])`
---@param time string
---@param text string
---@param options? { by?: any }
---@return lun.Groups
function Table:resample(time, text, options) end

---for each row the rows of a time ending there, (time - 7d, time], for g:agg
---`t:rolling(time, "7d")`
---@param time string
---@param text string
---@return lun.Groups
function Table:rolling(time, text) end

---rows by a mask or by numbers; 0 is a missing row; -1 the last
---`t:rows(which), t:rows(i, j)`
---@overload fun(self: lun.Table, i: integer, j: integer): lun.Table
---@param which any
---@return lun.Table
function Table:rows(which) end

---rows by chance, in their order
---`t:sample(n [, {seed=, replace=}]), t:sample{frac=}`
---@overload fun(self: lun.Table, options: { frac?: number }): lun.Table
---@param n integer
---@param options? { seed?: integer, replace?: boolean }
---@return lun.Table
function Table:sample(n, options) end

---these columns, in this order; * matches any characters
---`t:select(name, ...)`
---@param name string
---@param ... any
---@return lun.Table
function Table:select(name, ...) end

---the rows in order of columns, of - in falling order; equal ones stay in order, missing ones are last
---`t:sort(k, "-k", ... [, {descending=, missing="first"}])`
---@param k integer
---@param text string
---@param ... any
---@return lun.Table
function Table:sort(k, text, ...) end

---the last n rows
---`t:tail([n=10])`
---@param n? integer
---@return lun.Table
function Table:tail(n) end

---a Lua table of rows, or of "columns"
---`t:totable([how="rows"])`
---@param how? string
---@return table
function Table:totable(how) end

---one row of equal ones: the first, the "last", or "none" of several
---`t:unique([names] [, {keep="first"}])`
---@param names? string|string[]
---@param options? { keep?: boolean }
---@return lun.Table
function Table:unique(names, options) end

---the different rows of these columns and their count, the most first
---`t:value_counts(name, ...)`
---@param name string
---@param ... any
---@return lun.Table
function Table:value_counts(name, ...) end

---with these columns, further ones or others
---`t:with{name = array, value or function(t), ...}`
---@param options table
---@return lun.Table
function Table:with(options) end

---Rows in groups, of lun.group or t:group.
---@class lun.Groups
---@operator len: integer
local Groups = {}

---a table of the keys and, for each group, results; a spec is "count" or {function, column, argument}:
---count sum prod mean min max first last any all var std median quantile mode nunique corr cov wmean
---argmin argmax concat, or a Lua function of the group's elements; {{name, function, column}, ...}
---keeps its order, g:agg{"mean", "x", "y"} names results by columns
---`g:agg{name = spec, ...}`
---@param options table
---@return lun.Table
function Groups:agg(options) end

---of each group, as lun.help "group" says
---`g:all(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:all(x, ...) end

---of each group, as lun.help "group" says
---`g:any(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:any(x, ...) end

---f of the table of each group, which gives a table: these, appended
---`g:apply(f)`
---@param f lun.Function
---@return lun.Table
function Groups:apply(f) end

---missing elements become the next one of their group
---`g:bfill(x)`
---@param x lun.Operand
---@return lun.Array
function Groups:bfill(x) end

---the number of each row's group
---`g:codes()`
---@return lun.Array
function Groups:codes() end

---of each group, as lun.help "group" says
---`g:count(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:count(x, ...) end

---for each row its number within its group, from 1
---`g:cumcount()`
---@return lun.Array
function Groups:cumcount() end

---the greatest element of the group so far
---`g:cummax(x)`
---@param x lun.Operand
---@return lun.Array
function Groups:cummax(x) end

---the least element of the group so far
---`g:cummin(x)`
---@param x lun.Operand
---@return lun.Array
function Groups:cummin(x) end

---the product of the group's elements so far
---`g:cumprod(x)`
---@param x lun.Operand
---@return lun.Array
function Groups:cumprod(x) end

---the sum of the group's elements so far
---`g:cumsum(x)`
---@param x lun.Operand
---@return lun.Array
function Groups:cumsum(x) end

---the difference to the element k rows before in the group
---`g:diff(x [, k=1])`
---@param x lun.Operand
---@param k? integer
---@return lun.Array
function Groups:diff(x, k) end

---missing elements become the last one of their group before
---`g:ffill(x)`
---@param x lun.Operand
---@return lun.Array
function Groups:ffill(x) end

---of each group, as lun.help "group" says
---`g:first(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:first(x, ...) end

---the first n rows of each group, in the order of rows
---`g:head(n)`
---@param n integer
---@return lun.Table
function Groups:head(n) end

---for key, sub in g:iter() do: the rows of each group
---`g:iter()`
---@return any
function Groups:iter() end

---the keys of the groups, in their order
---`g:keys()`
---@return lun.Array
function Groups:keys() end

---of each group, as lun.help "group" says
---`g:last(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:last(x, ...) end

---of each group, as lun.help "group" says
---`g:max(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:max(x, ...) end

---of each group, as lun.help "group" says
---`g:mean(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:mean(x, ...) end

---of each group, as lun.help "group" says
---`g:median(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:median(x, ...) end

---of each group, as lun.help "group" says
---`g:min(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:min(x, ...) end

---of each group, as lun.help "group" says
---`g:numbers(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:numbers(x, ...) end

---the change since the element k rows before in the group, as a part of it
---`g:pct_change(x [, k=1])`
---@param x lun.Operand
---@param k? integer
---@return lun.Array
function Groups:pct_change(x, k) end

---of each group, as lun.help "group" says
---`g:prod(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:prod(x, ...) end

---of each group, as lun.help "group" says
---`g:quantile(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:quantile(x, ...) end

---for each row its rank within its group, as a:rank has it
---`g:rank(x [, opts])`
---@param x lun.Operand
---@param opts? table
---@return lun.Array
function Groups:rank(x, opts) end

---of each group, as lun.help "group" says
---`g:reduce(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:reduce(x, ...) end

---for each row a function of the last n rows of its group, as a:rolling has it
---`g:rolling(x, n, f)`
---@param x lun.Operand
---@param n integer
---@param f lun.Function
---@return lun.Array
function Groups:rolling(x, n, f) end

---the numbers of the rows of group k
---`g:rows(k)`
---@param k integer
---@return lun.Array
function Groups:rows(k) end

---n rows of each group by chance
---`g:sample(n [, {seed=}])`
---@param n integer
---@param options? { seed?: integer }
---@return lun.Table
function Groups:sample(n, options) end

---of each group, as lun.help "group" says
---`g:scan(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:scan(x, ...) end

---for each row the element k rows before it in its group
---`g:shift(x [, k=1])`
---@param x lun.Operand
---@param k? integer
---@return lun.Array
function Groups:shift(x, k) end

---for each row the number of rows of its group
---`g:size()`
---@return lun.Array
function Groups:size() end

---of each group, as lun.help "group" says
---`g:std(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:std(x, ...) end

---of each group, as lun.help "group" says
---`g:sum(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:sum(x, ...) end

---the rows of group k as a table
---`g:table(k)`
---@param k integer
---@return lun.Table
function Groups:table(k) end

---the last n rows of each group, in the order of rows
---`g:tail(n)`
---@param n integer
---@return lun.Table
function Groups:tail(n) end

---the rows with the n greatest elements of each group
---`g:topk(n, x [, {smallest=true}])`
---@param n integer
---@param x lun.Operand
---@param options? { smallest?: boolean }
---@return lun.Table
function Groups:topk(n, x, options) end

---a function of agg, spread to the rows of each group
---`g:transform(f, x)`
---@param f lun.Function
---@param x lun.Operand
---@return lun.Array
function Groups:transform(f, x) end

---of each group, as lun.help "group" says
---`g:var(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function Groups:var(x, ...) end

---A skeleton: called with arrays, or s1 >> s2.
---@class lun.Skeleton
---@operator shr(lun.Skeleton|function): lun.Skeleton
---@overload fun(...: lun.Operand): lun.Array
local Skeleton = {}

---puts s under a binary root, on its left
---`c:left(s)`
---@param s lun.Array
---@return any
function Skeleton:left(s) end

---puts s under a unary root
---`c:only(s)`
---@param s lun.Array
---@return any
function Skeleton:only(s) end

---puts s under a binary root, on its right
---`c:right(s)`
---@param s lun.Array
---@return any
function Skeleton:right(s) end

---applies s and writes the result into B; of several results into out={B, C}
---`s:run{A, extra..., out=B}`
---@param options table
---@return any
function Skeleton:run(options) end

---the source code of a skeleton
---`s:source([backend])`
---@param backend? string
---@return string
function Skeleton:source(backend) end

---sets the work-group size on opencl, 0: tuned; without n the size that is used, nil where it is tuned; then,
---where it has no effect or another size is used, a text that says so
---`s:workgroup([n])`
---@param n? integer
---@return lun.Skeleton
function Skeleton:workgroup(n) end

---A queue of a device.
---@class lun.Queue
local Queue = {}

---`q:enqueue(task)`
---@param task any
---@return any
function Queue:enqueue(task) end

---`q:idle()`
---@return boolean
function Queue:idle() end

---`q:record()`
---@return lun.Event
function Queue:record() end

---`q:wait()`
---@return any
function Queue:wait() end

---A point in the work of a queue.
---@class lun.Event
local Event = {}

---`ev:done()`
---@return boolean
function Event:done() end

---`ev:wait()`
---@return any
function Event:wait() end

---Plain memory of a device.
---@class lun.Buffer
local Buffer = {}

---`b:device()`
---@return string
function Buffer:device() end

---`b:dtype()`
---@return string
function Buffer:dtype() end

---`b:extents()`
---@return integer
function Buffer:extents() end

---`b:free()`
---@return any
function Buffer:free() end

---`b:memory()`
---@return string
function Buffer:memory() end

---`b:pitch()`
---@return integer
function Buffer:pitch() end

---The module, which the program has as the global `lun`.
---@class lunarray
---@field _VERSION string
---@field e number
---@field i any
---@field inf number
---@field na any
---@field nan number
---@field pi number
---@field spmd table<string, any>
lun = {}

---absolute value
---`a:abs()`
---@param a lun.Operand
---@return lun.Array
function lun.abs(a) end

---arc cosine, in radians
---`a:acos()`
---@param a lun.Operand
---@return lun.Array
function lun.acos(a) end

---inverse hyperbolic cosine
---`a:acosh()`
---@param a lun.Operand
---@return lun.Array
function lun.acosh(a) end

---+; sum; of dates a:add(unit): a step by the calendar, "1mo" or "-2d"; months end on their last day at most
---`a:add(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.add(a, b) end

---the conjugate of the matrices of the last two axes, transposed
---`A:adjoint()`
---@param a lun.Operand
---@return lun.Array
function lun.adjoint(a) end

---true if every element is true; a:all{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:all([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.all(a, options) end

---whether isclose holds of all elements
---`a:allclose(b [, {rtol=1e-5, atol=1e-8, equal_nan=false}])`
---@param a lun.Operand
---@param b lun.Operand
---@param options? { rtol?: number, atol?: number, equal_nan?: boolean }
---@return lun.Array
function lun.allclose(a, b, options) end

---a skeleton: of A, n x k, and B, m x k, the n x m matrix whose element (i, j) combines f(A[i][l], B[j][l], extra...), l = 1 to k, by the associative g(x, y): distances, correlations; "*" and "+" are a matrix product; out as in map
---`lun.allpairs(f, g, id [, {out=dtype}])`
---@param f lun.Function
---@param g lun.Function
---@param id lun.Operand
---@param options? { out?: lun.dtype|lun.Array|table }
---@return lun.Array
function lun.allpairs(f, g, id, options) end

---the angle, as a:angle()
---`lun.angle(a)`
---@param a lun.Array
---@return lun.Array
function lun.angle(a) end

---true if some element is true; a:any{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:any([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.any(a, options) end

---the index of the first largest element; the first NaN wins; a:argmax{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:argmax([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.argmax(a, options) end

---the index of the first smallest element; the first NaN wins; a:argmin{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:argmin([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.argmin(a, options) end

---the indices that sort, as a:argsort()
---`lun.argsort(a [, {axis=, descending=true, missing=}])`
---@param a lun.Array
---@param options? { axis?: integer|integer[], descending?: boolean, missing?: any }
---@return lun.Array
function lun.argsort(a, options) end

---a matrix with a row of indices for each element that is not 0
---`a:argwhere()`
---@param a lun.Operand
---@return lun.Array
function lun.argwhere(a) end

---arc sine, in radians
---`a:asin()`
---@param a lun.Operand
---@return lun.Array
function lun.asin(a) end

---inverse hyperbolic sine
---`a:asinh()`
---@param a lun.Operand
---@return lun.Array
function lun.asinh(a) end

---arc tangent, in radians
---`a:atan()`
---@param a lun.Operand
---@return lun.Array
function lun.atan(a) end

---angle of the point (b, a), in radians
---`a:atan2(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.atan2(a, b) end

---inverse hyperbolic tangent
---`a:atanh()`
---@param a lun.Operand
---@return lun.Array
function lun.atanh(a) end

---the mean weighted by w, an array of a's shape or a Vector along the axis; without an axis a number
---`a:average(w [, {axis=}])`
---@param a lun.Operand
---@param w lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.average(a, w, options) end

---the names of the backends that can be used here, best first
---`lun.backends()`
---@return table
function lun.backends() end

---&; bitwise and
---`a:band(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.band(a, b) end

---a horizontal bar for each label: arrays or lists, or columns of a table; opts: sort=true (the longest
---first), most=50, title, xlabel, ylabel, width, height, colour, string=true, file=
---`lun.bars(labels, values [, opts]), lun.bars(t, {x=, y=, ...})`
---@overload fun(t: table, options: table): any
---@param labels lun.Array|table|integer
---@param values any
---@param opts? table
---@return any
function lun.bars(labels, values, opts) end

---the triangle that is 0 at both ends
---`lun.bartlett(n)`
---@param n integer
---@return lun.Array
function lun.bartlett(n) end

---a function that gives, for many items, what f gives for one: f runs once, of items that hide the
---axis of the batch, by default the first of each array; axes: for each argument its axis, or false,
---the same for all items; out: the axis of the results
---`lun.batch(f [, {axes={1, false}, out=1}])`
---@param f lun.Function
---@param options? { axes?: integer|integer[], out?: lun.dtype|lun.Array|table }
---@return function
function lun.batch(f, options) end

---each NaN replaced by the first number behind it, over `limit` of them at most
---`a:bfill([limit] [, {axis=1}])`
---@param a lun.Operand
---@param limit? integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.bfill(a, limit, options) end

---how often each value 1 to n occurs in a Vector of integers, or the sums of its weights; n is by default the largest
---`a:bincount([{weights=, n=}])`
---@param a lun.Operand
---@param options? { weights?: lun.Array|number|table, n?: integer }
---@return lun.Array
function lun.bincount(a, options) end

---the version of the bits, "v1": it changes when any result of an operation changes; "none" with
---lun.math "precise" and lun.override; lun.bits "v1" chooses one before the first kernel
---`lun.bits([version])`
---@param version? any
---@return lun.Array
function lun.bits(version) end

---the Blackman window: 0.42 + 0.5 cos + 0.08 cos of twice the angle
---`lun.blackman(n)`
---@param n integer
---@return lun.Array
function lun.blackman(n) end

---~; bitwise complement
---`a:bnot()`
---@param a lun.Operand
---@return lun.Array
function lun.bnot(a) end

---|; bitwise or
---`a:bor(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.bor(a, b) end

---boxes from quartile to quartile with the median, whiskers to the last points within 1.5 distances of the
---quartiles and points outside: a row for each of the 20 most frequent values of by, or for each column
---of numbers; opts: title, xlabel, ylabel, width, height, colour, string=true, file=
---`lun.box(x [, by] [, opts]), lun.box(t [, {x=, by=, ...}])`
---@overload fun(t: table, options?: table): any
---@param x lun.Operand
---@param by? any
---@param opts? table
---@return any
function lun.box(x, by, opts) end

---windows on all of them in the shape that they broadcast to
---`lun.broadcast_arrays(a, b, ...)`
---@param a lun.Array
---@param b lun.Operand
---@param ... any
---@return lun.Array
function lun.broadcast_arrays(a, b, ...) end

---a:broadcast: a window that repeats axes of extent 1 and adds axes in front
---`a:broadcast_to(shape)`
---@param a lun.Operand
---@param shape lun.Shape
---@return lun.Array
function lun.broadcast_to(a, shape) end

---plain memory of a device or of the "host", zero at first, for tasks and lun.copy: b:extents(), b:dtype(),
---b:device(), b:pitch(): bytes from one row to the next, b:free().  It lives as long as work that has
---it.  pitch: so many bytes; align: rows begin at multiples of so many, up to 64; memory: "pinned" or
---"shared" of the host's, where a device has it: b:memory() says what it is.  With a struct for a
---dtype: a buffer for each field, b.x
---`lun.buffer(device, extents [, dtype [, {pitch=, align=, memory=}]])`
---@param device string
---@param extents lun.Shape
---@param dtype? lun.dtype
---@param options? { pitch?: any, align?: any, memory?: any }
---@return lun.Buffer
function lun.buffer(device, extents, dtype, options) end

---~; bitwise exclusive or
---`a:bxor(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.bxor(a, b) end

---calls a Lua function once, compiled, on one thread, with numbers and arrays, which it may index: loops whose
---rounds depend on each other; gives its results, numbers, or a record
---`lun.call(f, ...)`
---@param f lun.Function
---@param ... any
---@return any
function lun.call(f, ...) end

---whether each element of dtype `from`, a name or an array, keeps its value in dtype `to`; i64 and u64 in f64 count
---`lun.can_cast(from, to)`
---@param from any
---@param to any
---@return boolean
function lun.can_cast(from, to) end

---a matrix of all combinations, a row each, in which the element of the last Vector changes first
---`lun.cartesian(x, y, ...)`
---@param x lun.Operand
---@param y lun.Operand
---@param ... any
---@return lun.Array
function lun.cartesian(x, y, ...) end

---the elements as another dtype, as a:cast(dtype)
---`lun.cast(a, dtype)`
---@param a lun.Array
---@param dtype lun.dtype
---@return lun.Array
function lun.cast(a, dtype) end

---cube root
---`a:cbrt()`
---@param a lun.Operand
---@return lun.Array
function lun.cbrt(a) end

---rounded up
---`a:ceil()`
---@param a lun.Operand
---@return lun.Array
function lun.ceil(a) end

---conjugate gradients: x with A x = b of a symmetric positive definite A, a matrix, of lun.csr too, or
---a function that multiplies Vectors by it; how many iterations, and the norm of b - A x. It ends at
---tol times the norm of b, or after maxiter of them, 10 times #b by default; precondition: an
---approximate inverse, a function or a matrix
---`lun.cg(f_or_A, b [, {x0=, tol=1e-8, maxiter=, precondition=}])`
---@param f_or_A any
---@param b lun.Operand
---@param options? { x0?: lun.Array|number|table, tol?: number, maxiter?: any, precondition?: lun.Function }
---@return lun.Array
function lun.cg(f_or_A, b, options) end

---tests functions given to reduce, scan and allpairs for associativity and identity, recomputes some
---results of Lua functions by Lua itself, and checks w[i] in C functions that are made from now on; a
---failed test is an error that shows the operands; nan: computes each operation at once, and stops
---where one makes NaN of numbers; false ends both
---`lun.check(true), lun.check(false), lun.check{nan=true}`
---@overload fun(value: any): boolean
---@overload fun(options: { nan?: number }): boolean
---@param value any
---@return boolean
function lun.check(value) end

---k of the numbers 1 to n, of a list, or of the elements of an array along its first axis; k is a number or a
---shape, without it one element is the value; replace: an element may come more than once; p: the
---probability of each
---`lun.choice(n_or_a [, k [, {seed=, replace=true, p=}]])`
---@param n_or_a any
---@param k? integer
---@param options? { seed?: integer, replace?: boolean, p?: lun.Array|number|table }
---@return lun.Array
function lun.choice(n_or_a, k, options) end

---L with L L' = A, of which the lower triangle is read; upper: L', of complex matrices the adjoint
---`A:cholesky([{upper=false}])`
---@param a lun.Operand
---@param options? { upper?: boolean }
---@return lun.Array
function lun.cholesky(a, options) end

---a limited to b .. c
---`a:clamp(b, c)`
---@param a lun.Operand
---@param b lun.Operand
---@param c lun.Operand
---@return lun.Array
function lun.clamp(a, b, c) end

---lo where a is below, hi where it is above: a:clamp; nil: no limit
---`a:clip(lo, hi)`
---@param a lun.Operand
---@param lo any
---@param hi any
---@return lun.Array
function lun.clip(a, lo, hi) end

---seconds on a monotonic clock, for timing
---`lun.clock()`
---@return integer
function lun.clock() end

---how many zero bits stand above the highest one that is set; of 0 all bits of the dtype
---`a:clz()`
---@param a lun.Operand
---@return lun.Array
function lun.clz(a) end

---the elements of a; where those are missing of b, and so on; the last one may be a number
---`lun.coalesce(a, b, ...)`
---@param a lun.Array
---@param b lun.Operand
---@param ... any
---@return lun.Array
function lun.coalesce(a, b, ...) end

---a complex number; of arrays c64 if both parts are f32, else c128. A number z has z.re, z.im, + - * / ^, ==
---with complex numbers, z:eq(x) and z:abs() angle conj real imag exp log sqrt sin and so on
---`lun.complex(re [, im=0])`
---@param re any
---@param im? integer
---@return lun.Array
function lun.complex(re, im) end

---a tree of skeletons; :only(s) under a unary root
---`lun.compose(root):left(s):right(s)`
---@param root lun.Array
---@return lun.Skeleton
function lun.compose(root) end

---the elements where mask is true, as a:compress(mask)
---`lun.compress(a, mask [, {axis=}])`
---@param a lun.Array
---@param mask lun.Array
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.compress(a, mask, options) end

---joins the arrays of a list along an axis, in their common dtype; a .. b joins two along the first axis;
---of a Vector also with numbers and lists: a .. 3, a .. {4, 5}
---`lun.concat(list [, axis=1])`
---@param list table
---@param axis? integer
---@return lun.Array
function lun.concat(list, axis) end

---the condition number: the greatest singular value over the least, with -2 the least over the greatest; with
---"fro", "nuc", 1, -1, math.huge and -math.huge the norm of a square matrix times that of its inverse. Of a
---singular matrix infinity
---`A:cond([ord=2])`
---@param a lun.Operand
---@param ord? integer
---@return lun.Array
function lun.cond(a, ord) end

---the conjugate, as a:conj()
---`lun.conj(a)`
---@param a lun.Array
---@return lun.Array
function lun.conj(a) end

---sums of products of a's elements with b's in reverse, of 1 to 3 axes; mode: "full", "same", as many as
---the longer has, or "valid", where both overlap; of floats, if both have more than 64 elements, by Fourier
---transforms
---`a:convolve(b [, {mode="full"}])`
---@param a lun.Operand
---@param b lun.Operand
---@param options? { mode?: string }
---@return lun.Array
function lun.convolve(a, b, options) end

---has a queue copy elements between buffers and arrays, or records, of one dtype: extents of them, all of
---`from` by default, from the given indices on.  An array that is copied is its elements of now, one
---that receives has them after the wait
---`lun.copy(q, to, from [, extents [, to_first, from_first]])`
---@param q lun.Operand
---@param to any
---@param from any
---@param extents? lun.Shape
---@param to_first? any
---@param from_first? any
---@return any
function lun.copy(q, to, from, extents, to_first, from_first) end

---a with the sign of b
---`a:copysign(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.copysign(a, b) end

---the correlation of two arrays by Pearson, a number, without pairs of which one is missing
---`a:corr(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Value
function lun.corr(a, b) end

---the matrix of the correlations of a matrix's rows, or, with rows=false, columns
---`A:corrcoef([{rows=true}])`
---@param a lun.Operand
---@param options? { rows?: boolean }
---@return lun.Array
function lun.corrcoef(a, options) end

---sums of products of a's elements with the conjugates of b's at each shift, of 1 to 3 axes; modes as of convolve
---`a:correlate(b [, {mode="valid"}])`
---@param a lun.Operand
---@param b lun.Operand
---@param options? { mode?: string }
---@return lun.Array
function lun.correlate(a, b, options) end

---cosine, a in radians
---`a:cos()`
---@param a lun.Operand
---@return lun.Array
function lun.cos(a) end

---hyperbolic cosine
---`a:cosh()`
---@param a lun.Operand
---@return lun.Array
function lun.cosh(a) end

---cos(pi * a), exact where a is a multiple of 1/2
---`a:cospi()`
---@param a lun.Operand
---@return lun.Array
function lun.cospi(a) end

---the number of elements that are true (not 0); a:count{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:count([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.count(a, options) end

---the number of elements that are not 0: a:count
---`a:count_nonzero([{axis=, keep=true}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function lun.count_nonzero(a, options) end

---the covariance of two arrays, a number, without pairs of which one is missing; of a matrix that of its rows, or, with
---rows=false, columns, a matrix; divided by n - ddof, which is n - 1 here
---`a:cov(b [, {ddof=1}]), A:cov([{ddof=1, rows=true}])`
---@overload fun(a: lun.Operand, options?: { ddof?: number, rows?: boolean }): lun.Value
---@param a lun.Operand
---@param b lun.Operand
---@param options? { ddof?: number }
---@return lun.Value
function lun.cov(a, b, options) end

---the vector product of vectors of 3 elements along an axis
---`a:cross(b [, {axis=-1}])`
---@param a lun.Operand
---@param b lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.cross(a, b, options) end

---a sparse matrix of n rows, m columns: triples in any order, those of one place are added; with offsets rows
---has where each row begins, n + 1 numbers from 1; of a matrix what is not 0; of what lun.load gives of
---a file of SciPy's save_npz. S:matmul(x) transpose diagonal dense shape nnz dtype rows triples,
---S:sum([axis]), S:map(f) of the values, S:sub{i, j} rows, S + T, S - T, -S, S * number, S / number;
---lun.cg(S, b), lun.save("s.npz", S)
---`lun.csr(rows, columns, values, {n, m} [, {offsets=true}]), lun.csr(A)`
---@overload fun(A: lun.Array): lun.Array
---@param rows integer
---@param columns any
---@param values any
---@param list table
---@param options? { offsets?: boolean }
---@return lun.Array
function lun.csr(rows, columns, values, list, options) end

---how many zero bits stand below the lowest one that is set; of 0 all bits of the dtype
---`a:ctz()`
---@param a lun.Operand
---@return lun.Array
function lun.ctz(a) end

---the running maxima; NaN from the first NaN on; each element's own is in it; without an axis a Vector in row-major order
---`a:cummax([{axis=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.cummax(a, options) end

---the running minima; NaN from the first NaN on; each element's own is in it; without an axis a Vector in row-major order
---`a:cummin([{axis=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.cummin(a, options) end

---the running products; of integers i64 or u64, as prod; each element's own is in it; without an axis a Vector in row-major order
---`a:cumprod([{axis=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.cumprod(a, options) end

---the running sums; of integers i64 or u64, as sum; each element's own is in it; without an axis a Vector in row-major order
---`a:cumsum([{axis=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.cumsum(a, options) end

---the running products along an axis, which a Vector need not name; include_initial: with the 1 before them
---`a:cumulative_prod([{axis=, include_initial=true}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], include_initial?: boolean }
---@return lun.Array
function lun.cumulative_prod(a, options) end

---the running sums along an axis, which a Vector need not name; include_initial: with the 0 before them
---`a:cumulative_sum([{axis=, include_initial=true}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], include_initial?: boolean }
---@return lun.Array
function lun.cumulative_sum(a, options) end

---the parameters p with the least sum of squares of model(x, p[1], p[2], ...) - y, from p0 on, and their
---covariance
---`lun.curve_fit(model, x, y, p0)`
---@param model lun.Function
---@param x lun.Operand
---@param y lun.Operand
---@param p0 lun.Array|number[]
---@return lun.Array
function lun.curve_fit(model, x, y, p0) end

---the number of the interval between edges that each element is in, missing of those in none; right: an interval has its
---upper edge, else its lower one; labels: texts instead of numbers, true: such as "(0, 10]"
---`a:cut(edges [, {labels=, right=true}])`
---@param a lun.Operand
---@param edges lun.Array|table|integer
---@param options? { labels?: any, right?: boolean }
---@return lun.Array
function lun.cut(a, edges, options) end

---what lun.load gives of a file that has these bytes, a string; format: its extension, "csv", "csv.gz", "npy",
---"png"; opts: those of lun.load
---`lun.decode(bytes, format [, opts])`
---@param bytes string
---@param format string
---@param opts? table
---@return any
function lun.decode(bytes, format, opts) end

---degrees as radians
---`a:deg2rad()`
---@param a lun.Operand
---@return lun.Array
function lun.deg2rad(a) end

---a value without the elements at i, an index or several; without an axis in row-major order
---`a:delete(i [, {axis=}])`
---@param a lun.Operand
---@param i integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.delete(a, i, options) end

---the k-th derivative of a function of a number, or of the elements of an array
---`lun.derivative(f [, k=1])`
---@param f lun.Function
---@param k? integer
---@return function
function lun.derivative(f, k) end

---a table of numbers: count, mean, std, min, q25, median, q75, max, of the elements that are neither missing nor NaN
---`a:describe()`
---@param a lun.Operand
---@return lun.Array
function lun.describe(a) end

---the determinant, a number; of batches an array
---`A:det()`
---@param a lun.Operand
---@return lun.Array
function lun.det(a) end

---a list of devices: name, kind, backend, place, memory (bytes), units, fp64, bits; for the host also machine;
---of a driver's also platform, version, driver, extensions (a list), largest (bytes of a buffer),
---local_memory (bytes of a work-group), group (work-items of the largest), vector (bytes)
---`lun.devices()`
---@return table
function lun.devices() end

---of a Vector the matrix that has it as its k-th diagonal, else 0; of a matrix a window on its k-th diagonal
---`a:diag([k])`
---@param a lun.Operand
---@param k? integer
---@return lun.Array
function lun.diag(a, k) end

---the differences of neighbours, n times, each one shorter; prepend, append: numbers or slices put in front and
---behind before; with lag=k, as long as a, the difference from k before, with k missing ones first
---`a:diff([n=1] [, {axis=-1, prepend=, append=}]), a:diff{lag=k}`
---@overload fun(a: lun.Operand, options: { lag?: any }): lun.Array
---@param a lun.Operand
---@param n? integer
---@param options? { axis?: integer|integer[], prepend?: lun.Array|number|table, append?: lun.Array|number|table }
---@return lun.Array
function lun.diff(a, n, options) end

---the bin of each element: the index of the first edge above it, or, with right, of the first that is not below
---`a:digitize(edges [, {right=true}])`
---@param a lun.Operand
---@param edges lun.Array|table|integer
---@param options? { right?: boolean }
---@return lun.Array
function lun.digitize(a, edges, options) end

---/; quotient, always a float
---`a:div(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.div(a, b) end

---opens a library of the system that data come and go by, duckdb sqlite hdf5 lz4 zstd blas
---fftw lapack: true; or nil, a message that says where it was looked for and where it is to be had, and
---"library"
---`lun.door(name)`
---@param name string
---@return boolean?
function lun.door(name) end

---the sum of the products, as a:dot(b)
---`lun.dot(a, b)`
---@param a lun.Array
---@param b lun.Operand
---@return lun.Value
function lun.dot(a, b) end

---the elements that are neither missing nor NaN
---`a:dropna()`
---@param a lun.Operand
---@return lun.Array
function lun.dropna(a) end

---the elements that are not NaN, as a:dropnan()
---`lun.dropnan(a)`
---@param a lun.Array
---@return lun.Array
function lun.dropnan(a) end

---arrays joined along the third axis, n x m ones as n x m x 1, Vectors as 1 x n x 1
---`lun.dstack(list)`
---@param list table
---@return lun.Array
function lun.dstack(list) end

---durations of texts such as "1d 2h30m", or of numbers of a unit: "s", or us, ms, m, h, d, w; of one also one
---`lun.duration(x [, unit])`
---@param x lun.Operand
---@param unit? string
---@return lun.Array
function lun.duration(x, unit) end

---calls f(i, j, ...) for each index; f assigns elements of captured arrays, B[i][j] = x, or updates them, h[k[i]] = h[k[i]] + x; shape as in generate.  Options change the speed alone: indices of a tile are
---those of a work-group, or of what a thread takes at once, which is chunk indices if that is given;
---schedule: threads begin with shares of their own, "static", or take one chunk after the other.
---lun.each(shape, text [, options], args...) calls C text without a result, whose first parameters are
---the indices, from 0: void f(int i, int j, double *a); rounds do not touch one element, but by
---LUN_ATOMIC_ADD and its like
---`lun.each(shape, f [, {tile={16, 64}, schedule="dynamic", chunk=4096}])`
---@param shape lun.Shape
---@param f lun.Function
---@param options? { tile?: any, schedule?: string, chunk?: integer }
---@return any
function lun.each(shape, f, options) end

---the eigenvalues of a square matrix, complex, ascending by real, then imaginary part, and its eigenvectors, as
---columns of length 1 whose element of the greatest modulus is real and positive
---`A:eig()`
---@param a lun.Operand
---@return lun.Array
function lun.eig(a) end

---the eigenvalues of a symmetric or Hermitian matrix, ascending, and its eigenvectors, as columns, in which the
---element of the greatest modulus is real and positive; the lower triangle is read
---`A:eigh([{upper=false}])`
---@param a lun.Operand
---@param options? { upper?: boolean }
---@return lun.Array
function lun.eigh(a, options) end

---the eigenvalues of a square matrix alone
---`A:eigvals()`
---@param a lun.Operand
---@return lun.Array
function lun.eigvals(a) end

---the eigenvalues of a symmetric or Hermitian matrix alone
---`A:eigvalsh([{upper=false}])`
---@param a lun.Operand
---@param options? { upper?: boolean }
---@return lun.Array
function lun.eigvalsh(a, options) end

---sums of products: an axis for each letter, summed where the result, by default the letters that occur once,
---in their order, has it not; a letter twice in an operand is its diagonal; ... are all other axes; from
---the left, two at a time, by matmul
---`lun.einsum("ij,jk->ik", A, B, ...)`
---@param text string
---@param A lun.Array
---@param B lun.Array
---@param ... any
---@return lun.Array
function lun.einsum(text, A, B, ...) end

---up to how many elements of an array are printed without a gap, 100 by default; math.huge: all; returns the
---number in use; nil restores the default
---`lun.elements_shown([n])`
---@param n? integer
---@return number
function lun.elements_shown(n) end

---elements undefined until they are written (zeros in a sandbox): what is filled next need not be cleared;
---arguments as of lun.zeros
---`lun.empty(shape [, dtype [, opts]])`
---@param shape lun.Shape
---@param dtype? lun.dtype
---@param opts? table
---@return lun.Array
function lun.empty(shape, dtype, opts) end

---the bytes of the file that lun.save writes, a string
---`lun.encode(v, format [, opts])`
---@param v lun.Operand
---@param format string
---@param opts? table
---@return string
function lun.encode(v, format, opts) end

---equal, elementwise
---`a:eq(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.eq(a, b) end

---whether b is an array of a's shape with equal elements: NaN equals NaN, missing missing
---`a:equals(b), a == b`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.equals(a, b) end

---error function
---`a:erf()`
---@param a lun.Operand
---@return lun.Array
function lun.erf(a) end

---1 - erf(a)
---`a:erfc()`
---@param a lun.Operand
---@return lun.Array
function lun.erfc(a) end

---evaluates them in as few passes as possible; returns the number of a Scalar, and numbers as they are; {out={w1, w2}}: writes the results to these arrays together
---`lun.eval(e1, e2, ... [, {out=list}])`
---@param e1 any
---@param e2 any
---@param ... any
---@return any
function lun.eval(e1, e2, ...) end

---the mean of the elements of a Vector up to each one, each weighted 1 - alpha times as much as the next one; missing ones
---stay so and have no weight
---`a:ewm(alpha)`
---@param a lun.Operand
---@param alpha number
---@return lun.Array
function lun.ewm(a, alpha) end

---e^a
---`a:exp()`
---@param a lun.Operand
---@return lun.Array
function lun.exp(a) end

---2^a
---`a:exp2()`
---@param a lun.Operand
---@return lun.Array
function lun.exp2(a) end

---a window with a new axis of extent 1, which is axis `axis` of the result
---`a:expand_dims(axis)`
---@param a lun.Operand
---@param axis integer
---@return lun.Array
function lun.expand_dims(a, axis) end

---for tests: an error, with the plan, if evaluating the expressions together would run more kernels than that,
---or move more bytes, as lun.explain counts them; returns the expressions; nothing runs
---`lun.expect(e, ..., {kernels=1, bytes=n})`
---@param e any
---@param ... any
---@return lun.Array
function lun.expect(e, ...) end

---1 / (1 + exp(-a))
---`a:expit()`
---@param a lun.Operand
---@return lun.Array
function lun.expit(a) end

---the kernels that evaluating e would run, without running; .text: all steps
---`lun.explain(e, ...)`
---@param e any
---@param ... any
---@return lun.Plan
function lun.explain(e, ...) end

---the exponential of a square matrix: the sum of A^k / k!
---`A:expm()`
---@param a lun.Operand
---@return lun.Array
function lun.expm(a) end

---e^a - 1, exact near 0
---`a:expm1()`
---@param a lun.Operand
---@return lun.Array
function lun.expm1(a) end

---the elements where mask is true: a:compress
---`a:extract(mask)`
---@param a lun.Operand
---@param mask lun.Array
---@return lun.Array
function lun.extract(a, mask) end

---the identity matrix: n x m, 1 on the k-th diagonal, which is above the main one where k > 0, else 0
---`lun.eye(n [, m [, k]] [, dtype])`
---@param n integer
---@param m? integer
---@param k? integer
---@param dtype? lun.dtype
---@return lun.Array
function lun.eye(n, m, k, dtype) end

---codes, an i32 Vector, and levels: the distinct texts of a list, sorted by bytes, or the distinct values of a
---Vector, sorted; codes has the number of each element's level: levels[codes[i]] is list[i]
---`lun.factor(list)`
---@param list table
---@return lun.Array
function lun.factor(list) end

---each NaN replaced by the last number before it, over `limit` of them at most
---`a:ffill([limit] [, {axis=1}])`
---@param a lun.Operand
---@param limit? integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.ffill(a, limit, options) end

---the Fourier transform along an axis, of which n elements are taken, zeros where there are none: c64 of f32 and
---c64, c128 of others; norm: "backward" divides inverse transforms by n, "ortho" both by its root,
---"forward" the others
---`a:fft([{n=, axis=-1, norm="backward"}])`
---@param a lun.Operand
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function lun.fft(a, options) end

---f64: the frequencies of the n elements of fft, in cycles per unit of the distance d between samples:
---0, 1, ..., (n-1)//2, -(n//2), ..., -1 over n d
---`lun.fftfreq(n [, d=1])`
---@param n integer
---@param d? lun.Operand
---@return lun.Array
function lun.fftfreq(n, d) end

---fft along all axes, or those given, the last one first; shape: the number of elements of each
---`a:fftn([{axes=, shape=, norm="backward"}])`
---@param a lun.Operand
---@param options? { axes?: integer|integer[], shape?: lun.Shape, norm?: string }
---@return lun.Array
function lun.fftn(a, options) end

---each axis, or those given, rolled by n//2: element 1 of fft, frequency 0, in the middle
---`a:fftshift([{axes=}])`
---@param a lun.Operand
---@param options? { axes?: integer|integer[] }
---@return lun.Array
function lun.fftshift(a, options) end

---x, a number or an array that broadcasts, where elements are missing or NaN
---`a:fillna(x)`
---@param a lun.Operand
---@param x lun.Operand
---@return lun.Array
function lun.fillna(a, x) end

---a, but b where a is NaN
---`a:fillnan(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.fillnan(a, b) end

---the elements for which p returns true, as a:filter(p)
---`lun.filter(a, p, extra...)`
---@param a lun.Array
---@param p lun.Operand
---@param ... any
---@return lun.Array
function lun.filter(a, p, ...) end

---a table of a float dtype: bits, eps (1 to the next number), max, min, tiny (the least normal one), digits
---`lun.finfo(dtype)`
---@param dtype lun.dtype
---@return table
function lun.finfo(dtype) end

---a window with the order along these axes reversed: a number, a list, by default all
---`a:flip([axes])`
---@param a lun.Operand
---@param axes? integer|integer[]
---@return lun.Array
function lun.flip(a, axes) end

---rounded down
---`a:floor()`
---@param a lun.Operand
---@return lun.Array
function lun.floor(a) end

---a * b + c, rounded once
---`a:fma(b, c)`
---@param a lun.Operand
---@param b lun.Operand
---@param c lun.Operand
---@return lun.Array
function lun.fma(a, b, c) end

---the larger one; NaN is ignored
---`a:fmax(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.fmax(a, b) end

---the smaller one; NaN is ignored
---`a:fmin(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.fmin(a, b) end

---the remainder of a / b rounded to zero, as C has it: the sign is a's
---`a:fmod(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.fmod(a, b) end

---two: m from 0.5 on and below 1, with a's sign, and e, i32, such that a = m * 2^e; of 0, NaN and
---infinities a and 0
---`a:frexp()`
---@param a lun.Operand
---@return lun.Array
function lun.frexp(a) end

---an array from bytes as a:tobytes() returns them
---`lun.frombytes(s, dtype [, shape])`
---@param s lun.Array
---@param dtype lun.dtype
---@param shape? lun.Shape
---@return lun.Array
function lun.frombytes(s, dtype, shape) end

---all elements are x; the dtype is that of x by default; options as in lun.vector
---`lun.full(shape, x [, dtype [, opts]])`
---@param shape lun.Shape
---@param x lun.Operand
---@param dtype? lun.dtype
---@param opts? table
---@return lun.Array
function lun.full(shape, x, dtype, opts) end

---all elements x, in a's shape and dtype, or in that dtype
---`a:full_like(x [, dtype])`
---@param a lun.Operand
---@param x lun.Operand
---@param dtype? lun.dtype
---@return lun.Array
function lun.full_like(a, x, dtype) end

---smoothed along each axis by a bell of that standard deviation, cut off after 4 of them; beyond the ends the elements
---mirrored
---`A:gaussian(sigma)`
---@param a lun.Operand
---@param sigma number
---@return lun.Array
function lun.gaussian(a, sigma) end

---the greatest common divisor of integers, not negative; of 0 and 0 it is 0
---`a:gcd(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.gcd(a, b) end

---greater than or equal
---`a:ge(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.ge(a, b) end

---element (i, j, ...) is f(i, j, ...); shape is n or {n1, n2, ...}, an extent may be {first, last}; lazy
---`lun.generate(shape, f [, {out=}])`
---@param shape lun.Shape
---@param f lun.Function
---@param options? { out?: lun.dtype|lun.Array|table }
---@return lun.Array
function lun.generate(shape, f, options) end

---n numbers from a to b, each the same multiple of the one before; a and b are not 0 and have one sign
---`lun.geomspace(a, b, n [, {endpoint=true}])`
---@param a lun.Array
---@param b lun.Operand
---@param n integer
---@param options? { endpoint?: boolean }
---@return lun.Array
function lun.geomspace(a, b, n, options) end

---a function that gives the derivatives of f(...), one number, by the arguments numbered in wrt, a number or a
---list: of arrays arrays, of numbers numbers; then its value
---`lun.grad(f [, {wrt=1}])`
---@param f lun.Function
---@param options? { wrt?: any }
---@return function
function lun.grad(f, options) end

---the slope along each axis, an array for each, or along one: central differences, one-sided ones at the ends; dx:
---the distance of neighbours, or a Vector of coordinates
---`a:gradient([dx=1] [, {axis=}])`
---@param a lun.Operand
---@param dx? number
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.gradient(a, dx, options) end

---rows in groups by equal keys, Vectors or lists of texts; groups ascend by their keys, NaN last, or
---stand as they first appear; #g groups; g:keys() a column for each key, g:codes() the group of each
---row, g:rows(k) the rows of one; g:count() rows, g:count(x) true elements, g:numbers(x) those that are
---not NaN (g:count(x, {skipnan=true}) is its older name); g:sum(x [,
---{skipnan=, skipna=}]) prod mean min max first last, g:any(x) all, g:var(x [, {ddof=}]) std,
---g:median(x), g:quantile(x, q): an element for each group, lazy; x may have a line for each row,
---and be records for first and last;
---g:reduce(x, f, id), g:scan(x, f, id [, {inclusive=false}]): f in row order, from id
---on; g:scan has each row's own element in it, as inclusive=true says, which is its default: with
---inclusive=false what stands before, as a:scan has it;
---of groups of a table columns are names, and there are g:agg size transform shift diff pct_change
---cumcount cumsum cumprod cummin cummax ffill bfill rank rolling, for each row, and g:head tail
---sample topk table iter apply: docs/tables.md;
---dropna=true leaves rows with a key that is missing or NaN in no group;
---lun.group(codes, {levels=n}) keeps groups without rows, of codes 1 .. n; levels may be the list
---that lun.factor gives
---`lun.group(k1 [, k2, ...] [, {order="first", dropna=true, levels=}])`
---@param k1 any
---@param k2? any
---@param ... any
---@return lun.Groups
function lun.group(k1, k2, ...) end

---greater than
---`a:gt(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.gt(a, b) end

---the Hamming window: 0.54 + 0.46 cos
---`lun.hamming(n)`
---@param n integer
---@return lun.Array
function lun.hamming(n) end

---the Hann window: half of 1 + cos, 0 at both ends
---`lun.hanning(n)`
---@param n integer
---@return lun.Array
function lun.hanning(n) end

---0 where a < 0, b where a is 0, else 1; floats
---`a:heaviside(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.heaviside(a, b) end

---a text that describes a function, a name, an array, a skeleton or an operation, in scripts
---print(lun.help "sort"); alone: lists everything
---`lun.help(x)`
---@param x lun.Operand
---@return string
function lun.help(x) end

---a function that gives the matrix of second derivatives of f(x), one number, x a Vector
---`lun.hessian(f)`
---@param f lun.Function
---@return function
function lun.hessian(f) end

---the transform, real, of n numbers of which the first m are given and the others are their conjugates
---`a:hfft([{n=2*(m-1), axis=-1, norm="backward"}])`
---@param a lun.Operand
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function lun.hfft(a, options) end

---a histogram, drawn as bars; for a list of texts, how often each occurs; opts: low, high, title, xlabel,
---ylabel, width, colour, string=true, file="h.svg" or "h.png"
---`lun.hist(a [, bins] [, opts])`
---@param a lun.Array
---@param bins? integer|lun.Array
---@param opts? table
---@return any
function lun.hist(a, bins, opts) end

---counts and edges, as a:histogram(bins)
---`lun.histogram(a [, bins] [, {range=, weights=}])`
---@param a lun.Array
---@param bins? integer|lun.Array
---@param options? { range?: any, weights?: lun.Array|number|table }
---@return lun.Array
function lun.histogram(a, bins, options) end

---counts of the pairs of two Vectors in a grid of bins, a matrix, and the edges of both; bins: a number, a Vector of
---edges, or a list of two of these; the last bins hold their upper edges
---`a:histogram2d(b [, bins=10])`
---@param a lun.Operand
---@param b lun.Operand
---@param bins? integer|lun.Array
---@return lun.Array
function lun.histogram2d(a, b, bins) end

---Vectors joined one after the other, other arrays along the second axis
---`lun.hstack(list)`
---@param list table
---@return lun.Array
function lun.hstack(list) end

---sqrt(a^2 + b^2) without overflow
---`a:hypot(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.hypot(a, b) end

---the modified Bessel function of order 0
---`a:i0()`
---@param a lun.Operand
---@return lun.Array
function lun.i0(a) end

---//; quotient rounded down; integer division by zero is an error
---`a:idiv(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.idiv(a, b) end

---the inverse of fft
---`a:ifft([{n=, axis=-1, norm="backward"}])`
---@param a lun.Operand
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function lun.ifft(a, options) end

---the inverse of fftn
---`a:ifftn([{axes=, shape=, norm="backward"}])`
---@param a lun.Operand
---@param options? { axes?: integer|integer[], shape?: lun.Shape, norm?: string }
---@return lun.Array
function lun.ifftn(a, options) end

---the inverse of fftshift: rolled by -(n//2)
---`a:ifftshift([{axes=}])`
---@param a lun.Operand
---@param options? { axes?: integer|integer[] }
---@return lun.Array
function lun.ifftshift(a, options) end

---the inverse of hfft: the first n//2 + 1 numbers
---`a:ihfft([{n=, axis=-1, norm="backward"}])`
---@param a lun.Operand
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function lun.ihfft(a, options) end

---a table of an integer dtype: bits, min, max; the max of u64 is the float 2^64 - 1 rounds to
---`lun.iinfo(dtype)`
---@param dtype lun.dtype
---@return table
function lun.iinfo(dtype) end

---the imaginary parts, as a:imag()
---`lun.imag(a)`
---@param a lun.Array
---@return lun.Array
function lun.imag(a) end

---draws [height][width] in grey, [height][width][3] in colour; with file="h.svg" or "h.png" a heat map;
---opts: low, high, colours="viridis" (in files), "grey" or "blue-red", bar=true (the scale), title,
---xlabel, ylabel, width, height, colour=false, "16", "256" or "true", string=true
---`lun.image(A [, high] [, opts])`
---@param A lun.Array
---@param high? any
---@param opts? table
---@return any
function lun.image(A, high, opts) end

---1 to n; virtual
---`lun.index(n)`
---@param n integer
---@return lun.Array
function lun.index(n) end

---the positions of the true elements, as mask:indices()
---`lun.indices(mask)`
---@param mask lun.Array
---@return lun.Array
function lun.indices(mask) end

---versions, backends, devices, ranks, the kernel cache and libraries of the system, as text
---`lun.info()`
---@return string
function lun.info() end

---sums of products along the last axes of both; of Vectors a number
---`a:inner(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.inner(a, b) end

---a value with x before the elements at i, an index or several up to one past the end; x is cast to a's dtype;
---without an axis in row-major order
---`a:insert(i, x [, {axis=}])`
---@param a lun.Operand
---@param i integer
---@param x lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.insert(a, i, x, options) end

---at each element of a the line through the points (x, y), x ascending; before and after them left and right, by
---default the first and the last y; y may be complex
---`a:interp(x, y [, {left=, right=}])`
---@param a lun.Operand
---@param x lun.Operand
---@param y lun.Operand
---@param options? { left?: any, right?: any }
---@return lun.Array
function lun.interp(a, x, y, options) end

---each missing one or NaN between two numbers replaced by the line between them; at the ends they stay; dates are
---rounded down
---`a:interpolate([{axis=1}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.interpolate(a, options) end

---the different values that are in both, sorted
---`a:intersect(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.intersect(a, b) end

---the inverse: A:solve of the identity
---`A:inv()`
---@param a lun.Operand
---@return lun.Array
function lun.inv(a) end

---a to the whole power k, exact, in the integers' dtype, which wraps; k: integers, not negative (^ gives floats)
---`a:ipow(k)`
---@param a lun.Operand
---@param k integer
---@return lun.Array
function lun.ipow(a, k) end

---the inverse of rfft: n real numbers of the m first elements of a transform
---`a:irfft([{n=2*(m-1), axis=-1, norm="backward"}])`
---@param a lun.Operand
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function lun.irfft(a, options) end

---the inverse of rfftn: real; the last length is 2 (m - 1) if not given
---`a:irfftn([{axes=, shape=, norm="backward"}])`
---@param a lun.Operand
---@param options? { axes?: integer|integer[], shape?: lun.Shape, norm?: string }
---@return lun.Array
function lun.irfftn(a, options) end

---whether x is an array
---`lun.isarray(x)`
---@param x lun.Operand
---@return boolean
function lun.isarray(x) end

---where |a - b| is at most atol + rtol * |b|, or both are the same infinity; equal_nan: or both are NaN
---`a:isclose(b [, {rtol=1e-5, atol=1e-8, equal_nan=false}])`
---@param a lun.Operand
---@param b lun.Operand
---@param options? { rtol?: number, atol?: number, equal_nan?: boolean }
---@return lun.Array
function lun.isclose(a, b, options) end

---whether x is a complex number or an array of them
---`lun.iscomplex(x)`
---@param x lun.Operand
---@return lun.Array
function lun.iscomplex(x) end

---true for neither NaN nor infinity
---`a:isfinite()`
---@param a lun.Operand
---@return lun.Array
function lun.isfinite(a) end

---where elements are among those of a list or an array; NaN is in none, missing ones where one is there
---`a:isin(list)`
---@param a lun.Operand
---@param list table
---@return lun.Array
function lun.isin(a, list) end

---true for an infinity
---`a:isinf()`
---@param a lun.Operand
---@return lun.Array
function lun.isinf(a) end

---where elements are missing, as a:ismissing()
---`lun.ismissing(a)`
---@param a lun.Array
---@return lun.Array
function lun.ismissing(a) end

---where elements are missing, or NaN
---`a:isna()`
---@param a lun.Operand
---@return lun.Array
function lun.isna(a) end

---true for NaN
---`a:isnan()`
---@param a lun.Operand
---@return lun.Array
function lun.isnan(a) end

---the bytes of one element, or record
---`a:itemsize()`
---@param a lun.Operand
---@return lun.Array
function lun.itemsize(a) end

---i, j: the rows of a and b whose keys are equal, each with each, by a's rows, then b's; a and b: Vectors,
---lists of texts, or lists of such columns; how: "inner", or "left": j is 0 where b has none, so that
---b.price:take(j, {missing = 0/0}) fits; missing keys match nothing, with na="match" each other
---`lun.join(a, b [, how [, {na="match"}]])`
---@param a lun.Array
---@param b lun.Operand
---@param how? string
---@param options? { na?: string }
---@return lun.Array
function lun.join(a, b, how, options) end

---f(x), and its derivative at x along v
---`lun.jvp(f, x, v)`
---@param f lun.Function
---@param x lun.Operand
---@param v lun.Operand
---@return lun.Array
function lun.jvp(f, x, v) end

---the Kaiser window of that shape: 0 is a rectangle, 6 like hanning
---`lun.kaiser(n, beta)`
---@param n integer
---@param beta number
---@return lun.Array
function lun.kaiser(n, beta) end

---each element of a times all of b, as blocks (Kronecker's product)
---`a:kron(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.kron(a, b) end

---the fourth moment over the square of the second, less 3, biased
---`a:kurtosis([{axis=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.kurtosis(a, options) end

---logical and
---`a:land(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.land(a, b) end

---the least common multiple of integers, not negative, which wraps; beside 0 it is 0
---`a:lcm(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.lcm(a, b) end

---a * 2^k, rounded once; k: integers
---`a:ldexp(k)`
---@param a lun.Operand
---@param k integer
---@return lun.Array
function lun.ldexp(a, k) end

---less than or equal
---`a:le(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.le(a, b) end

---n numbers from a to b, evenly spaced; without the endpoint the first n of n + 1; virtual
---`lun.linspace(from, to, n [, {endpoint=true}])`
---@param from any
---@param to any
---@param n integer
---@param options? { endpoint?: boolean }
---@return lun.Array
function lun.linspace(from, to, n, options) end

---logical not
---`a:lnot()`
---@param a lun.Operand
---@return lun.Array
function lun.lnot(a) end

---an array from a .npy, .png, .pgm or .ppm file, or of bytes with {dtype=}; a table of arrays from .npz,
---of columns from .json or .jsonl (docs/json.md) and .csv, .tsv or .txt, also .gz, with the options
---columns sep header names skip comment dtypes na nrows decimal thousands quote escape ragged trim
---infer dates encoding source format: docs/files.md; several by a list or a pattern, "2013-*.csv",
---are one table; of .db (SQLite) table columns where nrows sql parameters dates dtypes, of .arrow
---.feather .arrows columns nrows source blobs decimals nanoseconds format, of .parquet (DuckDB) these,
---where and dtypes, of .duckdb table columns where nrows sql parameters dtypes blobs decimals
---nanoseconds, of .xlsx sheet range dtypes,
---of .h5 (HDF5) arrays by path, or one with dataset part: docs/doors.md; what a file has without axes
---has none: a:value() is its number
---`lun.load(path [, opts])`
---@param path string
---@param opts? table
---@return any
function lun.load(path, opts) end

---natural logarithm
---`a:log()`
---@param a lun.Operand
---@return lun.Array
function lun.log(a) end

---logarithm to base 10
---`a:log10()`
---@param a lun.Operand
---@return lun.Array
function lun.log10(a) end

---log(1 + a), exact near 0
---`a:log1p()`
---@param a lun.Operand
---@return lun.Array
function lun.log1p(a) end

---logarithm to base 2
---`a:log2()`
---@param a lun.Operand
---@return lun.Array
function lun.log2(a) end

---log(exp(a) + exp(b)) without the overflow of exp
---`a:logaddexp(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.logaddexp(a, b) end

---log(a / (1 - a)), the inverse of expit
---`a:logit()`
---@param a lun.Operand
---@return lun.Array
function lun.logit(a) end

---n numbers from base^a to base^b, whose logarithms are evenly spaced
---`lun.logspace(a, b, n [, {base=10, endpoint=true}])`
---@param a lun.Array
---@param b lun.Operand
---@param n integer
---@param options? { base?: number, endpoint?: boolean }
---@return lun.Array
function lun.logspace(a, b, n, options) end

---logical or
---`a:lor(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.lor(a, b) end

---x with the least |A x - B|, and of these the least |x|, for a Vector or the columns of B; the rank; the sums of
---squares of A x - B, none where the rank is below A's columns or A has no more rows; the singular values.
---rcond: which of these count as 0, as rtol of pinv
---`A:lstsq(B [, {rcond=}])`
---@param a lun.Operand
---@param B lun.Array
---@param options? { rcond?: number }
---@return lun.Array
function lun.lstsq(a, B, options) end

---less than
---`a:lt(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.lt(a, b) end

---P, L, U: A:take(P) is L U, L with ones on its diagonal, P the rows, i64
---`A:lu()`
---@param a lun.Operand
---@return lun.Array
function lun.lu(a) end

---whether one of the two is true, not both
---`a:lxor(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.lxor(a, b) end

---a skeleton: f(x, extra...) on each element; elements=3: f(x, y, z, extra...) on each three of as many arrays, which broadcast; out: the result's dtype; for several results a list
---`lun.map(f [, {elements=1, out=dtype}])`
---@param f lun.Function
---@param options? { elements?: integer, out?: lun.dtype|lun.Array|table }
---@return lun.Array
function lun.map(f, options) end

---accuracy of mathematical functions; returns the one in use
---`lun.math "precise" or "fast"`
---@param text string
---@return string
function lun.math(text) end

---the product of matrices, as A:matmul(B)
---`lun.matmul(A, B)`
---@param A lun.Array
---@param B lun.Array
---@return lun.Array
function lun.matmul(A, B) end

---of matrices: "fro" (the root of the sum of squares), 1 and -1 (the greatest and the least sum of moduli of a
---column), math.huge and -math.huge (of a row), 2 and -2 (the greatest and the least singular value), "nuc"
---(their sum)
---`A:matrix_norm([{ord="fro", keep=false}])`
---@param a lun.Operand
---@param options? { ord?: number|string, keep?: boolean }
---@return lun.Array
function lun.matrix_norm(a, options) end

---A times itself, k factors, by squaring; k < 0: of the inverse
---`A:matrix_power(k)`
---@param a lun.Operand
---@param k integer
---@return lun.Array
function lun.matrix_power(a, k) end

---how many singular values are above rtol times the greatest; by default epsilon times the greater extent; of
---batches rtol may be an array, a number for each matrix
---`A:matrix_rank([{rtol=}])`
---@param a lun.Operand
---@param options? { rtol?: number }
---@return lun.Array
function lun.matrix_rank(a, options) end

---a window with the last two axes exchanged
---`A:matrix_transpose()`
---@param a lun.Operand
---@return lun.Array
function lun.matrix_transpose(a) end

---the largest element; NaN if any is NaN; a:max{axis=2, keep=true, skipnan=true, skipna=false} along axes, but a:max(b) is elementwise, with a number too
---`a:max()`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.max(a, options) end

---the larger one, NaN beside NaN: a:max(b)
---`a:maximum(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.maximum(a, b) end

---the arithmetic mean, a float; a:mean{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:mean([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.mean(a, options) end

---the median of the w elements around each one of a Vector, zeros beyond its ends; w is odd
---`a:medfilt(w)`
---@param a lun.Operand
---@param w lun.Operand
---@return lun.Array
function lun.medfilt(a, w) end

---the median, as a:median()
---`lun.median(a [, {axis=, skipnan=true, skipna=}])`
---@param a lun.Array
---@param options? { axis?: integer|integer[], skipnan?: boolean, skipna?: boolean }
---@return lun.Value
function lun.median(a, options) end

---an array for each Vector, of the coordinates of a grid: windows that repeat them; "xy": x along the second axis,
---y along the first, "ij": each along its own
---`lun.meshgrid(x, y, ... [, {indexing="xy"}])`
---@param x lun.Operand
---@param y lun.Operand
---@param ... any
---@return lun.Array
function lun.meshgrid(x, y, ...) end

---the smallest element; NaN if any is NaN; a:min{axis=2, keep=true, skipnan=true, skipna=false} along axes, but a:min(b) is elementwise, with a number too
---`a:min()`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.min(a, options) end

---x with the least f(x), from the Vector x0 on, f(x), and how many iterations that took; it ends where no
---element of the derivative is beyond tol
---`lun.minimize(f, x0 [, {method="lbfgs", tol=1e-8, maxiter=200}])`
---@param f lun.Function
---@param x0 lun.Array|number[]
---@param options? { method?: string, tol?: number, maxiter?: integer }
---@return lun.Array
function lun.minimize(f, x0, options) end

---the smaller one, NaN beside NaN: a:min(b)
---`a:minimum(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.minimum(a, b) end

---%; remainder of division rounded down: the sign is that of b; integer b == 0 is an error
---`a:mod(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.mod(a, b) end

---the value that occurs most often, of several the least
---`a:mode()`
---@param a lun.Operand
---@return lun.Array
function lun.mode(a) end

---two: the part behind the point and the whole part, both with a's sign, floats
---`a:modf()`
---@param a lun.Operand
---@return lun.Array
function lun.modf(a) end

---the mean of the k-th powers of the deviations from the mean
---`a:moment(k [, {axis=}])`
---@param a lun.Operand
---@param k integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.moment(a, k, options) end

---a window with axis `from` at `to`, the others in their order; lists move several
---`a:moveaxis(from, to)`
---@param a lun.Operand
---@param from any
---@param to any
---@return lun.Array
function lun.moveaxis(a, from, to) end

---*; product
---`a:mul(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.mul(a, b) end

---the product of matrices, in the order that takes the fewest operations
---`lun.multi_dot({A, B, ...})`
---@param list table
---@return lun.Array
function lun.multi_dot(list) end

---n rows of normal numbers with these means and covariances
---`lun.multivariate_normal(mean, cov, n [, {seed=}])`
---@param mean any
---@param cov any
---@param n integer
---@param options? { seed?: integer }
---@return lun.Array
function lun.multivariate_normal(mean, cov, n, options) end

---missing where elements are equal to x, a number or an array that broadcasts, NaN to NaN
---`a:naif(x)`
---@param a lun.Operand
---@param x lun.Operand
---@return lun.Array
function lun.naif(a, x) end

---numbers for NaN and infinities, for these by default the largest and the smallest of the dtype, in complex
---numbers of each part
---`a:nan_to_num([{nan=0, posinf=, neginf=}])`
---@param a lun.Operand
---@param options? { nan?: number, posinf?: number, neginf?: number }
---@return lun.Array
function lun.nan_to_num(a, options) end

---the largest element of the elements that are not NaN: a:max{skipnan=true}
---`a:nanmax([{axis=, keep=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function lun.nanmax(a, options) end

---the mean of the elements that are not NaN: a:mean{skipnan=true}
---`a:nanmean([{axis=, keep=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function lun.nanmean(a, options) end

---the median of the elements that are not NaN: a:median{skipnan=true}
---`a:nanmedian([{axis=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.nanmedian(a, options) end

---the smallest element of the elements that are not NaN: a:min{skipnan=true}
---`a:nanmin([{axis=, keep=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function lun.nanmin(a, options) end

---the standard deviation of the elements that are not NaN: a:std{skipnan=true}
---`a:nanstd([{axis=, keep=, ddof=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], keep?: boolean, ddof?: number }
---@return lun.Array
function lun.nanstd(a, options) end

---the sum of the elements that are not NaN: a:sum{skipnan=true}
---`a:nansum([{axis=, keep=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function lun.nansum(a, options) end

---the bytes of all elements; of texts those of codes, and of values that others may share
---`a:nbytes()`
---@param a lun.Operand
---@return lun.Array
function lun.nbytes(a) end

---not equal, elementwise
---`a:ne(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.ne(a, b) end

----; negation
---`a:neg()`
---@param a lun.Operand
---@return lun.Array
function lun.neg(a) end

---the next float of the dtype after a towards b; b where they are equal
---`a:nextafter(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.nextafter(a, b) end

---a list of Vectors, one for each axis: the indices of the elements that are not 0
---`a:nonzero()`
---@param a lun.Operand
---@return lun.Array
function lun.nonzero(a) end

---the square root of the sum of squares; a:norm{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:norm([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.norm(a, options) end

---element k of lun.random(n, {seed=, dist="normal"}), a number; also in Lua functions
---`lun.normal(seed, k)`
---@param seed any
---@param k integer
---@return lun.Array
function lun.normal(seed, k) end

---where elements are neither missing nor NaN
---`a:notna()`
---@param a lun.Operand
---@return lun.Array
function lun.notna(a) end

---how many different values there are, missing ones left out; all NaN are one
---`a:nunique()`
---@param a lun.Operand
---@return lun.Array
function lun.nunique(a) end

---a view whose indices begin elsewhere, {first, ...}, a number for each axis: negative ones are plain indices
---there and no ends; o:first(), o:last() and o:array(), with indices from 1; what is computed element
---by element has its indices, too
---`a:offset(firsts)`
---@param a lun.Operand
---@param firsts any
---@return lun.Array
function lun.offset(a, firsts) end

---ones; shape is n, {n1, n2, ...} or n1, n2, ...; dtype f64 by default; options as in lun.vector
---`lun.ones(shape [, dtype [, opts]])`
---@param shape lun.Shape
---@param dtype? lun.dtype
---@param opts? table
---@return lun.Array
function lun.ones(shape, dtype, opts) end

---ones in a's shape and dtype, or in that dtype
---`a:ones_like([dtype])`
---@param a lun.Operand
---@param dtype? lun.dtype
---@return lun.Array
function lun.ones_like(a, dtype) end

---an array whose elements stay in a .npy file, or in a raw file with {dtype=, shape=, offset=}, of any size:
---read chunk by chunk where they are used; a write copies them into memory, never into the file;
---or the table in .csv, .tsv or .txt files, also .gz, whose rows go through its verbs part by part:
---docs/streams.md; or a SQLite database: db:sql(text [, tables [, parameters]]), db:tables(), db:close
---or one of DuckDB's, which has db:save(name, t) too; or the table of .parquet files, as of csv,
---with columns where nrows source dtypes; or the table of an .arrow or .feather file, each of whose
---columns is read when it is first used; or
---an HDF5 file: f["run1/density"], f:read(path [, {part=}]), f:list(), f:names(): docs/doors.md
---`lun.open(path [, opts])`
---@param path string
---@param opts? table
---@return any
function lun.open(path, opts) end

---the products of each element of a with each of b, as a matrix
---`a:outer(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.outer(a, b) end

---a library of the system does an algorithm, with bits of its own: "matmul" "blas", products of f32 and f64;
---"fft" "fftw", transforms in f64; "linalg" "lapack", factors of real matrices; nil or "own":
---the engine again; returns what does it, and the library's name and file: docs/doors.md
---`lun.override([algorithm [, library]])`
---@param algorithm? any
---@param library? any
---@return any
function lun.override(algorithm, library) end

---a map, zip, reduce or scan by a Lua function as a string, with what the function captures: lun.unpack of
---it, or lun_unpack in C, computes the same bits in a process without the script; dtypes: of the arrays
---`lun.pack(skeleton [, {dtypes={"f64"}}])`
---@param skeleton any
---@param options? { dtypes?: any }
---@return lun.Array
function lun.pack(skeleton, options) end

---eight elements of a mask in a byte, in flat order, the first one in its highest bit, with little in its
---lowest: a u8 Vector of an eighth of the elements; what is not 0 is true, bits behind the last element 0
---`m:packbits([{bitorder="big"}])`
---@param a lun.Operand
---@param options? { bitorder?: string }
---@return lun.Array
function lun.packbits(a, options) end

---a / a[i - k] - 1, with k missing ones first
---`a:pct_change([k=1] [, {axis=1}])`
---@param a lun.Operand
---@param k? integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.pct_change(a, k, options) end

---the quantile of p percent: a:quantile(p / 100); p: a number or a list
---`a:percentile(p [, {axis=, skipnan=true}])`
---@param a lun.Operand
---@param p lun.Operand
---@param options? { axis?: integer|integer[], skipnan?: boolean }
---@return lun.Array
function lun.percentile(a, p, options) end

---1 to n in a random order, or the elements of a list, or of an array along its first axis
---`lun.permutation(n_or_a [, {seed=}])`
---@param n_or_a any
---@param options? { seed?: integer }
---@return lun.Array
function lun.permutation(n_or_a, options) end

---the pseudoinverse of Moore and Penrose; singular values not above rtol times the greatest count as 0, by default
---epsilon times the greater extent; rtol as of matrix_rank
---`A:pinv([{rtol=}])`
---@param a lun.Operand
---@param options? { rtol?: number }
---@return lun.Array
function lun.pinv(a, options) end

---draws in the terminal; y: an array, or a table of them, one series each; x: an array, dates, or a list of
---dates such as "2012-01-31" or "2012-01-31 06:30"; of a table of columns all numbers, or
---{x="date", y={"low", "high"}};
---opts: by="city" or an array of texts, bools or integers (a series for each of the 8 most frequent
---values and one for the others); xlog=true, ylog=true (logarithmic axes), xdate=true (x is days since
---1970-01-01), step=true (stairs), points=true; title, xlabel, ylabel, names, xlim={low, high}, ylim=,
---width=, height=, colour=, string=true (returns the text), file="p.svg" or "p.png" (draws into a file,
---in pixels), graphics="kitty" or "sixel" (pixels in the terminal; so have hist, bars, box and image)
---`lun.plot([x,] y [, opts])`
---@param x lun.Operand
---@param y lun.Operand
---@param opts? table
---@return any
function lun.plot(x, y, opts) end

---complex numbers of modulus r and angle phi, in radians
---`lun.polar(r, phi)`
---@param r lun.Operand
---@param phi any
---@return lun.Array
function lun.polar(r, phi) end

---the coefficients of the polynomial with these roots
---`r:poly()`
---@param a lun.Operand
---@return lun.Array
function lun.poly(a) end

---the coefficients of the sum
---`c:polyadd(d)`
---@param a lun.Operand
---@param d lun.Operand
---@return lun.Array
function lun.polyadd(a, d) end

---the coefficients of the m-th derivative
---`c:polyder([m=1])`
---@param a lun.Operand
---@param m? integer
---@return lun.Array
function lun.polyder(a, m) end

---two: the coefficients of the quotient and of the rest, floats; the first of d is not 0
---`c:polydiv(d)`
---@param a lun.Operand
---@param d lun.Operand
---@return lun.Array
function lun.polydiv(a, d) end

---the coefficients of the polynomial of degree k that is nearest to the points (x, y), in the least sum of squares:
---orthogonal columns of the scaled Vandermonde matrix, made orthogonal twice
---`x:polyfit(y, k)`
---@param a lun.Operand
---@param y lun.Operand
---@param k integer
---@return lun.Array
function lun.polyfit(a, y, k) end

---the coefficients of the m-th integral that is 0 at 0, floats
---`c:polyint([m=1])`
---@param a lun.Operand
---@param m? integer
---@return lun.Array
function lun.polyint(a, m) end

---the coefficients of the product
---`c:polymul(d)`
---@param a lun.Operand
---@param d lun.Operand
---@return lun.Array
function lun.polymul(a, d) end

---the polynomial at x, an array or a number, by Horner's rule; coefficients highest power first
---`c:polyval(x)`
---@param a lun.Operand
---@param x lun.Operand
---@return lun.Array
function lun.polyval(a, x) end

---how many bits of each integer are set
---`a:popcount()`
---@param a lun.Operand
---@return lun.Array
function lun.popcount(a) end

---^; power, always a float
---`a:pow(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.pow(a, b) end

---the number of significant digits printed, 6 by default; returns the number in use; nil restores the default
---`lun.precision([n])`
---@param n? integer
---@return number
function lun.precision(n) end

---compiles the kernels that lun.eval of them would run, without running them
---`lun.prepare(e1, e2, ...)`
---@param e1 any
---@param e2 any
---@param ... any
---@return boolean?
function lun.prepare(e1, e2, ...) end

---the product; of integers i64 or u64, wrapping; a:prod{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:prod([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.prod(a, options) end

---calls f() and prints the cost of each kernel, matrix product and algorithm (sort, group ...) that it runs,
---and of tasks, copies and expressions of queues, as far as it waits for them; returns the rows and the
---results of f
---`lun.profile(f)`
---@param f lun.Function
---@return table
function lun.profile(f) end

---the largest element less the smallest
---`a:ptp([{axis=, keep=true}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function lun.ptp(a, options) end

---writes x to the elements at i along the axis; of equal indices the last one wins; returns a
---`a:put_along_axis(i, x [, {axis=-1}])`
---@param a lun.Operand
---@param i integer
---@param x lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.put_along_axis(a, i, x, options) end

---the number, 1 to n, of the part that each element is in if all in their order are cut into n of one size, at quantiles;
---missing of missing ones and NaN; labels: n texts instead
---`a:qcut(n [, {labels=}])`
---@param a lun.Operand
---@param n integer
---@param options? { labels?: any }
---@return lun.Array
function lun.qcut(a, n, options) end

---Q, R: A is Q R, Q with orthonormal columns, R upper triangular with a real diagonal >= 0; of m x n
---matrices Q has as many columns as the lesser of m and n, with mode "complete" m; mode "r": R alone
---`A:qr([{mode="reduced"}])`
---@param a lun.Operand
---@param options? { mode?: string }
---@return lun.Array
function lun.qr(a, options) end

---quantiles, as a:quantile(q)
---`lun.quantile(a, q [, {axis=, skipnan=true, skipna=}])`
---@param a lun.Array
---@param q lun.Operand
---@param options? { axis?: integer|integer[], skipnan?: boolean, skipna?: boolean }
---@return lun.Value
function lun.quantile(a, q, options) end

---a queue of a backend or device, by its name or row of lun.devices(): does what it is given in order, at
---once or, async, while the script goes on, beside others.  q:enqueue(task); q:enqueue(e) evaluates
---an array or records there; q:record() gives an event: ev:done(), ev:wait(); q:wait() waits until all
---is done and raises the first failure, behind which nothing was done; q:wait(ev): the queue waits for
---the event of another; q:idle(): all is done.  local q <close> waits at the end of the block
---`lun.queue(device [, {async=true}])`
---@param device string
---@param options? { async?: boolean }
---@return lun.Queue
function lun.queue(device, options) end

---radians as degrees
---`a:rad2deg()`
---@param a lun.Operand
---@return lun.Array
function lun.rad2deg(a) end

---random numbers, the same for the same seed; virtual.  dist, and its numbers or arrays, which broadcast:
---"uniform" (low=0, high=1), "normal" (mean=0, std=1), "integers" (low, high, both included),
---"bernoulli" (p=0.5), "exponential" (scale=1), "geometric" (p), "gamma" (shape, scale=1),
---"beta" (a, b), "chisquare" (df), "student" (df), "poisson" (rate), "binomial" (n, p)
---`lun.random(shape [, {seed=, dist=, dtype=, layout=, label=, readonly=true, ...}])`
---@param shape lun.Shape
---@param options? table
---@return lun.Array
function lun.random(shape, options) end

---a + i * step up to b, i from 0; of fractions Lua's for loop, which adds up, may end one earlier; virtual
---`lun.range(a, b [, step])`
---@param a lun.Array
---@param b lun.Operand
---@param step? any
---@return lun.Array
function lun.range(a, b, step) end

---the place of each element of a Vector in their order, f64; of equal ones the mean of their places, "average",
---the least, "min", the greatest, "max", one after the other, "first", or without gaps, "dense"; NaN is last;
---what is missing has none
---`a:rank([{method="average", descending=true}])`
---@param a lun.Operand
---@param options? { method?: string, descending?: boolean }
---@return lun.Array
function lun.rank(a, options) end

---the real parts, as a:real()
---`lun.real(a)`
---@param a lun.Array
---@return lun.Array
function lun.real(a) end

---1 / a, a float
---`a:reciprocal()`
---@param a lun.Operand
---@return lun.Array
function lun.reciprocal(a) end

---a skeleton: all elements combined by an associative f(x, y, extra...), in order: a lazy Scalar; along axes an array; elements=2: a list of first values, f(x1, y1, x2, y2, extra...) gives two results, which x1, y1 or x2, y2 of other calls are: two Scalars of two arrays, along axes two arrays
---`lun.reduce(f, id [, {elements=1, axis=2, keep=true}])`
---@param f lun.Function
---@param id lun.Operand
---@param options? { elements?: integer, axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function lun.reduce(f, id, options) end

---runs from offsets on reduced, as a:reduceat(offsets, f)
---`lun.reduceat(a, offsets, f [, id])`
---@param a lun.Array
---@param offsets lun.Array
---@param f lun.Function
---@param id? lun.Operand
---@return lun.Array
function lun.reduceat(a, offsets, f, id) end

---as a:reduceby(k, f, id)
---`lun.reduceby(a, k, f, id)`
---@param a lun.Array
---@param k integer
---@param f lun.Function
---@param id lun.Operand
---@return lun.Array
function lun.reduceby(a, k, f, id) end

---f(...), as a part of the script that tools and traces show by that name; regions nest
---`lun.region(name, f, ...)`
---@param name string
---@param f lun.Function
---@param ... any
---@return any
function lun.region(name, f, ...) end

---a:spread: each element, or slice along the axis, as often as counts says, one number for each or a single number
---`a:repeat_(counts [, {axis=1}])`
---@param a lun.Operand
---@param counts lun.Array|table|integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.repeat_(a, counts, options) end

---the dtype that arrays, numbers and names of dtypes have in common, as lun.where gives it
---`lun.result_type(x, ...)`
---@param x lun.Operand
---@param ... any
---@return lun.Array
function lun.result_type(x, ...) end

---the first n//2 + 1 elements of the transform of real numbers, which determine the others
---`a:rfft([{n=, axis=-1, norm="backward"}])`
---@param a lun.Operand
---@param options? { n?: integer, axis?: integer|integer[], norm?: string }
---@return lun.Array
function lun.rfft(a, options) end

---f64: those of rfft, 0, 1, ..., n//2 over n d
---`lun.rfftfreq(n [, d=1])`
---@param n integer
---@param d? lun.Operand
---@return lun.Array
function lun.rfftfreq(n, d) end

---rfft along the last of the axes, then fft along the others
---`a:rfftn([{axes=, shape=, norm="backward"}])`
---@param a lun.Operand
---@param options? { axes?: integer|integer[], shape?: lun.Shape, norm?: string }
---@return lun.Array
function lun.rfftn(a, options) end

---the nearest whole number, halves to the even one; the dtype is kept
---`a:rint()`
---@param a lun.Operand
---@return lun.Array
function lun.rint(a) end

---a value: the elements moved by k, the last ones to the beginning; without an axis in row-major order; k and axis
---may be lists
---`a:roll(k [, {axis=}])`
---@param a lun.Operand
---@param k integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.roll(a, k, options) end

---of each element of a Vector f of the w elements up to it, or, with center, around it: "count" "sum" "prod" "mean" "min"
---"max" "first" "last" "any" "all" "var" "std" "median" "quantile" with q, "nunique" "argmin" "argmax", and of another
---Vector b "corr" "cov" "wmean"; missing where there are fewer than min of them, not missing
---`a:rolling(w, f [, b] [, {min=w, center=true, ddof=0, q=, skipnan=true}])`
---@param a lun.Operand
---@param w lun.Operand
---@param f lun.Function
---@param b? lun.Operand
---@param options? { min?: any, center?: boolean, ddof?: number, q?: number, skipnan?: boolean }
---@return lun.Array
function lun.rolling(a, w, f, b, options) end

---the roots of the polynomial, complex, ascending by real, then imaginary part: the eigenvalues of its companion
---`c:roots()`
---@param a lun.Operand
---@return lun.Array
function lun.roots(a) end

---a window: the first two axes turned by k right angles, from the first to the second
---`A:rot90([k=1])`
---@param a lun.Operand
---@param k? integer
---@return lun.Array
function lun.rot90(a, k) end

---rounded to the nearest integer, halves away from zero
---`a:round()`
---@param a lun.Operand
---@return lun.Array
function lun.round(a) end

---a new table with some rows, selected by a bool Vector or by integers in any order, repeated or not, negative
---ones counting from the end; row 0 is a missing one, an error in columns of records; also
---as t:rows(which), or t:rows(i, j)
---`lun.rows(t, which)`
---@param t table
---@param which any
---@return lun.Table
function lun.rows(t, which) end

---how many rows of a table are printed at most, 11 by default, of a longer one half of them at each end;
---math.huge: all; returns the number in use; nil restores the default
---`lun.rows_shown([n])`
---@param n? integer
---@return number
function lun.rows_shown(n) end

---rows of unequal length over a Vector: offsets has where each begins, as in reduceat; r:sum() prod mean
---min max any all count argmin argmax norm var std median first last of each row, with the bits of the
---row alone; r:sort() argsort cumsum rank unique, r:topk(k), r:scan(f, id), r:reduce(f, id), r:map(f)
---with f(x, k, row); r:row(k), #r, r:lengths() offsets values dtype; r:apply(f); operators and
---operations beside numbers, other runs and Vectors with an element for each row: r - r:mean()
---`lun.runs(a, offsets), lun.runs(a, {lengths=})`
---@overload fun(a: lun.Array, options: { lengths?: any }): lun.Array
---@param a lun.Array
---@param offsets lun.Array
---@return lun.Array
function lun.runs(a, offsets) end

---shift right by k that keeps the sign, as of two's complement; a negative count shifts left
---`a:sar(k)`
---@param a lun.Operand
---@param k integer
---@return lun.Array
function lun.sar(a, k) end

---writes a file, by extension: .npy .png .pgm .ppm, raw bytes; of a table of columns .json .jsonl .csv
---.tsv, also .gz, with columns form sep header na quote decimal float dates append: docs/files.md,
---docs/json.md; .db (SQLite) and .duckdb with table append; .arrow .feather .arrows with columns
---compression text; .parquet with columns compression rows:
---docs/doors.md; of arrays by path .h5 (HDF5) with dataset compression; of arrays or records .npz,
---which {compress=true} compresses
---`lun.save(path, a [, opts])`
---@param path string
---@param a lun.Array
---@param opts? table
---@return boolean?
function lun.save(path, a, opts) end

---each element of a Vector replaced by the polynomial of that degree fitted to `width` elements around it, of those at
---the ends to the first and last ones; width is odd
---`a:savgol(width, order)`
---@param a lun.Operand
---@param width any
---@param order integer
---@return lun.Array
function lun.savgol(a, width, order) end

---a skeleton: running combinations by an associative f(x, y, extra...), in order, or along an axis; inclusive=false is the default here, each without its own element, and true that of g:scan and scanby; elements as in reduce: linear recurrences, extremes with their places
---`lun.scan(f, id [, {elements=1, axis=2, inclusive=true}])`
---@param f lun.Function
---@param id lun.Operand
---@param options? { elements?: integer, axis?: integer|integer[], inclusive?: boolean }
---@return lun.Array
function lun.scan(f, id, options) end

---as a:scanby(k, f, id): inclusive by default
---`lun.scanby(a, k, f, id [, {inclusive=false}])`
---@param a lun.Array
---@param k integer
---@param f lun.Function
---@param id lun.Operand
---@param options? { inclusive?: boolean }
---@return lun.Array
function lun.scanby(a, k, f, id, options) end

---places in a sorted Vector, as s:searchsorted(x)
---`lun.searchsorted(s, x [, {side="right"}])`
---@param s lun.Array
---@param x lun.Operand
---@param options? { side?: string }
---@return lun.Array
function lun.searchsorted(s, x, options) end

---a skeleton that applies one after the other, as s1 >> s2 does
---`lun.sequence(s1, s2, ...)`
---@param s1 any
---@param s2 any
---@param ... any
---@return lun.Skeleton
function lun.sequence(s1, s2, ...) end

---the different values of a that are not in b, sorted
---`a:setdiff(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.setdiff(a, b) end

---the different values that are in one of the two, sorted
---`a:setxor(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.setxor(a, b) end

---<<; logical shift left; a negative count shifts right
---`a:shl(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.shl(a, b) end

--->>; logical shift right; a negative count shifts left
---`a:shr(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.shr(a, b) end

---exchanges the elements along the first axis, in place; gives the array
---`a:shuffle([{seed=}])`
---@param a lun.Operand
---@param options? { seed?: integer }
---@return lun.Array
function lun.shuffle(a, options) end

----1, 0 or 1; NaN stays NaN
---`a:sign()`
---@param a lun.Operand
---@return lun.Array
function lun.sign(a) end

---whether the sign is set: negative numbers, -0.0
---`a:signbit()`
---@param a lun.Operand
---@return lun.Array
function lun.signbit(a) end

---sine, a in radians
---`a:sin()`
---@param a lun.Operand
---@return lun.Array
function lun.sin(a) end

---sin(pi * a) / (pi * a), 1 at 0
---`a:sinc()`
---@param a lun.Operand
---@return lun.Array
function lun.sinc(a) end

---hyperbolic sine
---`a:sinh()`
---@param a lun.Operand
---@return lun.Array
function lun.sinh(a) end

---sin(pi * a), exact where a is a multiple of 1/2
---`a:sinpi()`
---@param a lun.Operand
---@return lun.Array
function lun.sinpi(a) end

---the third moment over the second to the power 3/2, biased
---`a:skew([{axis=}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.skew(a, options) end

---the sign of the determinant and the logarithm of its modulus; of a singular matrix 0, -inf
---`A:slogdet()`
---@param a lun.Operand
---@return lun.Array
function lun.slogdet(a) end

---log(1 + exp(a)) without the overflow of exp
---`a:softplus()`
---@param a lun.Operand
---@return lun.Array
function lun.softplus(a) end

---x with A x = B, a Vector or matrix; axes before the last two are batches, which broadcast
---`A:solve(B)`
---@param a lun.Operand
---@param B lun.Array
---@return lun.Array
function lun.solve(a, B) end

---x with A x = B of a triangular matrix, whose other triangle is not read
---`A:solve_triangular(B [, {upper=false, unit=false, transpose=false, adjoint=false}])`
---@param a lun.Operand
---@param B lun.Array
---@param options? { upper?: boolean, unit?: boolean, transpose?: boolean, adjoint?: boolean }
---@return lun.Array
function lun.solve_triangular(a, B, options) end

---the elements in order, as a:sort()
---`lun.sort(a [, {axis=, descending=true, missing=}])`
---@param a lun.Array
---@param options? { axis?: integer|integer[], descending?: boolean, missing?: any }
---@return lun.Array
function lun.sort(a, options) end

---a list of windows: n of equal extent, or those that begin at 1 and at each index of a list; lun.split(seed, i):
---the i-th seed that is made of a seed, an i64; i may be an array
---`a:split(n [, {axis=1}])`
---@param a lun.Operand
---@param n integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.split(a, n, options) end

---elements repeated, as a:spread(counts)
---`lun.spread(a, counts [, {axis=1}])`
---@param a lun.Array
---@param counts lun.Array|table|integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.spread(a, counts, options) end

---the table of the rows of a statement that DuckDB runs over tables by name and files, or true and how many
---rows it changed; parameters for ? $1 $name; opts: files=false for texts of strangers, stream, blobs,
---decimals, nanoseconds; lun.sql.config{threads=, memory=, temp=}; docs/doors.md
---`lun.sql(text [, tables [, parameters [, opts]]])`
---@overload fun(text: string, tables?: any, parameters?: any, opts?: table): lun.Table
lun.sql = {}

---square root
---`a:sqrt()`
---@param a lun.Operand
---@return lun.Array
function lun.sqrt(a) end

---a * a
---`a:square()`
---@param a lun.Operand
---@return lun.Array
function lun.square(a) end

---a window without these axes, whose extents are 1, by default all such
---`a:squeeze([axes])`
---@param a lun.Operand
---@param axes? integer|integer[]
---@return lun.Array
function lun.squeeze(a, axes) end

---stacks arrays of one shape along a new axis
---`lun.stack(list [, axis=1])`
---@param list table
---@param axis? integer
---@return lun.Array
function lun.stack(list, axis) end

---counters: compilations, launches, bytes, kernels held
---`lun.stats() or lun.stats "reset"`
---@overload fun(text: string): table
---@return table
function lun.stats() end

---the square root of the variance; a:std{axis=2, keep=true, skipnan=true, skipna=false, ddof=1} along axes
---`a:std([ddof])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.std(a, options) end

---a skeleton: f(x, extra...) on the elements around each one, x(-1, 0), in C get(x, -1, 0), is the one above; edge: what stands beyond the ends, "wrap", "nearest", a number or "keep": elements that would need it stay; a list: by axis; radius: how far f may look; elements and out as in map
---`lun.stencil(f [, {elements=1, edge=0, radius=1, out=dtype}])`
---@param f lun.Function
---@param options? { elements?: integer, edge?: any, radius?: integer, out?: lun.dtype|lun.Array|table }
---@return lun.Array
function lun.stencil(f, options) end

---elements that come in chunks: f is a function that gives the next one (a Vector, a list, a number or
---bytes; nil at the end), a coroutine that yields them, an open file or pipe, a socket, or the path of
---a file, fifo or device of bare elements; follow: seconds (true: for ever) to wait for a growing file.
---It has map filter reduce histogram sum prod mean var std min max count any all head parts eval write,
---operators with numbers and what is computed element by element; one pass, constant memory
---`lun.stream(f, {dtype=, follow=})`
---@param f lun.Function
---@param options { dtype?: lun.dtype, follow?: any }
---@return any
function lun.stream(f, options) end

---a struct, the dtype of records: lun.zeros(n, P), lun.vector({{x=1, y=2}}, P), lun.full(n, {x=1, y=2}, P);
---lun.struct("./types.h", "Pixel") reads one from a C header; a field may be a struct, {"pos", Q}, or an array, {"v", "f32", 3} or {"m", "f32", {2, 3}};
---layout: "aos" (adjacent fields, as in C) or "soa" (an array for each field); P(x, y) is a record
---`lun.struct(name, {{field, dtype}, ...} [, {layout="soa"}])`
---@param name string
---@param list table
---@param options? { layout?: string|integer[] }
---@return table
function lun.struct(name, list, options) end

---a window on elements i to j, or rows; with tables, on that part of each axis, {} being all of it; by rules
---of string.sub; writing to it writes to a
---`a:sub(i, j [, step]), A:sub({i, j [, step]}, ...)`
---@overload fun(a: lun.Operand, list: table, ...: any): lun.Array
---@param a lun.Operand
---@param i integer
---@param j integer
---@param step? any
---@return lun.Array
function lun.sub(a, i, j, step) end

---the sum; of integers i64 or u64, wrapping; a:sum{axis=2, keep=true, skipnan=true, skipna=false} along axes
---`a:sum([axis])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.sum(a, options) end

---U, S, Vh: A is U times the singular values S, which descend, times Vh; of m x n matrices U has as many columns,
---and Vh as many rows, as the lesser of m and n; full: m columns, n rows. In each row of Vh the element of
---the greatest modulus is real and positive
---`A:svd([{full=false}])`
---@param a lun.Operand
---@param options? { full?: boolean }
---@return lun.Array
function lun.svd(a, options) end

---the singular values, which descend
---`A:svdvals()`
---@param a lun.Operand
---@return lun.Array
function lun.svdvals(a) end

---a window with two axes exchanged
---`a:swapaxes(i, j)`
---@param a lun.Operand
---@param i integer
---@param j integer
---@return lun.Array
function lun.swapaxes(a, i, j) end

---turns t, whose Vectors, records and lists have one length, or a list of rows, {{a = 1, b = "x"}}, into a
---table of columns as lun.load gives, records printed as a column for each field; names: the order of
---the columns, others come last; returns t. t.a is a column, t[i] a row, #t the number of rows,
---t:names(), t:dtypes(), t:has(name), t:iter(), t:parts(rows), t:copy(), t:totable("rows"|"columns");
---verbs, which give new tables: head tail sample rows filter sort unique dropna select drop rename with
---fillna describe info apply group agg value_counts join pivot melt explode corr resample rolling, and
---t .. u: docs/tables.md
---`lun.table(t [, names])`
---@param t table
---@param names? string|string[]
---@return lun.Table
function lun.table(t, names) end

---the elements at indices, as a:take(indices)
---`lun.take(a, indices [, {axis=, missing=}])`
---@param a lun.Array
---@param indices lun.Array|table|integer
---@param options? { axis?: integer|integer[], missing?: any }
---@return lun.Array
function lun.take(a, indices, options) end

---the elements at i along the axis, as argsort gives them: i has a's rank, the other axes broadcast
---`a:take_along_axis(i [, {axis=-1}])`
---@param a lun.Operand
---@param i integer
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.take_along_axis(a, i, options) end

---tangent, a in radians
---`a:tan()`
---@param a lun.Operand
---@return lun.Array
function lun.tan(a) end

---hyperbolic tangent
---`a:tanh()`
---@param a lun.Operand
---@return lun.Array
function lun.tanh(a) end

---f(t, args...), or C text, for each thread of the teams, as in lun.teams, for queues: arguments are
---buffers of the queue's device, of records too, numbers and records; numbers that f captures are those
---of now, arrays cannot be captured
---`lun.task(workdiv, f, args...)`
---@param workdiv any
---@param f lun.Function
---@param ... any
---@return function
function lun.task(workdiv, f, ...) end

---calls f(t, args...) for each thread of each team, now, in any order, as one kernel; f reads and assigns
---elements of arrays of any rank, and records, as it goes, A[i][j] = x, args or captured ones, each
---handed over once.
---Extents are numbers or {x, y, ...}; t:block([d]) t:blocks([d]) t:thread([d]) t:threads([d])
---t:elements([d]): position from 1, and extent, in dimension d, or in all; t:index([d]): the thread's
---first element; t:scratch(dtype, n, ...), t:private(dtype, n, ...): memory of the team, of the thread,
---zero at first, n of t:scratch a constant, or an argument, captured number or length, the same kernel
---for all; t:barrier(): all threads of the team arrive, what was written before is seen after;
---t:each(n, g [, "nobarrier"]): g(i), i = 1 to n, shared out among the threads, then a barrier;
---t:vector(n, g): the same on one thread; t:single(g): once for the team, then a barrier;
---t:broadcast(x, thread): that thread's x for all; t:reduce(op, x): over the threads, in order;
---t:scan(op, x [, id]): what those before come to, and all; t:reduce(op, n, g [, id]): over g(1) to
---g(n), with the bits of a whole reduction.  op: '+', '*', 'min', 'max', '&', '|', '~' or a
---function, which needs id.  All threads come to these together.  scratch: bytes that a team may take;
---check=true, on reference: an error where a thread writes what another one uses without a barrier.
---mapping="threads", on openmp: a team's threads run on several of the host's, one team at a time.
---f as C text: void f(double *y, const double *x, long n), with LUN_BLOCK(d), LUN_THREAD(d),
---LUN_INDEX(d), LUN_SCRATCH(type, name, n, ...), LUN_BARRIER, LUN_ATOMIC_ADD(w, i, x) and so on;
---indices and dimensions count from 0
---`lun.teams{league=64, team=1, elements=8, scratch=4096, check=true, mapping="blocks"}(f, args...)`
---@param options { league?: integer, team?: integer, elements?: integer, scratch?: integer, check?: boolean, mapping?: string }
---@return any
function lun.teams(options) end

---sums of products along the last axes of a and the first of b, so many; or along {{axes of a}, {axes of b}}
---`a:tensordot(b [, axes=2])`
---@param a lun.Operand
---@param b lun.Operand
---@param axes? integer|integer[]
---@return lun.Array
function lun.tensordot(a, b, axes) end

---a repeated: n times along the last axis, or {n1, n2, ...} times along the axes
---`a:tile(n)`
---@param a lun.Operand
---@param n integer
---@return lun.Array
function lun.tile(a, n) end

---the largest elements and their indices, as a:topk(k)
---`lun.topk(a, k [, {smallest=true}])`
---@param a lun.Array
---@param k integer
---@param options? { smallest?: boolean }
---@return lun.Array
function lun.topk(a, k, options) end

---writes what the engine does from now on into a file for Perfetto or chrome://tracing: kernels, algorithms,
---plans, moves, files, with times, bytes and source lines; lun.trace() ends it: true, or nil, message,
---errno where the file cannot be written; around a function: its results
---`lun.trace(path), lun.trace(), lun.trace(path, f, ...)`
---@overload fun(): any
---@overload fun(path: string, f: lun.Function, ...: any): any
---@param path string
---@return any
function lun.trace(path) end

---a:trapz
---`a:trapezoid([x] [, {dx=1, axis=-1}])`
---@param a lun.Operand
---@param x? lun.Operand
---@param options? { dx?: number, axis?: integer|integer[] }
---@return lun.Array
function lun.trapezoid(a, x, options) end

---the integral by the trapezoidal rule, a number of a Vector; x: the coordinates, else dx apart
---`a:trapz([x] [, {dx=1, axis=-1}])`
---@param a lun.Operand
---@param x? lun.Operand
---@param options? { dx?: number, axis?: integer|integer[] }
---@return lun.Array
function lun.trapz(a, x, options) end

---an n x m matrix: 1 on and below the k-th diagonal, else 0
---`lun.tri(n [, m [, k]] [, dtype])`
---@param n integer
---@param m? integer
---@param k? integer
---@param dtype? lun.dtype
---@return lun.Array
function lun.tri(n, m, k, dtype) end

---the elements on and below the k-th diagonal of the last two axes, else 0
---`A:tril([k])`
---@param a lun.Operand
---@param k? integer
---@return lun.Array
function lun.tril(a, k) end

---returns pooled memory to the system
---`lun.trim()`
---@return any
function lun.trim() end

---a window on a Vector without the zeros at its ends
---`a:trim_zeros()`
---@param a lun.Operand
---@return lun.Array
function lun.trim_zeros(a) end

---the elements on and above the k-th diagonal of the last two axes, else 0
---`A:triu([k])`
---@param a lun.Operand
---@param k? integer
---@return lun.Array
function lun.triu(a, k) end

---rounded towards zero
---`a:trunc()`
---@param a lun.Operand
---@return lun.Array
function lun.trunc(a) end

---element k of lun.random(n, {seed=}), a number; also in Lua functions
---`lun.uniform(seed, k)`
---@param seed any
---@param k integer
---@return lun.Array
function lun.uniform(seed, k) end

---the different values that are in one or both, sorted
---`a:union(b)`
---@param a lun.Operand
---@param b lun.Operand
---@return lun.Array
function lun.union(a, b) end

---the different values and their counts, as a:unique()
---`lun.unique(a)`
---@param a lun.Array
---@return lun.Array
function lun.unique(a) end

---four: the different values, as of unique_values; the index, row-major, at which each first occurs; for each element
---the index of its value; how often each occurs
---`a:unique_all()`
---@param a lun.Operand
---@return lun.Array
function lun.unique_all(a) end

---the different values, as of unique_values, and how often each occurs
---`a:unique_counts()`
---@param a lun.Operand
---@return lun.Array
function lun.unique_counts(a) end

---the different values, as of unique_values, and for each element, in a's shape, the index of its value
---`a:unique_inverse()`
---@param a lun.Operand
---@return lun.Array
function lun.unique_inverse(a) end

---the different values, sorted: the first result of a:unique, but each NaN is a value of its own
---`a:unique_values()`
---@param a lun.Operand
---@return lun.Array
function lun.unique_values(a) end

---the skeleton of which lun.pack made the string s
---`lun.unpack(s)`
---@param s lun.Array
---@return lun.Array
function lun.unpack(s) end

---the first n bits of bytes, all of them by default, as a mask: what packbits has packed
---`p:unpackbits([n] [, {bitorder="big"}])`
---@param a lun.Operand
---@param n? integer
---@param options? { bitorder?: string }
---@return lun.Array
function lun.unpackbits(a, n, options) end

---a list of windows, one for each index along the axis, which is gone
---`a:unstack([axis=1])`
---@param a lun.Operand
---@param axis? integer
---@return lun.Array
function lun.unstack(a, axis) end

---selects a backend, or a set of places: "openmp/4", "opencl:*", "opencl:1,opencl:3"; returns those in use;
---threads of the host, at most (0: as at the start), and where they run, bind: "auto", "cores",
---"threads" or "none": docs/platforms.md
---`lun.use(name, ...) or lun.use{name, ..., threads=, bind=}`
---@overload fun(options: table): any
---@param name string
---@param ... any
---@return any
function lun.use(name, ...) end

---a table of columns, value and count: most frequent first, then by value
---`a:value_counts()`
---@param a lun.Operand
---@return lun.Array
function lun.value_counts(a) end

---the Vandermonde matrix: a row x^(n-1), ..., x, 1 for each element; n columns, by default as many as rows
---`x:vander([n])`
---@param a lun.Operand
---@param n? integer
---@return lun.Array
function lun.vander(a, n) end

---the variance, divided by n - ddof (0 by default); a:var{axis=2, keep=true, skipnan=true, skipna=false, ddof=1} along axes
---`a:var([ddof])`
---@param a lun.Operand
---@param options? lun.Along|integer|lun.Operand
---@return lun.Value
function lun.var(a, options) end

---one function, of which the text for the platform in use runs: taken wherever a function is; all have to give
---the same dtype; lun.check compares what they give
---`lun.variant{opencl=f, openmp=g, default=h, ...}`
---@param options table
---@return any
function lun.variant(options) end

---sums of products along an axis, the others broadcast; of Vectors a number; of a complex a its conjugate counts
---`a:vecdot(b [, {axis=-1}])`
---@param a lun.Operand
---@param b lun.Operand
---@param options? { axis?: integer|integer[] }
---@return lun.Array
function lun.vecdot(a, b, options) end

---a Vector of the numbers and Scalars in a table; from tables or arrays of one shape, an array of these rows;
---layout: "right" (row by row), "left" (column by column) or {s1, s2, ...} (strides, in elements);
---align: rows begin at multiples of so many bytes, up to 64, with room between them;
---label: by which errors, lun.explain and lun.profile name it; readonly: nothing is written to it
---`lun.vector(t [, dtype [, {layout=, align=, label=, readonly=true}]])`
---@param t table
---@param dtype? lun.dtype
---@param options? { layout?: string|integer[], align?: any, label?: string, readonly?: boolean }
---@return lun.Array
function lun.vector(t, dtype, options) end

---of the elements of all axes or of some: the root of the sum of powers; ord: also 1, 0 (how many are not 0),
---math.huge and -math.huge (the greatest and the least modulus)
---`a:vector_norm([{ord=2, axis=, keep=false}])`
---@param a lun.Operand
---@param options? { ord?: number|string, axis?: integer|integer[], keep?: boolean }
---@return lun.Array
function lun.vector_norm(a, options) end

---arrays joined along the first axis, Vectors as rows
---`lun.vstack(list)`
---@param list table
---@return lun.Array
function lun.vstack(list) end

---b where a is true, else c
---`a:where(b, c)`
---@param a lun.Operand
---@param b lun.Operand
---@param c lun.Operand
---@return lun.Array
function lun.where(a, b, c) end

---the width of printed lines in columns: the terminal's by default, 80 elsewhere; returns the width in use;
---nil restores the default
---`lun.width([n])`
---@param n? integer
---@return number
function lun.width(n) end

---a table for lun.teams: a league that covers the extents, a number or {x, y, ...}, with that team and elements
---`lun.workdiv(extents [, {team=1, elements=8}])`
---@param extents lun.Shape
---@param options? { team?: integer, elements?: integer }
---@return table
function lun.workdiv(extents, options) end

---zeros; shape is n, {n1, n2, ...} or n1, n2, ...; dtype f64 by default; options as in lun.vector
---`lun.zeros(shape [, dtype [, opts]])`
---@param shape lun.Shape
---@param dtype? lun.dtype
---@param opts? table
---@return lun.Array
function lun.zeros(shape, dtype, opts) end

---zeros in a's shape and dtype, or in that dtype
---`a:zeros_like([dtype])`
---@param a lun.Operand
---@param dtype? lun.dtype
---@return lun.Array
function lun.zeros_like(a, dtype) end

---a skeleton: f(x, y, extra...) on each pair of elements; out as in map
---`lun.zip(f [, {out=dtype}])`
---@param f lun.Function
---@param options? { out?: lun.dtype|lun.Array|table }
---@return lun.Array
function lun.zip(f, options) end

---the deviations from the mean over the standard deviation, of all elements or along an axis
---`a:zscore([{axis=, ddof=0}])`
---@param a lun.Operand
---@param options? { axis?: integer|integer[], ddof?: number }
---@return lun.Array
function lun.zscore(a, options) end

lun.arrow = {}

---@param ... any
---@return any
function lun.arrow.export(...) end

---@param ... any
---@return any
function lun.arrow.import(...) end

lun.atomic = {}

---@param ... any
---@return any
function lun.atomic.add(...) end

---@param ... any
---@return any
function lun.atomic.band(...) end

---@param ... any
---@return any
function lun.atomic.bor(...) end

---@param ... any
---@return any
function lun.atomic.bxor(...) end

---@param ... any
---@return any
function lun.atomic.cas(...) end

---@param ... any
---@return any
function lun.atomic.exchange(...) end

---@param ... any
---@return any
function lun.atomic.max(...) end

---@param ... any
---@return any
function lun.atomic.min(...) end

---@param ... any
---@return any
function lun.atomic.sub(...) end

lun.cache = {}

---@param ... any
---@return any
function lun.cache.export(...) end

---@param ... any
---@return any
function lun.cache.import(...) end

lun.date = {}

---@param ... any
---@return any
function lun.date.day(...) end

---@param ... any
---@return any
function lun.date.make(...) end

---@param ... any
---@return any
function lun.date.month(...) end

---@param ... any
---@return any
function lun.date.parse(...) end

---@param ... any
---@return any
function lun.date.range(...) end

---@param ... any
---@return any
function lun.date.text(...) end

---@param ... any
---@return any
function lun.date.weekday(...) end

---@param ... any
---@return any
function lun.date.year(...) end

---@param ... any
---@return any
function lun.date.yearday(...) end

lun.json = {}

---@param ... any
---@return any
function lun.json.decode(...) end

---@param ... any
---@return any
function lun.json.encode(...) end

---@type any
lun.json.null = nil

---@param ... any
---@return any
function lun.json.object(...) end

lun.op = {}

---@type lun.Operation
lun.op.abs = nil

---@type lun.Operation
lun.op.acos = nil

---@type lun.Operation
lun.op.acosh = nil

---@type lun.Operation
lun.op.add = nil

---@type lun.Operation
lun.op.asin = nil

---@type lun.Operation
lun.op.asinh = nil

---@type lun.Operation
lun.op.atan = nil

---@type lun.Operation
lun.op.atan2 = nil

---@type lun.Operation
lun.op.atanh = nil

---@type lun.Operation
lun.op.band = nil

---@type lun.Operation
lun.op.bnot = nil

---@type lun.Operation
lun.op.bor = nil

---@type lun.Operation
lun.op.bxor = nil

---@type lun.Operation
lun.op.cbrt = nil

---@type lun.Operation
lun.op.ceil = nil

---@type lun.Operation
lun.op.clamp = nil

---@type lun.Operation
lun.op.copysign = nil

---@type lun.Operation
lun.op.cos = nil

---@type lun.Operation
lun.op.cosh = nil

---@type lun.Operation
lun.op.cospi = nil

---@type lun.Operation
lun.op.div = nil

---@type lun.Operation
lun.op.eq = nil

---@type lun.Operation
lun.op.erf = nil

---@type lun.Operation
lun.op.erfc = nil

---@type lun.Operation
lun.op.exp = nil

---@type lun.Operation
lun.op.exp2 = nil

---@type lun.Operation
lun.op.expm1 = nil

---@type lun.Operation
lun.op.fillnan = nil

---@type lun.Operation
lun.op.floor = nil

---@type lun.Operation
lun.op.fma = nil

---@type lun.Operation
lun.op.fmax = nil

---@type lun.Operation
lun.op.fmin = nil

---@type lun.Operation
lun.op.ge = nil

---@type lun.Operation
lun.op.gt = nil

---@type lun.Operation
lun.op.hypot = nil

---@type lun.Operation
lun.op.idiv = nil

---@type lun.Operation
lun.op.isfinite = nil

---@type lun.Operation
lun.op.isinf = nil

---@type lun.Operation
lun.op.isnan = nil

---@type lun.Operation
lun.op.land = nil

---@type lun.Operation
lun.op.le = nil

---@type lun.Operation
lun.op.lnot = nil

---@type lun.Operation
lun.op.log = nil

---@type lun.Operation
lun.op.log10 = nil

---@type lun.Operation
lun.op.log1p = nil

---@type lun.Operation
lun.op.log2 = nil

---@type lun.Operation
lun.op.lor = nil

---@type lun.Operation
lun.op.lt = nil

---@type lun.Operation
lun.op.max = nil

---@type lun.Operation
lun.op.min = nil

---@type lun.Operation
lun.op.mod = nil

---@type lun.Operation
lun.op.mul = nil

---@type lun.Operation
lun.op.ne = nil

---@type lun.Operation
lun.op.neg = nil

---@type lun.Operation
lun.op.pow = nil

---@type lun.Operation
lun.op.round = nil

---@type lun.Operation
lun.op.shl = nil

---@type lun.Operation
lun.op.shr = nil

---@type lun.Operation
lun.op.sign = nil

---@type lun.Operation
lun.op.sin = nil

---@type lun.Operation
lun.op.sinh = nil

---@type lun.Operation
lun.op.sqrt = nil

---@type lun.Operation
lun.op.sub = nil

---@type lun.Operation
lun.op.tan = nil

---@type lun.Operation
lun.op.tanh = nil

---@type lun.Operation
lun.op.trunc = nil

---@type lun.Operation
lun.op.where = nil


---@param ... any
---@return any
function lun.sql.config(...) end

return lun
