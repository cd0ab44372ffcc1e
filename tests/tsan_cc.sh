#!/bin/sh
# The compiler of kernels under ThreadSanitizer (make tsan): what they read and write is watched, too. Its name is told
# here, for lun.info asks for it hundreds of times in a test, and clang is slow to start.
if [ "$*" = --version ]; then
    echo "${CLANG:-clang}, for ThreadSanitizer"
    exit 0
fi
exec ${CLANG:-clang} -fsanitize=thread "$@"
