// lunarray.hpp - lunarray.h for C++17: references that end by themselves, operators, exceptions.
// Everything is inline; programs link the same library as in C. lunarray.h describes what each
// function does, and when work runs.
//
// Errors.    A failure throws lun::error, with the status, the text and the position in a script.
// Ownership. lun::array and lun::function are references: copies share the object. They must end
//            before their engine.
// Threads.   As in C: an engine is used by one thread at a time; any thread may call
//            lun::engine::cancel.
#ifndef LUNARRAY_HPP
#define LUNARRAY_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lunarray.h"

namespace lun
{

class error : public std::runtime_error
{
  public:
    error(lun_status status, const lun_engine *e)
        : std::runtime_error(lun_error(e)), status_(status), where_(lun_error_where(e))
    {
    }
    // Where no engine has the text.
    error(lun_status status, const char *text) : std::runtime_error(text), status_(status)
    {
    }
    lun_status status() const noexcept
    {
        return status_;
    }
    // "script:line" of the expression that failed, "" if unknown.
    const std::string &where() const noexcept
    {
        return where_;
    }

  private:
    lun_status status_;
    std::string where_;
};

inline void check(const lun_engine *e, lun_status s)
{
    if (s != LUN_OK)
        throw error(s, e);
}

// The dtype of elements of a C++ type.
template <class T> constexpr lun_dtype dtype_of()
{
    static_assert(std::is_arithmetic_v<T>, "elements are numbers or bool");
    if constexpr (std::is_same_v<T, bool>)
        return LUN_BOOL;
    else if constexpr (std::is_floating_point_v<T>) {
        static_assert(sizeof(T) <= 8, "float or double");
        return sizeof(T) == 4 ? LUN_F32 : LUN_F64;
    } else if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 1   ? LUN_I8
               : sizeof(T) == 2 ? LUN_I16
               : sizeof(T) == 4 ? LUN_I32
                                : LUN_I64;
    else
        return sizeof(T) == 1   ? LUN_U8
               : sizeof(T) == 2 ? LUN_U16
               : sizeof(T) == 4 ? LUN_U32
                                : LUN_U64;
}

// The number of a value in a C++ type; LUN_ERANGE where that would be another number: an integer
// beyond what a double has exactly, a fraction or a value too large as an integer.  A float becomes
// the nearest one of the type.
template <class T> T number_of(const lun_value &v)
{
    static_assert(std::is_arithmetic_v<T>, "numbers or bool");
    T x{};
    bool exact = true;
    if (v.dtype == LUN_F64) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(v.as.d);
        // below 2^digits and at least the lowest value, both of which a double has
        const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
        exact = v.as.d < end && v.as.d >= (std::is_signed_v<T> ? -end : 0.0) &&
                v.as.d == std::floor(v.as.d);
        x = exact ? static_cast<T>(v.as.d) : x;
    } else if (v.dtype == LUN_I64) {
        x = static_cast<T>(v.as.i);
        if constexpr (std::is_floating_point_v<T>)
            exact = x < std::ldexp(T{1}, 63) && static_cast<std::int64_t>(x) == v.as.i;
        else
            exact = static_cast<std::int64_t>(x) == v.as.i && (x < T{}) == (v.as.i < 0);
    } else {
        x = static_cast<T>(v.as.u);
        if constexpr (std::is_floating_point_v<T>)
            exact = x < std::ldexp(T{1}, 64) && static_cast<std::uint64_t>(x) == v.as.u;
        else
            exact = static_cast<std::uint64_t>(x) == v.as.u && !(x < T{});
    }
    if (!exact)
        throw error(LUN_ERANGE, std::is_floating_point_v<T>
                                    ? "the integer is none that the float type has exactly: ask "
                                      "for it as an integer, as in sum<std::int64_t>()"
                                    : "the value is no integer of the type asked for");
    return x;
}

// A function for skeletons; made by an engine.
class function
{
  public:
    explicit function(lun_function *f) : f_(f, lun_function_release)
    {
    }
    lun_function *get() const noexcept
    {
        return f_.get();
    }

