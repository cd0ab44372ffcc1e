/* gpu_device.c - devices in their order, as rows of a table, and what this machine says of them;
 * see gpu_device.h. */
#include "gpu/gpu_device.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

/* ---- lists ----------------------------------------------------------------------------------- */

void lun__gpu_device_insert(lun_gpu_devices *list, const lun_gpu_device *d)
{
    int at = list->count++;
    for (; at > 0 && list->device[at - 1].kind > d->kind; at--)
        list->device[at] = list->device[at - 1];
    list->device[at] = *d;
}

lun_device lun__gpu_device_row(const char *backend, const lun_gpu_device *d)
{
    static const char *const kinds[] = {
        [LUN_GPU_GRAPHICS] = "gpu",
        [LUN_GPU_ACCELERATOR] = "accelerator",
        [LUN_GPU_PROCESSOR] = "cpu",
    };
    lun_device row = {.memory = d->memory,
                      .units = d->units,
                      .largest = d->most_bytes,
                      .local_memory = d->local_bytes,
                      .group = d->group,
                      .vector = d->vector,
                      .fp64 = d->fp64,
                      .extensions = d->extensions};
    snprintf(row.platform, sizeof row.platform, "%s", d->platform_name);
    snprintf(row.version, sizeof row.version, "%s", d->version);
    snprintf(row.driver, sizeof row.driver, "%s", d->own_driver);
    snprintf(row.bits, sizeof row.bits, "%s",
             d->lacks[0] || (d->fp64 && d->lacks[1]) ? "none" : "");
    snprintf(row.backend, sizeof row.backend, "%s", backend);
    snprintf(row.name, sizeof row.name, "%.127s", d->name);
    snprintf(row.kind, sizeof row.kind, "%s", kinds[d->kind]);
    return row;
}

/* ---- this machine ---------------------------------------------------------------------------- */

bool lun__gpu_device_node(void)
{
    static const char *const patterns[] = {"/dev/nvidia[0-9]*", "/dev/dri/renderD*", "/dev/kfd"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        bool is = glob(patterns[i], GLOB_NOSORT, NULL, &found) == 0;
        globfree(&found);
        if (is)
            return true;
    }
    return false;
}

uint64_t lun__gpu_device_host(const char *cpuinfo)
{
    static const char *const names[] = {"\nflags", "\nFeatures", "\nisa"};
    uint64_t hash = 0xcbf29ce484222325u;
    const char *segment = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !segment; i++)
        segment = strstr(cpuinfo, names[i]);
    if (!segment)
        return 0;
    for (segment++; *segment && *segment != '\n'; segment++)
        hash = (hash ^ (unsigned char)*segment) * 0x100000001b3u;
    return hash;
}

uint64_t lun__gpu_device_host_here(void)
{
    char text[16384];
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    return lun__gpu_device_host(text);
}
