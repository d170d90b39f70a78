/* What factors, or what is like them, take: of a preconditioner, or of a direct solver. */
#ifndef NB_WORK_H
#define NB_WORK_H

/* Arithmetic is additions, multiplications, divisions and roots, by count. Entries of A and products with A are the
 * system's own (operator/system_size.h). A set-up counts what it makes from entries of A, with all tries that failed,
 * and no symbolic work. NaN: not known. */
typedef struct nb_preconditioner_work {
    double setup_flops; /* of the last set-up of values */
    double apply_flops; /* of one application; of a direct solver of one solve */
    double apply_bytes; /* memory that one application reads and writes at least, r and z included */
    double nonzeros;    /* numbers of its own that P is stored in: of L L^T those of L, its diagonal included */
} nb_preconditioner_work;

#endif
