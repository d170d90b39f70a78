/* Dense algebra on one thread: OpenBLAS splits sums by the number of its threads, so that last bits depend on it.
 * Between begin and end, which may be nested, and called from several threads, OpenBLAS has one. */
#ifndef NB_SOLVERS_DENSE_SERIAL_H
#define NB_SOLVERS_DENSE_SERIAL_H

void nb_dense_serial_begin(void);
void nb_dense_serial_end(void);

#endif
