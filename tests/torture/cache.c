/* cache.c - the kernel cache: damaged entries, writers killed at any moment, many processes on
 * an empty cache, hostile directories.  Kernels are those of an engine; a compiler that copies
 * stored outputs (stored_cc.c) makes thousands of rebuilds affordable.  argv[1]: that compiler. */
#include "kit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lunarray.h"

enum { KERNELS = 8, MANY = 200, N = 300, SECONDS = 120 };

static char root[64], cache_dir[96], log_file[96];

/* ---- an engine and its kernels --------------------------------------------------------------- */

static lun_engine *open_engine(const char *dir)
{
    lun_engine *e = NULL;
    lun_config c = {
        .size = sizeof c, .backend = "openmp", .threads = 1, .jit = LUN_JIT_SYNC, .cache_dir = dir};
    return lun_open(&c, &e) == LUN_OK ? e : NULL;
}

/* Kernel k: ((x + x) - k%3 times x ...), whose text differs for each k; true if its sum is
 * right. */
static bool kernel_right(lun_engine *e, int k)
{
    lun_array *x = NULL, *y = NULL, *out = NULL;
    double data[N], want = 0;
    lun_value got;
    for (int i = 0; i < N; i++)
        data[i] = i % 17 + 1;
    bool good = lun_vector(e, data, N, LUN_F64, &x) == LUN_OK;
    lun_retain(y = x);
    for (int bit = 0; bit < 8 && good; bit++) { /* one operation for each bit of k */
        good = (k >> bit & 1 ? lun_add(e, y, x, &out) : lun_mul(e, y, x, &out)) == LUN_OK;
        lun_release(y);
        y = out;
    }
    for (int i = 0; i < N; i++) {
        double v = data[i];
        for (int bit = 0; bit < 8; bit++)
            v = k >> bit & 1 ? v + data[i] : v * data[i];
        want += v;
    }
    good = good && lun_total(e, LUN_SUM, y, 0, &got) == LUN_OK && got.dtype == LUN_F64;
    good = good && got.as.d > want * (1 - 1e-12) && got.as.d < want * (1 + 1e-12);
    lun_release(x);
    lun_release(y);
    return good;
}

/* Runs kernels 0..count-1; how many were compiled, -1: one was wrong. */
static int run_kernels(const char *dir, int count, int from, long *hits)
{
    lun_engine *e = open_engine(dir);
    lun_stats s = {.size = sizeof s};
    bool good = e != NULL;
    for (int i = 0; i < count && good; i++)
        good = kernel_right(e, (i + from) % count);
    if (e) {
        lun_stats_get(e, &s);
        *hits = (long)s.cache_hits;
    }
    lun_close(e);
    return good ? (int)s.compiles : -1;
}

/* ---- damage ---------------------------------------------------------------------------------- */

static int entries(char names[][64], int room)
{
    DIR *d = opendir(cache_dir);
    struct dirent *e;
    int n = 0;
    while (d && (e = readdir(d)) && n < room)
        if (strlen(e->d_name) == 32)
            snprintf(names[n++], 64, "%.63s", e->d_name);
    if (d)
        closedir(d);
    return n;
}

