// A C++ program: references that end by themselves, operators, errors as exceptions, functions that
// scripts call.
//
//     c++ -std=c++17 embed.cpp $(pkg-config --cflags --libs lunarray) -o embed && ./embed
//
// prints:
//     0 1 4 9 16
//     sum 30, largest of 10 - x * x: 10
//     sums of rows: 6 15, last column doubled: 1 2 6 4 5 12
//     large squares, largest first: 16 9, at 4 3, median of all: 4
//     sums of neighbours: 1 2 4 6 3
//     script: mean 6, name squares of 5
//     caught: lengths differ: f64[5] and f64[2]
//     caught: no sensor 7
#include <cstdio>

#include <lunarray.hpp>

int main()
{
    lun::engine engine;
    lun::array x = engine.vector({0.0, 1.0, 2.0, 3.0, 4.0});
    lun::array square = x * x;
    for (double v : square.read<double>())
        std::printf("%s%g", v > 0 ? " " : "", v);
    std::printf("\nsum %g, largest of 10 - x * x: %g\n", square.sum(), (10 - square).max());

    // Along axes, and windows: what is written through one is written into its array.
    lun::array grid = engine.vector({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}).reshape({2, 3}).copy();
    std::printf("sums of rows:");
    for (double v : grid.along(LUN_SUM, {1}).read<double>())
        std::printf(" %g", v);
    lun::array last = grid.select(1, 2);
    last.write((last * 2).read<double>());
    std::printf(", last column doubled:");
    for (double v : grid.read<double>())
        std::printf(" %g", v);
    std::printf("\n");

    // Elements that a mask chooses, in order; where they stand in the order of all.
    lun::array large = square.compress(lun::gt(square, 5.0)).sort(0, LUN_DESCENDING);
    std::printf("large squares, largest first: %g %g, at %g %g, median of all: %g\n", large[0],
                large[1], square.argsort(0, LUN_DESCENDING)[0],
                square.argsort(0, LUN_DESCENDING)[1], square.quantile(0.5)[0]);

    // A function in C of the elements around each one, with zeros beyond the ends.
    lun::function around = engine.c("(double x) { return get(x, -1) + get(x, 1); }");
    std::printf("sums of neighbours:");
    for (double v : x.stencil(around, LUN_EDGE_VALUE).read<double>())
        std::printf(" %g", v);
    std::printf("\n");

    // A script's function, called with an array and a text; it calls one of the host's.
    engine.add("length", [](const std::vector<lun::value> &in) -> std::vector<lun::value> {
        return {std::get<lun::array>(in.at(0)).size()};
    });
    engine.add("sensor", [](const std::vector<lun::value> &in) -> std::vector<lun::value> {
        throw std::runtime_error("no sensor " + std::to_string(std::get<std::int64_t>(in.at(0))));
    });
    engine.run("function describe(a, name) return a:mean(), name .. ' of ' .. length(a) end");
    auto results = engine.call("describe", {square, std::string("squares")});
    std::printf("script: mean %g, name %s\n", std::get<double>(results[0]),
                std::get<std::string>(results[1]).c_str());

    try {
        x + engine.vector({1.0, 2.0});
    } catch (const lun::error &error) {
        std::printf("caught: %s\n", error.what());
    }
    engine.run("ok, message = pcall(sensor, 7) message = message.message:gsub('^sensor: ', '')");
    std::printf("caught: %s\n", engine.get_text("message").c_str());
}
