-- Names of SciPy's linalg, fft and special and of NumPy's random numbers, and what to write here, of its other modules
-- what is looked for most: code over what other_names.lua has; and those for which there is nothing, with the reason.

local M = {}

-- Names on the left, with blanks between those that mean the same; the ways on the right.
M.written = {
    -- random numbers
    ["Generator RandomState bit_generator"] = { "lun.random(3, {seed = 1})" }, spawn = { "lun.split(1, 2)" },
    standard_normal = { 'lun.random(3, {dist = "normal"})' },
    ["standard_t"] = { 'lun.random(3, {dist = "student", df = 4})' },
    beta = { 'lun.random(3, {dist = "beta", a = 2, b = 3})' },
    chisquare = { 'lun.random(3, {dist = "chisquare", df = 4})' },
    gamma = { 'lun.random(3, {dist = "gamma", shape = 2})' },
    geometric = { 'lun.random(3, {dist = "geometric", p = 0.5})' },
    bytes = { 'lun.random(3, {dist = "integers", low = 0, high = 255}):cast("u8"):tobytes()' },
    permuted = { "lun.permutation(a)" },
    multinomial = { "lun.choice(3, 100, {p = {0.5, 0.25, 0.25}}):bincount{n = 3}" },
    negative_binomial = { 'lun.random(3, {dist = "poisson", rate = lun.random(3, {dist = "gamma", shape = 2})})' },
    lognormal = { 'lun.random(3, {dist = "normal"}):exp()' }, logistic = { "lun.random(3):logit()" },
    laplace = { 'lun.random(3, {dist = "exponential"}) - lun.random(3, {dist = "exponential"})' },
    gumbel = { '-lun.random(3, {dist = "exponential"}):log()' },
    rayleigh = { '(2 * lun.random(3, {dist = "exponential"})):sqrt()' },
    weibull = { 'lun.random(3, {dist = "exponential"}) ^ (1 / 2)' },
    pareto = { '(lun.random(3, {dist = "exponential"}) / 2):expm1()' },
    standard_cauchy = { "((lun.random(3) - 0.5) * lun.pi):tan()" },
    triangular = { "lun.random(3) + lun.random(3) - 1" },
    f = { '2 * lun.random(3, {dist = "chisquare", df = 2}) / lun.random(3, {dist = "chisquare", df = 4})' },
    -- matrices
    ["LinAlgError LinAlgWarning SpecialFunctionError"] = { "pcall(f, 1)" },
    block_diag = { "lun.eye(2):kron(M)" }, companion = { "b:roots()" }, dft = { "lun.eye(3):fft()" },
    cho_factor = { "lun.eye(3):cholesky()" }, cho_solve = { "lun.eye(3):cholesky():solve_triangular(b)" },
    circulant = { "lun.generate({3, 3}, function(i, j) return b[(i - j) % 3 + 1] end)" },
    toeplitz = { "lun.generate({3, 3}, function(i, j) return b[math.abs(i - j) + 1] end)" },
    hankel = { "lun.generate({2, 2}, function(i, j) return b[i + j - 1] end)" },
    hilbert = { "lun.generate({3, 3}, function(i, j) return 1 / (i + j - 1) end)" },
    diagsvd = { "b:diag()" }, lu_factor = { "lun.eye(3):lu()" },
    ["lu_solve solve_banded solveh_banded solve_toeplitz solve_circulant cho_solve_banded"] = { "lun.eye(3):solve(b)" },
    ["eigh_tridiagonal eig_banded eigvals_banded eigvalsh_tridiagonal"] = { "lun.eye(3):eigh()" },
    ["cholesky_banded"] = { "lun.eye(3):cholesky()" }, matmul_toeplitz = { "M:matmul(b)" },
    ["issymmetric ishermitian"] = { "M:equals(M:transpose())" }, pinvh = { "lun.eye(3):pinv()" },
    ["qr_multiply"] = { "M:qr()" }, orth = { "M:svd():sub({}, {1, M:matrix_rank()})" },
    null_space = { "select(3, M:svd{full = true}):sub(M:matrix_rank() + 1):adjoint()" },
    ["orthogonal_procrustes"] = { "M:matmul(M:transpose()):svd()" },
    khatri_rao = { "lun.einsum(\"ik,jk->ijk\", M, M):reshape(-1, 3)" },
    tensorsolve = { "lun.eye(4):solve(lun.ones(4)):reshape(2, 2)" },
    tensorinv = { "lun.eye(4):inv():reshape(2, 2, 2, 2)" },
    ["csr_array csr_matrix coo_array coo_matrix csc_array csc_matrix dia_array"] = { "lun.csr(M)" },
    ["load_npz save_npz"] = { 'lun.save("s.npz", lun.csr(M))' },
    -- transforms
    ["next_fast_len prev_fast_len"] = { "a:fft{n = 8}" },
    -- functions
    factorial = { "lun.range(1, 5):prod()" }, exp10 = { "10 ^ b" }, exprel = { "b:expm1() / b" },
    logsumexp = { "math.log((b - b:max()):exp():sum()) + b:max()" },
    log_softmax = { "b - b:max() - math.log((b - b:max()):exp():sum())" }, log_expit = { "-(-b):softplus()" },
    entr = { "-lun.where(b:eq(0), 0, b * b:log())" }, rel_entr = { "b * (b / a):log()" },
    kl_div = { "b * (b / a):log() - b + a" },
    xlogy = { "lun.where(b:eq(0), 0, b * b:log())" }, xlog1py = { "lun.where(b:eq(0), 0, b * b:log1p())" },
    ndtr = { "(b / -2 ^ 0.5):erfc() / 2" }, cosm1 = { "-2 * (b / 2):sin() ^ 2" }, powm1 = { "(2 * b:log()):expm1()" },
    radian = { "b:deg2rad()" }, sindg = { "b:deg2rad():sin()" }, cosdg = { "b:deg2rad():cos()" },
    tandg = { "b:deg2rad():tan()" }, cotdg = { "1 / b:deg2rad():tan()" },
    boxcox = { "(b ^ 2 - 1) / 2" }, inv_boxcox = { "(2 * b + 1) ^ (1 / 2)" }, boxcox1p = { "((1 + b) ^ 2 - 1) / 2" },
    inv_boxcox1p = { "(2 * b + 1) ^ (1 / 2) - 1" },
    huber = { "lun.where(b:abs():le(2), b ^ 2 / 2, 2 * (b:abs() - 1))" },
    pseudo_huber = { "4 * ((1 + (b / 2) ^ 2):sqrt() - 1)" },
    -- other modules
    linregress = { "a:polyfit(b, 1)" }, ["OLS ols lm LinearRegression"] = { "M:transpose():lstsq(a)" },
    spearmanr = { "a:rank():corr(b:rank())" }, interp1d = { "b:interp({1, 2, 3}, a)" },
    ["cumulative_trapezoid cumtrapz"] = { "((b:sub(2) + b:sub(1, -2)) / 2):cumsum()" },
    ["welch periodogram spectrogram stft"] = { "b:rfft():abs() ^ 2" },
    find_peaks = { "(b:sub(2, -2):gt(b:sub(1, -3)) & b:sub(2, -2):gt(b:sub(3))):indices() + 1" },
    detrend = { "b - a:polyfit(b, 1):polyval(a)" }, convolve2d = { "M:convolve(M)" },
    correlate2d = { "M:correlate(M)" },
    ["fftconvolve oaconvolve"] = { "b:convolve(b)" },
    lfilter = { "select(2, lun.scan(function(p, q, x, y) return p * x, q * x + y end, {1, 0}, "
        .. "{elements = 2, inclusive = true})(0.5, a))" },
    spsolve = { "lun.cg(lun.csr(lun.eye(3)), b)" }, eigsh = { "lun.eye(3):eigh()" }, eigs = { "lun.eye(3):eig()" },
    svds = { "M:svd()" }, minimize_scalar = { "lun.minimize(function(x) return ((x - 1) ^ 2):sum() end, {0})" },
    least_squares = { "lun.curve_fit(function(x, p) return p * x end, a, b, {1})" },
}