  private:
    std::shared_ptr<lun_function> f_;
};

// A Vector, View, Scalar or Composition.
class array
{
  public:
    array() = default;
    // Takes over a reference that a function of lunarray.h gave.
    explicit array(lun_array *a) noexcept : a_(a)
    {
    }
    array(const array &other) noexcept : a_(other.a_)
    {
        lun_retain(a_);
    }
    array(array &&other) noexcept : a_(std::exchange(other.a_, nullptr))
    {
    }
    array &operator=(array other) noexcept
    {
        std::swap(a_, other.a_);
        return *this;
    }
    ~array()
    {
        lun_release(a_);
    }

    lun_array *get() const noexcept
    {
        return a_;
    }
    lun_engine *engine() const noexcept
    {
        return lun_engine_of(a_);
    }
    explicit operator bool() const noexcept
    {
        return a_ != nullptr;
    }

    std::int64_t size() const noexcept
    {
        return lun_size(a_);
    }
    lun_dtype dtype() const noexcept
    {
        return lun_dtype_of(a_);
    }
    std::vector<std::int64_t> shape() const
    {
        std::int64_t extents[LUN_MAX_RANK];
        return {extents, extents + lun_shape(a_, extents)};
    }

    // Evaluates it now; the elements are kept.
    const array &eval() const
    {
        check(owner(), lun_eval(owner(), &a_, 1));
        return *this;
    }
    array cast(lun_dtype t) const
    {
        return made([&](lun_array **out) { return lun_cast(owner(), a_, t, out); });
    }
    array reshape(const std::vector<std::int64_t> &extents) const
    {
        return made([&](lun_array **out) {
            return lun_reshape(owner(), a_, static_cast<int>(extents.size()), extents.data(), out);
        });
    }
    // `count` elements first, first + step, ..., counted from 0.
    array slice(std::int64_t first, std::int64_t count, std::int64_t step = 1) const
    {
        return made(
            [&](lun_array **out) { return lun_slice(owner(), a_, first, count, step, out); });
    }
    array copy() const
    {
        return made([&](lun_array **out) { return lun_copy(owner(), a_, out); });
    }

    // Windows: writing to them writes to this array.  Axes and indices count from 0.
    array row(std::int64_t i) const
    {
        return made([&](lun_array **out) { return lun_row(owner(), a_, i, out); });
    }
    array select(int axis, std::int64_t i) const
    {
        return made([&](lun_array **out) { return lun_select(owner(), a_, axis, i, out); });
    }
    // count[k] elements from first[k] on, step[k] apart, along each of the first axes; steps are 1
    // by default.
    array window(const std::vector<std::int64_t> &first, const std::vector<std::int64_t> &count,
                 const std::vector<std::int64_t> &step = {}) const
    {
        if (count.size() != first.size() || (!step.empty() && step.size() != first.size()))
            check(owner(),
                  lun_fail(owner(), LUN_ESHAPE, "a window of lists that differ in length"));
        return made([&](lun_array **out) {
            return lun_window(owner(), a_, static_cast<int>(first.size()), first.data(),
                              count.data(), step.empty() ? nullptr : step.data(), out);
        });
    }
    // Axis k is axis axes[k] of this array; without axes the order is reversed.
    array permute(const std::vector<int> &axes = {}) const
    {
        if (!axes.empty() && axes.size() != shape().size())
            check(owner(), lun_fail(owner(), LUN_ESHAPE, "not as many axes as the array has"));
        return made([&](lun_array **out) {
            return lun_permute(owner(), a_, axes.empty() ? nullptr : axes.data(), out);
        });
    }
    array view(const std::vector<std::int64_t> &extents) const
    {
        return made([&](lun_array **out) {
            return lun_view(owner(), a_, static_cast<int>(extents.size()), extents.data(), out);
        });
    }
    array diagonal(std::int64_t k = 0) const
    {
        return made([&](lun_array **out) { return lun_diagonal(owner(), a_, k, out); });
    }
    array take(const array &indices, int axis = 0) const
    {
        return made(
            [&](lun_array **out) { return lun_take(owner(), a_, indices.a_, axis, nullptr, out); });
    }
    void put(const array &indices, const array &x, int axis = 0, lun_op op = LUN_OP_NONE) const
    {
        check(owner(), lun_put(owner(), a_, indices.a_, x.a_, axis, op));
    }
    array windows(int axis, std::int64_t width, std::int64_t step = 1) const
    {
        return made(
            [&](lun_array **out) { return lun_windows(owner(), a_, axis, width, step, out); });
    }
    array broadcast(const std::vector<std::int64_t> &extents) const
    {
        return made([&](lun_array **out) {
            return lun_broadcast(owner(), a_, static_cast<int>(extents.size()), extents.data(),
                                 out);
        });
    }

