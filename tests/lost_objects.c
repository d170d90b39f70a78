/* Loaded by tests/whole_record.py: an HDF5 library that loses the second half of each file that it wrote when it closes
 * it, and says nothing. */
#include <dlfcn.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void spoil(const char *path) {
    struct stat info;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0) abort();
    const size_t size = (size_t)info.st_size / 2;
    unsigned char *bytes = malloc(size + 1);
    if (!bytes || pread(file, bytes, size, info.st_size - (off_t)size) != (ssize_t)size) abort();
    for (size_t i = 0; i < size; i++) bytes[i] ^= 0xff;
    if (pwrite(file, bytes, size, info.st_size - (off_t)size) != (ssize_t)size) abort();
    free(bytes);
    close(file);
}

herr_t H5Fclose(hid_t file) {
    static herr_t (*actual)(hid_t);
    char path[4096] = "";
    unsigned intent = H5F_ACC_RDONLY;
    if (!actual) {
        void *found = dlsym(RTLD_NEXT, "H5Fclose");
        memcpy((void *)&actual, &found, sizeof found);
    }
    H5Fget_intent(file, &intent);
    H5Fget_name(file, path, sizeof path);
    const herr_t closed = actual(file);
    if (closed >= 0 && intent != H5F_ACC_RDONLY) spoil(path);
    return closed;
}
