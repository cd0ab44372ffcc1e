// A C++ program: references that end by themselves, operators, errors as exceptions. The wrapper is
// all here; take it along.
//
//     c++ -std=c++17 embed.cpp $(pkg-config --cflags --libs lunarray) -o embed && ./embed
//
// prints:
//     0 1 4 9 16
//     sum 30
//     caught: lengths differ: 5 and 2
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <vector>

#include <lunarray.h>

namespace lun
{

class Engine
{
  public:
    Engine()
    {
        check(lun_open(nullptr, &e_));
    }
    ~Engine()
    {
        lun_close(e_);
    }
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    void check(lun_status s) const
    {
        if (s != LUN_OK)
            throw std::runtime_error(lun_error(e_));
    }
    lun_engine *get() const
    {
        return e_;
    }

  private:
    lun_engine *e_ = nullptr;
};

/* A reference to a Vector or an expression; copies share it. Must end before its engine. */
class Array
{
  public:
    Array(const Engine &e, lun_array *a) : e_(&e), a_(a, lun_release)
    {
    }
    Array(const Engine &e, std::initializer_list<double> x) : e_(&e)
    {
        lun_array *a;
        e.check(lun_vector(e.get(), x.begin(), static_cast<int64_t>(x.size()), LUN_F64, &a));
        a_.reset(a, lun_release);
    }

    friend Array operator+(const Array &a, const Array &b)
    {
        return a.with(lun_add, b);
    }
    friend Array operator*(const Array &a, const Array &b)
    {
        return a.with(lun_mul, b);
    }

    double sum() const
    {
        lun_value v;
        e_->check(lun_total(e_->get(), LUN_SUM, a_.get(), 0, &v));
        return v.as.d;
    }
    std::vector<double> read() const
    {
        std::vector<double> x(static_cast<std::size_t>(lun_size(a_.get())));
        e_->check(lun_read(e_->get(), a_.get(), x.data(), 0, lun_size(a_.get())));
        return x;
    }

  private:
    using Binary = lun_status (*)(lun_engine *, lun_array *, lun_array *, lun_array **);
    Array with(Binary op, const Array &b) const
    {
        lun_array *out;
        e_->check(op(e_->get(), a_.get(), b.a_.get(), &out));
        return Array(*e_, out);
    }

    const Engine *e_;
    std::shared_ptr<lun_array> a_;
};

} // namespace lun

int main()
{
    lun::Engine engine;
    lun::Array x(engine, {0, 1, 2, 3, 4});
    lun::Array square = x * x;
    for (double v : square.read())
        std::printf("%s%g", v > 0 ? " " : "", v);
    std::printf("\nsum %g\n", square.sum());
    try {
        x + lun::Array(engine, {1, 2});
    } catch (const std::exception &error) {
        std::printf("caught: %s\n", error.what());
    }
}