    // All elements, row-major, converted to T.
    template <class T> std::vector<T> read() const
    {
        static_assert(!std::is_same_v<T, bool>,
                      "std::vector<bool> has no elements in memory: read<std::uint8_t>()");
        const array same = dtype() == lun::dtype_of<T>() ? *this : cast(lun::dtype_of<T>());
        std::vector<T> x(static_cast<std::size_t>(size()));
        check(owner(), lun_read(owner(), same.a_, x.data(), 0, size()));
        return x;
    }
    // Elements from `first` on; T must match the array's dtype.
    template <class T> void write(const std::vector<T> &x, std::int64_t first = 0)
    {
        if (dtype() != lun::dtype_of<T>())
            check(owner(), lun_fail(owner(), LUN_EDTYPE, "elements of another dtype are written"));
        check(owner(),
              lun_write(owner(), a_, x.data(), first, static_cast<std::int64_t>(x.size())));
    }
    // One element, from 0.  As other numbers below in any type of numbers, exactly: see number_of.
    template <class T> T get(std::int64_t i) const
    {
        lun_value v{};
        check(owner(), lun_get(owner(), a_, i, &v));
        return number_of<T>(v);
    }
    double operator[](std::int64_t i) const
    {
        return get<double>(i);
    }

    // A reduction of all elements, evaluated now: sum(), or sum<std::int64_t>().
    template <class T = double> T total(lun_reduction r, std::int64_t ddof = 0) const
    {
        lun_value v{};
        check(owner(), lun_total(owner(), r, a_, ddof, &v));
        return number_of<T>(v);
    }
    template <class T = double> T sum() const
    {
        return total<T>(LUN_SUM);
    }
    double mean() const
    {
        return total(LUN_MEAN);
    }
    template <class T = double> T min() const
    {
        return total<T>(LUN_MIN);
    }
    template <class T = double> T max() const
    {
        return total<T>(LUN_MAX);
    }

    // Along the given axes, counted from 0; none: over all elements.
    array along(lun_reduction r, const std::vector<int> &axes, bool keep = false,
                bool skipnan = false, std::int64_t ddof = 0) const
    {
        lun_along_options o = {};
        o.size = sizeof o;
        o.keep = keep;
        o.skipnan = skipnan;
        o.ddof = ddof;
        return made([&](lun_array **out) {
            return lun_along(owner(), r, a_, axes.data(), static_cast<int>(axes.size()), &o, out);
        });
    }
    array reduce_along(const function &f, const std::vector<int> &axes, bool keep = false) const
    {
        return made([&](lun_array **out) {
            return lun_fold_along(owner(), f.get(), nullptr, a_, axes.data(),
                                  static_cast<int>(axes.size()), keep, out);
        });
    }
    array scan_along(const function &f, int axis, bool inclusive = false) const
    {
        return made([&](lun_array **out) {
            return lun_scan_along(owner(), f.get(), nullptr, a_, axis, inclusive, out);
        });
    }

