#!/bin/sh
# Runs the conformance suite of the Python Array API standard (github.com/data-apis/array-api-tests, with its submodule array-api)
# against the engine, through the layer beside this script. Nothing is downloaded.
# SUITE: its folder; PYTHON: an interpreter that has pytest and hypothesis; BACKENDS: the backends, by default all three;
# EXAMPLES: of each test; ARGS: more for pytest.
set -eu
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
PYTHON=${PYTHON:-python3}
SUITE=${SUITE:-}
if [ -z "$SUITE" ] || [ ! -d "$SUITE/array_api_tests" ]; then
    echo "array-api needs the suite: make array-api SUITE=/path/to/array-api-tests"
    echo "(git clone --recurse-submodules https://github.com/data-apis/array-api-tests)"
    exit 1
fi
"$PYTHON" -c 'import hypothesis, pytest' 2>/dev/null || {
    echo "array-api needs pytest and hypothesis: pip install pytest hypothesis, and PYTHON=... if they are not python3's"
    exit 1
}

here=$(pwd)
export PYTHONPATH="$here/tests/standard" PYTHONDONTWRITEBYTECODE=1
export LUNARRAY_LIBRARY="$here/$BUILD/liblunarray.so.0"
export ARRAY_API_TESTS_MODULE=lunarray_standard ARRAY_API_TESTS_VERSION=2024.12
failed=
for backend in ${BACKENDS:-openmp reference opencl}; do
    echo "array-api: backend $backend"
    # shellcheck disable=SC2086 # several words
    (cd "$SUITE" && LUNARRAY_BACKEND=$backend "$PYTHON" -m pytest array_api_tests -q -W ignore -p no:cacheprovider \
        --disable-deadline --max-examples "${EXAMPLES:-100}" --xfails-file "$here/tests/standard/exceptions.txt" ${ARGS:-}) || failed="$failed $backend"
done
if [ -n "$failed" ]; then
    echo "array-api: failures on$failed"
    exit 1
fi
