#include "operator/block_inverse.h"

#include <math.h>

static void exchange(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* brings the largest entry of the rest of the n x n matrix a to (j, j), with its row of y and its column of x */
static void bring_pivot(int n, int j, double *a, double *x, double *y) {
    int row = j, column = j;
    for (int r = j; r < n; r++)
        for (int c = j; c < n; c++)
            if (fabs(a[r * n + c]) > fabs(a[row * n + column])) row = r, column = c;
    for (int k = 0; k < n && row != j; k++) {
        exchange(&a[j * n + k], &a[row * n + k]);
        exchange(&y[j * n + k], &y[row * n + k]);
    }
    for (int k = 0; k < n && column != j; k++) {
        exchange(&a[k * n + j], &a[k * n + column]);
        exchange(&x[k * n + j], &x[k * n + column]);
    }
}

/* y a x = diag(1 / d): rows of a are subtracted from each other, and so are those of y; columns of a, and those of x */
static inline int invert(int n, double *a, double *x, double *d, double *y) {
    int regular = 1;
    for (int i = 0; i < n * n; i++) x[i] = y[i] = i % (n + 1) == 0;
    for (int j = 0; j < n; j++) {
        bring_pivot(n, j, a, x, y);
        double reciprocal = d[j] = a[j * n + j] != 0 ? 1 / a[j * n + j] : 0;
        regular = regular && a[j * n + j] != 0;
        for (int i = j + 1; i < n; i++) {
            double below = a[i * n + j] * reciprocal, right = a[j * n + i] * reciprocal;
            for (int k = 0; k < n; k++) {
                y[i * n + k] -= below * y[j * n + k];
                x[k * n + i] -= right * x[k * n + j];
            }
            for (int k = j + 1; k < n; k++) a[i * n + k] -= below * a[j * n + k];
        }
    }
    return regular;
}

int nb_block_invert(int n, double *a, double *x, double *d, double *y) {
    return n == 3 ? invert(3, a, x, d, y) : invert(n, a, x, d, y); /* a constant: loops unrolled */
}