/* Damages an entry's file in one of the ways that disks, crashes and users do. */
static bool harm(const char *name, uint64_t *random)
{
    static char bytes[1 << 20];
    char path[192];
    snprintf(path, sizeof path, "%s/%.63s", cache_dir, name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    long size = fd < 0 ? -1 : (long)read(fd, bytes, sizeof bytes);
    if (size <= 0)
        return false;
    long at = kit_below(random, size), some = 1 + kit_below(random, 4096);
    bool done = true;
    switch (kit_below(random, 7)) {
    case 0: /* a bit */
        bytes[at] = (char)(bytes[at] ^ (1 << kit_below(random, 8)));
        done = pwrite(fd, bytes + at, 1, at) == 1;
        break;
    case 1: /* eight bytes anywhere */
        for (int i = 0; i < 8; i++) {
            at = kit_below(random, size);
            bytes[at] = (char)(bytes[at] + 1 + kit_below(random, 255));
            done = done && pwrite(fd, bytes + at, 1, at) == 1;
        }
        break;
    case 2: /* cut */
        done = ftruncate(fd, at) == 0;
        break;
    case 3: /* a hole up to the end */
        if (at && bytes[at] == 0)
            at = 0;
        done = ftruncate(fd, at) == 0 && ftruncate(fd, size) == 0;
        break;
    case 4: /* a block of zeros with at least one change in it */
        while (bytes[at] == 0)
            at = (at + 1) % size;
        memset(bytes + at, 0, (size_t)(size - at));
        done = pwrite(fd, bytes + at, (size_t)(at + some < size ? some : size - at), at) > 0;
        break;
    case 5: /* longer */
        done = ftruncate(fd, size + some) == 0;
        break;
    default: /* doubled */
        done = pwrite(fd, bytes, (size_t)size, size) == size;
        break;
    }
    close(fd);
    return done;
}

typedef struct damage_round {
    uint64_t random;
    int rounds;
} damage_round;

/* Exit status: 0 good, 1 a wrong result, 2 not rebuilt, 3 not served afterwards, 4 no entries. */
static int damage_child(void *arg)
{
    damage_round *r = arg;
    char names[64][64];
    long hits;
    for (int i = 0; i < r->rounds; i++) {
        if (entries(names, 64) != KERNELS)
            return 4;
        for (int k = 0; k < KERNELS; k++)
            if (!harm(names[k], &r->random))
                return 4;
        int compiles = run_kernels(cache_dir, KERNELS, 0, &hits);
        if (compiles < 0)
            return 1;
        if (compiles != KERNELS || hits != 0)
            return 2;
    }
    int compiles = run_kernels(cache_dir, KERNELS, 0, &hits);
    return compiles < 0 ? 1 : compiles != 0 || hits != KERNELS ? 3 : 0;
}

static void damaged_entries(void)
{
    long hits, rounds = kit_count(10000 / KERNELS, 8), done = 0, bad = 0;
    int status = 0;
    if (run_kernels(cache_dir, KERNELS, 0, &hits) != KERNELS) {
        kit_report(false, "damaged cache entries", "the kernels cannot be compiled");
        return;
    }
    for (uint64_t seed = 1; done < rounds; seed++) {
        damage_round r = {seed, (int)(rounds - done < 25 ? rounds - done : 25)};
        int s = kit_child(damage_child, &r, SECONDS);
        if (s) {
            status = s;
            bad++;
            kit_remove(cache_dir);
            run_kernels(cache_dir, KERNELS, 0, &hits);
        }
        done += r.rounds;
    }
    if (bad)
        kit_report(false, "damaged cache entries", "%ld groups failed, the last with %d", bad,
                   status);
    else
        kit_report(true, "damaged cache entries",
                   "%ld damaged, 0 crashes, 0 wrong results, all rebuilt", done * KERNELS);
}

/* ---- killed writers -------------------------------------------------------------------------- */

static int temporaries(void)
{
    DIR *d = opendir(cache_dir);
    struct dirent *e;
    int n = 0;
    while (d && (e = readdir(d)))
        n += !strncmp(e->d_name, ".tmp-", 5) || !strncmp(e->d_name, "scratch-", 8) ||
             !strncmp(e->d_name, "claim-", 6);
    if (d)
        closedir(d);
    return n;
}

/* Makes leftovers old enough for the next store to remove. */
static void age(void)
{
    char command[256];
    snprintf(command, sizeof command,
             "find '%s' -mindepth 1 -maxdepth 1 \\( -name '.tmp-*' -o -name 'scratch-*' "
             "-o -name 'claim-*' \\) "
             "-exec touch -d '2 hours ago' {} +",
             cache_dir);
    if (system(command))
        fprintf(stderr, "cannot age\n");
}

static int writer(void *arg)
{
    long hits;
    (void)arg;
    return run_kernels(cache_dir, 16, 0, &hits) < 0;
}

static void killed_writers(void)
{
    long rounds = kit_count(1000, 20), wrong = 0, hits, killed = 0;
    uint64_t random = 7;
    int most = 0;
    for (long i = 0; i < rounds; i++) {
        if (i % 4 == 0) { /* an empty cache: all of it is written */
            kit_remove(cache_dir);
            mkdir(cache_dir, 0700);
        }
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(SECONDS);
            setpgid(0, 0);
            _exit(writer(NULL));
        }
        setpgid(pid, pid);
        kit_sleep((double)kit_below(&random, 60000) * 1e-6);
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL);
        int status;
        waitpid(pid, &status, 0);
        killed += WIFSIGNALED(status) != 0;
        if (i % 5 == 4 || i == rounds - 1)
            wrong += kit_child(writer, NULL, SECONDS) != 0;
        int t = temporaries();
        most = t > most ? t : most;
        if (i % 20 == 19)
            age();
    }
    age();
    kit_remove(log_file);
    wrong += run_kernels(cache_dir, 40, 0, &hits) < 0; /* new kernels: a store removes leftovers */
    int left = temporaries();
    kit_report(wrong == 0 && left == 0, "writers killed at random moments",
               "%ld of %ld killed, %ld wrong, at most %d temporaries, %d left after the next store",
               killed, rounds, wrong, most, left);
}

/* ---- many processes -------------------------------------------------------------------------- */

static int cold(void *arg)
{
    long hits;
    return run_kernels(cache_dir, *(int *)arg, 0, &hits) < 0;
}

static long lines_of_log(void)
{
    struct stat st;
    return stat(log_file, &st) ? 0 : (long)st.st_size / 2;
}