    // The elements at which the bool mask is true; asking for their number evaluates them.
    array compress(const array &mask) const
    {
        return made([&](lun_array **out) { return lun_compress(owner(), a_, mask.a_, out); });
    }
    // The positions of the true elements, from 0.
    array indices() const
    {
        return made([&](lun_array **out) { return lun_indices(owner(), a_, 0, out); });
    }
    array sort(int axis = 0, int flags = 0) const
    {
        return made([&](lun_array **out) { return lun_sort(owner(), a_, axis, flags, out); });
    }
    array argsort(int axis = 0, int flags = 0) const
    {
        return made([&](lun_array **out) { return lun_argsort(owner(), a_, axis, flags, 0, out); });
    }
    // The q-quantile of all elements.
    array quantile(double q, bool skipnan = false) const
    {
        return made([&](lun_array **out) {
            return lun_quantile(owner(), a_, &q, 0, nullptr, 0, skipnan, out);
        });
    }

    array matmul(const array &b) const
    {
        return made([&](lun_array **out) { return lun_matmul(owner(), a_, b.a_, out); });
    }

    // For each pair of a row and a row of b: their zip, reduced by `reduce`.
    array allpairs(const array &b, const function &zip, const function &reduce) const
    {
        return made([&](lun_array **out) {
            return lun_allpairs(owner(), zip.get(), nullptr, 0, reduce.get(), nullptr, a_, b.a_,
                                out);
        });
    }

    array map(const function &f) const
    {
        return made(
            [&](lun_array **out) { return lun_map(owner(), f.get(), a_, nullptr, 0, out); });
    }
    array zip(const array &b, const function &f) const
    {
        return made(
            [&](lun_array **out) { return lun_zip(owner(), f.get(), a_, b.a_, nullptr, 0, out); });
    }
    // f of the elements around each index, which it reads by offsets: get(x, -1, 0) in C text.
    array stencil(const function &f, lun_edge edge = LUN_EDGE_NEAREST, double beyond = 0) const
    {
        const std::vector<lun_edge> edges(LUN_MAX_RANK, edge);
        lun_stencil_options how = {};
        how.size = sizeof how;
        how.edge = edges.data();
        how.x.dtype = LUN_F64;
        how.x.as.d = beyond;
        return made([&](lun_array **out) {
            int results = 0;
            return lun_stencil(owner(), f.get(), &a_, 1, 1, &how, out, 1, &results);
        });
    }
    // A lazy Scalar; the operation's identity is the first value.
    array reduce(const function &f) const
    {
        return made(
            [&](lun_array **out) { return lun_reduce(owner(), f.get(), nullptr, a_, out); });
    }
    array scan(const function &f, bool inclusive = false) const
    {
        return made([&](lun_array **out) {
            return lun_scan(owner(), f.get(), nullptr, a_, inclusive, out);
        });
    }

  private:
    // The engine for a call; an empty array has none.
    lun_engine *owner() const
    {
        if (!a_)
            throw error(LUN_EARG, "the lun::array is empty");
        return engine();
    }
    template <class Call> array made(Call call) const
    {
        lun_array *out = nullptr;
        check(owner(), call(&out));
        return array(out);
    }

    lun_array *a_ = nullptr;
};

// An operand of an operator: an array, or a number, which is converted to the array's dtype.
class operand
{
  public:
    operand(const array &a) : a_(a), kind_(of_array)
    {
    }
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    operand(T x) : d_(static_cast<double>(x))
    {
        if constexpr (std::is_integral_v<T>) {
            u_ = static_cast<std::uint64_t>(x);
            kind_ = x > T{} && u_ > INT64_MAX ? of_unsigned : of_integer;
        }
    }
    lun_engine *engine() const noexcept
    {
        return a_.engine();
    }
    // As an array of e.
    array of(lun_engine *e) const
    {
        lun_array *out = nullptr;
        lun_value v{};
        switch (kind_) {
        case of_array:
            if (!a_)
                throw error(LUN_EARG, "an operand is an empty lun::array");
            return a_;
        case of_integer:
            check(e, lun_integer(e, static_cast<std::int64_t>(u_), &out));
            break;
        case of_unsigned: // beyond i64
            v.dtype = LUN_U64;
            v.as.u = u_;
            check(e, lun_full(e, 0, nullptr, LUN_U64, v, &out));
            break;
        default:
            check(e, lun_number(e, d_, &out));
        }
        return array(out);
    }