-- Names for which there is nothing, and why.
M.none = {
    ["cdf ppf sf isf ttest_ind ttest_rel ttest_1samp chi2_contingency ks_2samp kstest mannwhitneyu wilcoxon f_oneway"
        .. " shapiro gaussian_kde"] =
        "there are no tests, and of distribution functions the normal one is (b / -2 ^ 0.5):erfc() / 2",
    ["quad dblquad nquad simpson romberg"] = "b:trapz(x) integrates samples; f at many points are samples",
    ["brentq bisect newton fsolve root root_scalar"] =
        "c:roots() has those of polynomials; of others a loop with lun.derivative(f), or lun.minimize of the square",
    ["odeint solve_ivp ode"] = "a loop of steps, as in examples/nbody.lua",
    ["CubicSpline UnivariateSpline splrep make_interp_spline griddata RegularGridInterpolator spline"] =
        "x:interp(xs, ys) goes along lines between points",
    ["butter filtfilt sosfilt iirfilter cheby1 firwin"] =
        "of filters there are a:convolve(w), a:medfilt(w), a:savgol(w, order), and what lun.help \"lfilter\" says",
    ["KDTree cKDTree BallTree"] = "the distances of all pairs are what lun.help \"cdist\" says",
    ["kmeans kmeans2 KMeans"] = "examples/kmeans.lua is a program of it",
    ["linprog milp differential_evolution basinhopping dual_annealing"] =
        "lun.minimize(f, x0) takes smooth functions without bounds",
    ["dirichlet hypergeometric logseries multivariate_hypergeometric noncentral_chisquare noncentral_f"
        .. " vonmises wald zipf"] =
        "lun.random has uniform, normal, integers, bernoulli, exponential, geometric, gamma, beta,"
        .. " chisquare, student, poisson, binomial",
    ["coshm cosm expm_cond expm_frechet fractional_matrix_power funm logm signm sinhm sinm sqrtm tanhm tanm"] =
        "functions of matrices are A:expm(), A:matrix_power(k) and A:inv(); of symmetric ones A:eigh() makes others",
    ["bandwidth cdf2rdf cossin decomp decomp_cholesky decomp_lu decomp_qr decomp_schur decomp_svd hessenberg"
        .. " ldl matrix_balance ordqz qr_delete qr_insert qr_update qz rq rsf2csf schur subspace_angles"] =
        "factors of matrices are lu, cholesky, qr, svd, eigh and eig",
    ["clarkson_woodruff_transform convolution_matrix fiedler fiedler_companion hadamard helmert invhilbert"
        .. " invpascal leslie pascal special_matrices"] =
        "lun.generate(shape, f) makes matrices by their indices",
    ["solve_continuous_are solve_continuous_lyapunov solve_discrete_are solve_discrete_lyapunov solve_lyapunov"
        .. " solve_sylvester"] =
        "matrix equations are solved as one: A X has the elements of lun.eye(n):kron(A) times those of X",
    ["basic blas cython_blas cython_lapack find_best_blas_type get_blas_funcs get_lapack_funcs lapack matfuncs"
        .. " misc"] =
        "linear algebra here has no other library beneath it",
    ["hfft2 hfftn ihfft2 ihfftn"] =
        "hfft and ihfft go along one axis: take a:fftn() along the others",
    ["get_workers register_backend set_backend set_global_backend set_workers skip_backend"] =
        "LUNARRAY_THREADS says how many threads compute, and transforms have one implementation",
    ["dct dctn dst dstn fht fhtoffset idct idctn idst idstn ifht"] =
        "waves of cosines and sines alone are those of a:rfft() of the array with its mirror image",
    ["c_roots cg_roots h_roots he_roots j_roots js_roots l_roots la_roots p_roots ps_roots roots_chebyc"
        .. " roots_chebys roots_chebyt roots_chebyu roots_gegenbauer roots_genlaguerre roots_hermite"
        .. " roots_hermitenorm roots_jacobi roots_laguerre roots_legendre roots_sh_chebyt roots_sh_chebyu"
        .. " roots_sh_jacobi roots_sh_legendre s_roots t_roots ts_roots u_roots us_roots"] =
        "there is no quadrature",
    ["assoc_laguerre assoc_legendre_p assoc_legendre_p_all chebyc chebys chebyt chebyu eval_chebyc eval_chebys"
        .. " eval_chebyt eval_chebyu eval_gegenbauer eval_genlaguerre eval_hermite eval_hermitenorm eval_jacobi"
        .. " eval_laguerre eval_legendre eval_sh_chebyt eval_sh_chebyu eval_sh_jacobi eval_sh_legendre gegenbauer"
        .. " genlaguerre hermite hermitenorm jacobi laguerre legendre legendre_p legendre_p_all lpmv lqmn lqn"
        .. " sh_chebyt sh_chebyu sh_jacobi sh_legendre"] =
        "polynomials are lists of coefficients: c:polyval(x)",
    ["bernoulli betaln binom comb digamma euler factorial2 factorialk gammaln gammasgn loggamma multigammaln"
        .. " perm poch polygamma psi rgamma stirling2"] =
        "there are no gamma functions; of few numbers lun.range(1, n):prod()",
    ["SpecialFunctionWarning agm ai_zeros airy airye bdtr bdtrc bdtri bdtrik bdtrin bei bei_zeros beip"
        .. " beip_zeros ber ber_zeros berp berp_zeros besselpoly betainc betaincc betainccinv betaincinv bi_zeros"
        .. " btdtria btdtrib chdtr chdtrc chdtri chdtriv chndtr chndtridf chndtrinc chndtrix dawsn diric ellip_harm"
        .. " ellip_harm_2 ellip_normal ellipe ellipeinc ellipj ellipk ellipkinc ellipkm1 elliprc elliprd elliprf"
        .. " elliprg elliprj erf_zeros erfcinv erfcx erfi erfinv exp1 expi expn fdtr fdtrc fdtri fdtridfd fresnel"
        .. " fresnel_zeros fresnelc_zeros fresnels_zeros gammainc gammaincc gammainccinv gammaincinv gdtr gdtrc"
        .. " gdtria gdtrib gdtrix h1vp h2vp hankel1 hankel1e hankel2 hankel2e hyp0f1 hyp1f1 hyp2f1 hyperu i0e i1 i1e"
        .. " it2i0k0 it2j0y0 it2struve0 itairy iti0k0 itj0y0 itmodstruve0 itstruve0 iv ive ivp j0 j1 jn jn_zeros"
        .. " jnjnp_zeros jnp_zeros jnyn_zeros jv jve k0 k0e k1 k1e kei kei_zeros keip keip_zeros kelvin kelvin_zeros"
        .. " ker ker_zeros kerp kerp_zeros kn kolmogi kolmogorov kv kve kvp lambertw lmbda log_ndtr log_wright_bessel"
        .. " mathieu_a mathieu_b mathieu_cem mathieu_even_coef mathieu_modcem1 mathieu_modcem2 mathieu_modsem1"
        .. " mathieu_modsem2 mathieu_odd_coef mathieu_sem modfresnelm modfresnelp modstruve nbdtr nbdtrc nbdtri"
        .. " nbdtrik nbdtrin ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit ndtri"
        .. " ndtri_exp nrdtrimn nrdtrisd obl_ang1 obl_ang1_cv obl_cv obl_cv_seq obl_rad1 obl_rad1_cv obl_rad2"
        .. " obl_rad2_cv owens_t pbdn_seq pbdv pbdv_seq pbvv pbvv_seq pbwa pdtr pdtrc pdtri pdtrik pro_ang1"
        .. " pro_ang1_cv pro_cv pro_cv_seq pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv riccati_jn riccati_yn shichi"
        .. " sici smirnov smirnovi spence sph_harm_y sph_harm_y_all sph_legendre_p sph_legendre_p_all spherical_in"
        .. " spherical_jn spherical_kn spherical_yn stdtr stdtridf stdtrit struve tklmbda voigt_profile wofz"
        .. " wright_bessel wrightomega y0 y0_zeros y1 y1_zeros y1p_zeros yn yn_zeros ynp_zeros yv yve yvp zeta zetac"] =
        "of special functions there are erf erfc i0 sinc expit logit softplus expm1 log1p hypot",
}

return M