static void many_processes(void)
{
    enum { PROCESSES = 16 };
    long rounds = kit_count(20, 1), failed = 0, compiles = 0;
    int kernels = (int)kit_count(MANY, 12);
    if (kernels > MANY)
        kernels = MANY;
    setenv("STORED_CC_LOG", log_file, 1);
    for (long round = 0; round < rounds; round++) {
        pid_t pids[PROCESSES];
        kit_remove(cache_dir);
        kit_remove(log_file);
        for (int p = 0; p < PROCESSES; p++) {
            fflush(NULL);
            pids[p] = fork();
            if (pids[p] == 0) {
                alarm(2 * SECONDS);
                _exit(cold(&kernels));
            }
        }
        for (int p = 0; p < PROCESSES; p++) {
            int status;
            waitpid(pids[p], &status, 0);
            failed += status != 0;
        }
        compiles += lines_of_log();
    }
    unsetenv("STORED_CC_LOG");
    double each = (double)compiles / (double)(rounds * kernels);
    kit_report(failed == 0 && each <= 1.2, "16 processes on an empty cache",
               "%d kernels, %ld rounds: %ld processes failed, %.2f compiler runs a kernel", kernels,
               rounds, failed, each);
}

/* ---- hostile directories --------------------------------------------------------------------- */

/* Layouts as shell commands: $r is a fresh directory, $r/c is the cache directory. */
static const struct {
    const char *name, *make;
} layouts[] = {
    {"a link to a directory", "mkdir real; ln -s real c"},
    {"a link to nowhere", "ln -s missing c"},
    {"a link to itself", "ln -s c c"},
    {"a link to another user's directory", "ln -s /usr c"},
    {"writable by all", "mkdir c; chmod 0777 c"},
    {"writable by all, sticky", "mkdir c; chmod 1777 c"},
    {"writable by the group", "mkdir c; chmod 0770 c"},
    {"write only for others", "mkdir c; chmod 0702 c"},
    {"a file", "echo x > c"},
    {"an empty file", ": > c"},
    {"a fifo", "mkfifo c"},
    {"below a file", "echo x > f; ln -s f/c c"},
    {"below a fifo", "mkfifo f; ln -s f/c c"},
    {"a device", "ln -s /dev/null c"},
    {"a device of text", "ln -s /dev/tty c"},
    {"the root", "ln -s / c"},
    {"proc", "ln -s /proc/self c"},
    {"of another user", "mkdir c; chown 12345 c"},
    {"a file of another user", "echo x > c; chown 12345 c"},
    {"a link to a link", "mkdir c2; ln -s c2 c1; ln -s c1 c"},
};

static char told[4096];

static void hear(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(told, sizeof told, "%s", text);
}

static int hostile_child(void *arg)
{
    const char *dir = arg;
    lun_engine *e = NULL;
    lun_config c = {.size = sizeof c,
                    .backend = "openmp",
                    .threads = 1,
                    .jit = LUN_JIT_SYNC,
                    .cache_dir = dir,
                    .log = hear};
    if (lun_open(&c, &e) != LUN_OK || !kernel_right(e, 3) || !kernel_right(e, 4))
        return 1;
    lun_close(e);
    return strstr(told, "not used") ? 0 : 2;
}

static void hostile_directories(void)
{
    int count = (int)(sizeof layouts / sizeof *layouts), refused = 0, skipped = 0;
    for (int i = 0; i < count; i++) {
        char dir[96], command[512];
        if (strstr(layouts[i].make, "chown") && geteuid()) {
            skipped++;
            continue;
        }
        snprintf(dir, sizeof dir, "%s/layout%d/c", root, i);
        snprintf(command, sizeof command, "mkdir %s/layout%d && cd %s/layout%d && { %s; }", root, i,
                 root, i, layouts[i].make);
        int s = system(command) ? 9 : kit_child(hostile_child, dir, SECONDS);
        if (s)
            fprintf(stderr, "cache directory: %s: %d\n", layouts[i].name, s);
        else
            refused++;
    }
    kit_report(refused + skipped == count, "hostile cache directories",
               "%d of %d refused, %d need root", refused, count, skipped);
}

int main(int argc, char **argv)
{
    char store[96];
    if (argc < 2 || !kit_directory(root))
        return 1;
    snprintf(cache_dir, sizeof cache_dir, "%s/cache", root);
    snprintf(log_file, sizeof log_file, "%s/log", root);
    snprintf(store, sizeof store, "%s/store", root);
    mkdir(store, 0700);
    setenv("LUNARRAY_CC", argv[1], 1);
    setenv("STORED_CC_DIR", store, 1);
    damaged_entries();
    killed_writers();
    many_processes();
    hostile_directories();
    kit_remove(root);
    return 0;
}