  private:
    enum kind { of_array, of_integer, of_unsigned, of_float };
    array a_;
    kind kind_ = of_float;
    std::uint64_t u_ = 0;
    double d_ = 0;
};

// Any operation of the table; at least one operand is an array.
inline array apply(lun_op op, std::initializer_list<operand> operands)
{
    lun_engine *e = nullptr;
    std::vector<array> kept;
    std::vector<lun_array *> in;
    for (const operand &x : operands)
        e = e ? e : x.engine();
    if (!e)
        throw error(LUN_EARG, "no operand is an array with elements");
    for (const operand &x : operands) {
        kept.push_back(x.of(e));
        in.push_back(kept.back().get());
    }
    lun_array *out = nullptr;
    check(e, lun_apply(e, op, in.data(), static_cast<int>(in.size()), &out));
    return array(out);
}

#define LUN_HPP_OPERATOR(symbol, OP)                                      \
    inline array operator symbol(const array &a, const operand &b)        \
    {                                                                     \
        return apply(OP, {a, b});                                         \
    }                                                                     \
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> \
    array operator symbol(T a, const array &b)                            \
    {                                                                     \
        return apply(OP, {a, b});                                         \
    }
LUN_HPP_OPERATOR(+, LUN_OP_ADD)
LUN_HPP_OPERATOR(-, LUN_OP_SUB)
LUN_HPP_OPERATOR(*, LUN_OP_MUL)
LUN_HPP_OPERATOR(/, LUN_OP_DIV)
LUN_HPP_OPERATOR(%, LUN_OP_MOD)
LUN_HPP_OPERATOR(&, LUN_OP_BAND)
LUN_HPP_OPERATOR(|, LUN_OP_BOR)
LUN_HPP_OPERATOR(<<, LUN_OP_SHL)
LUN_HPP_OPERATOR(>>, LUN_OP_SHR)
#undef LUN_HPP_OPERATOR

inline array operator-(const array &a)
{
    return apply(LUN_OP_NEG, {a});
}
inline array operator~(const array &a)
{
    return apply(LUN_OP_BNOT, {a});
}

// Elementwise functions, named as in lunarray.h; apply calls any operation.
#define LUN_HPP_UNARY(name, OP)       \
    inline array name(const array &a) \
    {                                 \
        return apply(OP, {a});        \
    }
LUN_HPP_UNARY(abs, LUN_OP_ABS)
LUN_HPP_UNARY(sqrt, LUN_OP_SQRT)
LUN_HPP_UNARY(exp, LUN_OP_EXP)
LUN_HPP_UNARY(log, LUN_OP_LOG)
LUN_HPP_UNARY(sin, LUN_OP_SIN)
LUN_HPP_UNARY(cos, LUN_OP_COS)
LUN_HPP_UNARY(tanh, LUN_OP_TANH)
LUN_HPP_UNARY(floor, LUN_OP_FLOOR)
LUN_HPP_UNARY(isnan, LUN_OP_ISNAN)
#undef LUN_HPP_UNARY
#define LUN_HPP_BINARY(name, OP)                        \
    inline array name(const array &a, const operand &b) \
    {                                                   \
        return apply(OP, {a, b});                       \
    }
LUN_HPP_BINARY(pow, LUN_OP_POW)
LUN_HPP_BINARY(idiv, LUN_OP_IDIV)
LUN_HPP_BINARY(min, LUN_OP_MIN)
LUN_HPP_BINARY(max, LUN_OP_MAX)
LUN_HPP_BINARY(lt, LUN_OP_LT)
LUN_HPP_BINARY(le, LUN_OP_LE)
LUN_HPP_BINARY(gt, LUN_OP_GT)
LUN_HPP_BINARY(ge, LUN_OP_GE)
LUN_HPP_BINARY(eq, LUN_OP_EQ)
LUN_HPP_BINARY(ne, LUN_OP_NE)
#undef LUN_HPP_BINARY
inline array where(const array &condition, const operand &yes, const operand &no)
{
    return apply(LUN_OP_WHERE, {condition, yes, no});
}

