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
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
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
        lun_error_info info = {};
        info.size = sizeof info;
        if (lun_error_get(e, &info) == LUN_OK) {
            message_ = info.message;
            traceback_ = info.traceback;
            call_ = info.call;
            line_ = info.line;
        }
    }
    // Where no engine has the text.
    error(lun_status status, const char *text)
        : std::runtime_error(text), status_(status), message_(text)
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
    // The number in where(), 0 if unknown.
    int line() const noexcept
    {
        return line_;
    }
    // what() without the traceback of a script, which stands by itself.
    const std::string &message() const noexcept
    {
        return message_;
    }
    const std::string &traceback() const noexcept
    {
        return traceback_;
    }
    // The C function that failed, "" where it runs scripts.
    const std::string &call() const noexcept
    {
        return call_;
    }

  private:
    lun_status status_;
    std::string where_, message_, traceback_, call_;
    int line_ = 0;
};

inline void check(const lun_engine *e, lun_status s)
{
    if (s != LUN_OK)
        throw error(s, e);
}

// Whether T is std::complex of float or double, whose arrays are LUN_C64 and LUN_C128.
template <class T>
constexpr bool is_complex_v =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T> constexpr bool is_number_v = std::is_arithmetic_v<T> || is_complex_v<T>;

// The dtype of elements of a C++ type.
template <class T> constexpr lun_dtype dtype_of()
{
    static_assert(is_number_v<T>, "elements are numbers, complex numbers or bool");
    if constexpr (is_complex_v<T>)
        return sizeof(T) == 8 ? LUN_C64 : LUN_C128;
    else if constexpr (std::is_same_v<T, bool>)
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
    // Evaluates x into this array's elements, converted and broadcast.
    void set(const array &x) const
    {
        check(owner(), lun_store(owner(), a_, x.a_));
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
    // Of complex arrays get<std::complex<double>>.
    template <class T> T get(std::int64_t i) const
    {
        if constexpr (is_complex_v<T>) {
            double re = 0, im = 0;
            check(owner(), lun_getcomplex(owner(), a_, i, &re, &im));
            return T(static_cast<typename T::value_type>(re),
                     static_cast<typename T::value_type>(im));
        } else {
            lun_value v{};
            check(owner(), lun_get(owner(), a_, i, &v));
            return number_of<T>(v);
        }
    }
    // The parts of complex numbers, windows that are written through; the conjugates, the angles.
    array real() const
    {
        return made([&](lun_array **out) { return lun_real(owner(), a_, out); });
    }
    array imag() const
    {
        return made([&](lun_array **out) { return lun_imag(owner(), a_, out); });
    }
    array conj() const
    {
        return made([&](lun_array **out) { return lun_conj(owner(), a_, out); });
    }
    array angle() const
    {
        return made([&](lun_array **out) { return lun_angle(owner(), a_, out); });
    }
    double operator[](std::int64_t i) const
    {
        return get<double>(i);
    }

    // Whether elements may be missing, and where they are.
    bool has_missing() const
    {
        return a_ && lun_has_missing(a_);
    }
    array missing() const
    {
        return made([&](lun_array **out) { return lun_missing(owner(), a_, out); });
    }
    // One element that may be missing, from 0: a number, or a text, whose bytes live as long as the
    // array is neither written to nor released.
    template <class T> std::optional<T> at(std::int64_t i) const
    {
        if constexpr (std::is_same_v<T, std::string_view>) {
            lun_string s{};
            check(owner(), lun_text_read(owner(), a_, i, 1, &s));
            return view_of(s);
        } else {
            if (has_missing() && missing().template get<bool>(i))
                return std::nullopt;
            return get<T>(i);
        }
    }
    // All texts, which live so, too.
    std::vector<std::optional<std::string_view>> texts() const
    {
        std::vector<lun_string> s(static_cast<std::size_t>(size()));
        check(owner(), lun_text_read(owner(), a_, 0, size(), s.data()));
        std::vector<std::optional<std::string_view>> out;
        out.reserve(s.size());
        for (const lun_string &x : s)
            out.push_back(view_of(x));
        return out;
    }

    // A reduction of all elements, evaluated now: sum(), sum<std::int64_t>(), or
    // sum<std::complex<double>>() of complex numbers.
    template <class T = double> T total(lun_reduction r, std::int64_t ddof = 0) const
    {
        if constexpr (is_complex_v<T>) {
            return along(r, {}, false, false, ddof).template get<T>(0);
        } else {
            lun_value v{};
            check(owner(), lun_total(owner(), r, a_, ddof, &v));
            return number_of<T>(v);
        }
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
    static std::optional<std::string_view> view_of(const lun_string &s)
    {
        if (!s.data)
            return std::nullopt;
        return std::string_view(s.data, static_cast<std::size_t>(s.length));
    }
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
    // A complex number, which takes the width of the array beside it.
    template <class P> operand(std::complex<P> z) : kind_(of_complex), d_(z.real()), im_(z.imag())
    {
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
        case of_complex:
            check(e, lun_complex_number(e, d_, im_, &out));
            break;
        default:
            check(e, lun_number(e, d_, &out));
        }
        return array(out);
    }

  private:
    enum kind { of_array, of_integer, of_unsigned, of_float, of_complex };
    array a_;
    kind kind_ = of_float;
    std::uint64_t u_ = 0;
    double d_ = 0, im_ = 0;
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

#define LUN_HPP_OPERATOR(symbol, OP)                               \
    inline array operator symbol(const array &a, const operand &b) \
    {                                                              \
        return apply(OP, {a, b});                                  \
    }                                                              \
    template <class T, class = std::enable_if_t<is_number_v<T>>>   \
    array operator symbol(T a, const array &b)                     \
    {                                                              \
        return apply(OP, {a, b});                                  \
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
// In place: a += b writes a + b into a's elements.
#define LUN_HPP_IN_PLACE(symbol, OP)                                      \
    inline const array &operator symbol(const array &a, const operand &b) \
    {                                                                     \
        a.set(apply(OP, {a, b}));                                         \
        return a;                                                         \
    }
LUN_HPP_IN_PLACE(+=, LUN_OP_ADD)
LUN_HPP_IN_PLACE(-=, LUN_OP_SUB)
LUN_HPP_IN_PLACE(*=, LUN_OP_MUL)
LUN_HPP_IN_PLACE(/=, LUN_OP_DIV)
#undef LUN_HPP_IN_PLACE

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

// An aggregate of groups: the column `name` of the result.  other: the second column of "corr",
// "cov", "wmean", or what "concat" puts between two texts.
struct aggregate {
    std::string name, function, column, other;
    double quantile = 0;
};

// What join does besides; empty texts and lists have their defaults.
struct join_options {
    std::string how, suffix, validate, direction, tolerance;
    std::vector<std::string> right, by;
    bool match_missing = false, source = false;
};

// A table of columns.
class table
{
  public:
    table() = default;
    // Takes over a reference that a function of lunarray.h gave.
    explicit table(lun_table *t) noexcept : t_(t)
    {
    }
    table(const table &other) noexcept : t_(other.t_)
    {
        lun_table_retain(t_);
    }
    table(table &&other) noexcept : t_(std::exchange(other.t_, nullptr))
    {
    }
    table &operator=(table other) noexcept
    {
        std::swap(t_, other.t_);
        return *this;
    }
    ~table()
    {
        lun_table_release(t_);
    }

    lun_table *get() const noexcept
    {
        return t_;
    }
    lun_engine *engine() const noexcept
    {
        return lun_table_engine(t_);
    }
    explicit operator bool() const noexcept
    {
        return t_ != nullptr;
    }
    std::int64_t rows() const noexcept
    {
        return lun_table_rows(t_);
    }
    std::vector<std::string> names() const
    {
        std::vector<std::string> out;
        for (std::int64_t k = 0; k < lun_table_width(t_); k++)
            out.emplace_back(lun_table_name(t_, k));
        return out;
    }
    array operator[](const std::string &name) const
    {
        lun_array *out = nullptr;
        check(owner(), lun_table_column(owner(), t_, name.c_str(), &out));
        return array(out);
    }

    // Verbs, as in scripts; rows count from 0.
    table filter(const array &mask) const
    {
        return made(
            [&](lun_table **out) { return lun_table_filter(owner(), t_, mask.get(), out); });
    }
    table take(const array &rows) const
    {
        return made([&](lun_table **out) { return lun_table_take(owner(), t_, rows.get(), out); });
    }
    // By columns; "-x" descends.
    table sort(const std::vector<std::string> &names, bool missing_first = false) const
    {
        lun_table_sort_options o{};
        o.size = sizeof o;
        o.missing_first = missing_first;
        return made([&](lun_table **out) {
            return lun_table_sort(owner(), t_, pointers(names).data(), count(names), &o, out);
        });
    }
    table group(const std::vector<std::string> &keys, const std::vector<aggregate> &what,
                bool first_order = false, bool drop_missing = false) const
    {
        std::vector<lun_table_aggregate> list;
        for (const aggregate &a : what)
            list.push_back({a.name.c_str(), a.function.c_str(), or_null(a.column),
                            a.function == "concat" ? a.other.c_str() : or_null(a.other),
                            a.quantile});
        lun_table_group_options o{};
        o.size = sizeof o;
        o.first_order = first_order;
        o.drop_missing = drop_missing;
        return made([&](lun_table **out) {
            return lun_table_group_agg(owner(), t_, pointers(keys).data(), count(keys), list.data(),
                                       static_cast<std::int64_t>(list.size()), &o, out);
        });
    }
    table join(const table &u, const std::vector<std::string> &keys = {},
               const join_options &how = {}) const
    {
        const auto right = pointers(how.right), by = pointers(how.by);
        lun_table_join_options o{};
        if (!how.right.empty() && how.right.size() != keys.size())
            check(owner(), lun_fail(owner(), LUN_EARG, "as many keys of both tables are needed"));
        o.size = sizeof o;
        o.how = or_null(how.how);
        o.right = how.right.empty() ? nullptr : right.data();
        o.suffix = or_null(how.suffix);
        o.validate = or_null(how.validate);
        o.match_missing = how.match_missing;
        o.source = how.source;
        o.by = by.data();
        o.by_count = count(how.by);
        o.direction = or_null(how.direction);
        o.tolerance = or_null(how.tolerance);
        return made([&](lun_table **out) {
            return lun_table_join(owner(), t_, u.t_, pointers(keys).data(), count(keys), &o, out);
        });
    }

  private:
    static const char *or_null(const std::string &s)
    {
        return s.empty() ? nullptr : s.c_str();
    }
    static std::vector<const char *> pointers(const std::vector<std::string> &list)
    {
        std::vector<const char *> out;
        for (const std::string &s : list)
            out.push_back(s.c_str());
        return out;
    }
    static std::int64_t count(const std::vector<std::string> &list)
    {
        return static_cast<std::int64_t>(list.size());
    }
    lun_engine *owner() const
    {
        if (!t_)
            throw error(LUN_EARG, "the lun::table is empty");
        return engine();
    }
    template <class Call> table made(Call call) const
    {
        lun_table *out = nullptr;
        check(owner(), call(&out));
        return table(out);
    }

    lun_table *t_ = nullptr;
};

// A value between host and script; std::monostate is nil.
using value = std::variant<std::monostate, bool, std::int64_t, double, std::string, array, table>;

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
    // The same of any extents; strides, in elements, empty: row-major.  done() is called when the
    // engine uses the memory no more; never, if this fails.
    template <class T>
    array wrap(T *x, const std::vector<std::int64_t> &extents,
               const std::vector<std::int64_t> &strides = {}, std::function<void()> done = {}) const
    {
        std::vector<std::int64_t> steps = strides;
        if (strides.empty()) {
            steps.assign(extents.size(), 1);
            for (std::size_t k = extents.size(); k-- > 1;)
                steps[k - 1] = steps[k] * extents[k];
        } else if (strides.size() != extents.size()) {
            check(lun_fail(get(), LUN_ESHAPE, "not as many strides as extents"));
        }
        auto kept = done ? std::make_unique<std::function<void()>>(std::move(done)) : nullptr;
        array out = made([&](lun_array **a) {
            return lun_wrap_strided(get(), x, static_cast<int>(extents.size()), extents.data(),
                                    steps.data(), dtype_of<T>(), kept ? call_done : nullptr,
                                    kept.get(), a);
        });
        (void)kept.release();
        return out;
    }
    // Arrow's C data interface, lunarray_arrow.h: both structs move into the table.
    lun::table from_arrow(ArrowSchema *schema, ArrowArray *columns) const
    {
        return made_table(
            [&](lun_table **out) { return lun_from_arrow(get(), schema, columns, out); });
    }
    // The consumer releases both.
    void to_arrow(const lun::table &t, ArrowSchema *schema, ArrowArray *columns) const
    {
        check(lun_to_arrow(get(), t.get(), schema, columns));
    }
    // f is called while an evaluation takes long, and with nullptr at its end: lun_on_progress.
    // An exception of f is lost.
    void on_progress(std::function<void(const lun_progress *)> f)
    {
        progress_ =
            f ? std::make_unique<std::function<void(const lun_progress *)>>(std::move(f)) : nullptr;
        lun_on_progress(get(), progress_ ? call_progress : nullptr, progress_.get());
    }
    using log = std::function<void(lun_log_level, const char *subject, const char *text)>;
    // f receives messages up to a level, perhaps on the compiler's thread: lun_on_log.  An
    // exception of f is lost.
    void on_log(lun_log_level most, log f)
    {
        auto kept = f ? std::make_unique<log>(std::move(f)) : nullptr;
        check(lun_on_log(get(), most, kept ? call_log : nullptr, kept.get()));
        log_ = std::move(kept);
    }
    array load(const std::string &path) const
    {
        return made([&](lun_array **out) { return lun_load(get(), path.c_str(), out); });
    }
    void save(const std::string &path, const array &a) const
    {
        check(lun_save(get(), path.c_str(), a.get()));
    }
    // The table of a file, by the options of docs/files.md: "{columns = {'a'}}".
    lun::table load_table(const std::string &path, const std::string &options = "{}") const
    {
        return made_table([&](lun_table **out) {
            return lun_table_load(get(), path.c_str(), options.c_str(), out);
        });
    }
    void save(const std::string &path, const lun::table &t, const std::string &options = "{}") const
    {
        const lun_variant v = borrowed(t);
        check(lun_save_any(get(), path.c_str(), &v, options.c_str()));
    }
    lun::table table(const std::vector<std::pair<std::string, array>> &columns) const
    {
        std::vector<const char *> names;
        std::vector<lun_array *> arrays;
        for (const auto &column : columns) {
            names.push_back(column.first.c_str());
            arrays.push_back(column.second.get());
        }
        return made_table([&](lun_table **out) {
            return lun_table_make(get(), names.data(), arrays.data(),
                                  static_cast<std::int64_t>(names.size()), out);
        });
    }
    lun::table concat(const std::vector<lun::table> &tables, bool joined = false) const
    {
        std::vector<lun_table *> list;
        for (const lun::table &t : tables)
            list.push_back(t.get());
        return made_table([&](lun_table **out) {
            return lun_table_concat(get(), list.data(), static_cast<std::int64_t>(list.size()),
                                    joined, out);
        });
    }
    // A Vector of texts, std::nullopt where one is missing.
    array texts(const std::vector<std::optional<std::string_view>> &x) const
    {
        std::vector<lun_string> list;
        for (const auto &s : x)
            list.push_back({s ? s->empty() ? "" : s->data() : nullptr,
                            s ? static_cast<std::int64_t>(s->size()) : 0});
        return made([&](lun_array **out) {
            return lun_text(get(), list.data(), static_cast<std::int64_t>(list.size()), out);
        });
    }
    // A statement over tables by name, which DuckDB's library runs: the table of its rows, or how
    // many rows it changed.  options: "{parameters = {5}}", as of lun_sql.
    value sql(const std::string &text,
              const std::vector<std::pair<std::string, lun::table>> &tables = {},
              const std::string &options = "{}") const
    {
        std::vector<const char *> names;
        std::vector<lun_table *> list;
        for (const auto &[name, t] : tables) {
            names.push_back(name.c_str());
            list.push_back(t.get());
        }
        lun_variant out{};
        check(lun_sql(get(), text.c_str(), names.data(), list.data(),
                      static_cast<std::int64_t>(list.size()), options.c_str(), &out));
        return taken(out);
    }
    // Bytes of a format, "png", "csv", and the array or table that a file of them has.
    value decode(std::string_view bytes, const std::string &format,
                 const std::string &options = "{}") const
    {
        lun_variant out{};
        check(lun_decode(get(), bytes.data(), bytes.size(), format.c_str(), options.c_str(), &out));
        return taken(out);
    }
    std::string encode(const value &x, const std::string &format,
                       const std::string &options = "{}") const
    {
        const lun_variant v = borrowed(x);
        void *bytes = nullptr;
        std::size_t n = 0;
        check(lun_encode(get(), &v, format.c_str(), options.c_str(), &bytes, &n));
        const std::unique_ptr<void, void (*)(void *)> kept(
            bytes, [](void *p) { lun_bytes_free(nullptr, p); });
        return {static_cast<const char *>(bytes), n};
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
        return called(
            get(), arguments, [&](const lun_variant *in, int count, lun_variant *out, int *given) {
                return lun_callglobal(get(), name.c_str(), in, count, out, LUN_MOST_RESULTS, given);
            });
    }
    // Makes f callable from scripts under this name.
    void add(const std::string &name, native f)
    {
        natives_.push_back(std::make_unique<native>(std::move(f)));
        check(lun_register(get(), name.c_str(), call_native, natives_.back().get()));
    }

  private:
    friend class scope;
    friend class reference;
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

    template <class Call> lun::table made_table(Call call) const
    {
        lun_table *out = nullptr;
        check(call(&out));
        return lun::table(out);
    }

    // The results of a call that takes arguments as C has them.
    template <class Call>
    static std::vector<value> called(lun_engine *e, const std::vector<value> &arguments, Call call)
    {
        std::vector<lun_variant> in;
        lun_variant out[LUN_MOST_RESULTS];
        int given = 0;
        for (const value &v : arguments)
            in.push_back(borrowed(v));
        lun::check(e, call(in.data(), static_cast<int>(in.size()), out, &given));
        std::vector<value> results;
        for (int i = 0; i < given && i < LUN_MOST_RESULTS; i++)
            results.push_back(taken(out[i]));
        return results;
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
        } else if (const lun::table *t = std::get_if<lun::table>(&v)) {
            x.type = LUN_TYPE_TABLE;
            x.as.table = t->get();
        }
        return x;
    }
    // Takes over the reference to an array or a table.
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
        case LUN_TYPE_TABLE:
            return lun::table(x.as.table);
        default:
            return std::monostate{};
        }
    }
    static void call_done(void *, void *ctx) noexcept
    {
        const std::unique_ptr<std::function<void()>> f(static_cast<std::function<void()> *>(ctx));
        (*f)();
    }
    static void call_progress(void *ctx, const lun_progress *p) noexcept
    {
        try {
            (*static_cast<std::function<void(const lun_progress *)> *>(ctx))(p);
        } catch (...) { // what calls it is C
        }
    }
    static void call_log(void *ctx, lun_log_level level, const char *subject,
                         const char *text) noexcept
    {
        try {
            (*static_cast<log *>(ctx))(level, subject, text);
        } catch (...) { // what calls it is C
        }
    }
    static void retain(const lun_variant &x) noexcept
    {
        if (x.type == LUN_TYPE_ARRAY)
            lun_retain(x.as.array);
        else if (x.type == LUN_TYPE_TABLE)
            lun_table_retain(x.as.table);
    }
    // No exception leaves it: what calls it is C.
    static lun_status call_native(void *ctx, lun_engine *e, const lun_variant *args, int count,
                                  lun_variant *results, int *given)
    {
        try {
            std::vector<value> in;
            for (int i = 0; i < count; i++) {
                retain(args[i]);
                in.push_back(taken(args[i]));
            }
            thread_local std::vector<value> out; // texts live until Lua has copied them
            out = (*static_cast<native *>(ctx))(in);
            if (out.size() > LUN_MOST_RESULTS)
                return lun_fail(e, LUN_EARG, "more results than there is room for");
            for (std::size_t i = 0; i < out.size(); i++) {
                results[i] = borrowed(out[i]);
                retain(results[i]);
            }
            *given = static_cast<int>(out.size());
            for (value &v : out) // the engine has references of its own now
                if (std::holds_alternative<array>(v) || std::holds_alternative<lun::table>(v))
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
    std::unique_ptr<std::function<void(const lun_progress *)>> progress_;
    std::unique_ptr<log> log_;
    std::unique_ptr<lun_engine, closer> e_;
};

// A function of a scope that the host holds.
class reference
{
  public:
    std::vector<value> operator()(const std::vector<value> &arguments = {}) const
    {
        return engine::called(
            e_, arguments, [&](const lun_variant *in, int count, lun_variant *out, int *given) {
                return lun_ref_call(r_.get(), in, count, out, LUN_MOST_RESULTS, given);
            });
    }

  private:
    friend class scope;
    reference(lun_engine *e, lun_ref *r) : e_(e), r_(r, lun_ref_free)
    {
    }

    lun_engine *e_;
    std::shared_ptr<lun_ref> r_;
};

// Globals of their own; ends before its engine.  Paths: "cfg.gain".
class scope
{
  public:
    explicit scope(const engine &e) : e_(e.get())
    {
        lun_globals *s = nullptr;
        check(lun_scope_new(e_, &s));
        s_.reset(s);
    }
    lun_globals *get() const noexcept
    {
        return s_.get();
    }
    void run(std::string_view script, const std::string &name = "=script")
    {
        check(
            lun_scope_run(get(), script.empty() ? "" : script.data(), script.size(), name.c_str()));
    }
    void set(const std::string &path, const value &x)
    {
        const lun_variant v = engine::borrowed(x);
        check(lun_scope_set(get(), path.c_str(), &v));
    }
    value at(const std::string &path) const
    {
        lun_variant v{};
        check(lun_scope_get(get(), path.c_str(), &v));
        return engine::taken(v);
    }
    std::vector<value> call(const std::string &path, const std::vector<value> &arguments = {})
    {
        return engine::called(
            e_, arguments, [&](const lun_variant *in, int count, lun_variant *out, int *given) {
                return lun_scope_call(get(), path.c_str(), in, count, out, LUN_MOST_RESULTS, given);
            });
    }
    reference hold(const std::string &path) const
    {
        lun_ref *r = nullptr;
        check(lun_scope_ref(get(), path.c_str(), &r));
        return {e_, r};
    }
    // Makes f callable from scripts of this scope; it ends when none has it any more.
    void add(const std::string &path, engine::native f)
    {
        auto kept = std::make_unique<engine::native>(std::move(f));
        check(lun_scope_register(get(), path.c_str(), engine::call_native, kept.get(),
                                 [](void *p) { delete static_cast<engine::native *>(p); }));
        (void)kept.release();
    }

  private:
    struct closer {
        void operator()(lun_globals *s) const noexcept
        {
            lun_scope_free(s);
        }
    };
    void check(lun_status s) const
    {
        lun::check(e_, s);
    }

    lun_engine *e_;
    std::unique_ptr<lun_globals, closer> s_;
};

} // namespace lun

#endif
