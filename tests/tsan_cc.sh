#!/bin/sh
# The compiler of kernels under ThreadSanitizer (make tsan): what they read and write is watched, too. gcc, for clang leaves
# accesses of more than 16 bytes alone, which those of kernels are.
exec gcc -fsanitize=thread "$@"