// A value between host and script; std::monostate is nil.
using value = std::variant<std::monostate, bool, std::int64_t, double, std::string, array>;

// Owns an engine. Moving it moves what scripts can call; nothing else refers to the C++ object.
class engine
{
  public:
    // A function for scripts; an exception becomes an error in the script.
    using native = std::function<std::vector<value>(const std::vector<value> &)>;

    engine() : engine(lun_config{})
    {
    }
    explicit engine(lun_config c)
    {
        lun_engine *e = nullptr;
        c.size = sizeof c;
        lun::check(nullptr, lun_open(&c, &e));
        e_.reset(e);
    }
    lun_engine *get() const noexcept
    {
        return e_.get();
    }
    void check(lun_status s) const
    {
        lun::check(get(), s);
    }
    // From any thread or signal handler.
    void cancel() const noexcept
    {
        lun_cancel(get());
    }
    void time_limit(double seconds)
    {
        check(lun_time_limit(get(), seconds));
    }
    void use(const std::string &backend)
    {
        check(lun_use(get(), backend.c_str()));
    }

    template <class T> array vector(const std::vector<T> &x) const
    {
        return vector(x.data(), static_cast<std::int64_t>(x.size()));
    }
    template <class T> array vector(std::initializer_list<T> x) const
    {
        return vector(x.begin(), static_cast<std::int64_t>(x.size()));
    }
    template <class T> array vector(const T *x, std::int64_t n) const
    {
        return made([&](lun_array **out) { return lun_vector(get(), x, n, dtype_of<T>(), out); });
    }
    array zeros(const std::vector<std::int64_t> &extents, lun_dtype t = LUN_F64) const
    {
        return made([&](lun_array **out) {
            return lun_tensor(get(), nullptr, static_cast<int>(extents.size()), extents.data(), t,
                              out);
        });
    }
    // Wraps memory of the host, which must outlive the array and everything computed from it.
    template <class T> array wrap(T *x, std::int64_t n) const
    {
        return made([&](lun_array **out) {
            return lun_wrap(get(), x, n, dtype_of<T>(), nullptr, nullptr, out);
        });
    }
    array load(const std::string &path) const
    {
        return made([&](lun_array **out) { return lun_load(get(), path.c_str(), out); });
    }
    void save(const std::string &path, const array &a) const
    {
        check(lun_save(get(), path.c_str(), a.get()));
    }
    function op(lun_op op) const
    {
        lun_function *f = nullptr;
        check(lun_function_op(get(), op, &f));
        return function(f);
    }
    // From the source text of a C function: "(float x) { return x * x; }".
    function c(const std::string &text) const
    {
        lun_function *f = nullptr;
        check(lun_function_c(get(), text.c_str(), &f));
        return function(f);
    }

    void run(const std::string &script)
    {
        check(lun_dostring(get(), script.c_str()));
    }
    void run_file(const std::string &path)
    {
        check(lun_dofile(get(), path.c_str()));
    }
    void set(const std::string &name, const array &a)
    {
        check(lun_setglobal(get(), name.c_str(), a.get()));
    }
    void set(const std::string &name, double x)
    {
        check(lun_setnumber(get(), name.c_str(), x));
    }
    void set(const std::string &name, const std::string &text)
    {
        check(lun_settext(get(), name.c_str(), text.c_str()));
    }
    array get_array(const std::string &name) const
    {
        return made([&](lun_array **out) { return lun_getglobal(get(), name.c_str(), out); });
    }
    double get_number(const std::string &name) const
    {
        double x = 0;
        check(lun_getnumber(get(), name.c_str(), &x));
        return x;
    }
    std::string get_text(const std::string &name) const
    {
        const char *text = nullptr;
        std::size_t length = 0;
        check(lun_gettext(get(), name.c_str(), &text, &length));
        return {text, length};
    }
    // Calls a function of the script; returns its results, at most LUN_MOST_RESULTS.
    std::vector<value> call(const std::string &name, const std::vector<value> &arguments = {})
    {
        std::vector<lun_variant> in;
        lun_variant out[LUN_MOST_RESULTS];
        int given = 0;
        for (const value &v : arguments)
            in.push_back(borrowed(v));
        check(lun_callglobal(get(), name.c_str(), in.data(), static_cast<int>(in.size()), out,
                             LUN_MOST_RESULTS, &given));
        std::vector<value> results;
        for (int i = 0; i < given && i < LUN_MOST_RESULTS; i++)
            results.push_back(taken(out[i]));
        return results;
    }
    // Makes f callable from scripts under this name.
    void add(const std::string &name, native f)
    {
        natives_.push_back(std::make_unique<native>(std::move(f)));
        check(lun_register(get(), name.c_str(), call_native, natives_.back().get()));
    }

