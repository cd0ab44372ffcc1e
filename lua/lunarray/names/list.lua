-- The files of this room and the names that each has, read at the start; a file is loaded when one of its names
-- is called.

return {
    {
        file = "making",
        functions = "eye tri meshgrid cartesian logspace geomspace finfo iinfo result_type can_cast",
        methods = "diag tril triu zeros_like ones_like full_like vander itemsize nbytes",
    },
    {
        file = "shapes",
        functions = "broadcast_arrays hstack vstack dstack",
        methods = "tile repeat_ roll flip swapaxes matrix_transpose moveaxis rot90 expand_dims squeeze "
            .. "broadcast_to unstack split take_along_axis put_along_axis delete insert trim_zeros",
    },
    {
        file = "sums",
        functions = "",
        methods = "cumsum cumprod cummax cummin cumulative_sum cumulative_prod diff gradient trapz "
            .. "trapezoid average ptp nansum nanmean nanmin nanmax nanstd nanmedian count_nonzero "
            .. "bincount",
    },
    {
        file = "elementwise",
        functions = "",
        methods = "square reciprocal rint modf signbit fmod ldexp frexp nextafter popcount packbits unpackbits clz "
            .. "ctz sar gcd lcm ipow lxor logaddexp heaviside deg2rad rad2deg sinpi sinc expit logit softplus minimum "
            .. "maximum clip nan_to_num isclose allclose equals",
    },
    {
        file = "complex",
        functions = "polar",
        methods = "adjoint",
    },
    {
        file = "search",
        functions = "",
        methods = "digitize nonzero argwhere extract interp unique_values unique_counts unique_inverse unique_all isin "
            .. "intersect union setdiff setxor nunique mode value_counts rank",
    },
    {
        file = "statistics",
        functions = "coalesce",
        methods = "cov corr corrcoef histogram2d percentile moment skew kurtosis zscore describe pct_change isna notna "
            .. "dropna fillna naif ffill bfill interpolate",
    },
    {
        file = "series",
        functions = "",
        methods = "rolling ewm cut qcut",
    },
    {
        file = "signals",
        functions = "hanning hamming blackman bartlett kaiser",
        methods = "roots polyval polyder polyint polymul polyadd polydiv poly polyfit i0 medfilt savgol gaussian",
    },
    {
        file = "fourier",
        functions = "fftfreq rfftfreq",
        methods = "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fftshift ifftshift",
    },
    {
        file = "convolution",
        functions = "",
        methods = "convolve correlate",
    },
    {
        file = "products",
        functions = "multi_dot einsum",
        methods = "outer tensordot inner vecdot cross kron matrix_power vector_norm matrix_norm",
    },
    {
        file = "random",
        functions = "permutation choice multivariate_normal uniform normal",
        methods = "shuffle",
    },
    {
        file = "matrices",
        functions = "",
        methods = "solve inv det slogdet lu cholesky solve_triangular qr eigh eigvalsh eig eigvals",
    },
    {
        file = "singular",
        functions = "",
        methods = "svd svdvals matrix_rank pinv lstsq cond",
    },
    {
        file = "offset",
        functions = "",
        methods = "offset",
    },
    {
        file = "equations",
        functions = "cg",
        methods = "trace expm",
    },
}