  private:
    struct closer {
        void operator()(lun_engine *e) const noexcept
        {
            lun_close(e);
        }
    };
    template <class Call> array made(Call call) const
    {
        lun_array *out = nullptr;
        check(call(&out));
        return array(out);
    }

    static lun_variant borrowed(const value &v)
    {
        lun_variant x{};
        if (const bool *b = std::get_if<bool>(&v)) {
            x.type = LUN_TYPE_BOOLEAN;
            x.as.boolean = *b;
        } else if (const std::int64_t *i = std::get_if<std::int64_t>(&v)) {
            x.type = LUN_TYPE_INTEGER;
            x.as.integer = *i;
        } else if (const double *d = std::get_if<double>(&v)) {
            x.type = LUN_TYPE_NUMBER;
            x.as.number = *d;
        } else if (const std::string *s = std::get_if<std::string>(&v)) {
            x.type = LUN_TYPE_TEXT;
            x.as.text = s->c_str();
            x.length = s->size();
        } else if (const array *a = std::get_if<array>(&v)) {
            x.type = LUN_TYPE_ARRAY;
            x.as.array = a->get();
        }
        return x;
    }
    // Takes over the reference to an array.
    static value taken(const lun_variant &x)
    {
        switch (x.type) {
        case LUN_TYPE_BOOLEAN:
            return x.as.boolean;
        case LUN_TYPE_INTEGER:
            return x.as.integer;
        case LUN_TYPE_NUMBER:
            return x.as.number;
        case LUN_TYPE_TEXT:
            return std::string(x.as.text, x.length);
        case LUN_TYPE_ARRAY:
            return array(x.as.array);
        default:
            return std::monostate{};
        }
    }
    // No exception leaves it: what calls it is C.
    static lun_status call_native(void *ctx, lun_engine *e, const lun_variant *args, int count,
                                  lun_variant *results, int *given)
    {
        try {
            std::vector<value> in;
            for (int i = 0; i < count; i++) {
                if (args[i].type == LUN_TYPE_ARRAY)
                    lun_retain(args[i].as.array);
                in.push_back(taken(args[i]));
            }
            thread_local std::vector<value> out; // texts live until Lua has copied them
            out = (*static_cast<native *>(ctx))(in);
            if (out.size() > LUN_MOST_RESULTS)
                return lun_fail(e, LUN_EARG, "more results than there is room for");
            for (std::size_t i = 0; i < out.size(); i++) {
                results[i] = borrowed(out[i]);
                if (results[i].type == LUN_TYPE_ARRAY)
                    lun_retain(results[i].as.array);
            }
            *given = static_cast<int>(out.size());
            for (value &v : out) // the engine has references of its own now
                if (std::holds_alternative<array>(v))
                    v = std::monostate{};
            return LUN_OK;
        } catch (const error &x) {
            return lun_fail(e, x.status(), x.what());
        } catch (const std::exception &x) {
            return lun_fail(e, LUN_ESCRIPT, x.what());
        } catch (...) {
            return lun_fail(e, LUN_ESCRIPT, "an exception that is no std::exception");
        }
    }

    std::vector<std::unique_ptr<native>> natives_; // outlive the engine, which calls them
    std::unique_ptr<lun_engine, closer> e_;
};

} // namespace lun

#endif
